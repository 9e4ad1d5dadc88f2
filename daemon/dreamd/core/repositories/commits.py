"""What files said in earlier commits, out of git's own objects: nothing is checked out, and nothing of a repository is run.

Only the line that leads from a commit to the one now checked out is followed, first parents alone: those are the states in
which the files stood there one after the other, and what a branch did aside arrives with the commit that joined it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dreamd.core.errors import DreamError
from dreamd.core.repositories.git import ask_git, read_objects, sizes_of
from dreamd.core.repositories.repository import find_repository

MOST_COMMITS = 300
MOST_BYTES = 16 * 1024 * 1024
"""Of all versions together; beyond it the older ones are left out."""
LONGEST_S = 10.0
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_FILE = "100"
"""How the mode of an ordinary file begins: a link is 120, a part of another repository 160."""
Trees = list[tuple[str, datetime, dict[str, str]]]
"""Commits with their time and the objects of their files, by name."""


@dataclass(frozen=True)
class Version:
    """The files below a place as one commit left them; of a place that is a file its name is empty."""

    commit: str
    at: datetime
    files: Mapping[str, bytes]


def versions_of(path: Path, *, since: str = "", ending: str = ".md") -> list[Version]:
    """The versions of a place since a commit, oldest first; empty where git is missing, slow, or knows nothing of it."""
    found = find_repository(str(path if path.is_dir() else path.parent))
    if found is None or since and not _COMMIT.fullmatch(since):
        return []
    try:
        root = Path(os.path.realpath(found.place))
        place = str(Path(os.path.realpath(path)).relative_to(root))
        trees = _trees(root, place, f"{since}..HEAD" if since else "HEAD", ending)
        bodies = _bodies(root, trees)
    except (DreamError, ValueError, OSError):
        return []
    return [Version(commit, at, {_below(place, name): bodies[sha] for name, sha in files.items()})
            for commit, at, files in trees if bodies.keys() >= set(files.values())]


def _below(place: str, name: str) -> str:
    return name if place == "." else name[len(place) + 1:]


def _trees(root: Path, place: str, stretch: str, ending: str) -> Trees:
    """What stood below a place after each commit that changed something there."""
    told = _ask(root, "log", "-z", "--first-parent", "-m", "--raw", "--no-renames", "--no-abbrev", "--no-color",
                "--no-ext-diff", "--no-textconv", "--format=%x01%H %at", f"--max-count={MOST_COMMITS}", stretch, "--", place)
    commits: list[tuple[str, datetime, dict[str, str]]] = []
    parts = iter(told.split("\0"))
    for part in parts:
        if part.lstrip("\n").startswith("\x01"):
            commit, seconds = part.lstrip("\n")[1:].split()
            commits.append((commit, datetime.fromtimestamp(int(seconds), UTC), {}))
        elif part.lstrip("\n").startswith(":"):
            _, mode, _, sha, _ = part.lstrip("\n").split(" ")
            commits[-1][2][next(parts)] = sha if mode.startswith(_FILE) else ""
    commits.reverse()
    trees: Trees = []
    for commit, at, changed in commits:
        before = trees[-1][2] if trees else _tree(root, commit, place)
        trees.append((commit, at, {name: sha for name, sha in {**before, **changed}.items() if sha and name.endswith(ending)}))
    return trees


def _tree(root: Path, commit: str, place: str) -> dict[str, str]:
    found = {}
    for line in _ask(root, "ls-tree", "-r", "-z", "--full-tree", commit, "--", place).split("\0"):
        about, _, name = line.partition("\t")
        mode, _, sha = about.partition(" ")
        if name and mode.startswith(_FILE):
            found[name] = sha.rpartition(" ")[2]
    return found


def _bodies(root: Path, trees: Trees) -> Mapping[str, bytes]:
    """The files that the versions need, those of the newest first, as far as there is room."""
    wanted = list(dict.fromkeys(_newest_first(trees)))
    sizes = sizes_of(root, wanted, timeout_s=LONGEST_S)
    room, chosen = MOST_BYTES, []
    for sha in wanted:
        room -= sizes.get(sha, 0)
        if room < 0:
            break
        chosen.append(sha)
    return read_objects(root, chosen, timeout_s=LONGEST_S)


def _newest_first(trees: Sequence[tuple[str, datetime, dict[str, str]]]) -> Iterator[str]:
    for _, _, files in reversed(trees):
        yield from files.values()


def _ask(root: Path, *args: str) -> str:
    return ask_git(root, "--literal-pathspecs", *args, timeout_s=LONGEST_S, thorough=False,
                   also={"log.follow": "false", "log.showRoot": "true"})
