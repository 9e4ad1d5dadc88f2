"""The shape of the store and how it got there: numbered migrations, each with its receipt in one transaction.

Who owns what:
    observation   what was said, append only; only `forget` removes one
    fate          what became of an observation, and in which run
    wording       the words of memories, by sha256; everything else names words by that hash
    memory        identity, status, validity, standing of one statement
    support       which observations carry which memory
    run, operation   the journal: every change with before, after, reason and evidence
    intent        files that still have to be written after a commit
    file          what dream last wrote or accepted, so that a person's edit is seen
    source, cursor   where observations come from and how far they were read
    vector        embeddings by wording hash: derived, disposable
    judged        pairs that were judged, by the hashes of both sides
    recall        how often and when a memory was shown
    model_call    what a language model was asked, when, by whom, and what that used
    model_answer  what it answered, by a keyed hash of the question
    tombstone     keyed hashes of what a person wanted forgotten
    unread        stretches of conversations that wait for a language model: where they stand, no text
    tally         what logs say so far, by a keyed hash of what was done: how often, in how many runs, when last
    model_word    which observations a language model read out of a conversation, and which one with which prompt
    voice         who said an observation and on which machine, in a team's store and in what came from one
    sent          which observations went up to a team's store, by its tenant
    meta          the store's own facts, and a seal for each table (`seals`)
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from dreamd.core.clock import iso
from dreamd.core.errors import Outage
from dreamd.store import seals


@dataclass(frozen=True)
class Founding:
    """What a new store is told once: when it was made and which zone its days are counted in."""

    at: datetime
    zone: str
    anew: bool = False
    """A person wants a new one where the old one is lost."""


FIRST = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL);
CREATE TABLE observation (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, origin TEXT NOT NULL, at TEXT NOT NULL,
  scope TEXT NOT NULL, conversation TEXT NOT NULL DEFAULT '', key TEXT NOT NULL DEFAULT '',
  class_hint TEXT, type_hint TEXT, ttl TEXT, explicit INTEGER NOT NULL DEFAULT 1, sign TEXT NOT NULL DEFAULT '',
  source_id TEXT NOT NULL DEFAULT '', start INTEGER NOT NULL DEFAULT 0, end INTEGER NOT NULL DEFAULT 0,
  target TEXT NOT NULL DEFAULT '', stored_at TEXT NOT NULL, masks TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX observation_key ON observation (key) WHERE key <> '';
CREATE INDEX observation_source ON observation (source_id) WHERE source_id <> '';
CREATE TABLE fate (
  observation INTEGER PRIMARY KEY REFERENCES observation (seq) ON DELETE CASCADE,
  fate TEXT NOT NULL, reason TEXT NOT NULL, memory TEXT NOT NULL DEFAULT '', run INTEGER NOT NULL,
  evidence TEXT NOT NULL DEFAULT '[]', set_aside INTEGER NOT NULL DEFAULT 0);
CREATE INDEX fate_run ON fate (run);
CREATE INDEX fate_waiting ON fate (reason) WHERE reason = 'single-sighting';
CREATE TABLE wording (sha TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE memory (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, wording TEXT NOT NULL,
  class TEXT NOT NULL, type TEXT NOT NULL, category TEXT NOT NULL, taxonomy INTEGER NOT NULL, status TEXT NOT NULL,
  trust TEXT NOT NULL, authority TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  confirmed_at TEXT NOT NULL, valid_from TEXT NOT NULL, valid_to TEXT, ttl TEXT,
  superseded_by TEXT NOT NULL DEFAULT '', pinned INTEGER NOT NULL DEFAULT 0, edited INTEGER NOT NULL DEFAULT 0,
  unverified INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT '', file TEXT NOT NULL DEFAULT '',
  rev INTEGER NOT NULL DEFAULT 1);
CREATE INDEX memory_scope ON memory (scope, status);
CREATE INDEX memory_wording ON memory (wording);
CREATE INDEX memory_successor ON memory (superseded_by) WHERE superseded_by <> '';
CREATE INDEX memory_ttl ON memory (ttl) WHERE ttl IS NOT NULL AND status IN ('live', 'held', 'stale');
CREATE INDEX memory_age ON memory (status, class, confirmed_at);
CREATE TABLE support (
  memory TEXT NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
  observation INTEGER NOT NULL REFERENCES observation (seq) ON DELETE CASCADE,
  PRIMARY KEY (memory, observation)) WITHOUT ROWID;
CREATE INDEX support_observation ON support (observation);
CREATE TABLE link (a TEXT NOT NULL, b TEXT NOT NULL, relation TEXT NOT NULL, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE TABLE recall (
  memory TEXT PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
  times INTEGER NOT NULL, last_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE run (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, now TEXT NOT NULL, started_at TEXT NOT NULL,
  ended_at TEXT, outcome TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '', phases TEXT NOT NULL DEFAULT '{}',
  fates TEXT NOT NULL DEFAULT '{}', warnings TEXT NOT NULL DEFAULT '[]', backlog INTEGER NOT NULL DEFAULT 0,
  undone_by INTEGER NOT NULL DEFAULT 0, version TEXT NOT NULL DEFAULT '');
CREATE TABLE operation (
  run INTEGER NOT NULL REFERENCES run (seq), seq INTEGER NOT NULL, op TEXT NOT NULL, memory TEXT NOT NULL,
  scope TEXT NOT NULL, reason TEXT NOT NULL, evidence TEXT NOT NULL DEFAULT '[]', before TEXT, after TEXT,
  PRIMARY KEY (run, seq)) WITHOUT ROWID;
CREATE INDEX operation_memory ON operation (memory);
CREATE TABLE intent (
  path TEXT PRIMARY KEY, base_sha TEXT, new_sha TEXT, body BLOB, memory TEXT NOT NULL DEFAULT '',
  scope TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (
  path TEXT PRIMARY KEY, sha TEXT NOT NULL, body BLOB NOT NULL, memory TEXT NOT NULL DEFAULT '', scope TEXT NOT NULL,
  size INTEGER NOT NULL DEFAULT -1, mtime_ns INTEGER NOT NULL DEFAULT -1, inode INTEGER NOT NULL DEFAULT -1) WITHOUT ROWID;
CREATE INDEX file_scope ON file (scope);
CREATE INDEX file_memory ON file (memory) WHERE memory <> '';
CREATE TABLE source (
  id TEXT PRIMARY KEY, path TEXT NOT NULL, kind TEXT NOT NULL, scope TEXT NOT NULL, first_seen_at TEXT NOT NULL,
  read_at TEXT, lines INTEGER NOT NULL DEFAULT 0, prompts INTEGER NOT NULL DEFAULT 0,
  observations INTEGER NOT NULL DEFAULT 0, skips TEXT NOT NULL DEFAULT '{}', moved_at TEXT) WITHOUT ROWID;
CREATE TABLE cursor (
  source TEXT PRIMARY KEY REFERENCES source (id) ON DELETE CASCADE, offset INTEGER NOT NULL, size INTEGER NOT NULL,
  prefix_bytes INTEGER NOT NULL, prefix_sha TEXT NOT NULL, carry TEXT NOT NULL DEFAULT '',
  mtime_ns INTEGER NOT NULL DEFAULT -1, talk TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE TABLE staged (
  seq INTEGER PRIMARY KEY, source TEXT NOT NULL, path TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
  why TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE vector (
  wording TEXT NOT NULL, model TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (wording, model)) WITHOUT ROWID;
CREATE TABLE vector_file (
  generation INTEGER PRIMARY KEY, sha TEXT NOT NULL, bytes INTEGER NOT NULL, count INTEGER NOT NULL,
  ndim INTEGER NOT NULL, metric TEXT NOT NULL, dtype TEXT NOT NULL, library TEXT NOT NULL, applied INTEGER NOT NULL);
CREATE TABLE judged (
  a TEXT NOT NULL, b TEXT NOT NULL, relation TEXT NOT NULL, confidence REAL NOT NULL, evidence TEXT NOT NULL,
  basis TEXT NOT NULL, richer TEXT, newer TEXT, judge TEXT NOT NULL, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE TABLE tombstone (hash TEXT PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE memory_words USING fts5 (words, tokenize = "unicode61 remove_diacritics 2");
"""

WORD_INDEX = """CREATE VIRTUAL TABLE memory_words USING fts5 (words, tokenize = "unicode61 remove_diacritics 2")"""

LANGUAGE_MODEL = """
CREATE TABLE unread (
  source TEXT NOT NULL, conversation TEXT NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, offset INTEGER NOT NULL,
  size INTEGER NOT NULL, prefix_bytes INTEGER NOT NULL, prefix_sha TEXT NOT NULL, first INTEGER NOT NULL,
  last INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0, at TEXT NOT NULL,
  PRIMARY KEY (source, conversation)) WITHOUT ROWID;
CREATE TABLE model_word (
  observation INTEGER PRIMARY KEY REFERENCES observation (seq) ON DELETE CASCADE,
  role TEXT NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL, category TEXT NOT NULL DEFAULT '');
CREATE TABLE model_call (
  seq INTEGER PRIMARY KEY, at TEXT NOT NULL, run INTEGER NOT NULL, role TEXT NOT NULL, prompt TEXT NOT NULL,
  scope TEXT NOT NULL, request TEXT NOT NULL, model TEXT NOT NULL DEFAULT '', tokens_in INTEGER NOT NULL,
  cached INTEGER NOT NULL DEFAULT 0, tokens_out INTEGER NOT NULL, seconds REAL NOT NULL, cost REAL,
  ending TEXT NOT NULL DEFAULT '', detail TEXT NOT NULL DEFAULT '', retry_at TEXT, moved INTEGER NOT NULL DEFAULT 1);
CREATE INDEX model_call_at ON model_call (at);
CREATE TABLE model_answer (
  request TEXT PRIMARY KEY, at TEXT NOT NULL, role TEXT NOT NULL, scope TEXT NOT NULL, model TEXT NOT NULL,
  ending TEXT NOT NULL, value TEXT) WITHOUT ROWID;
"""

TALLIES = """
CREATE TABLE tally (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, scope TEXT NOT NULL, times INTEGER NOT NULL, runs INTEGER NOT NULL,
  recent TEXT NOT NULL, last_at TEXT NOT NULL, told INTEGER NOT NULL DEFAULT 0, words TEXT NOT NULL DEFAULT '{}',
  open TEXT NOT NULL DEFAULT '{}') WITHOUT ROWID;
CREATE INDEX tally_age ON tally (last_at)"""

TEAMS = """
CREATE TABLE voice (
  observation INTEGER PRIMARY KEY REFERENCES observation (seq) ON DELETE CASCADE,
  member TEXT NOT NULL, machine TEXT NOT NULL DEFAULT '');
CREATE TABLE sent (
  observation INTEGER NOT NULL REFERENCES observation (seq) ON DELETE CASCADE, team TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (observation, team)) WITHOUT ROWID"""

MIGRATIONS: tuple[tuple[int, str, str | Callable[[sqlite3.Connection], None]], ...] = (
    (1, "first shape", FIRST),
    (2, "a seal for each table", ""),
    (3, "what an observation answered", "ALTER TABLE observation ADD COLUMN context TEXT NOT NULL DEFAULT ''"),
    (4, "what a language model reads", LANGUAGE_MODEL),
    (5, "what is learned of logs", TALLIES),
    (6, "who said it, and what went to a team", TEAMS),
)
VERSION = MIGRATIONS[-1][0]
APPLICATION_ID = 0x64726D64  # "drmd"


def version_of(connection: sqlite3.Connection) -> int:
    """The schema number a database carries; 0 for one that is not ours."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        return 0
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def is_empty(connection: sqlite3.Connection) -> bool:
    """True for a database without a single table."""
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def check_version(connection: sqlite3.Connection) -> None:
    """Raise Outage when this dream cannot work with a store as it is."""
    version = version_of(connection)
    if version > VERSION:
        raise Outage(f"the store was written by a newer dream (schema {version}, this one knows {VERSION})",
                     component="db", code="store-newer", hint="install the newer dream; this one changes nothing")
    if version < VERSION:
        raise Outage(f"the store has the older schema {version}", component="db", code="store-older",
                     hint="run `dream consolidate` to bring it up to date")


def migrate(tx: sqlite3.Connection, *, founding: Founding | None) -> list[int]:
    """Bring a store up to date inside the caller's transaction; say which numbers were applied."""
    at = iso(founding.at) if founding else ""
    before = version_of(tx)
    applied = []
    for number, name, step in MIGRATIONS:
        if number <= before:
            continue
        if isinstance(step, str):
            for statement in _statements(step):
                tx.execute(statement)
        else:
            step(tx)
        tx.execute("INSERT INTO migration VALUES (?, ?, ?)", (number, name, at))
        applied.append(number)
    if before == 0 and founding is not None:
        tx.executemany("INSERT INTO meta VALUES (?, ?)", first_facts(founding).items())
    seals.seal_all(tx)
    tx.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    tx.execute(f"PRAGMA user_version = {VERSION}")
    return applied


def first_facts(founding: Founding) -> dict[str, str]:
    """What a new store knows of itself."""
    import secrets

    return {"epoch": "0", "zone": founding.zone, "created_at": iso(founding.at), "tombstone_key": secrets.token_hex(32)}


def _statements(script: str) -> list[str]:
    # executescript would commit the caller's transaction first.
    return [s.strip() for s in script.split(";\n") if s.strip()]
