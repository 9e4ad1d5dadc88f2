"""Instruction files belong to their owner: `dream attach` proposes a change to them and never makes it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from standing_by import tell_dream

CLAUDE = ("# Lighthouse\n\n- Releases go out with Ansible\n- The storm webcam is off, TTL: 2026-04-01\n"
          "- Write British English\n- Write British English\n")


def dream(root: Path, *words: str, now: str = "2026-05-08T12:00:00Z") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "HOME": str(root), "DREAM_HOME": str(root / "home"), "DREAM_NOW": now, "TZ": "UTC"}
    return tell_dream(words, env=env)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A work tree with an instruction file of its owner and a committed memory directory."""
    root = tmp_path / "lighthouse"
    memory = root / ".claude" / "memory"
    memory.mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "CLAUDE.md").write_text(CLAUDE)
    os.utime(root / "CLAUDE.md", (1_767_225_600, 1_767_225_600))  # the first of January
    (memory / "MEMORY.md").write_text("# Memory\n\n- ask Ada before a release\n")
    return root


def bytes_and_times(root: Path) -> dict[str, tuple[bytes, int]]:
    return {str(p): (p.read_bytes(), p.stat().st_mtime_ns) for p in root.rglob("*.md") if p.name != "MEMORY.md"}


@pytest.mark.model
def test_what_a_person_said_since_is_proposed_for_the_file_and_no_byte_of_it_changes(tmp_path, repository):
    dream(tmp_path, "note", "--scope", "project:lighthouse",
          "We moved releases from Ansible to Nix; releases go out with Nix now", now="2026-05-01T09:00:00Z")
    assert dream(tmp_path, "consolidate", now="2026-05-02T03:00:00Z").returncode == 0
    before = bytes_and_times(repository)
    directory = str(repository / ".claude" / "memory")
    for words in (("attach", directory, "-n"), ("attach", directory, "--yes"), ("attach", directory, "-n")):
        told = json.loads(dream(tmp_path, "--json", *words).stdout)
        [proposal] = told["proposals"]
        assert proposal["file"] == str(repository / "CLAUDE.md")
        assert "\n-- Releases go out with Ansible\n" in proposal["diff"]
        assert "\n+- We moved releases from Ansible to Nix; releases go out with Nix now\n" in proposal["diff"]
        assert sorted(e["reason"] for e in proposal["edits"]) == ["duplicate", "expired", "updated"]
        assert bytes_and_times(repository) == before
    shown = dream(tmp_path, "attach", directory, "-n")
    assert "which is yours and stays as it is" in shown.stdout and "+- We moved releases" in shown.stdout


@pytest.mark.model
def test_looking_for_proposals_begins_no_run_though_something_has_to_be_embedded(tmp_path, repository):
    dream(tmp_path, "note", "--scope", "project:lighthouse", "Releases go out with Nix now", now="2026-05-01T09:00:00Z")
    dream(tmp_path, "consolidate", now="2026-05-02T03:00:00Z")
    assert dream(tmp_path, "attach", str(repository / ".claude" / "memory"), "--yes").returncode == 0
    with closing(sqlite3.connect(tmp_path / "home" / "dream.db")) as store, store:
        before = store.execute("SELECT id, ended_at FROM run").fetchall()
        assert store.execute("DELETE FROM vector").rowcount
    assert dream(tmp_path, "review").returncode == 0
    with closing(sqlite3.connect(tmp_path / "home" / "dream.db")) as store:
        assert store.execute("SELECT id, ended_at FROM run").fetchall() == before


@pytest.mark.model
def test_an_agents_own_note_proposes_nothing(tmp_path, repository):
    (repository / "CLAUDE.md").write_text("# Lighthouse\n\n- Releases go out with Ansible\n")
    os.utime(repository / "CLAUDE.md", (1_767_225_600, 1_767_225_600))
    dream(tmp_path, "note", "--scope", "project:lighthouse", "--origin", "agent",
          "We moved releases from Ansible to Nix; releases go out with Nix now", now="2026-05-01T09:00:00Z")
    dream(tmp_path, "consolidate", now="2026-05-02T03:00:00Z")
    told = json.loads(dream(tmp_path, "--json", "attach", str(repository / ".claude" / "memory"), "-n").stdout)
    assert told["proposals"] == []


def test_a_file_outside_the_work_tree_is_nobodys_business(tmp_path, repository):
    (repository / "CLAUDE.md").unlink()
    (tmp_path / "CLAUDE.md").write_text(CLAUDE)
    told = json.loads(dream(tmp_path, "--json", "attach", str(repository / ".claude" / "memory"), "-n").stdout)
    assert told["proposals"] == []


def test_review_shows_the_proposals_of_every_attached_directory_once(tmp_path, repository):
    assert dream(tmp_path, "attach", str(repository / ".claude" / "memory"), "--yes").returncode == 0
    notes = repository / "memory"
    notes.mkdir()
    (notes / "MEMORY.md").write_text("# Memory\n\n- ask Ben before a release\n")
    assert dream(tmp_path, "attach", str(notes), "--yes").returncode == 0
    before = bytes_and_times(repository)
    [proposal] = json.loads(dream(tmp_path, "--json", "review").stdout)["proposals"]
    assert proposal["file"] == str(repository / "CLAUDE.md")
    assert sorted(e["reason"] for e in proposal["edits"]) == ["duplicate", "expired"]
    shown = dream(tmp_path, "review").stdout
    assert "which is yours and stays as it is" in shown and "-- The storm webcam is off" in shown
    assert bytes_and_times(repository) == before


def test_review_shows_what_is_held_though_an_attached_directory_is_gone(tmp_path, repository):
    memory = repository / ".claude" / "memory"
    assert dream(tmp_path, "attach", str(memory), "--yes").returncode == 0
    (memory / "MEMORY.md").unlink()
    memory.rmdir()
    (repository / "CLAUDE.md").unlink()
    told = dream(tmp_path, "review")
    assert (told.returncode, told.stdout) == (0, "no memory waits for you\n")
