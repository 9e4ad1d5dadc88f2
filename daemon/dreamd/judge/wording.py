"""What a merge keeps: the specifics of a statement, and the one wording that says everything of both."""

from __future__ import annotations

from dreamd.judge.alignment import JOINS, Alignment
from dreamd.judge.guards import guards, vetoes
from dreamd.judge.statement import Reading, read
from dreamd.text import word_classes

_MASK = "[masked:"
_MORE_WORDS = 2
_HALF = 0.5
_OWN_CLAIM = 2
"""Content words that make a clause a claim of its own."""


def merged_wording(representative: str, other: str) -> str | None:
    """The wording that keeps every specific of two that were judged to be one; None when they must stay apart."""
    if representative == other:
        return representative
    pair = Alignment(read(representative), read(other))
    if vetoes(pair, guards(pair)):
        return None
    return kept_wording(pair)


def kept_wording(pair: Alignment) -> str | None:
    """The one of two wordings without which nothing is lost, `a` where both do; None when each says something of its own."""
    gone_with_a, gone_with_b = (_loses(pair, side) for side in (0, 1))
    if gone_with_a and gone_with_b:
        return None
    if gone_with_b or gone_with_a:
        return (pair.b if gone_with_b else pair.a).text
    return (pair.b if _says_more(pair.b, pair.a) else pair.a).text


def says_more(pair: Alignment) -> str | None:
    """The side ("a" or "b") without which something would be lost; None where neither is, or each."""
    gone = [_loses(pair, side) for side in (0, 1)]
    return None if gone[0] == gone[1] else "a" if gone[0] else "b"


def _loses(pair: Alignment, side: int) -> bool:
    """Whether something is lost when the wording of this side goes: a value, a name, a condition or a mask."""
    mine, theirs = (pair.a, pair.b) if side == 0 else (pair.b, pair.a)
    own = (pair.numbers, pair.fixed, pair.names, pair.commands, pair.quoted)
    if any(part[side] for part in own) or mine.text.count(_MASK) > theirs.text.count(_MASK):
        return True
    hard = mine.conditions & word_classes.HARD_CONDITIONS
    return mine.tongue == theirs.tongue and bool(hard) and not theirs.conditions


def _says_more(one: Reading, other: Reading) -> bool:
    """A clearly longer wording of the same claim is kept: it holds the reason, place or time."""
    more = len(one.content_set) >= len(other.content_set) + _MORE_WORDS
    return more and len(one.content_set & other.content_set) >= _HALF * len(other.content_set)


def leaves_more(old: str, new: str) -> str:
    """What one of several clauses of `old` claims and `new` does not speak of: ending `old` would lose it. Empty when nothing.

    "bed 9 grows sage and is watered every 4 days" says two things; "bed 9 is now watered every 6 days" replaces one.
    """
    said, clauses = read(new).content_set, _clauses(read(old))
    for clause in clauses if len(clauses) > 1 else ():
        last = max((n for n, word in enumerate(clause) if word in said), default=-1)
        own = [word for word in clause[last + 1 :] if not word[:1].isdigit()]
        if len(own) >= _OWN_CLAIM:
            return " ".join(own)
    return ""


def _clauses(told: Reading) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for token in told.tokens:
        if token.kind == "stop" or token.lower in JOINS or token.lower == "but":
            found.append([])
        elif token.is_content:
            found[-1].append(token.stem)
    return [clause for clause in found if clause]
