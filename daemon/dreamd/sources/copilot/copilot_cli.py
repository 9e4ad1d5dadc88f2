"""GitHub Copilot CLI sessions: one event a line, its kind in `type`, its content in `data`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from dreamd.core.values import Cursor, Event, EventKind, Reading, Speaker
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.human_words import separate
from dreamd.sources.base.opening import Unopened, read_start
from dreamd.sources.base.reading import Sink, read_lines
from dreamd.sources.base.refusals import QUESTION_TOOLS, Answer
from dreamd.sources.base.tolerant import Record, moment, record_at, records_at, text_at
from dreamd.sources.base.turns import Turns, brief_of_call

_FAMILIES = frozenset({
    "session", "user", "assistant", "tool", "hook", "permission", "system", "subagent", "skill", "abort", "command",
    "external_tool", "mcp", "elicitation", "exit_plan_mode", "user_input", "sampling", "pending_messages", "model",
    "commands", "tools", "schedule", "agent", "custom_agents", "capabilities", "auto_mode_switch", "fusion", "factory",
    "canvas", "ui", "permissions", "todos", "workspace", "context", "memory", "plan", "telemetry",
})
_WORKSPACE_LINE = re.compile(r"^(cwd|git_root|branch):[ \t]+(\S[^\r\n]{0,1000})", re.MULTILINE)
_LARGEST_WORKSPACE_BYTES = 64 * 1024
_NOT_TYPED = frozenset({"authenticated-cross-session", "untrusted"})
_ANSWER_STARTS = ("User selected:", "User responded:", "User answered:", "User's answer:")


class CopilotCli:
    """Reads one events file."""

    kind = "copilot-cli"

    def accepts(self, head: Head) -> bool:
        """Events with a dotted type and their content under `data`, unless VS Code keeps the same chat beside them."""
        return not _is_copy(head.path) and any(isinstance(record.get("data"), dict) and "." in text_at(record, "type")
                   and text_at(record, "type").partition(".")[0] in _FAMILIES for record in head.records[:5])

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the lines behind the cursor."""
        name = path.parent.name if path.stem == "events" else path.stem
        place, branch = surroundings_beside(path)
        return read_lines(path, cursor, budget_bytes=budget_bytes,
                          make_parser=lambda sink: _Session(name, sink, cwd=place, branch=branch))


def surroundings_beside(path: Path) -> tuple[str, str]:
    """The directory and the branch in the file beside a session, which knows them when its events do not."""
    try:
        text = read_start(path.with_name("workspace.yaml"), _LARGEST_WORKSPACE_BYTES).decode("utf-8", "replace")
    except Unopened:
        return "", ""
    found = {key: value.strip().strip("\"'") for key, value in _WORKSPACE_LINE.findall(text)}
    return found.get("git_root", "") or found.get("cwd", ""), found.get("branch", "")


class _Session:
    """What has to be known from line to line."""

    def __init__(self, name: str, sink: Sink, *, cwd: str, branch: str) -> None:
        self._sink = sink
        self._name = name
        self._cwd = cwd
        self._branch = branch
        self._context_at: list[int] = []
        self._turns = Turns(sink)

    def recalled(self) -> Sequence[int]:
        """Where session and surroundings were named, and the open question and calls."""
        return [*self._context_at, *self._turns.offsets()]

    def take(self, record: Record) -> None:
        """Look at one event."""
        kind, body = text_at(record, "type"), record_at(record, "data")
        if body.get("parentToolCallId") or text_at(record, "agentId") or kind.startswith("subagent."):
            self._sink.skip(contract.SIDECHAIN)
            return
        if kind in ("session.start", "session.resume", "session.context_changed"):
            self._surroundings(body)
        event = Event(Speaker.AGENT, EventKind.PROSE, "", moment(record.get("timestamp")), self._name, 0, 0,
                      uid=text_at(record, "id"), cwd=self._cwd, branch=self._branch)
        if kind == "user.message":
            self._message(event, body)
        elif kind == "assistant.message":
            self._turns.prose(event, text_at(body, "content"))
            for call in records_at(body, "toolRequests"):
                self._turns.call(event, (text_at(call, "toolCallId"), text_at(call, "name"), record_at(call, "arguments")))
        elif kind == "tool.execution_complete":
            self._result(event, body)
        elif kind == "permission.completed":
            self._permission(event, body)
        elif kind == "session.compaction_complete":
            self._turns.sum_up(event, text_at(body, "summaryContent"))
        elif kind == "abort":
            self._turns.stop("interrupted")
            self._sink.skip(contract.WORDLESS)
        else:
            self._sink.skip(contract.BOOKKEEPING if kind.partition(".")[0] in _FAMILIES else contract.UNKNOWN)

    def _surroundings(self, body: Record) -> None:
        context = record_at(body, "context") or body
        self._name = text_at(body, "sessionId") or self._name
        self._cwd = text_at(context, "gitRoot", "cwd") or self._cwd
        self._branch = text_at(context, "branch") or self._branch
        self._context_at = [*self._context_at[:1], self._sink.start]

    def _message(self, event: Event, body: Record) -> None:
        """`content` is what was typed, `transformedContent` what the model saw; a `source` names a program."""
        text = text_at(body, "content") or _without_reminder(text_at(body, "transformedContent"))
        typed = _NOT_TYPED.isdisjoint((text_at(body, "inputOrigin"), text_at(body, "integrity")))
        if typed and text_at(body, "source") in ("", "user", "human"):
            self._turns.hear(event, separate(text))
        else:
            self._turns.put(event, text)

    def _result(self, event: Event, body: Record) -> None:
        name, arguments = self._turns.called(text_at(body, "toolCallId"))
        outcome = record_at(body, "result")
        text = text_at(outcome, "content") or text_at(record_at(body, "error"), "message")
        if name in QUESTION_TOOLS and outcome:
            said = text.strip()
            for start in _ANSWER_STARTS:
                said = said.removeprefix(start).strip()
            self._turns.answer(event, [Answer(text_at(arguments, "question"), said)])
        else:
            self._turns.result(event, text, name=name)

    def _permission(self, event: Event, body: Record) -> None:
        outcome = record_at(body, "result")
        if not text_at(outcome, "kind").startswith("denied-interactively"):
            self._sink.skip(contract.BOOKKEEPING)
            return
        identity = text_at(body, "toolCallId")
        name, arguments = self._turns.called(identity)
        self._turns.refuse(event, text_at(outcome, "feedback"), brief=brief_of_call(name, arguments))


def _is_copy(path: Path) -> bool:
    """Whether this is VS Code's second copy of a chat that is read from its first."""
    if path.parent.name != "transcripts" or len(path.parts) < 4:
        return False
    chats = path.parents[2] / "chatSessions"
    return any((chats / f"{path.stem}{ending}").exists() for ending in (".jsonl", ".json"))


def _without_reminder(text: str) -> str:
    """What was sent to the model without what the program added for it."""
    before, _, rest = text.partition("<reminder>")
    return before + rest.partition("</reminder>")[2]
