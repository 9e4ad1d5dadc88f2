"""Decision records as the store knows them: each is an observation whose sign tells what became of the decision.

What was learned of logs is known in the same way, by the tally it was made of in the place of a record.
Its key names the record, so that what was read of it before is found again; nothing else is kept of it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from dreamd.core.values import DECISION, LEARNED
from dreamd.store.connection import LISTED, Store, listed

_SIGNED = "sign >= ? AND sign < ?"
_RANGE = (DECISION, DECISION.rstrip(":") + ";")
_EITHER = f"({_SIGNED} OR {_SIGNED})"
_RANGES = (*_RANGE, LEARNED, LEARNED.rstrip(":") + ";")


class Line(NamedTuple):
    """One reading of a record: the source it lies in, and the record."""

    source: str
    record: str


def record_of(key: str) -> str:
    """What of an observation's key names its record: all up to the hash of what it said."""
    return key.rpartition(":")[0]


def load_records(store: Store, sources: Collection[str] | None) -> dict[str, Line]:
    """All that was ever read of the records in some sources, or in any: by observation, oldest first."""
    if sources is None:
        rows = store.tuples(f"SELECT id, source_id, key FROM observation WHERE {_EITHER} ORDER BY seq", *_RANGES)
        return {identity: Line(source, record_of(key)) for identity, source, key in rows}
    return {identity: Line(source, record_of(key)) for one in sorted(sources) for identity, source, key in store.tuples(
        f"SELECT id, source_id, key FROM observation WHERE source_id = ? AND {_EITHER} ORDER BY seq", one, *_RANGES)}


def load_told(store: Store, scopes: Collection[str]) -> dict[str, list[str]]:
    """What the records of some scopes say today, by scope: the words of the last reading of each."""
    rows = store.tuples(f"""SELECT scope, key, text FROM observation o WHERE {_SIGNED} AND scope IN {LISTED} AND NOT EXISTS (
        SELECT 1 FROM observation g WHERE g.target = 'place:' || o.id AND g.sign = 'withdrawn-at-source') ORDER BY seq""",
                        *_RANGE, listed(sorted(scopes)))
    last: dict[str, dict[str, str]] = {}
    for scope, key, text in rows:
        last.setdefault(scope, {})[record_of(key)] = text
    return {scope: list(texts.values()) for scope, texts in last.items()}
