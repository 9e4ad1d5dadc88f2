"""Of two answers to one question the later value stands first, and what it plainly outdated is left out; nothing else is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import Category, Memory, MemoryClass, MemoryType, Scope, Status, Trust
from dreamd.recall.outdated import Likeness, currently
from dreamd.recall.ranking import Ranked

DAY = datetime(2026, 3, 1, 9, tzinfo=UTC)


def said(identity: str, text: str, *, days: int = 0, near: float = 0.6, words: float = 0.5, **changes: object) -> Ranked:
    """One result of an answer, said in a conversation of its own and with what was asked for."""
    at = DAY + timedelta(days=days)
    memory = Memory(identity, Scope("project", "kiln"), text, MemoryClass.HISTORY, MemoryType.PROJECT, Category.PROJECTS,
                    Status.SAID, Trust.USER, Trust.USER, at, at, at, at, spoken_in=(identity,))
    return Ranked(replace(memory, **changes), near, {"similarity": near, "words": words, "asked_for": 1.25})  # type: ignore[arg-type]


def shown(*answers: Ranked, likeness: float = 0.6, in_talk: float = 0.0, question: str = "") -> list[str]:
    found = currently(answers, Likeness(lambda *_: likeness, lambda *_: in_talk), question)
    return [one.memory.id for one in found]


OLD, NEW = "We fire the kiln on Tuesdays.", "We fire the kiln on Fridays."


def test_the_later_value_stands_alone() -> None:
    assert shown(said("old", OLD), said("new", NEW, days=20)) == ["new"]
    assert shown(said("old", OLD, status=Status.STALE), said("new", NEW, days=20, status=Status.LIVE)) == ["new"]


@pytest.mark.parametrize(("old", "new"), [
    (said("old", OLD, status=Status.LIVE), said("new", NEW, days=20)),
    (said("old", OLD, status=Status.STALE, pinned=True), said("new", NEW, days=20)),
    (said("old", OLD), said("new", NEW)),
    (said("old", OLD), said("new", NEW, days=20, spoken_in=("old",))),
    (said("old", OLD), said("new", NEW, days=20, scope=Scope("project", "shed"))),
    (said("old", OLD, near=0.9), said("new", NEW, days=20, near=0.4)),
    (said("old", OLD, words=0.9), said("new", "It is fired on Fridays.", days=20, words=0.5)),
    (said("old", "The staging kiln listens on port 5433."), said("new", "The production kiln listens on port 6544.", days=20)),
    (said("old", "The red kiln is fired with 12 logs."), said("new", "The blue kiln is fired with 20 logs.", days=20)),
])
def test_what_is_not_plainly_outdated_stays(old: Ranked, new: Ranked) -> None:
    assert sorted(shown(old, new)) == ["new", "old"]


def test_two_things_said_of_one_person_both_stay() -> None:
    trade, wish = "I'll ask Oke, he decides about the clay.", "The shed should be open, says Oke."
    assert sorted(shown(said("trade", trade), said("wish", wish, days=20, near=0.4))) == ["trade", "wish"]


def test_another_thing_is_nothing_later() -> None:
    assert shown(said("old", OLD), said("new", NEW, days=20), likeness=0.3) == ["old", "new"]


def test_the_later_of_two_values_stands_first_where_both_stay() -> None:
    old, new = said("old", OLD, status=Status.LIVE, near=0.7), said("new", NEW, days=20, near=0.6)
    assert shown(old, new) == ["new", "old"]
    assert shown(said("other", "The shed is green.", days=20, near=0.8), old, new) == ["other", "new", "old"]
    assert shown(old, said("new", NEW, near=0.6)) == ["old", "new"]


ROLL, NEW_ROLL = "The 62 mm continuous.", "There's the 54 in, that's all they sell."


def test_a_terse_answer_makes_way_for_a_later_one_of_the_same_talk_that_is_nearer_to_the_question() -> None:
    old, new = said("old", ROLL, near=0.4), said("new", NEW_ROLL, days=90, near=0.5)
    assert shown(old, new, likeness=0.2, in_talk=0.6) == ["new"]
    assert shown(replace_status(old, Status.STALE), new, likeness=0.2, in_talk=0.6) == ["new"]


@pytest.mark.parametrize(("old", "new", "in_talk"), [
    (said("old", ROLL, near=0.4), said("new", NEW_ROLL, days=90, near=0.5), 0.3),
    (said("old", ROLL, near=0.6), said("new", NEW_ROLL, days=90, near=0.5), 0.6),
    (said("old", ROLL, near=0.4), said("new", NEW_ROLL, near=0.5), 0.6),
    (said("old", ROLL, near=0.4, status=Status.LIVE), said("new", NEW_ROLL, days=90, near=0.5), 0.6),
    (said("old", ROLL, near=0.4, pinned=True), said("new", NEW_ROLL, days=90, near=0.5), 0.6),
    (said("old", ROLL, near=0.4), said("new", "The labels are cut off on the right.", days=90, near=0.5), 0.6),
    (said("old", "Billing listens on 8080.", near=0.4), said("new", "Signing listens on 9090.", days=90, near=0.5), 0.6),
])
def test_of_two_terse_answers_both_stay_where_they_may_be_of_two_things(old: Ranked, new: Ranked, in_talk: float) -> None:
    assert sorted(shown(old, new, likeness=0.2, in_talk=in_talk)) == ["new", "old"]


def test_a_later_answer_that_names_the_earlier_value_beside_its_own_stands_alone_even_against_a_memory() -> None:
    old = said("old", "We fire on Thursdays after lunch.", near=0.45, status=Status.LIVE)
    new = said("new", "Firings are on tuesday mornings, thursdays clashed with the market.", days=90, near=0.55)
    assert shown(old, new, likeness=0.38) == ["new"]
    assert sorted(shown(old, new, likeness=0.38, question="what happens on Thursdays")) == ["new", "old"]
    assert sorted(shown(old, new, likeness=0.2)) == ["new", "old"]


def test_another_colour_is_another_value() -> None:
    old, new = said("old", "The moss green, hex 5B7F4A.", near=0.4), said("new", "It becomes the orange, D9772B.", days=90)
    assert shown(old, new, likeness=0.2, in_talk=0.5) == ["new"]


METER, NEW_METER = "The meter box sits on 5544.", "The meter moved too btw, it is behind the shed now, 6543."


def test_a_later_answer_that_tells_of_the_change_needs_fewer_words_of_the_question() -> None:
    old, new = said("old", METER, near=0.8, words=0.9), said("new", NEW_METER, days=60, near=0.6, words=0.3)
    assert shown(old, new, likeness=0.55) == ["new"]
    assert shown(old, new, likeness=0.4) == ["new", "old"], "what is less alike only changes the order"
    other = said("new", "The gauge moved too btw, its hall is cold now, 6543.", days=60, near=0.6, words=0.3)
    apart = said("old", "The gauge of the harbour is on 5544.", near=0.8, words=0.9)
    assert shown(apart, other, likeness=0.55) == ["old", "new"], "each has words of its own: they may be two gauges"


def test_what_the_judge_calls_an_update_stands_alone_whatever_words_of_the_question_it_has() -> None:
    old = said("old", "The report is due on 15 September.", near=0.9, words=1.0)
    new = said("new", "The report is due on 30 October.", days=89, near=0.8, words=0.4)
    assert shown(old, new, likeness=0.61) == ["new"]


def test_what_begins_anew_with_a_name_needs_fewer_words_of_the_question() -> None:
    old = said("old", "A copy goes to Rosalind, she packs the lists.", near=0.9, words=1.0)
    new = said("new", "Rosalind is leaving, Bertrand packs after that.", days=60, near=0.8, words=0.4)
    named = replace(new, parts={**new.parts, "sequel": 0.9, "named": 1.0})
    assert shown(old, named, likeness=0.55) == ["new"]
    assert shown(old, replace(named, parts={**named.parts, "words": 0.1}), likeness=0.55) == ["old", "new"]


def replace_status(one: Ranked, status: Status) -> Ranked:
    return replace(one, memory=replace(one.memory, status=status))
