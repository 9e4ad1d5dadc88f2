"""What dream says about itself: one JSON line an event, and a heartbeat file that tells the truth.

Neither ever carries memory text. An event has named fields from a closed set, each with a closed type, so
that a sentence somebody remembered has no field to slip into; a crash is logged as places in the code, never
with the values that were in them.

Both are bounded, private, and never a reason for failure: when the disk takes no log line, work goes on.
"""

from __future__ import annotations

import json
import os
import re
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from dreamd import __version__
from dreamd.core import fsio
from dreamd.core.clock import Clock, SystemClock, boot_time_s, iso
from dreamd.core.errors import DreamError, UsageError
from dreamd.core.paths import Paths

Field = str | int | float | bool | Mapping[str, int] | None

EVENTS_NAME = "events.jsonl"
CRASH_NAME = "crash.log"
LOG_BYTES = 1_000_000
LOGS_KEPT = 3
LONGEST_WORD = 200
MOST_COUNTS = 64
HEARTBEAT_SCHEMA = 1
HEARTBEAT_BYTES = 16_384

FIELDS: dict[str, type | tuple[type, ...]] = {
    "run": str, "phase": str, "outcome": str, "reason": str, "hint": str, "component": str, "code": str, "kind": str,
    "source": str, "command": str, "gate": str, "verdict": str, "version": str, "scope_kind": str, "state": str,
    "pid": int, "exit_code": int, "signal": int, "attempts": int, "sequence": int, "items": int, "bytes": int,
    "seconds": (int, float), "cpu_seconds": (int, float), "waited_ms": (int, float), "rss_mib": (int, float),
    "now": str, "due_at": str, "since": str, "dry_run": bool, "deferred": bool, "by_person": bool,
    "counts": Mapping, "skips": Mapping,
}
"""Every field an event may have. A new one is added here on purpose, with its type."""

_COUNT_NAME = re.compile(r"[a-z][a-z0-9_.-]{0,59}")
_EVENT_NAME = re.compile(r"[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+")


def log_event(paths: Paths, event: str, *, clock: Clock | None = None, **fields: Field) -> bool:
    """Append one event to the log; False when the disk did not take it.

    Raises UsageError for a field or a name outside the closed set: that is a mistake in the code.
    """
    record: dict[str, object] = {"at": iso((clock or SystemClock()).now()), "event": _event_name(event)}
    for name, content in fields.items():
        record[name] = _checked(name, content)
    line = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode()
    if not paths.home.is_dir():
        return False  # a home that is away is not made again for a line in its log
    return _append_bounded(paths.logs / EVENTS_NAME, line)


def log_crash(paths: Paths, error: BaseException, *, clock: Clock | None = None) -> bool:
    """Log where an unforeseen error happened: classes and places in the code, no values and no messages."""
    lines = [f"{iso((clock or SystemClock()).now())} dream {__version__} {type(error).__name__}"]
    seen: BaseException | None = error
    while seen is not None and len(lines) < 200:
        lines += [f"  {Path(f.filename).name}:{f.lineno} {f.name}" for f in traceback.extract_tb(seen.__traceback__)]
        seen = seen.__cause__ or seen.__context__
        if seen is not None:
            lines.append(f"  from {type(seen).__name__}")
    return _append_bounded(paths.logs / CRASH_NAME, "\n".join(lines).encode())


@dataclass(frozen=True)
class Beat:
    """What a living process says it is doing; `sequence` moves only with real progress or a declared wait."""

    role: str
    """`service` or `cycle`."""
    at: str = ""
    phase: str = ""
    done: int = 0
    total: int = 0
    since: str = ""
    sequence: int = 0
    last_success_at: str = ""
    next_due_at: str = ""
    waiting: int = 0
    holds: tuple[str, ...] = ()
    """The gates that hold work back, in words."""
    state: str = ""
    """`idle`, `working`, `paused`, `waiting`, `stopping`."""
    due_since: str = ""
    yields: int = 0
    counters: Mapping[str, int] = field(default_factory=dict)
    pid: int = 0
    start_token: str = ""
    boot_id: str = ""
    boot_s: float = 0.0
    awake_s: float = 0.0
    """Beside `boot_s`, which runs on while the machine sleeps: together they tell how long it slept since."""
    awake_since: str = ""
    """When the service started, or the machine it runs on woke up last."""
    version: str = ""
    run: str = ""


class Heartbeat:
    """Writes one process's heartbeat file; the holder of the matching lock is its only writer."""

    def __init__(self, path: Path, role: str, *, boot_id: str, clock: Clock | None = None) -> None:
        self._path = path
        self._clock = clock or SystemClock()
        self.beat = Beat(role=role, pid=os.getpid(), start_token=start_token(os.getpid()), boot_id=boot_id, version=__version__)

    def write(self, beat: Beat) -> bool:
        """Stamp and write a beat; False when the disk did not take it."""
        self.beat = replace(beat, role=self.beat.role, pid=self.beat.pid, start_token=self.beat.start_token,
                            boot_id=self.beat.boot_id, version=__version__, at=iso(self._clock.now()),
                            boot_s=round(boot_time_s(), 3), awake_s=round(self._clock.monotonic(), 3))
        if not self._path.parent.is_dir():
            return False  # the home is away, and nobody looks for us where it was
        body = json.dumps({"schema": HEARTBEAT_SCHEMA, **asdict(self.beat)}, separators=(",", ":")).encode()
        return _replace_unsynced(self._path, body)

    def remove(self) -> None:
        """Take the file away at a clean end."""
        with suppress(DreamError):  # it only looks stale then, and the lock says that nobody is there
            fsio.remove(self._path)


def cycle_beat_path(paths: Paths) -> Path:
    """The heartbeat of whoever holds the dream lock, apart from the service's own."""
    return paths.heartbeat.with_name("cycle.json")


def read_beat(path: Path) -> Beat | None:
    """A heartbeat as somebody left it; None when there is none that can be understood."""
    try:
        record = json.loads(fsio.read_bytes(path, limit_bytes=HEARTBEAT_BYTES))
        if not isinstance(record, dict) or record.pop("schema", None) != HEARTBEAT_SCHEMA:
            return None
        blank = asdict(Beat(role=""))
        record["holds"] = tuple(str(h) for h in record.get("holds", ()))
        known = {name: record[name] for name, default in blank.items() if type(record.get(name)) is type(default)}
        return Beat(**known)
    except (OSError, DreamError, ValueError, TypeError, RecursionError):
        return None


def start_token(pid: int) -> str:
    """What tells a process from a later one with the same number; empty where the platform does not say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]


def _event_name(event: str) -> str:
    if not _EVENT_NAME.fullmatch(event):
        raise UsageError("an event is named like `cycle.finished`")
    return event


def _checked(name: str, content: Field) -> Field:
    expected = FIELDS.get(name)
    if expected is None:
        raise UsageError(f"an event has no field `{name}`")
    if content is None:
        return None
    if not isinstance(content, expected) or (isinstance(content, bool) and expected is not bool):
        raise UsageError(f"the event field `{name}` has the wrong type")
    if isinstance(content, str):
        return "".join(c if c.isprintable() else " " for c in content[:LONGEST_WORD])
    if isinstance(content, Mapping):
        return _checked_counts(name, content)
    return content


def _checked_counts(name: str, counts: Mapping[str, int]) -> dict[str, int]:
    kept = dict(list(counts.items())[:MOST_COUNTS])
    for key, number in kept.items():
        if not _COUNT_NAME.fullmatch(key) or not isinstance(number, int):
            raise UsageError(f"the event field `{name}` holds named counts only")
    return kept


def _append_bounded(path: Path, line: bytes) -> bool:
    try:
        if _is_full(path):
            _rotate(path)
        fsio.append_line(path, line)
    except (DreamError, OSError):
        return False  # a log that cannot be written must not stop the work; markers and exit codes speak then
    return True


def _is_full(path: Path) -> bool:
    try:
        return path.lstat().st_size >= LOG_BYTES
    except FileNotFoundError:
        return False


def _rotate(path: Path) -> None:
    """Make room for a new file; of several processes that see a full one only one does, or each would push out one more."""
    from dreamd.core import locks  # needed once in thousands of lines

    # Where the lock cannot be had the line goes to the full file, and the next one tries again.
    with suppress(DreamError), locks.logs(path.parent.parent / "locks", 0.0):
        if _is_full(path):
            generations = _generations(path)
            for older, newer in zip(reversed(generations), list(reversed(generations))[1:], strict=False):
                if newer.exists():
                    fsio.move(newer, older)


def _generations(path: Path) -> list[Path]:
    return [path, *(path.with_name(f"{path.name}.{n}") for n in range(1, LOGS_KEPT))]


def _replace_unsynced(path: Path, body: bytes) -> bool:
    """Replace a file without a flush: after a power cut an old heartbeat is as good as none, and disks wear."""
    try:
        fsio.write_unsynced(path, body)
    except (OSError, DreamError):
        return False
    return True
