"""Connecting an agent: show the change, write it with a backup, check it, and give every byte back on request.

What a disconnect restores: a file nobody touched since gets its old bytes. In one that was edited since, the edits are
carried over to the old bytes line by line; only where that gives no sound file are dream's entries taken out of the
new one, and the rest keeps its meaning, if not its spacing.
"""

from __future__ import annotations

import base64
import difflib
import json
import shlex
import stat
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dreamd.agents.harnesses import (
    HARNESSES,
    Harness,
    add_hooks,
    dump_settings,
    harness_named,
    is_commented,
    is_connected,
    is_observed,
    parse_settings,
    take_out,
)
from dreamd.core import fsio
from dreamd.core.clock import iso
from dreamd.core.errors import ConfigError, DreamError, Refused, UsageError
from dreamd.core.paths import default_config, default_home, openclaw_state, user_home
from dreamd.core.world import World

CHECK_S = 20
LARGEST_CONFIG_BYTES = 8 * 1024 * 1024
CHECKED_WORDS = "remember that this connection was tried"


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


@dataclass(frozen=True)
class Kept:
    """One file of a connection: its bytes before the first one (None: absent) and as dream left it."""

    path: Path
    before: bytes | None
    after: bytes


@dataclass(frozen=True)
class Record:
    """What a disconnect needs: the files, and the folders that were made for them."""

    files: tuple[Kept, ...]
    folders: tuple[Path, ...]


def plan_connect(world: World, name: str, *, observe: bool | None = None) -> Connection:
    """What `dream connect` would change; nothing when it is connected the same way already.

    With `observe` the agent is asked once a conversation; None leaves that as it is.

    Raises UsageError for an unknown harness, Refused where it is not installed, ConfigError for a broken file.
    """
    harness = harness_named(name)
    if not is_installed(world, harness):
        raise Refused(f"{harness.title} is not installed for this person (no `{_own_place(world, harness, harness.signs[0])}`)",
                      hint="start it once, then connect")
    if observe and not harness.asks:
        raise UsageError(f"a hook of {harness.title} cannot ask the agent anything", hint="connect it without `--observe`")
    main = config_file(world, harness)
    asked = is_observed(_read(main)) if observe is None else observe
    wanted = add_hooks(harness, _read(main), dream_command(world), observe=asked)
    changes = {}
    for relative, after in wanted.items():
        path = main if relative == harness.file else main.parent / Path(relative).name
        before = _read(path)
        if before != after:
            changes[path] = (before, after)
    return Connection(harness, changes)


def connect(world: World, connection: Connection) -> list[Path]:
    """Write a planned change, the bytes before kept, after each hook was run once as the harness will run it.

    Raises ConfigError when a hook does not do its work, or a file changed since the plan; nothing is then changed.
    """
    events = sorted(set(connection.harness.events.values()))
    failed = next((event for event in events if not _works(world, event)), None)
    if failed:
        raise ConfigError(f"the hook `{failed}` does not work; the configuration is as it was",
                          hint=f"run `{dream_command(world)} hook {failed} < /dev/null` by hand and look at `dream probe`")
    for path, (before, _) in connection.changes.items():
        if _read(path) != before:
            raise ConfigError(f"`{path}` changed while you were looking at the difference", hint="try again")
    _keep_record(world, connection)
    for path, (_, after) in connection.changes.items():
        _replace(path, after)
    return list(connection.changes)


def disconnect(world: World, name: str) -> list[Path]:
    """Give a harness its configuration back, byte for byte; what was changed beside dream's hooks stays.

    Raises Refused when it is not connected, ConfigError when an edited file makes no sense any more.
    """
    harness = harness_named(name)
    place = _record_file(world, harness)
    record = _read_record(place)
    if record is None and is_connected(_read(config_file(world, harness))):
        record = Record((Kept(config_file(world, harness), None, b""),), ())  # the home it was connected from is gone
    if record is None:
        raise Refused(f"{harness.title} is not connected", hint="`dream connect --list` shows what is")
    restored: list[tuple[Path, bytes | None]] = []
    for one in record.files:
        now = _read(one.path)
        if now is not None:  # one that is gone was taken away by somebody else, and nothing of ours is in it
            restored.append((one.path, one.before if now == one.after else _without_us(world, one, now)))
    for path, body in restored:
        if body is None:
            fsio.remove(path)
        else:
            _replace(path, body)
    for folder in sorted(record.folders, key=lambda p: len(p.parts), reverse=True):
        with suppress(OSError):  # somebody put something into it, or took it away
            folder.rmdir()
    fsio.remove(place)
    return [path for path, _ in restored]


def why_silent(world: World, name: str) -> str:
    """What in a harness's own settings keeps it from running any hook; empty when nothing does."""
    harness = harness_named(name)
    main = config_file(world, harness)
    with suppress(DreamError, ValueError):  # a file that makes no sense says nothing, and is the harness's own matter
        if name == "claude-code" and parse_settings(str(main), _read(main)).get("disableAllHooks") is True:
            return f"`disableAllHooks` in `{main}` is true"
        if name == "gemini":
            switches = parse_settings(str(main), _read(main)).get("hooksConfig")
            if isinstance(switches, dict) and switches.get("enabled") is False:
                return f"`hooksConfig.enabled` in `{main}` is false"
        if name == "copilot":
            place = main.parents[1] / "settings.json"
            if parse_settings(str(place), _read(place)).get("disableAllHooks") is True:
                return f"`disableAllHooks` in `{place}` is true"
        if name == "codex":
            place = main.with_name("config.toml")
            features = tomllib.loads((_read(place) or b"").decode()).get("features")
            if isinstance(features, dict) and False in (features.get("hooks"), features.get("codex_hooks")):
                return f"`[features] hooks` in `{place}` is false"
    return ""


def list_harnesses(world: World) -> list[Standing]:
    """Every harness dream knows: installed here, connected, and where its configuration is."""
    found = []
    for harness in HARNESSES:
        path = config_file(world, harness)
        try:
            body = _read(path)
        except DreamError:
            body = None
        found.append(Standing(harness, is_installed(world, harness), is_connected(body), path))
    return found


def is_installed(world: World, harness: Harness) -> bool:
    """Whether a harness has left its directory in the person's home, or where its own variable says."""
    return any(_own_place(world, harness, sign).is_dir() for sign in harness.signs)


def config_file(world: World, harness: Harness) -> Path:
    """Where a harness's configuration is, moved by its own environment variable where that is set."""
    # People keep their settings in a repository and link to them: the file behind the link is the one to change.
    return _own_place(world, harness, harness.file).resolve()


def _own_place(world: World, harness: Harness, relative: str) -> Path:
    if harness.name == "openclaw":  # several variables move it, and it had other names
        return openclaw_state(world.env, user_home(world.env)) / Path(relative).relative_to(harness.moves)
    moved = world.env.get(harness.variable) if harness.variable else None
    return Path(moved) / Path(relative).relative_to(harness.moves) if moved else _place(world, relative)


def dream_command(world: World) -> str:
    """How a harness calls dream: by absolute path, for a hook's PATH is nobody's promise, and for this home."""
    return _command(world, world.paths.home)


def _command(world: World, home: Path) -> str:
    beside = Path(sys.executable).with_name("dream")
    words = [str(beside)] if beside.is_file() else [sys.executable, "-m", "dreamd.cli.main"]
    plain = {k: v for k, v in world.env.items() if k not in ("DREAM_HOME", "DREAM_CONFIG")}
    if home != default_home(plain):
        words += ["--home", str(home)]
    if world.settings.path is not None and world.settings.path != default_config(plain):
        words += ["--config", str(world.settings.path)]
    return shlex.join(words)


def _works(world: World, event: str) -> bool:
    """Run one hook through a shell, as a harness does, on a home of its own, and look whether it did its work."""
    with tempfile.TemporaryDirectory(prefix="dream-check-") as place:
        home = Path(place) / "home"
        call = {"session_id": "check", "transcript_path": f"{place}/check.jsonl", "cwd": place, "prompt": CHECKED_WORDS,
                "hook_event_name": "check", "source": "startup"}
        try:
            done = subprocess.run(["/bin/sh", "-c", f"{_command(world, home)} hook {event} # check"],
                                  input=json.dumps(call).encode(), capture_output=True, timeout=CHECK_S, check=False,
                                  env={k: v for k, v in world.env.items() if k not in ("DREAM_HOME", "DREAM_NOW")})
        except (OSError, subprocess.TimeoutExpired):
            return False
        quiet = done.returncode == 0 and not done.stdout and not done.stderr
        # A hook hides its own failures, so its exit code says nothing: what it leaves behind does.
        return quiet and (event == "session-start" or any((home / "inbox").glob("*.json")))


def _place(world: World, relative: str) -> Path:
    """A place below the person's home, where the XDG variables have not moved it."""
    for prefix, variable in ((".config/", "XDG_CONFIG_HOME"), (".local/share/", "XDG_DATA_HOME")):
        moved = world.env.get(variable)
        if moved and relative.startswith(prefix):
            return Path(moved) / relative.removeprefix(prefix)
    return user_home(world.env) / relative


def _keep_record(world: World, connection: Connection) -> None:
    place = _record_file(world, connection.harness)
    record = _read_record(place) or Record((), ())
    files = {one.path: one for one in record.files}
    folders = list(record.folders)
    for path, (before, after) in connection.changes.items():
        older = files.get(path)
        # Connected again after an update: the bytes from before the very first connection are what counts, and what
        # the person changed since belongs to them.
        first = before if older is None or before is None else (
            older.before if before == older.after else _without_us(world, older, before))
        files[path] = Kept(path, first, after)
        folders += [parent for parent in path.parents if not parent.exists()]
    fsio.write_atomic(place, json.dumps({
        "schema": 1, "at": iso(world.clock.now()), "folders": [str(p) for p in dict.fromkeys(folders)],
        "files": [{"path": str(k.path), "before": _encode(k.before), "after": _encode(k.after)} for k in files.values()],
    }).encode())


def _read_record(place: Path) -> Record | None:
    try:
        document = json.loads(fsio.read_bytes(place, limit_bytes=4 * LARGEST_CONFIG_BYTES))
        return Record(tuple(Kept(Path(row["path"]), _decode(row["before"]), _decode(row["after"]) or b"")
                            for row in document["files"]), tuple(map(Path, document["folders"])))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        raise ConfigError(f"the record `{place}` is damaged",
                          hint="take the entries marked `# dream-memory` out by hand") from None


def _record_file(world: World, harness: Harness) -> Path:
    return world.paths.home / "connections" / f"{harness.name}.json"


def _without_us(world: World, one: Kept, now: bytes) -> bytes | None:
    """What an edited file is without dream's entries; None where it should go altogether."""
    if one.path.suffix not in (".json", ".jsonc"):
        # A file of ours that somebody changed: it goes, for it calls dream, and a copy stays.
        fsio.write_atomic(world.paths.home / "connections" / f"edited-{one.path.name}", now)
        return one.before
    wanted = take_out(parse_settings(str(one.path), now))
    if one.before is not None:
        merged = _carry_over(one.before, one.after, now)
        with suppress(ConfigError):
            if merged is not None and parse_settings(str(one.path), merged) == wanted:
                return merged
    if not wanted or (one.before is None and set(wanted) <= {"version"}):
        return one.before
    if is_commented(now):
        raise ConfigError(f"`{one.path}` has comments and was edited where dream's hooks stand",
                          hint="take the entries marked `# dream-memory` out by hand")
    return dump_settings(wanted, now)


def _carry_over(before: bytes, after: bytes, now: bytes) -> bytes | None:
    """Make the changes from `after` to `now` in `before`, line by line; None where they touch what dream changed."""
    base = after.splitlines(keepends=True)
    ours, theirs = _changes(base, before), _changes(base, now)
    changes = sorted([*ours, *theirs], key=lambda change: (change[0], change[1]))
    if any(one[1] > two[0] or one[:2] == two[:2] for one, two in zip(changes, changes[1:], strict=False)):
        return None
    merged: list[bytes] = []
    at = 0
    for lo, hi, lines in changes:
        merged += [*base[at:lo], *lines]
        at = hi
    return b"".join([*merged, *base[at:]])


def _changes(base: list[bytes], other: bytes) -> list[tuple[int, int, list[bytes]]]:
    """From which line to which `base` reads differently in another text, and how."""
    lines = other.splitlines(keepends=True)
    codes = difflib.SequenceMatcher(None, base, lines, autojunk=False).get_opcodes()
    return [(low, high, lines[a:b]) for tag, low, high, a, b in codes if tag != "equal"]


def _replace(path: Path, body: bytes) -> None:
    """Write a file that is not ours, keeping the rights it has."""
    mode = None
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(path.stat().st_mode)
    fsio.write_atomic(path, body)
    if mode is not None and mode != stat.S_IMODE(path.stat().st_mode):
        with fsio.translated(path):
            path.chmod(mode)


def _read(path: Path) -> bytes | None:
    try:
        return fsio.read_bytes(path, limit_bytes=LARGEST_CONFIG_BYTES)
    except FileNotFoundError:
        return None


def _encode(body: bytes | None) -> str | None:
    return None if body is None else base64.b64encode(body).decode()


def _decode(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def _lines(body: bytes | None) -> list[str]:
    return body.decode("utf-8", "replace").splitlines() if body is not None else []
