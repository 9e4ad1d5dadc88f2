"""What a language model proposes for a memory, until a person decides: by ids, with the new wording where there is one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from dreamd.store.connection import Store

PREFIX = "proposed "
NIGHTS = "reflected nights"


@dataclass(frozen=True)
class Proposed:
    """One proposal that waits."""

    id: str
    kind: str
    target: str
    into: str
    text: str
    why: str
    credit: str


def write_proposed(tx: sqlite3.Connection, some: Iterable[Proposed]) -> None:
    """Let proposals wait; one that was made before is the same."""
    tx.executemany("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
                   ((PREFIX + one.id, json.dumps(asdict(one), ensure_ascii=False, sort_keys=True)) for one in some))


def load_proposed(store: Store) -> list[Proposed]:
    """What waits."""
    rows = store.all("SELECT value FROM meta WHERE key > ? AND key < ? ORDER BY key", PREFIX, PREFIX + "\uffff")
    return [Proposed(**json.loads(row["value"])) for row in rows]


def drop_proposed(tx: sqlite3.Connection, identity: str = "") -> None:
    """Let one proposal go, or all: what is forgotten must not stand in any."""
    tx.execute("DELETE FROM meta WHERE key >= ? AND key < ?", (PREFIX + identity, PREFIX + identity + "\uffff"))


def count_night(tx: sqlite3.Connection) -> None:
    """One more night in which a model was asked to reflect."""
    tx.execute("""INSERT INTO meta VALUES (?, '1')
                  ON CONFLICT (key) DO UPDATE SET value = CAST(meta.value AS INTEGER) + 1""", (NIGHTS,))


def nights(store: Store) -> int:
    """In how many nights that was so."""
    return int(store.meta(NIGHTS) or 0)
