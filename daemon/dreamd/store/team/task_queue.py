"""The tasks of a team's workers, asked for and looked at: what a worker has to know of them, and what an operator does.

A worker's questions go through the connection of its tenant's store, which binds the tenant first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast  # Any: a connection of the driver

from dreamd.core.errors import Outage
from dreamd.store.connection import Store
from dreamd.store.team import task_shape, waiting
from dreamd.store.team.database import Database, connect, told_plainly
from dreamd.store.team.shape import SCHEMA
from dreamd.store.team.task_shape import EVENTS, JOBS, TASKS, WORKERS

DREAM, NIGHT, REST, HEALTH, LOOK = "dream", "night", "rest", "health", "look"
"""What there is to do: one scope, every scope that waits, the tenant as a whole, a check, and whether any of that is due."""
KEPT_DAYS = 7
"""How long a task that came to its end can still be counted."""


@dataclass(frozen=True)
class Load:
    """What waits and runs for a tenant."""

    tenant: str
    waiting: int
    oldest: datetime | None
    """Since when the oldest task waits."""
    running: int
    failed: int
    """Of the last day; one that left its work to another that waited is among them."""
    a_minute: float
    """Tasks done, over the last ten minutes."""
    workers: int
    """That gave a sign of life within the last minute."""
    drained: bool
    checked_at: datetime | None
    faults: int


@dataclass(frozen=True)
class Tended:
    """When a tenant was looked after, by the server's clock."""

    now: datetime
    night_at: datetime
    checked_at: datetime | None


def base_of(store: Store) -> Database:
    """The connection to the server behind an open store of a team."""
    return cast(Database, store.connection)


def load_tenants(url: str) -> list[str]:
    """The tenants this role belongs to.

    Raises Outage where the tasks are not guarded as they must be.
    """
    with told_plainly():
        connection = connect(url)
        try:
            there = connection.execute("""SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = %s AND c.relname = ANY(%s) AND c.relrowsecurity AND c.relforcerowsecurity
                AND NOT pg_has_role(session_user, c.relowner, 'MEMBER')""", (TASKS, list(task_shape.GUARDS))).fetchone()
            if there is None or there[0] != len(task_shape.GUARDS):
                raise Outage("the database has no tasks for workers, or not behind the border", component="db",
                             code="store-older", hint="the operator runs `dream team init`")
            row = connection.execute(f"SELECT {TASKS}.my_tenants()").fetchone()
        finally:
            connection.close()
    return sorted(row[0]) if row else []


def call_for(base: Database, task: str, scope: str = "", *, wait_s: float = 0, priority: int = 0) -> None:
    """Have a task done for the tenant, or for one scope of it, unless one of that kind waits already."""
    base.ask(f"SELECT {TASKS}.call_for(%s, %s, make_interval(secs => %s), %s)", (task, scope or f"~{task}", wait_s, priority))


def call_for_all(base: Database) -> int:
    """Have every scope dreamt in which something waits, once it is certain what does; says how many those are."""
    base.ask(waiting.FILL)
    rows = base.ask(f"""SELECT count({TASKS}.call_for('{DREAM}', scope, '0 s', 0)::text)
                        FROM (SELECT DISTINCT scope FROM {waiting.TABLE}) each""")
    return int(rows[0][0])


def find_scope(base: Database, lock: str) -> str | None:
    """The scope a task is for, if anything waits in it."""
    rows = base.ask(f"SELECT scope FROM {waiting.TABLE} WHERE lock = %s LIMIT 1", (lock,))
    return str(rows[0][0]) if rows else None


def lock_of(base: Database, task: str) -> str:
    """The lock of a task that is for the tenant as a whole."""
    return str(base.ask(f"SELECT {TASKS}.lock_of(%s)", (f"~{task}",))[0][0])


def count_running(base: Database, task: str) -> int:
    """How many tasks of a kind are being done for the tenant."""
    return int(base.ask(f"""SELECT count(*) FROM {TASKS}.{JOBS} WHERE tenant = tenant() AND task_name = %s
        AND status = 'doing'""", (task,))[0][0])


def is_waiting(base: Database) -> bool:
    """Whether a task of the tenant could be begun, now or as soon as another one of its scope is done."""
    return bool(base.ask(f"""SELECT 1 FROM {TASKS}.{JOBS} j JOIN {TASKS}.tended t ON t.tenant = j.tenant
        WHERE j.tenant = tenant() AND t.drained_at IS NULL AND j.status = 'todo' AND COALESCE(j.scheduled_at, now()) <= now()
        LIMIT 1"""))


def hurry(base: Database) -> None:
    """Let what was put off only for more to come be done at once; what failed before keeps its distance."""
    base.ask(f"UPDATE {TASKS}.{JOBS} SET scheduled_at = NULL WHERE tenant = tenant() AND status = 'todo' AND attempts = 0 "
             "AND scheduled_at IS NOT NULL")


def load_tended(base: Database) -> Tended:
    """When the tenant was looked after last."""
    return Tended(*base.ask(f"SELECT clock_timestamp(), night_at, checked_at FROM {TASKS}.tended WHERE tenant = tenant()")[0])


def note_night(base: Database) -> None:
    """Remember that a night has begun."""
    base.ask(f"UPDATE {TASKS}.tended SET night_at = now() WHERE tenant = tenant()")


def note_check(base: Database, *, faults: int) -> None:
    """Remember what a check found."""
    base.ask(f"UPDATE {TASKS}.tended SET checked_at = now(), faults = %s WHERE tenant = tenant()", (faults,))


def drop_old(base: Database) -> None:
    """Let go of tasks that came to their end a while ago."""
    base.ask(f"""DELETE FROM {TASKS}.{JOBS} j WHERE tenant = tenant() AND status NOT IN ('todo', 'doing') AND NOT EXISTS (
        SELECT 1 FROM {TASKS}.{EVENTS} e WHERE e.job_id = j.id AND e.at > now() - interval '{KEPT_DAYS} days')""")


def load_loads(base: Any) -> dict[str, Load]:
    """What waits and runs, tenant by tenant, as the owner or a member sees it."""
    rows = base.execute(f"""SELECT t.tenant, count(*) FILTER (WHERE j.status = 'todo'), min(e.since) FILTER
          (WHERE j.status = 'todo'), count(*) FILTER (WHERE j.status = 'doing'),
          count(*) FILTER (WHERE j.status = 'failed' AND e.ended > now() - interval '1 day'),
          count(*) FILTER (WHERE j.status = 'succeeded' AND e.ended > now() - interval '10 minutes')::float8 / 10,
          (SELECT count(*) FROM {TASKS}.{WORKERS} w WHERE w.last_heartbeat > now() - interval '1 minute' AND w.role IN (
             SELECT m.role FROM {SCHEMA}.member m WHERE m.tenant = t.tenant)),
          t.drained_at IS NOT NULL, t.checked_at, t.faults
        FROM {TASKS}.tended t LEFT JOIN {TASKS}.{JOBS} j ON j.tenant = t.tenant
        LEFT JOIN LATERAL (SELECT min(at) AS since, max(at) AS ended FROM {TASKS}.{EVENTS} WHERE job_id = j.id
                           AND type <> 'scheduled') e ON TRUE
        GROUP BY t.tenant, t.drained_at, t.checked_at, t.faults ORDER BY t.tenant""")
    return {row[0]: Load(*row) for row in rows.fetchall()}


def drain(base: Any, tenant: str, *, on: bool) -> None:
    """Hand out no more tasks of a tenant, or again."""
    base.execute(f"UPDATE {TASKS}.tended SET drained_at = {'now()' if on else 'NULL'} WHERE tenant = %s", (tenant,))


def count_at_work(base: Any, tenant: str, *, lost_after_s: float) -> tuple[int, int]:
    """How many tasks of a tenant are being done, and how many more whose worker gives no sign of life."""
    row = base.execute(f"""SELECT count(*) FILTER (WHERE alive), count(*) FILTER (WHERE NOT alive) FROM (
        SELECT COALESCE(w.last_heartbeat > now() - make_interval(secs => %s), FALSE) AS alive FROM {TASKS}.{JOBS} j
        LEFT JOIN {TASKS}.{WORKERS} w ON w.id = j.worker_id WHERE j.tenant = %s AND j.status = 'doing') at_work""",
                       (lost_after_s, tenant)).fetchone()
    return int(row[0]), int(row[1])


@contextmanager
def bound(url: str, tenant: str) -> Iterator[Database]:
    """A connection for one tenant, for a moment."""
    base = Database(url, tenant)
    try:
        yield base
    finally:
        base.close()
