"""Telling systemd how we are: readiness, one line of status, and a watchdog fed by real progress alone."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress


class Notifier:
    """Speaks to `$NOTIFY_SOCKET`; says nothing where there is none."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._address = env.get("NOTIFY_SOCKET", "")

    def tell(self, *lines: str) -> bool:
        """Send lines such as `READY=1`; False when nobody listens."""
        if not self._address.startswith(("/", "@")):
            return False
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
            line.setblocking(False)  # a listener that does not read must not hold us up
            line.sendto("\n".join(lines).encode(), address)
            return True
        return False
