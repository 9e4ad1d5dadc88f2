"""Whether what rows give is what dream writes: a flipped bit turns words into bytes or a number, and a query gives it as it is.

SQLite keeps to no type of a column by itself. So what leaves the store is looked at where it becomes values, once for every
question: each name of a column means one type in all tables.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, wraps
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, ParamSpec, TypeVar  # Any: what stands in a column

from dreamd.core.errors import Corrupt, UsageError
from dreamd.core.values import Scope, parse_scope
from dreamd.store import schema, seals

P = ParamSpec("P")
T = TypeVar("T")
WHAT_HELPS = "run `dream check`: it says what is wrong and what mends it"
MAY_LACK = frozenset({"fate"})
"""What no row may lack in its table, and a question asks for that also gives rows without one."""
_COLUMN = re.compile(r"\b(\w+) (TEXT|INTEGER)\b(?: (PRIMARY KEY|NOT NULL))?")
_TYPES: dict[str, type] = {"TEXT": str, "INTEGER": int}
_STORED = {"TEXT": ("text",), "INTEGER": ("integer",), "REAL": ("real", "integer"), "BLOB": ("blob",)}


def checked(cursor: sqlite3.Cursor, rows: list[T], path: Path) -> list[T]:
    """The rows of a question, every one of which holds in its columns what dream writes there; raises Corrupt else."""
    for types, columns, pick in _groups(tuple(n[0] for n in cursor.description or ())):
        seen: set[type] = set()
        for row in rows:
            seen.update(map(type, pick(row)))
        if not seen <= types:
            raise Corrupt(f"the store `{path}` is damaged (no row of dream holds such a thing in {columns})", hint=WHAT_HELPS)
    return rows


@lru_cache(maxsize=1024)
def _groups(names: tuple[str, ...]) -> list[tuple[frozenset[type], str, Callable[[Any], Iterable[Any]]]]:
    """For the columns of a question that are to hold the same types: these, how they are called, and how they are picked."""
    known = known_types()
    places: dict[frozenset[type], list[int]] = {}
    for place, name in enumerate(names):
        if name in known:
            places.setdefault(known[name], []).append(place)
    # Of two at least, for of one alone it gives no tuple.
    return [(types, ", ".join(f"`{names[n]}`" for n in some), itemgetter(*some, some[0])) for types, some in places.items()]


@cache
def known_types() -> dict[str, frozenset[type]]:
    """What a column of some name may hold, in whichever table it stands."""
    known: dict[str, frozenset[type]] = {}
    for name, kind, full in _COLUMN.findall("\n".join(step for _, _, step in schema.MIGRATIONS if isinstance(step, str))):
        # A number is asked for of all rows together as well, of which there may be none.
        lacks = not full or kind == "INTEGER" or name in MAY_LACK
        known[name] = known.get(name, frozenset()) | {_TYPES[kind]} | ({type(None)} if lacks else set())
    return known


def strange_cells(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Each table and column in which a row holds another type than dream writes there."""
    tables = connection.execute("""SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                                   AND name NOT LIKE 'memory_words%' ORDER BY name""").fetchall()
    for table in chain.from_iterable(tables):
        for _, column, kind, full, _, key in connection.execute(f"PRAGMA main.table_info({table})").fetchall():
            if kind in _STORED:
                fit = (*_STORED[kind], *(() if full or key else ("null",)))
                some = ", ".join(f"'{one}'" for one in fit)
                strange = f'SELECT 1 FROM main.{table} WHERE typeof("{column}") NOT IN ({some}) LIMIT 1'
                if connection.execute(strange).fetchone():
                    yield str(table), str(column)


def refuse_lost_ids(connection: sqlite3.Connection, table: str) -> None:
    """Raise Corrupt where a row has an id that is none: then what nobody finds by its id may be that one."""
    if seals.server_of(connection) is None and connection.execute(
            f"SELECT 1 FROM main.{table} WHERE typeof(id) <> 'text' LIMIT 1").fetchone():
        raise Corrupt(f"the store is damaged (a row of `{table}` has lost its id)", hint=WHAT_HELPS)


def sound_row(read: Callable[P, T]) -> Callable[P, T]:
    """Make a reader of rows say that the store is damaged when a row holds what dream never wrote, or lacks a column."""

    @wraps(read)
    def wary(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return read(*args, **kwargs)
        except (UsageError, ValueError, TypeError, LookupError, AttributeError) as error:
            raise Corrupt("a row of the store holds what dream never wrote", hint=WHAT_HELPS) from error

    return wary


@sound_row
def stored_scope(name: str) -> Scope:
    """The scope that a row names; raises Corrupt where that is none."""
    return parse_scope(name)
