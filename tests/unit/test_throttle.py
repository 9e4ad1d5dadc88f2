"""Pacing, batches that shrink for others, and extraction that is neither too often nor never."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core import throttle
from dreamd.core.throttle import Batching, Company, Talk, Throttle, after_extraction, is_extraction_due

NOW = datetime(2026, 5, 7, 9, 30, tzinfo=UTC)


class HandClock:
    """Time that moves only when somebody works or sleeps."""

    def __init__(self) -> None:
        self.at_s = 0.0

    def monotonic(self) -> float:
        return self.at_s

    def sleep(self, seconds: float) -> None:
        self.at_s += seconds


def due(talk: Talk, now: datetime = NOW) -> bool:
    return is_extraction_due(talk, every_turns=5, min_minutes=10, now=now)


def test_without_a_person_there_is_no_pause() -> None:
    clock = HandClock()
    Throttle(clock, paced=False).spend(1_000_000)
    assert clock.at_s == 0


def test_a_paced_dream_sleeps_20_ms_per_200_points() -> None:
    clock = HandClock()
    pacing = Throttle(clock, paced=True)
    for _ in range(100):
        pacing.spend(throttle.ROW_WRITTEN * 2)
    assert round(clock.at_s, 3) == 5 * throttle.PAUSE_S


def test_a_paced_dream_uses_at_most_a_quarter_of_one_core() -> None:
    clock = HandClock()
    pacing = Throttle(clock, paced=True)
    worked_s = 0.0
    for _ in range(200):
        clock.at_s += 0.05
        worked_s += 0.05
        pacing.spend(throttle.EMBEDDING * 4)
    assert worked_s / clock.at_s <= throttle.PACED_SHARE + 0.01


def test_a_dream_that_is_asked_to_stop_does_not_sleep_through_it() -> None:
    clock = HandClock()
    Throttle(clock, paced=True, should_stop=lambda: True).spend(1_000_000)
    assert clock.at_s == 0


def test_one_pause_is_never_longer_than_two_seconds() -> None:
    clock = HandClock()
    Throttle(clock, paced=True).spend(10**9)
    assert clock.at_s <= throttle.LONGEST_PAUSE_S + 0.001


def look_for(company: Company, until_s: float, *, start_s: float, writes: Callable[[float], bool]) -> Company:
    """Look every millisecond, as a dream does that waits for its turn."""
    for step in range(round((until_s - start_s) * 1000)):
        now_s = start_s + step / 1000
        company = company.after_look(met=writes(now_s), now_s=now_s)
    return company


def every(gap_s: float) -> Callable[[float], bool]:
    return lambda now_s: round(now_s * 1000) % round(gap_s * 1000) == 0


def test_a_dream_with_company_writes_a_fifth_of_the_time_and_alone_all_of_it() -> None:
    alone = Company().after_look(met=False, now_s=50.0).after_work(0.01, now_s=50.01)
    assert alone.wait_s(50.01) == 0
    company = alone.after_look(met=True, now_s=50.02).after_work(0.01, now_s=50.03)
    assert company.rest_until_s == 50.03 + 0.01 * 4
    assert 0 < company.wait_s(50.03) <= throttle.LOOK_S
    assert company.wait_s(50.08) == 0
    assert company.after_work(60.0, now_s=51.0).rest_until_s == 51.0 + throttle.LONGEST_REST_S
    assert company.after_work(60.0, now_s=60.0).wait_s(60.0) == 0  # who wrote ten seconds ago is gone


@pytest.mark.parametrize("gap_s", [0.012, 0.02, 0.1])
def test_among_others_that_keep_a_rhythm_a_dream_goes_right_after_one_of_them(gap_s: float) -> None:
    company = look_for(Company(), 53.0, start_s=50.0, writes=every(gap_s))
    assert company.has_rhythm(53.0)
    company = company.after_work(0.001, now_s=53.0)
    turns = []
    for step in range(1000):
        now_s = 53.0 + step / 1000
        company = company.after_look(met=every(gap_s)(now_s), now_s=now_s)
        if not company.wait_s(now_s):
            assert company.met_s is not None
            turns.append(now_s - company.met_s)
            company = company.after_work(0.001, now_s=now_s)
    assert len(turns) >= 5
    assert max(turns) <= gap_s / 4 + 0.001


def test_who_falls_out_of_the_rhythm_is_not_waited_for_long() -> None:
    company = look_for(Company(), 53.0, start_s=50.0, writes=every(0.02)).after_work(0.001, now_s=53.0)
    waited = look_for(company, 53.2, start_s=53.0, writes=lambda _: False)
    assert waited.wait_s(53.03) == throttle.LOOK_S
    assert waited.wait_s(53.06) == 0


@pytest.mark.parametrize("gap_s", [0.002, 0.3])
def test_without_time_between_two_writes_or_with_much_of_it_only_the_rest_counts(gap_s: float) -> None:
    company = look_for(Company(), 53.0, start_s=50.0, writes=every(gap_s)).after_work(0.001, now_s=53.0)
    assert not company.has_rhythm(53.0)
    assert company.wait_s(53.003) > 0
    assert company.wait_s(53.01) == 0


def test_in_a_crowd_a_dream_rests_twice_as_long() -> None:
    few, many = (look_for(Company(), 53.0, start_s=50.0, writes=every(gap_s)).after_work(0.001, now_s=53.0)
                 for gap_s in (0.02, 0.002))
    assert round(few.rest_until_s - 53.0, 6) == 0.004
    assert round(many.rest_until_s - 53.0, 6) == 0.009


def test_a_dream_that_did_not_look_does_not_take_the_pause_for_a_rhythm() -> None:
    company = Company()
    for second in range(100):  # it was at work for a tenth of a second each time, and somebody had always written
        company = company.after_look(met=True, now_s=50.0 + second / 10)
    assert company.gap_s is None
    assert company.is_here(60.0)


def test_three_yields_in_a_row_halve_the_batch_and_ten_are_starvation() -> None:
    batching = Batching()
    sizes = []
    while not batching.starved:
        batching = batching.after_yield()
        sizes.append(batching.rows)
    assert sizes == [128, 128, 64, 64, 64, 32, 32, 32, 16, 16]
    assert batching.yields == 10


def test_a_batch_without_anyone_waiting_ends_the_row_of_yields() -> None:
    polite = Batching().after_yield().after_yield().after_batch(0.0005)
    assert polite.yields == 0
    assert polite.after_yield().rows == throttle.BATCH_ROWS


def test_a_batch_follows_its_time_budget() -> None:
    assert Batching(64).after_batch(0.008).rows == 32
    assert Batching(16).after_batch(0.0005).rows == 32
    assert Batching(4).after_batch(5.0).rows == throttle.SMALLEST_BATCH


def test_a_conversation_is_extracted_after_five_turns() -> None:
    assert not due(Talk(turns=4))
    assert due(Talk(turns=5))


def test_its_end_and_its_compaction_do_not_wait_for_five_turns() -> None:
    assert due(Talk(turns=1, ended=True))
    assert due(Talk(turns=1, compacted=True))
    assert not due(Talk(turns=0, ended=True))


def test_not_more_often_than_every_ten_minutes() -> None:
    assert not due(Talk(turns=50, last_at=NOW - timedelta(minutes=9)))
    assert due(Talk(turns=50, last_at=NOW - timedelta(minutes=10)))
    assert not due(Talk(turns=1, ended=True, last_at=NOW - timedelta(minutes=9)))


def test_staged_work_goes_at_once_without_asking_the_throttle() -> None:
    assert due(Talk(turns=0, staged=True, last_at=NOW))


def test_a_clock_that_was_set_back_does_not_stop_extraction() -> None:
    assert due(Talk(turns=5, last_at=NOW + timedelta(days=400)))
    assert not due(Talk(turns=5, last_at=NOW + timedelta(minutes=1)))


def test_after_an_extraction_counting_begins_again() -> None:
    done = after_extraction(Talk(turns=7, ended=True), now=NOW)
    assert done == Talk(last_at=NOW)
    assert due(after_extraction(Talk(turns=7), now=NOW, staged=True))
