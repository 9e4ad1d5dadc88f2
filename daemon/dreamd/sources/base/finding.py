"""Which sources there are: walking the harnesses' directories, and telling a format by what is inside a file.

A directory name is never turned back into a path (the harnesses' mapping loses characters); the project comes from
the working directory in the lines.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from dreamd.core.repositories.repository import project_at
from dreamd.core.values import LONGEST_SCOPE_KEY
from dreamd.sources.base import contract
from dreamd.sources.base.contract import LONGEST_LINE_BYTES, SPLIT_LINES, Head
from dreamd.sources.base.opening import Unopened, open_source, read_start
from dreamd.sources.base.tolerant import Record, parse_record
from dreamd.sources.base.unpacking import trouble_of

HEAD_BYTES = 64 * 1024
_HEAD_RECORDS = 25
_MOST_CHUNKS = 64
"""Times the longest line that a first line may have: a quarter of a gigabyte."""
_TOP_KEY = re.compile(rb'^\s{0,4}"([A-Za-z_]{1,40})"\s*:|[{,]\s*"([A-Za-z_]{1,40})"\s*:', re.MULTILINE)
_CWD = re.compile(r'"(?:cwd|directory)"\s*:\s*"((?:[^"\\\n]|\\.){1,1000})"')
_WHOLE_IN_A_LINE = frozenset({"chatSessions", "emptyWindowChatSessions"})
"""Folders with hundreds of files that are megabytes in one line: their keys tell the format, and nobody reads them all."""
_MOST_FOUND = 50_000
_DEEPEST = 8


def look_at(path: Path) -> Head | None:
    """The beginning of a path, for adapters to recognise; None when there is nothing readable."""
    try:
        if path.is_dir():
            return Head(path, is_dir=True, names=frozenset(entry.name for entry in path.iterdir()))
        start, window = read_start(path, HEAD_BYTES), HEAD_BYTES
        cut = len(start) == HEAD_BYTES and b"\n" not in start  # the first line alone is longer than the window
        if cut and path.parent.name not in _WHOLE_IN_A_LINE:
            window = LONGEST_LINE_BYTES * SPLIT_LINES
            start = read_start(path, window)
            if len(start) == window and b"\n" not in start:
                start, window = _second_line_on(path), HEAD_BYTES
    except (Unopened, OSError, ValueError):
        return None
    return Head(path, start=start, records=tuple(_records(start, whole=len(start) < window)), keys=_document_keys(start))


def _second_line_on(path: Path) -> bytes:
    """What stands behind a first line longer than any that is read: the rest of a file tells its format as well."""
    with open_source(path) as handle:
        for _ in range(_MOST_CHUNKS):
            chunk = handle.read(LONGEST_LINE_BYTES)
            _, ended, rest = chunk.partition(b"\n")
            if ended or not chunk:
                return (rest + handle.read(HEAD_BYTES))[:HEAD_BYTES]
    return b""


def why_unread(path: Path) -> str:
    """Why nothing can be read at a path, as one of the contract's reasons; empty where it is only no known format."""
    if path.is_dir():
        return ""
    try:
        with open_source(path) as handle:
            if handle.read(1):
                return ""
            return trouble_of(handle) or contract.NO_TEXT
    except Unopened as error:
        return error.reason
    except OSError:
        return contract.UNREADABLE


def _records(start: bytes, *, whole: bool) -> Iterator[Record]:
    """The JSON objects on the first lines; a line cut off by the window is left out."""
    lines = start.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not whole:
        lines = lines[:-1]
    for line in lines[:_HEAD_RECORDS]:
        if line.lstrip().startswith(b"{"):
            record = parse_record(line.decode("utf-8", "replace"))
            if record is not None:
                yield record


def _document_keys(start: bytes) -> frozenset[str]:
    """Keys near the top of a JSON document that may go on far beyond the window."""
    body = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not body.startswith((b"{", b"[")):
        return frozenset()
    return frozenset((one or two).decode() for one, two in _TOP_KEY.findall(body[:8192]))


def project_key_of(cwd: str) -> str:
    """A project's name for people: the last part of the repository's root, else of the path. It tells no two apart."""
    project = project_at(cwd)
    return project.name[:LONGEST_SCOPE_KEY] if project else ""


def cwd_in(start: bytes) -> str:
    """The first working directory named in a file's beginning; empty when there is none."""
    found = _CWD.search(start.decode("utf-8", "replace"))
    if not found:
        return ""
    record = parse_record('{"cwd":"' + found.group(1) + '"}') or {}
    cwd = record.get("cwd")
    return cwd if isinstance(cwd, str) else ""


def files_below(root: Path, *, endings: tuple[str, ...], deepest: int = _DEEPEST) -> Iterator[Path]:
    """Regular files below a directory by ending, in a stable order; unreadable parts are left out."""
    found = 0
    for folder, folders, files in os.walk(root):
        depth = len(Path(folder).relative_to(root).parts)
        folders[:] = sorted(name for name in folders if depth < deepest and name not in (".git", "node_modules"))
        wanted = sorted(name for name in files if name.endswith(endings))[:_MOST_FOUND - found]
        found += len(wanted)
        yield from (Path(folder) / name for name in wanted)
