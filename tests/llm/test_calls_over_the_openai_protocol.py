"""One call over real HTTP: what comes back fits its schema, and every way of failing has its name."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from dreamd.core.clock import FixedClock, parse_instant
from dreamd.core.paths import Paths
from dreamd.core.settings import LlmSettings, Settings
from dreamd.core.world import World
from dreamd.llm.backends import Backend
from dreamd.llm.calling import Caller, open_caller, passed_on, wait_before_retry
from dreamd.models.language_model import Answer, Ask, Ending, Role
from model_server import ModelServer, Reply

pytest.importorskip("openai", reason="the extra `llm` is not installed")

SCHEMA = {"type": "object", "properties": {"facts": {"type": "array", "items": {"type": "string"}}}, "required": ["facts"],
          "additionalProperties": False}
GOOD = {"facts": ["the port is 8080"]}


def world_at(home: Path, **env: str) -> World:
    """A world of its own: nothing of this test's own environment."""
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "TZ": "UTC", **env}
    return World(Paths(home), Settings(), FixedClock(parse_instant("2026-01-05T09:00:00Z")), env)


def chosen(**keys: Any) -> Settings:
    """Settings with a backend."""
    return Settings(llm=LlmSettings(**keys))


def an_ask(data: str = "line 1: the port is 8080", *, seconds: float = 20.0) -> Ask:
    """A question of the observer."""
    return Ask(Role.OBSERVER, "observer@1", "Read what was said. " * 40, data, SCHEMA, "project:cedar", 500, seconds)


@pytest.fixture(scope="module")
def listening() -> Iterator[ModelServer]:
    """One server for all tests here."""
    with ModelServer(GOOD) as one:
        yield one


@pytest.fixture
def server(listening: ModelServer) -> ModelServer:
    """It answers well unless it is told otherwise, and has been asked nothing."""
    listening.forget()
    return listening


@pytest.fixture(scope="module")
def caller(listening: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A caller of that server, in its child process."""
    settings = chosen(backend="openai", base_url=listening.url, model="small", key_variable="MY_KEY")
    with open_caller(settings, world_at(tmp_path_factory.mktemp("home"), MY_KEY="sesame")) as one:
        yield one


def test_an_answer_that_fits_comes_back_with_what_it_cost(server: ModelServer, caller: Caller) -> None:
    first, second = caller.call(an_ask()), caller.call(an_ask("line 1: something else"))
    assert (first.ending, first.value, first.model) == (Ending.ANSWERED, GOOD, "small")
    assert (first.used.cached, first.used.tokens_in) == (0, server.requests[0].tokens)
    assert second.used.cached > 100
    assert 0 < first.used.seconds < 20


def test_a_request_carries_the_key_the_schema_and_its_constant_part_first(server: ModelServer, caller: Caller) -> None:
    caller.call(an_ask())
    asked = server.requests[0]
    assert asked.headers["authorization"] == "Bearer sesame"
    assert asked.schema == SCHEMA
    assert asked.body["max_tokens"] == 500
    assert asked.system.startswith("Read what was said.") and "8080" not in asked.system
    assert asked.user == "line 1: the port is 8080"
    assert "cedar" not in str(asked.body)


@pytest.mark.parametrize(("reply", "ending"), [
    (Reply(text="certainly! here you go"), Ending.INVALID),
    (Reply(text="{\"facts\": [\"cut"), Ending.INVALID),
    (Reply(value={"facts": "not a list"}), Ending.INVALID),
    (Reply(value={"facts": [], "more": 1}), Ending.INVALID),
    (Reply(body=b"<html>welcome to the hotel</html>"), Ending.INVALID),
    (Reply(body=b"{}"), Ending.INVALID),
    (Reply(text="[" * 100_000), Ending.INVALID),
    (Reply(value=GOOD, finish="length"), Ending.CUT),
    (Reply(refusal="I would rather not"), Ending.REFUSED),
    (Reply(value=GOOD, finish="content_filter"), Ending.REFUSED),
    (Reply(status=400), Ending.REFUSED),
    (Reply(status=404), Ending.REFUSED),
    (Reply(status=400, code="context_length_exceeded"), Ending.TOO_LARGE),
    (Reply(status=413), Ending.TOO_LARGE),
    (Reply(status=401), Ending.UNAUTHORISED),
    (Reply(status=403), Ending.UNAUTHORISED),
    (Reply(status=429, code="insufficient_quota"), Ending.UNAUTHORISED),
    (Reply(status=429), Ending.LIMITED),
    (Reply(status=500), Ending.SERVER),
    (Reply(status=503), Ending.SERVER),
    (Reply(status=307, headers={"location": "http://127.0.0.1:9/v1/chat/completions"}), Ending.REFUSED),
    (Reply(megabytes=10), Ending.TOO_LARGE),
    (Reply(drop=True), Ending.UNREACHABLE),
], ids=lambda told: told.value if isinstance(told, Ending) else f"{told.status} {told.code}")
def test_every_failure_has_its_name_is_one_request_and_the_next_call_works(
        server: ModelServer, caller: Caller, reply: Reply, ending: Ending) -> None:
    server.script.append(reply)
    answer = caller.call(an_ask())
    assert (answer.ending, answer.value) == (ending, None), answer
    assert len(server.requests) == 1
    assert caller.call(an_ask()).ending is Ending.ANSWERED


@pytest.mark.parametrize("reply", [Reply(megabytes=10), Reply(drop=True)], ids=["10 MB", "broken off"])
def test_what_was_sent_counts_where_no_answer_can_be_used(server: ModelServer, caller: Caller, reply: Reply) -> None:
    server.script.append(reply)
    used = caller.call(an_ask()).used
    assert used.tokens_in > 1000 / 3 and used.tokens_out == an_ask().most_out


@pytest.mark.parametrize("told", ['```json\n{"facts": []}\n```', '<think>{"facts": [1]} or so</think>\n{"facts": []}',
                                  'Here it is: {"facts": []} Anything else?'])
def test_an_answer_is_found_behind_a_fence_thoughts_or_politeness(server: ModelServer, caller: Caller, told: str) -> None:
    server.script.append(told)
    assert caller.call(an_ask()).value == {"facts": []}


def test_what_a_server_does_not_count_is_estimated(server: ModelServer, caller: Caller) -> None:
    server.script.append(Reply(value=GOOD, no_usage=True))
    used = caller.call(an_ask()).used
    assert used.tokens_in >= server.requests[0].tokens * 0.8 and used.tokens_out > 0


@pytest.mark.parametrize("reply", [Reply(hang=True), Reply(value=GOOD, byte_every_s=0.2)], ids=["never", "slow bytes"])
def test_silence_ends_in_time(server: ModelServer, caller: Caller, reply: Reply) -> None:
    caller.call(an_ask())
    server.script.append(reply)
    started = time.monotonic()
    answer = caller.call(an_ask(seconds=1.0))
    assert answer.ending is Ending.SILENT and 0.9 < answer.used.seconds < 3
    assert time.monotonic() - started < 4
    assert caller.call(an_ask()).ending is Ending.ANSWERED


def test_a_wait_that_the_server_names_reaches_the_ladder(server: ModelServer, caller: Caller) -> None:
    server.script += [Reply(status=429, headers={"retry-after": "7"}), Reply(status=429, headers={"retry-after": "3600"})]
    assert wait_before_retry(caller.call(an_ask()), 1) == 7
    assert wait_before_retry(caller.call(an_ask()), 1) is None
    assert wait_before_retry(Answer(Ending.SERVER), 3) is None
    assert wait_before_retry(Answer(Ending.INVALID), 1) is None


def test_nobody_there_is_unreachable_and_costs_nothing(tmp_path: Path) -> None:
    with open_caller(chosen(backend="openai", base_url="http://127.0.0.1:9/v1", model="m"), world_at(tmp_path)) as caller:
        answer = caller.call(an_ask())
    assert (answer.ending, answer.used.tokens_in, answer.used.tokens_out) == (Ending.UNREACHABLE, 0, 0)


def test_the_process_that_calls_goes_with_its_owner_and_starts_with_the_first_call(
        server: ModelServer, tmp_path: Path) -> None:
    settings = chosen(backend="openai", base_url=server.url, model="m")
    before = _callers()
    with open_caller(settings, world_at(tmp_path)) as caller:
        assert _callers() == before
        assert caller.call(an_ask()).ending is Ending.ANSWERED
        assert len(_callers() - before) == 1
    assert _callers() == before


def test_a_caller_that_is_killed_is_an_ending_and_the_next_call_starts_another(caller: Caller) -> None:
    caller.call(an_ask())
    for child in _callers():
        child.kill()
    assert caller.call(an_ask()).ending is Ending.UNREACHABLE
    assert caller.call(an_ask()).ending is Ending.ANSWERED


def test_a_dream_that_is_asked_to_stop_does_not_wait_for_an_answer(server: ModelServer, tmp_path: Path) -> None:
    stop: list[bool] = []
    server.script.append(Reply(hang=True))
    settings = chosen(backend="openai", base_url=server.url, model="m")
    started = time.monotonic()
    with open_caller(settings, world_at(tmp_path), should_stop=lambda: bool(stop) or bool(stop.append(True))) as caller:
        assert caller.call(an_ask(seconds=60)).detail == "stopped"
    assert time.monotonic() - started < 10


def test_the_caller_gets_a_list_of_what_it_may_have() -> None:
    env = {"HOME": "/h", "PATH": "/bin", "AWS_SECRET_ACCESS_KEY": "x", "OPENAI_API_KEY": "y", "MY_KEY": "z", "LD_PRELOAD": "w",
           "DREAM_HOME": "/d"}
    assert passed_on(env, Backend("openai", key_variable="MY_KEY")).keys() == {"HOME", "PATH", "MY_KEY",
                                                                               "PYTHONDONTWRITEBYTECODE"}
    assert "MY_KEY" not in passed_on(env, Backend("claude"))


def _callers() -> set[psutil.Process]:
    return {child for child in psutil.Process().children() if "dreamd.llm.caller" in child.cmdline()}
