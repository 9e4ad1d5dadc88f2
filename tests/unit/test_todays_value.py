"""What an answer leaves out: yesterday's value of one speaker beside today's, by the verdict of a night and by nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import Category, Judgement, Memory, MemoryClass, MemoryType, Relation, Scope, Status, Trust
from dreamd.recall.resolve import _is_over
from dreamd.recall.weighed import Weighed

FIRST = datetime(2026, 1, 5, tzinfo=UTC)


def told(identity: str, text: str, days: int) -> Memory:
    at = FIRST + timedelta(days=days)
    return Memory(identity, Scope("project", "cedar"), text, MemoryClass.REFERENCE, MemoryType.PROJECT, Category.PROJECTS,
                  Status.LIVE, Trust.USER, Trust.USER, at, at, at, at)


OLD = told("old", "Ines: The choir meets on Mondays at seven.", 0)
NEW = told("new", "Ines: The choir meets on Thursdays.", 40)


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch) -> Weighed:
    """A night that found the later of two to be today's, whatever they are."""
    known = Weighed()
    monkeypatch.setattr(known, "of", lambda _one, _other: Judgement(Relation.UPDATES, 0.6, newer="b"))
    return known


def test_of_two_values_of_one_speaker_today_s_is_told_alone(weighed: Weighed) -> None:
    assert _is_over(OLD, NEW, weighed)


@pytest.mark.parametrize("other", [
    replace(NEW, text="Tom: The choir meets on Thursdays."), replace(NEW, text="The choir meets on Thursdays."),
    replace(NEW, confirmed_at=FIRST + timedelta(hours=2)), replace(NEW, scope=Scope("project", "oak"))])
def test_what_another_said_or_was_said_on_the_same_day_or_elsewhere_leaves_nothing_out(other: Memory, weighed: Weighed) -> None:
    assert not _is_over(OLD, other, weighed)


def test_without_a_verdict_and_where_it_is_pinned_both_are_told(weighed: Weighed) -> None:
    assert not _is_over(replace(OLD, pinned=True), NEW, weighed)
    assert not _is_over(OLD, NEW, Weighed())
