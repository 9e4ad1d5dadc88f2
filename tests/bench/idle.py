"""What the service costs when there is nothing to do: processor, wake-ups, memory and bytes written.

    python tests/bench/idle.py --minutes 10

Starts `dream run` in a home of its own with a small store and an agent's folder to watch, lets it settle for a few
seconds, and reads the kernel's own counters. Wake-ups are voluntary context switches of every thread.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

WARM_UP_S = 8.0


@dataclass(frozen=True)
class Counters:
    """What the kernel has counted for a process so far."""

    cpu_s: float
    wake_ups: int
    written_bytes: int


def read_counters(pid: int) -> Counters:
    """The counters of all threads of a process."""
    wake_ups, cpu_ns = 0, 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        cpu_ns += int((task / "schedstat").read_text().split()[0])
        line = next(line for line in (task / "status").read_text().splitlines() if line.startswith("voluntary"))
        wake_ups += int(line.split()[1])
    written = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())["write_bytes"]
    return Counters(cpu_ns / 1e9, wake_ups, int(written))


def resident_mib(pid: int) -> dict[str, float]:
    """Resident memory now, at its highest, and what of it belongs to this process alone."""
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    smaps = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
    own = sum(int(smaps[name].split()[0]) for name in ("Private_Clean", "Private_Dirty"))
    return {name: round(int(kib) / 1024, 1) for name, kib in
            (("now", status["VmRSS"].split()[0]), ("highest", status["VmHWM"].split()[0]), ("own", own))}


def measure(minutes: float) -> dict[str, object]:
    """Run a service that has nothing to do, and say what it cost."""
    with tempfile.TemporaryDirectory(prefix="dream-idle-") as base:
        home = Path(base) / "home"
        (Path(base) / ".claude" / "projects" / "-srv-app").mkdir(parents=True)
        env = {"HOME": base, "PATH": os.environ["PATH"], "DREAM_HOME": str(home)}
        dream = [sys.executable, "-m", "dreamd.cli.main"]
        for words in (("-q", "note", "The staging server listens on port 4001."), ("-q", "consolidate")):
            subprocess.run([*dream, *words], env=env, check=True, stdout=subprocess.DEVNULL)
        service = subprocess.Popen([*dream, "run"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(WARM_UP_S)
            started, before = time.monotonic(), read_counters(service.pid)
            time.sleep(60 * minutes)
            after, seconds = read_counters(service.pid), time.monotonic() - started
            memory = resident_mib(service.pid)
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait(timeout=30)
    spent = {name: asdict(after)[name] - asdict(before)[name] for name in asdict(before)}
    return {"seconds": round(seconds, 1), "cpu_s": round(spent["cpu_s"], 4),
            "cpu_percent": round(100 * spent["cpu_s"] / seconds, 4),
            "wake_ups": spent["wake_ups"], "wake_ups_per_minute": round(60 * spent["wake_ups"] / seconds, 2),
            "written_bytes": spent["written_bytes"], "resident_mib": memory}


def main() -> None:
    """Measure and print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    options = parser.parse_args()
    print(json.dumps(measure(options.minutes), indent=1))


if __name__ == "__main__":
    main()
