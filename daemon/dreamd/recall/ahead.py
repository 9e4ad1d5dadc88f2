"""What has a day ahead: told in the days before it, and neither otherwise nor after, unless something goes on from that day."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from dreamd.core.clock import local_date, parse_instant
from dreamd.core.values import Scope
from dreamd.kit import Kit
from dreamd.recall.answer import Found
from dreamd.store import memories, shown
from dreamd.text.calendar_dates import named_days

DAYS_BEFORE = 7
MOST_LINES = 3
"""A statement, why, and how to apply it. What has more is a document: it names days, and none is ahead of all of it."""
AHEAD = "ahead"
"""The part of a find that says in how many days its day is."""


@dataclass(frozen=True)
class Ahead:
    """What is due to be told today, the nearest day first, and what is to be told in no other way."""

    due: tuple[Found, ...] = ()
    quiet: frozenset[str] = frozenset()


def look_ahead(kit: Kit, scopes: Sequence[Scope], told: Collection[str] = ()) -> Ahead:
    """What of some scopes has, or had, a day ahead when it was said; what was told today is not due."""
    today = date.fromisoformat(local_date(kit.clock.now(), kit.zone))
    due, quiet = {}, set()
    for row in shown.load_dated(kit.store, scopes=[str(scope) for scope in scopes]):
        if sum(map(bool, row.text.splitlines())) > MOST_LINES:
            continue
        said = date.fromisoformat(local_date(parse_instant(row.said_at), kit.zone))
        days = [(day, goes_on) for day, goes_on in named_days(row.text, said) if day > said.isoformat() and day != row.ttl]
        if not days:
            continue
        coming = [day for day, _ in days if day >= today.isoformat()]
        if coming or not any(goes_on for _, goes_on in days):
            quiet.add(row.id)
        if coming and date.fromisoformat(coming[0]) <= today + timedelta(days=DAYS_BEFORE) and row.id not in told:
            due[row.id] = date.fromisoformat(coming[0])
    known = memories.load_some(kit.store, sorted(due))
    found = [Found(known[one], 0.0, {AHEAD: float((day - today).days)}) for one, day in due.items() if one in known]
    return Ahead(tuple(sorted(found, key=lambda one: (one.parts[AHEAD], one.memory.id))), frozenset(quiet))


def in_words(found: Found) -> str:
    """When the day of a find is; nothing for one without."""
    days = found.parts.get(AHEAD)
    return "" if days is None else {0: "today", 1: "tomorrow"}.get(int(days), f"in {int(days)} days")
