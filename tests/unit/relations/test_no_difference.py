"""What looks like another amount, a change or another role, and is only another way to say it; and what that must not hide."""

from datetime import UTC, datetime

import pytest

from dreamd.core.values import MERGING, PairScore, Relation
from dreamd.judge import Statement, extract_slots, judge, merge_guards, pair_features

DAY = datetime(2026, 4, 7, 9, tzinfo=UTC)
FAMILIES = ("environment", "platform", "side")
LIKELY = PairScore(0.9, 0.01, 0.01, 0, 0, 0.05, 0.02, 0.01)


def verdict(a, b):
    """What the judge says of two texts of one moment that a score finds alike."""
    return judge(Statement(a, DAY), Statement(b, DAY), similarity=0.9, score=LIKELY)


SAME = {
    "a quarter of an hour": ("The ferry waits a quarter of an hour.", "The ferry waits 15 minutes."),
    "three quarters": ("A lesson lasts three quarters of an hour.", "Lessons last 45 minutes."),
    "a stroke for per": ("hens: feed 2x/day", "The hens are fed twice a day."),
    "not below": ("The water must not drop below 40 cm.", "Keep the water at 40 cm or more."),
    "what is needed": ("Four planks is what the jetty needs.", "The jetty needs 4 planks."),
    "a list told from its end": ("The lock serves rafts, punts and canoes.", "Canoes, rafts and punts are served by the lock."),
    "instead, at the end": ("Write why and not what.", "What merely repeats the line should be a reason instead."),
    "all but one": ("The scale only accepts crates in kilograms.", "The scale rejects crates in anything but kilograms."),
    "checked before": (
        "Nobody dives without a second person checking the valve.",
        "A second person checks the valve before anybody dives.",
    ),
    "a Korean noun": ("모든 변경은 두 사람이 검토한다.", "Two people review every change."),
}


@pytest.mark.parametrize("kind", SAME)
def test_another_way_to_say_it_keeps_nothing_apart(kind):
    assert verdict(*SAME[kind]).relation in MERGING


APART = {
    "another quarter": ("The ferry waits a quarter of an hour.", "The ferry waits 25 minutes."),
    "another rate": ("hens: feed 2x/day", "The hens are fed three times a day."),
    "the other bound": ("The water must not drop below 40 cm.", "The water must not rise above 40 cm."),
    "another amount": ("Four planks is what the jetty needs.", "The jetty needs 5 planks."),
    "a list of others": ("The lock serves rafts, punts and canoes.", "Canoes, rafts and ferries are served by the lock."),
    "the opposite": ("The scale only accepts crates in kilograms.", "The scale rejects crates in kilograms."),
    "so much a day": ("The punt is let for 30 EUR a day.", "The punt is let for 30 EUR a week."),
    "hours and days": ("Office hours are 9 to 17.", "Office days are 9 to 17."),
    "not only": ("The shed is only a store.", "The shed is not only a store."),
    "outside": ("Mask the names in test files.", "Mask the names outside test files."),
    "after instead of before": (
        "Nobody dives without a second person checking the valve.",
        "A second person checks the valve after anybody dives.",
    ),
    "a true change": ("The mooring fee is 5 euros.", "The mooring fee is up from 5 to 6 euros."),
    "a Korean change": ("점검은 월요일이다.", "점검이 화요일로 변경되었다."),
}


@pytest.mark.parametrize("kind", APART)
def test_what_is_another_claim_stays_apart(kind):
    assert verdict(*APART[kind]).relation not in MERGING


def test_a_verb_with_its_small_words_tells_of_no_change():
    assert extract_slots("Ida writes back to the guests.").changes == ()
    assert extract_slots("Ulf is picked up from the pier by Ida.").changes == ()
    assert extract_slots("The fee is back to 5 euros.").changes


def test_what_all_but_one_is_rejected_for_is_no_conflict():
    found = verdict("The scale rejects any crate in another unit than kilos.", "The scale only accepts crates in kilos.")
    assert found.relation is not Relation.CONTRADICTS


def test_the_logs_of_what_somebody_owns_are_no_part_of_the_owner():
    a, b = "Logs of the crews' boats lie in the office.", "Boat logs of each crew are kept in the office."
    assert not any("speaks of" in why for why in merge_guards(pair_features(Statement(a), Statement(b), 0.9)))


def test_nearly_equal_words_are_no_one_claim_where_a_score_sees_a_conflict():
    doubtful = PairScore(0.56, 0, 0, 0, 0, 0.42, 0.02, 0)
    a = "The new mooring plan holds at every jetty, and nobody can go back to the old one."
    b = "The old mooring plan holds at every jetty, and nobody can go back to the old one."
    found = judge(Statement(a, DAY), Statement(b, DAY), similarity=0.95, score=doubtful)
    assert found.relation not in MERGING


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The oars live in the boathouse.", "The boathouse is where we keep the oars."),
        ("The ferry is washed every night at 2 am.", "The ferry is washed nightly at 02:00."),
        ("The phone app shows the tides.", "The mobile app shows the tides."),
        ("The stamp is in the upper right corner.", "The stamp is in the top right corner."),
    ],
)
def test_a_word_of_a_family_that_means_no_member_or_the_same_one_keeps_nothing_apart(a, b):
    assert not any(family in why for why in merge_guards(pair_features(Statement(a), Statement(b), 0.9)) for family in FAMILIES)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Tides come from the live server.", "Tides come from the test server."),
        ("The nightly build shows the tides.", "The beta build shows the tides."),
        ("The phone app shows the tides.", "The tablet app shows the tides."),
        ("The stamp is in the upper right corner.", "The stamp is in the lower right corner."),
    ],
)
def test_another_member_of_a_family_still_does(a, b):
    assert any(family in why for why in merge_guards(pair_features(Statement(a), Statement(b), 0.9)) for family in FAMILIES)
