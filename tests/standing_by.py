"""Commands of `dream` without the half second of a start: a process that has everything loaded stands by and forks for each.

Each command still is a process of its own, with its own arguments, environment, directory and streams, and ends as it ends;
only what every start does alike is done once: importing, compiling patterns, making graphs. Where the start itself is the
claim, a test starts `dream` itself. What reaches Python before `dream` does (PYTHONPATH and the like) is no matter for a
fork: then a process is started as ever.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

BEFORE_DREAM = ("PYTHON", "LANG", "LC_", "DREAM_TEST_", "LD_")
"""Beginnings of the variables that a process heeds before it is dream's."""

USUAL = (("note", "The lamp of the pier burns at 21:30."), ("note", "The lamp of the pier burns at 22:30 in winter."),
         ("note", "En el muelle la lámpara se enciende a las nueve."), ("consolidate",),
         ("search", "which lamp burns on the pier?"), ("status",), ("list",), ("check",), ("review",), ("prime",),
         ("explain", "x"), ("forget", "x"), ("attach",), ("undo",))
"""What is done once before the first call, so that what it needs is loaded."""


def tell_dream(words: Sequence[str], *, env: Mapping[str, str], cwd: Path | str | None = None, stdin: str = "",
               timeout: float = 300.0) -> subprocess.CompletedProcess[str]:
    """The same in words."""
    told = run_dream(words, env=env, cwd=cwd, stdin=stdin.encode(), timeout=timeout)
    return subprocess.CompletedProcess(told.args, told.returncode, told.stdout.decode(), told.stderr.decode())


def run_dream(words: Sequence[str], *, env: Mapping[str, str], cwd: Path | str | None = None, stdin: bytes = b"",
              timeout: float = 300.0) -> subprocess.CompletedProcess[bytes]:
    """Run one command of `dream` to its end."""
    heeded = {name: value for name, value in env.items() if name.startswith(BEFORE_DREAM)}
    here = {name: value for name, value in os.environ.items() if name.startswith(BEFORE_DREAM)}
    command = [sys.executable, "-m", "dreamd.cli.main", *words]
    if heeded.items() - here.items():
        return subprocess.run(command, input=stdin, capture_output=True, env=dict(env), cwd=cwd, timeout=timeout, check=False)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        asked = json.dumps([list(words), dict(env), str(cwd or Path.cwd())]).encode()
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(_standing_by())
            socket.send_fds(line, [len(asked).to_bytes(4, "big")], [given.fileno(), out.fileno(), err.fileno()])
            line.sendall(asked)
            pid = int.from_bytes(_take(line, 4), "big")
            line.settimeout(timeout)
            try:
                code = int.from_bytes(_take(line, 4), "big", signed=True)
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                line.settimeout(None)
                code = int.from_bytes(_take(line, 4), "big", signed=True)
                if code < 0:  # it might have ended by itself at that moment
                    out.seek(0)
                    raise subprocess.TimeoutExpired(command, timeout, out.read()) from None
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, code, out.read(), err.read())


@cache
def _standing_by() -> str:
    """The address of the process that stands by; it goes when this one does."""
    address = "\0" + f"dream-tests-{os.getpid()}"
    process = subprocess.Popen([sys.executable, __file__, address[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               env={**os.environ, "OMP_NUM_THREADS": "1"})
    atexit.register(_send_away, process)
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    return address


def _send_away(process: subprocess.Popen[bytes]) -> None:
    with process:
        process.terminate()


def _take(line: socket.socket, size: int) -> bytes:
    body = b""
    while len(body) < size:
        part = line.recv(size - len(body))
        if not part:
            raise EOFError("the process that stands by is gone")
        body += part
    return body


def _stand_by(address: str) -> None:
    """Load everything, then fork for each call as long as whoever asked for this is there."""
    _warm()
    parent = os.getppid()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("\0" + address)
        door.listen(64)
        door.settimeout(1.0)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while os.getppid() == parent:
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            try:
                line, _ = door.accept()
            except TimeoutError:
                continue
            if os.fork() == 0:
                door.close()
                os._exit(_answer(line))
            line.close()


def _answer(line: socket.socket) -> int:
    """Take one call, carry it out in a process of its own, and tell how that ended."""
    line.setblocking(True)
    length, streams, _, _ = socket.recv_fds(line, 4, 3)
    words, env, cwd = json.loads(_take(line, int.from_bytes(length, "big")))
    pid = os.fork()
    if pid == 0:
        line.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        _be_dream(words, env, cwd)
    line.sendall(pid.to_bytes(4, "big"))
    line.sendall(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]).to_bytes(4, "big", signed=True))
    return 0


def _be_dream(words: list[str], env: dict[str, str], cwd: str) -> None:
    code = 70
    try:
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(env)
        time.tzset()
        tempfile.tempdir = None
        signal.signal(signal.SIGINT, signal.default_int_handler)
        before = sys.stdin
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0)), encoding=before.encoding, errors=before.errors)
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w")), encoding="utf-8")
        sys.stderr = io.TextIOWrapper(io.BufferedWriter(io.FileIO(2, "w")), encoding="utf-8", errors="backslashreplace",
                                      line_buffering=True)
        sys.argv = ["dream", *words]
        from dreamd.cli.main import main

        code = main()
        sys.stdout.flush()
    except SystemExit as asked:
        code = asked.code if isinstance(asked.code, int) else 1
    except BaseException:  # noqa: BLE001 - what Python itself would do
        traceback.print_exc()
        code = 1
    finally:
        with suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(code)


def _warm() -> None:
    """Do once what nearly every command does; what is made of the models is kept, and written anew into each home."""
    from dreamd.models import onnx_engine

    made: dict[str, bytes] = {}
    kept = onnx_engine.kept_graph

    def remembered(folder: Path | None, name: str, make: Any, *, keep: bool = True) -> bytes:
        return kept(folder, name, lambda: made.get(name) or made.setdefault(name, make()), keep=keep)

    ready: dict[tuple[int, int, int], onnx_engine.Network] = {}
    network = onnx_engine.Network

    def loaded(graph: bytes, *, threads: int = 1) -> onnx_engine.Network:
        key = (len(graph), hash(graph), threads)
        if threads != 1:  # a network with threads of its own loses them in a fork
            return network(graph, threads=threads)
        return ready.get(key) or ready.setdefault(key, network(graph))

    onnx_engine.kept_graph, onnx_engine.Network = remembered, loaded  # type: ignore[assignment, misc]
    with tempfile.TemporaryDirectory() as root:
        held, streams = dict(os.environ), (sys.stdin, sys.stdout, sys.stderr)
        os.environ.update(HOME=root, XDG_STATE_HOME=f"{root}/state", XDG_CONFIG_HOME=f"{root}/config", TZ="UTC")
        from dreamd.cli.main import main

        try:
            for words in USUAL:
                sys.stdin, sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(3))
                main([*words, root] if words == ("attach",) else words)
        finally:
            sys.stdin, sys.stdout, sys.stderr = streams
            os.environ.clear()
            os.environ.update(held)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


if __name__ == "__main__":
    _stand_by(sys.argv[1])
