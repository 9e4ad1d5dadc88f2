"""Damage to what is on disk: seen, named, repaired where it is derived, refused with a way back where it is not."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from dreamd.core.errors import ConfigError, Corrupt, DreamError, StoreMissing
from dreamd.core.settings import load_settings
from dreamd.dream import check, going_back
from dreamd.store import backups
from household import House, Said, differences, snapshot

Tell = Callable[[str], None]
NIGHT = "2026-02-06T20:00:00Z"
HARMLESS = {"words"}
"""The word index is compared by its words: other bytes that give the same words find the same."""


def copy(house: House, root: Path) -> House:
    """The same home elsewhere."""
    other = House(root, house.embedder, house.settings, house.person, house.judge)
    shutil.copytree(house.home, other.home)
    return other


def what_check_says(house: House) -> str:
    """`sound`, the names of what is broken, or the refusal."""
    try:
        faults = house.faults(NIGHT)
    except Corrupt:
        return "refused as corrupt"
    except DreamError as error:
        return f"refused: {error.message}"
    return "seen by check" if faults else "sound"


def flips(house: House, room: Path, count: int) -> tuple[Counter[str], list[str]]:
    """Flip one bit at a time all over the store; what check said, and what it missed."""
    good, size, chance = snapshot(house.home), house.paths.store.stat().st_size, random.Random(5)
    said: Counter[str] = Counter()
    missed = []
    for n in range(count):
        other = copy(house, room / f"flip-{n}")
        at, bit = chance.randrange(size), 1 << chance.randrange(8)
        body = bytearray(other.paths.store.read_bytes())
        body[at] ^= bit
        other.paths.store.write_bytes(body)
        verdict = what_check_says(other)
        if verdict == "sound":
            lost = set(_differing(good, other)) - HARMLESS
            verdict = "missed" if lost else "harmless"
            missed += [f"bit {bit:#x} at {at}: {', '.join(sorted(lost))}"] if lost else []
        said[verdict] += 1
        shutil.rmtree(other.root)
    return said, missed


def _differing(good: dict[str, object], other: House) -> list[str]:
    try:
        return differences(good, snapshot(other.home))
    except sqlite3.DatabaseError as error:
        return [f"unreadable ({error})"]


def test_a_flipped_bit_is_harmless_or_seen_and_never_a_traceback(slept: House, room: Path, tell: Tell) -> None:
    said, missed = flips(slept, room, 12)
    tell(f"12 flipped bits: {dict(said)}")
    # A flip in the number of the schema reads as a newer dream's store, which is refused untouched as well.
    assert not [verdict for verdict in said if verdict.startswith("refused: ") and "newer dream" not in verdict]
    assert missed == []


@pytest.mark.slow
def test_thousands_of_flipped_bits_are_harmless_or_seen(slept: House, room: Path, tell: Tell) -> None:
    count = int(os.environ.get("DREAM_FLIPS", "3000"))
    said, missed = flips(slept, room, count)
    tell(f"{count} flipped bits: {dict(said)}, missed {missed}")
    assert not [verdict for verdict in said if verdict.startswith("refused: ") and "newer dream" not in verdict]
    assert missed == []


@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_store_is_refused_and_left_as_it_is(slept: House, room: Path, share: float) -> None:
    other = copy(slept, room / "cut")
    size = int(slept.paths.store.stat().st_size * share)
    other.paths.store.write_bytes(slept.paths.store.read_bytes()[:size])
    before = other.paths.memory.exists() and {p: p.read_bytes() for p in sorted(other.paths.memory.rglob("*.md"))}
    try:
        other.dream(NIGHT)
        # A cut through a page that was free takes nothing.
        assert what_check_says(other) != "sound" or snapshot(other.home) == snapshot(slept.home)
    except DreamError as error:
        # An empty file is a store that is lost, which is no new one.
        assert error.exit_code == (13 if size else 12)
    assert {p: p.read_bytes() for p in sorted(other.paths.memory.rglob("*.md"))} == before


@pytest.mark.parametrize("body", [b"not a database at all" * 100, b"\x00" * 8192, b"SQLite format 3\x00" + b"\xff" * 5000],
                         ids=["text", "zeros", "header alone"])
def test_something_else_in_the_place_of_the_store_is_corrupt_with_a_way_back(slept: House, body: bytes) -> None:
    with slept.kit(NIGHT) as kit:
        backups.back_up(kit.store.connection, kit.paths, now=kit.clock.now(), keep=4, why="test")
    slept.paths.store.write_bytes(body)
    with pytest.raises(Corrupt) as told:
        slept.dream(NIGHT)
    assert told.value.exit_code == 13
    assert "restore-store" in (told.value.hint or "") or "move it away" in (told.value.hint or "")
    assert slept.paths.store.read_bytes() == body


def test_restore_goes_back_to_a_verified_copy_and_keeps_what_was_there(slept: House) -> None:
    good = snapshot(slept.home)
    with slept.kit(NIGHT) as kit:
        backups.back_up(kit.store.connection, kit.paths, now=kit.clock.now(), keep=4, why="test")
    slept.paths.store.write_bytes(b"ruin" * 5000)
    done = going_back.restore_store(slept.world(NIGHT))
    used, kept = done.used, done.kept
    assert used.parent == slept.paths.backups
    assert kept is not None and kept.read_bytes() == b"ruin" * 5000
    slept.dream(NIGHT)
    assert slept.faults(NIGHT) == []
    assert differences(good, snapshot(slept.home)) == []


def test_what_was_noted_since_the_copy_is_not_lost_by_going_back(slept: House) -> None:
    with slept.kit(NIGHT) as kit:
        backups.back_up(kit.store.connection, kit.paths, now=kit.clock.now(), keep=4, why="test")
    later = [Said(f"Cabinet {n} holds the drawings of pier {n * 7}.", conversation=f"late{n}") for n in range(120)]
    slept.say("2026-02-07T09:00:00Z", *later)
    with closing(sqlite3.connect(slept.paths.store)) as connection:
        connection.execute("UPDATE operation SET reason = 'anything else'")
        connection.execute("UPDATE observation SET text = 'what nobody said' WHERE text LIKE 'Cabinet 7 %'")
        connection.commit()
    going_back.restore_store(slept.world("2026-02-07T20:00:00Z"))
    slept.dream("2026-02-07T21:00:00Z")
    said = {str(text) for (text,) in slept.rows("SELECT text FROM observation")}
    assert {s.text for s in later} - said == {"Cabinet 7 holds the drawings of pier 49."}
    assert "what nobody said" not in said
    assert slept.faults("2026-02-07T21:00:00Z") == []


def test_restore_passes_over_a_copy_that_is_damaged_itself(slept: House) -> None:
    with slept.kit(NIGHT) as kit:
        older = backups.back_up(kit.store.connection, kit.paths, now=kit.clock.now(), keep=4, why="older")
        newer = older.with_name("29990101T000000Z-newer.db")
        newer.write_bytes(older.read_bytes()[:20_000])
    used = going_back.restore_store(slept.world(NIGHT)).used
    assert used == older


def test_restore_without_a_copy_says_so_and_touches_nothing(house: House) -> None:
    house.say(NIGHT, "Reviews of cedar need two people.")
    before = house.paths.store.read_bytes()
    with pytest.raises(StoreMissing, match="no backup"):
        going_back.restore_store(house.world(NIGHT))
    assert house.paths.store.read_bytes() == before


def test_backups_are_kept_to_a_bound_and_hold_everything(slept: House) -> None:
    with slept.kit(NIGHT) as kit:
        for n in range(7):
            backups.back_up(kit.store.connection, kit.paths, now=kit.clock.now(), keep=3, why=f"n{n}")
    copies = sorted(slept.paths.backups.iterdir())
    assert len(copies) == 3
    for path in copies:
        assert path.stat().st_mode & 0o777 == 0o600
        with backups.unpacked(path, path.parent) as plain, closing(sqlite3.connect(plain)) as connection:
            assert connection.execute("SELECT COUNT(*) FROM memory").fetchone()[0] == len(slept.memories())


@pytest.mark.parametrize("ruin", [
    "UPDATE vector SET body = x'00'", "UPDATE vector SET body = zeroblob(768)", "UPDATE vector SET body = randomblob(768)",
    "UPDATE vector SET body = substr(body, 1, 400)"], ids=["one byte", "zeros", "noise", "half"])
def test_ruined_vectors_are_repaired_by_embedding_again(slept: House, ruin: str) -> None:
    good = snapshot(slept.home)
    with closing(sqlite3.connect(slept.paths.store)) as connection:
        connection.execute(ruin)
        connection.commit()
    assert any("vectors" in fault for fault in slept.faults(NIGHT))
    with slept.kit(NIGHT) as kit:
        assert {f.verdict for f in check.check(kit, repair=True)} == {"ok", "repaired"}
    assert slept.faults(NIGHT) == []
    slept.say(NIGHT, "The canary group of cedar is called sparrow.")
    slept.dream("2026-02-07T20:00:00Z")
    assert slept.memory("sparrow").status.value == "live"
    assert {m.text for m in slept.memories()} >= {row[2] for row in good["memories"]}  # type: ignore[attr-defined]


@pytest.mark.parametrize("ruin", [
    "DELETE FROM memory_words", "UPDATE memory_words SET words = 'something else' WHERE rowid = 1",
    "UPDATE memory_words_data SET block = x'0102' WHERE id > 10"], ids=["emptied", "other words", "garbage"])
def test_a_ruined_word_index_is_made_anew(slept: House, ruin: str) -> None:
    with closing(sqlite3.connect(slept.paths.store)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(ruin)
        connection.commit()
    assert any("word index" in fault for fault in slept.faults(NIGHT))
    with slept.kit(NIGHT) as kit:
        check.check(kit, repair=True)
    assert slept.faults(NIGHT) == []


@pytest.mark.parametrize(("ruin", "name"), [
    ("UPDATE wording SET text = text || '!' WHERE rowid IS NULL OR 1", "words"),
    ("UPDATE memory SET status = 'archived' WHERE status = 'live'", "journal"),
    ("UPDATE memory SET trust = 'untrusted'", "journal"),
    ("UPDATE memory SET superseded_by = 'feedfacecafe' WHERE status = 'superseded'", "versions"),
    ("DELETE FROM support", "standing"), ("UPDATE observation SET text = 'x' WHERE key = ''", "observations"),
    ("UPDATE observation SET scope = 'team:other'", "scopes"), ("UPDATE operation SET before = '{'", "history"),
    ("DELETE FROM operation", "journal"), ("DROP INDEX memory_scope", "shape")])
def test_each_contradiction_in_the_store_is_named_and_not_repaired_away(slept: House, ruin: str, name: str) -> None:
    with closing(sqlite3.connect(slept.paths.store)) as connection:
        connection.execute(ruin.replace("WHERE rowid IS NULL OR 1", ""))
        connection.commit()
    with slept.kit(NIGHT) as kit:
        findings = {f.name: f.verdict for f in check.check(kit)}
        assert findings[name] == "broken"
        assert {f.name: f.verdict for f in check.check(kit, repair=True)}[name] == "broken"


@pytest.mark.parametrize(("ruin", "name"), [
    ("UPDATE judged SET confidence = confidence / 2", "verdicts"),
    ("UPDATE judged SET evidence = CAST(x'5bff5d' AS TEXT)", "verdicts"),
    ("UPDATE cursor SET offset = offset + 1", "reading positions"),
    ("UPDATE source SET path = path || 'x'", "reading positions"),
    ("UPDATE file SET memory = 'x' WHERE memory <> ''", "files"), ("UPDATE file SET body = CAST(body AS TEXT)", "files"),
    ("UPDATE file SET body = CAST(body || ' ' AS BLOB)", "files"), ("UPDATE vector SET model = 'other'", "vectors")])
def test_each_damage_to_what_is_derived_is_named_and_repaired(slept: House, ruin: str, name: str) -> None:
    wanted = snapshot(slept.home)
    with closing(sqlite3.connect(slept.paths.store)) as connection:
        connection.execute(ruin)
        connection.commit()
    assert [f for f in slept.faults(NIGHT) if f.startswith(name)]
    with slept.kit(NIGHT) as kit:
        verdicts = {f.name: f.verdict for f in check.check(kit, repair=True)}
    assert verdicts[name] == "repaired"
    assert slept.faults(NIGHT) == []
    slept.dream("2026-02-07T20:00:00Z")
    lost = set(differences(wanted, snapshot(slept.home)))
    assert lost <= ({"vectors"} if name == "vectors" else {"cursors"} if name == "reading positions" else set())


@pytest.mark.parametrize("table", ["operation", "observation", "fate", "run", "memory", "support", "link", "wording", "meta"])
def test_a_row_that_only_the_store_knows_is_sealed_to_the_last_field(slept: House, table: str) -> None:
    with slept.kit(NIGHT) as kit:
        names = [r["name"] for r in kit.store.all(f"PRAGMA table_info({table})")]
        kept = kit.store.one(f"SELECT * FROM {table} WHERE 1 LIMIT 1")
    assert kept is not None
    field = next(n for n in reversed(names) if isinstance(kept[n], str))
    with closing(sqlite3.connect(slept.paths.store)) as connection:
        connection.execute(f"UPDATE OR REPLACE {table} SET {field} = {field} || 'x'")
        connection.commit()
    with slept.kit(NIGHT) as kit:
        assert {f.name: f.verdict for f in check.check(kit, repair=True)}["seals"] == "broken"


def test_a_damaged_store_is_not_copied_over_the_sound_ones(slept: House) -> None:
    with slept.kit(NIGHT) as kit:
        sound = backups.back_up(kit.store.connection, kit.paths, now=kit.clock.now(), keep=1, why="test")
    with closing(sqlite3.connect(slept.paths.store)) as connection:
        connection.execute("UPDATE operation SET reason = 'anything else'")
        connection.commit()
    with slept.kit("2026-02-14T20:00:00Z") as kit, pytest.raises(Corrupt, match="never wrote"):
        backups.back_up(kit.store.connection, kit.paths, now=kit.clock.now(), keep=1, why="test")
    assert sound.exists()
    assert going_back.restore_store(slept.world("2026-02-14T20:00:00Z")).used == sound
    assert slept.faults("2026-02-14T20:00:00Z") == []


def test_a_topic_file_that_a_person_deleted_is_no_damage(slept: House) -> None:
    slept.file_of("tag registry").unlink()
    with slept.kit(NIGHT) as kit:
        told = {f.name: f for f in check.check(kit)}
    assert {f.verdict for f in told.values()} == {"ok", "edited"}
    assert "your wish" in told["deleted files"].detail
    with slept.kit(NIGHT) as kit:
        check.check(kit, repair=True)
    assert slept.file_of("tag registry").exists()


def test_a_missing_index_or_directory_is_written_anew(slept: House) -> None:
    wanted = snapshot(slept.home)["on disk"]
    shutil.rmtree(slept.file_of("tag registry").parent)
    with slept.kit(NIGHT) as kit:
        assert {f.name: f.verdict for f in check.check(kit)}["files"] == "broken"
        check.check(kit, repair=True)
    assert snapshot(slept.home)["on disk"] == wanted


def test_a_restored_older_copy_comes_to_rest_with_the_files_as_they_are(slept: House) -> None:
    with slept.kit(NIGHT) as kit:
        backups.back_up(kit.store.connection, kit.paths, now=kit.clock.now(), keep=4, why="test")
    slept.say(NIGHT, "The canary group of cedar is called sparrow.")
    slept.dream("2026-02-07T20:00:00Z")
    going_back.restore_store(slept.world("2026-02-08T20:00:00Z"))
    for night in ("2026-02-08T20:00:00Z", "2026-02-09T20:00:00Z"):
        slept.dream(night)
    assert slept.faults("2026-02-09T20:00:00Z") == []
    assert any("sparrow" in m.text for m in slept.memories()), "the file was still there and is a statement again"


@pytest.mark.parametrize("body", [b"\xff\xfe", b"[stor]\n", b"[store\n", b"store = 3\n", b"[prune]\nstale_after_days = 'x'\n",
                                  b"\x00" * 100, b"[" * 5000, b"a" * 2_000_000],
                         ids=["bytes", "misspelt", "open", "no table", "type", "nul", "deep", "large"])
def test_damaged_settings_are_a_sentence_with_the_file_in_it(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "dream.toml"
    path.write_bytes(body)
    with pytest.raises(ConfigError) as told:
        load_settings(path)
    assert told.value.exit_code == 78
    assert str(path) in told.value.message


def test_stray_wal_and_shm_of_another_store_do_no_harm(slept: House, room: Path) -> None:
    (room / "other").mkdir()
    other = House(room / "other")
    other.say(NIGHT, "Something else altogether is true here.")
    with other.kit(NIGHT) as kit:
        kit.store.connection.execute("PRAGMA wal_autocheckpoint = 0")
        with kit.store.writing() as tx:
            tx.execute("INSERT INTO meta VALUES ('foreign', '1')")
        wal = other.paths.store.with_name("dream.db-wal").read_bytes()
    good = snapshot(slept.home)
    slept.paths.store.with_name("dream.db-wal").write_bytes(wal)
    verdict = what_check_says(slept)
    if verdict == "sound":
        assert differences(good, snapshot(slept.home)) == []
        assert slept.rows("SELECT 1 FROM meta WHERE key = 'foreign'") == []
    else:
        assert verdict == "refused as corrupt" or verdict == "seen by check"
