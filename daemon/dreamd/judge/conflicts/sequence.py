"""What comes before what, as far as a statement says it, and whether two statements say it the other way round."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re
from functools import lru_cache

from dreamd.judge.claims.phrases import has_any
from dreamd.text.tokens import tokens

_FRONTED_BEFORE = re.compile(r"^before ([^,]+), (.+)$")
_FRONTED_AFTER = re.compile(r"^(?:after|once|when) ([^,]+), (.+)$")
_THEN = re.compile(r"^(?:first )?(.+?)(?: first)?[,;]? (?:and )?then (.+)$")
_FIRST = re.compile(r"^(.+?) first[,;] (?:and )?(.+?)(?: follows?| afterwards| after that| later| come[s]? next)?\.?$")
_AFTERWARDS = re.compile(
    r"^(.+?)(?: first)?(?:[,;]| and) (.+?) (?:starts? after that|afterwards|after that|follows?|later)(?:[,;].*)?\.?$"
)
_BEFORE = re.compile(r"^(.+?) (?:before|ahead of|prior to|precedes?) (.+)$")
_AFTER = re.compile(r"^(.+?) (?:after|once|follows?|behind) (.+)$")
_IN_TURN = re.compile(r"^(?:[^,]{3,50}, )?(.+?) (?:comes?|goes?|is|are) first,? (?:and )?(.+?) (?:second|next|last|after)\.?$")
_OVER = re.compile(
    r"^.*?\b(?:prefers?|favou?rs?|likes?|wants?|loves?|rather have|chooses?|take|uses?) (.+?) "
    r"(?:over|rather than|instead of|more than|to|than) (.+)$"
)
_OVER_SHORT = re.compile(r"^((?:[\w'-]+ ){0,3}[\w'-]+) (?:over|instead of|rather than) (.+?)(?:,.*)?$")
_PRONOUN = re.compile(r"\b(?:it|them)\b")
_WORD = re.compile(r"[a-z]+")
_PREFERRING = frozenset(
    "prefer prefers favor favors favour favours like likes want wants love loves rather choose chooses take use uses".split()
)
_PATTERNS = (
    (_IN_TURN, False, frozenset(["first"])),
    (_OVER, False, _PREFERRING),
    (_OVER_SHORT, False, frozenset(["over", "instead", "rather"])),
    (_FRONTED_BEFORE, True, frozenset(["before"])),
    (_FRONTED_AFTER, False, frozenset(["after", "once", "when"])),
    (_THEN, False, frozenset(["then"])),
    (_FIRST, False, frozenset(["first"])),
    (_AFTERWARDS, False, frozenset(["after", "afterwards", "follow", "follows", "later"])),
    (_BEFORE, False, frozenset(["before", "ahead", "prior", "precede", "precedes"])),
    (_AFTER, True, frozenset(["after", "once", "follow", "follows", "behind"])),
)
"""Each with whether it names the second first, and the words of which it needs one."""
_WORDS_OF_ORDER = frozenset().union(*(signs for _, _, signs in _PATTERNS))
_SIGNS = tuple(w for w in sorted(_WORDS_OF_ORDER) if not any(other in w for other in _WORDS_OF_ORDER - {w}))
"""One of these stands in each of those words."""


@lru_cache(maxsize=16_384)
def order_in(folded: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """The stems of what comes first and of what comes second; None when the text tells no order."""
    low = folded.lower().rstrip(".")
    if not has_any(low, _SIGNS):
        return None
    spoken = frozenset(_WORD.findall(low))
    for pattern, turned, signs in _PATTERNS:
        match = None if signs.isdisjoint(spoken) else pattern.match(low)
        if match:
            one, other = (frozenset(t.stem for t in tokens(part) if t.is_content) for part in match.groups())
            first, second = (other, one) if turned else (one, other)
            return first - second, second - first
    return None


_REASONS = (
    (re.compile(r"^(?:because|since|as) ([^,;]+), (.+)$"), False),
    (re.compile(r"^(.+?)[,;] (?:and )?(?:so|hence|therefore|thus) (.+)$"), False),
    (re.compile(r"^(.+?),? because (.+)$"), True),
    (re.compile(r"^(.+?), (?:since|as|for) (.+)$"), True),
)
"""Each with whether what is explained comes before its reason."""


@lru_cache(maxsize=16_384)
def reason_in(folded: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """The stems of a reason and of what it explains; None when the text gives no reason."""
    low = folded.lower().rstrip(".")
    if not has_any(low, (",", ";", " because ")):
        return None
    for pattern, turned in _REASONS:
        match = pattern.match(low)
        if match:
            one, other = (frozenset(t.stem for t in tokens(part) if t.is_content) for part in match.groups())
            return (other, one) if turned else (one, other)
    return None


def explains_turned(one: str, other: str) -> bool:
    """True when one text gives as the reason what the other explains by it."""
    left, right = reason_in(one), reason_in(other)
    if left is None or right is None:
        return False
    return bool(left[0] & right[1]) and bool(left[1] & right[0]) and not (left[0] & right[0] and left[1] & right[1])


def is_turned(one: str, other: str) -> bool:
    """True when one text says x before y and the other y before x."""
    return _compared(one, other) < 0


def same_order(one: str, other: str) -> bool:
    """True when both say x before y, with nothing else before or after."""
    return _compared(one, other) > 0


def _compared(one: str, other: str) -> int:
    """1 where both tell the whole of one order, -1 where one tells it the other way round, else 0."""
    left, right = order_in(one), order_in(other)
    if left is None or right is None:
        return 0
    kept = bool(left[0] & right[0]), bool(left[1] & right[1])
    moved = bool(left[0] & right[1]), bool(left[1] & right[0])
    if all(moved) and not all(kept):
        return -1  # what both sides of the order share may stand in either place: "ask Ben before Anna"
    if _PRONOUN.search(one) and _PRONOUN.search(other):
        # what "it" or "them" stands for may be named in either place: "wax the skis before you sharpen them"
        return int(all(kept) and not all(moved) and left[0] | left[1] == right[0] | right[1])
    return int(left == right)
