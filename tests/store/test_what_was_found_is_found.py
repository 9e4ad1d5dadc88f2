"""After each dream the same is asked as before it: what search does not find any more is told, with the dream to undo."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dreamd import probe
from dreamd.core.values import CURRENT, Memory, Status
from dreamd.dream.phases import prune
from dreamd.dream.plan import Change
from dreamd.recall.still_found import Watch
from dreamd.store import memories
from household import House, Said

MONDAY, TUESDAY, WEDNESDAY, THURSDAY = (f"2026-01-{day:02}T20:00:00Z" for day in (5, 6, 7, 8))
THINGS = ("anvil", "bellows", "cistern", "dovecote", "easel", "furnace", "granary", "hammock", "inkwell", "jetty",
          "kennel", "loom")


def hide(broken: pytest.MonkeyPatch, *named: str) -> None:
    """Let the pruning of a dream put away what nobody asked it to."""
    def change(memory: Memory, *_rest: object) -> Change | None:
        after = replace(memory, status=Status.ARCHIVED, reason="mistaken")
        return Change("archive", memory, after, "mistaken") if any(name in memory.text for name in named) else None

    broken.setattr(prune, "_ageing", change)
    broken.setattr(memories, "load_due", lambda store, **_: memories.load_memories(store, statuses=CURRENT))


@pytest.fixture
def stocked(house: House) -> House:
    """A store of a dozen things that have nothing to do with each other."""
    house.say("2026-01-05T09:00:00Z", *(f"The {thing} stands in yard {100 + n}." for n, thing in enumerate(THINGS)))
    house.dream(MONDAY)
    return house


def health(house: House) -> dict[str, str]:
    now = datetime(2026, 1, 8, 21, tzinfo=UTC)
    seen = probe.World(home=str(house.home), now=now, env={"HOME": str(house.person)}, config="", fixed=True, deep=False,
                       named_config=False)
    return {one.name: f"{one.verdict}: {one.detail} {one.hint}" for one in probe.inspect(seen).checks}


def test_a_dream_that_hides_more_than_noise_is_told_with_the_way_back_until_it_is_undone(
        stocked: House, monkeypatch: pytest.MonkeyPatch) -> None:
    stocked.say("2026-01-06T09:00:00Z", "The mangle stands in yard 200.")
    with monkeypatch.context() as broken:
        hide(broken, "anvil", "cistern", "loom", "jetty")
        report = stocked.dream(TUESDAY)
    assert [w for w in report.warnings if "4 of 12 memories" in w and f"dream undo {report.run}" in w]
    assert health(stocked)["recall"].startswith("failing: ")
    assert f"`dream undo {report.run}`" in health(stocked)["recall"]
    stocked.undo(WEDNESDAY, report.run)
    assert health(stocked)["recall"].startswith("healthy: ")


def test_the_alarm_stands_through_later_dreams_and_ends_when_all_is_found_again(
        stocked: House, monkeypatch: pytest.MonkeyPatch) -> None:
    stocked.say("2026-01-06T09:00:00Z", "The mangle stands in yard 200.")
    with monkeypatch.context() as broken:
        hide(broken, "anvil", "cistern", "loom", "jetty")
        stocked.dream(TUESDAY)
    stocked.say("2026-01-07T09:00:00Z", "The noria stands in yard 201.")
    assert not [w for w in stocked.dream(WEDNESDAY).warnings if "search does not find" in w]
    assert health(stocked)["recall"].startswith("failing: ")
    stocked.say("2026-01-08T09:00:00Z", *(f"The {thing} stands in yard {100 + THINGS.index(thing)}."
                                          for thing in ("anvil", "cistern", "loom", "jetty")))
    stocked.dream(THURSDAY)
    assert health(stocked)["recall"].startswith("healthy: ")


def test_what_takes_the_place_of_another_and_what_a_person_takes_out_is_no_loss(stocked: House) -> None:
    for name in ("anvil", "cistern", "loom", "jetty"):
        stocked.file_of(name).unlink()
    stocked.say("2026-01-06T09:00:00Z", *(f"The {thing} stands in yard {100 + THINGS.index(thing)} and is green."
                                          for thing in ("bellows", "dovecote", "easel", "furnace")))
    report = stocked.dream(TUESDAY)
    assert not [w for w in report.warnings if "search does not find" in w]
    assert health(stocked)["recall"].startswith("healthy: ")


def test_a_night_without_news_asks_nothing(stocked: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watch, "look_before", lambda *_: pytest.fail("nothing was to be written"))
    assert stocked.dream(TUESDAY).outcome == "nothing-to-do"


def test_what_is_asked_for_is_of_scopes_in_which_something_waits(stocked: House) -> None:
    for name in ("aspen", "birch", "larch"):
        stocked.say("2026-01-05T21:00:00Z", *(Said(f"The {thing} of the {name} is in yard {n}.", scope=f"project:{name}")
                                              for n, thing in enumerate(THINGS)))
    stocked.dream(TUESDAY)
    stocked.say("2026-01-06T21:00:00Z", Said("The mangle of the larch is in yard 200.", scope="project:larch"))
    with stocked.kit(WEDNESDAY) as kit:
        watch = Watch(frozenset())
        watch.look_before(kit)
        assert {str(one.scope) for one in watch.asked.values()} == {"project:larch"}


def test_asking_needs_no_model(stocked: House) -> None:
    with stocked.kit(TUESDAY) as kit:
        kit.embedder = None
        watch = Watch(frozenset())
        watch.look_before(kit)
        assert len(watch.asked) == len(THINGS)
        assert kit.embedder is None
