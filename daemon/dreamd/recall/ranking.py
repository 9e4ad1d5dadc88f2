"""What to show first: words and vectors fused, then the factors of recall, each visible in the answer.

Similarity leads and shared words lift it, never lower it: among 4,000 memories the lift raised the mean reciprocal
rank of questions that name something from 0.81 to 0.93 and cost reworded ones nothing, while a weighted mean of the two
hid one answer in fourteen below the floor. A score is comparable with the floor also without vectors: then the share
of the question's words that a memory has stands in. A word of the same meaning counts as most of the word.

The floor alone lets company in: where one memory answers, others of the same project are half as near and cost as many
tokens. So what is far behind the best is left out, except from a deep look. Nearness alone decides that, and the floor,
before age and staleness: what is merely old, or archived for it, is never hidden. They order what is equally near.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from dreamd.core.clock import days_between
from dreamd.core.settings import RecallSettings
from dreamd.core.values import Memory, MemoryClass, Status
from dreamd.recall.terms import word_matches

ABSORBED_FACTOR = 0.5
ABSORBED_CEILING = 0.5
AGELESS = frozenset({MemoryClass.PREFERENCE, MemoryClass.RULE})
DOCUMENTS = frozenset({MemoryClass.PROCEDURE})
OTHERS = frozenset({MemoryClass.HISTORY})
EARLIER_WORDING = 0.95
"""What the cosine of a wording counts that a memory has taken in or replaced; the memory's own counts in full."""
AGE_OF_HALF = 180.0
"""Days after which a memory has lost half of what it can lose to age alone, so that the later is always the younger."""
STEPS = {Status.STALE: 0.5, Status.ARCHIVED: 0.75}
"""Of what age can take at most, the share that being stale or archived takes alone: no live memory loses as much."""
READ = 16
"""Results that are read together with the question, the first ones."""
SURELY, SURELY_NOT = 0.5, 0.005
"""From how likely something answers it is shown although it is far, and below how likely it is not although it is near."""
NEAREST = 3
"""Results that stay however they read, but for what was archived and is near only by what a memory counts more: of 336
questions that have nothing to do with it 57 are shown such a one where 107 were, for 8 of 239 answers, which `--all` shows.
"""
LONGEST_QUESTION = 200
"""Up to this many characters a query is a question; a longer one is a text, which is read once and asks for no value."""


class Budget(StrEnum):
    """How many results are worth their tokens; `deep` also looks at versions that were replaced."""

    LEAN = "lean"
    BALANCED = "balanced"
    DEEP = "deep"


@dataclass(frozen=True)
class Hit:
    """A memory that words or vectors brought up.

    `vector_similarity` is the cosine with the query, None while the model is away or the memory has no vector yet.
    `word_score` is the share of the query's words it has (0–1); None lets `rank` compute it from the wording.
    """

    memory: Memory
    word_score: float | None = None
    vector_similarity: float | None = None
    earlier: bool = False
    """Whether the cosine is that of an earlier wording, which lives on in this memory."""
    has_value: bool = False
    """Whether it has a value of the kind that the question asks for."""
    said_by: bool = False
    """Whether the question names who said it."""


@dataclass(frozen=True)
class Asked:
    """What is wanted of a ranking, apart from the query itself."""

    budget: Budget = Budget.BALANCED
    count: int | None = None
    """Number of results in place of the budget's."""
    held: bool = False
    """Also memories held for review."""
    injection: bool = False
    """For a conversation: only what holds today, and never more than the injection cap."""
    everything: bool = False
    """Also what was replaced or archived, whatever stands in its place today."""
    read: Callable[[Sequence[Memory]], Sequence[float]] | None = None
    """How likely (0–1) each of some memories answers the question; none for all where it cannot be told."""

    @property
    def whole(self) -> bool:
        """Whether nothing is left out for being far."""
        return self.budget is Budget.DEEP or self.everything


@dataclass(frozen=True)
class Ranked:
    """A memory with its score and every factor that made it."""

    memory: Memory
    score: float
    parts: dict[str, float] = field(default_factory=dict)


def rank(query: str, hits: Sequence[Hit], *, now: datetime, rules: RecallSettings,
         asked: Asked = Asked()) -> list[Ranked]:
    """The best of the hits, best first, as many as the budget allows and none below the floor."""
    shown = [hit for hit in hits if _may_show(hit.memory, asked)]
    if any(hit.word_score is None for hit in shown):
        matches = word_matches(query, [hit.memory.text for hit in shown])
        shown = [replace(hit, word_score=match) if hit.word_score is None else hit
                 for hit, match in zip(shown, matches, strict=True)]
    measured = [_score(hit, rules) for hit in shown]
    scored = [one for one in measured if _passes(one, rules, everything=asked.everything)]
    if not asked.whole:
        # What was replaced goes first: it must not set how near an answer has to be.
        scored = _without_company(_without_replaced(scored), rules.share_of_best)
    passed = _in_order(_aged(one, now, rules) for one in scored)
    if asked.read:
        near = {one.memory.id for one in scored}
        far = _in_order(_aged(one, now, rules) for one in measured if one.memory.id not in near
                        and one.memory.status not in (Status.SUPERSEDED, Status.HELD))
        passed = _answers_first(passed, far, rules, asked)
    return passed[:result_count(asked, rules)]


def _in_order(some: Iterable[Ranked]) -> list[Ranked]:
    return sorted(some, key=lambda one: (-one.score, -one.memory.confirmed_at.timestamp(), one.memory.id))


def _answers_first(passed: list[Ranked], far: list[Ranked], rules: RecallSettings, asked: Asked) -> list[Ranked]:
    """The first results lifted by how likely each of them answers; of what is far what reads as an answer, and of what is near
    all but what reads as none.

    What was archived is lifted no more than anything live: it stays behind what is as near. What was said to something is read
    without that, and so never taken for no answer.
    """
    first = [*passed, *far][:READ]
    gone = [one.memory.status is Status.ARCHIVED for one in first]
    told = asked.read([one.memory for one in first]) if asked.read and first else []
    judged = bool(told) and not asked.whole
    told = told or [0.0] * len(first)

    def is_shown(n: int, one: Ranked, likely: float) -> bool:
        if n >= len(passed) or likely >= SURELY or not judged:
            return n < len(passed) or likely >= SURELY
        stays = n < NEAREST and not (gone[n] and one.parts["nearness"] < rules.floor)
        return stays or likely >= SURELY_NOT or bool(one.memory.answers)

    shown = [is_shown(n, one, likely) for n, (one, likely) in enumerate(zip(first, told, strict=True))]
    most = min((likely for likely, away in zip(told, gone, strict=True) if not away), default=1.0)
    told = [min(likely, most) if away else likely for likely, away in zip(told, gone, strict=True)]
    lifted = [_lifted(one, rules.answer_weight, likely) for one, likely, stays in zip(first, told, shown, strict=True) if stays]
    return _in_order([*lifted, *passed[READ:]])


def _lifted(one: Ranked, weight: float, likely: float) -> Ranked:
    """A result whose likeness to the question is lifted by how likely it answers, and by as much its score."""
    near = one.parts["similarity"]
    factors = one.score / near if near > 0 else 1.0
    return replace(one, score=factors * (near + weight * likely * (1 - near)), parts={**one.parts, "answers": likely})


def weigh(hit: Hit, *, now: datetime, rules: RecallSettings) -> Ranked:
    """One hit with every factor of its score, apart from any other."""
    return _aged(_score(hit, rules), now, rules)


def result_count(asked: Asked, rules: RecallSettings) -> int:
    """How many results a request may bring at most."""
    by_budget = {Budget.LEAN: rules.lean, Budget.BALANCED: rules.balanced, Budget.DEEP: rules.deep}
    wanted = by_budget[asked.budget] if asked.count is None else max(asked.count, 0)
    return min(wanted, rules.injection_cap) if asked.injection else wanted


def fuse(word_score: float, vector_similarity: float | None, word_weight: float) -> float:
    """Similarity lifted by shared words; without a vector, the words alone."""
    if vector_similarity is None:
        return word_score
    led = max(vector_similarity, 0.0)
    return led + word_weight * word_score * (1 - led)


def _may_show(memory: Memory, asked: Asked) -> bool:
    if memory.status is Status.HELD:
        return asked.held and not asked.injection
    if memory.status is Status.SUPERSEDED:
        return not asked.injection
    return (memory.may_answer or memory.status is Status.SAID or asked.everything) and not (
        asked.injection and memory.status in (Status.ARCHIVED, Status.SAID))


def _passes(one: Ranked, rules: RecallSettings, *, everything: bool) -> bool:
    """Whether something is near enough to be shown."""
    # A name or a value that fits makes nothing near that is far.
    plain = one.parts["nearness"] / one.parts["similarity"] if one.parts["similarity"] > 0 else 1.0
    # Who asks for everything asks for what was replaced as well: that orders it then, and does not hide it.
    ended = everything and one.memory.status is Status.SUPERSEDED
    score = one.parts["similarity"] * one.parts["class_boost"] if ended else one.score
    return score * plain >= rules.floor


def _score(hit: Hit, rules: RecallSettings) -> Ranked:
    memory = hit.memory
    words = hit.word_score or 0.0
    parts = {"words": words}
    if hit.vector_similarity is not None:
        parts["vectors"] = hit.vector_similarity
        if hit.earlier:
            parts["earlier_wording"] = EARLIER_WORDING
    score = fuse(words, hit.vector_similarity, rules.word_weight)
    parts["nearness"] = score
    lifts = {"asked_for": rules.value_weight if hit.has_value else 0.0, "said_by": rules.speaker_weight if hit.said_by else 0.0}
    for name, weight in lifts.items():
        if weight:
            parts[name] = weight
            score += weight * (1 - score)
    parts["similarity"] = score
    parts["class_boost"] = _class_boost(memory, rules)
    score *= parts["class_boost"]
    if memory.status is Status.SUPERSEDED and memory.superseded_by and memory.valid_to is None:
        # Its claim holds and lives on in a newer wording; an ended one carries the date it ended.
        parts["absorbed"] = ABSORBED_FACTOR
        score = min(score * ABSORBED_FACTOR, ABSORBED_CEILING)
    elif memory.status is Status.SUPERSEDED:
        parts["superseded"] = rules.superseded_factor
        score *= rules.superseded_factor
    parts["before_age"] = score
    return Ranked(memory, score, parts)


def _class_boost(memory: Memory, rules: RecallSettings) -> float:
    """What the kind of a text counts; what a person said and no memory carries is no worse an answer for that."""
    if memory.memory_class in DOCUMENTS:
        return rules.document_boost
    is_other = memory.memory_class in OTHERS and memory.status is not Status.SAID
    return 1.0 if is_other else rules.memory_boost


def _aged(one: Ranked, now: datetime, rules: RecallSettings) -> Ranked:
    """Age orders what passed the floor and hides nothing."""
    age = age_factor(one.memory, now, rules)
    return Ranked(one.memory, one.score * age, {**one.parts, "age": age})


def age_factor(memory: Memory, now: datetime, rules: RecallSettings) -> float:
    """What age and staleness leave of a score: at least nine tenths, and of two memories more for the one heard of later."""
    heard = max(memory.confirmed_at, memory.recalled_at or memory.confirmed_at)
    days = max(days_between(heard, now), 0.0)
    if rules.age_rate_per_day:
        return 1.0 if memory.memory_class in AGELESS else math.exp(-rules.age_rate_per_day * days)
    if memory.pinned:
        return 1.0
    step = STEPS.get(memory.status, 0.0)
    room = 0.25 if step else 0.5
    return 1.0 - rules.decay * (step + room * days / (days + AGE_OF_HALF))


def _without_company(scored: Sequence[Ranked], share: float) -> list[Ranked]:
    """Leave out what is far less near than the nearest."""
    least = share * max((one.parts["similarity"] for one in scored), default=0.0)
    return [one for one in scored if one.parts["similarity"] >= least]


def _without_replaced(passed: Sequence[Ranked]) -> list[Ranked]:
    """Leave out versions whose successor is an answer too: the old value beside the new one only misleads."""
    answers = {one.memory.id: one.memory for one in passed}

    def replaced(memory: Memory) -> bool:
        seen = {memory.id}
        while memory.superseded_by in answers and memory.superseded_by not in seen:
            memory = answers[memory.superseded_by]
            seen.add(memory.id)
            if memory.status is not Status.SUPERSEDED:
                return True
        return False

    return [one for one in passed if one.memory.status is not Status.SUPERSEDED or not replaced(one.memory)]
