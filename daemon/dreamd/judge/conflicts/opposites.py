"""Words of two statements of which one is the opposite of the other."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

from functools import lru_cache

from dreamd.judge.slots import Slots, extract_slots
from dreamd.text import word_classes
from dreamd.text.tokens import stem

_PREPOSITIONS = frozenset(["in", "out", "with", "without", "over", "under", "above", "below", "off", "on"])
LEAST_SHARED = 2
LEAST_LETTERS = 4
RELATIONS = frozenset(
    stem(word)
    for word in (
        "before after prior follow ahead behind first last earlier later more less fewer above below over under left right "
        "front back send receive import export push pull buy sell lend borrow parent child teacher student employer employee "
        "sender receiver recipient producer consumer buyer seller client server host guest upstream downstream older younger "
        "faster slower north south"
    ).split()
)
"""Opposites that tell one relation from its two ends."""
_OPPOSITE: dict[str, set[str]] = {}
for _one, _other in (pair for words_ in word_classes.OPPOSITES for pair in (words_, (stem(words_[0]), stem(words_[1])))):
    _OPPOSITE.setdefault(_one, set()).add(_other)
    _OPPOSITE.setdefault(_other, set()).add(_one)
_TURNING = frozenset(_OPPOSITE)


def opposed(a: Slots, b: Slots, shared: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Words (as stems) of which one side says the opposite, when neither side says both; prepositions of one thing only."""
    left, right = _turning(a.text), _turning(b.text)
    if not left or not right:
        return ()
    mine, theirs = left.keys() - right.keys(), right.keys() - left.keys()
    if not mine or not theirs:
        return ()
    found = {(left[one], right[other]) for one in mine for other in _OPPOSITE[one] if other in theirs}
    return tuple(sorted(pair for pair in found if not _of_two_things(a, b, pair, shared)))


def denied_by_letter(left: frozenset[str], right: frozenset[str]) -> str:
    """A word of one side that is a word of the other with a "non-" or "un" before it; empty when there is none."""
    for mine, theirs in ((left, right), (right, left)):
        for word in theirs:
            bare = stem(word.removeprefix("non-").removeprefix("un"))
            if bare != word and len(bare) >= LEAST_LETTERS and bare in mine:
                return bare
    return ""


def _of_two_things(a: Slots, b: Slots, pair: tuple[str, str], shared: frozenset[str]) -> bool:
    """ "With the idea" beside "without motion": the two prepositions stand beside nothing that both speak of."""
    if not _PREPOSITIONS.issuperset(pair) or len(shared) < LEAST_SHARED:
        return False
    return not (_beside(a, pair[0]) & shared and _beside(b, pair[1]) & shared)


def _beside(slots: Slots, word: str) -> frozenset[str]:
    """The content words right before and behind a word."""
    cut = slots.tokens
    found: set[str] = set()
    for at, token in enumerate(cut):
        if token.stem == word:
            found.update(t.stem for t in [t for t in cut[:at] if t.is_content][-1:])
            found.update(t.stem for t in [t for t in cut[at + 1 :] if t.is_content][:1])
    return frozenset(found)


@lru_cache(maxsize=16_384)
def _turning(text: str) -> dict[str, str]:
    """The words of a text that have an opposite, as they stand and as stems, by their stems."""
    slots = extract_slots(text)
    if slots.spoken.isdisjoint(_TURNING) and slots.stems.isdisjoint(_TURNING):
        return {}
    turning = [t for t in slots.tokens if t.lower in _TURNING or t.stem in _TURNING]
    return {form: t.stem for t in turning for form in (t.lower, t.stem) if form in _TURNING}
