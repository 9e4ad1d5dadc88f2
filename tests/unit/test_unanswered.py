"""A question that nobody answered shows nothing; one that somebody answered never loses its answer for the same reason."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dreamd.core.clock import parse_instant
from dreamd.core.values import IN_PASSING, Category, Memory, MemoryClass, MemoryType, Scope, Status, Trust
from dreamd.recall.answer import Look, search
from dreamd.recall.ranking import Budget, Ranked
from dreamd.recall.unanswered import is_unanswered, lacks_what_is_asked
from household import FIRST_DAY, FIRST_NIGHT, House, Said

DAY = datetime(2026, 3, 1, 9, tzinfo=UTC)


def result(text: str, near: float) -> Ranked:
    memory = Memory("m1", Scope("project", "kiln"), text, MemoryClass.HISTORY, MemoryType.PROJECT, Category.PROJECTS,
                    Status.SAID, Trust.USER, Trust.USER, DAY, DAY, DAY, DAY)
    return Ranked(memory, near, {"nearness": near})


@pytest.mark.parametrize(("near", "nothing"), [(0.2, True), (0.25, False), (0.5, False)])
def test_what_is_far_from_the_question_is_no_answer(near: float, nothing: bool) -> None:
    assert is_unanswered("who paints the shed", [result("Oke paints the shed.", near)]) is nothing


@pytest.mark.parametrize(("question", "text"), [
    ("phone number of Oke", "Oke answers for the shed, that's entry 12."),
    ("Telefonnummer von Frau Brandt", "Das geht alles zu Frau Brandt."),
    ("teléfono de Pilar", "A Pilar solo por correo."),
    ("how many kilns do we have", "The kiln opens on 15 December."),
    ("how many kilns do we have", "The kiln firmware is kiln-1.4.0."),
    ("what did the kiln cost", "The kiln came from Husum."),
    ("what did the kiln cost", "The kiln takes two weeks and holds 340 plates."),
    ("rent of the shed", "The shed is open from 10:00, from 12 September on."),
    ("wie viele Öfen haben wir", "Der Ofen ist aus Husum."),
    ("url of the forum", "The forum people are tired."),
])
def test_a_question_for_a_number_or_a_page_is_not_answered_without_one(question: str, text: str) -> None:
    assert lacks_what_is_asked(question, [text])
    assert is_unanswered(question, [result(text, 0.7)])


@pytest.mark.parametrize(("question", "text"), [
    ("phone number of Oke", "Oke is at 0431 555 23."),
    ("how many kilns do we have", "Two, and a broken one."),
    ("how many kilns do we have", "We fire 12 of them."),
    ("how many people may enter", "Nobody enters."),
    ("what did the kiln cost", "About 0.40 euros a piece."),
    ("what did the kiln cost", "21500, and that without the shelves."),
    ("price of a firing", "Adults 12, children half of it."),
    ("in which town is the shed we rent", "It is the one in Husum."),
    ("combien coûte une cuisson", "La moitié."),
    ("url of the forum", "It moved to forum.kiln.example."),
    ("who paints the shed", "The forum people are tired."),
    ("which phone do we test with", "The old one in the drawer."),
    ("how long does a firing take", "Until the evening."),
    ("what is the serial number of the kiln?", "The kiln has the serial number KX-40718"),
    ("order number of the shed", "The shed came with AB20771."),
])
def test_a_question_that_has_its_value_or_can_be_answered_without_one_keeps_its_answer(question: str, text: str) -> None:
    assert not lacks_what_is_asked(question, [text])


@pytest.mark.model
def test_a_deep_look_shows_also_what_answers_nothing(thoughtful: House) -> None:
    thoughtful.say(FIRST_DAY, Said("Oke took over the cedar kiln from Runa", explicit=False, sign=IN_PASSING))
    thoughtful.dream(FIRST_NIGHT)
    question, quiet = "what is the phone number of Oke", Look(record=False)
    with thoughtful.kit(parse_instant(FIRST_NIGHT).isoformat()) as kit:
        assert not search(kit, question, quiet).results
        assert search(kit, question, replace(quiet, budget=Budget.DEEP)).results
        assert search(kit, "who took over the cedar kiln", quiet).results


@pytest.mark.model
def test_what_is_over_answers_no_question_that_has_nothing_to_do_with_it(thoughtful: House) -> None:
    thoughtful.say(FIRST_DAY, "The storm webcam is switched off until 2026-01-06.",
                   "The kiln is lent to the school until 2026-01-06.")
    thoughtful.dream(FIRST_NIGHT)
    later, quiet = "2026-01-09T20:00:00Z", Look(record=False)
    thoughtful.dream(later)
    with thoughtful.kit(later) as kit:
        assert not search(kit, "when does the ferry to the island leave?", quiet).results
        (found,) = search(kit, "who has the kiln?", quiet).results
        assert (found.memory.status, "kiln" in found.memory.text) == (Status.ARCHIVED, True)
