"""Numbers with their units are read in one canonical form, and two statements give equal ones or not."""

import pytest

from dreamd.judge.alignment import Alignment, unmatched_numbers
from dreamd.judge.statement import read
from dreamd.text.quantities import parse_number


@pytest.mark.parametrize(
    ("text", "value"),
    [("50,000", 50_000), ("50.000", 50_000), ("3.5", 3.5), ("3,5", 3.5), ("31_000", 31_000), ("1.234,5", 1234.5), ("€40", 40)],
)
def test_digits_are_read_as_people_write_them(text, value):
    assert parse_number(text) == value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("after 90 minutes", "after 1.5 h"),
        ("half an hour", "30 min"),
        ("2 GB", "2000 MB"),
        ("128 kbit/s", "0.128 Mbit/s"),
        ("3.5 m³", "3500 litres"),
        ("1.2 m", "120 cm"),
        ("3.5 t", "3500 kg"),
        ("twenty-four hours", "24 hours"),
        ("two hundred rows", "200 rows"),
        ("every 20 seconds", "three times a minute"),
        ("once per hour", "hourly"),
        ("twice a day", "every 12 hours"),
        ("every day", "daily"),
        ("at 6 pm", "at 18:00"),
        ("at midnight", "at 00:00"),
        ("50 %", "50 percent"),
        ("on 3 June", "on June 3rd"),
        ("14 March 2027", "2027-03-14"),
        ("a dozen eggs", "12 eggs"),
        ("treinta días", "30 days"),
        ("三十天", "30 days"),
        ("十二吨", "12 tonnes"),
        ("3月15日", "15 March"),
        ("30일", "30 days"),
        ("five thousand messages", "5,000 messages"),
        ("0.8 mm", "800 micrometres"),
        ("3 ‰", "0.3 %"),
        ("1500 mA at 12 V", "1.5 A at 12 V"),
    ],
)
def test_equal_amounts_are_equal_whatever_their_wording(one, other):
    assert unmatched_numbers(read(one), read(other)) == (frozenset(), frozenset())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("after 90 minutes", "after 90 seconds"),
        ("2 GB", "2 MB"),
        ("port 8080", "port 8081"),
        ("on 3 June", "on 13 June"),
        ("at 6 pm", "at 6 am"),
        ("twice a day", "twice a week"),
        ("10 km/h", "10 mph"),
        ("2026-04-17", "2026-04-27"),
        ("30 days", "30 months"),
        ("三十天", "60 days"),
        ("sampled once.", "sampled twice."),
        ("0.5 GB", "5 GB"),
    ],
)
def test_unequal_amounts_are_unequal_on_both_sides(one, other):
    assert all(unmatched_numbers(read(one), read(other)))


def test_the_count_of_a_list_is_no_number_of_its_own():
    one, other = read("Sizes: 10, 20, 30 px."), read("There are three sizes, 30, 20 and 10 px.")
    assert unmatched_numbers(one, other) == (frozenset(), frozenset())


@pytest.mark.parametrize(("one", "other"), [
    ("Port 6 of switch 6 is red.", "Port 1 of switch 6 is red."),
    ("The spare came, chamber 2 has a switch again.", "The spare came, chamber 5 has a switch again."),
])
def test_a_number_said_twice_or_like_a_count_still_differs_from_another_in_its_place(one, other):
    assert all(Alignment(read(one), read(other)).numbers)


@pytest.mark.parametrize(("one", "other"), [
    ("The mast camera draws 1500 mA at 12 V.", "At 12 V the camera on the mast draws 1.5 A."),
    ("The backup starts at 02:00, level 2.", "At 2 am the level 2 backup starts."),
])
def test_the_same_amounts_in_other_figures_differ_in_nothing(one, other):
    assert Alignment(read(one), read(other)).numbers == (frozenset(), frozenset())
