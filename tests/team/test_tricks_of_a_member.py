"""What a member could try with SQL of their own beside looking over the border: to be more than they are, or in others' way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from dreamd.core.errors import DreamError
from dreamd.store.team import shape, tenancy
from dreamd.store.team.pointer import point
from dreamd.store.team.tenancy import Member
from household import House, Said
from team_hands import hand, work_off
from team_server import Server

NOON, NIGHT = "2026-01-06T12:00:00Z", "2026-01-06T20:00:00Z"
SAY = """INSERT INTO observation (id, text, origin, at, scope, stored_at)
         VALUES (%s, 'The gate is open', 'user', '2026-01-06T12:00:00Z', 'project:cedar', '2026-01-06T12:00:00Z')"""


class Street:
    """Two tenants: in the first one there is a member who is no curator, in the second one somebody has said a lot."""

    def __init__(self, root: Path, server: Server) -> None:
        self.server = server
        (self.kim, self.hers), (self.lou, self.his) = _home(root, server, "kim"), _home(root, server, "lou")
        tenancy.add_member(server.url("owner"), Member("kid", self.hers, "member"))
        self.kim.say(NOON, "The vault of Larkspur opens at nine")
        self.kim.dream(NIGHT)
        self.lou.say(NOON, *(Said(f"Gate {n} of Quince is painted in colour {n}7", conversation=f"c{n}") for n in range(12)))
        self.lou.dream(NIGHT)

    @contextmanager
    def kid(self, *, role: str = "kid", isolation: str = "read committed") -> Iterator[psycopg.Connection[Any]]:
        """A session of SQL, in the first tenant, with tables of its own before the team's."""
        with psycopg.connect(self.server.url(role), autocommit=True) as session:
            session.execute("""SELECT set_config('dream.tenant', %s, false),
                set_config('search_path', 'dream, dream_work', false),
                set_config('default_transaction_isolation', %s, false)""", (self.hers, isolation))
            yield session


def _home(root: Path, server: Server, role: str) -> tuple[House, str]:
    house, name = House(root / role), server.tenant(role)
    house.home.mkdir(parents=True)
    point(house.paths.store, server.url(role), name)
    return house, name


@pytest.fixture(scope="module")
def street(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Street:
    return Street(tmp_path_factory.mktemp("street"), server)


def test_a_table_of_ones_own_with_the_name_of_the_team_s_lets_nobody_pin(street: Street) -> None:
    with street.kid() as session:
        session.execute("CREATE TEMP TABLE memory AS SELECT id, tenant, 1::bigint AS pinned FROM dream.memory")
        with pytest.raises(psycopg.Error, match="only a curator"):
            session.execute("UPDATE dream.memory SET pinned = 1")
    assert not any(m.pinned for m in street.kim.memories())


def test_nothing_is_said_without_a_voice(street: Street) -> None:
    with street.kid() as session:
        session.execute("CREATE TEMP TABLE voice (observation bigint PRIMARY KEY, member text, machine text)")
        session.execute(SAY, ("a" * 24,))
        said = session.execute("""SELECT v.member FROM observation o JOIN dream.voice v ON v.observation = o.seq
                                  WHERE o.id = %s""", ("a" * 24,)).fetchall()
        session.execute("DELETE FROM observation WHERE id = %s", ("a" * 24,))
    assert said == [("kid",)]


def test_every_function_with_steps_finds_only_what_is_its_own(street: Street) -> None:
    loose = street.server.ask("""SELECT p.proname FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
        WHERE p.pronamespace IN ('dream'::regnamespace, 'dream_work'::regnamespace) AND (l.lanname = 'plpgsql' OR p.prosecdef)
        AND NOT 'search_path' = ANY (SELECT split_part(one, '=', 1) FROM unnest(p.proconfig) one)""")
    assert loose == []


def test_nobody_takes_the_numbers_of_others_tasks(street: Street) -> None:
    before = street.server.ask("SELECT count(*) FROM dream_work.procrastinate_jobs")
    with street.kid() as session:
        top = session.execute("SELECT nextval('procrastinate_jobs_id_seq')").fetchall()[0][0]
        task = json.dumps({"tenant": street.hers, "scope": "x"})
        for asked in (f"""INSERT INTO procrastinate_jobs (id, queue_name, task_name, args)
                          SELECT {top} + n, '{street.hers}', 'dream', '{task}' FROM generate_series(1, 50) n""",
                      f"UPDATE procrastinate_jobs SET id = {top} + 1", f"INSERT INTO procrastinate_events (id) VALUES ({top})"):
            with pytest.raises(psycopg.Error, match="permission denied"):
                session.execute(asked.encode())
    assert street.server.ask("SELECT count(*) FROM dream_work.procrastinate_jobs") == before
    told = street.lou.say("2026-01-07T12:00:00Z", Said("The well of Quince is deep", scope="project:well"))
    assert told[0].status == "stored"


def test_nobody_keeps_the_operator_out(street: Street) -> None:
    impatient = street.server.url("owner") + "&options=-c%20lock_timeout%3D2000"
    with street.kid() as session:
        session.execute("SELECT pg_advisory_lock(hashtextextended('dream shape', 0))")
        assert Member("kid", street.hers, "member") in tenancy.list_members(impatient)
        with pytest.raises(psycopg.Error, match="permission denied"), session.transaction():
            session.execute("LOCK TABLE tenant")


def test_guesses_tell_nothing_of_what_others_have(street: Street) -> None:
    """No names of members, machines and scopes, no hash of a sentence; only sizes, of tenants and by dream's own words."""
    with psycopg.connect(street.server.url("postgres"), autocommit=True) as operator:
        operator.execute("ANALYZE")
        columns = operator.execute("""SELECT n.nspname || '.' || c.relname, quote_ident(a.attname), format_type(a.atttypid, -1)
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname IN ('dream', 'dream_work') AND c.relrowsecurity AND a.attnum > 0 AND NOT a.attisdropped
            AND (a.atttypid = ANY ('{text,varchar,jsonb}'::regtype[]) OR a.attname LIKE '%\\_key')
            AND (n.nspname = 'dream_work' OR a.attname <> ALL (ARRAY[""" + shape.KINDS + """]))""").fetchall()
        asked = [(table, column, [row[0] for row in operator.execute(f"""SELECT {column}::text FROM {table}
            WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC LIMIT 3""".encode())], kind)
                 for table, column, kind in columns]
    assert {("dream.vector", "scope"), ("dream.voice", "member"), ("dream.observation", "word_key"),
            ("dream_work.procrastinate_jobs", "queue_name")} <= {one[:2] for one in asked}
    with street.kid() as session:
        for table, column, common, kind in asked:
            never = {"bigint": "-1", "jsonb": "[7]"}.get(kind, "never said")
            guesses = {one: session.execute(f"EXPLAIN (FORMAT JSON) SELECT 1 FROM {table} WHERE {column} = %s::{kind}".encode(),
                                            (one,)).fetchall()[0][0][0]["Plan"]["Plan Rows"] for one in (never, *common)}
            assert len(set(guesses.values())) == 1, (table, column, guesses)


def test_whoever_was_let_go_writes_no_more_in_what_they_had_begun(street: Street) -> None:
    tenancy.add_member(street.server.url("owner"), Member("gone", street.hers, "member"))
    with street.kid(role="gone", isolation="repeatable read") as session, session.transaction(force_rollback=True):
        assert session.execute("SELECT count(*) FROM dream.memory").fetchall() != [(0,)]
        tenancy.drop_member(street.server.url("owner"), "gone", street.hers)
        with pytest.raises(psycopg.Error):
            session.execute(SAY, ("b" * 24,))
    with street.kid(role="gone") as session, pytest.raises(psycopg.Error, match="no member"):
        session.execute("SELECT standing()")


def test_a_task_lies_in_no_queue_but_its_tenant_s_and_a_senseless_one_stops_nobody(street: Street, tmp_path: Path) -> None:
    put = "INSERT INTO procrastinate_jobs (queue_name, task_name, args) VALUES (%s, %s, %s)"
    own, other = {"tenant": street.hers}, {"tenant": street.his, "scope": "x"}
    with street.kid() as session:
        for queue, args in ((street.his, own), (street.his, other), (street.hers, other)):
            with pytest.raises(psycopg.Error, match="row-level security"):
                session.execute(put, (queue, "dream", json.dumps(args)))
        for name, args in (("dream", {**own, "scope": "../x"}), ("nothing", own)):
            session.execute(put, (street.hers, name, json.dumps(args)))
    street.kim.say("2026-01-08T12:00:00Z", Said("The well of Larkspur is deep", scope="project:well"))
    street.server.hurry(street.hers)
    work_off(hand(tmp_path / "hand", street.server.url("kid"), street.hers), lost_after_s=5)
    assert "The well of Larkspur is deep" in [m.text for m in street.kim.memories()]


def test_the_connection_of_a_worker_refuses_a_task_of_a_tenant_it_does_not_serve(street: Street, tmp_path: Path) -> None:
    with pytest.raises(DreamError, match="does not serve"):
        hand(tmp_path / "hand", street.server.url("kid"), street.hers).carry_out("dream", street.his, "x")
