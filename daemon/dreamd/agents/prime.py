"""Priming: whether a conversation is told anything when it starts, and what its first words are.

Empty whenever anything speaks against it: the person, the branch, a second start within a minute. `priming` finds
the words; nothing here opens the store, so a start that is not primed costs next to nothing.
"""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from dreamd.agents import hooks
from dreamd.agents.guarding import without_memory
from dreamd.core import fsio
from dreamd.core.clock import days_between, iso, local_date, parse_instant
from dreamd.core.errors import DreamError
from dreamd.core.repositories.repository import read_branch
from dreamd.core.values import content_id
from dreamd.core.world import World

STARTS = frozenset({"startup", "clear", "new"})
AGAIN_S = 60
KEPT_H = 24
ISSUE_LIMIT_S = 1.0
ISSUE_SHARE = 0.4
"""Of the time a start may take, so much at most is left to whoever knows the issue."""
LONGEST_TITLE = 200
ASKED_ON = "asked-on"
"""The file that says on which day a conversation was last told that something waits for a decision."""
TOLD_AHEAD = "told-ahead"
"""The file that says what with a day ahead was told today."""
WARNED_ON = "warned-on"
"""The same of the day on which one was last told that something is wrong with the memory."""
WARNING = "Note about the memory itself: dream: "
"""How that begins."""
ASKING = "review` shows what waits"
"""How that ends."""


def why_not(world: World, call: hooks.Call) -> str:
    """The named reason to say nothing; empty when priming is welcome. Opens no store."""
    settings = world.settings.priming
    if world.env.get("DREAM_DISABLE_PRIMING") == "1" or not settings.enabled:
        return "switched-off"
    if call.source and call.source not in STARTS:
        return "not-a-fresh-start"
    if without_memory.is_off(world, call.conversation):
        return "person-said-ignore-memory"
    branch = read_branch(call.cwd)
    if branch and not fnmatchcase(branch, settings.branches):
        return "branch-not-configured"
    if _just_primed(world, call.conversation):
        return "primed-a-moment-ago"
    return "" if world.paths.store.exists() else "no-store"


def first_words(world: World, call: hooks.Call) -> str:
    """What the start of a conversation says about itself: its branch, and the title of the issue the branch names."""
    branch = read_branch(call.cwd)
    return f"{re.sub(r'[^0-9A-Za-z]+', ' ', branch)} {_issue_title(world, branch, call.cwd)}".strip()


def keep_copy(world: World, call: hooks.Call, text: str) -> None:
    """Leave a copy for the person to look at, sweep those older than a day, and note the day a decision was asked for."""
    now = world.clock.now()
    for words, name in ((ASKING, ASKED_ON), (WARNING, WARNED_ON)):
        if words in text:
            fsio.write_atomic(world.paths.primed / name, iso(now)[:10].encode())
    fsio.write_atomic(_copy_file(world, call.conversation), json.dumps(
        {"at": iso(now), "conversation": call.conversation, "text": text}, ensure_ascii=False).encode("utf-8", "replace"))
    for path in (world.paths.primed).glob("*.json"):
        with suppress(DreamError, ValueError, KeyError, TypeError, FileNotFoundError):
            if days_between(parse_instant(json.loads(fsio.read_bytes(path))["at"]), now) * 24 > KEPT_H:
                fsio.remove(path)


def told_today(world: World) -> list[str]:
    """Ids of the memories with a day ahead that some conversation was told of today."""
    with suppress(FileNotFoundError, DreamError, ValueError, KeyError, TypeError):
        kept = json.loads(fsio.read_bytes(world.paths.primed / TOLD_AHEAD))
        return [str(one) for one in kept["ids"]] if kept["day"] == _today(world) else []
    return []


def keep_told(world: World, ids: Sequence[str]) -> None:
    """Note what with a day ahead was told today."""
    if ids:
        kept = {"day": _today(world), "ids": [*told_today(world), *ids]}
        fsio.write_atomic(world.paths.primed / TOLD_AHEAD, json.dumps(kept).encode())


def _today(world: World) -> str:
    from zoneinfo import ZoneInfo

    return local_date(world.clock.now(), ZoneInfo(world.zone_name))


def may_tell(world: World, name: str) -> bool:
    """Whether nobody was told today that something waits for a decision, or that something is wrong with the memory."""
    try:
        return fsio.read_bytes(world.paths.primed / name).decode() != iso(world.clock.now())[:10]
    except (FileNotFoundError, DreamError, ValueError):
        return True


def _just_primed(world: World, conversation: str) -> bool:
    try:
        last = parse_instant(json.loads(fsio.read_bytes(_copy_file(world, conversation)))["at"])
    except (FileNotFoundError, DreamError, ValueError, KeyError, TypeError):
        return False
    return 0 <= (world.clock.now() - last).total_seconds() < AGAIN_S


def _copy_file(world: World, conversation: str) -> Path:
    return world.paths.primed / f"{content_id('primed', conversation)}.json"


def _issue_title(world: World, branch: str, cwd: str) -> str:
    """What the configured tracker calls the issue a branch names; empty when it has nothing to say in time."""
    command = world.settings.priming.tracker_command
    number = next((part for part in re.split(r"[^0-9A-Za-z]+", branch) if part.isdigit()), "") if command else ""
    if not number:
        return ""
    import shlex
    import subprocess

    limit_s = min(ISSUE_LIMIT_S, world.settings.priming.timeout_ms / 1000 * ISSUE_SHARE)
    with suppress(OSError, ValueError):
        words = [part.replace("{issue}", number) for part in shlex.split(command)]
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              cwd=cwd or None, start_new_session=True) as asked:
            try:
                told, _ = asked.communicate(timeout=limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(asked.pid, signal.SIGKILL)  # with what it started: that would hold the pipe, and us
                return ""
        if asked.returncode == 0:
            return " ".join(told.decode("utf-8", "replace").split())[:LONGEST_TITLE]
    return ""
