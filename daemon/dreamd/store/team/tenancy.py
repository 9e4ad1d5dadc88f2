"""What an operator does with a database: give it the shape of a team's store, and say who belongs to which tenant.

Done as the role that owns the schema; nobody works as that one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from dreamd.core.clock import iso
from dreamd.core.errors import ConfigError, DreamError, Outage, UsageError
from dreamd.store import schema
from dreamd.store.team import shape, task_shape, vector_places, waiting
from dreamd.store.team.database import Database, connect, told_plainly
from dreamd.store.team.team_store import TeamStore

ATTEMPTS, PAUSE_S = 300, 0.1
"""How often the owner asks for all tables, and how long it lets the others do their work between two times."""


@dataclass(frozen=True)
class Member:
    """A role of the database that works in a tenant."""

    role: str
    tenant: str
    standing: str = ""
    """`reader`, `member` or `curator`; empty: as it is, and a member where it is new."""


@dataclass(frozen=True)
class Backlog:
    """How a tenant is doing, in numbers."""

    tenant: str
    memories: int
    waiting: int
    oldest: str | None
    """Since when the oldest observation waits."""
    dreams: int
    """Of the last day."""
    failed: int
    """Of these, the ones that did not come to their end."""


@contextmanager
def owning(url: str) -> Iterator[Any]:
    """One transaction as the owner, which finds nothing but the store's; it keeps everybody else's shape-making out."""
    with told_plainly():
        connection = connect(url)
        try:
            with connection.transaction():
                connection.execute(f"SET LOCAL search_path = {shape.SCHEMA}, pg_temp")
                # Anybody could take an advisory lock and keep the operator out; nobody but the owner takes this table.
                there = connection.execute("SELECT 1 WHERE to_regclass('tenant') IS NOT NULL").fetchone()
                connection.execute("LOCK TABLE tenant IN SHARE ROW EXCLUSIVE MODE" if there else
                                   "SELECT pg_advisory_xact_lock(hashtextextended('dream shape', 0))")
                yield connection
        finally:
            connection.close()


def found(url: str, tenants: list[str], *, at: datetime, zone: str, dream_after_s: int | None = None) -> list[str]:
    """Make the shape of a team's store, or bring it up to date, and found tenants; says which are new.

    Raises ConfigError for a database in which words would stand in another order than in a file, or that has no vectors.
    """
    with owning(url) as base:
        facts = base.execute("""SELECT pg_encoding_to_char(encoding), datcollate, current_setting('server_version_num')::int
                                FROM pg_database WHERE datname = current_database()""").fetchone()
        if facts[0] != "UTF8" or facts[1] not in ("C", "POSIX", "C.UTF-8", "C.utf8"):
            raise ConfigError(f"the database has encoding {facts[0]} and collation {facts[1]}",
                              hint="make one with `createdb -T template0 -E UTF8 -l C NAME`")
        if facts[2] < 150000:
            raise ConfigError("the server is older than PostgreSQL 15")
        base.execute(f"CREATE SCHEMA IF NOT EXISTS {shape.SCHEMA}")
        _keep_others_out(base)
        before = _columns(base)
        for statement in shape.create(vector_places.ask_for_vectors(base, shape.SCHEMA)):
            base.execute(statement)
        other = [table for table, columns in _columns(base).items() if before.get(table, columns) != columns]
        fresh = [t for t in tenants if base.execute("INSERT INTO tenant (name) VALUES (%s) ON CONFLICT DO NOTHING",
                                                    (t,)).rowcount]
        every = [str(row[0]) for row in base.execute("SELECT name FROM tenant ORDER BY name").fetchall()]
        for tenant in every:
            _bring_up(base, tenant, at=at, zone=zone, other=other)
        task_shape.create(base, tenants, dream_after_s=dream_after_s)
        for tenant in every:
            base.execute("SELECT set_config('dream.tenant', %s, true)", (tenant,))
            base.execute(waiting.FILL)
        for (role,) in base.execute("SELECT DISTINCT role FROM member").fetchall():
            _open_to(base, role)
    return fresh


def _keep_others_out(base: Any) -> None:
    """Take every table that is there, all at once or none: a worker takes some of them in another order than we would.

    Raises Outage where somebody does not let go of one.
    """
    import psycopg

    every = ", ".join(str(row[0]) for row in base.execute("""SELECT c.oid::regclass FROM pg_class c JOIN pg_namespace n
        ON n.oid = c.relnamespace WHERE n.nspname = ANY(%s) AND c.relkind = 'r'""", ([shape.SCHEMA, task_shape.TASKS],)))
    for _ in range(ATTEMPTS if every else 0):
        try:
            with base.transaction():
                base.execute(f"LOCK TABLE {every} IN ACCESS EXCLUSIVE MODE NOWAIT")
            return
        except psycopg.errors.LockNotAvailable:
            base.execute("SELECT pg_sleep(%s)", (PAUSE_S,))
    if every:
        raise Outage("somebody is at work in the team's store", component="db", code="store-busy",
                     hint="`dream team drain` waits until no task is; nothing was changed")


def _columns(base: Any) -> dict[str, list[tuple[str, int]]]:
    """The tables that are sealed, each with the names and types of its columns."""
    found: dict[str, list[tuple[str, int]]] = {}
    for table, name, kind in base.execute("""SELECT c.relname, a.attname, a.atttypid FROM pg_attribute a
            JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = %s AND c.relname = ANY(%s) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum""",
                                          (shape.SCHEMA, list(shape.wanted()))):
        found.setdefault(table, []).append((name, kind))
    return found


def _bring_up(base: Any, tenant: str, *, at: datetime, zone: str, other: list[str]) -> None:
    """A tenant's own facts and receipts; its rows are sealed anew where they have another shape."""
    base.execute("SELECT set_config('dream.tenant', %s, true), set_config('dream.sealing', 'off', true)", (tenant,))
    known = {row[0] for row in base.execute("SELECT number FROM migration").fetchall()}
    missing = [(number, name) for number, name, _ in schema.MIGRATIONS if number not in known]
    base.execute("""INSERT INTO memory_total (memories, words) SELECT COUNT(*), COALESCE(SUM(words), 0) FROM memory_length
                    ON CONFLICT (tenant) DO UPDATE SET memories = excluded.memories, words = excluded.words""")
    for number, name in missing:
        base.execute("INSERT INTO migration VALUES (%s, %s, %s)", (number, name, iso(at)))
    if not known:
        for key, value in schema.first_facts(schema.Founding(at, zone)).items():
            base.execute("INSERT INTO meta VALUES (%s, %s)", (key, value))
    if known and missing:
        # Whoever of the version before is at work there finds itself overtaken at its next step.
        base.execute("UPDATE meta SET value = (value::bigint + 1)::text WHERE key = 'epoch'")
    for name in shape.wanted() if missing else other:
        base.execute(f"""INSERT INTO seal (name, total) SELECT '{name}', COALESCE(sum(row_hash(t::text)), 0) FROM {name} t
                         ON CONFLICT (tenant, name) DO UPDATE SET total = excluded.total""")


def add_member(url: str, member: Member) -> bool:
    """Let a role of the database into a tenant; one that is not there is made without a password. True for a new role."""
    with owning(url) as base:
        made = base.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (member.role,)).fetchone() is None
        if made:
            base.execute(f"CREATE ROLE {_quoted(member.role)} LOGIN")
        if not base.execute("SELECT 1 FROM tenant WHERE name = %s", (member.tenant,)).fetchone():
            raise UsageError("there is no such tenant", hint="`dream team init --tenant NAME` founds one")
        base.execute("""INSERT INTO member (role, tenant, standing) VALUES (%s, %s, COALESCE(NULLIF(%s, ''), 'member'))
                        ON CONFLICT (role, tenant) DO UPDATE SET standing = COALESCE(NULLIF(%s, ''), member.standing)""",
                     (member.role, member.tenant, member.standing, member.standing))
        _open_to(base, member.role)
    return made


def drop_member(url: str, role: str, tenant: str) -> bool:
    """Let a role no more into a tenant; True where it was."""
    with owning(url) as base:
        gone = base.execute(f"DELETE FROM {shape.SCHEMA}.member WHERE role = %s AND tenant = %s", (role, tenant)).rowcount
        return bool(gone)


@contextmanager
def open_owned(path: Path, url: str, tenant: str) -> Iterator[TeamStore]:
    """The store of a tenant for its operator, or for a member.

    Raises DreamError for a superuser, whom no border holds: what was meant for one tenant would reach every other.
    """
    base = Database(url, tenant)
    try:
        over, vectors = base.ask("""SELECT r.rolsuper OR r.rolbypassrls, (SELECT a.atttypid FROM pg_attribute a
            WHERE a.attrelid = to_regclass('vector') AND a.attname = 'body')
            FROM pg_roles r WHERE r.rolname = session_user""")[0]
        if over:
            raise DreamError("a superuser looks over the border of a tenant, refusing to work as it",
                             hint="connect as the role that owns the store")
        base.know_vectors(vectors)
        yield TeamStore(path, base)
    finally:
        base.close()


@dataclass(frozen=True)
class Machine:
    """A machine that holds a copy of a tenant's memory."""

    member: str
    name: str
    at: str
    """When it last brought the copy up to date."""
    behind: bool
    """Whether something was forgotten that its copy may still have."""


def load_machines(base: Database) -> list[Machine]:
    """The machines that hold a copy of a tenant, the one that looked last at the end."""
    rows = base.ask(f"""SELECT member, name, at, graves < (SELECT COUNT(*) FROM tombstone) FROM {shape.MACHINES}
                        ORDER BY at, member, name""")
    return [Machine(str(member), str(name), str(at), bool(behind)) for member, name, at, behind in rows]


def drop_machines(url: str, tenant: str, member: str) -> None:
    """Expect no machine of a member any more."""
    with owning(url) as base:
        base.execute("SELECT set_config('dream.tenant', %s, true)", (tenant,))
        base.execute(f"DELETE FROM {shape.SCHEMA}.{shape.MACHINES} WHERE member = %s AND tenant = %s", (member, tenant))


def list_members(url: str) -> list[Member]:
    """Who belongs where."""
    with owning(url) as base:
        return [Member(*row) for row in base.execute(f"SELECT role, tenant, standing FROM {shape.SCHEMA}.member ORDER BY 2, 1")]


def load_backlogs(url: str, *, since: datetime) -> list[Backlog]:
    """How every tenant is doing."""
    with owning(url) as base:
        found = []
        for (tenant,) in base.execute("SELECT name FROM tenant ORDER BY name").fetchall():
            base.execute("SELECT set_config('dream.tenant', %s, true)", (tenant,))
            found.append(Backlog(tenant, *base.execute("""SELECT
                (SELECT COUNT(*) FROM memory WHERE status IN ('live', 'held', 'stale')), COUNT(*), MIN(o.stored_at),
                (SELECT COUNT(*) FROM run WHERE kind = 'dream' AND started_at >= %s),
                (SELECT COUNT(*) FROM run WHERE kind = 'dream' AND started_at >= %s AND outcome IN
                  ('failed', 'outage', 'interrupted'))
              FROM waiting w JOIN observation o ON o.seq = w.observation""",
                                                       (iso(since), iso(since))).fetchone()))
        return found


def _open_to(base: Any, role: str) -> None:
    for statement in (*shape.open_to(_quoted(role)), *task_shape.open_to(base, _quoted(role))):
        base.execute(statement)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

