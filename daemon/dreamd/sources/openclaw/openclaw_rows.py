"""OpenClaw's store of sessions: one database for each agent, an entry a row, longer ones packed.

A packed entry that cannot be unpacked is put together from its head, which stands beside it, and from the index that
the program searches, where what a person or the agent said in it stands too.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dreamd.core.values import Cursor, Reading
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.databases import (
    LOOKED_BACK,
    ROWS_AT_ONCE,
    columns_of,
    last_still_there,
    read_database,
    row_of,
    steps_back,
    tables_of,
)
from dreamd.sources.base.reading import Sink
from dreamd.sources.base.tolerant import Record, parse_record, record_at, text_at
from dreamd.sources.base.unpacking import unpack
from dreamd.sources.openclaw.openclaw_entries import Claw
from dreamd.sources.openclaw.openclaw_words import Company, company_of

_EVENTS = "transcript_events"
_TOLD_BY = "session_id, seq"


class OpenClawDatabase:
    """Reads the database; the cursor's offset is the last row that was read."""

    kind = "openclaw-db"

    def accepts(self, head: Head) -> bool:
        """An SQLite file with OpenClaw's table of entries."""
        return _EVENTS in tables_of(head)

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the entries behind the cursor."""
        return read_database(path, cursor, read=lambda base, size: _Entries(base, cursor).read(
            size=size, budget_bytes=budget_bytes))


@dataclass(frozen=True)
class _Entry:
    """One row; the body is None where it cannot be understood."""

    row: int
    session: str
    body: Record | None
    size: int
    packed: bool


@dataclass(frozen=True)
class _Window:
    """What is known about a session."""

    cwd: str
    company: Company
    copied_from: tuple[str, ...]


class _Entries:
    """One read of the table."""

    def __init__(self, base: sqlite3.Connection, cursor: Cursor) -> None:
        self._base = base
        self._sink = Sink()
        self._columns = {table: columns_of(base, table) for table in (
            _EVENTS, "transcript_event_identities", "session_transcript_fts_content")}
        steps = (parse_record(cursor.carry) or {}).get("at")
        self._from = self._after = last_still_there(base, _EVENTS, steps, names=_TOLD_BY)
        self._windows: dict[str, _Window] = {}
        self._talks: dict[str, Claw] = {}

    def read(self, *, size: int, budget_bytes: int) -> Reading:
        """Read entries, within one working directory, until the budget is spent."""
        sink = self._sink
        spent = rows = 0
        where = ""
        complete = True
        for entry in self._rows("rowid > ?", (self._from,)):
            window = self._window(entry.session)
            if rows and (spent >= budget_bytes or window.cwd != where):
                complete = False  # what was said in two places must never be taken for one
                break
            where = window.cwd
            sink.begin(entry.row, entry.row)
            self._tell(entry, window)
            sink.close()
            self._after, rows, spent = entry.row, rows + 1, spent + entry.size
        steps = steps_back(self._base, _EVENTS, self._after, names=_TOLD_BY)
        carry = json.dumps({"at": steps}, separators=(",", ":"))
        return Reading(tuple(sink.events), Cursor(self._after, size, carry=carry), tuple(sink.skips), rows, sink.prompts,
                       complete)

    def _rows(self, where: str, given: tuple[object, ...]) -> Iterator[_Entry]:
        head, body = (name if name in self._columns[_EVENTS] else "NULL" for name in ("navigation_json", "event_zstd"))
        rows = self._base.execute(
            f"SELECT rowid, session_id, event_json, {head}, {body} FROM {_EVENTS} WHERE {where} ORDER BY rowid", given)
        while batch := rows.fetchmany(ROWS_AT_ONCE):
            for row, session, text, about, packed in batch:
                yield self._entry((int(row), str(session)), text, about, packed)

    def _entry(self, place: tuple[int, str], text: object, about: object, packed: object) -> _Entry:
        row, session = place
        if text is not None:
            return _Entry(row, session, parse_record(str(text)), len(str(text)), packed=False)
        whole = unpack(packed, limit_bytes=contract.LONGEST_LINE_BYTES) if isinstance(packed, bytes) else None
        if whole is not None:
            return _Entry(row, session, parse_record(whole.decode("utf-8", "replace")), len(whole), packed=False)
        return _Entry(row, session, self._unpacked(session, about), len(str(about)), packed=True)

    def _unpacked(self, session: str, about: object) -> Record | None:
        """A packed entry from what stands beside it and in the index; its content is missing where that has none."""
        known = record_at(parse_record(about) or {}, "navigation") if isinstance(about, str) else {}
        message = record_at(known, "message")
        if not known or not self._columns["session_transcript_fts_content"]:
            return known or None
        found = self._base.execute(
            "SELECT c0 FROM session_transcript_fts_content WHERE c1 = ? AND c2 = ? AND id IN "
            "(SELECT id FROM session_transcript_fts_rows WHERE session_id = ? AND message_id = ?)",
            (session, text_at(known, "id"), session, text_at(known, "id"))).fetchone()
        return {**known, "message": {**message, "content": found[0]}} if found and isinstance(found[0], str) else known

    def _tell(self, entry: _Entry, window: _Window) -> None:
        sink, body = self._sink, entry.body
        if body is None:
            sink.skip(contract.COMPRESSED if entry.packed else contract.CORRUPT)
        elif window.company.skip:
            sink.skip(window.company.skip)
        elif self._is_copied(body, window):
            sink.skip(contract.REPEATED)
        elif entry.packed and "content" not in record_at(body, "message"):
            heard = text_at(record_at(body, "message"), "role") == "user"
            sink.skip(contract.COMPRESSED if heard else contract.BOOKKEEPING)
        else:
            self._talk(entry.session, window).take(body)

    def _is_copied(self, body: Record, window: _Window) -> bool:
        """Whether the session that this one was made from has the same entry."""
        return any(self._base.execute("SELECT 1 FROM transcript_event_identities WHERE session_id = ? AND event_id = ?",
                                      (source, text_at(body, "id"))).fetchone() for source in window.copied_from)

    def _talk(self, identity: str, window: _Window) -> Claw:
        """The conversation, with the last entries before the cursor looked at again: they may hold a question."""
        if identity not in self._talks:
            talk = self._talks[identity] = Claw(identity, self._sink, cwd=window.cwd, company=window.company)
            self._sink.muted = True
            for entry in self._rows(f"rowid IN (SELECT rowid FROM {_EVENTS} WHERE session_id = ? AND rowid <= ? "
                                    f"ORDER BY rowid DESC LIMIT {LOOKED_BACK})", (identity, self._from)):
                if entry.body is not None:
                    talk.take(entry.body)
            self._sink.muted = False
        return self._talks[identity]

    def _window(self, identity: str) -> _Window:
        if identity not in self._windows:
            head = next(self._rows("session_id = ? AND seq = (SELECT min(seq) FROM transcript_events WHERE session_id = ?)",
                                   (identity, identity)), None)
            cwd = text_at(head.body, "cwd") if head and head.body else ""
            of_window = self._record("session_windows", "session_id", identity)
            of_node = self._record("session_nodes", "session_key", text_at(of_window, "session_key"))
            sources = [text_at(of_window, "previous_session_id"), text_at(of_node, "fork_source_session_id")]
            known = self._columns["transcript_event_identities"]
            self._windows[identity] = _Window(
                cwd, company_of(text_at(of_window, "session_key"), of_window, of_node),
                tuple(source for source in sources if source and source != identity) if known else ())
        return self._windows[identity]

    def _record(self, table: str, key: str, value: str) -> Record:
        return row_of(self._base, table, key, value)
