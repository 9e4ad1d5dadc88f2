"""One call through Anthropic's SDK: a mark behind the constant part, and every failure by its name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dreamd.core.clock import FixedClock, parse_instant
from dreamd.core.paths import Paths
from dreamd.core.settings import LlmSettings, Settings
from dreamd.core.world import World
from dreamd.llm.calling import Caller, open_caller
from dreamd.models.language_model import Ask, Ending, Role
from model_server import ModelServer, Reply

pytest.importorskip("anthropic", reason="the extra `anthropic` is not installed")

SCHEMA = {"type": "object", "properties": {"facts": {"type": "array", "items": {"type": "string"}}}, "required": ["facts"]}
GOOD = {"facts": ["the port is 8080"]}


def an_ask(data: str, *, seconds: float = 20.0) -> Ask:
    """A question of the observer."""
    return Ask(Role.OBSERVER, "observer@1", "Read what was said. " * 40, data, SCHEMA, "project:cedar", 500, seconds)


@pytest.fixture(scope="module")
def listening() -> Iterator[ModelServer]:
    """One server for all tests here."""
    with ModelServer(GOOD) as one:
        yield one


@pytest.fixture
def server(listening: ModelServer) -> ModelServer:
    """It has been asked nothing."""
    listening.forget()
    return listening


@pytest.fixture(scope="module")
def caller(listening: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A caller of that server, in its child process."""
    home = tmp_path_factory.mktemp("home")
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "sesame"}
    world = World(Paths(home), Settings(), FixedClock(parse_instant("2026-01-05T09:00:00Z")), env)
    settings = Settings(llm=LlmSettings(backend="anthropic", base_url=listening.url, model="small"))
    with open_caller(settings, world) as one:
        yield one


def test_the_constant_part_is_marked_and_cached_from_the_second_call_on(server: ModelServer, caller: Caller) -> None:
    first, second = caller.call(an_ask("line 1: one")), caller.call(an_ask("line 1: two"))
    assert (first.ending, first.value, first.used.cached) == (Ending.ANSWERED, GOOD, 0)
    assert second.used.cached > 100
    one, two = server.requests
    assert (second.used.tokens_in, one.headers["authorization"]) == (two.tokens, "Bearer sesame")
    [part] = one.body["system"]
    assert part["cache_control"] == {"type": "ephemeral"} and part == two.body["system"][0]
    assert one.user == "line 1: one" and "cedar" not in str(one.body)
    assert one.body["output_config"]["format"]["schema"]["additionalProperties"] is False


@pytest.mark.parametrize(("reply", "ending"), [
    (Reply(text="certainly"), Ending.INVALID), (Reply(value={"facts": 1}), Ending.INVALID), (Reply(body=b"{}"), Ending.INVALID),
    (Reply(value=GOOD, finish="length"), Ending.CUT), (Reply(refusal="no"), Ending.REFUSED),
    (Reply(status=400), Ending.REFUSED),
    (Reply(status=401), Ending.UNAUTHORISED), (Reply(status=403), Ending.UNAUTHORISED), (Reply(status=413), Ending.TOO_LARGE),
    (Reply(status=429), Ending.LIMITED), (Reply(status=529), Ending.SERVER), (Reply(drop=True), Ending.UNREACHABLE),
    (Reply(megabytes=10), Ending.TOO_LARGE)], ids=lambda told: told.value if isinstance(told, Ending) else str(told.status))
def test_every_failure_has_its_name_and_is_one_request(
        server: ModelServer, caller: Caller, reply: Reply, ending: Ending) -> None:
    server.script.append(reply)
    assert (caller.call(an_ask("x")).ending, len(server.requests)) == (ending, 1)


def test_silence_ends_in_time(server: ModelServer, caller: Caller) -> None:
    server.script.append(Reply(hang=True))
    assert caller.call(an_ask("x", seconds=1.0)).ending is Ending.SILENT


def test_without_a_key_nobody_is_asked(tmp_path: Path) -> None:
    world = World(Paths(tmp_path), Settings(), FixedClock(parse_instant("2026-01-05T09:00:00Z")), {"HOME": str(tmp_path)})
    with open_caller(Settings(llm=LlmSettings(backend="anthropic", model="small")), world) as caller:
        assert caller.call(an_ask("x")).detail == "no-key"
