"""Two statements laid on each other: what both say, what only one says, and which span stands in the other's place."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise

from dreamd.judge.amounts import unmatched_numbers
from dreamd.judge.statement import Reading
from dreamd.text.identifiers import is_short_for

Span = tuple[str, str]
"""Words of `a` and the words of `b` that stand in their place; one may be empty."""
_LONGEST_ALIGNED = 400
"""Tokens up to which the order of two texts is compared."""


class Alignment:
    """What two readings share and where they part, each part read when it is first asked for."""

    def __init__(self, a: Reading, b: Reading) -> None:
        self.a, self.b = a, b

    @cached_property
    def shared(self) -> frozenset[str]:
        """Content stems of both."""
        return self.a.content_set & self.b.content_set

    @cached_property
    def only(self) -> tuple[frozenset[str], frozenset[str]]:
        """Content stems of `a` alone, and of `b` alone."""
        return self.a.content_set - self.b.content_set, self.b.content_set - self.a.content_set

    @cached_property
    def grams(self) -> float:
        """Share of equal runs of letters (Jaccard), 0 to 1: it needs no words and serves every script."""
        one, other = self.a.grams, self.b.grams
        both = len(one & other)
        return both / max(1, len(one) + len(other) - both)

    @cached_property
    def numbers(self) -> tuple[frozenset[str], frozenset[str]]:
        """Amounts, dates and times of each side that the other does not give, whatever the unit."""
        found = unmatched_numbers(self.a, self.b)
        if all(found) or self.a.numbers == self.b.numbers:
            return found
        # said twice, or taken for the count of a list: another figure on each side is another value all the same
        one, other = self.a.figures - self.b.figures, self.b.figures - self.a.figures
        return (frozenset(one), frozenset(other)) if one and other else found

    @cached_property
    def fixed(self) -> tuple[frozenset[str], frozenset[str]]:
        """Identifiers of each side that the other does not mention."""
        return _unmentioned(self.a.fixed, self.b), _unmentioned(self.b.fixed, self.a)

    @cached_property
    def names(self) -> tuple[frozenset[str], frozenset[str]]:
        """Names of each side that the other does not have, in whatever form."""
        return _missing_names(self.a, self.b), _missing_names(self.b, self.a)

    @cached_property
    def commands(self) -> tuple[frozenset[str], frozenset[str]]:
        """Code spans of each side that the other does not say, marked or plain."""
        return _unsaid(self.a.commands, self.b), _unsaid(self.b.commands, self.a)

    @cached_property
    def quoted(self) -> tuple[frozenset[str], frozenset[str]]:
        """Quotations of each side that the other does not say."""
        return _unsaid(self.a.quoted, self.b), _unsaid(self.b.quoted, self.a)

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Where the two part, in the order of `a`: in whole words, as they stand."""
        one, other = self.a.tokens[:_LONGEST_ALIGNED], self.b.tokens[:_LONGEST_ALIGNED]
        matcher = SequenceMatcher(None, [t.stem for t in one], [t.stem for t in other], autojunk=False)
        return tuple((_words(one[i:j]), _words(other[k:n])) for kind, i, j, k, n in matcher.get_opcodes() if kind != "equal")

    @cached_property
    def turned(self) -> tuple[str, str]:
        """Two shared words that stand the other way round in `b`, where both say nearly the same words; else empty."""
        order_a = [s for s in dict.fromkeys(self.a.content) if s in self.shared]
        place = {s: n for n, s in enumerate(dict.fromkeys(s for s in self.b.content if s in self.shared))}
        return next(((x, y) for x, y in pairwise(order_a) if place[x] > place[y]), ("", ""))

    def cover(self, side: int) -> float:
        """Share of the content words of `a` (0) or `b` (1) that the other side has too."""
        mine = (self.a, self.b)[side].content_set
        return len(self.shared) / len(mine) if mine else 0.0


def _words(tokens: Sequence[object]) -> str:
    return " ".join(getattr(t, "surface", "") for t in tokens)


def _unmentioned(names: frozenset[str], other: Reading) -> frozenset[str]:
    plain = other.low.replace("`", "")
    return frozenset(n for n in names - other.fixed if n.removeprefix("version ").lower() not in plain)


def _unsaid(spans: frozenset[str], other: Reading) -> frozenset[str]:
    plain = other.low.replace("`", "")
    return frozenset(span for span in spans if span.lower() not in plain)


def _missing_names(mine: Reading, theirs: Reading) -> frozenset[str]:
    def is_there(name: str) -> bool:
        return name in theirs.low or any(is_short_for(name, word) or is_short_for(word, name) for word in theirs.terms)

    return frozenset(name for name in mine.names - theirs.names if not is_there(name))
