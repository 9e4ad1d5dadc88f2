"""How a dream nobody asked for behaves: it stops when asked, clears only what it proved, and remembers how long it waited."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dreamd.core import deferral, fsio, outage
from dreamd.core.clock import SystemClock
from dreamd.core.deferral import end_deferral, note_deferral, read_deferral
from dreamd.core.errors import Locked, Outage
from dreamd.core.outage import read_markers
from dreamd.core.paths import Paths
from dreamd.core.throttle import Throttle
from dreamd.dream import cycle
from dreamd.service.gating.pause import pause, resume
from dreamd.service.manners import Pulse, Stop
from dreamd.service.nursery import Child, Task
from dreamd.store import journal
from household import FIRST_DAY, FIRST_NIGHT, House

NOW = datetime(2026, 5, 7, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
NOTES = ("The staging server listens on port 4001.", "Invoices lie in the cellar of the old mill.",
         "Never squash commits on the release branch.")


def pulse(stop: Stop) -> Pulse:
    return Pulse(stop, Throttle(SystemClock(), paced=False))


# ---- on the processor ---------------------------------------------------------------------------------------------

TURNS = """
import os
from pathlib import Path
from dreamd.service.manners import take_short_turns
{before}
take_short_turns()
print(os.sched_getscheduler(0), os.nice(0))
print(Path("/proc/thread-self/sched").read_text())
"""


def turns(before: str = "") -> tuple[str, int]:
    """Policy and priority of a process that asked for short turns, and how long its turns are (ns)."""
    slices = Path("/proc/thread-self/sched")
    if sys.platform != "linux" or not slices.exists() or "se.slice" not in slices.read_text():
        pytest.skip("this system does not tell how long a turn is")
    if tuple(int(n) for n in re.findall(r"\d+", os.uname().release)[:2]) < (6, 12):
        pytest.skip("a process has no say in the length of its turns before Linux 6.12")
    told = subprocess.run([sys.executable, "-c", TURNS.format(before=before)], capture_output=True, text=True, timeout=120,
                          check=True).stdout
    found = re.search(r"se\.slice\s*:\s*(\d+)", told)
    assert found is not None, told
    return told.splitlines()[0], int(found[1])


def test_a_dream_takes_short_turns_and_keeps_its_share() -> None:
    policy, length_ns = turns("os.nice(3)")
    assert (policy, length_ns) == (f"{os.SCHED_OTHER} {min(os.nice(0) + 3, 19)}", 100_000)


def test_who_was_put_into_a_class_of_its_own_stays_there() -> None:
    policy, length_ns = turns("os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))")
    assert policy.startswith(f"{os.SCHED_BATCH} ")
    assert length_ns != 100_000


# ---- asked to stop ------------------------------------------------------------------------------------------------


def test_a_pause_is_noticed_by_a_dream_at_work(tmp_path: Path) -> None:
    stop = Stop(Paths(tmp_path))
    stop._looked_s = -1.0
    assert not stop()
    pause(Paths(tmp_path), now=datetime.now(UTC), span=HOUR)
    stop._looked_s = -1.0
    assert stop() and stop.why == "paused by a person"
    resume(Paths(tmp_path))
    assert stop(), "once asked, it goes: the next dream goes on from there"


def test_a_dream_whose_service_is_gone_goes_too(tmp_path: Path) -> None:
    assert Stop(Paths(tmp_path), parent=os.getppid())() is False
    assert Stop(Paths(tmp_path), parent=2**22 - 1)() is True


def test_reading_comes_to_its_own_end_and_thinking_stops_at_once(tmp_path: Path) -> None:
    stop = Stop(Paths(tmp_path))
    stop.why = "asked to stop"
    tell = pulse(stop)
    tell("orient", 0, 0)
    tell("gather", 1, 9)
    for phase in ("embed", "judge", "consolidate", "prune"):
        with pytest.raises(Locked, match="asked to stop"):
            tell(phase, 0, 0)


@pytest.mark.parametrize("phase", ["orient", "gather", "embed", "consolidate", "prune"])
def test_stopped_in_any_phase_a_dream_says_so_in_its_record_and_the_next_one_finishes(house: House, phase: str) -> None:
    house.say(FIRST_DAY, *NOTES)
    with house.kit(FIRST_NIGHT) as kit:
        stop = Stop(kit.paths)
        inner, kit.should_stop = pulse(stop), stop

        def reported(at: str, done: int, total: int) -> None:
            if at == phase:
                stop.why = "asked to stop"
            inner(at, done, total)

        kit.progress = reported
        with pytest.raises(Locked):
            cycle.run_cycle(kit)
        runs = journal.load_runs(kit.store)
        assert [(r.outcome, r.reason) for r in runs] in ([], [("interrupted", "asked to stop")])
    assert house.dream("2026-01-05T21:00:00Z").outcome == "changed"
    assert len(house.memories()) == 3
    assert house.faults("2026-01-05T21:00:00Z") == []


def test_the_heartbeat_of_a_dream_tells_phase_and_progress_and_is_gone_at_the_end(house: House) -> None:
    house.say(FIRST_DAY, *NOTES)
    seen: list[dict[str, object]] = []
    with house.kit(FIRST_NIGHT) as kit:
        place = kit.paths.home / "cycle.json"
        kit.begin()

        def look(_phase: str, _done: int, _total: int) -> None:
            if place.exists():
                seen.append(json.loads(place.read_text()))

        kit.progress = look
        cycle.run_cycle(kit)
        assert not place.exists()
    assert {"gather", "embed"} <= {str(beat["phase"]) for beat in seen}
    assert [b["sequence"] for b in seen] == sorted(int(str(b["sequence"])) for b in seen)


def test_a_dream_with_nothing_to_do_leaves_no_heartbeat_and_no_run(house: House) -> None:
    house.say(FIRST_DAY, *NOTES)
    house.dream(FIRST_NIGHT)
    runs = house.rows("SELECT COUNT(*) FROM run")
    with house.kit("2026-01-05T21:00:00Z") as kit:
        kit.progress = lambda *_: None if not (kit.paths.home / "cycle.json").exists() else pytest.fail("a trace")
        assert cycle.run_cycle(kit).outcome == "nothing-to-do"
    assert house.rows("SELECT COUNT(*) FROM run") == runs


# ---- markers ------------------------------------------------------------------------------------------------------


def away(house: House, *components: str) -> None:
    for component in components:
        outage.flag(house.paths.outage, Outage("gone", component=component, code="gone"), now=NOW, owner="test")


def stand(house: House) -> list[str]:
    return [m.component for m in read_markers(house.paths.outage)]


def test_a_dream_that_wrote_clears_the_markers_of_what_it_used(house: House) -> None:
    house.say(FIRST_DAY, *NOTES)
    away(house, "disk", "db", "lock", "config", "cycle", "model", "embed")
    house.dream(FIRST_NIGHT)
    assert stand(house) == []


def test_a_dream_with_nothing_to_write_tries_the_disk_before_it_calls_it_well(house: House, monkeypatch: pytest.MonkeyPatch,
                                                                            ) -> None:
    house.say(FIRST_DAY, *NOTES)
    house.dream(FIRST_NIGHT)
    away(house, "disk")
    tried = fsio._write

    def full(descriptor: int, body: bytes) -> None:
        if body == b" " * outage.RESERVE_BYTES:
            raise OSError(errno.ENOSPC, "no space")
        tried(descriptor, body)

    monkeypatch.setattr(fsio, "_write", full)
    with pytest.raises(Outage, match="no space left"):
        house.dream("2026-01-05T21:00:00Z")
    assert stand(house) == ["disk"]
    monkeypatch.undo()
    assert house.dream("2026-01-05T22:00:00Z").outcome == "nothing-to-do"
    assert stand(house) == []
    assert not [p for p in house.paths.memory.rglob(".*") if p.is_file()]


def test_a_model_that_was_away_is_asked_before_its_marker_goes(house: House) -> None:
    house.say(FIRST_DAY, *NOTES)
    house.dream(FIRST_NIGHT)
    away(house, "model")
    before = house.embedder.texts  # type: ignore[attr-defined]
    house.dream("2026-01-05T21:00:00Z")
    assert house.embedder.texts == before + 1  # type: ignore[attr-defined]
    assert stand(house) == []


def test_an_interrupted_dream_clears_nothing(house: House) -> None:
    house.say(FIRST_DAY, *NOTES)
    away(house, "disk", "cycle")
    with house.kit(FIRST_NIGHT) as kit:
        stop = Stop(kit.paths)
        stop.why, kit.should_stop, kit.progress = "asked to stop", stop, pulse(stop)
        with pytest.raises(Locked):
            cycle.run_cycle(kit)
    assert stand(house) == ["cycle", "disk"]


# ---- a child that cannot be started -------------------------------------------------------------------------------


def test_an_environment_that_moved_away_under_the_service_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                                          ) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "old" / "bin" / "python"))
    with pytest.raises(Outage, match="the environment was moved or removed") as told:
        Child(Task("dream"), home=tmp_path, config=tmp_path / "none.toml", env={}, clock=SystemClock())
    assert (told.value.component, told.value.code) == ("cycle", "environment-gone")
    assert "dream service install" in str(told.value.hint)


# ---- waiting ------------------------------------------------------------------------------------------------------


def test_a_wait_begins_once_and_collects_what_held_it(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    note_deferral(paths, ["agents"], NOW)
    written = deferral.deferral_path(paths).stat().st_mtime_ns
    note_deferral(paths, ["agents"], NOW + HOUR)
    assert deferral.deferral_path(paths).stat().st_mtime_ns == written, "a disk wears by what nobody reads"
    held = note_deferral(paths, ["pressure", "agents"], NOW + 2 * HOUR)
    assert (held.since, held.gates) == (NOW, ("agents", "pressure"))
    assert read_deferral(paths, NOW + 3 * HOUR) == held
    assert held.words(NOW + 3 * HOUR) == "it had waited for 3 hours because of agents at work, a busy machine"
    end_deferral(paths)
    assert read_deferral(paths, NOW) is None


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b'{"since": 5}', b'{"since": "2999-01-01"}',
                                  b'{"since": "1971-01-01"}', b'{"since": "2026-05-07", "gates": 7}', b"x" * 9000])
def test_a_wait_that_cannot_be_believed_is_none(tmp_path: Path, body: bytes) -> None:
    deferral.deferral_path(Paths(tmp_path)).write_bytes(body)
    assert read_deferral(Paths(tmp_path), NOW) is None
    assert note_deferral(Paths(tmp_path), ["agents"], NOW).since == NOW


def test_a_dream_that_got_through_ends_the_wait_whoever_began_it(house: House) -> None:
    house.say(FIRST_DAY, *NOTES)
    note_deferral(house.paths, ["agents"], NOW)
    house.dream(FIRST_NIGHT)
    assert not deferral.deferral_path(house.paths).exists()


SANDBOX = """
import os
def forbidden(*_):
    raise PermissionError(1, "Operation not permitted")
{calls} = forbidden
from dreamd.service.child import lower_priority
lower_priority()
print("went on")
"""


@pytest.mark.parametrize("calls", ["os.nice", "os.nice = os.getpriority = os.sched_getscheduler"])
def test_a_sandbox_in_which_nobody_sets_a_priority_keeps_no_dream_from_its_work(calls: str) -> None:
    told = subprocess.run([sys.executable, "-c", SANDBOX.format(calls=calls)], capture_output=True, text=True, timeout=120)
    assert told.stdout == "went on\n", told.stderr
