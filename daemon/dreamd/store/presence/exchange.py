"""Putting a verified copy in the place of the store, so that at every moment there is a store or a refusal.

The copy is made beside, flushed, and only then given the name that decides: from there on whoever opens the store first
ends what was begun, however often it is interrupted. The old store is moved away with its log, never thrown away, and
what only it knows lies in the inbox before that name is given.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.clock import iso
from dreamd.core.errors import Corrupt, DreamError, Outage
from dreamd.core.paths import Paths
from dreamd.core.values import Candidate, Observation
from dreamd.store import observations
from dreamd.store.connection import BUSY_TIMEOUT_MS, Store, translated
from dreamd.store.intake import inbox
from dreamd.store.presence import lost
from dreamd.store.presence.sound_rows import sound_row

MOST_ROWS = 10_000_000
"""Further than this nobody looks for rows one by one: a damaged store may claim any number."""
REPLACED_MOST = 10
"""Stores kept beside the one that a person went back to; the oldest go first beyond it."""
LOG, SHARED = "-wal", "-shm"
SETTLE_KNOWN = "settle known"
"""In the list of files dream wrote: they are of another store, which could be read when it was left."""
SETTLE_LOST = "settle lost"
"""The same where that store could not be read: what only its files say is known to nobody else."""


@dataclass(frozen=True)
class Saved:
    """What was laid into the inbox of what only the old store knew; `whole` where all of it could be read."""

    observations: int = 0
    whole: bool = True


def is_left(paths: Paths) -> bool:
    """Whether an exchange waits to be ended."""
    return bool(lost.find_coming(paths.store))


def finish(paths: Paths) -> Path | None:
    """End an exchange that was decided upon; gives where the old store is kept. Safe to repeat and to interrupt.

    The caller holds the write lock.
    """
    coming = lost.find_coming(paths.store)
    if not coming:
        return None
    for older in coming[:-1]:
        fsio.remove(older)
    stamp = coming[-1].name.removeprefix(f"{paths.store.name}{lost.COMING}")
    kept = move_aside(paths, stamp)
    fsio.move(coming[-1], paths.store)
    lost.mark_founded(paths.store)
    return kept


def move_aside(paths: Paths, stamp: str) -> Path | None:
    """Move a store away with its log; the name under which it is kept, also where a part of it had been moved before."""
    kept = paths.store.with_name(f"{paths.store.name}.replaced-{stamp}")
    if os.path.lexists(paths.store):
        fsio.move(paths.store, kept)
    # The log after the store it belongs to, and before another one can stand there that would read it as its own.
    log = paths.store.with_name(paths.store.name + LOG)
    if log.exists():
        fsio.move(log, kept.with_name(kept.name + LOG))
    fsio.remove(paths.store.with_name(paths.store.name + SHARED))
    return kept if kept.exists() else None


def new_stamp(paths: Paths, now: datetime) -> str:
    """What tells one exchange from another; two of the same moment are told apart."""
    at = iso(now).replace(":", "")
    taken = {p.name for p in paths.home.iterdir()}
    return next(name for name in _numbered(at) if f"{paths.store.name}.replaced-{name}" not in taken)


def _numbered(at: str) -> Iterator[str]:
    yield at
    for n in range(1, 1_000_000):
        yield f"{at}-{n:03d}"


def bring(paths: Paths, chosen: Path, stamp: str) -> None:
    """Copy a verified store beside the present one, flush it, and decide upon it."""
    coming = paths.store.with_name(f"{paths.store.name}{lost.COMING}{stamp}")
    half = paths.home / f".{paths.store.name}.{os.getpid()}{fsio.TEMPORARY_SUFFIX}"
    fsio.remove(half)
    fsio.create_private(half)
    with translated(half), closing(sqlite3.connect(f"{chosen.absolute().as_uri()}?mode=ro", uri=True)) as copy, \
            closing(sqlite3.connect(half)) as made:
        made.execute("PRAGMA journal_mode = OFF").fetchall()
        made.execute("PRAGMA synchronous = OFF").fetchall()
        copy.backup(made)
        # As itself alone: a log of its own would have to be moved with it.
        made.execute("PRAGMA journal_mode = DELETE").fetchall()
    fsio.sync_file(half)
    fsio.move(half, coming)


def prune(paths: Paths) -> None:
    """Keep no more of the replaced stores than the bound."""
    kept = sorted(p for p in paths.home.glob(f"{paths.store.name}.replaced-*") if not p.name.endswith((LOG, SHARED)))
    for old in kept[:-REPLACED_MOST]:
        for ending in ("", LOG, SHARED):
            fsio.remove(old.with_name(old.name + ending))


def save(paths: Paths, chosen: Path, now: datetime) -> Saved:
    """Lay what only the present store holds into the inbox: every observation whose id the copy does not know.

    By ids, for the numbers of two stores have nothing to do with each other; row by row where the store is damaged.
    """
    if not lost.is_there(paths.store):
        return Saved(whole=False)
    with closing(sqlite3.connect(f"{chosen.absolute().as_uri()}?mode=ro", uri=True)) as copy, translated(chosen):
        known = {str(row[0]) for row in copy.execute("SELECT id FROM observation")}
    try:
        with translated(paths.store):
            old = _look_into(paths.store)
    except Corrupt:
        return Saved(whole=False)  # kept beside as it is, for somebody who can read it
    with closing(old):
        rest = _Beside(old, known)
        count = 0
        for part in inbox.in_parts(rest.read()):
            inbox.put_saved(paths, part, now=now, ticket=f"restored {count}")
            count += len(part)
        return Saved(count, rest.whole)


class _Beside:
    """What one store holds and another does not know, read as far as a damaged store allows."""

    def __init__(self, store: Store, known: AbstractSet[str]) -> None:
        self._store, self._known = store, known
        self.whole = True
        """False once something could not be read."""

    def read(self) -> Iterator[Candidate]:
        """Every observation with an id that is not known, in the order it was stored in; none that is not what was said."""
        context = "" if self._has_context() else "'' AS context"
        left = self._left()
        joined = observations.JOINED.replace("o.context", context or "o.context")
        for number in self._numbers():
            try:
                row = self._store.one(f"{joined} WHERE o.seq = ?", number)
                one = _as_said(row, left) if row is not None else None
            except DreamError as error:
                self._miss(error)
                continue
            if one is not None and one.id not in self._known:
                yield Candidate(**{field.name: getattr(one, field.name) for field in fields(Candidate)})

    def _left(self) -> list[str]:
        try:
            return observations.load_left(self._store)
        except DreamError as error:
            self._miss(error)
            return []

    def _has_context(self) -> bool:
        try:
            return any(row["name"] == "context" for row in self._store.all("PRAGMA table_info(observation)"))
        except DreamError as error:
            self._miss(error)
            return True

    def _numbers(self) -> Sequence[int]:
        """The rows that are worth a look; where the table cannot be read as a whole, every number there may be."""
        try:
            rows = self._store.tuples("SELECT seq, id FROM observation ORDER BY seq")
            return [seq for seq, one in rows if one not in self._known]
        except DreamError as error:
            self._miss(error)
        try:
            return range(1, min(observations.last_seq(self._store), MOST_ROWS) + 1)
        except DreamError as error:
            self._miss(error)
            return ()

    def _miss(self, error: DreamError) -> None:
        if isinstance(error, Outage) and error.code != "disk-error":
            raise error  # busy or without rights: that passes, and what could be read then must not be left behind
        self.whole = False


@sound_row
def _as_said(row: sqlite3.Row, left: Sequence[str]) -> Observation | None:
    """One row, if it still is what its id was made of."""
    one = observations.read_row(row)
    return one if one.key or observations.is_itself(one, left) else None


def _look_into(path: Path) -> Store:
    """The present store whatever its schema; its log is folded in as far as nobody reads it, so that one file is moved away."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None,
                                 timeout=BUSY_TIMEOUT_MS / 1000)
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return Store(path, connection)


def append_settling(paths: Paths, *, known: bool) -> None:
    """Say that the files below the home are of another store than the one that is to come."""
    fsio.append_line(paths.own_files, (SETTLE_KNOWN if known else SETTLE_LOST).encode())

