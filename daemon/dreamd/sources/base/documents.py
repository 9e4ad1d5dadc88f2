"""Reading formats that are one document: the file is parsed whole, but only what is new is handed on.

The cursor keeps how many events were given and a hash over them. When the beginning is still the same, the rest is
new; when it is not (a message was rewritten, a conversation rewound), everything is given again under its old
identities.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dreamd.core.values import Cursor, Event, EventKind, Reading, Skip, Speaker
from dreamd.sources.base import contract
from dreamd.sources.base.opening import Unopened, open_source
from dreamd.sources.base.reading import Sink, uids_of, unread
from dreamd.sources.base.tolerant import Record, parse_record

_PREFIX_BYTES = 64 * 1024


@dataclass(frozen=True)
class Whole:
    """One document. Bytes that are no UTF-8 stand in `text` as lone surrogates, so that offsets can be computed."""

    body: bytes
    text: str
    replaced: bool


Parse = Callable[[Whole, Sink], bool]
"""Hands a document's events to the sink; False when the document is broken, perhaps only half written."""


def read_document(path: Path, cursor: Cursor, *, parse: Parse) -> Reading:
    """Read a whole file and give what is new since the cursor."""
    known = parse_record(cursor.carry) or {}
    try:
        with open_source(path) as handle:
            body = handle.read(contract.LARGEST_DOCUMENT_BYTES + 1)
    except Unopened as error:
        return unread(cursor, error.reason)
    except OSError:
        return unread(cursor, contract.UNREADABLE)
    size = len(body)
    if size > contract.LARGEST_DOCUMENT_BYTES:
        return Reading((), Cursor(0, size), (Skip(contract.OVERSIZED, 0, size),))
    digest = hashlib.sha256(body).hexdigest()
    if known.get("whole") == digest:
        return Reading((), cursor)
    sink = Sink()
    whole = _decoded(body)
    if not parse(whole, sink):
        return Reading((), Cursor(0, size, carry=cursor.carry), (Skip(contract.CORRUPT_DOCUMENT, 0, size),))
    if whole.replaced:
        sink.skips.append(Skip(contract.REPLACED_BYTES, 0, size))
    events = _new_events(sink.events, known)
    carry = json.dumps({"whole": digest, "seen": len(sink.events), "chain": _chain(sink.events)}, separators=(",", ":"))
    prefix = min(size, _PREFIX_BYTES)
    after = Cursor(size, size, prefix, hashlib.sha256(body[:prefix]).hexdigest(), carry)
    prompts = sum(event.speaker is Speaker.HUMAN and event.kind is EventKind.PROMPT for event in events)
    noted = uids_of(sink.events)
    standing = {"": noted} if noted and len(noted) == len(sink.events) else None
    return Reading(tuple(events), after, tuple(sink.skips), body.count(b"\n") + 1, prompts, standing=standing)


def entries_of(body: bytes, sink: Sink) -> Iterator[tuple[Record, int, int]]:
    """The records of a journal with their places, one a line; a broken line is skipped, for the last may be half written."""
    position = 0
    for line in body.split(b"\n"):
        start, position = position, position + len(line) + 1
        if not line.strip():
            continue
        sink.begin(start, min(position, len(body)))
        record = parse_record(line.decode("utf-8", "replace").removeprefix("\ufeff"))
        if record is not None:
            yield record, start, min(position, len(body))
        elif position <= len(body):  # a half written last line is read when it is whole
            sink.skip(contract.CORRUPT)


def _decoded(body: bytes) -> Whole:
    try:
        return Whole(body, body.decode("utf-8"), False)
    except UnicodeDecodeError:
        return Whole(body, body.decode("utf-8", "surrogateescape"), True)


def _new_events(events: list[Event], known: Record) -> list[Event]:
    seen = known.get("seen")
    if isinstance(seen, int) and 0 < seen <= len(events) and _chain(events[:seen]) == known.get("chain"):
        return events[seen:]
    return events


def _chain(events: Sequence[Event]) -> str:
    digest = hashlib.sha256()
    for event in events:
        for part in (event.uid, event.text, event.question):
            digest.update(part.encode("utf-8", "replace"))
            digest.update(b"\x00")
    return digest.hexdigest()
