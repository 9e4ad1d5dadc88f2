"""What the views of the nights show: the newest dream and what it did, those before it, and what comes next."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dreamd.core.errors import DreamError
from dreamd.dream.telling.gist import gist
from dreamd.dream.undo import UndoPlan, plan_undo
from dreamd.kit import Kit
from dreamd.report.nights import Kind, Night, Told, load_night, tell_run
from dreamd.report.pictures import flow
from dreamd.report.sentences import tell_night
from dreamd.store import journal, observations
from dreamd.store.journal import DREAM, Run

OTHERS = 20
ORDER = (Kind.LEARNED, Kind.MERGED, Kind.DETAILED, Kind.REPLACED, Kind.EARLIER, Kind.HELD, Kind.REVIVED, Kind.FADED,
         Kind.RETIRED, Kind.EDITED, Kind.MOVED, Kind.SAID_AGAIN, Kind.OTHER, Kind.FORGOTTEN)


@dataclass(frozen=True)
class Shown:
    """One night as the page tells it."""

    night: Night
    sentences: Sequence[str]
    groups: Sequence[tuple[Kind, Sequence[Told]]]
    picture: str
    undoable: bool
    set_aside: bool
    """Whether what was said in it waits aside, and can be handed to the next dream."""
    taken_back: Collection[str] = ()
    """Memories to which what it did was taken back, one by one."""


@dataclass(frozen=True)
class Line:
    """One night among others."""

    run: Run
    told: str


def show(kit: Kit, identity: str = "") -> Shown | None:
    """One run, or the newest dream; None where there was none yet.

    Raises StoreMissing for a run that is not there.
    """
    store = kit.store
    with store.reading():
        newest = None if identity else journal.last_run(store)
        if not identity and newest is None:
            return None
        night = tell_run(store, newest) if newest else load_night(store, identity)
        groups = [(kind, [t for t in night.told if t.kind is kind]) for kind in ORDER]
        run = night.run
        return Shown(night, tell_night(night, kit.zone), [(kind, told) for kind, told in groups if told],
                     flow(night) if night.taken else "",
                     bool(not run.undone_by and run.ended_at and run.kind not in ("forget", "mask")
                          and (night.told or night.taken)),
                     observations.is_set_aside(store, run.seq),
                     journal.load_taken_back(store, run.seq) if not run.undone_by else ())


def others(kit: Kit, *, dreams: bool = False, limit: int = OTHERS) -> list[Line]:
    """The newest runs, each in a line."""
    with kit.store.reading():
        ids = journal.run_ids(kit.store)
        runs = journal.load_runs(kit.store, limit=limit, kind=DREAM if dreams else None)
        return [Line(run, gist(run, ids)) for run in runs]


def plan(kit: Kit, identity: str, only: str) -> tuple[UndoPlan | None, DreamError | None]:
    """What taking a run back would mean, or one change of it, or why it cannot be."""
    try:
        return plan_undo(kit, identity, only=only), None
    except DreamError as error:
        return None, error
