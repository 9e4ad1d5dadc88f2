"""Outage markers: written first, cleared by success alone, and never in the way of a retry."""

from __future__ import annotations

import errno
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.core import fsio, outage
from dreamd.core.errors import Outage
from dreamd.core.outage import COMPONENTS, Marker, clear, flag, is_retry_due, read_markers

NOW = datetime(2026, 5, 7, 9, 30, tzinfo=UTC)
MODEL_AWAY = Outage("the embedding model is missing", component="model", code="model-missing", hint="install it again")


@pytest.fixture
def markers(tmp_path: Path) -> Path:
    directory = tmp_path / "outage"
    outage.prepare(directory)
    return directory


@pytest.fixture
def full_disk(markers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No new file can be made; what is already allocated can be overwritten, as on a real full disk."""
    assert markers.is_dir()
    real = fsio._open

    def refuse_new(path: Path, flags: int, mode: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return real(path, flags, mode)

    monkeypatch.setattr(fsio, "_open", refuse_new)


def one(directory: Path) -> Marker:
    found = read_markers(directory, now=NOW)
    assert len(found) == 1, found
    return found[0]


def test_a_failure_leaves_a_marker_with_why_what_to_do_who_and_when(markers: Path) -> None:
    flag(markers, MODEL_AWAY, now=NOW, owner="dream run")
    marker = one(markers)
    assert (marker.component, marker.code, marker.owner) == ("model", "model-missing", "dream run")
    assert (marker.reason, marker.hint) == ("the embedding model is missing", "install it again")
    assert (marker.since, marker.last_attempt_at, marker.attempts) == (NOW, NOW, 1)
    assert marker.version and marker.boot_id == outage.current_boot_id()
    assert (markers / "model.json").stat().st_mode & 0o777 == 0o600


def test_the_path_that_failed_is_named(markers: Path) -> None:
    try:
        raise Outage("no permission", component="disk", code="disk-permission") from PermissionError(13, "no", "/a/b")
    except Outage as failure:
        flag(markers, failure, now=NOW, owner="dream run")
    assert (one(markers).path, one(markers).error) == ("/a/b", "PermissionError")


def test_failing_again_counts_and_keeps_the_first_time(markers: Path) -> None:
    for minutes in (0, 5, 60):
        flag(markers, MODEL_AWAY, now=NOW + timedelta(minutes=minutes), owner="dream run")
    assert (one(markers).since, one(markers).attempts) == (NOW, 3)


def test_the_same_failure_told_by_two_is_one_attempt(markers: Path) -> None:
    flag(markers, MODEL_AWAY, now=NOW, owner="dream consolidate")
    flag(markers, MODEL_AWAY, now=NOW + timedelta(milliseconds=40), owner="dream run")
    assert one(markers).attempts == 1


def test_retries_come_after_1_2_4_up_to_60_minutes_and_never_later() -> None:
    waits = [outage.retry_after(n, "model") / timedelta(minutes=1) for n in (1, 2, 3, 4, 5, 6, 7, 8, 50, 10**6)]
    for wait, minutes in zip(waits, (1, 2, 4, 8, 16, 32, 60, 60, 60, 60), strict=True):
        assert minutes <= wait <= minutes * 1.1


def test_only_success_clears_a_marker(markers: Path) -> None:
    flag(markers, MODEL_AWAY, now=NOW - timedelta(days=400), owner="dream run")
    assert one(markers).component == "model"
    assert clear(markers, "model")
    assert read_markers(markers) == []
    assert not clear(markers, "model")


def test_success_of_one_component_leaves_the_others_marked(markers: Path) -> None:
    flag(markers, MODEL_AWAY, now=NOW, owner="dream run")
    flag(markers, Outage("x", component="disk", code="disk-full"), now=NOW, owner="dream run")
    clear(markers, "disk")
    assert one(markers).component == "model"


def test_a_marker_from_another_boot_is_tried_at_once(markers: Path) -> None:
    marker = flag(markers, MODEL_AWAY, now=NOW, owner="dream run")
    assert not is_retry_due(marker, now=NOW, boot_id=marker.boot_id)
    assert is_retry_due(marker, now=NOW, boot_id="another")
    assert is_retry_due(marker, now=NOW + timedelta(minutes=2), boot_id=marker.boot_id)


@pytest.mark.parametrize("jump", [timedelta(days=-3650), timedelta(days=30), timedelta(days=3650)])
def test_no_clock_step_stops_retries_for_good(markers: Path, jump: timedelta) -> None:
    marker = flag(markers, MODEL_AWAY, now=NOW, owner="dream run")
    assert is_retry_due(marker, now=NOW + jump, boot_id=marker.boot_id)


def test_the_alert_speaks_once_a_day(markers: Path) -> None:
    marker = flag(markers, MODEL_AWAY, now=NOW, owner="dream run")
    assert outage.is_alert_due(marker, NOW)
    outage.note_alert(markers, marker, NOW)
    assert not outage.is_alert_due(one(markers), NOW + timedelta(hours=23))
    flag(markers, MODEL_AWAY, now=NOW + timedelta(hours=1), owner="dream run")
    assert not outage.is_alert_due(one(markers), NOW + timedelta(hours=23))
    assert outage.is_alert_due(one(markers), NOW + timedelta(hours=25))


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_still_takes_the_marker_in_the_reserve(markers: Path) -> None:
    for minutes, component in enumerate(("disk", "db", "disk")):
        flag(markers, Outage("no space left", component=component, code="disk-full"), owner="dream run",
             now=NOW + timedelta(minutes=minutes))
    assert [(m.component, m.attempts) for m in read_markers(markers)] == [("db", 1), ("disk", 2)]
    assert (markers / outage.RESERVE_NAME).stat().st_size == outage.RESERVE_BYTES
    assert clear(markers, "disk")
    assert [m.component for m in read_markers(markers)] == ["db"]


@pytest.mark.usefixtures("full_disk")
def test_many_long_markers_on_a_full_disk_keep_the_newest(markers: Path) -> None:
    for component in COMPONENTS:
        flag(markers, Outage("r" * 400, component=component, code="disk-full", hint="h" * 400), now=NOW, owner="x")
    assert COMPONENTS[-1] in [m.component for m in read_markers(markers)]
    assert (markers / outage.RESERVE_NAME).stat().st_size == outage.RESERVE_BYTES


def test_without_disk_and_reserve_the_runtime_directory_takes_it(tmp_path: Path) -> None:
    home, runtime = tmp_path / "home", tmp_path / "run"
    home.write_text("a file where the home should be")
    flag(home / "outage", MODEL_AWAY, now=NOW, owner="dream run", fallback=runtime)
    assert [m.component for m in read_markers(home / "outage", fallback=runtime)] == ["model"]
    assert clear(home / "outage", "model", fallback=runtime)


def test_a_marker_nobody_could_write_is_an_error_and_not_silence(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file where the home should be")
    with pytest.raises(Outage, match="nor could a note of it be left"):
        flag(home / "outage", MODEL_AWAY, now=NOW, owner="dream run")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff\xfe\x00", b'{"since": 5}', b"[" * 5000, b"x" * 100_000,
                                  b'{"schema":1,"since":"2026-05-07T09:30:00Z","attempts":"many"}'])
def test_a_corrupt_marker_is_still_an_outage_and_due_at_once(markers: Path, body: bytes) -> None:
    (markers / "model.json").write_bytes(body)
    marker = one(markers)
    assert (marker.component, marker.code) == ("model", outage.UNREADABLE)
    assert is_retry_due(marker, now=datetime.now(UTC) + timedelta(seconds=1), boot_id="")
    flag(markers, MODEL_AWAY, now=datetime.now(UTC) + timedelta(seconds=2), owner="dream run")
    assert one(markers).code == "model-missing"


def test_a_marker_from_a_newer_dream_is_kept_and_retried(markers: Path) -> None:
    flag(markers, MODEL_AWAY, now=NOW, owner="dream run")
    record = json.loads((markers / "model.json").read_text())
    record |= {"schema": 99, "next_retry_at": "2999-01-01T00:00:00Z", "attempts": 10**12}
    (markers / "model.json").write_text(json.dumps(record))
    marker = one(markers)
    assert marker.code == "marker-from-the-future"
    assert is_retry_due(marker, now=NOW, boot_id=marker.boot_id)


def test_a_link_or_a_directory_in_place_of_a_marker_is_named_and_not_followed(markers: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text('{"since": "2026-05-07", "reason": "secret"}')
    (markers / "db.json").symlink_to(tmp_path / "secret")
    (markers / "disk.json").mkdir()
    assert [(m.component, m.code) for m in read_markers(markers)] == [("db", outage.UNREADABLE),
                                                                    ("disk", outage.UNREADABLE)]


def test_a_flood_of_marker_files_is_bounded(markers: Path) -> None:
    for n in range(200):
        (markers / f"c{n:03}.json").write_text("{}")
    assert len(read_markers(markers)) == outage.MOST_MARKERS


def test_two_homes_have_different_runtime_directories() -> None:
    env = {"XDG_RUNTIME_DIR": "/run/user/1000"}
    assert outage.runtime_dir(env, Path("/a")) != outage.runtime_dir(env, Path("/b"))
    assert outage.runtime_dir({}, Path("/a")) is None


@given(st.binary(max_size=300))
def test_no_bytes_in_a_marker_make_reading_fail(tmp_path_factory: pytest.TempPathFactory, body: bytes) -> None:
    directory = tmp_path_factory.getbasetemp() / "fuzzed"
    directory.mkdir(exist_ok=True)
    (directory / "model.json").write_bytes(body)
    (directory / outage.RESERVE_NAME).write_bytes(body)
    assert [m.component for m in read_markers(directory, now=NOW)] == ["model"]
