"""The readable copies that Cursor keeps of its agent's conversations, one message a line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dreamd.model import Cursor, Event, EventKind, Reading, Speaker
from dreamd.sources import contract
from dreamd.sources.contract import Head
from dreamd.sources.databases import workspace_in
from dreamd.sources.reading import Sink, read_lines
from dreamd.sources.speech import separate
from dreamd.sources.tolerant import Record, moment, record_at, records_at, text_at, texts_of
from dreamd.sources.turns import Turns


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
