"""Verdicts by rule, their symmetry, and what a score may and may not change."""

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import Basis, PairScore, Relation
from dreamd.judge import Statement, group, judge, needs_score

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
SURE_MERGE = PairScore(0.98, 0.01, 0.01, 0, 0, 0, 0, 0)
SURE_CLASH = PairScore(0, 0, 0, 0, 0, 0.98, 0.02, 0)


def verdict(a, b, *, days=0.0, score=None, similarity=0.9):
    """Judge two texts that many days apart."""
    return judge(Statement(a, DAY), Statement(b, DAY + timedelta(days=days)), similarity=similarity, score=score)


@pytest.mark.parametrize(
    ("a", "b", "relation"),
    [
        ("Keep the diff small.", "Keep the diff small.", Relation.DUPLICATE),
        ("Keep the diff small.", "Please keep the diff small", Relation.DUPLICATE),
        ("Do not write to the registry.", "Never write to the registry.", Relation.DUPLICATE),
        ("The gauge in row 118 has address 0x3A.", "Row 118's gauge has the address 0x3A.", Relation.DUPLICATE),
        ("Wax the skis before you sharpen them.", "Sharpen the skis after you wax them.", Relation.DUPLICATE),
        ("K8s ns of the mill: grain-prd.", "The Kubernetes namespace of the mill is grain-prd.", Relation.DUPLICATE),
        (
            "Weigh the crates again if the scale was moved, because the sensor only sees half of them.",
            "The sensor only sees half of them, so weigh the crates again if the scale was moved.",
            Relation.DUPLICATE,
        ),
        ("Use `tare` in frost, as the belt once froze.", "The belt once froze, hence `tare` in frost.", Relation.DUPLICATE),
        ("The vat holds 2.5 m³.", "The vat has a capacity of 2500 litres.", Relation.DUPLICATE),
        ("The lilac kiln cools in 8945 milliseconds.", "The lilac kiln cools in 8945 ms.", Relation.DUPLICATE),
        ("The trough holds 20 l.", "The trough holds 20 litres.", Relation.DUPLICATE),
        ("Nobody but the warden feeds the geese.", "Only the warden feeds the geese.", Relation.DUPLICATE),
        ("It is forbidden to swim in the weir.", "Swimming is not allowed in the weir.", Relation.DUPLICATE),
        ("Two checks apply to loans above 500 EUR.", "Loans above 500 EUR are subject to two checks.", Relation.DUPLICATE),
        ("The mill supplies the shop with flour.", "The shop gets flour from the mill.", Relation.DUPLICATE),
        ("Guests pay in coins or by bank card.", "Guests pay by bank card or in coins.", Relation.DUPLICATE),
        ("The guild approves the plan in May.", "Approval of the plan by the guild is in May.", Relation.DUPLICATE),
        ("Badges are printed by the clerk.", "Printing of badges is done by the clerk.", Relation.DUPLICATE),
        ("There are nine hives in the garden.", "The garden has 9 hives.", Relation.DUPLICATE),
        ("The name of the rover is Pip.", "The rover is called Pip.", Relation.DUPLICATE),
        ("The press is located in hall 3.", "The press stands in hall 3.", Relation.DUPLICATE),
        ("Oil the hinges prior to the fair.", "Before the fair oil the hinges.", Relation.DUPLICATE),
        ("Since the scale drifts, wait before weighing.", "Wait before weighing, as the scale drifts.", Relation.DUPLICATE),
        ("Exports run at 05:10.", "Exports run at 05:10 on host otter-w2.", Relation.REFINES),
        ("Do not use mocks for the database.", "Do not use mocks for the database: one of them hid a bug.", Relation.REFINES),
    ],
)
def test_rules_alone_merge_the_plainest_pairs(a, b, relation):
    assert verdict(a, b).relation is relation


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The team meets on Tuesdays.", "The team now meets on Fridays instead of Tuesdays."),
        ("Events arrive over RabbitMQ.", "Events now arrive over NATS, no longer over RabbitMQ."),
        ("The sensor limit is 3 degrees.", "The sensor limit was raised from 3 to 5 degrees."),
        (
            "Ferry tickets are printed with CUPS.",
            "We replaced CUPS by a web printer; ferry tickets are not printed with CUPS any more.",
        ),
    ],
)
@pytest.mark.parametrize("days", [0.0, 0.01, 40.0])
def test_a_stated_change_is_an_update_at_any_distance(a, b, days):
    found = verdict(a, b, days=days)
    assert (found.relation, found.newer, found.basis) == (Relation.UPDATES, "b", Basis.MARKER)


VALUES = [
    ("Drone pictures are kept for 18 months.", "Drone pictures are kept for 12 months."),
    ("The crew meets at hut Alpha.", "The crew meets at hut Bravo."),
    ("The sieve solver runs on PyPy 3.9.", "The sieve solver runs on CPython 3.13."),
]


@pytest.mark.parametrize(("a", "b"), VALUES)
def test_another_value_updates_from_a_day_on_and_contradicts_below(a, b):
    assert (verdict(a, b, days=1.0).relation, verdict(a, b, days=1.0).basis) == (Relation.UPDATES, Basis.TIME)
    assert verdict(a, b, days=0.9).relation is Relation.CONTRADICTS
    assert judge(Statement(a), Statement(b), similarity=0.9).relation is Relation.CONTRADICTS


@pytest.mark.parametrize(("a", "b"), VALUES)
def test_the_later_statement_is_the_newer_one_whatever_the_order_of_arrival(a, b):
    assert verdict(a, b, days=9).newer == "b"
    assert verdict(a, b, days=-9).newer == "a"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ('The icon for "barrel" in my sketches is teal.', 'The icon for "basket" in my sketches is olive.'),
        ("Never translate the product name Barrel.", "Never translate the product name Basket."),
        ("Valve 3 waters the beans.", "Valve 8 waters the beets."),
        ("On the test system data is deleted after 3 days.", "On the live system data is deleted after 30 days."),
        ("Trucks are inspected every year.", "Trailers are inspected every year."),
        ("The shop needs a permit.", "The shop needs a guard."),
        ("The API uses Redis.", "The API uses Postgres."),
        ("Red tiles are checked by two people.", "Tiles are checked by two people."),
        ("Gauge 118 has address 0x41.", "Gauge 181 has address 0x14."),
    ],
)
@pytest.mark.parametrize("days", [0.0, 50.0])
def test_neighbours_that_can_both_hold_are_left_alone(a, b, days):
    assert verdict(a, b, days=days).relation in (Relation.RELATED, Relation.UNRELATED)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Port 8080 is the proxy.", "Port 8081 is the proxy."),
        ("Always squash.", "Never squash."),
        ("The bus follows the ferry.", "The ferry follows the bus."),
        ("Staging is wiped weekly.", "Production is wiped weekly."),
        ("All tests need it badly.", "Some tests need it badly."),
        ("One stapler is used by every desk of the hall.", "Each desk of the hall has a stapler of its own."),
        ("Other crews must ask the foreman when a valve is to be opened.", "Any crew may open a valve."),
        ("lint: ruff, test: pytest", "We lint with pytest and test with ruff."),
        ("Oven timeout: 5 min.", "The timeout of the kiln is five minutes."),
        ("Wax the skis before you sharpen them.", "Sharpen the skis before you wax them."),
        ("K8s ns of the mill: grain-prd.", "The Kubernetes namespace of the mill is grain-stg."),
        ("It is forbidden to swim in the weir.", "Swimming is allowed in the weir."),
        ("Two signatures apply to cheques above 500 EUR.", "Cheques above 900 EUR are subject to two signatures."),
        ("The mill supplies the shop with flour.", "The mill gets flour from the shop."),
        ("There are nine hives in the garden.", "The garden has 8 hives."),
        ("Guests pay in coins and staff by card.", "Guests pay by card and staff in coins."),
        ("Oil the hinges prior to the fair.", "Oil the hinges after the fair."),
        ("Nobody but the warden feeds the geese.", "Everybody but the warden feeds the geese."),
        ("The pump leaks, so the valve is shut.", "The valve is shut, so the pump leaks."),
        ("Copy the set from disk A to disk B.", "Copy the set from disk B to disk A."),
        ("Only admins see logs.", "Admins see only logs."),
        ("You should label crates.", "You could label crates."),
        ("Nobody but admins sees logs.", "Admins see nothing but logs."),
        ("The map of the park is in the hut.", "The hut of the park is in the map."),
        ("He checks her maps, she checks his tables.", "She checks his maps, he checks her tables."),
    ],
)
def test_no_score_overrules_a_guard(a, b):
    assert verdict(a, b, score=SURE_MERGE).relation not in (Relation.DUPLICATE, Relation.REFINES)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Kestrel is built with Bazel.", "The manual of kestrel is built with Hugo."),
        ("The manual is built with Hugo.", "We replaced Bazel by Buck; kestrel does not build with Bazel any more."),
        ("The gauge at Ardville sends every 15 minutes.", "The gauge at Ardmont sends every 50 minutes."),
        ("The sorter service packs crates of 40.", "The sorter service is now called magpie."),
        ("All cabins have a stove.", "Some cabins have a balcony."),
        ("Staging is wiped on Monday.", "Production is wiped on Tuesday."),
        ("Valve 3 opens at noon.", "Valve 8 opens at six."),
        ("The cellist tunes the harp.", "The harp tunes the cellist."),
        ("In kestrel dates are written as year-month-day.", "The kestrel archive is now read-only after 9 days instead of 90."),
    ],
)
def test_no_score_lets_claims_about_different_things_end_each_other(a, b):
    for days in (0.0, 40.0):
        assert verdict(a, b, days=days, score=SURE_CLASH, similarity=0.5).relation in (Relation.RELATED, Relation.UNRELATED)


def test_amounts_in_other_units_are_no_conflict_for_a_score():
    a, b = "The cistern holds 3.5 m³ of water.", "The cistern has room for 3500 litres of water."
    assert verdict(a, b, score=SURE_CLASH).relation is Relation.RELATED
    assert verdict(a, b, score=PairScore(0.2, 0.0, 0.0, 0.0, 0.0, 0.78, 0.02, 0.0)).relation is Relation.DUPLICATE


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The guild approves the plan in May.", "Approval of the guild by the board is in May."),
        ("The guild approves the plan in May.", "Approval of the plan by the board is in May."),
        ("Badges are printed by the clerk.", "Deletion of badges is done by the clerk."),
        ("The rover is called Pip.", "The name of the rover's base is Pip."),
        ("There is a press on floor 2.", "Floor 2 has a crane."),
        ("The press is located in hall 3.", "The press is repaired in hall 3."),
        ("Port 6 of switch 6 is red.", "Port 1 of switch 6 is red."),
        ("Kiln 4 of hall 4 stands in row 4.", "Kiln 1 of hall 4 stands in row 1."),
    ],
)
def test_rules_do_not_merge_what_only_looks_alike(a, b):
    assert verdict(a, b).relation not in (Relation.DUPLICATE, Relation.REFINES)


def test_a_rule_for_one_place_is_no_richer_wording_of_the_rule_for_all():
    narrow, wide = "Sealed crates are required on the night train.", "Sealed crates are required."
    assert verdict(narrow, wide).relation is Relation.RELATED
    assert verdict("Sealed crates stand on the night train.", "Sealed crates stand.").relation is Relation.REFINES


def test_a_score_merges_what_rules_cannot_see():
    a, b = "Nobody opens the vault alone.", "The vault may be opened only in pairs."
    assert verdict(a, b).relation is Relation.RELATED
    assert verdict(a, b, score=SURE_MERGE).relation is Relation.DUPLICATE


def test_a_score_confirms_a_conflict_that_shows_and_time_and_wording_name_it():
    a, b = "The heater obeys the app alone.", "Only the wall thermostat has control of the heater."
    assert verdict(a, b).relation is Relation.RELATED
    assert verdict(a, b, score=SURE_CLASH).relation is Relation.CONTRADICTS
    assert verdict(a, b, score=SURE_CLASH, days=3).relation is Relation.UPDATES


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The app alone controls the heater.", "Control of the heater lies with the wall thermostat."),
        ("The ledger keeps its records for 40 days.", "Requests to the ledger time out after 700 ms."),
    ],
)
def test_a_score_alone_ends_and_holds_nothing(a, b):
    for days in (0.0, 40.0):
        assert verdict(a, b, days=days, score=SURE_CLASH).relation in (Relation.RELATED, Relation.UNRELATED)


def test_a_score_is_asked_for_only_where_it_could_join_or_settle_something():
    asked = [
        needs_score(Statement(a), Statement(b), similarity=0.8)
        for a, b in (
            ("The heater obeys the app alone.", "Only the wall thermostat has control of the heater."),
            ("The ledger keeps its records for 40 days.", "Requests to the ledger time out after 700 ms."),
            ("The ledger is backed up every 30 minutes.", "The ledger is backed up every 45 minutes."),
        )
    ]
    assert asked == [True, False, False]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        *VALUES,
        ("The team meets on Tuesdays.", "The team now meets on Fridays instead of Tuesdays."),
        ("Exports run at 05:10.", "Exports run at 05:10 on host w2."),
        ("Keep it small, please.", "Always keep it small."),
    ],
)
@pytest.mark.parametrize("days", [-5.0, 0.0, 5.0])
@pytest.mark.parametrize("score", [None, SURE_MERGE, SURE_CLASH])
def test_the_order_of_the_sides_does_not_matter(a, b, days, score):
    left, right = Statement(a, DAY), Statement(b, DAY + timedelta(days=days))
    one = judge(left, right, similarity=0.8, score=score)
    other = judge(right, left, similarity=0.8, score=score.turned() if score else None)
    swap = {"a": "b", "b": "a", None: None}
    assert (one.relation, one.basis, one.newer, one.richer) == (
        other.relation,
        other.basis,
        swap[other.newer],
        swap[other.richer],
    )


def test_every_verdict_can_say_why():
    for a, b in VALUES:
        assert all(verdict(a, b, days=2).evidence)


def test_distant_and_equal_pairs_need_no_score():
    assert not needs_score(Statement("Keep the diff small."), Statement("Keep the diff small."), similarity=1.0)
    assert not needs_score(Statement("The pool is heated."), Statement("Headlines end without a stop."), similarity=0.02)
    assert needs_score(Statement("Nobody opens the vault alone."), Statement("The vault is opened in pairs."), similarity=0.7)


def test_a_chain_is_no_group():
    assert group(3, {(0, 1): 0.9, (1, 2): 0.9}, [1, 1, 1]) in ([[0, 1], [2]], [[0], [1, 2]])


def test_a_group_begins_with_its_heaviest_member():
    assert group(4, {(0, 1): 0.9, (1, 2): 0.9, (0, 2): 0.8}, [1, 1, 5, 1]) == [[2, 0, 1], [3]]


def test_the_surer_merge_wins_when_only_one_is_possible():
    assert group(3, {(0, 1): 0.7, (1, 2): 0.95}, [1, 1, 1]) == [[0], [1, 2]]


NOTES = ("TODO: kiln profile editor", "`src/kiln_bus.py`: serial transport, frame decoder with 12 checks, hover panel, "
         "timings, profile cache and the log of the kiln")


def test_a_score_joins_no_two_notes_that_share_a_word_and_are_far_apart():
    likely = PairScore(0.7, 0.02, 0.02, 0.02, 0.02, 0.05, 0.15, 0.02)
    assert verdict(*NOTES, score=likely, similarity=0.5).relation not in (Relation.DUPLICATE, Relation.REFINES)
    near = verdict(*NOTES, score=likely, similarity=0.75)
    assert near.relation in (Relation.DUPLICATE, Relation.REFINES), "nearness was what kept them apart"


def test_a_score_sees_no_conflict_where_one_says_much_that_the_other_does_not_of_another_topic():
    clash = PairScore(0.0, 0.0, 0.0, 0.02, 0.02, 0.92, 0.03, 0.01)
    notes = (
        ("Glaze 12 — never stir it in the small tubs",
         "Glaze orders of this year: 40 tubs of small size, ordered from two mills, stored on the top shelf, orders.csv"),
        ("TODO: steel kiln shelf",
         "Shelves are cut from clay boards by hand and glazed on one side (not steel shelves, which bend)"),
        ("Prefers pale simple glazes",
         "Glaze recipes of the guild: each firing adds a layer, never simplify or replace what the firings before it left"),
    )
    for a, b in notes:
        assert verdict(a, b, score=clash, similarity=0.45).relation in (Relation.RELATED, Relation.UNRELATED)
    assert verdict(*notes[1], score=clash, similarity=0.8).relation is Relation.CONTRADICTS


def test_two_things_whose_values_both_changed_keep_each_its_own():
    a = "The timeout of requests to the birch meter was raised from 40 ms to 90 ms."
    b = "The timeout of requests to the birch sorter was raised from 70 ms to 15 ms."
    assert verdict(a, b, days=9, score=SURE_CLASH).relation is Relation.RELATED
    same = verdict(a, "The timeout of requests to the birch meter was raised from 90 ms to 150 ms.", days=9, score=SURE_CLASH)
    assert same.relation is Relation.UPDATES
