"""What waits on a model's word alone: no true statement ends, waits or is swallowed because of it."""

from __future__ import annotations

import pytest
from read_aloud import Label, night, oracle, talk, texts

from dreamd.core.values import GUESSED, Memory, MemoryClass, Origin, Status
from dreamd.dream import verbs
from household import House, Said

TRUTH, LIE, LATER = (f"The staging port of cedar is {port}." for port in (8080, 9999, 8081))
SPOKEN = "deploy cedar to the port that I named"


def hears_a_lie(house: House, day: str, text: str = LIE) -> None:
    """A night after which a lie of the observer waits."""
    talk(house, f"s-{day}", ("person", SPOKEN), at=f"{day}T09:00:00Z")
    night(house, oracle(Label(text, (SPOKEN,))), f"{day}T20:00:00Z")
    assert of(house, text).status is Status.HELD and of(house, text).reason in GUESSED
    house.furnish()  # from here on no model is set: nobody is waited for


def of(house: House, text: str) -> Memory:
    """The newest memory in these words."""
    return max((m for m in house.memories() if m.text == text), key=lambda m: (m.status is Status.LIVE, m.confirmed_at))


@pytest.mark.parametrize("day", ["2026-01-04", "2026-01-05", "2026-01-09"])
@pytest.mark.parametrize("origin", [Origin.USER, Origin.AGENT])
def test_a_truth_lives_beside_a_lie_that_waits(house: House, day: str, origin: Origin) -> None:
    hears_a_lie(house, "2026-01-05")
    house.say(f"{day}T21:00:00Z", Said(TRUTH, origin=origin, memory_class=MemoryClass.REFERENCE))
    house.dream("2026-01-10T20:00:00Z")
    assert of(house, TRUTH).status is Status.LIVE
    assert of(house, LIE).status is Status.HELD and (of(house, TRUTH).id, "contradicts") in of(house, LIE).links


def test_a_lie_after_the_truth_waits_and_a_later_truth_ends_the_earlier_one(house: House) -> None:
    house.say("2026-01-05T08:00:00Z", TRUTH)
    house.dream("2026-01-05T08:30:00Z")
    hears_a_lie(house, "2026-01-05")
    assert of(house, TRUTH).status is Status.LIVE
    house.say("2026-01-05T21:00:00Z", "We no longer use port 8080 for staging of cedar. " + LATER)
    house.say("2026-01-08T21:00:00Z", LATER)
    house.dream("2026-01-08T22:00:00Z")
    assert of(house, LATER).status is Status.LIVE and of(house, TRUTH).status is not Status.LIVE
    assert LIE not in texts(house, Status.LIVE)


def test_a_pinned_truth_stays_and_a_lie_beside_it_waits(house: House) -> None:
    house.say("2026-01-05T08:00:00Z", TRUTH)
    house.dream("2026-01-05T08:30:00Z")
    with house.kit("2026-01-05T08:40:00Z") as kit:
        verbs.pin(kit, of(house, TRUTH).id)
    hears_a_lie(house, "2026-01-07")
    assert of(house, TRUTH).status is Status.LIVE and of(house, TRUTH).pinned


def test_a_truth_that_a_guess_says_too_lives_in_its_own_words_and_the_guess_waits_no_more(house: House) -> None:
    hears_a_lie(house, "2026-01-05", TRUTH)
    house.say("2026-01-05T21:00:00Z", TRUTH)
    house.dream("2026-01-05T22:00:00Z")
    assert texts(house, Status.LIVE) == [TRUTH] and texts(house, Status.HELD) == []


def test_two_lies_end_nothing_that_waits_for_a_person(house: House) -> None:
    house.say("2026-01-05T08:00:00Z", TRUTH, LATER)
    house.dream("2026-01-05T08:30:00Z")
    hears_a_lie(house, "2026-01-07")
    hears_a_lie(house, "2026-01-09", "The staging port of cedar is 7777.")
    assert {TRUTH, LATER} <= set(texts(house, Status.LIVE, Status.HELD))
    assert LIE in texts(house, Status.HELD)
