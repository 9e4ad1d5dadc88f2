"""Faults below everything: `strace` makes the system calls of a real `dream consolidate` fail, SQLite's own among them.

The shim of `faults.py` sees what goes through dream's doors. This sees what reaches the kernel.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import scenario

from household import House, differences, snapshot

Tell = Callable[[str], None]
CALLS = ("fsync", "fdatasync", "pwrite64", "write", "rename", "unlink", "ftruncate", "mkdir")
HOW = ("error=EIO:when={n}", "error=EIO:when={n}+", "error=ENOSPC:when={n}", "error=ENOSPC:when={n}+", "error=EROFS:when={n}+",
       "error=EDQUOT:when={n}+", "signal=KILL:when={n}", "delay_enter=200000:when={n}..{m}")
HANDFUL = (("pwrite64", "error=ENOSPC:when=60+"), ("rename", "signal=KILL:when=4"))
TRACEBACK = "Traceback (most recent call last)"


@dataclass
class Traced:
    """A home before its night, what a calm night makes of it, and how many of each call that takes."""

    prepared: House
    room: Path
    calls: Counter[str]
    wanted: dict[str, object]

    def fresh(self) -> House:
        """The prepared home once more."""
        root = self.room / "case"
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
        return self.prepared.copy_to(root)

    def suffer(self, call: str, how: str) -> list[str]:
        """One call goes wrong; then the dream runs again. What differs from a calm night."""
        house = self.fresh()
        code, told = consolidate(house, self.room, "--seccomp-bpf", "-e", f"trace={call}", "-e", f"inject={call}:{how}")
        wrong = [f"an error nobody can act on: {told[-300:]}"] if TRACEBACK in told or "crash" in told else []
        # 120 is Python's own, where not even stderr takes a word any more.
        if code not in (0, 1, 12, 13, 120, 137, -9):
            wrong.append(f"ended with {code}")
        again, told = consolidate(house, self.room)
        wrong += [f"ran again and ended with {again}: {told[-300:]}"] if again else []
        return wrong + house.faults(scenario.NIGHT) + differences(self.wanted, snapshot(house.home))


def consolidate(house: House, room: Path, *strace: str) -> tuple[int, str]:
    """The command itself in a process of its own: (exit code, what it complained about)."""
    env = {"PATH": os.environ["PATH"], "HOME": str(house.person), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1",
           "TZ": "UTC", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    words = [sys.executable, "-m", "dreamd.cli.main", "--home", str(house.home), "--config", str(room / "dream.toml"), "--now",
             scenario.NIGHT, "consolidate"]
    watched = ["strace", "-f", "-qq", "-o", str(room / "trace"), *strace] if strace else []
    told = subprocess.run([*watched, *words], env=env, capture_output=True, text=True, timeout=300, check=False)
    return told.returncode, told.stderr


@pytest.fixture(scope="module")
def traced(_before: House, tmp_path_factory: pytest.TempPathFactory) -> Traced:
    if shutil.which("strace") is None:
        pytest.skip("`strace` is not here")
    if subprocess.run(["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=fsync", "-o", "/dev/null", "true"],
                      capture_output=True, check=False).returncode:
        pytest.skip("this machine lets no process be traced")
    room = tmp_path_factory.mktemp("traced")
    (room / "dream.toml").write_text("")
    made = Traced(_before.copy_to(room / "before"), room, Counter(), {})
    house = made.fresh()
    code, told = consolidate(house, room, "--seccomp-bpf", "-e", f"trace={','.join(CALLS)}")
    assert code == 0, told
    made.calls = Counter(re.findall(r"(?m)^\d+\s+(\w+)\(", (room / "trace").read_text()))
    made.wanted = snapshot(house.home)
    assert house.faults(scenario.NIGHT) == []
    return made


def suffered(traced: Traced, cases: Sequence[tuple[str, str]]) -> list[str]:
    """All cases; what each left wrong."""
    return [f"{call} {how}: {wrong}" for call, how in cases for wrong in traced.suffer(call, how)]


def test_a_system_call_that_fails_under_a_real_dream_loses_nothing(traced: Traced, tell: Tell) -> None:
    wrong = suffered(traced, HANDFUL)
    tell(f"{len(HANDFUL)} faults in the {sum(traced.calls.values())} system calls of a dream, {len(wrong)} anomalies")
    assert wrong == []


@pytest.mark.slow
def test_any_system_call_may_fail_under_a_real_dream(traced: Traced, tell: Tell) -> None:
    seed = int(os.environ.get("DREAM_SEED", str(random.SystemRandom().randint(1, 10**6))))
    chance, most = random.Random(seed), int(os.environ.get("DREAM_CALLS", "400"))
    everything = [(call, how.format(n=n, m=n + 2)) for call in CALLS for n in range(1, traced.calls[call] + 1) for how in HOW]
    cases = chance.sample(everything, min(most, len(everything)))
    wrong = suffered(traced, cases)
    tell(f"{len(cases)} of {len(everything)} faults in {dict(traced.calls)}, seed {seed}, {len(wrong)} anomalies")
    assert wrong == []


def test_a_call_that_lies_would_be_caught(traced: Traced) -> None:
    """The control: a kernel that says a file was moved when it was not must leave a difference behind."""
    house = traced.fresh()
    consolidate(house, traced.room, "--seccomp-bpf", "-e", "trace=rename", "-e", "inject=rename:retval=0:when=3+")
    assert differences(traced.wanted, snapshot(house.home)) or house.faults(scenario.NIGHT)
