"""OpenCode before its database: one JSON file for each session, message and part, below `storage`.

The directory is one source. Identities grow with time, so for each session the last message that was read is enough to
know what is new.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from dreamd.core.values import Cursor, Reading
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.opening import read_record
from dreamd.sources.base.reading import Sink, unread
from dreamd.sources.base.tolerant import Record, parse_record, record_at, text_at
from dreamd.sources.opencode.opencode_messages import Session

LARGEST_FILE_BYTES = 4 * 1024 * 1024
MOST_SESSIONS = 20_000


class OpenCodeTree:
    """Reads a `storage` directory."""

    kind = "opencode-tree"

    def accepts(self, head: Head) -> bool:
        """A directory with a folder for each of the three kinds of files."""
        return head.is_dir and {"session", "message", "part"} <= head.names

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the messages behind the last one known of each session, within one working directory."""
        if not path.is_dir():
            return unread(cursor, contract.UNREADABLE if path.exists() else contract.MISSING)
        known = {k: v for k, v in record_at(parse_record(cursor.carry) or {}, "read").items() if isinstance(v, str)}
        sink = Sink()
        where: str | None = None
        count = spent = 0
        complete = True
        for about in _records(path / "session"):
            identity, cwd = text_at(about, "id"), text_at(about, "directory")
            fresh = _messages(path, identity, after=known.get(identity, ""))
            if not identity or not fresh:
                continue
            if where is not None and (cwd != where or spent >= budget_bytes):
                complete = False
                break
            where = cwd
            session = None if text_at(about, "parentID") else Session(identity, sink, cwd=cwd)
            for name in fresh:
                count += 1
                sink.begin(count, count)
                spent += _tell(path, identity, name, session=session, sink=sink)
                known[identity] = name
        carry = json.dumps({"read": known}, separators=(",", ":"))
        return Reading(tuple(sink.events), Cursor(cursor.offset + count, cursor.offset + count, carry=carry),
                       tuple(sink.skips), count, sink.prompts, complete)


def _messages(path: Path, session: str, *, after: str) -> list[str]:
    """The names of a session's messages behind one of them, in order."""
    try:
        names = sorted(p.stem for p in (path / "message" / session).iterdir() if p.suffix == ".json")
    except OSError:
        return []
    return [name for name in names if name > after]


def _tell(path: Path, identity: str, name: str, *, session: Session | None, sink: Sink) -> int:
    """Hand one message over; how many bytes it took."""
    file = path / "message" / identity / f"{name}.json"
    about = read_record(file, LARGEST_FILE_BYTES)
    if not about:
        sink.skip(contract.CORRUPT)
        return 0
    parts = list(_records(path / "part" / name))
    if session is None:
        sink.skip(contract.SIDECHAIN)
    else:
        session.message({**about, "id": text_at(about, "id") or name}, parts)
        sink.close()
    return sum(len(str(part)) for part in parts)


def _records(folder: Path) -> Iterator[Record]:
    """The JSON objects of the files below a folder, in order of their names."""
    try:
        files = sorted(folder.rglob("*.json"), key=lambda p: p.name)[:MOST_SESSIONS]
    except OSError:
        return
    yield from filter(None, (read_record(file, LARGEST_FILE_BYTES) for file in files))
