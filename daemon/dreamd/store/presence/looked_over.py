"""Whether a store was looked over whole and nobody but dream wrote into it since: then it need not be read whole again.

To see that every row is what dream wrote takes longer the larger a store is, and most dreams have nothing to do. So whoever
has seen that a store is sound, or found it marked so and was its only writer, leaves a mark beside it: how its file looked to
the disk once the log was folded in and empty. Another program that changes a row, or a byte of the file, gives it other times.
A mark that does not fit exactly counts for nothing, nor one that is older than a day: what a disk does to a file by itself
shows in none of its times. No mark is ever needed, and `dream check` asks none.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.clock import SystemClock
from dreamd.core.errors import DreamError
from dreamd.store import schema

LONGEST_S = 24 * 3600.0
"""After so long a store is looked over whole again, whatever the mark says."""
TRIES, NAP_S = 25, 0.001
"""How often a mark is written until the disk's clock, which ticks every few milliseconds, has gone on since the store's file
was written: what is written into it later then has a later time for sure."""
MARK_BYTES = 4096

Facts = tuple[int, ...]
"""How a file looks to the disk: device, inode, size, and the times of its last change in bytes and in facts, in nanoseconds."""


class LookedOver:
    """What one connection knows of it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path, self._connection = path, connection
        self._mark = path.parent / "derived" / f"{path.name}.looked"
        self._facts: Facts | None = None
        """Of the store's file, when it was last known to be dream's from end to end; None where that is not known."""
        self._version, self._at_s = 0, 0.0
        self._asked, self._wrote = False, False

    def holds(self) -> bool:
        """Whether the store is as it was when it was looked over, but for what dream wrote into it."""
        self._ask()
        return self._is_undisturbed() and 0 <= SystemClock().now().timestamp() - self._at_s < LONGEST_S

    @contextmanager
    def looking(self, *, only_look: bool) -> Iterator[None]:
        """Around a look at the whole store; one that ends well counts where nobody else wrote meanwhile."""
        was_marked = self._facts is not None and not only_look
        self._facts, self._version = self._read_facts(), self._read_version()
        try:
            yield
        except BaseException:
            self._facts = None
            raise
        self._at_s = SystemClock().now().timestamp()
        self._wrote = self._wrote or was_marked  # a mark that was only too old is written anew, or every look would be whole
        self._is_undisturbed()

    def begun(self) -> None:
        """A transaction has begun that will write, and nobody else can meanwhile."""
        self._ask()
        self._is_undisturbed()
        self._wrote = True

    @contextmanager
    def folding(self) -> Iterator[None]:
        """Around folding the log in, which changes the file."""
        ours = self._is_undisturbed()
        yield
        if ours and self._read_version() == self._version:
            self._facts = self._read_facts()

    @property
    def is_to_mark(self) -> bool:
        """Whether something was written into a store that is known, and the log is to be emptied so that it can be marked."""
        return self._wrote and self._facts is not None

    def mark(self) -> None:
        """Mark the store as looked over, where it is known and its log is empty; a disk that takes no mark is no failure."""
        if not self.is_to_mark or not self._is_undisturbed() or not self._has_empty_log():
            return
        body = json.dumps({"facts": self._facts, "schema": schema.VERSION, "at_s": self._at_s}).encode()
        with suppress(DreamError, OSError):
            for _ in range(TRIES):
                fsio.write_unsynced(self._mark, body)
                if self._is_late_enough():
                    break
                SystemClock().sleep(NAP_S)
            self._wrote = False
            if not self._is_undisturbed():
                fsio.take_away(self._mark)

    def _ask(self) -> None:
        """Look once what the mark says."""
        if self._asked:
            return
        self._asked, version = True, self._read_version()
        try:
            said = json.loads(fsio.read_bytes(self._mark, limit_bytes=MARK_BYTES))
            facts, written_for, at_s = tuple(said["facts"]), said["schema"], float(said["at_s"])
        except (DreamError, OSError, ValueError, KeyError, TypeError):
            return
        fits = written_for == schema.VERSION and facts == self._read_facts() and self._has_empty_log()
        if fits and self._is_late_enough():
            self._facts, self._version, self._at_s = facts, version, at_s

    def _is_undisturbed(self) -> bool:
        """Whether the store is still known: nobody else has committed, and nothing but a folded log changed the file."""
        if self._facts is not None and (self._read_version() != self._version or self._read_facts() != self._facts):
            self._facts = None
        return self._facts is not None

    def _is_late_enough(self) -> bool:
        try:
            return self._mark.stat().st_mtime_ns > self._path.stat().st_mtime_ns
        except OSError:
            return False

    def _has_empty_log(self) -> bool:
        try:
            return self._path.with_name(f"{self._path.name}-wal").stat().st_size == 0
        except FileNotFoundError:
            return True
        except OSError:
            return False

    def _read_facts(self) -> Facts | None:
        try:
            one = self._path.stat()
        except OSError:
            return None
        return one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns

    def _read_version(self) -> int:
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])
