"""The seam for a language model: what a role asks, what came of it, and nothing of who answers.

A role builds an `Ask` and reads an `Answer`; whoever stands behind `LanguageModel` decides whether it may be asked at all,
asks, and tells every way in which that can fail apart. No backend is imported from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Role(StrEnum):
    """What a language model is asked to do."""

    OBSERVER = "observer"
    JUDGE = "judge"
    REFLECTOR = "reflector"
    QUERY = "query"


class Ending(StrEnum):
    """How asking ended; only the first two carry a value."""

    ANSWERED = "answered"
    KEPT = "kept"
    """Answered before: the same prompt, model and input were asked once, and nobody was asked again."""
    OFF = "off"
    """No backend, this role switched off, or what was to be read is excluded."""
    CEILING = "ceiling"
    """A limit on requests, tokens, money or seconds would have been passed."""
    WAITING = "waiting"
    """After a failure not yet due again, or the circuit is open."""
    REFUSED = "refused"
    INVALID = "invalid"
    """No JSON, or JSON that does not fit the schema."""
    CUT = "cut"
    UNAUTHORISED = "unauthorised"
    LIMITED = "rate-limited"
    SERVER = "server-error"
    SILENT = "silent"
    """No answer within the time limit."""
    UNREACHABLE = "unreachable"
    TOO_LARGE = "too-large"

    @property
    def carries_value(self) -> bool:
        """Whether the answer can be read."""
        return self in (Ending.ANSWERED, Ending.KEPT)

    @property
    def needs_a_person(self) -> bool:
        """Whether nothing gets better by waiting."""
        return self is Ending.UNAUTHORISED


@dataclass(frozen=True)
class Ask:
    """One question: a constant part, which is the same to the byte for a role, and the data, which stands last."""

    role: Role
    prompt: str
    """Name and version of the prompt, as `observer@1`."""
    fixed: str
    data: str
    """Masked text only, fenced by the role."""
    schema: Mapping[str, object]
    """JSON schema that the answer must fit."""
    scope: str
    most_out: int = 2000
    """Most tokens of an answer."""
    seconds: float = 120.0
    """Longest wait for it."""


@dataclass(frozen=True)
class Used:
    """What a call cost; a price that nobody knows is None."""

    tokens_in: int = 0
    cached: int = 0
    """Of those in, how many came from the backend's cache."""
    tokens_out: int = 0
    seconds: float = 0.0
    cost: float | None = None
    """US dollars."""


@dataclass(frozen=True)
class Answer:
    """What came of an ask."""

    ending: Ending
    value: Mapping[str, object] | None = None
    model: str = ""
    used: Used = field(default_factory=Used)
    detail: str = ""
    """A short reason code for people; never text of a memory or of an answer."""
    retry_after_s: float | None = None


def credit(role: str, model: str, prompt: str) -> str:
    """What the journal says beside a change that a model caused; an undo goes by it."""
    return f"by {role} {model} {prompt}"


class LanguageModel(Protocol):
    """Whoever can be asked. It never raises for what a backend did: that is an ending."""

    def ask(self, ask: Ask) -> Answer:
        """Ask once, within every limit that is set."""
        ...

    def is_on(self, role: Role) -> bool:
        """Whether asking in this role can lead to anything today."""
        ...

    def tell(self, role: Role, *, moved: bool) -> None:
        """Say whether an answer led anywhere; three in a row that did not end the role for the night."""
        ...
