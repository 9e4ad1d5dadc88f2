"""A connection to PostgreSQL that speaks the few calls the store makes of SQLite's.

Every statement runs in a transaction that has said its tenant first, also one that is asked by itself: a connection out of
a pool knows nothing of whoever had it before, and leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any  # Any: what stands in a column

from dreamd.core.errors import ConfigError, Corrupt, DreamError, Outage, Refused
from dreamd.store.team import dialect, team_vectors
from dreamd.store.team.shape import SCHEMA

if TYPE_CHECKING:
    import psycopg

WAITS_S = 10
"""Longest for a connection."""
LOCK_WAIT_MS = 10_000
SILENT_S = 60
"""After so long without a word in an open transaction the server takes us for gone; others of the tenant wait for its end."""
LINK = {"keepalives": 1, "keepalives_idle": 20, "keepalives_interval": 5, "keepalives_count": 4, "tcp_user_timeout": 40_000}
"""By which a machine notices within a minute that a network is split; by themselves systems take two hours."""
NO_TENANT, NO_MEMBER, NO_WRITER, NO_CURATOR = "DR001", "DR002", "DR003", "DR004"
A_READER = "you are a reader of this team's memory, and readers change nothing"
ASK_FOR_MORE = "the operator gives another standing: `dream team users add ROLE --role member`"
READ, WRITE, LAZY = ("ISOLATION LEVEL REPEATABLE READ, READ ONLY", "ISOLATION LEVEL READ COMMITTED",
                     "ISOLATION LEVEL READ COMMITTED")


class Row(tuple[Any, ...]):
    """One row, by place and by name, as SQLite's."""

    __slots__ = ()
    names: dict[str, int] = {}

    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, self.names[key] if type(key) is str else key)

    def keys(self) -> list[str]:
        """The names of the columns."""
        return list(self.names)


class Told:
    """What a statement gave."""

    def __init__(self, rows: Sequence[Any], count: int) -> None:
        self._rows = iter(rows)
        self.rowcount = count

    def fetchone(self) -> Any:
        """The next row, or None."""
        return next(self._rows, None)

    def fetchall(self) -> list[Any]:
        """All rows that are left."""
        return list(self._rows)

    def __iter__(self) -> Iterator[Any]:
        return self._rows


class Database:
    """One connection for one tenant."""

    total_changes = 0

    def __init__(self, url: str, tenant: str, *, machine: str = "") -> None:
        if not tenant:
            raise ConfigError("a team's store needs a tenant", hint="set `store.tenant`")
        self.tenant = tenant
        self._inside = False
        with told_plainly():
            self._connection = connect(url)
        self._begin = (f"SET LOCAL search_path = {SCHEMA}, pg_temp; SET LOCAL dream.tenant = '{tenant}'; "
                       f"SET LOCAL dream.sealing = 'on'; SET LOCAL lock_timeout = {LOCK_WAIT_MS}")
        if machine:
            self._begin += f"; SET LOCAL dream.machine = '{machine}'"

    def begin(self, how: str = WRITE, *, durable: bool = True, alone: bool = False) -> None:
        """Open a transaction, bound to the tenant; `alone` waits until no other one writes in it."""
        later = "" if durable else "; SET LOCAL synchronous_commit = off"
        # A row of the tenant's own: an advisory lock could be taken by anybody, and keep the writers of another tenant out.
        turn = "; SELECT 1 FROM meta WHERE key = 'tombstone_key' FOR UPDATE" if alone else ""
        # A question may take its time over what it read, and keeps nobody waiting.
        gone = "" if how == READ else f"; SET LOCAL idle_in_transaction_session_timeout = {SILENT_S * 1000}"
        with told_plainly():
            self._connection.execute(f"BEGIN {how}; {self._begin}{gone}{later}{turn}".encode())
        self._inside = True

    def commit(self) -> None:
        """Close it and keep what was done."""
        with told_plainly():
            self._connection.execute("COMMIT")
        self._inside = False

    def rollback(self) -> None:
        """Close it as if it had not been."""
        import psycopg

        self._inside = False
        with suppress(psycopg.Error):
            self._connection.execute("ROLLBACK")

    def execute(self, statement: str, values: dialect.Values = ()) -> Told:
        """One statement of the store, in the transaction that is open or in one of its own."""
        with self._bound():
            return self._run(statement, values)

    def executemany(self, statement: str, rows: Iterable[dialect.Values]) -> None:
        """One statement for many rows."""
        given = list(rows)
        with self._bound(), told_plainly():
            if given and dialect.special(statement, given[0]) is not None:
                for row in given:
                    self._run(statement, row)
                return
            asked, named = dialect.told(statement)
            self._connection.cursor().executemany(asked.encode(), list(dialect.many(given, named=named)))

    def ask(self, asked: str, values: Sequence[object] | dict[str, object] = ()) -> list[Any]:
        """Something in PostgreSQL's own words, as the store of a team alone needs it."""
        with self._bound(), told_plainly():
            cursor = self._connection.execute(asked.encode(), values)
            return cursor.fetchall() if cursor.description else []

    def know_vectors(self, kind: int) -> None:
        """Read vectors, which have another number of a type in each database, as the bytes they are in a file."""
        self._connection.adapters.register_loader(kind, team_vectors.loader())

    def close(self) -> None:
        """Let the server know that nobody asks any more."""
        self._connection.close()

    @contextmanager
    def _bound(self) -> Iterator[None]:
        if self._inside:
            yield
            return
        self.begin()
        try:
            yield
            self.commit()
        except BaseException:
            self.rollback()
            raise

    def _run(self, statement: str, values: dialect.Values) -> Told:
        special = dialect.special(statement, values)
        if special is None:
            asked, named = dialect.told(statement)
            return self._one(asked, dialect.given(values, named=named))
        told = Told((), 0)
        for asked, some in special:
            told = self._one(asked, some)
        return told

    def _one(self, asked: str, values: Any) -> Told:
        with told_plainly():
            cursor = self._connection.execute(asked.encode(), values, binary="vector" in asked)
            return Told(cursor.fetchall() if cursor.description else (), cursor.rowcount)


def connect(url: str) -> psycopg.Connection[Any]:
    """A connection whose rows are those of the store. Passwords come from `~/.pgpass` or the environment, as for psql."""
    _driver()
    import psycopg

    # Prepared statements belong to a connection, and a pool gives the next transaction another one.
    connection: psycopg.Connection[Any] = psycopg.connect(url, autocommit=True, prepare_threshold=None, connect_timeout=WAITS_S,
                                                          application_name="dream", row_factory=_rows, **link(url))
    connection.adapters.register_loader("numeric", _numbers())
    return connection


def link(url: str) -> dict[str, Any]:
    """How a connection notices that nobody is there any more; what an address itself says of it goes before."""
    return {name: value for name, value in LINK.items() if f"{name}=" not in url}


@cache
def _driver() -> None:
    """Raise ConfigError where the driver is not installed, which comes with an extra."""
    if find_spec("psycopg") is None:
        raise ConfigError("a team's store needs a driver for PostgreSQL", hint="`pip install 'dreamd[team]'`")


def _rows(cursor: Any) -> Any:
    names = {column.name: n for n, column in enumerate(cursor.description or ())}
    kind = type("Row", (Row,), {"__slots__": (), "names": names})
    return lambda values: kind(values)


def _numbers() -> Any:
    """Sums as SQLite gives them: whole where they are whole."""
    from psycopg.adapt import Loader

    class Number(Loader):
        def load(self, data: Any) -> int | float:
            text = bytes(data)
            return float(text) if b"." in text else int(text)

    return Number


@contextmanager
def told_plainly() -> Iterator[None]:
    """Turn what the server says into the error a person can act on; never its own words, for they may be those of a row."""
    _driver()
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise as_told(error) from None
    except UnicodeEncodeError:
        raise DreamError("a text is no valid UTF-8, the team's store does not take it") from None


def as_told(error: psycopg.Error) -> DreamError:
    """The error a person can act on."""
    import psycopg

    state = error.sqlstate or ""
    if state == NO_TENANT:
        return ConfigError("no tenant is bound", hint="set `store.tenant`")
    if state == NO_MEMBER:
        return ConfigError("this role is no member of the tenant", hint="the operator adds it with `dream team users`")
    if state == NO_WRITER:
        return Refused(A_READER, hint=ASK_FOR_MORE)
    if state == NO_CURATOR:
        return Refused("only a curator of the team pins and unpins", hint="ask one of them; `dream team users` names them")
    if state in ("42501", "25006"):
        return DreamError("the database does not let this role do that", hint="`dream team users` shows who may what")
    if state == "3F000" or state in ("42P01", "42703", "42883"):
        return Corrupt("the database has not the shape of a team's store",
                       hint="`dream team init` makes one, and brings an older one up to date")
    if state in ("53100", "53200", "53300"):
        return Outage("the database server has no room left", component="disk" if state == "53100" else "db", code="disk-full"
                      if state == "53100" else "store-busy", hint="nothing is lost; try again once it has")
    if state in ("55P03", "40001", "40P01", "57014"):
        return Outage("the store is busy", component="db", code="store-busy", hint="try again in a moment")
    if isinstance(error, psycopg.OperationalError) or state.startswith(("08", "57P", "25P03")):
        return Outage("the database does not answer", component="db", code="store-busy",
                      hint="nothing is lost; try again once it does")
    return DreamError(f"the store refused: {type(error).__name__} {state}".rstrip(), hint="run `dream check`")
