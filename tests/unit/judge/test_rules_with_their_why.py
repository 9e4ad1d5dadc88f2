"""A rule that tells its why, beside the same rule without: one thing, of which one side says more."""

from __future__ import annotations

import pytest
from reading import judge_of_words

from dreamd.core.values import Judgement, Relation
from dreamd.judge import Pair, Statement

RULE = "Always rinse the sieves before you sift the barley."
WHY = "Always rinse the sieves before you sift the barley.\n\n**Why:** on 2026-03-04 a sack went mouldy."
HOW = f"{WHY}\n\n**How to apply:** `rinse 3` first."


def judged(a: str, b: str) -> Judgement:
    verdict, = judge_of_words().judge_all([Pair(Statement(a), Statement(b), 0.9)])
    return verdict


@pytest.mark.parametrize("more", (WHY, HOW))
def test_the_one_that_tells_why_says_more(more: str) -> None:
    for a, b, richer in ((RULE, more, "b"), (more, RULE, "a")):
        assert (judged(a, b).relation, judged(a, b).richer) == (Relation.REFINES, richer)


def test_a_rule_that_says_the_opposite_is_no_part_of_it() -> None:
    assert judged("Never rinse the sieves before you sift the barley.", WHY).relation not in (Relation.REFINES, Relation.DUPLICATE)


def test_two_that_both_tell_a_reason_are_judged_as_they_stand() -> None:
    assert judged(WHY, WHY).relation is Relation.DUPLICATE
    assert judged(HOW, WHY).richer == "a"
