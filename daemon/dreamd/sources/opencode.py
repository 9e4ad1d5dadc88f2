"""OpenCode: the JSON that `opencode export` prints, and its database, read without a lock or a trace."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dreamd.model import Cursor, Event, EventKind, Reading, Speaker
from dreamd.sources import contract
from dreamd.sources.contract import Head
from dreamd.sources.databases import LOOKED_BACK, columns_of, read_database, tables_of
from dreamd.sources.documents import Whole, read_document
from dreamd.sources.reading import Sink
from dreamd.sources.refusals import Answer
from dreamd.sources.speech import separate
from dreamd.sources.tolerant import Record, moment, parse_json, parse_record, record_at, records_at, text_at
from dreamd.sources.turns import Turns, memory_path_of, written_by

_ROWS_AT_ONCE = 500


class OpenCodeExport:
    """Reads one exported session."""

    kind = "opencode"

    def accepts(self, head: Head) -> bool:
        """A document with `info` and `messages`, messages having parts."""
        return {"info", "messages"} <= head.keys and "projectHash" not in head.keys

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:  # noqa: ARG002 one document
        """Read the session and give what is new in it."""
        return read_document(path, cursor, parse=_parse_export)


def _parse_export(whole: Whole, sink: Sink) -> bool:
    document = parse_record(whole.text[max(whole.text.find("{"), 0):])
    if document is None:
        return False
    about = record_at(document, "info")
    if text_at(about, "parentID"):
        sink.begin(0, len(whole.body))
        sink.skip(contract.SIDECHAIN)
        return True
    session = Session(text_at(about, "id"), sink, cwd=text_at(about, "directory"))
    for number, message in enumerate(records_at(document, "messages")):
        sink.begin(number, number)
        session.message(record_at(message, "info"), records_at(message, "parts"))
        sink.close()
    return True


class Session:
    """One conversation, message by message."""

    def __init__(self, name: str, sink: Sink, *, cwd: str) -> None:
        self._sink = sink
        self._name = name
        self.cwd = cwd
        self._turns = Turns(sink)

    def message(self, about: Record, parts: list[Record]) -> None:
        """Hand over one message."""
        at = moment(record_at(about, "time").get("created"))
        event = Event(Speaker.AGENT, EventKind.PROSE, "", at, self._name, 0, 0, uid=text_at(about, "id"),
                      cwd=self.cwd)
        if text_at(about, "role") in ("user", "synthetic"):
            typed = [text_at(part, "text") for part in parts if _is_typed(part)]
            put = [text_at(part, "text") for part in parts if text_at(part, "type") == "text" and not _is_typed(part)]
            self._turns.hear(event, separate("\n\n".join(typed)))
            if any(text.strip() for text in put):
                self._turns.put(event, "\n\n".join(put))
            return
        for part in parts:
            kind = text_at(part, "type")
            if kind == "text":
                self._turns.prose(event, text_at(part, "text"))
            elif kind == "tool":
                self._tool(event, part)
            elif kind == "compaction":
                self._sink.add(replace(event, speaker=Speaker.INJECTED, kind=EventKind.BOUNDARY))
            else:
                self._sink.skip(contract.THINKING if kind == "reasoning" else contract.BOOKKEEPING)

    def _tool(self, event: Event, part: Record) -> None:
        name, state = text_at(part, "tool"), record_at(part, "state")
        arguments = record_at(state, "input")
        if memory_path_of(name, arguments):
            self._sink.add(replace(event, kind=EventKind.MEMORY_WRITE, text=written_by(arguments)))
        elif name == "question":
            self._turns.answer(event, _answers(arguments, state))
        elif text_at(state, "status") == "error":
            _, found, words = text_at(state, "error").partition("following feedback:")
            if found:
                self._turns.refuse(event, words.strip(), brief=name)
            else:
                self._turns.result(event, text_at(state, "error"), name=name)
        else:
            self._turns.result(event, text_at(state, "output"), name=name)


def _is_typed(part: Record) -> bool:
    return text_at(part, "type") == "text" and part.get("synthetic") is not True and part.get("ignored") is not True


def _answers(arguments: Record, state: Record) -> list[Answer]:
    given = record_at(state, "metadata").get("answers")
    questions = records_at(arguments, "questions")
    answers: list[Answer] = []
    for number, value in enumerate(given if isinstance(given, list) else []):
        words = ", ".join(word for word in value if isinstance(word, str)) if isinstance(value, list) else ""
        if words.strip():
            answers.append(Answer(text_at(questions[number], "question") if number < len(questions) else "", words))
    return answers


class OpenCodeDatabase:
    """Reads the database; the cursor's offset is the last row of the message table that was read."""

    kind = "opencode-db"

    def accepts(self, head: Head) -> bool:
        """An SQLite file with OpenCode's tables."""
        tables = tables_of(head)
        return {"session", "message", "part"} <= tables or {"session_v2", "session_message"} <= tables

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the messages behind the cursor."""
        return read_database(path, cursor, read=lambda base, size: _Rows(base, cursor).read(
            size=size, budget_bytes=budget_bytes))


class _Rows:
    """One read of the tables."""

    def __init__(self, base: sqlite3.Connection, cursor: Cursor) -> None:
        self._base = base
        self._sink = Sink()
        # From version 2 on a message and its parts are one row; a store may still have the older tables beside it.
        self._new = bool(columns_of(base, "session_message"))
        self._table, self._about = ("session_message", "session_v2") if self._new else ("message", "session")
        self._last = int(base.execute(f"SELECT coalesce(max(rowid), 0) FROM {self._table}").fetchone()[0])
        self._after = cursor.offset if 0 <= cursor.offset <= self._last else 0
        self._sessions: dict[str, Session | None] = {}

    def read(self, *, size: int, budget_bytes: int) -> Reading:
        """Read messages until the budget is spent or the last one is still being written."""
        sink = self._sink
        spent = rows = 0
        complete = True
        where = ""
        for row, identity, session_id, text in self._messages():
            about = _record(text)
            parts = self._parts(identity, about)
            session = self._session(session_id)
            if rows and session and session.cwd != where:
                complete = False  # what was said in two projects must never be taken for one
                break
            where = session.cwd if session else where
            sink.begin(row, row)
            if about is None:
                sink.skip(contract.CORRUPT)
            elif session is None:
                sink.skip(contract.SIDECHAIN)
            elif row == self._last and _is_growing(_with_role(about)):
                break
            else:
                session.message({**_with_role(about), "id": identity}, parts)
                sink.close()
            self._after, rows = row, rows + 1
            spent += len(text) + sum(len(json.dumps(part)) for part in parts)
            if spent >= budget_bytes:
                complete = False
                break
        return Reading(tuple(sink.events), Cursor(self._after, size), tuple(sink.skips), rows, sink.prompts, complete)

    def _messages(self) -> Iterator[tuple[int, str, str, str]]:
        rows = self._base.execute(
            f"SELECT rowid, id, session_id, data FROM {self._table} WHERE rowid > ? ORDER BY rowid", (self._after,))
        while batch := rows.fetchmany(_ROWS_AT_ONCE):
            for row, identity, session_id, text in batch:
                yield int(row), str(identity), str(session_id), str(text)

    def _session(self, identity: str) -> Session | None:
        """The conversation a message belongs to; None for a sub-agent's."""
        if identity not in self._sessions:
            columns = columns_of(self._base, self._about)
            wanted = [name if name in columns else "''" for name in ("parent_id", "directory")]
            found = self._base.execute(
                f"SELECT {', '.join(wanted)} FROM {self._about} WHERE id = ?", (identity,)).fetchone() or ("", "")
            parent, directory = (value if isinstance(value, str) else "" for value in found)
            self._sessions[identity] = None if parent else self._resumed(identity, directory)
        return self._sessions[identity]

    def _resumed(self, identity: str, directory: str) -> Session:
        """Look at the last messages before the cursor again: they may hold the question that is answered next."""
        session = Session(identity, self._sink, cwd=directory)
        self._sink.muted = True
        before = self._base.execute(
            f"SELECT id, data FROM {self._table} WHERE session_id = ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?",
            (identity, self._after, LOOKED_BACK)).fetchall()
        for message, text in reversed(before):
            about = _record(text)
            session.message({**_with_role(about or {}), "id": str(message)}, self._parts(str(message), about))
        self._sink.muted = False
        return session

    def _parts(self, identity: str, about: Record | None) -> list[Record]:
        if self._new:
            return _own_parts(about or {})
        rows = self._base.execute("SELECT data FROM part WHERE message_id = ? ORDER BY id", (identity,))
        return [part for (raw,) in rows if (part := _record(raw))]


def _record(raw: object) -> Record | None:
    parsed = parse_json(raw) if isinstance(raw, str) else None
    return parsed if isinstance(parsed, dict) else None


def _with_role(about: Record) -> Record:
    """Version 2 calls the role a type."""
    return about if "role" in about else {**about, "role": text_at(about, "type")}


def _own_parts(about: Record) -> list[Record]:
    """The parts of a version 2 message, in the shape of the older ones."""
    parts: list[Record] = []
    if text_at(about, "text"):
        parts.append({"type": "text", "text": text_at(about, "text"), "synthetic": text_at(about, "type") == "synthetic"})
    for part in (*records_at(about, "parts"), *records_at(about, "content")):
        parts.append({**part, "tool": text_at(part, "tool", "name")} if text_at(part, "type") == "tool" else part)
    return parts


def _is_growing(about: Record) -> bool:
    """An answer that is still being written has no end and no error yet."""
    return text_at(about, "role") == "assistant" and "completed" not in record_at(about, "time") \
        and "error" not in about


