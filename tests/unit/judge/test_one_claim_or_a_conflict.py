"""Where two are surely one claim or a conflict, and the conflict is the likelier, the newer takes the other's place."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from dreamd.core.values import Relation
from dreamd.judge.alignment import Alignment
from dreamd.judge.classifier import Limits
from dreamd.judge.policy import Laid, Weighed, certain, decide
from dreamd.judge.statement import read

LIMITS = Limits(ask=0.1, merge=0.9, conflict=0.8, either=0.95, marked=0.5)
ENDS = {Relation.UPDATES, Relation.CONTRADICTS}


TEXTS = ("The kiln room opens at nine.", "The kiln room opens at eleven.")


def _verdict(merge: float, conflict: float, texts: tuple[str, str] = TEXTS) -> Relation:
    rest = (1 - merge - conflict) / 2
    labels = np.zeros(8)
    labels[5] = 1.0  # they clash
    said = (datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC))
    pair = Alignment(*map(read, texts))
    told = Weighed(pair=pair, said=said, similarity=0.9, features=np.zeros(0), certain=None, labels=labels,
                   probabilities=np.array([merge, conflict, rest, rest]))
    return decide(told, LIMITS).relation


@pytest.mark.parametrize(("merge", "conflict", "ends"), [
    (0.30, 0.67, True),  # .97 together, the conflict likelier
    (0.25, 0.67, False),  # .92 together: they may well be two things
    (0.60, 0.37, False),  # one claim is the likelier: nothing ends
    (0.02, 0.85, True),  # a conflict by itself
])
def test_the_newer_takes_the_place_of_the_other(merge: float, conflict: float, ends: bool) -> None:
    assert (_verdict(merge, conflict) in ENDS) is ends


@pytest.mark.parametrize(("texts", "is_one"), [
    (("Ines: What a champ, I'm glad you met.", "Ines: That must have meant the world to you."), False),
    (("Ines: The kiln room is open until nine.", "Ines: Until nine the kiln room stays open."), True),
    (("Small talk is pleasant to hear.", "A kind word does anybody good."), True),  # no turns: the fit alone decides
])
def test_turns_of_talk_are_one_only_where_both_tell_of_the_same(texts: tuple[str, str], is_one: bool) -> None:
    assert (_verdict(0.97, 0.01, texts) in {Relation.DUPLICATE, Relation.REFINES}) is is_one


@pytest.mark.parametrize(("a", "b", "richer"), [
    ("Please note: the kiln room opens at nine.", "The kiln room opens at nine.", "b"),
    ("The kiln room opens at nine.", "Remember that the kiln room opens at nine!", "a"),
])
def test_words_that_only_ask_to_be_heard_make_no_other_claim(a: str, b: str, richer: str) -> None:
    verdict = certain(Laid(Alignment(read(a), read(b)), (None, None)))
    assert verdict is not None and (verdict.relation, verdict.richer) == (Relation.DUPLICATE, richer)


def test_another_value_behind_such_words_is_another_claim() -> None:
    assert certain(Laid(Alignment(read("Please note: the kiln room opens at nine."),
                                  read("The kiln room opens at eleven.")), (None, None))) is None
