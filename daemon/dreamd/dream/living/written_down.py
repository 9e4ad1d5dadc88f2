"""Statements that somebody wrote down on purpose, and what every statement must be before it is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from dreamd.core.values import (
    LONGEST_TEXT,
    MEMORY_FILE,
    Candidate,
    EventKind,
    MemoryType,
    Origin,
    Reading,
    Scope,
    Speaker,
    storable,
)
from dreamd.store.work import Source
from dreamd.text.redaction import mask_name, redact

STRUCTURED = "structured"
IMPORTED = "imported"
"""Sign of a statement out of a log that some program wrote."""


def notes_of(reading: Reading, source: Source, scopes: Mapping[str, Scope]) -> Iterator[Candidate]:
    """Statements somebody wrote down on purpose: they are explicit, like a note."""
    # A log of some program is an import like any other; a memory directory was in force before dream came.
    sign = IMPORTED if source.kind == STRUCTURED else MEMORY_FILE
    for event in reading.events:
        if event.kind is EventKind.NOTE and event.text.strip() and event.speaker is not Speaker.INJECTED:
            origin = Origin.USER if event.speaker is Speaker.HUMAN else Origin.IMPORT
            yield Candidate(
                event.text.strip(), origin, event.at or _undated(reading), scopes[event.conversation],
                conversation=event.conversation, key=f"note:{source.id}:{event.uid}" if event.uid else "",
                type_hint=MemoryType(event.type_hint) if event.type_hint in set(MemoryType) else None,
                source_id=source.id, start=event.start, end=event.end, sign=event.sign or sign,
                context=redact(event.title).text)


def _undated(reading: Reading) -> datetime:
    """A time for a note without one: the newest time known in the same place, so that nothing dates from now."""
    return max((e.at for e in reading.events if e.at), default=datetime.fromtimestamp(0).astimezone())


def masked(candidate: Candidate, now: datetime) -> Candidate:
    """A statement as it may be kept: secrets masked, and never said later than now, or every true later word would lose."""
    return replace(candidate, text=redact(candidate.text[:LONGEST_TEXT]).text, at=min(candidate.at, now),
                   key=storable(mask_name(candidate.key)), conversation=storable(mask_name(candidate.conversation)))
