"""How long a note waits while a dream works, against the same notes with nobody dreaming, in one run.

    python tests/bench/foreground.py --observations 2000 --writers 1 8

Each writer does what `dream note` does: open the turnstile, append in one short transaction, leave. Prints p50, p99
and the longest wait in milliseconds, with the load of the machine, for waits grow with what else it has to do.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from dreamd import mutex
from dreamd.model import Candidate, Origin, Scope
from dreamd.paths import Paths
from dreamd.store import observations, schema
from dreamd.store.connection import open_store

WORDS = ("alder", "birch", "cedar", "damson", "elder", "fir", "hazel", "ivy", "larch", "maple", "oak", "pine", "rowan")
PAUSE_S = 0.02


def main() -> None:
    """Measure idle and dreaming for each number of writers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--observations", type=int, default=2000)
    parser.add_argument("--writers", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--idle-s", type=float, default=15.0)
    parser.add_argument("--write", metavar="HOME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write:
        write_until_told(Paths(Path(options.write)))
        return
    for writers in options.writers:
        with tempfile.TemporaryDirectory(prefix="dream-foreground-") as base:
            paths = Paths(Path(base) / "home")
            fill(paths, options.observations)
            until = time.monotonic() + options.idle_s
            report("idle", writers, measure(paths, writers, lambda end=until: time.monotonic() < end))
            child = subprocess.Popen([sys.executable, "-m", "dreamd.service.child", "dream", "--home", str(paths.home),
                                      "--config", f"{base}/none.toml"], env={**os.environ, "HOME": base},
                                     stdout=subprocess.DEVNULL)
            report("dreaming", writers, measure(paths, writers, lambda running=child: running.poll() is None))


def fill(paths: Paths, count: int) -> None:
    """A store with made-up observations that wait for their first dream."""
    paths.locks.mkdir(parents=True, mode=0o700)
    now, chance = datetime.now(UTC), random.Random(1)
    store = open_store(paths.store, create_with=schema.Founding(now, "UTC"))
    said = [Candidate(f"The {chance.choice(WORDS)} {chance.choice(WORDS)} service {n} listens on port {10000 + n}.",
                      Origin.USER, now, Scope("project", f"p{n % 8}"), key=str(n)) for n in range(count)]
    with store.writing() as tx:
        observations.append(tx, said, stored_at=now, key=b"k" * 32)
    store.close()


def measure(paths: Paths, writers: int, going: Callable[[], bool]) -> list[float]:
    """Let writers write until the condition ends; every wait in milliseconds."""
    command = [sys.executable, __file__, "--write", str(paths.home)]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(writers)]
    while going():
        time.sleep(0.2)
    waits: list[float] = []
    for writer in started:
        told, _ = writer.communicate(b"stop\n")
        waits += json.loads(told)
    return sorted(waits)


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
            with mutex.foreground(paths.locks), store.writing() as tx:
                observations.append(tx, [note], stored_at=now, key=b"k" * 32)
        except mutex.WriteBusy:
            pass  # counted with the whole budget it waited
        waits.append((time.perf_counter() - began) * 1000)
        time.sleep(PAUSE_S)
    store.close()
    sys.stdout.write(json.dumps(waits))


def report(state: str, writers: int, waits: list[float]) -> None:
    """One line a measurement."""
    p50, p99 = waits[len(waits) // 2], waits[min(len(waits) - 1, int(len(waits) * 0.99))]
    sys.stdout.write(f"{state:<9}{writers} writers  n={len(waits):<6} p50={p50:6.1f}  p99={p99:6.1f}  max={waits[-1]:6.1f} ms"
                     f"  load={os.getloadavg()[0]:.1f}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
