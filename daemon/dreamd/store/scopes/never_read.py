"""Of what is never read: how each file was when it was last left alone, so that nobody waits for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from datetime import datetime

from dreamd.core.clock import iso
from dreamd.store import work
from dreamd.store.connection import Store

EXCLUDED = "excluded"
_SCOPE = "local:never-read"


def load_kept_out(store: Store) -> dict[str, tuple[int, int]]:
    """(mtime_ns, size) of every file that was left alone, by path."""
    rows = store.all("SELECT s.path, c.mtime_ns, c.size FROM source s JOIN cursor c ON c.source = s.id WHERE s.kind = ?",
                     EXCLUDED)
    return {r["path"]: (int(r["mtime_ns"]), int(r["size"])) for r in rows}


def write_kept_out(tx: sqlite3.Connection, files: Mapping[str, tuple[int, int]], *, at: datetime) -> None:
    """Remember how files were that are left alone; what was read of one before stays where it ended."""
    for path, (mtime_ns, size) in files.items():
        identity = work.source_id(path, EXCLUDED)
        tx.execute("""INSERT INTO source (id, path, kind, scope, first_seen_at, read_at) VALUES (?, ?, ?, ?, ?, ?)
                      ON CONFLICT (id) DO UPDATE SET read_at = excluded.read_at""",
                   (identity, path, EXCLUDED, _SCOPE, iso(at), iso(at)))
        tx.execute("INSERT OR REPLACE INTO cursor VALUES (?, 0, ?, 0, '', '', ?, '')", (identity, size, mtime_ns))
        tx.execute("UPDATE cursor SET size = ?, mtime_ns = ? WHERE source IN (SELECT id FROM source WHERE path = ?)",
                   (size, mtime_ns, path))
        work.unstage(tx, path)


def drop_kept_out(tx: sqlite3.Connection, paths: Iterable[str]) -> None:
    """Forget that files were left alone: they are read again, or gone."""
    for path in paths:
        tx.execute("DELETE FROM cursor WHERE source = ?", (work.source_id(path, EXCLUDED),))
        tx.execute("DELETE FROM source WHERE id = ?", (work.source_id(path, EXCLUDED),))
