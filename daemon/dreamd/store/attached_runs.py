"""Runs that changed an attached directory, for whoever asks for the last dream and may mean one of these."""

from __future__ import annotations

from dreamd.store.connection import Store
from dreamd.store.journal import ATTACH, Run, last_run


def last_attached(store: Store, *, after: Run | None = None) -> Run | None:
    """The newest run that changed an attached directory and stands, if it came after another run."""
    run = last_run(store, kind=ATTACH, outcomes=("changed",))
    return None if run is None or run.undone_by or after is not None and run.seq < after.seq else run


def hint_of_attached(store: Store, verb: str) -> str:
    """What helps whoever asks for the last dream where there is none."""
    run = last_attached(store)
    return (f"`dream {verb} {run.id}` is about an attached directory; " if run else "") + "`dream history` shows the runs"
