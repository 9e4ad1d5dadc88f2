"""The recall server: model and vectors kept warm in a small process of its own, asked over a local socket.

`dream run` must stay small, so whoever wants answers within milliseconds asks this process instead. The service
starts it, or a person with `python -m dreamd.agents.recall_server --home DIR`; it goes by itself when nobody asked for a
while, when the one that started it is gone, or when the store or dream itself was exchanged under it. The socket
belongs to its owner alone. One thread: an answer takes a few dozen milliseconds, and what was shown is counted
when nobody waits.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import selectors
import signal
import socket
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from dreamd import __version__
from dreamd.agents import priming, recall_line
from dreamd.core import fsio, telemetry
from dreamd.core.chosen.settings_environment import read_settings
from dreamd.core.clock import FixedClock, SystemClock, parse_instant
from dreamd.core.errors import DreamError, Locked
from dreamd.core.paths import Paths, default_config, default_home, home_at, read_environment
from dreamd.core.values import parse_scope
from dreamd.core.world import Called, World
from dreamd.kit import Kit, open_kit
from dreamd.models import Embedder
from dreamd.recall.answer import Look, record_recalls, search
from dreamd.recall.ranking import Budget
from dreamd.recall.shelf import Shelf

IDLE_S = 600.0
REQUEST_S = 1.0
"""How long a client may take to say its one line."""
COUNT_AFTER_S = 0.05
LOOK_EVERY_S = 1.0
MOST_CLIENTS = 32
NICE = 5
LOCK_NAME = "recall.lock"
MOST_RESULTS = 1000


class Leaving(Exception):
    """The server should make room for a fresh one; the message says why."""


@dataclass
class Client:
    """One connection: what it said so far, and until when it may go on."""

    line: socket.socket
    until_s: float
    said: bytes = b""


def serve(world: World, *, embedder: Embedder | None = None, idle_s: float = IDLE_S,
          should_stop: Callable[[], bool] = lambda: False) -> str:
    """Answer until nobody asks any more; says why it ended.

    Raises Locked when another server listens for this home, StoreMissing where there is nothing to ask.
    """
    with _only_one(world.paths), open_kit(world) as kit:
        kit.embedder = embedder
        desk = Desk(kit)
        desk.warm()
        with _listening(world.paths) as listener:
            try:
                return _turn(listener, desk, idle_s=idle_s, should_stop=should_stop)
            except Leaving as why:
                return str(why)
            finally:
                desk.count()


class Desk:
    """What a request asks for, apart from how it came."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._shelf = Shelf()
        self._shown: list[tuple[Kit, list[str]]] = []
        self._key = recall_line.settings_key(kit.settings)
        self._store_id = _file_id(kit.paths.store)
        self._settings_file = kit.settings.path or default_config(kit.world.env)
        self._settings_id = _changed_at(self._settings_file)

    def warm(self) -> None:
        """Do once what the first question should not wait for."""
        with suppress(DreamError):  # without the model, words answer
            self._kit.load_embedder(1).embed_questions(["ready"])
        self._shelf.refresh(self._kit)

    def answer(self, body: bytes) -> bytes:
        """One line for one line; raises Leaving when somebody else should answer from now on."""
        try:
            request = json.loads(body)
            if not isinstance(request, dict) or request.get("v") != recall_line.VERSION:
                raise ValueError("another protocol")
            told = self._carry_out(request)
        except DreamError as error:
            told = {"ok": False, "why": type(error).__name__}
        except (ValueError, TypeError, KeyError, RecursionError):
            told = {"ok": False, "why": "request"}
        line = json.dumps(told, ensure_ascii=True).encode() + b"\n"
        return line if len(line) <= recall_line.LARGEST_ANSWER_BYTES else b'{"ok": false, "why": "size"}\n'

    def look_around(self) -> None:
        """Raise Leaving when store or dream are no longer those this server was started with."""
        if _file_id(self._kit.paths.store) != self._store_id:
            raise Leaving("the store was exchanged")

    @property
    def counts_wait(self) -> bool:
        return bool(self._shown)

    def count(self) -> None:
        """Record what was shown since the last time."""
        shown, self._shown = self._shown, []
        for kit, ids in shown:
            record_recalls(kit, ids)

    def _carry_out(self, request: dict[str, object]) -> dict[str, object]:
        if str(request["dream"]) != __version__:
            raise Leaving("another dream was installed")
        if request.get("settings") != self._key:
            if _changed_at(self._settings_file) != self._settings_id:
                raise Leaving("the settings changed")
            raise ValueError("settings of somebody else")
        self.look_around()
        now = request.get("now")
        kit = self._kit
        if isinstance(now, str):
            kit = replace(kit, world=replace(kit.world, clock=FixedClock(parse_instant(now))))
        if request["op"] == "prime":
            chosen = priming.choose(kit, cwd=str(request["cwd"]), words=str(request["words"])[:1000], shelf=self._shelf,
                                    told_today=[str(one) for one in _listed(request, "told_today")])
            told_of_itself = priming.remark(kit, cwd=str(request["cwd"]), banner=str(request["banner"])[:1000],
                                            ask=request.get("ask") is True)
            text, told = priming.render(chosen, banner=told_of_itself)
            self._shown.append((kit, priming.own_ids(told)))
            return {"ok": True, "text": text, "dated": priming.dated(told)}
        if request["op"] != "search":
            raise ValueError("an unknown operation")
        look = _look(request)
        found = search(kit, str(request["query"]), replace(look, record=False), shelf=self._shelf)
        if look.record:
            self._shown.append((kit, found.recalled))
        return {"ok": True, "mode": found.mode, "warning": found.warning, "near": found.near, "results": [
            {"id": r.memory.id, "score": r.score, "parts": r.parts, "clue": r.clue} for r in found.results]}


def _listed(request: dict[str, object], name: str) -> list[object]:
    found = request[name]
    if not isinstance(found, list):
        raise ValueError("no list where one is wanted")
    return found


def _look(request: dict[str, object]) -> Look:
    limit, scopes, directory = request["limit"], _listed(request, "scopes"), request["directory"]
    if limit is not None and not (isinstance(limit, int) and 0 < limit <= MOST_RESULTS):
        raise ValueError("a limit out of range")
    return Look(limit=limit, budget=Budget(str(request["budget"])), held=request["held"] is True,
                scopes=tuple(parse_scope(str(s)) for s in scopes), record=request["record"] is True,
                injection=request["injection"] is True, directory=Path(str(directory)) if directory else None)


@dataclass
class Door:
    """The listening socket and everyone who came through it."""

    listener: socket.socket
    selector: selectors.BaseSelector
    clients: dict[int, Client]

    def welcome(self, until_s: float) -> None:
        """Let the next client in, if it is one of ours and there is room."""
        with suppress(OSError):
            line, _ = self.listener.accept()
            if len(self.clients) >= MOST_CLIENTS or not _is_owner(line):
                line.close()
                return
            line.setblocking(False)
            self.clients[line.fileno()] = Client(line, until_s)
            self.selector.register(line, selectors.EVENT_READ)

    def part(self, client: Client) -> None:
        """See a client out."""
        del self.clients[client.line.fileno()]
        self.selector.unregister(client.line)
        client.line.close()


def _turn(listener: socket.socket, desk: Desk, *, idle_s: float, should_stop: Callable[[], bool]) -> str:
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        door = Door(listener, selector, {})
        try:
            return _answer_all(door, desk, idle_s=idle_s, should_stop=should_stop)
        finally:
            for client in door.clients.values():
                client.line.close()


def _answer_all(door: Door, desk: Desk, *, idle_s: float, should_stop: Callable[[], bool]) -> str:
    clock = SystemClock()
    asked_s = clock.monotonic()
    while not should_stop():
        ready = door.selector.select(COUNT_AFTER_S if desk.counts_wait else min(LOOK_EVERY_S, idle_s))
        now_s = clock.monotonic()
        if not ready:
            desk.count()
            desk.look_around()
        for key, _ in ready:
            if key.fileobj is door.listener:
                door.welcome(now_s + REQUEST_S)
            elif _hear(door.clients[key.fd], desk):
                door.part(door.clients[key.fd])
                asked_s = clock.monotonic()
        for late in [c for c in door.clients.values() if c.until_s < now_s]:
            door.part(late)
        if now_s - asked_s > idle_s:
            return "nobody asked for a while"
    return "asked to stop"


def _hear(client: Client, desk: Desk) -> bool:
    """Read on; True when the line is complete and answered, or hopeless."""
    try:
        part = client.line.recv(recall_line.LARGEST_REQUEST_BYTES)
    except (BlockingIOError, InterruptedError):
        return False
    except OSError:
        return True
    client.said += part
    if len(client.said) > recall_line.LARGEST_REQUEST_BYTES:
        return True
    if b"\n" not in part:
        return not part
    with suppress(OSError):
        answer = desk.answer(client.said.partition(b"\n")[0])
        client.line.settimeout(REQUEST_S)
        client.line.sendall(answer)
    return True


@contextmanager
def _only_one(paths: Paths) -> Iterator[None]:
    """One server a home; the kernel frees the lock of one that died."""
    fsio.make_private_dir(paths.locks)
    fsio.create_private(paths.locks / LOCK_NAME)
    with (paths.locks / LOCK_NAME).open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Locked("another recall server listens for this home") from None
        yield


@contextmanager
def _listening(paths: Paths) -> Iterator[socket.socket]:
    """The socket in the home, for its owner alone; gone again afterwards."""
    with fsio.translated(paths.socket), recall_line.address(paths.socket) as place:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            fsio.remove(paths.socket)  # nobody listens on it: the lock is ours
            listener.bind(place)
            listener.listen(MOST_CLIENTS)
            listener.setblocking(False)
        except BaseException:
            listener.close()
            raise
        finally:
            os.umask(before)
    try:
        yield listener
    finally:
        listener.close()
        with suppress(DreamError):
            fsio.remove(paths.socket)


def _is_owner(line: socket.socket) -> bool:
    """Whether the process at the other end belongs to us; the socket's mode says so already where it cannot be asked."""
    wanted = getattr(socket, "SO_PEERCRED", None)
    if wanted is None:
        return True
    _, uid, _ = struct.unpack("3i", line.getsockopt(socket.SOL_SOCKET, wanted, struct.calcsize("3i")))
    return bool(uid in (os.geteuid(), 0))


def _file_id(path: Path) -> tuple[int, int] | None:
    with suppress(OSError):
        facts = path.stat()
        return facts.st_dev, facts.st_ino
    return None


def _changed_at(path: Path) -> int | None:
    with suppress(OSError):
        return path.stat().st_mtime_ns
    return None


def main(argv: Sequence[str] | None = None) -> int:
    """Serve one home; the exit code is that of the command line."""
    parser = argparse.ArgumentParser(prog="python -m dreamd.agents.recall_server", description=__doc__.split("\n")[0])
    parser.add_argument("--home", type=Path)
    parser.add_argument("--config", type=Path)
    parser.add_argument("--idle", type=float, default=IDLE_S, metavar="SECONDS")
    parser.add_argument("--parent", type=int, default=0, metavar="PID", help="leave when this process is gone")
    options = parser.parse_args(argv)
    env = read_environment()
    stopped = False

    def stop(_number: int, _frame: object) -> None:
        nonlocal stopped
        stopped = True

    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, stop)
    with suppress(OSError):
        os.nice(NICE)
    paths = Paths(home_at(options.home) if options.home else default_home(env))
    try:
        world = World(paths, read_settings(options.config or default_config(env), env), SystemClock(), env,
                      Called.by(options.home, options.config, env))
        serve(world, idle_s=options.idle,
              should_stop=lambda: stopped or bool(options.parent and os.getppid() != options.parent))
    except DreamError as error:
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the end of this process: recorded by place and class, never as text
        telemetry.log_crash(paths, error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
