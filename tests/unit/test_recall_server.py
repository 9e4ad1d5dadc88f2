"""The recall server over its real socket: who may ask, what it answers, and when it goes."""

from __future__ import annotations

import json
import socket
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dreamd import __version__
from dreamd.agents import recall_client, recall_line, recall_server
from dreamd.core.errors import Locked, StoreMissing
from dreamd.core.settings import build_settings
from dreamd.core.values import Scope
from dreamd.recall.answer import Look
from household import FIRST_DAY, FIRST_NIGHT, House, Said

LATER = "2026-01-06T09:00:00Z"


@pytest.fixture
def known(house: House) -> House:
    """A few memories."""
    house.say(FIRST_DAY, "The cedar kiln is fired on Wednesdays", Said("The birch kiln is fired on Mondays", "project:birch"))
    house.dream(FIRST_NIGHT)
    return house


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks waits for an answer however busy the machine is: what to do without one is told elsewhere."""
    call = recall_line.call
    monkeypatch.setattr(recall_line, "call", lambda path, line, *, wait_s=0.0: call(path, line, wait_s=max(wait_s, 60.0)))


@contextmanager
def serving(house: House, *, idle_s: float = 30.0) -> Iterator[dict[str, Any]]:
    """A server in a thread of this process; says afterwards why it ended."""
    stop, told = threading.Event(), {}

    def work() -> None:
        told["why"] = recall_server.serve(house.world(LATER), embedder=house.embedder, idle_s=idle_s, should_stop=stop.is_set)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        until = time.monotonic() + 90
        while thread.is_alive() and time.monotonic() < until and say(house, b"ready?") is None:
            time.sleep(0.01)
        told["thread"] = thread
        yield told
    finally:
        stop.set()
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(60)
            if house.paths.socket.exists():
                line.connect(str(house.paths.socket))  # wakes it up
        thread.join(timeout=120)
        assert not thread.is_alive()


AS_USUAL = Look()


def ask(house: House, query: str, look: Look = AS_USUAL) -> Any:
    with house.kit(LATER) as kit:
        return recall_client.ask(kit.world, query, look, store=kit.store)


def say(house: House, line: bytes) -> Any:
    told = recall_line.call(house.paths.socket, line)
    return json.loads(told) if told is not None else None


def request(house: House, **more: object) -> bytes:
    return json.dumps({"v": 1, "dream": __version__, "settings": recall_line.settings_key(house.settings), "now": None,
                       "op": "search", "query": "kiln", "limit": None, "budget": "balanced", "held": False, "injection": False,
                       "scopes": [], "record": False, "directory": None, **more}).encode()


def test_the_server_answers_like_a_search_in_this_process_and_counts_afterwards(known):
    with serving(known), known.kit(LATER) as kit:
        from dreamd.recall.answer import search

        there = ask(known, "when is the cedar kiln fired?")
        here = search(kit, "when is the cedar kiln fired?", Look(record=False))
        assert [(r.memory.id, r.parts) for r in there.results] == [(r.memory.id, r.parts) for r in here.results]
        assert [r.score for r in there.results] == [r.score for r in here.results]
        assert there.mode == here.mode
    assert known.memory("Wednesdays").recalls == 1


def test_scopes_limits_and_clues_reach_the_server(known, tmp_path):
    with serving(known):
        look = Look(limit=1, scopes=(Scope("project", "birch"),), directory=tmp_path)
        assert [r.memory.text for r in ask(known, "kiln fired", look).results] == ["The birch kiln is fired on Mondays"]


def test_the_socket_belongs_to_its_owner_alone_and_goes_with_the_server(known):
    with serving(known):
        facts = known.paths.socket.stat()
        assert stat.S_ISSOCK(facts.st_mode)
        assert stat.S_IMODE(facts.st_mode) == 0o600
    assert not known.paths.socket.exists()


def test_a_home_has_one_server(known):
    with serving(known), pytest.raises(Locked):
        recall_server.serve(known.world(LATER), embedder=known.embedder)


def test_a_socket_a_dead_server_left_is_replaced(known):
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(known.paths.socket))
    with serving(known):
        assert ask(known, "cedar kiln Wednesdays").results


def test_a_path_too_long_for_a_socket_is_reached_all_the_same(house, tmp_path):
    deep = House(tmp_path / ("long-" * 30), house.embedder)
    deep.root.mkdir()
    deep.say(FIRST_DAY, "The cedar kiln is fired on Wednesdays")
    deep.dream(FIRST_NIGHT)
    assert len(str(deep.paths.socket)) > 120
    stop = threading.Event()
    thread = threading.Thread(target=recall_server.serve, args=(deep.world(LATER),),
                              kwargs={"embedder": deep.embedder, "idle_s": 600.0, "should_stop": stop.is_set})
    thread.start()
    try:
        until = time.monotonic() + 90
        while not (answer := ask(deep, "cedar kiln Wednesdays")) and time.monotonic() < until:
            time.sleep(0.01)
        assert answer.results
    finally:
        stop.set()
        recall_line.call(deep.paths.socket, b"wakes it up")
        thread.join(timeout=120)
    assert not thread.is_alive()


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b"null", b'{"v": 1}', b'{"v": 9}', b"\xff\xfe", b'{"a":' * 9000 + b"1"])
def test_what_makes_no_sense_gets_a_no_and_the_server_lives_on(known, line):
    with serving(known):
        assert say(known, line)["ok"] is False
        assert ask(known, "cedar kiln Wednesdays").results


def test_requests_out_of_bounds_get_a_no(known):
    with serving(known):
        for more in ({"limit": 0}, {"limit": 10**9}, {"limit": "7"}, {"budget": "endless"}, {"scopes": "user"},
                     {"scopes": ["x:"]},
                     {"query": ""}, {"query": "x" * 9000}, {"op": "erase"}, {"now": "yesterday"}, {"settings": "other"}):
            assert say(known, request(known, **more))["ok"] is False, more
        assert say(known, request(known))["ok"] is True
        assert say(known, b"x" * (recall_line.LARGEST_REQUEST_BYTES + 10)) is None
        assert say(known, request(known))["ok"] is True


def test_an_answer_carries_no_memory_text(known):
    with serving(known):
        told = recall_line.call(known.paths.socket, request(known, query="cedar kiln Wednesdays"))
    assert told is not None and b"Wednesdays" not in told


def test_a_client_that_says_nothing_is_not_waited_for(known, monkeypatch):
    monkeypatch.setattr(recall_server, "REQUEST_S", 600.0)
    with serving(known), socket.socket(socket.AF_UNIX) as silent:
        silent.connect(str(known.paths.socket))
        assert ask(known, "cedar kiln Wednesdays").results, "an answer comes while the other client could still be waited for"


def test_a_client_that_says_nothing_for_long_is_shown_out(known, monkeypatch):
    monkeypatch.setattr(recall_server, "REQUEST_S", 0.2)
    with serving(known, idle_s=600.0), socket.socket(socket.AF_UNIX) as silent:
        silent.connect(str(known.paths.socket))
        silent.settimeout(60)
        assert silent.recv(10) == b""


def test_other_settings_are_answered_by_the_client_itself(known):
    with serving(known), known.kit(LATER) as kit:
        other = replace(kit.world, settings=build_settings({"recall": {"floor": 0.9}}))
        assert recall_client.ask(other, "kiln", Look(), store=kit.store) is None


def test_without_a_server_nothing_is_asked_and_nothing_is_left_behind(known):
    before = sorted(p.name for p in known.home.iterdir())
    assert ask(known, "kiln") is None
    assert sorted(p.name for p in known.home.iterdir()) == before


def test_where_the_service_runs_it_is_told_that_somebody_asked(known):
    known.paths.heartbeat.write_text("{}")
    assert ask(known, "kiln") is None
    assert recall_line.is_wanted(known.home, now_s=time.time())
    assert not recall_line.is_wanted(known.home, now_s=time.time() + 3600)


def test_the_server_goes_when_nobody_asks(known):
    with serving(known, idle_s=0.3) as told:
        told["thread"].join(timeout=120)
        assert told["why"] == "nobody asked for a while"


def test_the_server_goes_when_the_store_was_exchanged_under_it(known):
    with serving(known) as told:
        assert ask(known, "kiln").results
        copy = known.home / "copy.db"
        copy.write_bytes(known.paths.store.read_bytes())
        copy.replace(known.paths.store)
        assert say(known, request(known)) is None
        told["thread"].join(timeout=120)
        assert told["why"] == "the store was exchanged"


def test_the_server_goes_when_another_dream_asks(known):
    with serving(known) as told:
        assert say(known, request(known, dream="0.0.0")) is None
        told["thread"].join(timeout=120)
        assert told["why"] == "another dream was installed"


def test_there_is_no_server_without_a_store(house: House):
    with pytest.raises(StoreMissing):
        recall_server.serve(house.world(LATER), embedder=house.embedder)
    assert not Path(house.paths.socket).exists()


def test_what_was_said_in_passing_comes_over_the_socket_too_and_is_not_counted(known):
    known.say(FIRST_DAY, Said("the larch press was oiled by Oke", conversation="c1", explicit=False, sign="said-in-passing"))
    known.dream(LATER)
    with serving(known):
        (one,) = ask(known, "who oiled the larch press").results
        assert (one.memory.status.value, one.memory.text) == ("said", "the larch press was oiled by Oke")
    assert known.rows("SELECT COUNT(*) FROM recall WHERE memory = ?", one.memory.id) == [(0,)]
