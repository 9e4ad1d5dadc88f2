"""What a statement denies: the reach of its negators, and of what sets one thing against another."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dreamd.text import word_classes
from dreamd.text.tokens import Token, starts

CLAUSE_END = frozenset(
    (
        "but because since so and or then while although though if unless until when whenever which who whose aber weil und "
        "oder pero porque y o mais car et ou sondern sino"
    ).split()
)
_BACKWARD = frozenset(
    (
        "forbidden prohibited banned disallowed disabled off-limits taboo verboten untersagt prohibido prohibida prohibidos "
        "prohibidas interdit interdite interdits interdites proibido proibida proibidos proibidas vietato vietata vietati "
        "vietate refused avoided"
    ).split()
)
_CONTRAST = {"rather": "than", "instead": "of", "in": "place", "as": "opposed", "en": "vez", "em": "vez", "au": "lieu"}
"""Two words that set one thing against another."""


@dataclass(frozen=True, slots=True)
class Denial:
    """Stems in reach of a negator, the first behind each, and how many negators there are."""

    reach: frozenset[str]
    first: frozenset[str]
    count: int


NO_DENIAL = Denial(frozenset(), frozenset(), 0)


_NEGATORS_CJK = tuple(
    n.strip() for n in word_classes.NEGATORS_CJK if len(n.strip()) > 1 or n in ("不", "没", "无", "않", "없", "못")
)
_DENYING = frozenset(word_classes.NEGATORS) | _CONTRAST.keys()


def may_deny(spoken: frozenset[str], stems: frozenset[str], text: str) -> bool:
    """Cheap: whether the pieces of a text hold anything by which it could deny."""
    return not spoken.isdisjoint(_DENYING) or "not" in stems or not text.isascii()


def read_denial(cut: Sequence[Token], text: str) -> Denial:
    """What the tokens of a text deny, or those of its first clause."""
    spared: set[int] | None = None
    reach: set[str] = set()
    first: set[str] = set()
    count = 0
    for i, token in enumerate(cut):
        if token.kind == "cjk":
            count += min(sum([token.surface.count(negator) for negator in _NEGATORS_CJK]), 2)
            continue
        contrast = token.lower in _CONTRAST and i + 1 < len(cut) and cut[i + 1].lower == _CONTRAST[token.lower]
        is_not = token.lower in word_classes.NEGATORS or token.stem == "not"
        if not (contrast or is_not):
            continue
        if spared is None:
            spared = _spared(text)
        is_not = is_not and i not in spared and not (token.stem == "avoid" and i and cut[i - 1].lower == "to")
        if not (contrast or is_not):
            continue
        count += not contrast
        ahead = _ahead(cut[i + 1 :])
        reach.update(ahead)
        first.update(ahead[:1])
        if token.lower in _BACKWARD:
            reach.update(_ahead(tuple(reversed(cut[:i]))))
    return Denial(frozenset(reach), frozenset(first), count)


def _spared(text: str) -> set[int]:
    """Which pieces only look like negators: where a turn of phrase begins that denies nothing."""
    low = text.lower()
    found = {low.index(phrase) for phrase in word_classes.NOT_NEGATING if phrase in low}
    return {place for place, start in enumerate(starts(text)) if start in found} if found else set()


def _ahead(rest: Sequence[Token]) -> list[str]:
    found: list[str] = []
    for token in rest:
        if (
            token.kind == "stop"
            or (token.lower in CLAUSE_END and token.lower not in ("or", "oder", "o", "ou"))
            or len(found) >= 6
        ):
            break
        if token.is_content:
            found.append(token.stem)
    return found
