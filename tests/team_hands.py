"""Workers of the tests: in this process, or in one of their own that can be killed; with stand-ins for the networks.

As a program: `team_hands.py HOME URL TENANT HOLD NOW LOST_AFTER_S`, which says `holding` on its output once a dream has written
HOLD steps and then waits to be killed, or for a line on its input.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dreamd.core.clock import Clock, FixedClock, SystemClock, parse_instant
from dreamd.core.paths import Paths
from dreamd.core.settings import build_settings
from dreamd.core.world import World
from dreamd.kit import Kit
from dreamd.service.manners import Stop
from dreamd.service.workers.errands import Errands, Tools
from dreamd.service.workers.shift import Shift, work
from household import SharedWords
from reading import judge_of_words

QUICK_S = 0.6
"""Without a sign of life for so long a worker of the tests is taken for gone."""


def hand(home: Path, url: str, tenant: str, *, clock: Clock | None = None, more: tuple[str, ...] = ()) -> Errands:
    """The errands of a worker in a home of its own."""
    home.mkdir(parents=True, exist_ok=True)
    settings = build_settings({"store": {"url": url, "tenant": tenant}, "sources": {"claude_code": True}})
    env = {"HOME": str(home.parent), "TZ": "UTC"}
    world = World(Paths(home), settings, clock or SystemClock(), env)
    return Errands(world, (tenant, *more), stop=Stop(world.paths, heeds_pause=False),
                   furnish=lambda: Tools(SharedWords(), judge_of_words()))


def work_off(*errands: Errands, concurrency: int = 1, lost_after_s: float = 30) -> None:
    """Have workers do at the same time what there is to do."""
    shift = Shift(concurrency=concurrency, until_idle=True, lost_after_s=lost_after_s, poll_s=0.05)
    failed: list[BaseException] = []

    def run(one: Errands) -> None:
        try:
            asyncio.run(work(one, shift, lambda _line: None, hears=False))
        except Exception as error:  # noqa: BLE001 - it is raised where the threads were started
            failed.append(error)

    threads = [threading.Thread(target=run, args=(one,)) for one in errands]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(180)
    if failed:
        raise failed[0]
    assert not any(thread.is_alive() for thread in threads)


def stay(one: Errands) -> None:
    """Have a worker work until it leaves by itself."""
    asyncio.run(work(one, Shift(poll_s=0.05), lambda _line: None, hears=False))


@contextmanager
def worker_process(home: Path, url: str, tenant: str, *, hold: int = 0, now: str = "", by: tuple[str, ...] = (),
                   lost_after_s: float = QUICK_S) -> Iterator[subprocess.Popen[str]]:
    """A worker that stays, in a process of its own; with `hold` it stands still at that step of a dream. Killed in the end.

    `by` is what runs the program where it is another dream than this one.
    """
    process = subprocess.Popen([sys.executable, *by, __file__, str(home), url, tenant, str(hold), now,
                                str(lost_after_s)], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    with process:
        try:
            yield process
        finally:
            process.kill()


def until(true: Callable[[], object], *, within_s: float = 60.0) -> None:
    """Wait for something that is about to be so."""
    end = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.05)


def _hold_at(step: int) -> None:
    """Stand still in the middle of a dream, for the one who kills us."""
    whole, left = Kit.writing, [step]

    def writing(kit: Kit, **options: bool):  # type: ignore[no-untyped-def]
        left[0] -= 1
        if left[0] == 0:
            print("holding", flush=True)
            sys.stdin.readline()
        return whole(kit, **options)

    Kit.writing = writing  # type: ignore[method-assign, assignment]


if __name__ == "__main__":
    home, url, tenant, step, now, lost_after_s = sys.argv[1:7]
    if int(step):
        _hold_at(int(step))
    clock = FixedClock(parse_instant(now)) if now else None
    asyncio.run(work(hand(Path(home), url, tenant, clock=clock), Shift(lost_after_s=float(lost_after_s), poll_s=0.05), print))
