"""Reading values out of JSON that somebody else wrote: every look-up has an answer, none raises.

The shapes come from programs that change with every release, so nothing here trusts a type.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime

from dreamd.core.clock import EARLIEST, LATEST, parse_instant
from dreamd.core.errors import UsageError

Record = dict[str, object]

_UNSTORABLE = re.compile("[\\ud800-\\udfff]")
_MILLISECONDS_FROM = 1e11
"""Numbers above this are milliseconds: as seconds they would lie in the year 5138."""


def parse_record(text: str) -> Record | None:
    """One JSON object, or None for anything else (nesting too deep for the parser included)."""
    parsed = parse_json(text)
    return parsed if isinstance(parsed, dict) else None


def parse_json(text: str) -> object:
    """Any JSON value; None when it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # RecursionError: nesting deeper than the parser goes
        return None


def text_at(record: Record, *keys: str) -> str:
    """The first of the keys that holds a string; empty otherwise."""
    for key in keys:
        found = record.get(key)
        if isinstance(found, str):
            return found
    return ""


def record_at(record: Record, key: str) -> Record:
    """The object under a key; empty when there is none."""
    found = record.get(key)
    return found if isinstance(found, dict) else {}


def records_at(record: Record, key: str) -> list[Record]:
    """The objects of the list under a key; empty when there is none."""
    found = record.get(key)
    return [part for part in found if isinstance(part, dict)] if isinstance(found, list) else []


def texts_of(content: object, *, kinds: tuple[str, ...] = ("text",)) -> Iterator[str]:
    """The strings in message content, which is a string or a list of strings and typed parts."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, str):
                yield part
            elif isinstance(part, dict) and part.get("type", "text") in kinds and isinstance(part.get("text"), str):
                yield part["text"]


def moment(value: object) -> datetime | None:
    """A time as harnesses write it (ISO 8601, epoch seconds or milliseconds); None when it makes no sense."""
    if isinstance(value, str):
        try:
            return parse_instant(value[:64])
        except UsageError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        at = datetime.fromtimestamp(value / 1000 if abs(value) > _MILLISECONDS_FROM else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return at if EARLIEST <= at < LATEST else None


def clean(text: str) -> str:
    """Text that any store can hold: NUL and lone surrogates become the replacement character, byte order marks go."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    return text if text.isascii() else _UNSTORABLE.sub("\ufffd", text.replace("\ufeff", ""))
