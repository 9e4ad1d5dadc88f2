"""What is known of a memory's end changes: a reference that has one is a state, and a state that never ends a reference.

What somebody chose the class of in the same breath as its end stays as chosen. A state without an end has as long to be told
one as a reference has to be asked for; if it is still said or asked for then, it is no passing thing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta

from dreamd.core.values import Memory, MemoryClass, Scope
from dreamd.dream.plan import Change, Step
from dreamd.kit import Kit
from dreamd.store import memories, observations

OP = "reclass"
ENDS, ENDLESS = "has-an-end", "never-ends"


def by_its_end(memory: Memory) -> Memory:
    """A memory in the class that its end, or the lack of one, gives it."""
    if memory.memory_class is MemoryClass.REFERENCE and memory.ttl:
        return replace(memory, memory_class=MemoryClass.STATE)
    if memory.memory_class is MemoryClass.STATE and not memory.ttl:
        return replace(memory, memory_class=MemoryClass.REFERENCE)
    return memory


def plan_classes(kit: Kit, changed: Collection[str], scope: Scope | None) -> list[Step]:
    """Give memories that nothing else changes the class that fits what is known of their end; a person's own stay."""
    before = kit.clock.now() - timedelta(days=kit.settings.prune.stale_after_days)
    steps = []
    for memory in memories.load_oddly_classed(kit.store):
        if memory.id in changed or memory.pinned or memory.edited or scope not in (None, memory.scope):
            continue
        if memory.scope.kind == "local" or memory.ttl is None and (memory.held_since is None or memory.held_since > before):
            continue
        if memory.ttl and any(o.class_hint is memory.memory_class and o.ttl
                              for o in observations.load_of_memory(kit.store, memory.id)):
            continue
        since = memory.created_at.date().isoformat()
        told = f"ends {memory.ttl}" if memory.ttl else f"known since {since}, and no end was told"
        steps.append(Step((Change(OP, memory, by_its_end(memory), ENDS if memory.ttl else ENDLESS, (told,)),)))
    return steps
