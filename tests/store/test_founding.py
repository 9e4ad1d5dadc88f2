"""A store that is being founded is not there yet."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from dreamd.core.errors import StoreMissing
from dreamd.store import schema
from dreamd.store.connection import open_reader


def test_a_reader_who_comes_while_a_store_is_founded_finds_none_and_no_outage(tmp_path: Path) -> None:
    path = tmp_path / "dream.db"
    path.touch()
    with pytest.raises(StoreMissing):
        open_reader(path)


def test_a_store_is_founded_without_asking_a_table_again_and_again_for_its_columns() -> None:
    asked: Counter[str] = Counter()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.set_trace_callback(lambda sql: asked.update([sql]))
        schema.migrate(connection, founding=None)
    looks = {sql: times for sql, times in asked.items() if "table_info" in sql}
    assert len(looks) > 20 and max(looks.values()) <= 2


def test_a_note_on_a_damaged_store_waits_in_the_inbox(house) -> None:  # type: ignore[no-untyped-def]
    from dreamd.core.errors import Corrupt
    from dreamd.core.values import Candidate, Origin, Scope
    from dreamd.store.intake.notebook import take_note

    world = house.world("2026-03-01T09:00:00Z")
    world.paths.home.mkdir(parents=True, exist_ok=True)
    world.paths.store.write_bytes(b"this is no database at all, only words " * 200)
    note = Candidate("The kiln door opens at 80 degrees.", Origin.USER, world.clock.now(), Scope("user"))
    with pytest.raises(Corrupt) as caught:
        take_note(world, [note])
    assert "inbox" in caught.value.message
    assert len(list(world.paths.inbox.glob("*.json"))) == 1
