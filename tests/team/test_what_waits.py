"""A server knows what waits in a scope without looking through all that was ever said, and is never wrong about it for long."""

from __future__ import annotations

import pytest

from dreamd.core.clock import parse_instant
from dreamd.store import observations
from dreamd.store.team import task_queue, tenancy
from household import FIRST_DAY, House, Said
from team_server import Server

NOON, NIGHT, LATER = "2026-01-06T12:00:00Z", "2026-01-06T20:00:00Z", "2026-01-07T20:00:00Z"
TALKS = tuple(Said(f"The sluice {n} is opened at {n + 5} o'clock.", scope=f"project:p{n % 2}", conversation=f"c{n}")
              for n in range(6))


def _waiting(house: House, scope: str | None = None) -> list[int]:
    with house.kit(NIGHT) as kit:
        return observations.find_waiting(kit.store, scope=scope)


def _without_fate(server: Server, tenant: str, scope: str = "project:") -> list[int]:
    return [seq for seq, in server.ask("""SELECT seq FROM dream.observation o WHERE tenant = %s AND scope LIKE %s || '%%'
        AND NOT EXISTS (SELECT 1 FROM dream.fate f WHERE f.tenant = o.tenant AND f.observation = o.seq) ORDER BY seq""",
                                       tenant, scope)]


def test_what_waits_is_what_has_no_fate_whatever_is_done(team_house: House, server: Server) -> None:
    tenant, seen = server.tenants[-1], list[int]()

    def look() -> None:
        assert _waiting(team_house) == _without_fate(server, tenant)
        assert _waiting(team_house, "project:p1") == _without_fate(server, tenant, "project:p1")
        seen.append(len(_waiting(team_house)))

    team_house.say(NOON, *TALKS[:4])
    look()
    run = team_house.dream(NIGHT).run
    look()
    team_house.say(NOON, *TALKS[4:])
    look()
    with team_house.kit(NIGHT) as kit, kit.store.writing() as tx:
        tx.execute("UPDATE observation SET scope = 'project:p0' WHERE seq = ?", (_without_fate(server, tenant)[-1],))
    look()
    team_house.undo(LATER, run)
    with team_house.kit(NIGHT) as kit, kit.store.writing() as tx:
        observations.hand_back(tx, 1)
    look()
    team_house.dream(LATER)
    look()
    assert seen == [4, 0, 2, 2, 6, 0]


def test_what_the_server_lost_count_of_is_dreamt_the_next_night(team_house: House, server: Server) -> None:
    tenant = server.tenants[-1]
    team_house.say(NOON, *TALKS)
    server.ask("DELETE FROM dream_work.procrastinate_jobs WHERE tenant = %s", tenant)
    server.ask("DELETE FROM dream.waiting WHERE tenant = %s", tenant)
    assert _waiting(team_house) == []
    with task_queue.bound(server.url("worker"), tenant) as base:
        assert task_queue.call_for_all(base) == 2
        locks = [lock for lock, in base.ask("SELECT DISTINCT lock FROM waiting")]
        assert {task_queue.find_scope(base, lock) for lock in locks} == {"project:p0", "project:p1"}
    assert _waiting(team_house) == _without_fate(server, tenant)


def test_a_database_of_before_is_told_what_waits_when_it_is_brought_up_to_date(team_house: House, server: Server) -> None:
    tenant = server.tenants[-1]
    team_house.say(NOON, *TALKS[:4])
    team_house.dream(NIGHT)
    team_house.say(NOON, *TALKS[4:])
    server.ask("DROP TABLE dream.waiting")
    with pytest.raises(Exception, match="shape"):
        _waiting(team_house)
    tenancy.found(server.url("owner"), [tenant], at=parse_instant(FIRST_DAY), zone="UTC")
    assert _waiting(team_house) == _without_fate(server, tenant) and len(_waiting(team_house)) == 2
