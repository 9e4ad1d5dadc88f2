"""Claude Code session transcripts: JSON lines, one per content block, in a format that drifts with every release.

Of about seventy lines one is a person speaking. The vendor calls the format internal, so unknown lines are counted
and passed over, and a line is a person's only when nothing about it says otherwise.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dreamd.core.values import Cursor, Event, EventKind, Reading, Speaker, content_id
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.human_words import Spoken, separate
from dreamd.sources.base.reading import Sink, read_lines
from dreamd.sources.base.refusals import QUESTION_TOOLS, read_answers, read_refusal
from dreamd.sources.base.tolerant import Record, moment, record_at, records_at, text_at, texts_of
from dreamd.sources.base.turns import Turns, brief_of_call

_CONVERSATION_TYPES = frozenset({"user", "assistant", "attachment", "system", "queue-operation"})
_BOOKKEEPING_TYPES = frozenset({
    "progress", "file-history-snapshot", "file-history-delta", "last-prompt", "ai-title", "custom-title", "mode",
    "permission-mode", "bridge-session", "pr-link", "atis-latch", "summary", "agent-name", "agent-color", "tag",
    "agent-setting", "worktree-state", "content-replacement", "marble-origami-commit", "marble-origami-snapshot",
    "attribution-snapshot", "speculation-accept", "task-summary", "x-error",
})
_CONVERSATION_MARKS = tuple(f'"type":"{name}"'.encode() for name in sorted(_CONVERSATION_TYPES))
_PROGRESS_MARK = b'"type":"progress"'

_INJECTED_ATTACHMENTS = frozenset({"hook_additional_context", "nested_memory", "relevant_memories", "hook_success"})
_DENIED_BY_PERSON = "user-rejected"
_REFUSED_OUTCOME = "User rejected tool use"
_MOST_QUEUED = 8


class ClaudeCode:
    """Reads one transcript file."""

    kind = "claude-code"

    def accepts(self, head: Head) -> bool:
        """Lines with a session id or uuid and a type this program knows."""
        return any(
            text_at(record, "type") in _CONVERSATION_TYPES | _BOOKKEEPING_TYPES
            and ("sessionId" in record or "uuid" in record or "leafUuid" in record or "messageId" in record)
            and "payload" not in record and "projectHash" not in record
            for record in head.records)

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the lines behind the cursor."""
        return read_lines(path, cursor, budget_bytes=budget_bytes, make_parser=lambda sink: _Session(path.stem, sink),
                          pass_over=_pass_over)


def _pass_over(body: bytes) -> str:
    """Progress lines are a third of a transcript; quotes inside strings are escaped, so the marks cannot lie there."""
    if _PROGRESS_MARK in body and not any(mark in body for mark in _CONVERSATION_MARKS):
        return contract.BOOKKEEPING
    return ""


class _Session:
    """What has to be known from line to line of one conversation."""

    def __init__(self, name: str, sink: Sink) -> None:
        self._sink = sink
        self._name = name
        self._turns = Turns(sink)
        self._waiting: deque[tuple[str, int]] = deque(maxlen=_MOST_QUEUED)
        self._spoken: deque[tuple[str, tuple[int, int]]] = deque(maxlen=_MOST_QUEUED)
        self._attachments_at = -1

    def recalled(self) -> Sequence[int]:
        """Lines the next stretch needs, queued prompts among them."""
        queue = [*(at for _, at in self._waiting), *(at for _, both in self._spoken for at in both)]
        return [*self._turns.offsets(), *queue, *([self._attachments_at] if self._attachments_at >= 0 else [])]

    def take(self, record: Record) -> None:
        """Look at one line."""
        kind = text_at(record, "type")
        if record.get("isSidechain") is True:
            self._sink.skip(contract.SIDECHAIN)
        elif kind == "user":
            self._user(record)
        elif kind == "assistant":
            self._assistant(record)
        elif kind == "attachment":
            self._attachment(record)
        elif kind == "system":
            self._system(record)
        elif kind == "queue-operation":
            self._queue(record)
        else:
            self._sink.skip(contract.BOOKKEEPING if kind in _BOOKKEEPING_TYPES else contract.UNKNOWN)

    def _event(self, record: Record) -> Event:
        return Event(
            Speaker.INJECTED, EventKind.PROMPT, "", moment(record.get("timestamp")),
            text_at(record, "sessionId", "session_id") or self._name, 0, 0, uid=text_at(record, "uuid"),
            cwd=text_at(record, "cwd"), branch=text_at(record, "gitBranch"))

    # ----- user lines

    def _user(self, record: Record) -> None:
        event = self._event(record)
        content = record_at(record, "message").get("content")
        if record.get("isCompactSummary") is True:
            self._sink.add(replace(event, kind=EventKind.SUMMARY, text="\n".join(texts_of(content))))
            return
        for block in content if isinstance(content, list) else []:
            if isinstance(block, dict) and block.get("type") == "tool_result":
                self._result(block, record)
        text = "\n\n".join(texts_of(content))
        if not text.strip():
            return
        if _is_typed(record):
            self._speak(event, separate(text))
        else:
            self._is_repeat(separate(text).said)
            self._sink.add(replace(event, text=text))

    def _speak(self, event: Event, spoken: Spoken) -> None:
        if self._is_repeat(spoken.said):
            self._sink.skip(contract.REPEATED)
        else:
            self._turns.hear(event, spoken)

    def _result(self, block: Record, record: Record) -> None:
        event = self._event(record)
        text = "\n".join(texts_of(block.get("content")))
        name, arguments = self._turns.called(text_at(block, "tool_use_id"))
        refusal = read_refusal(text)
        if refusal and _is_refused(block, record):
            self._turns.answer(event, list(refusal.answers))
            if refusal.words or not refusal.answers:
                self._turns.refuse(event, refusal.words, brief=brief_of_call(name, arguments))
            return
        if refusal:
            self._sink.skip(contract.UNMARKED)
        outcome = record_at(record, "toolUseResult")
        if _is_answered(block, record, name=name):
            answers = read_answers(text, outcome)
            self._turns.answer(event, answers)
            if answers:
                return
        self._turns.result(event, text, name=name)

    # ----- the agent's lines

    def _assistant(self, record: Record) -> None:
        message = record_at(record, "message")
        if record.get("isApiErrorMessage") is True or text_at(message, "model") == "<synthetic>":
            self._sink.skip(contract.BOOKKEEPING)
            return
        event = self._event(record)
        self._turns.prose(event, text_at(message, "content"))
        for block in records_at(message, "content"):
            kind = text_at(block, "type")
            if kind == "text":
                self._turns.prose(event, text_at(block, "text"))
            elif kind == "tool_use":
                self._turns.call(event, (text_at(block, "id"), text_at(block, "name"), record_at(block, "input")))
            else:
                self._sink.skip(contract.THINKING if "thinking" in kind else contract.UNKNOWN)

    # ----- lines beside the conversation

    def _attachment(self, record: Record) -> None:
        attachment = record_at(record, "attachment")
        if self._attachments_at < 0:
            self._attachments_at = self._sink.start
        kind = text_at(attachment, "type")
        event = self._event(record)
        if kind == "queued_command":
            text = "\n\n".join(texts_of(attachment.get("prompt")))
            typed = _is_typed(record) and _is_typed(attachment) and text_at(
                attachment, "commandMode", "mode") in ("", "prompt")
            if typed:
                self._speak(event, separate(text))
            else:
                self._is_repeat(separate(text).said)
                self._sink.add(replace(event, text=text))
        elif kind in _INJECTED_ATTACHMENTS:
            content = attachment.get("content")
            shown = content if not isinstance(content, dict) else [content.get("content")]
            self._sink.add(replace(event, text="\n".join(texts_of(shown))))
        else:
            self._sink.skip(contract.BOOKKEEPING)

    def _system(self, record: Record) -> None:
        event = self._event(record)
        kind = text_at(record, "subtype")
        if kind in ("compact_boundary", "microcompact_boundary"):
            self._sink.add(replace(event, kind=EventKind.BOUNDARY))
        elif kind == "away_summary":
            self._sink.add(replace(event, kind=EventKind.SUMMARY, text=text_at(record, "content")))
        elif kind == "local_command":
            self._speak(event, separate(text_at(record, "content")))
        else:
            self._sink.skip(contract.BOOKKEEPING)

    def _queue(self, record: Record) -> None:
        """Keep a queued prompt until a line says whose it is.

        Its user line or attachment names the origin. Older versions wrote neither for a prompt that went straight
        into the turn: there, and only there, its removal from the queue is all that is left of it.
        """
        operation, said = text_at(record, "operation"), separate(text_at(record, "content")).said
        if operation == "enqueue" and said and not said.startswith(('{"task_id"', "/")):
            self._waiting.append((said, self._sink.start))
        elif operation == "popAll":
            self._waiting.clear()
        elif operation == "remove" and (entry := self._waiting_for(said)):
            self._waiting.remove(entry)
            if self._attachments_at < 0 and not text_at(record, "reason"):
                uid = "queued:" + content_id(text_at(record, "timestamp"), entry[0])
                self._turns.hear(replace(self._event(record), uid=uid), Spoken(entry[0]))
                self._spoken.append((entry[0], (entry[1], self._sink.start)))
                return
        self._sink.skip(contract.BOOKKEEPING)

    def _waiting_for(self, said: str) -> tuple[str, int] | None:
        """The queued prompt with these words; without words the oldest."""
        return next((entry for entry in self._waiting if not said or entry[0] == said), None)

    def _is_repeat(self, said: str) -> bool:
        """Whether these words were heard when they left the queue; closes what waits for them."""
        if said and (waiting := self._waiting_for(said)):
            self._waiting.remove(waiting)
        spoken = next((entry for entry in self._spoken if entry[0] == said), None)
        if spoken:
            self._spoken.remove(spoken)
        return spoken is not None


def _is_typed(record: Record) -> bool:
    """Whether nothing about a line says that a program wrote it."""
    if record.get("isMeta") is True or record.get("isVisibleInTranscriptOnly") is True:
        return False
    origin = record.get("origin")
    if isinstance(origin, dict) and text_at(origin, "kind") not in ("", "human"):
        return False
    if text_at(record, "promptSource") in ("system", "sdk", "agent"):
        return False
    return not text_at(record, "entrypoint").startswith("sdk")


def _is_refused(block: Record, record: Record) -> bool:
    """Whether the harness wrote beside a result that the person refused the call: a tool's error can hold any words.

    Versions that name the kind of a denial are believed by it; those before write one fixed word in place of what the
    tool gave back, where an error of the tool itself never stands bare.
    """
    if block.get("is_error") is not True or record.get("interruptedByShutdown") is True or not _stands_alone(record):
        return False
    if "toolDenialKind" in record:
        return text_at(record, "toolDenialKind") == _DENIED_BY_PERSON
    return text_at(record, "toolUseResult") == _REFUSED_OUTCOME


def _is_answered(block: Record, record: Record, *, name: str) -> bool:
    """Whether a result holds a person's answers: one of the harness's own question tool, which nothing else can be called."""
    if block.get("is_error") is True or not _stands_alone(record):
        return False
    outcome = record_at(record, "toolUseResult")
    return name in QUESTION_TOOLS or (not name and {"answers", "questions"} <= outcome.keys() and "mcpMeta" not in record)


def _stands_alone(record: Record) -> bool:
    """Whether what is written beside a result can only speak of that one."""
    return sum(1 for part in records_at(record_at(record, "message"), "content") if part.get("type") == "tool_result") == 1
