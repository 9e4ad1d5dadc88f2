"""What every conversation has, whatever the format: a question that is open, and a person who may stop the agent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from dreamd.core.values import Event, EventKind, Speaker
from dreamd.sources.base import contract
from dreamd.sources.base.human_words import Spoken, closing_question, separate
from dreamd.sources.base.reading import Sink
from dreamd.sources.base.refusals import Answer
from dreamd.sources.base.tolerant import Record, text_at

_WRITING_TOOLS = frozenset({
    "Write", "Edit", "MultiEdit", "Update", "create", "edit", "write", "write_file", "replace", "memory",
    "str_replace_editor", "apply_patch", "StrReplace",
})
_MEMORY_DIRECTORIES = frozenset({"memory", "memories", "agent-memory", "agent-memory-local"})
_LONGEST_BRIEF = 160
_MOST_OPEN_CALLS = 16


def is_memory_path(path: str) -> bool:
    """Whether a file an agent writes is part of its memory."""
    parts = PurePosixPath(path.replace("\\", "/")).parts
    if not parts:
        return False
    return parts[-1] == "MEMORY.md" or (
        parts[-1].endswith((".md", ".txt")) and any(part in _MEMORY_DIRECTORIES for part in parts[:-1]))


def memory_path_of(name: str, arguments: Record) -> str:
    """The memory file a tool call writes; empty for any other call."""
    path = text_at(arguments, "file_path", "filePath", "path")
    return path if name in _WRITING_TOOLS and is_memory_path(path) else ""


def written_by(arguments: Record) -> str:
    """The text a writing call puts into its file."""
    text = text_at(arguments, "content", "contents", "new_string", "newString", "file_text", "insert_text", "new_str")
    return text or "(emptied)"


def brief_of_call(name: str, arguments: Record) -> str:
    """One line that says what a tool call was about, so that its refusal can be understood."""
    subject = text_at(arguments, "command", "cmd", "file_path", "filePath", "path", "pattern", "url", "query",
                      "description", "prompt")
    first = subject.strip().partition("\n")[0]
    return f"{name}: {first}"[:_LONGEST_BRIEF] if first else name


class Turns:
    """The open question, an interruption and the calls that wait for a result, with the places they came from."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self.question = ""
        self._question_at = -1
        self._stopped = ""
        self._stopped_at = -1
        self._calls: dict[str, tuple[str, Record, int]] = {}

    def offsets(self) -> list[int]:
        """Where the lines are that have to be looked at again before the next stretch."""
        offsets = [self._question_at, self._stopped_at, *(at for _, _, at in self._calls.values())]
        return [offset for offset in offsets if offset >= 0]

    def hear(self, event: Event, text: str | Spoken) -> None:
        """A user message: the person's words become a prompt, everything else is marked as put there."""
        spoken = separate(text) if isinstance(text, str) else text
        if spoken.interrupted:
            self.stop("interrupted")
        if spoken.said:
            kind = EventKind.NOTE if spoken.remember else EventKind.PROMPT
            self._sink.add(replace(event, speaker=Speaker.HUMAN, kind=kind, text=spoken.said, question=self.question,
                             title=spoken.command or self._stopped))
            self._stopped, self._stopped_at = "", -1
        elif spoken.injected:
            self.put(event, spoken.injected)
        elif spoken.interrupted:
            self._sink.skip(contract.WORDLESS)

    def put(self, event: Event, text: str) -> None:
        """Text that a program put into the conversation."""
        self._sink.add(replace(event, speaker=Speaker.INJECTED, kind=EventKind.PROMPT, text=text))

    def sum_up(self, event: Event, text: str) -> None:
        """The conversation so far was replaced by a summary that a model wrote."""
        self._sink.add(replace(event, speaker=Speaker.INJECTED, kind=EventKind.BOUNDARY))
        self._sink.add(replace(event, speaker=Speaker.INJECTED, kind=EventKind.SUMMARY, text=text))

    def refuse(self, event: Event, words: str, *, brief: str) -> None:
        """A refused tool call, with the person's words where there are some."""
        spoken = separate(words)
        if spoken.said:
            self._sink.add(replace(event, speaker=Speaker.HUMAN, kind=EventKind.REFUSAL, text=spoken.said,
                             question=self.question, title=brief))
        else:
            self.stop("refused")
            self._sink.skip(contract.WORDLESS)

    def answer(self, event: Event, answers: list[Answer]) -> None:
        """A person's answers to the agent's own questions; the title holds what the chosen option means."""
        for answer in answers:
            self._sink.add(replace(event, speaker=Speaker.HUMAN, kind=EventKind.ANSWER, text=answer.text,
                             question=answer.question, title=answer.meaning))

    def stop(self, how: str) -> None:
        """The person stopped the agent here; the next prompt says so in its title."""
        self._stopped, self._stopped_at = how, self._sink.start

    def prose(self, event: Event, text: str) -> None:
        """The agent's own words."""
        if text.strip():
            self._sink.add(replace(event, speaker=Speaker.AGENT, kind=EventKind.PROSE, text=text))
            self.question = closing_question(text)
            self._question_at = self._sink.start  # also without a question: it ends the one before
            self._stopped, self._stopped_at = "", -1

    def call(self, event: Event, call: tuple[str, str, Record]) -> None:
        """A tool call (id, name, arguments): only a write to the agent's own memory is an event."""
        identity, name, arguments = call
        self._calls[identity] = (name, arguments, self._sink.start)
        if len(self._calls) > _MOST_OPEN_CALLS:
            self._calls.pop(next(iter(self._calls)))
        path = memory_path_of(name, arguments)
        if path:
            self._sink.add(replace(event, speaker=Speaker.AGENT, kind=EventKind.MEMORY_WRITE, text=written_by(arguments),
                             title=PurePosixPath(path.replace("\\", "/")).name))
        else:
            self._sink.skip(contract.TOOL_CALL)

    def called(self, identity: str) -> tuple[str, Record]:
        """The call a result belongs to, which is then closed."""
        name, arguments, _ = self._calls.pop(identity, ("", {}, -1))
        return name, arguments

    def result(self, event: Event, text: str, *, name: str) -> None:
        """What a tool gave back: evidence of what happened, never belief."""
        self._sink.add(replace(event, speaker=Speaker.TOOL, kind=EventKind.RESULT, text=text, title=name))
