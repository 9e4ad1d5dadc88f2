"""`dream llm`: found, shown, asked once and tried before it is on; off in one word; what was used and what left can be seen."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_stand_ins import calls_of, stand_in
from model_server import ModelServer, Reply

pytest.importorskip("openai", reason="the extra `llm` is not installed")
WORD = {"word": "otter"}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that can answer the first try."""
    with ModelServer(WORD, model="small", models=("small", "smaller")) as one:
        yield one


def settings_of(dream: Any) -> str:
    """The person's own file."""
    path = dream.root / "config" / "dream" / "dream.toml"
    return path.read_text() if path.exists() else ""


def test_a_server_is_tried_and_only_then_switched_on(dream: Any, server: ModelServer) -> None:
    dream.settings("# mine\n[llm]\n# how dear\nprice_in = 1.0\n\n[recall]\nlean = 4\n")
    told = dream("llm", "setup", "--base-url", server.url, "--yes", now=None)
    assert told.code == 0, told.err
    assert server.url in told.err and "60 calls" in told.err and "at most" in told.err
    assert [asked.body["model"] for asked in server.requests] == ["small"]
    file = settings_of(dream)
    assert file.startswith("# mine\n[llm]\n") and file.endswith("# how dear\nprice_in = 1.0\n\n[recall]\nlean = 4\n")
    document = dream.json("llm", "status")
    assert (document["backend"], document["model"], document["base_url"]) == ("openai", "small", server.url)
    assert document["roles"] == {"observer": True, "judge": True, "reflector": True, "query": False}
    dream("llm", "off")
    assert dream.json("llm", "status")["backend"] == "off" and 'model = "small"' in settings_of(dream)
    assert not dream.home.exists(), "none of this needs a store"


def test_tries_by_hand_are_in_the_log_and_their_failures_hold_nobody_back(dream: Any, server: ModelServer) -> None:
    dream("note", "the fog horn is tested on Mondays")
    assert dream("llm", "setup", "openai", "--base-url", server.url, "--yes", now=None).code == 0
    server.script += [Reply(status=401)] * 3
    for _ in range(3):
        assert dream("llm", "setup", "openai", "--base-url", server.url, "--yes", now=None).code == 1
    calls = dream.json("llm", "log")["calls"]
    assert [(call["role"], call["outcome"]) for call in calls] == [*[("setup", "unauthorised")] * 3, ("setup", "answered")]
    assert dream.json("llm", "status")["resting"] is None


def test_a_server_that_knows_no_schema_is_held_as_far_as_it_can_be(dream: Any, server: ModelServer) -> None:
    server.script += [Reply(status=400), "Of course! The word is otter."]
    document = dream.json("llm", "setup", "openai", "--base-url", server.url, "--yes", now=None)
    assert document["answer_form"] == "text" and len(server.requests) == 3
    assert 'answer_form = "text"' in settings_of(dream)


@pytest.mark.parametrize(("reply", "says", "do"), [
    (Reply(status=401), "unauthorised", "`OPENAI_API_KEY`"), (Reply(status=403), "unauthorised", "the account"),
    (Reply(status=429, code="insufficient_quota"), "unauthorised", "its balance"),
    (Reply(status=429), "rate-limited", "try again later"), (Reply(status=500), "server-error", "try again later"),
    (Reply(status=404), "refused", "--model"), (Reply(text="no"), "invalid", "another model"),
    (Reply(refusal="I would rather not."), "refused", "another model"),
], ids=["401", "403", "quota", "429", "500", "404", "prose", "refusal"])
def test_a_try_that_fails_changes_nothing_and_says_why_and_what_to_do(dream: Any, server: ModelServer, reply: Reply, says: str,
                                                                      do: str) -> None:
    server.answer = reply
    told = dream("llm", "setup", "openai", "--base-url", server.url, "--yes", now=None)
    assert (told.code, says in told.err) == (1, True), told.err
    assert do in told.err.partition("hint:")[2], told.err
    assert settings_of(dream) == ""


def test_nothing_is_sent_before_somebody_agreed(dream: Any, server: ModelServer) -> None:
    told = dream("llm", "setup", "openai", "--base-url", server.url, now=None)
    assert (told.code, server.requests, settings_of(dream)) == (4, [], "")


def test_an_agents_program_is_found_and_tried(dream: Any) -> None:
    place = dream.root / "bin"
    program = stand_in(place, "claude", value=WORD)
    dream.env["PATH"] = f"{place}:{Path(sys.executable).parent}:/usr/bin:/bin"
    told = dream("llm", "setup", "claude", "--yes", now=None)
    assert told.code == 0, told.err
    assert str(program) in told.err and "of the plan it is logged in with" in told.err
    assert len(calls_of(place)) == 1 and 'backend = "claude"' in settings_of(dream)


def test_what_dream_does_not_change_is_left_as_it_is(dream: Any, server: ModelServer) -> None:
    dream.settings('llm.backend = "off"\n')
    told = dream("llm", "setup", "openai", "--base-url", server.url, "--yes", now=None)
    assert told.code == 78 and 'backend = "openai"' in told.err
    assert settings_of(dream) == 'llm.backend = "off"\n'


def test_wrong_words_are_told(dream: Any) -> None:
    assert dream("llm", "setup", "gemini", "--yes").code == 2
    assert dream("llm", "setup", "anthropic", "--yes").code == 2
    assert dream("llm", "log").code == 10
    assert "off" in dream("llm").out


def test_help_says_what_leaves_and_what_it_costs_in_half_a_page(dream: Any) -> None:
    told = dream("help", "llm").out
    assert all(word in told for word in ("What it can do", "What leaves the machine", "What it costs", "llm.exclude"))
    assert len(told.partition("options:")[0].splitlines()) < 35


def test_the_log_shows_each_call_and_the_text_that_left(dream: Any) -> None:
    from dreamd.core.clock import FixedClock, parse_instant
    from dreamd.core.paths import Paths
    from dreamd.core.settings import Settings
    from dreamd.core.world import World
    from dreamd.kit import open_kit
    from dreamd.models.language_model import Ending, Used
    from dreamd.store.language.language_calls import Call, reserve, settle
    from dreamd.store.language.sent_texts import keep_text

    now = parse_instant("2026-03-02T08:00:00Z")
    world = World(Paths(dream.home), Settings(), FixedClock(now), dream.env)
    with open_kit(world, create=True, migrate=True) as kit:
        for n in (1, 2):
            call = Call(0, now, n, "observer", "observer@1", "project:cedar", "small", Used(1000, 0, 500, 20.0, 0.5))
            with kit.writing() as tx:
                seq = reserve(tx, call, request=f"r{n}")
        with kit.writing() as tx:
            settle(tx, Call(seq, now, 2, "observer", "observer@1", "project:cedar", "small", Used(900, 600, 40, 2.0, 0.01),
                            Ending.ANSWERED))
        keep_text(kit.paths, "what left\n", call=seq, at=now)
    last, first = dream.json("llm", "log")["calls"]
    assert [last[name] for name in ("outcome", "tokens_in", "cached", "tokens_out", "cost")] == ["answered", 900, 600, 40, 0.01]
    assert (first["outcome"], first["tokens_in"]) == ("unknown", 1000), "one that nobody saw end counts as its worst case"
    assert dream("llm", "log", str(last["call"])).out == "what left\n\n"
    assert dream("llm", "log", str(first["call"])).code == 1
    told = dream("llm", "log").out.splitlines()
    assert told[0].split() == ["call", "at", "role", "model", "in", "cached", "out", "took", "cost", "outcome"]
    assert len(told) == 3
    used = dream.json("llm", "status")["used"]["month"]
    assert (used["requests"], used["tokens_in"], used["cached_share"]) == (2, 1900, 0.316)


def test_what_is_measured_asks_the_model_only_where_that_is_what_is_tried(dream: Any, server: ModelServer) -> None:
    assert dream("llm", "setup", "--base-url", server.url, "--yes", now=None).code == 0
    server.forget()
    told = dream("eval", "llm", now=None)
    assert told.code == 0, told.err
    assert server.requests and "weighted recall" in told.out
