"""What a statement denies: the reach of its negators, and of what sets one thing against another."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dreamd.text import word_classes
from dreamd.text.tokens import Token

CLAUSE_END = frozenset((
    "but because since so and then while although though if unless until when whenever which who whose aber weil und "
    "pero porque y mais car et sondern sino").split())
_CONTRAST = {"rather": "than", "instead": "of", "in": "place", "as": "opposed", "en": "vez", "em": "vez", "au": "lieu"}
"""Two words that set one thing against another."""


@dataclass(frozen=True, slots=True)
class Denial:
    """The first stem behind each negator, and how many negators there are."""

    first: frozenset[str]
    count: int


_SPARED = tuple(f"{phrase} " for phrase in word_classes.NOT_NEGATING)
_LONGEST_SPARED = max(phrase.count(" ") for phrase in _SPARED)
_NEGATORS_CJK = tuple(n.strip() for n in word_classes.NEGATORS_CJK if len(n.strip()) > 1 or n in "不没无않없못")


def read_denial(cut: Sequence[Token]) -> Denial:
    """What the tokens of a text deny."""
    first: set[str] = set()
    count = 0
    for i, token in enumerate(cut):
        if token.kind == "cjk":
            count += min(sum([token.surface.count(negator) for negator in _NEGATORS_CJK]), 2)
            continue
        contrast = token.lower in _CONTRAST and i + 1 < len(cut) and cut[i + 1].lower == _CONTRAST[token.lower]
        is_not = (token.lower in word_classes.NEGATORS or token.stem == "not") and not (
            _only_looks_so(cut[i : i + _LONGEST_SPARED]) or token.stem == "avoid" and i and cut[i - 1].lower == "to")
        if contrast or is_not:
            count += not contrast
            first.update(_behind(cut[i + 1 :]))
    return Denial(frozenset(first), count)


def _only_looks_so(cut: Sequence[Token]) -> bool:
    """Whether a turn of phrase begins here that denies nothing."""
    return f"{' '.join(token.lower for token in cut)} ".startswith(_SPARED)


def _behind(rest: Sequence[Token]) -> list[str]:
    """The first word of weight in the same clause, if there is one."""
    for token in rest:
        if token.kind == "stop" or token.lower in CLAUSE_END:
            break
        if token.is_content:
            return [token.stem]
    return []
