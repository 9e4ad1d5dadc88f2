"""A run in a line: what it changed and what it heard, from its own row alone."""

from __future__ import annotations

from collections.abc import Mapping

from dreamd.store.journal import Run
from dreamd.text.for_people import count

FATES = {"duplicate": "said before", "refines": "added detail", "updates": "replaced something", "contradicts": "contradicting",
         "discarded": "let go"}


def gist(run: Run, ids: Mapping[int, str]) -> str:
    """What a run did; `ids` are the public ids of runs by their numbers."""
    told = [f"undone by {ids.get(run.undone_by, run.undone_by)}"] if run.undone_by else []
    told += [count(run.operations, "change")] if run.operations else []
    told += [f"{n} {FATES.get(name, name)}" for name, n in run.fates.items() if n]
    told += [run.reason.replace("-", " ") if " " not in run.reason else run.reason] if run.reason and not told else []
    return ", ".join(told)
