"""Many ways to look over the border of a tenant, straight to the server and through a pool that hands connections around."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from test_border import NIGHT, NOON, WORDS, Neighbours, settle_in

from dreamd.core.errors import DreamError
from dreamd.store import memories, observations
from dreamd.store.team import shape, tenancy
from dreamd.store.team.database import Database
from dreamd.store.team.pointer import Place
from dreamd.store.team.team_store import open_team
from dreamd.store.team.tenancy import Member
from household import Said
from team_server import NEEDED, Server

WORD, HERS = "Larkspur", "{hers}"
ATTEMPTS = (
    *(f"SELECT * FROM {table} WHERE tenant = '{HERS}'" for table in (*shape.guarded(),)),
    *(f"SELECT count(*) FROM {table} WHERE tenant <> tenant()" for table in ("memory", "observation", "wording", "vector")),
    *(f"DELETE FROM {table} WHERE tenant = '{HERS}' RETURNING *" for table in ("memory", "observation", "vector", "operation")),
    f"UPDATE memory SET tenant = '{HERS}'", f"UPDATE observation SET text = 'x' WHERE tenant = '{HERS}' RETURNING *",
    f"INSERT INTO wording VALUES ('x', 'y', '{HERS}')", f"INSERT INTO seal VALUES ('memory', 0, '{HERS}')",
    f"INSERT INTO vector (wording, model, body, tenant) SELECT '{'a' * 64}', 'm', as_vector('[1]'), '{HERS}'",
    "SELECT * FROM memory WHERE id = '{id}'", "SELECT * FROM support WHERE memory = '{id}'",
    "SELECT * FROM operation WHERE memory = '{id}'", "INSERT INTO support VALUES ('{id}', 1)",
    "INSERT INTO recall VALUES ('{id}', 1, 'x')", "SELECT * FROM vector WHERE wording = '{sha}'",
    "SELECT * FROM wording WHERE sha = '{sha}'", "SELECT * FROM memory_words WHERE word = 'larkspur'",
    "SELECT wording FROM vector ORDER BY far(body, (SELECT body FROM vector LIMIT 1)) LIMIT 5",
    "SELECT * FROM memory WHERE scope = 'project:../{hers}'", "SELECT * FROM member", "SELECT * FROM tenant",
    "SELECT set_config('dream.tenant', '{hers}', true); SELECT * FROM memory",
    "SELECT set_config('dream.tenant', '../{hers}', true); SELECT * FROM memory",
    "SET LOCAL dream.tenant = '{hers}'; SELECT text FROM wording", "SET LOCAL row_security = off; SELECT * FROM wording",
    "SET ROLE ann", "SET SESSION AUTHORIZATION ann", "SET ROLE owner", "SET ROLE postgres", "ALTER ROLE bert SUPERUSER",
    "CREATE FUNCTION pg_temp.spy(text) RETURNS boolean COST 0.0001 LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$; SELECT count(*) FROM wording WHERE pg_temp.spy(text)",
    "CREATE TEMP VIEW mine AS SELECT * FROM dream.wording; SELECT * FROM mine",
    "CREATE TEMP TABLE member (role text, tenant text); INSERT INTO member VALUES ('bert', '{hers}'); "
    "SET LOCAL dream.tenant = '{hers}'; SELECT * FROM wording",
    "PREPARE one AS SELECT * FROM wording; EXECUTE one", "DECLARE one CURSOR FOR SELECT * FROM wording; FETCH ALL FROM one",
    "EXPLAIN (ANALYZE, VERBOSE, TIMING OFF) SELECT * FROM wording", "EXPLAIN (VERBOSE) SELECT * FROM memory WHERE scope = 'x'",
    "SELECT * FROM pg_stats WHERE schemaname = 'dream'", "SELECT * FROM pg_statistic", "COPY wording TO PROGRAM 'cat'",
    "COPY (SELECT * FROM wording) TO '/tmp/x'", "SELECT query FROM pg_stat_activity WHERE usename = 'ann'",
    "SELECT pg_read_file('base')", "SELECT lo_import('/etc/passwd')", "LISTEN x; SELECT * FROM wording",
    "SELECT standing(), tenant(), * FROM wording", "SELECT (SELECT text FROM wording WHERE sha = '{sha}')::int",
    "INSERT INTO wording VALUES ('{sha}', 'z')", "MERGE INTO wording w USING (SELECT 1) s ON w.tenant = '{hers}' "
    "WHEN MATCHED THEN DELETE", "TRUNCATE wording", "DROP TABLE wording CASCADE", "LOCK TABLE wording IN EXCLUSIVE MODE",
    "ALTER TABLE wording DISABLE TRIGGER ALL", "SELECT nextval('x')", "ALTER FUNCTION tenant() OWNER TO bert",
    "CREATE OR REPLACE FUNCTION far(a text, b text) RETURNS float8 LANGUAGE sql AS 'SELECT 1'",
    "CREATE VIEW dream.mine AS SELECT * FROM wording", "CREATE RULE spy AS ON INSERT TO wording DO ALSO SELECT * FROM wording",
    "CREATE FUNCTION pg_temp.tenant() RETURNS text LANGUAGE sql AS $$ SELECT '{hers}' $$; "
    "SET LOCAL search_path = pg_temp, dream; SELECT * FROM wording",
    "SET LOCAL session_replication_role = replica; INSERT INTO wording VALUES ('x', 'y', '{hers}')",
    "SELECT * FROM dream_work.procrastinate_jobs WHERE args::text LIKE '%{hers}%' OR queue_name = '{hers}'",
    "SELECT dream_work.hand_back(j, '0 s', false) FROM generate_series(1, 500) AS j",
    "SELECT (dream_work.take_task(ARRAY['{hers}'], NULL)).*", "SELECT * FROM dream_work.lost_tasks(0)",
    "SELECT dream_work.my_tenants(), dream_work.colleagues()", "SELECT setval('dream_work.procrastinate_jobs_id_seq', 1)",
    "UPDATE dream_work.tended SET drained_at = now() RETURNING tenant", "SELECT * FROM dream_work.procrastinate_events",
    "INSERT INTO dream_work.procrastinate_jobs (queue_name, task_name, args) VALUES ('{hers}', 'dream', "
    "jsonb_build_object('tenant', '{hers}'))", "SELECT 1 / count(*) FROM wording WHERE tenant = '{hers}'",
    "SELECT * FROM wording WHERE text::int > 0", "SELECT query_to_xml('SELECT * FROM dream.wording', true, true, '')",
    "SELECT table_to_xml('dream.wording', true, true, '')", "SELECT schema_to_xml('dream', true, true, '')",
    "SELECT * FROM pg_indexes WHERE schemaname LIKE 'dream%'", "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint",
    "SELECT tgname, pg_get_triggerdef(oid), tgargs FROM pg_trigger", "SELECT * FROM pg_policies", "SELECT * FROM pg_locks",
    "SELECT description FROM pg_description d JOIN pg_class c ON c.oid = d.objoid AND c.relnamespace = 'dream'::regnamespace",
    "SELECT * FROM pg_prepared_statements", "SELECT * FROM pg_prepared_xacts", "SELECT * FROM pg_cursors",
    "SELECT * FROM pg_stat_statements", "SELECT * FROM pg_seclabels", "SELECT * FROM pg_largeobject_metadata",
    "SELECT * FROM pg_stat_all_tables WHERE schemaname = 'dream'", "SELECT * FROM pg_stat_progress_vacuum",
    "SELECT pg_logical_emit_message(true, 'x', 'y'), pg_create_logical_replication_slot('x', 'test_decoding')",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ann'", "SELECT lo_get(0)",
    "CREATE TEMP TABLE meta AS SELECT 'tombstone_key' AS key, '' AS value; SELECT dream_work.lock_of('project:../{hers}')",
    "SELECT dream_work.call_for('dream', '../{hers}', '0 s', 0); SELECT * FROM dream_work.procrastinate_jobs",
    "INSERT INTO dream_work.procrastinate_jobs (queue_name, task_name, args) VALUES ('{hers}', "
    "'builtin:procrastinate.builtin.remove_old_jobs', jsonb_build_object('tenant', '{his}', 'max_hours', 0)) RETURNING tenant",
    "CREATE SUBSCRIPTION s CONNECTION 'host=/tmp' PUBLICATION p", "CREATE PUBLICATION p FOR ALL TABLES",
    "CREATE EXTENSION dblink", "CREATE EXTENSION postgres_fdw", "CREATE SCHEMA mine", "CREATE EVENT TRIGGER t ON sql_drop "
    "EXECUTE FUNCTION dream.count_in_seal()", "ALTER DEFAULT PRIVILEGES FOR ROLE owner GRANT SELECT ON TABLES TO bert",
    "GRANT owner TO bert", "GRANT SELECT ON wording TO bert", "REASSIGN OWNED BY owner TO bert", "ALTER SYSTEM SET "
    "row_security = off", "ALTER ROLE bert SET row_security = off; SELECT * FROM wording", "VACUUM wording", "CLUSTER wording",
    "CREATE STATISTICS s ON tenant, sha FROM wording", "SECURITY LABEL ON TABLE wording IS 'x'",
    "COMMENT ON TABLE wording IS 'x'",
    "SELECT ts_stat('SELECT to_tsvector(text) FROM dream.wording')", "SELECT pg_get_viewdef(c.oid) FROM pg_class c "
    "WHERE relkind = 'v' AND relnamespace = 'dream'::regnamespace",
)


@contextmanager
def pool(server: Server) -> Iterator[Server]:
    """A PgBouncer in transaction mode before a server, two connections for each role."""
    program = shutil.which("pgbouncer", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if program is None:
        why = "no PgBouncer on this machine (`apt install pgbouncer`)"
        if os.environ.get(NEEDED):
            pytest.fail(why)
        pytest.skip(why)
    place = server.socket / "pool"
    place.mkdir()
    (place / "users").write_text("".join(f'"{role}" ""\n' for role in ("ann", "bert", "owner", "postgres")))
    (place / "ini").write_text(f"""[databases]
team = host={server.socket} dbname=team
[pgbouncer]
unix_socket_dir = {place}
listen_port = 6432
auth_type = trust
auth_file = {place}/users
pool_mode = transaction
default_pool_size = 2
logfile = {place}/log
{'user = nobody' if os.geteuid() == 0 else ''}
""")
    if os.geteuid() == 0:
        shutil.chown(place, "nobody")
    process = subprocess.Popen([program, "-q", str(place / "ini")], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            if (place / ".s.PGSQL.6432").exists():
                break
            time.sleep(0.05)
        yield replace(server, socket=Path(f"{place}&port=6432"))
    finally:
        process.terminate()
        process.wait(10)
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(scope="module", params=["straight", "pooled"])
def way(request: pytest.FixtureRequest, server: Server) -> Iterator[Server]:
    """The server itself, and the same through a pool."""
    if request.param == "straight":
        yield server
        return
    with pool(server) as pooled:
        yield pooled


@pytest.fixture(scope="module")
def neighbours(tmp_path_factory: pytest.TempPathFactory, way: Server, server: Server) -> Neighbours:
    """Two homes whose way to the server is this one."""
    return settle_in(tmp_path_factory.mktemp("cross"), server, way)


def _tries(session: psycopg.Connection[Any], attempt: str) -> str:
    """What an attempt told, an error included."""
    told: list[str] = []
    session.add_notice_handler(lambda notice: told.append(str(notice.message_primary)))
    with suppress(psycopg.Error), session.transaction(force_rollback=True):
        session.execute("SET LOCAL search_path = dream, pg_temp")
        try:
            cursor = session.execute(attempt.encode())
            while True:
                told.append(repr(cursor.fetchall()) if cursor.description else f"{cursor.rowcount}")
                if not cursor.nextset():
                    break
        except psycopg.Error as error:
            told.append(f"{error} {error.diag.message_detail}")
            raise
    return " ".join(told)


def test_no_attempt_to_cross_tells_or_changes_anything_of_another_tenant(way: Server, neighbours: Neighbours) -> None:
    ann, hers, his = neighbours.ann, neighbours.hers, neighbours.his
    one = next(m for m in ann.memories() if WORD in m.text)
    before = ann.memories(), ann.faults(NIGHT)
    sha = ann.rows("SELECT wording FROM memory WHERE id = ?", one.id)[0][0]
    assert len(ATTEMPTS) >= 50
    with psycopg.connect(way.url("bert"), autocommit=True, prepare_threshold=None) as session:
        for attempt in ATTEMPTS:
            asked = attempt.replace("{hers}", hers).replace("{id}", one.id).replace("{sha}", str(sha)).replace("{his}", his)
            told = _tries(session, f"SET LOCAL dream.tenant = '{his}'; {asked}")
            for secret in (WORD, "blue key", hers):
                assert secret not in told.replace(f"'{hers}'", "").replace(asked, ""), (attempt, told)
            if asked not in told:
                assert one.id not in told, (attempt, told)
    assert (ann.memories(), ann.faults(NIGHT)) == before


def test_a_connection_that_was_left_bound_to_a_tenant_lets_nobody_else_in(way: Server, neighbours: Neighbours) -> None:
    ann, bert, hers, his = neighbours
    for role, bound in (("bert", hers), ("ann", hers)):
        with psycopg.connect(way.url(role), autocommit=True, prepare_threshold=None) as session:
            session.execute("SELECT set_config('dream.tenant', %s, false)", (bound,))
    base = Database(way.url("bert"), his)
    try:
        assert base.execute("SELECT COUNT(*) FROM memory WHERE tenant = ?", (hers,)).fetchone()[0] == 0
        assert base.ask("SELECT tenant()")[0][0] == his
    finally:
        base.close()
    with psycopg.connect(way.url("bert"), prepare_threshold=None) as session, pytest.raises(psycopg.Error) as failure:
        session.execute("SELECT * FROM dream.memory")
    assert WORD not in str(failure.value)
    assert len(ann.memories()) == 2 and bert.faults(NIGHT) == []


def test_forged_ids_and_names_find_nothing_by_the_stores_own_functions(way: Server, neighbours: Neighbours,
                                                                       tmp_path: Path) -> None:
    ann, bert, hers, _ = neighbours
    with bert.kit(NIGHT) as kit:
        for one in ann.memories():
            with pytest.raises(DreamError):
                memories.load_memory(kit.store, one.id)
        assert memories.load_some(kit.store, [one.id for one in ann.memories()]) == {}
        seen = [m.id for m in ann.memories()]
        assert observations.load_by_ids(kit.store, [o for m in ann.memories() for o in m.observations]) == []
    with pytest.raises(DreamError, match="no member"):
        open_team(tmp_path / "dream.db", Place(way.url("bert"), hers))
    assert [m.id for m in ann.memories()] == seen


def test_copying_brings_only_what_a_select_would(way: Server, neighbours: Neighbours) -> None:
    hers, his = neighbours.hers, neighbours.his
    with psycopg.connect(way.url("bert"), prepare_threshold=None) as session:
        session.execute("SELECT set_config('dream.tenant', %s, true), set_config('search_path', 'dream', true)", (his,))
        for asked in ("COPY wording TO STDOUT", "COPY memory TO STDOUT", "COPY (SELECT * FROM observation) TO STDOUT"):
            with session.cursor().copy(asked.encode()) as copy:
                told = b"".join(bytes(part) for part in copy)
            assert WORD.encode() not in told and hers.encode() not in told
        with pytest.raises(psycopg.Error) as failure, session.cursor().copy("COPY wording FROM STDIN") as copy:
            copy.write(f"x\ty\t{hers}\n")
        assert WORD not in str(failure.value)


def test_a_statement_that_was_prepared_in_one_tenant_gives_the_rows_of_the_one_that_is_bound(
        way: Server, server: Server, neighbours: Neighbours) -> None:
    hers, his = neighbours.hers, neighbours.his
    for tenant in (hers, his):
        tenancy.add_member(server.url("owner"), Member("bert", tenant))
    try:
        with psycopg.connect(way.url("bert"), prepare_threshold=None) as session:
            session.execute("SELECT set_config('dream.tenant', %s, true)", (hers,))
            session.execute("PREPARE spy AS SELECT tenant FROM dream.wording")
            for tenant in (hers, his, hers, his):
                session.execute("SELECT set_config('dream.tenant', %s, true)", (tenant,))
                assert {row[0] for row in session.execute("EXECUTE spy").fetchall()} <= {tenant}
            tenancy.drop_member(server.url("owner"), "bert", hers)
            session.execute("SELECT set_config('dream.tenant', %s, true)", (hers,))
            with pytest.raises(psycopg.Error) as failure:
                session.execute("EXECUTE spy")
            assert WORD not in str(failure.value)
    finally:
        tenancy.drop_member(server.url("owner"), "bert", hers)


def test_nobody_hears_of_the_tasks_of_another_tenant(server: Server, neighbours: Neighbours) -> None:
    ann, _, hers, _ = neighbours
    heard: list[object] = []
    with psycopg.connect(server.url("bert"), autocommit=True) as session:
        for channel in ("procrastinate_any_queue", f"procrastinate_queue#{hers}"):
            for name in (channel, channel.replace("queue", "queue_v1", 1)):
                session.execute(f'LISTEN "{name}"'.encode())
        ann.say(NOON, Said("The night watch of Larkspur begins at ten", conversation="b"))
        ann.dream(NIGHT)
        heard += session.notifies(timeout=0.3)
    assert heard == []


def test_nobody_takes_the_sign_of_life_of_a_worker_that_serves_others_too(way: Server, server: Server,
                                                                          neighbours: Neighbours) -> None:
    for tenant in neighbours[2:]:
        tenancy.add_member(server.url("owner"), Member("worker", tenant))
    server.ask("DELETE FROM dream_work.procrastinate_workers")  # those whom other tests killed
    signs = "SELECT id, role, last_heartbeat FROM dream_work.procrastinate_workers ORDER BY id"
    sign = "INSERT INTO dream_work.procrastinate_workers (last_heartbeat, role) VALUES (now() - %s::interval, {}) RETURNING id"
    with psycopg.connect(server.url("worker"), autocommit=True) as session:
        own, silent = (session.execute(sign.format("session_user").encode(), (since,)).fetchall()[0][0]
                       for since in ("-1 hour", "1 minute"))  # however slow this machine is, one is alive
    before = server.ask(signs)
    with psycopg.connect(way.url("bert"), autocommit=True, prepare_threshold=None) as session:
        seen = session.execute("SELECT 1 FROM dream_work.procrastinate_workers WHERE id = %s", (own,)).fetchall()
        assert seen == [(1,)]
        for attempt in ("DELETE FROM dream_work.procrastinate_workers WHERE last_heartbeat > now() - interval '1 s' * 30",
                        "UPDATE dream_work.procrastinate_workers SET last_heartbeat = 'epoch'",
                        "UPDATE dream_work.procrastinate_workers SET role = 'bert'",
                        "INSERT INTO dream_work.procrastinate_workers (last_heartbeat, role) VALUES (now(), 'worker')",
                        f"SELECT dream_work.procrastinate_unregister_worker_v1({own})"):
            with suppress(psycopg.Error):
                session.execute(attempt.encode())
            assert server.ask(signs) == before, attempt
        session.execute("SELECT dream_work.procrastinate_prune_stalled_workers_v1(30)")
    assert [row[0] for row in server.ask(signs)] == [row[0] for row in before if row[0] != silent]
    server.ask("DELETE FROM dream_work.procrastinate_workers")


def test_nobody_keeps_the_writers_of_another_tenant_waiting(way: Server, neighbours: Neighbours) -> None:
    ann, _, hers, his = neighbours
    with psycopg.connect(way.url("bert"), prepare_threshold=None) as session:
        session.execute("SELECT set_config('dream.tenant', %s, true), set_config('search_path', 'dream', true)", (his,))
        for word in (f"dream {hers}", hers, "dream", f"dream {his}"):
            session.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (word,))
        session.execute("SELECT 1 FROM meta FOR UPDATE")
        began = time.monotonic()
        assert ann.say(NOON, Said("The gate of Larkspur is painted every second year", conversation="c"))[0].status == "stored"
        assert time.monotonic() - began < 8
        session.rollback()


def test_two_tenants_with_the_same_words_live_on_beside_each_other(neighbours: Neighbours) -> None:
    ann, bert = neighbours.ann, neighbours.bert
    before = ann.memories()
    bert.say(NOON, Said(WORDS, conversation="a", key="k1"))
    bert.dream(NIGHT)
    assert [m.support for m in bert.memories()] == [1]
    bert.forget(NIGHT, "vault")
    assert bert.memories() == [] and ann.memories() == before
    assert ann.faults(NIGHT) == bert.faults(NIGHT) == []


def test_explain_guesses_nothing_of_what_others_often_say(server: Server) -> None:
    hers, his = server.tenant("cleo"), server.tenant("dirk")
    with psycopg.connect(server.url("cleo")) as session:
        session.execute("SELECT set_config('dream.tenant', %s, true), set_config('search_path', 'dream', true)", (hers,))
        session.execute("""INSERT INTO memory_words (memory, word, places)
            SELECT n, 'zanzibar', '{1}' FROM generate_series(1, 2000) n""")
        session.execute("""INSERT INTO observation (seq, id, text, origin, at, scope, conversation, stored_at)
            SELECT n, n::text, 'x', 'user', 'x', 'project:zanzibar', 'zanzibar', 'x' FROM generate_series(1, 2000) n""")
    with psycopg.connect(server.url("owner"), autocommit=True) as session:
        session.execute("ANALYZE dream.memory_words, dream.observation, dream.waiting")
    with psycopg.connect(server.url("dirk")) as session:
        session.execute("SELECT set_config('dream.tenant', %s, true), set_config('search_path', 'dream', true)", (his,))
        for table, column, said in (("memory_words", "word", "zanzibar"), ("observation", "scope", "project:zanzibar"),
                                    ("observation", "conversation", "zanzibar"), ("observation", "text", "x"),
                                    ("waiting", "scope", "project:zanzibar")):
            guesses = [session.execute(f"EXPLAIN (FORMAT JSON) SELECT * FROM {table} WHERE {column} = '{word}'".encode())
                       .fetchall()[0][0][0]["Plan"]["Plan Rows"] for word in (said, "never said")]
            assert guesses[0] == guesses[1], column
