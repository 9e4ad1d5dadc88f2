"""Backups: packed where dream makes them, read whichever way they were kept, and never left half or lying about."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from dreamd.core import fsio
from dreamd.core.clock import parse_instant
from dreamd.core.errors import Corrupt, Outage
from dreamd.core.values import IN_PASSING
from dreamd.dream import going_back
from dreamd.dream.check import check
from dreamd.store import backups, seals
from dreamd.store.masking import loose_files
from dreamd.store.presence import lost
from household import House, Said, SharedWords, every_byte, words_of

DAY, NIGHT, LATER = "2026-03-01T09:00:00Z", "2026-03-01T20:00:00Z", "2026-03-02T20:00:00Z"
SAYINGS = tuple(f"The {what} of cedar in hall {n} is checked by crew {n * 3}." for n in range(20) for what in ("crane", "gate"))


@pytest.fixture
def lived(house: House) -> House:
    """A home with the backup that its first dream makes."""
    house.say(DAY, *SAYINGS)
    house.dream(NIGHT)
    return house


ALL_VECTORS = "SELECT wording, model, body FROM vector ORDER BY wording, model"
FAR = (Said("The quay of birch is swept by crew 9.", scope="project:birch"),
       Said("who took the ladder to the orchard", sign=IN_PASSING, context="we looked for it all day", scope="project:birch"),
       Said("Der Kran am Kai wird im Mai gestrichen.", scope="project:birch", context="What is painted in May?"))


class Away(SharedWords):
    """An engine that is not there."""

    def embed(self, texts: object) -> object:  # type: ignore[override]  # noqa: ARG002
        raise Outage("away", component="model", code="model-missing")


def rows_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of a database but its own facts, by table."""
    with closing(sqlite3.connect(path)) as connection:
        tables = [r[0] for r in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE "
                                                   "'CREATE VIRTUAL%' AND name NOT IN ('meta', 'run')")]
        return {table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr) for table in tables}


def only_copy(house: House) -> Path:
    copy, = backups.list_backups(house.paths.backups)
    return copy


def left_as_an_older_dream_would(copy: Path) -> Path:
    """The same copy as it was kept before copies were packed."""
    plain = copy.with_name(copy.name.removesuffix(".gz"))
    plain.write_bytes(words_of(copy))
    copy.unlink()
    return plain


def back_up(house: House, *, keep: int = 4, why: str = "test") -> Path:
    with house.kit(LATER) as kit:
        return backups.back_up(kit.store.connection, kit.paths, now=kit.clock.now(), keep=keep, why=why)


def test_a_backup_is_packed_private_and_alone(lived: House) -> None:
    copy = only_copy(lived)
    assert copy.name.endswith("-weekly.db.gz")
    assert copy.stat().st_mode & 0o777 == 0o600
    assert copy.stat().st_size * 3 < len(words_of(copy))
    assert list(lived.paths.backups.iterdir()) == [copy]


def test_any_gunzip_makes_a_store_of_it(lived: House, tmp_path: Path) -> None:
    plain = tmp_path / "plain.db"
    plain.write_bytes(gzip.decompress(only_copy(lived).read_bytes()))
    with closing(sqlite3.connect(plain)) as connection:
        backups.verify_store(connection, plain)
        assert connection.execute("SELECT COUNT(*) FROM observation").fetchone()[0] == len(SAYINGS)


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "as an older dream left it"])
def test_going_back_takes_it_either_way_and_leaves_nothing_lying(lived: House, packed: bool) -> None:
    copy = only_copy(lived) if packed else left_as_an_older_dream_would(only_copy(lived))
    before = sorted(m.text for m in lived.memories())
    lived.paths.store.write_bytes(b"ruin" * 5000)
    assert going_back.restore_store(lived.world(LATER)).used == copy
    assert sorted(m.text for m in lived.memories()) == before
    assert list(lived.paths.backups.iterdir()) == [copy]


def test_a_copy_from_elsewhere_is_taken_under_any_name(lived: House, tmp_path: Path) -> None:
    given = tmp_path / "given"
    shutil.move(only_copy(lived), given)
    assert going_back.restore_store(lived.world(LATER), given).used == given
    assert list(tmp_path.glob("given*")) == [given]
    assert list(lived.paths.backups.iterdir()) == []


@pytest.mark.parametrize("spoil", [lambda body: body[:len(body) // 2], lambda body: body[:10], lambda body: body[:-4],
                                   lambda body: body[:5000] + bytes([body[5000] ^ 4]) + body[5001:],
                                   lambda body: gzip.compress(body[:900] * 99)],
                         ids=["half", "head alone", "without its sum", "a flipped bit", "something else"])
def test_a_packed_copy_that_is_not_whole_is_passed_over(lived: House, spoil: Callable[[bytes], bytes]) -> None:
    older = only_copy(lived)
    newer = older.with_name("29990101T000000Z-newer.db.gz")
    newer.write_bytes(spoil(older.read_bytes()))
    assert going_back.restore_store(lived.world(LATER)).used == older
    older.unlink()
    with pytest.raises(Corrupt):
        going_back.restore_store(lived.world(LATER))
    assert list(lived.paths.backups.iterdir()) == [newer]


def test_copies_of_both_kinds_count_for_the_bound_and_for_the_week(lived: House) -> None:
    old = left_as_an_older_dream_would(only_copy(lived))
    with lived.kit(LATER) as kit:
        assert backups.back_up_if_due(kit.store.connection, kit.paths, now=kit.clock.now(), keep=4) is None
    new = back_up(lived, keep=2)
    assert backups.list_backups(lived.paths.backups) == [old, new]
    newest = back_up(lived, keep=2, why="zest")
    assert backups.list_backups(lived.paths.backups) == [new, newest]
    with lived.kit(LATER) as kit:
        late = parse_instant("2026-03-08T20:00:00Z")
        assert backups.back_up_if_due(kit.store.connection, kit.paths, now=late, keep=2) is None


def test_a_packed_backup_alone_tells_that_a_store_is_lost(lived: House) -> None:
    shutil.rmtree(lived.paths.memory)
    for path in lived.home.glob(".founded"):
        path.unlink()
    lived.paths.store.unlink()
    with pytest.raises(Outage, match="there are backups"):
        lost.refuse_if_lost(lived.paths.store)


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "as an older dream left it"])
def test_what_an_older_dream_kept_in_plain_text_is_found_and_masked_in_it(lived: House, packed: bool) -> None:
    copy = only_copy(lived) if packed else left_as_an_older_dream_would(only_copy(lived))
    secret = "ghp_" + "Zk3Qx7Lm2Rt9Vw5Yb8Nc4Pd6Fs1Gh0Jk3L4m"[:36]
    plain = copy.with_name("plain")
    plain.write_bytes(words_of(copy))
    with closing(sqlite3.connect(plain)) as connection:
        connection.execute("UPDATE run SET reason = ?", (f"the token is {secret}",))
        connection.commit()
        seals.seal_all(connection)
        connection.commit()
    copy.write_bytes(gzip.compress(plain.read_bytes()) if packed else plain.read_bytes())
    plain.unlink()
    assert loose_files.look_into(copy)
    loose_files.mask_copy(copy)
    assert not loose_files.look_into(copy)
    assert copy.read_bytes().startswith(b"\x1f\x8b") is packed
    assert secret.encode() not in words_of(copy)
    assert list(lived.paths.backups.iterdir()) == [copy]
    assert going_back.restore_store(lived.world(LATER)).used == copy


def test_what_a_killed_one_left_is_gone_with_the_next_copy(lived: House) -> None:
    for name in ("x.part", "x.db.gz.packed.part", "x.db.gz.part", "x.db.gz.part-journal"):
        (lived.paths.backups / name).write_bytes(b"half")
    back_up(lived)
    assert not list(lived.paths.backups.glob("*.part*"))


def test_a_disk_that_fills_up_while_one_is_packed_leaves_those_that_were(lived: House, monkeypatch: pytest.MonkeyPatch) -> None:
    copy, flushed = only_copy(lived), fsio._fsync

    def full(descriptor: int) -> None:
        if any(".packed" in path.name for path in lived.paths.backups.iterdir()):
            raise OSError(28, "No space left on device")
        flushed(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(fsio, "_fsync", full)
        with pytest.raises(Outage, match="no space"):
            back_up(lived)
    assert list(lived.paths.backups.iterdir()) == [copy]


def test_a_copy_leaves_out_vectors_and_nothing_else(lived: House, tmp_path: Path) -> None:
    plain = tmp_path / "plain.db"
    plain.write_bytes(words_of(only_copy(lived)))
    kept, stored = rows_of(plain), rows_of(lived.paths.store)
    assert len(stored["vector"]) >= len(SAYINGS) and kept.pop("vector") == []
    del stored["vector"]
    assert kept == stored


@pytest.mark.parametrize("lost_by", ["restore-store", "repair"])
def test_what_has_no_vector_gets_it_again_in_a_night_with_nothing_new(lived: House, lost_by: str) -> None:
    lived.say(LATER, *FAR)
    lived.dream(LATER)
    before = lived.rows(ALL_VECTORS)
    back_up(lived)
    if lost_by == "restore-store":
        going_back.restore_store(lived.world(LATER))
    else:
        with closing(sqlite3.connect(lived.paths.store)) as connection:
            connection.execute("UPDATE vector SET body = substr(body, 1, 10)")
            connection.commit()
        with lived.kit(LATER) as kit:
            assert [one.verdict for one in check(kit, repair=True) if one.name == "vectors"] == ["repaired"]
    assert lived.rows(ALL_VECTORS) == []
    engine, lived.embedder = lived.embedder, Away()
    lived.dream("2026-03-03T20:00:00Z")
    assert lived.rows(ALL_VECTORS) == []
    lived.embedder = engine
    lived.dream("2026-03-04T20:00:00Z")
    assert lived.rows(ALL_VECTORS) == before
    still = {name: seen[0] for name, seen in every_byte(lived.home).items()}
    lived.dream("2026-03-05T20:00:00Z")
    assert {name: seen[0] for name, seen in every_byte(lived.home).items()} == still
