"""A store that `dream check` calls damaged is not written on: the dream refuses, and every byte stays."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dreamd.cli.main import main
from dreamd.core.errors import Corrupt, StoreMissing
from household import House, Said

DAY, NIGHT, NEXT_DAY, LATER = "2026-03-01T09:00:00Z", "2026-03-01T20:00:00Z", "2026-03-02T09:00:00Z", "2026-03-02T20:00:00Z"
DAMAGE = {
    "a memory is gone": "DELETE FROM memory WHERE seq = 1", "a status": "UPDATE memory SET status = 'held' WHERE seq = 1",
    "words": "UPDATE wording SET text = text || '!'",
    "what was said": "UPDATE observation SET text = text || '!' WHERE seq = 1",
    "no fates": "DELETE FROM fate", "no support": "DELETE FROM support", "the journal": "DELETE FROM operation",
    "a reason": "UPDATE operation SET reason = 'x'", "a run": "DELETE FROM run", "facts": "DELETE FROM meta WHERE key = 'zone'",
    "a table": "DROP TABLE link", "an index": "DROP INDEX memory_scope",
    "a column": "ALTER TABLE memory DROP COLUMN unverified",
    "a vector": "UPDATE vector SET body = zeroblob(768)", "files": "UPDATE file SET memory = 'x'",
    "word index": "DELETE FROM memory_words",
}


@pytest.fixture(scope="module")
def _slept(tmp_path_factory: pytest.TempPathFactory) -> House:
    house = House(tmp_path_factory.mktemp("slept"))
    house.say(DAY, "The staging port of cedar is 8080.", "Reviews of cedar need two people.",
              "The kiln is fired at 900 degrees.")
    house.dream(NIGHT)
    house.say(NEXT_DAY, "The canary group of cedar is called sparrow.")
    return house


@pytest.fixture
def slept(_slept: House, tmp_path: Path) -> Iterator[House]:
    yield _slept.copy_to(tmp_path)


def state(house: House) -> dict[str, object]:
    with closing(sqlite3.connect(house.paths.store)) as store:
        kept: dict[str, object] = {"dump": list(store.iterdump())}
    return kept | {str(p): p.read_bytes() for p in sorted(house.paths.memory.rglob("*.md"))}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=list(DAMAGE))
def test_a_dream_and_an_undo_refuse_what_check_calls_damaged(slept: House, damage: str) -> None:
    with closing(sqlite3.connect(slept.paths.store)) as store:
        store.execute(damage)
        store.commit()
    before = state(slept)
    with pytest.raises(Corrupt):
        slept.dream(LATER)
    with pytest.raises((Corrupt, StoreMissing)):  # a run that is gone from the journal is not there to be taken back
        slept.undo(LATER)
    assert state(slept) == before


def test_a_flipped_letter_of_a_scope_is_damage_to_check_and_no_wrong_argument(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.say(DAY, *(Said(text, scope="project:cedar") for text in ("The staging port is 8080.", "Reviews need two people.")))
    house.dream(NIGHT)
    with closing(sqlite3.connect(house.paths.store)) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    body = house.paths.store.read_bytes()
    places = [found.start() for found in re.finditer(b"project:cedar", body)]
    told = set()
    for place in places:
        house.paths.store.write_bytes(body[:place + 1] + b"2" + body[place + 2:])
        told.add(main(["--home", str(house.home), "--now", LATER, "check"]))
    assert len(places) > 10
    assert told <= {0, 1, Corrupt.exit_code}


def test_a_damaged_page_is_seen_before_anything_is_written(slept: House) -> None:
    with closing(sqlite3.connect(slept.paths.store)) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size, page = store.execute("PRAGMA page_size").fetchone()[0], 0
        (page,) = store.execute("SELECT rootpage FROM sqlite_master WHERE name = 'operation_memory'").fetchone()
    body = bytearray(slept.paths.store.read_bytes())
    body[(page - 1) * size + 8:page * size] = b"\xa5" * (size - 8)
    slept.paths.store.write_bytes(body)
    with pytest.raises(Corrupt):
        slept.dream(LATER)
    assert slept.paths.store.read_bytes() == body


def test_what_a_repair_mends_lets_the_next_dream_go_on(slept: House) -> None:
    from dreamd.dream import check

    with closing(sqlite3.connect(slept.paths.store)) as store:
        store.execute("UPDATE vector SET body = zeroblob(768)")
        store.commit()
    with slept.kit(LATER) as kit:
        check.check(kit, repair=True)
    slept.dream(LATER)
    assert slept.memory("sparrow")
    shutil.rmtree(slept.home)
