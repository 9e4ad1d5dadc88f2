"""The child that dreams: started with low priority, watched, asked to stop, and understood when it ends.

The recall server beside the service: started when somebody asked and found nobody listening, left to go by itself.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from dreamd.agents import recall_line
from dreamd.core.clock import Clock, SystemClock
from dreamd.core.errors import Outage

QUIET_ENV = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1",
             "TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
MODULE = "dreamd.service.child"
ANSWER_BYTES = 65_536
CLEAN_CODES = frozenset({0, 3, 4, 11})
"""Ends that are no outage: done, partly done, refused by a safety limit, somebody else is dreaming."""


@dataclass(frozen=True)
class Task:
    """What a child is asked to do."""

    mode: str
    """`dream`, `gather` or `inbox`."""
    pace: str = "full"
    paths: tuple[Path, ...] = ()
    why: str = ""
    """Why it is due and what had held it back, for the record of the run."""


@dataclass(frozen=True)
class Ended:
    """How a child ended."""

    task: Task
    code: int
    seconds: float
    told: Mapping[str, object] = field(default_factory=dict)
    overdue: bool = False
    asked: bool = False
    """We asked it to stop; before it listens to us, that ends it like any other process."""

    @property
    def outcome(self) -> str:
        return str(self.told.get("outcome", "")) or ("killed" if self.code < 0 else "failed")

    def failure(self) -> Outage | None:
        """The outage this end amounts to, for a child that could not say so itself; None where there is none."""
        if self.code in CLEAN_CODES or "component" in self.told:
            return None
        if self.asked and not self.overdue and self.code in (-signal.SIGTERM, -signal.SIGKILL):
            return None
        if self.overdue:
            return Outage("the dream took longer than any honest one and was ended", component="cycle",
                          code="child-timeout", hint="run `dream consolidate -v` and look at what takes so long")
        if self.code < 0:
            name = signal.Signals(-self.code).name if -self.code in list(signal.Signals) else str(-self.code)
            return Outage(f"the dream was ended by {name}", component="cycle", code=f"child-{name.lower()}",
                          hint="run `dream consolidate` by hand to see why; nothing is lost")
        return Outage(f"the dream ended with code {self.code}", component="cycle", code=f"child-exit-{self.code}",
                      hint=str(self.told.get("hint") or "run `dream consolidate` by hand to see why; nothing is lost"))


class Child:
    """A dream in its own process.

    Raises Outage when the system starts none: the environment is gone, or there is no room for another process.
    """

    def __init__(self, task: Task, *, home: Path, config: Path, env: Mapping[str, str], clock: Clock) -> None:
        self.task = task
        self._clock = clock
        self._started_s = clock.monotonic()
        self._asked_s: float | None = None
        self.overdue = False
        command: Sequence[str] = [sys.executable, "-m", MODULE, task.mode, "--home", str(home), "--config", str(config),
                                  "--pace", task.pace, "--parent", str(os.getpid()), f"--why={task.why}",
                                  *(f"--only={p}" for p in task.paths[:500])]
        try:
            # Its stderr goes nowhere: a library's warning may quote what it was given.
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                             stderr=subprocess.DEVNULL, env={**env, **QUIET_ENV}, close_fds=True)
        except FileNotFoundError as error:
            raise Outage(f"`{sys.executable}` is gone: the environment was moved or removed", component="cycle",
                         code="environment-gone", hint="run `dream service install` from the new environment") from error
        except OSError as error:
            raise Outage(f"no process could be started: {os.strerror(error.errno or 0)}", component="cycle",
                         code="no-process", hint="nothing is lost; it is tried again") from error

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def asked(self) -> bool:
        return self._asked_s is not None

    def runs_s(self) -> float:
        """For how long it has been running."""
        return self._clock.monotonic() - self._started_s

    def waits_s(self) -> float:
        """For how long it has been asked to stop."""
        return self._clock.monotonic() - self._asked_s if self._asked_s is not None else 0.0

    def ask_to_stop(self) -> None:
        """Ask once; a second signal would make it leave without finishing its batch."""
        if self._asked_s is None:
            self._asked_s = self._clock.monotonic()
            with suppress(ProcessLookupError):
                self._process.terminate()

    def kill(self) -> None:
        """End it at once: every step of a dream survives this."""
        with suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGCONT)
            self._process.kill()

    def poll(self) -> Ended | None:
        """How it ended, or None while it runs."""
        code = self._process.poll()
        if code is None:
            return None
        return Ended(self.task, code, round(self.runs_s(), 3), self._answer(), self.overdue, self.asked)

    def _answer(self) -> Mapping[str, object]:
        stream = self._process.stdout
        if stream is None:
            return {}
        with stream:
            body = stream.read(ANSWER_BYTES)
        with suppress(ValueError, IndexError):
            told = json.loads(body.splitlines()[-1])
            if isinstance(told, dict):
                return told
        return {}


class Companion:
    """One recall server for a home; a crash of it is nobody's outage, for every client can do without."""

    def __init__(self, home: Path, *, config: Path, env: Mapping[str, str]) -> None:
        self._home, self._config, self._env = home, config, env
        self._process: subprocess.Popen[bytes] | None = None

    def attend(self) -> None:
        """Start the server when it is wanted and not there; one that has ended is let go."""
        if self._process is not None and self._process.poll() is None:
            return
        self._process = None
        if recall_line.is_wanted(self._home, now_s=SystemClock().now().timestamp()):
            command = recall_line.command(self._home, config=self._config, parent=os.getpid())
            with suppress(OSError):  # no room for a process: clients go on doing the work themselves
                self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                                 stderr=subprocess.DEVNULL, env={**self._env, **QUIET_ENV}, close_fds=True)

    def stop(self) -> None:
        """Ask it to go; it holds nothing that could be lost."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=2)
