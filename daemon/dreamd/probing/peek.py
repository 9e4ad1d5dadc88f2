# pathlib alone costs a fifth of the start-up the probe may take:
# ruff: noqa: PTH208
"""Small looks at files, times and locks. Whatever lies there, none of them raises and none of them waits."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from datetime import UTC, datetime

HOUR_S = 3600.0
DAY_S = 86400.0
TEXT_BYTES = 16384


def is_held(path: str) -> bool:
    """Whether anyone holds a lock; asked for an instant and never kept."""
    descriptor = _opened(path)
    if descriptor is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


def beat_of(home: str, name: str) -> dict[str, object] | None:
    """A heartbeat file as somebody left it; None where there is none that makes sense."""
    record = json_of(f"{home}/{name}")
    return record if isinstance(record, dict) and record.get("schema") == 1 else None


def json_of(path: str) -> object:
    """What a small JSON file holds; None for anything else."""
    try:
        return json.loads(text_of(path) or "null")
    except (ValueError, RecursionError):
        return None


def text_of(path: str, *, limit: int = TEXT_BYTES) -> str:
    """The beginning of a plain file; empty where there is none."""
    descriptor = _opened(path)
    if descriptor is None:
        return ""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        with open(descriptor, encoding="utf-8", errors="replace", closefd=False) as stream:
            return stream.read(limit).strip()
    except (OSError, ValueError):
        return ""
    finally:
        os.close(descriptor)


def bytes_at(path: str, offset: int, count: int) -> bytes:
    """Some bytes of a plain file, from an offset on; none where there is no such place."""
    descriptor = _opened(path)
    if descriptor is None:
        return b""
    try:
        return os.pread(descriptor, count, max(0, offset)) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _opened(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None


def names_in(directory: str) -> list[str]:
    """The names in a directory, sorted; none where it is no directory or nobody may look."""
    try:
        return sorted(os.listdir(directory))
    except (OSError, ValueError):
        return []


def facts_of(path: str) -> os.stat_result | None:
    """What stands at a path, a link not followed."""
    try:
        return os.lstat(path)
    except (OSError, ValueError):
        return None


def exists(path: str) -> bool:
    """Whether anything stands at a path, be it a link to nowhere."""
    return facts_of(path) is not None


def size_of(path: str) -> int:
    """The size of what stands at a path; 0 where nothing does."""
    facts = facts_of(path)
    return facts.st_size if facts else 0


def instant(text: object) -> datetime | None:
    """A time in ISO 8601; None for anything else."""
    try:
        moment = datetime.fromisoformat(str(text))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def stamp(text: object) -> float | None:
    """A time in ISO 8601 as seconds."""
    moment = instant(text)
    return moment.timestamp() if moment else None


def iso(moment: datetime | None) -> str | None:
    """A time as people and programs read it."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z") if moment else None


def span(seconds: float) -> str:
    """A length of time in the largest unit that says it."""
    for unit, name in ((DAY_S, "days"), (HOUR_S, "hours"), (60.0, "minutes")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} seconds"


def printable(text: object) -> str:
    """Words from a file that anyone may have written: one line, no control characters, not too long."""
    return "".join(c if c.isprintable() else " " for c in text[:200]) if isinstance(text, str) else ""
