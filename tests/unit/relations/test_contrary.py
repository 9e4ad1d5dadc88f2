"""Contrary predicates in wholly other words: a sign of a conflict that a score has to confirm."""

from datetime import UTC, datetime

import pytest

from dreamd.core.values import PairScore, Relation
from dreamd.judge import Statement, judge, needs_score, pair_features
from dreamd.judge.conflicts.contrary import contrary, demands_apart
from dreamd.judge.limits import LIMITS

DAY = datetime(2026, 4, 7, 9, tzinfo=UTC)
QUIET = (Relation.RELATED, Relation.UNRELATED)
CONTRARY = [
    ("Receipts are kept in the office.", "Whoever clears the office throws the receipts away."),
    ("Answers to parents go out at once.", "Parents wait for an answer until the next day."),
    ("The car park is free of charge.", "Whoever uses the car park pays two euros."),
    ("The parts list is sent on paper.", "Customers get the parts list by e-mail."),
    ("The foreman opens the gate.", "The gate has to be locked, foreman or not."),
    ("A parser error aborts the import.", "The import goes on after a parser error."),
    ("The rust on the railing does no harm.", "Rust ruins the railing."),
    ("Volunteers work alone in the archive.", "Work in the archive is done in pairs, volunteers included."),
    ("The log of the furnace is filled in by hand.", "The furnace fills in its log automatically."),
    ("The backup is tested each month.", "Nobody tried out the backup, it is unverified."),
]
DEMANDS = [
    ("Helmets are mandatory in the yard.", "In the yard helmets are up to you."),
    ("Dogs have no business in the kitchen.", "Dogs may lie in the kitchen."),
    ("Visitors must sign the book.", "Visitors need not sign the book."),
    ("Any tenant can use the roof.", "Only the caretaker may use the roof."),
]
ALIKE = [
    ("The cellar is kept dry.", "It must not get damp in the cellar."),
    ("Never lock the fire door.", "The fire door stays unlocked."),
    ("Entries stay in the cache for ten minutes.", "Entries are dropped from the cache after ten minutes."),
    ("The shop is open until six.", "The shop is shut from six on."),
    ("Dr Falk sees children only in the morning.", "Dr Holm sees children in the evening, too."),
]


def pair(a, b):
    """The features of two texts."""
    return pair_features(Statement(a, DAY), Statement(b, DAY), 0.6)


def told(a, b, conflict):
    """Judge two texts that a score finds in conflict with some probability."""
    score = PairScore(0.0, 0.0, 0.0, 0.0, 0.0, conflict, 1.0 - conflict, 0.0)
    return judge(Statement(a, DAY), Statement(b, DAY), similarity=0.6, score=score)


@pytest.mark.parametrize(("a", "b"), CONTRARY)
def test_contrary_predicates_are_seen_whatever_their_words(a, b):
    assert contrary(pair(a, b)) and contrary(pair(b, a))


@pytest.mark.parametrize(("a", "b"), DEMANDS)
def test_demands_and_leaves_are_seen_whatever_their_words(a, b):
    assert demands_apart(pair(a, b)) and demands_apart(pair(b, a))


@pytest.mark.parametrize(("a", "b"), ALIKE)
def test_a_denied_contrary_a_bound_and_another_person_are_none(a, b):
    assert not contrary(pair(a, b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Record everything.", "Never record names."),
        ("Guests must sign the book.", "Guests may sign the book."),
        ("Don't paint on Fridays.", "Paint on Tuesdays."),
    ],
)
def test_a_narrower_ban_a_leave_beside_a_duty_and_another_day_are_no_other_demand(a, b):
    assert not contrary(pair(a, b)) and not demands_apart(pair(a, b))


def test_contrary_predicates_conflict_only_where_a_score_agrees():
    for a, b in CONTRARY:
        assert needs_score(Statement(a, DAY), Statement(b, DAY), similarity=0.6)
        assert told(a, b, LIMITS.clash_contrary + 0.01).relation is Relation.CONTRADICTS
        assert told(a, b, 0.3).relation in QUIET
        assert judge(Statement(a, DAY), Statement(b, DAY), similarity=0.6).relation in QUIET


def test_another_demand_needs_a_surer_score():
    for a, b in (DEMANDS[0], DEMANDS[2]):
        assert told(a, b, LIMITS.clash_demanded + 0.01).relation is Relation.CONTRADICTS


def test_what_only_a_score_finds_is_no_conflict():
    assert told("The archive is in Hall 3.", "Volunteers bring their own cake to the archive.", 0.95).relation in QUIET
