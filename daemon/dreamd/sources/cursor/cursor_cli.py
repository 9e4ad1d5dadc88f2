"""The store of one conversation of Cursor's command line: messages under their hashes, and what is known beside them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dreamd.core.values import Cursor, Reading
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.databases import (
    Row,
    has_transcript,
    read_database,
    read_rows,
    record_in,
    still_there,
    tables_of,
    workspace_in,
)
from dreamd.sources.base.opening import read_record
from dreamd.sources.base.tolerant import Record, moment, parse_record, record_at, text_at, texts_of
from dreamd.sources.cursor.cursor_lines import sent_at


class CursorCli:
    """Reads the store of one conversation of Cursor's command line."""

    kind = "cursor-cli"

    def accepts(self, head: Head) -> bool:
        """An SQLite file with blobs and what is known about them, and nothing of OpenCode's or Hermes'."""
        tables = tables_of(head)
        return {"blobs", "meta"} <= tables and not {"message", "messages"} & tables

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the blobs behind the cursor that hold a message."""
        def read(base: sqlite3.Connection, size: int) -> Reading:
            rows = _blobs(base, path, _about(base, path))
            return read_rows(rows, still_there(base, "blobs", cursor), size=size, budget_bytes=budget_bytes)

        return read_database(path, cursor, read=read)


@dataclass(frozen=True)
class _About:
    """What is known about the conversation; `skip` says why nothing of it is read, where that is so."""

    cwd: str
    began: object
    skip: str


def _about(base: sqlite3.Connection, path: Path) -> _About:
    """What stands beside the store in newer versions, and in its own table in hexadecimal."""
    beside = read_record(path.with_name("meta.json"))
    own: Record = {}
    for (value,) in base.execute("SELECT value FROM meta LIMIT 20"):
        try:
            own.update(parse_record(bytes.fromhex(value).decode("utf-8", "replace")) or {})
        except (TypeError, ValueError):
            own.update(record_in(value))
    skip = ""
    if beside.get("isSubagent") is True or record_at(own, "subagentInfo"):
        skip = contract.SIDECHAIN
    elif has_transcript(path, path.parent.name):
        skip = contract.REPEATED
    return _About(text_at(beside, "cwd"), beside.get("createdAtMs") or own.get("createdAt"), skip)


def _blobs(base: sqlite3.Connection, path: Path, about: _About) -> Iterator[Row]:
    cwd = about.cwd
    for number, identity, raw in base.execute("SELECT rowid, id, data FROM blobs ORDER BY rowid"):
        body = record_in(raw)
        role, text = text_at(body, "role"), "\n".join(texts_of(body.get("content")))
        cwd = about.cwd or workspace_in(text) or cwd
        if role == "user" and text.lstrip().startswith("<user_info>") and "<user_query>" not in text:
            role = "injected"
        sent = sent_at(text) if role == "user" else None
        at = body.get("createdAt") or (sent.isoformat() if sent else about.began)
        yield Row(int(number), f"cursor:{identity}", path.parent.name, role, text, at if moment(at) else None, cwd,
                  skip=about.skip or ("" if role else contract.BOOKKEEPING))
