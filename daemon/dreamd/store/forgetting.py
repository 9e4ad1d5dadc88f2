"""Forgetting for good: the one place that removes what was said.

Words go from observation, wording, word index, vectors, verdicts, journal evidence, accepted files and intents, and all that
a language model ever answered goes with them: it may say the same in words of its own.
What stays is a tombstone for each statement: a keyed hash of conversation and text. Until the last copy is gone
the store remembers that it is not done, so that a forgetting that was killed is finished by the next dream.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from dreamd.core import fsio
from dreamd.core.clock import iso
from dreamd.core.paths import GRAPH_SUFFIX, Paths
from dreamd.core.values import IN_PASSING, LEARNED, MARKS, is_observed, text_sha, with_context
from dreamd.store import memories, observations
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.derived import VECTOR_BYTES, drop_vectors, drop_verdicts
from dreamd.store.intake.tallies import bury_tallies, find_saying, learned_as
from dreamd.store.language.language_calls import forget_answers
from dreamd.store.language.proposed import drop_proposed
from dreamd.store.work import TITLE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNFINISHED = "forgetting"
LARGEST_LOOKED_INTO = 64 * 1024 * 1024
OF_FILES = "\x01files"
"""In the place of a conversation: the tombstones of ids and names of files, which no statement can meet."""
_BLANK = "UPDATE operation SET evidence = '[]', before = NULL, after = NULL, reason = 'forgotten'"
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
LEFT_BEHIND = "set-aside"
"""Where files go that belong to no store any more, below the home."""
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
    forget_answers(tx)
    drop_proposed(tx)
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
        forget_snapshots(tx, identity)
        _blank_evidence_beside(tx, identity)
        tx.execute("UPDATE memory SET superseded_by = '' WHERE superseded_by = ?", (identity,))
        _bury_files(tx, identity, at=at, key=key)
        memories.delete_memory(tx, identity)
        tx.execute("DELETE FROM meta WHERE key = ?", (f"{TITLE}{identity}",))
        _drop_wordings(tx, wordings)
    return gone


def load_loose(store: Store, words: Sequence[str], *, going: Sequence[str] = ()) -> list[tuple[int, str]]:
    """Observations whose text has all of some words and that do not go with a memory of `going`: (number, text).

    No memory took them up, an undo set them aside, or the memory they led to says it in other words today.
    """
    rows = store.all(f"""SELECT o.seq, o.text FROM observation o LEFT JOIN fate f ON f.observation = o.seq
                         WHERE COALESCE(f.memory, '') NOT IN {LISTED} AND NOT EXISTS (
                           SELECT 1 FROM support s WHERE s.observation = o.seq AND s.memory IN {LISTED}) ORDER BY o.seq""",
                     listed(going), listed(going))
    return [(r["seq"], r["text"]) for r in rows if all(w in r["text"].casefold() for w in words)]


def load_texts(store: Store, seqs: Sequence[int]) -> list[str]:
    """What was said, by the numbers of observations."""
    return [r["text"] for seq in seqs for r in store.all("SELECT text FROM observation WHERE seq = ?", seq)]


def load_resting_on(store: Store, seqs: Sequence[int]) -> list[str]:
    """The memories that rest on nothing but some observations."""
    rows = store.all(f"""SELECT DISTINCT s.memory AS id FROM support s WHERE s.observation IN {LISTED} AND NOT EXISTS (
                           SELECT 1 FROM support x WHERE x.memory = s.memory AND x.observation NOT IN {LISTED})""",
                     listed(seqs), listed(seqs))
    return [r["id"] for r in rows]


def load_said_twice(store: Store, ids: Sequence[str]) -> list[int]:
    """The observations that say, in another scope, what carries some memories: one statement of one moment, kept twice."""
    return [r["seq"] for r in store.all(
        f"""SELECT DISTINCT o.seq FROM support s JOIN observation c ON c.seq = s.observation JOIN observation o
              ON o.at = c.at AND o.text = c.text AND o.conversation = c.conversation AND o.scope <> c.scope
            WHERE s.memory IN {LISTED} ORDER BY o.seq""", listed(ids))]


def find_gone(store: Store, identity: str) -> tuple[str, list[tuple[int, str]]]:
    """A memory that only the journal knows, as an undone run made it, or an observation, by the beginning of its id.

    Gives (id of the memory, numbers and texts of what was said); both empty where there is neither, or more than one.
    """
    named = identity.strip().lower()
    span = (named, named + "g")
    ids = [r["id"] for r in store.all("""SELECT DISTINCT memory AS id FROM operation WHERE memory >= ? AND memory < ?
                                         AND memory NOT IN (SELECT id FROM memory) LIMIT 2""", *span)]
    said = store.all("""SELECT o.seq, o.text FROM observation o JOIN fate f ON f.observation = o.seq WHERE f.memory = ?""",
                     ids[0]) if len(ids) == 1 else store.all(
        "SELECT seq, text FROM observation WHERE id >= ? AND id < ? LIMIT 2", *span) if not ids else []
    told = [(r["seq"], r["text"]) for r in said]
    return (ids[0], told) if len(ids) == 1 else ("", told if len(told) == 1 else [])


def forget_wordings(tx: sqlite3.Connection, words: Sequence[str]) -> None:
    """Remove earlier wordings that have all of some words and that no memory has today, from the journal as well."""
    if not words:
        return
    rows = tx.execute("SELECT sha, text FROM wording WHERE sha NOT IN (SELECT wording FROM memory)").fetchall()
    gone = {row[0] for row in rows if all(w in row[1].casefold() for w in words)}
    for sha in gone:
        for column in ("before", "after"):
            tx.execute(f"{_BLANK} WHERE json_extract({column}, '$.wording') = ?", (sha,))
    _drop_wordings(tx, gone)
    for table, key in (("operation", ("run", "seq")), ("fate", ("observation", "observation"))):
        rows = tx.execute(f"SELECT {key[0]}, {key[1]}, evidence FROM {table} WHERE evidence <> '[]'").fetchall()
        tx.executemany(f"UPDATE {table} SET evidence = '[]' WHERE {key[0]} = ? AND {key[1]} = ?",
                       [(row[0], row[1]) for row in rows if all(w in row[2].casefold() for w in words)])


def forget_snapshots(tx: sqlite3.Connection, identity: str) -> None:
    """Remove how a memory was before, so that no undo gives it back; the memory stays as it is."""
    tx.execute(f"{_BLANK} WHERE memory = ?", (identity,))


def forget_observations(tx: sqlite3.Connection, seqs: Sequence[int], *, at: datetime, key: bytes) -> int:
    """Remove observations that no memory took up; their tombstones stay. Gives back how many went."""
    for seq in seqs:
        row = tx.execute("SELECT seq, conversation, text, sign FROM observation WHERE seq = ?", (seq,)).fetchone()
        if row is not None:
            tx.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (UNFINISHED, iso(at)))
            forget_answers(tx)
            drop_proposed(tx)
            _drop_what_it_made(tx, seq)
            _bury(tx, row, at=at, key=key)
    return len(seqs)


def is_unfinished(store: Store) -> bool:
    """True while copies of forgotten words may still lie about."""
    return store.meta(UNFINISHED) is not None


def finish(store: Store, paths: Paths) -> bool:
    """Remove what may still hold forgotten words: parked and set-aside files, copies of the store and of what was told at a
    start, what is derived, free pages, the log.

    The files of the scopes must have been written anew. The next dream makes a backup without the words. False while
    another program reads the store as it was: its log can only be emptied when that has ended, and the next dream does.
    """
    left = [paths.home / LEFT_BEHIND, *sorted(paths.home.glob("*.replaced-*"))]
    for directory in (paths.conflicts, paths.damaged, paths.backups, paths.primed, paths.asked, paths.offered, *left):
        for path in sorted(directory.rglob("*")) if directory.is_dir() else []:
            if path.is_file() and not path.is_symlink():
                fsio.remove(path)
    for path in (*sorted(paths.home.glob(f"{paths.store.name}.*")), *sorted(paths.derived.rglob("*")),
                 *sorted(paths.home.rglob("*.bad"))):
        if path.is_file() and not path.is_symlink():
            fsio.remove(path)
    scrub(store)
    if not _is_folded(paths):
        return False
    with store.writing() as tx:
        tx.execute("DELETE FROM meta WHERE key = ?", (UNFINISHED,))
    store.checkpoint()
    return True


def _is_folded(paths: Paths) -> bool:
    """Whether nothing stands in the log beside the store any more."""
    try:
        return paths.store.with_name(f"{paths.store.name}-wal").stat().st_size == 0
    except FileNotFoundError:
        return True


def find_left(paths: Paths, texts: Sequence[str]) -> list[str]:
    """Files below the home, apart from the store and its log, in which one of some statements still stands word for word.

    Graphs of networks are not read: they are made of weights alone, and of tens of megabytes.
    """
    wanted = [words for words in map(observations.plain_words, texts) if words]
    left = []
    for path in sorted(paths.home.rglob("*")) if wanted else []:
        own = path.name.startswith(paths.store.name) and path.parent == paths.home
        own = own or path.suffix == GRAPH_SUFFIX and path.parent == paths.models
        if own or path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST_LOOKED_INTO:
            continue
        body = path.read_bytes()
        told = [body.decode(code, "replace") for code in ("utf-8", "utf-16-le", "utf-16-be")[:1 if b"\0" not in body else 3]]
        if b"\\u" in body:
            told.append(_ESCAPED.sub(lambda found: chr(int(found[1], 16)), told[0]))
        plain = [observations.plain_words(one) for one in told]
        if any(words in one for one in plain for words in wanted):
            left.append(str(path.relative_to(paths.home)))
    return left


def _drop_what_it_made(tx: sqlite3.Connection, seq: int) -> None:
    """Remove from the journal what an undone run had made of an observation, with the wordings that nothing else has."""
    rows = tx.execute("""SELECT p.run, p.seq, p.before, p.after FROM fate f JOIN operation p ON p.memory = f.memory
                         WHERE f.observation = ? AND f.set_aside = 1 AND (p.run = f.run OR p.op = 'undo')""", (seq,)).fetchall()
    shas: set[str] = set()
    for run, number, before, after in rows:
        for raw in (before, after):
            if raw:
                shas.update(r[0] for r in tx.execute("SELECT json_extract(?, '$.wording')", (raw,)) if r[0])
        tx.execute(f"{_BLANK} WHERE run = ? AND seq = ?", (run, number))
    _drop_wordings(tx, {sha for sha in shas if not tx.execute(
        """SELECT 1 FROM memory WHERE wording = ?1 UNION SELECT 1 FROM operation
           WHERE json_extract(before, '$.wording') = ?1 OR json_extract(after, '$.wording') = ?1""", (sha,)).fetchone()})


def scrub(store: Store) -> None:
    """Make removed words unreadable in the file itself: no free page, no log frame keeps them."""
    store.checkpoint()
    store.connection.execute("INSERT INTO memory_words (memory_words) VALUES ('optimize')")
    store.connection.execute("VACUUM")
    store.checkpoint()


def _bury(tx: sqlite3.Connection, row: sqlite3.Row, *, at: datetime, key: bytes) -> None:
    """Remove one observation with its vector and what was judged of it; only tombstones stay."""
    told = observations.parts_of(row["text"], row["sign"]) if row["sign"] not in MARKS else ()
    for text in (*told, *_lines_under(tx, row)):
        digest = observations.forgotten_hash(row["conversation"], text, key=key)
        tx.execute("INSERT INTO tombstone VALUES (?, ?) ON CONFLICT DO NOTHING", (digest, iso(at)))
    _bury_learned(tx, row["seq"], at=at, key=key)
    _blank_contexts(tx, row)
    sha = text_sha(row["text"])
    drop_verdicts(tx, sha, of=row["seq"])
    tx.execute("DELETE FROM observation WHERE seq = ?", (row["seq"],))
    if tx.execute("SELECT 1 FROM wording WHERE sha = ?", (sha,)).fetchone() is None:
        drop_vectors(tx, sha)


def _bury_learned(tx: sqlite3.Connection, seq: int, *, at: datetime, key: bytes) -> None:
    """What was learned of logs is told in other words with every count: it is not to be learned again in any."""
    found = tx.execute("SELECT key FROM observation WHERE seq = ?", (seq,)).fetchone()
    if found and (name := learned_as(found["key"])):
        bury_tallies(tx, [name], at=at, key=key)


def load_learned(store: Store, ids: Sequence[str], loose: Sequence[int]) -> list[str]:
    """The names of what memories, and observations by number, were learned of logs."""
    rows = store.all(f"""SELECT o.key FROM observation o LEFT JOIN fate f ON f.observation = o.seq
                         WHERE o.key >= ? AND o.key < ? AND (f.memory IN {LISTED} OR o.seq IN {LISTED})""",
                     LEARNED, LEARNED.rstrip(":") + ";", listed(ids), listed(loose))
    return list(dict.fromkeys(learned_as(r["key"]) for r in rows))


def forget_tallies(tx: sqlite3.Connection, store: Store, words: Sequence[str], statements: Sequence[str], *, at: datetime,
                   key: bytes) -> None:
    """Remove what is counted of log lines that have all of some words, or say one of some statements."""
    told = [[observations.plain_words(one)] for one in statements if observations.plain_words(one)]
    names = {name for wanted in ([*words], *told) for name in find_saying(store, wanted)}
    bury_tallies(tx, sorted(names), at=at, key=key)


def _lines_under(tx: sqlite3.Connection, row: sqlite3.Row) -> list[str]:
    """The sentences that a language model made an observation of: read again, they must not give it in other words."""
    found = tx.execute("SELECT context FROM observation WHERE seq = ?", (row["seq"],)).fetchone()
    return found["context"].split("\n") if found and found["context"] and is_observed(row["sign"]) else []


def _bury_files(tx: sqlite3.Connection, identity: str, *, at: datetime, key: bytes) -> None:
    """Let a file of this memory that comes back from a copy, or a line that points to it, not say it again."""
    row = tx.execute("SELECT file FROM memory WHERE id = ?", (identity,)).fetchone()
    for mark in (identity, row["file"] if row else ""):
        if mark:
            digest = observations.forgotten_hash(OF_FILES, mark.rpartition("/")[2], key=key)
            tx.execute("INSERT INTO tombstone VALUES (?, ?) ON CONFLICT DO NOTHING", (digest, iso(at)))


def had_file(store: Store, mark: str) -> bool:
    """Whether a memory of this id, or one in a file of this name, was forgotten."""
    key = observations.tombstone_key(store)
    return bool(mark) and observations.is_forgotten(store.connection, OF_FILES, mark.rpartition("/")[2], key=key)


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
    said = {row["text"] for row in known} | {
        r[0] for r in tx.execute(f"SELECT text FROM wording WHERE sha IN {LISTED}", (listed(wordings),))}
    texts = set(map(observations.plain_words, said))
    rows = tx.execute(
        """SELECT o.seq, o.conversation, o.text, o.sign FROM observation o LEFT JOIN fate f ON f.observation = o.seq
           WHERE COALESCE(f.memory, '') = '' AND o.scope = (SELECT scope FROM memory WHERE id = ?)""", (identity,)).fetchall()
    taken = {row["seq"] for row in known}
    passing = {row["seq"] for row in _passed_near(tx, said, [r for r in rows if r["sign"] == IN_PASSING])}
    return [r for r in rows if r["seq"] not in taken and (r["seq"] in passing or observations.plain_words(r["text"]) in texts)]


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
        row = tx.execute("SELECT body FROM vector WHERE wording = ? AND length(body) = ? ORDER BY model",
                         (text_sha(text), VECTOR_BYTES)).fetchone()
        if row is not None and isinstance(row[0], bytes):
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
        drop_verdicts(tx, sha)


def _blank_evidence_beside(tx: sqlite3.Connection, identity: str) -> None:
    """Evidence of a neighbour's decisions may quote the words that have to go."""
    rows = tx.execute("""SELECT a AS id FROM link WHERE b = ?1 UNION SELECT b FROM link WHERE a = ?1
                         UNION SELECT superseded_by FROM memory WHERE id = ?1 AND superseded_by <> ''
                         UNION SELECT id FROM memory WHERE superseded_by = ?1""", (identity,)).fetchall()
    for (beside,) in rows:
        tx.execute("UPDATE operation SET evidence = '[]' WHERE memory = ?", (beside,))
        tx.execute("UPDATE fate SET evidence = '[]' WHERE memory = ?", (beside,))
