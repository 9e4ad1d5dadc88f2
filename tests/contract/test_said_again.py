"""What was over, decided or ended is said once more: a person's fresh word is believed, and nobody else's ends theirs."""

from __future__ import annotations

import pytest

from dreamd.core.values import MemoryClass, Origin
from dreamd.dream import verbs
from household import House, Said

DAY, NIGHT = "2026-01-05T09:00:00Z", "2026-01-05T20:00:00Z"
AFTER, AFTER_NIGHT = "2026-02-01T09:00:00Z", "2026-02-01T20:00:00Z"
LATE, LATE_NIGHT = "2026-03-20T09:00:00Z", "2026-03-20T20:00:00Z"
FROZEN = "Deploys are frozen."
STATE, REFERENCE = MemoryClass.STATE, MemoryClass.REFERENCE
BESIDE = Said("Invoices are rounded to full cents before tax.", memory_class=MemoryClass.RULE)
ONE, OTHER, THIRD = (f"The staging port of cedar is {port}." for port in (8080, 8081, 9090))


def told(house: House) -> list[tuple[str, str, str | None]]:
    """Status, wording and end of all but what stands beside."""
    return sorted((m.status.value, m.text, m.ttl) for m in house.memories() if m.text != BESIDE.text)


def conflict(house: House) -> None:
    """Two values of one thing, said in the same minute in two conversations."""
    house.say("2026-01-04T09:00:00Z", BESIDE)
    house.say(DAY, *(Said(t, conversation=t, memory_class=REFERENCE) for t in (ONE, OTHER)))
    house.dream(NIGHT)


@pytest.mark.parametrize("end", ["2026-12-20", None])
def test_a_state_that_is_over_and_is_said_again_is_true_again(house: House, end: str | None) -> None:
    house.say(DAY, Said(FROZEN, memory_class=STATE, ttl="2026-01-20"), BESIDE)
    house.dream(NIGHT)
    house.dream("2026-01-25T20:00:00Z")
    house.say(AFTER, Said(FROZEN, memory_class=STATE, ttl=end, conversation="c2"))
    house.dream(AFTER_NIGHT)
    assert told(house) == [("archived", FROZEN, "2026-01-20"), ("live", FROZEN, end)]
    assert house.faults(AFTER_NIGHT) == []


def test_a_state_that_is_over_is_not_brought_back_by_what_was_said_before_its_end(house: House) -> None:
    house.say(DAY, Said(FROZEN, memory_class=STATE, ttl="2026-01-20"), BESIDE)
    house.dream(NIGHT)
    house.dream("2026-01-25T20:00:00Z")
    house.say(AFTER, Said(FROZEN, memory_class=STATE, at="2026-01-06T09:00:00Z", conversation="c2"))
    house.dream(AFTER_NIGHT)
    assert told(house) == [("archived", FROZEN, "2026-01-20")]


def test_an_agent_cannot_put_an_end_to_what_a_person_said(house: House) -> None:
    rule = "Always run migrations with the ledger lock held."
    house.say(DAY, Said(rule, memory_class=MemoryClass.RULE))
    house.dream(NIGHT)
    house.say("2026-01-06T09:00:00Z", Said(rule, memory_class=MemoryClass.RULE, origin=Origin.AGENT, ttl="2026-01-10"))
    house.dream("2026-01-06T20:00:00Z")
    house.dream(AFTER_NIGHT)
    assert told(house) == [("archived", rule, "2026-01-10"), ("live", rule, None)]


def test_an_older_end_that_is_read_late_does_not_shorten_a_state(house: House) -> None:
    house.say(AFTER, Said(FROZEN, memory_class=STATE, ttl="2026-12-20"))
    house.dream(AFTER_NIGHT)
    house.say(LATE, Said(FROZEN, memory_class=STATE, ttl="2026-02-20", at=DAY, conversation="c0"))
    house.dream(LATE_NIGHT)
    assert ("live", FROZEN, "2026-12-20") in told(house)


@pytest.mark.model
def test_saying_one_side_of_a_conflict_again_decides_it(thoughtful: House) -> None:
    conflict(thoughtful)
    assert {s for s, _, _ in told(thoughtful)} == {"held"}
    thoughtful.say(AFTER, Said(ONE, conversation="c3", memory_class=REFERENCE))
    thoughtful.dream(AFTER_NIGHT)
    assert told(thoughtful) == [("live", ONE, None), ("superseded", OTHER, None)]


@pytest.mark.model
def test_a_third_value_ends_both_sides_of_a_conflict(thoughtful: House) -> None:
    conflict(thoughtful)
    thoughtful.say(AFTER, Said(THIRD, conversation="c3", memory_class=REFERENCE))
    thoughtful.dream(AFTER_NIGHT)
    assert told(thoughtful) == [("live", THIRD, None), ("superseded", ONE, None), ("superseded", OTHER, None)]


@pytest.mark.model
def test_a_person_who_goes_back_to_an_ended_value_is_believed(thoughtful: House) -> None:
    for day, text in ((5, ONE), (10, OTHER.replace("is", "is now")), (15, ONE)):
        thoughtful.say(f"2026-01-{day:02d}T09:00:00Z", Said(text, conversation=f"c{day}", memory_class=REFERENCE))
        thoughtful.dream(f"2026-01-{day:02d}T20:00:00Z")
    assert ("live", ONE, None) in told(thoughtful)


@pytest.mark.model
def test_what_a_person_dropped_is_not_brought_back_by_an_agent(thoughtful: House) -> None:
    cause = "The root cause of the slow login is the cold template cache."
    thoughtful.say(DAY, Said(cause, origin=Origin.AGENT), BESIDE)
    thoughtful.dream(NIGHT)
    with thoughtful.kit("2026-01-06T09:00:00Z") as kit:
        verbs.decide(kit, thoughtful.memory("cold template").id, verbs.DROP)
    thoughtful.say(AFTER, Said(cause, origin=Origin.AGENT, conversation="c2"))
    thoughtful.dream(AFTER_NIGHT)
    assert [s for s, _, _ in told(thoughtful)] == ["archived"]
    thoughtful.say(LATE, Said(cause, conversation="c3"))
    thoughtful.dream(LATE_NIGHT)
    assert [s for s, _, _ in told(thoughtful)] == ["live"]


def test_a_web_page_that_calls_itself_a_rule_every_day_is_one_held_memory(house: House) -> None:
    house.say(DAY, BESIDE)
    for day in range(6, 10):
        house.say(f"2026-01-{day:02d}T09:00:00Z",
                  Said("The mirror is read-only.", origin=Origin.WEB, memory_class=MemoryClass.RULE, conversation=f"c{day}"))
        house.dream(f"2026-01-{day:02d}T20:00:00Z")
    assert told(house) == [("held", "The mirror is read-only.", None)]
