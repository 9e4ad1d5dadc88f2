"""A turn, or a conversation, for which a person wants no memory: how it is asked for, marked, and told to the agent.

A mark is one small file a conversation. The hooks that end a turn remove it without importing this; who answers an agent's
tool call knows no conversation, only the place it runs in, so a mark carries the place too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.clock import days_between, iso, parse_instant
from dreamd.core.errors import DreamError
from dreamd.core.paths import Paths
from dreamd.core.repositories.repository import find_repository
from dreamd.core.world import World
from dreamd.text import patterns

WORDS = "words/without_memory"
PLACE = "silent"
TURN, CONVERSATION = "turn", "conversation"
LONGEST_DAYS = {TURN: 0.5, CONVERSATION: 7.0}
"""A turn ends with the agent's answer or the next prompt; where neither is ever told, with this."""
READ_CHARS = 2_000
TOLD = ("The person wants {span} without memory. Use nothing that is on record from earlier conversations, not even what was "
        "told at the start of this one, and call no memory tool{after}.")
OFF = "memory is off for this turn, because the person asked for that; with the next turn it is back"
AGENT_SIGNS = ("CLAUDECODE", "GEMINI_CLI", "CURSOR_AGENT", "CODEX_SANDBOX", "OPENCODE")
"""Variables that agents set for the commands they run."""
_CLAUSE = r"(?:\A|[.!?;:,\n(\[–—。，！？；：、-])\s*"
_BREAKS = ".!?\n。！？；"
_SENTENCE = re.compile(rf"[{_BREAKS}]")
_ENDS = r"\s*(?:\Z|[.,;:!?)\]\n–—。，！？；：、]|- )"


def asked_for(prompt: str) -> str:
    """What a prompt wants no memory for: `turn`, `conversation`, or nothing."""
    for part in (prompt[:READ_CHARS], prompt[READ_CHARS:][-READ_CHARS:]):
        found = _wish().search(part)
        if found:
            before, after = _SENTENCE.split(part[:found.end()].rstrip(_BREAKS)), _SENTENCE.split(part[found.end():])
            named = patterns.has(WORDS, CONVERSATION, f"{before[-1]} {after[0]}")
            return CONVERSATION if named else TURN
    return ""


def hear(world: World, conversation: str, place: str, prompt: str) -> str:
    """Begin the turn of a prompt, with or without memory; what the agent is to know of it, or nothing."""
    wanted = asked_for(prompt)
    fsio.remove(_mark(world.paths, conversation, TURN))
    if wanted == CONVERSATION:
        _leave(world, conversation, place, CONVERSATION)
    span = CONVERSATION if is_off(world, conversation) else wanted
    if not span:
        return ""
    _leave(world, conversation, place, TURN)
    return TOLD.format(span=f"this {span}", after="" if span == CONVERSATION else "; the next turn is as before")


def is_off(world: World, conversation: str) -> bool:
    """Whether a person wants a whole conversation without memory."""
    return _read(world, _mark(world.paths, conversation, CONVERSATION), CONVERSATION) is not None


def is_off_at(world: World, directory: Path) -> bool:
    """Whether the turn that goes on in a directory, or in its repository, is one without memory."""
    places = {place for mark in (world.paths.home / PLACE).glob(f"*.{TURN}") if (place := _read(world, mark, TURN)) is not None}
    return bool(places) and _roots(str(directory)) in map(_roots, places)


def is_agent(env: Mapping[str, str]) -> bool:
    """Whether an agent runs this command, as far as its variables tell."""
    return any(env.get(name) for name in AGENT_SIGNS)


def _roots(place: str) -> str:
    """By what two directories are one place: their work tree, or themselves."""
    found = find_repository(place)
    return str(Path(found.place if found else place).expanduser().resolve()) if "\x00" not in place else ""


def _leave(world: World, conversation: str, place: str, span: str) -> None:
    for old in (world.paths.home / PLACE).glob("*"):
        kind = old.suffix.removeprefix(".")
        if kind in LONGEST_DAYS and _read(world, old, kind) is None:
            fsio.remove(old)
    row = {"at": iso(world.clock.now()), "place": place}
    fsio.write_atomic(_mark(world.paths, conversation, span), json.dumps(row, ensure_ascii=False).encode("utf-8", "replace"))


def _mark(paths: Paths, conversation: str, span: str) -> Path:
    return paths.home / PLACE / f"{blake2b(conversation.encode('utf-8', 'replace'), digest_size=8).hexdigest()}.{span}"


def _read(world: World, mark: Path, span: str) -> str | None:
    """The place of a mark; None where there is none, or only one that is too old."""
    with suppress(FileNotFoundError, DreamError, ValueError, KeyError, TypeError):
        row = json.loads(fsio.read_bytes(mark))
        if days_between(parse_instant(row["at"]), world.clock.now()) <= LONGEST_DAYS[span]:
            return str(row["place"])
    return None


@cache
def _wish() -> re.Pattern[str]:
    """A wish at the beginning of a clause or behind a word that may stand before it, with a proper end."""
    said = patterns.entries(WORDS, "ignore")
    wide = "|".join(one for one in said if patterns.WIDE.search(one))
    plain = "|".join(one for one in said if not patterns.WIDE.search(one))
    before, after = ("|".join(patterns.entries(WORDS, table)) for table in ("before", "after"))
    return re.compile(rf"(?:{_CLAUSE}|\b(?:{before}) )(?:{plain})(?={_ENDS}|\s+(?:{after})\b)|{wide}", re.IGNORECASE)
