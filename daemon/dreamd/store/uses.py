"""On which days somebody used a scope: something was said there, or a memory of it was asked for or told.

What was said tells its own day. Of being asked for a memory keeps only the last time, so the days are kept here, by scope, as
few as tell how long each stretch without any use was: a stretch counts so many days at most, and no more need be known of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

from dreamd.core.values import Scope
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.work import ASKED, write_meta

UNUSED_COUNTS = timedelta(days=90)
"""What a stretch in which nobody used a scope counts at most."""
USED = "used "
"""Beginning of the fact that holds the days on which a scope was asked for; what follows is the scope."""


def mark_used(tx: sqlite3.Connection, ids: Sequence[str], at: datetime) -> None:
    """Memories were shown: a day on which their scopes were used."""
    for (scope,) in tx.execute(f"SELECT DISTINCT scope FROM memory WHERE id IN {LISTED}", (listed(ids),)).fetchall():
        row = tx.execute("SELECT value FROM meta WHERE key = ?", (f"{USED}{scope}",)).fetchone()
        days = _days(row[0]) if row else []
        if at.date() not in days:
            write_meta(tx, f"{USED}{scope}", " ".join(day.isoformat() for day in telling([*days, at.date()])))


def mark_asked(tx: sqlite3.Connection, ids: Sequence[str]) -> None:
    """Memories were asked for: where one was, twice as often as before, the order of its index may be another."""
    rows = tx.execute(f"""SELECT DISTINCT m.scope FROM recall r JOIN memory m ON m.id = r.memory
                          WHERE r.memory IN {LISTED} AND r.times & (r.times - 1) = 0""", (listed(ids),)).fetchall()
    for (scope,) in rows:
        write_meta(tx, f"{ASKED}{scope}", "1")


def load_days_used(store: Store, scope: Scope, *, since: datetime) -> list[date]:
    """The days on which a scope was used, in order."""
    said = store.tuples("SELECT DISTINCT substr(at, 1, 10) FROM observation WHERE scope = ? AND at >= ?", str(scope),
                        since.date().isoformat())
    return telling([*_days(store.meta(f"{USED}{scope}") or ""), *(date.fromisoformat(day) for day, in said)])


def telling(days: Iterable[date]) -> list[date]:
    """Some days in order, without those that leave no stretch behind that counts less than it is long."""
    kept: list[date] = []
    for day in sorted(set(days)):
        while len(kept) > 1 and day - kept[-2] <= UNUSED_COUNTS:
            kept.pop()
        kept.append(day)
    return kept


def _days(text: str) -> list[date]:
    return [date.fromisoformat(day) for day in text.split()]
