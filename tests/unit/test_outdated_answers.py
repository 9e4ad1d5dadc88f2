"""Of two answers to one question the later value stands first, and what it plainly outdated is left out; nothing else is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dreamd.model import Category, Memory, MemoryClass, MemoryType, Scope, Status, Trust
from dreamd.outdated import currently
from dreamd.ranking import Ranked

DAY = datetime(2026, 3, 1, 9, tzinfo=UTC)


def said(identity: str, text: str, *, days: int = 0, near: float = 0.6, words: float = 0.5, **changes: object) -> Ranked:
    """One result of an answer, said in a conversation of its own and with what was asked for."""
    at = DAY + timedelta(days=days)
    memory = Memory(identity, Scope("project", "kiln"), text, MemoryClass.HISTORY, MemoryType.PROJECT, Category.PROJECTS,
                    Status.SAID, Trust.USER, Trust.USER, at, at, at, at, spoken_in=(identity,))
    return Ranked(replace(memory, **changes), near, {"similarity": near, "words": words, "asked_for": 1.25})  # type: ignore[arg-type]


def shown(*answers: Ranked, likeness: float = 0.6) -> list[str]:
    return [one.memory.id for one in currently(answers, lambda *_: likeness)]


OLD, NEW = "We fire the kiln on Tuesdays.", "We fire the kiln on Fridays."


def test_the_later_value_stands_alone() -> None:
    assert shown(said("old", OLD), said("new", NEW, days=20)) == ["new"]
    assert shown(said("old", OLD, status=Status.STALE), said("new", NEW, days=20, status=Status.LIVE)) == ["new"]


@pytest.mark.parametrize(("old", "new"), [
    (said("old", OLD, status=Status.LIVE), said("new", NEW, days=20)),
    (said("old", OLD, status=Status.STALE, pinned=True), said("new", NEW, days=20)),
    (said("old", OLD), said("new", NEW)),
    (said("old", OLD), said("new", NEW, days=20, spoken_in=("old",))),
    (said("old", OLD), said("new", NEW, days=20, scope=Scope("project", "shed"))),
    (said("old", OLD, near=0.9), said("new", NEW, days=20, near=0.4)),
    (said("old", OLD, words=0.9), said("new", NEW, days=20, words=0.5)),
    (said("old", "The staging kiln listens on port 5433."), said("new", "The production kiln listens on port 6544.", days=20)),
    (said("old", "The red kiln is fired with 12 logs."), said("new", "The blue kiln is fired with 20 logs.", days=20)),
])
def test_what_is_not_plainly_outdated_stays(old: Ranked, new: Ranked) -> None:
    assert sorted(shown(old, new)) == ["new", "old"]


def test_another_thing_is_nothing_later() -> None:
    assert shown(said("old", OLD), said("new", NEW, days=20), likeness=0.3) == ["old", "new"]


def test_the_later_of_two_values_stands_first_where_both_stay() -> None:
    old, new = said("old", OLD, status=Status.LIVE, near=0.7), said("new", NEW, days=20, near=0.6)
    assert shown(old, new) == ["new", "old"]
    assert shown(said("other", "The shed is green.", days=20, near=0.8), old, new) == ["other", "new", "old"]
    assert shown(old, said("new", NEW, near=0.6)) == ["old", "new"]
