"""Chats of VS Code: one document each in older builds, a journal of changes to such a document in newer ones.

A journal begins with the whole document (kind 0); after it a value is set (1), a list is cut and appended to (2), or a
key goes (3). So a file says everything only when it is replayed, and what counts is the document it ends with. Which
folder a chat belonged to stands in `workspace.json` beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeGuard
from urllib.parse import unquote, urlsplit

from dreamd.core.values import Cursor, Event, EventKind, Reading, Speaker
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.documents import Whole, entries_of, read_document
from dreamd.sources.base.human_words import separate
from dreamd.sources.base.opening import read_record
from dreamd.sources.base.reading import Sink
from dreamd.sources.base.refusals import Answer
from dreamd.sources.base.tolerant import Record, moment, parse_record, record_at, records_at, text_at
from dreamd.sources.base.turns import Turns

CHATS_FOLDER = "chatSessions"
INITIAL, SET, PUSH, DELETE = 0, 1, 2, 3
_DEEPEST = 16
"""Steps of a path that is followed; the editor's own have at most five."""
_ABOUT = frozenset({"requests", "sessionId", "creationDate", "responderUsername"})
_ADDRESSED = re.compile(r"\A(?:@[\w.-]{1,60}\s+)?(?:/[\w.-]{1,60}(?:\s+|\Z))?")
"""A participant and a command that stand before what a person wrote."""
_DRIVE = re.compile(r"\A/[A-Za-z]:")
_DENIED = 0
"""What a tool call says that a person did not let through."""
_CANCELLED = 2
"""How a request ended that a person stopped."""
_WORDS = frozenset({"", "markdownContent", "markdownVuln", "inlineReference"})


class VsCodeChat:
    """Reads one chat, in either form."""

    kind = "vscode-chat"

    def accepts(self, head: Head) -> bool:
        """A journal that begins with a chat, or a document with the one who answers in it."""
        first = head.records[0] if head.records else {}
        if "kind" in first and "v" in first:
            return first["kind"] == INITIAL and bool(_ABOUT & record_at(first, "v").keys())
        if {"kind", "v"} <= head.keys:  # the first line alone is longer than what is looked at
            return not head.records and bool(_ABOUT & head.keys)
        return "responderUsername" in head.keys and bool({"requests", "sessionId", "version"} & head.keys)

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:  # noqa: ARG002 one document
        """Read the chat as it stands and give what is new in it."""
        return read_document(path, cursor, parse=lambda whole, sink: _read(whole, sink, path=path))


def workspace_of(path: Path) -> str:
    """The folder a chat's window had open; empty when its surroundings do not tell."""
    about = read_record(path.parent.parent / "workspace.json")  # not there: a window without a folder, or a copied file
    folder = _place(text_at(about, "folder"))
    listed = _place(text_at(about, "workspace", "configuration"))
    return folder or listed.rpartition("/")[0]


def _place(uri: str) -> str:
    """The path in a URI, whatever machine it is on."""
    try:
        place = unquote(urlsplit(uri).path)
    except ValueError:
        return ""
    return place[1:] if _DRIVE.match(place) else place


def _read(whole: Whole, sink: Sink, *, path: Path) -> bool:
    chat = parse_record(whole.text.removeprefix("\ufeff"))
    if chat is None or ("kind" in chat and "v" in chat):
        chat = _replay(whole.body, sink)
    if chat is None:
        return False
    talk = _Chat(text_at(chat, "sessionId") or path.stem, workspace_of(path), sink)
    began = chat.get("creationDate")
    for number, request in enumerate(records_at(chat, "requests")):
        sink.begin(number, number)
        talk.request(request, number, began=began)
        sink.close()
    return True


def _replay(body: bytes, sink: Sink) -> Record | None:
    """The document a journal ends with; None when it has no beginning."""
    chat: Record | None = None
    for entry, _, _ in entries_of(body, sink):
        if entry.get("kind") == INITIAL and isinstance(entry.get("v"), dict):
            chat = record_at(entry, "v")
        elif chat is None or not _change(chat, entry):
            sink.skip(contract.CORRUPT)
    return chat


def _change(chat: Record, entry: Record) -> bool:
    """Carry one entry out; False for one that does not fit the document."""
    steps = entry.get("k")
    if not isinstance(steps, list) or not 0 < len(steps) <= _DEEPEST:
        return False
    place: object = chat
    for step in steps[:-1]:
        place = _inside(place, step)
    last, kind = steps[-1], entry.get("kind")
    if kind == PUSH:
        return _push(place, last, entry)
    if kind not in (SET, DELETE):
        return False
    if isinstance(place, dict) and isinstance(last, str):
        place.pop(last, None)
        if kind == SET and "v" in entry:
            place[last] = entry["v"]
        return True
    if isinstance(place, list) and _is_index(last, len(place)) and kind == SET:
        place[last:last + 1] = [entry.get("v")]
        return True
    return False


def _push(place: object, last: object, entry: Record) -> bool:
    """Cut a list at an index, where one is given, and append to it."""
    target = _inside(place, last)
    if target is None and isinstance(place, dict) and isinstance(last, str):
        target = place[last] = []
    added, cut = entry.get("v", []), entry.get("i")
    if not isinstance(target, list) or not isinstance(added, list):
        return False
    if cut is not None:
        if not _is_index(cut, len(target)):
            return False
        del target[cut:]
    target.extend(added)
    return True


def _inside(place: object, step: object) -> object:
    if isinstance(place, dict) and isinstance(step, str):
        return place.get(step)
    return place[step] if isinstance(place, list) and _is_index(step, len(place) - 1) else None


def _is_index(step: object, highest: int) -> TypeGuard[int]:
    return isinstance(step, int) and not isinstance(step, bool) and 0 <= step <= highest


class _Chat:
    """One conversation: each request holds what was asked and everything that was answered."""

    def __init__(self, session: str, cwd: str, sink: Sink) -> None:
        self._session, self._cwd, self._sink = session, cwd, sink
        self._turns = Turns(sink)

    def request(self, request: Record, number: int, *, began: object) -> None:
        """Hand over a question and its answer; what was taken back is not part of the chat any more."""
        if request.get("shouldBeRemovedOnSend") or request.get("isHidden") is True:
            self._sink.skip(contract.REWOUND)
            return
        identity = text_at(request, "requestId") or str(number)
        event = Event(Speaker.AGENT, EventKind.PROSE, "", moment(request.get("timestamp")) or moment(began), self._session,
                      0, 0, uid=f"vscode:{self._session}:{identity}", cwd=self._cwd)
        self._ask(event, request)
        answer = records_at(request, "response")
        self._turns.prose(replace(event, uid=f"{event.uid}:answer"), _prose(answer))
        for number, part in enumerate(answer):
            if text_at(part, "kind") == "questionCarousel" and record_at(part, "data"):
                self._turns.answer(replace(event, uid=f"{event.uid}:{number}"), list(_answers(part)))
            else:
                self._pass_over(part)
        # The arguments of calls stand in the result alone.
        rounds = records_at(record_at(record_at(request, "result"), "metadata"), "toolCallRounds")
        for call in (call for one in rounds for call in records_at(one, "toolCalls")):
            arguments = parse_record(text_at(call, "arguments")) or record_at(call, "arguments")
            self._turns.call(replace(event, uid=f"{event.uid}:{text_at(call, 'id')}"),
                             (text_at(call, "id"), text_at(call, "name"), arguments))
        if request.get("isCanceled") is True or record_at(request, "modelState").get("value") == _CANCELLED:
            self._turns.stop("interrupted")

    def _ask(self, event: Event, request: Record) -> None:
        message = request.get("message")
        text = message if isinstance(message, str) else text_at(record_at(request, "message"), "text")
        if request.get("isSystemInitiated") is True or text_at(request, "confirmation"):
            self._turns.put(event, text)  # a button was pressed, or the editor went on by itself
        else:
            self._turns.hear(event, separate(_ADDRESSED.sub("", text.lstrip(), count=1)))

    def _pass_over(self, part: Record) -> None:
        confirmed, kind = part.get("isConfirmed"), text_at(part, "kind")
        how = confirmed.get("type") if isinstance(confirmed, dict) else confirmed
        if kind.startswith("toolInvocation") and (how is False or (type(how) is int and how == _DENIED)):
            self._turns.stop("refused")
            self._sink.skip(contract.WORDLESS)
        elif kind.startswith("toolInvocation"):
            self._sink.skip(contract.TOOL_CALL)
        elif kind not in _WORDS:
            self._sink.skip(contract.THINKING if kind == "thinking" else contract.BOOKKEEPING)


def _prose(answer: list[Record]) -> str:
    """The agent's words, put together across the names of files that stand between them."""
    said: list[str] = []
    for part in answer:
        kind = text_at(part, "kind")
        if kind == "inlineReference":
            said.append(text_at(part, "name"))
        elif kind in _WORDS:
            said.append(text_at(part, "value") or text_at(record_at(part, "content"), "value"))
    return "".join(said)


def _answers(asked: Record) -> Iterator[Answer]:
    """What a person answered to the questions the agent asked at once, by the labels they saw."""
    given = record_at(asked, "data")
    for question in records_at(asked, "questions"):
        value = given.get(text_at(question, "id"))
        labels = {text_at(option, name): text_at(option, "label") for option in records_at(question, "options")
                  for name in ("id", "value")}
        chosen: list[object] = [value]
        if isinstance(value, dict):
            several = value.get("selectedValues")
            chosen = [value.get("selectedValue"), *(several if isinstance(several, list) else []), value.get("freeformValue")]
        words = ", ".join(labels.get(word) or word for word in chosen if isinstance(word, str) and word.strip())
        if words:
            yield Answer(text_at(question, "title") or text_at(question, "message"), words)
