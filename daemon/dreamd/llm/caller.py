"""The process that calls: it has the network and nothing else, neither the store nor the home.

Run as `python -P -m dreamd.llm.caller` with a socket as standard input: a question a line in, an answer a line out. When
the other side goes, whatever it had started goes with it, so that nobody waits for a program that nobody reads.
As a unit it is told at its start whom it may ask and asks nobody else; with `--listen` it takes the socket that systemd
hands over and gives each connection a process of its own, until nobody has asked for a minute.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from queue import SimpleQueue

from dreamd.core.clock import SystemClock
from dreamd.core.paths import read_environment
from dreamd.llm.backends import OPTIONS, Backend
from dreamd.llm.wire import LARGEST_LINE_BYTES, answer_line, read_request
from dreamd.models.language_model import Answer, Ask, Ending

PR_SET_CHILD_SUBREAPER = 36
HANDED_OVER = 3
"""The descriptor under which systemd passes the socket on."""
IDLE_S = 60.0
LOOK_EVERY_S = 1.0
MOST_AT_ONCE = 4
OTHER_SETTINGS = "other-settings"


def main(argv: Sequence[str] | None = None) -> int:
    """Answer until nobody asks any more."""
    parser = argparse.ArgumentParser(prog="dreamd.llm.caller")
    parser.add_argument("--listen", action="store_true")
    for name in OPTIONS:
        parser.add_argument(f"--{name.replace('_', '-')}", default="")
    options = parser.parse_args(argv)
    if options.listen:
        return _listen([word for word in (sys.argv[1:] if argv is None else argv) if word != "--listen"])
    may = tuple(str(getattr(options, name)) for name in OPTIONS)
    _adopt_orphans()
    signal.signal(signal.SIGTERM, lambda *_: _leave())
    line = socket.socket(fileno=0)
    questions: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_read, args=(line, questions), daemon=True).start()
    env = read_environment()
    while question := questions.get():
        try:
            backend, ask = read_request(question)
        except ValueError:
            return 2
        foreign = may[0] and may != tuple(str(getattr(backend, name)) for name in OPTIONS)
        line.sendall(answer_line(Answer(Ending.OFF, detail=OTHER_SETTINGS) if foreign else ask_backend(backend, ask, env)))
    return 0


def _listen(words: Sequence[str]) -> int:
    """Give each connection a process of its own; leave when nobody has asked for a while."""
    listening = socket.socket(fileno=HANDED_OVER)
    clock, busy = SystemClock(), list[subprocess.Popen[bytes]]()
    last = clock.monotonic()
    while busy or clock.monotonic() - last < IDLE_S:
        busy = [process for process in busy if process.poll() is None]
        if len(busy) < MOST_AT_ONCE and select.select([listening], [], [], LOOK_EVERY_S)[0]:
            with listening.accept()[0] as line:
                busy.append(subprocess.Popen([sys.executable, "-P", "-m", "dreamd.llm.caller", *words], stdin=line.fileno(),
                                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/"))
            last = clock.monotonic()
        elif len(busy) >= MOST_AT_ONCE:
            with suppress(subprocess.TimeoutExpired):
                busy[0].wait(LOOK_EVERY_S)
    return 0


def ask_backend(backend: Backend, ask: Ask, env: Mapping[str, str]) -> Answer:
    """Ask whom a person chose."""
    try:
        if backend.name == "openai":
            from dreamd.llm.backends.openai_protocol import ask_openai

            return ask_openai(backend, ask, env)
        if backend.name == "anthropic":
            from dreamd.llm.backends.anthropic_protocol import ask_anthropic

            return ask_anthropic(backend, ask, env)
        if backend.name in ("claude", "codex"):
            from dreamd.llm.backends.agent_programs import ask_claude, ask_codex

            return (ask_claude if backend.name == "claude" else ask_codex)(backend, ask, env)
    except ImportError:
        return Answer(Ending.UNREACHABLE, detail="not-installed")
    except OSError:
        return Answer(Ending.UNREACHABLE, detail="not-started")
    return Answer(Ending.OFF, detail="no-backend")


def _read(line: socket.socket, questions: SimpleQueue[bytes]) -> None:
    # A thread of its own: the end of the other side must be seen while a call is under way.
    waiting = bytearray()
    with suppress(OSError):
        while piece := line.recv(65536):
            waiting += piece
            while (end := waiting.find(b"\n")) >= 0:
                questions.put(bytes(waiting[:end]))
                del waiting[:end + 1]
            if len(waiting) > LARGEST_LINE_BYTES:
                break
    _leave()


def _leave() -> None:
    from dreamd.llm.backends.agent_programs import leave_nothing

    leave_nothing()
    os._exit(0)


def _adopt_orphans() -> None:
    """Let what a program leaves behind become ours, so that we find and end it."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main())
