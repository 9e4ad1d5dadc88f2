"""The service under a clock that a test drives: days pass in a moment, the machine sleeps, the clock is set."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from dreamd.core import deferral, outage
from dreamd.core.clock import iso
from dreamd.core.errors import Outage
from dreamd.core.paths import Paths
from dreamd.core.settings import Settings, build_settings
from dreamd.core.telemetry import read_beat
from dreamd.core.values import Candidate, Origin, Scope
from dreamd.core.world import World
from dreamd.kit import open_kit
from dreamd.service.child import main as child_main
from dreamd.service.gating import gates, idle
from dreamd.service.gating.idle import Pace, Signal, Surroundings
from dreamd.service.gating.pause import pause
from dreamd.service.nursery import Task
from dreamd.service.run import Rhythm, Service
from dreamd.store import journal, observations

START = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
GIB = 1 << 30
CALM = Surroundings(person_active=Signal.NO, free_bytes=100 * GIB, disk_bytes=500 * GIB)
BERLIN = ZoneInfo("Europe/Berlin")


@dataclass
class DrivenClock:
    """Three clocks that move only when a test says so."""

    wall: datetime = START
    monotonic_s: float = 1000.0
    boot_s: float = 1000.0

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.monotonic_s

    def boot(self) -> float:
        return self.boot_s

    def sleep(self, seconds: float) -> None:
        self.walk(seconds)

    def walk(self, seconds: float) -> None:
        """Time passes as it does."""
        self.wall += timedelta(seconds=seconds)
        self.monotonic_s += seconds
        self.boot_s += seconds

    def suspend(self, seconds: float) -> None:
        """The machine sleeps: nothing counts but the wall and the time since boot."""
        self.wall += timedelta(seconds=seconds)
        self.boot_s += seconds


class Watched(Service):
    """The service as it is, but for the children: they are written down instead of started, and end at once."""

    def __init__(self, stage: Stage, rhythm: Rhythm) -> None:
        self.stage = stage
        super().__init__(stage.world(), config=stage.config, reload=stage.world, say=stage.hear, rhythm=rhythm)

    def _start(self, task: Task) -> None:
        self.stage.started.append((self.stage.clock.wall, task))
        self._alarms.tried(self._settling.reading.monotonic_s)
        if self.stage.succeeds:
            self.stage.dreamt()


@dataclass
class Stage:
    """A home, a clock, what the machine shows, and what the service did."""

    base: Path
    clock: DrivenClock = field(default_factory=DrivenClock)
    zone: str = "UTC"
    seen: Surroundings = CALM
    tables: dict[str, dict[str, object]] = field(default_factory=dict)
    started: list[tuple[datetime, Task]] = field(default_factory=list)
    events: list[tuple[str, dict[str, object]]] = field(default_factory=list)
    succeeds: bool = True
    service: Watched | None = None

    @property
    def paths(self) -> Paths:
        return Paths(self.base / "home")

    @property
    def config(self) -> Path:
        return self.base / "dream.toml"

    @property
    def settings(self) -> Settings:
        return build_settings({k: dict(v) for k, v in self.tables.items()})

    def world(self) -> World:
        return World(self.paths, self.settings, self.clock, {"HOME": str(self.base / "person"), "TZ": self.zone})

    def hear(self, event: str, **fields: object) -> None:
        self.events.append((event, fields))

    def named(self, event: str) -> list[dict[str, object]]:
        return [fields for name, fields in self.events if name == event]

    def note(self, count: int = 1) -> None:
        """Somebody notes something; two hours ago, so that nobody counts as active now."""
        at = self.clock.wall - timedelta(hours=2)
        with open_kit(self.world(), create=True, migrate=True) as kit, kit.store.writing() as tx:
            last = observations.last_seq(kit.store)
            said = [Candidate(f"Gate {last + n} closes at {n}.", Origin.USER, at, Scope("user"), key=f"{last + n}")
                    for n in range(count)]
            observations.append(tx, said, stored_at=at, key=b"k" * 32)

    def dreamt(self) -> None:
        """A whole dream went through: every observation has a fate, the run is in the journal."""
        with open_kit(self.world(), create=True, migrate=True) as kit:
            run = kit.begin()
            with kit.writing() as tx:
                tx.execute("INSERT OR IGNORE INTO fate (observation, fate, reason, run) "
                           "SELECT seq, 'discarded', 'test', ? FROM observation", (run.seq,))
                journal.end_run(tx, replace(run, outcome="changed"), ended_at=self.clock.wall)
        deferral.end_deferral(self.paths)

    def begin(self) -> Watched:
        """Start the service; its first look is like any other."""
        self.service = Watched(self, Rhythm())
        self.service._prepare()
        return self.service

    def live(self, hours: float, *, step_s: float = 1200.0) -> None:
        """Look again and again while time passes, as seldom as a test can afford."""
        assert self.service is not None
        self.service._rhythm = Rhythm(tick_s=step_s)
        for _ in range(round(hours * 3600 / step_s)):
            self.clock.walk(step_s)
            self.service._tick()


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    here = Stage(tmp_path)
    (tmp_path / "person").mkdir()
    here.paths.locks.mkdir(parents=True, mode=0o700)

    def machine(_home: Path, *, agents_quiet_s: float | None, settled_s: float | None) -> Surroundings:
        quiet_s = here.seen.agents_quiet_s if here.seen.agents_quiet_s is not None else agents_quiet_s
        return replace(here.seen, agents_quiet_s=quiet_s, settled_s=settled_s)

    monkeypatch.setattr(gates, "read_surroundings", machine)
    yield here


def test_a_night_comes_once_a_day_however_often_one_looks(stage: Stage) -> None:
    stage.note()
    stage.begin()
    for _ in range(5):
        stage.live(24)
        stage.note()
    nights = [at for at, task in stage.started if task.mode == "dream"]
    assert [at.hour for at in nights] == [3] * 5
    assert len({at.date() for at in nights}) == 5


def test_a_machine_that_is_off_at_night_dreams_once_when_it_comes_up_and_after_settling(stage: Stage) -> None:
    stage.note()
    stage.begin()
    stage.live(1)
    assert stage.started == []
    stage.clock.suspend(3 * 86400)  # three nights
    stage.service._tick()  # type: ignore[union-attr]
    assert stage.started == [] and stage.named("service.resumed")
    stage.live(0.5, step_s=60)
    assert len(stage.started) == 1
    assert stage.started[0][0] - stage.clock.wall < timedelta(0)
    stage.live(2)
    assert len(stage.started) == 1, "one run for three missed nights"


def test_after_a_resume_nothing_starts_for_ninety_seconds_at_least(stage: Stage) -> None:
    stage.note(200)
    stage.begin()
    stage.seen = replace(CALM, agents_quiet_s=1.0)
    stage.live(0.5)
    stage.seen = CALM
    stage.clock.suspend(3600)
    woken = stage.clock.wall
    stage.live(0.2, step_s=31)
    assert timedelta(seconds=90) <= stage.started[0][0] - woken <= timedelta(seconds=250)


def test_the_heartbeat_says_since_when_the_machine_has_been_awake(stage: Stage) -> None:
    stage.begin()
    stage.live(1)
    began = read_beat(stage.paths.heartbeat)
    stage.clock.suspend(63 * 3600)
    woken = stage.clock.wall
    stage.live(1, step_s=31)
    beat = read_beat(stage.paths.heartbeat)
    assert began is not None and beat is not None
    assert began.awake_since < iso(woken) <= beat.awake_since <= iso(woken + timedelta(seconds=31))


@pytest.mark.parametrize("back", [timedelta(hours=1), timedelta(days=400)])
def test_a_clock_set_back_neither_stops_the_nights_nor_makes_a_storm(stage: Stage, back: timedelta) -> None:
    stage.note()
    stage.begin()
    stage.live(24)
    assert len(stage.started) == 1
    stage.note()
    stage.clock.wall -= back
    stage.live(24)
    stage.note()
    stage.live(24 * 2)
    assert 2 <= len(stage.started) <= 3
    assert stage.named("service.clock-stepped")


def test_a_clock_set_forward_a_year_makes_one_dream(stage: Stage) -> None:
    stage.note()
    stage.begin()
    stage.live(24)
    stage.note()
    stage.clock.wall += timedelta(days=365)
    stage.live(4)
    assert len(stage.started) == 2


@pytest.mark.parametrize("day", [datetime(2026, 3, 28, 20, tzinfo=UTC), datetime(2026, 10, 24, 20, tzinfo=UTC)])
def test_the_nights_in_which_the_clock_changes_have_one_dream_each(stage: Stage, day: datetime) -> None:
    stage.zone, stage.clock.wall = "Europe/Berlin", day
    stage.tables["service"] = {"nightly_at": "02:30"}
    stage.note()
    stage.begin()
    stage.live(14)
    assert len(stage.started) == 1
    assert stage.started[0][0].astimezone(BERLIN).hour in (2, 3)
    stage.note()
    stage.live(24)
    assert len(stage.started) == 2


def test_a_change_of_zone_makes_no_second_night(stage: Stage) -> None:
    stage.zone = "Europe/Berlin"
    stage.note()
    stage.begin()
    stage.live(24)
    assert len(stage.started) == 1
    stage.zone = "America/New_York"
    stage.service.world = stage.world()  # type: ignore[union-attr]
    stage.note()
    stage.live(8)
    assert len(stage.started) == 1
    stage.live(24)
    assert len(stage.started) == 2


def test_a_machine_that_is_never_quiet_dreams_slowly_after_a_day(stage: Stage) -> None:
    stage.note(200)
    stage.begin()
    stage.seen = replace(CALM, agents_quiet_s=1.0)
    stage.live(23)
    assert stage.started == []
    assert any("an agent was active" in str(e["reason"]) for e in stage.named("service.held"))
    stage.live(1.5)
    [(at, task)] = stage.started
    assert task.pace == Pace.TRICKLE
    assert timedelta(hours=24) <= at - START <= timedelta(hours=25)
    assert "it had waited for 1 day because of agents at work" in task.why and "slowly" in task.why


def test_the_wait_is_counted_across_restarts_and_reboots(stage: Stage) -> None:
    stage.note(200)
    stage.seen = replace(CALM, agents_quiet_s=1.0)
    for _ in range(8):
        stage.begin()
        stage.live(3.1)
        assert stage.started == []
        stage.service._farewell()  # type: ignore[union-attr]
        stage.clock.boot_s = stage.clock.monotonic_s = 50.0  # another boot
    stage.begin()
    stage.live(0.5)
    assert [task.pace for _, task in stage.started] == [Pace.TRICKLE]


def test_beyond_three_days_the_heartbeat_says_starved_and_the_probe_finds_it(stage: Stage) -> None:
    stage.note(200)
    stage.begin()
    stage.seen = replace(CALM, on_battery=Signal.YES, battery_percent=12.0)
    stage.live(71)
    beat = json.loads(stage.paths.heartbeat.read_text())
    assert beat["state"] == "waiting" and "too long" not in str(beat["holds"])
    stage.live(2)
    assert stage.started == []
    beat = json.loads(stage.paths.heartbeat.read_text())
    assert beat["holds"][0] == "it has waited for 3 days, too long" and "battery" in beat["holds"][1]
    assert beat["due_since"] == iso(datetime.fromisoformat(beat["due_since"]))
    assert START <= datetime.fromisoformat(beat["due_since"]) <= START + timedelta(hours=1)
    probe = [sys.executable, "-m", "dreamd.cli.main", "--json", "--home", str(stage.paths.home), "--now", iso(stage.clock.wall),
             "probe"]
    told = json.loads(subprocess.run(probe, capture_output=True, text=True, env={"HOME": str(stage.base)}).stdout)
    waits = next(check for check in told["checks"] if check["name"] == "wait")
    assert waits["verdict"] == "starved" and "on battery at 12 %" in waits["detail"]


@pytest.mark.parametrize(("seen", "said"), [
    (replace(CALM, agents_quiet_s=10.0), "an agent was active just now"),
    (replace(CALM, on_battery=Signal.YES, battery_percent=80.0), "on battery: transcripts are read, and nothing is dreamt"),
    (replace(CALM, on_battery=Signal.YES, battery_percent=9.0), "on battery at 9 %"),
    (replace(CALM, pressure=idle.Pressure(cpu=50.0)), "programs wait for the processor 50 %"),
    (replace(CALM, pressure=idle.Pressure(io=50.0)), "programs wait for the disk 50 %"),
    (replace(CALM, pressure=idle.Pressure(memory=50.0)), "programs wait for the memory 50 %"),
    (replace(CALM, load_per_core=3.0), "load 3.00 per core"),
    (replace(CALM, free_bytes=GIB // 4), "only 0.2 GiB free"),
])
def test_each_gate_is_told_in_words_and_stands_in_the_record_of_the_run_it_held(stage: Stage, seen: Surroundings, said: str,
                                                                                ) -> None:
    stage.note(200)
    stage.begin()
    stage.seen = seen
    stage.live(2)
    assert stage.started == []
    assert said in json.loads(stage.paths.heartbeat.read_text())["holds"][0]
    assert said in str(stage.named("service.held")[0]["reason"])
    stage.seen = CALM
    stage.live(0.5)
    [(_, task)] = stage.started
    assert "statements wait" in task.why and "it had waited for" in task.why
    assert any(words in task.why for words in deferral.GATES.values())


def test_a_person_at_the_machine_makes_it_slow_and_not_late(stage: Stage) -> None:
    stage.note(200)
    stage.begin()
    stage.seen = replace(CALM, person_active=Signal.YES)
    stage.live(0.5)
    assert [task.pace for _, task in stage.started] == [Pace.PACED]


def test_a_pause_holds_everything_and_does_not_count_as_waiting(stage: Stage) -> None:
    stage.note(200)
    pause(stage.paths, now=stage.clock.wall, span=timedelta(hours=30))
    stage.begin()
    stage.live(29)
    assert stage.started == [] and deferral.read_deferral(stage.paths, stage.clock.wall) is None
    stage.live(2)
    assert [task.pace for _, task in stage.started] == [Pace.FULL]


def test_an_outage_is_tried_again_after_its_minutes_and_never_given_up(stage: Stage) -> None:
    stage.note(200)
    stage.begin()
    stage.succeeds = False
    outage.flag(stage.paths.outage, Outage("gone", component="model", code="model-missing"), now=stage.clock.wall, owner="test")
    stage.live(0.1, step_s=31)
    assert stage.clock.wall - START > timedelta(minutes=3)
    assert timedelta(seconds=60) <= stage.started[0][0] - START <= timedelta(seconds=180)


def test_the_watchdog_hears_nothing_from_a_look_that_does_not_come_to_its_end(stage: Stage,
                                                                              monkeypatch: pytest.MonkeyPatch) -> None:
    service = stage.begin()
    told: list[str] = []
    monkeypatch.setattr(service._notifier, "tell", lambda *lines: told.extend(lines))
    service._tick()
    assert told.count("WATCHDOG=1") == 1

    def wedged() -> None:
        raise KeyboardInterrupt  # what a look that hangs comes to: the end of the process, not of the look

    monkeypatch.setattr(service._companion, "attend", wedged)
    with pytest.raises(KeyboardInterrupt):
        service._tick()
    assert told.count("WATCHDOG=1") == 1


def test_settings_that_make_no_sense_are_refused_on_the_fly_and_the_old_ones_stay(stage: Stage) -> None:
    service = stage.begin()
    stage.tables["service"] = {"nightly_at": "25:00", "min_hours": 1}
    service._take_settings()
    assert stage.named("service.reload-refused") and service.world.settings.service.min_hours == 24
    stage.tables["service"] = {"nightly_at": "04:00", "min_hours": 1}
    service._take_settings()
    assert service.world.settings.service.min_hours == 1


def test_an_extraction_may_go_on_while_agents_work_and_not_on_a_low_battery(stage: Stage) -> None:
    talk = stage.base / "person" / ".claude" / "projects" / "-srv-app" / "s1.jsonl"
    talk.parent.mkdir(parents=True)
    talk.write_text('{"stop_reason":"end_turn"}\n' * 9)
    stage.tables["extraction"] = {"every_turns": 2, "min_minutes": 0}
    stage.seen = replace(CALM, agents_quiet_s=1.0, on_battery=Signal.YES, battery_percent=9.0)
    stage.succeeds = False
    stage.begin()
    stage.live(0.5)
    assert stage.started == []
    stage.seen = replace(CALM, agents_quiet_s=1.0)
    stage.live(0.2)
    assert stage.started[0][1].mode == "gather" and stage.started[0][1].paths == (talk,)


def test_why_a_dream_was_started_stands_in_the_journal(stage: Stage, capsys: pytest.CaptureFixture[str],
                                                      monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("lower_priority", "_limit_memory", "_die_with_parent"):
        monkeypatch.setattr(f"dreamd.service.child.{name}", lambda *_: None)
    monkeypatch.setattr("dreamd.service.manners.Stop.listen", lambda _self: None)
    stage.clock.wall = datetime.now(UTC)
    stage.note()
    code = child_main(["dream", "--home", str(stage.paths.home), "--config", str(stage.config), "--why", "due: a test"])
    assert code == 0, capsys.readouterr().out
    with open_kit(stage.world()) as kit:
        assert [r.reason for r in journal.load_runs(kit.store)] == ["due: a test"]
