"""The events of the gate: one line for every verdict that became the fate of something said, beside the journal.

Written once the fate stands in the store, so that no line tells of what was only planned. Beside the log lies what is about
to be decided while it is: whoever is killed in between leaves it to the next dream, which adds what the store knows of. A
log that cannot be written stops no dream: the journal has the fates. Words are kept with a setting alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.clock import iso
from dreamd.core.errors import DreamError
from dreamd.core.values import Fate, Gated, GateVerdict, Observation
from dreamd.core.world import World
from dreamd.library.line_log import LARGEST_BYTES, LineLog, Row, read_row, told_at

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
    fate: Fate
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


def announce(world: World, ruled: Sequence[Ruled]) -> dict[str, Row]:
    """Lay down what is about to be decided, as the events it will be, by observation."""
    now = world.clock.now()
    events = {one.observation.id: _event(one, now, words=world.settings.log.gate_text) for one in ruled}
    if events:
        with suppress(DreamError, OSError):
            _lay_ahead(world, [*_load_ahead(world), *events.values()])
    return events


def tell(world: World, events: Sequence[Row], announced: Iterable[Row]) -> None:
    """Add what was decided to the log, of what was announced; what was announced earlier and found no place there stays."""
    log = log_of(world)
    with suppress(DreamError, OSError):  # what was announced stays then, for the next dream
        if log.rotate_if_due(world.clock.now()):
            log.drop_old(world.clock.now())
        log.append(events)
        settled = {_name(row) for row in announced}
        _lay_ahead(world, [row for row in _load_ahead(world) if _name(row) not in settled])


def settle(world: World, decided: Callable[[Sequence[Row]], Sequence[Row]]) -> None:
    """Add what an interrupted dream had decided and not told; `decided` says which of the events the store knows of."""
    left = _load_ahead(world)
    wanted = {_name(row) for row in left}
    if not left or log_of(world).hindrance():
        return  # what was announced waits for a log that can be read
    told = {_name(row) for row in log_of(world).newest_first()} & wanted
    tell(world, [row for row in decided(left) if _name(row) not in told], left)


def _name(row: Row) -> tuple[object, object]:
    """What tells one event from all others."""
    return row.get("run"), row.get("id")


def _load_ahead(world: World) -> list[Row]:
    try:
        body = fsio.read_bytes(_ahead(world), limit_bytes=LARGEST_BYTES)
    except (FileNotFoundError, DreamError):
        return []
    return [row for line in body.split(b"\n") if (row := read_row(line)) is not None]


def _lay_ahead(world: World, rows: Sequence[Row]) -> None:
    lines = [json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") for row in rows]
    if lines:
        fsio.write_unsynced(_ahead(world), b"\n".join(lines))
    else:
        fsio.remove(_ahead(world))


def _ahead(world: World) -> Path:
    return world.paths.logs / f"{NAME}.ahead"


def find_events(world: World, wanted: Wanted) -> Iterator[dict[str, object]]:
    """Events, the newest first."""
    return (row for row in log_of(world).newest_first() if wanted.fits(row))


def count_verdicts(events: Iterable[Mapping[str, object]]) -> dict[str, int]:
    """How many of each verdict."""
    counted = Counter(str(event.get("verdict", "")) for event in events)
    return {verdict.value: counted[verdict.value] for verdict in GateVerdict}


def count_fates(events: Iterable[Mapping[str, object]]) -> dict[str, int]:
    """How many came to each fate, as the history of a run counts them."""
    counted = Counter(str(event.get("fate", "")) for event in events)
    return {fate.value: counted[fate.value] for fate in Fate}


def _event(one: Ruled, now: datetime, *, words: bool) -> Row:
    said, gated = one.observation, one.gated
    row: Row = {
        "time": iso(now), "id": said.id, "run": one.run, "scope": str(said.scope), "class": gated.memory_class.value,
        "verdict": gated.verdict.value, "reason": gated.reason, "fate": one.fate.value,
        "confidence": BY_DEFAULT if gated.reason == DEFAULT else 1.0, "source": one.source, "origin": said.origin.value}
    return row | {"text": gated.text} if words else row
