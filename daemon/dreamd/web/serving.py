"""Serving the page: on this machine's own address or a socket of its owner's, until nobody looks any more."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from dreamd.core.errors import UsageError
from dreamd.core.world import World
from dreamd.models import Embedder
from dreamd.web.doors.keys import Keys, cut_keys
from dreamd.web.page import build_page

LOOPBACK = "127.0.0.1"
IDLE_MINUTES = 30.0
LOOK_EVERY_S = 0.25
BACKLOG = 256


@dataclass(frozen=True)
class Place:
    """Where a page is to be had."""

    keys: Keys
    port: int = 0
    path: Path | None = None
    """The socket, where it is no port."""

    @property
    def link(self) -> str:
        """What a browser of this machine opens; with a socket the port is the one that leads there."""
        return f"http://{LOOPBACK}:{self.port}/?token={self.keys.entry}"

    def tunnel(self, host: str) -> str:
        """The line that brings it to another machine."""
        there = self.path or f"{LOOPBACK}:{self.port}"
        return f"ssh -L {self.port}:{there} {host}"


def serve(world: World, *, port: int = 0, path: Path | None = None, idle_s: float = 60 * IDLE_MINUTES,
          tell: Callable[[Place], object], embedder: Embedder | None = None,
          should_stop: Callable[[], bool] = lambda: False) -> None:
    """Serve until a signal, until somebody wants it to stop, or until nobody has asked for anything for a while.

    Raises UsageError for a port or a socket that cannot be had.
    """
    keys = cut_keys()
    with _bound(port, path) as (bound, place):
        watch = _Watch(idle_s, should_stop)
        page, opened = build_page(world, keys, touch=watch.touch, embedder=embedder)
        config = uvicorn.Config(page, http="h11", ws="none", lifespan="off", log_config=None,
                                log_level="critical", access_log=False, server_header=False, date_header=False,
                                proxy_headers=False, backlog=BACKLOG, timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        tell(Place(keys, place, path))
        try:
            asyncio.run(watch.over(server, bound))
        finally:
            opened.warm.close()


class _Watch:
    """Ends a server at which nobody has asked for anything for a while."""

    def __init__(self, idle_s: float, should_stop: Callable[[], bool]) -> None:
        self._idle_s, self._should_stop, self._asked = idle_s, should_stop, True

    def touch(self) -> None:
        """Somebody asked."""
        self._asked = True

    async def over(self, server: uvicorn.Server, bound: socket.socket) -> None:
        """Run the server to its end."""
        ending = asyncio.ensure_future(self._end(server))
        try:
            await server.serve(sockets=[bound])
        finally:
            ending.cancel()

    async def _end(self, server: uvicorn.Server) -> None:
        loop = asyncio.get_running_loop()
        last_s = loop.time()
        while loop.time() - last_s < self._idle_s and not self._should_stop():
            await asyncio.sleep(min(LOOK_EVERY_S, self._idle_s))
            if self._asked:
                last_s, self._asked = loop.time(), False
        server.should_exit = True


@contextmanager
def _bound(port: int, path: Path | None) -> Iterator[tuple[socket.socket, int]]:
    """A listening address that nobody but this machine reaches, and its port; a socket that nobody but its owner does."""
    bound = socket.socket(socket.AF_UNIX if path else socket.AF_INET, socket.SOCK_STREAM)
    try:
        if path is None:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                bound.bind((LOOPBACK, port))
            except OSError as error:
                raise UsageError(f"port {port} cannot be had: {error.strerror}", hint="leave `--port` out: any free one will do"
                                 ) from None
            bound.listen(BACKLOG)  # whoever is told of it may come at once
            yield bound, int(bound.getsockname()[1])
            return
        _bind(bound, path)
        made = path.lstat()
        try:
            bound.listen(BACKLOG)
            yield bound, port or 8080
        finally:
            with suppress(OSError):
                if os.path.samestat(path.lstat(), made):  # what somebody else put in its place is theirs
                    path.unlink()
    finally:
        bound.close()


def _bind(bound: socket.socket, path: Path) -> None:
    """Give a socket its place, that of one nobody listens at any more included; raises UsageError where it cannot be had."""
    before = os.umask(0o177)
    try:
        try:
            bound.bind(str(path))
        except OSError as error:
            if error.errno != errno.EADDRINUSE or not _is_left_over(path):
                raise
            path.unlink()
            bound.bind(str(path))
    except OSError as error:
        raise UsageError(f"the socket `{path}` cannot be had: {error.strerror or error}",
                         hint="name a file that is not there yet, below a directory that is") from None
    finally:
        os.umask(before)


def _is_left_over(path: Path) -> bool:
    """Whether a socket of ours stands there at which nobody listens: its page was killed."""
    there = path.lstat()
    if not stat.S_ISSOCK(there.st_mode) or there.st_uid != os.geteuid():
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        try:
            asking.connect(str(path))
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
    return False
