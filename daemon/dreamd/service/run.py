"""`dream run`: the small process that stays, decides what is due, and lets a child do the work.

It loads no model and keeps no secret: whatever it knows it could learn again from the store, the files and the
clock. So it may be killed at any moment, and whatever a child does, a crash, a hang, a flood of memory, ends as
an outage marker and a later try, never as the end of the service.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from dreamd.core import deferral, locks, outage, telemetry
from dreamd.core.clock import iso
from dreamd.core.errors import DreamError, Outage, StoreMissing
from dreamd.core.locks import Owner
from dreamd.core.paths import system_zone_name
from dreamd.core.telemetry import Field
from dreamd.core.world import World
from dreamd.kit import check_home, read_zone, source_roots
from dreamd.service import memo
from dreamd.service.abode import Abode
from dreamd.service.alarms import Alarms
from dreamd.service.gating import gates
from dreamd.service.gating.due import Due, Settling, judge_due, parse_time_of_day
from dreamd.service.gating.gates import Sight
from dreamd.service.gating.idle import (
    Pace,
    Strain,
    Surroundings,
    judge_strain,
    judge_surroundings,
    own_group,
    read_disk,
    read_power,
    read_pressure,
)
from dreamd.service.gating.pause import read_pause
from dreamd.service.gating.watch import Ledger, Watcher, neighbours, transcript_places, transcripts_below
from dreamd.service.loop import Loop, Wishes
from dreamd.service.memo import Memo
from dreamd.service.nursery import Child, Companion, Ended, Task
from dreamd.service.vitals import Notifier, State, Vitals
from dreamd.service.word_left import TRAILING, Hints
from dreamd.sources import stores_below
from dreamd.store.connection import open_reader

PASSING = "store-busy"
"""An outage that is over before anyone could read a marker."""

FOR_READING_TOO = ("battery", "disk")
"""Gates that stop even an extraction."""

Say = Callable[..., None]
"""Tells a line to whoever listens: `say(event, **fields)`, fields as in telemetry; never memory text."""


@dataclass(frozen=True)
class Rhythm:
    """How often the service looks, in seconds; tests make it quicker."""

    tick_s: float = 30.0
    rescan_s: float = 600.0
    gap_s: float = 120.0
    stop_s: float = 20.0
    """How long a child may take to finish its batch when the service stops."""


class Service:
    """The supervisor. One instance, one thread, one child at most."""

    def __init__(self, world: World, *, config: Path, reload: Callable[[], World], say: Say, rhythm: Rhythm = Rhythm()) -> None:
        self.world, self._config, self._reload, self._say = world, config, reload, say
        self._rhythm = rhythm
        self._wishes = Wishes()
        self._notifier = Notifier(world.env)
        self._child: Child | None = None
        self._companion, self._memo = Companion(world.paths.home, config=config, env=world.env), Memo()
        self._ledger = Ledger(world.settings.extraction)
        boot_id = outage.current_boot_id()
        self._vitals = Vitals(world, self._notifier, boot_id=boot_id)
        self._alarms = Alarms(world, boot_id=boot_id, event=self._event)
        self._settling = Settling(world, boot_id=boot_id)
        self._abode = Abode(world.paths)
        self._rescanned_s = self._spoke_s = -rhythm.rescan_s
        self._cycles = self._failures = 0
        self._said_hold: tuple[str, ...] = ()
        self._strain = Strain()
        self._hints, self._inbox_waits = Hints(), False
        self._watcher, self._stores = Watcher(()), tuple[Path, ...]()
        self._loop = Loop(timezone=read_zone(system_zone_name(world.env)), clock=world.clock)

    def run(self) -> int:
        """Serve until asked to stop; 0 for a clean end.

        Raises Locked when another service watches this home, ConfigError when the settings cannot be used.
        """
        check_home(self.world)
        hour, minute = parse_time_of_day(self.world.settings.service.nightly_at)
        with locks.hold_service(self.world.paths.locks, Owner("dream run", self.world.clock.now())):
            self._wishes.urgent = self._kill_child
            self._wishes.listen()
            self._prepare()
            self._loop.add_job(self._tick, "interval", seconds=self._rhythm.tick_s, id="tick")
            self._loop.add_job(self._tick, "cron", hour=hour, minute=minute, id="night")
            self._notifier.tell("READY=1", "STATUS=watching")
            self._event("service.started", pid=self._vitals.pid)
            self._tick()
            self._loop.turn(self._react)
            self._farewell()
        return 0

    def _prepare(self) -> None:
        """Make what a fault may need while there is room; a disk that refuses is an outage, not an end."""
        try:
            outage.prepare(self.world.paths.outage)
            memo.found_store(self.world)
        except Outage as failure:
            self._flag(failure)
        self._watch()

    def _react(self) -> None:
        """After every wake-up: signals first, then the child."""
        if self._wishes.reload:
            self._wishes.reload = False
            self._take_settings()
        if self._child is not None:
            ended = self._child.poll()
            if ended is not None:
                self._child = None
                self._conclude(ended)
                if not self._wishes.stop:
                    self._tick()
        if self._wishes.stop:
            self._stop()

    def _stop(self) -> None:
        if self._child is None:
            self._loop.shutdown()
            return
        if not self._child.asked:
            self._notifier.tell("STOPPING=1", "STATUS=finishing a batch")
            self._child.ask_to_stop()
            self._loop.add_job(self._kill_child, "interval", seconds=self._rhythm.stop_s, id="kill")

    def _kill_child(self) -> None:
        if self._child is not None:
            self._child.kill()

    def _farewell(self) -> None:
        self._notifier.tell("STOPPING=1", "STATUS=stopped")
        self._event("service.stopped", counts={"dreams": self._cycles, "failures": self._failures})
        self._companion.stop()
        self._vitals.end()
        self._abode.leave()

    def _tick(self) -> None:
        """Look at everything once; nothing that goes wrong here ends the service."""
        try:
            if self._is_at_home():
                self._look()
        except StoreMissing:
            pass  # somebody founds it right now; the next look finds it, or founds it itself
        except DreamError as error:
            if not (isinstance(error, Outage) and error.code == PASSING):
                self._flag(error if isinstance(error, Outage) else
                           Outage(error.message, component="db", code="store-unusable", hint=error.hint))
        except Exception as error:  # noqa: BLE001 - the tick is recorded as failed, the next one still runs
            telemetry.log_crash(self.world.paths, error)
            self._flag(Outage(f"the service failed in a tick ({type(error).__name__})", component="cycle", code="tick-failed",
                              hint=f"`{self.world.paths.logs / telemetry.CRASH_NAME}` says where"))
        # Reached only by getting through the whole look: that is the progress the watchdog lives on.
        self._notifier.tell("WATCHDOG=1")

    def _look(self) -> None:
        self._notice_time()
        self._notice_sources()
        self._companion.attend()
        if self.world.settings.service.notify:
            from dreamd.service import notice

            self._spoke_s = notice.look(self.world, self._spoke_s)
        if self._child is not None:
            self._attend(self._child)
        elif not self._wishes.stop:
            self._consider()

    def _is_at_home(self) -> bool:
        """Whether the home is still the one we serve; while it is not, nothing is read or written there."""
        was_away, failure = self._abode.is_away, self._abode.look()
        if failure is None:
            if was_away:
                self._memo = Memo()
                self._event("service.home-back")
            return True
        if not was_away:
            self._say("service.home-away", reason=failure.message, hint=failure.hint)
            self._notifier.tell("STATUS=the home is away")
            self._alarms.flag(failure, self.world.clock.now(), quietly=True)
        if self._child is not None and not self._child.asked:
            self._child.ask_to_stop()
        return False

    def _notice_time(self) -> None:
        before = self._settling.reading
        gap = self._settling.look(expected_s=self._rhythm.tick_s, gap_s=self._rhythm.gap_s)
        if gap.resumed:
            waited_s = self._settling.reading.boot_s - before.boot_s
            self._event("service.resumed", waited_ms=round(1000 * waited_s))
        if gap.stepped_s:
            self._event("service.clock-stepped", seconds=round(gap.stepped_s))

    def _notice_sources(self) -> None:
        now = self.world.clock.now()
        self._memo = memo.read_memo(self.world, self._memo)
        self._abode.settle()
        self._ledger.learn(dict(self._memo.taken))
        for path in self._watcher.take_touched():
            self._ledger.look(path, now=now)
        if self._settling.reading.monotonic_s - self._rescanned_s >= self._rhythm.rescan_s:
            self._rescanned_s = self._settling.reading.monotonic_s
            self._watch()
            known = [*self._ledger.paths(), *(p for p, _ in self._memo.taken)]
            for path in {*neighbours(known), *transcripts_below(self._watcher.roots), *self._stores}:
                self._ledger.look(path, now=now)
        if memo.drop_consumed(self.world, self._memo):
            self._memo = memo.read_memo(self.world, self._memo)
        self._inbox_waits = self._hints.take(self.world.paths, self._memo.staged, self._ledger, now=now)

    def _attend(self, child: Child) -> None:
        """Stage what came in meanwhile, and stop a child for a person, an empty battery or its deadline."""
        if child.task.mode == "gather":
            self._stage_trailing(child.task)
        if child.runs_s() > self.world.settings.service.child_timeout_minutes * 60:
            child.overdue = True
        reason = "it took too long" if child.overdue else self._reason_to_stop(child.task)
        if reason and not child.asked:
            self._event("cycle.stopping", kind=child.task.mode, reason=reason)
            child.ask_to_stop()
        if child.asked and child.waits_s() > self._rhythm.stop_s:
            child.kill()
        self._beat(State("working"))

    def _reason_to_stop(self, task: Task) -> str:
        """What ends a dream that is at work, between two batches; it goes on from there another time."""
        if read_pause(self.world.paths, self.world.clock.now()) is not None:
            return "paused by a person"
        on_battery, percent = read_power()
        free_bytes, disk_bytes = read_disk(self.world.paths.home)
        seen = Surroundings(on_battery=on_battery, battery_percent=percent, free_bytes=free_bytes, disk_bytes=disk_bytes)
        for hold in judge_surroundings(seen, self.world.settings.service).holds:
            if task.mode == "dream" or hold.gate in FOR_READING_TOO:
                return hold.words
        if task.pace == Pace.TRICKLE:
            return ""  # it has waited for a day: slowly, but whatever the soft gates say
        # Only a group of our own tells what we suffer from others; the machine's figures hold our own work, too.
        group = own_group() if self.world.env.get("INVOCATION_ID") else None
        if group is not None:
            self._strain = judge_strain(self._strain, read_pressure(group), at_s=self._settling.reading.monotonic_s)
        return "others need the machine" if self._strain.held else ""

    def _consider(self) -> None:
        """Start what is due and allowed; otherwise remember since when it waits and why."""
        now = self.world.clock.now()
        if read_pause(self.world.paths, now) is not None:
            self._beat(State("paused", ("paused by a person",)))
            return
        retry_at = self._alarms.retry_at(now)
        extract = self._ledger.take_due(now)
        due = self._judge_due(now)
        if retry_at is not None:
            self._beat(State("waiting", (f"an outage is tried again at {iso(retry_at)}",), due))
        elif extract and self._may_extract():
            self._start(Task("gather", Pace.PACED, tuple(extract)))
        elif self._inbox_waits and self._may_extract():
            self._start(Task("inbox", Pace.PACED))
        elif due.due:
            self._start_if_allowed(due, now)
        else:
            deferral.end_deferral(self.world.paths)
            self._beat(State("idle", (), due))

    def _judge_due(self, now: datetime) -> Due:
        backlog = replace(self._memo.backlog, sessions=self._memo.backlog.sessions + self._ledger.unread())
        due = judge_due(backlog, self.world.settings.service, now=now, slots=gates.nightly_slots(self.world, now))
        away = "" if due.due else self._alarms.wants_try(self._settling.reading.monotonic_s)
        return Due(True, "retry", f"there was trouble with `{away}`, which may be over") if away else due

    def _may_extract(self) -> bool:
        """Reading goes on while agents work; only a low battery and a full disk stop it."""
        if self._settling.goes_on:
            return False
        return not any(h.gate in FOR_READING_TOO for h in gates.permit(self.world, None, Sight()).holds)

    def _start_if_allowed(self, due: Due, now: datetime) -> None:
        settled_s = self._settling.settled_s if self._settling.goes_on else None
        with open_reader(self.world.paths.store) as store:
            outlook = gates.judge(self.world, store, due, Sight(self._ledger.last_moved_at(), settled_s))
        gates.remember(self.world, outlook)
        if outlook.may_start and not self._settling.goes_on:
            self._start(Task("dream", outlook.permission.pace, why=outlook.why(now)))
            return
        words = outlook.held_by() or ("the machine has just come up",)
        if outlook.gates != self._said_hold:
            self._said_hold = outlook.gates
            self._event("service.held", reason="; ".join(words))
        since = deferral.read_deferral(self.world.paths, now)
        self._beat(State("waiting", words, due, since.since if since is not None else None))

    def _start(self, task: Task) -> None:
        if locks.is_held(self.world.paths.locks, locks.DREAM_LOCK):
            self._beat(State("waiting", ("another dream is at work",)))
            return
        self._said_hold = ()
        self._alarms.tried(self._settling.reading.monotonic_s)
        self._child = Child(task, home=self.world.paths.home, config=self._config, env=self.world.env, clock=self.world.clock)
        self._ledger.extracted(self._ledger.paths() if task.mode == "dream" else task.paths, now=self.world.clock.now())
        self._event("cycle.started", kind=task.mode, pid=self._child.pid, reason=task.why)
        self._beat(State("working"))

    def _conclude(self, ended: Ended) -> None:
        self._strain = Strain()
        self._alarms.settled(self._alarms.markers)
        failure = ended.failure()
        if failure is not None and not self._wishes.stop:
            self._flag(failure)
        self._failures += failure is not None
        self._cycles += failure is None
        self._event("cycle.finished", kind=ended.task.mode, outcome=ended.outcome, exit_code=ended.code,
                    seconds=ended.seconds, reason=str(ended.told.get("reason", "")))
        if ended.task.mode == "gather":
            for path in (*self._watcher.take_touched(), *ended.task.paths):
                self._ledger.look(path, now=self.world.clock.now())
            if ended.code == 0:
                self._stage_trailing(ended.task)

    def _stage_trailing(self, task: Task) -> None:
        """What grew during an extraction goes next, without asking the throttle, and survives all of us."""
        stretches = self._ledger.trailing(task.paths)
        if stretches and memo.stage(self.world, stretches, why=TRAILING, now=self.world.clock.now()):
            for path, _, _ in stretches:
                self._ledger.mark(path, staged=True)

    def _flag(self, failure: Outage) -> None:
        if not self._abode.is_away:
            self._alarms.flag(failure, self.world.clock.now())

    def _take_settings(self) -> None:
        try:
            world = self._reload()
            parse_time_of_day(world.settings.service.nightly_at)
        except DreamError as error:
            self._event("service.reload-refused", reason=error.message)
            return
        self.world = world
        self._ledger.rules, self._settling.world = self.world.settings.extraction, self.world
        self._watch()
        self._event("service.reloaded")

    def _watch(self) -> None:
        roots = source_roots(self.world)
        wanted, stores = transcript_places(roots), tuple(stores_below(roots))
        if set(wanted) != set(self._watcher.roots) or stores != self._stores:
            self._watcher, self._stores = Watcher(wanted, stores=stores), stores

    def _beat(self, state: State) -> None:
        counters = {"dreams": self._cycles, "failures": self._failures, "unread": self._ledger.unread()}
        self._vitals.tell(state, self._memo, counters, reading=self._settling.reading,
                          awake_since=self._settling.awake_since)

    def _event(self, event: str, **fields: Field) -> None:
        if not self._abode.is_away:
            telemetry.log_event(self.world.paths, event, clock=self.world.clock, **fields)
        self._say(event, **fields)
