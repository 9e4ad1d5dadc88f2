"""Make the frozen store of the newest schema from the one before it: `python tests/store/freeze.py`.

To be run again while a schema is still being shaped, and never once a version with it is out.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from dreamd.core.clock import parse_instant
from dreamd.store import schema

HERE = Path(__file__).parent
AT = parse_instant("2026-01-20T20:00:00Z")


def frozen(number: int) -> Path:
    """Where the store of a schema is kept."""
    return HERE / f"schema_{number}.sql"


def script_of(connection: sqlite3.Connection) -> str:
    """A store as SQL that makes it again; the words to search by are told as rows, not as the tables of the index."""
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid"
    kept = [name for (name,) in connection.execute(tables) if not name.startswith(("memory_words_", "sqlite_"))]
    lines = [f"-- A store as schema {schema.VERSION} wrote it, frozen: every later dream must open it.",
             f"PRAGMA application_id = {schema.APPLICATION_ID};", f"PRAGMA user_version = {schema.VERSION};"]
    lines += [f"{sql};" for name, sql in connection.execute("SELECT tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL "
                                                            "ORDER BY rowid") if name in kept]
    for table in kept:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        named = ["rowid", *columns] if table == "memory_words" else columns
        told = " || ', ' || ".join(f'quote({name if name == "rowid" else chr(34) + name + chr(34)})' for name in named)
        names = ", ".join(name if table == "memory_words" else f'"{name}"' for name in named)
        lines += [f"INSERT INTO {table} ({names}) VALUES ({values});"
                  for (values,) in connection.execute(f"SELECT {told} FROM {table}")]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Thaw the store before, bring it up to date, freeze it again."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(frozen(schema.VERSION - 1).read_text())
        connection.execute("BEGIN")
        schema.migrate(connection, founding=schema.Founding(AT, "UTC"))
        connection.execute("COMMIT")
        frozen(schema.VERSION).write_text(script_of(connection))


if __name__ == "__main__":
    main()
