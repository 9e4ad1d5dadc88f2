"""The home as the service found it: it may be moved away or unmounted, and whatever stands there then is another one.

A service that went on would found an empty store below a mount point, and everybody would believe that nothing was ever
known. So it remembers which directory it serves, touches nothing while another one stands in its place, and goes on when its
own is back; what was noted meanwhile below a mount point, where a mounted disk hides it, comes along. A socket without a
file tells whoever would found a store there meanwhile that somebody knows better.
"""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import DreamError, Outage
from dreamd.core.paths import Paths
from dreamd.dream.own_files import name_of
from dreamd.store.connection import open_reader
from dreamd.store.intake import inbox
from dreamd.store.presence import lost


class Abode:
    """Which directory and which store the service lives in, once it has seen one."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._place: tuple[int, int] | None = None
        self._store = ""
        self._names: list[socket.socket] = []
        self._beside: int | None = None
        """The inbox that stands in the place of ours, held open: once the home is back no path leads there."""
        self.is_away = False

    def settle(self) -> None:
        """Remember the home; called when its store was read."""
        place = self._stands()
        if place == self._place or place is None:
            return
        with open_reader(self._paths.store) as store:
            self._place, self._store = place, name_of(store)
        self._claim()

    def look(self) -> Outage | None:
        """What is wrong with the home; None while it is the one that was found, or its own store is there again."""
        failure = self._judge()
        if failure is not None:
            self._hold_inbox()
        elif self._beside is not None:
            self._bring_notes(self._beside)
            self._beside = None
        self.is_away = failure is not None
        return failure

    def leave(self) -> None:
        """Give the name free."""
        for name in self._names:
            name.close()
        self._names = []

    def _hold_inbox(self) -> None:
        if self._beside is None and sys.platform == "linux" and inbox.list_inbox(self._paths) and not lost.is_there(
                self._paths.store):
            with suppress(OSError):  # it went this very moment
                self._beside = os.open(self._paths.inbox, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)

    def _bring_notes(self, beside: int) -> None:
        try:
            for path in sorted(Path(f"/proc/self/fd/{beside}").glob("*.json")):
                with suppress(DreamError):
                    fsio.write_atomic(self._paths.inbox / path.name, fsio.read_bytes(path, limit_bytes=inbox.LARGEST_BYTES))
                    fsio.remove(path)
        finally:
            os.close(beside)

    def _judge(self) -> Outage | None:
        place = self._stands()
        if self._place is None or place == self._place or self._is_ours():
            return None
        there = "is gone" if place is None else "is another directory than before"
        return Outage(f"the home `{self._paths.home}` {there}: it was moved or unmounted", component="db", code=lost.AWAY,
                      hint=f"bring it back; {lost.WAY_OUT}")

    def _stands(self) -> tuple[int, int] | None:
        try:
            facts = self._paths.home.stat()
        except OSError:
            return None
        return facts.st_dev, facts.st_ino

    def _is_ours(self) -> bool:
        """Whether the store that stands there now is the one we knew: a disk that was mounted again has another number."""
        with suppress(DreamError), open_reader(self._paths.store) as store:
            if name_of(store) == self._store:
                self._place = self._stands()
                return True
        return False

    def _claim(self) -> None:
        if sys.platform != "linux" or self._names:
            return
        for name in lost.names_of_home(self._paths.home):
            held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                held.bind(name)
            except OSError:
                held.close()  # an older service of this home is just leaving: it says the same
            else:
                self._names.append(held)
