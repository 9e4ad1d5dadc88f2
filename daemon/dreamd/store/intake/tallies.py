"""What logs say so far: one row for each thing that was done, or that went wrong, by a keyed hash of what it was.

A row has no words before there is something to tell; of an error that nobody has mended yet it has that line. Rows are
bounded: what was told keeps its place, of the rest the longest unheard of goes.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from dreamd.core.clock import iso, parse_instant
from dreamd.core.values import LEARNED, Scope, content_id
from dreamd.store import observations
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.presence.sound_rows import stored_scope

MOST_ROWS = 20_000
_NAME = 24
OF_LOGS = "\x01logs"
"""In the place of a conversation: the tombstones of what is never learned of logs again."""


@dataclass(frozen=True)
class Tally:
    """How often something was done in how many runs; `told` is how often when it was last told.

    Where it was passed over until it is heard again, that is less than nought.
    """

    id: str
    kind: str
    scope: Scope
    times: int = 0
    runs: int = 0
    recent: tuple[tuple[str, str], ...] = ()
    """The last runs: their name, or the day and the last time in them."""
    last_at: datetime | None = None
    told: int = 0
    words: Mapping[str, str] = field(default_factory=dict)
    open: Mapping[str, str] = field(default_factory=dict)
    """An error that waits to be mended: its line, and when it was met."""

    @property
    def name(self) -> str:
        """What names it in every store; empty where it has no words yet."""
        return self.words.get("name") or self.open.get("name") or ""


def name_of(kind: str, scope: Scope, *what: str) -> str:
    """What names something that was done or went wrong in a scope, the same in every store."""
    return content_id("tally", kind, str(scope), *what, size=_NAME)


def tally_id(key: bytes, name: str) -> str:
    """The row of something by its name; a row without words tells nobody what it is of."""
    return hmac.new(key, name.encode(), hashlib.sha256).hexdigest()[:_NAME]


def load_tallies(store: Store, ids: Collection[str]) -> dict[str, Tally]:
    """Rows by their ids, as far as there are any."""
    return {r["id"]: _read(r) for r in store.all(f"SELECT * FROM tally WHERE id IN {LISTED}", listed(sorted(ids)))}


def load_due(store: Store, *, fewest: Mapping[str, int]) -> list[Tally]:
    """What has been heard often enough of its kind, and again since it was last told."""
    rows = [_read(r) for r in store.all("SELECT * FROM tally WHERE words <> '{}' AND times > ABS(told) ORDER BY id")]
    return [row for row in rows if row.runs >= fewest[row.kind]]


def has_any(store: Store) -> bool:
    """Whether any log was ever learned from."""
    return store.one("SELECT 1 FROM tally LIMIT 1") is not None


def is_forgotten(store: Store, name: str) -> bool:
    """Whether a person had what has this name forgotten."""
    return observations.is_forgotten(store.connection, OF_LOGS, name, key=observations.tombstone_key(store))


def write_tallies(tx: sqlite3.Connection, changed: Iterable[Tally]) -> None:
    """Keep rows as they are now, no more of them than there is room for."""
    tx.executemany("INSERT OR REPLACE INTO tally VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [
        (t.id, t.kind, str(t.scope), t.times, t.runs, json.dumps(t.recent), iso(t.last_at) if t.last_at else "", t.told,
         json.dumps(dict(t.words), ensure_ascii=False), json.dumps(dict(t.open), ensure_ascii=False)) for t in changed])
    over = tx.execute("SELECT COUNT(*) FROM tally").fetchone()[0] - MOST_ROWS
    if over > 0:
        tx.execute("DELETE FROM tally WHERE id IN (SELECT id FROM tally WHERE told <= 0 ORDER BY last_at, id LIMIT ?)", (over,))


def mark_told(tx: sqlite3.Connection, told: Iterable[Tally], passed: Iterable[Tally]) -> None:
    """Remember how often it had been when it was told, or passed over until it is heard again."""
    marks = [*((t.times, t.id) for t in told), *((-t.times, t.id) for t in passed)]
    tx.executemany("UPDATE tally SET told = ? WHERE id = ?", marks)


def bury_tallies(tx: sqlite3.Connection, names: Iterable[str], *, at: datetime, key: bytes) -> None:
    """Remove rows for good: what they are of is never learned again."""
    for name in names:
        digest = observations.forgotten_hash(OF_LOGS, name, key=key)
        tx.execute("INSERT INTO tombstone VALUES (?, ?) ON CONFLICT DO NOTHING", (digest, iso(at)))
        tx.execute("DELETE FROM tally WHERE id = ?", (tally_id(key, name),))


def learned_as(key: str) -> str:
    """The name of what an observation was learned of, by the observation's key; empty where it was learned of no log."""
    return key.removeprefix(LEARNED).partition(":")[0] if key.startswith(LEARNED) else ""


def find_saying(store: Store, words: Collection[str]) -> list[str]:
    """The names of what has all of some words in its lines."""
    return [_read(r).name for r in store.all("SELECT * FROM tally WHERE words <> '{}' OR open <> '{}'")
            if words and all(word in _plain(r) for word in words)]


def _plain(row: sqlite3.Row) -> str:
    said = [str(value) for column in ("words", "open") for value in json.loads(row[column]).values()]
    return observations.plain_words(" ".join(said))


def _read(row: sqlite3.Row) -> Tally:
    return Tally(row["id"], row["kind"], stored_scope(row["scope"]), row["times"], row["runs"],
                 tuple((str(a), str(b)) for a, b in json.loads(row["recent"])),
                 parse_instant(row["last_at"]) if row["last_at"] else None, row["told"], json.loads(row["words"]),
                 json.loads(row["open"]))
