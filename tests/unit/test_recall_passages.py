"""When an answer shows what was only said: near, few, not ended since, and never instead of a memory that says the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dreamd.core.settings import RecallSettings
from dreamd.core.values import IN_PASSING
from dreamd.recall.answer import Look, search
from dreamd.recall.resolve import most_of
from household import FIRST_DAY, FIRST_NIGHT, House, Said

SECOND_DAY, SECOND_NIGHT = "2026-01-15T09:00:00Z", "2026-01-15T20:00:00Z"
LATER = "2026-01-20T09:00:00Z"
QUESTION = "where was the cedar kiln bought from in Husum"
QUIET = Look(record=False)


def in_passing(text: str, conversation: str = "c1") -> Said:
    return Said(text, conversation=conversation, explicit=False, sign=IN_PASSING)


def found(house: House, query: str, look: Look = QUIET) -> list[tuple[str, str]]:
    with house.kit(LATER) as kit:
        return [(one.memory.status.value, one.memory.text) for one in search(kit, query, look).results]


@pytest.mark.model
def test_a_passage_that_is_far_from_the_question_stays_away(thoughtful: House) -> None:
    thoughtful.say(FIRST_DAY, "Deploys go through the blue pipeline", in_passing("the freezer alarm went off last night"))
    thoughtful.dream(FIRST_NIGHT)
    assert found(thoughtful, "how do we deploy?") == [("live", "Deploys go through the blue pipeline")]
    assert found(thoughtful, "which colour has the moon over Lisbon?") == []


@pytest.mark.model
def test_a_memory_that_says_the_same_is_shown_in_its_place(thoughtful: House) -> None:
    thoughtful.say(FIRST_DAY, "The client is built with pnpm", in_passing("the client is built with pnpm"))
    thoughtful.dream(FIRST_NIGHT)
    assert found(thoughtful, "how is the client built?") == [("live", "The client is built with pnpm")]


@pytest.mark.model
def test_of_two_values_said_in_passing_the_later_one_is_found(thoughtful: House) -> None:
    thoughtful.say(FIRST_DAY, in_passing("the lamp controller listens on port 7400"))
    thoughtful.dream(FIRST_NIGHT)
    thoughtful.say(SECOND_DAY, in_passing("the lamp controller now listens on port 7500", "c2"))
    thoughtful.dream(SECOND_NIGHT)
    assert found(thoughtful, "on which port does the lamp controller listen") == [
        ("said", "the lamp controller now listens on port 7500")]


@pytest.mark.model
def test_a_later_memory_with_another_value_ends_a_passage(thoughtful: House) -> None:
    thoughtful.say(FIRST_DAY, in_passing("the piano lesson of Livia is on Wednesdays"))
    thoughtful.dream(FIRST_NIGHT)
    thoughtful.say(SECOND_DAY, Said("Livia's piano lesson moved to Mondays", conversation="c2"))
    thoughtful.dream(SECOND_NIGHT)
    assert found(thoughtful, "when is the piano lesson") == [("live", "Livia's piano lesson moved to Mondays")]


@pytest.mark.model
def test_of_ten_results_as_many_are_passages_as_the_setting_says(thoughtful: House) -> None:
    thoughtful.say(FIRST_DAY, *[in_passing(f"the {name} kiln of the pottery is fired with {wood} wood")
                                for name, wood in (("red", "birch"), ("blue", "oak"), ("grey", "pine"), ("old", "beech"),
                                                   ("new", "alder"))])
    thoughtful.dream(FIRST_NIGHT)
    thoughtful.furnish(recall={"passages": 6})
    question = "with which wood are the kilns of the pottery fired"
    assert len(found(thoughtful, question, replace(QUIET, limit=10))) == 5
    assert len(found(thoughtful, question, replace(QUIET, limit=3))) == 2
    assert len(found(thoughtful, question, replace(QUIET, limit=1))) == 1


def test_what_another_result_has_word_for_word_is_not_shown_again(house: House) -> None:
    house.say(FIRST_DAY, in_passing("the cedar kiln was rebuilt by Oke in spring"),
              in_passing("the cedar kiln was rebuilt by Oke", "c2"))
    house.dream(FIRST_NIGHT)
    assert found(house, "who rebuilt the cedar kiln") == [("said", "the cedar kiln was rebuilt by Oke in spring")]


@pytest.mark.model
def test_what_names_its_thing_only_in_what_was_said_before_it_is_found_by_that_thing(thoughtful: House) -> None:
    before = "The alarm of the cedar kiln rings all night. It rings above 80 decibels. Shall I loosen it?"
    thoughtful.say(FIRST_DAY, replace(in_passing("92, ten minutes"), context=before),
                   replace(in_passing("we take the oak boards then"), context="Which boards shall I order for the shed?"),
                   Said("Never open it before noon", conversation="c1", explicit=False, sign="prohibition", context=before))
    thoughtful.dream(FIRST_NIGHT)
    shown = [text for _, text in found(thoughtful, "at how many decibels does the kiln alarm ring")]
    assert "92, ten minutes" in shown
    assert not any("oak" in text or "decibels" in text for text in shown), "what was said before is never shown"
    assert found(thoughtful, "when may the cedar kiln with the alarm be opened")[0] == ("live", "Never open it before noon")


@pytest.mark.model
def test_a_passage_with_a_question_in_its_middle_is_shown_whole(thoughtful: House) -> None:
    told = "Sure! I carried the lamps over to the cedar kiln with Runa. How is your back? Let me know, will you."
    thoughtful.say(FIRST_DAY, in_passing(told))
    thoughtful.dream(FIRST_NIGHT)
    assert found(thoughtful, "with whom were the lamps carried to the kiln") == [("said", told)]


@pytest.mark.model
@pytest.mark.parametrize(("said", "asked"), [
    ("Handschuhe nur aus Gummi, keine Baumwolle", "what kind of gloves do we wear"),
    ("la clé du hangar est chez le boulanger", "where is the key of the shed"),
])
def test_a_question_finds_what_was_said_in_another_language(thoughtful: House, said: str, asked: str) -> None:
    thoughtful.say(FIRST_DAY, in_passing(said), in_passing("the freezer alarm went off last night", "c2"))
    thoughtful.dream(FIRST_NIGHT)
    assert found(thoughtful, asked)[:1] == [("said", said)]


def test_an_agents_words_and_mere_thanks_are_no_passages(house: House) -> None:
    house.say(FIRST_DAY, Said("thanks, looks great"), in_passing("the cedar kiln was rebuilt by Oke"))
    house.dream(FIRST_NIGHT)
    assert found(house, "thanks looks great") == []
    assert found(house, "who rebuilt the cedar kiln") == [("said", "the cedar kiln was rebuilt by Oke")]


def test_what_was_said_beside_a_memory_is_not_taken_for_the_memory(house: House) -> None:
    told = ("from the second reminder on we take eight euros, with a third one twelve more and after that Runa rings them up "
            "herself until every bill of this winter has been paid")
    house.say(FIRST_DAY, Said("The cedar kiln is fired on Wednesdays", context=told), in_passing(told, "c2"))
    house.dream(FIRST_NIGHT)
    assert ("said", told) in found(house, "what do we take from the second reminder on")


@pytest.mark.parametrize(("count", "wanted"), [(10, 6), (7, 4), (3, 2), (15, 9), (1, 1), (0, 0)])
def test_the_share_of_passages_grows_with_the_answer(count: int, wanted: int) -> None:
    assert most_of(count, RecallSettings(passages=6)) == wanted
    assert most_of(count, RecallSettings()) == count
    assert most_of(count, RecallSettings(passages=0)) == 0
