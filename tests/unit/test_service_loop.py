"""The loop, the words to systemd, the child's end, and the small store view of the supervisor."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

import apscheduler.schedulers.base
import pytest

from dreamd.core import outage
from dreamd.core.clock import SystemClock
from dreamd.core.paths import Paths
from dreamd.core.settings import Settings
from dreamd.core.world import World
from dreamd.service import child, memo
from dreamd.service.loop import Loop
from dreamd.service.memo import Memo
from dreamd.service.nursery import Ended, Task
from dreamd.service.vitals import Notifier
from dreamd.store import work
from dreamd.store.connection import open_store

NOW = datetime(2026, 5, 7, 12, 0, tzinfo=UTC)


class SteppedClock(SystemClock):
    """The machine's clock, until somebody sets it."""

    def __init__(self) -> None:
        self.offset = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.offset


def test_a_wall_clock_set_back_an_hour_does_not_stop_the_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, ticks = SteppedClock(), []

    class Shifted(datetime):
        """What APScheduler sees of the same clock."""

        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + clock.offset

    monkeypatch.setattr(apscheduler.schedulers.base, "datetime", Shifted)
    loop = Loop(timezone=UTC, clock=clock)
    started = time.monotonic()

    def tick() -> None:
        ticks.append(time.monotonic() - started)
        if len(ticks) == 2:
            clock.offset = timedelta(hours=-1)

    def react() -> None:
        if len(ticks) >= 5 or time.monotonic() - started > 60:
            loop.shutdown()

    loop.add_job(tick, "interval", seconds=0.1, id="tick")
    loop.turn(react)
    assert len(ticks) >= 5, ticks
    assert ticks[-1] < 60


def test_a_month_of_missed_ticks_is_one() -> None:
    ticks: list[int] = []
    loop = Loop(timezone=UTC)
    loop.add_job(lambda: ticks.append(1), "interval", seconds=30, id="tick",
                 next_run_time=datetime.now(UTC) - timedelta(days=30))
    started = time.monotonic()
    loop.add_job(lambda: None, "interval", seconds=0.1, id="waker")
    loop.turn(lambda: loop.shutdown() if time.monotonic() - started > 0.3 else None)
    assert len(ticks) == 1


def test_a_signal_wakes_the_loop_at_once() -> None:
    loop, woken = Loop(timezone=UTC), []
    before = signal.signal(signal.SIGUSR1, lambda *_: woken.append(time.monotonic()))
    try:
        loop.add_job(lambda: None, "interval", hours=1, id="never")
        started = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0)
        pid = os.fork()
        if pid == 0:
            time.sleep(0.2)
            os.kill(os.getppid(), signal.SIGUSR1)
            os._exit(0)
        loop.turn(lambda: loop.shutdown() if woken else None)
        os.waitpid(pid, 0)
        assert time.monotonic() - started < 60
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_systemd_is_told_and_silence_is_no_fault(tmp_path: Path) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(address)
        assert Notifier({"NOTIFY_SOCKET": address}).tell("READY=1", "STATUS=watching")
        assert listener.recv(1000) == b"READY=1\nSTATUS=watching"
    assert not Notifier({}).tell("READY=1")
    assert not Notifier({"NOTIFY_SOCKET": "relative"}).tell("READY=1")
    assert not Notifier({"NOTIFY_SOCKET": str(tmp_path / "gone")}).tell("READY=1")


@pytest.mark.parametrize(("code", "told", "overdue", "expected"), [
    (0, {}, False, None), (11, {"outcome": "locked"}, False, None), (4, {"outcome": "refused"}, False, None),
    (12, {"outcome": "outage", "component": "model"}, False, None), (-9, {}, False, "child-sigkill"),
    (-11, {}, False, "child-sigsegv"), (-6, {}, False, "child-sigabrt"), (-99, {}, False, "child-99"),
    (1, {}, False, "child-exit-1"), (13, {"hint": "run `dream check`"}, False, "child-exit-13"),
    (-15, {}, True, "child-timeout")])
def test_every_end_of_a_child_is_understood(code: int, told: dict[str, object], overdue: bool, expected: str | None) -> None:
    failure = Ended(Task("dream"), code, 1.0, told, overdue).failure()
    assert (failure.code if failure else None) == expected
    assert failure is None or failure.hint


def test_a_child_that_was_asked_to_stop_is_no_outage() -> None:
    assert Ended(Task("dream"), -15, 0.1, asked=True).failure() is None
    assert Ended(Task("dream"), -9, 0.1, asked=True).failure() is None
    assert Ended(Task("dream"), -11, 0.1, asked=True).failure() is not None
    assert Ended(Task("dream"), -9, 9.0, asked=True, overdue=True).failure() is not None


def test_a_child_that_needs_too_much_memory_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                     capsys: pytest.CaptureFixture[str]) -> None:
    def greedy(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(child, "_work", greedy)
    for name in ("lower_priority", "_limit_memory", "_die_with_parent"):
        monkeypatch.setattr(child, name, lambda *_: None)
    monkeypatch.setattr(child.Stop, "listen", lambda _self: None)
    (tmp_path / "home").mkdir()
    code = child.main(["dream", "--home", str(tmp_path / "home"), "--config", str(tmp_path / "none.toml")])
    assert code == 12
    assert "more memory" in capsys.readouterr().out
    assert [m.code for m in outage.read_markers(tmp_path / "home" / "outage")] == ["out-of-memory"]


@pytest.fixture
def world(tmp_path: Path) -> World:
    paths = Paths(tmp_path / "home")
    paths.locks.mkdir(parents=True, mode=0o700)
    return World(paths, Settings(), SystemClock(), {"HOME": str(tmp_path), "TZ": "UTC"})


def test_the_store_is_read_again_only_when_it_changed(world: World) -> None:
    first = memo.read_memo(world, Memo())
    assert memo.read_memo(world, first) is first
    memo.stage(world, [(world.paths.home / "s1.jsonl", 0, 10)], why="trailing", now=NOW)
    second = memo.read_memo(world, first)
    assert [(s.path, s.start, s.end) for s in second.staged] == [(str(world.paths.home / "s1.jsonl"), 0, 10)]


def test_a_staged_stretch_grows_and_goes_when_its_file_is_gone(world: World) -> None:
    talk = world.paths.home / "s1.jsonl"
    memo.found_store(world)
    talk.write_text("x" * 30)
    memo.stage(world, [(talk, 10, 20)], why="trailing", now=NOW)
    memo.stage(world, [(talk, 20, 30)], why="trailing", now=NOW)
    seen = memo.read_memo(world, Memo())
    assert [(s.start, s.end) for s in seen.staged] == [(10, 30)]
    assert memo.drop_consumed(world, seen) == 0
    talk.unlink()
    assert memo.drop_consumed(world, seen) == 1
    assert memo.read_memo(world, seen).staged == ()


def test_a_store_whose_making_was_cut_short_is_made_again(world: World) -> None:
    world.paths.store.touch()
    assert memo.read_memo(world, Memo()).epoch == 0
    store = open_store(world.paths.store)
    assert work.load_staged(store) == []
    store.close()


def test_a_supervisor_loads_nothing_heavy() -> None:
    import subprocess

    script = ("import dreamd.service.run, sys; heavy = {'numpy', 'torch', 'sklearn', 'usearch', 'sentence_transformers', "
              "'scipy', 'yaml', 'dateparser', 'detect_secrets', 'sqlite_utils', 'tokenizers', 'safetensors'}; "
              "print(sorted(heavy & set(sys.modules)))")
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
