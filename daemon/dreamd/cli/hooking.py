"""`dream hook EVENT`: called by a harness in the middle of somebody's work. Quick, silent, and always exit 0.

Most calls only say that a conversation moved. Those are answered here with the standard library alone: the process is
gone before the rest of dream could be imported, and broken settings or a store of another version cannot stop it. What a
prompt says to the memory itself, and the start of a conversation, take the ordinary way. Whatever goes wrong, the
agent's session goes on and a marker tells.
"""

# ruff: noqa: PTH100, PTH102, PTH103, PTH108, PTH110, PTH111, PTH118, PTH120, PTH123
# `pathlib` alone would take a fifth of the time a hook has.

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

EVENTS = ("session-start", "user-prompt-submit", "stop", "pre-compact", "session-end")
LARGEST_INPUT_BYTES = 4 * 1024 * 1024
INPUT_S = 1.0
"""A harness that never closes our standard input is not waited for."""
LONGEST_PLACE = 4096
VSCODE_LOG = "GitHub.copilot-chat/transcripts"
"""Where VS Code keeps a second copy of a chat, which its hooks are told of; dream reads the first."""
VALUED = ("--home", "--config", "--now")
OBSERVE = "--observe"
ASK_AFTER = 4
"""Turns after which the agent is asked: a conversation that ends sooner holds little."""
ASKED, ANSWERED = "asked", "answered"


def main(words: Sequence[str]) -> int:
    """Carry out one call; there is no other exit code than 0."""
    options: dict[str, str] = {}
    try:
        event, options = _parse(words)
        body = _read_input()
        document = json.loads(body or b"{}")
        if isinstance(document, dict) and event in EVENTS:
            _carry_out(event, document, body, options)
    except (ValueError, RecursionError):
        return 0  # not JSON, or not a call we know: nothing to say, and nobody here to say it to
    except Exception as error:  # noqa: BLE001 - the one promise of a hook: the session goes on, the marker tells
        from dreamd.cli import starting

        starting.leave_marker(error, options)
    return 0


def _parse(words: Sequence[str]) -> tuple[str, dict[str, str]]:
    options: dict[str, str] = {}
    event, rest = "", iter(words)
    for word in rest:
        name, given, content = word.partition("=")
        if name in VALUED:
            options[name] = content if given else next(rest, "")
        elif word == OBSERVE:
            options[OBSERVE] = word
        elif not word.startswith("-"):
            event = event or word
    return event, options


def _read_input() -> bytes:
    """Everything on standard input, as far as it comes in time."""
    import select

    parts: list[bytes] = []
    size, until_s = 0, time.monotonic() + INPUT_S
    try:
        while size < LARGEST_INPUT_BYTES and select.select([0], [], [], max(0.0, until_s - time.monotonic()))[0]:
            part = os.read(0, 1 << 20)
            if not part:
                break
            parts.append(part)
            size += len(part)
    except OSError:
        return b""
    return b"".join(parts)


def _carry_out(event: str, document: dict[str, object], body: bytes, options: dict[str, str]) -> None:
    if event == "session-start":
        from dreamd.cli import starting

        starting.start(body, options)
    elif event == "user-prompt-submit":
        prompt = next((p for n in ("prompt", "user_prompt", "text") if isinstance(p := document.get(n), str)), "")
        if _speaks_to_memory(prompt) or _marks(document, options):
            from dreamd.cli import starting

            starting.hear(body, options)
    else:
        _touch(event, document, options)
        without = [mark for mark in _marks(document, options) if mark.endswith(".turn")] if event != "pre-compact" else []
        for mark in without:  # the turn that a person wanted without memory is over
            with suppress(OSError):
                os.unlink(mark)
        if event == "stop" and OBSERVE in options and not without and _is_due(document, options):
            from dreamd.cli import starting

            starting.observe(body, options)


def _is_due(document: dict[str, object], options: dict[str, str]) -> bool:
    """Whether the agent is to be asked now, or has just answered: turns are counted here, for most of them end here.

    What is done next is written first: whatever fails then, nobody is asked a second time.
    """
    from hashlib import blake2b

    conversation = _text(document, "session_id", "sessionId", "conversation_id", "conversationId")
    if not conversation:
        return False
    name = f"{blake2b(conversation.encode(), digest_size=8).hexdigest()}"
    try:
        with open(os.path.join(_home(options), "observed", name), encoding="ascii") as stream:
            stands = stream.read(16)
    except FileNotFoundError:
        stands = "0"
    if document.get("stop_hook_active"):
        after = ANSWERED if stands == ASKED else stands
    else:
        after = str(int(stands) + 1) if stands.isdecimal() else stands
        after = ASKED if after == str(ASK_AFTER) else after
    if after == stands:
        return False
    _write(_folder(_home(options), "observed"), name, after.encode())
    return after in (ASKED, ANSWERED)


def _marks(document: dict[str, object], options: dict[str, str]) -> list[str]:
    """The files that say that a person wants a turn, or the whole conversation, without memory."""
    from hashlib import blake2b

    conversation = _text(document, "session_id", "sessionId", "conversation_id", "conversationId")
    name = os.path.join(_home(options), "silent", blake2b(conversation.encode(), digest_size=8).hexdigest())
    return [mark for mark in (f"{name}.turn", f"{name}.conversation") if os.path.exists(mark)]


def _touch(event: str, document: dict[str, object], options: dict[str, str]) -> None:
    """Leave word in the inbox that a conversation moved: one file a conversation and event, however often it is told."""
    path = _text(document, "transcript_path", "transcriptPath")
    conversation = _text(document, "session_id", "sessionId", "conversation_id", "conversationId")
    if "\x00" in path or not (path or conversation and event == "session-end"):
        return
    from hashlib import blake2b

    if path.startswith("~"):
        path = os.path.expanduser(path)
    chat = path.replace(f"/{VSCODE_LOG}/", "/chatSessions/")
    path = chat if chat != path and os.path.exists(chat) else path
    at = options.get("--now") or os.environ.get("DREAM_NOW") or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    roots = document.get("workspace_roots")
    opened = {"cwd": roots[0]} if isinstance(roots, list) and roots else {}
    cwd = _text(document, "cwd") or _text(opened, "cwd")
    row = {"event": event, "path": path, "conversation": conversation, "cwd": cwd, "at": at}
    name = f"touched-{blake2b(f'{event} {path or conversation}'.encode(), digest_size=8).hexdigest()}.json"
    _write(_folder(_home(options), "inbox"), name, json.dumps({"schema": 1, "touched": row}).encode())


def _folder(home: str, name: str) -> int:
    """An open folder of the home, made for its owner alone where it is not there; refuses a link in its place."""
    place = os.path.join(home, name)
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(place, flags)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(home), exist_ok=True)
        for folder in (home, place):
            with suppress(FileExistsError):  # another hook of the same moment may make it
                os.mkdir(folder, 0o700)
        return os.open(place, flags)


def _write(folder: int, name: str, body: bytes) -> None:
    """Replace a small file as a whole. It is a hint, the transcript is the truth: nothing waits for the disk."""
    temporary = f".{name}.{os.getpid()}.dream-tmp"
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
        try:
            os.write(descriptor, body)
        finally:
            os.close(descriptor)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with suppress(OSError):  # a full disk has no room for what could not be written either
            os.unlink(temporary, dir_fd=folder)
        raise
    finally:
        os.close(folder)


def _speaks_to_memory(prompt: str) -> bool:
    """Whether a prompt begins like something said to the memory itself, or may want none; most do not, and end here."""
    import re
    import tomllib

    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    places = (os.path.join(here, "_share", "config"), os.path.join(os.path.dirname(os.path.dirname(here)), "config"))
    for place in places:
        try:
            with open(os.path.join(place, "words", "speech_acts.toml"), "rb") as stream:
                begins = [entry for table in tomllib.load(stream).values() for row in table.values() for entry in row]
            with open(os.path.join(place, "words", "without_memory.toml"), "rb") as stream:
                wants = [entry for row in tomllib.load(stream)["ignore"].values() for entry in row]
        except FileNotFoundError:
            continue
        return bool(re.match(r"\s*(?:" + "|".join(begins) + ")", prompt[:400], re.IGNORECASE)
                    or re.search("|".join(wants), f"{prompt[:2_000]}\n{prompt[2_000:][-2_000:]}", re.IGNORECASE))
    return True


def _home(options: dict[str, str]) -> str:
    """The home as `paths` finds it, without importing it."""
    chosen = options.get("--home") or os.environ.get("DREAM_HOME")
    if chosen:
        return os.path.realpath(os.path.expanduser(chosen))
    person = os.environ.get("HOME") or os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(person, "Library", "Application Support", "dream")
    return os.path.join(os.environ.get("XDG_STATE_HOME") or os.path.join(person, ".local", "state"), "dream")


def _text(document: dict[str, object], *names: str) -> str:
    found = next((v for n in names if isinstance(v := document.get(n), str)), "")
    return found[:LONGEST_PLACE].encode("utf-8", "replace").decode()
