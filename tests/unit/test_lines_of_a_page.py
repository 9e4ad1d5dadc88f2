"""What one page says twice: two of its lines are one memory only where they say it in much the same words."""

from __future__ import annotations

from datetime import datetime

import pytest

from dreamd.core.clock import parse_instant
from dreamd.core.values import (
    Category,
    Gated,
    GateVerdict,
    Judgement,
    MemoryClass,
    MemoryType,
    Observation,
    Origin,
    Relation,
    parse_scope,
)
from dreamd.dream.phases.consolidate import Bench, plan_consolidation
from dreamd.dream.phases.twins import Heard

AT = parse_instant("2026-05-04T09:00:00Z")
SCOPE = parse_scope("project:yard")
FIRST = "The slipway crane lifts nine tonnes at most."
SAME = "Nine tonnes is the most that the slipway crane lifts."
OTHER = "Hulls hang behind the crane."


def _line(name: str, text: str) -> Heard:
    observation = Observation(name, int(name), text, Origin.USER, AT, SCOPE, source_id="page")
    return Heard(observation, Gated(GateVerdict.ALLOW, "durable", text, MemoryClass.REFERENCE, MemoryType.PROJECT,
                                    Category.PROJECTS))


def _twins(_a: str, _a_at: datetime, _b: str, _b_at: datetime) -> Judgement:
    return Judgement(Relation.DUPLICATE, 0.96, (), richer="a")


@pytest.mark.parametrize(("second", "page", "memories"), [
    (OTHER, {"1": "page", "2": "page"}, 2), (SAME, {"1": "page", "2": "page"}, 1), (OTHER, {"1": "page", "2": "another"}, 1)])
def test_a_page_says_a_thing_once(second: str, page: dict[str, str], memories: int) -> None:
    bench = Bench(SCOPE, (), {}, {second: [FIRST]}, _twins, lambda one, _other: one, noted=page)
    plan = plan_consolidation([_line("1", FIRST), _line("2", second)], bench)
    assert len({change.after.id for change in plan.changes()}) == memories
