"""What waits in a team's store, in a table of its own: whoever dreams one scope must not look through all that was ever said.

The server keeps it right by itself: a row comes with an observation and goes with its fate. Each night it is made whole again
from the observations that have no fate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dreamd.store.team.database import Database

TABLE = "waiting"
LOCK = "dream_work.lock_of"
"""Gives the lock of the task that dreams a scope."""
FILL = f"""INSERT INTO {TABLE} (observation, scope, lock) SELECT o.seq, o.scope, {LOCK}(o.scope) FROM observation o
    WHERE NOT EXISTS (SELECT 1 FROM fate f WHERE f.observation = o.seq) ON CONFLICT DO NOTHING"""
"""Makes the table of a tenant whole."""
_TRIGGERS = {
    ("observation", "INSERT", "NEW TABLE AS fresh"): f"""INSERT INTO {TABLE} (tenant, observation, scope, lock)
        SELECT f.tenant, f.seq, f.scope, l.lock FROM fresh f
        JOIN (SELECT scope, {LOCK}(scope) AS lock FROM (SELECT DISTINCT scope FROM fresh) s) l ON l.scope = f.scope
        ON CONFLICT DO NOTHING""",
    ("observation", "UPDATE", "NEW TABLE AS fresh"): f"""UPDATE {TABLE} w SET scope = f.scope, lock = {LOCK}(f.scope)
        FROM fresh f WHERE w.tenant = f.tenant AND w.observation = f.seq AND w.scope <> f.scope""",
    ("fate", "INSERT", "NEW TABLE AS fresh"): f"""DELETE FROM {TABLE} w USING fresh f
        WHERE w.tenant = f.tenant AND w.observation = f.observation""",
    ("fate", "DELETE", "OLD TABLE AS gone"): f"""INSERT INTO {TABLE} (tenant, observation, scope, lock)
        SELECT o.tenant, o.seq, o.scope, {LOCK}(o.scope) FROM gone g
        JOIN observation o ON o.tenant = g.tenant AND o.seq = g.observation ON CONFLICT DO NOTHING""",
}


def create(schema: str) -> Iterator[str]:
    """The table and what keeps it."""
    yield f"""CREATE TABLE IF NOT EXISTS {TABLE} (observation bigint NOT NULL, scope text NOT NULL, lock text NOT NULL,
        tenant text NOT NULL DEFAULT tenant() REFERENCES tenant (name) ON DELETE CASCADE, PRIMARY KEY (tenant, observation),
        FOREIGN KEY (tenant, observation) REFERENCES observation (tenant, seq) ON DELETE CASCADE)"""
    yield f"CREATE INDEX IF NOT EXISTS waiting_lock ON {TABLE} (tenant, lock)"
    for (table, event, rows), act in _TRIGGERS.items():
        name = f"waits_{table}_{event.lower()}"
        yield f"""CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SET search_path = {schema}, pg_temp
            AS $$ BEGIN {act}; RETURN NULL; END $$"""
        yield f"""CREATE OR REPLACE TRIGGER {name} AFTER {event} ON {table} REFERENCING {rows}
            FOR EACH STATEMENT EXECUTE FUNCTION {name}()"""


def find(base: Database, scope: str) -> list[int]:
    """The numbers of what waits, in one scope or, without one, in all."""
    where, args = (f"WHERE lock = {LOCK}(%s) AND scope = %s", (scope, scope)) if scope else ("", ())
    return [int(row[0]) for row in base.ask(f"SELECT observation FROM {TABLE} {where} ORDER BY observation", args)]
