"""A question that nobody answered shows nothing; one that somebody answered never loses its answer for the same reason."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dreamd.core.clock import parse_instant
from dreamd.core.settings import RecallSettings
from dreamd.core.values import IN_PASSING, Category, Memory, MemoryClass, MemoryType, Scope, Status, Trust
from dreamd.recall.answer import Look, search
from dreamd.recall.ranking import Budget, Ranked
from dreamd.recall.unanswered import is_unanswered, lacks_what_is_asked, reads_none
from household import FIRST_DAY, FIRST_NIGHT, House, Said

DAY = datetime(2026, 3, 1, 9, tzinfo=UTC)
NOBODY_SAID = "What is Runa's dog called?"


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


@pytest.mark.parametrize(("question", "surest", "nothing"), [
    (NOBODY_SAID, 0.002, True), (NOBODY_SAID, 0.04, False), (NOBODY_SAID, None, False),
    ("what is Runa's dog called", 0.002, True),
    ("wie heißt der Hund von Runa?", 0.002, True), ("Runa dog", 0.002, False), ("Runa's dog is called Bo", 0.002, False)])
def test_a_question_is_answered_with_nothing_where_even_the_surest_reads_as_no_answer(
        question: str, surest: float | None, nothing: bool) -> None:
    read = [] if surest is None else [(0.001, "Runa has a cat"), (surest, "Runa sings")]
    assert reads_none(question, read, RecallSettings()) is nothing
    assert not reads_none(question, read, RecallSettings(least_sure=0.0))


@pytest.mark.parametrize(("question", "surest", "nothing"), [
    ("What did Runa buy?", "Oke: I bought a boat", True),
    ("What did Runa buy?", "Oke: Runa bought a boat", False),
    ("What did Runa buy?", "Oke: So you bought a boat!", False),
    ("What did Runa buy?", "Runa: I bought a boat", False),
    ("What did Runa and Oke buy?", "Oke: I bought a boat", False),
    ("What did Runa buy?", "They bought a boat", False),
    ("What was the purchase?", "Oke: I bought a boat", False)])
def test_what_somebody_else_says_of_himself_answers_no_question_about_another(
        question: str, surest: str, nothing: bool) -> None:
    read = [(0.9, surest), (0.4, "Runa: I sang")]
    assert reads_none(question, read, RecallSettings()) is nothing
    assert not reads_none(question, [(0.4, surest), (0.9, "Runa: I sang")], RecallSettings())


@pytest.fixture
def about_runa(thoughtful: House) -> House:
    """What was said about two people, dreamt over."""
    thoughtful.say(FIRST_DAY, "Runa sings in the choir on Mondays", "Runa handed the cedar kiln to Oke",
                   "Runa gets the kiln shelves from a quarry near Husum")
    thoughtful.dream(FIRST_NIGHT)
    return thoughtful


@pytest.mark.model
def test_what_nobody_said_is_answered_with_nothing_and_words_still_find_all(about_runa: House) -> None:
    about_runa.furnish(recall={"least_sure": 0.02})
    quiet = Look(record=False)
    with about_runa.kit(parse_instant(FIRST_NIGHT).isoformat()) as kit:
        nothing = search(kit, NOBODY_SAID, quiet)
        assert not nothing.results and nothing.near
        for query, look in ((NOBODY_SAID, replace(quiet, everything=True)), (NOBODY_SAID, replace(quiet, budget=Budget.DEEP)),
                            ("Runa", quiet), ("who got the cedar kiln?", quiet), ("where does Runa buy shelves?", quiet)):
            found = search(kit, query, look)
            assert found.results and not found.near, query


@pytest.mark.model
def test_a_person_has_the_nearest_shown_whatever_it_answers(about_runa: House) -> None:
    about_runa.furnish(recall={"least_sure": 0.0})
    with about_runa.kit(parse_instant(FIRST_NIGHT).isoformat()) as kit:
        assert search(kit, NOBODY_SAID, Look(record=False)).results


@pytest.mark.model
def test_one_result_alone_is_read_as_well(thoughtful: House) -> None:
    thoughtful.say(FIRST_DAY, "Runa sings in the choir on Mondays")
    thoughtful.dream(FIRST_NIGHT)
    with thoughtful.kit(parse_instant(FIRST_NIGHT).isoformat()) as kit:
        assert search(kit, NOBODY_SAID, Look(record=False)).near == 1
        assert search(kit, "when does Runa sing?", Look(record=False)).results
