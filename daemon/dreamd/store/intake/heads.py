"""What waits, as far as its place in line needs it: there may be very many, and their words are read when their turn comes."""

from __future__ import annotations

from dataclasses import dataclass

from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.observations import find_waiting


@dataclass(frozen=True)
class Head:
    """An observation without a fate, as far as its place in line needs it."""

    seq: int
    id: str
    at: str
    scope: str
    target: str


def load_heads(store: Store, *, scope: str | None = None) -> list[Head]:
    """What waits, oldest statement first, without its words: there may be very many."""
    with store.reading():
        rows = store.tuples(f"SELECT seq, id, at, scope, target FROM observation WHERE seq IN {LISTED} ORDER BY at, id",
                            listed(find_waiting(store, scope=scope)))
    return [Head(*row) for row in rows]
