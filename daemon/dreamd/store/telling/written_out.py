"""Where a person had diaries and exports written: dream cannot take anything back from there, and says so when it forgets."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dreamd.core.clock import iso, parse_instant
from dreamd.core.errors import UsageError
from dreamd.store.connection import Store
from dreamd.store.work import write_meta

WRITTEN_OUT = "written out "
"""Beginning of the fact about one place; what follows is the place."""


@dataclass(frozen=True)
class WrittenOut:
    """One file or folder that was written for a person."""

    path: str
    kind: str
    """`diary` or `export`."""
    at: datetime


def note_written(tx: sqlite3.Connection, path: Path, kind: str, at: datetime) -> None:
    """Remember a place; written again it is remembered once."""
    write_meta(tx, f"{WRITTEN_OUT}{path}", json.dumps({"kind": kind, "at": iso(at)}))


def load_written(store: Store) -> list[WrittenOut]:
    """Every place that is remembered, in their order on the disk."""
    found = []
    for row in store.all("SELECT key, value FROM meta WHERE key >= ? AND key < ? ORDER BY key", WRITTEN_OUT,
                         WRITTEN_OUT[:-1] + "!"):
        with suppress(ValueError, KeyError, TypeError, UsageError):
            told = json.loads(row["value"])
            found.append(WrittenOut(row["key"].removeprefix(WRITTEN_OUT), str(told["kind"]), parse_instant(told["at"])))
    return found


def out_of_reach(store: Store) -> list[WrittenOut]:
    """Those of them that are still there, or of which that cannot be told."""
    return [one for one in load_written(store) if _may_be_there(Path(one.path))]


def _may_be_there(path: Path) -> bool:
    try:
        path.lstat()
    except FileNotFoundError:
        return not path.parent.is_dir()  # a disk that is not mounted today
    except OSError:
        return True
    return True
