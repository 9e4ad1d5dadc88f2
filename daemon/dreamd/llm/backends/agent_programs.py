"""The agent a person already pays for, asked without a key of ours: `claude` and `codex`, each as a child of the caller.

They are agents, so everything that makes them one is taken away: tools, servers, hooks, settings, memory and sessions. They
stand in an empty folder whose name is known to what reads conversations, so that nothing they leave behind is ever read.
`claude` would send the data a second time to have a title made, and `codex` would try again for minutes: both are kept from it.
"""

from __future__ import annotations

import json
import re
import select
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any  # what a program prints is of any type until it is checked here

from dreamd.core.clock import SystemClock
from dreamd.core.paths import OWN_FOLDER
from dreamd.llm.backends import (
    LARGEST_ANSWER_BYTES,
    Backend,
    by_status,
    counted,
    instructions,
    silent,
    strict,
    whole_answer,
    whole_number,
)
from dreamd.models.language_model import Answer, Ask, Ending, Used

CLAUDE_MUST = ("--print", "--output-format", "--json-schema", "--max-budget-usd", "--tools", "--no-session-persistence",
               "--strict-mcp-config", "--setting-sources", "--system-prompt")
CLAUDE_MAY = ("--safe-mode", "--disable-slash-commands", "--no-chrome")
"""What newer versions have besides; without what they must have none is asked."""
CLAUDE_ENV = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "0", "DISABLE_TELEMETRY": "1",
              "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_SKIP_PROMPT_HISTORY": "1",
              "MAX_THINKING_TOKENS": "0"}
CODEX_MUST = ("--ephemeral", "--sandbox", "--output-schema", "--output-last-message", "--skip-git-repo-check", "--json",
              "--config")
CODEX_MAY = ("--ignore-user-config", "--ignore-rules")
CODEX_OFF = ("shell_tool", "unified_exec", "apps", "plugins", "remote_plugin", "multi_agent", "image_generation", "browser_use",
             "computer_use", "hooks", "code_mode_host", "goals", "skill_search", "tool_suggest", "memories", "shell_snapshot",
             "view_image")
CODEX_SET = ('web_search="disabled"', "project_doc_max_bytes=0", 'history.persistence="none"', 'approval_policy="never"',
             "include_environment_context=false", "skills.bundled.enabled=false",
             *(f"features.{name}=false" for name in CODEX_OFF))
HELP_S = 20.0
END_S = 1.0
SMALLEST_BUDGET = 0.01
_FOLDER: list[tempfile.TemporaryDirectory[str]] = []
"""Where the running call stands."""
_STATUS = re.compile(r"(?:status:?|API Error:|\()\s*(\d{3})\b")
_LOGIN = re.compile(r"(?i)\b(?:not logged in|log ?in|authenticat\w*|api key|credentials?)\b")
_LIMIT = re.compile(r"(?i)\b(?:usage|rate) limit|hit your limit")


@dataclass(frozen=True)
class Ran:
    """What became of a program."""

    lines: Sequence[Mapping[str, Any]]
    """The objects it printed, one a line."""
    seconds: float
    overdue: bool = False
    too_large: bool = False


def ask_claude(backend: Backend, ask: Ask, env: Mapping[str, str]) -> Answer:
    """Ask once through `claude -p`."""
    program = shutil.which("claude", path=env.get("PATH"))
    flags = _flags((program, "--help"), tuple(env.items())) if program else frozenset()
    if program is None or not flags.issuperset(CLAUDE_MUST):
        return _not_there(program)
    budget = f"{max(backend.most_cost, SMALLEST_BUDGET):.2f}"
    command = [program, "--print", "--output-format", "json", "--json-schema", json.dumps(ask.schema, sort_keys=True),
               "--max-budget-usd", budget, "--tools", "", "--no-session-persistence", "--strict-mcp-config",
               "--setting-sources", "", "--system-prompt", instructions(ask), *(f for f in CLAUDE_MAY if f in flags),
               *(("--model", backend.model) if backend.model else ())]
    with _folder() as folder:
        ran = _run(command, ask, env={**env, **CLAUDE_ENV, "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(ask.most_out)}, folder=folder)
    return _failed(ran) or read_claude(ran, ask)


def read_claude(ran: Ran, ask: Ask) -> Answer:
    """What its one object of a result says."""
    told = next((line for line in ran.lines if line.get("type") == "result"), None)
    if told is None:
        return Answer(Ending.SERVER, used=Used(seconds=ran.seconds), detail="no-result")
    models = told.get("modelUsage") if isinstance(told.get("modelUsage"), dict) else {}
    per = [u for u in models.values() if isinstance(u, dict)] if models else []
    cached = sum(whole_number(u.get("cacheReadInputTokens")) for u in per)
    sent = sum(whole_number(u.get(name)) for u in per for name in ("inputTokens", "cacheCreationInputTokens")) + cached
    cost = told.get("total_cost_usd")
    used = Used(sent, cached, sum(whole_number(u.get("outputTokens")) for u in per), ran.seconds,
                max(0.0, float(cost)) if isinstance(cost, int | float) else None)
    model, said = next(iter(models), "claude") if models else "claude", str(told.get("result") or "")
    if told.get("is_error") or str(told.get("subtype")) != "success":
        return replace(_claude_error(told, said), model=model, used=used)
    if told.get("stop_reason") in ("refusal", "max_tokens"):
        ending = Ending.REFUSED if told["stop_reason"] == "refusal" else Ending.CUT
        return Answer(ending, model=model, used=used, detail=str(told["stop_reason"]))
    value = told.get("structured_output")
    used = counted(used, ask, said)
    if isinstance(value, dict):
        return Answer(Ending.ANSWERED, value, model, used)
    return whole_answer(said, model=model, used=used)


def _claude_error(told: Mapping[str, Any], said: str) -> Answer:
    subtype = str(told.get("subtype"))
    if "budget" in subtype or "max_turns" in subtype:
        return Answer(Ending.CUT, detail="budget" if "budget" in subtype else "turns")
    if "structured_output" in subtype:
        return Answer(Ending.INVALID, detail="schema")
    return _by_words(said, told.get("api_error_status"))


def ask_codex(backend: Backend, ask: Ask, env: Mapping[str, str]) -> Answer:
    """Ask once through `codex exec`."""
    program = shutil.which("codex", path=env.get("PATH"))
    flags = _flags((program, "exec", "--help"), tuple(env.items())) if program else frozenset()
    if program is None or not flags.issuperset(CODEX_MUST):
        return _not_there(program)
    with _folder() as folder:
        schema, prompt, last = (Path(folder) / name for name in ("schema.json", "prompt.md", "last.txt"))
        schema.write_text(json.dumps(strict(ask.schema)), encoding="utf-8")
        prompt.write_text(instructions(ask), encoding="utf-8")
        settings = (*CODEX_SET, f"model_instructions_file={json.dumps(str(prompt))}")
        command = [program, "exec", "--ephemeral", "--sandbox", "read-only", "--skip-git-repo-check", "--json",
                   "--output-schema", str(schema), "--output-last-message", str(last), *(f for f in CODEX_MAY if f in flags),
                   *(("--model", backend.model) if backend.model else ()), *(w for s in settings for w in ("--config", s)), "-"]
        # It would try again for minutes by itself; its first word of that is the end.
        ran = _run(command, ask, env=env, folder=folder, ends=lambda line: line.get("type") in ("error", "turn.failed"))
        text = ""
        with suppress(OSError):
            text = last.read_bytes()[:LARGEST_ANSWER_BYTES].decode(errors="replace")
    return _failed(ran) or read_codex(ran, ask, text, backend.model or "codex")


def read_codex(ran: Ran, ask: Ask, text: str, model: str) -> Answer:
    """What its events and the file of its last message say."""
    done = next((line for line in ran.lines if line.get("type") == "turn.completed"), None)
    failed = next((line for line in ran.lines if line.get("type") in ("error", "turn.failed")), None)
    if done is None:
        error = failed.get("error") if failed else None
        said = str((error.get("message") if isinstance(error, dict) else "") or (failed or {}).get("message") or "")
        return replace(_by_words(said, None), model=model, used=Used(seconds=ran.seconds))
    usage = done.get("usage") if isinstance(done.get("usage"), dict) else {}
    used = Used(*(whole_number((usage or {}).get(n)) for n in ("input_tokens", "cached_input_tokens", "output_tokens")))
    return whole_answer(text, model=model, used=counted(replace(used, seconds=ran.seconds), ask, text))


def end_children() -> None:
    """End everything that this process or a program of its has started, whatever session it is in."""
    import psutil

    ended = psutil.Process().children(recursive=True)
    for process in ended:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(ended, timeout=END_S)


def leave_nothing() -> None:
    """End a call in its middle: what it started, and the folder it stood in."""
    end_children()
    for folder in _FOLDER:
        folder.cleanup()


def _by_words(said: str, status: object) -> Answer:
    """A failure by the status the program tells, and without one by its words."""
    found = status if isinstance(status, int) else next((int(s) for s in _STATUS.findall(said)), None)
    if found is not None and found >= 400:
        return by_status(found, "")
    if _LIMIT.search(said):
        return Answer(Ending.LIMITED, detail="usage-limit")
    if _LOGIN.search(said):
        return Answer(Ending.UNAUTHORISED, detail="not-logged-in")
    if re.search(r"(?i)reconnecting|connection|network|resolve|disconnected|fetch failed", said):
        return Answer(Ending.UNREACHABLE, detail="no-connection")
    return Answer(Ending.SERVER, detail="failed")


def _not_there(program: str | None) -> Answer:
    return Answer(Ending.UNREACHABLE, detail="not-installed" if program is None else "too-old")


def _failed(ran: Ran) -> Answer | None:
    if ran.overdue:
        return silent(ran.seconds)
    return Answer(Ending.TOO_LARGE, used=Used(seconds=ran.seconds), detail="answer") if ran.too_large else None


def _folder() -> tempfile.TemporaryDirectory[str]:
    _FOLDER[:] = [tempfile.TemporaryDirectory(prefix=OWN_FOLDER, ignore_cleanup_errors=True)]
    return _FOLDER[0]


@cache
def _flags(command: tuple[str, ...], env: tuple[tuple[str, str], ...]) -> frozenset[str]:
    """The options this version has, from its own help."""
    try:
        told = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=HELP_S, check=False,
                              env=dict(env), cwd="/", start_new_session=True).stdout
    except (OSError, subprocess.TimeoutExpired):
        return frozenset()
    finally:
        end_children()
    return frozenset(re.findall(r"(?<![\w-])--[a-z][a-z-]+", told.decode(errors="replace")))


def _run(command: Sequence[str], ask: Ask, *, env: Mapping[str, str], folder: str,
         ends: Callable[[Mapping[str, Any]], bool] = lambda _: False) -> Ran:
    """Run a program to its end or to the time limit, in an empty folder; nothing it started outlives this."""
    clock = SystemClock()
    started = clock.monotonic()
    here = Path(folder) / "empty"
    here.mkdir()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               env=dict(env), cwd=here, start_new_session=True)
    assert process.stdin is not None and process.stdout is not None
    threading.Thread(target=_feed, args=(process, ask.data.encode()), daemon=True).start()
    told, lines, overdue = bytearray(), list[Mapping[str, Any]](), False
    try:
        while len(told) <= LARGEST_ANSWER_BYTES and not any(map(ends, lines)):
            left = started + ask.seconds - clock.monotonic()
            if left <= 0:
                overdue = True
                break
            if not select.select([process.stdout], [], [], min(left, 0.2))[0]:
                if process.poll() is not None:
                    break  # it is gone; what still holds its output is not waited for
                continue
            piece = process.stdout.read1(1 << 16)  # type: ignore[attr-defined]  # a pipe read in pieces
            told += piece
            if not piece:
                break
            lines = _objects(told) if b"\n" in piece else lines
    finally:
        end_children()
        process.wait()
        process.stdout.close()
    return Ran(_objects(told), clock.monotonic() - started, overdue, len(told) > LARGEST_ANSWER_BYTES)


def _feed(process: subprocess.Popen[bytes], body: bytes) -> None:
    assert process.stdin is not None
    with suppress(OSError, ValueError), process.stdin:  # one that does not read is none of our trouble
        process.stdin.write(body)


def _objects(told: bytearray) -> list[Mapping[str, Any]]:
    """The objects among the lines so far."""
    found = []
    for line in told.splitlines():
        with suppress(ValueError, RecursionError):
            found.append(json.loads(line))
    return [one for one in found if isinstance(one, dict)]
