"""Reading a store from a disk that takes nothing: not even what SQLite keeps beside a store while it reads it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

NO_ROOM_BESIDE = ("unable to open", "readonly", "read-only", "disk is full", "disk I/O")
"""What SQLite says where it cannot make the small files beside a store."""


def connect_to_read(path: Path, *, timeout_s: float) -> sqlite3.Connection:
    """A connection that only reads, in the first way that works.

    Raises sqlite3.Error as SQLite does where none does.
    """
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    for way in ("mode=rw", "mode=ro") if writable else ("mode=ro",):
        try:
            return _open(path, way, timeout_s)
        except sqlite3.OperationalError as error:
            if not any(sign in str(error) for sign in NO_ROOM_BESIDE):
                raise
    log = path.with_name(f"{path.name}-wal")
    if not log.exists() or not log.stat().st_size:
        # Without a log the file is all there is, and is read as it stands.
        return _open(path, "mode=ro&immutable=1", timeout_s)
    with tempfile.TemporaryDirectory(prefix="dream-") as place:  # in a place for its owner alone, gone once it is open
        for one in (path, log):
            shutil.copyfile(one, Path(place) / one.name)
        return _into_memory(Path(place) / path.name, timeout_s)


def _open(path: Path, way: str, timeout_s: float) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{way}", uri=True, isolation_level=None, timeout=timeout_s)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _into_memory(path: Path, timeout_s: float) -> sqlite3.Connection:
    copy = sqlite3.connect(path, timeout=timeout_s)
    try:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        copy.backup(connection)
    finally:
        copy.close()
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA query_only = ON")
    return connection
