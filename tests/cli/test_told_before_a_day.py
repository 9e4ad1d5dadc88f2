"""What has a day ahead is told in the days before it, once a day, and not after; what goes on from it is told as ever."""

from __future__ import annotations

import pytest

from dreamd.agents import prime, priming
from dreamd.core.values import Scope
from household import Said

SAID = "2026-05-01T09:00:00Z"
FREEZE = "The freeze of the ferry app starts on 12 May."
HELM = "From 12 May on, deploys of the tide gauge go through Helm."
GERMAN = "Das Audit im Hafenamt ist am 9. Mai."
CONSTANT = "The tide gauge was calibrated on 3 March."


@pytest.fixture
def told(house, monkeypatch):
    """What a conversation is told that starts at some time."""
    monkeypatch.setattr("dreamd.agents.hooks.scopes_of", lambda *_: (Scope("project", "cedar"), Scope("user")))
    house.say(SAID, *(Said(text) for text in (FREEZE, HELM, GERMAN, CONSTANT)))
    house.dream(SAID)

    def start(now: str) -> list[str]:
        with house.kit(now) as kit:
            chosen = priming.choose(kit, cwd="/srv/cedar", hurried=True, told_today=prime.told_today(kit.world))
            text, dated = priming.tell(kit, chosen)
            prime.keep_told(kit.world, dated)
        return [line.partition(": ")[2] for line in text.splitlines() if line.startswith("- noted ")]
    return start


def test_a_day_that_one_line_of_a_long_note_names_is_not_ahead_of_all_of_it(told, house):
    house.say(SAID, Said("Session at the quay.\n\n- Ropes were sorted by length.\n- Paint came.\n- Tore returns on 11 May.\n"
                         "- The crane hums."))
    house.dream(SAID)
    assert not [line for line in told("2026-05-10T09:00:00Z") if "Session at the quay" in line and "tomorrow" in line]


def test_a_day_ahead_is_told_in_the_days_before_it_once_a_day_and_not_after(told):
    assert told("2026-05-02T09:00:00Z") == [f"{GERMAN} (in 7 days)", CONSTANT]
    assert set(told("2026-05-05T09:00:00Z")) == {f"{GERMAN} (in 4 days)", *(f"{one} (in 7 days)" for one in (FREEZE, HELM)),
                                                 CONSTANT}
    assert told("2026-05-05T19:00:00Z") == [CONSTANT]
    assert f"{FREEZE} (tomorrow)" in told("2026-05-11T09:00:00Z")
    assert f"{FREEZE} (today)" in told("2026-05-12T09:00:00Z")
    assert sorted(told("2026-05-13T09:00:00Z")) == sorted([HELM, CONSTANT])
