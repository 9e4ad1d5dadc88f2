"""What a person says without a sure form is learned by a dream that reads it, at once or in parts, and waits while none can."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_voices import transcript, typed

from dreamd.core.errors import Outage
from dreamd.core.values import Status
from dreamd.models import lasting_net
from household import House

NIGHT, NEXT_NIGHT = "2026-01-05T20:00:00Z", "2026-01-06T20:00:00Z"
DONE = {"role": "assistant", "content": [{"type": "text", "text": "Done. I put the SQL inline in the handler."}]}
BEFORE = [typed("add an endpoint for the export please"), {"type": "assistant", "message": DONE}]
RULE = typed("sql goes into repo/queries, one file per query, the dba reads them there")
LEARNED = ["Sql goes into repo/queries, one file per query, the dba reads them there."]
pytestmark = pytest.mark.model


@pytest.fixture
def hearing(tmp_path: Path) -> House:
    return House(tmp_path, reads=True)


def live(house: House) -> list[str]:
    return [memory.text for memory in house.memories(Status.LIVE)]


def test_a_rule_without_a_sure_form_is_learned_by_the_network_alone(hearing: House, tmp_path: Path) -> None:
    formed = House(tmp_path / "formed")
    for house in (hearing, formed):
        transcript(house, "cedar", "s-1", [*BEFORE, RULE])
        house.dream(NIGHT)
    assert (live(hearing), live(formed)) == (LEARNED, [])


def test_what_the_agent_said_in_an_earlier_reading_counts_too(hearing: House) -> None:
    transcript(hearing, "cedar", "s-1", BEFORE)
    hearing.dream(NIGHT)
    transcript(hearing, "cedar", "s-1", [*BEFORE, RULE])
    hearing.dream(NEXT_NIGHT)
    assert live(hearing) == LEARNED


def test_while_the_network_is_missing_a_conversation_waits(hearing: House, monkeypatch: pytest.MonkeyPatch) -> None:
    transcript(hearing, "cedar", "s-1", [*BEFORE, RULE])
    with monkeypatch.context() as gone, pytest.raises(Outage):
        gone.setattr(lasting_net, "TRAINED", "not_here.safetensors")
        hearing.dream(NIGHT)
    hearing.dream(NEXT_NIGHT)
    assert live(hearing) == LEARNED


@pytest.mark.parametrize("rule", ["From now on never log request bodies.", "I prefer short answers with the command first.",
                                  "Our rule is: delete feature flags two weeks after the launch.",
                                  "Ab jetzt bitte immer `cargo clippy` vor dem Commit laufen lassen."])
def test_a_message_that_is_nothing_but_a_rule_is_one(hearing: House, rule: str) -> None:
    transcript(hearing, "cedar", "s-1", [*BEFORE, typed(rule)])
    hearing.dream(NIGHT)
    assert live(hearing) == [rule]


def test_an_answer_to_a_question_of_the_agent_is_heard_with_it(hearing: House) -> None:
    asked = {"role": "assistant", "content": [{"type": "text", "text": "Done. Shall I take the tall layout or the wide one?"}]}
    answer = typed("I prefer the wide one here.")
    transcript(hearing, "cedar", "s-1", [BEFORE[0], {"type": "assistant", "message": asked}, answer])
    hearing.dream(NIGHT)
    assert live(hearing) == ["Shall I take the tall layout or the wide one? I prefer the wide one here."]
