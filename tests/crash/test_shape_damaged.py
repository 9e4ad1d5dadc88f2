"""A store whose shape one flipped bit has changed: every command says that it is damaged, none ends in a traceback."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from dreamd.core.errors import Corrupt
from dreamd.recall import answer
from dreamd.store import journal
from household import House

DAY, NIGHT = "2026-02-06T09:00:00Z", "2026-02-06T20:00:00Z"
COLUMNS = """SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c
             WHERE t.type = 'table' AND t.name NOT LIKE 'memory_words%' AND t.name NOT LIKE 'sqlite%' ORDER BY 1, c.cid"""
EVERY = 211
"""One place in so many is tried."""
EVERY_COLUMN = 19
"""One column in so many is taken away; the torture takes each."""


def look_back(house: House) -> None:
    """Read the whole journal."""
    with house.kit(NIGHT) as kit:
        for run in journal.load_runs(kit.store):
            journal.load_entries(kit.store, run.seq)


def ask(house: House) -> None:
    """Ask for a memory."""
    with house.kit(NIGHT) as kit:
        answer.search(kit, "staging port of cedar")


def dream(house: House) -> None:
    """Note something and dream over it."""
    house.say(DAY, "The north gate of cedar is painted green.")
    house.dream(NIGHT)


def says(act: Callable[[House], object], house: House) -> bool:
    """Whether an act saw the damage; whatever else it raises ends the test."""
    try:
        return bool(act(house))
    except Corrupt:
        return True


def test_a_column_that_is_gone_is_seen_by_the_check_and_is_no_traceback_to_anyone(slept: House, room: Path) -> None:
    columns = slept.rows(COLUMNS)
    assert len({table for table, _ in columns}) > 15
    assert unseen_without(columns[::EVERY_COLUMN], slept, room) == []


@pytest.mark.slow
def test_any_column_that_is_gone_is_seen_by_the_check(slept: House, room: Path) -> None:
    assert unseen_without(slept.rows(COLUMNS), slept, room) == []


def unseen_without(columns: Sequence[tuple[str, str]], slept: House, room: Path) -> list[str]:
    """Of some columns those whose loss the check does not see; each is taken from a home of its own."""
    unseen, tables = [], set()
    for table, column in columns:
        house = slept.copy_to(room / f"{table}.{column}")
        with closing(sqlite3.connect(house.paths.store)) as store:
            store.execute(f'ALTER TABLE {table} RENAME COLUMN "{column}" TO "{column}_"')
        if not says(lambda home: home.faults(NIGHT), house):
            unseen.append(f"{table}.{column}")
        for act in (look_back, ask):
            says(act, house)
        if table not in tables or table in ("memory", "observation", "file", "intent", "cursor"):
            says(dream, house)
        tables.add(table)
        shutil.rmtree(house.root)
    return unseen


def test_a_bit_flipped_anywhere_in_the_shape_is_damage_or_harmless(slept: House, room: Path) -> None:
    with closing(sqlite3.connect(slept.paths.store)) as store:
        shapes = [sql.encode() for (sql,) in store.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    body, seen, tried = slept.paths.store.read_bytes(), 0, 0
    house = slept.copy_to(room / "flipped")
    places = [body.find(shape) + n for shape in shapes if shape in body for n in range(len(shape))]
    for place in places[::EVERY]:
        flipped = bytearray(body)
        flipped[place] ^= 1
        for beside in ("-wal", "-shm"):
            house.paths.store.with_name(f"{house.paths.store.name}{beside}").unlink(missing_ok=True)
        house.paths.store.write_bytes(flipped)
        seen, tried = seen + says(lambda home: home.faults(NIGHT), house), tried + 1
    assert len(places) > 5000
    assert seen > tried / 2, "the control: most of these are seen"


def test_what_another_program_has_done_whenever_dream_writes_is_seen_by_the_check(slept: House) -> None:
    with closing(sqlite3.connect(slept.paths.store)) as store:
        store.execute("CREATE TRIGGER watch BEFORE INSERT ON memory BEGIN SELECT RAISE(ABORT, 'no'); END")
    assert any("watch" in fault for fault in slept.faults(NIGHT))
    assert says(dream, slept)
