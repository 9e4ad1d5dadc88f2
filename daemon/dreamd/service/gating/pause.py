"""A person's wish that the service start nothing for a while: one small file, honoured by everyone who looks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from dreamd.core import fsio
from dreamd.core.clock import iso, parse_instant
from dreamd.core.errors import DreamError, UsageError
from dreamd.core.paths import Paths
from dreamd.core.plain_words.for_people import stamp

LONGEST_PAUSE = timedelta(days=365)
UNITS_S = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}


@dataclass(frozen=True)
class Pause:
    """A pause that holds; without an end it lasts until a person resumes."""

    since: datetime | None
    until: datetime | None

    @property
    def words(self) -> str:
        """What is told to people."""
        return f"paused by a person until {stamp(self.until)}" if self.until else "paused by a person"


def parse_span(text: str) -> timedelta:
    """Read `90m`, `2h`, `3d`.

    Raises UsageError for anything else and for more than a year.
    """
    raw = text.strip().lower()
    number = raw.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = raw[len(number):].strip()
    try:
        span = timedelta(seconds=float(number) * UNITS_S[unit or "m"])
    except (ValueError, KeyError, OverflowError):
        raise UsageError("not a length of time", hint="write it like `90m`, `2h` or `3d`") from None
    if not timedelta(0) < span <= LONGEST_PAUSE:
        raise UsageError("a pause lasts longer than nothing and at most a year",
                         hint="leave `--for` out to pause until `dream resume`")
    return span


def pause(paths: Paths, *, now: datetime, span: timedelta | None = None) -> Pause:
    """Pause from now on, for a while or until resumed."""
    until = now + span if span else None
    body = {"schema": 1, "since": iso(now), "until": iso(until) if until else None}
    fsio.write_atomic(paths.paused, json.dumps(body).encode())
    return Pause(now, until)


def resume(paths: Paths) -> bool:
    """End a pause; True when there was one."""
    there = paths.paused.exists() or paths.paused.is_symlink()
    fsio.remove(paths.paused)
    return there


def read_pause(paths: Paths, now: datetime) -> Pause | None:
    """The pause that holds now, if any. A file that cannot be read is a pause: somebody meant to stop us."""
    try:
        record = json.loads(fsio.read_bytes(paths.paused, limit_bytes=4096))
        since = parse_instant(record["since"]) if record.get("since") else None
        until = parse_instant(record["until"]) if record.get("until") else None
    except FileNotFoundError:
        return None
    except (DreamError, ValueError, TypeError, KeyError, AttributeError):
        return Pause(None, None)
    return None if until is not None and until <= now else Pause(since, until)
