"""Commands of `dream` without the half second of a start: a process that has everything loaded stands by and forks for each.

Each command still is a process of its own, with its own arguments, environment, directory and streams, and ends as it ends;
only what every start does alike is done once: importing, compiling patterns, making graphs. Where the start itself is the
claim, a test starts `dream` itself. What reaches Python before `dream` does (PYTHONPATH and the like) is no matter for a
fork: then a process is started as ever.
"""

from __future__ import annotations

import atexit
import gc
import hashlib
import inspect
import io
import json
import os
import pkgutil
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import psutil

import dreamd
from secrets_said import SECRETS
from secrets_shaped import SHAPED
from secrets_spoken import SAID

SAMPLE = Path(__file__).parents[1] / "config" / "sample" / "dream.toml"
BEFORE_DREAM = ("PYTHON", "LANG", "LC_", "DREAM_TEST_", "LD_")
"""Beginnings of the variables that a process heeds before it is dream's."""

USUAL = (("note", "The lamp of the pier burns at 21:30."), ("note", "The lamp of the pier burns at 22:30 in winter."),
         ("note", "En el muelle la lámpara se enciende a las nueve."), ("consolidate",),
         ("note", "The ferry of the pier leaves at seven."), ("note", "The ferry of the island leaves at nine."),
         ("consolidate",),
         ("search", "when does the ferry of the pier leave?"), ("status",), ("list",), ("check",), ("review",), ("prime",),
         ("explain", "x"), ("forget", "x"), ("attach",), ("undo",), ("--config", str(SAMPLE), "consolidate"), ("diff",))
"""What is done once before the first call, so that what it needs is loaded."""


def tell_dream(words: Sequence[str], *, env: Mapping[str, str], cwd: Path | str | None = None, stdin: str = "",
               timeout: float = 300.0) -> subprocess.CompletedProcess[str]:
    """The same in words."""
    told = run_dream(words, env=env, cwd=cwd, stdin=stdin.encode(), timeout=timeout)
    return subprocess.CompletedProcess(told.args, told.returncode, told.stdout.decode(), told.stderr.decode())


def run_script(script: Path, *words: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a script that does something with dream to its end, as `python SCRIPT WORDS` would."""
    told = run_dream(words, env=env, script=script)
    return subprocess.CompletedProcess(told.args, told.returncode, told.stdout.decode(), told.stderr.decode())


def run_dream(words: Sequence[str], *, env: Mapping[str, str], cwd: Path | str | None = None, stdin: bytes = b"",
              timeout: float = 300.0, script: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run one command of `dream` to its end."""
    heeded = {name: value for name, value in env.items() if name.startswith(BEFORE_DREAM)}
    here = {name: value for name, value in os.environ.items() if name.startswith(BEFORE_DREAM)}
    command = [sys.executable, *([str(script)] if script else ["-m", "dreamd.cli.main"]), *words]
    if heeded.items() - here.items():
        return subprocess.run(command, input=stdin, capture_output=True, env=dict(env), cwd=cwd, timeout=timeout, check=False)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        asked = json.dumps([list(words), dict(env), str(cwd or Path.cwd()), str(script or "")]).encode()
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


def lay_graphs(home: Path) -> None:
    """Put into a home what a first dream would make of the models, for tests whose claim is about something else."""
    _standing_by()
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copytree(_graphs(), home / "models", copy_function=linked, dirs_exist_ok=True)


def linked(source: str, target: str) -> None:
    """Copy a file, but for a graph: tens of megabytes that nobody writes into, only puts another in the place of."""
    if source.endswith(".graph"):
        with suppress(OSError):  # another file system
            os.link(source, target)
            return
    shutil.copy2(source, target, follow_symlinks=False)


@cache
def _graphs() -> Path:
    """Where the process that stands by leaves the graphs that it made."""
    place = Path(tempfile.mkdtemp(prefix="dream-graphs-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def started_beside() -> list[psutil.Process]:
    """What this process has started itself and is there yet, but for what stands by."""
    return [child for child in psutil.Process().children() if Path(__file__).name not in " ".join(child.cmdline())]


@cache
def _standing_by() -> str:
    """The address of the process that stands by; it goes when this one does.

    What it holds lies in large pages where the C library can do that: a fork copies the table of the pages.
    """
    address = "\0" + f"dream-tests-{os.getpid()}"
    process = subprocess.Popen([sys.executable, __file__, address[1:], str(_graphs())], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE,
                               env={**os.environ, "OMP_NUM_THREADS": "1", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"})
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


def _stand_by(address: str, graphs: Path) -> None:
    """Load everything, then fork for each call as long as whoever asked for this is there."""
    parent = os.getppid()
    _warm(graphs)
    ended, rings = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(rings)
    waiting: dict[int, socket.socket] = {}
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("\0" + address)
        door.listen(64)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        gc.freeze()  # what is loaded is garbage in no call: looking through it would copy it
        while os.getppid() == parent:
            stirred = select.select([door, ended], [], [], 1.0)[0]
            if ended in stirred:
                os.read(ended, 4096)
            for pid, code in _ended():
                if asked := waiting.pop(pid, None):  # what a command left running ends as well
                    with asked, suppress(OSError):
                        asked.sendall(code.to_bytes(4, "big", signed=True))
            if door in stirred:
                line, _ = door.accept()
                pid = _answer(line, (door.fileno(), ended, rings, *(other.fileno() for other in waiting.values())))
                waiting[pid] = line


def _ended() -> Iterator[tuple[int, int]]:
    """The calls that came to their end, and how."""
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            yield found[0], os.waitstatus_to_exitcode(found[1])


def _answer(line: socket.socket, ours: tuple[int, ...]) -> int:
    """Take one call, let a process of its own carry it out, and tell which that is."""
    length, streams, _, _ = socket.recv_fds(line, 4, 3)
    words, env, cwd, script = json.loads(_take(line, int.from_bytes(length, "big")))
    pid = os.fork()
    if pid == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number in (line.fileno(), *ours):
            os.close(number)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        _be_dream(words, env, cwd, script)
    for stream in streams:
        os.close(stream)
    line.sendall(pid.to_bytes(4, "big"))
    return pid


def _be_dream(words: list[str], env: dict[str, str], cwd: str, script: str) -> None:
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
        sys.argv = [script or "dream", *words]
        if script:
            runpy.run_path(script, run_name="__main__")
            code = 0
        else:
            from dreamd.cli.main import main

            code = main()
        sys.stdout.flush()
    except SystemExit as asked:
        code = asked.code if isinstance(asked.code, int) else 1
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001 - what Python itself would do
        traceback.print_exc()
        code = 1
    finally:
        with suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(code)


def _warm(graphs: Path) -> None:
    """Do once what nearly every command does; what is made of the models is kept, and written anew into each home."""
    from dreamd.models import onnx_engine, texts

    made: dict[str, bytes] = {}
    heads: dict[str, bytes] = {}
    kept = onnx_engine.kept_graph

    def remembered(folder: Path | None, name: str, make: Any, *, keep: bool = True) -> bytes:
        path = folder / f"{name}{onnx_engine.GRAPH_SUFFIX}" if folder else None
        if path and name in made and _begins(path, heads[name], len(heads[name]) + len(made[name])):
            return made[name]
        graph = kept(folder, name, lambda: made.get(name) or made.setdefault(name, make()), keep=keep)
        if name in made and name not in heads:
            heads[name] = onnx_engine.MAGIC + hashlib.sha256(made[name]).hexdigest().encode() + b"\n"
        return graph

    ready: dict[tuple[int, int], onnx_engine.Network] = {}
    network = onnx_engine.Network

    def loaded(graph: bytes, *, threads: int = 1) -> onnx_engine.Network:
        if threads != 1:  # a network with threads of its own loses them in a fork
            return network(graph, threads=threads)
        key = (len(graph), id(graph) if any(graph is one for one in made.values()) else hash(graph))
        return ready.get(key) or ready.setdefault(key, network(graph))

    tokenizers: dict[tuple[object, ...], object] = {}
    cutting = texts.load_tokenizer

    def cutter(folder: Path, **chosen: int) -> object:
        facts = (folder / "tokenizer.json").stat() if (folder / "tokenizer.json").is_file() else None
        if facts is None:
            return cutting(folder, **chosen)
        key = (folder, facts.st_size, facts.st_mtime_ns, *chosen.items())
        return tokenizers.get(key) or tokenizers.setdefault(key, cutting(folder, **chosen))

    onnx_engine.kept_graph, onnx_engine.Network = remembered, loaded  # type: ignore[assignment, misc]
    texts.load_tokenizer = cutter  # type: ignore[assignment]
    with tempfile.TemporaryDirectory() as root:
        held, streams = dict(os.environ), (sys.stdin, sys.stdout, sys.stderr)
        os.environ.update(HOME=root, XDG_STATE_HOME=f"{root}/state", XDG_CONFIG_HOME=f"{root}/config", TZ="UTC")
        from dreamd.cli.main import main
        from dreamd.kit import _keep_languages
        from dreamd.text.language import keep_with

        keep_with(partial(_keep_languages, graphs, keep=True))
        _load_all()
        try:
            for words in USUAL:
                sys.stdin, sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(3))
                main([*words, root] if words == ("attach",) else words)
            shutil.copytree(Path(root, "state", "dream", "models"), graphs, dirs_exist_ok=True)
        finally:
            sys.stdin, sys.stdout, sys.stderr = streams
            os.environ.clear()
            os.environ.update(held)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _load_all() -> None:
    """Every module, and every pattern that is compiled when it is first looked for."""
    for found in pkgutil.walk_packages(dreamd.__path__, "dreamd."):
        with suppress(ImportError):  # of an extra that is not here
            module = import_module(found.name)
            if found.name.split(".")[1] in ("text", "extraction", "sources", "recall"):
                for made in vars(module).values():
                    if hasattr(made, "cache_info") and not inspect.signature(made).parameters:
                        made()
    from dreamd.text.redaction import redact

    for text, _ in {**SECRETS, **SHAPED, **SAID}.values():
        redact(text)


def _begins(path: Path, head: bytes, size: int) -> bool:
    """Whether a file of this user's is as long as a graph and has its checksum at its head; the rest is taken on trust here."""
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW)) as file:
            facts = os.fstat(file.fileno())
            return (facts.st_uid, facts.st_size) == (os.geteuid(), size) and file.read(len(head)) == head
    except OSError:
        return False


if __name__ == "__main__":
    _stand_by(sys.argv[1], Path(sys.argv[2]))
