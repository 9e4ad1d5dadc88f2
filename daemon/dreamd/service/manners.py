"""How a dream that nobody asked for behaves: at the pace it was given, and gone when it is asked to go."""

from __future__ import annotations

import os
import signal
from types import FrameType

from dreamd.clock import SystemClock
from dreamd.errors import Locked
from dreamd.paths import Paths
from dreamd.service.pause import read_pause
from dreamd.throttle import EMBEDDING, ROW_READ, ROW_WRITTEN, Throttle

LOOK_EVERY_S = 0.5
"""How often a running dream asks whether a person paused it or its supervisor is gone."""
GOES_ON_READING = frozenset({"orient", "gather"})
"""Phases that come to their own end when asked: what was read of a source is kept before they stop."""


class Stop:
    """Why to stop, if at all; read between phases, items and batches, and before every model call."""

    def __init__(self, paths: Paths, *, parent: int = 0, heeds_pause: bool = True) -> None:
        self.why = ""
        self.code = 0
        """The exit code of whoever was asked by a signal; nought while nobody was."""
        self._paths, self._parent, self._heeds_pause = paths, parent, heeds_pause
        self._clock = SystemClock()
        self._looked_s = 0.0

    def __call__(self) -> bool:
        at_s = self._clock.monotonic()
        if not self.why and at_s - self._looked_s >= LOOK_EVERY_S:
            self._looked_s = at_s
            if self._parent and os.getppid() != self._parent:
                self.why = "the service is gone"
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
                             + (EMBEDDING if phase == "embed" else 0) * fresh)
        if phase not in GOES_ON_READING and self._stop():
            raise Locked(self._stop.why, hint="nothing is lost; the next dream goes on from here")
