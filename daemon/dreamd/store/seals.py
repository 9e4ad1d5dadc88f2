"""Seals: one number a table, by which `dream check` sees that a row is not what dream wrote.

SQLite notices damage to the shape of its pages, not to what stands in them. So every row counts with a hash of its own,
and the seal of a table is the sum of its rows' hashes: a change costs the rows it touches, and their order is no matter.
The sums are kept in `meta`, in the transaction that changes the rows. What adds up lives in the connection as temporary
triggers, never in the file: a program that changes a row past dream leaves a seal that no longer fits.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from dreamd.store.team.database import Database

PREFIX = "seal "
"""Beginning of the keys in `meta` that hold the sums; they seal everything but themselves."""
DERIVED = frozenset({"vector", "vector_file", "judged", "file", "intent", "cursor", "source", "staged", "unread",
                     "model_answer", "tally"})
"""What `dream check --repair` can make anew. Everything else is known to nobody but the store."""
MODULUS = 1 << 64
_EVENTS = {"INSERT": (("NEW", 1),), "DELETE": (("OLD", -1),), "UPDATE": (("OLD", -1), ("NEW", 1))}
_UNSEALED = {"file": ("size", "mtime_ns", "inode")}
"""How a file looked on disk: a copied home has other numbers, and a wrong one only has the file read once more."""
LOOKS = "looks of "
"""Beginning of the keys in `meta` that hold the sum of how the notes of a scope look on the disk: where nothing was touched, a
look over the directory comes to the same sum, and no row need be read."""
NOTES = "memory/"
_LOOKS_OF = ("scope", "path", *_UNSEALED["file"])
_WITH_BYTES = frozenset({"file", "intent", "vector"})
_TABLES = """SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
             AND name NOT LIKE 'memory_words%' ORDER BY name"""


class Ledger:
    """What a connection's open transaction adds to each seal."""

    def __init__(self) -> None:
        self.sums: Counter[str] = Counter()
        self.looks: Counter[str] = Counter()
        self.watched: set[str] = set()

    def count(self, table: str, sign: int, *row: object) -> None:
        """Called by the triggers for each row that comes or goes."""
        if table != "meta" or not str(row[0]).startswith(PREFIX):
            self.sums[table] += sign * row_hash(table, row)

    def count_look(self, sign: int, scope: str, path: object, *facts: object) -> None:
        """The same of how a file looks."""
        if str(path).startswith(NOTES):
            self.looks[scope] += sign * look_hash(path, facts)

    def clear(self) -> None:
        """Nothing of what was counted came about."""
        self.sums.clear()
        self.looks.clear()


def server_of(connection: object) -> Database | None:
    """The connection to a server, where that is what keeps this store and its seals."""
    return None if isinstance(connection, sqlite3.Connection) else cast("Database", connection)


def row_hash(table: str, row: tuple[object, ...]) -> int:
    """What one row adds to its table's seal."""
    if table in _WITH_BYTES:
        row = tuple(blake2b(v, digest_size=16).digest() if isinstance(v, bytes) else v for v in row)
    return int.from_bytes(blake2b(repr((table, *row)).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def look_hash(path: object, facts: Sequence[object]) -> int:
    """What one note adds to the sum of how those of its scope look."""
    size, mtime_ns, inode = facts
    told = f"{path} {size} {mtime_ns} {inode}".encode("utf-8", "surrogateescape")
    return int.from_bytes(blake2b(told, digest_size=8).digest(), "big")


def look_of(present: Mapping[str, Sequence[object]]) -> int:
    """The sum of how notes look."""
    return sum(map(look_hash, present, present.values())) % MODULUS


def load_looks(connection: sqlite3.Connection) -> dict[str, int]:
    """The sum of how the notes look, for each scope of which it is known; a server keeps none."""
    rows = () if server_of(connection) else connection.execute("SELECT key, value FROM meta WHERE key > ? AND key < ?",
                                                               (LOOKS, LOOKS + "\uffff"))
    return {str(key).removeprefix(LOOKS): _number(value) for key, value in rows}


def watch(connection: sqlite3.Connection, ledger: Ledger | None = None, *, only: frozenset[str] | None = None) -> Ledger:
    """Count from now on what this connection changes; with `only`, in these tables, and then no other may be changed."""
    if ledger is None:
        ledger = Ledger()
        connection.create_function("dream_seal", -1, ledger.count)
        connection.create_function("dream_look", -1, ledger.count_look)
        # Without this a row that INSERT OR REPLACE pushes out would go uncounted.
        connection.execute("PRAGMA recursive_triggers = ON")
    for table, columns in load_columns(connection, only=only).items():
        if table not in ledger.watched:
            for event in _EVENTS:
                connection.execute(_trigger(table, columns, event))
            ledger.watched.add(table)
    return ledger


def refusal(allowed: frozenset[str]) -> Callable[..., int]:
    """What SQLite is to ask before it prepares a statement: no, where a table would change that nobody counts."""
    changing = (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)

    def judged(action: int, table: str | None, _column: str | None, _base: str | None, _trigger: str | None) -> int:
        return sqlite3.SQLITE_DENY if action in changing and table not in allowed else sqlite3.SQLITE_OK

    return judged


def _trigger(table: str, columns: tuple[str, ...], event: str) -> str:
    acts = [f"SELECT dream_seal('{table}', {sign}, {', '.join(f'{side}.{c}' for c in columns)});"
            for side, sign in _EVENTS[event]]
    if table == "file":
        acts += [f"SELECT dream_look({sign}, {', '.join(f'{side}.{c}' for c in _LOOKS_OF)});" for side, sign in _EVENTS[event]]
    return f"CREATE TEMP TRIGGER seal_{table}_{event} AFTER {event} ON main.{table} BEGIN {' '.join(acts)} END"


def settle(connection: sqlite3.Connection, ledger: Ledger) -> None:
    """Add what the transaction changed to the sums, right before it commits."""
    known = load_looks(connection) if ledger.looks else {}
    for scope, change in ledger.looks.items():  # before the seals, for one of these is of the table that holds both
        number = known[scope] + change if known.get(scope, -1) >= 0 else sum(look_hash(path, facts) for path, *facts in (
            connection.execute(f"SELECT {', '.join(_LOOKS_OF[1:])} FROM file WHERE scope = ? AND path > ? AND path < 'memory0'",
                               (scope, NOTES)).fetchall()))
        _set(connection, LOOKS + scope, number)
    for table, change in ledger.sums.items():
        if change:
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (PREFIX + table,)).fetchone()
            _write(connection, table, (_number(row[0]) if row else 0) + change)
    ledger.clear()


def seal_all(connection: sqlite3.Connection) -> None:
    """Seal every table as it stands."""
    tables = load_columns(connection)
    _drop_looks(connection)
    for table in sorted(tables, key="meta".__eq__):  # what holds the seals comes last
        _write(connection, table, total(connection, table, tables[table]))


def renew(connection: sqlite3.Connection, table: str) -> None:
    """Seal one table as it stands: after a repair has made it anew."""
    if base := server_of(connection):
        from dreamd.store.team import team_seals

        team_seals.renew(base, table)
        return
    if table == "file":
        _drop_looks(connection)
    _write(connection, table, total(connection, table, _columns(connection, table)))


def empty(connection: sqlite3.Connection, table: str) -> None:
    """Throw every row of a table away, also one that cannot be read any more, and seal that nothing is left."""
    if server_of(connection):
        connection.execute(f"DELETE FROM {table}")
        renew(connection, table)
        return
    connection.execute(f"DROP TRIGGER IF EXISTS temp.seal_{table}_DELETE")
    connection.execute(f"DELETE FROM main.{table}")
    connection.execute(_trigger(table, _columns(connection, table), "DELETE"))
    renew(connection, table)


def broken(connection: sqlite3.Connection, *, but: frozenset[str] = frozenset()) -> list[str]:
    """The tables whose rows are not what dream wrote; those in `but` are not looked at."""
    if base := server_of(connection):
        from dreamd.store.team import team_seals

        return team_seals.broken(base, but)
    kept = dict(connection.execute("SELECT key, value FROM meta WHERE key >= ? AND key < ?", (PREFIX, PREFIX + "~")))
    return [table for table, columns in load_columns(connection).items()
            if table not in but and _number(kept.get(PREFIX + table)) != total(connection, table, columns)]


def lost_tables(connection: sqlite3.Connection) -> list[str]:
    """Tables that were sealed and are gone: the damage that can be seen at a glance, however large the store is."""
    if base := server_of(connection):
        from dreamd.store.team import team_seals

        return team_seals.lost_tables(base)
    return sorted(str(row[0]) for row in connection.execute(
        "SELECT substr(key, ?) FROM meta WHERE key >= ? AND key < ? EXCEPT SELECT name FROM main.sqlite_master",
        (len(PREFIX) + 1, PREFIX, PREFIX + "~")))


def load_columns(connection: sqlite3.Connection, *, only: frozenset[str] | None = None) -> dict[str, tuple[str, ...]]:
    """The tables that are sealed, with the columns that count, quoted: `end` is a word of SQL."""
    if server_of(connection):
        from dreamd.store.team import team_seals

        return team_seals.load_columns(only=only)
    tables = sorted(only) if only is not None else [str(row[0]) for row in connection.execute(_TABLES)]
    return {table: _columns(connection, table) for table in tables}


def _columns(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    return tuple(f'"{c[1]}"' for c in connection.execute(f"PRAGMA main.table_info({table})")
                 if c[1] not in _UNSEALED.get(table, ()))


def total(connection: sqlite3.Connection, table: str, columns: tuple[str, ...]) -> int:
    """The sum of the hashes of a table's rows as they stand."""
    with suppress(sqlite3.OperationalError):
        return _total(connection, table, columns)
    # Words that cannot be read any more: read with a function of ours, each word takes ten times as long.
    strict, connection.text_factory = connection.text_factory, _as_it_stands
    try:
        return _total(connection, table, columns)
    finally:
        connection.text_factory = strict


def _total(connection: sqlite3.Connection, table: str, columns: tuple[str, ...]) -> int:
    cursor = connection.cursor()
    cursor.row_factory = None
    rows: Iterable[tuple[object, ...]] = cursor.execute(f"SELECT {', '.join(columns)} FROM main.{table}")
    if table == "meta":
        rows = (row for row in rows if not str(row[0]).startswith(PREFIX))
    return sum(row_hash(table, row) for row in rows) % MODULUS


def _write(connection: sqlite3.Connection, table: str, number: int) -> None:
    _set(connection, PREFIX + table, number)


def _drop_looks(connection: sqlite3.Connection) -> None:
    """What is sealed as it stands may be anything: the next change adds up how its files look."""
    connection.execute("DELETE FROM meta WHERE key > ? AND key < ?", (LOOKS, LOOKS + "\uffff"))


def _set(connection: sqlite3.Connection, key: str, number: int) -> None:
    connection.execute("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                       (key, f"{number % MODULUS:016x}"))


def _as_it_stands(raw: bytes) -> str:
    """Text whatever the bytes: damage shall be counted, not stop the count."""
    return raw.decode("utf-8", "surrogateescape")


def _number(text: object) -> int:
    """A sum as it was written; one that is damaged fits no table."""
    try:
        return int(str(text), 16) if text is not None else 0
    except ValueError:
        return -1
