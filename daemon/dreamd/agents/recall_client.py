"""Asking the recall server, where one listens; starts nothing and waits for nobody."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any  # an answer is checked where it is taken apart

from dreamd import __version__
from dreamd.agents import recall_line
from dreamd.core import fsio
from dreamd.core.clock import FixedClock, iso
from dreamd.core.errors import DreamError
from dreamd.core.world import World

if TYPE_CHECKING:
    from dreamd.recall.answer import Look, Recall
    from dreamd.store.connection import Store


def ask(world: World, query: str, look: Look, *, store: Store) -> Recall | None:
    """The answer of the server, its memories read from `store`; None when there is none to be had in time."""
    answer = _call(world, {
        "op": "search", "query": query, "limit": look.limit, "budget": look.budget.value, "held": look.held,
        "injection": look.injection, "scopes": [str(s) for s in look.scopes], "record": look.record,
        "directory": str(look.directory) if look.directory else None})
    if answer is None:
        return None
    from dreamd.recall.answer import Found, Recall
    from dreamd.recall.named_records import records_named
    from dreamd.store import memories, passages
    from dreamd.store.presence.team_copy import load_copied

    with suppress(KeyError, TypeError, ValueError):  # what makes no sense is no answer
        rows = answer["results"]
        ids = [str(r["id"]) for r in rows]
        known = memories.load_some(store, ids)
        if len(known) < len(ids):
            known |= passages.load_some(store, [i for i in ids if i not in known])
        if len(known) < len(ids) and world.settings.teams.url:
            known |= load_copied(world, [i for i in ids if i not in known])
        there = [r for r in rows if r["id"] in known]
        named = records_named(store, [known[r["id"]] for r in there])
        found = tuple(Found(known[r["id"]], float(r["score"]), dict(r["parts"]), r["clue"], records)
                      for r, records in zip(there, named, strict=True))
        return Recall(query, found, str(answer["mode"]), str(answer["warning"]), int(answer["near"]))
    return None


def ask_prime(world: World, asked: dict[str, object], *, wait_s: float = recall_line.CLIENT_WAIT_S,
              ) -> tuple[str, list[str]] | None:
    """The text for a new conversation and what of it has a day ahead, by the server; None when it cannot be had in time."""
    answer = _call(world, {"op": "prime", **asked}, wait_s=wait_s)
    text, dated = (answer.get("text"), answer.get("dated")) if answer else (None, None)
    return (text, [str(one) for one in dated]) if isinstance(text, str) and isinstance(dated, list) else None


def _call(world: World, request: dict[str, object], *, wait_s: float = recall_line.CLIENT_WAIT_S) -> dict[str, Any] | None:
    path = world.paths.socket
    if not path.is_socket():
        _want(world)
        return None
    now = iso(world.clock.now()) if isinstance(world.clock, FixedClock) else None
    body = json.dumps({"v": recall_line.VERSION, "dream": __version__, "settings": recall_line.settings_key(world.settings),
                       "now": now, **request}).encode()
    told = recall_line.call(path, body, wait_s=wait_s) if len(body) < recall_line.LARGEST_REQUEST_BYTES else None
    if told is None:
        _want(world)
        return None
    try:
        answer = json.loads(told)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) and answer.get("ok") is True else None


def _want(world: World) -> None:
    """Leave word for the service that somebody asked; where none runs nobody would read it."""
    if not world.paths.heartbeat.exists():
        return
    mark = world.paths.home / recall_line.WANTED_NAME
    with suppress(OSError, DreamError):  # never worth an error
        fsio.create_private(mark)
        os.utime(mark)
