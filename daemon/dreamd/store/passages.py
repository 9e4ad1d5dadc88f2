"""Passages: observations of which no memory is made, as recall reads them. Words and fate are the observation's.

What was set aside by an undo, taken back by a later word, or has passed the end it names is no passage any more. What a
memory carried that left for its age alone is one again: nobody said that it no longer holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dreamd.clock import parse_instant
from dreamd.errors import StoreMissing
from dreamd.model import (
    IN_PASSING,
    Category,
    Memory,
    MemoryClass,
    MemoryType,
    Status,
    Trust,
    parse_scope,
    text_sha,
)
from dreamd.store.connection import Store, sound_row
from dreamd.store.derived import load_vectors
from dreamd.store.memories import SHORTEST_ID, load_memory

if TYPE_CHECKING:
    import sqlite3

    import numpy as np
    from numpy.typing import NDArray

_FROM = f"""FROM fate f JOIN observation o ON o.seq = f.observation LEFT JOIN memory m ON m.id = f.memory
  WHERE f.set_aside = 0 AND o.explicit = 0 AND o.origin = 'user' AND (f.reason = '{IN_PASSING}'
    OR (m.status = 'archived' AND m.reason = 'stale'))"""
_SELECT = f"SELECT o.id, o.text, o.at, o.scope, o.conversation, o.ttl {_FROM}"
_TAKEN_BACK = "SELECT substr(target, 6) FROM observation WHERE target LIKE 'said:%'"
PART = 500
MOST_STEMS = 12


@dataclass(frozen=True)
class Row:
    """One passage with a vector: just enough to know whether a question may see it."""

    id: str
    scope: str
    ttl: str | None


def load_vectors_of(store: Store, *, model: str) -> tuple[list[Row], NDArray[np.float32]]:
    """The passages that have a vector, in the order they were said, with one unit row each."""
    import numpy as np

    with store.reading():
        found = store.all(f"{_SELECT} ORDER BY o.seq")
        gone = {r[0] for r in store.all(_TAKEN_BACK)} if found else set()
        shas = {r["id"]: text_sha(r["text"]) for r in found if r["id"] not in gone}
        known, bodies = load_vectors(store, list(dict.fromkeys(shas.values())), model=model)
    place = {sha: n for n, sha in enumerate(known)}
    having = [Row(r["id"], r["scope"], r["ttl"]) for r in found if shas.get(r["id"]) in place]
    if not having:
        return [], np.zeros((0, 0), dtype=np.float32)
    matrix = bodies[[place[shas[row.id]] for row in having]].astype(np.float32)
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
    return having, matrix


def load_texts(store: Store, scope: str) -> list[str]:
    """The words of every passage of a scope: what has to have a vector."""
    return [r["text"] for r in store.all(f"SELECT o.text {_FROM} AND o.scope = ? ORDER BY o.seq", scope)]


def load_some(store: Store, ids: Sequence[str]) -> dict[str, Memory]:
    """Passages by full id, in the form recall shows; what is none is left out."""
    found: dict[str, Memory] = {}
    for start in range(0, len(ids), PART):
        part = list(ids[start:start + PART])
        rows = store.all(f"{_SELECT} AND o.id IN ({', '.join('?' * len(part))})", *part)
        found.update((r["id"], _face(r)) for r in rows)
    return found


@dataclass(frozen=True)
class Place:
    """A passage with the number of its observation and the archived memory that carried it, if one did."""

    seq: int
    passage: Memory
    memory_id: str


def find(store: Store, identity: str) -> Place | None:
    """A passage by its id or a unique beginning of it; None where there is none."""
    wanted = identity.strip().lower()
    if len(wanted) < SHORTEST_ID:
        return None
    rows = store.all(f"SELECT o.seq, f.memory {_FROM} AND o.id >= ? AND o.id < ? LIMIT 2", wanted, wanted + "g")
    if len(rows) != 1:
        return None
    seq = int(rows[0]["seq"])
    row = store.one(f"{_SELECT} AND o.seq = ?", seq)
    return None if row is None else Place(seq, _face(row), rows[0]["memory"])


def load_shown(store: Store, identity: str) -> Memory:
    """A memory or a passage by its id or a unique beginning of it; raises what `load_memory` raises where there is neither."""
    try:
        return load_memory(store, identity)
    except StoreMissing:
        found = find(store, identity)
        if found is None:
            raise
        return found.passage


def search_words_of(store: Store, stems: Sequence[str], *, scopes: Sequence[str], limit: int) -> list[str]:
    """Ids of the passages that have most of some stems, the latest first among equals; for a search that has only words."""
    likes = [f"%{stem.replace('%', '').replace('_', '')}%" for stem in stems[:MOST_STEMS] if stem.strip("%_")]
    if not likes:
        return []
    score = " + ".join(["(o.text LIKE ?)"] * len(likes))
    where = f" AND o.scope IN ({', '.join('?' * len(scopes))})" if scopes else ""
    rows = store.all(f"SELECT o.id, {score} AS score {_FROM}{where} ORDER BY score DESC, o.at DESC, o.id LIMIT ?",
                     *likes, *scopes, limit)
    return [r["id"] for r in rows if r["score"]]


@sound_row
def _face(row: sqlite3.Row) -> Memory:
    at = parse_instant(row["at"])
    return Memory(row["id"], parse_scope(row["scope"]), row["text"], MemoryClass.HISTORY, MemoryType.PROJECT, Category.PROJECTS,
                  Status.SAID, Trust.USER, Trust.USER, at, at, at, at, ttl=row["ttl"], observations=(row["id"],),
                  spoken_in=(row["conversation"],) if row["conversation"] else (), reason=IN_PASSING)
