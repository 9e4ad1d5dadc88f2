"""A night as the journal tells it: what was read and passed over, every change with its reason, its source and its words.

Nothing here asks a model, and nothing is guessed: what the journal does not know is not told.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from dreamd.core.clock import EARLIEST
from dreamd.core.errors import StoreMissing
from dreamd.core.plain_words.for_people import count
from dreamd.core.plain_words.plain_reasons import PUT_BACK, plain_evidence, plain_why
from dreamd.core.values import Memory
from dreamd.dream.plan import Change
from dreamd.report.heard import LetGo, Source, dealt_with_since, let_go, read_source, skipped_in
from dreamd.report.word_changes import Part, WordChange, word_changes
from dreamd.store import journal, observations
from dreamd.store.connection import Store
from dreamd.store.journal import DREAM, Entry, Run
from dreamd.store.telling import taken_back
from dreamd.store.telling.faces import Face, Faced, face_of, load_faced, load_faces
from dreamd.store.telling.over_time import Spent, load_spent
from dreamd.store.telling.said_where import load_places

MOST_DIGITS = 9
"""Of the number of a change."""


class Kind(StrEnum):
    """What happened to a memory, in one word; in the order in which a person reads of it."""

    LEARNED = "learned"
    MERGED = "merged"
    DETAILED = "detailed"
    REPLACED = "replaced"
    EARLIER = "kept as an earlier version"
    HELD = "held"
    REVIVED = "live again"
    FADED = "stale"
    RETIRED = "archived"
    EDITED = "edited"
    MOVED = "moved"
    SAID_AGAIN = "said again"
    OTHER = "changed"
    TAKEN_BACK = "taken back"
    PUT_BACK = "put back"
    FORGOTTEN = "forgotten"

    @property
    def words(self) -> str:
        """The same as people read it."""
        return {Kind.DETAILED: "given detail", Kind.HELD: "held for you", Kind.EDITED: "edited by you"}.get(self, self.value)


FIRST = {"preference": 0, "rule": 1, "state": 2}
"""What a person wants to see first of what was learned, by class."""


@dataclass(frozen=True)
class Told:
    """One memory that a run changed, from how it was before the run to how the run left it."""

    op: str
    """The operation that says most, as `RUN/NUMBER`; all of them are in `ops`."""
    ops: tuple[str, ...]
    run: str
    """What `dream undo` takes back."""
    kind: Kind
    memory: str
    scope: str
    reason: str
    why: str
    evidence: tuple[str, ...]
    before: Face | None
    after: Face | None
    sources: tuple[Source, ...]
    """What was said that this run took up for it, or for what took its place; else what it rested on before."""
    number: int = 0
    """The change it is, counted from 1; what is told beside another memory has the number of that one."""
    beside: str = ""
    """The memory beside which it is told, as what took its place."""
    taken_back: str = ""
    """The run that took this change back."""
    put_back: str = ""
    """The run that put it back after it had been taken back."""
    successor: str = ""
    """The words of what took its place."""
    rivals: tuple[tuple[str, str], ...] = ()
    """What it cannot stand beside: ids and words."""

    @property
    def words(self) -> tuple[WordChange, ...]:
        """Which words came, went and stayed; of what came and waits, or ended at once, none."""
        if self.before is None and self.after and self.kind is not Kind.LEARNED:
            return ((Part.SAME, self.after.text),)
        return word_changes(self.before.text if self.before else "", self.after.text if self.after else "")

    @property
    def text(self) -> str:
        """The words it is known by."""
        face = self.after or self.before
        return face.text if face else ""

    @property
    def support(self) -> int:
        """How often it was said."""
        face = self.after or self.before
        return len(face.observations) if face else 0


@dataclass(frozen=True)
class Recall:
    """What search found of the same memories before and after a run."""

    asked: int
    found: int


@dataclass(frozen=True)
class Night:
    """One run and all that is known of it."""

    run: Run
    told: tuple[Told, ...]
    taken: tuple[Source, ...]
    """Everything that was given a fate in this run and has it still."""
    fates: dict[str, str] = field(default_factory=dict)
    """What became of each of these, by observation."""
    since: tuple[tuple[str, str], ...] = ()
    """What a later run has dealt with anew: where it was said, as far as that is known, and what became of it in this run."""
    let_go: tuple[LetGo, ...] = ()
    sources: int | None = None
    """How many sources were looked at, and how many of them had something new; None where the run did not read."""
    read: int = 0
    lines: int = 0
    skipped: tuple[tuple[str, str, int], ...] = ()
    """What readers passed over: name of the reason, the same in plain words, how often."""
    recall: Recall | None = None
    """None where the run did not measure it."""
    spent: Spent | None = None
    """None where no language model was asked."""
    undone_by: str = ""

    @property
    def seconds(self) -> float:
        """How long it worked."""
        return sum(phase.get("seconds", 0.0) for phase in self.run.phases.values())

    @property
    def cpu_s(self) -> float:
        """CPU seconds it used, as far as its phases were timed."""
        return sum(phase.get("cpu_s", 0.0) for phase in self.run.phases.values())

    @property
    def alone(self) -> list[Told]:
        """The changes a person counts: without what is told beside another one."""
        return [one for one in self.told if not one.beside]

    @property
    def heard(self) -> int:
        """How many statements it dealt with, whatever became of them since."""
        return len(self.taken) + len(self.since)

    @property
    def has_changes(self) -> bool:
        """Whether it changed a memory."""
        return bool(self.told)


def load_night(store: Store, identity: str) -> Night:
    """One run by its id, a beginning of it, or its number.

    Raises StoreMissing when there is none.
    """
    return tell_run(store, journal.load_run(store, identity))


def memory_named(store: Store, run: Run, named: str) -> str:
    """The memory of one change of a run by its number; any other word as it is.

    Raises StoreMissing for a number that the run has no change of.
    """
    word = named.strip()
    if not (word.isascii() and word.isdigit() and len(word) < MOST_DIGITS):
        return named
    alone = tell_run(store, run).alone
    if len(word) >= journal.SHORTEST_ID and any(one.memory.startswith(word) for one in alone):
        return named
    found = next((one.memory for one in alone if one.number == int(word)), None)
    if found is None:
        raise StoreMissing(f"run {run.id} made {count(len(alone), 'change')}, and none with the number {int(word)}",
                           hint=f"`dream diff {run.id}` shows them")
    return found


def load_nights(store: Store, *, since: datetime | None = None, until: datetime | None = None, limit: int = 31) -> list[Night]:
    """The newest runs, the newest first; with times those between them, the second not included."""
    runs = journal.load_runs(store, limit=limit)
    return [tell_run(store, run) for run in runs
            if (since is None or run.now >= since) and (until is None or run.now < until)]


def tell_run(store: Store, run: Run) -> Night:
    """Everything the journal knows of a run."""
    faced = load_faced(store, run.seq)
    heard = observations.load_of_run(store, run.seq)
    wanted = {o for f in faced for side in (f.before, f.after) if side for o in side.observations}
    known = {o.id: o for o in heard} | {o.id: o for o in observations.load_by_ids(store, wanted - {o.id for o in heard})}
    places = load_places(store, known.values())
    said = {identity: read_source(one, places.get(identity)) for identity, one in known.items()}
    beside = [f.after.superseded_by for f in faced if f.after] + [other for f in faced for other in _rivals(f)]
    ids = journal.run_ids(store)
    gone, again = taken_back.load_taken_back(store, run.seq), taken_back.load_put_back(store, run.seq)
    told = [replace(one, taken_back=ids[gone[one.memory]] if one.memory in gone else "",
                    put_back=ids[again[one.memory]] if one.memory in again.keys() - gone.keys() else "")
            for one in _moves(run, faced, said, load_faces(store, beside))]
    new = dict.fromkeys(o for one in told if one.after for o in one.after.observations
                        if one.before is None or o not in one.before.observations)
    gather = run.phases.get("gather", {})
    return Night(
        run, tuple(told), tuple(said[o.id] for o in heard), {o.id: o.fate.value for o in heard if o.fate},
        dealt_with_since(run, new, heard, said), let_go(run, heard, said),
        int(gather["sources"]) if "sources" in gather else None, int(gather.get("read", 0)),
        int(gather.get("lines", 0)), skipped_in(gather), _recall(run), load_spent(store, [run.seq]).get(run.seq),
        ids.get(run.undone_by, "") if run.undone_by else "")


def tell_plan(changes: Sequence[Change], successors: Mapping[str, Memory]) -> list[Told]:
    """What a plan would do, as a run would be told that did it; where it was said is known once it is done."""
    run = Run(0, "", DREAM, EARLIEST, EARLIEST, None, "", "")
    faced = [Faced(Entry(0, n, c.op, c.after.id, str(c.after.scope), c.reason, c.evidence, None, None),
                   face_of(c.before) if c.before else None, face_of(c.after)) for n, c in enumerate(changes, 1)]
    return _moves(run, faced, {}, {identity: memory.text for identity, memory in successors.items()})


def _moves(run: Run, faced: Sequence[Faced], said: dict[str, Source], successors: dict[str, str]) -> list[Told]:
    """One for each memory, in the order and with the numbers in which they are told everywhere."""
    groups: dict[str, list[Faced]] = {}
    for one in faced:
        if one.before or one.after:
            groups.setdefault(one.entry.memory, []).append(one)
    final = {memory: rows[-1].after for memory, rows in groups.items()}
    named = {**successors, **{identity: face.text for identity, face in final.items() if face}}
    told = [_told(run, memory, rows, said, named) for memory, rows in groups.items()]
    return list(_numbered(told, said))


def _numbered(told: Sequence[Told], said: dict[str, Source]) -> Iterator[Told]:
    """The one order and the one count of the changes of a run: by kind, and what was learned by what several said and by class.

    A memory that took another one's place in the same run is told beside that one and has its number.
    """
    by_id = {one.memory: one for one in told}
    places = {one.after.superseded_by: one.memory for one in reversed(told)
              if one.kind in (Kind.REPLACED, Kind.MERGED) and one.after and one.after.superseded_by in by_id}
    beside = {new: old for new, old in places.items() if by_id[new].kind is Kind.LEARNED}
    kinds = list(Kind)
    alone = sorted((one for one in told if one.memory not in beside), key=lambda one: (kinds.index(one.kind), _first(one)))
    for number, one in enumerate(alone, 1):
        new = by_id.get(one.after.superseded_by) if one.after and one.successor else None
        after = one.after or one.before
        rests = tuple(said[o] for o in (after.observations if after else ()) if o in said)
        yield replace(one, number=number, sources=(new.sources if new else ()) or one.sources or rests)
        if new is not None and beside.get(new.memory) == one.memory:
            yield replace(new, number=number, beside=one.memory)


def _first(one: Told) -> tuple[bool, int]:
    if one.kind is not Kind.LEARNED or one.after is None:
        return False, 0
    return len(one.after.observations) < 2, FIRST.get(one.after.memory_class, len(FIRST))


def _told(run: Run, memory: str, rows: Sequence[Faced], said: dict[str, Source], words: dict[str, str]) -> Told:
    before, after = rows[0].before, rows[-1].after
    telling = _most_telling(rows)
    kind = Kind.PUT_BACK if telling.entry.reason == PUT_BACK else _kind(before, after, telling.entry.op)
    if kind is Kind.LEARNED:  # why it was learned, whatever was said again of it since
        telling = next((row for row in rows if row.entry.op in _FOUNDING), telling)
    reason = telling.entry.reason
    new = [o for o in (after.observations if after else ()) if before is None or o not in before.observations]
    rivals = sorted({other for row in rows for other in _rivals(row)})
    successor = words.get(after.superseded_by, "") if after and after.superseded_by else ""
    texts = [face.text for face in (before, after) if face] + [successor, *(said[o].text for o in new if o in said)]
    evidence = plain_evidence(telling.entry.evidence, reason, texts)
    return Told(
        f"{run.id}/{telling.entry.seq}", tuple(f"{run.id}/{row.entry.seq}" for row in rows), run.id, kind, memory,
        telling.entry.scope, reason, plain_why(reason, evidence), evidence, before, after,
        tuple(said[o] for o in new if o in said),
        successor=successor, rivals=tuple((other, words[other]) for other in rivals if other in words))


def _rivals(row: Faced) -> list[str]:
    """What an operation found a memory to contradict."""
    if row.entry.op != "link":
        return []
    sides = [json.loads(side)["links"] if side else [] for side in (row.entry.before, row.entry.after)]
    return [other for other, relation in sides[1] if [other, relation] not in sides[0] and relation == "contradicts"]


def _most_telling(rows: Sequence[Faced]) -> Faced:
    """The last operation that is more than a link."""
    return next((row for row in reversed(rows) if row.entry.op not in ("link", "unlink", "support")), rows[-1])


_FOUNDING = ("add", "promote", "import")
_OF_OP = {"hold": Kind.HELD, "support": Kind.SAID_AGAIN, "propose": Kind.HELD,
          "version": Kind.EARLIER, "revive": Kind.REVIVED, "restore": Kind.REVIVED,
          "stale": Kind.FADED, "archive": Kind.RETIRED, "edit": Kind.EDITED, "rename": Kind.EDITED, "forget": Kind.FORGOTTEN,
          "move": Kind.MOVED, "refine": Kind.DETAILED}


def _kind(before: Face | None, after: Face | None, op: str) -> Kind:
    if op == "undo":
        return Kind.TAKEN_BACK
    if after is None:
        return Kind.FORGOTTEN if op == "forget" else Kind.RETIRED if before else Kind.OTHER
    if op == "import":
        return Kind.LEARNED
    if after.status == "superseded" and (before is None or before.status != "superseded"):
        return Kind.MERGED if op == "merge" else Kind.EARLIER if op == "version" else Kind.REPLACED
    if after.status == "archived" and (before is None or before.status != "archived"):
        return Kind.RETIRED
    if after.status == "held" and (before is None or before.status != "held"):
        return Kind.HELD
    if before is None:
        return Kind.LEARNED
    if op in ("merge", "regroup"):
        return Kind.DETAILED if before.text != after.text else Kind.SAID_AGAIN
    return _OF_OP.get(op, Kind.OTHER)


def _recall(run: Run) -> Recall | None:
    counts = Counter[str]()
    for phase in run.phases.values():
        counts.update({name: int(phase[name]) for name in ("recall_asked", "recall_found") if name in phase})
    return Recall(counts["recall_asked"], counts["recall_found"]) if counts["recall_asked"] else None
