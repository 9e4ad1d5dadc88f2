"""A log as a source, with the files that were rotated out of it: one source, read on from wherever the last reading ended.

What stands before the cursor tells which of the files it was; the ones that came after are read next, oldest first. So
nothing is read twice under another name, and what was rotated between two nights is read to its end. Of a log that was cut
the rest is read from its beginning.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dreamd.core.values import Cursor, Logged, Reading, Skip
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.reading import Sink, continues, read_lines
from dreamd.sources.base.tolerant import Record
from dreamd.sources.logs.log_lines import is_log, parse_line, read_logged

KIND = "log"
ENDINGS = (".log", ".ndjson")
"""What a log is called that is found without being named."""
_PACKED = r"(?:\.gz|\.zst)?"
_LATER = re.compile(rf"[.-](?:\d[\w.:+-]*|old|bak){_PACKED}")
"""Behind the name of a log, of what was rotated out of it: `app.log.1`, `app.log-20260504.gz`."""
_INSIDE = re.compile(r"[.-]\d[\w.:+-]*")
"""The same before the ending: `app-2026-05-04T10-00-00.log`."""
_MOST_ROTATED = 64
_HEAD_LINES = 25
_MOST = 0.6
"""Share of the first lines that must be lines of a log."""


class ProgramLog:
    """Reads the log of some program, whatever its dialect."""

    kind = KIND

    def accepts(self, head: Head) -> bool:
        """Most of the first lines say when, and what was done or how grave it is."""
        if head.is_dir:
            return False
        lines = head.start.decode("utf-8", "replace").removeprefix("\ufeff").splitlines()[:_HEAD_LINES]
        filled = [line for line in (lines[:-1] or lines) if line.strip()]
        return bool(filled) and sum(is_log(parse_line(line) or {}) for line in filled) >= _MOST * len(filled)

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read what lies behind the cursor: the rest of the file it stands in, then every file that came after it."""
        family = [*rotated_out_of(path), path]
        at = _standing_in(family, cursor)
        logged: list[Logged] = []
        skips: list[Skip] = []
        lines = spent = 0
        here = cursor if at is not None else Cursor()
        first = len(family) - 1 if at is None and cursor.offset else at or 0
        for number in range(first, len(family)):
            start = here.offset if number == first else 0
            reading = _read_one(family[number], here if number == first else Cursor(), budget_bytes - spent)
            logged += reading.logged
            skips += reading.skips
            lines += reading.lines
            if reading.cursor.offset or number == first:
                here = reading.cursor
            spent += max(0, reading.cursor.offset - start)
            if not reading.complete or spent >= budget_bytes and number + 1 < len(family):
                return Reading((), here, tuple(skips), lines, 0, complete=False, logged=tuple(logged))
        return Reading((), replace(here, size=_size_of(path, here.size)), tuple(skips), lines, 0, logged=tuple(logged))


def rotated_out_of(path: Path) -> list[Path]:
    """The files that were rotated out of a log, the oldest first."""
    try:
        with os.scandir(path.parent) as entries:
            found = [(entry.stat().st_mtime_ns, entry.name) for entry in entries
                     if is_rotated(entry.name, path.name) and entry.is_file(follow_symlinks=False)]
    except OSError:
        return []
    return [path.parent / name for _, name in sorted(found)[-_MOST_ROTATED:]]


def is_rotated(name: str, log: str) -> bool:
    """Whether a file is called like one that was rotated out of a log."""
    if name.startswith(log) and _LATER.fullmatch(name[len(log):]):
        return True
    stem, dot, ending = log.rpartition(".")
    plain = re.sub(rf"{_PACKED}$", "", name)
    tail = f"{dot}{ending}"
    return tail in ENDINGS and plain.startswith(stem) and plain.endswith(tail) and len(plain) > len(log) and (
        _INSIDE.fullmatch(plain[len(stem):-len(tail)]) is not None)


def has_parent(path: Path) -> bool:
    """Whether a file was rotated out of a log that is there, and so is read with it."""
    names = re.findall(r"^(.+?)(?=[.-]\d)", path.name)
    return any(parent != path.name and is_rotated(path.name, parent) and (path.parent / parent).is_file()
               for name in names for parent in (name, f"{name}{path.suffix}"))


def _standing_in(family: Sequence[Path], cursor: Cursor) -> int | None:
    """Which of the files a cursor stands in, the newest first; None where it stands in none that is left."""
    if not cursor.offset:
        return None
    return next((n for n in reversed(range(len(family))) if continues(family[n], cursor)), None)


def _read_one(path: Path, cursor: Cursor, budget_bytes: int) -> Reading:
    found: list[Logged] = []
    reading = read_lines(path, cursor, budget_bytes=max(1, budget_bytes), make_parser=lambda sink: _Lines(sink, found),
                         parse=parse_line)
    return replace(reading, logged=tuple(found))


class _Lines:
    """Lines of a log need nothing from one another."""

    def __init__(self, sink: Sink, found: list[Logged]) -> None:
        self._sink, self._found = sink, found

    def recalled(self) -> Sequence[int]:
        """Nothing."""
        return ()

    def take(self, record: Record) -> None:
        """Look at one line; none of them becomes an event."""
        logged = read_logged(record)
        if logged is not None:
            self._found.append(logged)
        self._sink.skip(contract.LOG_LINE)


def _size_of(path: Path, known: int) -> int:
    try:
        return path.stat().st_size
    except (OSError, ValueError):  # gone; or no path at all
        return known
