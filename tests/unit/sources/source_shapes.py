"""Made-up lines in the shapes harnesses write, for the tests of this room."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

try:  # part of Python from 3.14 on
    from compression import zstd
except ImportError:
    from backports import zstd

from dreamd.core.values import Cursor, Event, Reading, Speaker
from dreamd.sources import adapter_for

__all__ = ["agent", "call", "prose", "read_all", "result", "said", "user", "write_lines", "zstd"]

Json = dict[str, object]


def write_lines(path: Path, records: Iterable[Json | str]) -> Path:
    """Write records as JSON lines; strings go in as they are."""
    lines = [record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def read_all(path: Path, cursor: Cursor | None = None, *, budget_bytes: int = 1 << 40) -> Reading:
    """Read a path with the adapter that recognises it."""
    adapter = adapter_for(path)
    assert adapter is not None, "no adapter recognises this file"
    return adapter.read(path, cursor or Cursor(), budget_bytes=budget_bytes)


def said(events: Sequence[Event]) -> list[str]:
    """What people said, in order."""
    return [event.text for event in events if event.speaker is Speaker.HUMAN]


def user(text: object, uid: str, **more: object) -> Json:
    """A user line of a Claude Code transcript."""
    return {"type": "user", "uuid": uid, "parentUuid": None, "isSidechain": False, "userType": "external",
            "cwd": "/srv/otter", "sessionId": "s-1", "version": "2.1.231", "gitBranch": "main",
            "timestamp": "2026-08-10T12:00:00.000Z", "message": {"role": "user", "content": text}, **more}


def agent(block: Json, uid: str, **more: object) -> Json:
    """An assistant line: one content block."""
    return {"type": "assistant", "uuid": uid, "isSidechain": False, "cwd": "/srv/otter", "sessionId": "s-1",
            "timestamp": "2026-08-10T12:00:04.000Z", "message": {"id": "m-1", "role": "assistant", "model": "m",
                                                                 "content": [block]}, **more}


def prose(text: str, uid: str) -> Json:
    """The agent says something."""
    return agent({"type": "text", "text": text}, uid)


def call(name: str, arguments: Json, uid: str, *, call_id: str = "toolu_1") -> Json:
    """The agent calls a tool."""
    return agent({"type": "tool_use", "id": call_id, "name": name, "input": arguments}, uid)


def result(text: object, uid: str, *, error: bool = False, call_id: str = "toolu_1", **more: object) -> Json:
    """A tool's result, on a user line as the program writes it."""
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": error}
    return user([block], uid, **{"toolUseResult": "Error: " + str(text) if error else {"stdout": text}, **more})
