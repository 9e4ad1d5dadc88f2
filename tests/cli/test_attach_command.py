"""`dream attach` and `dream detach` from the shell."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from standing_by import tell_dream

INDEX = "# Memory\n\n- the office is closed, TTL: 2026-05-01\n- ask Ada before a release\n"


def dream(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "HOME": str(root), "DREAM_HOME": str(root / "home"), "DREAM_NOW": "2026-05-08T12:00:00Z", "TZ": "UTC"}
    return tell_dream(words, env=env)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    root = tmp_path / "memory"
    root.mkdir()
    (root / "MEMORY.md").write_text(INDEX)
    return root


def test_nothing_is_changed_before_somebody_agreed(tmp_path, directory):
    shown = dream(tmp_path, "attach", str(directory), "--dry-run")
    assert shown.returncode == 0 and "-- the office is closed, TTL: 2026-05-01\n" in shown.stderr
    assert not (tmp_path / "home" / "dream.db").exists()
    asked = dream(tmp_path, "attach", str(directory))
    assert asked.returncode == 4 and "--yes" in asked.stderr
    assert (directory / "MEMORY.md").read_text() == INDEX


def test_an_attached_directory_is_changed_listed_and_left_alone_again(tmp_path, directory):
    done = dream(tmp_path, "--json", "attach", str(directory), "--yes")
    told = json.loads(done.stdout)
    assert (told["dialect"], told["attached"], told["changed"]) == ("claude", True, ["MEMORY.md"])
    assert [(e["action"], e["reason"]) for e in told["edits"]] == [("end", "expired")]
    assert (directory / "MEMORY.md").read_text() == "# Memory\n\n- ask Ada before a release\n"
    listed = json.loads(dream(tmp_path, "--json", "attach").stdout)
    assert [a["directory"] for a in listed["attached"]] == [str(directory)]
    assert dream(tmp_path, "detach", str(directory)).returncode == 0
    assert dream(tmp_path, "detach", str(directory)).returncode == 2


def test_a_directory_nobody_knows_is_a_question_back(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.md").write_text("- one\n")
    refused = dream(tmp_path, "attach", str(tmp_path / "x"), "--yes")
    assert refused.returncode == 2 and "--dialect" in refused.stderr
