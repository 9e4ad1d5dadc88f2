"""Folders of tasks that another tool keeps in a repository: their lines that stand alone are proposed to its memory.

The same shape as dream's own: lists in markdown, and a log of JSON lines beside them. Who wrote them nobody knows, so each line
has the trust of a file that was handed over and waits for a person, as what dream's own tasks propose does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import DreamError
from dreamd.library.tasks.task_folder import Folder, read_events

OURS = "dream task"
MOST_FOLDERS = 1_000
"""Folders of tasks that are read in one place; whatever else lies there does not count."""
MOST_LINES = 400
LARGEST_BYTES = 512 * 1024
_KEPT = re.compile(
    r"(?i)\W*(?:\d+[.)]\s*)?(?:(?:key|main|design|technical) )?(?:decisions?(?:[-_ ](?:made|taken|log))?|findings?|discoveries"
    r"|verified(?:[-_ ](?:items?|facts?))?|verifications?|revisions?|learned|learnings?|lessons?(?:[-_ ]learned)?)\W*")
"""What a list is called of which lines may outlive their task: the whole page, or one of its headings."""
_PAGES = re.compile(
    r"(?i)(?:(?:task|implementation)[-_ ])?(?:plan|progress|todo|task|notes?|context|status|state|journal|log|report|summary"
    r"|handoff|retro(?:spective)?|phase)s?(?:[-_ ]?\d+)?")
"""Other pages that a folder of a task has."""
_HEADING = re.compile(r"#{1,6}[ \t]+(.*)")
_ACTIONS = frozenset({"decision", "decided", "verify", "verified", "finding", "learned", "learning", "lesson", "revision"})
_ACTION, _DETAIL = ("action", "event", "type", "kind"), ("detail", "details", "message", "msg", "text", "note", "summary")
"""What the fields of a line of a log are called, dream's own first."""
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[xX✓]\]\s+)?(?!\[ \])(?:\*\*[\w.-]{1,12}\*\*:?\s*)?"
                   r"(?:\(\d{4}-\d\d-\d\d[^)]*\):?\s*)?(.+)")
"""A line of a list, without its box, its name and its day; where the box is empty, it is none yet."""


def folders_of_others(place: Path) -> Iterator[Folder]:
    """The folders of tasks below a place that dream does not keep itself."""
    with suppress(OSError), os.scandir(place) as entries:  # not there, or not ours to read
        names = sorted(one.name for one in entries if one.is_dir(follow_symlinks=False))
        yield from islice((folder for name in names if (folder := folder_of_another(place / name))), MOST_FOLDERS)


def folder_of_another(root: Path) -> Folder | None:
    """The folder of one task, where it keeps a list or a log and is none of dream's own."""
    folder = Folder(root, root.name)
    with suppress(OSError):
        if not root.is_symlink() and (_logs(folder) or any(_is_page(one) for one in root.iterdir())):
            return None if any(event.get("tool") == OURS for event in _events(folder.log)) else folder
    return None


def lines_of(folder: Folder) -> Iterator[tuple[str, datetime]]:
    """What the lists and the logs of a task keep, each line once, with when its file was last written."""
    seen: dict[str, datetime] = {}
    with suppress(OSError, DreamError):
        for page in sorted(path for path in folder.root.iterdir() if _is_page(path)):
            text = fsio.read_bytes(page, limit_bytes=LARGEST_BYTES).decode("utf-8", "replace")
            for line in _kept_in(text, whole=_KEPT.fullmatch(page.stem) is not None):
                seen.setdefault(line, _written_at(page))
        for log in _logs(folder):
            for event in _events(log):
                detail = _first(event, _DETAIL).strip()
                if detail and _first(event, _ACTION).lower() in _ACTIONS:
                    seen.setdefault(detail, _written_at(log))
    yield from list(seen.items())[:MOST_LINES]


def _is_page(path: Path) -> bool:
    return path.suffix == ".md" and bool(_KEPT.fullmatch(path.stem) or _PAGES.fullmatch(path.stem)) and path.is_file()


def _logs(folder: Folder) -> list[Path]:
    """The logs of a task, beside its pages or below `observability`, whatever they are called."""
    return sorted(one for place in (folder.root, folder.log.parent) for one in place.glob("*.ndjson") if one.is_file())


def _kept_in(text: str, *, whole: bool) -> Iterator[str]:
    """The lines of the lists that a page keeps: all of them, or those below a heading that says so."""
    inside = whole
    for line in text.splitlines():
        if heading := _HEADING.fullmatch(line):
            inside = whole or _KEPT.fullmatch(heading[1]) is not None
        elif inside and (found := _ITEM.fullmatch(line)):
            yield found[1].strip()


def _first(event: dict[str, str], names: Sequence[str]) -> str:
    return next((event[name] for name in names if event.get(name)), "")


def _written_at(path: Path) -> datetime:
    return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)


def _events(log: Path) -> list[dict[str, str]]:
    with suppress(DreamError, OSError):
        return read_events(log)
    return []
