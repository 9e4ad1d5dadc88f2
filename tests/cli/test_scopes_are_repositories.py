"""A fact belongs to the repository it was told in: to all its worktrees and clones, and to no other of the same name."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.conftest import Terminal

from dreamd.store.connection import open_store

TOLD = {
    "acme/api": "The acme gateway listens on port 4100.",
    "globex/api": "The globex gateway listens on port 4200.",
    "acme/api/.worktrees/3": "The acme importer writes to the bucket cedar.",
    "elsewhere": "The acme mailer is paused on Sundays.",
    "fork/api": "The forked gateway listens on port 4300.",
    "lab": "The lab printer is called Otter.",
}
TALKED = {
    "acme/api/src": "From now on always run the acme linter before a commit.",
    "globex/api": "From now on always run the globex checker before a commit.",
}
FRESH = itertools.count()
"""Conversations that were never told anything."""
DREAMT, STARTED = "2026-03-03T09:00:00Z", "2026-03-04T09:00:00Z"


def git(place: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(place), "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words],
                          capture_output=True, text=True, check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"})
    return done.stdout


def repository(place: Path, remote: str = "") -> Path:
    place.mkdir(parents=True)
    git(place, "init", "-q", "-b", "main")
    (place / "a").write_text(str(place))
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", f"first of {place}")
    if remote:
        git(place, "remote", "add", "origin", remote)
    return place


def remember(dream: Terminal, place: Path, text: str, conversation: str) -> None:
    call = {"session_id": conversation, "cwd": str(place), "prompt": f"Remember: {text}"}
    assert dream("hook", "user-prompt-submit", stdin=json.dumps(call)).code == 0


def talk(dream: Terminal, place: Path, text: str, conversation: str) -> None:
    folder = dream.person / ".claude" / "projects" / str(place).replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    lines = [{"type": "user", "sessionId": conversation, "cwd": str(place), "uuid": f"{conversation}-1", "parentUuid": None,
              "timestamp": "2026-03-02T10:00:00.000Z", "message": {"role": "user", "content": text}},
             {"type": "assistant", "sessionId": conversation, "cwd": str(place), "uuid": f"{conversation}-2",
              "parentUuid": f"{conversation}-1", "timestamp": "2026-03-02T10:00:05.000Z",
              "message": {"role": "assistant", "content": [{"type": "text", "text": "Understood."}]}}]
    (folder / f"{conversation}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def told_at(dream: Terminal, place: Path, conversation: str = "") -> str:
    call = {"session_id": conversation or f"{next(FRESH)}", "cwd": str(place), "source": "startup",
            "hook_event_name": "SessionStart"}
    return dream("hook", "session-start", now=STARTED, stdin=json.dumps(call)).out


def scopes(dream: Terminal) -> dict[str, str]:
    """The scope of each memory, by its text."""
    return {m["text"]: m["scope"] for m in dream.json("list", "--all")["memories"]}


@pytest.fixture(scope="module")
def _scene(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    root = tmp_path_factory.mktemp("scene")
    dream = Terminal(root)
    acme = repository(root / "acme" / "api", "git@git.example:acme/api.git")
    (acme / "src").mkdir()
    git(acme, "worktree", "add", "-q", ".worktrees/3", "-b", "three")
    git(acme, "worktree", "add", "-q", str(root / "elsewhere"), "-b", "four")
    repository(root / "globex" / "api", "https://git.example/globex/api")
    repository(root / "fork" / "api", "https://git.example/me/api")
    repository(root / "lab")
    dream.settings("[priming]\ntimeout_ms = 10000\n")
    for n, (place, text) in enumerate(TOLD.items()):
        remember(dream, root / place, text, f"told-{n}")
    for n, (place, text) in enumerate(TALKED.items()):
        talk(dream, root / place, text, f"talked-{n}")
    dream.json("consolidate", now=DREAMT)
    return dream


@pytest.fixture
def scene(_scene: Terminal) -> Terminal:
    """Two clients, a fork, two worktrees and a repository without a remote; to be looked at alone."""
    return _scene


@pytest.fixture
def own(_scene: Terminal, tmp_path: Path) -> Terminal:
    """The same with a home of its own."""
    shutil.copytree(_scene.home, tmp_path / "home")
    dream = Terminal(tmp_path, {"HOME": str(_scene.person)})
    dream.settings("[priming]\ntimeout_ms = 10000\n")
    return dream


def test_two_repositories_of_one_name_and_a_fork_have_a_scope_each(scene):
    found = scopes(scene)
    names = {found[TOLD[place]] for place in ("acme/api", "globex/api", "fork/api", "lab")}
    assert len(names) == 4 and not names & {"user"}
    assert found[TALKED["acme/api/src"]] == found[TOLD["acme/api"]]
    assert found[TALKED["globex/api"]] == found[TOLD["globex/api"]]


def test_worktrees_share_the_scope_of_their_repository(scene):
    found = scopes(scene)
    assert found[TOLD["acme/api/.worktrees/3"]] == found[TOLD["elsewhere"]] == found[TOLD["acme/api"]]


def test_an_agent_is_told_what_belongs_to_its_repository_and_nothing_of_its_namesake(scene):
    root = scene.root
    for place in (root / "acme" / "api", root / "acme" / "api" / ".worktrees" / "3", root / "elsewhere"):
        told = told_at(scene, place)
        assert "port 4100" in told and "4200" not in told and "4300" not in told and "Otter" not in told, told
    told = told_at(scene, root / "globex" / "api")
    assert "port 4200" in told and "4100" not in told and "cedar" not in told and "4300" not in told
    assert "4100" not in told_at(scene, root / "nowhere" / "api")


def test_a_clone_that_was_moved_or_made_anew_knows_what_it_knew(own, _scene, tmp_path):
    shutil.copytree(_scene.root / "globex" / "api", tmp_path / "moved" / "service", symlinks=True)
    shutil.copytree(_scene.root / "lab", tmp_path / "moved" / "lab", symlinks=True)
    assert "port 4200" in told_at(own, tmp_path / "moved" / "service")
    assert "Otter" in told_at(own, tmp_path / "moved" / "lab")
    again = repository(tmp_path / "again", "ssh://git@git.example:2222/globex/api")
    assert "port 4200" in told_at(own, again)
    remember(own, again, "The globex release needs a second pair of eyes.", "again")
    own.json("consolidate", now=STARTED)
    found = scopes(own)
    assert found["The globex release needs a second pair of eyes."] == found[TOLD["globex/api"]]


def test_what_was_said_in_a_clone_that_is_gone_is_not_given_to_a_repository_around_it(own, tmp_path):
    around = repository(tmp_path / "files")
    inside = repository(around / "work" / "till", "https://git.example/acme/till")
    remember(own, inside, "The till closes at nine.", "one")
    own.json("consolidate", now=STARTED)
    shutil.rmtree(inside)
    remember(own, inside, "The till opens at eight.", "two")
    own.json("consolidate", now=STARTED)
    found = scopes(own)
    assert found["The till opens at eight."] == found["The till closes at nine."] == "project:till"
    assert "till" not in told_at(own, around)


def test_a_repository_keeps_its_scope_when_it_gets_a_remote(own, _scene, tmp_path):
    lab = tmp_path / "lab"
    shutil.copytree(_scene.root / "lab", lab, symlinks=True)
    remember(own, lab, "The lab door closes at six.", "one")
    own.json("consolidate", now=STARTED)
    git(lab, "remote", "add", "origin", "https://git.example/me/lab")
    assert "Otter" in told_at(own, lab)
    remember(own, lab, "The lab keys hang by the window.", "three")
    own.json("consolidate", now=STARTED)
    assert len({found for text, found in scopes(own).items() if " lab " in text}) == 1


def test_scopes_are_listed_with_what_they_are_known_by_and_without_a_secret(scene):
    listed = {row["scope"]: row for row in scene.json("scope", "list")["scopes"]}
    found = scopes(scene)
    acme = listed[found[TOLD["acme/api"]]]
    assert acme["known_by"] == ["remote:git.example/acme/api"] and acme["live"] >= 3
    assert listed[found[TOLD["lab"]]]["known_by"][0].startswith("commit:")
    told = scene("scope", "list").out
    assert "git.example/globex/api" in told


def test_a_renamed_scope_is_the_same_project_and_can_be_called_back(own, _scene):
    before = scopes(own)
    old = before[TOLD["acme/api"]]
    planned = own.json("scope", "rename", old, "gateway", "--dry-run")
    assert planned["planned"] and scopes(own) == before
    done = own.json("scope", "rename", old, "gateway")
    after = scopes(own)
    assert after[TOLD["acme/api"]] == after[TALKED["acme/api/src"]] == "project:gateway" and old not in after.values()
    assert "port 4100" in told_at(own, _scene.root / "acme" / "api")
    assert (own.home / "memory" / "project" / "gateway" / "MEMORY.md").exists()
    assert own("check").code == 0, own("check").out
    own.json("undo", done["run"])
    assert scopes(own) == before and own("check").code == 0
    assert "port 4100" in told_at(own, _scene.root / "acme" / "api")


def test_merged_scopes_are_one_from_then_on_and_can_be_taken_apart(own, _scene):
    before = scopes(own)
    one, other = before[TOLD["fork/api"]], before[TOLD["acme/api"]]
    done = own.json("scope", "merge", one, other)
    after = scopes(own)
    assert after[TOLD["fork/api"]] == other and one not in after.values()
    told = told_at(own, _scene.root / "fork" / "api")
    assert "port 4300" in told and "port 4100" in told
    assert own("check").code == 0
    own.json("undo", done["run"])
    assert scopes(own) == before and own("check").code == 0
    assert "4100" not in told_at(own, _scene.root / "fork" / "api")


def test_a_memory_is_moved_by_a_person_alone_and_back(own, _scene):
    before = scopes(own)
    moved = next(m for m in own.json("list")["memories"] if m["text"] == TOLD["acme/api"])
    target = before[TOLD["globex/api"]]
    assert own.json("scope", "move", moved["id"], "--to", target, "--dry-run")["operations"]
    assert scopes(own) == before
    done = own.json("scope", "move", moved["id"], "--to", target)
    assert scopes(own)[TOLD["acme/api"]] == target
    told = told_at(own, _scene.root / "globex" / "api")
    assert "port 4100" in told and "4100" not in told_at(own, _scene.root / "acme" / "api")
    assert own("check").code == 0
    assert own.json("diff", done["run"])["operations"]
    own.json("undo", done["run"])
    assert scopes(own) == before and own("check").code == 0
    assert own.json("consolidate", now=STARTED)["outcome"] == "nothing-to-do"


def test_the_words_a_person_wrote_into_a_file_move_with_it_to_the_byte(own):
    before = scopes(own)
    folder = next((own.home / "memory" / "project").glob("lab*"))
    topic = next(p for p in folder.glob("*.md") if p.name != "MEMORY.md")
    topic.write_text(topic.read_text().replace("Otter.", "Otter, and stands\nin the   cellar.") + "\n<!-- mine -->\n")
    own.json("consolidate", now=STARTED)
    body = topic.read_bytes()
    done = own.json("scope", "rename", before[TOLD["lab"]], "workshop")
    assert (own.home / "memory" / "project" / "workshop" / topic.name).read_bytes() == body and not topic.exists()
    own.json("undo", done["run"])
    assert topic.read_bytes() == body
    assert own("check").code == 0


def test_what_makes_no_sense_is_a_question_back(own):
    found = scopes(own)
    one, other = found[TOLD["acme/api"]], found[TOLD["lab"]]
    for words in (("rename", one, other), ("rename", "project:nobody", "x"), ("merge", one, one), ("rename", "user", "me"),
                  ("move", "--to", one), ("merge", one)):
        assert own("scope", *words).code in (2, 4, 10), words
    assert scopes(own) == found


def test_what_has_no_place_belongs_to_its_conversation(dream, tmp_path):
    talk(dream, Path("/"), "From now on always answer in metric units.", "homeless")
    call = {"session_id": "lost", "prompt": "Remember: the depot code is changed on Mondays."}
    dream("hook", "user-prompt-submit", stdin=json.dumps(call))
    dream.json("consolidate", now=DREAMT)
    assert set(scopes(dream).values()) <= {"local:homeless", "local:lost"}
    assert "metric" not in told_at(dream, tmp_path / "anywhere") and "depot" not in told_at(dream, tmp_path / "anywhere")


def as_an_older_dream_left_it(dream: Terminal) -> None:
    """Scopes by directory names alone: nothing tells what their projects are known by."""
    with closing(open_store(dream.home / "dream.db")) as store, store.writing() as tx:
        for kind in ("project ", "place ", "looked-at "):
            tx.execute("DELETE FROM meta WHERE key > ? AND key < ?", (kind, kind + "\uffff"))


def test_what_two_projects_shared_is_told_to_neither_until_a_person_has_it_sorted_out(own, _scene):
    before = scopes(own)
    acme, globex = before[TOLD["acme/api"]], before[TOLD["globex/api"]]
    own.json("scope", "merge", globex, acme)
    as_an_older_dream_left_it(own)
    mixed = scopes(own)
    own.json("consolidate", now=STARTED)
    assert scopes(own) == mixed, "nothing moves by itself"
    assert "4100" not in told_at(own, _scene.root / "globex" / "api")
    assert "4200" not in told_at(own, _scene.root / "acme" / "api")
    planned = own.json("scope", "map", "--dry-run")
    assert planned["planned"] and scopes(own) == mixed
    (shared,) = [row for row in planned["scopes"] if row["scope"] == acme]
    assert {part["known_by"] for part in shared["goes"]} == {"remote:git.example/acme/api", "remote:git.example/globex/api"}
    assert shared["stays"] >= 3, "what was noted without a source waits for a person"
    done = own.json("scope", "map")
    after = scopes(own)
    assert len({after[TALKED["acme/api/src"]], after[TALKED["globex/api"]], after[TOLD["acme/api"]]}) == 3
    told = told_at(own, _scene.root / "acme" / "api")
    assert "acme linter" in told and "globex" not in told
    assert own("check").code == 0
    own.json("undo", done["run"])
    assert scopes(own) == mixed and own("check").code == 0


def test_a_scope_of_an_older_dream_is_known_by_the_one_repository_it_was_read_from(own, _scene):
    before = scopes(own)
    as_an_older_dream_left_it(own)
    with closing(sqlite3.connect(own.home / "dream.db")) as connection, connection:
        ours = (before[TOLD["globex/api"]],)
        assert connection.execute("SELECT COUNT(*) FROM source WHERE scope = ?", ours).fetchone() == (1,)
    own.json("consolidate", now=STARTED)
    assert scopes(own) == before
    assert "port 4200" in told_at(own, _scene.root / "globex" / "api")
    assert own.json("history")["runs"][0]["operations"], "it stands in the journal"


def test_worktrees_that_had_scopes_of_their_own_come_together(own, _scene):
    before = scopes(own)
    acme = before[TOLD["acme/api"]]
    moved = next(m for m in own.json("list")["memories"] if m["text"] == TALKED["acme/api/src"])
    own.json("scope", "move", moved["id"], "--to", "project:3")
    with closing(open_store(own.home / "dream.db")) as store, store.writing() as tx:
        tx.execute("UPDATE source SET scope = 'project:3' WHERE scope = ?", (acme,))
    (row,) = own.json("scope", "map", "--dry-run")["scopes"]
    assert row["scope"] == "project:3" and [part["to"] for part in row["goes"]] == [acme]
    own.json("scope", "map")
    assert scopes(own) == before
    assert own("check").code == 0
