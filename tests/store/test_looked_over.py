"""A store that was seen to be sound is not read whole again for every dream, and whatever else writes into it is still seen."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from dreamd.core import clock
from dreamd.core.errors import Corrupt
from dreamd.store import seals
from household import FIRST_DAY, FIRST_NIGHT, House

NEXT_DAY, NEXT_NIGHT, LATER = "2026-01-06T09:00:00Z", "2026-01-06T20:00:00Z", "2026-01-07T20:00:00Z"


@pytest.fixture
def slept(tmp_path: Path) -> House:
    house = House(tmp_path)
    house.say(FIRST_DAY, "The lock keeper rests on Mondays.", "The quay has six cranes.")
    house.dream(FIRST_NIGHT)
    return house


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The whole looks that are taken at the rows of a store."""
    taken: list[str] = []
    real = seals.broken

    def counted(connection: sqlite3.Connection, *, but: frozenset[str] = frozenset()) -> list[str]:
        taken.append("look")
        return real(connection, but=but)

    monkeypatch.setattr(seals, "broken", counted)
    return taken


def test_a_dream_after_a_dream_does_not_read_the_store_whole(slept: House, looks: list[str]) -> None:
    slept.dream(NEXT_NIGHT)
    slept.dream(LATER)
    assert looks == []


def test_what_dream_itself_wrote_meanwhile_is_no_reason_to_read_it_whole(slept: House, looks: list[str]) -> None:
    slept.say(NEXT_DAY, "The chapel is open on Sundays.")
    slept.dream(NEXT_NIGHT)
    slept.dream(LATER)
    assert looks == []
    assert slept.memory("chapel")


def test_a_dream_with_nothing_to_do_leaves_the_mark_as_it_is(slept: House) -> None:
    mark = slept.home / "derived" / "dream.db.looked"
    before = mark.read_bytes(), mark.stat().st_mtime_ns
    slept.dream(NEXT_NIGHT)
    assert (mark.read_bytes(), mark.stat().st_mtime_ns) == before


def test_a_row_that_another_program_changed_is_seen_at_once(slept: House) -> None:
    with closing(sqlite3.connect(slept.paths.store)) as other:
        other.execute("UPDATE memory SET status = 'held'")
        other.commit()
    with pytest.raises(Corrupt):
        slept.dream(NEXT_NIGHT)


def test_a_row_that_another_program_changed_is_seen_after_a_note_as_well(slept: House) -> None:
    with closing(sqlite3.connect(slept.paths.store)) as other:
        other.execute("UPDATE memory SET status = 'held'")
        other.commit()
    slept.say(NEXT_DAY, "The chapel is open on Sundays.")
    with pytest.raises(Corrupt):
        slept.dream(NEXT_NIGHT)


def test_a_row_that_another_program_changes_while_dream_has_the_store_open_is_seen(slept: House) -> None:
    with slept.kit(NEXT_DAY) as kit:
        with kit.store.writing() as tx:
            tx.execute("INSERT INTO meta VALUES ('colour', 'green')")
        with closing(sqlite3.connect(slept.paths.store)) as other:
            other.execute("UPDATE memory SET status = 'held'")
            other.commit()
        with kit.store.writing() as tx:
            tx.execute("UPDATE meta SET value = 'red' WHERE key = 'colour'")
    with pytest.raises(Corrupt):
        slept.dream(NEXT_NIGHT)


def test_a_row_that_another_program_changes_after_the_last_write_and_before_the_end_is_seen(slept: House) -> None:
    with slept.kit(NEXT_DAY) as kit:
        with kit.store.writing() as tx:
            tx.execute("INSERT INTO meta VALUES ('colour', 'green')")
        with closing(sqlite3.connect(slept.paths.store)) as other:
            other.execute("UPDATE memory SET status = 'held'")
            other.commit()
    with pytest.raises(Corrupt):
        slept.dream(NEXT_NIGHT)


def test_a_byte_that_another_program_changed_is_seen_though_the_file_keeps_its_time(slept: House) -> None:
    with closing(sqlite3.connect(slept.paths.store)) as store:
        size = store.execute("PRAGMA page_size").fetchone()[0]
        (page,) = store.execute("SELECT rootpage FROM sqlite_master WHERE name = 'operation_memory'").fetchone()
    facts, body = slept.paths.store.stat(), bytearray(slept.paths.store.read_bytes())
    body[(page - 1) * size + 8:page * size] = b"\xa5" * (size - 8)
    slept.paths.store.write_bytes(body)
    os.utime(slept.paths.store, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    with pytest.raises(Corrupt):
        slept.dream(NEXT_NIGHT)


@pytest.mark.parametrize("mark", [b"", b"{}", b"[1", b'{"facts": 7, "schema": 1, "at_s": 0}'])
def test_a_mark_that_says_nothing_is_as_good_as_none(slept: House, looks: list[str], mark: bytes) -> None:
    (slept.home / "derived" / "dream.db.looked").write_bytes(mark)
    slept.dream(NEXT_NIGHT)
    assert looks == ["look"]


def test_after_a_day_a_store_is_read_whole_again_and_once(slept: House, looks: list[str],
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    real = clock.SystemClock.now
    monkeypatch.setattr(clock.SystemClock, "now", lambda self: real(self) + timedelta(days=2))
    slept.dream(NEXT_NIGHT)
    slept.dream(LATER)
    assert looks == ["look"]
