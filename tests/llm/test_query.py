"""A question reworded by a language model: never longer than two seconds, and never another question."""

from __future__ import annotations

import pytest
from read_aloud import NIGHT, saying

from dreamd.core.values import Scope
from dreamd.dream.asking.rewording import ask_model, reword
from dreamd.models.language_model import Answer, Ending, Role
from dreamd.recall.ranking import Budget
from household import House


def made(query: str, answer: object) -> list[str]:
    """What a model makes of a question."""
    return ask_model(saying({"query": answer}), query, Scope("user"))


def test_other_words_are_used_where_they_ask_the_same() -> None:
    assert made("hey, how do we get the thing onto staging again?", "deploy staging command") == ["deploy staging command"]


@pytest.mark.parametrize(("query", "answer"), [
    ("what runs on port 8080?", "what runs on port 8081"), ("what runs on port 8080?", "what runs there"),
    ("who owns `tools/export`?", "who owns the exporter"), ("who owns the exporter?", "the exporter belongs to Ines"),
    ("who owns the exporter?", ""), ("who owns the exporter?", 7), ("who owns the exporter?", "x" * 10_000_000)])
def test_words_that_lose_or_invent_something_are_not(query: str, answer: object) -> None:
    assert made(query, answer) == []


def test_only_masked_words_leave() -> None:
    model = saying({"query": "x"})
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    ask_model(model, f"where is {secret} used?", Scope("user"))
    assert secret not in model.asked[0].data and model.asked[0].seconds == 2.0


def test_where_nobody_answers_or_the_role_is_off_the_question_stays() -> None:
    model = saying({"query": "deploy staging"})
    model.on = frozenset({Role.OBSERVER})
    assert ask_model(model, "how to deploy?", Scope("user")) == [] and model.asked == []
    model.on, model.reply = frozenset(Role), lambda _ask: Answer(Ending.SILENT)
    assert ask_model(model, "how to deploy?", Scope("user")) == []


def test_nothing_is_asked_unless_a_person_wants_it(house: House) -> None:
    for rules in ({}, {"backend": "openai"}, {"rewrite_queries": True}):
        house.furnish(llm=rules)
        assert not reword(house.world(NIGHT), "how to deploy?", Budget.DEEP).asked
    house.furnish(llm={"backend": "openai", "rewrite_queries": True})
    assert not reword(house.world(NIGHT), "how to deploy?", Budget.LEAN).asked
