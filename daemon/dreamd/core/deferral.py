"""Since when a dream is due and held back, and by which gates: one small file that outlives every process.

The bound on waiting would be none if a restart began to count anew. Whoever finds a dream due and held writes it
down, the service or `dream consolidate --auto`; a dream that got through takes it away.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.clock import iso, parse_instant
from dreamd.core.errors import DreamError
from dreamd.core.paths import Paths
from dreamd.core.plain_words.for_people import span

LARGEST_BYTES = 4096
LONGEST = timedelta(days=365)
"""Further back than this is a clock that was wrong, not a wait."""
GATES = {
    "settling": "a machine that had just come up", "agents": "agents at work", "battery": "a low battery",
    "power": "running on battery", "pressure": "a busy machine", "disk": "a full disk", "lock": "another dream",
}
"""What held a dream back, as a run's record says it."""


@dataclass(frozen=True)
class Deferral:
    """A dream that waits."""

    since: datetime
    gates: tuple[str, ...] = ()
    """Every gate that has held it since then."""

    def waited_s(self, now: datetime) -> float:
        """For how long, by the clock on the wall."""
        return max(0.0, (now - self.since).total_seconds())

    def words(self, now: datetime) -> str:
        """For how long and because of what, for a run's record."""
        return (f"it had waited for {span(self.waited_s(now))} because of "
                f"{', '.join(GATES.get(g, g) for g in self.gates) or 'nothing'}")


def deferral_path(paths: Paths) -> Path:
    """Where it is written down."""
    return paths.home / "deferred.json"


def read_deferral(paths: Paths, now: datetime) -> Deferral | None:
    """The wait that goes on; None where there is none, or none that can be believed."""
    try:
        record = json.loads(fsio.read_bytes(deferral_path(paths), limit_bytes=LARGEST_BYTES))
        since = parse_instant(str(record["since"]))
        gates = tuple(str(g) for g in record.get("gates", ()) if g in GATES)
    except (OSError, DreamError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return Deferral(since, gates) if timedelta(0) <= now - since <= LONGEST else None


def note_deferral(paths: Paths, gates: Sequence[str], now: datetime) -> Deferral:
    """Remember that a due dream is held; the file is written only when something about it is new."""
    before = read_deferral(paths, now)
    known = before.gates if before is not None else ()
    held = Deferral(before.since if before is not None else now, (*known, *(g for g in gates if g not in known)))
    if held != before:
        body = {"schema": 1, "since": iso(held.since), "gates": list(held.gates)}
        with suppress(DreamError):  # a disk that takes nothing has its own marker; the wait is then counted from later
            fsio.write_atomic(deferral_path(paths), json.dumps(body).encode())
    return held


def end_deferral(paths: Paths) -> None:
    """A dream got through, or is no longer due."""
    if deferral_path(paths).exists():
        with suppress(DreamError):  # what stays behind is refused as soon as it is older than a year
            fsio.remove(deferral_path(paths))
