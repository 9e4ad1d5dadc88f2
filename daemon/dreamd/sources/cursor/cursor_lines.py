"""The readable copies that Cursor keeps of its agent's conversations, one message a line.

They have no times but the one that newer versions put before what a person typed, as it would be read out.

Agent transcripts of older Cursor versions: flat text, a line with who speaks before each turn.

What a tool gave back stands in the same text as the agent's words and may quote anything, another transcript too. So a
person's turn counts only with the mark that the editor puts around typed words, and what follows a tool's result is
that result until the next mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from dreamd.core.values import Cursor, Event, EventKind, Reading, Speaker
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.databases import workspace_in
from dreamd.sources.base.documents import Whole, read_document
from dreamd.sources.base.human_words import separate
from dreamd.sources.base.reading import Sink, read_lines
from dreamd.sources.base.tolerant import Record, moment, record_at, records_at, text_at, texts_of
from dreamd.sources.base.turns import Turns

_SENT = re.compile(r"<timestamp>[A-Za-z]{3,12}, ([A-Za-z]{3}) (\d{1,2}), (\d{4}),? (\d{1,2}):(\d{2})(?::\d{2})? ([AP]M)"
                   r"(?: \(UTC([+-]\d{1,2})(?::(\d{2}))?\))?")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SENT_WITHIN = 400


class CursorTranscript:
    """Reads one of the readable copies Cursor keeps of an agent conversation."""

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
        at = moment(record.get("timestamp")) or sent_at(text)
        event = Event(Speaker.AGENT, EventKind.PROSE, "", at, self._name, 0, 0,
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
            self._sink.skip(contract.BOOKKEEPING if text_at(record, "type") == "turn_ended" else contract.UNKNOWN)


def sent_at(text: str) -> datetime | None:
    """When a message was sent, where it says so; without a zone it is taken as UTC."""
    found = _SENT.search(text[:_SENT_WITHIN])
    if not found or found[1].title() not in _MONTHS:
        return None
    hours, minutes = int(found[7] or 0), int(found[8] or 0)
    zone = timezone(timedelta(hours=hours, minutes=-minutes if hours < 0 else minutes)) if abs(hours) < 24 else UTC
    try:
        sent = datetime(int(found[3]), _MONTHS.index(found[1].title()) + 1, int(found[2]),
                        int(found[4]) % 12 + (12 if found[6] == "PM" else 0), int(found[5]), tzinfo=zone)
    except ValueError:
        return None
    return moment(sent.astimezone(UTC).isoformat())


_TURN = re.compile(r"^(user|assistant|A):[ \t]*\r?$", re.MULTILINE)
_MARK = re.compile(r"^\[(Thinking|Tool call|Tool result)\][ \t]*([^\n]{0,100})", re.MULTILINE)
_QUERY = "<user_query>"
_START = re.compile(rb"\A(?:\xef\xbb\xbf)?\s{0,40}user:[ \t]*\r?\n")


class CursorText:
    """Reads one conversation; it has no times."""

    kind = "cursor-text"

    def accepts(self, head: Head) -> bool:
        """A person's turn at the beginning, with the editor's mark near it."""
        return head.path.suffix == ".txt" and _START.match(head.start) is not None and _QUERY.encode() in head.start

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:  # noqa: ARG002 one document
        """Read the conversation and give what is new in it."""
        return read_document(path, cursor, parse=lambda whole, sink: _read(whole, sink, name=path.stem))


def _read(whole: Whole, sink: Sink, *, name: str) -> bool:
    turns, cwd = Turns(sink), ""
    heads = list(_TURN.finditer(whole.text))
    for number, head in enumerate(heads):
        text = whole.text[head.end():_start_after(heads, number, whole.text)]
        cwd = cwd or workspace_in(text)
        sink.begin(number, number)
        event = Event(Speaker.AGENT, EventKind.PROSE, "", None, name, 0, 0, uid=f"{name}:{number}", cwd=cwd)
        if head[1] == "user" and _QUERY in text:
            turns.hear(event, separate(text))
        elif head[1] == "user":
            turns.put(event, text)
        else:
            for kind, words in _parts(text):
                _tell(turns, sink, event, (kind, words))
        sink.close()
    return bool(heads) or not whole.text.strip()


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """An agent's turn in pieces: its words, and what stands behind each mark."""
    marks = list(_MARK.finditer(text))
    yield "", text[:marks[0].start()] if marks else text
    for number, mark in enumerate(marks):
        body = text[mark.end():_start_after(marks, number, text)]
        if mark[1] == "Thinking":  # one paragraph; what comes after it is said
            thought, _, said = body.partition("\n\n")
            yield "Thinking", thought
            yield "", said
        elif mark[1] == "Tool call":  # its arguments are indented
            called, _, said = body.lstrip("\n").partition("\n\n")
            yield "Tool call", called
            yield "", said
        else:
            yield "Tool result", body


def _start_after(found: Sequence[re.Match[str]], number: int, text: str) -> int:
    """Where the next of the matches begins, or the text ends."""
    return found[number + 1].start() if number + 1 < len(found) else len(text)


def _tell(turns: Turns, sink: Sink, event: Event, part: tuple[str, str]) -> None:
    kind, words = part
    if not kind:
        turns.prose(event, words)
    elif kind == "Tool result":
        turns.result(event, words, name="tool")
    else:
        sink.skip(contract.THINKING if kind == "Thinking" else contract.TOOL_CALL)
