"""Words of two statements of which one is the opposite of the other."""

from __future__ import annotations

from functools import lru_cache

from dreamd.relations import words
from dreamd.relations.slots import Slots, extract_slots
from dreamd.relations.text import stem

_OPPOSITE: dict[str, set[str]] = {}
for _one, _other in (pair for words_ in words.OPPOSITES for pair in (words_, (stem(words_[0]), stem(words_[1])))):
    _OPPOSITE.setdefault(_one, set()).add(_other)
    _OPPOSITE.setdefault(_other, set()).add(_one)


def opposed(a: Slots, b: Slots) -> tuple[tuple[str, str], ...]:
    """Words (as stems) of which one side says the opposite, when neither side says both."""
    left, right = _turning(a.text), _turning(b.text)
    if not left or not right:
        return ()
    mine, theirs = left.keys() - right.keys(), right.keys() - left.keys()
    return tuple(sorted({(left[one], right[other]) for one in mine for other in _OPPOSITE[one] if other in theirs}))


@lru_cache(maxsize=16_384)
def _turning(text: str) -> dict[str, str]:
    """The words of a text that have an opposite, as they stand and as stems, by their stems."""
    return {form: t.stem for t in extract_slots(text).tokens for form in (t.lower, t.stem) if form in _OPPOSITE}
