"""What two engines spell differently, side by side: the store speaks as SQLite does, and here is what PostgreSQL is told.

Statements are written once. What both understand passes as it is; the few habits of SQLite are looked up below, once for
each statement. Nothing of this is loaded where the store is a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache, lru_cache

from dreamd.store.connection import LISTED
from dreamd.store.team import word_ranks
from dreamd.store.team.shape import wanted

TENANT = "tenant"
_TEXT = re.compile(r"('(?:[^']|'')*')")
_NUMBERED = re.compile(r"\?(\d)")
_NAMED = re.compile(r"(?<!:):([a-z_]+)")
_REPLACED = re.compile(r"^\s*INSERT OR REPLACE INTO (\w+)")
_CONFLICT = re.compile(r"ON CONFLICT \(")
_LISTED = re.escape(LISTED)
HABITS: tuple[tuple[str, str], ...] = (
    # SQLite                                        PostgreSQL
    (r" \+(\w+ IN)\b", r" \1"),
    # A list that is compared with is looked up in an index; one that is joined with has a server read whole tables.
    (rf"(\w*\.?\b(?:seq|observation|run)) IN {_LISTED}", r"\1 = ANY (ARRAY(SELECT value::bigint FROM json_each(?)))"),
    (rf"(\w*\.?\b(?:seq|observation|run)) NOT IN {_LISTED}", r"\1 NOT IN (SELECT value::bigint FROM json_each(?))"),
    (rf"(?<!NOT )\bIN {_LISTED}", "= ANY (ARRAY(SELECT value FROM json_each(?)))"),
    (r"\bINDEXED BY \w+", ""),
    (r"\bCROSS JOIN (\w+ \w+) ON\b", r"JOIN \1 ON"),
    (r"\bMAX\(([^(),]+),", r"GREATEST(\1,"),
    (r"\bMIN\(([^(),]+),", r"LEAST(\1,"),
    (r"\bLIMIT \?", "LIMIT NULLIF(?::bigint, -1)"),
    (r"\bIS \?", "IS NOT DISTINCT FROM ?"),
    (r"\((\w+\.\w+) LIKE \?\)", r"(\1 ILIKE ?)::int"),
    (r"\bjson_array\(", "json_cells("),  # a word of the language from PostgreSQL 16 on
    (r"\bGLOB '\*\[0-9\]\*'", "~ '[0-9]'"),
    (r"\bLIKE\b", "ILIKE"),  # SQLite takes small and capital letters for the same
    (r"\blength\(body\)", "(2 * dims(body))"),  # of vectors alone; a half is two bytes
    (r"\bCAST\((\S+) AS INTEGER\)", r"CAST(\1 AS bigint)"),
)


@lru_cache(maxsize=4096)
def told(statement: str) -> tuple[str, bool]:
    """A statement as PostgreSQL understands it, and whether its values go by names."""
    if replaced := _REPLACED.match(statement):
        statement = f"INSERT INTO {statement[replaced.start(1):]} {_instead(replaced[1])}"
    for sqlite, postgresql in HABITS:
        statement = re.sub(sqlite, postgresql, statement)
    statement = _CONFLICT.sub(f"ON CONFLICT ({TENANT}, ", statement).replace(f"({TENANT}, {TENANT}, ", f"({TENANT}, ")
    numbered = bool(_NUMBERED.search(_TEXT.sub("", statement)))
    named = numbered or bool(_NAMED.search(_TEXT.sub("", statement)))
    return "".join(_marked(statement)), named


def _marked(statement: str) -> Iterator[str]:
    """The same with the marks for values that the driver reads."""
    for part in _TEXT.split(statement.replace("%", "%%")):
        if part.startswith("'"):
            yield part
        else:
            yield _NAMED.sub(r"%(\1)s", _NUMBERED.sub(r"%(v\1)s", part)).replace("?", "%s")


@cache
def _instead(table: str) -> str:
    """What makes a row take the place of the one with the same key."""
    columns = wanted()[table].columns
    sets = ", ".join(f'"{c.name}" = excluded."{c.name}"' for c in columns if not c.key)
    keys = ", ".join(f'"{c.name}"' for c in sorted(columns, key=lambda c: c.key) if c.key)
    return f"ON CONFLICT ({TENANT}, {keys}) DO UPDATE SET {sets}" if sets else f"ON CONFLICT ({TENANT}, {keys}) DO NOTHING"


Values = Sequence[object] | Mapping[str, object]


def given(values: Values, *, named: bool) -> Sequence[object] | dict[str, object]:
    """Values in the types of the driver: SQLite knows no truth but 0 and 1, and what is a word is its value."""
    if isinstance(values, Mapping):
        return {name: plain(value) for name, value in values.items()}
    if named:
        return {f"v{n}": plain(value) for n, value in enumerate(values, 1)}
    return [plain(value) for value in values]


def plain(value: object) -> object:
    """One value as the driver takes it."""
    kind = type(value)
    if kind is str or kind is int or kind is bytes or value is None or kind is float:
        return value
    if kind is bool:
        return int(value)  # type: ignore[call-overload]
    return value.value if isinstance(value, Enum) else value


def special(statement: str, values: Values) -> list[tuple[str, Sequence[object]]] | None:
    """What is asked in quite another way: the word search, and what SQLite is told about itself."""
    if "memory_words" in statement:
        return word_ranks.told(statement, list(values))
    if statement.startswith("PRAGMA data_version"):
        return [("SELECT (pg_snapshot_xmax(pg_current_snapshot())::text)::bigint", ())]
    if statement.startswith("PRAGMA"):
        verdict = "SELECT 'ok'" if "_check(" in statement else "SELECT 1 WHERE FALSE"
        return [(verdict, ())]
    return [] if statement == "VACUUM" else None


def many(rows: Iterable[Values], *, named: bool) -> Iterator[Sequence[object] | dict[str, object]]:
    """The values of many rows."""
    return (given(row, named=named) for row in rows)
