"""One dream of the scenario in a process of its own, disturbed in a chosen way: `disturbed.py ROOT PERSON NOW HOW [N]`.

HOW is `stop` or `stop-twice` (SIGTERM at the N-th step of progress), `crash` (a native fault there), `raise` (an exception
out of the callback), `vanish` (dream's own files are gone from there on) or `calm`.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import dreamd
from dreamd.cli import main as door
from dreamd.dream.cycle import run_cycle
from household import House


def _stop() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def _vanish() -> None:
    package = Path(dreamd.__file__).parent
    shutil.move(package, package.with_name("gone"))


def _raise() -> None:
    raise RuntimeError("a callback that fails")


HOW: dict[str, Callable[[], object]] = {
    "stop": _stop, "stop-twice": _stop, "crash": lambda: ctypes.string_at(0), "raise": _raise, "vanish": _vanish,
    "calm": lambda: None}


def main() -> int:
    """Dream, and say how many steps there were."""
    root, person, now, how = sys.argv[1:5]
    at, steps = int(sys.argv[5]) if len(sys.argv) > 5 else 0, 0

    def disturb(_phase: str, _done: int, _total: int) -> None:
        nonlocal steps
        steps += 1
        if steps == at or (how == "stop-twice" and steps == at + 1):
            HOW[how]()

    signal.signal(signal.SIGTERM, door._terminate)
    with House(Path(root), persons_own=Path(person)).kit(now) as kit:
        kit.progress = disturb
        try:
            print(run_cycle(kit).outcome, steps, flush=True)
        except door.Terminated:
            # Whoever is asked to stop once more while it is stopping leaves at once.
            return door.TERMINATED
    return 0


if __name__ == "__main__":
    sys.exit(main())
