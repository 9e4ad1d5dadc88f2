"""Two parallel parts that say the same words of each other's things cannot both hold."""

from datetime import UTC, datetime

import pytest

from dreamd.core.values import MERGING, Relation
from dreamd.judge import Statement, judge

DAY = datetime(2026, 4, 7, 9, tzinfo=UTC)


def verdict(a, b):
    """Judge two texts of one moment by rules alone."""
    return judge(Statement(a, DAY), Statement(b, DAY), similarity=0.9).relation


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Frontend is Vue, admin is React.", "Frontend is React, admin is Vue."),
        ("Hay lies in the barn and straw in the shed.", "Hay lies in the shed and straw in the barn."),
        ("Blue is staging; green is production.", "Green is staging; blue is production."),
    ],
)
def test_what_is_said_of_each_other_contradicts(a, b):
    assert verdict(a, b) is Relation.CONTRADICTS


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Frontend is Vue, admin is React.", "Admin is React, frontend is Vue."),
        ("Buy bread and milk on Monday.", "Buy milk and bread on Monday."),
        ("Test on Linux and on Windows.", "Test on Windows and on Linux."),
    ],
)
def test_parts_in_another_order_say_the_same(a, b):
    assert verdict(a, b) in MERGING
