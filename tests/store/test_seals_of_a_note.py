"""A note counts its rows in the seals like anything else that is written, though it watches no other table."""

from __future__ import annotations

from pathlib import Path

import pytest

from dreamd.core.errors import DreamError
from dreamd.store import observations, seals, work
from dreamd.store.connection import open_store
from household import FIRST_DAY, FIRST_NIGHT, House, Said

ONLY = frozenset({"observation"})


def _note(text: str) -> list[object]:
    return [Said(text).candidate(FIRST_DAY)]


def test_a_write_to_some_tables_is_sealed_like_one_to_all(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.say(FIRST_DAY, "The lock keeper rests on Mondays.")
    store = open_store(house.paths.store)
    try:
        now = house.world(FIRST_DAY).clock.now()
        for text in ("The quay has six cranes.", "The quay has a chapel."):
            with store.writing(only=ONLY) as tx:
                observations.append(tx, _note(text), stored_at=now, key=b"k" * 32)
        assert seals.broken(store.connection) == []
        with store.writing() as tx:
            work.write_meta(tx, "colour", "green")
            tx.execute("DELETE FROM observation WHERE text LIKE '%chapel%'")
        with store.writing(only=ONLY) as tx:
            observations.append(tx, _note("The quay has a school."), stored_at=now, key=b"k" * 32)
        assert seals.broken(store.connection) == []
    finally:
        store.close()
    house.dream(FIRST_NIGHT)
    assert not house.faults(FIRST_NIGHT)


@pytest.mark.parametrize("change", ["DELETE FROM file", "INSERT INTO tombstone VALUES ('a', 'b')",
                                    "UPDATE memory SET reason = ''"])
def test_a_table_that_nobody_counts_cannot_be_changed(tmp_path: Path, change: str) -> None:
    house = House(tmp_path)
    house.say(FIRST_DAY, "The lock keeper rests on Mondays.")
    house.dream(FIRST_NIGHT)
    store = open_store(house.paths.store)
    try:
        with pytest.raises(DreamError), store.writing(only=ONLY) as tx:
            tx.execute(change)
        with store.writing() as tx:
            tx.execute(change)
        assert seals.broken(store.connection) == []
    finally:
        store.close()


def test_a_write_that_had_no_turn_leaves_nothing_forbidden(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.say(FIRST_DAY, "The lock keeper rests on Mondays.")
    one, other = open_store(house.paths.store), open_store(house.paths.store)
    try:
        one.connection.execute("PRAGMA busy_timeout = 1")
        with other.writing(), pytest.raises(DreamError), one.writing(only=ONLY):
            pass
        with one.writing() as tx:
            work.write_meta(tx, "colour", "green")
        assert seals.broken(one.connection) == []
    finally:
        one.close()
        other.close()
