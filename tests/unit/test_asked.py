"""What a question asks for is told from its words, and what a text has of it from its signs, in several languages."""

from __future__ import annotations

import pytest

from dreamd.recall.asked import has_what_is_asked, kind_asked_for


@pytest.mark.parametrize(("question", "kind"), [
    ("who paints the hulls", "who"), ("wer streicht die Rümpfe?", "who"), ("quién pinta los cascos", "who"),
    ("qui peint les coques ?", "who"), ("how many berths are there", "how_much"), ("wie viele Plätze gibt es", "how_much"),
    ("combien de places y a-t-il", "how_much"), ("when does the ferry leave", "when"), ("wann fährt die Fähre", "when"),
    ("where is the rope kept", "where"), ("dónde está la cuerda", "where"), ("are lamps allowed on deck", ""),
])
def test_a_question_asks_for_one_kind_of_value_or_for_none(question: str, kind: str) -> None:
    assert kind_asked_for(question) == kind


@pytest.mark.parametrize(("kind", "having", "without"), [
    ("who", "ask Greta about the hulls", "the hulls look dull again"),
    ("who", "Greta paints the hulls with Mr Okoro", "we paint the hulls"),
    ("how_much", "there are 12 berths", "the berths are full"),
    ("how_much", "twice the price of last time", "the price is fine"),
    ("when", "it leaves on Tuesday nights", "it leaves from the pier"),
    ("where", "the rope lies in /mnt/shed", "the rope is wet"),
    ("where", "das Seil liegt im Schuppen", "es ist ganz nass"),
])
def test_a_text_has_a_value_of_a_kind_or_has_none(kind: str, having: str, without: str) -> None:
    assert has_what_is_asked(kind, having)
    assert not has_what_is_asked(kind, without)


def test_a_question_that_asks_for_no_kind_of_value_is_answered_by_nothing_in_particular() -> None:
    assert not has_what_is_asked("", "there are 12 berths")
