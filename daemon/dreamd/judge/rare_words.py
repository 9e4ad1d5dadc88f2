"""Partners by shared rare words: what vectors overlook, because a name or a number hardly moves a sentence's meaning.

Two statements about `tern-west`, or two that say 5433, are worth a look whatever else they say, as long as few others
say it too. Pure and incremental; what it finds is only ever compared, never merged on its word.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

MOST_TEXTS = 12
"""A term that more statements share is a topic, not a sign that two of them speak of one thing."""
MOST_PARTNERS = 8
SHORTEST_WORD = 4
WORD = re.compile(r"[^\W_](?:[\w.:/@-]*\w)?", re.UNICODE)

Terms = Callable[[str], Iterable[str]]


def plain_terms(text: str) -> frozenset[str]:
    """Words of four letters and more, and whatever carries a digit or joins words: paths, versions, identifiers."""
    return frozenset(word for word in WORD.findall(text.casefold())
                     if len(word) >= SHORTEST_WORD or not word.isalpha())


FEW_AMONG = 64
"""Among so many statements for each that asks, a search for its terms takes less than taking every one apart."""
BETWEEN = "\0"
"""Stands between statements that are searched as one: no term holds it."""


class RareTerms:
    """An index of statements by the terms they carry, asked for those that share a rare one."""

    def __init__(self, terms: Terms = plain_terms, *, most_texts: int = MOST_TEXTS,
                 most_partners: int = MOST_PARTNERS, at_least: int = 0) -> None:
        """`at_least` counts statements that are there but were left out, for they share no term with any that is asked."""
        self._terms = terms
        self._at_least = at_least
        self._most_texts = most_texts
        self._most_partners = most_partners
        self._terms_of: dict[str, frozenset[str]] = {}
        self._texts_of: dict[str, dict[str, None]] = {}  # a set that keeps the order of adding

    def __len__(self) -> int:
        return len(self._terms_of)

    def add(self, text: str) -> None:
        """Take a statement in; one that is there already changes nothing."""
        if text in self._terms_of:
            return
        terms = self._terms_of[text] = frozenset(self._terms(text))
        for term in terms:
            self._texts_of.setdefault(term, {})[text] = None

    def discard(self, text: str) -> None:
        """Leave a statement out from now on."""
        for term in self._terms_of.pop(text, frozenset()):
            sharing = self._texts_of[term]
            del sharing[text]
            if not sharing:
                del self._texts_of[term]

    def partners(self, text: str) -> list[str]:
        """Statements sharing a rare term with this one, most and rarest terms first, never more than the bound."""
        known = self._terms_of.get(text)
        weight: dict[str, float] = {}
        for term in sorted(self._terms(text) if known is None else known):
            sharing = self._texts_of.get(term, {})
            if len(sharing) - (text in sharing) > self._most_texts:
                continue
            worth = _worth(len(sharing), max(self._at_least, len(self._terms_of)))
            for other in sharing:
                if other != text:
                    weight[other] = weight.get(other, 0.0) + worth
        return sorted(weight, key=lambda other: (-weight[other], other))[:self._most_partners]


def rare_partners(asked: Iterable[str], everyone: Sequence[str]) -> dict[str, list[str]]:
    """The partners of some statements among all; of the others only what they share with those is kept."""
    wanted = list(dict.fromkeys(asked))
    if len(wanted) * FEW_AMONG <= len(everyone):
        return _searched_for(wanted, everyone)
    terms = frozenset(term for text in wanted for term in plain_terms(text))
    rare = RareTerms(lambda text: terms.intersection(WORD.findall(text.casefold())), at_least=len(everyone))
    for text in everyone:
        rare.add(text)
    return {text: rare.partners(text) for text in wanted}


def _worth(sharing: int, among: int) -> float:
    return math.log1p((1 + among) / max(sharing, 1))


def _searched_for(wanted: Sequence[str], everyone: Sequence[str]) -> dict[str, list[str]]:
    """The same by looking for each term in all statements at once, and no further than where it is a topic."""
    texts = list(dict.fromkeys(everyone))
    whole = BETWEEN.join(texts).casefold()
    folded = whole.split(BETWEEN)
    if len(folded) != len(texts):  # one of them holds the sign itself
        folded = [text.casefold().replace(BETWEEN, " ") for text in texts]
        whole = BETWEEN.join(folded)
    starts = list(accumulate((len(one) + 1 for one in folded), initial=0))
    carriers: dict[str, list[int]] = {}
    partners = {}
    for text in wanted:
        weight: dict[str, float] = {}
        for term in sorted(plain_terms(text)):
            if term not in carriers:
                carriers[term] = _carriers(term, whole, folded, starts)
            sharing = [texts[n] for n in carriers[term]]
            if len(sharing) - (text in sharing) <= MOST_TEXTS:
                for other in sharing:
                    if other != text:
                        weight[other] = weight.get(other, 0.0) + _worth(len(sharing), len(everyone))
        partners[text] = sorted(weight, key=lambda other: (-weight[other], other))[:MOST_PARTNERS]
    return partners


def _carriers(term: str, whole: str, folded: Sequence[str], starts: Sequence[int]) -> list[int]:
    """The places of the statements that carry a term: all of them, or more than matter."""
    found: list[int] = []
    at = whole.find(term)
    while at >= 0 and len(found) <= MOST_TEXTS + 1:
        end = at + len(term)
        if whole[at - 1:at].isalnum() or whole[end:end + 1].isalnum():
            at = whole.find(term, at + 1)  # a part of a longer word, as most digits are
            continue
        place = bisect_right(starts, at) - 1
        if term in WORD.findall(folded[place]):
            found.append(place)
        at = whole.find(term, starts[place + 1])  # further on in this one it would count no more
    return found
