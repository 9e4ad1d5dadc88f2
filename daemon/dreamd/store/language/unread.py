"""Stretches of conversations that wait for a language model: where they stand, never what is in them; and what one has read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from dreamd.core.clock import iso, parse_instant
from dreamd.core.values import WITHHELD, Cursor, is_observed
from dreamd.store.connection import Store
from dreamd.store.presence.sound_rows import sound_row


@dataclass(frozen=True)
class Unread:
    """A stretch of one conversation of a source: from where on the source is read again, and which places in it."""

    source: str
    conversation: str
    path: str
    kind: str
    cursor: Cursor
    first: int
    last: int
    at: datetime
    tries: int = 0


@dataclass(frozen=True)
class ModelWord:
    """Which language model read an observation out of a conversation, with which prompt, and what category it gave."""

    role: str
    model: str
    prompt: str
    category: str = ""


def wait(tx: sqlite3.Connection, stretches: Iterable[Unread]) -> None:
    """Remember what is to be read; a stretch behind one that waits already makes that one longer."""
    tx.executemany(
        """INSERT INTO unread VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)
           ON CONFLICT (source, conversation) DO UPDATE SET last = MAX(unread.last, excluded.last), path = excluded.path,
             first = MIN(unread.first, excluded.first), at = MAX(unread.at, excluded.at), tries = 0""",
        ((u.source, u.conversation, u.path, u.kind, u.cursor.offset, u.cursor.size, u.cursor.prefix_bytes, u.cursor.prefix_sha,
          u.first, u.last, iso(u.at)) for u in stretches))


@sound_row
def load_unread(store: Store) -> list[Unread]:
    """What waits, what was said last first."""
    rows = store.all("SELECT * FROM unread ORDER BY at DESC, source, conversation")
    return [Unread(r["source"], r["conversation"], r["path"], r["kind"],
                   Cursor(r["offset"], r["size"], r["prefix_bytes"], r["prefix_sha"]), r["first"], r["last"],
                   parse_instant(r["at"]), r["tries"]) for r in rows]


def count_unread(store: Store) -> int:
    """How many stretches wait."""
    row = store.one("SELECT COUNT(*) AS n FROM unread")
    return int(row["n"]) if row else 0


def move(tx: sqlite3.Connection, one: Unread, first: int | None) -> None:
    """A stretch was read up to a place, or to its end (None), unless it became longer meanwhile."""
    if first is None:
        tx.execute("DELETE FROM unread WHERE source = ? AND conversation = ? AND last <= ?",
                   (one.source, one.conversation, one.last))
    tx.execute("UPDATE unread SET first = ?, tries = 0 WHERE source = ? AND conversation = ?",
               (one.last if first is None else first, one.source, one.conversation))


def tried(tx: sqlite3.Connection, one: Unread) -> None:
    """Reading a stretch failed in a way that another night may not mend."""
    tx.execute("UPDATE unread SET tries = tries + 1 WHERE source = ? AND conversation = ?", (one.source, one.conversation))


def credit_to(tx: sqlite3.Connection, observations: Mapping[str, ModelWord]) -> None:
    """Write down, by the ids of observations, what read them; who is credited first stays."""
    tx.executemany("""INSERT INTO model_word SELECT seq, ?, ?, ?, ? FROM observation WHERE id = ? ON CONFLICT DO NOTHING""",
                   ((w.role, w.model, w.prompt, w.category, identity) for identity, w in observations.items()))


def load_words(store: Store, seqs: Sequence[int]) -> dict[int, ModelWord]:
    """What read some observations, by their numbers."""
    found = {}
    for seq in seqs:
        row = store.one("SELECT * FROM model_word WHERE observation = ?", seq)
        if row is not None:
            found[seq] = ModelWord(row["role"], row["model"], row["prompt"], row["category"])
    return found


def load_said_at(store: Store, source: str, conversation: str, *, leave_out: Sequence[str]) -> dict[int, list[str]]:
    """What was made of one conversation of a source without a model, by the places it was said at; signs may be left out."""
    found: dict[int, list[str]] = {}
    for row in store.all("SELECT start, text, sign FROM observation WHERE source_id = ? AND conversation = ?", source,
                         conversation):
        if row["sign"] not in leave_out and row["sign"] not in WITHHELD and not is_observed(row["sign"]):
            found.setdefault(row["start"], []).append(row["text"])
    return found
