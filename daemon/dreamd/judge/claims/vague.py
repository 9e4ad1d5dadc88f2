"""A vague word on one side where the other gives the amount: "takes a while" beside "takes 95 minutes".

The vague statement holds whenever the exact one does, so the exact one says the same and more, as long as the rest of
the vague one stands in it, in one order, with nothing between but what measures.
"""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

from collections.abc import Sequence

from dreamd.judge.features import PairFeatures
from dreamd.judge.guards import strong_changes
from dreamd.judge.slots import Slots
from dreamd.text import word_classes
from dreamd.text.markers import DIMENSION_NOUNS, LIGHT
from dreamd.text.quantities import dimension
from dreamd.text.tokens import Token, stem

LEAST_SHARED = 2
MOST_VAGUE = 3
"""Words that only the vague side says: more of them are another statement."""
_MONEY = frozenset(["eur", "usd", "gbp"])
_LASTING = frozenset(["time", "month"])
_OFTEN = frozenset(["every-time", "every-month", "times", "freq"])
_COUNTS = frozenset(["", "times", "fold"])
_NO_SIZE = frozenset(["", "date", "clock", "times", *_OFTEN])
_ANY = frozenset(["any"])
_SIZE = frozenset(["size"])
_AGE = frozenset(["age"])
_AGED = frozenset(["older", "old", "aged", "age"])
_BOUNDS = frozenset("above below over under than exceeding beyond least most up".split())


def _stems(told: str) -> frozenset[str]:
    return frozenset(stem(word) for word in told.split())


_KINDS = (
    (_stems("time long short brief briefly shortly temporarily moment period soon"), _LASTING),
    (_stems("old aged"), _AGE),
    (_stems("regularly regular periodically periodic often frequently repeatedly occasionally"), _OFTEN),
    (_stems("large big huge small tiny heavy light tall high low thick thin deep wide hot warm cold fast slow strong"), _SIZE),
    (_stems("part partly partially share portion fraction"), frozenset(["percent", "fraction"])),
    (_stems("cheap inexpensive affordable expensive costly dear"), _MONEY),
    (_stems("several multiple few many couple"), _COUNTS),
    (_stems("size length weight price cost number amount duration distance volume capacity resolution limit limited"), _ANY),
)
"""Vague words by the dimensions of the amounts that make them exact."""
_KIND_OF = {word: dims for told, dims in _KINDS for word in told}
_HOURS = {
    stem(word): hours
    for word, hours in {
        "night": (*range(20, 24), *range(7)),
        "overnight": (*range(18, 24), *range(8)),
        "morning": tuple(range(4, 12)),
        "noon": (11, 12, 13),
        "afternoon": tuple(range(12, 19)),
        "evening": tuple(range(16, 24)),
    }.items()
}
_WHATEVER = frozenset(["any", "whatever"])
"""With these a vague word leaves no amount out."""
_MEASURING = frozenset(DIMENSION_NOUNS) | frozenset(
    "older younger newer larger bigger smaller longer shorter higher lower heavier lighter faster slower more less fewer than "
    "above below over under beyond exceeding least most up to about around roughly fully each every per cost costs last lasts "
    "weigh weighs measure measures".split()
)


def made_exact(longer: Slots, shorter: Slots, pair: PairFeatures) -> bool:
    """`longer` gives the amount of which `shorter` has a vague word only, and holds the rest of it."""
    if shorter.numbers or not longer.numbers or not pair.in_english or len(pair.shared) < LEAST_SHARED:
        return False
    if not shorter.spoken.isdisjoint(_WHATEVER):
        return False
    own = pair.only_a if shorter is pair.a else pair.only_b
    vague = own - LIGHT
    if not vague or len(own) > MOST_VAGUE or not all(_fits(word, longer) for word in vague):
        return False
    cases = (shorter.conditions | longer.conditions) & word_classes.HARD_CONDITIONS
    bound = cases or shorter.negations or longer.head_negations or shorter.only or longer.only
    if bound or strong_changes(longer) or strong_changes(shorter):
        return False
    known = [t.stem for t in shorter.tokens if t.stem in pair.shared]
    return _holds(longer.tokens, known) and all(_in_place(word, longer, shorter, known) for word in vague)


def _fits(word: str, longer: Slots) -> bool:
    """Whether one of the amounts may be what the vague word stands for."""
    numbers = longer.numbers
    hours = _HOURS.get(word)
    if hours:
        return any(dimension(key) == "clock" and int(key[6:8]) in hours for key in numbers)
    dims = _KIND_OF.get(word, frozenset())
    if dims is _ANY:
        return True
    if dims is _AGE and longer.spoken.isdisjoint(_AGED) or dims is _SIZE and longer.spoken.isdisjoint(_BOUNDS):
        return False
    if dims is _SIZE:
        return any(dimension(key) not in _NO_SIZE for key in numbers)
    return any(dimension(key) in (_LASTING if dims is _AGE else dims) for key in numbers)


def _in_place(word: str, longer: Slots, shorter: Slots, known: Sequence[str]) -> bool:
    """The amount stands where the vague word did; what told of a thing's size or age may also stand behind the thing."""
    cut = [t.lower if t.lower == word else t.stem for t in shorter.tokens]
    ahead = sum(stem_ in known for stem_ in cut[: cut.index(word)]) if word in cut else 0
    stops = [next((i for i, t in enumerate(longer.tokens) if t.stem == stem_), -1) for stem_ in known]
    begin = stops[ahead - 1] + 1 if ahead else 0
    end = ahead + (_KIND_OF.get(word) in (_SIZE, _AGE))
    behind = stops[end] if end < len(stops) else len(longer.tokens)
    return any(t.kind == "number" or t.lower in word_classes.NUMBER_WORDS for t in longer.tokens[begin:behind])


def _holds(told: Sequence[Token], known: Sequence[str]) -> bool:
    """The known words stand in one order, and between them nothing but what measures."""
    at = 0
    first = True
    for word in known:
        found = next((i for i in range(at, len(told)) if told[i].stem == word), -1)
        if found < 0 or not first and not all(_measures(t) for t in told[at:found]):
            return False
        if first and any(t.is_content for t in told[:found] if not _measures(t)):
            return False
        at, first = found + 1, False
    behind = next((t for t in told[at:] if t.is_content or t.kind == "stop"), None)
    return behind is None or behind.kind == "stop" or behind.lower not in word_classes.HARD_CONDITIONS


def _measures(token: Token) -> bool:
    if not token.is_content or token.kind in ("number", "op"):
        return True
    return (
        token.lower in _MEASURING
        or token.lower in word_classes.NUMBER_WORDS
        or token.lower in word_classes.UNIT_NAMES
        or token.lower in word_classes.FRACTION_WORDS
        or token.lower in word_classes.PERIODS
    )
