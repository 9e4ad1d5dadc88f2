"""What asking may use: the most of one call, of a night and of a month, and the worst that a call can come to.

A night is looked at in two ways, from midnight to midnight and from noon to noon, and neither may pass its ceiling: a dream
before midnight and one after it are of one night, and so are two dreams of one day.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from dreamd.core.settings import LlmSettings
from dreamd.models.language_model import Ask, Used
from dreamd.store.connection import Store
from dreamd.store.language.language_calls import Call, Spent, has_larger, spent_between

AROUND_TOKENS = 1000
"""What a protocol puts around a question: roles, marks, the name of a schema."""
AROUND_S = 10.0
"""What starting a caller and ending it takes beyond the wait for an answer."""
TO_CACHE = {"anthropic": 1.25}
"""How much more a token in costs when it is written into a backend's cache for the next call."""
OWN_PROGRAMS = ("claude", "codex")
"""Backends that cannot be held to a number of tokens: a call may pass it once, and then there is silence."""
EPSILON = 1e-9


@dataclass(frozen=True)
class Reached:
    """A ceiling that stands in the way, by the name of its setting, and until when; None: this one call is too large."""

    setting: str
    until: datetime | None = None


@dataclass(frozen=True)
class Window:
    """A stretch of time with the ceilings that hold in it."""

    name: str
    start: datetime
    end: datetime


def size_of(fixed: str, schema: Mapping[str, object], data: str = "") -> int:
    """Most tokens of a question: none is shorter than a byte. The schema may be told twice, in words and by itself."""
    return len(fixed.encode()) + len(data.encode()) + 2 * len(json.dumps(schema).encode()) + AROUND_TOKENS


def room(fixed: str, schema: Mapping[str, object], most_out: int, settings: LlmSettings) -> int:
    """How many bytes of data still fit into one call."""
    return max(0, settings.tokens_per_call - most_out - size_of(fixed, schema))


def worst_case(ask: Ask, settings: LlmSettings, calls: Sequence[Call] = ()) -> Used:
    """The most that one call can come to, as it is reserved before it is made.

    An agent's own program puts words of its own around a question: of those is known what the last `calls` had.
    """
    tokens_in, seconds = size_of(ask.fixed, ask.schema, ask.data), min(ask.seconds, settings.timeout_s) + AROUND_S
    if settings.backend in OWN_PROGRAMS:
        seen = max((call.used.tokens_in for call in calls), default=0)
        tokens_in = max(tokens_in, min(seen, settings.tokens_per_call - ask.most_out))
    if settings.backend == "claude":
        cost: float | None = settings.cost_per_call  # the program itself is told to stop there
    else:
        cost = price(Used(tokens_in, 0, ask.most_out), settings)
    return Used(tokens_in, 0, ask.most_out, seconds, cost)


def price(used: Used, settings: LlmSettings) -> float | None:
    """What some tokens cost in US dollars; None where no price is known."""
    if not (settings.price_in or settings.price_cached or settings.price_out):
        return None
    dear = settings.price_in * TO_CACHE.get(settings.backend, 1.0)
    fresh = max(0, used.tokens_in - used.cached)
    cached = used.tokens_in - fresh
    return (fresh * dear + cached * settings.price_cached + used.tokens_out * settings.price_out) / 1e6


def windows(now: datetime, zone: tzinfo) -> tuple[Window, ...]:
    """The nights and the month that an instant belongs to, by the days of a zone."""
    local = now.astimezone(zone)
    day, evening = local.date(), (local - timedelta(hours=12)).date()
    first = day.replace(day=1)
    after = (first + timedelta(days=32)).replace(day=1)
    return (Window("night", _at(day, 0, zone), _at(day + timedelta(days=1), 0, zone)),
            Window("night", _at(evening, 12, zone), _at(evening + timedelta(days=1), 12, zone)),
            Window("month", _at(first, 0, zone), _at(after, 0, zone)))


def _at(day: date, hour: int, zone: tzinfo) -> datetime:
    return datetime.combine(day, time(hour), zone).astimezone(UTC)


def too_large(worst: Used, settings: LlmSettings) -> Reached | None:
    """Which ceiling of one call it would pass."""
    if worst.tokens_in + worst.tokens_out > settings.tokens_per_call:
        return Reached("tokens_per_call")
    if worst.cost is not None and worst.cost > settings.cost_per_call + EPSILON:
        return Reached("cost_per_call")
    return None


def added(several: Sequence[Used]) -> Used:
    """What several calls come to together."""
    costs = [used.cost for used in several if used.cost is not None]
    return Used(sum(u.tokens_in for u in several), sum(u.cached for u in several), sum(u.tokens_out for u in several),
                sum(u.seconds for u in several), sum(costs) if costs else None)


def reached(store: Store, worst: Used, settings: LlmSettings, *, now: datetime, zone: tzinfo, requests: int = 1,
            ) -> Reached | None:
    """Which ceiling of a night or the month would be passed if what is to be asked came to its worst; that which holds longest.

    A call that took more than one may is followed by none that night: what could not be held to it once will not be again.
    """
    found = []
    for window in windows(now, zone):
        passed = _passed(spent_between(store, window.start, window.end), worst, settings, (window.name, requests))
        found += [Reached(f"{what}_per_{window.name}", window.end) for what in passed]
        if window.name == "night" and has_larger(store, window.start, window.end, tokens=settings.tokens_per_call,
                                                 cost=settings.cost_per_call + EPSILON):
            found.append(Reached("tokens_per_call", window.end))
    return max(found, key=lambda one: one.until or now) if found else None


def _passed(spent: Spent, worst: Used, settings: LlmSettings, per: tuple[str, int]) -> list[str]:
    window, requests = per
    asked = {"requests": (spent.requests, requests), "tokens": (spent.tokens, worst.tokens_in + worst.tokens_out),
             "seconds": (spent.seconds, worst.seconds), "cost": (spent.cost, worst.cost or 0.0)}
    return [what for what, (had, more) in asked.items()
            if had + more > getattr(settings, f"{what}_per_{window}") + EPSILON
            and (what != "cost" or worst.cost is not None)]
