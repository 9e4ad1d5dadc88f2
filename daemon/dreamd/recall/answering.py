"""Which of what was found answers the question, and not only speaks of the same.

A network reads the question with each of the first results: what it takes for an answer counts more, and lowers nothing. Of two
answers it reads whether the later one took the place of the earlier. Neither can be told by a night, for without the question
"we are at five" and "four now, the fox got one" are two remarks on hens.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul

from dreamd.core.errors import Outage
from dreamd.core.values import Memory
from dreamd.kit import Kit
from dreamd.models.answer_net import with_question
from dreamd.recall.ranking import LONGEST_QUESTION, Ranked
from dreamd.text import patterns

TURNS, TURNS_BASE = (0.78, 0.12, 1.30, -1.53), -2.78
"""What each sign weighs for whether a later answer replaced an earlier; `tests/bench/answer_limits.py` fits them."""
LEAST_LIKELY, LEAST_NEAR = 0.001, 0.01
"""Below it nothing is less likely to answer, and nothing less near."""


class Reading:
    """A question that is read together with what was found for it."""

    def __init__(self, kit: Kit, question: str) -> None:
        self._kit, self._question = kit, question
        self.read: list[tuple[float, str]] = []
        """All that was read, with how likely each answers."""

    def answers(self, some: Sequence[Memory]) -> list[float]:
        """How likely (0–1) each of some memories answers; nothing where the network is away, and nearness alone counts."""
        told = [_likely(logit) for logit in self._logits([(self._question, memory.text) for memory in some], 0)]
        self.read = list(zip(told, (memory.text for memory in some), strict=False))  # none where the network is away
        return told

    def replaced(self, pairs: Sequence[tuple[Ranked, Ranked]]) -> list[float]:
        """For an earlier and a later one each, both read before, how likely (0–1) the later took the place of the earlier."""
        return [_likely(sum(map(mul, TURNS, signs)) + TURNS_BASE) for signs in self.signs_of_turns(pairs)]

    def signs_of_turns(self, pairs: Sequence[tuple[Ranked, Ranked]]) -> list[tuple[float, float, float, float]]:
        """What the network reads of each pair, how surely the later one answers, how much nearer to the question that is, and
        whether the question asks for what happened once, which nothing later answers anew.
        """
        logits = self._logits([(with_question(self._question, old.memory.text), new.memory.text) for old, new in pairs], 1)
        past = float(patterns.has("words/asked", "past", self._question))
        return [(logit, logit_of(new), _nearer(old, new), past) for (old, new), logit in zip(pairs, logits, strict=False)]

    def _logits(self, pairs: Sequence[tuple[str, str]], column: int) -> list[float]:
        reader = self._kit.load_reader() if pairs else None
        try:
            return [float(row[column]) for row in reader.read(pairs)] if reader else []
        except Outage:
            return []


def _likely(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def logit_of(one: Ranked) -> float:
    """How surely a result answers, without bounds; of one that was not read, surely not."""
    likely = min(max(one.parts.get("answers", 0.0), LEAST_LIKELY), 1 - LEAST_LIKELY)
    return math.log(likely / (1 - likely))


def _nearer(old: Ranked, new: Ranked) -> float:
    """How much nearer to the question the later of two is, as the logarithm of the ratio."""
    return math.log(max(new.parts["nearness"], LEAST_NEAR) / max(old.parts["nearness"], LEAST_NEAR))


def reading_of(kit: Kit, question: str) -> Reading | None:
    """What reads a question; None where nothing is to be read, or for a longer text, which asks for no value."""
    return Reading(kit, question) if kit.settings.recall.answer_weight and len(question) <= LONGEST_QUESTION else None
