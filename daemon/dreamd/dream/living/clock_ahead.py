"""What was said or confirmed while a clock stood ahead counts as it would had the clock been right.

A plan reckons with the times that are right; the journal goes on from those that stand in the store, or the history of a
memory would have a gap, and `undo` could not walk back through it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from dreamd.core.values import Memory, Observation
from dreamd.dream.plan import Change, Plan
from dreamd.kit import Kit
from dreamd.store import observations

AHEAD = timedelta(days=1)
"""How far ahead a time may lie before the clock that told it counts as wrong."""


def never_later(kit: Kit, pending: Sequence[Observation]) -> list[Observation]:
    """What was said while a clock stood ahead counts as said right after what was said before it, not after all to come."""
    latest = kit.clock.now() + AHEAD
    if all(one.at <= latest for one in pending):
        return list(pending)
    first = min((one.at for one in pending if one.at <= latest), default=kit.clock.now())
    told = [replace(one, at=observations.load_said_before(kit.store, one.seq, latest) or first) if one.at > latest else one
            for one in pending]
    return sorted(told, key=lambda one: (one.at, one.seq))


def memory_never_later(kit: Kit, memory: Memory) -> Memory:
    """A memory that was confirmed while a clock stood ahead, as it would be had the clock been right."""
    latest = kit.clock.now() + AHEAD
    if max(memory.confirmed_at, memory.valid_from, memory.updated_at) <= latest:
        return memory
    last = max((o.seq for o in observations.load_of_memory(kit.store, memory.id)), default=0)
    at = observations.load_said_before(kit.store, last, latest) or kit.clock.now() - 2 * AHEAD
    return replace(memory, confirmed_at=min(memory.confirmed_at, at), updated_at=min(memory.updated_at, at),
                   valid_from=min(memory.valid_from, at), created_at=min(memory.created_at, at))


def from_what_is_stored(plan: Plan, stored: Mapping[str, Memory]) -> Plan:
    """A plan whose first change of each memory begins with what is `stored` of it, where the plan reckoned with other times."""
    left = dict(stored)

    def begun(change: Change) -> Change:
        return replace(change, before=left.pop(change.before.id, change.before)) if change.before else change

    if not left:
        return plan
    steps = [replace(step, changes=tuple(map(begun, step.changes))) for step in plan.steps]
    return replace(plan, steps=tuple(steps))
