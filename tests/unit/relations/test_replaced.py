"""What another took the place of, told in many ways, and what such news must not touch."""

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import Relation
from dreamd.judge import Statement, judge

DAY = datetime(2026, 4, 7, 9, tzinfo=UTC)


def verdict(a, b, *, days):
    """Judge two texts by rules alone."""
    return judge(Statement(a, DAY), Statement(b, DAY + timedelta(days=days)), similarity=0.5)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Sheets are cut with the Ideal.", "We replaced the Ideal by a Polar."),
        ("We use Mango for the stock lists.", "We swapped Mango for Quince."),
        ("Moss is dried by the attic fan.", "A heat pump took the place of the attic fan."),
        ("Parcels are weighed on the yard scale.", "The yard scale was replaced by a crane scale."),
        ("Ortiz is the warden of the dyke.", "Falk succeeds Ortiz as warden of the dyke."),
        ("Ortiz heads the dyke office.", "Falk has taken over from Ortiz as head of the dyke office."),
        ("The pond is run by the town works.", "The pond was given from the town works to the anglers."),
        ("A season card costs 60 euros.", "We changed the price of the season card to 70 euros."),
        ("Don't sign the leases, the audit is on.", "The audit is over, leases are signed again."),
    ],
)
def test_what_was_replaced_ends(old, new):
    for days in (0.0, 30.0):
        found = verdict(old, new, days=days)
        assert (found.relation, found.newer) == (Relation.UPDATES, "b")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The council is on Mondays at 9:30.", "The council is on Fridays at 10:15."),
        ("Letters go out 48 hours before the hearing.", "Letters go out 24 hours before the hearing, not 48."),
    ],
)
def test_a_corrected_number_or_another_day_and_hour_ends_the_older_one(old, new):
    assert verdict(old, new, days=30).relation is Relation.UPDATES
    assert verdict(old, new, days=0).relation is Relation.CONTRADICTS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Sheets are cut with the Ideal.", "We replaced the Ideal by a Polar in the Vienna shop."),
        ("Feed the hens at seven, the neighbour is away.", "The neighbour's lease is over."),
        ("When a coach fails, the tour is ended.", "When a coach leaves, the tour is sold out and guests get a map."),
        ("Moss is dried by the cellar fan.", "A heat pump took the place of the attic fan."),
        ("The Ideal stands in the cellar of the annex.", "We replaced the blade by a new one."),
        ("We use Mango for the stock lists.", "We swapped Mango for Quince for the wage slips."),
        ("Ortiz is the warden of the dyke.", "Falk succeeds Ortiz as warden of the lock."),
        ("Ortiz heads the dyke office.", "Falk succeeds Bremer as head of the dyke office."),
        ("The pond is run by the town works.", "The ferry was given from the town works to the anglers."),
        ("A season card costs 60 euros.", "We changed the price of the day card to 12 euros."),
        ("The choir sings on Mondays at 9:30.", "The council is on Fridays at 10:15."),
        ("Letters go out 48 hours before the hearing.", "Parcels go out 24 hours before the fair, not 48."),
    ],
)
def test_what_was_not_replaced_stays(old, new):
    for days in (0.0, 30.0):
        assert verdict(old, new, days=days).relation in (Relation.RELATED, Relation.UNRELATED)
