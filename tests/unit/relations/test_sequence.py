"""The order that a statement tells."""

import pytest

from dreamd.judge import can_merge
from dreamd.judge.conflicts.sequence import is_turned, order_in

SAME = [
    "Wash before weighing.",
    "First wash, then weigh.",
    "Weigh after washing.",
    "After washing, weigh.",
    "Before weighing, wash.",
    "Wash first, weigh afterwards.",
]
TURNED = [
    "Weigh before washing.",
    "First weigh, then wash.",
    "Wash after weighing.",
    "After weighing, wash.",
    "Weigh first, wash afterwards.",
]


@pytest.mark.parametrize("one", SAME)
@pytest.mark.parametrize("other", TURNED)
def test_the_opposite_order_is_seen_in_every_wording(one, other):
    assert is_turned(one, other)
    assert is_turned(other, one)
    assert not can_merge(one, other)[0]


@pytest.mark.parametrize("one", SAME)
@pytest.mark.parametrize("other", SAME)
def test_the_same_order_is_no_conflict(one, other):
    assert not is_turned(one, other)


@pytest.mark.parametrize("text", ["The pool is heated.", "Keep the diff small.", "Send it to Ann."])
def test_most_statements_tell_no_order(text):
    assert order_in(text) is None
