"""A vague word and the amount that makes it exact: the exact wording says the same and more."""

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import MERGING, Relation
from dreamd.judge import Statement, judge

DAY = datetime(2026, 4, 7, 9, tzinfo=UTC)


def verdict(a, b):
    """Judge two texts by rules alone."""
    return judge(Statement(a, DAY), Statement(b, DAY + timedelta(days=2)), similarity=0.8)


EXACT = [
    ("The kiln takes a while to cool down.", "The kiln takes 7 hours to cool down."),
    ("The glue needs time to dry.", "The glue needs 40 minutes to dry, and a warm room halves that."),
    ("Replies are kept briefly.", "Replies are kept for 90 seconds per visitor."),
    ("Old receipts are moved to the attic.", "Receipts older than 3 years are moved to the attic each January."),
    ("Heavy crates are refused by the porter.", "Crates above 30 kg are refused by the porter with a note."),
    ("The guild pays part of the fare.", "The guild pays 60 % of the fare, for at most four trips a year."),
    ("The stamp press runs at night.", "The stamp press runs at 02:30 and stops the heating."),
    ("The upload is limited in size.", "The upload is limited to 20 MB."),
    ("The rowing club's shed is cheap.", "The rowing club's shed costs 15 EUR a day, water included."),
    ("Failed transfers are repeated.", "Failed transfers are repeated twice."),
]


@pytest.mark.parametrize(("vague", "exact"), EXACT)
def test_an_amount_refines_the_vague_word_for_it(vague, exact):
    found = verdict(vague, exact)
    assert (found.relation, found.richer) == (Relation.REFINES, "b")
    found = verdict(exact, vague)
    assert (found.relation, found.richer) == (Relation.REFINES, "a")


@pytest.mark.parametrize(
    ("vague", "other"),
    [
        ("The bell in the tower is old.", "The bell in the tower rings for 3 minutes."),
        ("The press runs in the morning.", "The press runs at 22:00."),
        ("The hall is large.", "The hall costs 40 EUR an evening."),
        ("The pond freezes briefly.", "The pond never freezes for 40 days."),
        ("The kiln takes a while to cool down.", "The kiln takes 7 hours to heat up."),
        ("Old receipts are moved to the attic.", "Receipts of the guild older than 3 years are burnt."),
        ("Replies are kept briefly.", "Replies are kept for 90 seconds if the visitor agrees."),
        ("The guild pays part of the fare.", "The guild pays the fare of 60 % of its members."),
        ("Rafts are fine for trips of any length.", "Rafts are fine for trips over 8 km."),
        ("The shed is cheap.", "The boat in the shed costs 15 EUR."),
    ],
)
def test_an_amount_of_something_else_refines_nothing(vague, other):
    assert verdict(vague, other).relation not in MERGING
