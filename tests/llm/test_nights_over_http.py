"""Nights in processes of their own, over real HTTP, some of them killed between a call and its record."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dreamd.store.language import language_calls
from household import House
from model_server import Asked, ModelServer, Reply

pytest.importorskip("openai")
NIGHT = "2026-03-05T03:00:00Z"
HERE = Path(__file__).parent


class Nights:
    """A home, a server, and one process a night."""

    def __init__(self, house: House, **settings: object) -> None:
        self.house, self.settings = house, settings
        self.running: subprocess.Popen[str] | None = None
        self.killed = 0

    def sleep(self, server: ModelServer, now: str, count: int = 4) -> list[str]:
        """One night; gives how each question ended."""
        env = {**os.environ, "OPENAI_API_KEY": "none", "PYTHONPATH": os.pathsep.join((str(HERE), str(HERE.parent)))}
        self.running = subprocess.Popen(
            [sys.executable, str(HERE / "one_night.py"), str(self.house.home), server.url, now, str(count),
             json.dumps(self.settings)], stdout=subprocess.PIPE, text=True, env=env)
        told, _ = self.running.communicate(timeout=120)
        return told.split()

    def kill(self, asked: Asked) -> Reply:
        """End the dream that asks, before it hears the answer."""
        assert self.running is not None
        self.running.send_signal(signal.SIGKILL)
        self.killed += 1
        return Reply({"said": asked.user})


def test_a_dream_that_is_killed_over_a_call_has_used_its_worst_case(house: House) -> None:
    nights = Nights(house, requests_per_night=2)
    with ModelServer({"said": "x"}) as server:
        server.script.append(nights.kill)
        assert nights.sleep(server, NIGHT) == []
        with house.kit(NIGHT) as kit:
            (call,) = language_calls.load_calls(kit.store)
        assert call.ending is None and call.used.tokens_out == 100 and call.used.tokens_in > 1000
        assert nights.sleep(server, NIGHT) == ["answered", "ceiling", "ceiling", "ceiling"]
        assert len(server.requests) == 2
        assert nights.sleep(server, "2026-03-06T03:00:00Z")[:2] == ["kept", "answered"]


def test_the_constant_part_comes_from_the_cache_from_the_second_call_on(house: House) -> None:
    with ModelServer({"said": "x"}) as server:
        Nights(house).sleep(server, NIGHT)
        first, *others = server.requests
        assert first.cached == 0 and all(one.cached > 0 for one in others)
        assert len({one.system for one in server.requests}) == 1
    with house.kit(NIGHT) as kit:
        spent = language_calls.spent_by_role(kit.store, kit.clock.now() - timedelta(days=1))["observer"]
    assert spent.cached == sum(one.cached for one in others) > 0


@pytest.mark.slow
def test_a_month_of_nights_with_kills_never_passes_a_ceiling(house: House) -> None:
    limits = {"requests_per_night": 4, "tokens_per_night": 6000, "requests_per_month": 60, "tokens_per_month": 50_000}
    nights = Nights(house, **limits)
    came: Counter[str] = Counter()
    with ModelServer({"said": "x"}) as server:
        for day in range(31):
            now = datetime(2026, 3, 1, 3, tzinfo=UTC) + timedelta(days=day)
            server.forget()
            server.script += [{"said": "x"}] * (day % 3) + [nights.kill] + [Reply(status=500)] * (day % 2)
            for _ in range(2):
                nights.sleep(server, now.isoformat())
            tokens = sum(asked.tokens + 10 for asked in server.requests)
            assert len(server.requests) <= limits["requests_per_night"] and tokens <= limits["tokens_per_night"]
            came.update(requests=len(server.requests), tokens=tokens)
    assert 30 <= came["requests"] <= limits["requests_per_month"] and came["tokens"] <= limits["tokens_per_month"]
    assert nights.killed > 10
