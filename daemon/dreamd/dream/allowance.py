"""How much a run may retire: a share of what a scope tells, a few always, and never the last.

What passes that waits for the next dream, the oldest first in line, and is listed; all else is done. A person can say that
it may all be done now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dreamd.core.values import CONVERSATION_ENDED, WITHDRAWN, Memory, Scope, Status
from dreamd.dream.plan import Change
from dreamd.kit import Kit
from dreamd.store import journal, memories

TOLD = frozenset({Status.LIVE, Status.STALE})
"""Statuses in which a memory is told; one that loses them is retired."""
NO_LIMIT = frozenset({"expired", "deleted-by-person", WITHDRAWN, CONVERSATION_ENDED})
"""Reasons that count for nothing here: a state past its own end, what a conversation leaves that is
over, and what was deleted in files: that has its own limit."""
LONGEST_LINE = 100
"""Successors that are followed to see whether the last of them is told."""


@dataclass
class Allowance:
    """What one run may still retire of one scope."""

    left: int
    founded: set[str] = field(default_factory=set)
    """Memories the run itself has made: they were not there to be retired."""

    def copy(self) -> Allowance:
        """The same, to try a plan with."""
        return Allowance(self.left, set(self.founded))

    def admits(self, changes: Sequence[Change], now: Mapping[str, Memory], *, live: int) -> bool:
        """Whether changes may be made, `now` and `live` telling of the scope with all of them; those that may are counted."""
        gone = [c for c in retired(changes, now) if c.after.id not in self.founded]
        empties = live == 0 and any(c.before is not None and c.before.status is Status.LIVE for c in gone)
        if len(gone) > self.left or empties:
            return False
        self.left -= len(gone)
        self.founded.update(c.after.id for c in changes if c.before is None)
        return True


class Allowances:
    """What one run may still retire, scope by scope; nothing is limited where a person said so."""

    def __init__(self, kit: Kit, *, unlimited: bool = False) -> None:
        self._kit, self._unlimited = kit, unlimited
        self._known: dict[Scope, Allowance] = {}

    def of(self, scope: Scope) -> Allowance | None:
        """What is left for a scope, counted from what it held when the run first came to it."""
        if self._unlimited:
            return None
        if scope not in self._known:
            store, rules = self._kit.store, self._kit.settings.consolidate
            told = set().union(*(memories.load_ids(store, scope, status) for status in TOLD))
            # What was interrupted goes on: to be killed gives nobody another share, and takes none from anybody.
            founded, changed = journal.load_unfinished(store, str(scope), but=self._kit.run.seq if self._kit.run else 0)
            some = memories.load_some(store, sorted(changed))
            final = {**dict.fromkeys(told - some.keys()), **some}
            gone = sum(1 for i, status in changed.items() if status in TOLD and i in some and _is_gone(some[i], final))
            share = (len(told - founded) + gone) * rules.max_retire_percent // 100
            self._known[scope] = Allowance(max(rules.retire_always, share) - gone, founded)
        return self._known[scope]

    def keep(self, scope: Scope, allowance: Allowance | None) -> None:
        """Remember what a plan has left of it."""
        if allowance is not None:
            self._known[scope] = allowance


def retired(changes: Sequence[Change], now: Mapping[str, Memory] | None = None) -> list[Change]:
    """Changes that end a told memory without a told successor that carries the claim; `now` has memories as they then are."""
    final = {**(now or {}), **{c.after.id: c.after for c in changes}}
    first: dict[str, Change] = {}
    for change in changes:
        first.setdefault(change.after.id, change)
    return [change for identity, change in first.items()
            if change.before is not None and change.before.status in TOLD and _is_gone(final[identity], final)]


def _is_gone(memory: Memory, final: Mapping[str, Memory | None]) -> bool:
    """Whether a memory is told no more, nor anything in its place; of what is told still, `final` need not have more."""
    if memory.status in TOLD or memory.reason in NO_LIMIT:
        return False
    for _ in range(LONGEST_LINE):
        if memory.status is not Status.SUPERSEDED or not memory.superseded_by:
            return memory.status not in TOLD
        following = final.get(memory.superseded_by)
        if following is None:
            return False  # a successor nobody looked at was there before, and is as it was
        memory = following
    return True
