"""Asking the agent that had a conversation what of it should be remembered: once, for at most five statements.

Only where a person connected with `--observe`, for it prolongs a turn that somebody pays for. An answer counts as what an agent
says: it passes the same gate, and each statement needs words of the person's own that stand in the conversation.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dreamd.agents import hooks
from dreamd.agents.guarding import without_memory
from dreamd.core import fsio
from dreamd.core.errors import DreamError
from dreamd.core.values import LONGEST_TEXT, SHORTEST_TEXT, Candidate, Cursor, Origin, Speaker
from dreamd.core.world import World
from dreamd.text.redaction import redact

MOST_STATEMENTS = 5
SHORTEST_EVIDENCE = 8
MARK_DAYS = 30
QUESTION = (
    "dream, the memory that this person connected with `dream connect --observe`, asks once in a conversation: what was said "
    "here that a later conversation should know and that the repository does not say already? Wishes, corrections, decisions "
    "and facts of the person that last; nothing about the work of this session. Answer with at most five lines and nothing "
    'else, each a JSON object: {"remember": "one statement that can be understood alone", "evidence": "the person\'s own '
    'words it rests on, quoted exactly"}. If there is nothing, answer only: nothing to remember.')
_BUDGET_BYTES = 8 * 1024 * 1024
_LONGEST_S = 4.0
"""For looking the evidence up; the harness waits for us meanwhile."""


def ask(world: World, call: hooks.Call, marks: Path) -> str:
    """The question for the agent; empty where nothing of the conversation is for the memory."""
    with suppress(OSError, DreamError):
        for mark in marks.iterdir():
            if world.clock.now().timestamp() - mark.stat().st_mtime > MARK_DAYS * 86_400:
                fsio.remove(mark)
    return "" if without_memory.is_off(world, call.conversation) or hooks.is_kept_out(world, call) else QUESTION


def take(world: World, call: hooks.Call, answer: str) -> int:
    """Leave what the agent answered in the inbox, as far as the person's words bear it; says how many statements that are."""
    from dreamd.store.intake import inbox

    told = list(_statements(answer))[:MOST_STATEMENTS]
    if not told or without_memory.is_off(world, call.conversation) or hooks.is_kept_out(world, call):
        return 0
    heard = _plain("\n".join(_heard(Path(call.transcript))))
    now = world.clock.now()
    kept = [Candidate(redact(text).text, Origin.AGENT, now, hooks.own_scope(call.conversation), conversation=call.conversation,
                      sign="observed", context=redact(evidence).text)
            for text, evidence in told if _plain(evidence) in heard]
    if kept:
        inbox.put_notes(world.paths, kept, now=now, ticket=f"observed {call.conversation}", place=call.cwd)
    return len(kept)


def _statements(answer: str) -> Iterator[tuple[str, str]]:
    """Each statement of an answer with its evidence, whatever stands around them."""
    for line in answer.splitlines():
        start = line.find("{")
        with suppress(ValueError, RecursionError):
            row = json.loads(line[start:line.rfind("}") + 1]) if start >= 0 else None
            text, evidence = (row.get("remember"), row.get("evidence")) if isinstance(row, dict) else (None, None)
            if isinstance(text, str) and isinstance(evidence, str) and len(_plain(evidence)) >= SHORTEST_EVIDENCE and (
                    SHORTEST_TEXT <= len(text.strip()) <= LONGEST_TEXT):
                yield text.strip(), evidence.strip()


def _heard(transcript: Path) -> Iterator[str]:
    """What the person said in a conversation, as far as there is time to read it."""
    from dreamd.sources import adapter_for

    adapter, cursor, until_s = adapter_for(transcript), Cursor(), time.monotonic() + _LONGEST_S
    while adapter is not None and time.monotonic() < until_s:
        reading = adapter.read(transcript, cursor, budget_bytes=_BUDGET_BYTES)
        yield from (event.text for event in reading.events if event.speaker is Speaker.HUMAN)
        if reading.complete or reading.cursor == cursor:
            return
        cursor = reading.cursor


def _plain(text: str) -> str:
    return " ".join(text.strip(" \"'“”„").casefold().split())
