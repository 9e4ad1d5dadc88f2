"""Leaving politely: the first signal asks the work to end after its step, the second leaves at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dreamd.service.manners import Stop

HEARD = b"\nstopping after this step; once more leaves at once\n"
LONGEST_STEP_S = 1.5
"""How long a dream that was asked to stop may go on with its step."""
NAMES = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def listening(stop: Stop) -> Iterator[None]:
    """Hear SIGTERM and SIGINT as a wish to stop while the work lasts; afterwards they are what they were."""
    loud, over = sys.stderr.isatty(), threading.Event()

    def hear(number: int, _frame: FrameType | None) -> None:
        if stop.code:
            os._exit(stop.code)  # a kill is survived, so this is too
        stop.ask(number)
        threading.Thread(target=leave, args=(128 + number,), daemon=True).start()
        if loud:
            with suppress(OSError):
                os.write(2, HEARD)  # not through the stream: it may be in the middle of a line of its own

    def leave(code: int) -> None:
        if not over.wait(LONGEST_STEP_S):
            os._exit(code)  # a step that takes longer than anybody waits: the next dream takes it back and begins it again

    before = {name: signal.signal(name, hear) for name in NAMES}
    try:
        yield
    finally:
        over.set()
        for name, was in before.items():
            signal.signal(name, was)
