"""What a source gives: events in the order of the source, how far it was read, and what was passed over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Speaker(StrEnum):
    """Whose words an event carries."""

    HUMAN = "human"
    AGENT = "agent"
    TOOL = "tool"
    INJECTED = "injected"
    """Text that dream, a hook, a template or the harness put there; never learned."""


class EventKind(StrEnum):
    """What happened in a conversation, as far as extraction cares."""

    PROMPT = "prompt"
    """A person typed this."""
    REFUSAL = "refusal"
    """A person's words when refusing a tool call."""
    ANSWER = "answer"
    """A person's answer to the agent's own question; `question` holds what was asked."""
    PROSE = "prose"
    """The agent's own words to the person."""
    RESULT = "result"
    """Output of a tool; data, never belief."""
    SUMMARY = "summary"
    """A compaction summary: model text."""
    MEMORY_WRITE = "memory-write"
    """The agent wrote a memory file itself in this stretch."""
    BOUNDARY = "boundary"
    """Compaction or end of a stretch; no text."""
    NOTE = "note"
    """A statement somebody wrote down on purpose: a line or file of a memory directory."""


@dataclass(frozen=True)
class Event:
    """One thing that happened in a source, in the order of the source.

    `start` and `end` are byte offsets in the file (or record numbers where a format has no lines).
    `uid` identifies the event across copies of the file; empty when the format has none.
    """

    speaker: Speaker
    kind: EventKind
    text: str
    at: datetime | None
    conversation: str
    start: int
    end: int
    uid: str = ""
    question: str = ""
    cwd: str = ""
    branch: str = ""
    title: str = ""
    """For `note` events: file name or heading the statement stands under."""
    type_hint: str = ""
    """For `note` events: the frontmatter type, when it is one of the closed set."""
    truncated: bool = False
    sign: str = ""
    """For `note` events that are more than a line somebody kept: what they are."""
    file: str = ""
    """For events out of a directory: the file in it that `start` and `end` belong to."""


class Deed(StrEnum):
    """What a line of a log tells of."""

    DONE = "done"
    ERROR = "error"
    FIX = "fix"


@dataclass(frozen=True)
class Logged:
    """One line of a program's log: with what something was done, to what, and why. Nobody's statement."""

    at: datetime
    deed: Deed
    action: str
    tool: str
    target: str
    reason: str
    run: str = ""
    """The run it belongs to, where the line names one; else its time tells."""
    scope: str = ""
    about: tuple[str, ...] = ()
    """What an error was met on or a fix was made to, the surest name first."""

    @property
    def line(self) -> str:
        """The line in words."""
        told = " ".join(word for word in (f"{self.at:%Y-%m-%d}", self.action, self.tool, self.target) if word)
        return f"{told} ({self.reason})" if self.reason else told


@dataclass(frozen=True)
class Skip:
    """Something a reader passed over, and where: a count that is never silent and never carries text."""

    reason: str
    start: int
    end: int
    file: str = ""


@dataclass(frozen=True)
class Cursor:
    """How far a file has been read: byte offset plus a check of what lay before it.

    `prefix_sha` is the sha256 of the first `prefix_bytes` bytes, so a replaced file is noticed.
    """

    offset: int = 0
    size: int = 0
    prefix_bytes: int = 0
    prefix_sha: str = ""
    carry: str = ""
    """Small adapter state as JSON (open question, last agent prose) that the next stretch needs; never large."""


@dataclass(frozen=True)
class Reading:
    """What one read of a source gave: events in order, the cursor to store with them, what was skipped."""

    events: tuple[Event, ...]
    cursor: Cursor
    skips: tuple[Skip, ...] = ()
    lines: int = 0
    prompts: int = 0
    complete: bool = True
    """False when the read stopped at its byte budget and more is waiting."""
    standing: Mapping[str, tuple[str, ...] | None] | None = None
    """Of a document that lives on: by file what stands there now, as the uids of its notes in order; None for a file that
    is as it was, or cannot be read. No such account of a source that only grows."""
    told: tuple[str, ...] = ()
    """What in it a person should look at, in words."""
    logged: tuple[Logged, ...] = ()
    """Of a log: what was done, in the order of the lines. None of it is anybody's statement."""
