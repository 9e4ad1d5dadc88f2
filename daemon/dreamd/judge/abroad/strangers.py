"""Outside English the score knows few words: what each side says in a word of its own may be anything.

That keeps two statements from being joined unless a lexicon could read those words.
"""

from __future__ import annotations

from collections.abc import Iterator

from dreamd.judge.conflicts.frames import align
from dreamd.judge.features import PairFeatures
from dreamd.judge.guards import GLOSSED, kin, listed
from dreamd.judge.slots import Slots
from dreamd.text import word_classes
from dreamd.text.markers import VERBS
from dreamd.text.numerals import CHARACTER_NUMBERS
from dreamd.text.tokens import Token

_ENGLISH = word_classes.STOP | word_classes.UNIT_NAMES.keys()


def strangers(pair: PairFeatures) -> Iterator[str]:
    """Why two statements of which one or both are not English cannot be compared by their score alone."""
    tongues = {pair.a.tongue, pair.b.tongue}
    if len(tongues) > 1:
        if "en" not in tongues:
            yield "two languages, neither of them English"
        elif not tongues <= GLOSSED:
            yield "a language without a lexicon"
        return
    if "en" in tongues and (_is_english(pair.a) or _is_english(pair.b)):
        return
    frame = align(pair.a, pair.b)
    mine = {t.stem for part in frame.parts for t in part.left if not _counts(t)}
    theirs = {t.stem for part in frame.parts for t in part.right if not _counts(t)}
    one, other = _unlike(mine, theirs), _unlike(theirs, mine)
    if one and other:
        yield f"words of its own on either side: {listed(one)} against {listed(other)}"


def _is_english(slots: Slots) -> bool:
    """A small word, a common verb or a unit gives it away."""
    return any(t.lower in _ENGLISH and t.surface != "i" or t.stem in VERBS or t.kind == "stop" for t in slots.tokens[:-1])


def _counts(token: Token) -> bool:
    counted = token.lower in word_classes.NUMBER_WORDS or token.lower in word_classes.UNIT_NAMES
    return counted or token.kind == "number" or token.surface in CHARACTER_NUMBERS


def _unlike(mine: set[str], theirs: set[str]) -> set[str]:
    """The words that have no other form of themselves on the other side."""
    return {one for one in mine - theirs if not any(kin(one, other) for other in theirs)}
