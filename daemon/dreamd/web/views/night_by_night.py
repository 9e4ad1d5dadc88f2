"""What the views of the nights show: the newest dream and what it did, those before it, and what comes next."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from dreamd.core.errors import DreamError
from dreamd.core.plain_words.plain_reasons import fate_and_why
from dreamd.core.values import Fate
from dreamd.dream.telling.gist import gist
from dreamd.dream.undo import UndoPlan, choose_run, plan_undo
from dreamd.kit import Kit
from dreamd.report.heard import Source
from dreamd.report.nights import Kind, Night, Told, memory_named, tell_run
from dreamd.report.pictures import flow
from dreamd.report.sentences import tell_night
from dreamd.store import journal
from dreamd.store.journal import Run
from dreamd.store.telling import taken_back

OTHERS = 20
MOST = 100
"""Of one kind of change, or of what was let go for one reason, that are shown; the others are counted."""
KEPT = 8


@dataclass(frozen=True)
class Changes:
    """What a night did of one kind: some of it, and how much there is."""

    kind: Kind
    some: Sequence[Told]
    count: int


@dataclass(frozen=True)
class LetGo:
    """What was let go for one reason: some of it, and how much there is."""

    why: str
    some: Sequence[Source]
    count: int


@dataclass(frozen=True)
class Shown:
    """One night as the page tells it."""

    run: Run
    seconds: float
    cpu_s: float
    sentences: Sequence[str]
    groups: Sequence[Changes]
    let_go: Sequence[LetGo]
    skipped: Sequence[tuple[str, str, int]]
    picture: str
    undoable: bool
    undone_by: str
    """The run that took all of it back."""
    taking: bool
    """Whether it took something back, which an undo of it puts back."""


@dataclass(frozen=True)
class Line:
    """One night among others."""

    run: Run
    told: str


class Nights:
    """Nights as they were told last: a night of twenty thousand changes takes seconds to tell, and nothing but a later run
    changes what there is to tell of it."""

    def __init__(self) -> None:
        self._told: dict[tuple[int, int], Shown] = {}
        self._lines: tuple[int, list[Line]] = -1, []
        self._lock = threading.Lock()

    def show(self, kit: Kit, identity: str = "") -> Shown | None:
        """One run, or the newest dream; None where there was none yet.

        Raises StoreMissing for a run that is not there.
        """
        with kit.store.reading():
            run = journal.load_run(kit.store, identity) if identity else journal.last_run(kit.store)
            if run is None:
                return None
            key = run.seq, journal.last_seq(kit.store)
            known = self._told.get(key)
            if known is None:
                known = _tell(kit, tell_run(kit.store, run))
                with self._lock:
                    self._told = dict([*self._told.items(), *([(key, known)] if run.ended_at else [])][-KEPT:])
            return known

    def lines(self, kit: Kit) -> list[Line]:
        """The newest runs, each in a line."""
        with kit.store.reading():
            last = journal.last_seq(kit.store)
            if self._lines[0] != last:
                told = others(kit)
                if any(not line.run.ended_at for line in told):  # what it does is counted while it does it
                    return told
                self._lines = last, told
            return self._lines[1]


def _tell(kit: Kit, night: Night) -> Shown:
    run = night.run
    by_kind = {kind: [told for told in night.alone if told.kind is kind] for kind in Kind}
    return Shown(
        run, night.seconds, night.cpu_s, tell_night(night, kit.zone),
        [Changes(kind, told[:MOST], len(told)) for kind, told in by_kind.items() if told],
        [LetGo(fate_and_why(Fate.DISCARDED, one.reason), one.said[:MOST], one.count) for one in night.let_go],
        night.skipped, flow(night) if night.heard else "",
        bool(not run.undone_by and run.ended_at and run.kind not in ("forget", "mask", "redo") and (
            any(not one.taken_back for one in night.alone) if night.told else night.taken)), night.undone_by,
        run.kind == taken_back.UNDO and not taken_back.is_putting_back(run))


def others(kit: Kit, *, limit: int = OTHERS) -> list[Line]:
    """The newest runs, each in a line."""
    with kit.store.reading():
        ids, runs = journal.run_ids(kit.store), journal.load_runs(kit.store, limit=limit)
        counted = taken_back.count_told(kit.store, runs)
        return [Line(run, gist(run, ids, counted[run.seq])) for run in runs]


def plan(kit: Kit, identity: str, only: str) -> tuple[UndoPlan | None, DreamError | None]:
    """What taking a run back would mean, or one change of it, or why it cannot be."""
    try:
        run = choose_run(kit, identity)
        return plan_undo(kit, run.id, only=memory_named(kit.store, run, only)), None
    except DreamError as error:
        return None, error
