"""What a dream would do to a foreign directory: merge twins, end what no longer holds, mend links. Only a plan.

The relations come from the caller; whatever is not certain stays as it is and is reported. A claim counts under
the heading it stands below, so equal words under different headings are two claims.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from urllib.parse import unquote

from dreamd.core.values import MERGING, SHORTEST_TEXT, Basis, Clue, Judgement, Relation
from dreamd.notes.dialects import Dialect
from dreamd.notes.directory import is_index
from dreamd.notes.entries import Entry, EntryKind, read_entries
from dreamd.notes.rewriting import Action, EntryEdit
from dreamd.notes.safe_text import one_line

LONG_CLAIM = 80
"""From this many characters on, equal words are the same claim under any heading."""
SMALL_TOPIC = 600
"""Longest topic body that ends as a whole because one claim of it ended."""
DEAD_SHARE_PERCENT = 50
FEW_DEAD = 5
"""Up to this many dead links are mended whatever their share; beyond it most files may just be elsewhere."""
STEM = 5
TOLD_PERCENT = 75
"""So many of the words of an entry that goes must stand in the one that stays."""
_EXACT = re.compile(r"`[^`\n]+`|\b\d[\w.:-]*\b|[\w.-]*/[\w./-]+")
_WORD = re.compile(r"[^\W_]{4,}|\d+")


@dataclass(frozen=True)
class JudgedPair:
    """The relation of two entries, by id, as the caller judged it."""

    a: str
    b: str
    judgement: Judgement


@dataclass(frozen=True)
class AttachRules:
    """What bounds a plan. `today` is `YYYY-MM-DD` in the store's zone."""

    today: str
    dialect: Dialect
    max_removed_percent: int = 25
    removed_always: int = 5
    allow_large_change: bool = False
    present: frozenset[str] = frozenset()
    """What is in the directory and was not read, folders with a `/` behind them; links to it are not dead."""


@dataclass(frozen=True)
class AttachPlan:
    """The edits in order of file and place, pairs left to a person, and what was left alone and why.

    `waiting` are edits past the share of entries that one dream may take out.
    """

    edits: tuple[EntryEdit, ...] = ()
    conflicts: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    waiting: tuple[EntryEdit, ...] = ()

    @property
    def archived(self) -> tuple[Entry, ...]:
        """Entries whose words leave the directory."""
        return tuple(edit.entry for edit in self.edits if edit.archives)


def plan_attach(entries: Sequence[Entry], pairs: Sequence[JudgedPair], *, rules: AttachRules) -> AttachPlan:
    """Plan one dream over a directory. The same input in any order gives the same plan."""
    draft = _Draft(sorted(entries, key=lambda e: (e.file, e.start)), rules)
    draft.expire()
    draft.merge_equals()
    for pair in sorted(pairs, key=lambda p: (p.a, p.b)):
        draft.settle(pair)
    draft.keep_to_its_share()
    draft.follow_removed_files()
    draft.mend_links()
    return draft.plan()


def account(before: Mapping[str, str], after: Mapping[str, str], *, archive: Sequence[Entry], dialect: Dialect) -> list[Entry]:
    """Entries that stood in `before` and stand neither in `after` nor in the archive. Must be empty."""
    left = Counter(_words(e) for e in read_entries(after, dialect) if e.claims)
    left.update(_words(e) for e in archive)
    # A line may read differently once its neighbour is gone (two lines become the head of a table): it is still there.
    lines = Counter(line.strip() for text in after.values() for line in text.splitlines())
    missing = []
    for entry in read_entries(before, dialect):
        if not entry.claims:
            continue
        key, line = _words(entry), before[entry.file][entry.start:entry.end].strip()
        if left[key] > 0:
            left[key] -= 1
            lines[line] -= 1
        elif lines[line] > 0:
            lines[line] -= 1
        else:
            missing.append(entry)
    return missing


def can_meet(a: Entry, b: Entry) -> bool:
    """Whether the words of both mean the same subject: one heading, or enough words to stand alone."""
    alone = (e.whole_file or len(one_line(e.text)) >= LONG_CLAIM for e in (a, b))
    return (_home(a), a.section) == (_home(b), b.section) or all(alone)


@dataclass
class _Draft:
    """A plan while it is made: what goes, what therefore stays, what is open."""

    entries: list[Entry]
    rules: AttachRules
    edits: dict[str, EntryEdit] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)
    conflicts: set[tuple[str, str]] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)
    waiting: tuple[EntryEdit, ...] = ()

    def __post_init__(self) -> None:
        self.by_id = {entry.id: entry for entry in self.entries}
        self.files = {entry.file for entry in self.entries} | self.rules.present

    def expire(self) -> None:
        """Take out what named its own last day, and that day is over."""
        for entry in self.entries:
            small = not entry.whole_file or len(entry.text) <= SMALL_TOPIC
            if entry.kind is EntryKind.ENTRY and entry.editable and small and "" < entry.ttl < self.rules.today:
                self._take_out(entry, Action.END, reason="expired", evidence=(f"TTL: {entry.ttl}",))

    def merge_equals(self) -> None:
        """Take out entries that say exactly what an earlier one says, and pointers that stand there twice."""
        first: dict[tuple[str, ...], Entry] = {}
        for entry in self.entries:
            if not entry.claims or not entry.editable or entry.id in self.edits:
                continue
            words = one_line(entry.text)
            if len(words) < SHORTEST_TEXT:
                continue
            place = "" if entry.whole_file or len(words) >= LONG_CLAIM else f"{_home(entry)}\n{entry.section}"
            key = (entry.kind, str(entry.whole_file), place, entry.target, entry.title if entry.target else "", words)
            if key not in first:
                first[key] = entry
            else:
                first[key] = self._merge_twins(first[key], entry)

    def settle(self, pair: JudgedPair) -> None:
        """Carry out one judged relation, or leave it to a person."""
        a, b = self.by_id.get(pair.a), self.by_id.get(pair.b)
        if a is None or b is None or a.id == b.id or {a.id, b.id} & self.edits.keys():
            return
        if EntryKind.POINTER in (a.kind, b.kind) or not (a.editable and b.editable):
            return  # a pointer repeats its topic by design, and what stays must be where the agent looks
        said = pair.judgement
        if said.relation in MERGING:
            keep, drop = (b, a) if _b_stays(a, b, said) else (a, b)
            if can_meet(a, b) and _carries(keep, drop, said):
                self._merge(keep, drop, said.evidence)
        elif said.relation is Relation.UPDATES and said.newer in ("a", "b") and said.is_sure:
            newer, older = (a, b) if said.newer == "a" else (b, a)
            self._end(newer, older, said)
        elif said.relation in (Relation.UPDATES, Relation.CONTRADICTS):
            self.conflicts.add((min(a.id, b.id), max(a.id, b.id)))

    def keep_to_its_share(self) -> None:
        """Let wait what passes the share of entries that one dream may take out, the oldest first in line."""
        taken = [e for e in self.edits.values() if e.action in (Action.REMOVE, Action.END)]
        share = sum(entry.claims for entry in self.entries) * self.rules.max_removed_percent // 100
        allowed = max(share, self.rules.removed_always)
        if self.rules.allow_large_change or len(taken) <= allowed:
            return
        line = sorted(taken, key=lambda e: (e.entry.ttl or e.entry.dated or "9999", e.entry.file, e.entry.start))
        self.waiting = tuple(line[allowed:])
        for edit in self.waiting:
            del self.edits[edit.entry.id]
        self.warnings.append(f"{len(self.waiting)} more entries wait: one dream takes out {allowed} here at most, "
                             "`dream attach --allow-large-change` all of them")

    def follow_removed_files(self) -> None:
        """Let pointers to a file that goes lead to its successor, or go with it."""
        gone = {e.entry.file: e for e in self.edits.values() if e.entry.whole_file}
        if not gone:
            return
        pointed = {_inside(e.target) for e in self.entries if e.kind is EntryKind.POINTER}
        for entry in self.entries:
            leaving = gone.get(_inside(entry.target)) if entry.kind is EntryKind.POINTER else None
            if leaving is None or entry.id in self.edits or not entry.editable:
                continue
            heir = self.by_id.get(leaving.successor)
            if heir is not None and heir.whole_file and heir.file not in pointed:
                pointed.add(heir.file)
                self.edits[entry.id] = EntryEdit(entry, Action.RELINK, heir.file, reason="target-merged")
                continue
            if heir is not None:
                self._carry_line(entry, heir)
            self._take_out(entry, leaving.action, reason=leaving.reason, evidence=("its file goes",))
        self._follow_names({_stem(f): e.successor for f, e in gone.items() if e.successor})

    def _carry_line(self, leaving: Entry, heir: Entry) -> None:
        """Have the line of the file that stays say what the line of the one that goes said beside it."""
        own = next((e for e in self._pointers(heir) if e.editable and (
            e.id not in self.edits or self.edits[e.id].action is Action.REPLACE)), None)
        if own is None:
            return
        hook = self.edits[own.id].text if own.id in self.edits else own.text
        told = f"{hook} {own.title} {heir.text} {heir.description}"
        if _says_all(told, f"{leaving.title} {leaving.text}"):
            return
        title = "" if _says_all(f"{told} {leaving.text}", leaving.title) else f"{leaving.title}: "
        # Who reads the index sees its line alone: what the file says as well is no reason to take it out of that.
        fuller = _says_all(f"{title}{leaving.text} {own.title}", hook)
        text = f"{title}{leaving.text}" if fuller else f"{hook.rstrip(' .;')}; {title}{leaving.text}"
        self.edits[own.id] = EntryEdit(own, Action.REPLACE, text, reason="target-merged", evidence=("the line of its twin",))

    def _pointers(self, topic: Entry) -> list[Entry]:
        return [e for e in self.entries if e.kind is EntryKind.POINTER and topic.whole_file and _inside(e.target) == topic.file]

    def _follow_names(self, heirs: Mapping[str, str]) -> None:
        """Let `[[name]]` of a merged file name the one that stays."""
        for entry in self.entries:
            if entry.kind is not EntryKind.ENTRY or not entry.editable or entry.id in self.edits:
                continue
            text = entry.text
            for stem, heir in heirs.items():
                if self.by_id[heir].whole_file:
                    text = text.replace(f"[[{stem}]]", f"[[{_stem(self.by_id[heir].file)}]]")
            if text != entry.text:
                self.edits[entry.id] = EntryEdit(entry, Action.REPLACE, text, reason="target-merged")

    def mend_links(self) -> None:
        """Point dead links at the file they mean, or keep their words without the link."""
        inside = [e for e in self.entries if e.kind is EntryKind.POINTER and e.editable and _inside(e.target)]
        dead = [e for e in inside if not self._is_there(_inside(e.target)) and e.id not in self.edits]
        meant = {e.id: self._meant(e) for e in dead}
        lost = [e for e in dead if not meant[e.id]]
        for entry in dead:
            if meant[entry.id]:
                self.edits[entry.id] = EntryEdit(entry, Action.RELINK, meant[entry.id], reason="dead-link")
        if len(lost) > FEW_DEAD and len(lost) * 100 > DEAD_SHARE_PERCENT * len(inside):
            self.warnings.append(
                f"{len(lost)} of {len(inside)} links lead to files that are not here; left as they are, "
                "for the directory may be incomplete"
            )
            return
        for entry in lost:
            self.edits[entry.id] = EntryEdit(entry, Action.UNLINK, reason="dead-link")

    def plan(self) -> AttachPlan:
        """The finished plan."""
        ordered = sorted(self.edits.values(), key=lambda e: (e.entry.file, e.entry.start))
        return AttachPlan(tuple(ordered), tuple(sorted(self.conflicts)), tuple(self.warnings), self.waiting)

    def _is_there(self, name: str) -> bool:
        """Whether a file was read, or stands where nothing was."""
        return name in self.files or any(f"{above}/" in self.files for above in PurePosixPath(name).parents)

    def _merge_twins(self, first: Entry, second: Entry) -> Entry:
        """Merge two entries of the same words, of topic files into the one that is better described; the one that stays."""
        keep, drop = first, second
        if drop.whole_file and first.id not in self.kept and self._described(second) > self._described(first):
            keep, drop = second, first
        self._merge(keep, drop, ("same words",))
        return keep if drop.id in self.edits else first

    def _described(self, topic: Entry) -> tuple[int, int]:
        """How much is said of a topic file beside its body: in its description, then in the lines that lead to it."""
        hooks = " ".join(e.text for e in self._pointers(topic))
        return len(_content(topic.description)), len(_content(hooks))

    def _merge(self, keep: Entry, drop: Entry, evidence: tuple[Clue, ...]) -> None:
        if drop.id in self.kept or keep.id in self.edits or not _marks_survive(keep, drop):
            return
        if keep.type and drop.type and keep.type != drop.type:
            return
        lines = " ".join(f"{e.title} {e.text}" for e in self._pointers(keep))
        if not _says_all(f"{keep.text} {keep.description} {lines}", drop.description):
            return  # a description cannot be put into another file, and what it says must not go
        self.kept.add(keep.id)
        self._take_out(drop, Action.REMOVE, reason="duplicate", evidence=evidence, successor=keep.id)

    def _end(self, newer: Entry, older: Entry, said: Judgement) -> None:
        known = said.basis is Basis.MARKER or (newer.dated and older.dated and newer.dated > older.dated)
        whole = older.whole_file and len(older.text) > SMALL_TOPIC
        if not known or whole or older.id in self.kept or not can_meet(newer, older):
            self.conflicts.add((min(newer.id, older.id), max(newer.id, older.id)))
            return
        self.kept.add(newer.id)
        self._take_out(older, Action.END, reason="updated", evidence=said.evidence, successor=newer.id)

    def _take_out(self, entry: Entry, action: Action, **why: object) -> None:
        self.edits[entry.id] = replace(EntryEdit(entry, action), **why)  # type: ignore[arg-type]

    def _meant(self, entry: Entry) -> str:
        """The one file whose name differs only in case, `-` and `_`."""
        wanted = _plain_name(_inside(entry.target))
        found = [name for name in sorted(self.files) if _plain_name(name) == wanted]
        return found[0] if len(found) == 1 else ""


def _b_stays(a: Entry, b: Entry, said: Judgement) -> bool:
    """Which side of a merge keeps its place: the richer wording, a topic file before a line, the longer text."""
    if said.richer in ("a", "b"):
        return said.richer == "b"
    if a.whole_file != b.whole_file:
        return b.whole_file
    return len(one_line(b.text)) > len(one_line(a.text))


def _carries(keep: Entry, drop: Entry, said: Judgement) -> bool:
    """Whether nothing goes with `drop`: for topic files every line of it must stand in the one that stays.

    A topic of one line is one claim, and the judge has looked at all of it. But what is taken out of somebody's own file
    is not worded anew as in a memory, so likeness alone is not enough: most of its words have to be found there, and every
    number, path and name in code.
    """
    if not _is_told_in(keep.text, drop.text):
        return False
    if not drop.whole_file or (keep.whole_file and len(drop.text.split("\n")) == 1):
        return True
    if not keep.whole_file and said.relation is not Relation.DUPLICATE:
        return False
    own = {one_line(line) for line in keep.text.splitlines()}
    return all(one_line(line) in own for line in drop.text.splitlines())


def _is_told_in(kept: str, dropped: str) -> bool:
    """Whether most words of a text, as far as they are more than little ones, stand in another, and all that is exact."""
    stems, words = _content(kept), _content(dropped)
    exact = set(_EXACT.findall(dropped)) <= set(_EXACT.findall(kept))
    return exact and TOLD_PERCENT * len(words) <= 100 * len(words & stems)


def _content(text: str) -> set[str]:
    """The words that say something, and every number, in the form that is compared."""
    return {word[:STEM] for word in _WORD.findall(text.casefold())}


def _says_all(told: str, said: str) -> bool:
    """Whether everything that one text says in words and numbers stands in another in some form."""
    return _content(said) <= _content(told) and set(_EXACT.findall(said)) <= set(_EXACT.findall(told))


def _marks_survive(keep: Entry, drop: Entry) -> bool:
    """Whether the evidence marks of an entry (`[Task 2]`) are all on the one that stays."""
    tail = [set(re.findall(r"\[Task \d+\]", e.marks)) for e in (keep, drop)]
    return tail[1] <= tail[0]


def _inside(target: str) -> str:
    """The file of the directory a link leads to; empty for web addresses and paths that leave it."""
    plain = unquote(target).split("#", 1)[0].removeprefix("./")
    if not plain.lower().endswith(".md") or re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|[/~\\]", plain):
        return ""
    return "" if ".." in plain.split("/") else plain


def _stem(file: str) -> str:
    return file.removesuffix(".md")


def _home(entry: Entry) -> str:
    """The file whose headings an entry stands under; an index and its overflow are one."""
    return "" if is_index(entry.file) else entry.file


def _plain_name(name: str) -> str:
    return name.lower().replace("_", "-").replace(" ", "-")


def _words(entry: Entry) -> str:
    """The words of an entry, without links and punctuation, for counting."""
    said = f"{entry.title} {entry.text}" if entry.kind is EntryKind.POINTER else entry.text
    said = re.sub(r"\[\[[^\]\n]*\]\]|(?<=\])\([^)\n]*\)", " ", said)
    return " ".join(re.findall(r"\w+", said)) or one_line(said)


def conflicts_in_words(plan: AttachPlan, entries: Iterable[Entry]) -> list[tuple[Entry, Entry]]:
    """The pairs a person has to decide, as entries."""
    known = {entry.id: entry for entry in entries}
    return [(known[a], known[b]) for a, b in plan.conflicts]
