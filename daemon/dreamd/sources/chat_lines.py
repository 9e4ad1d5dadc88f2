"""Two formats with the same bones, one message a line: OpenClaw sessions and Cursor's agent transcripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dreamd.model import Cursor, Event, EventKind, Reading, Speaker
from dreamd.sources import contract
from dreamd.sources.contract import Head
from dreamd.sources.databases import workspace_in
from dreamd.sources.reading import Sink, read_lines
from dreamd.sources.speech import separate
from dreamd.sources.tolerant import Record, moment, record_at, records_at, text_at, texts_of
from dreamd.sources.turns import Turns

_CLAW_TYPES = frozenset({
    "session", "message", "custom", "custom_message", "compaction", "branch_summary", "model_change",
    "thinking_level_change", "label", "session_info",
})
_ENVELOPE = re.compile(r"^\[[^\]\n]{3,200}\d{1,2}:\d{2}[^\]\n]{0,40}\] ?")
"""Channels put a line such as `[WebChat 2026-02-09 10:00]` before what a person wrote."""
_MESSAGE_ID = re.compile(r"\n?\[message_id: [^\]\n]{1,100}\]\s*$")
_METADATA = re.compile(r"\A(?:[A-Z][^\n]{3,80}\(untrusted[^\n]{0,40}\):\n```json\n(?:[^`]|`(?!``))*```\s*)+")
_BACKGROUND = (
    "Read HEARTBEAT.md", "HEARTBEAT", "A new session was started via", "[cron:", "Pre-compaction memory flush",
    "[System", "System:", "A subagent task", "GatewayRestart", "Continue where you left off",
)


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
        return read_lines(path, cursor, budget_bytes=budget_bytes, make_parser=lambda sink: _Claw(path.stem, sink))


class _Claw:
    """One OpenClaw conversation."""

    def __init__(self, name: str, sink: Sink) -> None:
        self._sink = sink
        self._session = name
        self._cwd = ""
        self._named_at = -1
        self._turns = Turns(sink)

    def recalled(self) -> Sequence[int]:
        """Where the session was named, and the open question and calls."""
        return [offset for offset in (self._named_at, *self._turns.offsets()) if offset >= 0]

    def take(self, record: Record) -> None:
        """Look at one line."""
        kind = text_at(record, "type")
        if kind == "session":
            self._session, self._cwd = text_at(record, "id") or self._session, text_at(record, "cwd")
            self._named_at = self._sink.start
        message = record_at(record, "message")
        event = Event(Speaker.AGENT, EventKind.PROSE, "", moment(record.get("timestamp") or message.get("timestamp")),
                      self._session, 0, 0, cwd=self._cwd,
                      uid=f"{self._session}:{record['id']}" if text_at(record, "id") else "")
        if kind == "message":
            self._message(event, message)
        elif kind in ("compaction", "branch_summary"):
            event = replace(event, speaker=Speaker.INJECTED)
            self._sink.add(replace(event, kind=EventKind.BOUNDARY))
            self._sink.add(replace(event, kind=EventKind.SUMMARY, text=text_at(record, "summary")))
        elif kind == "custom_message":
            self._turns.put(event, "\n".join(texts_of(record.get("content"))))
        else:
            self._sink.skip(contract.BOOKKEEPING if kind in _CLAW_TYPES else contract.UNKNOWN)

    def _message(self, event: Event, message: Record) -> None:
        role, text = text_at(message, "role"), "\n".join(texts_of(message.get("content")))
        if role == "user":
            words = _MESSAGE_ID.sub("", _ENVELOPE.sub("", _METADATA.sub("", text.strip()), count=1))
            if words.startswith(_BACKGROUND):
                self._turns.put(event, text)
            else:
                self._turns.hear(event, separate(words))
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


class CursorTranscript:
    """Reads one of the readable copies Cursor keeps of an agent conversation; they have no times."""

    kind = "cursor"

    def accepts(self, head: Head) -> bool:
        """A role beside the message on every line, and no type."""
        return any(text_at(record, "role") in ("user", "assistant") and "type" not in record
                   and "content" in record_at(record, "message") for record in head.records[:5])

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the lines behind the cursor."""
        return read_lines(path, cursor, budget_bytes=budget_bytes, make_parser=lambda sink: _CursorChat(path.stem, sink))


class _CursorChat:
    """One Cursor conversation."""

    def __init__(self, name: str, sink: Sink) -> None:
        self._sink = sink
        self._name = name
        self._cwd = ""
        self._named_at = -1
        self._turns = Turns(sink)

    def recalled(self) -> Sequence[int]:
        """Where the directory was named, and the open question and calls."""
        return [offset for offset in (self._named_at, *self._turns.offsets()) if offset >= 0]

    def take(self, record: Record) -> None:
        """Look at one line."""
        message = record_at(record, "message")
        text = "\n".join(texts_of(message.get("content")))
        if not self._cwd and (named := workspace_in(text)):
            self._cwd, self._named_at = named, self._sink.start
        event = Event(Speaker.AGENT, EventKind.PROSE, "", moment(record.get("timestamp")), self._name, 0, 0,
                      uid=f"{self._name}:{self._sink.start}", cwd=self._cwd)
        if text_at(record, "role") == "user":
            self._turns.hear(event, separate(text))
        elif text_at(record, "role") == "assistant":
            self._turns.prose(event, text.replace("[REDACTED]", ""))
            for part in records_at(message, "content"):
                if text_at(part, "type") == "tool_use":
                    call = text_at(part, "id"), text_at(part, "name"), record_at(part, "input")
                    self._turns.call(event, call)
        else:
            self._sink.skip(contract.UNKNOWN)
