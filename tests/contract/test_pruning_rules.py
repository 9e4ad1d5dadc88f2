"""What leaves by itself and when: times count from what was said, never from the night that noticed."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.core.clock import parse_instant
from dreamd.core.values import IN_PASSING, Category, Memory, MemoryClass, MemoryType, Scope, Status, Trust
from dreamd.dream.phases.prune import age_of, counted_back
from dreamd.recall.answer import Look, search
from dreamd.store import memories
from household import House, Said, snapshot

DAY = "2026-01-05T09:00:00Z"
REFERENCE, RULE, STATE = MemoryClass.REFERENCE, MemoryClass.RULE, MemoryClass.STATE
DRAWINGS = Said("The drawings of the quay lie in cabinet seven.", at=DAY, memory_class=REFERENCE)
REVIEWS = Said("Reviews of cedar need two people.", at=DAY, memory_class=RULE)
FREEZE = Said("The release branch of cedar is frozen.", at=DAY, memory_class=STATE, ttl="2026-03-01")


def night(days: int) -> str:
    """A night so many days after everything was said."""
    return (date(2026, 1, 5) + timedelta(days=days)).isoformat() + "T20:00:00Z"


def statuses(house: House) -> dict[str, str]:
    """Status by the first words."""
    return {m.text.split()[1]: m.status.value for m in house.memories()}


def told(house: House, *said: Said) -> House:
    """A home that was told something and slept over it once."""
    house.say(DAY, *said)
    house.dream(night(0))
    return house


def at_work(house: House, *days: int) -> House:
    """Somebody talked there on some days, of nothing that a memory is made of."""
    for day in days:
        house.say(night(day), Said(f"the kettle whistled {day} times", explicit=False, sign=IN_PASSING, conversation=f"d{day}"))
    return house


def test_a_reference_nobody_asks_for_goes_stale_after_90_days_and_leaves_after_180(house: House) -> None:
    at_work(told(house, DRAWINGS, REVIEWS), 80, 160)
    house.dream(night(89))
    assert statuses(house)["drawings"] == "live"
    house.dream(night(91))
    assert statuses(house)["drawings"] == "stale"
    house.dream(night(179))
    assert statuses(house)["drawings"] == "stale"
    house.dream(night(181))
    assert statuses(house)["drawings"] == "archived"


def test_a_rule_never_goes_by_age(house: House) -> None:
    told(house, REVIEWS)
    house.dream(night(2000))
    assert statuses(house) == {"of": "live"}


def test_a_state_leaves_the_day_after_its_last(house: House) -> None:
    told(house, FREEZE, REVIEWS)
    house.dream("2026-03-01T23:00:00Z")
    assert statuses(house)["release"] == "live"
    house.dream("2026-03-02T00:30:00Z")
    gone = house.memory("release")
    assert (gone.status, gone.reason, gone.valid_to and gone.valid_to.isoformat()) == (
        Status.ARCHIVED, "expired", "2026-03-02T00:00:00+00:00")


def test_the_last_day_is_counted_in_the_zone_of_the_store(house: House) -> None:
    house.furnish(store={"zone": "America/Los_Angeles"})
    told(house, FREEZE, REVIEWS)
    house.dream("2026-03-02T06:00:00Z")
    assert statuses(house)["release"] == "live", "it is still the first of March there"
    house.dream("2026-03-02T09:00:00Z")
    assert statuses(house)["release"] == "archived"


def test_a_version_that_was_replaced_stays_a_version_after_its_last_day(house: House) -> None:
    told(house, FREEZE, REVIEWS)
    house.say("2026-01-10T09:00:00Z", Said("The release branch of cedar is open.", conversation="c2", memory_class=STATE,
                                           ttl="2026-04-01"))
    house.dream("2026-01-10T20:00:00Z")
    with house.kit(night(6)) as kit, kit.store.writing() as tx:
        old, new = house.memory("frozen"), house.memory("open")
        memories.write_memory(tx, replace(old, status=Status.SUPERSEDED, superseded_by=new.id, reason="later-statement"))
    house.dream("2026-03-05T20:00:00Z")
    assert house.memory("frozen").status is Status.SUPERSEDED


def test_being_asked_for_keeps_a_reference_alive_and_brings_a_stale_one_back(house: House) -> None:
    told(house, DRAWINGS, REVIEWS)
    house.dream(night(91))
    assert statuses(house)["drawings"] == "stale"
    with house.kit(night(95)) as kit, kit.store.writing() as tx:
        memories.record_recalls(tx, [house.memory("drawings").id], kit.clock.now())
    house.dream(night(96))
    assert statuses(house)["drawings"] == "live"
    house.dream(night(184))
    assert statuses(house)["drawings"] == "live", "ninety days count from the recall"


def test_saying_it_again_brings_a_stale_one_back(house: House) -> None:
    told(house, DRAWINGS, REVIEWS)
    house.dream(night(91))
    house.say(night(92), replace(DRAWINGS, at="", conversation="c2"))
    house.dream(night(92))
    assert statuses(house)["drawings"] == "live"


@pytest.mark.parametrize("nights", [(91, 181), (181,), (120, 150, 200), (400,)], ids=str)
def test_a_machine_that_slept_comes_to_the_same_end(tmp_path: Path, nights: tuple[int, ...]) -> None:
    ends = []
    for name, when in (("every night", (*range(1, 182, 6), 401)), ("now and then", (*nights, 401))):
        house = at_work(told(House(tmp_path / name), DRAWINGS, REVIEWS, FREEZE), 80, 160)
        for days in when:
            house.dream(night(days))
        ends.append({m.text: (m.status, m.reason, m.valid_to) for m in house.memories()})
    assert ends[0] == ends[1]


def test_what_is_archived_is_out_of_the_index_and_kept_in_the_archive(house: House) -> None:
    at_work(told(house, DRAWINGS, REVIEWS), 80, 160)
    shown = house.file_of("drawings")
    house.dream(night(181))
    assert not shown.exists()
    assert "drawings" not in house.index()
    assert "cabinet seven" in (house.paths.archive / "project" / "cedar" / shown.name).read_text()


def test_the_clock_starts_when_dream_first_held_a_memory(house: House) -> None:
    """A first dream over years of talk retires nothing for its age."""
    house.say(night(1000), DRAWINGS, REVIEWS)
    at_work(house, 100, 200, 300, 400, 500, 600, 700, 800, 900).dream(night(1000))
    at_work(house, 1080)
    house.dream(night(1089))
    assert statuses(house)["drawings"] == "live"
    house.dream(night(1091))
    assert statuses(house)["drawings"] == "stale"


def test_a_stretch_in_which_nobody_used_a_project_counts_90_days_at_most(house: House) -> None:
    told(house, DRAWINGS, REVIEWS)
    house.dream(night(900))
    assert statuses(house)["drawings"] == "stale", "a shelf for three years is ninety days"
    at_work(house, 900, 980).dream(night(989))
    assert statuses(house)["drawings"] == "stale"
    house.dream(night(991))
    assert statuses(house)["drawings"] == "archived"


def test_being_asked_for_anything_uses_a_project_however_often(house: House) -> None:
    told(house, DRAWINGS, REVIEWS)
    for days in (50, 100, 150):
        with house.kit(night(days)) as kit, kit.store.writing() as tx:
            memories.record_recalls(tx, [house.memory("Reviews").id], kit.clock.now())
    house.dream(night(181))
    assert statuses(house)["drawings"] == "archived", "only the last recall of a memory is kept, but every day of use counts"


def test_what_was_archived_for_its_age_is_found_by_search_marked_and_told_to_nobody_unasked(house: House) -> None:
    at_work(told(house, DRAWINGS, REVIEWS), 80, 160).dream(night(181))
    with house.kit(night(182)) as kit:
        found, = (one.memory for one in search(kit, "where are the drawings of the quay", Look(record=False)).results)
        assert (found.status, found.id) == (Status.ARCHIVED, house.memory("drawings").id)
        told_unasked = search(kit, "where are the drawings of the quay", Look(record=False, injection=True)).results
    assert not told_unasked
    assert house.memory("drawings").valid_to is None, "nobody said that it no longer holds"


def test_nothing_is_hard_deleted_by_a_dream(house: House) -> None:
    told(house, DRAWINGS, REVIEWS, FREEZE)
    words = {str(t) for t, in house.rows("SELECT text FROM observation")}
    for days in (95, 200, 400):
        house.dream(night(days))
    assert {m.text for m in house.memories()} == words
    assert {str(t) for t, in house.rows("SELECT text FROM observation")} == words


def test_the_index_stays_within_its_lines_and_bytes_and_cuts_none_in_the_middle(house: House) -> None:
    words = ("harbour", "quarry", "orchard", "viaduct", "granary", "foundry", "chapel", "dairy", "ferry", "gallery")
    house.say(DAY, *[Said(f"The {a} gate of the {b} is painted in the colour of the {c}, as the plans of {n} say.",
                          memory_class=RULE) for n, (a, b, c) in enumerate(
        (a, b, c) for a in words for b in words for c in words[:5])])
    house.dream(night(0))
    index = house.index()
    assert len(index.splitlines()) <= 200
    assert len(index.encode()) <= 25 * 1024
    for line in index.splitlines():
        assert not line.startswith("- [") or ".md)" in line
    everywhere = "".join(body.decode() for path, body in snapshot(house.home)["on disk"].items()  # type: ignore[attr-defined]
                         if path.startswith("memory/"))
    assert all(m.text in everywhere for m in house.memories(Status.LIVE))


def test_after_a_year_under_a_full_index_what_was_asked_for_stands_before_what_was_not(house: House) -> None:
    house.furnish(index={"max_lines": 24, "aim_lines": 14})
    places = ["harbour", "quarry", "orchard", "viaduct", "granary", "foundry", "chapel", "creamery", "ferry", "gallery",
              "hangar", "inn", "jetty", "kiln", "library", "mill", "nursery", "pavilion", "refinery", "smithy", "tannery",
              "vineyard", "workshop"]
    told(house, *[Said(f"Drawings of the {place} lie in cabinet {n}.", memory_class=REFERENCE)
                  for n, place in enumerate(places)])
    wanted = [house.memory(place) for place in ("workshop", "tannery", "kiln")]
    for days in range(30, 366, 30):
        with house.kit(night(days)) as kit, kit.store.writing() as tx:
            memories.record_recalls(tx, [one.id for one in wanted], kit.clock.now())
        if days == 330:
            house.say(night(days), Said("Drawings of the mill lie in cabinet 15.", memory_class=REFERENCE, conversation="c9"),
                      Said("Drawings of the brewery lie in cabinet 51.", at=night(days - 20), memory_class=REFERENCE))
        house.dream(night(days))
    lines = [line for line in house.index().splitlines() if "](" in line]
    assert {one.id for one in wanted} == {line.partition("](")[2][:12] for line in lines[:3]}
    assert [line.split()[6] for line in lines[3:5]] == ["mill", "brewery"], "of two alike the later confirmed comes first"
    with house.kit(night(366)) as kit:
        found = [one.memory for one in search(kit, "where are the drawings", Look(record=False, limit=20)).results]
    gone = [one.status is Status.ARCHIVED for one in found]
    assert gone == sorted(gone) and any(gone), "what was archived stands behind what is live and as near"
    assert {one.id for one in wanted} <= {one.id for one in found}


def _looked_at(house: House, when: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The first words of the memories that a night reads to see whether their day has come."""
    seen: list[str] = []
    with monkeypatch.context() as watched:
        look = memories.load_due

        def load_due(*args: Any, **options: Any) -> list[Memory]:
            due = look(*args, **options)
            seen.extend(m.text.split()[1] for m in due)
            return due

        watched.setattr(memories, "load_due", load_due)
        house.dream(when)
    return seen


def test_a_night_reads_no_memory_that_will_stay_as_it_is(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    at_work(told(house, DRAWINGS, REVIEWS), 60)
    assert _looked_at(house, night(89), monkeypatch) == []
    assert _looked_at(house, night(91), monkeypatch) == ["drawings"]
    assert _looked_at(house, night(140), monkeypatch) == [], "it is stale, and nobody asked for it"
    assert _looked_at(house, night(900), monkeypatch) == [], "60 days and 90 of nobody being there are too few to go"
    at_work(house, 901)
    assert _looked_at(house, night(902), monkeypatch) == []
    assert _looked_at(house, night(931), monkeypatch) == ["drawings"] and statuses(house)["drawings"] == "archived"


def test_a_later_limit_wakes_what_was_stale_by_the_earlier_one_also_where_nobody_was_there(house: House) -> None:
    told(house, DRAWINGS, REVIEWS)
    house.dream(night(91))
    assert statuses(house)["drawings"] == "stale"
    house.furnish(prune={"stale_after_days": 120})
    house.dream(night(300))
    assert statuses(house)["drawings"] == "live", "of 300 days in which nobody was there 90 count"


@given(ago=st.integers(0, 700), used=st.lists(st.integers(-5, 700), max_size=6), counted=st.integers(1, 400))
def test_since_when_so_many_days_count_is_what_the_age_says(ago: int, used: list[int], counted: int) -> None:
    now = parse_instant(night(1000))
    days = [(now - timedelta(days=n)).date() for n in used]
    since = now - timedelta(days=ago, minutes=7)
    memory = Memory("a" * 12, Scope("project", "cedar"), "The quay is long.", REFERENCE, MemoryType.PROJECT,
                    Category.OPERATIONS, Status.STALE, Trust.USER, Trust.USER, since, since, since, since, held_since=since)
    limit = counted_back(now, days, timedelta(days=counted))
    assert (age_of(memory, now, days).counted >= timedelta(days=counted)) == (limit is not None and since <= limit)
