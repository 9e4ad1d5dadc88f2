"""Forgetting for good: the one place that removes what was said.

Words go from observation, wording, word index, vectors, verdicts, journal evidence, accepted files and intents.
What stays is a tombstone for each statement: a keyed hash of conversation and text. Until the last copy is gone
the store remembers that it is not done, so that a forgetting that was killed is finished by the next dream.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from dreamd.core import fsio
from dreamd.core.clock import iso
from dreamd.core.paths import Paths
from dreamd.core.values import IN_PASSING, MARKS, text_sha, with_context
from dreamd.store import memories, observations
from dreamd.store.connection import Store
from dreamd.store.derived import SIDE_DIGITS, VECTOR_BYTES, drop_vectors
from dreamd.store.work import TITLE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNFINISHED = "forgetting"
SAID_ALIKE = 0.8
"""Likeness of vectors from which what was said in passing goes with a memory that is forgotten."""


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
            """SELECT o.seq, o.conversation, o.text, o.sign FROM observation o JOIN support s ON s.observation = o.seq
               WHERE s.memory = ? UNION SELECT o.seq, o.conversation, o.text, o.sign FROM observation o
               JOIN fate f ON f.observation = o.seq WHERE f.memory = ?""", (identity, identity)).fetchall()
        rows += _said_alike(tx, identity, wordings, rows)
        for row in rows:
            _bury(tx, row, at=at, key=key)
        gone += len(rows)
        tx.execute("""UPDATE operation SET evidence = '[]', before = NULL, after = NULL, reason = 'forgotten'
                      WHERE memory = ?""", (identity,))
        _blank_evidence_beside(tx, identity)
        tx.execute("UPDATE memory SET superseded_by = '' WHERE superseded_by = ?", (identity,))
        memories.delete_memory(tx, identity)
        tx.execute("DELETE FROM meta WHERE key = ?", (f"{TITLE}{identity}",))
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
        row = tx.execute("SELECT seq, conversation, text, sign FROM observation WHERE seq = ?", (seq,)).fetchone()
        if row is not None:
            tx.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (UNFINISHED, iso(at)))
            _bury(tx, row, at=at, key=key)
    return len(seqs)


def is_unfinished(store: Store) -> bool:
    """True while copies of forgotten words may still lie about."""
    return store.meta(UNFINISHED) is not None


def finish(store: Store, paths: Paths) -> None:
    """Remove what may still hold forgotten words: parked conflicts, copies of the store, what is derived, free pages, the log.

    The files of the scopes must have been written anew. The next dream makes a backup without the words.
    """
    for directory in (paths.conflicts, paths.damaged, paths.backups):
        for path in sorted(directory.glob("*")) if directory.is_dir() else []:
            if path.is_file():
                fsio.remove(path)
    for path in (*sorted(paths.home.glob(f"{paths.store.name}.*")), *sorted(paths.derived.rglob("*"))):
        if path.is_file():
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


def _bury(tx: sqlite3.Connection, row: sqlite3.Row, *, at: datetime, key: bytes) -> None:
    """Remove one observation with its vector; only tombstones stay."""
    for text in observations.parts_of(row["text"], row["sign"]) if row["sign"] not in MARKS else ():
        digest = observations.forgotten_hash(row["conversation"], text, key=key)
        tx.execute("INSERT INTO tombstone VALUES (?, ?) ON CONFLICT DO NOTHING", (digest, iso(at)))
    _blank_contexts(tx, row)
    tx.execute("DELETE FROM observation WHERE seq = ?", (row["seq"],))
    sha = text_sha(row["text"])
    if tx.execute("SELECT 1 FROM wording WHERE sha = ?", (sha,)).fetchone() is None:
        drop_vectors(tx, sha)


def _blank_contexts(tx: sqlite3.Connection, row: sqlite3.Row) -> None:
    """Take away what was said around an observation, in its conversation and wherever its words come again.

    What the next reading of a conversation would follow on goes with it: it may be these very words.
    """
    words = observations.plain_words(row["text"])
    tx.execute("UPDATE cursor SET talk = '' WHERE source = (SELECT source_id FROM observation WHERE seq = ?)", (row["seq"],))
    for source, talk in tx.execute("SELECT source, talk FROM cursor WHERE talk <> ''").fetchall():
        if words and words in observations.plain_words(talk):
            tx.execute("UPDATE cursor SET talk = '' WHERE source = ?", (source,))
    for seq, conversation, text, context in tx.execute(
            "SELECT seq, conversation, text, context FROM observation WHERE context <> ''").fetchall():
        beside = seq == row["seq"] or conversation and conversation == row["conversation"]
        if beside or words and words in observations.plain_words(context):
            drop_vectors(tx, text_sha(with_context(text, context)))
            tx.execute("UPDATE observation SET context = '' WHERE seq = ?", (seq,))


def _said_alike(tx: sqlite3.Connection, identity: str, wordings: set[str], known: Sequence[sqlite3.Row]) -> list[sqlite3.Row]:
    """Observations of the same scope that no memory took up and that say what has to go in the same words."""
    marks = ", ".join("?" * len(wordings))
    said = {row["text"] for row in known} | {
        r[0] for r in tx.execute(f"SELECT text FROM wording WHERE sha IN ({marks})", sorted(wordings))}
    texts = set(map(observations.plain_words, said))
    rows = tx.execute(
        """SELECT o.seq, o.conversation, o.text, o.sign FROM observation o LEFT JOIN fate f ON f.observation = o.seq
           WHERE COALESCE(f.memory, '') = '' AND o.scope = (SELECT scope FROM memory WHERE id = ?)""", (identity,)).fetchall()
    taken = {row["seq"] for row in known}
    passing = {row["seq"] for row in _passed_near(tx, said, [r for r in rows if r["sign"] == IN_PASSING])}
    return [r for r in rows if r["seq"] not in taken and (
        r["seq"] in passing or observations.plain_words(r["text"]) in texts)]


def _passed_near(tx: sqlite3.Connection, said: set[str], rows: Sequence[sqlite3.Row]) -> list[sqlite3.Row]:
    """What was said in passing that has the words which have to go inside it, or says the same in other words."""
    if not rows:
        return []
    texts, ours, theirs = set(map(observations.plain_words, said)), _vectors(tx, said), _vectors(tx, [r["text"] for r in rows])
    return [r for r in rows if any(text in observations.plain_words(r["text"]) for text in texts if text)
            or any(float(theirs[r["text"]] @ one) >= SAID_ALIKE for one in ours.values() if r["text"] in theirs)]


def _vectors(tx: sqlite3.Connection, texts: Iterable[str]) -> dict[str, NDArray[np.float32]]:
    """The vectors of some texts, as far as they have one."""
    import numpy as np

    found = {}
    for text in sorted(texts):
        row = tx.execute("SELECT body FROM vector WHERE wording = ?", (text_sha(text),)).fetchone()
        if row is not None and isinstance(row[0], bytes) and len(row[0]) == VECTOR_BYTES:
            found[text] = np.frombuffer(row[0], dtype="<f2").astype(np.float32)
    return found


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
            drop_vectors(tx, sha)
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
