"""OpenCode's database, read without a lock or a trace: messages with their parts, and messages that are one row.

A store holds both kinds of rows about the same sessions, some of them twice. Numbers of rows are given again after
messages were taken back, so the cursor remembers which message stood where, and begins at the last one still there.
"""

from __future__ import annotations

import json
import re
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
    steps_back,
    tables_of,
)
from dreamd.sources.base.reading import Sink
from dreamd.sources.base.tolerant import Record, parse_json, parse_record, record_at, records_at, text_at
from dreamd.sources.opencode.opencode_messages import Session

_PARTED, _WHOLE = "message", "session_message"
_MOST_OPEN = 16
_SAME_MS = 10_000
"""Two rows of one session that are no further apart may be the same message in both tables."""
_PUT_THERE = frozenset({"synthetic", "system", "skill"})
_TALK = frozenset({"user", "assistant", "shell", "compaction"}) | _PUT_THERE
_FORKED = re.compile(r" \(fork #\d{1,6}\)$")


class OpenCodeDatabase:
    """Reads the database; the cursor's offset is the last row of the message table that was read."""

    kind = "opencode-db"

    def accepts(self, head: Head) -> bool:
        """An SQLite file with OpenCode's tables."""
        tables = tables_of(head)
        return {"session", "message", "part"} <= tables or (_WHOLE in tables and bool({"session", "session_v2"} & tables))

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the messages behind the cursor."""
        return read_database(path, cursor, read=lambda base, size: _Rows(base, cursor).read(
            size=size, budget_bytes=budget_bytes))


@dataclass(frozen=True)
class _Message:
    """One row of either table; the body is None where it cannot be understood."""

    table: str
    row: int
    identity: str
    session: str
    body: Record | None
    size: int
    at: int
    """When it was written, in milliseconds; 0 where the row does not say."""


@dataclass(frozen=True)
class _About:
    """What is known about a session."""

    directory: str = ""
    child: bool = False
    fork: bool = False


class _Rows:
    """One read of the tables."""

    def __init__(self, base: sqlite3.Connection, cursor: Cursor) -> None:
        self._base = base
        self._sink = Sink()
        self._columns = {table: columns_of(base, table) for table in (_PARTED, _WHOLE, "part", "session", "session_v2")}
        self._tables = [table for table in (_PARTED, _WHOLE) if self._columns[table]]
        carry = parse_record(cursor.carry) or {}
        self._after = {table: self._start(table, carry, offset=cursor.offset) for table in self._tables}
        self._from = dict(self._after)
        kept = carry.get("open")
        self._open = [(str(k[0]), str(k[1])) for k in kept if len(k) == 2] if isinstance(kept, list) else []
        self._sessions: dict[str, Session | None] = {}
        self._about: dict[str, _About] = {}
        self._ends: dict[str, int] = {}
        self._originals: frozenset[int] | None = None

    def _start(self, table: str, carry: Record, *, offset: int) -> int:
        """The last row that was read and is still the same message."""
        if not carry:  # a cursor from before there were two tables to read
            last = int(self._base.execute(f"SELECT coalesce(max(rowid), 0) FROM {table}").fetchone()[0])
            first = _PARTED if self._columns[_PARTED] and not self._columns["session_v2"] else _WHOLE
            return offset if table == first and 0 <= offset <= last else 0
        return last_still_there(self._base, table, record_at(carry, "at").get(table), names="id")

    def read(self, *, size: int, budget_bytes: int) -> Reading:
        """Read messages, within one working directory, until the budget is spent."""
        sink = self._sink
        spent = rows = 0
        where: str | None = None
        complete = True
        for message in self._waiting():
            about = self._known(message.session)
            if rows and (spent >= budget_bytes or (not about.child and about.directory != where)):
                complete = False  # what was said in two projects must never be taken for one
                break
            where = where if about.child and where is not None else about.directory
            self._close(message)
            sink.begin(message.row, message.row)
            self._tell(message, about)
            sink.close()
            rows, spent = rows + 1, spent + message.size
        offset = self._after.get(_PARTED, self._after.get(_WHOLE, 0))
        return Reading(tuple(sink.events), Cursor(offset, size, carry=self._carry()), tuple(sink.skips), rows,
                       sink.prompts, complete)

    def _carry(self) -> str:
        steps = {table: steps_back(self._base, table, self._after[table], names="id") for table in self._tables}
        return json.dumps({"at": steps, "open": self._open[-_MOST_OPEN:]}, separators=(",", ":"))

    def _waiting(self) -> Iterator[_Message]:
        """Answers that were still being written before and are whole now, and then what is new in each table."""
        for table, identity in tuple(self._open):
            found = next(self._rows(table, "id = ?", (identity,)), None) if table in self._tables else None
            if found is None or found.row > self._from[table]:
                self._open.remove((table, identity))
            elif not self._is_growing(found):
                yield found
        for table in self._tables:
            yield from self._rows(table, "rowid > ?", (self._from[table],))

    def _close(self, message: _Message) -> None:
        """Note that a message was looked at; one still being written is kept for later."""
        key = (message.table, message.identity)
        if key in self._open:
            self._open.remove(key)
        self._after[message.table] = max(self._after[message.table], message.row)

    def _rows(self, table: str, where: str, given: tuple[object, ...]) -> Iterator[_Message]:
        columns = self._columns[table]
        kind, at = ("type" if "type" in columns else "''"), ("time_created" if "time_created" in columns else "0")
        rows = self._base.execute(
            f"SELECT rowid, id, session_id, data, {kind}, {at} FROM {table} WHERE {where} ORDER BY rowid", given)
        while batch := rows.fetchmany(ROWS_AT_ONCE):
            for row, identity, session, text, named, moment in batch:
                parsed = parse_json(text) if isinstance(text, str) else None
                body = {**parsed, "type": named} if isinstance(parsed, dict) and named else parsed
                yield _Message(table, int(row), str(identity), str(session), body if isinstance(body, dict) else None,
                               len(str(text)), moment if isinstance(moment, int) else 0)

    def _tell(self, message: _Message, about: _About) -> None:
        sink, body = self._sink, message.body
        if body is None:
            sink.skip(contract.CORRUPT)
        elif about.child:
            sink.skip(contract.SIDECHAIN)
        elif self._is_repeated(message, about):
            sink.skip(contract.REPEATED)
        elif message.table == _WHOLE and _kind(body) not in _TALK:
            sink.skip(contract.BOOKKEEPING)
        elif self._is_growing(message):
            self._open.append((message.table, message.identity))
            sink.skip(contract.BOOKKEEPING)
        else:
            session = self._session(message.session, about)
            session.message(*self._in_parts(message))

    def _is_repeated(self, message: _Message, about: _About) -> bool:
        """Whether the other table, or the session this one was copied from, says the same."""
        if message.table == _WHOLE and message.at:
            if message.session not in self._ends:
                timed = "time_created" in self._columns[_PARTED]
                found = self._base.execute("SELECT max(time_created) FROM message WHERE session_id = ?",
                                           (message.session,)).fetchone()[0] if timed else None
                self._ends[message.session] = found + _SAME_MS if isinstance(found, int) else 0
            if message.at <= self._ends[message.session]:
                return True
        if not about.fork or not message.at:
            return False
        if self._originals is None:
            self._originals = frozenset(self._times_of_originals())
        return message.at in self._originals

    def _times_of_originals(self) -> Iterator[int]:
        for table in self._tables:
            if "time_created" in self._columns[table]:
                for session, at in self._base.execute(f"SELECT session_id, time_created FROM {table}"):
                    if not self._known(str(session)).fork:
                        yield at

    def _is_growing(self, message: _Message) -> bool:
        """An answer without an end and without an error, after which the agent has not said anything else."""
        body = message.body or {}
        if _kind(body) != "assistant" or "completed" in record_at(body, "time") or "error" in body:
            return False
        later = self._rows(message.table, "session_id = ? AND rowid > ?", (message.session, message.row))
        return not any(_kind(other.body or {}) == "assistant" for other in later)

    def _known(self, identity: str) -> _About:
        if identity not in self._about:
            found: tuple[object, ...] | None = None
            for table in ("session", "session_v2"):
                columns = self._columns[table]
                wanted = [name if name in columns else "''" for name in ("parent_id", "directory", "fork_session_id", "title")]
                found = found or (self._base.execute(
                    f"SELECT {', '.join(wanted)} FROM {table} WHERE id = ?", (identity,)).fetchone() if columns else None)
            parent, directory, fork, title = (value if isinstance(value, str) else "" for value in found or ("",) * 4)
            self._about[identity] = _About(directory, bool(parent), bool(fork or _FORKED.search(title)))
        return self._about[identity]

    def _session(self, identity: str, about: _About) -> Session:
        """The conversation, with the last messages before the cursor looked at again: they may hold a question."""
        known = self._sessions.get(identity)
        if known:
            return known
        session = self._sessions[identity] = Session(identity, self._sink, cwd=about.directory)
        self._sink.muted = True
        for table in self._tables:
            before = self._rows(table, f"rowid IN (SELECT rowid FROM {table} WHERE session_id = ? AND rowid <= ? "
                                f"ORDER BY rowid DESC LIMIT {LOOKED_BACK})", (identity, self._from[table]))
            for message in before:
                if message.body is not None:
                    session.message(*self._in_parts(message))
        self._sink.muted = False
        return session

    def _in_parts(self, message: _Message) -> tuple[Record, list[Record]]:
        """A message and its parts in the shape that `opencode export` prints."""
        body = message.body or {}
        kind = _kind(body)
        time = record_at(body, "time") or {"created": message.at or None}
        about: Record = {"id": message.identity, "role": kind, "time": time, "summary": body.get("summary")}
        if message.table == _WHOLE:
            return about, _own_parts(body, kind)
        rows = self._base.execute("SELECT data FROM part WHERE message_id = ? ORDER BY id", (message.identity,))
        parsed = (parse_json(raw) if isinstance(raw, str) else None for (raw,) in rows)
        return about, [part for part in parsed if isinstance(part, dict)]


def _kind(body: Record) -> str:
    """Who a message is from; rows that hold a whole message call the role a type."""
    return text_at(body, "role") or text_at(body, "type")


def _own_parts(body: Record, kind: str) -> list[Record]:
    """The parts of a message that is one row."""
    if kind == "compaction":
        return [{"type": "compaction", "summary": text_at(body, "summary")}]
    if kind == "shell":
        return [{"type": "tool", "tool": "shell", "state": {"status": "completed", "output": text_at(body, "output")}}]
    parts: list[Record] = []
    if text_at(body, "text"):
        parts.append({"type": "text", "text": text_at(body, "text"), "synthetic": kind in _PUT_THERE})
    for part in (*records_at(body, "parts"), *records_at(body, "content")):
        if text_at(part, "type") == "tool":
            part = {**part, "tool": text_at(part, "tool", "name"), "state": record_at(part, "state")}
        parts.append(part)
    return parts

