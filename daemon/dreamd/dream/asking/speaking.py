"""The language model of one dream: opened before anything is asked, and nothing of it loaded where none is set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from dreamd.dream.report import CycleReport
from dreamd.kit import Kit
from dreamd.store.language.unread import Unread


@contextmanager
def speaking(kit: Kit, report: CycleReport) -> Iterator[None]:
    """Have someone to ask while a dream works, where the settings name a backend; the record says what came of it."""
    if kit.language is not None or kit.settings.llm.backend == "off":
        yield
        return
    from dreamd.llm.calling import open_caller
    from dreamd.llm.desk import open_desk

    with open_desk(kit, open_caller) as desk:
        kit.language = desk
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
