"""Connecting an agent: show the change, write it with a backup, check it, and give every byte back on request."""

from __future__ import annotations

import difflib
import json
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dreamd import fsio
from dreamd.clock import iso
from dreamd.errors import ConfigError, Refused
from dreamd.harnesses import HARNESSES, Harness, add_hooks, harness_named, is_connected
from dreamd.paths import user_home
from dreamd.world import World

CHECK_S = 10


@dataclass(frozen=True)
class Connection:
    """A change to a harness's configuration that was not made yet: path → bytes before (None: absent) and after."""

    harness: Harness
    changes: Mapping[Path, tuple[bytes | None, bytes]]

    def diff(self) -> str:
        """The change as a unified diff."""
        parts: list[str] = []
        for path, (before, after) in self.changes.items():
            old, new = _lines(before), _lines(after)
            parts.extend(difflib.unified_diff(old, new, f"{path} (now)", f"{path} (then)", lineterm=""))
        return "\n".join(parts)


@dataclass(frozen=True)
class Standing:
    """What is known about a harness on this machine."""

    harness: Harness
    installed: bool
    connected: bool
    file: Path


def plan_connect(world: World, name: str) -> Connection:
    """What `dream connect` would change; nothing when it is connected the same way already.

    Raises UsageError for an unknown harness, Refused where it is not installed, ConfigError for a broken file.
    """
    harness = harness_named(name)
    if not is_installed(world, harness):
        raise Refused(f"{harness.title} is not installed for this person (no `~/{harness.signs[0]}`)",
                      hint="start it once, then connect")
    main = config_file(world, harness)
    wanted = add_hooks(harness, _read(main), dream_command())
    changes = {}
    for relative, after in wanted.items():
        path = main if relative == harness.file else main.parent / Path(relative).name
        before = _read(path)
        if before != after:
            changes[path] = (before, after)
    return Connection(harness, changes)


def connect(world: World, connection: Connection) -> list[Path]:
    """Write a planned change, the bytes before kept, and run each hook once; put everything back when one fails.

    Raises ConfigError when a file changed since the plan or a hook does not answer.
    """
    for path, (before, _) in connection.changes.items():
        if _read(path) != before:
            raise ConfigError(f"`{path}` changed while you were looking at the difference", hint="try again")
    _keep_record(world, connection)
    fsio.write_all([(path, after) for path, (_, after) in connection.changes.items()])
    failed = [event for event in sorted(set(connection.harness.events.values())) if not _answers(world, event)]
    if failed:
        disconnect(world, connection.harness.name)
        raise ConfigError(f"the hook `{failed[0]}` did not answer; the configuration is as it was",
                          hint="run `dream hook stop < /dev/null` by hand and look at what it says")
    return list(connection.changes)


def disconnect(world: World, name: str) -> list[Path]:
    """Give a harness its configuration back, byte for byte; what was changed beside dream's hooks stays.

    Raises Refused when it is not connected, ConfigError when the file was edited so that its bytes cannot be restored.
    """
    harness = harness_named(name)
    record = _record_file(world, harness)
    try:
        kept = json.loads(fsio.read_bytes(record))
    except FileNotFoundError:
        raise Refused(f"{harness.title} is not connected", hint="`dream connect --list` shows what is") from None
    restored = []
    for row in kept["files"]:
        path, before, after = Path(row["path"]), row["before"], row["after"]
        now = _read(path)
        if now is not None and now.decode("utf-8", "replace") != after:
            _take_out(path, now)
        elif before is None:
            fsio.remove(path)
        else:
            fsio.write_atomic(path, before.encode())
        restored.append(path)
    fsio.remove(record)
    for folder in {p.parent for p in restored}:
        if folder.name == "dream" and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    return restored


def list_harnesses(world: World) -> list[Standing]:
    """Every harness dream knows: installed here, connected, and where its configuration is."""
    found = []
    for harness in HARNESSES:
        path = config_file(world, harness)
        found.append(Standing(harness, is_installed(world, harness), is_connected(_read(path)), path))
    return found


def is_installed(world: World, harness: Harness) -> bool:
    """Whether a harness has left its directory in the person's home."""
    home = user_home(world.env)
    moved = harness.variable and world.env.get(harness.variable)
    return bool(moved) or any((home / sign).is_dir() for sign in harness.signs)


def config_file(world: World, harness: Harness) -> Path:
    """Where a harness's configuration is, moved by its own environment variable where that is set."""
    moved = world.env.get(harness.variable) if harness.variable else None
    path = Path(moved) / Path(harness.file).name if moved else user_home(world.env) / harness.file
    # People keep their settings in a repository and link to them: the file behind the link is the one to change.
    return path.resolve()


def dream_command() -> str:
    """How a harness calls dream: by absolute path, for a hook's PATH is nobody's promise."""
    beside = Path(sys.executable).with_name("dream")
    if beside.is_file():
        return shlex.quote(str(beside))
    return f"{shlex.quote(sys.executable)} -m dreamd.cli.main"


def _answers(world: World, event: str) -> bool:
    """Run one hook on an empty call; it must end well and in time."""
    command = [*shlex.split(dream_command()), "--home", str(world.paths.home), "hook", event]
    try:
        done = subprocess.run(command, input=b"{}", capture_output=True, timeout=CHECK_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _keep_record(world: World, connection: Connection) -> None:
    if not connection.changes:
        return
    record = _record_file(world, connection.harness)
    older = {}
    if record.exists():
        # Connected again after an update: the bytes from before the very first connection are what counts.
        older = {row["path"]: row["before"] for row in json.loads(fsio.read_bytes(record))["files"]}
    rows = [{"path": str(path), "before": older.get(str(path), before.decode() if before is not None else None),
             "after": after.decode()} for path, (before, after) in connection.changes.items()]
    fsio.write_atomic(record, json.dumps({"schema": 1, "at": iso(world.clock.now()), "files": rows}).encode())


def _record_file(world: World, harness: Harness) -> Path:
    return world.paths.home / "connections" / f"{harness.name}.json"


def _take_out(path: Path, now: bytes) -> None:
    """Remove dream's entries from a file the person or the harness has changed since."""
    try:
        document = json.loads(now)
        hooks = document["hooks"]
        for event in list(hooks):
            hooks[event] = [e for e in hooks[event] if not is_connected(json.dumps(e).encode())]
            if not hooks[event]:
                del hooks[event]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ConfigError(f"`{path}` was changed beyond recognition since it was connected",
                          hint="take the entries that mention `dream-memory` out by hand") from None
    fsio.write_atomic(path, (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode())


def _read(path: Path) -> bytes | None:
    try:
        return fsio.read_bytes(path)
    except FileNotFoundError:
        return None


def _lines(body: bytes | None) -> list[str]:
    return body.decode("utf-8", "replace").splitlines() if body is not None else []
