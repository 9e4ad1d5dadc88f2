"""Workers of a team do what one dream would have done, however many there are and whatever becomes of them."""

from __future__ import annotations

import random
import threading
import time
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

from dreamd.core.clock import FixedClock, SystemClock, parse_instant
from dreamd.core.errors import ConfigError, DreamError, Outage
from dreamd.service.workers.errands import Errands
from dreamd.store.team import task_queue, tenancy
from dreamd.store.team.pointer import point
from dreamd.store.team.tenancy import Member
from household import House, Said
from team_hands import QUICK_S, hand, stay, until, work_off, worker_process
from team_server import Server

NOON, NIGHT = "2026-01-06T12:00:00Z", "2026-01-06T20:00:00Z"
SCOPES = [f"project:p{n}" for n in range(10)]
CLOCK = FixedClock(parse_instant(NIGHT))


def _speak(house: House, scopes: list[str] = SCOPES, extra: str = "") -> None:
    house.say(NOON, *(Said(text, scope=scope, conversation="a") for n, scope in enumerate(scopes) for text in (
        f"The staging database of {n} listens on port {8000 + n}{extra}",
        f"Never push to main of service {n} on Fridays{extra}")))


def _standing(house: House) -> list[tuple[object, ...]]:
    return [(m.id, m.text, str(m.scope), m.status, m.category, m.trust, m.observations, m.superseded_by, m.support)
            for m in sorted(house.memories(), key=lambda m: m.id)]


def _fates(house: House) -> list[tuple[object, ...]]:
    with house.kit(NIGHT) as kit:
        return [tuple(row) for row in kit.store.tuples(
            "SELECT o.id, f.fate, f.reason, f.memory FROM observation o LEFT JOIN fate f ON f.observation = o.seq ORDER BY 1")]


def _jobs(server: Server, tenant: str, where: str = "TRUE") -> list[tuple[Any, ...]]:
    with psycopg.connect(server.url("owner")) as base:
        return base.execute(f"""SELECT task_name, status::text, attempts FROM dream_work.procrastinate_jobs
            WHERE tenant = %s AND {where} ORDER BY id""", (tenant,)).fetchall()


def _as_one_dream(own: House, team: House) -> None:
    own.dream(NIGHT)
    assert _standing(team) == _standing(own)
    assert _fates(team) == _fates(own)
    assert team.faults(NIGHT) == []


def test_two_workers_come_to_what_one_dream_in_a_file_comes_to(team_house: House, own_house: House, server: Server,
                                                               tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tenant, whole, both, begun = server.tenants[-1], Errands._dream, threading.Barrier(2), set[int]()

    def together(self: Errands, kit: Any, lock: str) -> str:
        if id(self) not in begun:
            begun.add(id(self))
            both.wait(20)  # each is at work on a scope before any of them goes on
        return whole(self, kit, lock)

    monkeypatch.setattr(Errands, "_dream", together)
    for house in (team_house, own_house):
        _speak(house)
    assert len(_jobs(server, tenant, "status = 'todo' AND task_name = 'dream'")) == len(SCOPES)
    hands = [hand(tmp_path / name, server.url("worker"), tenant, clock=CLOCK) for name in ("one", "two")]
    work_off(*hands)
    assert [bool(one.done) for one in hands] == [True, True] and sum(one.failed for one in hands) == 0
    _as_one_dream(own_house, team_house)
    assert _jobs(server, tenant, "status IN ('todo', 'doing', 'failed')") == []


@pytest.mark.parametrize("step", [2, 4])
def test_a_killed_worker_s_task_is_taken_up_beside_one_of_its_lock_that_waits(team_house: House, own_house: House,
                                                                             server: Server, tmp_path: Path, step: int) -> None:
    tenant = server.tenants[-1]
    _speak(team_house, SCOPES[:1])
    server.hurry(tenant)
    with worker_process(tmp_path / "doomed", server.url("worker"), tenant, hold=step, now=NIGHT) as process:
        assert process.stdout and process.stdout.readline() == "holding\n"
        _speak(team_house, SCOPES[:1], " again")
        assert [row[1] for row in _jobs(server, tenant, "task_name = 'dream'")] == ["doing", "todo"]
    until(lambda: bool(server.ask("SELECT count(*) FROM dream_work.procrastinate_workers WHERE "
                                  "last_heartbeat < now() - interval '0.6 s'")[0][0]))
    work_off(hand(tmp_path / "next", server.url("worker"), tenant, clock=CLOCK), lost_after_s=QUICK_S)
    assert [row[:2] for row in _jobs(server, tenant, "task_name = 'dream'")] == [("dream", "failed"), ("dream", "succeeded")]
    for extra in ("", " again"):
        _speak(own_house, SCOPES[:1], extra)
    _as_one_dream(own_house, team_house)


def test_a_killed_worker_s_only_task_is_begun_again(team_house: House, own_house: House, server: Server,
                                                    tmp_path: Path) -> None:
    tenant = server.tenants[-1]
    for house in (team_house, own_house):
        _speak(house, SCOPES[:2])
    server.hurry(tenant)
    with worker_process(tmp_path / "doomed", server.url("worker"), tenant, hold=5, now=NIGHT) as process:
        assert process.stdout and process.stdout.readline() == "holding\n"
    with worker_process(tmp_path / "stays", server.url("worker"), tenant, now=NIGHT) as stays:
        until(lambda: _jobs(server, tenant, "task_name = 'dream' AND status <> 'succeeded'") == [])
        stays.terminate()
        assert stays.wait(10) == 0
    assert [row[2] for row in _jobs(server, tenant, "task_name = 'dream'")] in ([1, 2], [2, 1])
    _as_one_dream(own_house, team_house)


def test_no_scope_is_dreamt_twice_at_once_and_what_is_said_meanwhile_is_dreamt_after(
        team_house: House, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tenant, at_work, most, said = server.tenants[-1], list[str](), list[int](), list[int]()
    whole = Errands._dream

    def watched(self: Errands, kit: Any, lock: str) -> str:
        at_work.append(lock)
        most.append(max(at_work.count(one) for one in at_work))
        if len(said) < 4:
            said.append(1)
            _speak(team_house, SCOPES[:1], f" for the {len(said)}. time")
        try:
            return whole(self, kit, lock)
        finally:
            at_work.remove(lock)

    monkeypatch.setattr(Errands, "_dream", watched)
    _speak(team_house, SCOPES[:2])
    hands = [hand(tmp_path / str(n), server.url("worker"), tenant, clock=CLOCK) for n in range(2)]
    work_off(*hands, concurrency=2)
    assert _jobs(server, tenant, "status <> 'succeeded'") == []
    assert max(most) == 1 and len(most) >= 4
    with team_house.kit(NIGHT) as kit:
        assert kit.store.one("SELECT count(*) AS n FROM observation WHERE seq NOT IN (SELECT observation FROM fate)")["n"] == 0
    assert team_house.faults(NIGHT) == []


@pytest.mark.parametrize("minutes", [10, -10])
def test_a_machine_whose_clock_is_ten_minutes_off_writes_the_server_s_time(team_house: House, server: Server, tmp_path: Path,
                                                                         monkeypatch: pytest.MonkeyPatch, minutes: int) -> None:
    tenant, right = server.tenants[-1], SystemClock.now
    _speak(team_house, SCOPES[:2])
    with monkeypatch.context() as wrong:
        wrong.setattr(SystemClock, "now", lambda clock: right(clock) + timedelta(minutes=minutes))
        wrong.setattr("dreamd.service.workers.queue_door.utcnow", lambda: right(SystemClock()) + timedelta(minutes=minutes))
        work_off(hand(tmp_path / "one", server.url("worker"), tenant), hand(tmp_path / "two", server.url("worker"), tenant))
    with team_house.kit(NIGHT) as kit:
        ended = [parse_instant(row["ended_at"]) for row in kit.store.all("SELECT ended_at FROM run")]
    assert len(ended) == 2 and all(abs(right(SystemClock()) - at) < timedelta(minutes=1) for at in ended)
    assert team_house.faults(NIGHT) == []


def test_a_worker_outlives_a_restart_of_the_database_in_the_middle_of_a_dream(team_house: House, own_house: House,
                                                                            server: Server, tmp_path: Path) -> None:
    tenant = server.tenants[-1]
    for house in (team_house, own_house):
        _speak(house, SCOPES[:4])
    server.hurry(tenant)
    with worker_process(tmp_path / "stays", server.url("worker"), tenant, now=NIGHT):
        until(lambda: bool(_jobs(server, tenant, "status = 'doing' AND task_name = 'dream'")))
        server.restart()
        until(lambda: _jobs(server, tenant, "task_name = 'dream' AND status <> 'succeeded'") == [], within_s=90)
    _as_one_dream(own_house, team_house)


def test_one_bad_row_stops_neither_the_sweep_nor_the_work(team_house: House, server: Server, tmp_path: Path) -> None:
    tenant = server.tenants[-1]
    _speak(team_house, SCOPES[:2])
    server.ask("""INSERT INTO dream_work.procrastinate_jobs (queue_name, task_name, lock, queueing_lock, args, status,
        scheduled_at) VALUES (%s, 'nobody knows this', 'x', 'x', jsonb_build_object('tenant', %s::text), 'doing', 'infinity'),
               (%s, 'dream', 'y', 'y', jsonb_build_object('tenant', %s::text, 'more', 1), 'doing', NULL)""", *[tenant] * 4)
    server.ask("UPDATE dream_work.procrastinate_jobs SET status = 'doing' WHERE tenant = %s AND task_name = 'dream' AND id = ("
               "SELECT min(id) FROM dream_work.procrastinate_jobs WHERE tenant = %s)", tenant, tenant)
    work_off(hand(tmp_path / "one", server.url("worker"), tenant, clock=CLOCK))
    assert len(team_house.memories()) == 4 and team_house.faults(NIGHT) == []


def test_a_failing_task_is_tried_again_after_a_while_and_then_given_up(team_house: House, server: Server, tmp_path: Path,
                                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    tenant = server.tenants[-1]
    _speak(team_house, SCOPES[:1])

    def breaks(*_task: object) -> str:
        raise OSError("the words of somebody")

    monkeypatch.setattr(Errands, "_dream", breaks)
    monkeypatch.setattr("dreamd.service.workers.queue_door.FIRST_WAIT_S", 300.0)  # longer than any machine takes
    one = hand(tmp_path / "one", server.url("worker"), tenant, clock=CLOCK)
    work_off(one)
    waits = "scheduled_at BETWEEN now() + interval '60 s' AND now() + interval '300 s'"
    assert one.failed == 1 and _jobs(server, tenant, waits) == [("dream", "todo", 1)]
    server.ask("UPDATE dream_work.procrastinate_jobs SET attempts = 8, scheduled_at = NULL WHERE tenant = %s "
               "AND task_name = 'dream'", tenant)
    work_off(hand(tmp_path / "two", server.url("worker"), tenant, clock=CLOCK))
    assert _jobs(server, tenant, "task_name = 'dream'") == [("dream", "failed", 9)]
    with tenancy.owning(server.url("owner")) as base:
        assert task_queue.load_loads(base)[tenant].failed == 1


def test_a_night_that_nobody_was_there_for_is_made_up_for(team_house: House, server: Server, tmp_path: Path) -> None:
    tenant = server.tenants[-1]
    _speak(team_house, SCOPES[:2])
    server.ask("DELETE FROM dream_work.procrastinate_jobs WHERE tenant = %s", tenant)
    server.ask("UPDATE dream_work.tended SET night_at = now() - interval '3 days', checked_at = now() - interval '3 days' "
               "WHERE tenant = %s", tenant)
    work_off(hand(tmp_path / "one", server.url("worker"), tenant, clock=CLOCK))
    done = _jobs(server, tenant, "status = 'succeeded'")
    assert sorted(row[0] for row in done) == ["dream", "dream", "health", "look", "night", "rest"]
    assert len(team_house.memories()) == 4
    with tenancy.owning(server.url("owner")) as base:
        load = task_queue.load_loads(base)[tenant]
    assert (load.waiting, load.running, load.failed, load.faults) == (0, 0, 0, 0) and load.a_minute == pytest.approx(0.6)


def test_a_drained_tenant_s_tasks_are_handed_out_to_nobody(team_house: House, server: Server, tmp_path: Path) -> None:
    tenant = server.tenants[-1]
    _speak(team_house, SCOPES[:1])
    with tenancy.owning(server.url("owner")) as base:
        task_queue.drain(base, tenant, on=True)
        assert task_queue.count_at_work(base, tenant, lost_after_s=30) == (0, 0)
    one = hand(tmp_path / "one", server.url("worker"), tenant, clock=CLOCK)
    work_off(one)
    assert one.done == 0 and team_house.memories() == []
    with tenancy.owning(server.url("owner")) as base:
        assert task_queue.load_loads(base)[tenant].drained
        task_queue.drain(base, tenant, on=False)
    work_off(one)
    assert len(team_house.memories()) == 2


def test_what_is_said_asks_for_one_task_a_scope_that_waits_a_while(team_house: House, server: Server) -> None:
    tenant = server.tenants[-1]
    for extra in ("", " again", " and again"):
        _speak(team_house, SCOPES[:2], extra)
    assert _jobs(server, tenant) == [("dream", "todo", 0)] * 2
    waits = "scheduled_at BETWEEN now() + interval '50 s' AND now() + interval '60 s'"
    assert _jobs(server, tenant, waits) == _jobs(server, tenant)
    args = server.ask("SELECT args::text || lock || queue_name FROM dream_work.procrastinate_jobs WHERE tenant = %s", tenant)
    assert not any("p0" in row[0] or "project" in row[0] for row in args)


def test_a_worker_serves_every_tenant_of_its_role_and_none_of_another(team_house: House, server: Server,
                                                                      tmp_path: Path) -> None:
    first, second, third = server.tenants[-1], server.tenant("worker"), server.tenant("stranger")
    houses = [team_house]
    for name, role in ((second, "worker"), (third, "stranger")):
        houses.append(House(tmp_path / name))
        houses[-1].home.mkdir(parents=True)
        point(houses[-1].paths.store, server.url(role), name)
    for house in houses:
        _speak(house, SCOPES[:1])
    served = tuple(task_queue.load_tenants(server.url("worker")))
    assert {first, second} <= set(served) and third not in served
    with pytest.raises(ConfigError, match="no member"):
        work_off(hand(tmp_path / "forged", server.url("worker"), third, clock=CLOCK))
    work_off(hand(tmp_path / "one", server.url("worker"), first, clock=CLOCK, more=(second,)))
    assert [len(house.memories()) for house in houses] == [2, 2, 0]


@pytest.mark.parametrize("table", ["procrastinate_jobs", "procrastinate_events", "procrastinate_workers",
                                   "procrastinate_periodic_defers", "tended"])
def test_nobody_sees_or_touches_the_tasks_of_another_tenant(team_house: House, server: Server, table: str) -> None:
    role = f"spy_on_{table}"
    tenant, other = server.tenants[-1], server.tenant(role)
    _speak(team_house, SCOPES[:1])
    server.ask("INSERT INTO dream_work.procrastinate_workers (role) VALUES ('worker')")
    server.ask("INSERT INTO dream_work.procrastinate_periodic_defers (task_name, periodic_id, defer_timestamp) "
               "VALUES ('x', %s, 1)", tenant)
    with psycopg.connect(server.url(role), autocommit=True) as spy:
        spy.execute("SELECT set_config('search_path', 'dream_work', false), set_config('dream.tenant', %s, false)", (other,))
        mine = [(other,)] if table == "tended" else []
        shown = "tenant" if table == "tended" else "1"
        assert spy.execute(f"SELECT {shown} FROM {table}").fetchall() == mine
        assert spy.execute(f"SELECT {shown} FROM {table} WHERE {table}::text LIKE %s", (f"%{tenant}%",)).fetchall() == []
        for statement in ("UPDATE procrastinate_jobs SET priority = 9", "DELETE FROM procrastinate_jobs",
                          "DELETE FROM procrastinate_workers", "DELETE FROM procrastinate_events"):
            assert spy.execute(statement).rowcount == 0
        for statement in ("INSERT INTO procrastinate_jobs (queue_name, task_name, args) VALUES ('q', 'dream', "
                          f"jsonb_build_object('tenant', '{tenant}'))", "UPDATE tended SET drained_at = now()",
                          "INSERT INTO tended (tenant) VALUES ('x')",
                          "INSERT INTO procrastinate_workers (role) VALUES ('worker')",
                          "ALTER TABLE procrastinate_jobs DISABLE ROW LEVEL SECURITY",
                          f"SELECT set_config('dream.tenant', '{tenant}', false), call_for('dream', 'project:p0', '0 s', 0)"):
            with pytest.raises(psycopg.Error):
                spy.execute(statement)
        spy.execute("SELECT set_config('dream.tenant', %s, false)", (other,))
        assert spy.execute("SELECT (take_task(NULL, NULL)).id").fetchone() == (None,)
        assert spy.execute("SELECT * FROM lost_tasks(0)").fetchall() == []
    assert [row[1] for row in _jobs(server, tenant)] == ["todo"]


def test_what_a_machine_lacks_is_no_fault_of_the_task(team_house: House, server: Server, tmp_path: Path,
                                                      monkeypatch: pytest.MonkeyPatch) -> None:
    tenant = server.tenants[-1]
    _speak(team_house, SCOPES[:1])

    def breaks(*_task: object) -> str:
        raise Outage("no model", component="model", code="model-missing")

    with monkeypatch.context() as lacking:
        lacking.setattr(Errands, "_dream", breaks)
        with pytest.raises(Outage):
            work_off(hand(tmp_path / "one", server.url("worker"), tenant, clock=CLOCK))
    assert _jobs(server, tenant, "task_name = 'dream'") == [("dream", "todo", 0)]
    work_off(hand(tmp_path / "two", server.url("worker"), tenant, clock=CLOCK))
    assert len(team_house.memories()) == 2


@pytest.mark.slow
def test_twenty_kills_at_any_moment_end_where_one_dream_ends(team_house: House, own_house: House, server: Server,
                                                            tmp_path: Path) -> None:
    tenant, chance = server.tenants[-1], random.Random(7)
    for n in range(20):
        scope = f"project:kill{n % 7}"
        for house in (team_house, own_house):
            house.say(NOON, Said(f"Host {n} of the lab listens on port {7100 + n}", scope=scope, conversation="a"))
        server.hurry(tenant)
        newer = "SELECT 1 FROM dream_work.procrastinate_workers WHERE id > %s"
        before = server.ask("SELECT COALESCE(max(id), 0) FROM dream_work.procrastinate_workers")[0][0]
        with worker_process(tmp_path / f"doomed{n % 3}", server.url("worker"), tenant, now=NIGHT):
            until(partial(server.ask, newer, before))
            time.sleep(chance.random() * 0.4)
    cut_off = _jobs(server, tenant, "attempts > 1 OR status IN ('failed', 'doing')")
    assert sum(max(1, attempts) for _, _, attempts in cut_off) > 3, "hardly one was killed at work"
    server.ask("UPDATE dream_work.tended SET night_at = now() - interval '3 days' WHERE tenant = %s", tenant)
    time.sleep(QUICK_S + 0.1)
    work_off(hand(tmp_path / "last", server.url("worker"), tenant, clock=CLOCK), lost_after_s=QUICK_S)
    server.hurry(tenant)
    work_off(hand(tmp_path / "last", server.url("worker"), tenant, clock=CLOCK))
    _as_one_dream(own_house, team_house)


@pytest.mark.parametrize("code", ["store-newer", "store-older"])
def test_a_worker_of_another_version_leaves_and_holds_that_against_no_task(team_house: House, server: Server, tmp_path: Path,
                                                                          monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    tenant = server.tenants[-1]
    _speak(team_house, SCOPES[:1])

    def breaks(*_task: object) -> str:
        raise Outage("another schema", component="db", code=code)

    monkeypatch.setattr(Errands, "_dream", breaks)
    server.hurry(tenant)
    with pytest.raises(Outage, match="another schema"):
        stay(hand(tmp_path / "one", server.url("worker"), tenant, clock=CLOCK))
    assert _jobs(server, tenant, "task_name = 'dream'") == [("dream", "todo", 0)]


def test_a_reader_asks_for_no_task_and_takes_none(team_house: House, server: Server) -> None:
    tenant = server.tenants[-1]
    tenancy.add_member(server.url("owner"), Member("looks_only", tenant, "reader"))
    _speak(team_house, SCOPES[:1])
    assert tenant not in task_queue.load_tenants(server.url("looks_only"))
    with task_queue.bound(server.url("looks_only"), tenant) as base:
        assert base.ask("SELECT * FROM dream_work.procrastinate_jobs") == []
        with pytest.raises(DreamError):
            task_queue.call_for(base, task_queue.DREAM, SCOPES[1])
