"""A store of every schema there ever was opens, keeps what it knew, and dreams on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dreamd.core.errors import Corrupt, DreamError, Outage, StoreMissing
from dreamd.core.values import Status
from dreamd.dream import going_back
from dreamd.store import backups, schema
from dreamd.store.connection import open_reader
from dreamd.store.intake.notebook import take_note
from household import House, Said

FROZEN = sorted(Path(__file__).parent.glob("schema_*.sql"))
NIGHT = "2026-01-20T20:00:00Z"


def number(script: Path) -> int:
    """The schema a frozen store was written by."""
    return int(script.stem.partition("_")[2])


def thaw(house: House, script: Path) -> None:
    """Bring a frozen store back to life, with the files it had written."""
    house.home.mkdir(mode=0o700)
    with closing(sqlite3.connect(house.paths.store)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(script.read_text())
    for path, body in house.rows("SELECT path, body FROM file"):
        target = house.home / str(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        assert isinstance(body, bytes)
        target.write_bytes(body)


def test_every_schema_has_a_frozen_store() -> None:
    assert {number(script) for script in FROZEN} == {n for n, _, _ in schema.MIGRATIONS}


@pytest.mark.parametrize("script", FROZEN, ids=lambda script: script.stem)
def test_an_older_store_opens_and_dreams_on(house: House, script: Path) -> None:
    thaw(house, script)
    house.say(NIGHT, Said("Reviews of cedar need two people.", conversation="c9"))
    house.dream(NIGHT)
    known = {m.text: m for m in house.memories()}
    rule = known["Never write to the tag registry from a notebook, because it drops the locks."]
    assert (rule.status, rule.support, rule.pinned) == (Status.LIVE, 2, True)
    assert known["The staging port of cedar is 8080."].status is Status.SUPERSEDED
    assert "Reviews of cedar need two people." in known
    assert house.faults(NIGHT) == []
    assert house.rows("PRAGMA user_version") == [(schema.VERSION,)]


@pytest.mark.parametrize("script", FROZEN[:3], ids=lambda script: script.stem)
def test_the_index_of_an_older_home_is_written_anew_once_without_loss(house: House, script: Path) -> None:
    thaw(house, script)
    before = dict(house.rows("SELECT m.id, w.text FROM memory m JOIN wording w ON w.sha = m.wording"))
    mine = next(house.home.rglob("*registry-notebook*.md"))
    mine.write_text(mine.read_text().replace("drops the locks", "drops all the locks"))
    house.dream(NIGHT)
    told = {m.id: m.text for m in house.memories()}
    rule = next(m for m in house.memories(Status.LIVE) if "registry" in m.text)
    assert "drops all the locks" in rule.text and rule.edited
    assert {i: told[i] for i in before if i != rule.id} == {i: t for i, t in before.items() if i != rule.id}
    assert house.index().endswith("End of the index.\n")
    files = {p.stem: p.read_bytes() for p in (house.home / "memory").rglob("*.md")}
    assert files.keys() == {"MEMORY", mine.stem, *(m.id for m in house.memories(Status.LIVE) if m.id != rule.id)}
    assert b"drops all the locks" in files[mine.stem], "what a person edited keeps its name"
    house.dream("2026-01-21T20:00:00Z")
    assert {p.stem: p.read_bytes() for p in (house.home / "memory").rglob("*.md")} == files
    assert house.faults(NIGHT) == []


@pytest.mark.parametrize("script", FROZEN, ids=lambda script: script.stem)
def test_an_older_store_has_its_old_runs_undone(house: House, script: Path) -> None:
    thaw(house, script)
    house.dream(NIGHT)
    first, = house.rows("SELECT id FROM run WHERE kind = 'dream' ORDER BY seq LIMIT 1")
    house.undo(NIGHT, str(first[0]), with_later=True)
    assert house.memories() == []


@pytest.mark.parametrize("script", FROZEN[:-1], ids=lambda script: script.stem)
def test_before_it_is_brought_up_to_date_a_verified_copy_of_it_as_it_was_is_made(house: House, script: Path) -> None:
    thaw(house, script)
    house.dream(NIGHT)
    copy, = house.paths.backups.glob("*-migration.db.gz")
    with backups.unpacked(copy, copy.parent) as plain, closing(sqlite3.connect(plain)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == number(script)
        backups.verify_store(connection, copy)
    going_back.restore_store(house.world(NIGHT), copy)
    assert house.rows("PRAGMA user_version") == [(number(script),)]
    house.dream("2026-01-21T20:00:00Z")
    assert house.faults("2026-01-21T20:00:00Z") == []


@pytest.mark.parametrize("script", FROZEN[:-1], ids=lambda script: script.stem)
def test_a_note_into_an_older_store_waits_in_the_inbox_for_the_dream_that_may_migrate_it(house: House, script: Path) -> None:
    thaw(house, script)
    taken = take_note(house.world(NIGHT), [Said("Reviews of cedar need two people.").candidate(NIGHT)])
    assert taken.deferred
    assert house.rows("PRAGMA user_version") == [(number(script),)]
    house.dream(NIGHT)
    assert house.memory("two people").status is Status.LIVE


def test_a_newer_store_is_left_as_it_is(house: House) -> None:
    house.say(NIGHT, "Reviews of cedar need two people.")
    with closing(sqlite3.connect(house.paths.store)) as connection:
        connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
        connection.commit()
    before = house.paths.store.read_bytes()
    with pytest.raises(Outage, match="newer dream") as told:
        house.dream(NIGHT)
    assert told.value.exit_code == 12
    with pytest.raises(Outage, match="newer dream"):
        open_reader(house.paths.store)
    assert house.paths.store.read_bytes() == before


def test_a_database_of_somebody_else_is_refused(house: House) -> None:
    house.home.mkdir()
    with closing(sqlite3.connect(house.paths.store)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
        connection.commit()
    before = house.paths.store.read_bytes()
    with pytest.raises(Corrupt, match="no store of dream"):
        house.dream(NIGHT)
    assert house.paths.store.read_bytes() == before


def test_a_link_in_the_place_of_the_store_is_refused(house: House, tmp_path: Path) -> None:
    house.home.mkdir()
    (tmp_path / "elsewhere.db").touch()
    house.paths.store.symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(DreamError, match="symbolic link"):
        house.dream(NIGHT)
    assert (tmp_path / "elsewhere.db").read_bytes() == b""


def test_a_store_that_is_not_there_is_named_with_what_makes_it(house: House) -> None:
    with pytest.raises(StoreMissing) as told:
        open_reader(house.paths.store)
    assert "dream note" in (told.value.hint or "")


def test_the_store_flushes_every_commit_and_is_private(house: House) -> None:
    with house.kit(NIGHT) as kit:
        settings = {name: kit.store.one(f"PRAGMA {name}")[0] for name in  # type: ignore[index]
                    ("journal_mode", "synchronous", "foreign_keys", "secure_delete")}
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1}
    assert house.paths.store.stat().st_mode & 0o777 == 0o600
    assert house.home.stat().st_mode & 0o777 == 0o700
