"""What the clocks did between two looks, and whether the machine has been up for long enough to work."""

from __future__ import annotations

import hashlib

from dreamd.core.clock import Clock
from dreamd.core.world import World
from dreamd.service.gating.due import Gap, Reading, judge_gap


class Settling:
    """Counts from the start, and again from every resume; by boot time, which no set clock moves."""

    def __init__(self, world: World, *, boot_id: str) -> None:
        self.world, self._boot_id = world, boot_id
        self.reading = read_clocks(world.clock)
        self._from_s = self.reading.boot_s
        self._wanted_s = float(world.settings.service.settle_s)

    def look(self, *, expected_s: float, gap_s: float) -> Gap:
        """Read the clocks and compare them with the last time; a machine that slept settles anew."""
        before, self.reading = self.reading, read_clocks(self.world.clock)
        gap = judge_gap(before, self.reading, expected_s=expected_s, gap_s=gap_s)
        if gap.resumed:
            # A fleet that wakes up at nine must not dream at nine: the spread differs from machine to machine.
            spread = hashlib.sha256(f"{self._boot_id}{self.world.paths.home}".encode()).digest()[0] / 255
            self._from_s = self.reading.boot_s
            self._wanted_s = self.world.settings.service.settle_s * (0.75 + spread)
        return gap

    @property
    def settled_s(self) -> float:
        """For how long the machine has been up, as far as we saw."""
        return self.reading.boot_s - self._from_s

    @property
    def goes_on(self) -> bool:
        """Nothing is started yet."""
        return self.settled_s < self._wanted_s


def read_clocks(clock: Clock) -> Reading:
    """The three clocks at this moment."""
    return Reading(clock.now(), clock.monotonic(), clock.boot())
