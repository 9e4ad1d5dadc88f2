"""What the signs of a sentence weigh together: enough to be remembered, or not."""

from __future__ import annotations

import pytest

from dreamd.extraction.signs import ENOUGH, weigh


@pytest.mark.parametrize("text", [
    "Always water roses in autumn.", "Never prune roses in spring.", "Always use pnpm.", "never use tabs",
    "Please always oil hinges.", "Siempre usa guantes."])
def test_an_order_for_all_times_is_remembered_however_short(text: str) -> None:
    assert weigh(text).weight >= ENOUGH


@pytest.mark.parametrize("text", [
    "Never mind.", "Never mind the tests", "Never seen that.", "Never heard of it", "Always the same", "Always happy to help",
    "Never worked for me", "Always fails on CI", "Immer mit Ruhe", "Water roses today."])
def test_a_remark_that_begins_like_one_is_not(text: str) -> None:
    assert weigh(text).weight < ENOUGH
