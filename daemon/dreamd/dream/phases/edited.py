"""A person's change to the file of a memory, taken into the memory. Pure."""

from __future__ import annotations

from dataclasses import replace

from dreamd.core.values import Fate, Status, Trust
from dreamd.dream.phases.draft import Draft
from dreamd.dream.phases.twins import DELETED, Heard
from dreamd.dream.plan import FateOf

RENAMED = "renamed-by-person"


def take_edit(one: Heard, draft: Draft) -> None:
    """A person changed or deleted a memory's file: the highest authority there is."""
    observation = one.observation
    memory = draft.memories.get(observation.target)
    if memory is None:
        draft.close_step(FateOf(observation, Fate.DISCARDED, "edited-memory-is-gone"))
        return
    if observation.sign == RENAMED:
        draft.change("rename", replace(memory, file=observation.text), reason=RENAMED)
        draft.close_step(FateOf(observation, Fate.REFINES, RENAMED, memory.id))
        return
    if observation.sign == DELETED:
        gone = replace(memory, status=Status.ARCHIVED, reason=DELETED, valid_to=observation.at)
        draft.change("archive", gone, reason=DELETED)
        draft.close_step(FateOf(observation, Fate.UPDATES, DELETED, memory.id))
        return
    status = Status.LIVE if memory.status in (Status.HELD, Status.STALE, Status.ARCHIVED) else memory.status
    after = replace(
        memory, text=one.gated.text, edited=True, status=status, trust=Trust.USER, authority=Trust.USER,
        updated_at=observation.at, confirmed_at=observation.at, observations=(*memory.observations, observation.id),
        support=memory.support + 1, ttl=one.gated.ttl or memory.ttl, reason="edited-by-person", valid_to=None)
    draft.change("edit", after, reason="edited-by-person")
    draft.close_step(FateOf(observation, Fate.REFINES, "edited-by-person", memory.id))
