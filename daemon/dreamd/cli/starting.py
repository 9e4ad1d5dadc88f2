"""The hooks that need more than a file in the inbox: the start of a conversation, and what is said to the memory itself."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from dreamd.agents import hooks, prime
from dreamd.core.chosen.settings_environment import read_settings
from dreamd.core.clock import FixedClock, SystemClock, boot_time_s, cpu_s, parse_instant
from dreamd.core.errors import ConfigError, DreamError, Outage
from dreamd.core.paths import Paths, default_config, default_home, home_at, read_environment
from dreamd.core.world import Called, World

MARGIN_S = 0.15
"""Taken off the time a start may wait: the process has to end, too."""
SERVER_SHARE = 0.5
"""Share of the time given to the recall server before the work is done here."""
MODEL_S = 1.2
"""With less time than this left, words alone choose: loading the model takes half a second on an idle machine."""
UNTIL_TOLD_S = 2.0
"""The age a start may reach before the settings say how long it may take; they have to be read, too."""
LONGEST_S = 10.0
"""The age at which any other hook is gone."""
PASSING = frozenset({"store-busy"})
TAKES_NOTHING = "beforeSubmitPrompt"
"""The prompt's event of a harness that lets its hooks hold a prompt back, and takes no words from them."""


def hear(body: bytes, options: Mapping[str, str]) -> None:
    """Take in what a prompt says to the memory itself."""
    Deadline(LONGEST_S)
    call = hooks.read_call("user-prompt-submit", body)
    told = hooks.handle(build_world(options), call)
    if told and call.named != TAKES_NOTHING:
        _say(_answer(call, told))


def observe(body: bytes, options: Mapping[str, str]) -> None:
    """Ask the agent what of a conversation should be remembered, or take what it answered."""
    from dreamd.agents.asking import observing

    Deadline(LONGEST_S)
    world, call, document = build_world(options), hooks.read_call("stop", body), json.loads(body)
    if document.get("stop_hook_active"):
        observing.take(world, call, str(document.get("last_assistant_message") or ""))
        return
    question = observing.ask(world, call, world.paths.home / "observed")
    if question:
        sys.stdout.write(json.dumps({"decision": "block", "reason": question}) + "\n")
        sys.stdout.flush()


def start(body: bytes, options: Mapping[str, str]) -> None:
    """Tell a new conversation what is known, in time or not at all."""
    deadline = Deadline(UNTIL_TOLD_S - MARGIN_S)
    call = hooks.read_call("session-start", body)
    world = build_world(options)
    deadline.move(world.settings.priming.timeout_ms / 1000 - MARGIN_S)
    if prime.why_not(world, call):
        return
    text, dated = _find_words(world, call)
    text = _with_task(world, call, text)
    if not text:
        return
    with suppress(DreamError):  # a copy is for curious people; a full disk must not cost the agent its memory
        prime.keep_copy(world, call, text)
        prime.keep_told(world, dated)
    _say(_answer(call, text))


def _say(answer: Mapping[str, object]) -> None:
    with suppress(OSError):  # the harness went away while we looked: nobody to tell, and no outage of ours
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _answer(call: hooks.Call, text: str) -> dict[str, object]:
    """The text as the harness takes it; some take nothing at all from an answer with a key they do not know."""
    if call.form == "snake":
        return {"additional_context": text}
    if call.form == "camel":
        return {"additionalContext": text}
    named = "SessionStart" if call.event == "session-start" else call.named or "UserPromptSubmit"
    return {"hookSpecificOutput": {"hookEventName": named, "additionalContext": text}}


def build_world(options: Mapping[str, str]) -> World:
    """The world of a call.

    Raises ConfigError for settings that cannot be used.
    """
    env = read_environment()
    home, config = options.get("--home"), options.get("--config")
    now = options.get("--now") or env.get("DREAM_NOW")
    settings = read_settings(Path(config).expanduser() if config else default_config(env), env)
    return World(Paths(home_at(home) if home else default_home(env)), settings,
                 FixedClock(parse_instant(now)) if now else SystemClock(), env, Called.by(home, config, env))


def leave_marker(error: Exception, options: Mapping[str, str]) -> None:
    """Say in the home, or in memory where the home takes nothing, that a hook failed; nothing else can be done here."""
    from dreamd.core import outage, telemetry

    with suppress(Exception):  # this is already the last resort
        env = read_environment()
        home = options.get("--home")
        paths = Paths(home_at(home) if home else default_home(env))
        if not isinstance(error, DreamError | OSError):
            telemetry.log_crash(paths, error)
        failure = _as_outage(error)
        if failure.code not in PASSING and paths.home.is_dir():
            outage.flag(paths.outage, failure, now=SystemClock().now(), owner="dream hook",
                        fallback=outage.runtime_dir(env, paths.home))


def _as_outage(error: Exception) -> Outage:
    if isinstance(error, Outage):
        return error
    if isinstance(error, ConfigError):
        return Outage(error.message, component="config", code="settings-unusable", hint=error.hint)
    if isinstance(error, OSError):
        return Outage(f"a hook cannot write: {error.strerror}", component="disk", code="hook-cannot-write",
                      hint="look at the rights of the home and at the space that is left")
    what = error.message if isinstance(error, DreamError) else f"a hook failed ({type(error).__name__})"
    return Outage(what, component="cycle", code="hook-failed", hint="run `dream check`")


def _find_words(world: World, call: hooks.Call) -> tuple[str, list[str]]:
    """What a conversation is told, and which memories with a day ahead are among it."""
    from dreamd import probe
    from dreamd.agents import recall_client

    seen = probe.World(home=str(world.paths.home), now=world.clock.now(), env=dict(world.env),
                       config=str(world.settings.path or default_config(world.env)), fixed=False, deep=False)
    warn, ask = prime.may_tell(world, prime.WARNED_ON), prime.may_tell(world, prime.ASKED_ON)
    banner = probe.banner(probe.inspect(seen), world.clock.now()) if warn else ""
    words = prime.first_words(world, call)
    wait_s = world.settings.priming.timeout_ms / 1000 * SERVER_SHARE
    told = prime.told_today(world)
    answer = recall_client.ask_prime(world, {"cwd": call.cwd, "words": words, "banner": banner, "ask": ask, "told_today": told},
                                     wait_s=wait_s)
    if answer is not None:
        return answer
    from dreamd.agents import priming
    from dreamd.kit import open_to_look

    left_s = world.settings.priming.timeout_ms / 1000 - MARGIN_S - _age_s()
    # Beside a service the server has just been asked for: the next start finds it, this one does not wait for the model.
    hurried = left_s < MODEL_S or world.paths.heartbeat.exists()
    with open_to_look(world) as (kit, _):
        chosen = priming.choose(kit, cwd=call.cwd, words=words, hurried=hurried, told_today=told)
        return priming.tell(kit, chosen, banner=priming.remark(kit, cwd=call.cwd, banner=banner, ask=ask))


def _with_task(world: World, call: hooks.Call, text: str) -> str:
    """What a conversation is told, with the task that goes on where it begins."""
    if not (world.paths.home / "tasks").is_dir():
        return text
    from dreamd.agents.priming import CLOSING, OPENING
    from dreamd.library.tasks.going_on import tell_task

    task = "" if hooks.is_kept_out(world, call) else tell_task(world.paths, call.cwd, world.clock.now())
    return f"{text.removesuffix(CLOSING) or f'{OPENING}{chr(10)}'}{task}\n{CLOSING}" if task else text


class Deadline:
    """The end of the whole process, silent and well, when what it does takes too long: whatever that is, to its last byte.

    A thread, not an alarm: a signal waits until SQLite or a matrix product comes back, and that may be what hangs.
    Nothing is half done by leaving so: the store and every file survive worse.
    """

    def __init__(self, seconds: float) -> None:
        self._until_s, self._moved = seconds, threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def move(self, seconds: float) -> None:
        """Another age at which the process ends, in seconds."""
        self._until_s = seconds
        self._moved.set()

    def _watch(self) -> None:
        while self._moved.wait(max(self._until_s - _age_s(), 0.01)):
            self._moved.clear()
        os._exit(0)


def _age_s() -> float:
    """For how long this process has been running, as far as the platform tells."""
    with suppress(OSError, ValueError, IndexError):
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        return max(0.0, boot_time_s() - int(fields[19]) / os.sysconf("SC_CLK_TCK"))
    return cpu_s()
