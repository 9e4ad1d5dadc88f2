"""Logs that people read: JSON lines that only grow, packed away by size and age and still searched.

Lines are added, packed and taken out under one lock, so that no line lands in a file that is being packed. What is taken out
leaves an empty line: whoever reads on counts lines. A line that was cut short is passed over, and ends at the next one.
"""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from dreamd.core import fsio, locks
from dreamd.core.clock import iso, parse_instant
from dreamd.core.errors import UsageError
from dreamd.core.paths import Paths, is_plain
from dreamd.core.settings import LogSettings

MIB = 1024 * 1024
LARGEST_BYTES = 256 * MIB
PLAIN = ".ndjson"
PACKED = ".ndjson.gz"
LONGEST_LINE_BYTES = 64 * 1024

Row = dict[str, object]


@dataclass(frozen=True)
class Mark:
    """How far somebody has read: the last packed file that was read whole, and the lines of the one after it."""

    packed: str = ""
    lines: int = 0


@dataclass(frozen=True)
class LineLog:
    """One log of a home: the file that grows, and what was rotated out of it."""

    paths: Paths
    name: str
    rules: LogSettings

    @property
    def path(self) -> Path:
        """The file that grows."""
        return self.paths.logs / f"{self.name}{PLAIN}"

    def append(self, rows: Sequence[Mapping[str, object]]) -> None:
        """Add lines in one write; whoever is killed has added all of them or none."""
        body = b"\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") for row in rows)
        if not body:
            return
        fsio.make_private_dir(self.paths.locks)
        with locks.logs(self.paths.locks):
            fsio.append_line(self.path, (b"\n" if self._is_torn() else b"") + body)

    def rotate_if_due(self, now: datetime) -> bool:
        """Pack the file once it is large or old. Nothing is dropped: that is for whoever has read it."""
        if not self._is_due(now):
            return False
        with locks.logs(self.paths.locks):
            if not self._is_due(now):
                return False
            stamp = iso(now).replace(":", "").replace("-", "").replace("Z", "")
            last = max((name.removeprefix(f"{self.name}-") for name in self.packed()), default="")
            again = int(last.rpartition("_")[2]) + 1 if last[:len(stamp)] >= stamp and "_" in last else 0
            stamp = max(stamp, last.partition("_")[0])  # whatever a clock says, what is packed later stands later
            # First it is out of the way, then it is packed: whoever is killed in between leaves every line once.
            fsio.move(self.path, self._file(f"{self.name}-{stamp}_{again:04}", PLAIN))
            for name in self.packed():
                if self._file(name, PLAIN).exists():
                    body = fsio.read_bytes(self._file(name, PLAIN), limit_bytes=LARGEST_BYTES)
                    fsio.write_atomic(self._file(name, PACKED), gzip.compress(body, 6, mtime=0))
                    fsio.remove(self._file(name, PLAIN))
        return True

    def packed(self) -> list[str]:
        """What was rotated, by name, the oldest first."""
        found = {path.name.removesuffix(ending) for ending in (PLAIN, PACKED)
                 for path in self.paths.logs.glob(f"{self.name}-*{ending}")}
        return sorted(found)

    def drop_old(self, now: datetime, *, up_to: str = "\uffff") -> None:
        """Drop what was packed too long ago, and was read by whoever reads on: no later than `up_to`."""
        for name in self.packed():
            stamp = name.removeprefix(f"{self.name}-").partition("_")[0]
            with suppress(UsageError):
                if name <= up_to and now - parse_instant(f"{stamp}Z") > timedelta(days=self.rules.kept_days):
                    fsio.remove(self._file(name, PLAIN))
                    fsio.remove(self._file(name, PACKED))

    def newest_first(self) -> Iterator[Row]:
        """Every line that can be read, the last one first."""
        packed, growing = self._at_once()
        for name in ("", *reversed(packed)):
            for line in reversed((self._body(name) if name else growing).split(b"\n")):
                row = read_row(line)
                if row is not None:
                    yield row

    def _at_once(self) -> tuple[list[str], bytes]:
        """What was packed and what grows as both are at one moment: what is packed in between would be in neither, or twice."""
        for _ in range(100):
            packed = self.packed()
            growing = self._body(self.name)
            if packed == self.packed():
                break
        return packed, growing

    def count_spoilt(self) -> int:
        """How many lines nobody can read, and packed files in which nothing can be; a last line without its end is none."""
        spoilt = 0
        for name in (*self.packed(), *(() if self.hindrance() else (self.name,))):
            body = self._body(name)
            spoilt += sum(bool(line.strip()) and read_row(line) is None for line in body.split(b"\n")[:-1])
            spoilt += not body and self._file(name, PACKED).exists()
        return spoilt

    def hindrance(self) -> str:
        """Why the file that grows can be neither read nor written; nothing where it can, or is not there yet."""
        if not self.path.is_symlink() and not self.path.exists() or is_plain(self.path):
            return ""
        return f"`{self.path}` is not a plain file: move it away, and the next line makes a new one"

    def read_on(self, mark: Mark) -> Iterator[tuple[list[Row], Mark]]:
        """What was written since a mark, file by file, and the mark behind it; a line without its end is waited for."""
        if not self.paths.logs.is_dir() or not (self.packed() or self.path.exists()):
            return
        fsio.make_private_dir(self.paths.locks)
        with locks.logs(self.paths.locks):  # what is packed does not change any more, the file that grows may be packed next
            names, growing = [*(name for name in self.packed() if name > mark.packed), self.name], self._body(self.name)
        for number, name in enumerate(names):
            lines = (growing if name == self.name else self._body(name)).split(b"\n")[:-1]
            skipped = mark.lines if number == 0 else 0
            rows = [row for line in lines[skipped:] if (row := read_row(line)) is not None]
            here = Mark(names[number - 1] if number else mark.packed, max(skipped, len(lines)))
            yield rows, here if name == self.name else Mark(name, 0)

    def strike(self, wanted: Callable[[Row, str], bool]) -> int:
        """Take out every line that is wanted, from what was packed as well; says how many there were.

        What can be read of no line is asked about by its words alone.
        """
        gone = 0
        if not self.paths.logs.is_dir() or not (self.packed() or self.path.exists()):
            return gone
        fsio.make_private_dir(self.paths.locks)
        with locks.logs(self.paths.locks):
            for name in (*self.packed(), self.name):
                lines = self._body(name).split(b"\n")
                kept = [b"" if line.strip() and wanted(read_row(line) or {}, line.decode("utf-8", "replace")) else line
                        for line in lines]
                struck = sum(a != b for a, b in zip(lines, kept, strict=True))
                if struck:
                    self._write(name, b"\n".join(kept))
                gone += struck
        return gone

    def _write(self, name: str, body: bytes) -> None:
        plain = self._file(name, PLAIN)
        if plain.exists():
            fsio.write_atomic(plain, body)
            fsio.remove(self._file(name, PACKED))
        else:
            fsio.write_atomic(self._file(name, PACKED), gzip.compress(body, 6, mtime=0))

    def _file(self, name: str, ending: str) -> Path:
        return self.paths.logs / f"{name}{ending}"

    def _body(self, name: str) -> bytes:
        with suppress(FileNotFoundError):
            return fsio.read_bytes(self._file(name, PLAIN), limit_bytes=LARGEST_BYTES)
        # A damaged one hides its own lines and no others.
        with suppress(OSError, EOFError, zlib.error), gzip.open(self._file(name, PACKED)) as stream:
            return stream.read(LARGEST_BYTES)
        return b""

    def _is_torn(self) -> bool:
        """Whether the last line has no end: a machine went down while it was written."""
        if not is_plain(self.path):
            return False
        with suppress(OSError), self.path.open("rb") as stream:
            stream.seek(-1, 2)
            return stream.read(1) != b"\n"
        return False

    def _is_due(self, now: datetime) -> bool:
        if not is_plain(self.path):
            return False
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


def told_at(row: Mapping[str, object]) -> datetime | None:
    """When a line says that it was written."""
    told = row.get("timestamp") or row.get("time")
    with suppress(UsageError):
        return parse_instant(told) if isinstance(told, str) else None
    return None


def read_row(line: bytes) -> Row | None:
    """The record on a line; None where there is none."""
    if not line.strip():
        return None
    try:
        row = json.loads(line, parse_constant=str, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _finite(told: str) -> float | str:
    """A number, or its figures where JSON has no word for what it comes to: who reads on could read none of it."""
    number = float(told)
    return number if math.isfinite(number) else told
