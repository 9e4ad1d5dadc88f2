"""The process that calls: it has the network and nothing else, neither the store nor the home.

Run as `python -P -m dreamd.llm.caller` with a socket as standard input: a question a line in, an answer a line out. When
the other side goes, whatever it had started goes with it, so that nobody waits for a program that nobody reads.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from queue import SimpleQueue

from dreamd.core.paths import read_environment
from dreamd.llm.backends import Backend
from dreamd.llm.wire import LARGEST_LINE_BYTES, answer_line, read_request
from dreamd.models.language_model import Answer, Ask, Ending

PR_SET_CHILD_SUBREAPER = 36


def main() -> int:
    """Answer until nobody asks any more."""
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
        line.sendall(answer_line(ask_backend(backend, ask, env)))
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
    from dreamd.llm.backends.agent_programs import end_children

    end_children()
    os._exit(0)


def _adopt_orphans() -> None:
    """Let what a program leaves behind become ours, so that we find and end it."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main())
