"""What is never read: paths, projects and conversations that the settings name, and what a `.dreamignore` keeps to itself.

Patterns are those of `.gitignore`. A `.dreamignore` speaks for the folder it lies in and all below it: for files there, and for
conversations that were held there, wherever the harness keeps them. One without a pattern keeps everything out.
Nor is what an agent's program leaves behind that dream itself had asked, nor a diary or an export that dream wrote: dream would
feed on its own words.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.paths import OWN_FOLDER
from dreamd.core.repositories.repository import find_repository, plain_path, project_at, read_plain
from dreamd.sources.base.own_writing import is_own_writing

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

FILE_NAME = ".dreamignore"
LARGEST_BYTES = 64 * 1024
OF_A_PROJECT, OF_A_CONVERSATION = "project:", "conversation:"
_ALL = frozenset({"*", "**", "/", "/*", "/**", "**/*", "."})


class Exclusions:
    """Whether something is kept from being read; what was found out of a folder is remembered for one run."""

    def __init__(self, patterns: Sequence[str] = (), home: str = "") -> None:
        told = [pattern.strip() for pattern in patterns]
        self._projects = [p.removeprefix(OF_A_PROJECT).lower() for p in told if p.startswith(OF_A_PROJECT)]
        self._conversations = [p.removeprefix(OF_A_CONVERSATION) for p in told if p.startswith(OF_A_CONVERSATION)]
        self._paths = [_anchored(p, home) for p in told if p and not p.startswith((OF_A_PROJECT, OF_A_CONVERSATION, "#"))]
        self._spec: GitIgnoreSpec | None = None
        self._of_folder: dict[Path, tuple[str, ...] | None] = {}
        self._of_place: dict[str, bool] = {}

    def has_path(self, path: Path) -> bool:
        """Whether a file or directory is not to be opened."""
        place = Path(os.path.normpath(path.absolute()))
        # Whether dream wrote it itself tells the file alone, which is opened only where nothing else keeps it from being read.
        return (OWN_FOLDER in str(place) or self._is_named(place) or self._is_ignored(place)
                or self.has_conversation(place.stem) or is_own_writing(place))

    def has_place(self, cwd: str) -> bool:
        """Whether nothing that was said in a working directory is to be read."""
        if cwd not in self._of_place:
            self._of_place[cwd] = self._has_place(cwd)
        return self._of_place[cwd]

    def has_conversation(self, name: str) -> bool:
        """Whether a conversation is not to be read."""
        return bool(name) and any(fnmatchcase(name, pattern) for pattern in self._conversations)

    def _has_place(self, cwd: str) -> bool:
        path = plain_path(cwd) if cwd else ""
        if not path or OWN_FOLDER in path:
            return bool(path)
        if self._projects and self._is_of_project(path):
            return True
        if not path.startswith("/"):
            return False
        places = [Path(path)]
        found = find_repository(path)
        if found is not None:  # what the repository's root says holds in all of its worktrees
            here = Path(os.path.realpath(path))
            below = here.relative_to(found.place) if here.is_relative_to(found.place) else Path()
            places += [here, Path(found.root) / below]
        return any(self._is_named(place) or self._is_ignored(place) for place in dict.fromkeys(places))

    def _is_of_project(self, path: str) -> bool:
        project = project_at(path)
        if project is None:
            return False
        parts = (project.remote or project.root).lower().split("/")
        names = {project.name.lower(), *("/".join(parts[n:]) for n in range(len(parts)))} - {""}
        return any(fnmatchcase(name, pattern) for name in names for pattern in self._projects)

    def _is_named(self, place: Path) -> bool:
        if not self._paths:
            return False
        if self._spec is None:
            self._spec = _spec(self._paths)
        return _matches(self._spec, place.relative_to(place.anchor))

    def _is_ignored(self, place: Path) -> bool:
        return any(self._keeps(folder, place.relative_to(folder)) for folder in (place, *place.parents))

    def _keeps(self, folder: Path, below: Path) -> bool:
        if folder not in self._of_folder:
            self._of_folder[folder] = _read(folder / FILE_NAME)
        lines = self._of_folder[folder]
        if lines is None:
            return False
        whole = not lines or any(line in _ALL for line in lines)
        if below == Path() or whole and not any(line.startswith("!") for line in lines):
            return whole
        return _matches(_spec(lines), below)


def _anchored(pattern: str, home: str) -> str:
    """A pattern of the settings, which hold for the whole disk: `~` is the person's home, and other paths lie anywhere."""
    bang, plain = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    if home and (plain == "~" or plain.startswith("~/")):
        return f"{bang}{home.rstrip('/')}{plain[1:]}"
    return bang + (plain if plain.startswith(("/", "**/")) or "/" not in plain.rstrip("/") else f"**/{plain}")


def _read(path: Path) -> tuple[str, ...] | None:
    """The patterns of a `.dreamignore`; None where there is none. One that cannot be read keeps everything out."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        return ()
    text = read_plain(path, LARGEST_BYTES) if stat.S_ISREG(mode) else ""
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))


def _spec(lines: Sequence[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # most people have nothing to keep out

    return GitIgnoreSpec.from_lines(lines)


def _matches(spec: GitIgnoreSpec, below: Path) -> bool:
    """Whether a path is meant, which may be a file, or a directory that is gone."""
    name = below.as_posix()
    return name not in ("", ".") and (spec.match_file(name) or spec.match_file(f"{name}/"))
