"""Real processes in a home of their own: what a person would see, byte for byte."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from standing_by import lay_graphs, linked, run_dream

MONDAY = "2026-03-02T09:00:00Z"
TUESDAY = "2026-03-03T09:00:00Z"
FRIDAY = "2026-03-20T09:00:00Z"
SECONDS = 120


@dataclass(frozen=True)
class Told:
    """What a command said and how it ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output, and nothing beside it."""
        return json.loads(self.out)


@dataclass
class Terminal:
    """Runs `dream` below a directory of its own; nothing of the person who runs the tests leaks in or out."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (self.root / "person").mkdir(parents=True, exist_ok=True)
        passed = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "PYTHONPATH", "OMP_NUM_THREADS")
        kept = {k: v for k, v in os.environ.items() if k in passed}
        self.env = {**kept, "HOME": str(self.person), "TZ": "UTC", "XDG_STATE_HOME": str(self.root / "state"),
                    "XDG_CONFIG_HOME": str(self.root / "config"), "XDG_DATA_HOME": str(self.root / "share"),
                    "XDG_RUNTIME_DIR": str(self.root / "runtime"), "DREAM_HOME": str(self.home), **self.env}

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def person(self) -> Path:
        return self.root / "person"

    def words(self, *words: str, now: str | None = None) -> list[str]:
        """A command with its time; its home is in the environment."""
        return [*(["--now", now] if now else []), *words]

    def command(self, *words: str, now: str | None = None) -> list[str]:
        """The command line that is run."""
        return [sys.executable, "-m", "dreamd.cli.main", *self.words(*words, now=now)]

    def __call__(self, *words: str, now: str | None = MONDAY, stdin: str | bytes = b"", **env: str) -> Told:
        """Run one command to its end."""
        body = stdin.encode() if isinstance(stdin, str) else stdin
        done = run_dream(self.words(*words, now=now), stdin=body, timeout=SECONDS, env={**self.env, **env}, cwd=self.person)
        told = Told(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))
        assert "Traceback" not in told.err + told.out, told.err
        return told

    def json(self, *words: str, now: str | None = MONDAY, stdin: str | bytes = b"") -> Any:
        """Run one command that must succeed and give its document."""
        told = self(*words, "--json", now=now, stdin=stdin)
        assert told.code == 0, (told.code, told.err, told.out[:400])
        return told.document

    def start(self, *words: str, now: str | None = MONDAY) -> subprocess.Popen[bytes]:
        """Start a command and let it run."""
        return subprocess.Popen(self.command(*words, now=now), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.env, cwd=self.person)

    def settings(self, text: str) -> None:
        """Write the settings file."""
        path = self.root / "config" / "dream" / "dream.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def files(self) -> dict[str, bytes]:
        """Every file below the home but the graphs of networks."""
        return {str(p.relative_to(self.home)): p.read_bytes() for p in sorted(self.home.rglob("*"))
                if p.is_file() and p.suffix != ".graph"}


@pytest.fixture
def dream(tmp_path: Path) -> Terminal:
    """An empty home."""
    return Terminal(tmp_path)


NOTES = (
    {"key": "port", "text": "The billing API listens on port 8080.", "conversation": "one"},
    {"key": "tests", "text": "Always run the linter before pushing to the shared branch.", "conversation": "one"},
    {"key": "freeze", "text": "The release freeze lasts until 2026-03-10.", "conversation": "one"},
    {"key": "held", "text": "The nightly import is owned by the data platform team.", "origin": "web"},
)


@pytest.fixture(scope="session")
def _lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    terminal = Terminal(tmp_path_factory.mktemp("lived-in"))
    lines = "".join(json.dumps({**note, "at": MONDAY}) + "\n" for note in NOTES)
    terminal.json("note", "--jsonl", "-", stdin=lines)
    terminal.json("consolidate")
    lay_graphs(terminal.root / "home")
    return terminal.root


@pytest.fixture
def lived_in(_lived_in: Path, tmp_path: Path) -> Iterator[Terminal]:
    """A home after one dream over a handful of notes; each test has its own copy."""
    root = tmp_path / "copy"
    shutil.copytree(_lived_in, root, symlinks=True, copy_function=linked)
    with closing(sqlite3.connect(root / "home" / "dream.db")) as connection, connection:
        # A copied file has another number on the disk; the store would look into it, as after any copy.
        for (path,) in connection.execute("SELECT path FROM file").fetchall():
            connection.execute("UPDATE file SET inode = ? WHERE path = ?", ((root / "home" / path).stat().st_ino, path))
    yield Terminal(root)


@pytest.fixture
def memory_of(lived_in: Terminal) -> Callable[[str], Any]:
    """The memory whose text contains some words."""
    def find(words: str) -> Any:
        found = [m for m in lived_in.json("list", "--all")["memories"] if words in m["text"]]
        assert len(found) == 1, found
        return found[0]

    return find
