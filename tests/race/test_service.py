"""The service as a living process: what happens to it, to its child and to the machine, and that nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dreamd.core import locks, outage
from dreamd.core.clock import iso
from dreamd.core.outage import read_markers
from dreamd.core.values import Candidate, Origin, Scope
from dreamd.store.intake import inbox
from household import bare_commands
from serving import EAGER, ONLY_EXTRACTION, Place, alive
from standing_by import lay_graphs


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "person" / ".claude" / "projects").mkdir(parents=True)
    here = Place(tmp_path)
    here.paths.home.mkdir(mode=0o700)
    here.paths.locks.mkdir(mode=0o700)
    lay_graphs(here.paths.home)
    yield here
    for process in here.started:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.kill()
        process.communicate()


NOTE = "The staging server listens on port 4001."
THREE_NOTES = (NOTE, "Invoices are archived in the cellar of the old mill.", "Never squash commits on the release branch.")
"""Nothing in them bears on another: what becomes of each does not turn on which dream it met first."""


def note_cranes(place: Place, count: int) -> None:
    """Enough work that a dream can be met in the middle of it, on any machine."""
    lines = "".join(json.dumps({"text": f"Crane {n} of pier {n % 7} is serviced by crew {n + 3}.", "key": str(n)}) + "\n"
                    for n in range(count))
    (place.base / "notes").write_text(lines)
    assert place.dream("note", "--jsonl", str(place.base / "notes")).returncode == 0


def try_again_now(place: Place, component: str) -> None:
    """The minutes until the next try are over, as far as the marker knows."""
    path = place.paths.outage / f"{component}.json"
    marker = json.loads(path.read_text())
    path.write_text(json.dumps({**marker, "next_retry_at": iso(datetime.now(UTC) - timedelta(seconds=1))}))


def test_what_is_noted_becomes_a_memory_without_anyone_asking(place: Place) -> None:
    service = place.serve(EAGER)
    assert place.dream("note", NOTE).returncode == 0
    place.waits_for(lambda: place.events("cycle.finished", kind="dream", outcome="changed"))
    assert place.ends(service) == 0
    assert place.rows("SELECT status FROM memory") == [("live",)]
    assert not place.paths.heartbeat.exists()
    assert not (place.paths.home / "cycle.json").exists()
    # Whatever is said or logged speaks of counts and reasons, never of what was remembered.
    for told in ((place.base / "said"), *place.paths.logs.iterdir()):
        assert "staging" not in told.read_text()


def test_a_second_service_leaves_with_the_name_of_the_first(place: Place) -> None:
    first = place.serve(EAGER)
    place.waits_for(lambda: place.events("service.started"))
    resident = next(line for line in Path(f"/proc/{first.pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    assert int(resident.split()[1]) < 40 * 1024, "the part that stays is small"
    second = place.dream("run")
    assert second.returncode == 11
    assert "`dream run`" in bare_commands(second.stderr) and str(first.pid) in second.stderr
    assert first.poll() is None


@pytest.mark.slow
def test_a_service_and_three_people_dream_one_after_the_other(place: Place) -> None:
    service = place.serve(EAGER)
    for note in THREE_NOTES:
        assert place.dream("note", note).returncode == 0
    manual = [subprocess.Popen([sys.executable, "-m", "dreamd.cli.main", "--home", str(place.paths.home), "consolidate"],
                               env=place.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(3)]
    assert {m.wait(timeout=240) for m in manual} <= {0, 11}
    place.waits_for(lambda: place.rows("SELECT COUNT(*) FROM fate") == [(3,)])
    place.comes_to_rest()
    assert place.ends(service) == 0
    assert place.rows("SELECT status FROM memory") == [("live",)] * 3
    assert place.dream("check").returncode == 0


def test_a_killed_child_is_an_outage_and_a_later_success_clears_it(place: Place) -> None:
    place.dream("note", NOTE)
    with locks.foreground(place.paths.locks):  # what it decides it cannot write: it is at work until it is killed
        service = place.serve(EAGER)
        os.kill(place.child(), signal.SIGKILL)
    place.waits_for(lambda: read_markers(place.paths.outage))
    assert [(m.component, m.code) for m in read_markers(place.paths.outage)] == [("cycle", "child-sigkill")]
    assert place.dream("probe").returncode == 1
    assert service.poll() is None
    assert len(place.events("cycle.started")) == 1, "the next try waits its minute"
    try_again_now(place, "cycle")
    place.waits_for(lambda: place.events("cycle.finished", outcome="changed"))
    place.waits_for(lambda: not read_markers(place.paths.outage))
    assert place.ends(service) == 0
    assert place.rows("SELECT status FROM memory") == [("live",)]


@pytest.mark.slow
def test_a_child_without_enough_memory_is_an_outage_and_dreams_once_there_is_more(place: Place) -> None:
    # The weights alone fit; torch around them does not. Where it runs out, a library may end, complain, or ask without end.
    greedy = EAGER + '[model]\nengine = "torch"\n'
    service = place.serve(greedy.replace("[service]", "[service]\nchild_memory_mib = 256"), rhythm={"stop_s": 0.5},
                          child_timeout_minutes=1.0)
    place.dream("note", NOTE)
    place.waits_for(lambda: read_markers(place.paths.outage))
    [marker] = read_markers(place.paths.outage)
    assert marker.component in ("cycle", "model", "embed"), marker
    assert service.poll() is None
    assert place.rows("SELECT COUNT(*) FROM observation") == [(1,)]
    (place.base / "dream.toml").write_text(greedy.replace("[service]", "[service]\nchild_memory_mib = 8192"))
    try_again_now(place, marker.component)
    place.waits_for(lambda: place.rows("SELECT status FROM memory") == [("live",)], within_s=600)
    place.waits_for(lambda: not read_markers(place.paths.outage))
    assert place.ends(service) == 0


@pytest.mark.slow
def test_a_child_that_hangs_is_ended_at_its_deadline_and_marked(place: Place) -> None:
    service = place.serve(EAGER, rhythm={"stop_s": 0.5}, child_timeout_minutes=0.05)
    place.dream("note", NOTE)
    pid = place.child()
    os.kill(pid, signal.SIGSTOP)
    place.waits_for(lambda: read_markers(place.paths.outage))
    assert [m.code for m in read_markers(place.paths.outage)] == ["child-timeout"]
    assert not alive(pid)
    assert place.ends(service) == 0


@pytest.mark.slow
def test_a_killed_supervisor_takes_no_work_with_it(place: Place) -> None:
    first = place.serve(EAGER)
    place.dream("note", NOTE)
    child = place.child()
    first.kill()
    first.wait()
    place.waits_for(lambda: not alive(child))
    second = place.serve(EAGER)
    place.waits_for(lambda: place.events("service.started"))
    place.waits_for(lambda: place.rows("SELECT status FROM memory") == [("live",)])
    place.comes_to_rest()
    assert place.ends(second) == 0
    assert place.dream("check").returncode == 0


def test_a_frozen_dreamer_keeps_its_lock_and_notes_still_get_through(place: Place) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", "import sys, time; from datetime import datetime, UTC; from pathlib import Path\n"
         "from dreamd.core import locks as mutex\nwith mutex.hold_dream(Path(sys.argv[1]), mutex.Owner('dream consolidate', "
         "datetime.now(UTC))):\n    print('held', flush=True); time.sleep(60)", str(place.paths.locks)],
        stdout=subprocess.PIPE, text=True)
    place.started.append(holder)
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    holder.send_signal(signal.SIGSTOP)
    service = place.serve(EAGER)
    assert place.dream("note", NOTE).returncode == 0
    turned_away = place.dream("consolidate")
    assert turned_away.returncode == 11 and str(holder.pid) in turned_away.stderr
    time.sleep(0.5)
    assert not place.events("cycle.started")
    holder.send_signal(signal.SIGCONT)
    holder.kill()
    place.waits_for(lambda: place.rows("SELECT status FROM memory") == [("live",)])
    assert place.ends(service) == 0


@pytest.mark.parametrize("after_s", [0.3, *(pytest.param(s, marks=pytest.mark.slow) for s in (0.0, 1.0, 2.0))])
def test_a_stop_at_any_moment_ends_soon_and_loses_nothing(place: Place, after_s: float) -> None:
    service = place.serve(EAGER)
    place.dream("note", NOTE)
    child = place.child()
    time.sleep(after_s)
    assert place.ends(service) == 0
    assert not alive(child)
    assert place.dream("consolidate").returncode == 0
    assert place.rows("SELECT status FROM memory") == [("live",)]
    assert read_markers(place.paths.outage) == []


@pytest.mark.slow
def test_a_second_stop_leaves_at_once(place: Place) -> None:
    note_cranes(place, 300)
    service = place.serve(EAGER, rhythm={"stop_s": 60})
    child = place.child()
    place.waits_for((place.paths.home / "cycle.json").exists)
    os.kill(child, signal.SIGSTOP)
    service.send_signal(signal.SIGTERM)
    time.sleep(0.5)
    assert service.poll() is None
    service.send_signal(signal.SIGTERM)
    assert service.wait(timeout=60) == 143
    place.waits_for(lambda: not alive(child))


@pytest.mark.slow
def test_a_dream_at_work_stops_for_a_pause_and_goes_on_after_it(place: Place) -> None:
    note_cranes(place, 800)
    service = place.serve(EAGER, rhythm={"stop_s": 60})
    place.waits_for((place.paths.home / "cycle.json").exists)
    assert place.dream("pause").returncode == 0
    place.waits_for(lambda: place.events("cycle.finished"))
    [ended] = place.events("cycle.finished")
    assert ended["outcome"] == "interrupted" and ended["reason"] in ("paused by a person", "asked to stop"), ended
    assert read_markers(place.paths.outage) == []
    assert place.dream("resume").returncode == 0
    place.waits_for(lambda: place.rows("SELECT COUNT(*) FROM fate") == [(800,)], within_s=600)
    place.comes_to_rest()
    assert place.ends(service) == 0
    assert place.dream("check").returncode == 0


@pytest.mark.parametrize("twice", [False, True])
def test_a_child_asked_once_finishes_its_step_and_asked_twice_is_gone(place: Place, twice: bool) -> None:
    note_cranes(place, 300)
    child = subprocess.Popen([sys.executable, "-m", "dreamd.service.child", "dream", "--home", str(place.paths.home),
                              "--config", str(place.base / "none.toml")], env=place.env, stdout=subprocess.PIPE, text=True)
    place.started.append(child)
    place.waits_for((place.paths.home / "cycle.json").exists)
    with locks.foreground(place.paths.locks, 60.0):  # it cannot come to its end before it is asked
        if twice:
            child.send_signal(signal.SIGSTOP)
            child.send_signal(signal.SIGTERM)
            child.send_signal(signal.SIGINT)
            child.send_signal(signal.SIGCONT)
        else:
            child.send_signal(signal.SIGTERM)
    out, _ = child.communicate(timeout=120)
    if twice:
        assert child.returncode == 143
    else:
        assert (child.returncode, json.loads(out)["outcome"]) in ((11, "interrupted"), (0, "changed"))
    assert place.dream("consolidate").returncode == 0
    assert place.rows("SELECT COUNT(*) FROM fate") == [(300,)]
    assert place.dream("check").returncode == 0


def test_settings_are_read_again_on_hangup_and_bad_ones_are_refused(place: Place) -> None:
    service = place.serve(EAGER.replace("volume_base = 1", "volume_base = 1000"))
    place.dream("note", NOTE)
    time.sleep(0.6)
    assert not place.events("cycle.started")
    (place.base / "dream.toml").write_text("[service]\nvolume_bass = 1\n")
    service.send_signal(signal.SIGHUP)
    place.waits_for(lambda: place.events("service.reload-refused"))
    (place.base / "dream.toml").write_text(EAGER)
    service.send_signal(signal.SIGHUP)
    place.waits_for(lambda: place.events("service.reloaded"))
    place.waits_for(lambda: place.events("cycle.started"))
    assert place.ends(service) == 0


def test_a_pause_keeps_it_from_starting_and_resume_lets_it(place: Place) -> None:
    assert place.dream("pause", "--for", "2h").returncode == 0
    service = place.serve(EAGER)
    place.dream("note", NOTE)
    time.sleep(0.8)
    assert not place.events("cycle.started")
    assert json.loads(place.dream("probe", "--json").stdout)["verdict"] == "stopped"
    assert place.dream("resume").returncode == 0
    place.waits_for(lambda: place.events("cycle.started"))
    assert place.ends(service) == 0


@pytest.mark.slow
def test_a_suspended_process_settles_before_it_works(place: Place) -> None:
    service = place.serve(EAGER.replace("settle_s = 0", "settle_s = 3600"), rhythm={"gap_s": 1.0})
    place.waits_for(lambda: place.events("service.started"))
    service.send_signal(signal.SIGSTOP)
    time.sleep(1.8)
    service.send_signal(signal.SIGCONT)
    place.waits_for(lambda: place.events("service.resumed"))
    place.dream("note", NOTE)
    place.waits_for(lambda: place.events("service.held"))
    assert "settl" in str(json.loads(place.paths.heartbeat.read_text())["holds"]) or "came up" in str(
        place.events("service.held")[0]["reason"])
    assert not place.events("cycle.started")
    assert place.ends(service) == 0


def test_a_conversation_is_extracted_and_what_trails_follows_without_waiting(place: Place) -> None:
    service = place.serve(ONLY_EXTRACTION)
    place.waits_for(lambda: place.events("service.started"))
    place.says("From now on always squash commits before you merge them.", "Remember that staging listens on port 4001.")
    place.waits_for(lambda: place.events("cycle.started", kind="gather"))
    place.says("Please always run the linter before committing from now on.")
    place.waits_for(lambda: any("linter" in str(t) for t, in place.rows("SELECT text FROM observation")))
    place.waits_for(lambda: place.rows("SELECT COUNT(*) FROM staged") == [(0,)])
    assert place.ends(service) == 0
    assert place.rows("SELECT offset = size FROM cursor") == [(1,)]
    assert place.rows("SELECT COUNT(*) FROM run") == [(0,)], "an extraction is no dream"


def test_a_hook_that_says_the_end_and_a_note_in_the_inbox_are_taken_in(place: Place) -> None:
    service = place.serve(ONLY_EXTRACTION.replace("every_turns = 2", "every_turns = 50"))
    place.waits_for(lambda: place.events("service.started"))
    place.says("From now on always squash commits before you merge them.")
    time.sleep(0.5)
    assert not place.events("cycle.started")
    ended = inbox.Touched("session-end", str(place.talk), "s1", "/srv/app", datetime.now(UTC))
    inbox.put_touched(place.paths, ended, ticket="t")
    place.waits_for(lambda: place.rows("SELECT 1 FROM observation"))
    place.waits_for(lambda: not inbox.list_inbox(place.paths))
    waits = Candidate(NOTE, Origin.USER, datetime.now(UTC), Scope("user"))
    left = inbox.put_notes(place.paths, [waits], now=datetime.now(UTC), ticket="t")
    os.utime(left, (time.time() - 100, time.time() - 100))
    place.waits_for(lambda: len(place.rows("SELECT 1 FROM observation")) == 2)
    assert place.ends(service) == 0
    assert place.rows("SELECT COUNT(*) FROM staged") == [(0,)]


@pytest.mark.slow
def test_staged_work_survives_the_death_of_everyone(place: Place) -> None:
    first = place.serve(ONLY_EXTRACTION)
    place.waits_for(lambda: place.events("service.started"))
    place.says("From now on always squash commits before you merge them.", "Remember that staging listens on port 4001.")
    child = place.child()
    os.kill(child, signal.SIGSTOP)
    place.says("Please always run the linter before committing from now on.")
    place.waits_for(lambda: place.rows("SELECT COUNT(*) FROM staged") == [(1,)])
    first.kill()
    os.kill(child, signal.SIGKILL)
    first.wait()
    second = place.serve(ONLY_EXTRACTION)
    # One turn alone is under the throttle of two: only the staged row makes it go at once.
    place.waits_for(lambda: any("linter" in str(t) for t, in place.rows("SELECT text FROM observation")))
    assert place.ends(second) == 0


def test_a_full_disk_at_the_start_is_marked_and_not_the_end(place: Place) -> None:
    home = place.paths.home
    small = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(home)]
    if subprocess.run(small, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        place.paths.locks.mkdir(mode=0o700)
        outage.prepare(place.paths.outage)
        for name in (locks.SERVICE_LOCK, locks.DREAM_LOCK, locks.GATE_LOCK, locks.WRITE_LOCK):
            (place.paths.locks / name).touch(mode=0o600)
        with pytest.raises(OSError, match="No space"):
            (home / "filler").write_bytes(b"x" * (1 << 20))
        service = place.serve(EAGER)
        place.waits_for(lambda: read_markers(place.paths.outage))
        assert [m.component for m in read_markers(place.paths.outage)] == ["disk"]
        place.waits_for(lambda: place.events("outage.alert", component="disk"))
        time.sleep(1.0)  # a few more turns of the loop
        assert service.poll() is None
        assert len(place.events("outage.alert", component="disk")) == 1
        (home / "filler").unlink()
        place.waits_for(lambda: place.paths.store.exists() and place.paths.store.stat().st_size)
        assert place.ends(service) == 0
    finally:
        subprocess.run(["umount", "-l", str(home)], check=True)
