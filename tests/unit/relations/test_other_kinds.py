"""Two kinds with one word before them, two things of one kind: each has its own number, and neither ends the other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import PairScore, Relation
from dreamd.judge import Statement, judge

DAY = datetime(2026, 1, 5, tzinfo=UTC)
SURE = PairScore(same=0, a_richer=0, b_richer=0, a_newer=0, b_newer=0.02, clash=0.95, related=0.02, unrelated=0.01)


@pytest.mark.parametrize(("one", "other", "told"), [
    ("Requests to the ebony collector time out after 5057 ms.", "The ebony sorter gives up on a request after 3786 ms.", False),
    ("Requests to the ebony beacon time out after 8814 ms.", "The cobalt beacon gives up on a request after 7552 ms.", False),
    ("The upload window of the northern depot is 40 minutes.", "At the southern depot uploads now have 25 minutes.", False),
    ("Our night crew loads 12 vans.", "15 vans are what the day crew loads now, our day crew.", False),
    ("The ebony sorter gives up on a request after 5057 ms.", "The ebony sorter gives up on a request after 3786 ms.", True),
])
def test_a_number_of_another_thing_ends_nothing(one: str, other: str, told: bool) -> None:
    verdict = judge(Statement(one, DAY), Statement(other, DAY + timedelta(days=90)), similarity=0.7, score=SURE)
    assert (verdict.relation in (Relation.UPDATES, Relation.CONTRADICTS)) == told
