"""Gemini CLI sessions: one JSON document in older builds, JSON lines with editing operators in newer ones.

A message is written again under its id while it grows, `$set` replaces fields or all messages, and `$rewindTo` takes
back everything from a message on. So the file is a journal, and what counts is the conversation it ends with; only what
was replaced by a summary was said all the same.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dreamd.core.values import Cursor, Event, EventKind, Reading, Speaker, content_id
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.documents import Whole, entries_of, read_document
from dreamd.sources.base.human_words import separate
from dreamd.sources.base.reading import Sink
from dreamd.sources.base.refusals import Answer
from dreamd.sources.base.tolerant import Record, moment, parse_record, record_at, records_at, text_at, texts_of
from dreamd.sources.base.turns import Turns, memory_path_of, written_by

_REFERENCED = "--- Content from referenced files ---"
_SUMMARY = "<state_snapshot>"
_MEMORY_TOOLS = frozenset({"save_memory", "memory"})

_Placed = tuple[Record, int, int]
"""A message and the bytes it stands in."""


class Gemini:
    """Reads one session, in either form."""

    kind = "gemini"

    def accepts(self, head: Head) -> bool:
        """A session id with a project hash, at the top of a document or on the first line."""
        if {"sessionId", "projectHash"} <= head.keys:
            return True
        return any("sessionId" in record and "projectHash" in record for record in head.records[:3])

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:  # noqa: ARG002 one document
        """Read the conversation as it stands and give what is new in it."""
        return read_document(path, cursor, parse=lambda whole, sink: _Session(path.stem, sink).read(whole))


class _Session:
    """A conversation put together from its journal."""

    def __init__(self, name: str, sink: Sink) -> None:
        self._sink = sink
        self._name = name
        self._about: Record = {}
        self._messages: dict[str, _Placed] = {}
        self._said: dict[str, int] = {}
        self._turns = Turns(sink)

    def read(self, whole: Whole) -> bool:
        """Hand over the conversation as it stands; False for a document that cannot be parsed."""
        document = parse_record(whole.text.removeprefix("\ufeff"))
        if document is not None and "messages" in document:
            self._apply_set(document, start=0, end=0)
            self._messages = {text_at(record, "id") or str(number): (record, number, number)
                              for number, record in enumerate(records_at(document, "messages"))}
        elif document is None and not self._journal(whole.body):
            return False
        if text_at(self._about, "kind") == "subagent":
            self._sink.begin(0, len(whole.body))
            self._sink.skip(contract.SIDECHAIN)
            return True
        for record, start, end in self._messages.values():
            self._sink.begin(start, end)
            self._message(record)
            self._sink.close()
        return True

    def _journal(self, body: bytes) -> bool:
        """Replay the lines; False when no line of the file is a record."""
        found = 0
        for record, start, end in entries_of(body, self._sink):
            found += 1
            self._entry(record, start=start, end=end)
        return found > 0

    def _entry(self, record: Record, *, start: int, end: int) -> None:
        target = text_at(record, "$rewindTo")
        if target:
            while target in self._messages:  # from the last message back to the target, which goes as well
                self._messages.popitem()
            self._sink.skip(contract.REWOUND)
        elif isinstance(record.get("$set"), dict):
            self._apply_set(record_at(record, "$set"), start=start, end=end)
            self._sink.skip(contract.BOOKKEEPING)
        elif "type" in record and ("content" in record or "id" in record):
            self._messages[text_at(record, "id") or str(start)] = (record, start, end)
        else:
            self._apply_set(record, start=start, end=end)
            self._sink.skip(contract.BOOKKEEPING)

    def _apply_set(self, fields: Record, *, start: int, end: int) -> None:
        self._about.update({key: value for key, value in fields.items() if key != "messages"})
        if isinstance(fields.get("messages"), list):
            fresh = {text_at(record, "id") or f"{start}:{number}": (record, start, end)
                     for number, record in enumerate(records_at(fields, "messages"))}
            summed = any(_SUMMARY in _shown(record) for record, _, _ in list(fresh.values())[:2])
            self._messages = {**self._summed_up(fresh), **fresh} if summed else fresh

    def _summed_up(self, fresh: dict[str, _Placed]) -> dict[str, _Placed]:
        """The messages that a summary stands for now and that are not kept beside it."""
        kept = {_shown(record) for record, _, _ in fresh.values()}
        return {identity: placed for identity, placed in self._messages.items()
                if identity not in fresh and _shown(placed[0]) not in kept}

    def _message(self, record: Record) -> None:
        session = text_at(self._about, "sessionId") or self._name
        kind = text_at(record, "type")
        event = Event(Speaker.AGENT, EventKind.PROSE, "", moment(record.get("timestamp")), session, 0, 0,
                      uid=f"{session}:{self._identity(record, kind)}")
        if kind == "user":
            self._turns.hear(event, separate(_shown(record).partition(_REFERENCED)[0]))
        elif kind == "gemini":
            self._turns.prose(event, "\n".join(texts_of(record.get("content"))))
            for call in records_at(record, "toolCalls"):
                self._call(event, call)
        else:
            self._sink.skip(contract.BOOKKEEPING)

    def _identity(self, record: Record, kind: str) -> str:
        """What a person says and for which time: a history that is taken up again is written under new numbers."""
        text = _shown(record).partition(_REFERENCED)[0].strip()
        if kind != "user" or not text:  # an answer grows under its number
            return text_at(record, "id") or str(self._sink.start)
        words = content_id(text)
        self._said[words] = self._said.get(words, 0) + 1
        return f"{words}:{self._said[words]}"

    def _call(self, event: Event, call: Record) -> None:
        name, arguments = text_at(call, "name"), record_at(call, "args")
        output = _output_of(call)
        if name in _MEMORY_TOOLS and text_at(arguments, "fact", "content"):
            self._sink.add(replace(event, kind=EventKind.MEMORY_WRITE, text=text_at(arguments, "fact", "content")))
        elif memory_path_of(name, arguments):
            self._sink.add(replace(event, kind=EventKind.MEMORY_WRITE, text=written_by(arguments)))
        elif name == "ask_user":
            self._turns.answer(event, _answers(arguments, output))
        elif text_at(call, "status") == "cancelled":
            self._turns.stop("refused")
            self._sink.skip(contract.WORDLESS)
        elif output.strip():
            self._turns.result(event, output, name=name)


def _shown(record: Record) -> str:
    """What a message says: as it was shown, where it was sent in another form."""
    return "\n".join(texts_of(record.get("displayContent"))) or "\n".join(texts_of(record.get("content")))


def _output_of(call: Record) -> str:
    parts = [text_at(record_at(record_at(part, "functionResponse"), "response"), "output", "error")
             for part in records_at(call, "result")]
    return "\n".join(part for part in parts if part) or text_at(call, "resultDisplay", "result")


def _answers(arguments: Record, output: str) -> list[Answer]:
    given = record_at(parse_record(output) or {}, "answers")
    questions = records_at(arguments, "questions")
    answers: list[Answer] = []
    for key, value in given.items():
        number = int(key) if key.isascii() and key.isdigit() and len(key) < 4 else -1
        asked = text_at(questions[number], "question") if 0 <= number < len(questions) else ""
        words = ", ".join(texts_of(value))
        if words.strip():
            answers.append(Answer(asked, words))
    return answers


