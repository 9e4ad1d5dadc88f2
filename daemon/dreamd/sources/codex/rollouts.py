"""OpenAI Codex CLI rollouts: every line a timestamp, a type and a payload, most of the talk written twice.

`response_item` lines are what the model saw, `event_msg` lines what the screen showed. A person's words are clean in
the second and wrapped in instructions in the first, so the screen is read where there is one and the model's view
only for people's words in files of older versions. Files with a paginated history have finished items instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dreamd.core.values import Cursor, Event, EventKind, Reading, Speaker, content_id
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.human_words import separate
from dreamd.sources.base.opening import Unopened, read_start
from dreamd.sources.base.reading import Sink, read_lines
from dreamd.sources.base.refusals import Answer
from dreamd.sources.base.tolerant import Record, moment, parse_record, record_at, records_at, text_at, texts_of
from dreamd.sources.base.turns import Turns, is_memory_path
from dreamd.sources.base.unpacking import plain_name
from dreamd.sources.codex.codex_views import PARTS, Views, hook_texts, is_sub_agent, split_replies, typed_parts

_TYPES = frozenset({
    "session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state", "token_usage_record",
    "retained_context", "security_risk_score", "realtime_item", "inter_agent_communication",
    "inter_agent_communication_metadata",
})
_OLD_TYPES = frozenset({"message", "reasoning", "function_call", "function_call_output", "local_shell_call"})
_SCREEN_WINDOW_BYTES = 1024 * 1024
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update) File: ([^\n]{1,500})$", re.MULTILINE)
_SCRIPTED = frozenset({"exec", "mcp"})


class Codex:
    """Reads one rollout."""

    kind = "codex"

    def accepts(self, head: Head) -> bool:
        """Lines with a payload under a known type, or the bare items of the oldest versions."""
        if any("payload" in record and text_at(record, "type") in _TYPES for record in head.records[:5]):
            return True
        first = head.records[0] if head.records else {}
        return "instructions" in first and "id" in first and "timestamp" in first

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the lines behind the cursor."""
        try:
            screen = b'"event_msg"' in read_start(path, _SCREEN_WINDOW_BYTES)
        except Unopened:
            screen = True  # the reading itself will say why it cannot be opened
        return read_lines(path, cursor, budget_bytes=budget_bytes,
                          make_parser=lambda sink: _Rollout(plain_name(path).stem, sink, screen=screen))


class _Rollout:
    """What has to be known from line to line."""

    def __init__(self, name: str, sink: Sink, *, screen: bool) -> None:
        self._sink = sink
        self._session = name
        self._screen = screen
        self._named_at = -1
        self._cwd = ""
        self._cwd_at = -1
        self._branch = ""
        self._set_aside = ""
        self._paginated = False
        self._views = Views()
        self._turns = Turns(sink)

    def recalled(self) -> Sequence[int]:
        """Where the session and its directory were named, and the open question and calls."""
        return [offset for offset in (self._named_at, self._cwd_at, *self._views.offsets(), *self._turns.offsets())
                if offset >= 0]

    def take(self, record: Record) -> None:
        """Look at one line."""
        kind = text_at(record, "type")
        body = record_at(record, "payload") or (record if kind in _OLD_TYPES or not kind else {})
        if kind == "session_meta" or (not kind and "instructions" in record):
            self._meta(body)
        elif self._set_aside == contract.SIDECHAIN:
            self._sink.skip(contract.SIDECHAIN)
        elif record_at(record, "metadata").get("inherited_user_message") is True:
            self._sink.skip(contract.REPEATED)
        elif kind == "turn_context":
            self._cwd, self._cwd_at = text_at(body, "cwd") or self._cwd, self._sink.start
            self._sink.skip(contract.BOOKKEEPING)
        elif kind == "event_msg":
            self._shown(self._event(record), body)
        elif kind == "response_item" or kind in _OLD_TYPES:
            self._seen(self._event(record), body)
        elif kind == "compacted":
            self._turns.sum_up(self._event(record), text_at(body, "message"))
        else:
            self._sink.skip(contract.BOOKKEEPING if kind in _TYPES else contract.UNKNOWN)

    def _event(self, record: Record) -> Event:
        return Event(Speaker.AGENT, EventKind.PROSE, "", moment(record.get("timestamp")), self._session, 0, 0,
                     cwd=self._cwd, branch=self._branch)

    def _identified(self, event: Event, text: str) -> Event:
        """A forked rollout repeats its parent's lines: time and words tell that it is the same line."""
        second = event.at.replace(microsecond=0).isoformat() if event.at else f"{self._session}"
        return replace(event, uid="codex:" + content_id(second, text))

    def _meta(self, body: Record) -> None:
        self._sink.skip(contract.BOOKKEEPING)
        if self._named_at >= 0:  # a fork also carries the line of its parent
            return
        self._named_at = self._sink.start
        self._session = text_at(body, "id", "session_id") or self._session
        self._cwd = text_at(body, "cwd")
        self._branch = text_at(record_at(body, "git"), "branch")
        self._paginated = text_at(body, "history_mode") == "paginated"
        if is_sub_agent(body):
            self._set_aside = contract.SIDECHAIN
        elif text_at(body, "source") in _SCRIPTED:
            self._set_aside = contract.OTHER_AGENT

    def _hear(self, event: Event, text: str) -> None:
        event = self._identified(event, text)
        words, answers = split_replies(text)
        if self._set_aside:
            self._turns.put(event, text)
            return
        self._turns.answer(event, answers)
        if words.strip():
            self._turns.hear(event, separate(words))

    def _hear_once(self, event: Event, text: str, *, view: str) -> None:
        if not text.strip():
            self._sink.skip(contract.NO_TEXT)
        elif self._views.is_new(view, separate(text).said or text, at=self._sink.start):
            self._hear(event, text)
        else:
            self._sink.skip(contract.REPEATED)

    def _shown(self, event: Event, body: Record) -> None:
        kind = text_at(body, "type")
        if kind == "user_message" and self._screen and text_at(body, "kind") in ("", "plain"):
            self._hear(event, text_at(body, "message"))
        elif kind == "agent_message" and self._screen:
            self._turns.prose(self._identified(event, text_at(body, "message")), text_at(body, "message"))
        elif kind == "turn_aborted":
            self._turns.stop("interrupted")
            self._sink.skip(contract.WORDLESS)
        elif kind == "item_completed" and not self._screened(body):
            self._item(event, record_at(body, "item"))
        else:
            if kind in ("task_started", "turn_started"):
                self._views.turn()
            self._sink.skip(contract.BOOKKEEPING)

    def _screened(self, body: Record) -> bool:
        """Whether the same is said by an event of its own: files that are not paginated have both at times."""
        return not self._paginated and text_at(record_at(body, "item"), "type") in ("UserMessage", "AgentMessage")

    def _item(self, event: Event, item: Record) -> None:
        kind = text_at(item, "type")
        text = "\n".join(texts_of(item.get("content"), kinds=PARTS))
        if kind == "UserMessage":
            self._hear_once(event, text, view="item")
        elif kind == "AgentMessage":
            self._turns.prose(self._identified(event, text), text)
        elif kind == "HookPrompt":
            self._turns.put(event, "\n".join(hook_texts(item)))
        else:
            self._sink.skip(contract.BOOKKEEPING)

    def _seen(self, event: Event, body: Record) -> None:
        kind, role = text_at(body, "type"), text_at(body, "role")
        if kind == "message":
            text = "\n".join(texts_of(body.get("content"), kinds=PARTS))
            if self._paginated and role == "user":
                self._hear_once(event, typed_parts(body), view="model")
            elif self._screen or role not in ("user", "assistant"):
                self._sink.skip(contract.BOOKKEEPING)
            elif role == "user":
                self._hear(event, text)
            else:
                self._turns.prose(self._identified(event, text), text)
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            self._call(event, body)
        elif kind in ("function_call_output", "custom_tool_call_output"):
            self._result(event, body)
        else:
            self._sink.skip(contract.THINKING if kind == "reasoning" else contract.BOOKKEEPING)

    def _call(self, event: Event, body: Record) -> None:
        given = text_at(body, "arguments", "input")
        arguments = parse_record(given) or {"command": given}
        patch = given if "*** Begin Patch" in given else text_at(arguments, "input", "patch", "command")
        written = [path for path in _PATCHED.findall(patch) if is_memory_path(path)]
        name = text_at(body, "name") or text_at(body, "type")
        self._turns.call(event, (text_at(body, "call_id"), name, arguments))
        if written:
            self._sink.add(replace(self._identified(event, patch), kind=EventKind.MEMORY_WRITE, text=patch,
                             title=written[0].rpartition("/")[2]))

    def _result(self, event: Event, body: Record) -> None:
        name, arguments = self._turns.called(text_at(body, "call_id"))
        output = body.get("output")
        text = text_at(record_at(body, "output"), "content") if isinstance(output, dict) else "\n".join(
            texts_of(output, kinds=PARTS))
        event = self._identified(event, text_at(body, "call_id") + text)
        if name == "request_user_input":
            self._turns.answer(event, _answers(arguments, text))
        else:
            self._turns.result(event, text, name=name)


def _answers(arguments: Record, output: str) -> list[Answer]:
    asked = {text_at(question, "id"): text_at(question, "question") for question in records_at(arguments, "questions")}
    given = record_at(parse_record(output) or {}, "answers")
    answers: list[Answer] = []
    for key, value in given.items():
        words = ", ".join(texts_of(value.get("answers") if isinstance(value, dict) else value))
        if words.strip():
            answers.append(Answer(asked.get(key, ""), words))
    return answers
