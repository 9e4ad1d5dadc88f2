"""Priming: what a conversation is told when it starts.

Facts with dates, never commands, marked so that dream never learns its own words back. Empty whenever anything
speaks against it: the person, the branch, a second start within a minute, the time limit.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from dreamd import fsio, hooks
from dreamd.clock import days_between, iso, parse_instant
from dreamd.errors import DreamError
from dreamd.extraction import neutralise
from dreamd.kit import Kit
from dreamd.model import Memory, Scope, Status, content_id
from dreamd.recall import Found, record_recalls, search
from dreamd.store import memories
from dreamd.world import World

STARTS = frozenset({"startup", "clear"})
AGAIN_S = 60
KEPT_H = 24
LONGEST_CHARS = 9_000
"""A harness cuts injected text at 10,000 characters."""
OPENING = "<dream-memory>"
CLOSING = "</dream-memory>"
HEADING = ("What is on record from earlier conversations, each fact with the day it was last confirmed; "
           "a record can be out of date:")
RECENT = 5
LONGEST_QUERY_CHARS = 1_000
ISSUE_LIMIT_S = 1.0


@dataclass(frozen=True)
class Primed:
    """The text for a conversation; empty with the reason why."""

    text: str
    why: str = ""


def why_not(world: World, call: hooks.Call) -> str:
    """The named reason to say nothing; empty when priming is welcome. Opens no store."""
    settings = world.settings.priming
    if world.env.get("DREAM_DISABLE_PRIMING") == "1" or not settings.enabled:
        return "switched-off"
    if call.source and call.source not in STARTS:
        return "not-a-fresh-start"
    if hooks.is_silent(world, call.conversation):
        return "person-said-ignore-memory"
    if not fnmatch(read_branch(call.cwd) or "*", settings.branches):
        return "branch-not-configured"
    if _just_primed(world, call.conversation):
        return "primed-a-moment-ago"
    return "" if world.paths.store.exists() else "no-store"


def prime(kit: Kit, call: hooks.Call, *, banner: str = "") -> Primed:
    """Choose what a new conversation should know and put it into words."""
    scope = hooks.scope_of(call.cwd)
    query = build_query(kit, call, scope)
    wanted = kit.settings.priming.memories
    found: list[Found] = []
    for where in dict.fromkeys((scope, Scope("user"))):
        if query:
            answer = search(kit, query, limit=wanted, scope=where, record=False,
                                    directory=Path(call.cwd) if call.cwd else None)
            found.extend(answer.results)
        found.extend(Found(m, 0.0, {}) for m in _standing(kit, where))
    chosen = list({f.memory.id: f for f in found}.values())[:min(wanted, kit.settings.recall.injection_cap)]
    if chosen:
        record_recalls(kit, [f.memory.id for f in chosen])
    text = render(chosen, banner=banner)
    return Primed(text, "" if text else "nothing-known")


def build_query(kit: Kit, call: hooks.Call, scope: Scope) -> str:
    """Branch, the newest entries of the index, and the title of the issue the branch names."""
    branch = read_branch(call.cwd)
    words = [branch.replace("/", " ").replace("-", " ").replace("_", " ")] if branch else []
    words.append(_issue_title(kit, branch))
    recent = sorted(memories.load_memories(kit.store, scope=scope), key=lambda m: m.updated_at)[-RECENT:]
    words.extend(m.text for m in recent)
    return " ".join(w for w in words if w)[:LONGEST_QUERY_CHARS]


def render(found: Sequence[Found], *, banner: str = "") -> str:
    """The text as it is injected: one dated fact a line, between marks that every reader of dream knows."""
    lines = [f"Note about the memory itself: {banner}"] if banner else []
    for one in found:
        fact = " ".join(neutralise(one.memory.text).split())
        clue = f" ({one.clue})" if one.clue else ""
        lines.append(f"- noted {one.memory.confirmed_at.date().isoformat()}: {fact}{clue}")
    if not lines:
        return ""
    head = [HEADING] if found else []
    body: list[str] = []
    for line in (*head, *lines):
        if sum(len(x) + 1 for x in body) + len(line) > LONGEST_CHARS:
            break
        body.append(line)
    return "\n".join((OPENING, *body, CLOSING))


def keep_copy(world: World, call: hooks.Call, text: str) -> None:
    """Leave a copy for the person to look at, and sweep those older than a day."""
    directory = world.paths.home / "primed"
    now = world.clock.now()
    fsio.write_atomic(_copy_file(world, call.conversation), json.dumps(
        {"at": iso(now), "conversation": call.conversation, "text": text}, ensure_ascii=False).encode())
    for path in directory.glob("*.json"):
        with suppress(DreamError, ValueError, KeyError, TypeError, FileNotFoundError):
            if days_between(parse_instant(json.loads(fsio.read_bytes(path))["at"]), now) * 24 > KEPT_H:
                fsio.remove(path)


def read_branch(cwd: str) -> str:
    """The branch checked out around a directory, read from git's own file; empty when there is none."""
    here = Path(cwd) if cwd else None
    for folder in (here, *here.parents) if here else ():
        head = folder / ".git" / "HEAD"
        with suppress(OSError, UnicodeDecodeError):
            text = head.read_text().strip()
            return text.removeprefix("ref: refs/heads/") if text.startswith("ref: ") else ""
    return ""


def _standing(kit: Kit, scope: Scope) -> list[Memory]:
    """Rules and preferences hold in every conversation, whatever it is about; the newest first."""
    kinds = {"preference", "rule"}
    live = memories.load_memories(kit.store, scope=scope, statuses=(Status.LIVE,))
    standing = [m for m in live if m.memory_class.value in kinds]
    return sorted(standing, key=lambda m: (m.pinned, m.support, m.confirmed_at), reverse=True)


def _just_primed(world: World, conversation: str) -> bool:
    try:
        last = parse_instant(json.loads(fsio.read_bytes(_copy_file(world, conversation)))["at"])
    except (FileNotFoundError, DreamError, ValueError, KeyError, TypeError):
        return False
    return 0 <= (world.clock.now() - last).total_seconds() < AGAIN_S


def _copy_file(world: World, conversation: str) -> Path:
    return world.paths.home / "primed" / f"{content_id('primed', conversation)}.json"


def _issue_title(kit: Kit, branch: str) -> str:
    """What the configured tracker calls the issue a branch names; empty when it has nothing to say in time."""
    command = kit.settings.priming.tracker_command
    number = next((part for part in branch.replace("/", "-").split("-") if part.isdigit()), "")
    if not command or not number:
        return ""
    try:
        done = subprocess.run([part.replace("{issue}", number) for part in command.split()], capture_output=True,
                              timeout=ISSUE_LIMIT_S, text=True, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return ""
    return done.stdout.strip()[:200] if done.returncode == 0 else ""
