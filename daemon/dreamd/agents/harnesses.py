"""The harnesses dream can connect to: where each keeps its configuration and what dream puts there.

Three shapes cover all seven: hooks in a JSON settings file in the nested form (event → matchers → commands), hooks
in a JSON file in the flat form (event → commands), and a small file of its own that a harness picks up by name.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dreamd.agents import jsonc
from dreamd.core.errors import ConfigError, UsageError
from dreamd.core.paths import share_dir

_LONE = re.compile("[\\ud800-\\udfff]")
MARK = "dream-memory"
"""Stands in every entry dream adds, so that it is found again whatever else is in the file."""
ENTRY_MARK = f"# {MARK}"
"""How a command of ours ends: a comment to the shell. A path with the same words in it is somebody else's."""


OBSERVE = "--observe"


@dataclass(frozen=True)
class Harness:
    """One agent program: its configuration file below the person's home, its shape, and its events."""

    name: str
    title: str
    signs: tuple[str, ...]
    """Directories below the person's home whose presence says that it is installed."""
    file: str
    shape: str
    events: Mapping[str, str]
    """The harness's event → ours."""
    timeout: int = 10
    variable: str = ""
    """Environment variable that moves the configuration directory."""
    moves: str = ""
    """The directory below the person's home that the variable stands for; empty for the home itself."""
    kind: str = ""
    """Kind of the sources this harness leaves."""
    note: str = ""
    """What the person still has to do in the harness itself."""
    asks: bool = False
    """Whether its hook at the end of a turn can ask the agent for one more answer, and is told what that was."""


HARNESSES = (
    Harness("claude-code", "Claude Code", (".claude",), ".claude/settings.json", "nested",
            {"SessionStart": "session-start", "UserPromptSubmit": "user-prompt-submit", "Stop": "stop",
             "PreCompact": "pre-compact", "SessionEnd": "session-end"}, variable="CLAUDE_CONFIG_DIR", moves=".claude",
            kind="claude-code", asks=True),
    Harness("codex", "Codex CLI", (".codex",), ".codex/hooks.json", "nested",
            {"SessionStart": "session-start", "UserPromptSubmit": "user-prompt-submit", "Stop": "stop",
             "PreCompact": "pre-compact"}, variable="CODEX_HOME", moves=".codex", kind="codex",
            note="Codex asks once whether it may trust new hooks: say yes at its next start", asks=True),
    Harness("gemini", "Gemini CLI", (".gemini",), ".gemini/settings.json", "nested",
            {"SessionStart": "session-start", "BeforeAgent": "user-prompt-submit", "AfterAgent": "stop",
             "PreCompress": "pre-compact", "SessionEnd": "session-end"}, timeout=10_000, variable="GEMINI_CLI_HOME",
            kind="gemini"),
    Harness("cursor", "Cursor", (".cursor",), ".cursor/hooks.json", "flat",
            {"sessionStart": "session-start", "beforeSubmitPrompt": "user-prompt-submit", "stop": "stop",
             "preCompact": "pre-compact", "sessionEnd": "session-end"}, kind="cursor"),
    Harness("copilot", "Copilot CLI", (".copilot",), ".copilot/hooks/dream.json", "flat-bash",
            {"sessionStart": "session-start", "userPromptSubmitted": "user-prompt-submit", "agentStop": "stop",
             "preCompact": "pre-compact"}, variable="COPILOT_HOME", moves=".copilot", kind="copilot"),
    Harness("openclaw", "OpenClaw", (".openclaw",), ".openclaw/hooks/dream/handler.ts", "openclaw",
            {"command:new": "session-end", "command:reset": "session-end", "session:compact:before": "pre-compact"},
            variable="OPENCLAW_STATE_DIR", moves=".openclaw", kind="openclaw",
            note="turn the hook on with `openclaw hooks enable dream`"),
    Harness("opencode", "OpenCode", (".config/opencode", ".local/share/opencode"), ".config/opencode/plugins/dream.js",
            "opencode", {"session.idle": "stop", "session.execution.succeeded": "stop", "session.execution.interrupted": "stop",
                         "session.execution.failed": "stop", "session.compacted": "pre-compact",
                         "session.compaction.ended": "pre-compact", "session.deleted": "session-end"},
            kind="opencode"),
)


def harness_named(name: str) -> Harness:
    """A harness by its name.

    Raises UsageError for one dream does not know.
    """
    for harness in HARNESSES:
        if harness.name == name:
            return harness
    raise UsageError(f"unknown harness `{name}`", hint="known: " + ", ".join(h.name for h in HARNESSES))


def add_hooks(harness: Harness, before: bytes | None, command: str, *, observe: bool = False) -> dict[str, bytes]:
    """The files a connection needs: path below the home of the person → bytes. Everything else in them stays.

    With `observe` the hook at the end of a turn asks the agent what should be remembered.

    Raises ConfigError for a configuration that is no JSON object.
    """
    if harness.shape == "opencode":
        return {harness.file: _filled("opencode.js", harness, command)}
    if harness.shape == "openclaw":
        folder = str(Path(harness.file).parent)
        return {harness.file: _filled("openclaw.ts", harness, command),
                f"{folder}/HOOK.md": _filled("openclaw.md", harness, command)}
    name = f"~/{harness.file}"
    document = parse_settings(name, before)
    hooks = document.setdefault("hooks", {})
    if harness.shape != "nested":
        document.setdefault("version", 1)
    if not isinstance(hooks, dict):
        raise ConfigError(f"`hooks` in `{name}` is not an object", hint="mend the file, then try again")
    for event, ours in harness.events.items():
        present = hooks.setdefault(event, [])
        if not isinstance(present, list):
            raise ConfigError(f"`hooks.{event}` in `{name}` is not a list", hint="mend the file, then try again")
        wanted = _entry(harness, event, f"{command} hook {ours}{f' {OBSERVE}' if observe and ours == 'stop' else ''}")
        if wanted not in present or len(_without_ours(present)) != len(present) - 1:
            present[:] = [*_without_ours(present), wanted]
    for event in [e for e, present in hooks.items() if e not in harness.events and isinstance(present, list)]:
        left = _without_ours(hooks[event])  # an event that earlier versions of dream asked for
        if len(left) != len(hooks[event]):
            hooks[event] = left
            if not left:
                del hooks[event]
    if before is not None and document == parse_settings(name, before):
        return {harness.file: before}
    if is_commented(before):
        return {harness.file: _written_into(name, before or b"", document)}
    return {harness.file: dump_settings(document, before)}


def _written_into(name: str, before: bytes, wanted: Mapping[str, object]) -> bytes:
    """A file with comments, and what is wanted put in at the end of its objects and lists; the rest stays sign for sign.

    Raises ConfigError where more would have to change than that.
    """
    text, indent = before.decode("utf-8"), _indent_of(before)
    now, step = parse_settings(name, before), indent if isinstance(indent, str) else " " * indent
    hooks, present = wanted.get("hooks"), now.get("hooks")
    try:
        for key in (k for k in wanted if k not in now):
            text = jsonc.add(text, (), key, wanted[key], indent=step)
        if isinstance(present, dict) and isinstance(hooks, dict):
            for event, entries in hooks.items():
                known = present.get(event)
                if known is None:
                    text = jsonc.add(text, ("hooks",), event, entries, indent=step)
                for entry in entries[len(known):] if isinstance(known, list) else ():
                    text = jsonc.add(text, ("hooks", event), None, entry, indent=step)
        if parse_settings(name, text.encode()) != wanted:
            raise ValueError("not what was wanted")
    except ValueError:
        raise ConfigError(f"`{name}` has comments, and dream's hooks in it would have to be replaced",
                          hint="take the entries marked `# dream-memory` out by hand, then try again") from None
    return text.encode()


def take_out(document: dict[str, object]) -> dict[str, object]:
    """A configuration without dream's entries, and without the events and the table that held nothing else."""
    hooks = document.get("hooks")
    if not isinstance(hooks, dict):
        return document
    left = {}
    for event, present in hooks.items():
        kept = _without_ours(present) if isinstance(present, list) else present
        if kept or kept == present:
            left[event] = kept
    return {k: v for k, v in {**document, "hooks": left}.items() if k != "hooks" or left or not hooks}


def is_connected(body: bytes | None) -> bool:
    """Whether a configuration carries dream's hooks."""
    return body is not None and (ENTRY_MARK.encode() in body or f"{MARK}: tells dream".encode() in body)


def is_observed(body: bytes | None) -> bool:
    """Whether a connected harness asks its agent."""
    return body is not None and f"hook stop {OBSERVE} {ENTRY_MARK}".encode() in body


def _entry(harness: Harness, event: str, command: str) -> dict[str, object]:
    marked = f"{command} {ENTRY_MARK}"
    if harness.shape == "flat":
        return {"command": marked, "timeout": harness.timeout}
    if harness.shape == "flat-bash":
        return {"type": "command", "bash": marked, "timeoutSec": harness.timeout}
    group: dict[str, object] = {"hooks": [{"type": "command", "command": marked, "timeout": harness.timeout}]}
    if event == "SessionStart" and harness.name != "gemini":
        group = {"matcher": "startup|clear", **group}
    return group


def parse_settings(name: str, body: bytes | None) -> dict[str, object]:
    """The JSON object of a configuration, with or without comments; empty for an empty file.

    Raises ConfigError for anything that would not come back the same: a key given twice, another encoding.
    """
    if body is None or not body.strip():
        return {}
    try:
        document = json.loads(jsonc.plain(body.decode("utf-8")), object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise ConfigError(f"`{name}` cannot be read as JSON (a key twice, another encoding, or damage)",
                          hint="mend the file, or add the hooks by hand") from None
    if not isinstance(document, dict):
        raise ConfigError(f"`{name}` is not a JSON object", hint="mend the file, then try again")
    return document


def is_commented(body: bytes | None) -> bool:
    """Whether a file says more than its JSON does: comments, a comma behind the last member, a byte order mark."""
    text = (body or b"").decode("utf-8", "replace")
    return jsonc.plain(text) != text


def dump_settings(document: Mapping[str, object], before: bytes | None) -> bytes:
    """JSON with the indentation, the line ends and the last line end that a file has already."""
    text, indent = (before or b"").decode("utf-8", "replace"), _indent_of(before)
    told = json.dumps(document, ensure_ascii=False, indent=indent) + ("\n" if not text.strip() or text.endswith("\n") else "")
    told = _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", told)  # half a character stays the escape it was
    return (told.replace("\n", "\r\n") if "\r\n" in text else told).encode()


def _indent_of(before: bytes | None) -> int | str:
    """How a file is indented: a tab or so many blanks."""
    for line in jsonc.plain((before or b"").decode("utf-8", "replace")).splitlines()[1:]:
        lead = line[:len(line) - len(line.lstrip())]
        if lead and line.strip():
            return "\t" if lead.startswith("\t") else len(lead)
    return 2


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    return found


def _without_ours(present: list[object]) -> list[object]:
    """Entries that are not dream's; in a group that somebody else uses too, only dream's command goes."""
    kept: list[object] = []
    for entry in present:
        if isinstance(entry, dict) and isinstance(entry.get("hooks"), list):
            inner = [hook for hook in entry["hooks"] if not _is_ours(hook)]
            if inner or not entry["hooks"]:
                kept.append(entry if len(inner) == len(entry["hooks"]) else {**entry, "hooks": inner})
        elif not _is_ours(entry):
            kept.append(entry)
    return kept


def _is_ours(hook: object) -> bool:
    return isinstance(hook, dict) and any(
        isinstance(hook.get(key), str) and str(hook[key]).endswith(ENTRY_MARK) for key in ("command", "bash"))


def _filled(name: str, harness: Harness, command: str) -> bytes:
    """A small program that travels with dream, told the harness's events and how to call us."""
    text = (share_dir("config") / "plugins" / name).read_text("utf-8")
    events = "\n".join(f'  "{theirs}": "{ours}",' for theirs, ours in harness.events.items())
    return text.replace("@EVENTS@", events).replace("@NAMES@", json.dumps(list(harness.events))).replace(
        "@COMMAND@", json.dumps(shlex.split(command))).encode()
