"""Stand-ins for `claude` and `codex`: programs that take the real ones' options, refuse others, and print what they print.

    stand_in(folder, "claude", value={"facts": []})               # answers
    stand_in(folder, "codex", mode="limited")                     # or fails as the real one does
    calls_of(folder)                                              # how each call came: argv, stdin, environment, folder

Options and formats are those of Claude Code 2.1.197 and Codex 0.171.0, taken from `--help` and from runs of both against a
server that stood in for the network. With `leaves=True` a run leaves behind what a harness does that keeps its sessions.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

CLAUDE_VALUED = ("--output-format", "--json-schema", "--max-budget-usd", "--tools", "--setting-sources", "--system-prompt",
                 "--model")
CLAUDE_PLAIN = ("--print", "--no-session-persistence", "--strict-mcp-config", "--safe-mode", "--disable-slash-commands",
                "--no-chrome", "--help")
CODEX_VALUED = ("--sandbox", "--output-schema", "--output-last-message", "--config", "--model")
CODEX_PLAIN = ("--ephemeral", "--skip-git-repo-check", "--json", "--ignore-user-config", "--ignore-rules", "--help", "-",
               "exec")

_PROGRAM = '''#!{python}
import json, os, subprocess, sys, time
from pathlib import Path
here, plan = Path({folder!r}), {plan!r}
name, mode, words = plan["name"], plan["mode"], sys.argv[1:]
given, rest = {{}}, list(words)
while rest:
    word = rest.pop(0)
    if word in plan["valued"]:
        given.setdefault(word, []).append(rest.pop(0))
    elif word in plan["plain"]:
        given[word] = True
    else:
        sys.exit(f"error: unknown option '{{word}}'")
if "--help" in given:
    print("Options:", *(f"  {{flag}} <x>  what it does" for flag in (*plan["valued"], *plan["plain"])), sep=chr(10))
    sys.exit(0)
said = sys.stdin.read()
with open(here / "calls.jsonl", "a") as out:
    out.write(json.dumps({{"name": name, "argv": words, "stdin": said, "env": dict(os.environ), "cwd": os.getcwd(),
                          "there": os.listdir(), "pid": os.getpid()}}) + chr(10))
if plan["leaves"]:
    at = "2026-01-05T09:00:00.000Z"
    if name == "claude":
        place = Path.home() / ".claude" / "projects" / os.getcwd().replace("/", "-")
        lines = [{{"type": "user", "message": {{"role": "user", "content": said}}}},
                 {{"type": "assistant", "message": {{"role": "assistant", "content": [{{"type": "text", "text": "noted"}}]}}}}]
        lines = [{{**line, "sessionId": "s-1", "uuid": f"u-{{n}}", "timestamp": at, "cwd": os.getcwd(), "userType": "external",
                  "isSidechain": False, "version": "2.1.197"}} for n, line in enumerate(lines)]
        (place / "memory").mkdir(parents=True)
        (place / "memory" / "MEMORY.md").write_text("- [Left](left.md)" + chr(10))
        (place / "memory" / "left.md").write_text(said)
    else:
        place = Path.home() / ".codex" / "sessions" / "2026" / "01" / "05"
        place.mkdir(parents=True)
        lines = [{{"timestamp": at, "type": "session_meta", "payload": {{"id": "s-1", "timestamp": at, "cwd": os.getcwd(),
                  "originator": "codex_cli_rs", "source": "cli"}}}},
                 {{"timestamp": at, "type": "event_msg", "payload": {{"type": "user_message",
                  "message": said, "kind": "plain"}}}}]
    (place / "rollout-2026-01-05T09-00-00-s-1.jsonl").write_text("".join(json.dumps(line) + chr(10) for line in lines))
if mode == "hang":
    subprocess.Popen(["sleep", "300"], start_new_session=True)
    time.sleep(300)
if mode == "large":
    print("x" * 10_000_000)
text = plan["text"]
if name == "claude":
    failures = {{"logged out": (None, "Not logged in \\u00b7 Please run /login"),
                "401": (401, "Failed to authenticate. API Error: 401 no"), "overloaded": (529, "API Error: 529 later"),
                "limited": (429, "API Error: Request rejected (429) \\u00b7 later"),
                "offline": (None, "API Error: Connection error."), "400": (400, "API Error: 400 no")}}
    status, said = failures.get(mode, (None, text))
    told = {{"type": "result", "subtype": "success", "is_error": mode in failures, "api_error_status": status, "num_turns": 2,
            "duration_ms": 1188, "result": said, "stop_reason": "tool_use", "session_id": "s-1", "total_cost_usd": 0.002165,
            "usage": {{"input_tokens": 100, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 40,
                      "output_tokens": 20}},
            "modelUsage": {{"claude-opus-4-8[1m]": {{"inputTokens": 200, "outputTokens": 40, "cacheReadInputTokens": 80,
                            "cacheCreationInputTokens": 20, "costUSD": 0.002165}}}}, "permission_denials": []}}
    if mode in failures:
        told.update(modelUsage={{}}, total_cost_usd=0)
    elif mode == "budget":
        told.update(subtype="error_max_budget_usd", is_error=True)
    elif mode == "retries":
        told.update(subtype="error_max_structured_output_retries", is_error=True)
    elif mode == "refusal":
        told.update(stop_reason="refusal")
    elif mode == "good":
        told["structured_output"] = json.loads(text)
    print(json.dumps(told))
    sys.exit(1 if told["is_error"] else 0)
print(json.dumps({{"type": "thread.started", "thread_id": "s-1"}}))
print(json.dumps({{"type": "turn.started"}}), flush=True)
failures = {{"logged out": "unexpected status 401 Unauthorized: no, url: http://x/v1/responses",
            "401": "Reconnecting... 2/5 (unexpected status 401 Unauthorized: no, url: http://x/v1/responses)",
            "limited": "exceeded retry limit, last status: 429 Too Many Requests",
            "overloaded": "Reconnecting... 2/5 (unexpected status 529 <unknown status code>: no, url: http://x/v1/responses)",
            "offline": "Reconnecting... 2/5 (stream disconnected before completion: failed to lookup address information)",
            "400": "unexpected status 400 Bad Request: no"}}
if mode in failures:
    print(json.dumps({{"type": "error", "message": failures[mode]}}), flush=True)
    if "Reconnecting" in failures[mode]:
        time.sleep(300)
    print(json.dumps({{"type": "turn.failed", "error": {{"message": failures[mode]}}}}))
    sys.exit(1)
Path(given["--output-last-message"][0]).write_text(text)
print(json.dumps({{"type": "item.completed", "item": {{"id": "item_0", "type": "agent_message", "text": text}}}}))
print(json.dumps({{"type": "turn.completed", "usage": {{"input_tokens": 100, "cached_input_tokens": 40,
      "cache_write_input_tokens": 0, "output_tokens": 20, "reasoning_output_tokens": 0}}}}))
'''


def stand_in(folder: Path, name: str, *, value: object = None, text: str | None = None, mode: str = "good",
             leaves: bool = False, lacks: tuple[str, ...] = ()) -> Path:
    """Put a program into a folder; `mode` is how it fares, `lacks` options that its version does not have."""
    valued, plain = (CLAUDE_VALUED, CLAUDE_PLAIN) if name == "claude" else (CODEX_VALUED, CODEX_PLAIN)
    plan = {"name": name, "mode": mode, "text": text if text is not None else json.dumps(value if value is not None else {}),
            "leaves": leaves, "valued": [flag for flag in valued if flag not in lacks],
            "plain": [flag for flag in plain if flag not in lacks]}
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(_PROGRAM.format(python=sys.executable, folder=str(folder), plan=plan), encoding="utf-8")
    program.chmod(0o755)
    return program


def calls_of(folder: Path) -> list[dict[str, object]]:
    """How each call came."""
    file = folder / "calls.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
