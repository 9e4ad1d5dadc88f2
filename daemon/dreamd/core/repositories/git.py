"""Asking git itself, with nothing of a repository's own carried out: no hook, no filter, no watcher, no editor, no network.

A repository's settings may name programs for almost anything, and whoever wrote them is not the person who asked dream to
look. All of them are switched off: by environment, which no file outranks, and by name, for those each repository makes up.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from dreamd.core.errors import DreamError
from dreamd.core.paths import read_environment

TIMEOUT_S = 60.0
_KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME", "TMPDIR", "SYSTEMROOT")
"""All that git gets of our environment: `GIT_DIR` and its kind would turn it to another repository, or to another program."""
_ENVIRONMENT = {
    "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ASKPASS": "false",
    "SSH_ASKPASS": "false", "GIT_EDITOR": "false", "GIT_SEQUENCE_EDITOR": "false", "GIT_PAGER": "cat",
    "GIT_SSH_COMMAND": "false", "GIT_ALLOW_PROTOCOL": "none", "GIT_PROTOCOL_FROM_USER": "0", "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
_SETTINGS = {
    "core.hooksPath": "/dev/null", "core.fsmonitor": "false", "core.untrackedCache": "false", "core.pager": "cat",
    "core.editor": "false", "core.sshCommand": "false", "core.askPass": "false", "core.gitProxy": "none",
    "core.alternateRefsCommand": "false", "credential.helper": "", "commit.gpgSign": "false", "tag.gpgSign": "false",
    "log.showSignature": "false", "gpg.program": "false",
    "diff.external": "false", "diff.ignoreSubmodules": "all", "status.submoduleSummary": "false", "submodule.recurse": "false",
    "protocol.allow": "never", "gc.auto": "0", "maintenance.auto": "false", "safe.bareRepository": "explicit",
    "uploadpack.packObjectsHook": "", "sequence.editor": "false", "interactive.diffFilter": "cat",
}
_RUNS = re.compile(
    r"filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:command|textconv)|merge\..*\.driver|hook\..*\.command|alias\..*"
    r"|gpg\..*\.(?:program|defaultkeycommand)|trailer\..*\.(?:command|cmd)|credential\..*\.helper|submodule\..*\.update"
    r"|remote\..*\.(?:vcs|uploadpack|receivepack|proxy)|(?:diff|merge)tool\..*\.(?:cmd|path)|(?:man|browser)\..*\.(?:cmd|path)"
    r"|pager\..*|tar\..*\.command|guitool\..*\.cmd|sendemail\..*cmd", re.IGNORECASE)
"""Settings that name a program under a name the repository chose."""
_OFF = {"required": "false", "enabled": "false"}


def ask_git(root: Path, *args: str, timeout_s: float = TIMEOUT_S, thorough: bool = True, also: Mapping[str, str] | None = None,
            accepts: Sequence[int] = (0,)) -> str:
    """What git says to a question about a directory.

    `thorough` looks first for what the repository's settings would run under names of their own; needless where git only
    reads what is committed. Raises DreamError with git's own first line.
    """
    settings = {**_SETTINGS, **(also or {})}
    if thorough:
        told = _run(root, ("config", "--list", "--name-only", "-z"), settings, timeout_s, (0,)).decode("utf-8", "replace")
        for key in dict.fromkeys(told.split("\x00")):
            if _RUNS.fullmatch(key):
                settings[key] = "none" if key.lower().endswith(".update") else ""
                settings.update({f"{key.rpartition('.')[0]}.{name}": off for name, off in _OFF.items()})
    return _run(root, args, settings, timeout_s, accepts).decode("utf-8", "replace")


def read_objects(root: Path, names: Sequence[str], *, timeout_s: float = TIMEOUT_S) -> dict[str, bytes]:
    """The content of objects, by name; those that are not there are left out.

    Raises DreamError with git's own first line.
    """
    told = _run(root, ("cat-file", "--batch"), _SETTINGS, timeout_s, (0,), told="\n".join((*names, "")).encode())
    found, at = {}, 0
    while at < len(told):
        line = told[at:told.index(b"\n", at)]
        name, kind, *size = line.decode("ascii", "replace").split(" ")
        at += len(line) + 1
        if size and kind != "missing":
            found[name] = told[at:at + int(size[0])]
            at += int(size[0]) + 1
    return found


def sizes_of(root: Path, names: Sequence[str], *, timeout_s: float = TIMEOUT_S) -> dict[str, int]:
    """The bytes of objects, by name; those that are not there are left out.

    Raises DreamError with git's own first line.
    """
    asked = "\n".join((*names, "")).encode()
    told = _run(root, ("cat-file", "--batch-check=%(objectname) %(objectsize)"), _SETTINGS, timeout_s, (0,), told=asked)
    rows = (line.split(" ") for line in told.decode("ascii", "replace").splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdecimal()}


def _run(root: Path, args: Sequence[str], settings: Mapping[str, str], timeout_s: float, accepts: Sequence[int], *,
         told: bytes | None = None) -> bytes:
    import subprocess

    ours = read_environment()
    env = {**{name: ours[name] for name in _KEPT if name in ours}, **_ENVIRONMENT, "GIT_CONFIG_COUNT": str(len(settings))}
    for n, (key, content) in enumerate(settings.items()):
        env |= {f"GIT_CONFIG_KEY_{n}": key, f"GIT_CONFIG_VALUE_{n}": content}
    try:
        with subprocess.Popen(["git", "-C", str(root), *args], stdout=subprocess.PIPE,
                              stdin=subprocess.DEVNULL if told is None else subprocess.PIPE, stderr=subprocess.PIPE,
                              env=env, start_new_session=True) as child:
            try:
                said, complaint = child.communicate(told, timeout=timeout_s)
            except subprocess.TimeoutExpired:
                with suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)  # with whatever it started, which would hold the pipe
                raise DreamError(f"git took longer than {timeout_s:g} s") from None
    except FileNotFoundError:
        raise DreamError("git is not installed") from None
    except (OSError, ValueError) as error:
        raise DreamError(f"git could not be asked: {type(error).__name__}") from None
    if child.returncode not in accepts:
        lines = (complaint or said).decode("utf-8", "replace").strip().splitlines()
        raise DreamError(f"git said: {lines[0][:200] if lines else child.returncode}")
    return said
