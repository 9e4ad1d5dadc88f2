"""Two statements built alike: whether one puts another word in the place of one that the other has.

"Tenant 17 uses the EU region" and "Tenant 18 uses the US region" share nearly all their words and tell two things. A
word counts by its place, not by its length: of what two statements differ in, the shortest tells most.
"""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache

_PIECE = re.compile(r"[^\W_](?:[\w.:/+#@-]*[\w+#])?|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ARTICLES = frozenset(
    "the a an please also so just ok okay well der die das ein eine bitte el la los las un una le les une".split())
"""Words that may come and go in a sentence said again."""
_STAND_FOR = frozenset((
    "it its this that these those they them their he him his she her one ones we us our i my me you your is are was were be "
    "has have es sie er wir ist sind lo ello son est sont ce il elle s re").split())
"""Words that stand for another, or are one of its forms: in their place another word is no other thing."""


@lru_cache(maxsize=4096)
def pieces(text: str) -> tuple[str, ...]:
    """The words of a text in small letters and in order, names, versions and paths whole, without articles."""
    found = _PIECE.findall(unicodedata.normalize("NFKC", text))
    # In capitals, and not where a sentence begins, what looks like an article is a name: "client A", "in LA".
    told = tuple(piece.casefold() for n, piece in enumerate(found)
                 if piece.casefold() not in _ARTICLES or (n and piece.isupper()))
    return told or tuple(piece.casefold() for piece in found)


def is_same_wording(one: str, other: str) -> bool:
    """Whether two texts say the same word for word; signs, capitals and articles aside."""
    return pieces(one) == pieces(other)


def exchanged(one: str, other: str) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """The places in which two texts have other words, with the words of each; a place only one of them has is none."""
    mine, theirs = pieces(one), pieces(other)
    steps = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    return tuple((mine[a:b], theirs[c:d]) for step, a, b, c, d in steps if step == "replace")


def puts_another(one: str, other: str) -> bool:
    """Whether a text has another word of its own in the place of one of the other's."""
    return any(_tells(old) and _tells(new) for old, new in exchanged(one, other))


def _tells(words: tuple[str, ...]) -> bool:
    return any(word not in _STAND_FOR for word in words)


def are_built_alike(one: str, other: str) -> bool:
    """Whether two texts share at least half of the words of the shorter, in one order, and one puts another word in a place."""
    mine, theirs = pieces(one), pieces(other)
    if not mine or not theirs or mine == theirs:
        return False
    shared = sum(block.size for block in SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks())
    return 2 * shared >= min(len(mine), len(theirs)) and puts_another(one, other)
