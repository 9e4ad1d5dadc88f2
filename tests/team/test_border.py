"""Nobody reads over the border of a tenant: not with the store's functions, not with SQL of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest

from dreamd.core.clock import parse_instant
from dreamd.core.errors import ConfigError, DreamError
from dreamd.store import journal, memories, observations, shown
from dreamd.store.team import shape, tenancy, vector_places
from dreamd.store.team.database import Database
from dreamd.store.team.pointer import Place, checked, point
from dreamd.store.team.team_store import open_team
from dreamd.store.team.tenancy import Member
from household import FIRST_DAY, House, Said
from team_server import Server

NOON, NIGHT = "2026-01-06T12:00:00Z", "2026-01-06T20:00:00Z"
WORDS = "The vault of Larkspur opens with the blue key at 8081"
TABLES = shape.guarded()


class Neighbours(NamedTuple):
    """Two homes and their tenants, each with a role of its own."""

    ann: House
    bert: House
    hers: str
    his: str


def settle_in(root: Path, server: Server, way: Server) -> Neighbours:
    """Two homes: the first one has said something and dreamt, the second nothing yet."""
    houses, names = [], []
    for role in ("ann", "bert"):
        house, name = House(root / role), server.tenant(role)
        house.home.mkdir(parents=True)
        point(house.paths.store, way.url(role), name)
        houses.append(house)
        names.append(name)
    houses[0].say(NOON, Said(WORDS, conversation="a", key="k1"), "Never lend the blue key to visitors")
    houses[0].dream(NIGHT)
    return Neighbours(*houses, *names)


@pytest.fixture(scope="module")
def neighbours(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Neighbours:
    return settle_in(tmp_path_factory.mktemp("border"), server, server)


@contextmanager
def _as(server: Server, role: str, tenant: str | None) -> Iterator[psycopg.Connection[Any]]:
    """A session of SQL as a member could open one with psql."""
    with psycopg.connect(server.url(role)) as session:
        session.execute("SET search_path = dream")
        if tenant is not None:
            session.execute("SELECT set_config('dream.tenant', %s, false)", (tenant,))
        yield session


def test_two_tenants_with_the_same_words_never_meet(neighbours: Neighbours) -> None:
    ann, bert = neighbours.ann, neighbours.bert
    assert bert.memories() == []
    with bert.kit(NIGHT) as kit:
        assert observations.count_pending(kit.store) == (0, None)
        assert shown.search_words_of(kit.store, ["vault", "blue"], statuses=["live", "held"], scopes=(), limit=9) == []
        assert journal.load_runs(kit.store) == [] and memories.load_scopes(kit.store) == []
        for one in ann.memories():
            with pytest.raises(DreamError, match="no memory with that id"):
                memories.load_memory(kit.store, one.id)
    told = bert.say(NOON, Said(WORDS, conversation="a", key="k1"))
    assert [t.status for t in told] == ["stored"]
    bert.dream(NIGHT)
    assert [m.support for m in bert.memories()] == [1]
    bert.forget(NIGHT, "vault")
    assert bert.memories() == [] and len(ann.memories()) == 2
    assert ann.faults(NIGHT) == bert.faults(NIGHT) == []


def test_sql_of_ones_own_sees_and_changes_no_row_of_another_tenant(neighbours: Neighbours, server: Server) -> None:
    ann = neighbours.ann
    before, hers, his = ann.memories(), neighbours.hers, neighbours.his
    with _as(server, "bert", his) as session:
        for table in TABLES:
            found = session.execute(f"SELECT DISTINCT tenant FROM {table}").fetchall()
            assert {row[0] for row in found} <= {his}, table
            assert session.execute(f"SELECT * FROM {table} WHERE tenant = %s", (hers,)).fetchall() == []
        for statement in ("UPDATE memory SET pinned = 1", "DELETE FROM observation", "DELETE FROM memory_words"):
            assert session.execute(statement).rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("INSERT INTO wording VALUES ('x', 'y', %s)", (hers,))
        session.rollback()
        session.execute("SELECT set_config('dream.tenant', %s, false), set_config('search_path', 'dream', false)", (his,))
        session.execute("INSERT INTO wording VALUES ('x', 'y')")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("UPDATE wording SET tenant = %s", (hers,))
    assert ann.memories() == before


@pytest.mark.parametrize("table", ["memory", "wording", "observation", "operation", "memory_words", "meta"])
def test_a_missing_or_a_foreign_tenant_is_an_error_and_no_empty_answer(neighbours: Neighbours, server: Server,
                                                                       table: str) -> None:
    hers = neighbours.hers
    for tenant, told in ((None, "no tenant is bound"), ("", "no tenant is bound"), (hers, "no member of this tenant"),
                         ("../" + hers, "no member of this tenant"), (hers + "' OR '1'='1", "no member of this tenant")):
        with _as(server, "bert", tenant) as session, pytest.raises(psycopg.Error) as failure:
            session.execute(f"SELECT count(*) FROM {table}")
        assert told in str(failure.value) and "Larkspur" not in str(failure.value) and hers not in str(failure.value)


@pytest.mark.parametrize("statement", [
    "ALTER TABLE memory DISABLE ROW LEVEL SECURITY", "ALTER TABLE memory NO FORCE ROW LEVEL SECURITY",
    "DROP POLICY own ON memory", "CREATE POLICY mine ON memory USING (true)", "SET ROLE owner",
    "SET SESSION AUTHORIZATION ann",
    "ALTER ROLE bert BYPASSRLS", "INSERT INTO member VALUES ('bert', 'tenant-0')", "SELECT * FROM member",
    "SELECT * FROM tenant",
    "CREATE FUNCTION dream.tenant(x int) RETURNS text LANGUAGE sql AS 'SELECT 1::text'", "CREATE TABLE dream.mine (a int)",
    "CREATE OR REPLACE FUNCTION dream.tenant() RETURNS text LANGUAGE sql AS 'SELECT ''x'''",
    "COPY memory TO '/tmp/x'", "TRUNCATE memory", "ALTER TABLE memory OWNER TO bert", "DROP TABLE memory",
    "GRANT owner TO bert",
    "CREATE TRIGGER spy AFTER INSERT ON memory EXECUTE FUNCTION count_in_seal()", "SELECT pg_read_file('/etc/hostname')",
    "SET row_security = off; SELECT * FROM memory"])
def test_a_member_cannot_take_the_border_down(server: Server, neighbours: Neighbours, statement: str) -> None:
    with _as(server, "bert", neighbours.his) as session, pytest.raises(psycopg.Error):
        session.execute(statement)


def test_the_columns_statistics_tell_nothing_of_another_tenant(server: Server, neighbours: Neighbours) -> None:
    with psycopg.connect(server.url("owner"), autocommit=True) as session:
        for table in TABLES:
            session.execute(f"ANALYZE dream.{table}")
    with _as(server, "bert", neighbours.his) as session:
        assert session.execute("SELECT * FROM pg_stats WHERE schemaname = 'dream'").fetchall() == []


def test_the_connection_itself_leaves_no_tenant_behind(server: Server, neighbours: Neighbours) -> None:
    base = Database(server.url("ann"), neighbours.hers)
    try:
        assert base.execute("SELECT COUNT(*) FROM memory").fetchone()[0] == 2
        bare = base._connection.execute("SELECT current_setting('dream.tenant', true), current_setting('dream.sealing', true)")
        assert set(bare.fetchone()) <= {None, ""}
    finally:
        base.close()


def test_an_error_tells_no_words_of_a_row(neighbours: Neighbours) -> None:
    ann = neighbours.ann
    with ann.kit(NIGHT) as kit, pytest.raises(DreamError) as failure, kit.store.writing() as tx:
        tx.execute("INSERT INTO wording SELECT sha, text FROM wording")
    assert "Larkspur" not in str(failure.value) + repr(failure.value.__cause__) and failure.value.__cause__ is None
    assert len(ann.memories()) == 2


@pytest.mark.parametrize("role", ["postgres", "owner"])
def test_dream_refuses_to_work_as_a_role_that_could_look_over_the_border(server: Server, neighbours: Neighbours,
                                                                         role: str, tmp_path: Path) -> None:
    with pytest.raises(DreamError, match="look over the border|no member"):
        open_team(tmp_path / "dream.db", Place(server.url(role), neighbours.his))


def test_dream_refuses_a_tenant_it_is_no_member_of_or_any_longer(server: Server, neighbours: Neighbours,
                                                                 tmp_path: Path) -> None:
    hers = neighbours.hers
    with pytest.raises(ConfigError, match="no member"):
        open_team(tmp_path / "dream.db", Place(server.url("bert"), hers))
    tenancy.add_member(server.url("owner"), Member("bert", hers))
    open_team(tmp_path / "dream.db", Place(server.url("bert"), hers)).close()
    assert tenancy.drop_member(server.url("owner"), "bert", hers)
    with pytest.raises(ConfigError, match="no member"):
        open_team(tmp_path / "dream.db", Place(server.url("bert"), hers))


@pytest.mark.parametrize("name", ["", "../acme", "Acme", "a'b", "a;b", "a b", "-a", "x" * 64, "a\n"])
def test_a_name_that_is_none_never_reaches_the_server(server: Server, name: str) -> None:
    with pytest.raises(ConfigError):
        checked(server.url("ann"), name)


def test_bringing_the_store_up_to_date_again_changes_nothing(server: Server, neighbours: Neighbours) -> None:
    ann = neighbours.ann
    before = ann.memories()
    assert tenancy.found(server.url("owner"), [neighbours.hers, neighbours.his], at=parse_instant(FIRST_DAY), zone="UTC") == []
    assert ann.memories() == before and ann.faults(NIGHT) == []
    told = {b.tenant: b for b in tenancy.load_backlogs(server.url("owner"), since=parse_instant(FIRST_DAY))}
    assert told[neighbours.hers].memories == 2 and told[neighbours.hers].waiting == 0


def test_a_database_without_vectors_is_refused_with_what_to_do_and_nothing_is_made(server: Server) -> None:
    with psycopg.connect(server.url("postgres"), autocommit=True) as session:
        session.execute("CREATE DATABASE plain OWNER owner")
    plain = server.url("owner").replace("/team?", "/plain?")
    with pytest.raises(ConfigError, match="may not make it") as failure:
        tenancy.found(plain, ["acme"], at=parse_instant(FIRST_DAY), zone="UTC")
    assert "CREATE EXTENSION vector" in str(failure.value.hint)
    with psycopg.connect(plain) as session:
        assert session.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'dream'").fetchall() == []


@pytest.mark.parametrize("version", [None, "0.4.1"])
def test_a_server_without_the_right_pgvector_is_told_what_to_install(version: str | None) -> None:
    class Bare:
        def execute(self, asked: str, *_values: object) -> Bare:
            self.rows = [(version,)] if version and "pg_available_extensions" in asked else []
            return self

        def fetchone(self) -> tuple[str | None, ...] | None:
            return next(iter(self.rows), None)

    with pytest.raises(ConfigError, match="pgvector") as failure:
        vector_places.ask_for_vectors(Bare(), "dream")
    assert "postgresql-15-pgvector" in str(failure.value.hint)
