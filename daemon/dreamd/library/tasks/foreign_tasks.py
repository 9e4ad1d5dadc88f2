"""Folders of tasks that another tool keeps in a repository: their lines that stand alone are proposed to its memory.

The same shape as dream's own: lists in markdown, and a log of JSON lines beside them. Who wrote them nobody knows, so each line
has the trust of a file that was handed over and waits for a person, as what dream's own tasks propose does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import DreamError
from dreamd.library.tasks.task_folder import Folder

OURS = "dream task"
MOST_FOLDERS = 1_000
"""Folders of tasks that are read in one place; whatever else lies there does not count."""
MOST_LINES = 400
LARGEST_BYTES = 512 * 1024
_LISTS = re.compile(r"(?i)(?:decisions?|findings?|verified(?:[-_ ]items?)?|revisions?|learnings?)\.md")
_ACTIONS = frozenset({"decision", "decided", "verify", "verified", "finding", "learned", "revision"})
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?:\*\*[\w.-]{1,12}\*\*:?\s*)?"
                   r"(?:\(\d{4}-\d\d-\d\d[^)]*\):?\s*)?(.+)")
"""A line of a list, without its box, its name and its day."""


def folders_of_others(place: Path) -> Iterator[Folder]:
    """The folders of tasks below a place that dream does not keep itself."""
    with suppress(OSError), os.scandir(place) as entries:  # not there, or not ours to read
        names = sorted(one.name for one in entries if one.is_dir(follow_symlinks=False))
        yield from islice((folder for name in names if (folder := folder_of_another(place / name))), MOST_FOLDERS)


def folder_of_another(root: Path) -> Folder | None:
    """The folder of one task, where it keeps a list or a log and is none of dream's own."""
    folder = Folder(root, root.name)
    with suppress(OSError):
        if not root.is_symlink() and (folder.log.is_file() or any(_LISTS.fullmatch(one.name) for one in root.iterdir())):
            return None if any(event.get("tool") == OURS for event in _events(folder)) else folder
    return None


def lines_of(folder: Folder) -> Iterator[tuple[str, datetime]]:
    """What the lists and the log of a task keep, each line once, with when its file was last written."""
    seen: dict[str, datetime] = {}
    with suppress(OSError, DreamError):
        for page in sorted(path for path in folder.root.iterdir() if _LISTS.fullmatch(path.name)):
            text = fsio.read_bytes(page, limit_bytes=LARGEST_BYTES).decode("utf-8", "replace")
            for line in text.splitlines():
                if found := _ITEM.fullmatch(line):
                    seen.setdefault(found[1].strip(), _written_at(page))
        for event in _events(folder):
            if event.get("action", "").lower() in _ACTIONS and event.get("detail", "").strip():
                seen.setdefault(event["detail"].strip(), _written_at(folder.log))
    yield from list(seen.items())[:MOST_LINES]


def _written_at(path: Path) -> datetime:
    return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)


def _events(folder: Folder) -> list[dict[str, str]]:
    with suppress(DreamError, OSError):
        return folder.events()
    return []
