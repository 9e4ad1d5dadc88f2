"""Agreeing, however firmly, is no memory by itself."""

from __future__ import annotations

import pytest

from dreamd.extraction.stance import has_substance
from dreamd.extraction.surely import sign_of


@pytest.mark.parametrize("text", ["Yes please, always.", "ok, never", "sí, siempre", "from now on always so", "yes, all"])
def test_what_names_nothing_is_no_standing_order(text: str) -> None:
    assert not has_substance(text) and sign_of(text) == ""


@pytest.mark.parametrize("text", ["ok but never on main", "immer deutsch bitte", "never do it in QA", "yes, always squash"])
def test_one_word_of_substance_is_enough(text: str) -> None:
    assert has_substance(text)
