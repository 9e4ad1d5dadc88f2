"""Opening what other programs own: for reading, never through a symlink, and without touching its times."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from dreamd.sources.base import contract
from dreamd.sources.base.tolerant import Record, parse_record
from dreamd.sources.base.unpacking import GZIP_MAGIC, MAGIC, can_unpack, unpacked

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""O_NONBLOCK: opening a pipe that nobody writes to must not wait."""
_NOATIME = getattr(os, "O_NOATIME", 0)
_BUFFER_BYTES = 1024 * 1024
LARGEST_RECORD_BYTES = 16 * 1024 * 1024
"""Of a file that a harness keeps beside its conversations: what it knows of them."""


class Unopened(Exception):
    """A source that cannot be opened; `reason` is one of the contract's. Never leaves this room."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def open_source(path: Path) -> BinaryIO:
    """A regular file, open for reading; an archive as the file it was made from.

    Raises Unopened for everything else.
    """
    try:
        descriptor = _open(path)
    except OSError as error:
        raise Unopened(_reason(error)) from None
    except ValueError:  # a NUL in the path
        raise Unopened(contract.MISSING) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unopened(contract.NOT_A_FILE)
        handle = os.fdopen(descriptor, "rb", buffering=_BUFFER_BYTES)
    except BaseException:
        os.close(descriptor)
        raise
    return _as_it_was(handle)


def _as_it_was(handle: BinaryIO) -> BinaryIO:
    """A file, or what is packed in it."""
    try:
        start = os.pread(handle.fileno(), len(MAGIC), 0)
    except OSError as error:
        handle.close()
        raise Unopened(_reason(error)) from None
    if start.startswith(GZIP_MAGIC):
        return unpacked(handle, gzipped=True)
    if start != MAGIC:
        return handle
    if not can_unpack():
        handle.close()
        raise Unopened(contract.COMPRESSED)
    return unpacked(handle)


def read_start(path: Path, limit_bytes: int) -> bytes:
    """The first bytes of a file.

    Raises Unopened.
    """
    with open_source(path) as handle:
        try:
            return handle.read(limit_bytes)
        except OSError as error:
            raise Unopened(_reason(error)) from None


def read_record(path: Path, limit_bytes: int = LARGEST_RECORD_BYTES) -> Record:
    """The JSON object that a file is; empty for one that cannot be opened or is none."""
    try:
        return parse_record(read_start(path, limit_bytes).decode("utf-8", "replace")) or {}
    except Unopened:
        return {}


def _open(path: Path) -> int:
    if _NOATIME:
        try:
            return os.open(path, _FLAGS | _NOATIME)
        except PermissionError:  # the flag is for the owner alone; the file itself may well be readable
            pass
    return os.open(path, _FLAGS)


def _reason(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return contract.SYMLINK
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
        return contract.MISSING
    return contract.NOT_A_FILE if error.errno in (errno.EISDIR, errno.ENXIO) else contract.UNREADABLE
