"""Outage markers: a component that is away says so in a file, before anything else is tried.

One file a component, `outage/<component>.json`, replaced as a whole. A marker is cleared only by a success
of its component, never by age, a restart or a ping, and it can never stop retries for good: a retry time
that lies too far ahead, comes from another boot or cannot be read means *try now*.

When the disk is full, the marker goes into a reserve file that was allocated while there was room; when even
that fails, into the runtime directory, which lives in memory.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dreamd import __version__
from dreamd.core import fsio
from dreamd.core.clock import EARLIEST, iso, parse_instant
from dreamd.core.errors import DreamError, Outage, UsageError

COMPONENTS = ("model", "embed", "index", "disk", "db", "config", "lock", "cycle", "language-model")
"""What can be away: weights, embedding, vectors, disk, store, settings, locks, the dream as a whole, and a language model."""
DREAMS_WITHOUT = frozenset({"language-model"})
"""A dream goes on without these: their markers are for a person, and neither start a dream nor hold one back."""

SCHEMA = 1
ALERT_HOURS = 24
LONGEST_RETRY_MIN = 60
HOME_DIR = "outage"
"""The directory of markers in a home; the one in memory has another name."""
RESERVE_NAME = ".reserve"
RESERVE_BYTES = 4096
MARKER_BYTES = 16_384
MOST_MARKERS = 64
LONGEST_FIELD = 400
UNREADABLE = "marker-unreadable"


@dataclass(frozen=True)
class Marker:
    """One component that is away, since when, why, and when it is tried again."""

    component: str
    code: str
    reason: str
    since: datetime
    last_attempt_at: datetime
    next_retry_at: datetime
    attempts: int = 1
    hint: str = ""
    path: str = ""
    owner: str = ""
    error: str = ""
    boot_id: str = ""
    version: str = ""
    alerted_at: datetime | None = None


def prepare(outage_dir: Path) -> None:
    """Make the directory and allocate the reserve while there is room; doing it again changes nothing."""
    fsio.make_private_dir(outage_dir)
    reserve = outage_dir / RESERVE_NAME
    if reserve.is_symlink() or not reserve.is_file() or reserve.stat().st_size < RESERVE_BYTES:
        fsio.write_atomic(reserve, b" " * RESERVE_BYTES)


def flag(outage_dir: Path, failure: Outage, *, now: datetime, owner: str, fallback: Path | None = None) -> Marker:
    """Write or renew the marker of the component that failed; says what stands on disk now.

    Raises Outage when neither the directory, the reserve nor `fallback` takes it: the exit code then carries it.
    """
    component = failure.component if failure.component in COMPONENTS else "cycle"
    known = {m.component: m for m in read_markers(outage_dir, now=now, fallback=fallback)}
    marker = _next_marker(known.get(component), failure, now=now, owner=owner)
    if outage_dir.name == HOME_DIR and not os.path.lexists(outage_dir.parent):
        # A home that is away is not made again for the sake of a marker: whoever brings it back needs the place.
        _write_fallback(fallback, marker)
        return marker
    try:
        fsio.write_atomic(outage_dir / f"{marker.component}.json", _encode(marker))
    except DreamError as refused:
        if not (_write_reserve(outage_dir, marker) or _write_fallback(fallback, marker)):
            raise Outage(f"{failure.message}; nor could a note of it be left ({refused.message})",
                         component=failure.component, code=failure.code, hint=failure.hint) from failure
    return marker


def clear(outage_dir: Path, component: str, *, fallback: Path | None = None) -> bool:
    """Take a marker away after a success of its component; True when there was one."""
    found = False
    for path in (outage_dir / f"{component}.json", fallback / f"{component}.json" if fallback else None):
        if path is not None and os.path.lexists(path):
            fsio.remove(path)
            found = True
    kept = [m for m in _read_reserve(outage_dir) if m.component != component]
    if len(kept) != len(_read_reserve(outage_dir)):
        _fill_reserve(outage_dir, kept)
        found = True
    return found


def read_markers(outage_dir: Path, *, now: datetime | None = None, fallback: Path | None = None) -> list[Marker]:
    """Every marker that stands, newest knowledge per component, whatever state the files are in.

    A corrupt file is a marker too: somebody wanted to say something. `now` dates the ones that carry no time.
    """
    found: dict[str, Marker] = {}
    markers = [*_read_dir(outage_dir, now), *_read_reserve(outage_dir)]
    if fallback is not None:
        markers += list(_read_dir(fallback, now))
    for marker in markers:
        before = found.get(marker.component)
        if before is None or before.code == UNREADABLE or marker.last_attempt_at > before.last_attempt_at:
            found[marker.component] = marker
    return [found[name] for name in sorted(found)]


def is_retry_due(marker: Marker, *, now: datetime, boot_id: str) -> bool:
    """Tell whether the component is to be tried again; doubt always means yes."""
    if boot_id and marker.boot_id and boot_id != marker.boot_id:
        return True
    longest = timedelta(minutes=LONGEST_RETRY_MIN * 1.25)
    return now >= marker.next_retry_at or marker.next_retry_at - now > longest or marker.last_attempt_at > now + longest


def is_alert_due(marker: Marker, now: datetime) -> bool:
    """Tell whether the alert hook may speak: at most once a component and day."""
    return marker.alerted_at is None or now - marker.alerted_at >= timedelta(hours=ALERT_HOURS)


def note_alert(outage_dir: Path, marker: Marker, now: datetime) -> None:
    """Remember that the alert hook spoke about this marker."""
    fsio.write_atomic(outage_dir / f"{marker.component}.json", _encode(replace(marker, alerted_at=now)))


def retry_after(attempts: int, component: str) -> timedelta:
    """1, 2, 4 … 60 minutes, plus up to a tenth so that components do not all wake together.

    The spread comes from the name and the count, not from chance: the same history gives the same time.
    """
    minutes = min(LONGEST_RETRY_MIN, 2 ** min(attempts - 1, 10))
    spread = hashlib.sha256(f"{component}:{attempts}".encode()).digest()[0] / 255 / 10
    return timedelta(seconds=round(60 * minutes * (1 + spread)))


def current_boot_id() -> str:
    """What tells this boot from another; empty where the platform does not say."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    if sys.platform == "darwin":
        with suppress(OSError, subprocess.SubprocessError):
            told = subprocess.run(["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"], capture_output=True, text=True,
                                  timeout=2, check=True)
            return told.stdout.strip()
    return ""


def runtime_dir(env: Mapping[str, str], home: Path) -> Path | None:
    """Where a marker goes when the disk takes nothing: in memory, apart for each home; None where there is none."""
    base = env.get("XDG_RUNTIME_DIR", "")
    if not base.startswith("/"):
        return None
    return Path(base) / f"dream-{hashlib.sha256(os.fsencode(home)).hexdigest()[:12]}"


def _next_marker(before: Marker | None, failure: Outage, *, now: datetime, owner: str) -> Marker:
    # The same failure told twice, by the dream and by who called it, is one attempt.
    told = before is not None and before.code == failure.code and abs((now - before.last_attempt_at).total_seconds()) < 2
    attempts = before.attempts + (not told) if before else 1
    component = failure.component if failure.component in COMPONENTS else "cycle"
    since = before.since if before and before.since <= now else now
    cause = failure.__cause__
    filename = getattr(cause, "filename", None)
    return Marker(
        component=component, code=failure.code[:80], reason=failure.message[:LONGEST_FIELD], since=since,
        last_attempt_at=now, next_retry_at=now + retry_after(attempts, failure.component), attempts=attempts,
        hint=(failure.hint or "")[:LONGEST_FIELD], path=str(filename or "")[:LONGEST_FIELD], owner=owner[:80],
        error=type(cause or failure).__name__, boot_id=current_boot_id(), version=__version__,
        alerted_at=before.alerted_at if before else None)


def _encode(marker: Marker) -> bytes:
    return (json.dumps(_record(marker), ensure_ascii=True, indent=1) + "\n").encode()


def _record(marker: Marker) -> dict[str, str | int | None]:
    return {
        "schema": SCHEMA, "component": marker.component, "code": marker.code, "reason": marker.reason,
        "hint": marker.hint, "path": marker.path, "owner": marker.owner, "error": marker.error,
        "since": iso(marker.since), "attempts": marker.attempts, "last_attempt_at": iso(marker.last_attempt_at),
        "next_retry_at": iso(marker.next_retry_at), "boot_id": marker.boot_id, "version": marker.version,
        "alerted_at": iso(marker.alerted_at) if marker.alerted_at else None}


def _read_dir(directory: Path, now: datetime | None) -> Iterator[Marker]:
    try:
        names = sorted(p.name for p in directory.iterdir() if p.suffix == ".json" and not p.name.startswith("."))
    except OSError:
        return
    for name in names[:MOST_MARKERS]:
        path = directory / name
        component = re.sub(r"[^a-z0-9-]", "", path.stem.lower())[:40] or "unknown"
        try:
            yield _decode(fsio.read_bytes(path, limit_bytes=MARKER_BYTES), component)
        except FileNotFoundError:
            continue  # cleared by a success while we were reading
        except (DreamError, OSError, ValueError, TypeError, KeyError, RecursionError):
            yield _unreadable(path, component, now)


def _unreadable(path: Path, component: str, now: datetime | None) -> Marker:
    touched = now or EARLIEST
    with suppress(OSError, OverflowError, ValueError):
        touched = datetime.fromtimestamp(path.lstat().st_mtime, tz=UTC)
    return Marker(component=component, code=UNREADABLE, reason="the marker of this outage cannot be read",
                  since=touched, last_attempt_at=touched, next_retry_at=touched, path=str(path),
                  hint="a success of the component replaces it; `dream check` looks at the rest")


def _decode(body: bytes, component: str) -> Marker:
    """Read one marker; raises ValueError, TypeError or KeyError for anything that is none."""
    record = json.loads(body)
    if not isinstance(record, dict):
        raise TypeError("a marker is an object")
    words = {name: _clean(record.get(name)) for name in
             ("code", "reason", "hint", "path", "owner", "error", "boot_id", "version")}
    if not isinstance(record.get("schema"), int) or record["schema"] > SCHEMA:
        words["code"] = "marker-from-the-future"
    try:
        since = parse_instant(str(record["since"]))
        last = parse_instant(str(record.get("last_attempt_at") or record["since"]))
        retry = parse_instant(str(record.get("next_retry_at") or record["since"]))
        alerted = parse_instant(str(record["alerted_at"])) if record.get("alerted_at") else None
    except UsageError as error:
        raise ValueError(error.message) from None
    attempts = record.get("attempts", 1)
    if not isinstance(attempts, int) or isinstance(attempts, bool):
        raise TypeError("attempts is a number")
    return Marker(component=component, since=since, last_attempt_at=last, next_retry_at=retry,
                  attempts=max(1, min(attempts, 1_000_000)), alerted_at=alerted, **words)


def _clean(value: object) -> str:
    text = value if isinstance(value, str) else ""
    return "".join(c if c.isprintable() else " " for c in text[:LONGEST_FIELD])


def _read_reserve(outage_dir: Path) -> list[Marker]:
    try:
        records = json.loads(fsio.read_bytes(outage_dir / RESERVE_NAME, limit_bytes=RESERVE_BYTES) or b"[]")
        bodies = [(json.dumps(r).encode(), str(r["component"])) for r in records]
        return [_decode(body, component) for body, component in bodies if component in COMPONENTS]
    except (OSError, DreamError, ValueError, TypeError, KeyError):
        return []  # blank while nothing happened, and no second witness is needed when it is garbage


def _write_reserve(outage_dir: Path, marker: Marker) -> bool:
    others = [m for m in _read_reserve(outage_dir) if m.component != marker.component]
    return _fill_reserve(outage_dir, [marker, *others])


def _fill_reserve(outage_dir: Path, markers: list[Marker]) -> bool:
    """Overwrite the reserve in place, oldest left out when they do not all fit; False when it cannot be done."""
    reserve = outage_dir / RESERVE_NAME
    records = [_record(m) for m in markers]
    while records and len(json.dumps(records).encode()) > RESERVE_BYTES:
        records.pop()
    body = json.dumps(records).encode() if records else b""
    try:
        # In place and without O_CREAT or O_TRUNC: on a full disk only blocks that are already ours take bytes.
        descriptor = fsio._open(reserve, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        return False
    try:
        fsio._write(descriptor, body.ljust(RESERVE_BYTES))
        fsio._fsync(descriptor)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _write_fallback(fallback: Path | None, marker: Marker) -> bool:
    if fallback is None:
        return False
    try:
        fsio.write_atomic(fallback / f"{marker.component}.json", _encode(marker))
    except DreamError:
        return False
    return True
