"""The start of a conversation waits for nothing longer than the settings allow, whatever lies in the directory it starts in."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from standing_by import tell_dream

Terminal = Any
"""What runs `dream` for a test."""
TUESDAY, FRIDAY = "2026-03-03T09:00:00Z", "2026-03-20T09:00:00Z"
PATIENCE_S = 15.0
"""Ten seconds are allowed here; the rest is a busy machine."""


def fifo(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(8 << 30)


def silent_terminal(path: Path) -> None:
    path.symlink_to("/dev/tty")


HEADS: tuple[Callable[[Path], None], ...] = (fifo, endless, huge, silent_terminal)


def start(terminal: Terminal, cwd: Path) -> tuple[str, float]:
    began = time.monotonic()
    told = terminal("hook", "session-start", now=FRIDAY, stdin=json.dumps(
        {"session_id": f"s-{cwd.name}", "cwd": str(cwd), "source": "startup", "hook_event_name": "SessionStart"}))
    assert told.code == 0
    return told.out, time.monotonic() - began


@pytest.fixture(scope="module")
def _known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("known")
    said = (("user", "Always answer in complete sentences."), ("user", "Always run the formatter before pushing."),
            ("project:cedar", "always run the formatter before pushing"))
    lines = "".join(json.dumps({"scope": s, "text": t}) + "\n" for s, t in said)
    for words, body in ((["note", "--jsonl", "-"], lines), (["consolidate"], "")):
        tell_dream(["--home", str(root / "home"), "--now", TUESDAY, *words], stdin=body, env={**os.environ, "HOME": str(root)})
    return root / "home"


@pytest.fixture
def known(dream: Terminal, _known: Path) -> Terminal:
    """A home that knows something of everybody's."""
    shutil.copytree(_known, dream.home)
    dream.settings("[priming]\ntimeout_ms = 10000\n")  # a busy machine needs more than the two seconds of the defaults
    return dream


@pytest.mark.parametrize("head", HEADS)
def test_a_start_tells_what_is_known_whatever_stands_for_the_head(known: Terminal, tmp_path: Path,
                                                                 head: Callable[[Path], None]) -> None:
    (tmp_path / "work" / ".git").mkdir(parents=True)
    head(tmp_path / "work" / ".git" / "HEAD")
    out, seconds = start(known, tmp_path / "work")
    assert "complete sentences" in out
    assert seconds < PATIENCE_S


@pytest.mark.parametrize("mark", HEADS)
def test_a_start_tells_what_is_known_whatever_stands_for_the_repository(known: Terminal, tmp_path: Path,
                                                                       mark: Callable[[Path], None]) -> None:
    (tmp_path / "work").mkdir()
    mark(tmp_path / "work" / ".git")
    out, seconds = start(known, tmp_path / "work")
    assert "complete sentences" in out
    assert seconds < PATIENCE_S


def test_a_worktree_that_leads_to_a_pipe_is_primed(known: Terminal, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work" / ".git").write_text(f"gitdir: {tmp_path / 'elsewhere'}\n")
    fifo(tmp_path / "elsewhere" / "HEAD")
    assert "complete sentences" in start(known, tmp_path / "work")[0]


def test_settings_that_never_end_do_not_keep_a_start_waiting(known: Terminal, tmp_path: Path) -> None:
    known.settings("")
    path = known.root / "config" / "dream" / "dream.toml"
    path.unlink()
    fifo(path)
    assert start(known, tmp_path)[1] < PATIENCE_S


def test_a_fact_that_stands_in_two_scopes_is_told_once(known: Terminal, tmp_path: Path) -> None:
    (tmp_path / "cedar").mkdir()
    assert len([m for m in known.json("list")["memories"] if "formatter" in m["text"]]) == 2
    assert start(known, tmp_path / "cedar")[0].casefold().count("run the formatter before pushing") == 1
