"""A night as the journal tells it: what was read and passed over, every change with its reason, its source and its words.

Nothing here asks a model, and nothing is guessed: what the journal does not know is not told.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath

from dreamd.core.values import Fate, Observation
from dreamd.report.plain_reasons import OF_CHANGES, OF_SAYINGS, OF_SKIPS, plain, plain_evidence
from dreamd.report.word_changes import WordChange, word_changes
from dreamd.store import journal, observations, work
from dreamd.store.connection import Store
from dreamd.store.journal import DREAM, Run
from dreamd.store.telling.faces import Face, Faced, load_faced, load_faces
from dreamd.store.telling.over_time import Spent, load_spent

SKIPPED = "skipped."


class Kind(StrEnum):
    """What happened to a memory, in one word."""

    LEARNED = "learned"
    REPLACED = "replaced"
    MERGED = "merged"
    SAID_AGAIN = "said again"
    DETAILED = "detailed"
    EDITED = "edited"
    HELD = "held"
    EARLIER = "kept as an earlier version"
    REVIVED = "live again"
    FADED = "stale"
    RETIRED = "retired"
    FORGOTTEN = "forgotten"
    MOVED = "moved"
    OTHER = "changed"


@dataclass(frozen=True)
class Source:
    """Where something was said, without the place of the file on this machine."""

    observation: str
    at: datetime
    origin: str
    kind: str
    """Kind of the source (`claude-code`, `memory-dir`, …); `note` for what was noted by hand or by an agent."""
    name: str
    """Name of the file; empty for a note."""
    conversation: str
    text: str


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
    words: tuple[WordChange, ...]
    sources: tuple[Source, ...]
    """What was said that this run took up for it."""
    successor: str = ""
    """The words of what took its place."""
    rivals: tuple[tuple[str, str], ...] = ()
    """What it cannot stand beside: ids and words."""

    @property
    def text(self) -> str:
        """The words it is known by."""
        face = self.after or self.before
        return face.text if face else ""


@dataclass(frozen=True)
class LetGo:
    """Statements of which no memory came, for one reason."""

    reason: str
    why: str
    said: tuple[Source, ...]


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
    """Everything that was given a fate in this run."""
    fates: dict[str, str] = field(default_factory=dict)
    """What became of each of these, by observation."""
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
    def has_changes(self) -> bool:
        """Whether it changed a memory."""
        return bool(self.told)


def load_night(store: Store, identity: str) -> Night:
    """One run by its id, a beginning of it, or its number.

    Raises StoreMissing when there is none.
    """
    return tell_run(store, journal.load_run(store, identity))


def load_nights(store: Store, *, since: datetime | None = None, until: datetime | None = None, limit: int = 31,
                dreams_only: bool = False) -> list[Night]:
    """The newest runs, the newest first; with times those between them, the second not included."""
    runs = journal.load_runs(store, limit=limit, kind=DREAM if dreams_only else None)
    return [tell_run(store, run) for run in runs
            if (since is None or run.now >= since) and (until is None or run.now < until)]


def tell_run(store: Store, run: Run) -> Night:
    """Everything the journal knows of a run."""
    faced = load_faced(store, run.seq)
    heard = observations.load_of_run(store, run.seq)
    places = {one.id: one for one in work.load_sources(store)}
    wanted = {o for f in faced for side in (f.before, f.after) if side for o in side.observations}
    known = {o.id: o for o in heard} | {o.id: o for o in observations.load_by_ids(store, wanted - {o.id for o in heard})}
    said = {identity: _source(one, places) for identity, one in known.items()}
    beside = [f.after.superseded_by for f in faced if f.after] + [other for f in faced for other in _rivals(f)]
    told = _moves(run, faced, said, load_faces(store, beside))
    gather = run.phases.get("gather", {})
    return Night(
        run, tuple(told), tuple(said[o.id] for o in heard), {o.id: o.fate.value for o in heard if o.fate},
        _let_go(heard, said), int(gather["sources"]) if "sources" in gather else None, int(gather.get("read", 0)),
        int(gather.get("lines", 0)), _skipped(gather), _recall(run), load_spent(store, [run.seq]).get(run.seq),
        journal.run_ids(store).get(run.undone_by, "") if run.undone_by else "")


def _source(one: Observation, places: dict[str, work.Source]) -> Source:
    place = places.get(one.source_id)
    return Source(one.id, one.at, one.origin.value, place.kind if place else "note",
                  PurePath(place.path).name if place else "", one.conversation, one.text)


def _moves(run: Run, faced: Sequence[Faced], said: dict[str, Source], successors: dict[str, str]) -> list[Told]:
    """One for each memory, in the order in which the run came to them."""
    groups: dict[str, list[Faced]] = {}
    for one in faced:
        groups.setdefault(one.entry.memory, []).append(one)
    final = {memory: rows[-1].after for memory, rows in groups.items()}
    named = {identity: face.text for identity, face in final.items() if face}
    return [_told(run, memory, rows, said, {**successors, **named}) for memory, rows in groups.items()]


def _told(run: Run, memory: str, rows: Sequence[Faced], said: dict[str, Source], words: dict[str, str]) -> Told:
    before, after = rows[0].before, rows[-1].after
    telling = _most_telling(rows)
    kind = _kind(before, after, telling.entry.op)
    reason = telling.entry.reason
    new = [o for o in (after.observations if after else ()) if before is None or o not in before.observations]
    rivals = sorted({other for row in rows for other in _rivals(row)})
    return Told(
        f"{run.id}/{telling.entry.seq}", tuple(f"{run.id}/{row.entry.seq}" for row in rows), run.id, kind, memory,
        telling.entry.scope, reason, plain(reason, OF_SAYINGS if kind is Kind.HELD else OF_CHANGES),
        plain_evidence(telling.entry.evidence, reason), before, after,
        word_changes(before.text if before else "", after.text if after else ""), tuple(said[o] for o in new if o in said),
        words.get(after.superseded_by, "") if after and after.superseded_by else "",
        tuple((other, words[other]) for other in rivals if other in words))


def _rivals(row: Faced) -> list[str]:
    """What an operation found a memory to contradict."""
    if row.entry.op != "link":
        return []
    sides = [json.loads(side)["links"] if side else [] for side in (row.entry.before, row.entry.after)]
    return [other for other, relation in sides[1] if [other, relation] not in sides[0] and relation == "contradicts"]


def _most_telling(rows: Sequence[Faced]) -> Faced:
    """The last operation that is more than a link."""
    return next((row for row in reversed(rows) if row.entry.op not in ("link", "unlink", "support")), rows[-1])


_OF_OP = {"hold": Kind.HELD, "propose": Kind.HELD, "version": Kind.EARLIER, "revive": Kind.REVIVED, "restore": Kind.REVIVED,
          "stale": Kind.FADED, "archive": Kind.RETIRED, "edit": Kind.EDITED, "rename": Kind.EDITED, "forget": Kind.FORGOTTEN,
          "move": Kind.MOVED, "refine": Kind.DETAILED}


def _kind(before: Face | None, after: Face | None, op: str) -> Kind:
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
    if op == "merge":
        return Kind.DETAILED if before.text != after.text else Kind.SAID_AGAIN
    return _OF_OP.get(op, Kind.OTHER)


def _let_go(heard: Sequence[Observation], said: dict[str, Source]) -> tuple[LetGo, ...]:
    reasons: dict[str, list[Source]] = {}
    for one in heard:
        if one.fate is Fate.DISCARDED and not one.memory_id:
            reasons.setdefault(one.fate_reason, []).append(said[one.id])
    ordered = sorted(reasons.items(), key=lambda row: (-len(row[1]), row[0]))
    return tuple(LetGo(reason, plain(reason, OF_SAYINGS), tuple(rows)) for reason, rows in ordered)


def _skipped(gather: object) -> tuple[tuple[str, str, int], ...]:
    counts = {str(name).removeprefix(SKIPPED): int(n) for name, n in gather.items() if str(name).startswith(SKIPPED)} \
        if isinstance(gather, dict) else {}
    return tuple((name, plain(name, OF_SKIPS), n) for name, n in sorted(counts.items(), key=lambda row: (-row[1], row[0])))


def _recall(run: Run) -> Recall | None:
    counts = Counter[str]()
    for phase in run.phases.values():
        counts.update({name: int(phase[name]) for name in ("recall_asked", "recall_found") if name in phase})
    return Recall(counts["recall_asked"], counts["recall_found"]) if counts["recall_asked"] else None
