"""A running service in a throw-away home, with a person whose agents write transcripts: how tests meet a living process."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from dreamd.core.clock import iso
from dreamd.core.paths import Paths
from standing_by import tell_dream

EAGER = """
[service]
settle_s = 0
quiet_minutes = 0
min_hours = 0
volume_base = 1
max_load_per_core = 16
min_free_percent = 0
"""
ONLY_EXTRACTION = """
[service]
settle_s = 0
quiet_minutes = 0
volume_base = 100000
volume_sessions = 1000
max_load_per_core = 16
min_free_percent = 0
[extraction]
every_turns = 2
min_minutes = 0
"""
SERVE = """
import json, sys
from dataclasses import replace
from pathlib import Path
from dreamd.core.clock import SystemClock
from dreamd.core.errors import DreamError
from dreamd.core.paths import Paths, read_environment
from dreamd.service.run import Rhythm, Service
from dreamd.core.settings import load_settings
from dreamd.core.world import World

home, config, rhythm, overrides = Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3]), json.loads(sys.argv[4])

def world():
    settings = load_settings(config)
    return World(Paths(home), replace(settings, service=replace(settings.service, **overrides)), SystemClock(),
                 read_environment())

def say(event, **fields):
    print(json.dumps({"event": event, **fields}, default=dict), flush=True)

try:
    sys.exit(Service(world(), config=config, reload=world, say=say, rhythm=Rhythm(**rhythm)).run())
except DreamError as error:
    print(error.message, file=sys.stderr)
    sys.exit(error.exit_code)
"""
QUICK = {"tick_s": 0.2, "rescan_s": 0.6, "gap_s": 60.0, "stop_s": 5.0}


SHIFTED = Path(__file__).parent / "shifted"
"""Holds the module that sets the clock of a process."""
SEARCHED = tuple(p for p in sys.path if p and Path(p, "dreamd").is_dir())
"""Where this test found dream: a process it starts is to find the same one."""


@dataclass
class Place:
    """A throw-away home and person, and the processes a test starts there."""

    base: Path
    clock: Path | None = None
    """A file that says by how many seconds the clock of every process here is wrong."""
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def paths(self) -> Paths:
        return Paths(self.base / "home")

    @property
    def said(self) -> Path:
        """What the service said since it was started last."""
        return self.base / "said"

    @property
    def talk(self) -> Path:
        return self.base / "person" / ".claude" / "projects" / "-srv-app" / "s1.jsonl"

    @property
    def env(self) -> dict[str, str]:
        env = {"HOME": str(self.base / "person"), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"}
        if self.clock is not None:
            env |= {"PYTHONPATH": os.pathsep.join((str(SHIFTED), *SEARCHED)), "DREAM_TEST_CLOCK": str(self.clock)}
        return env

    def serve(self, settings: str, *, rhythm: dict[str, float] | None = None, **overrides: float) -> subprocess.Popen[str]:
        config = self.base / "dream.toml"
        config.write_text(settings)
        with self.said.open("w") as said:
            service = subprocess.Popen(
                [sys.executable, "-c", SERVE, str(self.paths.home), str(config), json.dumps(QUICK | (rhythm or {})),
                 json.dumps(overrides)], env=self.env, stdout=said, stderr=subprocess.DEVNULL, text=True)
        self.started.append(service)
        return service

    def dream(self, *words: str, now: str = "") -> subprocess.CompletedProcess[str]:
        return tell_dream(["--home", str(self.paths.home), *words, *(["--now", now] if now else [])], env=self.env)

    def events(self, name: str = "", **wanted: object) -> list[dict[str, object]]:
        said = self.said.read_text().splitlines()
        told = [json.loads(line) for line in said if line.startswith("{")]
        return [e for e in told if (not name or e["event"] == name) and all(e.get(k) == v for k, v in wanted.items())]

    def waits_for(self, true: Callable[[], object], within_s: float = 180.0) -> None:
        end = time.monotonic() + within_s
        while not true():
            assert time.monotonic() < end, self.said.read_text()[-1500:] if self.said.exists() else "no service was started"
            time.sleep(0.03)

    def comes_to_rest(self) -> None:
        """Wait until `dream check` finds nothing: a dream that was only just seen to decide may still write its files."""
        self.waits_for(lambda: self.dream("check").returncode == 0)

    def child(self) -> int:
        self.waits_for(lambda: self.events("cycle.started"))
        return int(str(self.events("cycle.started")[-1]["pid"]))

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self.paths.store, timeout=5)) as store:
            return store.execute(sql).fetchall()

    def says(self, *prompts: str) -> None:
        """A person types, the agent answers, in a transcript as it grows on disk."""
        self.talk.parent.mkdir(parents=True, exist_ok=True)
        with self.talk.open("a") as stream:
            for prompt in prompts:
                for kind, message in (("user", {"role": "user", "content": prompt}),
                                      ("assistant", {"role": "assistant", "stop_reason": "end_turn",
                                                     "content": [{"type": "text", "text": "Understood, done."}]})):
                    stream.write(json.dumps({
                        "type": kind, "message": message, "uuid": str(uuid.uuid4()), "sessionId": "s1", "cwd": "/srv/app",
                        "isSidechain": False, "parentUuid": None, "userType": "external", "version": "2.0.0",
                        "timestamp": iso(datetime.now(UTC))}) + "\n")

    def ends(self, service: subprocess.Popen[str], within_s: float = 120.0) -> int:
        service.send_signal(signal.SIGTERM)
        return service.wait(timeout=within_s)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False
