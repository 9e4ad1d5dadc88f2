"""How long a note waits while a dream works, against the same notes with nobody dreaming, in one run.

    python tests/bench/foreground.py --memories 20000 --writers 1 8 --judge rules

Each writer does what `dream note` does: open the turnstile, append in one short transaction, leave. Prints p50, p99
and the longest wait in milliseconds, with the load of the machine, for waits grow with what else it has to do. A dream
plans for a while and then writes: the waits that fell into its writing are shown once more by themselves, for the
quiet hours of planning would hide them. `--control` lets as many writers write to a second home all the while, with
nobody dreaming in it: on a machine that has other things to do, theirs are the waits to compare with.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from bench import step_fill
from dreamd.core import locks
from dreamd.core.paths import Paths
from dreamd.core.telemetry import cycle_beat_path
from dreamd.core.values import Candidate, Origin, Scope
from dreamd.store import observations
from dreamd.store.connection import open_store

PAUSE_S = 0.02
LOOK_S = 0.02
IDLE, PLANNING = "idle", ("orient", "gather", "judge", "embed", "start", "consolidate 0")

Waits = list[tuple[float, float]]
"""When each write ended, on the monotonic clock, and how many milliseconds it took."""


@dataclass
class Watch:
    """What a running dream said it was doing, and since when."""

    dream: subprocess.Popen[bytes]
    beat: Path
    seen: list[tuple[float, str]] = field(default_factory=list)

    def going(self) -> bool:
        """Look once; true while the dream runs."""
        try:
            told = json.loads(self.beat.read_text())
            phase = f"{told['phase']} {min(1, told['done'])}" if told["phase"] == "consolidate" else str(told["phase"])
        except (OSError, ValueError, KeyError):
            phase = ""
        if phase and (not self.seen or self.seen[-1][1] != phase):
            self.seen.append((time.monotonic(), phase))
        return self.dream.poll() is None

    def phase_at(self, moment: float) -> str:
        """What the dream was doing at a moment."""
        return next((phase for since, phase in reversed(self.seen) if since <= moment), "start")


def main() -> None:
    """Measure idle and dreaming for each number of writers."""
    options = _options()
    if options.write:
        write_until_told(Paths(Path(options.write)))
        return
    for writers in options.writers:
        with tempfile.TemporaryDirectory(prefix="dream-foreground-") as base:
            step_fill(home=base, first=0, count=options.memories, total=options.memories)
            paths, config = Paths(Path(base) / "home"), Path(base) / "dream.toml"
            config.write_text(f'[consolidate]\njudge = "{options.judge}"\n')
            until = time.monotonic() + options.idle_s
            idle = measure(paths, writers, lambda end=until: time.monotonic() < end)
            report(IDLE, writers, idle)
            control = _start(_control(Path(base)), writers) if options.control else []
            dream = subprocess.Popen([sys.executable, "-m", "dreamd.service.child", "dream", "--home", str(paths.home),
                                      "--config", str(config)], stdout=subprocess.PIPE,
                                     env={**os.environ, "HOME": base, "OMP_NUM_THREADS": "1"})
            watch = Watch(dream, cycle_beat_path(paths))
            waits = measure(paths, writers, watch.going)
            beside = _stop(control)
            if beside:
                report("elsewhere", writers, beside, against=idle)
            report("dreaming", writers, waits, against=beside or idle)
            _report_phases(waits, watch, beside or idle, each=options.phases)
            told = dream.stdout.read().decode() if dream.stdout else ""
            print(f"          the dream: {told.strip()[:160]}")


def _report_phases(waits: Waits, watch: Watch, idle: Waits, *, each: bool) -> None:
    by_phase: dict[str, Waits] = defaultdict(list)
    for moment, ms in waits:
        phase = watch.phase_at(moment - ms / 1000)
        by_phase[phase if each else "planning" if phase in PLANNING else "writing"].append((moment, ms))
    for phase, some in by_phase.items():
        report(f"  {phase}", 0, some, against=idle)


def measure(paths: Paths, writers: int, going: Callable[[], bool]) -> Waits:
    """Let writers write until the condition ends."""
    started = _start(paths, writers)
    while going():
        time.sleep(LOOK_S)
    return _stop(started)


def _start(paths: Paths, writers: int) -> list[subprocess.Popen[bytes]]:
    command = [sys.executable, __file__, "--write", str(paths.home)]
    return [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(writers)]


def _stop(started: Sequence[subprocess.Popen[bytes]]) -> Waits:
    waits: Waits = []
    for writer in started:
        told, _ = writer.communicate(b"stop\n")
        waits += [(moment, ms) for moment, ms in json.loads(told)]
    return waits


def _control(base: Path) -> Paths:
    """The same home once more, where nobody dreams."""
    shutil.copytree(base / "home", base / "elsewhere" / "home")
    return Paths(base / "elsewhere" / "home")


def write_until_told(paths: Paths) -> None:
    """One writer: a note every 20 ms until standard input says stop."""
    store, waits, n = open_store(paths.store), [], 0
    os.set_blocking(0, False)
    while not sys.stdin.buffer.raw.read(1):  # type: ignore[attr-defined]
        n += 1
        began, now = time.perf_counter(), datetime.now(UTC)
        note = Candidate(f"Remember note {n} of {os.getpid()}.", Origin.USER, now, Scope("project", "notes"),
                         key=f"{os.getpid()}-{n}")
        try:
            with locks.foreground(paths.locks), store.writing() as tx:
                observations.append(tx, [note], stored_at=now, key=b"k" * 32)
        except locks.WriteBusy:
            pass  # counted with the whole budget it waited
        waits.append((time.monotonic(), (time.perf_counter() - began) * 1000))
        time.sleep(PAUSE_S)
    store.close()
    sys.stdout.write(json.dumps(waits))


def report(state: str, writers: int, waits: Waits, *, against: Waits = ()) -> None:  # type: ignore[assignment]
    """One line a measurement, with the ratios to what was measured before it."""
    if not waits:
        return
    p50, p99, longest = _quantiles(waits)
    ratios = ""
    if against:
        idle50, idle99, _ = _quantiles(against)  # of the line before, or of the writers elsewhere
        ratios = f"  p50 {p50 / idle50:.2f}x  p99 {p99 / idle99:.2f}x"
    name = f"{writers} writers" if writers else ""
    print(f"{state:<17}{name:<10} n={len(waits):<6} p50={p50:6.2f}  p99={p99:6.1f}  max={longest:6.1f} ms{ratios}"
          f"  load={os.getloadavg()[0]:.1f}", flush=True)


def _quantiles(waits: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    ms = sorted(took for _, took in waits)
    return ms[len(ms) // 2], ms[min(len(ms) - 1, int(len(ms) * 0.99))], ms[-1]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=2000)
    parser.add_argument("--writers", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--idle-s", type=float, default=15.0)
    parser.add_argument("--judge", choices=("auto", "rules"), default="auto")
    parser.add_argument("--control", action="store_true", help="compare with writers of another home at the same time")
    parser.add_argument("--phases", action="store_true", help="show each phase by itself")
    parser.add_argument("--write", metavar="HOME", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
