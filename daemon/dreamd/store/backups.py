"""Backups: verified copies of the store, by SQLite's own backup, kept to a bound.

One before every migration and one a week, packed once it is verified. Vectors, which are most of a packed copy and are made
anew by the next dream, are left out: what is left is a ninth of the store. Those of an older dream have them or are not packed;
whoever reads one asks here for a file that SQLite can open. Copying the file of a store in use would miss what is still in its
log.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from dreamd.core import fsio, gzipped
from dreamd.core.clock import iso, parse_instant
from dreamd.core.errors import Corrupt, DreamError, Outage
from dreamd.core.paths import BACKUP_ENDINGS, Paths
from dreamd.store import derived, schema, seals
from dreamd.store.connection import translated

BACKUP_EVERY = timedelta(days=7)
PIECE_PAGES = 256
"""Pages of a copy between two flushes: two mebibytes."""
HALF = ".part"
"""How the name of a file ends that is not yet a copy, or is what is in one while somebody looks."""


def list_backups(directory: Path) -> list[Path]:
    """The copies in a directory, oldest first."""
    return sorted(path for path in directory.glob("*.db*") if path.name.endswith(BACKUP_ENDINGS))


def back_up(connection: sqlite3.Connection, paths: Paths, *, now: datetime, keep: int, why: str) -> Path:
    """Write a verified copy of the store and drop the oldest beyond the bound."""
    fsio.make_private_dir(paths.backups)
    name = f"{iso(now).replace(':', '').replace('-', '')}-{why}"
    final = paths.backups / f"{name}{BACKUP_ENDINGS[-1]}"
    half = paths.backups / f"{name}{HALF}"
    _clear_unfinished(paths.backups)
    try:
        fsio.create_private(half)
        with translated(half), closing(sqlite3.connect(half)) as copy:
            copy.execute("PRAGMA synchronous = OFF").fetchall()
            _copy_gently(connection, copy, half)
            copy.execute("PRAGMA journal_mode = DELETE").fetchall()
            _leave_out_vectors(copy)
            verify_store(copy, half)
        put_away(half, final, packed=True)
    except BaseException:
        # On a full disk what is left of it would keep dream from going on.
        with suppress(DreamError, OSError):
            _clear_unfinished(paths.backups)
        raise
    kept = list_backups(paths.backups)
    for old in kept[:max(0, len(kept) - keep)]:
        fsio.remove(old)
    return final


@contextmanager
def unpacked(copy: Path, place: Path) -> Iterator[Path]:
    """A copy as a file that SQLite can open: itself, or what is in it, in a place of ours for as long as it is looked at.

    The caller holds the dream lock. Raises Corrupt for a packed one that is not whole.
    """
    if not gzipped.is_packed(copy):
        yield copy
        return
    fsio.make_private_dir(place)
    _clear_unfinished(place)
    plain = place / f"{copy.name}{HALF}"
    try:
        gzipped.unpack(copy, plain)
        yield plain
    finally:
        fsio.remove(plain)


def put_away(plain: Path, copy: Path, *, packed: bool) -> None:
    """Put a file that nobody has open any more in the place of a copy; whoever is killed leaves the one before."""
    if not packed:
        fsio.sync_file(plain)
        fsio.move(plain, copy)
        return
    ready = copy.with_name(f"{copy.name}.packed{HALF}")
    gzipped.pack(plain, ready)
    fsio.move(ready, copy)
    fsio.remove(plain)


def _clear_unfinished(directory: Path) -> None:
    for unfinished in directory.glob(f"*{HALF}*"):
        fsio.remove(unfinished)


def _copy_gently(connection: sqlite3.Connection, copy: sqlite3.Connection, half: Path) -> None:
    """Copy a store as it is now, flushing as it goes: a note that is flushed meanwhile waits for no more than one piece."""
    connection.execute("BEGIN")
    try:
        # With a view of the store open the copy does not begin anew whenever somebody writes a note.
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        connection.backup(copy, pages=PIECE_PAGES, progress=lambda _status, _left, _total: fsio.sync_file(half))
    finally:
        connection.execute("ROLLBACK")


def _leave_out_vectors(copy: sqlite3.Connection) -> None:
    if schema.version_of(copy) != schema.VERSION:
        return  # a store of an older shape is copied as it is
    copy.execute("PRAGMA secure_delete = ON").fetchall()  # what is zeroed packs to nothing
    with copy:
        derived.lose_vectors(copy)
        seals.renew(copy, "meta")


def back_up_if_due(connection: sqlite3.Connection, paths: Paths, *, now: datetime, keep: int) -> Path | None:
    """The weekly copy, when the newest one is older than a week; of a server whoever runs it makes them."""
    if seals.server_of(connection):
        return None
    newest = max(map(_backed_up_at, list_backups(paths.backups)), default=None)
    if newest is not None and now - newest < BACKUP_EVERY:
        return None
    return back_up(connection, paths, now=now, keep=keep, why="weekly")


def _backed_up_at(path: Path) -> datetime:
    try:
        return parse_instant(path.name.partition("-")[0])
    except DreamError:
        return parse_instant("1970-01-01")


def verify_store(connection: sqlite3.Connection, path: Path) -> None:
    """Raise Corrupt when a database is damaged or no store of dream, Outage when the disk lets nobody tell."""
    try:
        with translated(path):
            answer = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            foreign = connection.execute("PRAGMA foreign_key_check").fetchone()
            version = schema.version_of(connection)
            # A copy of rows that are not what dream wrote would in time push out every copy that is sound.
            # What is derived is made anew where it is wrong, and may be most of the rows.
            spoiled = seals.broken(connection, but=seals.DERIVED) if version == schema.VERSION else []
    except Outage:
        raise
    except DreamError:
        raise Corrupt(f"`{path}` is damaged", hint="try an older copy") from None
    if spoiled:
        raise Corrupt(f"`{path}` holds rows that dream never wrote", hint="run `dream check`")
    if answer != "ok" or foreign is not None or not version:
        raise Corrupt(f"`{path}` is damaged or no store of dream", hint="try an older copy")
