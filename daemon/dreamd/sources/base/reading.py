"""Reading a file from where the last read stopped: one engine for JSON lines, one for whole documents.

A cursor is an offset plus two checks of what lay before it (the file's beginning, and the last bytes before the
offset), so that an appended file goes on and a replaced one starts again. What a stretch needs to know from earlier
ones (the agent's last question, calls without a result) is kept as *offsets of lines to look at again*, never as
text: a cursor is stored beside memories, and nobody could find words there to forget them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Protocol

from dreamd.core.values import LONGEST_TEXT, Cursor, Event, EventKind, Reading, Skip, Speaker
from dreamd.sources.base import contract
from dreamd.sources.base.human_words import split_long
from dreamd.sources.base.opening import Unopened, open_source
from dreamd.sources.base.tolerant import Record, clean, parse_record
from dreamd.sources.base.unpacking import sizes_of, trouble_of

_PREFIX_BYTES = 64 * 1024
_TAIL_BYTES = 4096
_PIECE_BYTES = 1024 * 1024
_LONG_RUN = re.compile(rb"(?<![A-Za-z0-9+/=_\\-])[A-Za-z0-9+/=_-]{1024,}")
"""Embedded images and the like; the look-behind lets a match start at the first byte of a run only: linear time."""
_MOST_RECALLED = 48

_BOUNDS = {EventKind.RESULT: 500, EventKind.BOUNDARY: 0}
_LONGEST_INJECTED = 2_000


@dataclass(frozen=True)
class Line:
    """One line of a file. `body` is None when it is too long to be used even pressed together."""

    start: int
    end: int
    body: bytes | None
    whole: bool = True
    """False when the file ends without a line break: the line may be half written."""
    pressed: bool = False


class Parser(Protocol):
    """Turns the records of one conversation into events for the sink it is made with, anew for every read."""

    def take(self, record: Record) -> None:
        """Look at one record and hand its events and skips to the sink."""

    def recalled(self) -> Sequence[int]:
        """Offsets of the lines that have to be looked at again before the next stretch."""


class Sink:
    """Collects what one read gives; knows the place of the record that is being looked at."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.skips: list[Skip] = []
        self.prompts = 0
        self.start = 0
        self.end = 0
        self.pressed = False
        self.file = ""
        self.muted = False
        """Nothing is kept while this is on: records are only looked at again."""
        self._seen: set[str] = set()
        self._ours: set[str] = set()
        self._touched = False

    def begin(self, start: int, end: int, *, pressed: bool = False) -> None:
        """The next events and skips belong to these bytes."""
        self.start, self.end, self.pressed = start, end, pressed
        self._touched = False
        self._ours.clear()

    def close(self) -> None:
        """Whatever said nothing is at least counted."""
        if not self._touched:
            self.skip(contract.NO_TEXT)

    def skip(self, reason: str) -> None:
        """Record that something here was passed over; neighbours with the same reason become one record."""
        if self.muted:
            return
        self._touched = True
        last = self.skips[-1] if self.skips else None
        if last and (last.reason, last.file, last.end) == (reason, self.file, self.start) and reason in contract.ORDINARY:
            self.skips[-1] = Skip(reason, last.start, self.end, self.file)
        elif last != (here := Skip(reason, self.start, self.end, self.file)):
            self.skips.append(here)

    def add(self, event: Event) -> None:
        """Keep an event: text cleaned and bounded, a long statement of a person cut into several."""
        text = clean(event.text).strip()
        if self.muted or (not text and event.kind is not EventKind.BOUNDARY):
            return
        longest = _BOUNDS.get(event.kind, LONGEST_TEXT)
        if event.speaker is Speaker.INJECTED:
            longest = min(longest, _LONGEST_INJECTED)
        if len(text) > longest and (event.speaker is Speaker.HUMAN or event.kind is EventKind.NOTE):
            parts = split_long(text, longest)
            if len(parts) > contract.MOST_PARTS and event.speaker is Speaker.HUMAN:
                # Nobody types that much: what a person says about a paste stands before or after it.
                parts = [*parts[:contract.MOST_PARTS // 2], *parts[-contract.MOST_PARTS // 2:]]
                self.skip(contract.OVERSIZED)
            for part in parts:
                self._keep(event, part, cut=self.pressed)
        else:
            self._keep(event, text[:longest], cut=self.pressed or len(text) > longest)

    def _keep(self, event: Event, text: str, *, cut: bool) -> None:
        self._touched = True
        uid = clean(event.uid)
        number = 0
        while uid and uid in self._ours:
            number += 1
            uid = f"{event.uid}#{number}"
        if uid and uid in self._seen:
            self._ours.add(uid)
            self.skip(contract.REPEATED)
            return
        self._ours.add(uid)
        self._seen.add(uid)
        self.prompts += event.speaker is Speaker.HUMAN and event.kind is EventKind.PROMPT
        self.events.append(replace(
            event, text=text, uid=uid, start=self.start, end=self.end, file=self.file,
            truncated=event.truncated or cut, question=clean(event.question), title=clean(event.title),
            cwd=clean(event.cwd), branch=clean(event.branch), conversation=clean(event.conversation)))


@dataclass(frozen=True)
class _Carry:
    tail_sha: str = ""
    mid_line: bool = False
    recalled: tuple[int, ...] = ()

    @staticmethod
    def load(text: str) -> _Carry:
        """Read a carry; anything damaged reads as none, and the file is read from its beginning."""
        record = parse_record(text) or {}
        offsets = record.get("lines")
        return _Carry(str(record.get("tail", "")), bool(record.get("mid", False)),
                      tuple(n for n in offsets if isinstance(n, int) and n >= 0) if isinstance(offsets, list) else ())

    def dump(self) -> str:
        """Write a carry."""
        return json.dumps({"tail": self.tail_sha, "mid": self.mid_line, "lines": list(self.recalled)}, separators=(",", ":"))


def uids_of(events: Sequence[Event]) -> tuple[str, ...]:
    """The identities of the notes among events, in order; what dream itself has put there is no note."""
    return tuple(e.uid for e in events if e.kind is EventKind.NOTE and e.uid and e.speaker is not Speaker.INJECTED)


def unread(cursor: Cursor, reason: str) -> Reading:
    """The reading of a source that cannot be opened: nothing but the reason, and the cursor stays."""
    return Reading((), cursor, (Skip(reason, 0, 0),))


def continues(path: Path, cursor: Cursor) -> bool:
    """Whether a file is the one that a cursor stands in, as it was or longer."""
    try:
        with open_source(path) as handle:
            return _continues(handle, cursor, carry=_Carry.load(cursor.carry), size=sizes_of(handle)[1])
    except (Unopened, OSError):
        return False


def read_lines(path: Path, cursor: Cursor, *, budget_bytes: int, make_parser: Callable[[Sink], Parser],
               pass_over: Callable[[bytes], str] | None = None, parse: Callable[[str], Record | None] = parse_record,
               ) -> Reading:
    """Read a file of JSON lines from its cursor. `pass_over` names the reason to skip a line unparsed, or nothing.

    `parse` is given where a line is no JSON.
    """
    try:
        with open_source(path) as handle:
            return _Stretch(handle, cursor, make_parser=make_parser, pass_over=pass_over, parse=parse).read(budget_bytes)
    except Unopened as error:
        return unread(cursor, error.reason)
    except OSError:
        return unread(cursor, contract.UNREADABLE)


class _Stretch:
    """One read of one open file."""

    def __init__(self, handle: BinaryIO, cursor: Cursor, *, make_parser: Callable[[Sink], Parser],
                 pass_over: Callable[[bytes], str] | None, parse: Callable[[str], Record | None]) -> None:
        self._handle = handle
        self._parse = parse
        self._pass_over = pass_over
        self._sink = Sink()
        self._parser = make_parser(self._sink)
        self._size, self._length = sizes_of(handle)
        carry = _Carry.load(cursor.carry)
        self._carry = carry if _continues(handle, cursor, carry=carry, size=self._length) else _Carry()
        self._start = cursor.offset if self._carry is carry else 0
        self._offset = self._start
        self._mid = self._carry.mid_line and self._start > 0
        self._lines = 0

    def read(self, budget_bytes: int) -> Reading:
        """Take whole lines until the file ends or the budget is spent."""
        self._look_back()
        self._handle.seek(self._start)
        complete = True
        for line in _lines_from(self._handle, self._start, mid_line=self._mid, budget_bytes=budget_bytes):
            if not self._take(line):
                break
            self._offset = line.end
            if line.end - self._start >= budget_bytes:
                complete = line.end >= self._length
                break
        if trouble := trouble_of(self._handle):
            self._sink.begin(self._offset, self._offset)
            self._sink.skip(trouble)
        return Reading(tuple(self._sink.events), self._cursor(), tuple(self._sink.skips), self._lines,
                       self._sink.prompts, complete)

    def _look_back(self) -> None:
        """Show the parser the lines it asked for, without giving their events again."""
        self._sink.muted = True
        for offset in self._carry.recalled[:_MOST_RECALLED]:
            self._handle.seek(min(offset, self._start))
            line = next(_lines_from(self._handle, offset), None)
            if line is None or line.body is None or line.end > self._start:
                continue
            self._sink.begin(line.start, line.end)
            record = self._parse(line.body.decode("utf-8", "replace"))
            if record is not None:
                self._parser.take(record)
        self._sink.muted = False

    def _take(self, line: Line) -> bool:
        """Use one line; False when it is to be waited for."""
        self._sink.begin(line.start, line.end, pressed=line.pressed)
        self._mid = line.body is None and not line.whole
        if line.body is None:
            self._lines += line.whole
            self._sink.skip(contract.OVERSIZED)
            return True
        body = line.body.removeprefix(b"\xef\xbb\xbf") if line.start == 0 else line.body
        if not body.strip():
            return line.whole
        reason = self._pass_over(body) if self._pass_over and line.whole else ""
        if not reason:
            try:
                text = body.decode("utf-8")
            except UnicodeDecodeError:
                text = body.decode("utf-8", "replace")
                if line.whole:
                    self._sink.skip(contract.REPLACED_BYTES)
            record = self._parse(text)
            if record is None and not line.whole:
                return False
            if record is None:
                reason = contract.CORRUPT
            else:
                self._parser.take(record)
        if reason:
            self._sink.skip(reason)
        self._lines += 1
        self._sink.close()
        return True

    def _cursor(self) -> Cursor:
        prefix = min(self._offset, _PREFIX_BYTES)
        carry = _Carry(_sha(self._handle, start=max(0, self._offset - _TAIL_BYTES), end=self._offset), self._mid,
                       tuple(sorted(set(self._parser.recalled())))[-_MOST_RECALLED:])
        return Cursor(self._offset, self._size, prefix, _sha(self._handle, start=0, end=prefix), carry.dump())


def _continues(handle: BinaryIO, cursor: Cursor, *, carry: _Carry, size: int) -> bool:
    """Whether what lies before the cursor is still what was read."""
    if not 0 < cursor.offset <= size or not 0 < cursor.prefix_bytes <= cursor.offset:
        return False
    if _sha(handle, start=0, end=min(cursor.prefix_bytes, _PREFIX_BYTES)) != cursor.prefix_sha:
        return False
    return _sha(handle, start=max(0, cursor.offset - _TAIL_BYTES), end=cursor.offset) == carry.tail_sha


def _sha(handle: BinaryIO, *, start: int, end: int) -> str:
    handle.seek(start)
    return hashlib.sha256(handle.read(end - start)).hexdigest()


def _lines_from(handle: BinaryIO, start: int, *, mid_line: bool = False, budget_bytes: int = 1 << 62) -> Iterator[Line]:
    """The lines from an offset on; never holds more than one bounded line in memory."""
    position = start
    if mid_line:
        end, whole = _pass_line(handle, position, budget_bytes=budget_bytes)
        if end > position:
            yield Line(position, end, None, whole)
        position = end
    while piece := handle.readline(contract.LONGEST_LINE_BYTES):
        end = position + len(piece)
        if piece.endswith(b"\n") or len(piece) < contract.LONGEST_LINE_BYTES:
            line = Line(position, end, piece, piece.endswith(b"\n"))
        else:
            line = _long_line(handle, piece, position=position, stop_at=start + budget_bytes)
        yield line
        position = line.end


def _long_line(handle: BinaryIO, piece: bytes, *, position: int, stop_at: int) -> Line:
    """Read a very long line piece by piece, dropping embedded images, until it ends or is past using."""
    pressed = bytearray(_LONG_RUN.sub(b"", piece))
    end = position + len(piece)
    while len(pressed) <= contract.LONGEST_LINE_BYTES * contract.SPLIT_LINES:
        piece = handle.readline(_PIECE_BYTES)
        end += len(piece)
        pressed += _LONG_RUN.sub(b"", piece)
        if not piece or piece.endswith(b"\n"):
            return Line(position, end, bytes(pressed), bool(piece), pressed=len(pressed) < end - position)
    end, whole = _pass_line(handle, end, budget_bytes=max(stop_at - end, 0))
    return Line(position, end, None, whole)


def _pass_line(handle: BinaryIO, position: int, *, budget_bytes: int) -> tuple[int, bool]:
    """Run to the end of a line without keeping it; stops at the budget or the end of the file."""
    passed = 0
    while piece := handle.readline(_PIECE_BYTES):
        passed += len(piece)
        if piece.endswith(b"\n"):
            return position + passed, True
        if passed >= budget_bytes:
            break
    return position + passed, False
