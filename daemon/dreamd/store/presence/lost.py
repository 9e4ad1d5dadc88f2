"""A store that is lost: nothing stands where `dream.db` belongs, and what lies beside it says that something did.

Whoever founds a new store there in silence hides the loss: memories are gone, every source is read anew, and the backups
are pushed out one by one. So founding asks here first, and a lost store is an outage until a person decides.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import Outage
from dreamd.core.paths import BACKUP_ENDINGS
from dreamd.core.places.in_the_way import kind_of

CODE = "store-lost"
AWAY = "home-away"
EXCHANGED = "store-exchanged"
NO_FILE = "store-no-file"
FOUNDED = ".founded"
"""The mark that a store was founded here once: it tells of a loss where there are neither backups nor files yet."""
COMING = ".restoring-"
"""In the name of a copy that is to take the place of the store: finished, verified, and decided upon."""
WAY_OUT = "`dream restore-store` goes back to the last verified copy; `dream init --new` begins anew on purpose"
MARKED = (f'"code": "{CODE}"', f'"code": "{AWAY}"')
MARKER_BYTES = 16_384


def is_there(store: Path) -> bool:
    """Whether a store's file stands there and holds anything at all.

    An empty one must not even be opened: SQLite would throw away the log that lies beside it.
    """
    try:
        return store.lstat().st_size > 0
    except (FileNotFoundError, NotADirectoryError):
        return False


def refuse_no_file(store: Path, *, to_read: bool = False) -> None:
    """Raise Outage where a link, a directory or a pipe stands in the place of the store or of what SQLite keeps beside it.

    SQLite says of each that the disk fails, or waits for ever. To be read a store may be a link, and needs no room beside.
    """
    for end in ("", "-wal", "-journal") if to_read else ("", "-wal", "-shm", "-journal"):
        path = store.with_name(f"{store.name}{end}")
        try:
            mode = (path.stat() if to_read and path == store else path.lstat()).st_mode
        except (FileNotFoundError, NotADirectoryError):
            if not path.is_symlink():
                continue
            mode = stat.S_IFLNK
        except OSError:
            mode = stat.S_IFLNK  # one that leads to itself, or to where nobody may look
        if not stat.S_ISREG(mode):
            back = "; then put the store back, or `dream restore-store` takes its last verified copy" if path == store else ""
            raise Outage(f"`{path}` is {kind_of(mode)} and no file: dream opens nothing there", component="db", code=NO_FILE,
                         hint=f"move it away{back}")


def refuse_if_lost(store: Path, *, is_missing: Callable[[], bool] | None = None) -> None:
    """Raise Outage where a store is gone that was there.

    `is_missing` is asked once more after the traces: one that is being founded this very moment leaves its mark last.
    """
    told = tell_traces(store)
    if told and (is_missing() if is_missing else not is_there(store)):
        raise Outage(f"the store `{store}` is gone, but {told}", component="db", code=CODE, hint=WAY_OUT)


def tell_traces(store: Path) -> str:
    """What tells that a store was here, in words; empty where nothing does."""
    return next(_traces(store), "")


def mark_founded(store: Path) -> None:
    """Remember beside a new store that there is one."""
    fsio.create_private(store.with_name(FOUNDED))


def find_coming(store: Path) -> list[Path]:
    """Copies that were to take the store's place when somebody was killed, oldest first."""
    if not store.parent.is_dir():
        return []
    return sorted(p for p in store.parent.glob(f"{store.name}{COMING}*") if not p.name.endswith(("-wal", "-shm", "-journal")))


def names_of_home(home: Path) -> list[str]:
    """Under which a service that watches a home can be asked for, whatever became of the directory."""
    places = dict.fromkeys((os.path.abspath(home), os.path.realpath(home)))  # noqa: PTH100 - of a place that may be gone
    return [f"\0dream-{os.geteuid()}-{blake2b(os.fsencode(place), digest_size=16).hexdigest()}" for place in places]


def _traces(store: Path) -> Iterator[str]:
    home = store.parent
    if find_coming(store):
        yield "going back to a copy of it was interrupted"
    if any(_files_below(home / "backups", ending=BACKUP_ENDINGS)):
        yield f"there are backups in `{home / 'backups'}`"
    if any(_files_below(home / "memory")) or any(_files_below(home / "archive")):
        yield f"there are memories in `{home / 'memory'}`"
    with suppress(OSError):
        if store.with_name(f"{store.name}-wal").stat().st_size:
            yield "its log is still there"
    if any(home.glob(f"{store.name}.replaced-*")) or (home / FOUNDED).exists():
        yield "there was one in this home"
    with suppress(OSError):
        if any(mark in (home / "outage" / "db.json").read_text("utf-8", "replace")[:MARKER_BYTES] for mark in MARKED):
            yield "the home was found without it before"
    if is_watched(home):
        yield f"the service that watches `{home}` knows another one: the directory was moved or unmounted"


def is_watched(home: Path) -> bool:
    """Whether a running service has seen a store in this home. Where the platform cannot tell, nobody has."""
    if sys.platform != "linux":
        return False
    import socket

    names = names_of_home(home)
    for name in names:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as asked, suppress(OSError):
            asked.connect(name)
            return True
    return any(f"@{name[1:]}\n".encode() in table for table in _tables_of_others() for name in names)


def _tables_of_others() -> Iterator[bytes]:
    """The sockets that each process of ours can see: the unit gives the service a network of its own, and a name in there
    answers nobody outside it."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if b"dream" in (process / "cmdline").read_bytes():
                yield (process / "net" / "unix").read_bytes()


def _files_below(directory: Path, *, ending: str | tuple[str, ...] = "") -> Iterator[Path]:
    """Files below a directory, links not followed; nothing where none can be read."""
    waiting = [directory]
    while waiting:
        try:
            entries = sorted(waiting.pop().iterdir())
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir() and not entry.is_symlink():
                waiting.append(entry)
            elif entry.name.endswith(ending) and not entry.name.endswith(fsio.TEMPORARY_SUFFIX):
                yield entry
