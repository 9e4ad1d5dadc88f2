"""The recall server beside the service: started when somebody asked and found nobody listening, left to go by itself."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from dreamd.agents import recall_line
from dreamd.core.clock import SystemClock
from dreamd.service.nursery import QUIET_ENV


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
