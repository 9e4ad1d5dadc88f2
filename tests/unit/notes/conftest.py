"""A memory made in one line, and a directory as dream would have written it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import Category, Memory, MemoryClass, MemoryType, Scope, Status, Trust
from dreamd.notes import render_index, render_topic, topic_path

DAY = datetime(2026, 5, 7, 9, 30, tzinfo=UTC)


def _memory(text: str, *, number: int = 1, days: int = 0, **changes: object) -> Memory:
    at = DAY + timedelta(days=days)
    values: dict[str, object] = {
        "id": f"{number:06x}abcdef", "scope": Scope("user"), "text": text, "memory_class": MemoryClass.RULE,
        "memory_type": MemoryType.FEEDBACK, "category": Category.RULES, "status": Status.LIVE, "trust": Trust.USER,
        "authority": Trust.USER, "created_at": at, "updated_at": at, "confirmed_at": at, "valid_from": at,
    }
    return Memory(**{**values, **changes})  # type: ignore[arg-type]


@pytest.fixture
def make() -> Callable[..., Memory]:
    """Make a memory from its words and whatever differs from an ordinary live rule."""
    return _memory


@pytest.fixture
def written() -> Callable[..., dict[str, str]]:
    """The files dream writes for some memories."""

    def write(*memories: Memory) -> dict[str, str]:
        return {**render_index(memories).files, **{topic_path(m): render_topic(m) for m in memories}}

    return write
