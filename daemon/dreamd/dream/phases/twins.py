"""Whether a claim that was made before may be counted to the memory that has it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from dreamd.core.values import (
    EXPIRED,
    GUESSED,
    PLACE_OF,
    TRUST_RANK,
    Gated,
    GateVerdict,
    Memory,
    MemoryClass,
    Observation,
    Relation,
    Status,
    Trust,
    is_observed,
    trust_of,
)
from dreamd.extraction.conversation import SPOKEN_OF

DELETED = "deleted-by-person"
DROPPED = "dropped-by-person"
BURIED = frozenset({DELETED, DROPPED})
"""Why a memory is gone when a person wanted it gone: only a person's later word brings its claim back."""


@dataclass(frozen=True)
class Heard:
    """An observation with what the gate made of it."""

    observation: Observation
    gated: Gated

    @property
    def is_guess(self) -> bool:
        """Whether nobody but a language model says that it was said."""
        return self.gated.verdict is GateVerdict.HOLD and self.gated.reason in GUESSED


def is_guess(memory: Memory) -> bool:
    """Whether a memory waits because nobody but a language model says that it was said."""
    return memory.status is Status.HELD and memory.reason in GUESSED and not (memory.pinned or memory.edited)


def may_merge(one: Heard, memory: Memory) -> bool:
    """Whether an observation judged the same claim may support a memory."""
    ours = trust_of(one.observation.origin)
    if memory.status is Status.SUPERSEDED or is_guess(memory) and one.gated.verdict is GateVerdict.ALLOW:
        return False  # what is said in earnest lives in its own words, and not in those of a guess
    if memory.status is Status.ARCHIVED and memory.reason in BURIED:
        return ours is Trust.USER and _after_end(one, memory)
    if memory.status is Status.ARCHIVED and memory.reason == EXPIRED:
        # Said again after its end, or with a later one, it is true once more: a memory of its own, with its own end.
        return not _after_end(one, memory) and (one.gated.ttl or "") <= (memory.ttl or "")
    if ours is Trust.AGENT and memory.trust is Trust.UNTRUSTED and memory.status is Status.HELD:
        # An order that a page or a tool gave first is not the agent's own because the agent says it too.
        return one.gated.memory_class in (MemoryClass.RULE, MemoryClass.PREFERENCE)
    if one.gated.ttl and one.gated.ttl != memory.ttl and TRUST_RANK[ours] < TRUST_RANK[memory.authority]:
        # An end that somebody of lower authority knows of ends that one's own statement, not this one.
        return False
    chosen = one.observation.class_hint and not is_observed(one.observation.sign)  # a model's class is only a guess
    if chosen and one.gated.memory_class is not memory.memory_class and _hinted(memory, one):
        return False
    # Words nobody vouches for never lend their weight to a trusted memory, nor take any from it.
    return (ours is Trust.UNTRUSTED) == (memory.trust is Trust.UNTRUSTED)


def is_edit(observation: Observation) -> bool:
    """Whether an observation is a person's change to a memory's file, and no statement of its own."""
    return bool(observation.target) and not spoken_of(observation.target)


def spoken_of(target: str) -> tuple[str, ...]:
    """The observations that another one speaks of: a word it takes back, or lines in whose place it stands."""
    if target.startswith(SPOKEN_OF):
        return (target.removeprefix(SPOKEN_OF),)
    return tuple(target.removeprefix(PLACE_OF).split(",")) if target.startswith(PLACE_OF) else ()


def may_take_back(observation: Observation, memory: Memory | None) -> bool:
    """Whether a memory rests on nothing but what its person now takes back."""
    return (memory is not None and memory.status in (Status.LIVE, Status.HELD, Status.STALE)
            and not (memory.pinned or memory.edited) and set(memory.spoken_in) <= {observation.conversation})


def _after_end(one: Heard, memory: Memory) -> bool:
    return one.observation.at > (memory.valid_to or memory.updated_at)


def says_anew(one: Heard, ended: Memory) -> bool:
    """Whether a claim that has ended is made again, later than its end and by somebody no lower than who made it."""
    if ended.reason in (Relation.DUPLICATE.value, "trusted-over-untrusted"):
        return False
    return _after_end(one, ended) and TRUST_RANK[trust_of(one.observation.origin)] >= TRUST_RANK[ended.authority]


def _hinted(memory: Memory, one: Heard) -> bool:
    kinds = {"preference", "rule"}
    return not ({memory.memory_class.value, one.gated.memory_class.value} <= kinds)
