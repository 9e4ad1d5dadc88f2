"""Who may write now: four native locks that the kernel frees when their holder dies.

    service.lock   held for the life of `dream run`; keeps a second service away
    dream.lock     held for one dream, whoever started it (service, timer or a person)
    write.lock     held while rows change; nothing slow ever runs under it
    gate.lock      the turnstile in front of write.lock

A file lock by itself is not fair: a dream that takes `write.lock` again at once starves everyone else. So a
foreground writer holds the gate *while it waits*, and a dream passes through the gate before each batch and
looks at it after each batch. Whoever dies frees what it held; nothing is ever judged stale.

The files are never unlinked (unlinking a held lock makes two holders) and what is written in them is for
people only: no decision reads it.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core import fsio
from dreamd.core.clock import SystemClock, iso
from dreamd.core.errors import DreamError, Locked, Outage
from dreamd.core.places.in_the_way import refuse_no_lock

if TYPE_CHECKING:
    from filelock import UnixFileLock

SERVICE_LOCK = "service.lock"
INSTALL_LOCK = "install.lock"
LIBRARY_LOCK = "library.lock"
DREAM_LOCK = "dream.lock"
WRITE_LOCK = "write.lock"
GATE_LOCK = "gate.lock"
REQUESTS_LOCK = "requests.lock"
LOGS_LOCK = "logs.lock"

POLL_S = 0.01
FOREGROUND_POLL_S = (*(0.0001,) * 10, *(0.0002,) * 10, 0.0005, 0.0005, 0.001, 0.001, 0.002)
"""Naps of one who waits to write, the last again and again: most locks are held for a millisecond or two, and a
waiting person is worth the polls; a dream is not."""
FOREGROUND_BUDGET_S = 2.0
LOGS_BUDGET_S = 20.0
"""To pack the largest log takes seconds, and a line that has no place is lost: whoever writes one waits for that."""
PROBE_GRACE_S = 1.0
"""A probe holds a shared lock for an instant; taking a lock for life outlasts it."""
BACKGROUND_PATIENCE_S = 30.0
"""How long a dream waits for the turnstile before it gives the whole run up for now."""
OWNER_BYTES = 512


class WriteBusy(Locked):
    """The write lock was not had within its budget; a note goes to the inbox instead."""


@dataclass(frozen=True)
class Owner:
    """Who holds a lock, as told to people; never a reason for a decision."""

    what: str
    since: datetime


def hold_dream(locks_dir: Path, owner: Owner, *, wait_s: float = PROBE_GRACE_S) -> AbstractContextManager[None]:
    """Hold the dream lock for one dream.

    Raises Locked, naming the holder and since when, if another dream is at work.
    """
    return _hold_named(locks_dir, DREAM_LOCK, owner=owner, wait_s=wait_s, said="another dream is at work")


def hold_service(locks_dir: Path, owner: Owner, *, wait_s: float = PROBE_GRACE_S) -> AbstractContextManager[None]:
    """Hold the service lock for the life of the service.

    Raises Locked, naming the holder and since when, if another service watches this home.
    """
    return _hold_named(locks_dir, SERVICE_LOCK, owner=owner, wait_s=wait_s, said="another service is running")


def hold_install(locks_dir: Path, owner: Owner) -> AbstractContextManager[None]:
    """Hold the lock under which the service's files are written.

    Raises Locked, naming the holder, if somebody is installing or removing it right now.
    """
    return _hold_named(locks_dir, INSTALL_LOCK, owner=owner, wait_s=PROBE_GRACE_S, said="the service is being installed")


def hold_library(locks_dir: Path, owner: Owner) -> AbstractContextManager[None]:
    """Hold the lock under which documents are taken in or out.

    Raises Locked, naming the holder, if somebody does that right now.
    """
    return _hold_named(locks_dir, LIBRARY_LOCK, owner=owner, wait_s=PROBE_GRACE_S, said="documents are being taken in")


@contextmanager
def foreground(locks_dir: Path, budget_s: float = FOREGROUND_BUDGET_S) -> Iterator[None]:
    """Hold the write lock for one short write, ahead of any dream.

    One budget covers gate and write. Raises WriteBusy when it is spent: the caller drops into the inbox.
    The kernel's lock is taken without the library around it, whose import would be a quarter of what a note costs.
    """
    until_s = SystemClock().monotonic() + budget_s
    gate = _flock(locks_dir / GATE_LOCK, until_s=until_s)
    try:
        write = _flock(locks_dir / WRITE_LOCK, until_s=until_s)
    finally:
        os.close(gate)
    try:
        yield
    finally:
        os.close(write)


def requests(locks_dir: Path) -> AbstractContextManager[None]:
    """Be the only one who reads and rewrites the list of what people asked to forget.

    Raises WriteBusy when the time is spent.
    """
    return _alone(locks_dir / REQUESTS_LOCK, FOREGROUND_BUDGET_S)


def logs(locks_dir: Path, budget_s: float = LOGS_BUDGET_S) -> AbstractContextManager[None]:
    """Be the only one who adds to or rotates the logs that people read.

    Raises WriteBusy when the time is spent.
    """
    return _alone(locks_dir / LOGS_LOCK, budget_s)


@contextmanager
def _alone(path: Path, budget_s: float) -> Iterator[None]:
    held = _flock(path, until_s=SystemClock().monotonic() + budget_s)
    try:
        yield
    finally:
        os.close(held)


class Background:
    """The dream's side of the turnstile: polite before each batch, attentive after it."""

    def __init__(self, locks_dir: Path, *, should_stop: Callable[[], bool] | None = None,
                 patience_s: float = BACKGROUND_PATIENCE_S) -> None:
        self._home = locks_dir.parent
        self._gate = _lock(locks_dir, GATE_LOCK)
        self._write = _lock(locks_dir, WRITE_LOCK)
        self._should_stop = should_stop
        self._patience_s = patience_s
        self.waited_s = 0.0
        """How long the batches so far stood in the queue, all together."""

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Go through the gate, then hold the write lock for one batch.

        Raises WriteBusy when the gate stays shut beyond patience or the run is asked to stop while it waits.
        """
        since_s = SystemClock().monotonic()
        if not self._home.is_dir():
            raise Outage(f"the home `{self._home}` is gone", component="db", code="store-busy",
                         hint="bring it back; nothing was changed")
        _take(self._gate, wait_s=self._patience_s, poll_s=POLL_S, give_up=self._should_stop)
        self._gate.release()
        _take(self._write, wait_s=self._patience_s, poll_s=POLL_S, give_up=self._should_stop)
        self.waited_s += SystemClock().monotonic() - since_s
        try:
            yield
        finally:
            self._write.release()

    def someone_waits(self) -> bool:
        """Tell whether a foreground writer stands in the gate right now."""
        try:
            _take(self._gate, wait_s=0.0, poll_s=POLL_S)
        except WriteBusy:
            return True
        self._gate.release()
        return False


def is_held(locks_dir: Path, name: str) -> bool:
    """Tell whether a lock is held by anyone, without taking it in anyone's way."""
    import fcntl

    try:
        descriptor = os.open(locks_dir / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False  # not there, or something that nobody can hold: whoever wants to take it is told what it is
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def read_owner(locks_dir: Path, name: str) -> str:
    """Say who holds a lock, in words; empty when nobody does or nobody left a name."""
    if not is_held(locks_dir, name):
        return ""
    return _owner_words(locks_dir / name)


@contextmanager
def _hold_named(locks_dir: Path, name: str, *, owner: Owner, wait_s: float, said: str) -> Iterator[None]:
    from filelock import Timeout

    lock = _lock(locks_dir, name, owner)
    try:
        _acquire(lock, wait_s=wait_s, poll_s=POLL_S)
    except Timeout:
        who = _owner_words(locks_dir / name)
        raise Locked(f"{said}: {who}" if who else said, hint="wait for it, or look at it with `dream status`") from None
    try:
        yield
    finally:
        # The words go with their owner: a run with nothing to do leaves every byte below the home as it was.
        with suppress(OSError):
            os.truncate(locks_dir / name, 0)
        lock.release()


def _flock(path: Path, *, until_s: float) -> int:
    """Lock a file until its descriptor is closed, as `UnixFileLock` does.

    Raises WriteBusy when the time is up, Outage where the disk takes no file, DreamError where it takes no locks.
    """
    clock, naps = SystemClock(), 0
    while True:
        descriptor = _open_lock(path)
        try:
            while not _is_had(descriptor, path):
                if clock.monotonic() >= until_s:
                    raise WriteBusy("the store is busy with another write", hint="try again in a moment")
                clock.sleep(FOREGROUND_POLL_S[min(naps, len(FOREGROUND_POLL_S) - 1)])
                naps += 1
            if os.fstat(descriptor).st_nlink:
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        # Somebody removed the file while we waited: a lock on a file without a name excludes nobody.
        os.close(descriptor)


def _open_lock(path: Path) -> int:
    refuse_no_lock(path)
    with fsio.translated(path):
        fsio.make_private_dir(path.parent)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def _is_had(descriptor: int, path: Path) -> bool:
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise _unlockable(path, error) from error
    return True


def _lock(locks_dir: Path, name: str, owner: Owner | None = None) -> UnixFileLock:
    from filelock import UnixFileLock

    def sign(descriptor: int) -> None:
        _write_owner(descriptor, owner)

    return UnixFileLock(locks_dir / name, mode=0o600, fallback_to_soft=False, preserve_lock_file=True,
                        poll_interval=POLL_S, on_acquired=sign if owner else None)


def _take(lock: UnixFileLock, *, wait_s: float, poll_s: float, give_up: Callable[[], bool] | None = None) -> None:
    from filelock import Timeout

    try:
        _acquire(lock, wait_s=wait_s, poll_s=poll_s, give_up=give_up)
    except Timeout:
        raise WriteBusy("the store is busy with another write", hint="try again in a moment") from None


def _acquire(lock: UnixFileLock, *, wait_s: float, poll_s: float, give_up: Callable[[], bool] | None = None) -> None:
    """Acquire, turning a filesystem that cannot lock into a sentence instead of carrying on unlocked."""
    path = Path(lock.lock_file)
    refuse_no_lock(path)
    fsio.make_private_dir(path.parent)  # the library would make it, open to everybody
    try:
        lock.acquire(timeout=wait_s, poll_interval=poll_s, cancel_check=give_up)
    except TimeoutError:
        raise
    except OSError as error:
        raise _unlockable(path, error) from error


def _unlockable(path: Path, error: OSError) -> DreamError:
    """Why a lock cannot be had: for want of rights or room, as any other file, or because the filesystem knows no locks."""
    plain = DreamError(f"cannot lock `{path}`: {error.strerror or error}",
                       hint="dream never works without its locks; check the directory and its filesystem")
    try:
        with fsio.translated(path):
            raise error
    except Outage as known:
        return plain if error.errno == errno.EIO else known  # that is what some filesystems say that know no locks
    except DreamError:
        return plain


def _write_owner(descriptor: int, owner: Owner | None) -> None:
    if owner is None:
        return
    note = json.dumps({"pid": os.getpid(), "what": owner.what[:100], "since": iso(owner.since)}).encode()
    with suppress(OSError):  # a full disk must not keep anyone from the lock; the words are for people only
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, note[:OWNER_BYTES], 0)


def _owner_words(path: Path) -> str:
    """`dream run` (pid 12) since …, from whatever stands in the file; empty when it says nothing usable."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        note = json.loads(os.read(descriptor, OWNER_BYTES))
        what, pid, since = str(note["what"]), int(note["pid"]), str(note["since"])
    except (OSError, ValueError, TypeError, KeyError):
        return ""
    finally:
        os.close(descriptor)
    printable = "".join(c for c in f"`{what}` (pid {pid}) since {since}" if c.isprintable())
    return printable[:200]
