"""What is asked to be remembered is the sentence that says something."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dreamd.core.values import Event, EventKind, Scope, Speaker
from dreamd.extraction import extract

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


def said(text: str) -> list[str]:
    event = Event(Speaker.HUMAN, EventKind.PROMPT, text, AT, "talk-1", 0, len(text), uid="e-1")
    return [c.text for c in extract([event], scope=Scope("project", "kiln")).candidates]


@pytest.mark.parametrize("text", [
    "The kiln controller answers on port 7410. Remember that.",
    "The kiln controller answers on port 7410. Please remember this!",
    "The kiln controller answers on port 7410. Merk dir.",
])
def test_a_request_after_a_statement_keeps_the_statement(text: str) -> None:
    assert said(text) == ["The kiln controller answers on port 7410."]


def test_a_request_alone_keeps_nothing() -> None:
    assert said("Remember that.") == []
