"""A file of JSON lines that only grows, rotated by size and age: what was rotated is packed and still searched.

Lines are added and files are rotated under one lock, so that no line lands in a file that is being packed.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from dreamd.core import fsio, locks
from dreamd.core.clock import iso, parse_instant
from dreamd.core.errors import DreamError, UsageError
from dreamd.core.paths import Paths
from dreamd.core.settings import LogSettings

MIB = 1024 * 1024
LARGEST_BYTES = 256 * MIB
PACKED = ".ndjson.gz"
LONGEST_LINE_BYTES = 64 * 1024


@dataclass(frozen=True)
class LineLog:
    """One log of a home: the file that grows, and what was rotated out of it."""

    paths: Paths
    name: str
    rules: LogSettings

    @property
    def path(self) -> Path:
        """The file that grows."""
        return self.paths.logs / f"{self.name}.ndjson"

    def append(self, rows: Sequence[Mapping[str, object]]) -> None:
        """Add lines in one write; whoever is killed has added all of them or none."""
        body = b"\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") for row in rows)
        if not body:
            return
        fsio.make_private_dir(self.paths.locks)
        with locks.logs(self.paths.locks):
            fsio.append_line(self.path, body)

    def rotate_if_due(self, now: datetime, *, read_bytes: int | None = None) -> bool:
        """Pack the file once it is large or old, and drop what was packed too long ago.

        With `read_bytes` a file that is longer than that waits: somebody has yet to read its end.
        """
        if not self._is_due(now):
            return False
        with locks.logs(self.paths.locks):
            body = fsio.read_bytes(self.path, limit_bytes=LARGEST_BYTES)
            if read_bytes is not None and len(body) > read_bytes:
                return False
            stamp = iso(now).replace(":", "").replace("-", "")
            taken = sum(p.name.startswith(f"{self.name}-{stamp}") for p in self.packed())
            target = self.path.with_name(f"{self.name}-{stamp}{f'-{taken}' if taken else ''}{PACKED}")
            # Packed first: whoever is killed in between leaves lines twice, never none.
            fsio.write_atomic(target, gzip.compress(body, 6, mtime=0))
            fsio.remove(self.path)
        self._drop_old(now)
        return True

    def packed(self) -> list[Path]:
        """What was rotated, the newest first."""
        return sorted(self.paths.logs.glob(f"{self.name}-*{PACKED}"), key=lambda p: p.name, reverse=True)

    def newest_first(self) -> Iterator[dict[str, object]]:
        """Every line that can be read, the last one first."""
        last: dict[bytes, None] = {}
        for number, body in enumerate(self._bodies()):
            lines = body.split(b"\n")
            if number == 1 and last:  # a rotation that was cut short left the same lines in two places
                lines = [line for line in lines if line not in last]
            last = dict.fromkeys(lines) if number == 0 else {}
            for line in reversed(lines):
                row = read_row(line)
                if row is not None:
                    yield row

    def _bodies(self) -> Iterator[bytes]:
        with suppress(FileNotFoundError):
            yield fsio.read_bytes(self.path, limit_bytes=LARGEST_BYTES)
        for path in self.packed():
            with suppress(OSError, EOFError, zlib.error, DreamError):  # a damaged one hides its own lines and no others
                with gzip.open(path) as stream:
                    body = stream.read(LARGEST_BYTES)
                yield body

    def _is_due(self, now: datetime) -> bool:
        try:
            size = self.path.lstat().st_size
            if size >= self.rules.rotate_mib * MIB:
                return True
            with self.path.open("rb") as stream:
                first = read_row(stream.readline(LONGEST_LINE_BYTES)) or {}
        except OSError:
            return False
        at = told_at(first)
        return at is not None and now - at > timedelta(days=self.rules.rotate_days)

    def _drop_old(self, now: datetime) -> None:
        for path in self.packed():
            stamp = path.name.removeprefix(f"{self.name}-").removesuffix(PACKED).split("Z")[0]
            with suppress(UsageError):
                if now - parse_instant(stamp) > timedelta(days=self.rules.kept_days):
                    fsio.remove(path)


def told_at(row: Mapping[str, object]) -> datetime | None:
    """When a line says that it was written."""
    told = row.get("timestamp") or row.get("time")
    with suppress(UsageError):
        return parse_instant(told) if isinstance(told, str) else None
    return None


def read_row(line: bytes) -> dict[str, object] | None:
    """The record on a line; None where there is none."""
    if not line.strip():
        return None
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
