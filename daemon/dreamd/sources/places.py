"""Where the harnesses of a person keep their files: below the home, unless a variable or their own settings say else."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from dreamd.core.paths import openclaw_home, openclaw_states
from dreamd.core.settings import SourceSettings
from dreamd.sources.base.contract import VSCODE_EDITORS, SourceRoots
from dreamd.sources.base.opening import Unopened, read_start

VARIABLES = (
    "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "OPENCODE_DB", "GEMINI_CLI_HOME", "COPILOT_HOME",
    "HERMES_HOME", "CURSOR_DATA_DIR", "LETTA_LOCAL_BACKEND_DIR", "OPENCLAW_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_PROFILE",
    "OPENCLAW_WORKSPACE_DIR", "VSCODE_PORTABLE",
)
"""What moves the files of a harness; a service has to be started with the same."""

_WORKSPACE = re.compile(r"""["']?workspace["']?\s*:\s*["']([^"'\n]{1,1000})["']""")
_LARGEST_SETTINGS_BYTES = 1024 * 1024


def roots_in(env: Mapping[str, str], home: Path, wanted: SourceSettings, *, extra: tuple[Path, ...] = ()) -> SourceRoots:
    """Where to look, as far as the settings let dream look."""
    share = _moved(env, "XDG_DATA_HOME", home / ".local" / "share") / "opencode"
    claws = openclaw_states(env, home)
    hermes = _moved(env, "HERMES_HOME", home / ".hermes")
    backend = (Path(env["LETTA_LOCAL_BACKEND_DIR"]),) if env.get("LETTA_LOCAL_BACKEND_DIR") else ()
    portable = (Path(env["VSCODE_PORTABLE"]) / "user-data" / "User",) if env.get("VSCODE_PORTABLE") else ()
    return SourceRoots(
        claude_dirs=(_moved(env, "CLAUDE_CONFIG_DIR", home / ".claude"),) if wanted.claude_code else (),
        codex_dirs=(_moved(env, "CODEX_HOME", home / ".codex"),) if wanted.codex else (),
        gemini_dirs=(_moved(env, "GEMINI_CLI_HOME", home) / ".gemini",) if wanted.gemini else (),
        copilot_dirs=(_moved(env, "COPILOT_HOME", home / ".copilot"),) if wanted.copilot else (),
        opencode_dirs=(share,) if wanted.opencode else (),
        openclaw_dirs=(*claws, *dict.fromkeys(_claw_workspaces(env, home, claws))) if wanted.openclaw else (),
        cursor_dirs=tuple(dict.fromkeys((home / ".cursor", _moved(env, "CURSOR_DATA_DIR", home / ".cursor"))))
        if wanted.cursor else (),
        hermes_dirs=tuple(_with_siblings(hermes)) if wanted.hermes else (),
        letta_dirs=(home / ".letta", *backend) if wanted.letta else (),
        vscode_dirs=(*(home / place for place in VSCODE_EDITORS), *portable) if wanted.copilot else (),
        extra=(*(Path(os.path.expandvars(path)).expanduser() for path in wanted.paths),
               *(_opencode_store(env, share) if wanted.opencode else ()), *extra))


def _moved(env: Mapping[str, str], variable: str, usual: Path) -> Path:
    return Path(env[variable]).expanduser() if env.get(variable) else usual


def _with_siblings(hermes: Path) -> Iterator[Path]:
    """Hermes' home; where it is one of several profiles, the home of all of them."""
    yield hermes
    if hermes.parent.name == "profiles":
        yield hermes.parent.parent


def _opencode_store(env: Mapping[str, str], share: Path) -> Iterator[Path]:
    """The store a variable names, unless it lies where stores are found anyway."""
    named = env.get("OPENCODE_DB", "")
    if named and named != ":memory:":
        store = share / named  # an absolute one stays what it is
        if store.parent != share or store.suffix != ".db":
            yield store


def _claw_workspaces(env: Mapping[str, str], home: Path, states: tuple[Path, ...]) -> Iterator[Path]:
    """The workspaces that lie elsewhere: named by a variable, or in OpenClaw's own settings."""
    if env.get("OPENCLAW_WORKSPACE_DIR"):
        yield _moved(env, "OPENCLAW_WORKSPACE_DIR", home)
    for state in states:
        try:
            text = read_start(state / "openclaw.json", _LARGEST_SETTINGS_BYTES).decode("utf-8", "replace")
        except Unopened:
            continue
        for named in _WORKSPACE.findall(text):
            place = openclaw_home(env, home) / named[2:] if named.startswith("~/") else Path(named)
            if place.is_absolute() and state not in place.parents:
                yield place
