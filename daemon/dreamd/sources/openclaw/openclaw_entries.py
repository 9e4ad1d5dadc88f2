"""OpenClaw's conversations: the entries of a session, and the files of JSON lines older versions keep them in."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from dreamd.core.values import Cursor, Event, EventKind, Reading, Speaker
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.databases import UNREADABLE, connect, row_of
from dreamd.sources.base.human_words import separate
from dreamd.sources.base.opening import read_record
from dreamd.sources.base.reading import Sink, read_lines
from dreamd.sources.base.tolerant import Record, moment, record_at, records_at, text_at, texts_of
from dreamd.sources.base.turns import Turns
from dreamd.sources.openclaw.openclaw_words import Company, company_of, is_from_a_program, words_in

STORE_NAME = "openclaw-agent.sqlite"
"""The store of an agent, in a folder beside that of its sessions."""
_STATES = frozenset({".openclaw", ".clawdbot", ".moltbot", ".moldbot"})
_TYPES = frozenset({
    "session", "message", "custom", "custom_message", "compaction", "branch_summary", "model_change",
    "thinking_level_change", "label", "session_info", "reset", "leaf",
})


class OpenClawSession:
    """Reads one OpenClaw session file."""

    kind = "openclaw"

    def accepts(self, head: Head) -> bool:
        """A session line with an id first, or messages under an id without a session of their own."""
        first = head.records[0] if head.records else {}
        if text_at(first, "type") == "session" and "id" in first and "sessionId" not in first:
            return True
        return any(text_at(record, "type") == "message" and "parentId" in record
                   and "role" in record_at(record, "message") for record in head.records[:10])

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the lines behind the cursor."""
        company = _company_in_list(path) or _company_in_store(path) or Company()
        return read_lines(path, cursor, budget_bytes=budget_bytes,
                          make_parser=lambda sink: Claw(path.name.partition(".")[0], sink, company=company))


def _company_in_store(path: Path) -> Company | None:
    """Who talked in a session that was put away, from the store that it was taken out of."""
    store = path.parent.with_name("agent") / STORE_NAME
    if not store.is_file():
        return None
    session = path.name.partition(".")[0]
    try:
        with closing(connect(store)) as base:
            for table, column, value in (("session_transcript_archives", "archive_name", path.name),
                                         ("session_windows", "session_id", session)):
                found = row_of(base, table, column, value)
                if found:
                    return company_of(text_at(found, "session_key"), found)
    except UNREADABLE:
        return None
    return None


def _company_in_list(path: Path) -> Company | None:
    """Who talks in a session, from the list that older versions keep beside their files."""
    name = path.name.partition(".")[0]
    for key, about in read_record(path.with_name("sessions.json")).items():
        if isinstance(about, dict) and text_at(about, "sessionId") == name:
            return company_of(key, about)
    return None


def _place_of(cwd: str) -> str:
    """Where a session is held; in the agent's own workspace, beside its state, it belongs to no project."""
    folder = Path(cwd)
    return "" if folder.name.startswith("workspace") and folder.parent.name in _STATES else cwd


class Claw:
    """One OpenClaw conversation, entry by entry."""

    def __init__(self, name: str, sink: Sink, *, cwd: str = "", company: Company | None = None) -> None:
        self._sink = sink
        self._session = name
        self._cwd = _place_of(cwd)
        self._company = company or Company()
        self._named_at = -1
        self._turns = Turns(sink)

    def recalled(self) -> Sequence[int]:
        """Where the session was named, and the open question and calls."""
        return [offset for offset in (self._named_at, *self._turns.offsets()) if offset >= 0]

    def move_to(self, cwd: str) -> None:
        """Hear where the conversation is held, from an entry that says something else as well."""
        self._cwd, self._named_at = cwd, self._sink.start

    def take(self, record: Record) -> None:
        """Look at one entry."""
        kind = text_at(record, "type")
        if kind == "session":
            self._session, self._cwd = text_at(record, "id") or self._session, _place_of(text_at(record, "cwd"))
            self._named_at = self._sink.start
        message = record_at(record, "message")
        event = Event(Speaker.AGENT, EventKind.PROSE, "", moment(record.get("timestamp") or message.get("timestamp")),
                      self._session, 0, 0, cwd=self._cwd,
                      uid=f"{self._session}:{record['id']}" if text_at(record, "id") else "")
        if self._company.skip:
            self._sink.skip(self._company.skip)
        elif kind == "message":
            self._message(event, message)
        elif kind in ("compaction", "branch_summary"):
            self._turns.sum_up(event, text_at(record, "summary"))
        elif kind == "custom_message":
            self._turns.put(event, "\n".join(texts_of(record.get("content"))))
        else:
            self._sink.skip(contract.BOOKKEEPING if kind in _TYPES else contract.UNKNOWN)

    def _message(self, event: Event, message: Record) -> None:
        role, text = text_at(message, "role"), "\n".join(texts_of(message.get("content")))
        if role == "user":
            self._heard(event, message, text)
        elif role == "assistant":
            self._turns.prose(event, text)
            for part in records_at(message, "content"):
                if text_at(part, "type") in ("toolCall", "tool_use"):
                    arguments = record_at(part, "arguments") or record_at(part, "input")
                    self._turns.call(event, (text_at(part, "id"), text_at(part, "name"), arguments))
        elif role in ("toolResult", "tool"):
            name, _ = self._turns.called(text_at(message, "toolCallId"))
            self._turns.result(event, text, name=name or text_at(message, "toolName"))
        else:
            self._sink.skip(contract.BOOKKEEPING)

    def _heard(self, event: Event, message: Record, text: str) -> None:
        words = "" if self._company.shared or is_from_a_program(message) else words_in(text)
        if words:
            self._turns.hear(event, separate(words))
        else:
            self._turns.put(event, text)
