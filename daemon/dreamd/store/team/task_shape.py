"""Where the tasks of a team's workers stand: the tables of procrastinate in a schema of their own, behind the same border.

The library's own SQL makes them; what is added lets nobody see or touch a task of a tenant that is not theirs. A lock is a
hash with the tenant's own key, so that no name of a scope stands in a task and nobody can guess another tenant's lock. The
library's notices are dropped: every role of a database may listen to them. A worker looks every few seconds instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any  # a connection of the driver

from dreamd.core.errors import ConfigError
from dreamd.store.team.shape import SCHEMA, fixed_paths, uncounted

TASKS = "dream_work"
JOBS, EVENTS, WORKERS, TICKS = (f"procrastinate_{name}" for name in ("jobs", "events", "workers", "periodic_defers"))
MINE = "tenant = ANY ((SELECT my_tenants())::text[])"
SILENT_S = 2
"""The least that a setting may say after which a worker is lost."""
GUARDS = {
    JOBS: f"{MINE} AND queue_name = tenant",
    EVENTS: f"EXISTS (SELECT 1 FROM {JOBS} j WHERE j.id = job_id)",
    TICKS: MINE.replace("tenant =", "periodic_id =", 1),
    WORKERS: "role = ANY ((SELECT colleagues())::text[])",
    "tended": MINE,
}


def create(base: Any, tenants: Sequence[str], *, dream_after_s: int | None = None) -> None:
    """Make the schema of the tasks in the transaction of the owner, or bring it up to date."""
    base.execute(f"CREATE SCHEMA IF NOT EXISTS {TASKS}; SET LOCAL search_path = {TASKS}, pg_temp; "
                 "CREATE TABLE IF NOT EXISTS receipt (name text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())")
    known = {str(row[0]) for row in base.execute("SELECT name FROM receipt").fetchall()}
    folder = _library_sql()
    steps = sorted(p.name for p in (folder / "migrations").glob("*.sql"))
    if missing := [step for step in steps if step not in known]:
        for path in [folder / "migrations" / step for step in missing] if known else [folder / "schema.sql"]:
            base.execute(path.read_text(encoding="utf-8").encode())
        base.execute("INSERT INTO receipt (name) SELECT unnest(%s::text[])", (missing,))
    # The library's functions name its tables without their schema, and are called from wherever a row is changed.
    guards = (s for name, rule in GUARDS.items() for s in _guard(name, rule))
    for statement in (*_ground(), *_asking(), *_working(), fixed_paths(TASKS), *guards):
        base.execute(statement)
    for tenant in tenants:
        base.execute("INSERT INTO tended (tenant) VALUES (%s) ON CONFLICT DO NOTHING", (tenant,))
        if dream_after_s is not None:
            base.execute("UPDATE tended SET dream_after_s = %s WHERE tenant = %s", (dream_after_s, tenant))
    base.execute(f"SET LOCAL search_path = {SCHEMA}, pg_temp")


def open_to(base: Any, role: str) -> Iterator[str]:
    """What a role may do that hands out or takes tasks: rows, and nothing of their shape."""
    yield f"GRANT USAGE ON SCHEMA {TASKS} TO {role}"
    yield f"REVOKE ALL ON ALL TABLES IN SCHEMA {TASKS} FROM {role}"
    for name in (JOBS, EVENTS, WORKERS, TICKS):
        # Not the number of a row: whoever chose their own could take the next ones, and no other tenant would get a task.
        cells = base.execute("""SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute WHERE attrelid = %s::regclass
            AND attnum > 0 AND NOT attisdropped AND attname <> 'id'""", (f"{TASKS}.{name}",)).fetchone()[0]
        yield f"GRANT SELECT, DELETE, INSERT ({cells}), UPDATE ({cells}) ON {TASKS}.{name} TO {role}"
    yield f"GRANT SELECT, UPDATE (night_at, checked_at, faults) ON {TASKS}.tended TO {role}"
    yield f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {TASKS} TO {role}"


def _library_sql() -> Path:
    """The library's own SQL, without importing it."""
    found = find_spec("procrastinate")
    if found is None or not found.origin:
        raise ConfigError("a team's store needs procrastinate", hint="`pip install 'dreamd[team]'`")
    return Path(found.origin).parent / "sql"


def _ground() -> Iterator[str]:
    yield f"ALTER TABLE {JOBS} ADD COLUMN IF NOT EXISTS tenant text GENERATED ALWAYS AS (args->>'tenant') STORED"
    yield f"ALTER TABLE {WORKERS} ADD COLUMN IF NOT EXISTS role text NOT NULL DEFAULT session_user"
    for trigger in ("inserted", "aborted"):
        yield f"DROP TRIGGER IF EXISTS procrastinate_jobs_notify_queue_job_{trigger}_v1 ON {JOBS}"
    yield f"""CREATE TABLE IF NOT EXISTS tended (tenant text PRIMARY KEY REFERENCES {SCHEMA}.tenant (name) ON DELETE CASCADE,
        dream_after_s int NOT NULL DEFAULT 60, night_at timestamptz NOT NULL DEFAULT now(),
        checked_at timestamptz, faults int NOT NULL DEFAULT 0, drained_at timestamptz)"""
    yield f"""CREATE OR REPLACE FUNCTION my_tenants() RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER
        SET search_path = {SCHEMA}, pg_temp AS $$
        SELECT CASE WHEN EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = '{SCHEMA}'
                                 AND pg_get_userbyid(nspowner) = session_user)
               THEN ARRAY(SELECT name FROM tenant)
               ELSE ARRAY(SELECT m.tenant FROM member m WHERE m.role = session_user AND m.standing <> 'reader') END $$"""
    yield f"""CREATE OR REPLACE FUNCTION colleagues() RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER
        SET search_path = {TASKS}, pg_temp AS $$
        SELECT session_user::text || ARRAY(SELECT m.role FROM {SCHEMA}.member m WHERE m.tenant = ANY (my_tenants())) $$"""


def _asking() -> Iterator[str]:
    """How a task comes about: one waits at most, and whoever adds to what it is for keeps it from being begun too early."""
    yield f"""CREATE OR REPLACE FUNCTION lock_of(scope text) RETURNS text LANGUAGE sql STABLE AS $$
        SELECT left(encode(sha256(convert_to((SELECT value FROM {SCHEMA}.meta WHERE key = 'tombstone_key') || ' ' || scope,
                                             'UTF8')), 'hex'), 32) $$"""
    # The row that waits is locked until the caller's transaction ends: a worker passes it over till then, and whoever takes
    # it sees what was added.
    yield f"""CREATE OR REPLACE FUNCTION call_for(_task text, _scope text, _wait interval, _priority int) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = {TASKS}, pg_temp AS $$
        DECLARE bound text := {SCHEMA}.tenant(); mine text := lock_of(_scope);
        BEGIN
          LOOP
            INSERT INTO {JOBS} (queue_name, task_name, priority, lock, queueing_lock, args, scheduled_at)
              VALUES (bound, _task, _priority, mine, mine, jsonb_build_object('tenant', bound, 'scope', mine), now() + _wait)
              ON CONFLICT (queueing_lock) WHERE status = 'todo' DO NOTHING;
            EXIT WHEN FOUND;
            PERFORM 1 FROM {JOBS} WHERE queueing_lock = mine AND status = 'todo' FOR SHARE;
            EXIT WHEN FOUND;
          END LOOP;
        END $$"""
    yield f"""CREATE OR REPLACE FUNCTION call_for_said() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = {TASKS}, pg_temp AS $$
        DECLARE one text; wait interval;
        BEGIN
          IF current_setting('dream.tasks', true) = 'off' THEN RETURN NULL; END IF;
          FOR one IN SELECT DISTINCT scope FROM fresh ORDER BY scope LOOP
            wait := COALESCE(wait, (SELECT make_interval(secs => t.dream_after_s) FROM tended t
                                    WHERE t.tenant = {SCHEMA}.tenant()), '60 s');
            PERFORM call_for('dream', one, wait, 0);
          END LOOP;
          RETURN NULL;
        END $$"""
    yield f"""CREATE OR REPLACE TRIGGER call_for_said AFTER INSERT ON {SCHEMA}.observation REFERENCING NEW TABLE AS fresh
        FOR EACH STATEMENT EXECUTE FUNCTION call_for_said()"""


def _working() -> Iterator[str]:
    """How a task is taken and handed back."""
    yield f"""CREATE OR REPLACE FUNCTION take_task(_queues text[], _worker bigint) RETURNS {JOBS} LANGUAGE plpgsql AS $$
        DECLARE serving varchar[];
        BEGIN
          -- Held until the task is taken: whoever stops the handing out then sees it as one that runs.
          SELECT array_agg(t.tenant) INTO serving FROM (SELECT tenant FROM tended WHERE drained_at IS NULL
            AND (_queues IS NULL OR tenant = ANY (_queues)) FOR SHARE) t;
          IF serving IS NULL THEN RETURN NULL; END IF;
          RETURN procrastinate_fetch_job_v2(serving, _worker);
        END $$"""
    yield f"""CREATE OR REPLACE FUNCTION lost_tasks(_after double precision) RETURNS TABLE (id bigint, attempts int)
        LANGUAGE sql STABLE AS $$
        SELECT j.id, j.attempts FROM {JOBS} j LEFT JOIN {WORKERS} w ON w.id = j.worker_id
        WHERE j.status = 'doing' AND (w.id IS NULL OR w.last_heartbeat < now() - make_interval(secs => _after)) $$"""
    # Handing one back while another of the same lock waits would break the library's index: then that one does the work.
    yield f"""CREATE OR REPLACE FUNCTION hand_back(_id bigint, _wait interval, _counted boolean) RETURNS text
        LANGUAGE plpgsql AS $$
        DECLARE mine {JOBS}; left_as procrastinate_job_status := CASE WHEN _counted THEN 'failed' ELSE 'aborted' END;
        BEGIN
          SELECT * INTO mine FROM {JOBS} WHERE id = _id AND status = 'doing' FOR UPDATE;
          IF NOT FOUND THEN RETURN 'gone'; END IF;
          UPDATE {JOBS} SET scheduled_at = GREATEST(scheduled_at, now() + _wait),
              attempts = GREATEST(attempts, mine.attempts + _counted::int)
            WHERE queueing_lock = mine.queueing_lock AND status = 'todo';
          IF NOT FOUND THEN
            BEGIN
              PERFORM procrastinate_retry_job_v2(_id, now() + _wait, NULL, NULL, NULL);
              IF NOT _counted THEN UPDATE {JOBS} SET attempts = attempts - 1 WHERE id = _id; END IF;
              RETURN 'again';
            EXCEPTION WHEN unique_violation THEN NULL;
            END;
          END IF;
          PERFORM procrastinate_finish_job_v1(_id, left_as, false);
          RETURN 'left';
        END $$"""


def _guard(name: str, rule: str) -> Iterator[str]:
    yield f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY"
    yield f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY"
    yield uncounted(name)
    for policy in ("own", "own_sign", "own_change", "own_end"):
        yield f"DROP POLICY IF EXISTS {policy} ON {name}"
    if name != WORKERS:
        yield f"CREATE POLICY own ON {name} USING ({rule}) WITH CHECK ({rule})"
        return
    # A worker may serve others too: whoever shares a tenant with it sees it, and takes away its sign of life only where it
    # gives none any more, or the tasks of those others would be taken from it.
    yield f"CREATE POLICY own ON {name} FOR SELECT USING ({rule})"
    yield f"CREATE POLICY own_sign ON {name} FOR INSERT WITH CHECK (role = session_user)"
    yield f"CREATE POLICY own_change ON {name} FOR UPDATE USING (role = session_user) WITH CHECK (role = session_user)"
    yield f"""CREATE POLICY own_end ON {name} FOR DELETE USING (role = session_user
        OR {rule} AND last_heartbeat < now() - interval '{SILENT_S} s')"""

