"""Alternations grouped by first letter match what the plain ones do."""

import re

import pytest

from dreamd.judge.abroad.alternatives import by_first_letter

PATTERNS = ("now", r"(?:was|is) (?:moved|sent)\b", "no longer", r"(?:we|they)(?:'ve)? left", "is off", "nowadays")
TEXTS = ("now we've left", "it was moved and is off", "nowadays no longer", "they left, it is sent", "nothing here")


@pytest.mark.parametrize("text", TEXTS)
def test_a_grouped_alternation_finds_what_the_plain_one_finds(text):
    plain = re.compile(r"\b(?:" + "|".join(PATTERNS) + ")")
    grouped = re.compile(r"\b(?:" + by_first_letter(PATTERNS) + ")")
    assert [m.span() for m in grouped.finditer(text)] == [m.span() for m in plain.finditer(text)]


@pytest.mark.parametrize("pattern", [r"\d+", "a?b", r"(?:now|\d)", r"(?:x|)y"])
def test_a_pattern_that_need_not_begin_with_a_letter_is_refused(pattern):
    with pytest.raises(ValueError, match="begin with a letter"):
        by_first_letter([pattern])
