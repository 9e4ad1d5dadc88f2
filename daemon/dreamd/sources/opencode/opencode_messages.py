"""OpenCode's messages, and the JSON that `opencode export` prints."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from dreamd.core.values import Cursor, Event, EventKind, Reading, Speaker
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.documents import Whole, read_document
from dreamd.sources.base.human_words import separate
from dreamd.sources.base.reading import Sink
from dreamd.sources.base.refusals import Answer, read_answers
from dreamd.sources.base.tolerant import Record, moment, parse_record, record_at, records_at, text_at
from dreamd.sources.base.turns import Turns, memory_path_of, written_by

_BY_PROGRAM = frozenset({"synthetic", "system", "skill"})
_ARGUMENT = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_UNANSWERED = "Unanswered"
_CORRECTED = frozenset({"PermissionCorrectedError", "PermissionV2.CorrectedError"})
"""How newer versions name a call that the person refused with words; the words of an error alone can be any tool's."""


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
        event = Event(Speaker.AGENT, EventKind.PROSE, "", at, self._name, 0, 0, uid=text_at(about, "id"), cwd=self.cwd)
        if text_at(about, "role") == "user" or text_at(about, "role") in _BY_PROGRAM:
            typed = [_unquoted(text_at(part, "text")) for part in parts if _is_typed(part)]
            put = [text_at(part, "text") for part in parts if text_at(part, "type") == "text" and not _is_typed(part)]
            self._turns.hear(event, separate("\n\n".join(typed)))
            if any(text.strip() for text in put):
                self._turns.put(event, "\n\n".join(put))
            return
        if about.get("summary") is True:  # an answer to the program's own request to sum up
            self._turns.sum_up(event, "\n\n".join(text_at(part, "text") for part in parts if text_at(part, "type") == "text"))
            return
        for part in parts:
            kind = text_at(part, "type")
            if kind == "text":
                self._turns.prose(event, text_at(part, "text"))
            elif kind == "tool":
                self._tool(event, part)
            elif kind == "compaction":
                self._turns.sum_up(event, text_at(part, "summary"))
            else:
                self._sink.skip(contract.THINKING if kind == "reasoning" else contract.BOOKKEEPING)

    def _tool(self, event: Event, part: Record) -> None:
        name, state = text_at(part, "tool"), plain_state(record_at(part, "state"))
        arguments = record_at(state, "input")
        if memory_path_of(name, arguments):
            self._sink.add(replace(event, kind=EventKind.MEMORY_WRITE, text=written_by(arguments)))
        elif name == "question":
            self._turns.answer(event, _answers(arguments, state))
        elif text_at(state, "status") == "error":
            _, found, words = text_at(state, "error").partition("following feedback:")
            if found and text_at(state, "failed_as") in _CORRECTED:
                self._turns.refuse(event, words.strip(), brief=name)
                return
            if found:
                self._sink.skip(contract.UNMARKED)
            self._turns.result(event, text_at(state, "error"), name=name)
        else:
            self._turns.result(event, text_at(state, "output"), name=name)


def plain_state(state: Record) -> Record:
    """What a tool did: its output and its error as text, the kind of the error and what it returned in fields of their own."""
    failed = record_at(state, "error")
    output = text_at(state, "output") or "\n".join(text_at(part, "text") for part in records_at(state, "content"))
    return {**state, "output": output, "error": text_at(state, "error") or text_at(failed, "message"),
            "failed_as": text_at(failed, "_tag", "name", "type"),
            "metadata": record_at(state, "metadata") or record_at(state, "structured")}


def _is_typed(part: Record) -> bool:
    return text_at(part, "type") == "text" and part.get("synthetic") is not True and part.get("ignored") is not True


def _unquoted(text: str) -> str:
    """What was typed behind `opencode run`: the program puts an argument with a blank in it between quotation marks."""
    whole = _ARGUMENT.fullmatch(text.strip())
    return whole[1].replace('\\"', '"') if whole else text


def _answers(arguments: Record, state: Record) -> list[Answer]:
    given = record_at(state, "metadata").get("answers")
    questions = records_at(arguments, "questions")
    if not isinstance(given, list):
        return [answer for answer in read_answers(text_at(state, "output"), {}) if answer.text != _UNANSWERED]
    answers: list[Answer] = []
    for number, value in enumerate(given):
        words = ", ".join(word for word in value if isinstance(word, str)) if isinstance(value, list) else ""
        if words.strip():
            answers.append(Answer(text_at(questions[number], "question") if number < len(questions) else "", words))
    return answers
