"""The lock protocol, tried with real processes that are killed and stopped where it hurts."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dreamd.core import locks as mutex
from dreamd.core.errors import ConfigError, DreamError, Locked, Outage
from dreamd.core.locks import DREAM_LOCK, GATE_LOCK, WRITE_LOCK, Background, Owner, WriteBusy, foreground, hold_dream
from dreamd.core.places import filesystems

OWNER = Owner("dream consolidate", datetime(2026, 5, 7, 9, 30, tzinfo=UTC))
Child = Callable[[str], subprocess.Popen[str]]

HOLD_DREAM = """
with mutex.hold_dream(locks, OWNER):
    print("ready", flush=True); time.sleep(600)
"""
HOLD_WRITE = """
with mutex.foreground(locks):
    print("ready", flush=True); time.sleep(600)
"""
WAIT_IN_GATE = """
print("ready", flush=True)
with mutex.foreground(locks, 600.0):
    time.sleep(600)
"""
HAMMER = """
work = mutex.Background(locks)
print("ready", flush=True)
while True:
    with work.batch():
        time.sleep(0.04)
        with (locks / "batches").open("a") as batches:
            batches.write(".")
"""


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    directory = tmp_path / "locks"
    directory.mkdir(mode=0o700)
    return directory


@pytest.fixture
def child(locks: Path) -> Iterator[Child]:
    """Start a process at once in a lock script; every one is dead when the test is over."""
    started: list[subprocess.Popen[str]] = []
    head = ("import sys, time; from pathlib import Path; from datetime import datetime, UTC;"
            "from dreamd.core import locks as mutex;"
            "locks = Path(sys.argv[1]); OWNER = mutex.Owner('dream run', datetime(2026, 5, 7, 9, 30, tzinfo=UTC))\n")

    def start(script: str) -> subprocess.Popen[str]:
        process = subprocess.Popen([sys.executable, "-c", head + script, str(locks)], stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def waits_until(true: Callable[[], bool], within_s: float = 60.0) -> bool:
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.005)
    return False


def test_a_second_dream_is_turned_away_with_the_name_of_the_first(locks: Path, child: Child) -> None:
    first = child(HOLD_DREAM)
    with pytest.raises(Locked) as refusal, hold_dream(locks, OWNER, wait_s=0.05):
        pytest.fail("two dreams at once")
    assert refusal.value.exit_code == 11
    assert "`dream run`" in refusal.value.message
    assert f"pid {first.pid}" in refusal.value.message
    assert "since 2026-05-07T09:30:00Z" in refusal.value.message


@pytest.mark.parametrize("death", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_a_holder_that_dies_frees_the_dream_lock_at_once(locks: Path, child: Child, death: signal.Signals) -> None:
    holder = child(HOLD_DREAM)
    assert mutex.is_held(locks, DREAM_LOCK)
    holder.send_signal(death)
    holder.wait()
    with hold_dream(locks, OWNER, wait_s=0.0):
        assert mutex.read_owner(locks, DREAM_LOCK).startswith("`dream consolidate`")
    assert mutex.read_owner(locks, DREAM_LOCK) == ""


def test_a_writer_that_is_killed_frees_the_write_lock_at_once(locks: Path, child: Child) -> None:
    holder = child(HOLD_WRITE)
    holder.kill()
    holder.wait()
    with foreground(locks, 0.05):
        pass


def test_a_waiter_killed_in_the_gate_does_not_keep_it_shut(locks: Path, child: Child) -> None:
    child(HOLD_WRITE)
    waiter = child(WAIT_IN_GATE)
    dream = Background(locks)
    assert waits_until(dream.someone_waits)
    waiter.kill()
    waiter.wait()
    assert not dream.someone_waits()


def test_a_stopped_holder_keeps_its_lock_and_a_note_gives_up_within_its_budget(locks: Path, child: Child) -> None:
    holder = child(HOLD_WRITE)
    holder.send_signal(signal.SIGSTOP)
    before = time.monotonic()
    with pytest.raises(WriteBusy), foreground(locks, 0.3):
        pytest.fail("a frozen holder was ignored")
    assert 0.25 < time.monotonic() - before < 120, "the holder would sleep for ten minutes"
    holder.send_signal(signal.SIGCONT)
    holder.kill()
    holder.wait()
    with foreground(locks, 0.05):
        pass


def test_one_budget_covers_gate_and_write_together(locks: Path, child: Child) -> None:
    child(HOLD_WRITE)
    child(WAIT_IN_GATE)
    assert waits_until(Background(locks).someone_waits)
    spent_s = []
    for _ in range(5):  # a machine that is busy elsewhere is slow once, not five times
        before = time.monotonic()
        with pytest.raises(WriteBusy), foreground(locks, 2.0):
            pytest.fail("not possible")
        spent_s.append(time.monotonic() - before)
        if spent_s[-1] < 3.9:
            break
    assert min(spent_s) < 3.9


def test_a_dream_leaves_the_queue_when_it_is_asked_to_stop(locks: Path, child: Child) -> None:
    child(HOLD_WRITE)
    dream = Background(locks, should_stop=lambda: True)
    before = time.monotonic()
    with pytest.raises(WriteBusy), dream.batch():
        pytest.fail("not possible")
    assert time.monotonic() - before < mutex.BACKGROUND_PATIENCE_S


def test_a_dream_at_full_tilt_does_not_starve_a_person(locks: Path, child: Child) -> None:
    batches = locks / "batches"
    batches.touch()
    child(HAMMER)
    assert waits_until(lambda: batches.stat().st_size > 0)
    passed = []
    for _ in range(40):
        before = batches.stat().st_size
        with foreground(locks, 60.0):
            passed.append(batches.stat().st_size - before)
        time.sleep(0.003)
    # In batches, not in seconds: the one at work, and one that began before the person came to the gate.
    assert statistics.median(passed) <= 2, sorted(passed)


def test_writers_and_dreams_never_write_at_the_same_time(child: Child, tmp_path: Path) -> None:
    tally = tmp_path / "tally"
    tally.write_text("0")
    count = f"""
from contextlib import suppress
print("ready", flush=True)
tally, done = Path({str(tally)!r}), 0
while done < 10:
    with suppress(mutex.WriteBusy), WHO:
        seen = int(tally.read_text()); time.sleep(0.001); tally.write_text(str(seen + 1)); done += 1
"""
    writers = [child(count.replace("WHO", "mutex.foreground(locks, 60.0)")) for _ in range(4)]
    writers += [child(count.replace("WHO", "mutex.Background(locks).batch()")) for _ in range(2)]
    assert [writer.wait(timeout=240) for writer in writers] == [0] * 6
    assert tally.read_text() == "60"


def test_a_probe_looking_at_the_lock_does_not_keep_a_dream_from_starting(locks: Path) -> None:
    (locks / DREAM_LOCK).touch(mode=0o600)
    # A machine that is busy elsewhere may stop the probe for longer than a dream waits; not every time.
    assert any(starts_beside_a_probe(locks) for _ in range(5))


def starts_beside_a_probe(locks: Path) -> bool:
    """Whether a dream gets its lock although a probe has just begun to look at it."""
    prober = subprocess.Popen([sys.executable, "-c", "import fcntl, os, sys, time\n"
                               "fd = os.open(sys.argv[1], os.O_RDONLY); fcntl.flock(fd, fcntl.LOCK_SH)\n"
                               "print('ready', flush=True); time.sleep(0.3)", str(locks / DREAM_LOCK)],
                              stdout=subprocess.PIPE)
    assert prober.stdout is not None
    with prober.stdout:
        assert prober.stdout.readline() == b"ready\n"
    try:
        with hold_dream(locks, OWNER):
            return True
    except Locked:
        return False
    finally:
        prober.wait()


def test_lock_files_are_private_and_stay_where_they_are(locks: Path) -> None:
    with hold_dream(locks, OWNER), foreground(locks):
        before = {p.name: p.stat().st_ino for p in locks.iterdir()}
    assert set(before) == {DREAM_LOCK, GATE_LOCK, WRITE_LOCK}
    assert {p.name: p.stat().st_ino for p in locks.iterdir()} == before
    assert all(p.stat().st_mode & 0o777 == 0o600 for p in locks.iterdir())


def test_a_symlink_in_place_of_a_lock_is_refused(locks: Path, tmp_path: Path) -> None:
    (locks / WRITE_LOCK).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Outage, match="is a symbolic link and no file"), foreground(locks, 0.1):
        pytest.fail("followed a symlink")
    assert not (tmp_path / "elsewhere").exists()


def test_what_stands_in_a_lock_file_decides_nothing(locks: Path) -> None:
    for garbage in (b"", b"1\nhost\n", b"\xff\xfe", json.dumps({"pid": os.getpid()}).encode(), b"x" * 10_000):
        (locks / DREAM_LOCK).write_bytes(garbage)
        with hold_dream(locks, OWNER, wait_s=0.0):
            pass


def test_a_holder_whose_note_is_garbage_is_still_respected(locks: Path, child: Child) -> None:
    child(HOLD_DREAM)
    (locks / DREAM_LOCK).write_bytes(b'{"pid": "evil\x1b[31m"}')
    with pytest.raises(Locked) as refusal, hold_dream(locks, OWNER, wait_s=0.0):
        pytest.fail("two dreams at once")
    assert refusal.value.message == "another dream is at work"


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.ENOLCK, errno.EIO])
def test_a_filesystem_without_locks_is_refused_and_never_trusted(locks: Path, monkeypatch: pytest.MonkeyPatch,
                                                                 code: int) -> None:
    def broken(_fd: int, _how: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", broken)
    with pytest.raises(DreamError, match="cannot lock"), foreground(locks, 0.1):
        pytest.fail("went on without a lock")


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "fuse.unheard-of"])
def test_a_network_filesystem_is_refused_unless_a_person_allows_it(locks: Path, monkeypatch: pytest.MonkeyPatch,
                                                                   kind: str) -> None:
    monkeypatch.setattr(filesystems, "_mounts_linux", lambda: [(Path("/"), "ext4"), (locks.parent, kind)])
    monkeypatch.setattr(filesystems, "_mounts_elsewhere", filesystems._mounts_linux)
    with pytest.raises(ConfigError) as refusal:
        filesystems.check_local(locks)
    assert refusal.value.exit_code == 78
    filesystems.check_local(locks, allow_network=True)


def test_this_disk_is_recognised_as_local(locks: Path) -> None:
    assert filesystems.filesystem_kind(locks) != ""
    filesystems.check_local(locks)


def test_a_mount_point_with_a_space_in_its_name_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = f"30 1 8:1 / {tmp_path}/my\\040disk rw - nfs server:/x rw\n"
    monkeypatch.setattr(Path, "read_text", lambda *_args, **_kw: table)
    assert filesystems._mounts_linux() == [(tmp_path / "my disk", "nfs")]
