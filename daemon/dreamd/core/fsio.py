"""The one room, beside the store, that touches files below the home.

Every call that changes a disk goes through the underscore functions at the end, so that a test can enumerate
each open, write, fsync, rename and unlink of a whole dream and make it fail, once or for good.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from dreamd.core.errors import DreamError, Outage
from dreamd.core.paths import PRIVATE_DIR, PRIVATE_FILE

DEFAULT_LIMIT_BYTES = 16 * 1024 * 1024
FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
TEMPORARY_SUFFIX = ".dream-tmp"
FLUSHED_BYTES = 2 * 1024 * 1024


def sha256_bytes(body: bytes) -> str:
    """The sha256 of some bytes in hex."""
    return hashlib.sha256(body).hexdigest()


def read_bytes(path: Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> bytes:
    """Read a whole regular file that belongs to us.

    Raises FileNotFoundError when it is not there, DreamError for a link, another user's file, anything that is
    not a plain file, or one over the limit.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise DreamError(f"`{path}` is a symbolic link, not reading it",
                             hint="replace the link by the file itself") from None
        if isinstance(error, FileNotFoundError):
            raise
        raise DreamError(f"cannot read `{path}`: {os.strerror(error.errno or 0)}") from error
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise DreamError(f"`{path}` is not a plain file, not reading it")
        if facts.st_uid not in (os.geteuid(), 0):
            raise DreamError(f"`{path}` belongs to another user, not reading it")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            body = stream.read(limit_bytes + 1)
    finally:
        os.close(descriptor)
    if len(body) > limit_bytes:
        raise DreamError(f"`{path}` is larger than {limit_bytes} bytes, not reading it")
    return body


def write_atomic(path: Path, body: bytes) -> None:
    """Replace a file as a whole: temporary file beside it, fsync, rename, fsync of the directory.

    Raises Outage (disk) when the disk is full or read-only; the old file is then untouched.
    """
    write_all(((path, body),))


def write_all(files: Sequence[tuple[Path, bytes]]) -> None:
    """Replace several files, each as a whole; a directory is synced once for all that moved into it.

    Raises Outage (disk) when the disk is full or read-only; no file is then half written.
    """
    with prepared(files) as waiting:
        for one in waiting:
            put_in_place(one)
        sync_dirs(one.path.parent for one in waiting)


@dataclass(frozen=True)
class Prepared:
    """A new body, written and flushed beside the file it will replace; a rename keeps its size, time and inode."""

    path: Path
    temporary: Path
    size: int
    mtime_ns: int
    inode: int


@contextmanager
def prepared(files: Iterable[tuple[Path, bytes]]) -> Iterator[list[Prepared]]:
    """Write and flush new bodies beside their files: the slow half of replacing them, which nobody has to wait for.

    What was not put in place by the end goes again. Raises Outage (disk) when the disk is full or read-only.
    """
    written: list[tuple[Path, Path, int]] = []
    waiting: list[Prepared] = []
    try:
        try:
            for path, body in files:
                make_private_dir(path.parent)
                temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY_SUFFIX}")
                with translated(path):
                    written.append((path, temporary, _write_new(temporary, body)))
            for _, _, descriptor in written:
                _start_flushing(descriptor)
            for path, temporary, descriptor in written:
                with translated(path):
                    _fsync(descriptor)
                    facts = os.fstat(descriptor)
                waiting.append(Prepared(path, temporary, facts.st_size, facts.st_mtime_ns, facts.st_ino))
        finally:
            for _, _, descriptor in written:
                os.close(descriptor)
        yield waiting
    finally:
        for _, temporary, _ in written:
            with suppress(OSError):
                if temporary.exists():
                    _unlink(temporary)


def put_in_place(one: Prepared) -> None:
    """Replace a file by its prepared body; durable once its directory is synced."""
    with translated(one.path):
        _rename(one.temporary, one.path)


def take_away(path: Path) -> None:
    """Unlink a file, there or not; durable once its directory is synced."""
    with translated(path), suppress(FileNotFoundError):
        _unlink(path)


def sync_dirs(directories: Iterable[Path]) -> None:
    """Make the entries of several directories durable, each once."""
    for directory in dict.fromkeys(directories):
        with translated(directory):
            sync_dir(directory)


def sync_file(path: Path) -> None:
    """Make the bytes of a file durable that somebody else wrote.

    Raises FileNotFoundError when it is not there.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        with translated(path):
            _fsync(descriptor)
    finally:
        os.close(descriptor)


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a new file piece by piece, flushed as it grows: who flushes another one waits for a few mebibytes at most."""
    with translated(path):
        descriptor, waiting = _write_new(path, b""), 0
        try:
            for piece in pieces:
                _write(descriptor, piece)
                if (waiting := waiting + len(piece)) >= FLUSHED_BYTES:
                    _fsync(descriptor)
                    waiting = 0
            _fsync(descriptor)
        except BaseException:
            with suppress(OSError):
                _unlink(path)
            raise
        finally:
            os.close(descriptor)


def _write_new(path: Path, body: bytes) -> int:
    """Write a file and give its descriptor, still to be flushed and closed."""
    descriptor = _open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        _write(descriptor, body)
    except BaseException:
        os.close(descriptor)
        with suppress(OSError):
            _unlink(path)
        raise
    return descriptor


def _start_flushing(descriptor: int) -> None:
    # Many files set on their way together reach the disk in half the time of one flush after the other.
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError):
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def make_private_dir(path: Path) -> None:
    """Create a directory and its parents, readable by its owner alone; refuse a link in its place."""
    if path.is_symlink():
        raise DreamError(f"`{path}` is a symbolic link, not writing below it", hint="replace the link by a directory")
    if path.is_dir():
        return
    with translated(path):
        if not path.parent.exists():
            make_private_dir(path.parent)
        with suppress(FileExistsError):
            try:
                _mkdir(path)
            except (FileNotFoundError, NotADirectoryError) as error:
                raise Outage(f"no directory can be made at `{path}`", component="disk", code="disk-no-place",
                             hint="choose another place with `--home`") from error
            # A directory whose own entry is lost takes every file in it along.
            sync_dir(path.parent)


def check_inside(home: Path, directory: Path) -> None:
    """Refuse a directory below the home that is reached through a link: what is written there would land elsewhere.

    Raises DreamError and names the link; the home itself may be one, for a person chose it.
    """
    place = home
    for part in directory.relative_to(home).parts:
        place = place / part
        if place.is_symlink():
            raise DreamError(f"`{place}` is a symbolic link, not going through it",
                             hint="replace the link by the directory itself")


def create_private(path: Path) -> None:
    """Make an empty file for its owner alone, for a writer that would choose another mode; one that is there stays."""
    with translated(path), suppress(FileExistsError):
        os.close(_open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, PRIVATE_FILE))
        sync_dir(path.parent)


def move(path: Path, target: Path) -> None:
    """Rename a file within one filesystem and make both directory entries durable."""
    make_private_dir(target.parent)
    with translated(path):
        _rename(path, target)
        sync_dir(target.parent)
        if target.parent != path.parent:
            sync_dir(path.parent)


def remove(path: Path) -> None:
    """Unlink a file; one that is already gone is fine, for an interrupted run may have got there first."""
    with translated(path), suppress(FileNotFoundError):
        _unlink(path)
        sync_dir(path.parent)


def append_line(path: Path, line: bytes) -> None:
    """Append one line in a single write, waiting at no pipe; nothing is synced, for logs are not worth a disk flush."""
    make_private_dir(path.parent)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    with translated(path):
        descriptor = _open(path, flags, PRIVATE_FILE)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise DreamError(f"`{path}` is not a plain file, not writing it")
            _write(descriptor, line.rstrip(b"\n") + b"\n")
        finally:
            os.close(descriptor)


def write_unsynced(path: Path, body: bytes) -> None:
    """Replace a file as a whole without a flush: what is as good gone as old after a loss of power need not wear the disk."""
    make_private_dir(path.parent)
    temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY_SUFFIX}")
    with translated(path):
        os.close(_write_new(temporary, body))
        try:
            _rename(temporary, path)
        except OSError:
            take_away(temporary)
            raise


def sync_dir(path: Path) -> None:
    """Make the entries of a directory durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _fsync(descriptor)
    finally:
        os.close(descriptor)


def list_temporaries(root: Path) -> Iterator[Path]:
    """Temporary files that a killed writer left below a directory; those of a living one are still to be renamed."""
    waiting = [str(root)]
    while waiting:
        try:
            entries = os.scandir(waiting.pop())
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue  # gone meanwhile, or none of ours
        with entries:
            for entry in entries:
                if entry.name.endswith(TEMPORARY_SUFFIX) and entry.name.startswith("."):
                    writer = entry.name.removesuffix(TEMPORARY_SUFFIX).rpartition(".")[2]
                    if not writer.isdecimal() or int(writer) == os.getpid() or not _is_alive(int(writer)):
                        yield Path(entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)


def look_over(directory: Path, *, ending: str, below: str = "") -> dict[str, tuple[int, int, int]]:
    """The files of a directory with an ending, each with size, mtime_ns and inode: what tells whether it was touched.

    There are thousands, and each is looked at: through the open directory that costs a third less than along its path.
    """
    found = {}
    opened = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with os.scandir(opened) as entries:
            for entry in entries:
                name = entry.name
                if name.endswith(ending):
                    try:
                        facts = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue  # gone since the directory was read
                    found[below + name] = (facts.st_size, facts.st_mtime_ns, facts.st_ino)
    finally:
        os.close(opened)
    return found


def free_bytes(path: Path) -> int:
    """Bytes an ordinary user may still write where `path` (or its nearest existing parent) lives."""
    while not path.exists() and path != path.parent:
        path = path.parent
    facts = os.statvfs(path)
    return facts.f_bavail * facts.f_frsize


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what the kernel says into the error a person can act on."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        if error.errno in FULL:
            raise Outage(f"no space left for `{path}`", component="disk", code="disk-full",
                         hint="free some space; nothing is lost, the next run finishes the work") from error
        if error.errno == errno.EROFS:
            raise Outage(f"`{path}` is on a read-only disk", component="disk", code="disk-read-only",
                         hint="make it writable, or choose another place with `--home`") from error
        if error.errno == errno.EIO:
            raise Outage(f"the disk failed at `{path}`", component="disk", code="disk-error",
                         hint="check the disk, then run `dream check`") from error
        if isinstance(error, PermissionError):
            raise Outage(f"no permission for `{path}`", component="disk", code="disk-permission",
                         hint="give yourself the rights, or choose another place with `--home`") from error
        raise DreamError(f"cannot write `{path}`: {reason}") from error


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _open(path: Path, flags: int, mode: int) -> int:
    return os.open(path, flags, mode)


def _mkdir(path: Path) -> None:
    path.mkdir(mode=PRIVATE_DIR)


def _write(descriptor: int, body: bytes) -> None:
    view = memoryview(body)
    while view:
        view = view[os.write(descriptor, view):]


def _fsync(descriptor: int) -> None:
    # F_FULLFSYNC is what makes a flush reach the platter on macOS; elsewhere fsync does.
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        with suppress(OSError):
            fcntl.fcntl(descriptor, full)
            return
    os.fsync(descriptor)


def _rename(source: Path, target: Path) -> None:
    source.replace(target)


def _unlink(path: Path) -> None:
    path.unlink()
