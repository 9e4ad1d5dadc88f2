"""Copies of the store that hold secrets: each is copied beside, masked, verified, and put in its own place."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import DreamError
from dreamd.core.paths import Paths
from dreamd.store import backups, forgetting
from dreamd.store.connection import open_store
from dreamd.store.masking.unmasked import Held, find_held, mask_held

HALF = ".part"


def list_copies(paths: Paths) -> Iterator[Path]:
    """Every copy of the store below a home: the backups, and stores that were replaced."""
    beside = (p for p in paths.home.glob(f"{paths.store.name}.*")
              if p.is_file() and not p.name.endswith((HALF, "-wal", "-shm")))
    yield from sorted((*paths.backups.glob("*.db"), *beside))


def look_into(copy: Path) -> list[Held]:
    """The rows of a copy that hold secrets.

    Raises DreamError for one that cannot be read.
    """
    try:
        with closing(sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            return list(find_held(connection))
    except sqlite3.Error as error:
        raise DreamError(f"`{copy.name}` cannot be read ({type(error).__name__})") from None


def mask_copy(copy: Path) -> None:
    """Mask what stands in a copy. Whoever is killed leaves either the old copy or the new one.

    Raises DreamError for one that cannot be masked; it stays as it is.
    """
    half = copy.with_name(copy.name + HALF)
    fsio.remove(half)
    fsio.write_atomic(half, copy.read_bytes())
    try:
        with closing(open_store(half, migrate=True)) as store:
            with store.writing() as tx:
                mask_held(tx, list(find_held(tx)))
            forgetting.scrub(store)
            store.connection.execute("PRAGMA journal_mode = DELETE").fetchall()
            backups.verify_store(store.connection, half)
    except (DreamError, sqlite3.Error):
        fsio.remove(half)
        raise
    fsio.sync_file(half)
    fsio.move(half, copy)
