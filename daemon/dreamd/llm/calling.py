"""The owner's side of a call: it sends a question to a process that has the network, and believes nothing that comes back.

By hand that process is a child on a socket pair; where the unit `dream-llm` is installed it is that, for the service itself
has no network. One call is one request to the backend, never a hidden retry: whoever
keeps the ceilings decides about each, with `wait_before_retry` as the ladder.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from dreamd.core.clock import SystemClock
from dreamd.core.settings import LlmSettings, Settings
from dreamd.core.world import World
from dreamd.llm.backends import Backend, silent
from dreamd.llm.wire import LARGEST_LINE_BYTES, read_answer, request_line
from dreamd.models.language_model import Answer, Ask, Ending

MODULE = "dreamd.llm.caller"
GRACE_S = 5.0
"""The caller ends a call itself; past this it is ended with everything it started."""
LOOK_EVERY_S = 0.2
PASSED_ON = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
             "CLAUDE_CONFIG_DIR", "CODEX_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR",
             "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy")
"""All of the environment that the caller gets, with the variable that holds the key."""
LADDER_S = (2.0, 10.0)
"""Waits before a second and a third try within one night."""
LONGEST_WAIT_S = 60.0
_AGAIN = (Ending.LIMITED, Ending.SERVER, Ending.UNREACHABLE)


class Caller(Protocol):
    """Whoever makes calls."""

    def call(self, ask: Ask) -> Answer:
        """Make one request; whatever happens to it is an ending."""
        ...


@contextmanager
def open_caller(settings: Settings, world: World, *, should_stop: Callable[[], bool] = lambda: False) -> Iterator[Caller]:
    """A caller; its process starts with the first call and ends with the block."""
    caller = _Caller(settings.llm, world, should_stop)
    try:
        yield caller
    finally:
        caller.end()


def wait_before_retry(answer: Answer, tried: int) -> float | None:
    """The seconds to wait before asking the same again after `tried` tries; None when that is for another night."""
    if answer.ending not in _AGAIN or answer.detail == "not-installed" or tried > len(LADDER_S):
        return None
    wait = max(LADDER_S[tried - 1], answer.retry_after_s or 0.0)
    return wait if wait <= LONGEST_WAIT_S else None


def fits(value: object, schema: Mapping[str, object]) -> bool:
    """Whether an answer has the form it was asked for."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

    try:
        Draft202012Validator(schema).validate(value)
    except (ValidationError, RecursionError):
        return False
    return True


def passed_on(env: Mapping[str, str], backend: Backend) -> dict[str, str]:
    """The environment of the caller: a list of what it may have, never what it may not."""
    names = (*PASSED_ON, backend.key_variable)
    return {name: env[name] for name in names if env.get(name)} | {"PYTHONDONTWRITEBYTECODE": "1"}


class _Caller:
    def __init__(self, settings: LlmSettings, world: World, should_stop: Callable[[], bool]) -> None:
        self._backend = Backend.of(settings)
        self._env = world.env
        self._unit: Path | None = world.paths.caller_socket
        self._clock = SystemClock()  # whatever day a person named, a wait is a real one
        self._should_stop = should_stop
        self._line: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def call(self, ask: Ask) -> Answer:
        started = self._clock.monotonic()
        if self._line is None:
            try:
                self._start()
            except OSError as error:
                return Answer(Ending.UNREACHABLE, detail=f"no-process: {os.strerror(error.errno or 0)}")
        answer = self._asked(ask)
        if answer.ending is Ending.OFF and self._process is None:
            # The unit was installed for other settings, and asks nobody else: by hand a child can.
            self._unit = None
            self.end()
            return self.call(ask)
        answer = self._checked(answer, ask)
        seconds = answer.used.seconds or self._clock.monotonic() - started
        return replace(answer, model=answer.model or self._backend.model,
                       used=replace(answer.used, seconds=seconds))

    def end(self) -> None:
        """Close the line: the caller ends what it started and goes; one that does not is ended."""
        if self._line is not None:
            self._line.close()
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(2)
            if self._process.poll() is None:
                _end_tree(self._process)
        self._line = self._process = None

    def _start(self) -> None:
        if self._unit is not None and self._unit.is_socket():
            line = socket.socket(socket.AF_UNIX)
            try:
                line.settimeout(GRACE_S)
                line.connect(str(self._unit))
            except OSError:
                line.close()  # nobody listens there any more
            else:
                self._line = line
                return
        ours, theirs = socket.socketpair()
        # `-P` and another directory: nothing that lies about is imported. Its words go nowhere: they might quote a memory.
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", MODULE], stdin=theirs.fileno(), stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, env=passed_on(self._env, self._backend), cwd="/",
                start_new_session=True)
        self._line = ours

    def _asked(self, ask: Ask) -> Answer:
        assert self._line is not None
        waits_until = self._clock.monotonic() + ask.seconds + GRACE_S
        told = bytearray()
        try:
            self._line.settimeout(GRACE_S)
            self._line.sendall(request_line(self._backend, ask))
            while b"\n" not in told:
                if self._should_stop() or self._clock.monotonic() > waits_until:
                    self.end()
                    return replace(silent(0.0), detail="stopped" if self._should_stop() else "timeout")
                if select.select([self._line], [], [], LOOK_EVERY_S)[0]:
                    piece = self._line.recv(1 << 20)
                    told += piece
                    if not piece or len(told) > LARGEST_LINE_BYTES:
                        break
            return read_answer(bytes(told.partition(b"\n")[0]))
        except (OSError, ValueError):
            self.end()
            return Answer(Ending.UNREACHABLE, detail="caller-died")

    def _checked(self, answer: Answer, ask: Ask) -> Answer:
        if answer.ending is Ending.ANSWERED and not fits(answer.value, ask.schema):
            return replace(answer, ending=Ending.INVALID, value=None, detail="schema")
        return answer


def _end_tree(process: subprocess.Popen[bytes]) -> None:
    """End a caller that does not go, with everything below it: what it started has sessions of its own."""
    import psutil

    with suppress(psutil.Error):
        for child in psutil.Process(process.pid).children(recursive=True):
            with suppress(psutil.Error):
                child.kill()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
