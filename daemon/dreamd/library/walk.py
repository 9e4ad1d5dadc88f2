"""Going through a directory of documents: which files there are, in an order that is always the same."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

NEVER_ENTERED = frozenset({"node_modules", "__pycache__", "venv"})
"""Directories that hold what a machine put there."""


@dataclass(frozen=True)
class Seen:
    """A file as it lies there; `why` says why it is not opened."""

    path: str
    place: Path
    size: int = 0
    mtime_ns: int = 0
    why: str = ""


def walk(root: Path, *, leave_out: Callable[[str], bool]) -> Iterator[Seen]:
    """Every file below a directory, or the one file that `root` is; links are never followed, hidden things never seen."""
    if root.is_file():
        yield _look(root.name, root)
        return
    waiting = [(root, "")]
    while waiting:
        folder, below = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda one: one.name)
        except OSError:
            yield Seen(below.rstrip("/") or ".", folder, why="cannot be opened")
            continue
        inner = []
        for entry in entries:
            path = f"{below}{entry.name}"
            if entry.name.startswith(".") or entry.is_symlink() or leave_out(entry.path):
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in NEVER_ENTERED:
                    inner.append((Path(entry.path), f"{path}/"))
            else:
                yield _look(path, Path(entry.path))
        waiting.extend(reversed(inner))


def _look(path: str, place: Path) -> Seen:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return Seen(path.encode("utf-8", "replace").decode(), place, why="its name is no text")
    try:
        facts = place.lstat()
    except OSError:
        return Seen(path, place, why="cannot be opened")
    if not stat.S_ISREG(facts.st_mode):
        return Seen(path, place, why="no regular file")
    return Seen(path, place, facts.st_size, facts.st_mtime_ns)
