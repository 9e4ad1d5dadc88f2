"""How recall is asked over the local socket: one line of JSON there, one line back, both bounded.

Apart from server and client, so that a client pays for neither numpy nor the store. Answers carry ids, scores and clues,
no memory text: the words stay with the store, and whoever asks reads them there.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dreamd.core.settings import Settings

VERSION = 1
LARGEST_REQUEST_BYTES = 64 * 1024
LARGEST_ANSWER_BYTES = 1024 * 1024
LONGEST_ADDRESS_BYTES = 100
"""A socket's address is a short field of the kernel (104 bytes on macOS, 108 on Linux)."""
CLIENT_WAIT_S = 0.7
"""Longest a client waits before it does the work itself."""
WANTED_NAME = "recall.wanted"
"""Touched by a client that found nobody listening; the service starts the server while it is fresh."""
WANTED_FOR_S = 600.0


def settings_key(settings: Settings) -> str:
    """Tells two settings apart as far as an answer depends on them."""
    import hashlib

    told = repr((settings.recall, settings.model, settings.priming))
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def is_wanted(home: Path, *, now_s: float) -> bool:
    """Whether somebody asked lately and found nobody listening; what the service looks at before it starts a server."""
    with suppress(OSError):
        return now_s - (home / WANTED_NAME).stat().st_mtime < WANTED_FOR_S
    return False


def command(home: Path, *, config: Path | None = None, parent: int = 0) -> list[str]:
    """The command line that starts a server for a home; it leaves when `parent` is gone."""
    more = ["--config", str(config)] if config else []
    return [sys.executable, "-m", "dreamd.agents.recall_server", "--home", str(home), "--parent", str(parent), *more]


@contextmanager
def address(path: Path) -> Iterator[str]:
    """A socket's path short enough for the kernel: the path itself, or one through an open directory on Linux.

    Raises OSError where neither will do.
    """
    if len(os.fsencode(path)) <= LONGEST_ADDRESS_BYTES:
        yield str(path)
        return
    if not sys.platform.startswith("linux"):
        raise OSError("the path is too long for a socket")
    walk = os.fwalk(path.parent)  # holds the folder open until it is let go
    try:
        yield f"/proc/self/fd/{next(walk)[3]}/{path.name}"
    finally:
        del walk


def call(path: Path, request: bytes, *, wait_s: float = CLIENT_WAIT_S) -> bytes | None:
    """Send one line and return the line that comes back; None when nobody answers in time."""
    try:
        with address(path) as place, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(wait_s)
            line.connect(place)
            line.sendall(request + b"\n")
            body = b""
            while not body.endswith(b"\n") and len(body) <= LARGEST_ANSWER_BYTES:
                part = line.recv(65_536)
                if not part:
                    break
                body += part
    except OSError:
        return None
    return body if body.endswith(b"\n") and len(body) <= LARGEST_ANSWER_BYTES else None
