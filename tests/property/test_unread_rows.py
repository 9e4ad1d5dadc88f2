"""Of every database that dream reads the probe knows which rows were read, by the cursor that the reader leaves."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from fuzz_seeds import DATABASES

from dreamd.core.values import Cursor
from dreamd.probing.foreign_stores import has_rows, read_until
from dreamd.sources import adapter_for


@pytest.mark.parametrize("kind", DATABASES)
def test_a_database_has_unread_rows_until_it_was_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "s-1" / "store.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as base:
        base.executescript(DATABASES[kind])
    adapter = adapter_for(path)
    assert adapter is not None and adapter.kind == kind
    assert has_rows(str(path), {})
    reading = adapter.read(path, Cursor(), budget_bytes=1 << 30)
    while not reading.complete:
        reading = adapter.read(path, reading.cursor, budget_bytes=1 << 30)
    assert not has_rows(str(path), read_until(reading.cursor.offset, reading.cursor.carry))
