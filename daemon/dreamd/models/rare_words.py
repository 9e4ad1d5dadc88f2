"""Partners by shared rare words: what vectors overlook, because a name or a number hardly moves a sentence's meaning.

Two statements about `tern-west`, or two that say 5433, are worth a look whatever else they say, as long as few others
say it too. What is found here is only ever compared, never merged on its word.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

MOST_TEXTS = 12
"""A term that more statements share is a topic, not a sign that two of them speak of one thing."""
MOST_PARTNERS = 8
SHORTEST_WORD = 4
WORD = re.compile(r"[^\W_](?:[\w.:/@-]*\w)?", re.UNICODE)
FEW_AMONG = 64
"""Among so many statements for each that asks, a search for its terms takes less than taking every one apart."""
BETWEEN = "\0"
"""Stands between statements that are searched as one: no term holds it."""


def plain_terms(text: str) -> frozenset[str]:
    """Words of four letters and more, and whatever carries a digit or joins words: paths, versions, identifiers."""
    return frozenset(word for word in WORD.findall(text.casefold()) if len(word) >= SHORTEST_WORD or not word.isalpha())


def rare_partners(asked: Iterable[str], everyone: Sequence[str]) -> dict[str, list[str]]:
    """For each that asks the statements sharing a rare term with it, most and rarest terms first, never more than the bound."""
    terms_of = {text: sorted(plain_terms(text)) for text in asked}
    terms = frozenset(term for some in terms_of.values() for term in some)
    seek = _searched if len(terms_of) * FEW_AMONG <= len(everyone) else _listed
    carriers = seek(terms, list(dict.fromkeys(everyone)))
    partners = {}
    for text, some in terms_of.items():
        weight: dict[str, float] = {}
        for sharing in (carriers[term] for term in some):
            if len(sharing) - (text in sharing) <= MOST_TEXTS:
                worth = math.log1p((1 + len(everyone)) / max(len(sharing), 1))
                for other in sharing:
                    weight[other] = weight.get(other, 0.0) + worth
        weight.pop(text, None)
        partners[text] = sorted(weight, key=lambda other: (-weight[other], other))[:MOST_PARTNERS]
    return partners


def _listed(terms: frozenset[str], texts: Sequence[str]) -> dict[str, list[str]]:
    """The statements that carry each term, by taking every one apart."""
    carriers: dict[str, list[str]] = {term: [] for term in terms}
    for text in texts:
        for term in terms.intersection(WORD.findall(text.casefold())):
            carriers[term].append(text)
    return carriers


def _searched(terms: frozenset[str], texts: Sequence[str]) -> dict[str, list[str]]:
    """The same by looking for each term in all statements at once, and no further than where it is a topic."""
    whole = BETWEEN.join(texts).casefold()
    folded = whole.split(BETWEEN)
    if len(folded) != len(texts):  # one of them holds the sign itself
        folded = [text.casefold().replace(BETWEEN, " ") for text in texts]
        whole = BETWEEN.join(folded)
    starts = list(accumulate((len(one) + 1 for one in folded), initial=0))
    return {term: [texts[n] for n in _carriers(term, whole, folded, starts)] for term in terms}


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
