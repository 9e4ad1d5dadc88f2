"""A run in a line: what it changed and what it heard."""

from __future__ import annotations

from collections.abc import Mapping

from dreamd.core.plain_words.for_people import count
from dreamd.core.plain_words.plain_reasons import fate_words, plain
from dreamd.core.values import IN_PASSING, Fate
from dreamd.store.journal import Run
from dreamd.store.telling.taken_back import Count, undone_words


def gist(run: Run, ids: Mapping[int, str], counted: Count) -> str:
    """What a run did; `ids` are the public ids of runs by their numbers."""
    told = [f"{undone_words(run)} by {ids.get(run.undone_by, run.undone_by)}"] if run.undone_by else []
    told += [run.reason] if run.kind == "undo" and run.reason else []
    told += [count(counted.changes, "change")] if counted.changes else []
    told += [f"{counted.back:,} of them taken back"] if counted.back else []
    heard = [f"{count(sum(run.fates.values()), 'statement')}: {', '.join(fates_in_words(run.fates, run.phases))}"
             ] if run.fates else []
    told += [plain(run.reason)] if run.reason and not told and not heard else []
    return "; ".join([*([", ".join(told)] if told else []), *heard])


def fates_in_words(fates: Mapping[str, int], phases: Mapping[str, Mapping[str, float]]) -> list[str]:
    """What became of all that was said, counted; what was only said in passing is not called let go."""
    passing = in_passing(phases)
    counted = {fate: fates.get(fate.value, 0) - (passing if fate is Fate.DISCARDED else 0) for fate in Fate}
    told = [f"{n:,} {fate_words(fate, n=n)}" for fate, n in counted.items() if n > 0]
    return [*told, *([f"{passing:,} {fate_words(Fate.DISCARDED, IN_PASSING)}"] if passing else [])]


def in_passing(phases: Mapping[str, Mapping[str, float]]) -> int:
    """How much of what was let go was only said in passing."""
    return int(phases.get("consolidate", {}).get(f"{Fate.DISCARDED.value}.{IN_PASSING}", 0))
