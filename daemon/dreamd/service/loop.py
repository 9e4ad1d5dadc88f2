"""The service's one thread: APScheduler's jobs, run in a loop that sleeps in the kernel until something happens.

A signal, the end of a child and the next due job all wake it through the same pipe. The schedulers that come
with APScheduler wait on a lock that must not be touched from a signal handler, and run jobs in threads that
each wake up on their own; this one does neither.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any  # APScheduler carries no types

from apscheduler.executors.debug import DebugExecutor
from apscheduler.schedulers.base import BaseScheduler

from dreamd.core.clock import Clock, SystemClock

LONGEST_WAIT_S = 3600.0
STEP_S = 60.0


class Loop(BaseScheduler):  # type: ignore[misc]
    """A scheduler whose jobs run one after the other in the thread that calls `run`."""

    def __init__(self, *, timezone: Any, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._reader, self._writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC) if hasattr(os, "pipe2") else os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(self._writer, False)
        self._turning = False
        super().__init__(timezone=timezone, executors={"default": DebugExecutor()},
                         job_defaults={"coalesce": True, "misfire_grace_time": None, "max_instances": 1})

    def wakeup(self) -> None:
        """Make the loop look at its jobs again."""
        with suppress(OSError):
            os.write(self._writer, b"\0")

    def shutdown(self, wait: bool = True) -> None:
        """End the loop after the job that runs."""
        self._turning = False
        super().shutdown(wait=wait)
        self.wakeup()

    def _longest_wait_s(self) -> float:
        """The shortest interval of any job: however the wall clock was set back, no wait is longer."""
        spans = [j.trigger.interval_length for j in self.get_jobs() if hasattr(j.trigger, "interval_length")]
        return float(min(spans, default=LONGEST_WAIT_S))

    def _catch_up(self) -> None:
        """The wall clock was set back: jobs planned on the old one would wait for it to come round again."""
        now = self._clock.now()
        for job in self.get_jobs():
            # An interval is counted from its start, which now lies ahead; a time of day has its next turn by itself.
            counts = hasattr(job.trigger, "interval_length")
            job.modify(next_run_time=now if counts else job.trigger.get_next_fire_time(None, now) or now)

    def turn(self, react: Callable[[], None]) -> None:
        """Run until `shutdown`; `react` is called after every wake-up, before the jobs."""
        self._turning = True
        before = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        try:
            self.start()
            wall, at_s = self._clock.now(), self._clock.monotonic()
            while self._turning:
                wait_s = self._process_jobs()
                wait_s = LONGEST_WAIT_S if wait_s is None else min(wait_s, self._longest_wait_s())
                with suppress(InterruptedError):
                    select.select([self._reader], [], [], wait_s)
                # Over a whole turn: a clock may be set while a job runs, too.
                last, last_s, wall, at_s = wall, at_s, self._clock.now(), self._clock.monotonic()
                if (wall - last).total_seconds() - (at_s - last_s) < -STEP_S:
                    self._catch_up()
                with suppress(BlockingIOError):
                    os.read(self._reader, 4096)
                react()
        finally:
            signal.set_wakeup_fd(before)
            os.close(self._reader)
            os.close(self._writer)


class Wishes:
    """What signals asked for; set in a handler, read in the loop."""

    def __init__(self) -> None:
        self.stop = False
        self.reload = False
        self.urgent: Callable[[], None] | None = None
        """Called on the second request to stop, before the process leaves at once."""

    def listen(self) -> None:
        """Take over the signals of a service; SIGCHLD only has to wake the loop."""
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._on_stop)
        signal.signal(signal.SIGHUP, self._on_reload)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)

    def _on_stop(self, _number: int, _frame: FrameType | None) -> None:
        if self.stop:
            if self.urgent is not None:
                self.urgent()
            os._exit(143)
        self.stop = True

    def _on_reload(self, _number: int, _frame: FrameType | None) -> None:
        self.reload = True
