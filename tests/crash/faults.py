"""Every effect on the disk counted, and one of them made to go wrong.

The shim stands where all files and the store go through: the underscore functions of `fsio` and of the store's
connection. An effect is one call of one of them. SQLite itself is trusted to keep a commit that it reported
(`synchronous=FULL`); what it does not report is tried from outside, with strace.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from dreamd.core import fsio
from dreamd.store import connection as store_door

KILLED = 137
FULL = frozenset({"mkdir", "open", "write", "fsync", "commit", "checkpoint"})
"""What a full disk refuses; renaming and unlinking still work on one."""
EVERYTHING = FULL | {"rename", "unlink"}
BEGIN = frozenset({"begin"})
"""Where another writer may be in the way; a disk cannot be."""
SAID_BY_SQLITE = {errno.ENOSPC: "database or disk is full", errno.EDQUOT: "database or disk is full",
                  errno.EIO: "disk I/O error", errno.EROFS: "attempt to write a readonly database",
                  errno.EBUSY: "database is locked"}


@dataclass(frozen=True)
class Fault:
    """What goes wrong at effect number `at` (from 1), once or from then on."""

    name: str
    at: int = 0
    error: int = 0
    lasting: bool = False
    hits: frozenset[str] = EVERYTHING
    die: bool = False
    torn: bool = False
    """A write gets half-way first."""
    unsure: bool = False
    """The effect takes place and is reported as failed."""
    lose: str = ""
    """Power loss: `entries` undoes names that were not synced, `bodies` empties files that were not synced, `some` cuts a
    part of those files at any length and undoes the newest of those names, as many as chance says."""

    def fits(self, kind: str) -> bool:
        """True when this kind of effect can go wrong this way."""
        return kind in self.hits


KILL = Fault("kill", die=True)
TORN_KILL = Fault("kill in the middle of a write", die=True, torn=True, hits=frozenset({"write"}))
LOSE_ENTRIES = Fault("power loss, names not synced are gone", die=True, lose="entries")
LOSE_BODIES = Fault("power loss, bodies not synced are gone", die=True, lose="bodies")
FULL_ONCE = Fault("disk full once", error=errno.ENOSPC, hits=FULL)
FULL_TORN = Fault("disk full half-way through a write", error=errno.ENOSPC, torn=True, hits=frozenset({"write"}))
FULL_LASTING = Fault("disk full from then on", error=errno.ENOSPC, lasting=True, hits=FULL)
IO_ONCE = Fault("disk error once", error=errno.EIO)
IO_LASTING = Fault("disk error from then on", error=errno.EIO, lasting=True)
READ_ONLY = Fault("read-only from then on", error=errno.EROFS, lasting=True)
QUOTA = Fault("over quota from then on", error=errno.EDQUOT, lasting=True, hits=FULL)
BUSY = Fault("another writer in the way", error=errno.EBUSY, hits=BEGIN)
LOSE_SOME = Fault("power loss, some of what was not synced is gone", die=True, lose="some")
UNSURE = Fault("flush fails once though the bytes arrive", error=errno.EIO, unsure=True, hits=frozenset({"fsync", "commit"}))

KINDS = (KILL, TORN_KILL, LOSE_ENTRIES, LOSE_BODIES, LOSE_SOME, FULL_ONCE, FULL_TORN, FULL_LASTING, IO_ONCE, IO_LASTING,
         READ_ONLY, QUOTA, UNSURE)


@dataclass
class Disk:
    """Counts effects below one home, makes the chosen one go wrong, and knows what a power loss would take."""

    home: Path
    fault: Fault | None = None
    flushes: bool = True
    """False for the control: every fsync is a lie."""
    effects: list[str] = field(default_factory=list)
    _open_paths: dict[int, Path] = field(default_factory=dict)
    _unsynced: set[Path] = field(default_factory=set)
    _entries: list[tuple[Path, Callable[[], None]]] = field(default_factory=list)

    def effect(self, kind: str, act: Callable[[], object], *, half: Callable[[], object] | None = None) -> object:
        """One effect: carried out, or made to go wrong when its turn has come."""
        self.effects.append(kind)
        fault, number = self.fault, len(self.effects)
        if fault is None or not fault.fits(kind) or not (number == fault.at or (fault.lasting and number > fault.at)):
            return act()
        if fault.torn and half is not None:
            half()
        if fault.unsure:
            act()
        if fault.die:
            self._die(fault)
        if kind in ("begin", "commit", "checkpoint"):
            raise sqlite3.OperationalError(SAID_BY_SQLITE[fault.error])
        raise OSError(fault.error, os.strerror(fault.error))

    def _die(self, fault: Fault) -> None:
        chance = random.Random(fault.at)
        some = fault.lose == "some"
        names = self._entries if fault.lose == "entries" else self._entries[chance.randrange(len(self._entries) + 1):]
        if fault.lose in ("entries", "some"):
            for _, undo in reversed(names):
                undo()
        if fault.lose:
            for path in sorted(self._unsynced):
                # The store was only created here; what SQLite wrote into it since, SQLite has synced.
                if path.is_file() and path.suffix != ".db" and (not some or chance.random() < 0.5):
                    os.truncate(path, chance.randrange(path.stat().st_size + 1) if some else 0)
        os._exit(KILLED)

    def forget_entries_of(self, descriptor: int) -> None:
        """An fsync: a file's body is safe, or the names in a directory are."""
        if not self.flushes:
            return
        facts = os.fstat(descriptor)
        if not stat.S_ISDIR(facts.st_mode):
            self._unsynced.discard(self._open_paths.get(descriptor, Path()))
            return
        self._entries = [(d, undo) for d, undo in self._entries if d.is_dir() and d.stat().st_ino != facts.st_ino]

    def opened(self, descriptor: int, path: Path, *, fresh: bool) -> None:
        """A file was opened for writing; a fresh one has a name that is not safe yet."""
        self._open_paths[descriptor] = path
        self._unsynced.add(path)
        if fresh:
            self._entries.append((path.parent, lambda: path.unlink(missing_ok=True)))

    def made(self, path: Path) -> None:
        """A directory was made; its name is not safe yet."""
        self._entries.append((path.parent, lambda: shutil.rmtree(path, ignore_errors=True)))

    def will_move(self, source: Path, target: Path) -> None:
        """A rename is about to happen: keep what it replaces, for a power loss may bring it back."""
        kept = self._keep(target)

        def undo() -> None:
            if target.exists():
                target.replace(source)
            if kept is not None:
                kept.replace(target)

        self._entries.append((target.parent, undo))
        if source in self._unsynced:
            self._unsynced.discard(source)
            self._unsynced.add(target)

    def will_unlink(self, path: Path) -> None:
        """An unlink is about to happen: a power loss may bring the file back."""
        kept = self._keep(path)
        if kept is not None:
            self._entries.append((path.parent, lambda: kept.replace(path)))
        self._unsynced.discard(path)

    def _keep(self, path: Path) -> Path | None:
        if not path.exists():
            return None
        kept = self.home.parent / f"kept-{len(self.effects)}"
        with suppress(FileExistsError):
            os.link(path, kept)
        return kept


@contextmanager
def watched(home: Path, fault: Fault | None = None, *, flushes: bool = True) -> Iterator[Disk]:
    """Put the shim in place for a while."""
    disk = Disk(home, fault, flushes)
    kept = {name: getattr(fsio, name) for name in ("_open", "_write", "_fsync", "_rename", "_unlink", "_mkdir")}
    doors = {name: getattr(store_door, name) for name in ("_begin", "_commit", "_checkpoint")}
    for name, stand_in in _file_doors(disk, kept).items():
        setattr(fsio, name, stand_in)
    for name, real in doors.items():
        setattr(store_door, name, lambda c, n=name[1:], r=real: disk.effect(n, lambda: r(c)))
    try:
        yield disk
    finally:
        for name, real in kept.items():
            setattr(fsio, name, real)
        for name, real in doors.items():
            setattr(store_door, name, real)


def _file_doors(disk: Disk, real: dict[str, Callable[..., object]]) -> dict[str, Callable[..., object]]:
    def _open(path: Path, flags: int, mode: int) -> object:
        fresh = not path.exists()
        descriptor = disk.effect("open", lambda: real["_open"](path, flags, mode))
        assert isinstance(descriptor, int)
        disk.opened(descriptor, path, fresh=fresh)
        return descriptor

    def _write(descriptor: int, body: bytes) -> None:
        disk.effect("write", lambda: real["_write"](descriptor, body),
                    half=lambda: real["_write"](descriptor, body[:len(body) // 2]))

    def _fsync(descriptor: int) -> None:
        disk.effect("fsync", lambda: real["_fsync"](descriptor))
        disk.forget_entries_of(descriptor)

    def _rename(source: Path, target: Path) -> None:
        def act() -> None:
            disk.will_move(source, target)
            real["_rename"](source, target)

        disk.effect("rename", act)

    def _unlink(path: Path) -> None:
        def act() -> None:
            disk.will_unlink(path)
            real["_unlink"](path)

        disk.effect("unlink", act)

    def _mkdir(path: Path) -> None:
        disk.effect("mkdir", lambda: real["_mkdir"](path))
        disk.made(path)

    return {"_open": _open, "_write": _write, "_fsync": _fsync, "_rename": _rename, "_unlink": _unlink, "_mkdir": _mkdir}


@contextmanager
def short_writes(most: int = 7) -> Iterator[None]:
    """The kernel takes a few bytes at a time, as it may."""
    real = os.write
    fsio.os.write = lambda descriptor, body: real(descriptor, bytes(body[:most]))  # type: ignore[attr-defined]
    try:
        yield
    finally:
        fsio.os.write = real  # type: ignore[attr-defined]
