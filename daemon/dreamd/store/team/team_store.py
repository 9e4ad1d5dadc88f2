"""A store on a server: what `Store` does with a file, done with a transaction of PostgreSQL.

One writer is at work in a tenant at a time, as in a file: so every number, count and fence of the store holds as it stands.
Readers see one state and wait for nobody.
"""

from __future__ import annotations

import re
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from dreamd.core.errors import DreamError, Outage, Refused
from dreamd.store import schema, seals
from dreamd.store.connection import Fenced, Store
from dreamd.store.derived import rebuild_words
from dreamd.store.presence.holding import fence_of
from dreamd.store.schema import VERSION
from dreamd.store.team import database, shape
from dreamd.store.team.database import Database
from dreamd.store.team.pointer import Place
from dreamd.text.redaction import mask_name


class TeamStore(Store):
    """An open store of a tenant. One connection, one thread."""

    owns_words = True

    def __init__(self, path: Path, base: Database) -> None:
        # The store's functions know no other type of a connection, and these calls are all they make of it.
        super().__init__(path, cast(sqlite3.Connection, base))
        self.base = base
        standing = str(base.ask("SELECT standing()")[0][0])
        self.writes, self.decides = standing != shape.STANDINGS[0], standing == shape.STANDINGS[-1]

    @contextmanager
    def writing(self, *, epoch: int | None = None, durable: bool = True,
                only: frozenset[str] | None = None) -> Iterator[sqlite3.Connection]:  # noqa: ARG002 - a file counts by table
        """One transaction that no other one of the tenant writes beside; see `Store.writing`."""
        if self._depth:
            raise DreamError("a transaction inside a transaction")
        if not self.writes:
            raise Refused(database.A_READER, hint=database.ASK_FOR_MORE)
        self.base.begin(database.WRITE, durable=durable, alone=True)
        self._depth = 1
        try:
            if epoch is not None and epoch != fence_of(self.connection, self.held):
                raise Fenced("another dream took this store over", hint="nothing is lost; run `dream consolidate` again")
            with database.told_plainly():
                yield self.connection
            self.base.commit()
        except BaseException:
            self.base.rollback()
            raise
        finally:
            self._depth = 0

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent view for several reads; joins a transaction that is already open."""
        if self._depth:
            yield self.connection
            return
        self.base.begin(database.READ)
        self._depth = 1
        try:
            yield self.connection
        finally:
            self._depth = 0
            self.base.rollback()

    def one(self, sql: str, *args: object) -> sqlite3.Row | None:
        """The first row of a query, or None."""
        return cast("sqlite3.Row | None", self.base.execute(sql, args).fetchone())

    def all(self, sql: str, *args: object) -> list[sqlite3.Row]:
        """All rows of a query."""
        return self.base.execute(sql, args).fetchall()

    def tuples(self, sql: str, *args: object) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self.base.execute(sql, args).fetchall()

    def others_wrote(self) -> bool:
        """Nobody on a server is kept waiting by who writes there."""
        return False

    def copy_into(self, empty: sqlite3.Connection) -> None:
        """Copy the tenant into an empty database of one machine, its words indexed anew."""
        with self.reading():
            schema.migrate(empty, founding=None)
            for name, table in shape.wanted().items():
                columns = ", ".join(f'"{c.name}"' for c in table.columns)
                marks = ", ".join("?" * len(table.columns))
                rows = self.base.execute(f"SELECT {columns} FROM {name} WHERE TRUE")  # vectors come as bytes only this way
                empty.executemany(f"INSERT OR REPLACE INTO {name} ({columns}) VALUES ({marks})", map(tuple, rows))
        rebuild_words(empty)
        seals.seal_all(empty)

    def leave_log(self) -> None:
        """The server keeps its own."""

    def fold_if_long(self) -> None:
        """The server keeps its own."""

    def checkpoint(self) -> None:
        """The server keeps its own."""

    def close(self) -> None:
        self.base.close()


def open_team(path: Path, place: Place) -> TeamStore:
    """Open the store of a tenant, once it is certain that the role we have cannot look over the border.

    Raises Outage for a server that is away or a store of another version.
    """
    base = Database(place.url, place.tenant, machine=machine_name())
    try:
        verify_role(base)
        check_version(base)
        return TeamStore(path, base)
    except BaseException:
        base.close()
        raise


def machine_name() -> str:
    """What this machine is called; it stands beside all that is said on it in a team's store."""
    return re.sub(r"[^\w.-]+", "-", mask_name(socket.gethostname()))[:100]


def verify_role(base: Database) -> None:
    """Refuse to work as a role that row-level security would not hold.

    Raises DreamError for one that owns something of the store, is a superuser, or may bypass.
    """
    row = base.ask("""SELECT r.rolsuper OR r.rolbypassrls,
          EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s
                  AND pg_has_role(session_user, c.relowner, 'MEMBER')),
          (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s
           AND c.relname = ANY(%s) AND c.relrowsecurity AND c.relforcerowsecurity),
          (SELECT a.atttypid FROM pg_attribute a WHERE a.attrelid = to_regclass('vector') AND a.attname = 'body')
        FROM pg_roles r WHERE r.rolname = session_user""",
                   (shape.SCHEMA, shape.SCHEMA, guarded := list(shape.guarded())))[0]
    if row[0] or row[1]:
        raise DreamError("this role could look over the border of a tenant, refusing to work as it",
                         hint="connect as a role that owns nothing and has no BYPASSRLS; `dream team users add` makes one")
    if row[3] is not None:
        base.know_vectors(row[3])
    if row[2] != len(guarded):
        raise Outage("the database has not the shape of this dream's store", component="db", code="store-older",
                     hint="the operator runs `dream team init`")


def check_version(base: Database) -> None:
    """Raise Outage for a store of another version of dream, DreamError for a tenant that is not there."""
    found = base.ask("SELECT max(number) FROM migration")[0][0]
    if found is None:
        raise Outage("this tenant has no store yet", component="db", code="store-older",
                     hint="the operator runs `dream team init --tenant NAME`")
    if int(found) != VERSION:
        newer = int(found) > VERSION
        raise Outage(f"the team's store has the schema {found}, this dream knows {VERSION}", component="db",
                     code="store-newer" if newer else "store-older",
                     hint="install the newer dream" if newer else "the operator runs `dream team init`")
