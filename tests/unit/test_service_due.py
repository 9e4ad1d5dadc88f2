"""What is due, whatever the clocks did: one dream for any number of missed ones, and none from the future."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.core.errors import ConfigError, UsageError
from dreamd.core.paths import Paths
from dreamd.core.settings import ServiceSettings
from dreamd.service.gating.due import Backlog, Due, Reading, Slots, find_slots, judge_due, judge_gap, parse_time_of_day
from dreamd.service.gating.pause import parse_span, pause, read_pause, resume

RULES = ServiceSettings()
NOW = datetime(2026, 5, 7, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def judged(now: datetime = NOW, slot: datetime | None = None, **facts: object) -> Due:
    slots = Slots(slot) if slot is not None else None
    return judge_due(Backlog(**facts), RULES, now=now, slots=slots)  # type: ignore[arg-type]


def latest_slot(now: datetime, nightly_at: str, zone: tzinfo) -> datetime:
    return find_slots(now, nightly_at, zone).passed


def test_nothing_waiting_is_never_due() -> None:
    assert not judged(last_success_at=NOW - timedelta(days=400)).due
    assert not judged(slot=NOW - HOUR).due


def test_what_ends_by_its_date_is_seen_to_in_the_next_night_though_nothing_waits() -> None:
    last = NOW - 30 * HOUR
    assert judged(ends_at=NOW - 2 * HOUR, slot=NOW - HOUR, last_success_at=last).gate == "night"
    assert not judged(ends_at=NOW + HOUR, slot=NOW - HOUR, last_success_at=last).due
    assert not judged(ends_at=NOW - 2 * HOUR, slot=NOW - HOUR, last_success_at=NOW - HOUR).due
    assert not judged(ends_at=NOW - 2 * HOUR, last_success_at=last).due


def test_fifty_and_a_fifth_of_what_is_kept_make_a_dream_worth_while() -> None:
    assert not judged(waiting=49, oldest_at=NOW).due
    assert judged(waiting=50, oldest_at=NOW).due
    assert not judged(waiting=249, memories=1000, oldest_at=NOW).due
    assert judged(waiting=250, memories=1000, oldest_at=NOW).due


def test_five_conversations_are_enough_instead() -> None:
    assert not judged(waiting=5, sessions=4, oldest_at=NOW).due
    assert judged(waiting=5, sessions=5, oldest_at=NOW).due


def test_the_time_gate_holds_for_a_day_and_says_when_it_opens() -> None:
    held = judged(waiting=500, oldest_at=NOW, last_success_at=NOW - 23 * HOUR)
    assert (held.due, held.gate, held.next_at) == (False, "time", NOW + HOUR)
    assert judged(waiting=500, oldest_at=NOW, last_success_at=NOW - 24 * HOUR).due


def test_one_note_waits_a_week_at_most() -> None:
    assert not judged(waiting=1, oldest_at=NOW - timedelta(days=6)).due
    assert judged(waiting=1, oldest_at=NOW - timedelta(days=7)).due


def test_what_an_interrupted_dream_left_is_due_at_once() -> None:
    assert judged(left_over=True, last_success_at=NOW - HOUR).due


def test_a_missed_night_is_caught_up_once_however_many_were_missed() -> None:
    slot = latest_slot(NOW, "03:00", UTC)
    assert judged(slot=slot, waiting=1, oldest_at=NOW, last_success_at=NOW - timedelta(days=40)).due
    assert not judged(slot=slot, waiting=1, oldest_at=NOW, last_success_at=NOW - HOUR).due


def test_a_nightly_dream_that_ran_late_does_not_skip_the_next_night() -> None:
    slot = latest_slot(NOW, "03:00", UTC)
    assert judged(now=slot, slot=slot, waiting=1, oldest_at=NOW, last_success_at=slot - 22 * HOUR).due
    assert not judged(now=slot, slot=slot, waiting=1, oldest_at=NOW, last_success_at=slot - 6 * HOUR).due


def test_before_the_first_night_of_a_store_there_was_none_to_miss() -> None:
    slot = latest_slot(NOW, "03:00", UTC)
    assert not judged(slot=slot, waiting=1, oldest_at=NOW, created_at=NOW - HOUR).due
    assert judged(slot=slot, waiting=1, oldest_at=NOW, created_at=NOW - 20 * HOUR).due


def test_a_success_in_the_future_is_a_stepped_clock_and_not_a_reason_to_wait() -> None:
    assert judged(waiting=500, oldest_at=NOW, last_success_at=NOW + timedelta(days=3650)).due
    assert not judged(waiting=500, oldest_at=NOW, last_success_at=NOW + timedelta(minutes=2)).due


@given(st.integers(0, 10**5), st.integers(0, 10**5), st.integers(0, 100), st.none() | st.integers(-10**6, 10**6))
def test_the_gates_always_answer_with_words(waiting: int, kept: int, sessions: int, ago_h: int | None) -> None:
    last = NOW - ago_h * HOUR if ago_h is not None else None
    told = judged(waiting=waiting, memories=kept, sessions=sessions, last_success_at=last, oldest_at=NOW)
    assert told.words and told.gate


BERLIN, NEW_YORK, APIA = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York"), ZoneInfo("Pacific/Apia")


@pytest.mark.parametrize(("now", "zone", "expected"), [
    ("2026-05-07T12:00+00:00", UTC, "2026-05-07T03:00+00:00"),
    ("2026-05-07T02:59+00:00", UTC, "2026-05-06T03:00+00:00"),
    ("2026-05-07T03:00+00:00", UTC, "2026-05-07T03:00+00:00"),
    # The night of 23 hours: 02:30 does not exist on the wall, and has its turn all the same.
    ("2026-03-29T10:00+00:00", BERLIN, "2026-03-29T01:00+00:00"),
    # The night of 25 hours has one slot.
    ("2026-10-25T10:00+00:00", BERLIN, "2026-10-25T02:00+00:00"),
    ("2026-05-07T12:00+00:00", NEW_YORK, "2026-05-07T07:00+00:00")])
def test_the_latest_night_is_found_on_the_wall_of_its_zone(now: str, zone: ZoneInfo, expected: str) -> None:
    assert latest_slot(datetime.fromisoformat(now), "03:00", zone) == datetime.fromisoformat(expected)


def test_every_night_of_a_year_has_one_slot_and_none_lies_ahead() -> None:
    for zone in (BERLIN, NEW_YORK, APIA):
        moment, slots = datetime(2026, 1, 1, tzinfo=UTC), set()
        for _ in range(365 * 4):
            moment += 6 * HOUR
            slot = latest_slot(moment, "02:30", zone)
            assert timedelta(0) <= moment - slot <= 26 * HOUR
            slots.add(slot)
        assert 364 <= len(slots) <= 366


def test_a_change_of_zone_moves_the_night_and_dreams_once() -> None:
    here = latest_slot(NOW, "03:00", BERLIN)
    there = latest_slot(NOW, "03:00", NEW_YORK)
    assert here < there <= NOW
    assert not judged(slot=there, waiting=1, oldest_at=NOW, last_success_at=here + HOUR).due


@pytest.mark.parametrize("text", ["", "3", "25:00", "03:60", "x:y", "-1:00", "03:00:00"])
def test_a_night_that_is_no_time_of_day_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_time_of_day(text)


def reading(wall_s: float, monotonic_s: float, boot_s: float) -> Reading:
    return Reading(NOW + timedelta(seconds=wall_s), monotonic_s, boot_s)


def test_an_ordinary_tick_is_no_gap() -> None:
    gap = judge_gap(reading(0, 0, 0), reading(31, 31, 31), expected_s=30)
    assert not gap.resumed and gap.stepped_s == 0


@pytest.mark.parametrize("slept_s", [3600.0, 30 * 86400.0])
def test_a_suspended_machine_is_noticed_by_its_boot_time(slept_s: float) -> None:
    gap = judge_gap(reading(0, 0, 0), reading(slept_s + 30, 30, slept_s + 30), expected_s=30)
    assert gap.resumed and gap.stepped_s == 0


def test_a_stopped_process_is_noticed_by_its_lateness() -> None:
    assert judge_gap(reading(0, 0, 0), reading(600, 600, 600), expected_s=30).resumed


@pytest.mark.parametrize("step_s", [-3600.0, 3600.0, -50 * 365 * 86400.0])
def test_a_set_clock_is_noticed_and_is_no_sleep(step_s: float) -> None:
    gap = judge_gap(reading(0, 0, 0), reading(30 + step_s, 30, 30), expected_s=30)
    assert not gap.resumed
    assert gap.stepped_s == step_s


def test_a_pause_holds_until_its_end_or_until_resumed(tmp_path: Path) -> None:
    paths = Paths(tmp_path / "home")
    assert read_pause(paths, NOW) is None
    pause(paths, now=NOW, span=parse_span("2h"))
    assert read_pause(paths, NOW + HOUR) is not None
    assert read_pause(paths, NOW + 2 * HOUR) is None
    pause(paths, now=NOW)
    assert read_pause(paths, NOW + timedelta(days=300)) is not None
    assert resume(paths)
    assert not resume(paths)
    assert read_pause(paths, NOW) is None


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b'{"until": 5}', b"x" * 10_000])
def test_a_pause_that_cannot_be_read_is_a_pause(tmp_path: Path, body: bytes) -> None:
    paths = Paths(tmp_path)
    paths.paused.write_bytes(body)
    assert read_pause(paths, NOW) is not None


@pytest.mark.parametrize(("text", "seconds"), [("90m", 5400), ("2h", 7200), ("3d", 259200), ("45", 2700), ("1.5 h", 5400)])
def test_lengths_of_time_are_read_as_people_write_them(text: str, seconds: int) -> None:
    assert parse_span(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "soon", "-2h", "0h", "99999d", "1e300d", "nan h"])
def test_a_length_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_span(text)
