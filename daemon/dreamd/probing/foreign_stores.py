# ruff: noqa: PTH111, PTH118
"""Databases in which agents keep conversations: whether rows stand there that were never read.

The time of a file alone says little, for an editor writes to its store all day. So a store that moved is opened to read, and
asked for one row behind the last that dream knows.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from urllib.parse import quote

from dreamd.probing.peek import facts_of, stamp

ENDINGS = (".db", ".sqlite", ".vscdb")
TABLES = {"messages": "", "message": "", "session_message": "", "transcript_events": "", "blobs": "",
          "cursorDiskKV": " AND key >= 'bubbleId:' AND key < 'bubbleId;'"}
"""Tables of messages, and what a row of one has to be."""
EDITORS = (".config/Cursor", "Library/Application Support/Cursor")
MOST_STEPS = 5_000_000
"""Steps of SQLite after which one database has to do without an answer."""


def places(env: Mapping[str, str], wanted: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    """Folders of the harnesses that keep such databases, each with how deep they lie."""
    person = env.get("HOME", "")
    for setting, variable, usual, inner, deepest in (
            ("opencode", "XDG_DATA_HOME", ".local/share", "opencode", 0), ("hermes", "HERMES_HOME", ".hermes", "", 0),
            ("hermes", "HERMES_HOME", ".hermes", "profiles", 1), ("openclaw", "OPENCLAW_STATE_DIR", ".openclaw", "agents", 2),
            ("cursor", "CURSOR_DATA_DIR", ".cursor", "chats", 2),
            *(("cursor", "", editor, "User/globalStorage", 0) for editor in EDITORS)):
        root = env.get(variable) or (f"{person}/{usual}" if person else "")
        if root and wanted.get(setting, True) is not False:
            yield os.path.join(os.path.expanduser(root), inner).rstrip("/"), deepest


def moved_stores(rows: Iterable[tuple[object, ...]]) -> Iterator[tuple[str, float]]:
    """Databases with rows behind those that were read, and when they moved; `rows` are the sources as the store has them."""
    for path, read_at, _lines, _prompts, _size, offset, carry in rows:
        if not str(path).endswith(ENDINGS):
            continue
        touched_s = touched(str(path))
        if touched_s > (stamp(read_at) or 0.0) - 2 and has_rows(str(path), read_until(offset, carry)):
            yield str(path), touched_s


def touched(path: str) -> float:
    """When a database was last written to, be it into its journal; 0 for what is no plain file."""
    facts, journal = facts_of(path), facts_of(f"{path}-wal")
    if facts is None or not stat.S_ISREG(facts.st_mode):
        return 0.0
    return max(facts.st_mtime, journal.st_mtime if journal is not None and journal.st_size else 0.0)


def has_rows(path: str, after: Mapping[str, int]) -> bool:
    """Whether a message stands behind the last one read in a table; under the empty name where the table is not known."""
    immutable = "" if facts_of(f"{path}-wal") is not None else "&immutable=1"
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro{immutable}", uri=True, timeout=0.2)) as db:
            db.set_progress_handler(lambda: 1, MOST_STEPS)
            there = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            return any(db.execute(f"SELECT 1 FROM {table} WHERE rowid > ?{kind} LIMIT 1",
                                  (after.get(table, after.get("", 0)),)).fetchone()
                       for table, kind in TABLES.items() if table in there)
    except (sqlite3.Error, UnicodeError):
        return False  # damaged, busy, or another program's: dream says of it what it finds when it reads it


def read_until(offset: object, carry: object) -> dict[str, int]:
    """The last row that was read: by the tables that the cursor names, else of whatever table there is."""
    try:
        steps = json.loads(str(carry or "{}")).get("at")
    except (ValueError, AttributeError, RecursionError):
        steps = None
    named = steps.items() if isinstance(steps, dict) else [("", steps)] if isinstance(steps, list) else []
    found = {str(table): last[0][0] for table, last in named if isinstance(last, list) and last and isinstance(last[0], list)
             and last[0] and isinstance(last[0][0], int)}
    return found or {"": offset if isinstance(offset, int) else 0}
