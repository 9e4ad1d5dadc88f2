"""Whether a home's store is a file in it, or on a server: asked before every opening, so it costs a look at the size alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.errors import Refused

if TYPE_CHECKING:
    from dreamd.store.connection import Store

SMALLEST_BYTES = 512
"""No page of SQLite is smaller: what is shorter leads to a store elsewhere, or is damaged."""


def find_elsewhere(path: Path) -> Store | None:
    """The team's store that a home leads to, opened; None for a home with a store of its own."""
    if not _is_short(path):
        return None
    from dreamd.store.team.pointer import read_pointer
    from dreamd.store.team.team_store import open_team

    place = read_pointer(path)
    return open_team(path, place) if place else None


def refuse_elsewhere(path: Path) -> None:
    """Raise Refused where a home leads to a team's store: that one is made, and backed up, by whoever runs the server."""
    if _is_short(path):
        from dreamd.store.team.pointer import read_pointer

        if read_pointer(path):
            raise Refused("the store is a team's: the operator of the database makes and restores it",
                          hint="`dream team init` makes one; `pg_dump` and `pg_restore` take the place of `backups/`")


def _is_short(path: Path) -> bool:
    try:
        return 0 < path.stat().st_size < SMALLEST_BYTES
    except OSError:
        return False


def identity_of(path: Path) -> tuple[int, int] | None:
    """Which file stands at a path; None where none does."""
    try:
        facts = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return facts.st_dev, facts.st_ino
