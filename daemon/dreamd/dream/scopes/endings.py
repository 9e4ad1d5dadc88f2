"""The end of a conversation's own scope: what lasts is said again in its project, the rest is archived, both by plan.

What is said again goes the way of everything that is heard: through the gate, beside what the project knows, held or merged
or live. Only then is the conversation's own memory archived, in the same run. Where no project is known, as of a transcript
that tells no place, what a person said to last stays where it was said: search finds it, and nobody is told of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dreamd.core.values import (
    CONVERSATION_ENDED,
    CURRENT,
    IN_PASSING,
    MARKS,
    ONE_OFF,
    WITHHELD,
    Candidate,
    GateVerdict,
    MemoryClass,
    Observation,
    Scope,
    Status,
)
from dreamd.dream.plan import Change, Step
from dreamd.dream.scopes.mapping import evidence_of
from dreamd.dream.scopes.placing import Placing
from dreamd.extraction import gate
from dreamd.kit import Kit
from dreamd.store import memories, observations
from dreamd.store.scopes import conversation_scopes
from dreamd.store.scopes.conversation_scopes import LASTING, SESSION_END, Conversation, is_placed, stays_alone

PROMOTED = "promoted "
"""Before the id of an observation, in the key of the same said again in its project."""


def promote_ended(kit: Kit) -> list[Candidate]:
    """Say again in its project what lasts of every conversation that is over; in a dry run it is only given back.

    Who holds one scope leaves that to the dream of all: it goes from one scope into another.
    """
    if kit.store.held:
        return []
    placing = Placing(kit, evidence_of(kit.world, kit.store))
    said = [one for ended in _ended(kit) if (target := _project_of(kit, ended, placing))
            for one in _lasting(kit, ended.scope, target)]
    if said and not kit.dry:
        with kit.writing() as tx:
            observations.append(tx, said, stored_at=kit.clock.now(), key=observations.tombstone_key(kit.store))
    return said


def plan_endings(kit: Kit, changes: Sequence[Change]) -> tuple[Step, ...]:
    """Archive what conversations that are over still hold, as it will be after some changes; a person's own files stay."""
    steps = []
    for ended in _ended(kit):
        alone = not is_placed(kit.store, ended)
        found = {m.id: m for m in memories.load_memories(kit.store, scope=ended.scope, statuses=CURRENT)}
        found.update((c.after.id, c.after) for c in changes if c.after.scope == ended.scope)
        steps += [Step((Change("archive", m, replace(m, status=Status.ARCHIVED, reason=CONVERSATION_ENDED), CONVERSATION_ENDED,
                               (_why(ended),)),)) for m in found.values()
                  if m.status in CURRENT and not (m.pinned or m.edited or alone and stays_alone(m))]
    return tuple(steps)


def _ended(kit: Kit) -> list[Conversation]:
    return [one for one in conversation_scopes.load_conversations(kit.store) if _is_over(kit, one)]


def _is_over(kit: Kit, one: Conversation) -> bool:
    end = conversation_scopes.ends_at(kit.store, one)
    return end is not None and end <= kit.clock.now()


def _why(ended: Conversation) -> str:
    if ended.moved is not None and ended.moved.event == SESSION_END:
        return f"the conversation was ended on {ended.moved.at.date().isoformat()}"
    return f"nothing was heard of the conversation since {max(ended.said_at, ended.heard_at).date().isoformat()}"


def _project_of(kit: Kit, ended: Conversation, placing: Placing) -> Scope | None:
    """The project a conversation was had in, as its hooks tell, or else what else was kept of it; None where none is sure."""
    place = ended.moved.place if ended.moved else ""
    found = placing.scope_of(place) if place else None
    known = conversation_scopes.load_projects_of(kit.store, ended.scope)
    return found or (known[0] if len(known) == 1 else None)


def _lasting(kit: Kit, scope: Scope, target: Scope) -> list[Candidate]:
    live = memories.load_memories(kit.store, scope=scope, statuses=[Status.LIVE])
    said = [*observations.load_by_ids(kit.store, sorted({one for m in live for one in m.observations})),
            *observations.load_pending(kit.store, scope=str(scope))]
    return [Candidate(one.text, one.origin, one.at, target, one.conversation, f"{PROMOTED}{one.id}", one.class_hint,
                      one.type_hint, one.ttl, one.explicit, one.sign, context=one.context)
            for one in said if _lasts(kit, one)]


def _lasts(kit: Kit, one: Observation) -> bool:
    """Whether the gate lets a statement live, and as what holds until somebody says otherwise."""
    if one.set_aside or one.target or one.sign in MARKS | WITHHELD | {IN_PASSING, ONE_OFF}:
        return False
    gated = gate(one.text, origin=one.origin, at=one.at, zone=kit.zone, class_hint=one.class_hint, type_hint=one.type_hint,
                 ttl=one.ttl, explicit=one.explicit, sign=one.sign)
    if gated.verdict is not GateVerdict.ALLOW or gated.memory_class not in LASTING or gated.ttl:
        return False
    from dreamd.library.tasks.standing_alone import may_change  # who has no conversation that ended must not pay for it

    return gated.memory_class is not MemoryClass.REFERENCE or not may_change(one.text)
