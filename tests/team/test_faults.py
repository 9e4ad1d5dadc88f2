"""What befalls the network and the server of a team: nothing acknowledged is lost, nothing done twice, and it goes on."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from dreamd.core.clock import FixedClock, iso, parse_instant
from dreamd.core.errors import DreamError, Outage
from dreamd.core.settings import build_settings
from dreamd.dream.sharing import carrying
from dreamd.dream.sharing.carrying import Carried, carry
from dreamd.dream.sharing.offering import offer
from dreamd.kit import Kit
from dreamd.store import schema
from dreamd.store.team import database, shape, team_store, tenancy
from dreamd.store.team.pointer import point
from dreamd.store.team.tenancy import Member
from household import House, Said
from team_hands import hand, until, work_off, worker_process
from team_server import QUICK, Server, running
from team_wire import Wire, wire

NOON, NIGHT, AN_HOUR_ON = "2026-01-06T12:00:00Z", "2026-01-06T20:00:00Z", "2026-01-06T21:00:00Z"
CLOCK = FixedClock(parse_instant(NIGHT))
PORT = "The {} service listens on port {}"


@pytest.fixture
def split(server: Server) -> Iterator[Wire]:
    """A wire to the server that can be pulled out."""
    with wire(server) as one:
        yield one


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits as long as real networks ask for."""
    monkeypatch.setattr(database, "WAITS_S", 2)
    monkeypatch.setattr(database, "SILENT_S", 1)


def _at_step(monkeypatch: pytest.MonkeyPatch, step: int, act: Callable[[], None]) -> None:
    """Do something once, inside the transaction of a dream's step; only the thread that got there first is meant."""
    whole, left = Kit.writing, [step]

    def writing(kit: Kit, **options: Any) -> Any:
        left[0] -= 1
        due = left[0] == 0

        class Inside:
            def __enter__(self) -> Any:
                self.entered = whole(kit, **options)
                tx = self.entered.__enter__()
                if due:
                    act()
                return tx

            def __exit__(self, *told: Any) -> Any:
                return self.entered.__exit__(*told)

        return Inside()

    monkeypatch.setattr(Kit, "writing", writing)


def _standing(house: House) -> list[tuple[object, ...]]:
    return sorted((m.id, m.text, m.status, m.support, len(m.observations)) for m in house.memories())


def _twice(house: House) -> list[tuple[object, ...]]:
    """Memories that came about more than once, and statements that stand more than once."""
    with house.kit(NIGHT) as kit:
        return [tuple(row) for row in kit.store.tuples("""SELECT memory, COUNT(*) FROM operation WHERE op = 'add'
            GROUP BY memory HAVING COUNT(*) > 1
            UNION ALL SELECT text, COUNT(*) FROM observation GROUP BY text HAVING COUNT(*) > 1""")]


@pytest.mark.parametrize("step", [1, 3, 5])
def test_a_dream_cut_off_by_a_split_network_is_taken_up_by_another_and_comes_to_the_same(
        team_house: House, own_house: House, server: Server, split: Wire, tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    tenant, scope = server.tenants[-1], "project:p"
    for house in (team_house, own_house):
        house.say(NOON, *(Said(PORT.format(name, 8000 + n), scope=scope, conversation="a")
                          for n, name in enumerate(("billing", "search", "mail"))))
    server.hurry(tenant)
    _at_step(monkeypatch, step, split.pull)
    far = hand(tmp_path / "far", split.server.url("worker"), tenant, clock=CLOCK)
    ended: list[BaseException] = []

    def work_far_off() -> None:
        try:
            work_off(far)
        except Exception as error:  # noqa: BLE001 - how it ends is what the test looks at
            ended.append(error)

    thread = threading.Thread(target=work_far_off)
    thread.start()
    until(lambda: split.out)
    # The split lasts: whoever still reaches the server is not kept waiting by what the other left open there.
    until(lambda: bool(server.ask("SELECT count(*) FROM dream_work.procrastinate_workers WHERE "
                                  "last_heartbeat < now() - interval '0.6 s'")[0][0]))
    near = hand(tmp_path / "near", server.url("worker"), tenant, clock=CLOCK)
    work_off(near, lost_after_s=0.6)
    own_house.dream(NIGHT)
    assert near.done and _standing(team_house) == _standing(own_house) and len(_standing(own_house)) == 3
    split.plug()
    thread.join(30)
    assert not thread.is_alive() and len(ended) <= 1
    work_off(hand(tmp_path / "far", split.server.url("worker"), tenant, clock=FixedClock(parse_instant(AN_HOUR_ON))))
    assert _standing(team_house) == _standing(own_house)
    assert _twice(team_house) == [] and team_house.faults(AN_HOUR_ON) == []
    with team_house.kit(NIGHT) as kit:
        assert kit.store.one("SELECT COUNT(*) AS n FROM observation WHERE seq NOT IN (SELECT observation FROM fate)")["n"] == 0


def _sync(house: House, now: str) -> Carried:
    with house.kit(now) as kit:
        offer(kit)
    return carry(house.world(now))


@pytest.mark.slow
def test_a_sync_that_is_split_at_any_piece_goes_on_an_hour_later_and_brings_nothing_twice(
        server: Server, split: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carrying, "BATCH", 2)
    tenant, team, ann = server.tenant("cora"), House(tmp_path / "there"), House(tmp_path / "ann")
    tenancy.add_member(server.url("owner"), Member("ann", tenant))
    team.home.mkdir(parents=True)
    point(team.paths.store, server.url("cora"), tenant)
    ann.settings = build_settings({"teams": {"url": split.server.url("ann"), "tenant": tenant, "scopes": ["project"]}})
    names = ("billing", "search", "mail", "login", "photo", "ledger", "quota", "audit")
    for house, first in ((team, 9000), (ann, 8000)):
        house.say(NOON, *(Said(PORT.format(f"{name}-{first}", first + n), conversation=name) for n, name in enumerate(names)))
        house.dream(NIGHT)
    split.pull(after=12)
    held_up, now = 0, parse_instant(NIGHT)
    for more in range(40):
        done = threading.Event()
        giving_up = threading.Thread(target=split.give_up, args=(done,))
        giving_up.start()
        try:
            _sync(ann, iso(now))
            break
        except Outage:
            held_up += 1
        finally:
            done.set()
            giving_up.join()
            now += timedelta(hours=1)
            split.plug()
            split.pull(after=14 + 2 * more)
    split.plug()
    assert 5 < held_up < 40
    team.dream(iso(now))
    _sync(ann, iso(now))
    assert {PORT.format(f"{name}-8000", 8000 + n) for n, name in enumerate(names)} <= {m.text for m in team.memories()}
    assert len(team.memories()) == 2 * len(names) and _twice(team) == []
    assert team.faults(iso(now)) == ann.faults(iso(now)) == []
    again = _sync(ann, iso(now))
    assert (again.sent, again.brought, again.memories) == (0, 0, 2 * len(names))


def test_a_connection_that_nobody_answers_on_is_given_up_within_a_minute(split: Wire) -> None:
    with closing(database.connect(split.server.url("postgres"))) as connection:
        with socket.socket(fileno=connection.fileno()) as one:
            asked = {name: one.getsockopt(socket.IPPROTO_TCP, getattr(socket, name))
                     for name in ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT", "TCP_USER_TIMEOUT")}
            assert one.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            one.detach()
        assert asked["TCP_KEEPIDLE"] + asked["TCP_KEEPINTVL"] * asked["TCP_KEEPCNT"] <= 60
        assert 0 < asked["TCP_USER_TIMEOUT"] <= 60_000


def test_a_server_that_takes_connections_and_says_nothing_is_an_outage(split: Wire, server: Server) -> None:
    split.pull()
    with pytest.raises(Outage, match="does not answer"):
        database.Database(split.server.url("postgres"), server.tenant())


def test_what_was_left_open_is_told_as_an_outage(team_house: House) -> None:
    with pytest.raises(DreamError) as failure, team_house.kit(NIGHT) as kit, kit.store.writing() as tx:
        tx.execute("SELECT 1")
        threading.Event().wait(1.5)
        tx.execute("SELECT 1")
    assert isinstance(failure.value, Outage) and failure.value.code == "store-busy"


NEWER_STEP = (schema.VERSION + 1, "a newer shape", "ALTER TABLE observation ADD COLUMN mood TEXT NOT NULL DEFAULT ''")
NEWER = f"""import runpy, sys
from dreamd.store import schema
schema.MIGRATIONS += ({NEWER_STEP!r},)
schema.VERSION += 1
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")"""


@pytest.mark.parametrize("step", [3])
def test_an_older_dream_at_work_while_the_store_is_brought_up_to_date_leaves_it_to_the_newer(
        team_house: House, own_house: House, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        step: int) -> None:
    tenant, scope = server.tenants[-1], "project:p"
    for house in (team_house, own_house):
        house.say(NOON, *(Said(PORT.format(name, 8000 + n), scope=scope, conversation="a")
                          for n, name in enumerate(("billing", "search", "mail"))))
    server.hurry(tenant)
    with worker_process(tmp_path / "older", server.url("worker"), tenant, hold=step, now=NIGHT) as older:
        assert older.stdout and older.stdin and older.stdout.readline() == "holding\n"
        dream = str(Path(sys.executable).with_name("dream"))
        subprocess.run([sys.executable, "-c", NEWER, dream, "--home", str(tmp_path / "operator"), "team", "init", "--url",
                        server.url("owner"), "--tenant", tenant], check=True, stdout=subprocess.DEVNULL)
        before = server.ask("SELECT count(*) FROM dream.fate WHERE tenant = %s", tenant)
        older.stdin.write("go on\n")
        older.stdin.flush()
        assert older.wait(60) != 0  # it says which version is missing
    assert server.ask("SELECT count(*) FROM dream.fate WHERE tenant = %s", tenant) == before
    with pytest.raises(Outage, match="knows"):
        team_house.say(NOON, "What an older dream says is not taken in half understood")
    server.hurry(tenant)
    with worker_process(tmp_path / "newer", server.url("worker"), tenant, now=NIGHT, by=("-c", NEWER)):
        until(lambda: not server.ask("SELECT 1 FROM dream_work.procrastinate_jobs WHERE tenant = %s AND task_name = 'dream' "
                                     "AND status IN ('todo', 'doing')", tenant), within_s=60)
    own_house.dream(NIGHT)
    with monkeypatch.context() as newer:
        newer.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, NEWER_STEP))
        for place in (schema, team_store):
            newer.setattr(place, "VERSION", NEWER_STEP[0])
        shape.wanted.cache_clear()
        assert _standing(team_house) == _standing(own_house) and len(_standing(own_house)) == 3
        assert _twice(team_house) == [] and team_house.faults(NIGHT) == []
    shape.wanted.cache_clear()


@pytest.fixture
def small() -> Iterator[Server]:
    """A server on a disk of its own that is soon full."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root gives a server a disk of its own")
    with running(settings=f"{QUICK} -c max_wal_size=32MB -c min_wal_size=32MB", room_mib=160) as server:
        yield server


@pytest.mark.slow
@pytest.mark.parametrize("left_kib", [0, 100])
def test_a_full_disk_of_the_server_loses_nothing_that_was_taken_in(small: Server, own_house: House, tmp_path: Path,
                                                                  left_kib: int) -> None:
    tenant, house, taken, full = small.tenant(), House(tmp_path / "team"), list[Said](), 0
    house.home.mkdir(parents=True)
    point(house.paths.store, small.url("worker"), tenant)
    filler = small.socket / "filler"

    def fill() -> None:
        with filler.open("wb") as file, suppress(OSError):
            while True:
                file.write(bytes(65_536))
                file.flush()
        os.truncate(filler, max(0, filler.stat().st_size - left_kib * 1024))

    def say(n: int) -> None:
        said = Said(f"{PORT.format(f'service-{n}', 1000 + n)}, and its runbook says {n} {'of old ' * 200}", conversation="a",
                    scope=f"project:p{n % 3}")
        house.say(NOON, said)
        taken.append(said)

    say(0)
    fill()
    for n in range(1, 120):
        try:
            say(n)
        except DreamError as error:
            assert isinstance(error, Outage), error
            full += 1
            if full > 2:
                break
    for n in range(3):
        with suppress(Outage):
            work_off(hand(tmp_path / f"full{n}", small.url("worker"), tenant, clock=CLOCK))
    assert full
    filler.unlink()
    small.restart()
    say(1000)
    small.hurry(tenant)
    work_off(hand(tmp_path / "after", small.url("worker"), tenant, clock=CLOCK))
    small.hurry(tenant)
    work_off(hand(tmp_path / "after", small.url("worker"), tenant, clock=CLOCK))
    with house.kit(NIGHT) as kit:
        told = {str(row[0]) for row in kit.store.tuples("SELECT text FROM observation")}
        assert kit.store.one("SELECT COUNT(*) AS n FROM observation WHERE seq NOT IN (SELECT observation FROM fate)")["n"] == 0
    assert {one.text for one in taken} <= told and _twice(house) == [] and house.faults(NIGHT) == []
    own_house.say(NOON, *taken)
    own_house.dream(NIGHT)
    assert {m.text for m in own_house.memories()} <= {m.text for m in house.memories()}
