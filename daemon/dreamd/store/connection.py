"""One thin door to SQLite: explicit transactions, errors a person can act on, and nothing clever.

sqlite3's own transaction handling is switched off: a deferred read-then-write fails at once with a busy
snapshot and ignores the busy timeout, so every write begins with `BEGIN IMMEDIATE` and waits its turn.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast  # Any: what stands in a column

from dreamd.core import fsio
from dreamd.core.errors import Corrupt, DreamError, Outage, StoreMissing
from dreamd.store import schema, seals
from dreamd.store.presence import lost, sound_rows
from dreamd.store.presence.elsewhere import find_elsewhere, identity_of
from dreamd.store.presence.holding import fence_of
from dreamd.store.presence.looked_over import LookedOver
from dreamd.store.presence.read_only import connect_to_read

BUSY_TIMEOUT_MS = 2000
COMMITS_PER_FOLD = 8
"""Commits of a dream after which it folds the log in by itself, long before a foreground writer would have to."""
TRUNCATE_WAIT_MS = 50
"""How long writers may be kept out for emptying the log; a reader in the way only postpones it."""
SIGNS_OF_DAMAGE = ("malformed", "not a database", "corrupt", "no such table", "no such column", "has no column",
                   "decode to UTF-8", "user-defined function")
"""The last is what a seal says to a row whose words cannot be read any more."""
PAGE_BYTES = 8192
"""Of a new store. Rows of the journal and vectors have nearly a kilobyte; half such a page takes in too few to be filled."""
JOURNAL_LIMIT_BYTES = 16 * 1024 * 1024
FIRST_STEPS = ("`dream consolidate` reads the transcripts on this machine, `dream ingest PATH` files from anywhere, "
               "`dream note \"…\"` takes a note; `--home DIR` names a store made elsewhere")
"""What a person does where nothing is yet."""


class Fenced(DreamError):
    """Another dream took this store over while we were working; our batch was not written."""


LISTED = "(SELECT value FROM json_each(?))"
"""In a statement the values of a list, however many, given as `listed` gives them."""


def listed(values: Iterable[str | int]) -> str:
    """Values for one `LISTED` of a statement: ids, hashes, numbers and names, in which no sign needs more than JSON has."""
    return json.dumps(list(values))


class Store:
    """An open store. One connection, one thread."""

    owns_words = False  # whether the words of memories are the store's alone, and files only show them
    writes = decides = True
    """Whether whoever works here may change something, and may pin and decide between members; one's own store is one's own."""
    held = ""  # the one scope that the dream at work holds; empty: all of the store

    def __init__(self, path: Path, connection: sqlite3.Connection, *, file: tuple[int, int] | None = None) -> None:
        self.path = path
        self.connection = connection
        self._depth = 0
        self._ledger: seals.Ledger | None = None
        self._watches_all = False
        self._durable = True
        self._folding = False
        self._unfolded = 0
        self._seen: int | None = None
        self._file = file
        self.looked_over = LookedOver(path, connection)

    @contextmanager
    def writing(self, *, epoch: int | None = None, durable: bool = True,
                only: frozenset[str] | None = None) -> Iterator[sqlite3.Connection]:
        """One immediate transaction: commits at the end, rolls back on any error.

        With `epoch`, raises Fenced when another dream has taken the store over since. One that is not `durable` is not
        flushed to the disk by itself: a loss of power may take it, and all that came before it, but never a part of it
        and never what came before a durable one. That is for work that would only be done again. One that changes `only`
        some tables begins two milliseconds sooner, for it counts in no other; SQLite itself refuses to change another.
        """
        if self._depth:
            raise DreamError("a transaction inside a transaction")
        with translated(self.path):
            if durable != self._durable:
                self.connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}").fetchall()
                self._durable = durable
            counted = self._watch(only)
            _begin(self.connection)
        self._depth = 1
        try:
            self._stands()
            with translated(self.path):
                self.looked_over.begun()
            if counted is not None:
                self.connection.set_authorizer(seals.refusal(counted))
            with translated(self.path):
                if epoch is not None and epoch != fence_of(self.connection, self.held):
                    raise Fenced("another dream took this store over", hint="nothing is lost; run `dream consolidate` again")
                yield self.connection
                if self._ledger is not None:
                    seals.settle(self.connection, self._ledger)
                _commit(self.connection)
                self._unfolded += 1
        except BaseException:
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
            if self._ledger is not None:
                self._ledger.clear()
            raise
        finally:
            self._depth = 0
            if counted is not None:
                self.connection.set_authorizer(None)

    def _stands(self) -> None:
        """Raise Outage where another file has taken this one's place since it was opened: what we write would be lost with it.

        Asked with the write lock held, under which alone a store is exchanged.
        """
        if self._file is not None and identity_of(self.path) != self._file:
            raise Outage(f"the store `{self.path}` was exchanged or moved away meanwhile", component="db", code="store-busy",
                         hint="nothing was changed; try again")

    def _watch(self, only: frozenset[str] | None) -> frozenset[str] | None:
        """Have every change counted that the coming transaction may make; gives the tables it has to keep to."""
        if self._watches_all or schema.version_of(self.connection) != schema.VERSION:
            return None
        counted = None if only is None else only | {"meta"}
        self._ledger = seals.watch(self.connection, self._ledger, only=counted)
        self._watches_all = counted is None
        return counted

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent view for several reads; joins a transaction that is already open."""
        with translated(self.path):
            if self._depth:
                yield self.connection
                return
            self.connection.execute("BEGIN")
            self._depth = 1
            try:
                yield self.connection
            finally:
                self._depth = 0
                with suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")

    def one(self, sql: str, *args: object) -> sqlite3.Row | None:
        """The first row of a query, or None."""
        with translated(self.path):
            cursor = self.connection.execute(sql, args)
            row = cursor.fetchone()
            return None if row is None else cast(sqlite3.Row, sound_rows.checked(cursor, [row], self.path)[0])

    def all(self, sql: str, *args: object) -> list[sqlite3.Row]:
        """All rows of a query."""
        with translated(self.path):
            cursor = self.connection.execute(sql, args)
            return sound_rows.checked(cursor, cursor.fetchall(), self.path)

    def tuples(self, sql: str, *args: object) -> list[tuple[Any, ...]]:
        """All rows of a query without the names of their columns, for a query that has a row for each memory."""
        with translated(self.path):
            cursor = self.connection.cursor()
            cursor.row_factory = None
            return sound_rows.checked(cursor, cursor.execute(sql, args).fetchall(), self.path)

    def meta(self, key: str) -> str | None:
        """One value of the store's own facts."""
        row = self.one("SELECT value FROM meta WHERE key = ?", key)
        if row is not None and row["value"] is None:
            raise Corrupt(f"the store `{self.path}` is damaged (a fact of it says nothing)", hint=sound_rows.WHAT_HELPS)
        return None if row is None else str(row["value"])

    def epoch(self) -> int:
        """The number of the dream that holds this store."""
        return int(self.meta("epoch") or 0)

    def others_wrote(self) -> bool:
        """Whether another connection has committed since this was asked last; False the first time. Free of charge."""
        with translated(self.path):
            seen = int(self.connection.execute("PRAGMA data_version").fetchone()[0])
        before, self._seen = self._seen, seen
        return before not in (None, seen)

    def copy_into(self, empty: sqlite3.Connection) -> None:
        """Copy all of it into an empty database, of which there may be no trace."""
        self.connection.backup(empty)

    def leave_log(self) -> None:
        """Fold the log in between commits and not within one, where whoever wants to write would wait for it."""
        self._folding = True
        with translated(self.path):
            self.connection.execute("PRAGMA wal_autocheckpoint = 0").fetchall()

    def fold_if_long(self) -> None:
        """Fold the log into the main file when it has grown; call while no lock is held."""
        if self._folding and self._unfolded >= COMMITS_PER_FOLD:
            with translated(self.path):
                self._fold()

    def checkpoint(self) -> None:
        """Fold the whole write-ahead log in and empty it; a busy reader only postpones that."""
        with translated(self.path):
            self._fold()
            self.connection.execute(f"PRAGMA busy_timeout = {TRUNCATE_WAIT_MS}").fetchall()
            try:
                with self.looked_over.folding():
                    _checkpoint(self.connection)
            finally:
                self.connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}").fetchall()
            self.looked_over.mark()

    def _fold(self) -> None:
        """Fold in what no reader needs any more: writers go on meanwhile, so the long part of a checkpoint is this one."""
        with self.looked_over.folding():
            self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        self._unfolded = 0

    def close(self) -> None:
        with suppress(DreamError, sqlite3.Error):  # a log that cannot be emptied now only costs the next dream a whole look
            if self.looked_over.is_to_mark:
                self.checkpoint()
        self.connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_failure: object) -> None:
        self.close()


def open_store(path: Path, *, create_with: schema.Founding | None = None, migrate: bool = False,
               before_migration: Callable[[sqlite3.Connection], object] | None = None) -> Store:
    """Open the store for reading and writing.

    A store that is not there is created when `create_with` says how, else StoreMissing. One of an older schema
    is brought up to date only with `migrate`, which the holder of the dream lock alone may ask for.
    Raises Outage for a store that is lost, no file, of a newer dream or of an older one that may not be migrated here,
    Corrupt for a file that is no store.
    """
    lost.refuse_no_file(path)
    if team := find_elsewhere(path):
        return team
    _check_there(path, create_with)
    fsio.make_private_dir(path.parent)
    if not path.exists():
        # Created by us first, so that its mode is right before SQLite writes a byte.
        fsio.create_private(path)
    with translated(path):
        # Looked at before it is opened: taken for another one it only refuses, the other way round it would be lost.
        file = identity_of(path)
        store = Store(path, _connect(path), file=file)
    try:
        with translated(path):
            if migrate and before_migration and 0 < schema.version_of(store.connection) < schema.VERSION:
                before_migration(store.connection)
            founded = _ready(store, create_with=create_with, migrate=migrate)
        if founded:
            lost.mark_founded(path)
    except BaseException:
        store.close()
        raise
    return store


def _check_there(path: Path, create_with: schema.Founding | None) -> None:
    """Refuse to open what is not there, unless it may be founded; a store that is lost is never founded in silence."""
    if lost.find_coming(path):
        raise Outage(f"the store `{path}` is being exchanged for a copy of it", component="db", code=lost.EXCHANGED,
                     hint="`dream restore-store` or the next `dream consolidate` ends that")
    if not lost.is_there(path):
        if not (create_with and create_with.anew):
            lost.refuse_if_lost(path)
        if create_with is None:
            raise StoreMissing(f"no store at `{path}`", hint=FIRST_STEPS)


def open_reader(path: Path) -> Store:
    """Open an existing store without the right to write.

    Where the file may be written, SQLite opens it so and is told to refuse every change: a connection opened as
    read-only leaves `-wal` and `-shm` behind when it closes, and a look must leave no trace.
    """
    lost.refuse_no_file(path, to_read=True)
    if team := find_elsewhere(path):
        return team
    if not lost.is_there(path):
        lost.refuse_if_lost(path)
        raise StoreMissing(f"no store at `{path}`", hint=FIRST_STEPS)
    with translated(path):
        connection = connect_to_read(path, timeout_s=BUSY_TIMEOUT_MS / 1000)
        store = Store(path, connection)
        try:
            if schema.version_of(connection) == 0 and schema.is_empty(connection):
                lost.refuse_if_lost(path, is_missing=lambda: schema.version_of(connection) == 0)
                # Somebody is founding it this very moment: it is not there yet, which is no outage.
                raise StoreMissing(f"no store at `{path}`", hint=FIRST_STEPS)
            schema.check_version(connection)
        except BaseException:
            store.close()
            raise
    return store


def open_in_memory(founding: schema.Founding) -> Store:
    """An empty store that leaves no trace."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.row_factory = sqlite3.Row
    store = Store(Path(":memory:"), connection)
    with store.writing() as tx:
        schema.migrate(tx, founding=founding)
    return store


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000)
    connection.row_factory = sqlite3.Row
    for pragma in ("foreign_keys = ON", "synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY",
                   f"journal_size_limit = {JOURNAL_LIMIT_BYTES}"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _ready(store: Store, *, create_with: schema.Founding | None, migrate: bool) -> bool:
    """Found a store or bring it up to date, where that was asked for; True for one that is new."""
    connection = store.connection
    version = schema.version_of(connection)
    if version == schema.VERSION:
        if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            with suppress(sqlite3.OperationalError):  # somebody reads it just now: the next one who opens it sets it right
                connection.execute("PRAGMA journal_mode = WAL").fetchall()
        return False
    if version == 0 and not schema.is_empty(connection):
        raise Corrupt(f"`{store.path}` is a database, but no store of dream",
                      hint="move it away, or choose another place with `--home`")
    if version == 0 and not (create_with and create_with.anew):
        lost.refuse_if_lost(store.path, is_missing=lambda: schema.version_of(connection) == 0)
    if version == 0 and create_with is None and not migrate:
        raise StoreMissing(f"no store at `{store.path}`", hint=FIRST_STEPS)
    if version > schema.VERSION or (0 < version < schema.VERSION and not migrate):
        schema.check_version(connection)
    if version == 0:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
    with store.writing() as tx:
        # Another process may have been quicker between our look and our lock.
        if schema.version_of(tx) < schema.VERSION:
            schema.migrate(tx, founding=create_with)
    return version == 0


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite says into the error a person can act on."""
    try:
        yield
    except UnicodeDecodeError as error:
        # SQLite quotes a damaged schema in its complaint, and what it quotes is no text.
        raise Corrupt(f"the store `{path}` is damaged",
                      hint="run `dream restore-store` to go back to the last verified copy") from error
    except sqlite3.Error as error:
        text = str(error)
        if "disk is full" in text:
            raise Outage("no space left for the store", component="disk", code="disk-full",
                         hint="free some space; nothing is lost, the next run finishes the work") from error
        if "readonly" in text or "read-only" in text:
            raise Outage(f"the store `{path}` is on a read-only disk", component="disk", code="disk-read-only",
                         hint="make it writable, or choose another place with `--home`") from error
        if "locked" in text or "busy" in text:
            raise Outage("the store is busy", component="db", code="store-busy", hint="try again in a moment") from error
        if "unable to open" in text:
            raise Outage(f"cannot open the store `{path}`", component="db", code="store-unreadable",
                         hint="look at the rights of the file and its directory") from error
        if "disk I/O" in text:
            raise Outage("the disk failed while the store was written", component="disk", code="disk-error",
                         hint="check the disk, then run `dream check`") from error
        # What dream asks is always the same: where SQLite does not understand it, the shape of the store is no longer ours.
        not_ours = type(error) is sqlite3.DatabaseError or getattr(error, "sqlite_errorname", "") == "SQLITE_ERROR"
        if not_ours or any(sign in text for sign in SIGNS_OF_DAMAGE):
            raise Corrupt(f"the store `{path}` is damaged",
                          hint="run `dream restore-store` to go back to the last verified copy") from error
        raise DreamError(f"the store refused: {type(error).__name__}", hint="run `dream check`") from error


def _begin(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")


def _commit(connection: sqlite3.Connection) -> None:
    connection.execute("COMMIT")


def _checkpoint(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
