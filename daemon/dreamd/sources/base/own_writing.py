"""Files that dream writes where a person asked for them: they carry a mark, and whatever reads for dream passes them over.

A diary or an export tells what dream knows already. Read back, every statement would seem to be said once more.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

MARK = "dream-wrote-this"
"""Stands in the first lines of each such file."""
WITHIN_BYTES = 512


def bears_mark(start: bytes) -> bool:
    """Whether a file that begins so was written by dream for a person."""
    return MARK.encode() in start[:WITHIN_BYTES]


def is_own_writing(path: Path) -> bool:
    """The same of a file on the disk, whatever its name; what cannot be opened is not known to be."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return stat.S_ISREG(os.fstat(descriptor).st_mode) and bears_mark(os.read(descriptor, WITHIN_BYTES))
    except OSError:
        return False
    finally:
        os.close(descriptor)
