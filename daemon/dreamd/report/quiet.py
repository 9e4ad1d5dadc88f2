"""Nights of which the journal knows nothing: what the log of events says of them.

A dream that finds nothing to do leaves no byte in the store. Where the service started it, its log says when and why nothing
was done, or what held a dream back; where nothing says it, that is told too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dreamd.core import telemetry
from dreamd.core.clock import parse_instant
from dreamd.core.errors import UsageError
from dreamd.core.paths import Paths

WITHOUT_A_RUN = frozenset({"nothing-to-do", "not-now", "locked"})


@dataclass(frozen=True)
class Quiet:
    """One thing the log says of a time in which no run was made."""

    at: datetime
    held: bool
    """Whether a dream was held back; otherwise one was made and changed nothing."""
    why: str


def load_quiet(paths: Paths, *, since: datetime | None = None) -> list[Quiet]:
    """What the log still holds of dreams that changed nothing or were held back, oldest first."""
    found = []
    for record in _events(paths):
        held = record.get("event") == "service.held"
        done = (record.get("event") == "cycle.finished" and record.get("kind") == "dream"
                and record.get("outcome") in WITHOUT_A_RUN)
        with suppress(UsageError):  # a line that somebody else wrote
            at = parse_instant(str(record.get("at", "")))
            if (held or done) and (since is None or at >= since):
                found.append(Quiet(at, held, str(record.get("reason", ""))))
    return sorted(found, key=lambda one: one.at)


def _events(paths: Paths) -> Iterator[dict[str, object]]:
    log = paths.logs / telemetry.EVENTS_NAME
    older = [log.with_name(f"{log.name}.{n}") for n in range(telemetry.LOGS_KEPT - 1, 0, -1)]
    for path in (*older, log):
        for line in _lines(path):
            with suppress(ValueError, RecursionError):  # cut by a full disk
                record = json.loads(line)
                if isinstance(record, dict):
                    yield record


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().splitlines()
    except OSError:
        return []
