"""Forgetting for good: the one place that removes what was said.

Words go from observation, wording, word index, vectors, verdicts, journal evidence, accepted files and intents.
What stays is a tombstone for each statement: a keyed hash of conversation and text. Until the last copy is gone
the store remembers that it is not done, so that a forgetting that was killed is finished by the next dream.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from dreamd import fsio
from dreamd.clock import iso
from dreamd.paths import Paths
from dreamd.store import memories, observations
from dreamd.store.connection import Store
from dreamd.store.derived import SIDE_DIGITS

UNFINISHED = "forgetting"


def load_lineage(store: Store, identity: str) -> list[str]:
    """A memory and every version of it that came before: forgetting a fact forgets what it used to be as well."""
    rows = store.all(
        """WITH RECURSIVE line (id) AS (SELECT ? UNION SELECT m.id FROM memory m JOIN line ON m.superseded_by = line.id)
           SELECT id FROM line""", identity)
    return [r["id"] for r in rows]


def forget_memories(tx: sqlite3.Connection, ids: Sequence[str], *, at: datetime, key: bytes) -> int:
    """Remove memories and the observations that carried them or said the same; give back how many observations went."""
    gone = 0
    tx.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (UNFINISHED, iso(at)))
    for identity in ids:
        wordings = _wordings_ever(tx, identity)
        rows = tx.execute(
            """SELECT o.seq, o.id, o.conversation, o.text FROM observation o JOIN support s ON s.observation = o.seq
               WHERE s.memory = ? UNION SELECT o.seq, o.id, o.conversation, o.text FROM observation o
               JOIN fate f ON f.observation = o.seq WHERE f.memory = ?""", (identity, identity)).fetchall()
        rows += _said_alike(tx, identity, wordings, rows)
        for row in rows:
            digest = observations.forgotten_hash(row["conversation"], row["text"], key=key)
            tx.execute("INSERT INTO tombstone VALUES (?, ?) ON CONFLICT DO NOTHING", (digest, iso(at)))
            tx.execute("DELETE FROM observation WHERE seq = ?", (row["seq"],))
        gone += len(rows)
        tx.execute("""UPDATE operation SET evidence = '[]', before = NULL, after = NULL, reason = 'forgotten'
                      WHERE memory = ?""", (identity,))
        _blank_evidence_beside(tx, identity)
        tx.execute("UPDATE memory SET superseded_by = '' WHERE superseded_by = ?", (identity,))
        memories.delete_memory(tx, identity)
        _drop_wordings(tx, wordings)
    return gone


def load_loose(store: Store, words: Sequence[str]) -> list[tuple[int, str]]:
    """Observations that no memory took up and whose text has all of some words: (number, text)."""
    rows = store.all("""SELECT o.seq, o.text FROM observation o LEFT JOIN fate f ON f.observation = o.seq
                        WHERE COALESCE(f.memory, '') = '' ORDER BY o.seq""")
    return [(r["seq"], r["text"]) for r in rows if all(w in r["text"].casefold() for w in words)]


def forget_observations(tx: sqlite3.Connection, seqs: Sequence[int], *, at: datetime, key: bytes) -> int:
    """Remove observations that no memory took up; their tombstones stay. Gives back how many went."""
    for seq in seqs:
        row = tx.execute("SELECT conversation, text FROM observation WHERE seq = ?", (seq,)).fetchone()
        if row is not None:
            tx.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (UNFINISHED, iso(at)))
            digest = observations.forgotten_hash(row["conversation"], row["text"], key=key)
            tx.execute("INSERT INTO tombstone VALUES (?, ?) ON CONFLICT DO NOTHING", (digest, iso(at)))
            tx.execute("DELETE FROM observation WHERE seq = ?", (seq,))
    return len(seqs)


def is_unfinished(store: Store) -> bool:
    """True while copies of forgotten words may still lie about."""
    return store.meta(UNFINISHED) is not None


def finish(store: Store, paths: Paths) -> None:
    """Remove what may still hold forgotten words: parked conflicts, copies of the store, free pages and the log.

    The files of the scopes must have been written anew. The next dream makes a backup without the words.
    """
    for directory in (paths.conflicts, paths.backups):
        for path in sorted(directory.glob("*")) if directory.is_dir() else []:
            if path.is_file():
                fsio.remove(path)
    for path in sorted(paths.home.glob(f"{paths.store.name}.*")):
        fsio.remove(path)
    scrub(store)
    with store.writing() as tx:
        tx.execute("DELETE FROM meta WHERE key = ?", (UNFINISHED,))
    store.checkpoint()


def scrub(store: Store) -> None:
    """Make removed words unreadable in the file itself: no free page, no log frame keeps them."""
    store.checkpoint()
    store.connection.execute("INSERT INTO memory_words (memory_words) VALUES ('optimize')")
    store.connection.execute("VACUUM")
    store.checkpoint()


def _said_alike(tx: sqlite3.Connection, identity: str, wordings: set[str], known: Sequence[sqlite3.Row]) -> list[sqlite3.Row]:
    """Observations of the same scope that no memory took up and that say what has to go in the same words."""
    texts = {observations.plain_words(row["text"]) for row in known}
    marks = ", ".join("?" * len(wordings))
    texts |= {observations.plain_words(r[0]) for r in
              tx.execute(f"SELECT text FROM wording WHERE sha IN ({marks})", sorted(wordings))}
    rows = tx.execute(
        """SELECT o.seq, o.id, o.conversation, o.text FROM observation o LEFT JOIN fate f ON f.observation = o.seq
           WHERE COALESCE(f.memory, '') = '' AND o.scope = (SELECT scope FROM memory WHERE id = ?)""", (identity,)).fetchall()
    taken = {row["seq"] for row in known}
    return [r for r in rows if r["seq"] not in taken and observations.plain_words(r["text"]) in texts]


def _wordings_ever(tx: sqlite3.Connection, identity: str) -> set[str]:
    found = {r[0] for r in tx.execute("SELECT wording FROM memory WHERE id = ?", (identity,))}
    for column in ("before", "after"):
        rows = tx.execute(f"SELECT json_extract({column}, '$.wording') FROM operation WHERE memory = ?", (identity,))
        found.update(r[0] for r in rows if r[0])
    return found


def _drop_wordings(tx: sqlite3.Connection, wordings: set[str]) -> None:
    for sha in sorted(wordings):
        if tx.execute("SELECT 1 FROM memory WHERE wording = ?", (sha,)).fetchone() is None:
            tx.execute("DELETE FROM wording WHERE sha = ?", (sha,))
            tx.execute("DELETE FROM vector WHERE wording = ?", (sha,))
        side = sha[:SIDE_DIGITS]
        for column in ("a", "b"):
            tx.execute(f"DELETE FROM judged WHERE {column} >= ? AND {column} < ?", (side + "@", side + "A"))


def _blank_evidence_beside(tx: sqlite3.Connection, identity: str) -> None:
    """Evidence of a neighbour's decisions may quote the words that have to go."""
    rows = tx.execute("""SELECT a AS id FROM link WHERE b = ?1 UNION SELECT b FROM link WHERE a = ?1
                         UNION SELECT superseded_by FROM memory WHERE id = ?1 AND superseded_by <> ''
                         UNION SELECT id FROM memory WHERE superseded_by = ?1""", (identity,)).fetchall()
    for (beside,) in rows:
        tx.execute("UPDATE operation SET evidence = '[]' WHERE memory = ?", (beside,))
        tx.execute("UPDATE fate SET evidence = '[]' WHERE memory = ?", (beside,))
