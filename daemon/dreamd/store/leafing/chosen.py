"""Memories by what a person chose, a few at a time: as quick over twenty thousand as over twenty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dreamd.core.clock import iso
from dreamd.core.values import CURRENT, Category, Memory, MemoryClass, Origin, Scope, Status
from dreamd.store import memories
from dreamd.store.connection import LISTED, Store, listed

ORDERS = {"said": "m.confirmed_at DESC, m.id", "made": "m.created_at DESC, m.id",
          "asked": "(SELECT r.times FROM recall r WHERE r.memory = m.id) DESC NULLS LAST, m.id",
          "oldest": "m.confirmed_at, m.id"}
"""What stands first: what was said last, made last, asked for most often, or not heard of for longest."""


@dataclass(frozen=True)
class Chosen:
    """Which memories, and which of them first; what is empty leaves none out."""

    scope: Scope | None = None
    statuses: frozenset[Status] = frozenset({Status.LIVE})
    memory_class: MemoryClass | None = None
    category: Category | None = None
    origin: Origin | None = None
    heard_after: datetime | None = None
    heard_before: datetime | None = None
    order: str = "said"

    def has(self, memory: Memory) -> bool:
        """Whether a memory is of the chosen ones, where it came from apart."""
        return ((self.scope is None or memory.scope == self.scope)
                and (not self.statuses or memory.status in self.statuses)
                and (self.memory_class is None or memory.memory_class is self.memory_class)
                and (self.category is None or memory.category is self.category)
                and (self.heard_after is None or memory.confirmed_at >= self.heard_after)
                and (self.heard_before is None or memory.confirmed_at < self.heard_before))

    @property
    def wants_held(self) -> bool:
        return Status.HELD in self.statuses

    @property
    def wants_past(self) -> bool:
        """Whether what holds no more is wanted."""
        return not self.statuses or bool(self.statuses - CURRENT)


def load_page(store: Store, chosen: Chosen, *, limit: int, after: int = 0) -> tuple[list[Memory], int]:
    """Some of the chosen memories behind the first so many, and how many there are."""
    where, args = _where(chosen)
    with store.reading():
        counted = store.one(f"SELECT COUNT(*) AS n FROM memory m{where}", *args)
        # The rows are chosen first: only of these few it is asked when they were held first and where they stand.
        ids = [r[0] for r in store.tuples(f"SELECT m.id FROM memory m{where} ORDER BY {ORDERS[chosen.order]} LIMIT ? OFFSET ?",
                                           *args, limit, after)]
        found = memories.load_some(store, ids)
    return [found[identity] for identity in ids], int(counted["n"]) if counted else 0


def of_origin(store: Store, ids: Sequence[str], origin: Origin) -> set[str]:
    """Which of some memories rest on something of an origin."""
    rows = store.tuples(f"""SELECT DISTINCT s.memory FROM support s JOIN observation o ON o.seq = s.observation
                            WHERE s.memory IN {LISTED} AND o.origin = ?""", listed(ids), origin.value)
    return {r[0] for r in rows}


def count_by(store: Store, column: str) -> dict[str, int]:
    """How many memories there are by scope, class, category or status, most first."""
    if column not in ("scope", "class", "category", "status"):
        raise ValueError(column)
    return dict(store.tuples(f"SELECT {column}, COUNT(*) FROM memory GROUP BY {column} ORDER BY COUNT(*) DESC, {column}"))


def _where(chosen: Chosen) -> tuple[str, list[object]]:
    told: list[tuple[str, object]] = []
    if chosen.scope is not None:
        told.append(("m.scope = ?", str(chosen.scope)))
    if chosen.statuses:
        told.append((f"m.status IN {LISTED}", listed(sorted(chosen.statuses))))
    if chosen.memory_class is not None:
        told.append(("m.class = ?", chosen.memory_class.value))
    if chosen.category is not None:
        told.append(("m.category = ?", chosen.category.value))
    if chosen.heard_after is not None:
        told.append(("m.confirmed_at >= ?", iso(chosen.heard_after)))
    if chosen.heard_before is not None:
        told.append(("m.confirmed_at < ?", iso(chosen.heard_before)))
    if chosen.origin is not None:
        told.append(("""EXISTS (SELECT 1 FROM support s JOIN observation o ON o.seq = s.observation
                                WHERE s.memory = m.id AND o.origin = ?)""", chosen.origin.value))
    clause = " AND ".join(one for one, _ in told)
    return f" WHERE {clause}" if clause else "", [value for _, value in told]
