"""A wire between a machine and a server of the tests, which can be pulled out: what is sent then arrives nowhere.

It knows nothing of what goes over it but how many pieces that were. While it is out, connections stand open and silent on both
sides, as they do when a network is split; `cut` is the moment at which the machine's own system gives them up. The server's
sides stay as they are: it never hears that anybody is gone.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from team_server import Server

PIECE = 65_536


class Wire:
    """Carries connections to a server's socket."""

    def __init__(self, server: Server) -> None:
        self._there = str(server.socket / ".s.PGSQL.5432")
        self._door = socket.create_server(("127.0.0.1", 0))
        self._near, self._far = list[socket.socket](), list[socket.socket]()
        self._out = threading.Event()
        self._left: int | None = None
        self._counting = threading.Lock()
        self.server = replace(server, socket=Path(f"127.0.0.1&port={self._door.getsockname()[1]}"))
        threading.Thread(target=self._listen, daemon=True).start()

    def pull(self, *, after: int = 0) -> None:
        """Let nothing through any more, or nothing after so many pieces in either direction."""
        with self._counting:
            self._left = after
            if not after:
                self._out.set()

    @property
    def out(self) -> bool:
        """Whether it lets nothing through."""
        return self._out.is_set()

    def cut(self) -> None:
        """Have the machine's connections end, as its system ends those that nobody answers on."""
        near, self._near = self._near, []
        for one in near:
            _reset(one)

    def give_up(self, done: threading.Event) -> None:
        """Until something is done: cut what was silent for a while after the wire was pulled out."""
        while not done.wait(0.02):
            if self.out and not done.wait(0.3):
                self.cut()

    def plug(self) -> None:
        """Let through again what comes on new connections; those of before are gone."""
        self.cut()
        self._left = None
        self._out.clear()

    def close(self) -> None:
        """End everything."""
        self._door.close()
        for one in (*self._near, *self._far):
            _reset(one)

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._door.accept()
                self._near.append(near)
                if self.out:
                    continue  # taken by the network and answered by nobody
                far = socket.socket(socket.AF_UNIX)
                far.connect(self._there)
                self._far.append(far)
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        """Until it is pulled; what is under way at that moment is lost."""
        with suppress(OSError):
            while piece := one.recv(PIECE):
                if not self._passes():
                    return
                other.sendall(piece)
            if not self.out:
                other.shutdown(socket.SHUT_WR)

    def _passes(self) -> bool:
        with self._counting:
            if self._left is not None and not self.out:
                self._left -= 1
                if self._left < 0:
                    self._out.set()
            return not self.out


def _reset(one: socket.socket) -> None:
    with suppress(OSError):
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.shutdown(socket.SHUT_RDWR)
    one.close()


@contextmanager
def wire(server: Server) -> Iterator[Wire]:
    """A wire to a server, and everything over it gone in the end."""
    one = Wire(server)
    try:
        yield one
    finally:
        one.close()
