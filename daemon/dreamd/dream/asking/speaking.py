"""The language model of one dream: opened before anything is asked, and nothing of it loaded where none is set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from dreamd.dream.allowance import Allowances
from dreamd.dream.plan import Plan
from dreamd.dream.report import CycleReport
from dreamd.kit import Kit
from dreamd.store.language.unread import Unread


@contextmanager
def speaking(kit: Kit, report: CycleReport, *, only_kept: bool = False) -> Iterator[None]:
    """Have someone to ask while a dream works, where the settings name a backend; the record says what came of it.

    `only_kept`: nobody is asked, and what was answered before counts, as when the plan was made that is carried out now.
    """
    if kit.language is not None or kit.settings.llm.backend == "off":
        yield
        return
    from dreamd.llm.calling import open_caller
    from dreamd.llm.desk import open_desk

    with open_desk(kit, open_caller) as desk:
        kit.language, desk.only_kept = desk, only_kept
        try:
            yield
        finally:
            kit.language = None
            if desk.counts:
                report.phases["language"] = {"seconds": 0.0, "cpu_s": 0.0, **dict(sorted(desk.counts.items()))}
            report.warnings += desk.told()


def observe_waiting(kit: Kit, fresh: Sequence[Unread]) -> dict[str, float]:
    """Have read what waits for a model; the counts of it."""
    if kit.language is None:
        return {}
    from dreamd.dream.asking.reading_on import observe

    return observe(kit, kit.language, fresh).counts()


def reflect_on(kit: Kit, report: CycleReport, allowances: Allowances, take: Callable[[Plan], None]) -> dict[str, float]:
    """Have a model reflect on the scopes that a run changed most; what it may do itself is carried out."""
    if kit.language is None:
        return {}
    from dreamd.dream.asking.reflecting import reflect

    changed = Counter(change.after.scope for change in report.changes)
    plan, waiting = reflect(kit, kit.language, sorted(changed, key=lambda scope: (-changed[scope], scope)), allowances)
    if plan.steps:
        take(plan)
    return {"done": len(plan.steps), "proposed": waiting}
