"""What a plan makes of a person's edits in files: the highest authority there is, and for deletions a limit of their own.

A deletion past the limit waits with a fate that says so, and the next dreams take it up again, the oldest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from dreamd.core.values import (
    DELETION_WAITS,
    ELSEWHERE_TOO,
    OVERRULED,
    PLACE_OF,
    WITHDRAWN,
    Fate,
    Memory,
    Observation,
    Status,
    Trust,
)
from dreamd.dream.living.reclass import by_its_end
from dreamd.dream.phases.draft import Draft, founded
from dreamd.dream.phases.twins import DELETED, Heard
from dreamd.dream.plan import Change, FateOf
from dreamd.notes import topic_path

RENAMED = "renamed-by-person"
LATE = {ELSEWHERE_TOO: 1, OVERRULED: 1, DELETED: 2, WITHDRAWN: 2}
"""Of what was done to files at one time this comes after the edits it lost to, and deletions after all."""
LAST = "last-live-memory"
SHARE = "deletion-limit"


@dataclass
class Deletions:
    """How many of a scope's live memories a person's deletions may end in one run, and what is left of that."""

    percent: int = 100
    always: int = 0
    unlimited: bool = False
    said_since: frozenset[str] = frozenset()
    """Deletions that waited, by observation, of which the person has meanwhile said that the memory holds."""
    left: int = 0

    def of(self, draft: Draft) -> Deletions:
        """The same for one plan."""
        return replace(self, left=max(self.always, draft.live_count() * self.percent // 100))

    def holds_back(self, observation: Observation, memory: Memory, draft: Draft) -> str:
        """The limit a deletion is past; empty for one that may be carried out. What is past its own end never counts."""
        ended = memory.ttl is not None and memory.ttl < observation.at.date().isoformat()
        if self.unlimited or memory.status is not Status.LIVE or ended:
            return ""
        if draft.live_count() <= 1:
            return LAST
        if self.left <= 0:
            return SHARE
        self.left -= 1
        return ""


def in_turn(heard: Sequence[Heard]) -> list[Heard]:
    """What was said, in order; of what was done to files at one time deletions come last: what replaced them stands by then."""
    return sorted(heard, key=lambda one: _turn(one.observation))


def _turn(one: Observation) -> tuple[datetime, int, int]:
    placed = one.target.startswith(PLACE_OF)  # in the order it was read: of one line several later ones may be waiting
    return one.at, LATE.get(one.sign, int(placed)), one.seq if placed else 0


def take_edit(one: Heard, draft: Draft, deletions: Deletions) -> None:
    """A person changed, renamed or deleted a memory's file."""
    observation = one.observation
    memory = draft.memories.get(observation.target)
    if memory is None:
        draft.close_step(FateOf(observation, Fate.DISCARDED, "edited-memory-is-gone"))
    elif observation.sign == RENAMED:
        draft.change("rename", replace(memory, file=observation.text), reason=RENAMED)
        draft.close_step(FateOf(observation, Fate.REFINES, RENAMED, memory.id))
    elif observation.sign == DELETED:
        _delete(observation, memory, draft, deletions)
    elif observation.sign == OVERRULED:
        draft.close_step(FateOf(observation, Fate.DISCARDED, OVERRULED, memory.id))
    elif observation.sign == ELSEWHERE_TOO:
        _hold_beside(one, memory, draft)
    elif memory.status is Status.SUPERSEDED:
        _found_anew(one, memory, draft)
    else:
        _change(one, memory, draft)


def _change(one: Heard, memory: Memory, draft: Draft) -> None:
    observation = one.observation
    status = Status.LIVE if memory.status in (Status.HELD, Status.STALE, Status.ARCHIVED) else memory.status
    after = replace(
        memory, text=one.gated.text, edited=True, status=status, trust=Trust.USER, authority=Trust.USER,
        memory_type=observation.type_hint or memory.memory_type, updated_at=observation.at, confirmed_at=observation.at,
        observations=(*memory.observations, observation.id),
        support=memory.support + 1, ttl=one.gated.ttl, reason="edited-by-person", valid_to=None)
    draft.change("edit", by_its_end(after), reason="edited-by-person")
    draft.close_step(FateOf(observation, Fate.REFINES, "edited-by-person", memory.id))


def _hold_beside(one: Heard, memory: Memory, draft: Draft) -> None:
    """The words of a second edit of the same memory wait beside the first, unless they are part of it."""
    observation = one.observation
    if observation.ttl == memory.ttl and " ".join(observation.text.split()) in " ".join(memory.text.split()):
        draft.close_step(FateOf(observation, Fate.DUPLICATE, observation.sign, memory.id))
        return
    held = replace(_like(one, memory, Status.HELD), reason="contradicts")
    draft.change("hold", held, reason=observation.sign, evidence=("edited differently in two places",))
    draft.link(held, memory, "contradicts")
    draft.close_step(FateOf(observation, Fate.CONTRADICTS, observation.sign, held.id))


def _found_anew(one: Heard, memory: Memory, draft: Draft) -> None:
    """A person edited the file of a memory that ended in that very moment: what they wrote stands by itself."""
    observation = one.observation
    same = next((m for m in draft.with_wording(observation.text) if m.status is Status.LIVE), None)
    if same is not None:
        draft.close_step(FateOf(observation, Fate.DUPLICATE, "edited-by-person", same.id))
        return
    fresh = _like(one, memory, Status.LIVE)
    draft.change("edit", fresh, reason="edited-by-person")
    draft.close_step(FateOf(observation, Fate.NEW, "edited-by-person", fresh.id))


def _like(one: Heard, memory: Memory, status: Status) -> Memory:
    """A memory of an edit's own words and of another's kind: the gate has no say in what a person wrote into their files."""
    text = one.gated.text or one.observation.text
    fresh = replace(founded(one, status, reason="edited-by-person"), text=text, memory_class=memory.memory_class,
                    memory_type=memory.memory_type, category=memory.category, ttl=one.observation.ttl or memory.ttl, file="")
    return replace(fresh, file=topic_path(fresh))


def _delete(observation: Observation, memory: Memory, draft: Draft, deletions: Deletions) -> None:
    if observation.id in deletions.said_since:
        draft.close_step(FateOf(observation, Fate.DISCARDED, "said-again-since", memory.id))
        return
    gone = replace(memory, status=Status.ARCHIVED, reason=DELETED, valid_to=observation.at)
    if not put_off(observation, gone, draft, deletions):
        draft.change("archive", gone, reason=DELETED)
        draft.close_step(FateOf(observation, Fate.UPDATES, DELETED, memory.id))


def put_off(observation: Observation, gone: Memory, draft: Draft, deletions: Deletions) -> bool:
    """Whether a memory may not go in this run, past the limit of what may vanish: then what asked for it waits."""
    memory = draft.memories[gone.id]
    past = deletions.holds_back(observation, memory, draft)
    if past:
        draft.waiting.append(Change("archive", memory, gone, gone.reason, (past,)))
        if observation.fate is None:
            draft.close_step(FateOf(observation, Fate.HELD, DELETION_WAITS, memory.id, (past,)))
    return bool(past)
