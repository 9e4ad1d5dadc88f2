"""Of two answers to one question the later value stands first; what a night found to be over is left out, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import Category, Judgement, Memory, MemoryClass, MemoryType, Relation, Scope, Status, Trust
from dreamd.recall.outdated import Likeness, currently
from dreamd.recall.ranking import Ranked
from dreamd.recall.weighed import Weighed

DAY = datetime(2026, 3, 1, 9, tzinfo=UTC)


def said(identity: str, text: str, *, days: int = 0, near: float = 0.6, words: float = 0.5, **changes: object) -> Ranked:
    """One result of an answer, said in a conversation of its own and with what was asked for."""
    at = DAY + timedelta(days=days)
    memory = Memory(identity, Scope("project", "kiln"), text, MemoryClass.HISTORY, MemoryType.PROJECT, Category.PROJECTS,
                    Status.SAID, Trust.USER, Trust.USER, at, at, at, at, spoken_in=(identity,))
    return Ranked(replace(memory, **changes), near, {"similarity": near, "words": words, "asked_for": 1.25})  # type: ignore[arg-type]


def shown(*answers: Ranked, likeness: float = 0.6, in_talk: float = 0.0, question: str = "",
          night: Judgement | None = None) -> list[str]:
    """Ids of what is shown, the second answer being what a night has weighed the first against."""
    weighed = Weighed()
    if night is not None:
        weighed.learn(answers[0].memory, answers[1].memory, night)
    found = currently(answers, Likeness(lambda *_: likeness, lambda *_: in_talk), question, weighed)
    return [one.memory.id for one in found]


OLD, NEW = "We fire the kiln on Tuesdays.", "We fire the kiln on Fridays."
UPDATED = Judgement(Relation.UPDATES, 0.9, newer="b")


@pytest.mark.parametrize("night", [
    UPDATED, Judgement(Relation.CONTRADICTS, 0.9), Judgement(Relation.DUPLICATE, 0.9),
    Judgement(Relation.REFINES, 0.9, richer="b"),
])
def test_what_a_night_found_to_be_over_or_carried_stays_away(night: Judgement) -> None:
    assert shown(said("old", OLD), said("new", NEW, days=20), night=night) == ["new"]
    assert shown(said("old", OLD, status=Status.STALE), said("new", NEW, days=20, status=Status.LIVE), night=night) == ["new"]


@pytest.mark.parametrize(("old", "new", "night"), [
    (said("old", OLD, status=Status.LIVE), said("new", NEW, days=20), UPDATED),
    (said("old", OLD, status=Status.STALE, pinned=True), said("new", NEW, days=20), UPDATED),
    (said("old", OLD), said("new", NEW), UPDATED),
    (said("old", OLD), said("new", NEW, days=20, spoken_in=("old",)), UPDATED),
    (said("old", OLD), said("new", NEW, days=20, scope=Scope("project", "shed")), UPDATED),
    (said("old", OLD), said("new", NEW, days=20), Judgement(Relation.RELATED, 0.9)),
    (said("old", OLD), said("new", NEW, days=20), Judgement(Relation.UPDATES, 0.9, newer="a")),
    (said("old", OLD), said("new", NEW, days=20), Judgement(Relation.REFINES, 0.9, richer="a")),
    (said("old", OLD), said("new", NEW, days=20), None),
    (said("old", "The staging kiln listens on 5433."), said("new", "The staging kiln now listens on 6544.", days=20), None),
])
def test_nothing_else_is_left_out(old: Ranked, new: Ranked, night: Judgement | None) -> None:
    assert sorted(shown(old, new, night=night)) == ["new", "old"]


def test_the_later_of_two_values_stands_first() -> None:
    assert shown(said("old", OLD), said("new", NEW, days=20)) == ["new", "old"]
    old, new = said("old", OLD, status=Status.LIVE, near=0.7), said("new", NEW, days=20, near=0.6)
    assert shown(old, new) == ["new", "old"]
    assert shown(said("other", "The shed is green.", days=20, near=0.8), old, new) == ["other", "new", "old"]
    assert shown(old, said("new", NEW, near=0.6)) == ["old", "new"]


def test_what_a_night_found_to_be_newer_stands_first_and_what_it_found_apart_stays_in_its_place() -> None:
    old, new = said("old", "The kiln is hot.", status=Status.LIVE), said("new", "The shed is cold.", days=20)
    assert shown(old, new, likeness=0.1) == ["old", "new"]
    assert shown(old, new, likeness=0.1, night=UPDATED) == ["new", "old"]
    apart = Judgement(Relation.UNRELATED, 0.9)
    assert shown(said("old", OLD), said("new", NEW, days=20), night=apart) == ["old", "new"]


def test_two_things_said_of_one_person_stay_in_their_order() -> None:
    trade, wish = "I'll ask Oke, he decides about the clay.", "The shed should be open, says Oke."
    assert shown(said("trade", trade), said("wish", wish, days=20, near=0.3)) == ["trade", "wish"]


def test_another_thing_is_nothing_later() -> None:
    assert shown(said("old", OLD), said("new", NEW, days=20), likeness=0.3) == ["old", "new"]


ROLL, NEW_ROLL = "The 62 mm continuous.", "There's the 54 in, that's all they sell."


def test_a_terse_answer_stands_behind_a_later_one_of_the_same_talk_that_is_nearer_to_the_question() -> None:
    old, new = said("old", ROLL, near=0.4), said("new", NEW_ROLL, days=90, near=0.5)
    assert shown(old, new, likeness=0.2, in_talk=0.6) == ["new", "old"]
    assert shown(replace_status(old, Status.STALE), new, likeness=0.2, in_talk=0.6) == ["new", "old"]


@pytest.mark.parametrize(("old", "new", "in_talk"), [
    (said("old", ROLL, near=0.4), said("new", NEW_ROLL, days=90, near=0.5), 0.3),
    (said("old", ROLL, near=0.6), said("new", NEW_ROLL, days=90, near=0.5), 0.6),
    (said("old", ROLL, near=0.4), said("new", NEW_ROLL, near=0.5), 0.6),
    (said("old", ROLL, near=0.4, status=Status.LIVE), said("new", NEW_ROLL, days=90, near=0.5), 0.6),
    (said("old", ROLL, near=0.4, pinned=True), said("new", NEW_ROLL, days=90, near=0.5), 0.6),
    (said("old", ROLL, near=0.4), said("new", "The labels are cut off on the right.", days=90, near=0.5), 0.6),
    (said("old", "Billing listens on 8080.", near=0.4), said("new", "Signing listens on 9090.", days=90, near=0.5), 0.6),
])
def test_two_terse_answers_that_may_be_of_two_things_stay_in_their_order(old: Ranked, new: Ranked, in_talk: float) -> None:
    assert shown(old, new, likeness=0.2, in_talk=in_talk) == ["old", "new"]


def test_a_later_answer_that_names_the_earlier_value_beside_its_own_stands_first_even_before_a_memory() -> None:
    old = said("old", "We fire on Thursdays after lunch.", near=0.45, status=Status.LIVE)
    new = said("new", "Firings are on tuesday mornings, thursdays clashed with the market.", days=90, near=0.55)
    assert shown(old, new, likeness=0.32) == ["new", "old"]
    assert shown(old, new, likeness=0.32, question="what happens on Thursdays") == ["old", "new"]
    assert shown(old, new, likeness=0.2) == ["old", "new"]


def test_another_colour_is_another_value() -> None:
    old, new = said("old", "The moss green, hex 5B7F4A.", near=0.4), said("new", "It becomes the orange, D9772B.", days=90)
    assert shown(old, new, likeness=0.2, in_talk=0.5) == ["new", "old"]


METER, NEW_METER = "The meter box sits on 5544.", "The meter moved too btw, it is behind the shed now, 6543."


def test_a_later_answer_that_tells_of_the_change_needs_fewer_words_of_the_question() -> None:
    old, new = said("old", METER, near=0.8, words=0.9), said("new", NEW_METER, days=60, near=0.6, words=0.3)
    assert shown(old, new, likeness=0.4) == ["new", "old"]
    other = said("new", "The gauge moved too btw, its hall is cold now, 6543.", days=60, near=0.6, words=0.3)
    apart = said("old", "The gauge of the harbour is on 5544.", near=0.8, words=0.9)
    assert shown(apart, other, likeness=0.4) == ["old", "new"], "each has words of its own: they may be two gauges"


def test_what_begins_anew_with_a_name_needs_fewer_words_of_the_question() -> None:
    old = said("old", "A copy goes to Rosalind, she packs the lists.", near=0.9, words=1.0)
    new = said("new", "Rosalind is leaving, Bertrand packs after that.", days=60, near=0.8, words=0.4)
    named = replace(new, parts={**new.parts, "sequel": 0.9, "named": 1.0})
    assert shown(old, named, likeness=0.55) == ["new", "old"]
    assert shown(old, replace(named, parts={**named.parts, "words": 0.1}), likeness=0.55) == ["old", "new"]


def replace_status(one: Ranked, status: Status) -> Ranked:
    return replace(one, memory=replace(one.memory, status=status))
