"""What a short run of words is: an amount, a span of time, a thing with its amount, a name with its thing."""

from __future__ import annotations

from dreamd.text import word_classes
from dreamd.text.numerals import CHARACTER_NUMBERS
from dreamd.text.tokens import Token

SPANS = frozenset(["time", "month"])
"""Dimensions of an amount of time."""


def is_amount(run: tuple[Token, ...]) -> bool:
    """Numbers with or without units, and nothing else."""
    numeric = [t.kind == "number" or t.lower in word_classes.NUMBER_WORDS or t.surface in CHARACTER_NUMBERS for t in run]
    rest = (t.lower for n, t in zip(numeric, run, strict=True) if not n)
    return any(numeric) and all(word in word_classes.UNIT_NAMES or word in word_classes.SCALE_WORDS for word in rest)


def is_span(run: tuple[Token, ...]) -> bool:
    """One unit of time: "a week"."""
    return len(run) == 1 and word_classes.UNIT_NAMES.get(run[0].lower, ("",))[0] in SPANS


def mixed(run: tuple[Token, ...]) -> bool:
    """A thing and an amount: another thing with its own amount, not another value."""
    plain = [t for t in run if t.kind == "word" and t.lower not in word_classes.UNIT_NAMES and not t.surface[:1].isupper()]
    return bool(plain) and any(t.kind == "number" for t in run)


def named_things(left: tuple[Token, ...], right: tuple[Token, ...]) -> bool:
    """A name and a thing on both sides, and not the same thing: "Olga design" against "Pavel contract"."""
    plain = [{t.stem for t in run if t.surface.islower() and t.is_content} for run in (left, right)]
    named = all(any(t.surface[:1].isupper() for t in run) for run in (left, right))
    return named and bool(plain[0]) and bool(plain[1]) and plain[0].isdisjoint(plain[1])
