"""Taking one change of a night back, and leaving the rest of that night as it is."""

from __future__ import annotations

import pytest

from dreamd.core.errors import Refused, StoreMissing
from dreamd.core.values import Status
from dreamd.dream import undo
from household import FIRST_NIGHT, House, Said

SECOND = "2026-01-07T20:00:00Z"
THIRD = "2026-01-08T20:00:00Z"


@pytest.fixture
def two_nights(house: House) -> tuple[House, str]:
    house.say(FIRST_NIGHT, Said("The billing API listens on port 8080.", conversation="one"))
    house.dream(FIRST_NIGHT)
    house.say(SECOND, Said("The billing API now listens on port 9090.", conversation="two", at=SECOND),
              Said("The staging database is restored every Monday.", conversation="two", at=SECOND))
    return house, house.dream(SECOND).run


def take_back(house: House, now: str, run: str, words: str, *, with_later: bool = False) -> undo.Undone:
    with house.kit(now) as kit:
        return undo.apply_undo(kit, undo.plan_undo(kit, run, only=house.memory(words).id), with_later=with_later)


def standing(house: House) -> dict[str, Status]:
    return {m.text.rpartition(" ")[2].rstrip("."): m.status for m in house.memories()}


def test_one_learned_memory_goes_and_the_rest_of_the_night_stands(two_nights: tuple[House, str]) -> None:
    house, run = two_nights
    done = take_back(house, THIRD, run, "Monday")
    assert (done.memories, done.observations) == (1, 1)
    assert standing(house) == {"8080": Status.SUPERSEDED, "9090": Status.LIVE}
    assert "Monday" not in house.index()
    assert house.faults(THIRD) == []


def test_what_was_replaced_comes_back_with_the_end_of_what_replaced_it(two_nights: tuple[House, str]) -> None:
    house, run = two_nights
    take_back(house, THIRD, run, "9090")
    assert standing(house) == {"8080": Status.LIVE, "Monday": Status.LIVE}
    assert "8080" in house.index() and "9090" not in house.index()
    assert house.faults(THIRD) == []


def test_no_later_dream_learns_it_again_by_itself_and_redo_hands_it_back(two_nights: tuple[House, str]) -> None:
    house, run = two_nights
    take_back(house, THIRD, run, "Monday")
    assert house.dream(THIRD).outcome == "nothing-to-do"
    assert house.redo(THIRD, run) == 1
    house.dream(THIRD)
    assert standing(house)["Monday"] is Status.LIVE


def test_a_change_is_taken_back_once(two_nights: tuple[House, str]) -> None:
    house, run = two_nights
    identity = house.memory("8080").id
    take_back(house, THIRD, run, "9090")
    with house.kit(THIRD) as kit, pytest.raises(Refused, match="already"):
        undo.plan_undo(kit, run, only=identity)


def test_the_rest_of_a_night_can_still_go_afterwards(two_nights: tuple[House, str]) -> None:
    house, run = two_nights
    take_back(house, THIRD, run, "Monday")
    house.undo(THIRD, run)
    assert standing(house) == {"8080": Status.LIVE}
    assert house.faults(THIRD) == []


def test_later_runs_on_the_same_memory_are_named_first_and_those_on_others_are_not(two_nights: tuple[House, str]) -> None:
    house, run = two_nights
    with house.kit(THIRD) as kit:
        from dreamd.dream import verbs

        verbs.pin(kit, house.memory("Monday").id)
    take_back(house, THIRD, run, "9090")
    with pytest.raises(Refused, match="a later run builds"):
        take_back(house, THIRD, run, "Monday")
    take_back(house, THIRD, run, "Monday", with_later=True)
    assert standing(house) == {"8080": Status.LIVE}


def test_a_later_change_that_was_taken_back_is_not_this_one(two_nights: tuple[House, str]) -> None:
    house, run = two_nights
    with house.kit(THIRD) as kit:
        from dreamd.dream import verbs

        verbs.pin(kit, house.memory("Monday").id)
        pinned = kit.store.one("SELECT id FROM run ORDER BY seq DESC LIMIT 1")
    assert pinned is not None
    house.undo(THIRD, pinned["id"])
    take_back(house, THIRD, run, "Monday")
    assert standing(house) == {"8080": Status.SUPERSEDED, "9090": Status.LIVE}


@pytest.mark.parametrize("named", ["ffffffffffff", "zz", ""])
def test_a_memory_the_run_did_not_change_is_none_of_it(two_nights: tuple[House, str], named: str) -> None:
    house, run = two_nights
    with house.kit(THIRD) as kit:
        if not named:
            assert undo.plan_undo(kit, run, only=named).only is None
            return
        with pytest.raises(StoreMissing):
            undo.plan_undo(kit, run, only=named)
