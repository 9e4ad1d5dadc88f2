"""Databases that agents keep conversations in: which they are, and whether one was written to since it was read.

Their size tells nothing: pages inside are used again, and what is new lies in a journal beside the file until somebody
carries it over. The time of the last change, of the file or of its journal, is what moves with every message.
"""

from __future__ import annotations

import os
from pathlib import Path

ENDINGS = frozenset({".db", ".sqlite", ".vscdb"})
JOURNAL = "-wal"
OF_AN_EDITOR = frozenset({".vscdb"})
"""Where everything an editor remembers is written to, all the time: that it moves says nothing of a conversation."""


def is_store(path: Path) -> bool:
    """Whether a path is that of a database, going by its name."""
    return path.suffix in ENDINGS


def written_store(path: Path) -> Path | None:
    """The database that a file is, or is the journal of; None for any other."""
    store = path.with_name(path.name.removesuffix(JOURNAL))
    return store if is_store(store) else None


def facts_of(path: Path) -> tuple[int, int]:
    """(mtime_ns, size) of a file; for a database the time of its journal, where that is the later one.

    Raises OSError and ValueError for what is not there, or has a name no file can have.
    """
    facts = path.stat()
    changed_ns = facts.st_mtime_ns
    if is_store(path):
        try:
            journal = os.stat(f"{path}{JOURNAL}")  # noqa: PTH116 - asked for every source on every dream
        except OSError:
            return changed_ns, facts.st_size
        if journal.st_size:
            changed_ns = max(changed_ns, journal.st_mtime_ns)
    return changed_ns, facts.st_size


def reach_of(path: Path, *, mtime_ns: int, size: int) -> int:
    """How far a source goes, as a number that grows with it: bytes, and for a database the time of its last change."""
    return mtime_ns if is_store(path) else size
