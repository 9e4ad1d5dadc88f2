"""What an audit tells: findings, each with its places and what to do about it, and what is loaded into every session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dreamd.text.redaction import redact

BYTES_A_TOKEN = 4
"""Of English with some code; other languages need more tokens for the same bytes."""
LONGEST_SHOWN = 240
LONGEST_READ = 20 * LONGEST_SHOWN
"""A secret that is cut there stands far behind what is shown."""


class Kind(StrEnum):
    """What can be wrong with entries, the gravest first."""

    SECRET = "secret"
    ORDER = "order"
    CONTRADICTION = "contradiction"
    GONE = "gone"
    RECORD = "decision-record"
    PAST = "past"
    ALIKE = "near-identical"
    CHANGED = "changed-often"
    DERIVABLE = "derivable"
    OVERFULL = "over-full"
    UNCLASSIFIED = "unclassified"
    UNASKED = "never-asked-for"


@dataclass(frozen=True)
class Place:
    """Where an entry stands: a line of a file, or a memory by its id; its words with secrets masked."""

    file: str = ""
    line: int = 0
    memory: str = ""
    text: str = ""

    @property
    def name(self) -> str:
        """How a person finds it."""
        return f"memory {self.memory}" if self.memory else f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, where, and what to do."""

    kind: Kind
    places: tuple[Place, ...]
    detail: str
    advice: str


@dataclass(frozen=True)
class Loaded:
    """A file that an agent is given at the start of every session."""

    file: str
    size_bytes: int

    @property
    def tokens(self) -> int:
        """About what it costs."""
        return -(-self.size_bytes // BYTES_A_TOKEN)


@dataclass(frozen=True)
class Audited:
    """What was looked at, what was found there, what is always loaded, and what could not be told."""

    subject: str
    entries: int
    findings: tuple[Finding, ...]
    loaded: tuple[Loaded, ...]
    untold: tuple[str, ...] = ()


def in_order(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """The gravest first, then by where they stand."""
    rank = {kind: n for n, kind in enumerate(Kind)}
    return tuple(sorted(found, key=lambda f: (rank[f.kind], [(p.file, p.line, p.memory) for p in f.places], f.detail)))


def shown(text: str) -> str:
    """The words of an entry as an audit may show them: one line, not endless, no secret."""
    return redact(" ".join(text.split())[:LONGEST_READ]).text[:LONGEST_SHOWN]
