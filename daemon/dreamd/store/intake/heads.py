"""What waits, as far as its place in line needs it: there may be very many, and their words are read when their turn comes."""

from __future__ import annotations

from dataclasses import dataclass

from dreamd.store.connection import Store
from dreamd.store.observations import JOINED, count_without_fate


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
    where, args = ("", ()) if scope is None else (" WHERE scope = ?", (scope,))
    with store.reading():
        rows = store.tuples(f"""SELECT seq, id, at, scope, target FROM ({JOINED} WHERE f.observation IS NULL
                                ORDER BY o.seq DESC LIMIT ?) AS waiting{where} ORDER BY at, id""",
                            count_without_fate(store), *args)
    return [Head(*row) for row in rows]
