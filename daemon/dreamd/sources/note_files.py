"""Notes outside Claude Code: an OpenClaw workspace, Hermes' `§` files, and structured logs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dreamd.model import Cursor, Event, EventKind, MemoryType, Reading, Speaker, content_id
from dreamd.sources import contract
from dreamd.sources.contract import Head
from dreamd.sources.documents import Whole, read_document
from dreamd.sources.memory_dir import INDEX_NAME, read_notes
from dreamd.sources.reading import Sink, read_lines
from dreamd.sources.tolerant import Record, moment, text_at

_DAILY = re.compile(r"memory/\d{4}-\d{2}-\d{2}(?:-[^/]{1,100})?\.md$")
_WORKSPACE_NAMES = frozenset({"SOUL.md", "HEARTBEAT.md", "DREAMS.md", "dreams.md", "IDENTITY.md", "BOOTSTRAP.md"})
_SECTION = re.compile(r"^[ \t]*§[ \t]*\r?$", re.MULTILINE)
_SPEAKERS = {
    "user": Speaker.HUMAN, "human": Speaker.HUMAN, "person": Speaker.HUMAN, "agent": Speaker.AGENT,
    "assistant": Speaker.AGENT, "import": Speaker.AGENT, "tool": Speaker.TOOL, "web": Speaker.TOOL,
    "system": Speaker.INJECTED, "injected": Speaker.INJECTED,
}
_TYPES = frozenset(kind.value for kind in MemoryType)


class OpenClawWorkspace:
    """Reads the curated memory and the daily logs; the diary and dreaming's own reports are no sources."""

    kind = "openclaw-workspace"

    def accepts(self, head: Head) -> bool:
        """A directory with the workspace's own files beside an index or daily logs."""
        return head.is_dir and bool(_WORKSPACE_NAMES & head.names) and bool({INDEX_NAME, "memory"} & head.names)

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the note files that changed since the cursor."""
        return read_notes(path, cursor, budget_bytes=budget_bytes,
                          wanted=lambda name: name in (INDEX_NAME, "USER.md") or _DAILY.match(name) is not None)


class Hermes:
    """Reads one file of entries between lines of `§`."""

    kind = "hermes"

    def accepts(self, head: Head) -> bool:
        """Markdown with a line that holds nothing but the sign, under one of Hermes' two names."""
        return head.path.name in (INDEX_NAME, "USER.md") and _SECTION.search(
            head.start.decode("utf-8", "replace")) is not None

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:  # noqa: ARG002 one small document
        """Read the file and give what is new in it."""
        return read_document(path, cursor, parse=lambda whole, sink: _entries(whole, sink, name=path.name))


def _entries(whole: Whole, sink: Sink, *, name: str) -> bool:
    position = offset = 0
    for end, following in [*((m.start(), m.end()) for m in _SECTION.finditer(whole.text)), (len(whole.text), 0)]:
        text = whole.text[position:end]
        start, offset = offset, offset + len(text.encode("utf-8", "surrogateescape"))
        sink.begin(start, offset)
        if text.strip():
            sink.add(Event(Speaker.AGENT, EventKind.NOTE, text, None, "", 0, 0, title=Path(name).stem,
                           uid="note:" + content_id(name, text.strip()),
                           type_hint=MemoryType.USER if name == "USER.md" else ""))
        offset += len(whole.text[end:following].encode("utf-8", "surrogateescape")) if following else 0
        position = following
    return True


class StructuredLog:
    """Reads JSON lines that carry a statement in `text`: a log of any program, or the shape `dream note` takes."""

    kind = "structured"

    def accepts(self, head: Head) -> bool:
        """Every record has a text."""
        return bool(head.records) and all(isinstance(record.get("text"), str) for record in head.records)

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the lines behind the cursor."""
        return read_lines(path, cursor, budget_bytes=budget_bytes, make_parser=_Log)


class _Log:
    """Structured lines need nothing from one another."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def recalled(self) -> Sequence[int]:
        """Nothing."""
        return ()

    def take(self, record: Record) -> None:
        """Look at one line."""
        sink = self._sink
        text = text_at(record, "text")
        if not text.strip():
            sink.skip(contract.NO_TEXT if "text" in record else contract.UNKNOWN)
            return
        said = text_at(record, "speaker", "origin", "role").casefold()
        speaker = _SPEAKERS.get(said, Speaker.AGENT)
        at = moment(record.get("at") or record.get("timestamp") or record.get("time"))
        key = text_at(record, "key", "id")
        hint = text_at(record, "type")
        event = Event(speaker, EventKind.NOTE, text, at, text_at(record, "conversation", "session"), 0, 0,
                      uid="log:" + content_id(key or str(at), text), cwd=text_at(record, "cwd"),
                      type_hint=hint if hint in _TYPES else "")
        kind = {Speaker.TOOL: EventKind.RESULT, Speaker.INJECTED: EventKind.PROMPT}.get(speaker, EventKind.NOTE)
        sink.add(replace(event, kind=kind))
