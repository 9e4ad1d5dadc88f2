"""Equal amounts read the same to the pair scorer, unequal ones do not, and what is no amount stays as it stands."""

import pytest

from dreamd.models.lexical.canonical_amounts import restate


@pytest.mark.parametrize(("one", "other"), [
    ("The window is 7200 seconds.", "The window is two hours."),
    ("It lasts an hour and a half.", "It lasts 90 min."),
    ("Kept for a fortnight.", "Kept for 14 days."),
    ("After half a year it ends.", "After 6 months it ends."),
    ("At most 0.25 GB.", "At most 250 MB."),
    ("Three hundred and twenty seats.", "320 seats."),
    ("Twenty-five lamps.", "25 lamps."),
    ("Two thirds of it are done: 60 per cent.", "Two thirds of it are done: 60%."),
    ("Four fifths are full.", "80 % are full."),
    ("It beeps four times a minute.", "It beeps every 15 seconds."),
    ("At six o'clock in the evening it closes.", "At 6 pm it closes."),
    ("Parcels under 2 ha.", "Parcels under 20,000 m²."),
    ("A dozen eggs.", "12 eggs."),
])
def test_equal_amounts_read_the_same(one, other):
    assert restate(one) == restate(other)


@pytest.mark.parametrize(("one", "other"), [
    ("It takes 90 seconds.", "It takes 90 minutes."),
    ("Kept for 2 weeks.", "Kept for 12 days."),
    ("It beeps twice a minute.", "It beeps every 20 seconds."),
    ("At 6 am.", "At 6 pm."),
    ("Two hundred and five.", "Two hundred and fifty."),
])
def test_unequal_amounts_stay_apart(one, other):
    assert restate(one) != restate(other)


@pytest.mark.parametrize("text", [
    "No one opens the vault.", "Port 8080 of 10.0.0.1 is open.", "Version 3.11.4 is pinned.", "See 2026-05-07 at 05:30.",
    "One of them is late.", "Ticket OPS-14 is s3 and m2.", "",
])
def test_what_is_no_amount_stays_as_it_stands(text):
    assert restate(text) == text


def test_restating_twice_changes_nothing():
    text = "Every 90 minutes, twice a day, at 6 pm, two and a half hours or 0.4 GB."
    assert restate(restate(text)) == restate(text)
