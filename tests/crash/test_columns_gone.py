"""A store that lost a column, as one flipped bit in a name does it: every command says so, none ends in a traceback."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import scenario

from dreamd import recall
from dreamd.errors import Corrupt
from dreamd.store import journal
from household import House

DAY, NIGHT = "2026-02-06T09:00:00Z", "2026-02-06T20:00:00Z"
COLUMNS = """SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c
             WHERE t.type = 'table' AND t.name NOT LIKE 'memory_words%' AND t.name NOT LIKE 'sqlite%' ORDER BY 1, c.cid"""


@pytest.fixture
def slept(room: Path) -> House:
    """A home after the night of the scenario."""
    (room / "slept").mkdir()
    house = scenario.prepare(room / "slept")
    scenario.dream(house)
    return house


def look_back(house: House) -> None:
    """Read the whole journal."""
    with house.kit(NIGHT) as kit:
        for run in journal.load_runs(kit.store):
            journal.load_entries(kit.store, run.seq)


def ask(house: House) -> None:
    """Ask for a memory."""
    with house.kit(NIGHT) as kit:
        recall.search(kit, "staging port of cedar")


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
    unseen, tables = [], set()
    for table, column in slept.rows(COLUMNS):
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
    assert len(tables) > 15
    assert unseen == []
