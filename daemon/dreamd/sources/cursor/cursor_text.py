"""Agent transcripts of older Cursor versions: flat text, a line with who speaks before each turn.

What a tool gave back stands in the same text as the agent's words and may quote anything, another transcript too. So a
person's turn counts only with the mark that the editor puts around typed words, and what follows a tool's result is
that result until the next mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from dreamd.core.values import Cursor, Event, EventKind, Reading, Speaker
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.databases import workspace_in
from dreamd.sources.base.documents import Whole, read_document
from dreamd.sources.base.human_words import separate
from dreamd.sources.base.reading import Sink
from dreamd.sources.base.turns import Turns

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
