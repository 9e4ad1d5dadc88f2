"""Memories of a team's store as a copy of it keeps them: each as it is there, what is gone there gone here.

What comes is believed no more than an export: a name becomes a path, and whoever wrote a row may have known fewer secrets.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence

from dreamd.core.values import Relation
from dreamd.store import memories
from dreamd.store.connection import Store
from dreamd.store.moving.rows_in import check_file, check_identity, insert_fitting
from dreamd.store.moving.rows_masked import masked_records
from dreamd.store.moving.rows_out import MEMORY, OBSERVATION, Record
from dreamd.store.word_search import index_words
from dreamd.store.work import mark_unwritten, write_meta

COPIED = "copied "
"""Before the id of a memory in `meta`: by what it was known when it came."""


def load_copies(copy: Store) -> dict[str, str]:
    """What the copy holds, each by what it was known by when it came."""
    rows = copy.all("SELECT key, value FROM meta WHERE key >= ? AND key < ?", COPIED, COPIED[:-1] + "!")
    return {r["key"].removeprefix(COPIED): r["value"] for r in rows}


def write_copies(copy: Store, records: Sequence[Record], marks: Mapping[str, str], scopes: Mapping[str, str], *,
                 now: str) -> None:
    """Keep memories in place of what stood here of them; `scopes` are those that have another name here.

    Raises ValueError or KeyError for what no dream would have written.
    """
    clean, _ = masked_records(records, now)
    by_kind: dict[str, list[Record]] = {}
    for one in clean:
        one = {**one, "scope": scopes.get(str(one["scope"]), one["scope"])} if "scope" in one else one
        by_kind.setdefault(str(one["kind"]), []).append(one)
    words = {one["sha"]: str(one["text"]) for one in by_kind.get("wording", [])}
    with copy.writing() as tx:
        tx.executemany("INSERT INTO wording VALUES (?, ?) ON CONFLICT DO NOTHING", words.items())
        for one in by_kind.get("observation", []):
            check_identity(one["id"])
            insert_fitting(tx, "observation", OBSERVATION, one)
        _write_beside(tx, by_kind)
        for one in by_kind.get("memory", []):
            check_identity(one["id"])
            check_file(one["file"])
            memories.delete_memory(tx, one["id"])
            insert_fitting(tx, "memory", MEMORY, one)
            tx.executemany("INSERT INTO support SELECT ?, seq FROM observation WHERE id = ?",
                           ((one["id"], said) for said in one["observations"]))
            seq = tx.execute("SELECT seq FROM memory WHERE id = ?", (one["id"],)).fetchone()[0]
            tx.execute("INSERT INTO memory_words (rowid, words) VALUES (?, ?)", (seq, index_words(words[one["wording"]])))
            mark_unwritten(tx, str(one["scope"]))
            write_meta(tx, f"{COPIED}{one['id']}", marks[one["id"]])
        tx.executemany("INSERT INTO link VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (
            (one["a"], one["b"], Relation(one["relation"]).value) for one in by_kind.get("link", [])))
        _drop_loose(tx)


def drop_copies(copy: Store, ids: Collection[str]) -> None:
    """Remove what is gone there, words and all."""
    with copy.writing() as tx:
        for identity in ids:
            memories.delete_memory(tx, identity)
            tx.execute("DELETE FROM meta WHERE key = ?", (f"{COPIED}{identity}",))
        _drop_loose(tx)


def _write_beside(tx: sqlite3.Connection, by_kind: Mapping[str, Sequence[Record]]) -> None:
    seqs = dict(tx.execute("SELECT id, seq FROM observation").fetchall())
    tx.executemany("INSERT OR REPLACE INTO voice VALUES (?, ?, ?)", (
        (seqs[one["observation"]], str(one["member"]), str(one["machine"])) for one in by_kind.get("voice", [])))
    tx.executemany("""INSERT OR REPLACE INTO fate (observation, fate, reason, memory, run) VALUES (?, ?, ?, ?, 0)""", (
        (seqs[one["observation"]], str(one["fate"]), str(one["reason"]), str(one["memory"]))
        for one in by_kind.get("fate", [])))


def _drop_loose(tx: sqlite3.Connection) -> None:
    """Remove words that no memory has any more."""
    tx.execute("DELETE FROM observation WHERE seq NOT IN (SELECT observation FROM support)")
    tx.execute("DELETE FROM wording WHERE sha NOT IN (SELECT wording FROM memory)")
    tx.execute("DELETE FROM vector WHERE wording NOT IN (SELECT sha FROM wording)")
