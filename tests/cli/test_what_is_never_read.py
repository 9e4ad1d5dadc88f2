"""Paths, projects and conversations that a person keeps from being read are not opened, and nothing of them is kept."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

DREAMT = "2026-03-03T09:00:00Z"


def talk(dream: Any, place: Path, text: str, conversation: str, *, then: Path | None = None) -> Path:
    folder = dream.person / ".claude" / "projects" / str(place).replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    lines = [{"type": "user", "sessionId": conversation, "cwd": str(cwd), "uuid": f"{conversation}-{n}", "parentUuid": None,
              "timestamp": f"2026-03-02T10:0{n}:00.000Z", "message": {"role": "user", "content": words}}
             for n, (cwd, words) in enumerate([(place, text), *([(then, text + " Also there.")] if then else [])])]
    path = folder / f"{conversation}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def kept(dream: Any) -> str:
    """Every byte below the home."""
    return "".join(body.decode("utf-8", "replace") for body in dream.files().values())


@pytest.fixture
def scene(dream: Any) -> Any:
    """Three projects with a conversation each, one of them a client's."""
    for name, word in (("open", "otter"), ("client", "badger"), ("client/deep/inside", "weasel"), ("side", "marten")):
        (dream.root / name).mkdir(parents=True)
        talk(dream, dream.root / name, f"From now on always greet the {word} first.", f"talk-{word[::-1]}")
    git = ["git", "-C", str(dream.root / "side")]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "remote", "add", "origin", "git@git.example:globex/side.git"], check=True)
    return dream


def test_settings_keep_paths_projects_and_conversations_out(scene):
    scene.settings(f'[sources]\nexclude = ["{scene.root}/client/", "project:globex/*", "conversation:talk-rett*"]\n')
    scene.json("consolidate", now=DREAMT)
    assert not any(word in kept(scene) for word in ("otter", "badger", "weasel", "marten"))
    before = scene.files()
    assert scene.json("consolidate", now=DREAMT)["outcome"] == "nothing-to-do" and scene.files() == before
    probed = scene("probe", now="2026-03-06T09:00:00Z")
    assert "wait to be read" not in probed.out + probed.err, "nobody waits for what is never read"
    scene.settings("")
    scene.json("consolidate", now=DREAMT)
    assert all(word in kept(scene) for word in ("otter", "badger", "weasel", "marten"))


def test_a_file_in_a_project_keeps_it_out_with_all_below_it(scene):
    (scene.root / "client" / ".dreamignore").write_text("")
    (scene.root / "side" / ".dreamignore").write_text("# nothing of this\n*\n")
    scene.json("consolidate", now=DREAMT)
    told = kept(scene)
    assert "otter" in told and not any(word in told for word in ("badger", "weasel", "marten"))


def test_a_file_in_a_project_can_keep_only_a_part_out(scene):
    (scene.root / "client" / ".dreamignore").write_text("deep/\n")
    scene.json("consolidate", now=DREAMT)
    assert "badger" in kept(scene) and "weasel" not in kept(scene)


def test_what_was_said_after_going_there_is_left_out_too(dream):
    for name in ("open", "client"):
        (dream.root / name).mkdir()
    (dream.root / "client" / ".dreamignore").write_text("*\n")
    talk(dream, dream.root / "open", "From now on always greet the otter first.", "both", then=dream.root / "client")
    dream.json("consolidate", now=DREAMT)
    assert "otter" in kept(dream) and "Also there" not in kept(dream)


def test_the_rule_of_a_repository_holds_in_its_worktrees(scene):
    side = scene.root / "side"
    git = ["git", "-C", str(side), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(scene.root / "elsewhere"), "-b", "x"], check=True)
    (side / ".dreamignore").write_text("*\n")
    talk(scene, scene.root / "elsewhere", "From now on always greet the heron first.", "tree")
    scene.json("consolidate", now=DREAMT)
    assert "heron" not in kept(scene) and "marten" not in kept(scene)


def test_an_excluded_path_is_not_even_opened(scene):
    path = talk(scene, scene.root / "open", "From now on always greet the heron first.", "watched")
    os.utime(path, (1, 1))
    before = path.stat().st_atime_ns
    scene.settings(f'[sources]\nexclude = ["{path}"]\n')
    ingested = scene("ingest", str(path), now=DREAMT)
    assert ingested.code == 3 and "kept from being read" in ingested.err
    scene.json("consolidate", now=DREAMT)
    assert path.stat().st_atime_ns == before and "heron" not in kept(scene)
    assert all(row["kind"] == "excluded" for row in scene.json("sources")["sources"] if row["path"] == str(path))


def test_pages_in_an_ignored_folder_are_not_ingested(dream):
    place = dream.root / "notes"
    place.mkdir()
    (place / ".dreamignore").write_text("private\n")
    for name, line in (("private", "the badger sleeps at noon"), ("shared", "the otter swims at noon")):
        (place / name).mkdir()
        (place / name / "MEMORY.md").write_text(f"# Memory\n\n- {line}\n")
    dream("ingest", str(place), now=DREAMT)
    assert "otter" in kept(dream) and "badger" not in kept(dream)
    assert dream("ingest", str(place / "private"), now=DREAMT).code == 3


def test_a_prompt_in_a_project_that_is_kept_out_is_not_remembered(scene):
    (scene.root / "client" / ".dreamignore").write_text("")
    call = {"session_id": "s", "cwd": str(scene.root / "client"), "prompt": "Remember: the badger gate opens at six."}
    assert scene("hook", "user-prompt-submit", stdin=json.dumps(call)).code == 0
    call["cwd"] = str(scene.root / "open")
    call["prompt"] = "Remember: the otter gate opens at six."
    scene("hook", "user-prompt-submit", stdin=json.dumps(call))
    assert "otter gate" in kept(scene) and "badger gate" not in kept(scene)


@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "dangling"])
def test_a_file_of_rules_that_cannot_be_read_keeps_nobody_waiting_and_nothing_in(scene, kind):
    marker = scene.root / "client" / ".dreamignore"
    if kind == "fifo":
        os.mkfifo(marker)
    elif kind == "folder":
        marker.mkdir()
    else:
        marker.symlink_to("/dev/zero" if kind == "device" else "nowhere")
    scene.json("consolidate", now=DREAMT)
    assert ("badger" in kept(scene)) == (kind == "dangling")
