"""What git's own small files tell of a directory, whatever lies there under their names."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from dreamd.core.repositories.repository import canonical_address, project_at, read_branch


def git(place: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(place), "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words],
                          capture_output=True, text=True, check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"})
    return done.stdout


def repository(place: Path, *, remote: str = "", name: str = "origin", commit: bool = True) -> Path:
    place.mkdir(parents=True)
    git(place, "init", "-q", "-b", "main")
    if commit:
        (place / "a").write_text(place.name)
        git(place, "add", ".")
        git(place, "commit", "-q", "-m", str(place))
    if remote:
        git(place, "remote", "add", name, remote)
    return place


def identity(place: Path | str) -> str:
    found = project_at(str(place))
    return found.identity if found else ""


@pytest.mark.parametrize("written", [
    "https://github.com/acme/api.git", "https://github.com/acme/api", "https://github.com/acme/api/",
    "git@github.com:acme/api.git",
    "ssh://git@github.com/acme/api.git", "ssh://git@github.com:22/acme/api", "ssh://git@ssh.github.com:443/acme/api.git",
    "git://github.com/acme/api.git", "https://ada:s3cr3t-word@github.com/acme/api.git", "https://GitHub.com:443/Acme/API",
    "git@github.com:/acme/api.git", "https://github.com//acme/./api.git?token=s3cr3t-word", "git+ssh://git@github.com/acme/api"])
def test_all_ways_to_write_an_address_are_one_and_hold_no_secret(written):
    assert canonical_address(written, "/") == "github.com/acme/api"


@pytest.mark.parametrize(("one", "other"), [
    ("https://git.acme.example/api", "https://git.globex.example/api"), ("git@h.example:acme/api", "git@h.example:globex/api"),
    ("http://localhost:3000/acme/api", "http://localhost:4000/acme/api"), ("/srv/acme/api.git", "/srv/globex/api.git"),
    ("https://h.example/Acme/api", "https://h.example/acme/api"), ("/srv/acme/api.git", "https://srv/acme/api")])
def test_other_hosts_and_paths_are_other_projects(one, other):
    assert canonical_address(one, "/") != canonical_address(other, "/")


def test_ssh_and_web_addresses_of_a_private_server_are_one():
    assert canonical_address("ssh://git@git.acme.example:2222/team/api.git", "/") == canonical_address(
        "https://git.acme.example/team/api", "/") == "git.acme.example/team/api"


def test_a_path_is_an_address_too():
    assert canonical_address("../api.git", "/srv/work/clone") == canonical_address("file:///srv/work/api.git", "/")
    assert canonical_address("C:\\work\\api.git", "/") == "file:C:/work/api"


def test_worktrees_parts_and_folders_belong_to_their_repository(tmp_path):
    root = repository(tmp_path / "api", remote="git@h.example:acme/api.git")
    (root / "src" / "deep").mkdir(parents=True)
    git(root, "worktree", "add", "-q", ".worktrees/3", "-b", "three")
    git(root, "worktree", "add", "-q", str(tmp_path / "elsewhere"), "-b", "four")
    wanted = "remote:h.example/acme/api"
    places = (root, root / "src" / "deep", root / ".worktrees" / "3", tmp_path / "elsewhere", root / "gone" / "away",
              root / ".worktrees" / "9" / "src", root / ".claude" / "worktrees" / "x")
    assert {identity(place) for place in places} == {wanted}
    assert {found.name for place in places if (found := project_at(str(place)))} == {"api"}
    assert read_branch(str(root / ".worktrees" / "3")) == "three"


def test_worktrees_beside_a_bare_repository_are_one_project(tmp_path):
    root = repository(tmp_path / "seed")
    git(tmp_path, "clone", "-q", "--bare", str(root), str(tmp_path / "api" / ".bare"))
    git(tmp_path / "api" / ".bare", "remote", "set-url", "origin", "https://h.example/acme/api")
    git(tmp_path / "api" / ".bare", "worktree", "add", "-q", "../main", "main")
    git(tmp_path / "api" / ".bare", "worktree", "add", "-q", "../next", "-b", "next")
    assert identity(tmp_path / "api" / "main") == identity(tmp_path / "api" / "next") == "remote:h.example/acme/api"
    found = project_at(str(tmp_path / "api" / "next"))
    assert found and found.name == "api"


def test_a_part_of_a_repository_is_known_by_its_own_remote(tmp_path):
    inner = repository(tmp_path / "lib")
    root = repository(tmp_path / "api", remote="https://h.example/acme/api")
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
    assert identity(root / "lib") == f"remote:file:{inner}"
    git(root / "lib", "remote", "remove", "origin")
    assert identity(root / "lib") == "remote:h.example/acme/api"


def test_the_only_remote_counts_and_of_several_origin(tmp_path):
    root = repository(tmp_path / "api", remote="https://h.example/acme/api", name="upstream")
    assert identity(root) == "remote:h.example/acme/api"
    git(root, "remote", "add", "origin", "https://h.example/me/api")
    assert identity(root) == "remote:h.example/me/api"
    git(root, "remote", "rename", "origin", "mine")
    assert identity(root).startswith("commit:")


def test_without_a_remote_the_first_commit_tells_and_before_it_the_path(tmp_path):
    root = repository(tmp_path / "api", commit=False)
    assert identity(root) == f"path:{root}"
    (root / "a").write_text("a")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    git(root, "commit", "-q", "--amend", "-m", "first, again")
    (root / "a").write_text("b")
    git(root, "commit", "-q", "-a", "-m", "second")
    first = git(root, "rev-list", "--max-parents=0", "HEAD").strip()
    root.rename(tmp_path / "moved")
    assert identity(tmp_path / "moved") == f"commit:{first}"


@pytest.mark.parametrize("name", ["HEAD", "config", "logs/HEAD", "commondir"])
@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "huge"])
def test_whatever_stands_under_gits_names_keeps_nobody_waiting(tmp_path, name, kind):
    root = repository(tmp_path / "api", remote="https://h.example/acme/api")
    place = root / ".git" / name
    if place.exists():
        place.unlink()
    if kind == "fifo":
        os.mkfifo(place)
    elif kind == "device":
        place.symlink_to("/dev/zero")
    elif kind == "folder":
        place.mkdir()
    else:
        with place.open("wb") as stream:
            stream.truncate(1 << 34)
    since = time.monotonic()
    read_branch(str(root))
    project_at(str(root))
    assert time.monotonic() - since < 1


@pytest.mark.parametrize("kind", ["fifo", "device", "loop", "dangling"])
def test_a_marker_that_is_no_marker_is_passed_over(tmp_path, kind):
    root = tmp_path / "api"
    root.mkdir()
    marker = root / ".git"
    if kind == "fifo":
        os.mkfifo(marker)
    else:
        marker.symlink_to({"device": "/dev/zero", "loop": ".git", "dangling": "nowhere"}[kind])
    since = time.monotonic()
    assert identity(root) == f"path:{root}"
    assert read_branch(str(root)) == ""
    assert time.monotonic() - since < 1


@pytest.mark.parametrize("place", ["", " ", "\x00", "/a\nb", "..", "."])
def test_what_is_no_path_is_no_project(place):
    found = project_at(place)
    assert found is None or not found.name
