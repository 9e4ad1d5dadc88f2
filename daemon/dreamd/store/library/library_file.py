"""The file the library stands in: made when the first document comes, thrown away and read anew without a loss.

It is not the store, for everything in it can be read again from the documents themselves: backups, seals and the checks
before each dream would cost a person with ten thousand pages seconds every time, and keep nothing that is not on the disk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import Corrupt, Outage, StoreMissing
from dreamd.store.connection import Store
from dreamd.store.connection import translated as in_words

APPLICATION_ID = 0x64726C62  # "drlb"
VERSION = 1
FIRST = """
CREATE TABLE fact (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE corpus (
  name TEXT PRIMARY KEY, root TEXT NOT NULL UNIQUE, tags TEXT NOT NULL DEFAULT '', watch INTEGER NOT NULL DEFAULT 0,
  added_at TEXT NOT NULL, read_at TEXT) WITHOUT ROWID;
CREATE TABLE document (
  seq INTEGER PRIMARY KEY, corpus TEXT NOT NULL REFERENCES corpus (name) ON DELETE CASCADE, path TEXT NOT NULL,
  sha TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, title TEXT NOT NULL DEFAULT '',
  why TEXT NOT NULL DEFAULT '', reader TEXT NOT NULL, UNIQUE (corpus, path));
CREATE INDEX document_sha ON document (corpus, sha);
CREATE TABLE chunk (
  seq INTEGER PRIMARY KEY, document INTEGER NOT NULL REFERENCES document (seq) ON DELETE CASCADE, place INTEGER NOT NULL,
  heading TEXT NOT NULL, text TEXT NOT NULL, sha TEXT NOT NULL, model TEXT NOT NULL DEFAULT '', body BLOB,
  UNIQUE (document, place));
CREATE INDEX chunk_sha ON chunk (sha);
CREATE INDEX chunk_waiting ON chunk (model) WHERE model = '';
CREATE TABLE forgotten (hash TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TRIGGER chunk_gone AFTER DELETE ON chunk BEGIN DELETE FROM chunk_words WHERE rowid = OLD.seq; END;
"""


WORDS = """CREATE VIRTUAL TABLE chunk_words USING fts5 (words, place, tokenize = "porter unicode61 remove_diacritics 2")"""


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite says into the error a person can act on: of the library there is no older copy to go back to."""
    try:
        with in_words(path):
            yield
    except Corrupt:
        raise Corrupt(f"the library `{path.name}` is damaged", hint="`dream check --repair` makes it anew from the documents"
                      ) from None


class Library:
    """An open library. One connection, one thread."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection
        self._store = Store(path, connection)
        self.all = self._store.all
        self.one = self._store.one
        self.tuples = self._store.tuples

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One immediate transaction: commits at the end, rolls back on any error."""
        with translated(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")
                raise

    def scrub(self) -> None:
        """Make removed words unreadable in the file itself: no free page, no log frame, no index keeps them."""
        with translated(self.path):
            self.connection.execute("INSERT INTO chunk_words (chunk_words) VALUES ('optimize')")
            self.connection.execute("VACUUM")
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def exists(path: Path) -> bool:
    """Whether anybody ever gave dream a document."""
    return path.is_file() and not path.is_symlink()


@contextmanager
def open_library(path: Path, *, create: bool = False) -> Iterator[Library]:
    """Open the library and close it again.

    Raises StoreMissing where there is none and none is to be made, Outage for one of another dream.
    """
    if not exists(path):
        if not create:
            raise StoreMissing("no document has been added yet", hint="`dream corpus add PATH` adds a file or a directory")
        fsio.make_private_dir(path.parent)
        fsio.create_private(path)
    with translated(path):
        connection = sqlite3.connect(path, isolation_level=None, timeout=10)
        connection.row_factory = sqlite3.Row
    try:
        with translated(path):
            # Rows of an index go with a trigger; a REPLACE fires it only when told to.
            for pragma in ("foreign_keys = ON", "synchronous = NORMAL", "secure_delete = ON", "recursive_triggers = ON"):
                connection.execute(f"PRAGMA {pragma}").fetchall()
        library = Library(path, connection)
        _ready(library)
        yield library
    finally:
        connection.close()


def _ready(library: Library) -> None:
    with translated(library.path):
        version = library.connection.execute("PRAGMA user_version").fetchone()[0]
        if version == VERSION:
            return
        if version > VERSION:
            raise Outage("the library was written by a newer dream", component="db", code="store-newer",
                         hint="install the newer dream; this one changes nothing")
        library.connection.execute("PRAGMA journal_mode = WAL").fetchall()
    import secrets

    with library.writing() as tx:
        if tx.execute("PRAGMA user_version").fetchone()[0] == VERSION:
            return  # another process was quicker
        tx.execute(WORDS)
        for statement in FIRST.split(";\n"):  # the trigger stands on one line
            if statement.strip():
                tx.execute(statement)
        tx.execute("INSERT INTO fact VALUES ('key', ?)", (secrets.token_hex(32),))
        tx.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        tx.execute(f"PRAGMA user_version = {VERSION}")
