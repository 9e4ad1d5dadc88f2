"""How a dream that nobody asked for behaves: at the pace it was given, and gone when it is asked to go."""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys
from contextlib import suppress
from types import FrameType

from dreamd.core.clock import SystemClock
from dreamd.core.errors import Locked
from dreamd.core.paths import Paths
from dreamd.core.throttle import EMBEDDING, ROW_READ, ROW_WRITTEN, Throttle
from dreamd.service.gating.pause import read_pause

LOOK_EVERY_S = 0.5
"""How often a running dream asks whether a person paused it or its supervisor is gone."""
TURN_NS = 100_000
"""How long a turn on the processor a dream asks for: the shortest the kernel takes. Beside a writer of one note every 20 ms
the slowest notes in a hundred waited 3.0-4.2 ms with ordinary turns and 1.6-1.8 with these, the dream itself took no longer."""
SET_ATTRIBUTES = {"x86_64": 314, "aarch64": 274, "riscv64": 274}
"""The number of `sched_setattr`, which no library of Python's has a name for."""
GOES_ON_READING = frozenset({"orient", "gather"})
"""Phases that come to their own end when asked: what was read of a source is kept before they stop."""


def take_short_turns() -> None:
    """Ask the kernel to take this thread, and those it starts, off the processor sooner where somebody else wants it.

    The share of the processor stays the same, in more and shorter turns: whoever wakes up does not wait for the end of a
    long one. Linux takes the wish from 6.12 on; before that, elsewhere, and where a sandbox forbids it nothing happens.
    """
    number = SET_ATTRIBUTES.get(os.uname().machine) if sys.platform == "linux" and sys.maxsize > 1 << 32 else None
    if number is None:
        return
    with suppress(OSError, AttributeError):
        if os.sched_getscheduler(0) == os.SCHED_OTHER:
            # Asked for and not set anew, as `os.nice(0)` does: that is what a sandbox forbids.
            nice = os.getpriority(os.PRIO_PROCESS, 0)
            # struct sched_attr of sched_setattr(2): size, policy, flags, nice, priority, runtime, deadline, period
            wish = struct.pack("=IIQiIQQQ", 48, os.SCHED_OTHER, 0, nice, 0, TURN_NS, 0, 0)
            ctypes.CDLL(None, use_errno=True).syscall(number, 0, wish, 0)


class Stop:
    """Why to stop, if at all; read between phases, items and batches, and before every model call."""

    def __init__(self, paths: Paths, *, parent: int = 0, heeds_pause: bool = True, limit_s: float = 0.0) -> None:
        self.why = ""
        self.out_of_time = False
        """Whether nobody asked and the time it was given is up."""
        self.code = 0
        """The exit code of whoever was asked by a signal; nought while nobody was."""
        self._paths, self._parent, self._heeds_pause = paths, parent, heeds_pause
        self._clock = SystemClock()
        self._looked_s = 0.0
        self._until_s = self._clock.monotonic() + limit_s if limit_s else 0.0

    def __call__(self) -> bool:
        at_s = self._clock.monotonic()
        if not self.why and at_s - self._looked_s >= LOOK_EVERY_S:
            self._looked_s = at_s
            if self._parent and os.getppid() != self._parent:
                self.why = "the service is gone"
            elif self._until_s and at_s >= self._until_s:
                self.why, self.out_of_time = "its time is up", True
            elif self._heeds_pause and read_pause(self._paths, self._clock.now()) is not None:
                self.why = "paused by a person"
        return bool(self.why)

    def ask(self, number: int) -> None:
        """Take a signal for the wish to stop."""
        self.why, self.code = "asked to stop", 128 + number

    def listen(self) -> None:
        """The first signal asks, the second leaves at once: it must be safe, because kill -9 is."""
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._hear)

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        if self.why:
            os._exit(143)
        self.ask(number)


class Pulse:
    """Paces a dream by what it did, and is the place where one that only computes can be stopped."""

    def __init__(self, stop: Stop, throttle: Throttle) -> None:
        self._stop, self._throttle = stop, throttle
        self._phase, self._done = "", 0

    def __call__(self, phase: str, done: int, _total: int) -> None:
        """Take a report of progress; always called outside of a transaction.

        Raises Locked when the dream is asked to stop: nothing is half done there.
        """
        fresh = max(0, done - (self._done if phase == self._phase else 0))
        self._phase, self._done = phase, done
        self._throttle.spend(fresh * (ROW_WRITTEN if phase in ("consolidate", "prune") else ROW_READ)
                             + (EMBEDDING if phase in ("embed", "weigh") else 0) * fresh)
        if phase not in GOES_ON_READING and self._stop():
            raise Locked(self._stop.why, hint="nothing is lost; the next dream goes on from here")
