"""Which of the near are judged: all that may be one claim, the nearest that have other values, and no other rows of a table."""

from __future__ import annotations

from dreamd.judge import worth_judging
from dreamd.judge.candidates import MOST_OTHER_VALUES

PORT = "The Larch proxy of Varna listens on port 4410."
REWORDED = "In Varna, the Larch proxy listens on port 4410."
MOVED = "The Larch proxy of Varna listens on port 4411."
ROWS = [f"The {name} proxy of {place} listens on port {port}." for name, place, port in (
    ("Rowan", "Turku", 5120), ("Alder", "Graz", 6231), ("Hazel", "Brno", 7342), ("Aspen", "Porto", 8453))]


def on_one_day(_one: str, _other: str) -> bool:
    return True


def on_other_days(_one: str, _other: str) -> bool:
    return False


def test_what_has_no_value_of_its_own_is_judged_however_far_behind_it_stands() -> None:
    assert REWORDED in worth_judging(PORT, [*ROWS, REWORDED], on_one_day)


def test_another_value_of_the_same_thing_is_judged_though_a_table_stands_around_it() -> None:
    assert MOVED in worth_judging(PORT, [MOVED, *ROWS], on_one_day)
    assert PORT in worth_judging(MOVED, [PORT, *ROWS], on_one_day)


def test_rows_of_a_table_said_on_one_day_are_not_judged_against_each_other() -> None:
    assert worth_judging(PORT, ROWS, on_one_day) == []


def test_the_same_lines_said_on_different_days_may_be_versions_and_the_nearest_are_judged() -> None:
    assert worth_judging(PORT, ROWS, on_other_days) == ROWS[:MOST_OTHER_VALUES]


def test_a_word_of_change_is_judged_whatever_stands_around_it() -> None:
    changed = "The Birch proxy of Split now listens on port 9564."
    assert worth_judging(changed, ROWS, on_one_day) == ROWS[:MOST_OTHER_VALUES]


def test_what_is_used_no_longer_is_held_against_all_that_is_near() -> None:
    ended = "We no longer use Larch."
    near = [f"Use Larch for job {number}." for number in range(5)]
    assert worth_judging(ended, near, on_one_day) == near
