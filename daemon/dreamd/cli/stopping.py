"""Leaving politely: the first signal asks the work to end after its step, the second leaves at once."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dreamd.service.manners import Stop

HEARD = b"\nstopping after this step; once more leaves at once\n"
NAMES = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def listening(stop: Stop) -> Iterator[None]:
    """Hear SIGTERM and SIGINT as a wish to stop while the work lasts; afterwards they are what they were."""
    loud = sys.stderr.isatty()

    def hear(number: int, _frame: FrameType | None) -> None:
        if stop.code:
            os._exit(stop.code)  # a kill is survived, so this is too
        stop.ask(number)
        if loud:
            with suppress(OSError):
                os.write(2, HEARD)  # not through the stream: it may be in the middle of a line of its own

    before = {name: signal.signal(name, hear) for name in NAMES}
    try:
        yield
    finally:
        for name, was in before.items():
            signal.signal(name, was)
