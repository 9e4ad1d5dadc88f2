"""One dream in a process of its own: low priority, bounded memory, and an end its parent can read.

Run as `python -m dreamd.service.child dream|gather …`. Torch and its like are loaded here and go with it; a crash
in native code takes nobody else along. The last line on stdout is one JSON object for the supervisor.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from dreamd.core import locks, outage, telemetry
from dreamd.core.chosen.settings_environment import read_settings
from dreamd.core.clock import Clock, FixedClock, SystemClock, parse_instant
from dreamd.core.errors import DreamError, Locked, Outage
from dreamd.core.locks import Owner
from dreamd.core.paths import Paths, read_environment
from dreamd.core.throttle import Throttle
from dreamd.core.world import World
from dreamd.dream.cycle import INTERRUPTED, beating, clear_markers, run_cycle
from dreamd.dream.phases.gather import Gathered, gather_from
from dreamd.dream.phases.orient import take_inbox
from dreamd.kit import Kit, open_kit
from dreamd.service.manners import Pulse, Stop, take_short_turns
from dreamd.service.tending import outcome_of, tend_all
from dreamd.store import journal

MIB = 1 << 20
NICE = 5
"""Measured with four runnable tasks on two cores: the longest wait of a note is 520 ms under the idle class, 250 at
19, 150 at 10, 125 at 5."""
PR_SET_PDEATHSIG = 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run one dream or one extraction and say how it ended; the exit code is that of the command line."""
    options = _options(argv)
    paths = Paths(options.home)
    stop = Stop(paths, parent=options.parent)
    stop.listen()
    try:
        _die_with_parent()
        lower_priority()
        env = read_environment()
        world = World(paths, read_settings(options.config, env), _clock(options.now), env)
        _limit_memory(world.settings.service.child_memory_mib)
        told = _work(world, options, stop)
        code = 0
    except DreamError as error:
        told = {"outcome": INTERRUPTED if stop.why and isinstance(error, Locked) else error.outcome,
                "reason": error.message, "hint": error.hint or ""}
        code = error.exit_code
        if isinstance(error, Outage):
            told["component"] = error.component
            _flag(paths, error)
    except MemoryError:
        failure = Outage("the dream needed more memory than it may have", component="cycle", code="out-of-memory",
                         hint="raise `service.child_memory_mib`, or run `dream consolidate` by hand")
        told, code = {"outcome": "outage", "reason": failure.message, "component": "cycle"}, 12
        _flag(paths, failure)
    except Exception as error:  # noqa: BLE001 - this process's end, as `cli.main` is another's: recorded by place, never as text
        telemetry.log_crash(paths, error)
        failure = Outage(f"the dream failed unexpectedly ({type(error).__name__})", component="cycle", code="crashed",
                         hint=f"`{paths.logs / telemetry.CRASH_NAME}` says where")
        told, code = {"outcome": "failed", "reason": failure.message, "component": "cycle"}, 1
        _flag(paths, failure)
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
    return code


def _work(world: World, options: argparse.Namespace, stop: Stop) -> dict[str, object]:
    throttle = Throttle(SystemClock(), paced=options.pace != "full", should_stop=stop)
    with open_kit(world, create=True, migrate=True) as kit:
        kit.should_stop = stop
        kit.background = locks.Background(world.paths.locks, should_stop=stop)
        kit.progress = Pulse(stop, throttle)
        if options.mode != "dream":
            return _gather(kit, options.only if options.mode == "gather" else (), options.mode)
        report = run_cycle(kit, why=options.why)
        told = {"outcome": report.outcome, "reason": report.reason, "run": report.run, "fates": report.fates,
                "yields": kit.yields, "epoch": kit.epoch or 0}
    told["outcome"] = outcome_of(tend_all(world), report.outcome)
    return told


def _gather(kit: Kit, wanted: Sequence[Path], mode: str) -> dict[str, object]:
    """Take in the inbox, then extract the named transcripts."""
    warnings: list[str] = []
    with locks.hold_dream(kit.paths.locks, Owner("dream run", kit.clock.now())), beating(kit, mode):
        take_inbox(kit, warnings)
        gathered = gather_from(kit, wanted) if wanted else Gathered()
        if kit.run is not None:
            # An extraction is no dream: what it stored stays, its journal entry goes.
            with kit.writing() as tx:
                journal.drop_run(tx, kit.run)
            clear_markers(kit, ("db", "disk", "lock", "config"))
    return {"outcome": "changed" if gathered.stored else "nothing-to-do", "stored": gathered.stored,
            "read": gathered.read, "epoch": kit.epoch or 0}


def _flag(paths: Paths, failure: Outage) -> None:
    fallback = outage.runtime_dir(read_environment(), paths.home)
    with suppress(DreamError):  # nothing takes a marker: the exit code carries it
        outage.flag(paths.outage, failure, now=SystemClock().now(), owner="dream run", fallback=fallback)


def lower_priority() -> None:
    """Step behind everyone else; where a sandbox forbids it the unit has done it already.

    Not the idle or batch classes: whoever holds the write lock must get through a batch on a busy machine too, or notes wait
    for a dream that waits for a processor.
    """
    with suppress(OSError):
        os.nice(NICE)
    take_short_turns()
    import psutil

    with suppress(OSError, AttributeError, psutil.Error):
        psutil.Process().ionice(psutil.IOPRIO_CLASS_BE, 7)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")  # rather we than the supervisor or anyone's work


def _limit_memory(mib: int) -> None:
    # Private memory rather than address space: libraries map gigabytes that cost nothing.
    limit = mib * MIB
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (limit if hard < 0 else min(limit, hard), hard))
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would hold memory text


def _die_with_parent() -> None:
    """Ask the kernel to end us politely when the supervisor is killed; it could not tell us itself any more."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def _clock(now: datetime | None) -> Clock:
    return FixedClock(now) if now is not None else SystemClock()


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="dreamd.service.child")
    parser.add_argument("mode", choices=("dream", "gather", "inbox"))
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--now", type=parse_instant)
    parser.add_argument("--pace", choices=("full", "paced", "trickle"), default="full")
    parser.add_argument("--only", type=Path, action="append", default=[])
    parser.add_argument("--why", default="")
    parser.add_argument("--parent", type=int, default=0)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
