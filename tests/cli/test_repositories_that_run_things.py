"""A repository's own settings name programs; dream, which works in it as the person, runs none of them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from standing_by import tell_dream

INDEX = "# Memory\n\n- the office is closed, TTL: 2026-05-01\n- ask Ada before a release\n"
HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-index-change", "reference-transaction",
         "pre-auto-gc", "post-rewrite", "fsmonitor-watchman")


def git(place: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(place), "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words],
                          capture_output=True, text=True, check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"})
    return done.stdout


def attach(home: Path, place: Path, **also: str) -> dict[str, object]:
    env = {**os.environ, "HOME": str(home), "DREAM_HOME": str(home / "home"), "DREAM_NOW": "2026-05-08T12:00:00Z", "TZ": "UTC",
           **also}
    done = tell_dream(["--json", "attach", str(place), "--commit", "--yes"], env=env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a trace of every time it is run."""
    place = tmp_path / "trap.sh"
    place.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/sprung\ncat\n')
    place.chmod(0o755)
    return place


@pytest.fixture
def repository(tmp_path: Path, trap: Path) -> Path:
    """A memory directory in a repository whose settings name the trap wherever git would take a program."""
    root = tmp_path / "project"
    memory = root / "memory"
    memory.mkdir(parents=True)
    git(tmp_path, "init", "-q", "-b", "main", str(root))
    (memory / "MEMORY.md").write_text(INDEX)
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    for key in ("core.fsmonitor", "core.editor", "core.pager", "core.sshCommand", "core.askPass", "core.alternateRefsCommand",
                "gpg.program", "gpg.ssh.program", "diff.external", "diff.trap.textconv", "diff.trap.command",
                "filter.trap.clean", "filter.trap.smudge", "filter.trap.process", "merge.trap.driver",
                "credential.helper", "sequence.editor",
                "hook.trap.command", "alias.status", "pager.status", "trailer.trap.command"):
        git(root, "config", key, str(trap))
    for key in ("commit.gpgsign", "filter.trap.required", "status.submoduleSummary", "core.untrackedCache"):
        git(root, "config", key, "true")
    git(root, "config", "hook.trap.event", "post-commit")
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@example.org")
    for name in HOOKS:
        (root / ".git" / "hooks" / name).symlink_to(trap)
    return memory


def test_a_commit_runs_no_hook_watcher_or_signer_of_the_repository(tmp_path, repository):
    done = attach(tmp_path, repository)
    assert done["commit"], done
    assert not (tmp_path / "sprung").exists(), (tmp_path / "sprung").read_text()
    assert (repository / "MEMORY.md").read_text() == "# Memory\n\n- ask Ada before a release\n"
    back = tell_dream(["--home", str(tmp_path / "home"), "--json", "undo", str(done["run"])],
                      env={**os.environ, "HOME": str(tmp_path)})
    assert json.loads(back.stdout)["commit"] and not (tmp_path / "sprung").exists()
    assert (repository / "MEMORY.md").read_text() == INDEX


def test_hooks_that_lie_elsewhere_stay_unrun_too(tmp_path, repository, trap):
    elsewhere = tmp_path / "hooks"
    elsewhere.mkdir()
    for name in HOOKS:
        (elsewhere / name).symlink_to(trap)
    git(repository, "-c", "core.fsmonitor=false", "config", "core.hooksPath", str(elsewhere))
    assert attach(tmp_path, repository)["commit"]
    assert not (tmp_path / "sprung").exists()


def test_files_with_a_filter_are_left_uncommitted_and_the_filter_unrun(tmp_path, repository):
    (repository.parent / ".git" / "info").mkdir(exist_ok=True)
    (repository.parent / ".git" / "info" / "attributes").write_text("*.md filter=trap diff=trap merge=trap\n")
    done = attach(tmp_path, repository)
    assert not done["commit"] and "filter" in " ".join(done["warnings"])
    assert not (tmp_path / "sprung").exists(), (tmp_path / "sprung").read_text()


def test_what_a_part_of_the_repository_would_run_stays_unrun(tmp_path, repository, trap):
    inner = tmp_path / "inner"
    git(tmp_path, "init", "-q", str(inner))
    (inner / "a").write_text("a")
    git(inner, "add", ".")
    git(inner, "commit", "-q", "-m", "inner")
    root = repository.parent
    quiet = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgsign=false")
    git(root, *quiet, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "memory/part")
    git(root, *quiet, "commit", "-q", "-m", "a part")
    git(root / "memory" / "part", "config", "core.fsmonitor", str(trap))
    (root / "memory" / "part" / "a").write_text("b")
    (tmp_path / "sprung").unlink(missing_ok=True)
    assert attach(tmp_path, repository)["commit"]
    assert not (tmp_path / "sprung").exists(), (tmp_path / "sprung").read_text()


def test_a_commit_goes_where_the_directory_is_whatever_the_environment_says(tmp_path, repository, trap):
    other = tmp_path / "other"
    git(tmp_path, "init", "-q", str(other))
    done = attach(tmp_path, repository, GIT_DIR=str(other / ".git"), GIT_WORK_TREE=str(other), GIT_EXTERNAL_DIFF=str(trap),
                  GIT_SSH_COMMAND=str(trap), GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="core.fsmonitor",
                  GIT_CONFIG_VALUE_0=str(trap))
    assert done["commit"] == git(repository, "-c", "core.fsmonitor=false", "rev-parse", "HEAD").strip()
    assert not (tmp_path / "sprung").exists()
