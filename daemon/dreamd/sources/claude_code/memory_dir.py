"""Memory directories of Claude Code: `MEMORY.md` as an index and one topic file a memory, or an index alone.

A directory is one source. Its cursor carries a hash per file, so an unchanged file says nothing and a changed one
says everything in it again; the notes keep their identity, so what was known stays known. Each reading tells what
stands in every file, so that what is gone or stands in another's place can be told.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

from dreamd.core.errors import concerns_all
from dreamd.core.values import Cursor, Event, EventKind, Reading, Skip, Speaker, content_id
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.opening import Unopened, open_source
from dreamd.sources.base.own_writing import WITHIN_BYTES, bears_mark
from dreamd.sources.base.reading import Sink, uids_of
from dreamd.sources.base.tolerant import moment, parse_record, record_at
from dreamd.sources.claude_code.memory_text import (
    MANAGED_MARK,
    Front,
    Piece,
    pieces_of,
    split_front,
    standing_words,
    without_links,
)

INDEX_NAME = "MEMORY.md"
SKILL_NAME = "SKILL.md"
"""A recipe an agent made for itself; it may lie beside its memories and is none."""
_MOST_FILES = 5_000
_DEEPEST = 3
_HASH_DIGITS = 16


class Selection(Protocol):
    """Chooses among the pieces of one file, in their order."""

    def take(self, piece: Piece) -> tuple[str, str] | None:
        """The words of a piece and the working directory they count for; None for one that says nothing."""


@dataclass(frozen=True)
class NoteShape:
    """What of a directory is read: `wanted` chooses among the names, `select` among the pieces of a file."""

    wanted: Callable[[str], bool] = lambda _name: True
    select: Callable[[], Selection] | None = None


@runtime_checkable
class Noted(Protocol):
    """An adapter of notes: what it reads of a file can be told of any version of it."""

    @property
    def shape(self) -> NoteShape:
        """What of a directory it reads."""


class MemoryDirectory:
    """Reads a directory of memory files, or one Markdown file of notes."""

    kind = "memory-dir"
    shape = NoteShape()

    def accepts(self, head: Head) -> bool:
        """A directory with an index or with Markdown files that begin with frontmatter; a file named as an index."""
        if head.is_dir:
            return INDEX_NAME in head.names or (
                head.path.name in contract.MEMORY_NAMES and (any(name.endswith(".md") for name in head.names) or any(
                    head.path.glob(contract.NOTES_IN_A_FOLDER))))
        return head.path.name == INDEX_NAME or (
            head.path.suffix == ".md" and head.start.startswith(b"---\n") and b"\nname:" in head.start
            and b"\ndescription:" in head.start)

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the files that changed since the cursor; `end` of an event is an offset in its own file."""
        return read_notes(path, cursor, budget_bytes=budget_bytes, shape=self.shape)


def read_version(files: Mapping[str, bytes], shape: NoteShape, *, alone: str = "") -> dict[str, tuple[Event, ...]]:
    """What each file of one version says; the only file of a source that is a file has no name, and is called `alone`."""
    names = sorted(name for name in files if not name or _is_note(Path(name)) and shape.wanted(name))[:_MOST_FILES]
    found = {}
    for name in names:
        sink = Sink()
        _NoteFile(name or alone, None, siblings=frozenset(names), select=shape.select).read(files[name], sink)
        found[name] = tuple(sink.events)
    return found


def read_notes(path: Path, cursor: Cursor, *, budget_bytes: int, shape: NoteShape) -> Reading:
    """Read a directory of notes, or a single note file."""
    carried = parse_record(cursor.carry) or {}
    # What was read before there was an account of all lines is read once more.
    known = {name: str(sha) for name, sha in record_at(carried, "files").items()} if carried.get("told") else {}
    sink = Sink()
    names = [name for name in _names(path, sink) if not name or shape.wanted(name)]
    # What lies in a folder that cannot be listed is not gone.
    unlisted = known.keys() - set(names) if sink.skips else set()
    shas: dict[str, str] = {name: known[name] for name in sorted(unlisted)}
    standing: dict[str, tuple[str, ...] | None] = dict.fromkeys([*names, *sorted(unlisted)])
    spent = size = lines = 0
    complete = False
    for name in names:
        if spent >= budget_bytes:
            shas.update({later: known[later] for later in names if later not in shas and later in known})
            break
        try:
            body, changed_at = _load(path / name if name else path)
        except Unopened as error:
            sink.skips.append(Skip(error.reason, 0, 0, name or path.name))
            shas.update({name: known[name]} if name in known else {})
            continue
        size += len(body)
        sha = hashlib.sha256(body).hexdigest()[:_HASH_DIGITS]
        if name in known and known[name] != sha and _is_spoilt(body):
            sink.skips.append(Skip(contract.SPOILT, 0, len(body), name or path.name))
            shas[name] = known[name]
            continue
        shas[name] = sha
        if known.get(name) != sha:
            spent += len(body)
            lines += body.count(b"\n") + (not body.endswith(b"\n"))
            there = len(sink.events)
            try:
                _NoteFile(name or path.name, changed_at, siblings=frozenset(names), select=shape.select).read(body, sink)
                standing[name] = uids_of(sink.events[there:])
            except Exception as error:  # one file nobody foresaw does not keep the others of its directory from being read
                if concerns_all(error):
                    raise
                del sink.events[there:]
                sink.skips.append(Skip(contract.FAILED, 0, len(body), name or path.name))
    else:
        complete = True
    carry = json.dumps({"files": shas, "told": 1}, separators=(",", ":"))
    after = Cursor(len(shas), size, carry=carry)
    return Reading(tuple(sink.events), after, tuple(sink.skips), lines, 0, complete, standing)


def _is_spoilt(body: bytes) -> bool:
    """Whether a file holds nothing any more, all of it twice, or what no editor leaves behind."""
    half = len(body) // 2
    return not body.strip() or body[:half] == body[half:] or b"\0" in body or body.startswith((b"\xff\xfe", b"\xfe\xff"))


def _names(path: Path, sink: Sink) -> list[str]:
    """The Markdown files below a directory, index first, in a stable order; one empty name for a file."""
    if not path.is_dir():
        return [""]

    def unreadable(error: OSError) -> None:
        place = Path(error.filename or path)
        name = str(place.relative_to(path)) if place.is_relative_to(path) else place.name
        sink.skips.append(Skip(contract.UNREADABLE, 0, 0, name))

    found: list[str] = []
    for folder, folders, files in os.walk(path, onerror=unreadable):
        here = Path(folder).relative_to(path)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and len(here.parts) < _DEEPEST)
        found += [str(here / name) for name in files if _is_note(here / name)]
        if len(found) > _MOST_FILES:
            sink.skips.append(Skip(contract.OVERSIZED, _MOST_FILES, len(found), str(here)))
            break
    return sorted(found, key=lambda name: (name != INDEX_NAME, name))[:_MOST_FILES]


def _is_note(name: Path) -> bool:
    """Whether a file below a directory may hold notes, by its name."""
    return name.suffix == ".md" and name.name != SKILL_NAME and len(name.parts) <= _DEEPEST + 1 and not any(
        part.startswith(".") for part in name.parts)


def _load(path: Path) -> tuple[bytes, datetime | None]:
    with open_source(path) as handle:
        try:
            body = handle.read(contract.LARGEST_NOTE_FILE_BYTES + 1)
            changed_at = moment(os.fstat(handle.fileno()).st_mtime)
        except OSError:
            raise Unopened(contract.UNREADABLE) from None
    if len(body) > contract.LARGEST_NOTE_FILE_BYTES:
        raise Unopened(contract.OVERSIZED)
    return body, changed_at


class _NoteFile:
    """One Markdown file of notes."""

    def __init__(self, name: str, changed_at: datetime | None, *, siblings: frozenset[str],
                 select: Callable[[], Selection] | None = None) -> None:
        self._name = name
        self._selection = select() if select else None
        self._changed_at = changed_at
        self._siblings = {sibling.removesuffix(".md") for sibling in siblings if sibling}

    def read(self, body: bytes, sink: Sink) -> None:
        """One event for a topic file; one for each statement of an index or of a file without frontmatter."""
        sink.file = self._name
        sink.begin(0, len(body))
        if bears_mark(body[:WITHIN_BYTES]):
            sink.skip(contract.OWN_WRITING)
            sink.close()
            return
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            text = body.decode("utf-8", "surrogateescape")  # keeps offsets right; the sink cleans what it is given
            sink.skip(contract.REPLACED_BYTES)
        front, rest = split_front(text.removeprefix("\ufeff"))
        told = front.name or front.type_hint or front.description
        if Path(self._name).name != INDEX_NAME and told and self._selection is None:
            self._topic(front, rest, sink=sink)
        else:
            self._statements(front, rest, sink=sink, skipped=len(body) - len(rest.encode("utf-8", "surrogateescape")))
        sink.close()

    def _event(self, front: Front, *, text: str, title: str, managed: bool) -> Event:
        return Event(
            Speaker.INJECTED if managed else Speaker.AGENT, EventKind.NOTE, text, front.modified_at or self._changed_at,
            front.conversation, 0, 0, uid="note:" + content_id(self._name, text), title=title,
            type_hint=front.type_hint)

    def _topic(self, front: Front, rest: str, *, sink: Sink) -> None:
        text = standing_words(rest).strip() or front.description
        sink.add(self._event(front, text=text, title=front.description or front.name, managed=MANAGED_MARK in rest))

    def _statements(self, front: Front, rest: str, *, sink: Sink, skipped: int) -> None:
        characters, at = 0, skipped
        for piece in pieces_of(rest):
            start = at + len(rest[characters:piece.start].encode("utf-8", "surrogateescape"))
            at = start + len(rest[piece.start:piece.end].encode("utf-8", "surrogateescape"))
            characters = piece.end
            sink.begin(start, at)
            if self._is_pointer(piece):
                sink.skip(contract.POINTER)
            else:
                chosen = self._selection.take(piece) if self._selection else (piece.text, "")
                text = standing_words(without_links(chosen[0])).strip() if chosen else ""
                cwd = chosen[1] if chosen else ""
                sink.add(replace(self._event(front, text=text, title=piece.heading, managed=piece.managed), cwd=cwd))
            sink.close()

    def _is_pointer(self, piece: Piece) -> bool:
        """Whether a line only says which file holds the memory; the file is read by itself."""
        opening = piece.text.lstrip("*_ ")
        if not opening.startswith(("[", "`", "Memory:")) and ": [" not in opening[:80]:
            return False
        quoted = opening[1:].partition("`")[0] if opening.startswith("`") else ""
        for target in (*piece.links, quoted):
            place = target.partition("#")[0].removeprefix("./")
            beside = str(Path(self._name).parent / place)  # a link leads on from the file it stands in
            if {place.removesuffix(".md"), beside.removesuffix(".md")} & self._siblings and (
                    place.endswith(".md") or f"[[{target}" in piece.text):
                return True
        return False
