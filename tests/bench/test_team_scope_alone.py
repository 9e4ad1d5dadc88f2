"""A dream of one scope reads that scope, and not the tenant: what is new costs the same however much the others remember."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from team_store import NIGHT, Town, settle_in

from dreamd.store import checks
from dreamd.store.team import word_ranks
from household import Said
from team_hands import hand, work_off
from team_server import Server

OWN, OTHERS = "project:own", 12
"""Memories of the scope that is dreamt, and of each of the others."""


@contextmanager
def _as_if_large(server: Server) -> Iterator[None]:
    """Of a small table a server reads all rows whatever it looks for; here it looks them up as in a large one."""
    dear = {"enable_seqscan": "off", "cpu_tuple_cost": "1000", "cpu_index_tuple_cost": "1000"}
    for name, value in dear.items():
        server.ask(f"ALTER ROLE worker SET {name} = {value}")
    try:
        yield
    finally:
        for name in dear:
            server.ask(f"ALTER ROLE worker RESET {name}")


def _look_only_when_told(server: Server) -> None:
    """Else what the server knows of its tables, and so its plans, depend on when it last looked by itself."""
    for (name,) in server.ask("""SELECT oid::regclass::text FROM pg_class
                                 WHERE relkind = 'r' AND relnamespace = 'dream'::regnamespace"""):
        server.ask(f"ALTER TABLE {name} SET (autovacuum_enabled = false)")


def _read(town: Town, server: Server) -> Counter[str]:
    """Rows that were read until now, by table."""
    # A connection hands in its counts when it is told to or ends, and else when it likes.
    ((loader,),) = town.base.ask("SELECT pg_backend_pid() FROM pg_stat_force_next_flush()")
    server.ask("""SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                  WHERE backend_type = 'client backend' AND pid NOT IN (pg_backend_pid(), %s)""", loader)
    return Counter({f"{name}": int(rows) for name, rows in server.ask("""
        SELECT t.relname, t.seq_tup_read + COALESCE(t.idx_tup_fetch, 0)
          + (SELECT COALESCE(SUM(i.idx_tup_read), 0) FROM pg_stat_user_indexes i WHERE i.relid = t.relid)
        FROM pg_stat_user_tables t WHERE t.schemaname = 'dream'""")})


def _dream_own(town: Town, server: Server, n: int) -> Counter[str]:
    """The rows that a worker reads to dream one new statement."""
    tenant = server.tenants[-1]
    # What was loaded is no news, and neither a night nor a check is due.
    server.ask("DELETE FROM dream_work.procrastinate_jobs WHERE tenant = %s", tenant)
    server.ask("UPDATE dream_work.tended SET night_at = now(), checked_at = now() WHERE tenant = %s", tenant)
    with town.house.kit(NIGHT) as kit:
        checks.refuse_if_unsound(kit.store)
    town.house.say(NIGHT, Said(f"The turnstile {n} opens at {n} o'clock", scope=OWN, conversation=f"n{n}"))
    server.ask("ANALYZE")
    before = _read(town, server)
    with _as_if_large(server):
        worker = hand(town.house.root / f"hand{n}", server.url("worker"), tenant)
        work_off(worker)
    assert (worker.done, worker.failed) == (2, 0), "one dream, and a look whether a night is due"
    return _read(town, server) - before


def test_what_is_new_in_a_scope_costs_the_same_among_few_and_among_many(server: Server, tmp_path: Path,
                                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_ranks, "MOST_COUNTED", 2 * OTHERS)  # as where both are so large that no more are counted
    town = settle_in(server, tmp_path / "town", 1)
    _look_only_when_told(server)
    town.load(OWN, OTHERS)
    told = []
    for n, others in enumerate((2, 2, 1, 40, 1)):
        for other in range(others):
            town.load(f"project:other-{n}-{other}", OTHERS)
        town.settle()
        told.append(_dream_own(town, server, n))
    # Which of those that are as near are looked at goes by their ids, which are drawn: a seventh more or less.
    few, many = max(told[1:3], key=Counter.total), min(told[3:], key=Counter.total)
    more = {name: (few[name], many[name]) for name in many if many[name] > 1.2 * few[name]}
    assert many.total() < 1.2 * few.total(), more
