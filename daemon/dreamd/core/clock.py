"""Time as an argument: the one module that reads the machine's clocks.

Everything else receives a `Clock`. `--now` and tests give a fixed one, so a back-fill and a test walk the
same code as a real night.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Protocol

from dreamd.core.errors import UsageError

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(9000, 1, 1, tzinfo=UTC)


class Clock(Protocol):
    """Wall clock, monotonic seconds, seconds since boot and a way to wait."""

    def now(self) -> datetime: ...
    def monotonic(self) -> float: ...
    def boot(self) -> float: ...
    def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def boot(self) -> float:
        return boot_time_s()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


@dataclass(frozen=True)
class ShiftedClock(SystemClock):
    """The machine's own clocks, with the wall clock of somebody else who is so much `ahead`."""

    ahead: timedelta

    def now(self) -> datetime:
        return super().now() + self.ahead


@dataclass(frozen=True)
class FixedClock:
    """Wall time stands still at `at`; monotonic time and waiting stay real."""

    at: datetime

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return time.monotonic()

    def boot(self) -> float:
        return boot_time_s()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def boot_time_s() -> float:
    """Seconds since boot, suspend included where the platform can tell."""
    clock_id = getattr(time, "CLOCK_BOOTTIME", None)
    return time.clock_gettime(clock_id) if clock_id is not None else time.monotonic()


def cpu_s() -> float:
    """CPU seconds used by this process."""
    return time.process_time()


@lru_cache(maxsize=16_384)  # a store holds most of its times several times over
def parse_instant(text: str) -> datetime:
    """Read an ISO 8601 instant as UTC; a time without a zone is UTC, a date alone is its midnight.

    Raises UsageError for anything else, and for years that no store should hold.
    """
    raw = text.strip()
    try:
        moment = datetime.fromisoformat(raw)
    except ValueError:
        raise UsageError("not a time in ISO 8601", hint="write it like `2026-05-07T09:30:00Z`") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        moment = moment.astimezone(UTC)
    except OverflowError:
        raise UsageError("the time is out of range", hint="years 1970 to 8999 are accepted") from None
    if not EARLIEST <= moment < LATEST:
        raise UsageError(f"the year {moment.year} is out of range", hint="years 1970 to 8999 are accepted")
    return moment


def iso(moment: datetime) -> str:
    """The one spelling of an instant in store, files and JSON: UTC, whole seconds or milliseconds, `Z`."""
    utc = moment.astimezone(UTC)
    spec = "milliseconds" if utc.microsecond else "seconds"
    return utc.isoformat(timespec=spec).replace("+00:00", "Z")


def days_between(earlier: datetime, later: datetime) -> float:
    """Days from `earlier` to `later`; negative when the order is the other way round."""
    return (later - earlier) / timedelta(days=1)


def local_date(moment: datetime, zone: tzinfo) -> str:
    """The calendar day of an instant in a zone, as `YYYY-MM-DD`."""
    return moment.astimezone(zone).date().isoformat()
