"""The inbox: what found the store busy, or had no time to open it, waits here as one small file each.

Writers replace nothing and wait for nobody; the next dream, or the service, takes the files in, oldest first, and
removes each only after its commit. Text is masked before it is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.clock import iso, parse_instant
from dreamd.core.errors import DreamError, UsageError
from dreamd.core.paths import Paths
from dreamd.core.values import Candidate, MemoryClass, MemoryType, Origin, content_id, parse_scope
from dreamd.text.redaction import redact

SCHEMA = 1
LARGEST_BYTES = 4 * 1024 * 1024
MOST_FILES = 20_000
MOST_BYTES = 256 * 1024 * 1024
"""More than this and a writer is told so: an inbox nobody empties must not fill the disk."""
PART_CHARS = 250_000
PART_ROWS = 100
"""What goes into one file where many observations are laid down at once."""
MOST_BAD = 100
"""Files that could not be read and are kept aside; the oldest go first beyond it."""


@dataclass(frozen=True)
class Touched:
    """A harness said that a conversation moved: at the end of a turn, before compaction, at its end."""

    event: str
    path: str
    conversation: str
    cwd: str
    at: datetime


@dataclass(frozen=True)
class Delivery:
    """One inbox file: exactly one of its parts is filled."""

    path: Path
    candidates: tuple[Candidate, ...] = ()
    recalls: tuple[str, ...] = ()
    touched: Touched | None = None
    at: datetime | None = None
    place: str = ""
    """The working directory in which the observations were told."""


def put_notes(paths: Paths, candidates: Sequence[Candidate], *, now: datetime, ticket: str, place: str = "") -> Path:
    """Leave observations; `ticket` keeps two writers of one instant apart.

    With `place`, a working directory, they belong to its project, where it has one.
    """
    where = {"place": place} if place else {}
    rows = [as_row(c) | ({"context": c.context} if c.context else {}) for c in candidates]
    return _put(paths, {"observations": rows, **where}, now=now, ticket=ticket)


def put_saved(paths: Paths, candidates: Sequence[Candidate], *, now: datetime, ticket: str) -> Path:
    """Leave what only a store holds that is about to be left, with where it came from; however full the inbox is."""
    rows = [{**as_row(c), "source": c.source_id, "start": c.start, "end": c.end, "target": c.target, "context": c.context}
            for c in candidates]
    return _put(paths, {"observations": rows}, now=now, ticket=ticket, bounded=False)


def in_parts(candidates: Iterable[Candidate]) -> Iterator[list[Candidate]]:
    """Candidates in parts small enough for one file each."""
    part: list[Candidate] = []
    size = 0
    for candidate in candidates:
        chars = len(candidate.text) + len(candidate.context)
        if part and (size + chars > PART_CHARS or len(part) >= PART_ROWS):
            yield part
            part, size = [], 0
        part.append(candidate)
        size += chars
    if part:
        yield part


def put_recalls(paths: Paths, ids: Sequence[str], *, now: datetime, ticket: str) -> Path:
    """Leave a count of recalls."""
    return _put(paths, {"recalls": list(ids), "at": iso(now)}, now=now, ticket=ticket)


def put_touched(paths: Paths, touched: Touched, *, ticket: str) -> Path:
    """Leave word that a conversation moved."""
    row = {"event": touched.event, "path": touched.path, "conversation": touched.conversation, "cwd": touched.cwd,
           "at": iso(touched.at)}
    return _put(paths, {"touched": row}, now=touched.at, ticket=ticket)


def list_inbox(paths: Paths) -> list[Path]:
    """The files that wait, oldest first."""
    return sorted(paths.inbox.glob("*.json")) if paths.inbox.is_dir() else []


def take(paths: Paths, warnings: list[str], *, look_only: bool = False) -> Iterator[Delivery]:
    """Read what waits; a file that makes no sense is kept aside as `.bad` and named, unless this is only a look."""
    for path in list_inbox(paths):
        try:
            yield _decode(path, fsio.read_bytes(path, limit_bytes=LARGEST_BYTES))
        except FileNotFoundError:
            continue
        except (DreamError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            warnings.append(f"`{path.name}` in the inbox cannot be read ({type(error).__name__}); it is kept as `.bad`")
            if not look_only:
                keep_aside(paths, path)


def keep_aside(paths: Paths, path: Path) -> None:
    """Keep a file that cannot be taken in as `.bad`, where nobody takes it for one that waits."""
    fsio.move(path, path.with_suffix(".bad"))
    for old in sorted(paths.inbox.glob("*.bad"))[:-MOST_BAD]:
        fsio.remove(old)


def as_row(one: Candidate) -> dict[str, object]:
    """A statement as a file holds it."""
    return {"text": one.text, "origin": one.origin.value, "at": iso(one.at), "scope": str(one.scope),
            "conversation": one.conversation, "key": one.key, "class": one.class_hint, "type": one.type_hint, "ttl": one.ttl,
            "explicit": one.explicit, "sign": one.sign}


def _put(paths: Paths, content: dict[str, object], *, now: datetime, ticket: str, bounded: bool = True) -> Path:
    waiting = list_inbox(paths) if bounded else []
    if len(waiting) >= MOST_FILES or sum(_size(p) for p in waiting) >= MOST_BYTES:
        raise DreamError(f"{len(waiting)} files wait in the inbox already, and it is full",
                         hint="run `dream consolidate` to take them in")
    body = json.dumps({"schema": SCHEMA, **content}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    name = iso(now).replace(":", "").replace("-", "").replace(".", "")
    path = paths.inbox / f"{name}-{content_id(ticket, body.decode('utf-8', 'replace'))}.json"
    fsio.write_atomic(path, body)
    return path


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0  # taken in meanwhile


def _decode(path: Path, body: bytes) -> Delivery:
    document = json.loads(body)
    if document["schema"] != SCHEMA:
        raise UsageError("an inbox file of another dream")
    if "touched" in document:
        row = document["touched"]
        return Delivery(path, touched=Touched(str(row["event"]), str(row["path"]), str(row["conversation"]),
                                              str(row["cwd"]), parse_instant(row["at"])))
    if "recalls" in document:
        return Delivery(path, recalls=tuple(str(i) for i in document["recalls"]), at=parse_instant(document["at"]))
    told = tuple(from_row(r) for r in document["observations"])
    return Delivery(path, candidates=told, place=str(document.get("place", "")))


def from_row(row: dict[str, object]) -> Candidate:
    """The same read back, masked once more."""
    return Candidate(
        text=redact(str(row["text"])).text, origin=Origin(str(row["origin"])), at=parse_instant(str(row["at"])),
        scope=parse_scope(str(row["scope"])), conversation=str(row["conversation"]), key=str(row["key"]),
        class_hint=MemoryClass(str(row["class"])) if row["class"] else None,
        type_hint=MemoryType(str(row["type"])) if row["type"] else None, ttl=str(row["ttl"]) if row["ttl"] else None,
        explicit=bool(row["explicit"]), sign=str(row["sign"]), source_id=str(row.get("source", "")),
        start=int(str(row.get("start", 0))), end=int(str(row.get("end", 0))), target=str(row.get("target", "")),
        context=redact(str(row.get("context", ""))).text)
