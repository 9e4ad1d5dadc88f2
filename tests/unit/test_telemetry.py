"""Events and heartbeat: bounded, private, without memory text, and never a reason to fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dreamd.core import telemetry
from dreamd.core.clock import FixedClock, iso
from dreamd.core.errors import UsageError
from dreamd.core.paths import Paths
from dreamd.core.telemetry import Beat, Heartbeat, log_crash, log_event, read_beat
from household import events_in

CLOCK = FixedClock(datetime(2026, 5, 7, 9, 30, tzinfo=UTC))


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    (tmp_path / "home").mkdir()
    return Paths(tmp_path / "home")


def test_an_event_is_one_json_line_with_its_time(paths: Paths) -> None:
    assert log_event(paths, "cycle.finished", clock=CLOCK, run="r1", seconds=0.5, counts={"new": 2}, dry_run=False)
    line = (paths.logs / "events.jsonl").read_text()
    assert json.loads(line) == {"at": "2026-05-07T09:30:00Z", "event": "cycle.finished", "run": "r1", "seconds": 0.5,
                                "counts": {"new": 2}, "dry_run": False}
    assert (paths.logs / "events.jsonl").stat().st_mode & 0o777 == 0o600
    assert paths.logs.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("fields", [
    {"text": "never deploy on friday"}, {"memory": "x"}, {"counts": {"Never deploy on friday": 1}},
    {"counts": {"new": "never deploy"}}, {"items": "never deploy"}, {"items": True}, {"seconds": "1"},
])
def test_a_field_that_could_carry_memory_text_is_refused(paths: Paths, fields: dict[str, object]) -> None:
    with pytest.raises(UsageError) as refusal:
        log_event(paths, "cycle.finished", **fields)  # type: ignore[arg-type]
    assert "deploy" not in refusal.value.message
    assert not paths.logs.exists()


def test_a_reason_cannot_break_the_line_or_grow_without_bound(paths: Paths) -> None:
    log_event(paths, "cycle.finished", reason="a\nb\x1b[31m" + "x" * 10_000)
    assert [len(str(e["reason"])) for e in events_in(paths)] == [telemetry.LONGEST_WORD]


def test_a_flood_of_events_stays_within_its_bound(paths: Paths) -> None:
    big = {f"c{n}": 10**15 for n in range(64)}
    for n in range(4000):
        log_event(paths, "cycle.tick", sequence=n, counts=big)
    assert sum(p.stat().st_size for p in paths.logs.iterdir()) < (telemetry.LOGS_KEPT + 1) * telemetry.LOG_BYTES
    assert events_in(paths)[-1]["sequence"] == 3999


def test_a_disk_that_takes_no_log_does_not_stop_the_work(paths: Paths) -> None:
    paths.home.rmdir()
    paths.home.write_text("a file where the home should be")
    assert log_event(paths, "cycle.started") is False
    assert Heartbeat(paths.heartbeat, "service", boot_id="b").write(Beat("service")) is False


def test_a_crash_is_logged_as_places_and_never_with_what_was_in_them(paths: Paths) -> None:
    def remember(text: str) -> None:
        raise ValueError(f"cannot store {text!r}")

    try:
        try:
            remember("never deploy on friday")
        except ValueError as inner:
            raise RuntimeError("never deploy on friday") from inner
    except RuntimeError as crash:
        log_crash(paths, crash)
    told = (paths.logs / "crash.log").read_text()
    assert "RuntimeError" in told and "ValueError" in told and "remember" in told
    assert "friday" not in told


def test_a_heartbeat_says_who_what_and_when(paths: Paths) -> None:
    heart = Heartbeat(paths.heartbeat, "service", boot_id="boot", clock=CLOCK)
    assert heart.write(replace(heart.beat, phase="gather", done=3, total=9, holds=("on battery",), sequence=7))
    beat = read_beat(paths.heartbeat)
    assert beat == heart.beat
    assert beat is not None
    assert (beat.pid, beat.role, beat.phase, beat.done, beat.total) == (os.getpid(), "service", "gather", 3, 9)
    assert beat.at == iso(CLOCK.at)
    assert beat.start_token == telemetry.start_token(os.getpid())
    heart.remove()
    assert read_beat(paths.heartbeat) is None


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"schema": 99}', b'{"schema": 1}', b"\xff", b"[" * 9000,
                                  b'{"schema":1,"role":"service","holds":3}', b"x" * 100_000])
def test_a_heartbeat_that_cannot_be_understood_is_none(paths: Paths, body: bytes) -> None:
    paths.home.mkdir(exist_ok=True)
    paths.heartbeat.write_bytes(body)
    assert read_beat(paths.heartbeat) is None


def test_a_process_is_told_from_a_later_one_with_the_same_number() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    token = telemetry.start_token(child.pid)
    child.communicate(b"\n")
    assert token not in ("", telemetry.start_token(os.getpid()))
    assert telemetry.start_token(child.pid) == ""
