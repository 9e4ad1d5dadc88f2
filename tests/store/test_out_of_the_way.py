"""A dream keeps out of the way of whoever writes: short batches, nothing flushed under the lock, a log folded in early."""

from __future__ import annotations

import multiprocessing
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from dreamd.core import fsio, locks, throttle
from dreamd.core.clock import FixedClock, SystemClock, parse_instant
from dreamd.core.errors import Locked
from dreamd.core.locks import GATE_LOCK, WRITE_LOCK
from dreamd.core.throttle import BATCH_BUDGET_S, REST_SHARE
from dreamd.core.values import MemoryClass, Scope
from dreamd.dream import projection
from dreamd.kit import Kit
from dreamd.store import backups, work
from dreamd.store.work import Intent
from household import House, Said

DAY, NIGHT, NIGHT_2 = "2026-01-05T09:00:00Z", "2026-01-05T20:00:00Z", "2026-01-06T20:00:00Z"
RULES = [Said(f"Crane {n} of quay {n} is greased on pier {n}.", conversation=f"c{n}", key=f"k{n}",
              memory_class=MemoryClass.RULE) for n in range(60)]
CEDAR = Scope("project", "cedar")
LOG_BYTES_AT_MOST = 2_000_000
"""Half of where SQLite would let the next writer fold the log in."""


def test_nothing_is_flushed_to_a_file_while_writers_are_kept_out(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.say(DAY, *RULES)
    kept_out: list[bool] = []
    flush = fsio._fsync

    def watched(descriptor: int) -> None:
        kept_out.append(locks.is_held(house.paths.locks, WRITE_LOCK))
        flush(descriptor)

    monkeypatch.setattr(fsio, "_fsync", watched)
    house.dream(NIGHT)
    assert len(kept_out) > len(RULES)
    assert not any(kept_out)


def test_a_file_saved_while_the_new_one_is_flushed_stays_as_the_person_saved_it(house: House,
                                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    house.say(DAY, Said("Reviews of cedar need two people.", memory_class=MemoryClass.RULE))
    house.dream(NIGHT)
    path = house.file_of("Reviews")
    start = fsio._start_flushing

    def save(descriptor: int) -> None:
        path.write_text("Reviews of cedar need Maren.\n")
        start(descriptor)

    house.say(NIGHT, Said("Reviews of cedar need two people, because mistakes are dear.", memory_class=MemoryClass.RULE))
    monkeypatch.setattr(fsio, "_start_flushing", save)
    report = house.dream(NIGHT_2)
    assert path.read_text() == "Reviews of cedar need Maren.\n"
    assert any("yours stays" in warning for warning in report.warnings)


def _settle(home: House, gate: multiprocessing.synchronize.Barrier) -> None:
    with home.kit(NIGHT) as kit:
        gate.wait()
        projection.settle(kit)


def test_two_that_write_the_same_files_at_once_leave_them_whole_and_known(house: House) -> None:
    house.say(DAY, *RULES)
    house.dream(NIGHT)
    with house.kit(NIGHT) as kit:
        known = work.load_files(kit.store)
        with kit.writing() as tx:
            work.intend(tx, [Intent(f.path, f.sha, fsio.sha256_bytes(f.body + b"\n"), f.body + b"\n", f.memory, f.scope)
                             for f in known.values()])
    fork = multiprocessing.get_context("fork")
    gate = fork.Barrier(2)
    both = [fork.Process(target=_settle, args=(house, gate)) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join(60)
    assert [one.exitcode for one in both] == [0, 0]
    with house.kit(NIGHT) as kit:
        assert work.load_intents(kit.store) == []
        for file in work.load_files(kit.store).values():
            path = house.home / file.path
            facts = path.stat()
            assert path.read_bytes() == file.body == known[file.path].body + b"\n"
            assert (file.size, file.mtime_ns, file.inode) == (facts.st_size, facts.st_mtime_ns, facts.st_ino)
    assert not list(fsio.list_temporaries(house.home))


def test_an_intent_recorded_while_the_one_before_was_carried_out_starts_from_it(house: House) -> None:
    house.say(DAY, *RULES[:1])
    house.dream(NIGHT)
    with house.kit(NIGHT) as kit:
        file = next(f for f in work.load_files(kit.store).values() if f.memory)
        first, second = (Intent(file.path, file.sha, fsio.sha256_bytes(body), body, file.memory, file.scope)
                         for body in (b"first\n", b"second\n"))
        with kit.writing() as tx:
            work.intend(tx, [second])
        (house.home / file.path).write_bytes(b"first\n")  # as the other one renamed it, right before it notes that
        with kit.writing() as tx:
            facts = (house.home / file.path).stat()
            work.settle(tx, first, replace(file, sha=first.new_sha, body=b"first\n", size=facts.st_size,
                                           mtime_ns=facts.st_mtime_ns, inode=facts.st_ino))
        assert projection.settle(kit) == []
        assert (house.home / file.path).read_bytes() == b"second\n"


def _busy(kit: Kit, meanwhile: Callable[[], None] = lambda: None) -> None:
    """One batch, with something happening under it."""
    with kit.writing() as tx:
        work.write_meta(tx, "busy", "1")
        meanwhile()


def test_yields_are_counted_in_a_row_and_shrink_the_batches(house: House) -> None:
    with house.kit(NIGHT) as kit:
        waiting: list[int] = []
        for _ in range(3):
            _busy(kit, lambda: waiting.append(locks._flock(house.paths.locks / GATE_LOCK, until_s=kit.clock.monotonic())))
            fsio.os.close(waiting.pop())
        assert (kit.yields, kit.batching.rows) == (3, 64)
        _busy(kit)
        assert kit.yields == 0


def test_a_batch_takes_no_more_than_its_time_and_every_row_gets_its_turn(house: House) -> None:
    with house.kit(NIGHT) as kit:
        written: list[int] = []
        seen: list[int] = []

        def slowly(tx: sqlite3.Connection, rows: Sequence[int]) -> None:
            seen.append(int(dict(house.rows("SELECT key, value FROM meta")).get("rows", 0)))  # type: ignore[call-overload]
            written.extend(rows)
            work.write_meta(tx, "rows", str(len(written)))
            kit.clock.sleep(BATCH_BUDGET_S)

        kit.write_all(range(50), slowly)
        assert written == list(range(50))
        assert seen[:3] == [0, 8, 16]  # each piece used up the time, so the one before it was committed already


class Napping(FixedClock):
    """Counts the seconds somebody would have slept, and lets them pass."""

    slept_s = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + Napping.slept_s

    def sleep(self, seconds: float) -> None:
        Napping.slept_s += seconds


def test_a_dream_leaves_store_and_disk_to_others_once_they_wrote_and_not_before(
        house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "COMPANY_S", 600.0)  # however slow the machine is
    house.say(DAY, *RULES)
    with house.kit(NIGHT) as kit:
        kit.world, Napping.slept_s = replace(kit.world, clock=Napping(kit.clock.now())), 0.0
        _busy(kit)
        _busy(kit)
        assert (Napping.slept_s, kit.has_company) == (0, False)
        house.say(DAY, Said("Somebody notes this while a dream writes.", key="beside"))
        _busy(kit)
        _busy(kit)
        after_store = Napping.slept_s
        with kit.writing() as tx:
            work.intend(tx, [Intent("memory/user/a.md", None, fsio.sha256_bytes(b"a"), b"a", "", "user")])
        before_files = Napping.slept_s
        assert projection.settle(kit) == []
        assert 0 < after_store < before_files < Napping.slept_s


def test_the_time_a_dream_stood_in_the_queue_is_no_work_to_rest_from(
        house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "COMPANY_S", 600.0)  # however slow the machine is
    monkeypatch.setattr(throttle, "LONGEST_REST_S", 600.0)
    with house.kit(NIGHT) as kit:
        kit.world = replace(kit.world, clock=Napping(kit.clock.now()))
        _busy(kit)
        house.say(DAY, Said("Somebody notes this while a dream writes.", key="beside"))
        _busy(kit)
        held = [locks._flock(house.paths.locks / WRITE_LOCK, until_s=SystemClock().monotonic() + 60)]

        def while_it_stands_in_the_queue() -> bool:
            if held:
                SystemClock().sleep(0.2)
                fsio.os.close(held.pop())
            return False

        kit.background = locks.Background(house.paths.locks, should_stop=while_it_stands_in_the_queue)
        since_s = kit.clock.monotonic()
        _busy(kit)
        stood_s = kit.background.waited_s
        worked_s = kit.clock.monotonic() - since_s - stood_s
        assert stood_s > 0.1
        rest_s = kit.company.rest_until_s - kit.clock.monotonic()
        assert rest_s < (worked_s + stood_s / 2) * REST_SHARE / (1 - REST_SHARE)  # more than that with the queue counted


def test_only_the_batches_nothing_relies_on_go_without_a_flush(house: House) -> None:
    with house.kit(NIGHT) as kit:
        for durable, level in ((False, 1), (True, 2), (False, 1)):
            with kit.writing(durable=durable) as tx:
                assert tx.execute("PRAGMA synchronous").fetchone()[0] == level


def test_what_decides_about_a_file_is_flushed_before_the_file_is_written(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    levels: list[tuple[str, int]] = []
    intend, settled = work.intend, work.settle
    monkeypatch.setattr(work, "intend", lambda tx, some: (
        levels.append(("intend", tx.execute("PRAGMA synchronous").fetchone()[0])), intend(tx, some))[1])
    monkeypatch.setattr(work, "settle", lambda tx, one, known: (
        levels.append(("settle", tx.execute("PRAGMA synchronous").fetchone()[0])), settled(tx, one, known))[1])
    house.say(DAY, *RULES[:5])
    house.dream(NIGHT)
    assert {name for name, _ in levels} == {"intend", "settle"}
    assert {level for name, level in levels if name == "intend"} == {2}


def test_a_dream_folds_the_log_in_before_a_note_would_have_to(house: House) -> None:
    with house.kit(NIGHT) as kit:
        for n in range(60):
            with kit.writing() as tx:
                work.write_meta(tx, f"page {n}", "x" * 100_000)
        assert house.paths.store.with_name(house.paths.store.name + "-wal").stat().st_size < LOG_BYTES_AT_MOST


def test_a_copy_is_the_store_as_it_was_when_the_copying_began(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.say(DAY, *RULES)
    monkeypatch.setattr(backups, "PIECE_PAGES", 4)
    flush, notes = fsio.sync_file, iter(range(10_000))

    def write_meanwhile(path: Path) -> None:
        house.say(DAY, Said("A note while the store is copied.", key=f"late-{next(notes)}"))
        flush(path)

    monkeypatch.setattr(fsio, "sync_file", write_meanwhile)
    with house.kit(NIGHT) as kit:
        copy = backups.back_up(kit.store.connection, house.paths, now=parse_instant(NIGHT), keep=3, why="weekly")
    assert next(notes) > 3
    with backups.unpacked(copy, copy.parent) as plain, closing(sqlite3.connect(plain)) as kept:
        assert kept.execute("SELECT COUNT(*) FROM observation").fetchone()[0] == len(RULES)


def test_a_scope_is_behind_until_its_last_file_is_recorded(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.say(DAY, *RULES)

    def stopped(kit: Kit) -> list[str]:
        if work.load_intents(kit.store, limit=1):
            raise Locked("stopped between two batches of files")
        return []

    with monkeypatch.context() as night:
        night.setattr(projection, "BATCH", 4)
        night.setattr(projection, "settle", stopped)
        with pytest.raises(Locked):
            house.dream(NIGHT)
    house.dream(NIGHT_2)
    assert house.faults(NIGHT_2) == []
    assert all(house.file_of(f"Crane {n} of").is_file() for n in range(60))
