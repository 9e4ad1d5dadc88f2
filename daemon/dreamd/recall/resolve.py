"""From what is near to an answer: one thing once, today's value and not yesterday's, and no more than was asked for.

Which passage a memory carries, and what took the place of what, the nights found out (`weighed`); what no night has weighed yet
is shown like anything else that was said. Beside that an earlier answer stays away for a later one that reads as having
replaced it, for this question alone; a deep look shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from dreamd.core.settings import RecallSettings
from dreamd.core.values import Memory, MemoryClass, Relation, Status
from dreamd.recall.ranking import EARLIER_WORDING, Hit, Ranked, weigh
from dreamd.recall.terms import word_roots
from dreamd.recall.weighed import Weighed
from dreamd.store import memories
from dreamd.text.alike.parallels import puts_another

if TYPE_CHECKING:
    from datetime import datetime

    from dreamd.recall.shelf import Near
    from dreamd.store.connection import Store

COMPARED = 6
"""Memories that a passage may stand aside for, the nearest ones."""
COMPARED_FROM = 0.4
CONTAINED = 0.85
"""Share of the words of a passage that another result must have to stand for it."""
OF_TEN = 10
MAY_ANSWER, REPLACED = 0.1, 0.4
"""From how likely something may be an answer, and from how likely one answer took the place of another: from there on a dream
over talks still finds what the raw statements do.
"""
ANSWERED = 0.02
"""From how likely something answered before: the question is worded after what holds today, and often reads past the other."""
ANSWERS_COMPARED = 5
CLEARLY_LATER = timedelta(days=1)


@dataclass(frozen=True)
class Wanted:
    """What is wanted of an answer, apart from the question."""

    now: datetime
    rules: RecallSettings
    count: int
    """Results it may have."""
    whole: bool = False
    """A deep look, which is shown what is over as well."""
    replaced: Callable[[Sequence[tuple[Ranked, Ranked]]], Sequence[float]] | None = None
    """How likely (0–1) the later of two answers each took the place of the earlier; nothing where it cannot be told."""


def resolve(ranked: Sequence[Ranked], wanted: Wanted, store: Store, near: Near | None) -> list[Ranked]:
    """The results that make an answer, best first."""
    weighed = Weighed(None if wanted.whole else store)
    told = _without_their_words(ranked)[:2 * wanted.count]
    weighed.meet(one.memory for one in told)
    if not wanted.whole:
        told = _instead_of_passages(told, weighed, wanted, store, near)
        told = [one for one in told if not any(_is_over(one.memory, other.memory, weighed) for other in told)]
        told = _without_states_of_before(told)
        told = without_earlier_answers(told, wanted.replaced) if wanted.replaced else told
    chosen = _chosen(told, wanted)
    read = any(one.parts.get("answers") for one in chosen)  # with the question, which knows better what is newer for it
    return chosen if read else _newer_first(chosen, weighed)


def _without_states_of_before(told: Sequence[Ranked]) -> list[Ranked]:
    """A state past its day answers only where no state of today does: who is away, not who was."""
    today = any(one.memory.memory_class is MemoryClass.STATE and one.memory.status is Status.LIVE for one in told)
    return [one for one in told if not (today and one.memory.is_expired)]


def without_earlier_answers(told: Sequence[Ranked],
                            replaced: Callable[[Sequence[tuple[Ranked, Ranked]]], Sequence[float]]) -> list[Ranked]:
    """Of two answers the later alone, in the better place of both, where it reads as having replaced the earlier."""
    def reading_as_answers(least: float, most: int) -> list[Ranked]:
        return [one for one in told if one.parts.get("answers", 0.0) >= least][:most]

    first, before = reading_as_answers(MAY_ANSWER, ANSWERS_COMPARED), reading_as_answers(ANSWERED, 2 * ANSWERS_COMPARED)
    pairs = [(old, new) for old in before for new in first
             if not old.memory.pinned and is_of_another_day(old.memory, new.memory)]
    order = list(told)
    likely = replaced(pairs)
    for (old, new), turned in zip(pairs, likely, strict=False):  # none where the network is away
        if turned >= REPLACED and old in order and new in order:
            at = min(order.index(old), order.index(new))
            order.remove(old)
            order.insert(at, order.pop(order.index(new)))
    return order


def most_of(count: int, rules: RecallSettings) -> int:
    """How many of so many results may be passages."""
    return max(1, round(count * rules.passages / OF_TEN)) if rules.passages and count else 0


def _without_their_words(ranked: Sequence[Ranked]) -> list[Ranked]:
    """What is near, without passages whose words a memory beside them rests on."""
    carried = {said for one in ranked if one.memory.status is not Status.SAID for said in one.memory.observations}
    return [one for one in ranked if one.memory.status is not Status.SAID or one.memory.id not in carried]


def _instead_of_passages(told: Sequence[Ranked], weighed: Weighed, wanted: Wanted, store: Store,
                         near: Near | None) -> list[Ranked]:
    """The same, each passage replaced by what carries it or took its place."""
    said = [one for one in told if one.memory.status is Status.SAID]
    standing = _standing(said, told, store, near) if said else {}
    weighed.meet(memory for some in standing.values() for memory in some)
    there = {one.memory.id for one in told}
    found: dict[str, Ranked] = {}
    for one in told:
        if one.memory.status is not Status.SAID:
            found.setdefault(one.memory.id, one)
            continue
        instead = next((memory for memory in standing[one.memory.id] if weighed.is_past(one.memory, memory)), None)
        if instead is None:
            found[one.memory.id] = one
        elif instead.may_answer and instead.id not in there:
            carrier = _carrier(instead, one, wanted)
            found.setdefault(instead.id, carrier)
    return list(found.values())


def _standing(said: Sequence[Ranked], told: Sequence[Ranked], store: Store, near: Near | None) -> dict[str, list[Memory]]:
    """For each passage the memories of its scope that may speak of the same thing, the nearest first."""
    import numpy as np

    having = {one.memory.id: (str(one.memory.scope), vector) for one in said
              if near and (vector := near.vector_of(one.memory.id)) is not None}
    alike: dict[str, dict[str, float]] = {}
    if near and having:
        scopes, vectors = zip(*having.values(), strict=True)
        alike = dict(zip(having, near.worded_like(np.stack(vectors), scopes), strict=True))
    held = memories.load_some(store, list(dict.fromkeys(i for some in alike.values() for i in some)))
    beside = [one.memory for one in told if one.memory.status is not Status.SAID]
    found = {}
    for one in said:
        rows = [held[i] for i, cosine in alike[one.memory.id].items() if i in held and cosine >= COMPARED_FROM
                ] if one.memory.id in alike else beside
        found[one.memory.id] = [other for other in rows if other.scope == one.memory.scope][:COMPARED]
    return found


def _carrier(memory: Memory, passage: Ranked, wanted: Wanted) -> Ranked:
    """The memory that carries or replaced a passage, found by words that are not its own."""
    cosine = passage.parts.get("vectors")
    hit = Hit(memory, passage.parts["words"], None if cosine is None else cosine * EARLIER_WORDING, earlier=cosine is not None)
    return weigh(hit, now=wanted.now, rules=wanted.rules)


def _chosen(told: Sequence[Ranked], wanted: Wanted) -> list[Ranked]:
    """As many results as are wanted, each the first to say what it says."""
    most, chosen = most_of(wanted.count, wanted.rules), list[Ranked]()
    for one in told:
        is_said = one.memory.status is Status.SAID
        if len(chosen) == wanted.count:
            break
        if (is_said and sum(other.memory.status is Status.SAID for other in chosen) == most) or any(
                _says_all_of(other.memory, one.memory) for other in chosen):
            continue
        chosen = [*(other for other in chosen if not _says_all_of(one.memory, other.memory)), one]
    return chosen


def _says_all_of(memory: Memory, other: Memory) -> bool:
    """Whether a text has nearly every word of a passage, so that both together say no more; age alone makes no passage."""
    if other.status is not Status.SAID:
        return False
    mine, theirs = word_roots(memory.text), word_roots(other.text)
    more = theirs - mine
    return len(more) <= (1 - CONTAINED) * len(theirs) and not (more and puts_another(memory.text, other.text))


def _is_over(earlier: Memory, later: Memory, weighed: Weighed) -> bool:
    """Whether a night found that something said on a later day carries or replaced what was only said, or is stale."""
    return (not earlier.pinned and earlier.status in (Status.SAID, Status.STALE, Status.ARCHIVED)
            and is_of_another_day(earlier, later) and weighed.is_past(earlier, later))


def _newer_first(answer: Sequence[Ranked], weighed: Weighed) -> list[Ranked]:
    """An answer in which nothing stands before what a night found to be newer."""
    order = list(answer)
    for new in answer:
        at = order.index(new)
        first = next((n for n, old in enumerate(order[:at]) if _is_newer(new.memory, old.memory, weighed)), at)
        order.insert(first, order.pop(at))
    return order


def _is_newer(new: Memory, old: Memory, weighed: Weighed) -> bool:
    found = weighed.of(old, new) if is_of_another_day(old, new) else None
    return found is not None and found.relation in (Relation.UPDATES, Relation.CONTRADICTS) and found.newer != "a"


def is_of_another_day(earlier: Memory, later: Memory) -> bool:
    """Whether one was said clearly later, in another conversation of the same scope."""
    apart = later.confirmed_at - earlier.confirmed_at >= CLEARLY_LATER and earlier.scope == later.scope
    return apart and set(earlier.spoken_in).isdisjoint(later.spoken_in)
