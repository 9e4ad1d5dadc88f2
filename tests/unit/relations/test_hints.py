"""What a score that cries conflict may confirm, and where two things can hold side by side."""

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import PairScore, Relation
from dreamd.judge import Statement, judge

DAY = datetime(2026, 4, 7, 9, tzinfo=UTC)
SURE_CLASH = PairScore(0, 0, 0, 0, 0, 0.98, 0.02, 0)
QUIET = (Relation.RELATED, Relation.UNRELATED)
CONFLICTS = (Relation.UPDATES, Relation.CONTRADICTS)


def verdict(a, b, *, days=30.0):
    """Judge two texts of which a score is sure that they clash."""
    return judge(Statement(a, DAY), Statement(b, DAY + timedelta(days=days)), similarity=0.8, score=SURE_CLASH).relation


@pytest.mark.parametrize(
    ("a", "b"),
    [
        # two objects of one verb, two places, two cases, measures of two kinds
        ("The caretaker feeds the geese.", "The caretaker feeds the goat."),
        ("Guests may park in front of the mill.", "Guests may park at the weir."),
        ("Ask first when it comes to prices.", "Ask first when it comes to dates."),
        ("The export takes two hours and has to be through by five.", "The export takes two gigabytes of space."),
        # a general denial and a special case, whichever comes first
        ("Old orders need no signature.", "Old orders in the vault need a signature."),
        # two predicates, each with a number of its own or none; a thing starts and ends; two versions that fit
        ("The coach to the fair takes sixty guests.", "The coach to the fair leaves at eight."),
        ("The lamps in the yard go out after three minutes.", "The lamps in the yard are old."),
        ("Rehearsals end on the hour.", "Rehearsals start on the hour."),
        ("Use wide margins in whatever guests read from now on.", "Use small type in whatever clerks read."),
        ("The turnstile supports firmware 4.1.2.", "The turnstile supports firmware 4.3.0."),
        ("The kit works with driver 2.0.1.", "The kit works with driver 3.1.0."),
        ("The mixer reads from the hopper and is grey.", "The mixer reads from the hopper and keeps a log in the shed."),
        ("Old orders in the vault need a signature.", "Old orders need no signature."),
        ("Nobody may sign as deputy over mail.", "The clerk may sign over mail."),
        ("Nobody may sign as clerk over mail.", "The clerk may sign on paper."),
        # predicates that have nothing to do with each other
        ("Bus passes are never replaced.", "Bus passes can be topped up at the kiosk."),
        ("Bus passes are now valid for 90 minutes.", "Bus passes can be topped up at the kiosk."),
        ("A release note names its author.", "Don't gather several products in one release note."),
        ("The borrowed code may be changed freely.", "The borrowed code is updated twice a year."),
        # a ban in part, and a ban altogether
        ("Guests may not use the pool after 22:00.", "Guests are not allowed in the pool any longer."),
        # a neighbour of the subject
        ("The Rust linter is version 1.60.", "The Rust version is now 1.80."),
        # opposite words about two things
        ("The dairy buys its ice from the plant.", "The dairy sells its whey to the plant."),
        ("Letters come in on the 15th.", "Letters go out on the 15th."),
        # a rewording: denied twice, freed from, unreal, until and before, the same reason
        ("It is not unusual for the boiler to hiss.", "A hissing boiler is normal."),
        ("Fares are waived for pupils.", "Pupils don't pay fares."),
        ("The delay would have been shorter without the queue.", "Because of queueing the delay got longer."),
        ("I want a sketch before any wiring.", "No wiring until I have seen a sketch."),
        ("Lower the feed slowly so the belt doesn't slip.", "To stop the belt from slipping, lower the feed slowly."),
        ("Ole is intolerant to milk.", "Ole can't have milk, he is intolerant."),
        ("The blue crew moved to hangar 4.", "Hangar 4 is the blue crew's new place."),
        ("The guide gets a read-only list without prices.", "What the guide can live with is a read-only list."),
    ],
)
def test_a_score_ends_nothing_where_both_can_hold(a, b):
    assert verdict(a, b) in QUIET
    assert verdict(a, b, days=0.0) in QUIET


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The caretaker feeds the geese.", "The caretaker doesn't feed the geese."),
        ("Old orders need a signature.", "Old orders need no signature because the clerk trusts us."),
        ("Do not touch the borrowed code.", "The borrowed code may be changed freely."),
        ("Bus passes are replaced at the kiosk.", "Bus passes are never replaced."),
        ("The crate stands in front of the press.", "The crate stands behind the press."),
        ("Parcels are sent by rail.", "Parcels are sent by road."),
        ("The key is with Nora.", "The key is with Piet."),
        ("The clerk signs over mail.", "The clerk no longer signs over mail."),
        ("Badges are stored on the internal server.", "We moved the badges from the internal server to a safe."),
        ("The barge fleet is repaired by the dock crew alone.", "Only the yard repairs the barges."),
        ("The user wants maps printed in full.", "The user wants a short list and no maps."),
        ("Guides may change a tour that has begun.", "A tour that has begun is locked for guides."),
        ("Only the night crew restarts the kiln.", "Kiln restarts are the foreman's business alone."),
        ("Firmware of the turnstile: 4.1.2.", "We flashed the turnstile up to firmware 4.3.0."),
        ("Depths in the survey are in metres.", "The survey gives depths in centimetres."),
        ("The star log is in arcseconds.", "Values in the star log are degrees."),
        ("All our seals lie in the vault, nowhere else.", "Our seals lie solely in the safe of the annex."),
        ("The barge's roof is tiled throughout.", "The whole barge has a tin roof."),
        ("Mira wants to be called in the morning.", "Mira wants to be called in the late afternoon."),
    ],
)
def test_a_score_confirms_what_the_wording_hints_at(a, b):
    assert verdict(a, b) is Relation.UPDATES
    assert verdict(a, b, days=0.0) in CONFLICTS


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("No guest is on the old list.", "Around forty guests are on the old list."),
        ("The flour comes from a single mill in Alten.", "We get each sack of flour from the mill in Brody."),
        ("The balance in the shop shows ounces.", "The shop's balance displays grams."),
        ("Menus of the inn are in the red binder.", "The inn's menus were brought out of the red binder into a database."),
        ("The hall heats with tile stoves.", "The hall's tile stoves had to make way for a heat pump."),
        ("A shell loop trims the scans.", "hedgehog trims the scans, the shell loop was deleted."),
        ("The inn cooks two soups a day.", "Two soups a day are a thing of the past, the inn cooks just one."),
    ],
)
def test_a_score_confirms_what_cannot_both_hold(a, b):
    assert verdict(a, b) in CONFLICTS


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Some guests are on the old list.", "Around forty guests are on the old list."),
        ("Every sack of flour comes from the mill in Alten.", "Every sack of rye comes from the mill in Brody."),
        ("The balance in the shop shows ounces.", "The balance in the mill displays grams."),
        ("The history of the inn hangs in the hall.", "Two soups a day are cooked in the inn."),
    ],
)
def test_a_score_confirms_nothing_of_what_can(a, b):
    assert verdict(a, b) in QUIET


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Step width of the lathe is 3e-4.", "Step width of the lathe is 1e-4."),
        ("Cable to the buoy: under construction.", "Cable to the buoy: in service."),
        ("Aunt Ida does the choir's accounts.", "Aunt Ida handed the choir's accounts over to Jon."),
        ("The river ferry carries 20 tonnes.", "The load limit of the river ferry is 18 t."),
    ],
)
def test_rules_alone_see_another_value_stage_or_holder(old, new):
    found = judge(Statement(old, DAY), Statement(new, DAY + timedelta(days=30)), similarity=0.8)
    assert (found.relation, found.newer) == (Relation.UPDATES, "b")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The river ferry carries 20 tonnes.", "The river ferry weighs 18 t."),
        ("The weight of the mail bag is 2 kg.", "The mail bag fits 20 kg."),
        ("The rain barrel in the yard has 300 litres.", "The rain barrel in the lane fits 200 litres."),
        ("The old gym opens at 08:00.", "The old hall opens at 09:00."),
    ],
)
def test_rules_alone_end_no_amount_of_another_kind_or_thing(one, other):
    found = judge(Statement(one, DAY), Statement(other, DAY + timedelta(days=30)), similarity=0.8)
    assert found.relation in QUIET


def test_off_limits_is_barred_and_no_end():
    told = Statement("Guests may see the loft.", DAY), Statement("The loft is off limits for guests.", DAY)
    assert judge(*told, similarity=0.8).relation is not Relation.UPDATES
