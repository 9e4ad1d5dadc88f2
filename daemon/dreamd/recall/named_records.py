"""What became of the decision records that a memory names: shown beside it, for a superseded decision still reads like one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dreamd.core.values import Memory
from dreamd.store.connection import Store
from dreamd.store.intake.decided import load_told

_NAME = re.compile(r"(?<![\w/-])([A-Za-z]{2,12})[-_ #]{0,2}((?:(?:19|20)\d\d-)?\d{1,7})(?![\w.]*\w)")
_TOLD = re.compile(r"(\S.{0,79}?) \((.{1,200}?)\): ")
_DAY = re.compile(r"(?:, )?\d{4}-\d\d(?:-\d\d)?$")


def records_named(store: Store, found: Sequence[Memory]) -> list[tuple[str, ...]]:
    """For each memory the records that its words name, each with its status: `ADR-0012: superseded by ADR-0031`."""
    names_of = [list(dict.fromkeys(_names(memory.text))) for memory in found]
    naming = {str(memory.scope) for memory, names in zip(found, names_of, strict=True) if names}
    known = {scope: _standings(lines) for scope, lines in load_told(store, naming).items()} if naming else {}
    told = []
    for memory, names in zip(found, names_of, strict=True):
        rows = known.get(str(memory.scope), {}) if names else {}
        own = _TOLD.match(memory.text)
        itself = next(iter(_names(own[1])), None) if own else None  # a record's own memory says its status already
        told.append(() if itself in rows else tuple(f"{rows[one][0]}: {rows[one][1]}" for one in names if one in rows))
    return told


def _standings(lines: Sequence[str]) -> dict[tuple[str, int], tuple[str, str]]:
    """By what names a record: what people call it, and its status."""
    found: dict[tuple[str, int], tuple[str, str]] = {}
    for line in lines:
        head = _TOLD.match(line)
        name = next(iter(_names(head[1])), None) if head else None
        if head and name:
            found[name] = (head[1], _DAY.sub("", head[2]).strip(" ,") or "status not stated")
    return found


def _names(text: str) -> Iterator[tuple[str, int]]:
    for prefix, number in _NAME.findall(text):
        yield prefix.upper(), int(number.replace("-", ""))
