"""What became of the words of a text: which stayed, which went, which came."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from enum import StrEnum

_PIECE = re.compile(r"\s+|\w+(?:[.:/@_-]+\w+)*|[^\w\s]")
"""A version, an address, a path is one word: nobody reads half of it."""
_LETTERED = re.compile(r"\w")
LEAST_IN_COMMON = 0.5
"""Share of words that stay, below which two texts are told one after the other: a patchwork of both could not be read."""
MOST_PIECES = 1500
"""Longer texts are told whole: comparing them word by word would take longer than anybody reads."""

MOST_COMMON = 4
"""Words that name a subject; a longer run is the statement itself."""


class Part(StrEnum):
    """What became of some words."""

    SAME = "same"
    OUT = "out"
    IN = "in"


WordChange = tuple[Part, str]


def word_changes(before: str, after: str) -> tuple[WordChange, ...]:
    """A text from before to after, in stretches of words; those that went stand before those that came in their place."""
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    if before == after:
        return ((Part.SAME, before),) if before else ()
    matched = SequenceMatcher(None, old, new, autojunk=False)
    if max(len(old), len(new)) > MOST_PIECES or _in_common(matched, old, new) < LEAST_IN_COMMON:
        return tuple(one for one in ((Part.OUT, before), (Part.IN, after)) if one[1])
    told: list[WordChange] = []
    for tag, a, b, c, d in matched.get_opcodes():
        rows = ((Part.SAME, old[a:b]),) if tag == "equal" else ((Part.OUT, old[a:b]), (Part.IN, new[c:d]))
        told += [(part, "".join(words)) for part, words in rows if words]
    return tuple(told)


def common_words(texts: list[str], leave_out: frozenset[str]) -> str:
    """The longest run of words that all of some texts have, without small words at its ends; empty where it tells nothing."""
    if len(texts) < 2:
        return ""
    run = _words(texts[0])
    for other in texts[1:]:
        words = _words(other)
        match = SequenceMatcher(None, [w.casefold() for w in run], [w.casefold() for w in words],
                                autojunk=False).find_longest_match()
        run = run[match.a:match.a + match.size]
    while run and run[0].casefold() in leave_out:
        run = run[1:]
    while run and run[-1].casefold() in leave_out:
        run = run[:-1]
    telling = 2 <= len(run) <= MOST_COMMON and all(2 * len(run) <= len(_words(text)) for text in texts)
    return " ".join(run) if telling else ""


def _in_common(matched: SequenceMatcher[str], old: list[str], new: list[str]) -> float:
    """Which share of the words of both stands in both, in one order."""
    both = sum(map(_has_letters, old)) + sum(map(_has_letters, new))
    kept = sum(map(_has_letters, (old[i] for m in matched.get_matching_blocks() for i in range(m.a, m.a + m.size))))
    return 2 * kept / both if both else 1.0


def _has_letters(piece: str) -> bool:
    return _LETTERED.search(piece) is not None


def _words(text: str) -> list[str]:
    return [piece for piece in _PIECE.findall(text) if _has_letters(piece)]
