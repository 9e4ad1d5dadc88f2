"""What names a file, a command or a symbol that is no longer there is unverified, and from then on as good as stale.

Only who stands in the work tree can tell: a dream by hand looks around where it was started, and leaves everything else
as it is, for there it is unknown. Found again, a memory lives on as before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dreamd.core.values import Memory, MemoryClass, Status
from dreamd.dream.plan import Change, Step
from dreamd.kit import Kit, exclusions
from dreamd.store import memories
from dreamd.store.scopes import projects

UNVERIFIED, GONE, AGAIN = "unverified", "names-what-is-gone", "found-again"


def plan_verification(kit: Kit, will_be: Mapping[str, Memory]) -> list[Step]:
    """References of the project around us that name what is gone or is back, all but those that change anyway."""
    here = kit.standing_in
    if here is None or exclusions(kit.world).has_place(str(here)):
        return []
    scope = projects.scope_at(kit.store, str(here))
    if scope is None or scope.kind != "project":
        return []
    from dreamd.recall.answer import find_clues

    named = [m for m in memories.load_memories(kit.store, scope=scope, statuses=(Status.LIVE, Status.STALE))
             if m.memory_class is MemoryClass.REFERENCE and not (m.pinned or m.edited) and m.id not in will_be]
    steps = []
    for memory, clue in zip(named, find_clues(kit.store, named, here), strict=True):
        change = _change(memory, clue)
        if change is not None:
            steps.append(Step((change,)))
    return steps


def _change(memory: Memory, clue: str | None) -> Change | None:
    if clue is not None and not memory.unverified:
        live = memory.status is Status.LIVE
        after = replace(memory, unverified=True, status=Status.STALE, reason=UNVERIFIED if live else memory.reason)
        return Change("stale", memory, after, GONE, (clue,))
    if clue is None and memory.unverified:
        live = memory.reason == UNVERIFIED
        after = replace(memory, unverified=False, status=Status.LIVE if live else memory.status,
                        reason=AGAIN if live else memory.reason)
        return Change("revive", memory, after, AGAIN, ())
    return None
