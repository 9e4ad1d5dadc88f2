"""The operations of a run with the words they speak of, read in two passes whatever their number."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dreamd.core.clock import parse_instant
from dreamd.core.values import Memory
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.journal import Entry, load_entries
from dreamd.store.memories import FORGOTTEN_TEXT
from dreamd.store.presence.sound_rows import sound_row


@dataclass(frozen=True)
class Face:
    """A memory as an operation found it or left it, as far as people are told of it."""

    id: str
    scope: str
    text: str
    memory_class: str
    status: str
    reason: str
    superseded_by: str
    valid_to: datetime | None
    ttl: str | None
    pinned: bool
    observations: tuple[str, ...]


@dataclass(frozen=True)
class Faced:
    """One operation with its two faces."""

    entry: Entry
    before: Face | None
    after: Face | None


@sound_row
def load_faced(store: Store, run: int) -> list[Faced]:
    """The operations of a run in their order, each with the memory before and after."""
    entries = load_entries(store, run)
    kept = [[json.loads(side) if side else None for side in (e.before, e.after)] for e in entries]
    words = _words(store, [side["wording"] for sides in kept for side in sides if side])
    return [Faced(e, *(None if side is None else _face(side, words) for side in sides))
            for e, sides in zip(entries, kept, strict=True)]


def load_faces(store: Store, ids: Sequence[str]) -> dict[str, str]:
    """The words of some memories as they are today, by id."""
    return dict(store.tuples(f"""SELECT m.id, w.text FROM memory m JOIN wording w ON w.sha = m.wording
                                 WHERE m.id IN {LISTED}""", listed(ids)))


def face_of(memory: Memory) -> Face:
    """A memory as a plan has it."""
    return Face(memory.id, str(memory.scope), memory.text, memory.memory_class.value, memory.status.value, memory.reason,
                memory.superseded_by, memory.valid_to, memory.ttl, memory.pinned, tuple(memory.observations))


def _words(store: Store, shas: Sequence[str]) -> dict[str, str]:
    return dict(store.tuples(f"SELECT sha, text FROM wording WHERE sha IN {LISTED}", listed(dict.fromkeys(shas))))


def _face(kept: dict[str, Any], words: dict[str, str]) -> Face:  # Any: values of a memory, each of its own kind
    return Face(kept["id"], kept["scope"], words.get(kept["wording"], FORGOTTEN_TEXT), kept["class"], kept["status"],
                kept["reason"], kept["superseded_by"], parse_instant(kept["valid_to"]) if kept["valid_to"] else None,
                kept["ttl"], bool(kept["pinned"]), tuple(kept["observations"]))
