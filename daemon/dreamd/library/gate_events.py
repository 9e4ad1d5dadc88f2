"""The events of the gate: one line for every verdict that became the fate of something said, beside the journal.

Written once the fate stands in the store, so that no line tells of what was only planned. A log that cannot be written stops
no dream: the journal has the fates. Words are kept with a setting alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from dreamd.core.clock import iso
from dreamd.core.errors import DreamError
from dreamd.core.values import Gated, GateVerdict, Observation
from dreamd.core.world import World
from dreamd.library.line_log import LineLog, told_at

NAME = "gate"
BY_DEFAULT = 0.5
"""Confidence where nothing spoke for or against a statement; where a rule of the gate decided, it is certain of its rule."""
DEFAULT = "durable"
NOTED = "note"


@dataclass(frozen=True)
class Ruled:
    """What the gate decided on one observation, in which run, and where that was said."""

    observation: Observation
    gated: Gated
    run: str
    source: str = NOTED


@dataclass(frozen=True)
class Wanted:
    """Which events somebody wants to see."""

    since: datetime | None = None
    verdict: str = ""
    run: str = ""

    def fits(self, row: Mapping[str, object]) -> bool:
        """Whether an event is wanted."""
        at = told_at(row) if self.since else None
        return (not self.verdict or row.get("verdict") == self.verdict) and (
            not self.run or str(row.get("run", "")).startswith(self.run)) and (
            self.since is None or at is not None and at >= self.since)


def log_of(world: World) -> LineLog:
    """The log of the gate of a home."""
    return LineLog(world.paths, NAME, world.settings.log)


def tell(world: World, ruled: Sequence[Ruled]) -> bool:
    """Write one event for each verdict; False when the disk did not take them."""
    log, now = log_of(world), world.clock.now()
    try:
        if ruled:
            log.rotate_if_due(now)
            log.append([_event(one, now, words=world.settings.log.gate_text) for one in ruled])
    except (DreamError, OSError):
        return False
    return True


def find_events(world: World, wanted: Wanted) -> Iterator[dict[str, object]]:
    """Events, the newest first."""
    return (row for row in log_of(world).newest_first() if wanted.fits(row))


def count_verdicts(events: Iterable[Mapping[str, object]]) -> dict[str, int]:
    """How many of each verdict."""
    counted = Counter(str(event.get("verdict", "")) for event in events)
    return {verdict.value: counted[verdict.value] for verdict in GateVerdict}


def _event(one: Ruled, now: datetime, *, words: bool) -> dict[str, object]:
    said, gated = one.observation, one.gated
    row: dict[str, object] = {
        "time": iso(now), "id": said.id, "run": one.run, "scope": str(said.scope), "class": gated.memory_class.value,
        "verdict": gated.verdict.value, "reason": gated.reason,
        "confidence": BY_DEFAULT if gated.reason == DEFAULT else 1.0, "source": one.source, "origin": said.origin.value}
    return row | {"text": gated.text} if words else row
