"""The exact texts that left for a language model, one file a call, where a person wants to see them; gone after some days."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.paths import Paths

KEPT = timedelta(days=7)
_NAMED = "%Y%m%dT%H%M%SZ"


def keep_text(paths: Paths, text: str, *, call: int, at: datetime) -> None:
    """Keep what is about to leave; before it does, so that nothing leaves unseen."""
    fsio.make_private_dir(paths.asked)
    fsio.write_atomic(paths.asked / f"{at.strftime(_NAMED)}-{call}.txt", text.encode())


def load_text(paths: Paths, call: int) -> str | None:
    """What left with a call; None where nobody kept it, or not any more."""
    found = [path for path in list_texts(paths) if path.stem.rpartition("-")[2] == str(call)]
    return found[-1].read_text() if found else None


def drop_texts(paths: Paths, *, now: datetime) -> int:
    """Remove texts past their time; says how many went. One that carries a time to come is not waited for."""
    gone = [path for path in list_texts(paths) if not now - KEPT < _time_of(path) <= now + timedelta(days=1)]
    for path in gone:
        fsio.remove(path)
    return len(gone)


def list_texts(paths: Paths) -> list[Path]:
    """The kept texts, oldest first."""
    return sorted(path for path in paths.asked.glob("*.txt") if path.is_file() and not path.is_symlink())


def _time_of(path: Path) -> datetime:
    try:
        return datetime.strptime(path.stem.partition("-")[0] + "+0000", f"{_NAMED}%z")
    except ValueError:
        return datetime.fromisoformat("1970-01-01T00:00:00+00:00")
