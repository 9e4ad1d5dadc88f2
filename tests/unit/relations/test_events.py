"""Changes told in words of their own: moves, renamings, handovers, new amounts; and the neighbours they must not touch."""

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import Relation
from dreamd.judge import Statement, judge

DAY = datetime(2026, 4, 7, 9, tzinfo=UTC)
QUIET = (Relation.RELATED, Relation.UNRELATED)


def verdict(a, b, *, days=30.0, similarity=0.6):
    """Judge two texts by rules alone."""
    return judge(Statement(a, DAY), Statement(b, DAY + timedelta(days=days)), similarity=similarity)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We keep the atlas on Hetzner.", "The atlas has moved to Scaleway."),
        ("Rosa works from Lyon.", "Rosa moved to Porto."),
        ("The fair is planned for April.", "The fair slipped into May."),
        ("The rover is called Kite.", "The rover was renamed to Heron."),
        ("The shared inbox is post@weir.example.", "The shared inbox is now called desk@weir.example."),
        ("Branch coverage must be at least 60 %.", "The branch coverage threshold was raised to 75 %."),
        ("The boat licence has to be renewed by 30 June.", "Renewal of the boat licence was postponed to 15 August."),
        ("The print queue holds 50 jobs.", "We raised the print queue of the second floor from 50 to 80 jobs."),
        ("The standup is on Mondays at 9:30.", "From now on the standup is on Tuesdays at 10:00."),
        ("We print 1,500 badges for Friday.", "We print 1,200 badges for Friday now instead of 1,500."),
        ("The bar opens at 18:00.", "The bar opens one hour earlier, at 17:00."),
        ("The thesis is due on 1 May 2026.", "The thesis is due two weeks later than planned, on 15 May 2026."),
        ("The gate is painted red.", "The gate has been repainted yellow."),
        ("Ansible 2.9 manages the pump nodes.", "The pump nodes are managed with Salt, no longer with Ansible 2.9."),
        ("Log retention: 30 days.", "Log retention: 30 days -> 60 days."),
        ("The x-ray is in room 12.", "X-ray: room 12 → 14."),
        ("The office is on floor 3.", "The office has been moved to floor 5."),
        ("The shop runs on Heroku today.", "We took the shop off Heroku and put it on Fly."),
    ],
)
def test_an_event_ends_the_value_that_it_replaces(old, new):
    for days in (0.0, 30.0):
        found = verdict(old, new, days=days)
        assert (found.relation, found.newer) == (Relation.UPDATES, "b")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("We keep the atlas on Hetzner.", "The almanac has moved to Scaleway."),
        ("We keep the atlas of rivers and its drafts on Hetzner.", "The atlas has moved to Scaleway."),
        ("The rover is called Kite.", "The probe was renamed to Heron."),
        ("Line coverage must be at least 60 %.", "The branch coverage threshold was raised to 75 %."),
        ("The write pool has 20 slots.", "The read pool was raised to 40 slots."),
        ("The boat licence has to be renewed by 30 June.", "Renewal of the fishing licence was postponed to 15 August."),
        ("The fair is planned for April.", "The auction slipped into May."),
        ("The gate is painted red.", "The fence has been repainted yellow."),
        ("Log retention: 30 days.", "Trace retention: 30 days -> 60 days."),
        ("Approval goes from level 1 -> 2 -> 3.", "Approval is on level 1."),
        ("The daily limit is 500 requests.", "We lowered the hourly limit to 30 requests."),
        ("The parcel weighs 3 kg.", "The parcel was moved to hall 4."),
        ("The atlas is written in English.", "The atlas has moved to Scaleway."),
        ("The atlas is printed on Mondays.", "The atlas has moved to Scaleway."),
        ("The atlas costs 3,000 EUR a month.", "The atlas budget was raised to 5,000 EUR."),
        ("Coverage dropped by 3 % last week.", "The coverage threshold was raised to 80 %."),
        ("The retry timeout is 5 seconds.", "The timeout was raised to 30 seconds."),
        ("The tour planning is on Monday.", "The tour review was moved to Thursday."),
        ("The regatta is in Graz.", "The regatta slipped into June."),
        ("The fare for children is 6 euros.", "The fare was raised to 12 euros."),
        ("The quota for guests is 50 calls.", "The quota was lowered to 300 calls."),
    ],
)
@pytest.mark.parametrize("days", [0.0, 30.0])
def test_an_event_about_something_else_ends_nothing(a, b, days):
    assert verdict(a, b, days=days).relation in QUIET


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Nina owns the mail gateway.", "Omar took over the mail gateway from Nina."),
        ("Nina owns the mail gateway.", "Nina handed the mail gateway over to Omar."),
        ("Nina books the hotels.", "Omar took over booking the hotels from Nina."),
        ("Nina is responsible for the payroll run.", "Omar is in charge of the payroll run now."),
        ("The amber turbine belongs to Nina.", "Omar owns the amber turbine."),
        ("Nina runs the Lisbon office.", "The Lisbon office is run by Omar these days."),
        ("Nina leads the platform team.", "Omar now leads the platform team."),
        ("The key for the shed is with Nina.", "Omar has the key for the shed."),
        ("Nina is the release manager.", "Omar is the release manager."),
    ],
)
def test_another_holder_of_the_same_thing_takes_the_first_ones_place(old, new):
    assert (verdict(old, new).relation, verdict(old, new).newer) == (Relation.UPDATES, "b")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Nina books the hotels.", "Omar took over booking the trains from Nina."),
        ("Nina owns the mail gateway.", "Omar took over the chat gateway from Nina."),
        ("Nina is responsible for the amber turbine.", "Omar is responsible for the birch turbine."),
        ("Nina runs the Lisbon office.", "The Porto office is run by Omar these days."),
        ("Nina leads the platform team.", "Omar now leads the data team."),
        ("Nina looks after the geese.", "Omar looks after the geese."),
        ("Nina owns the mail gateway.", "Omar owns the mail gateway together with Nina."),
        ("Nina reviews the invoices.", "Omar reviews the invoices."),
        ("Nina runs the marathon.", "Omar runs the marathon."),
        ("The key for the shed is with Nina.", "Omar has the key for the attic."),
        ("Nina owns the mail gateway.", "Nina is in charge of the mail gateway."),
    ],
)
@pytest.mark.parametrize("days", [0.0, 30.0])
def test_holders_of_other_things_and_of_shares_stand_beside_each_other(a, b, days):
    assert verdict(a, b, days=days).relation in QUIET


@pytest.mark.parametrize(
    ("a", "b", "clash"),
    [
        ("Firmware on the pumps is 2.0.4.", "Pump firmware: 2.1.0.", True),
        ("Firmware on the pumps is 2.0.4.", "Valve firmware: 2.1.0.", False),
        ("The linter config lives in tools/ruff.toml.", "The linter config lives in config/ruff.toml.", True),
        ("The tests live in tests/unit.", "The tests live in tests/e2e.", False),
        ("I like my reports as tables.", "I prefer my reports as prose.", True),
        ("I like my reports as tables.", "I prefer my letters as prose.", False),
        ("The retreat is in Bonn.", "The retreat is in Mainz.", True),
        ("The retreat is in Bonn.", "The fair is in Mainz.", False),
        ("The sonar reports depths in metres.", "Depths of the sonar are reported in fathoms.", False),
        ("The sonar reports depths in metres.", "The sonar reports depths in kilometres.", True),
        ("The sonar reports depths in metres.", "The sonar reports speeds in kilometres.", False),
        ("Talk to Ben before Anna.", "Talk to Anna before Ben.", True),
        ("Talk to Ben before Anna on Mondays.", "Talk to Anna before Ben on Fridays.", False),
        ("Import roads before houses.", "Houses are imported first, roads follow.", True),
    ],
)
def test_the_same_words_around_another_version_place_or_liking_clash(a, b, clash):
    found = verdict(a, b, days=0.0, similarity=0.5).relation
    assert found is Relation.CONTRADICTS if clash else found in QUIET
