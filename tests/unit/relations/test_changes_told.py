"""Changes and conflicts that the wording tells: days that moved, sole holders, stages, causes, orders, bounds of time."""

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import Relation
from dreamd.judge import Statement, collateral_guards, judge, pair_features

DAY = datetime(2026, 4, 7, 9, tzinfo=UTC)
QUIET = (Relation.RELATED, Relation.UNRELATED)


def verdict(a, b, *, days=0.0, similarity=0.6):
    """Judge two texts by rules alone."""
    return judge(Statement(a, DAY), Statement(b, DAY + timedelta(days=days)), similarity=similarity)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The statement of the accounts is due 30 June.", "The bank extended the statement of the accounts to 31 July."),
        ("The entry form must be in by 2 May 2026.", "We got more time for the entry form, it may be in by 9 May 2026."),
        ("Nominations for the prize close on 4 March.", "Nominations for the prize stay open a week longer, until 11 March."),
        ("The brochure is a proof of concept.", "The brochure is in daily use."),
        ("The pension request is under review.", "The pension request has been paid out."),
        ("Ulla is on maternity leave.", "Ulla is back at work."),
        ("The fair will be held in tents.", "Contrary to the original plan, the fair will be held indoors."),
        ("No third court in the hall this year.", "There will be a third court in the hall this year after all."),
    ],
)
def test_news_ends_what_was_before(old, new):
    found = verdict(old, new, days=20)
    assert (found.relation, found.newer) == (Relation.UPDATES, "b")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Only the porter opens the vault.", "The vault is opened by the caretaker and nobody else."),
        ("The night guard alone resets the siren.", "Resetting the siren is reserved to the day manager."),
        ("Only the sexton restarts the clock.", "Clock restarts are the mayor's business alone."),
        ("Only the porter opens the vault.", "Only the cook opens the vault."),
        ("The leak had one cause, a torn seal.", "The leak came from the valve and from nothing else."),
        ("Fire the tiles first and glaze them afterwards, no second firing.", "Tiles are glazed before they are fired."),
        ("The drone is looked after by the junior pilot.", "The head engineer looks after the drone."),
        ("Keep the samples for a month.", "Keep the samples for a week."),
        ("Sowing comes ahead of rolling.", "Rolling comes ahead of sowing."),
        (
            "Whoever leaves a race early loses 10 points, waits for ten minutes at the gate and the team gets a spare rider.",
            "Whoever leaves a race early loses 20 points, waits for an hour at the gate and the team gets a spare rider.",
        ),
    ],
)
def test_two_that_cannot_both_hold_are_a_conflict_on_one_day(a, b):
    assert verdict(a, b).relation is Relation.CONTRADICTS


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The report for the mill is due 30 June.", "The application for the mill was extended to 31 July."),
        ("The tax return is due 31 May.", "The payroll tax return was extended to 30 June."),
        ("The entry form must be in by 2 May.", "The fee was moved to 9 May."),
        ("Only the porter opens the vault.", "Only the porter opens the gate."),
        ("Only the porter opens the vault at night.", "Only the cook opens the vault at noon."),
        ("The night guard alone resets the siren.", "Resetting the clock is reserved to the day manager."),
        ("A Marta trata das flores.", "A Marta não trata mais do jardim, agora é o Nuno."),
        ("The crates are counted and put on the cart.", "The crates are counted and washed in the yard."),
        ("The delay had one cause, a torn seal.", "The leak came from the valve and from nothing else."),
    ],
)
def test_neighbours_of_such_news_are_left_alone(a, b):
    for days in (0.0, 30.0):
        assert verdict(a, b, days=days).relation in QUIET


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("All our huts run as non-smoking.", "Some of our huts run as smoking."),
        ("Every bench in the park has a plate.", "Half of the benches in the park have no plate."),
        ("The tour stops in Lund.", "The tour was called off."),
        ("Support is open from 9 to 17.", "Support is open from 8 to 20."),
    ],
)
def test_nothing_speaks_for_two_things_side_by_side(a, b):
    assert collateral_guards(pair_features(Statement(a, DAY), Statement(b, DAY), 0.6)) == ()
