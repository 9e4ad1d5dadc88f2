"""Which of what was found answers the question, and not only speaks of the same.

A network reads the question with each of the first results: what it takes for an answer counts more. It raises and never
lowers, and hides nothing. Of two answers built alike the one that names what was asked for comes first: "Which region does
tenant 17 use?" is as near to what was said of tenant 18, for a number, a name or one word tells the two apart, and neither
vectors nor the share of common words give it the weight that it has for whoever asks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from dreamd.core.errors import Outage
from dreamd.core.values import Memory
from dreamd.kit import Kit
from dreamd.recall.ranking import LONGEST_QUESTION, Ranked
from dreamd.recall.terms import word_stems
from dreamd.text.alike.parallels import are_built_alike, exchanged, pieces

_NAME = re.compile(r"(?<=[\w,;:] )(?:[A-ZÀ-ÖØ-Þ][\w-]*|[\w-]*\d[\w.-]*)")
"""What a question calls by its name: in capitals where no sentence begins, or with a digit."""


def reader_for(kit: Kit, question: str) -> Callable[[Sequence[Memory]], Sequence[float]] | None:
    """What tells for each of some memories how likely (0–1) it answers a question; None where nothing is to be read.

    A longer text asks for no value, and without the network the order of nearness stands.
    """
    if not kit.settings.recall.answer_weight or len(question) > LONGEST_QUESTION:
        return None

    def read(some: Sequence[Memory]) -> Sequence[float]:
        reader = kit.load_reader()
        if reader is None:
            return []
        try:
            logits = reader.read([(question, memory.text) for memory in some])[:, 0]
        except Outage:
            return []
        return [1 / (1 + math.exp(-float(logit))) for logit in logits]

    return read


def own_first(answer: Sequence[Ranked], question: str) -> list[Ranked]:
    """An answer in which nothing stands before what is built like it and has the words of the question that it lacks.

    Nor before what is as near without the weight of its class, and has the names of the question that it lacks.
    """
    asked = frozenset(word_stems(pieces(question)))
    names = frozenset(name.casefold() for name in _NAME.findall(question))
    order = list(answer)
    for one in list(order):
        at = order.index(one)
        place = next((n for n, other in enumerate(order[:at])
                      if _names_instead(one, other, asked) or _is_nearer_by_name(one, other, names)), at)
        order.insert(place, order.pop(at))
    return order


def _is_nearer_by_name(one: Ranked, other: Ranked, names: frozenset[str]) -> bool:
    """Whether a result has every name of a question, and another that is less near none of them."""
    if not names or one.parts["similarity"] < other.parts["similarity"] or one.memory.scope != other.memory.scope:
        return False
    return names <= {*pieces(one.memory.text)} and names.isdisjoint(pieces(other.memory.text))


def _names_instead(one: Ranked, other: Ranked, asked: frozenset[str]) -> bool:
    """Whether a result has what was asked for in a place where another, built alike, has something else."""
    mine, theirs = one.memory.text, other.memory.text
    if one.memory.scope != other.memory.scope or not are_built_alike(mine, theirs):
        return False
    places = [(asked & {*word_stems(ours)}, asked & {*word_stems(others)}) for ours, others in exchanged(mine, theirs)]
    return any(ours for ours, _ in places) and not any(others for _, others in places)
