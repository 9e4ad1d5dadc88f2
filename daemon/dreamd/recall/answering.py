"""Which of what was found answers the question, and not only speaks of the same.

A network reads the question with each of the first results: what it takes for an answer counts more, and lowers nothing. Of two
answers it reads whether the later one took the place of the earlier. Neither can be told by a night, for without the question
"we are at five" and "four now, the fox got one" are two remarks on hens.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dreamd.core.errors import Outage
from dreamd.core.values import Memory
from dreamd.kit import Kit
from dreamd.models.answer_net import with_question
from dreamd.recall.ranking import LONGEST_QUESTION

TURNED, ANSWERED, BASE = 0.54, 0.27, -0.41
"""What the two outputs weigh for whether a later answer replaced an earlier, fitted on worlds that the network never met."""


class Reading:
    """A question that is read together with what was found for it."""

    def __init__(self, kit: Kit, question: str) -> None:
        self._kit, self._question = kit, question
        self._told: dict[str, float] = {}

    def answers(self, some: Sequence[Memory]) -> list[float]:
        """How likely (0–1) each of some memories answers; nothing where the network is away, and nearness alone counts."""
        logits = self._logits([(self._question, memory.text) for memory in some], 0)
        self._told.update(zip([memory.id for memory in some], logits, strict=False))
        return [_likely(logit) for logit in logits]

    def replaced(self, pairs: Sequence[tuple[Memory, Memory]]) -> list[float]:
        """For an earlier and a later one each that were read, how likely (0–1) the later took the place of the earlier."""
        logits = self._logits([(with_question(self._question, old.text), new.text) for old, new in pairs], 1)
        return [_likely(TURNED * logit + ANSWERED * self._told[new.id] + BASE)
                for (_, new), logit in zip(pairs, logits, strict=False)]

    def _logits(self, pairs: Sequence[tuple[str, str]], column: int) -> list[float]:
        reader = self._kit.load_reader() if pairs else None
        try:
            return [float(row[column]) for row in reader.read(pairs)] if reader else []
        except Outage:
            return []


def _likely(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def reading_of(kit: Kit, question: str) -> Reading | None:
    """What reads a question; None where nothing is to be read, or for a longer text, which asks for no value."""
    return Reading(kit, question) if kit.settings.recall.answer_weight and len(question) <= LONGEST_QUESTION else None
