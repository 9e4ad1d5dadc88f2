"""What a person did to the directory since dream last wrote it: changed, deleted, added, or nothing that counts.

A person's edits win, so every doubt is settled towards keeping words: an index that is gone or replaced as a
whole deletes nothing, a renamed file is the same memory, a line rewritten without its link is that line. Where the
body, the description and the index line of one memory changed together, the body wins and the others are recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum

from dreamd.core.plain_words.rule_parts import REASON
from dreamd.core.values import MemoryType
from dreamd.notes.directory import DirectoryText, IndexLine, read_directory
from dreamd.notes.safe_text import one_line
from dreamd.notes.topic import TopicText

REPLACED_AT = 5
"""From this many lines on, an index of which no line survived was replaced, not emptied line by line."""
SAME_LINE = 0.6
"""Likeness from which a line without a link is the rewritten one that vanished."""
MOST_COMPARISONS = 4_000
"""Beyond this many pairs of vanished and new lines nobody rewrote lines one by one."""
LONG_FILE = 700
"""A new file without frontmatter and longer than this is read paragraph by paragraph."""

_DATED = re.compile(r"^- (?:\d{4}-\d\d-\d\d|until |from |before|and \d)")


class EditKind(StrEnum):
    """What a person did to one memory or file."""

    CHANGED = "changed"
    DELETED = "deleted"
    ADDED = "added"
    TITLED = "titled"
    IGNORED = "ignored"


@dataclass(frozen=True)
class Beside:
    """What a person did to the same memory in another place at the same time, and lost to the edit it stands beside."""

    reason: str
    text: str = ""
    """The whole statement as that place would have it; empty where it was taken out there."""
    ttl: str | None = None


@dataclass(frozen=True)
class PersonEdit:
    """One edit. `text` is the whole statement as it now reads; `beside` what a losing place said differently."""

    kind: EditKind
    file: str
    memory_id: str = ""
    text: str = ""
    title: str = ""
    type_hint: str = ""
    ttl: str | None = None
    """The TTL that holds after the edit."""
    reason: str = ""
    copied: bool = False
    """Whether it is a further file with the mark of a memory that has its own: a copy, perhaps of how dream once wrote it."""
    beside: tuple[Beside, ...] = ()
    previous_file: str = ""
    """The name dream gave the file, when a person renamed it."""
    mark: str = ""
    """The memory that a new file says it carries, or the file that a new line points to."""


def diff_person_edits(accepted: Mapping[str, str], current: Mapping[str, str]) -> list[PersonEdit]:
    """Every edit between the files dream last wrote or accepted and the files as they are now."""
    if dict(accepted) == dict(current):
        return []
    before = read_directory(accepted)
    same = {name: topic for name, topic in before.topics.items() if current.get(name) == accepted[name]}
    now = read_directory(current, known=same)
    if before.topics and not now.topics and not now.has_index:
        return [PersonEdit(EditKind.IGNORED, "", reason="directory-emptied")]
    return _Comparison(before, now, _surviving(accepted, current)).edits()


class _Comparison:
    """The two directories side by side while they are compared."""

    def __init__(self, before: DirectoryText, now: DirectoryText, index_files: frozenset[str]) -> None:
        self.before = before
        self.now = now
        self.index_files = index_files
        self.known = {t.memory_id: t for t in before.topics.values() if t.memory_id}
        self.id_by_file = {t.file.lower(): t.memory_id for t in before.topics.values() if t.memory_id}
        self.topics, self.spare = self._matched_topics()
        for ident, topic in self.topics.items():
            self.id_by_file.setdefault(topic.file.lower(), ident)
        self.old_lines = self._lines_by_id(before.lines)
        self.new_lines = self._lines_by_id(now.lines)
        self.free_lines = self._free_lines()
        self.settled: set[str] = set()
        """Memories with an edit that tells of all their lines."""

    def edits(self) -> list[PersonEdit]:
        """All edits, memories first in order of id, then files and lines that are new."""
        vanished = self._vanished()
        rewritten = self._rewritten(vanished)
        found = [self._edit_of(ident, ident in vanished, rewritten.get(ident)) for ident in sorted(self.known)]
        edits = [self._with_others(edit, edit.memory_id in vanished and edit.memory_id not in rewritten)
                 for edit in found if edit is not None]
        edits += self._titles()
        edits += [edit for topic in self.spare for edit in self._new_file(topic)]
        edits += [self._new_line(line) for line in self.free_lines]
        edits += self._extra_lines()
        edits += self._ignored()
        return edits

    def _matched_topics(self) -> tuple[dict[str, TopicText], list[TopicText]]:
        """The file that carries each known memory today, and the files that carry none of them."""
        matched: dict[str, TopicText] = {}
        spare: list[TopicText] = []
        # a file that kept its name comes first, so that a copy never takes its place
        ordered = sorted(self.now.topics.values(), key=lambda t: (t.file.lower() not in self.id_by_file, t.file))
        for topic in ordered:
            ident = topic.memory_id
            if ident not in self.known:
                ident = self.id_by_file.get(topic.file.lower(), "")
            if ident in self.known and ident not in matched:
                matched[ident] = topic
            else:
                spare.append(topic)
        return matched, spare

    def _lines_by_id(self, lines: Iterable[IndexLine]) -> dict[str, list[IndexLine]]:
        found: dict[str, list[IndexLine]] = {}
        for line in lines:
            ident = self.id_by_file.get(line.target.lower(), "") if line.target else ""
            if ident and not (line.recent and not line.hook):
                found.setdefault(ident, []).append(line)
        return found

    def _free_lines(self) -> list[IndexLine]:
        """Lines that point at no known memory and were not there before."""
        old = {one_line(line.raw) for line in self.before.lines}
        files = {topic.file.lower() for topic in self.spare}
        return [
            line
            for line in self.now.lines
            if not self.id_by_file.get(line.target.lower(), "")
            and line.target.lower() not in files
            and (line.hook or line.title)
            and one_line(line.raw) not in old
        ]

    def _vanished(self) -> set[str]:
        """Memories whose index line a person took out of a file that is otherwise still there."""
        lost = {
            ident
            for ident, lines in self.old_lines.items()
            if ident not in self.new_lines and any(line.file.lower() in self.index_files for line in lines)
        }
        if not self.new_lines and (len(lost) >= REPLACED_AT or not set(self.before.headings) & set(self.now.headings)):
            return set()
        return lost

    def _rewritten(self, vanished: set[str]) -> dict[str, IndexLine]:
        """Vanished lines that stand there again in other words and without their link."""
        found: dict[str, IndexLine] = {}
        if len(vanished) * len(self.free_lines) > MOST_COMPARISONS:
            return found
        for ident in sorted(vanished):
            old = self.old_lines[ident][0].hook
            scored = [(_likeness(old, line.hook), -n) for n, line in enumerate(self.free_lines) if not line.target]
            best, at = max(scored, default=(0.0, 0))
            if best >= SAME_LINE:
                found[ident] = self.free_lines.pop(-at)
        return found

    def _edit_of(self, ident: str, vanished: bool, rewritten: IndexLine | None) -> PersonEdit | None:
        was, topic = self.known[ident], self.topics.get(ident)
        line = rewritten or self._changed_line(ident)
        hook = line.hook if line and line.hook and line.hook != self._old_hook(ident) else ""
        by_hook = _spliced(was.statement, self._old_hook(ident), hook) if hook else ""
        if topic is None or (was.statement and not topic.statement and not _added_tail(was, topic)):
            file = topic.file if topic else was.file
            if by_hook:
                gone = Beside("emptied" if topic else "file-deleted")
                return PersonEdit(EditKind.CHANGED, file, ident, by_hook, ttl=line.ttl if line else was.ttl,
                                  reason="index-line", beside=(gone,))
            return PersonEdit(EditKind.DELETED, file, ident, reason="emptied" if topic else "file-deleted")
        edit = self._changed_text(was, topic, by_hook)
        ttl = line.ttl if line and topic.ttl == was.ttl and line.ttl != self._old_ttl(ident) else topic.ttl
        if edit is None and ttl != was.ttl:
            edit = PersonEdit(EditKind.CHANGED, topic.file, ident, was.statement, reason="ttl")
        if edit is None and vanished and rewritten is None:
            return PersonEdit(EditKind.DELETED, topic.file, ident, reason="line-deleted")
        if edit is None:
            return self._unchanged(was, topic)
        renamed = was.file if topic.file != was.file else ""
        other = line.ttl if line and line.ttl != self._old_ttl(ident) and line.ttl != ttl else None
        beside = (*edit.beside, *([Beside("ttl", edit.text, other)] if other else ()))
        return replace(edit, ttl=ttl, type_hint=_closed_type(topic.type), previous_file=renamed, beside=beside)

    def _changed_text(self, was: TopicText, topic: TopicText, by_hook: str) -> PersonEdit | None:
        """Body over description over index line; the losing words stand beside."""
        extra = _added_tail(was, topic)
        by_body = "\n\n".join(part for part in (topic.statement, *extra) if part) if (
            extra or not _same(topic.statement, was.statement)
        ) else ""
        by_description = ""
        if topic.description and topic.description != was.description:
            by_description = _spliced(was.statement, was.description, topic.description)
        found = [("body", by_body), ("description", by_description), ("index-line", by_hook)]
        found = [(reason, text) for reason, text in found if text and not _same(text, was.statement)]
        if not found:
            return None
        reason, text = found[0]
        beside = tuple(Beside(place, other) for place, other in found[1:] if not _same(other, text))
        return PersonEdit(EditKind.CHANGED, topic.file, was.memory_id, text, reason=reason, beside=beside)

    def _unchanged(self, was: TopicText, topic: TopicText) -> PersonEdit | None:
        ident = was.memory_id
        if topic.file != was.file:
            return PersonEdit(EditKind.IGNORED, topic.file, ident, reason="renamed", ttl=topic.ttl, previous_file=was.file)
        if not topic.memory_id:
            return PersonEdit(EditKind.IGNORED, topic.file, ident, reason="provenance-removed", ttl=topic.ttl)
        if topic.type != was.type and _closed_type(topic.type):
            return PersonEdit(EditKind.CHANGED, topic.file, ident, was.statement, type_hint=topic.type, ttl=topic.ttl,
                              reason="type")
        if (topic.type, topic.name) != (was.type, was.name):
            return PersonEdit(EditKind.IGNORED, topic.file, ident, reason="frontmatter", ttl=topic.ttl)
        return None

    def _changed_line(self, ident: str) -> IndexLine | None:
        """The line of a memory, the changed one first; none while one of its lines still reads as before."""
        lines = self.new_lines.get(ident, [])
        old = self._old_hook(ident)
        same = [line for line in lines if line.hook == old]
        return same[0] if same else next((line for line in lines if line.hook), None)

    def _extra_lines(self) -> list[PersonEdit]:
        """Further lines that point at a memory and say something of their own."""
        edits = []
        for ident in sorted(self.new_lines.keys() - self.settled):
            edits += [self._new_line(line) for line in self._others(ident)]
        return edits

    def _others(self, ident: str) -> list[IndexLine]:
        """Lines of a memory beside the one that counts, in words that stood in none before."""
        chosen = self._changed_line(ident)
        known = {line.hook for line in self.old_lines.get(ident, [])} | {chosen.hook if chosen else ""}
        return [line for line in self.new_lines.get(ident, []) if line.hook and line.hook not in known]

    def _with_others(self, edit: PersonEdit, line_gone: bool) -> PersonEdit:
        """A changed memory with what was done to it elsewhere: its line taken out, a second line with other words."""
        if edit.kind is not EditKind.CHANGED:
            return edit
        self.settled.add(edit.memory_id)
        was = self.known[edit.memory_id]
        beside = [*edit.beside, *([Beside("line-deleted")] if line_gone else ())]
        for line in self._others(edit.memory_id):
            text = _spliced(was.statement, self._old_hook(edit.memory_id), line.hook)
            if not _same(text, edit.text):
                beside.append(Beside("second-line", text, line.ttl))
        return replace(edit, beside=tuple(beside))

    def _titles(self) -> list[PersonEdit]:
        """Titles a person gave to lines of memories that are there before and after."""
        old, now = self._titles_by_id(self.before.lines), self._titles_by_id(self.now.lines)
        fresh: dict[str, str] = {}
        for (ident, recent), titles in sorted(now.items()):
            before = old.get((ident, recent), [])
            if before and ident in self.topics and not set(before) & set(titles):  # a further line gives no other title
                fresh.setdefault(ident, titles[0])
        return [PersonEdit(EditKind.TITLED, self.topics[ident].file, ident, title=title, reason="title")
                for ident, title in fresh.items()]

    def _titles_by_id(self, lines: Iterable[IndexLine]) -> dict[tuple[str, bool], list[str]]:
        """Titles by memory, those of the lines that only repeat by themselves."""
        found: dict[tuple[str, bool], list[str]] = {}
        for line in lines:
            ident = self.id_by_file.get(line.target.lower(), "") if line.target and line.title else ""
            if ident:
                found.setdefault((ident, line.recent), []).append(line.title)
        return found

    def _old_hook(self, ident: str) -> str:
        lines = self.old_lines.get(ident)
        return lines[0].hook if lines else self.known[ident].description

    def _old_ttl(self, ident: str) -> str | None:
        lines = self.old_lines.get(ident)
        return lines[0].ttl if lines else self.known[ident].ttl

    def _new_line(self, line: IndexLine) -> PersonEdit:
        return PersonEdit(EditKind.ADDED, line.file, text=line.hook or line.title, title=line.title or line.section,
                          ttl=line.ttl, reason="new-line", mark=line.target)

    def _new_file(self, topic: TopicText) -> list[PersonEdit]:
        """The statements of a file that carries no known memory; a plain copy carries nothing new."""
        own = self.topics.get(topic.memory_id)
        if own is not None and _same(own.statement, topic.statement):
            return [PersonEdit(EditKind.IGNORED, topic.file, topic.memory_id, reason="copy")]
        said = "\n\n".join([topic.statement, *(x for x in topic.tail if x != "Earlier:" and not _DATED.match(x))])
        texts = _paragraphs(said) if not topic.type and len(said) > LONG_FILE else [_without_headings(said)]
        texts = [text for text in texts if text] or ([topic.description] if topic.description else [])
        if not texts:
            return [PersonEdit(EditKind.IGNORED, topic.file, title=topic.name, reason="empty-file")]
        ident = topic.memory_id if own is None and len(texts) == 1 else ""
        pointers = [x.hook for x in self.now.lines if x.target.lower() == topic.file.lower() and x.hook]
        base = PersonEdit(
            EditKind.ADDED, topic.file, ident,
            title=topic.name or topic.file[:-3],
            type_hint=_closed_type(topic.type),
            ttl=topic.ttl,
            reason="new-file",
            beside=tuple(Beside("pointer", hook) for hook in pointers if hook not in said),
            mark=topic.memory_id,
        )
        return [replace(base, text=text, copied=own is not None) for text in texts]

    def _ignored(self) -> list[PersonEdit]:
        """What changed without changing a memory: the index as a whole, headings, files that are not markdown."""
        edits = []
        if self.before.has_index and not self.now.has_index:
            edits.append(PersonEdit(EditKind.IGNORED, "MEMORY.md", reason="index-emptied"))
        elif self.old_lines and not self.new_lines and not self._vanished():
            edits.append(PersonEdit(EditKind.IGNORED, "MEMORY.md", reason="index-replaced"))
        if self.now.has_index and self.before.headings != self.now.headings:
            edits.append(PersonEdit(EditKind.IGNORED, "MEMORY.md", reason="heading"))
        remarks = [text for text in self.now.comments if text not in self.before.comments]
        edits += [PersonEdit(EditKind.IGNORED, "MEMORY.md", text=text, reason="comment") for text in remarks]
        strange = sorted(set(self.now.other_files) - set(self.before.other_files))
        return edits + [PersonEdit(EditKind.IGNORED, name, reason="not-markdown") for name in strange]


def _surviving(accepted: Mapping[str, str], current: Mapping[str, str]) -> frozenset[str]:
    """Files that are still there and not blank; only from those can a single line be taken out."""
    full = {name.lower() for name, text in current.items() if text.strip("\ufeff \r\n\t")}
    return frozenset(name.lower() for name in accepted if name.lower() in full)


def _added_tail(was: TopicText, now: TopicText) -> list[str]:
    """Lines a person put below the provenance comment."""
    known = {*was.tail, "Earlier:"}
    return [line.strip() for line in now.tail if line not in known and not _DATED.match(line)]


def _spliced(statement: str, old_hook: str, new_hook: str) -> str:
    """The statement with its hook replaced; what the hook left out stays."""
    stem = old_hook.removesuffix("…").split(" ")
    found = re.match(r"\s*" + r"\s+".join(re.escape(word) for word in stem), statement)
    if not found or not old_hook:
        return new_hook
    rest = statement[found.end() :]
    fresh = new_hook.removesuffix("…") if old_hook.endswith("…") else new_hook
    return f"{fresh}{rest}".strip()


def _same(a: str, b: str) -> bool:
    return one_line(a) == one_line(b)


def _likeness(a: str, b: str) -> float:
    if not a or not b or len(a) > 2_000 or len(b) > 2_000:
        return 0.0
    matcher = SequenceMatcher(None, a.lower(), b.lower(), autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= SAME_LINE else 0.0


def _closed_type(text: str) -> str:
    return text if text in {kind.value for kind in MemoryType} else ""


def _without_headings(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not re.match(r"[ \t]{0,3}#{1,6}[ \t]", line)).strip()


def _paragraphs(text: str) -> list[str]:
    """Bullets and paragraphs, each on its own; a `**Why:**` stays with what it explains."""
    found: list[str] = []
    for block in re.split(r"\n[ \t]*\n|\n(?=[ \t]*[-*+] )", _without_headings(text)):
        plain = re.sub(r"^[-*+] ", "", block.strip())
        if not plain or re.fullmatch(r"[-*_=|: ]+", plain):
            continue
        if found and REASON.match(plain):
            found[-1] += f"\n\n{plain}"
        else:
            found.append(plain)
    return found
