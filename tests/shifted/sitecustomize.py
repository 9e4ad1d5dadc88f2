"""Sets the clock of every process of a test: Python imports this before anything else, and a file says by how much.

Boot time and monotonic time stay true, as they do when a person sets the clock of a machine.
"""

from __future__ import annotations

import os
import sys
from datetime import datetime, timedelta, tzinfo

PLACE = os.environ.get("DREAM_TEST_CLOCK", "")


def offset() -> timedelta:
    """How wrong the clock is right now."""
    try:
        with open(PLACE) as stream:  # noqa: PTH123 - imported before everything else
            return timedelta(seconds=float(stream.read() or 0))
    except (OSError, ValueError):
        return timedelta(0)


class Shifted(datetime):
    """A clock that somebody set."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        """The wrong time."""
        return datetime.now(tz) + offset()


if PLACE:
    from datetime import UTC

    from dreamd.core.clock import SystemClock

    SystemClock.now = lambda _self: datetime.now(UTC) + offset()  # type: ignore[method-assign]
    if "-c" in sys.orig_argv:
        import apscheduler.schedulers.base

        apscheduler.schedulers.base.datetime = Shifted
