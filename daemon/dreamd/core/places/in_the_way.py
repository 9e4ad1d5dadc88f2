"""What stands in a place where dream needs a file or a directory of its own, in words for whoever put it there."""

from __future__ import annotations

import stat
from contextlib import suppress
from pathlib import Path

from dreamd.core.errors import Outage

NO_LOCKS = "locks-unusable"
_KINDS = ((stat.S_ISLNK, "a symbolic link"), (stat.S_ISDIR, "a directory"), (stat.S_ISFIFO, "a pipe"),
          (stat.S_ISSOCK, "a socket"), (stat.S_ISREG, "a file"))


def kind_of(mode: int) -> str:
    """What stands there, in words."""
    return next((word for is_one, word in _KINDS if is_one(mode)), "a device")


def refuse_no_lock(lock: Path) -> None:
    """Raise Outage where something else stands in the place of a lock or of the directory of the locks."""
    for place, is_right, wanted in ((lock.parent, stat.S_ISDIR, "directory"), (lock, stat.S_ISREG, "file")):
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            mode = place.lstat().st_mode
            if not is_right(mode):
                raise Outage(f"`{place}` is {kind_of(mode)} and no {wanted}: dream writes nothing without its locks",
                             component="lock", code=NO_LOCKS, hint=f"move it away; dream makes that {wanted} itself")
