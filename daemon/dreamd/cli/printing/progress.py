"""How far something is that takes longer than a second: what, how much of it, how long still; on a terminal alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dreamd.cli.printing import render
from dreamd.core.clock import SystemClock

if TYPE_CHECKING:
    from dreamd.cli.context import Context

FIRST_S = 1.0
"""What is done by then needs no word."""
EVERY_S = 0.5
LEAST_SHARE = 0.02
"""Before so much is done, how long the rest takes is a guess."""
STEPS = {"orient": "looking around", "gather": "reading sources", "embed": "embedding", "judge": "comparing",
         "hear": "listening", "consolidate": "comparing", "prune": "tidying up", "weigh": "weighing what was said",
         "read": "reading files"}
"""The steps of a dream and of reading, in words."""
CLEAR = "\r\x1b[K"


@contextmanager
def shown(context: Context, what: str) -> Iterator[Callable[[str, int, int], None]]:
    """Tell on a terminal's standard error, from the first second on, what goes on; nothing in pipes and with `-q`.

    Gives what is called with the name of a step, how much of it is done, and of how much.
    """
    if context.verbosity < 0 or not context.stderr.isatty():
        yield lambda _step, _done, _total: None
        return
    clock, over = SystemClock(), threading.Event()
    began_s = clock.monotonic()
    now: dict[str, tuple[str, int, int, float]] = {"at": (what, 0, 0, began_s)}

    def tick(step: str, done: int, total: int) -> None:
        before, _, _, since_s = now["at"]
        step = STEPS.get(step, step) or what
        now["at"] = (step, done, total, since_s if step == before else clock.monotonic())

    def tell() -> None:
        wait_s = FIRST_S
        while not over.wait(wait_s):
            wait_s = EVERY_S
            step, done, total, since_s = now["at"]
            context.stderr.write(CLEAR + render.fit(line(step, done, total, clock.monotonic() - since_s), _room(context)))
            context.stderr.flush()

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield tick
    finally:
        over.set()
        teller.join()
        context.stderr.write(CLEAR)
        context.stderr.flush()


def line(step: str, done: int, total: int, seconds: float) -> str:
    """What goes on, how much of it is done, and how long the rest takes, or for how long it goes on already."""
    if total <= 0:
        return f"{step}, {render.span(seconds)} …"
    left = seconds * (total - done) / done if done >= LEAST_SHARE * total and done else 0.0
    return f"{step}: {done:,} of {total:,}" + (f", about {render.span(max(1.0, left))} left" if left else "") + " …"


def _room(context: Context) -> int:
    return min(context.width, 100) - 1
