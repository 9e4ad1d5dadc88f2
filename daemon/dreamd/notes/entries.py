"""A foreign directory as a row of pieces: every character of every file lies in exactly one of them.

What holds a claim is an entry or a pointer; the rest (headings, blank lines, frontmatter, comments, separators) is
kept as it stands. Offsets count characters of the text, which the caller decodes so that it can be encoded back
byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from dreamd.core.plain_words.rule_parts import REASON
from dreamd.core.values import content_id
from dreamd.notes.dialects import Dialect, is_editable, is_whole_file_entry
from dreamd.notes.frontmatter import Frontmatter, read_frontmatter
from dreamd.notes.safe_text import one_line


class EntryKind(StrEnum):
    """What one piece of a file is."""

    ENTRY = "entry"
    POINTER = "pointer"
    HEADING = "heading"
    OTHER = "other"


@dataclass(frozen=True)
class Entry:
    """One piece of one file. `text` lies between `core_start` and `core_end`; markup around it belongs to the piece."""

    id: str
    file: str
    start: int
    end: int
    core_start: int
    core_end: int
    kind: EntryKind
    text: str
    section: str = ""
    title: str = ""
    target: str = ""
    """File a pointer leads to, as written."""
    type: str = ""
    description: str = ""
    marks: str = ""
    """What follows the words: comments, `[Task N]`, line ends."""
    dated: str = ""
    """The latest day named in it, `YYYY-MM-DD`."""
    whole_file: bool = False
    editable: bool = True

    @property
    def span(self) -> tuple[int, int]:
        """Where the piece stands in its file."""
        return self.start, self.end

    @property
    def claims(self) -> bool:
        """Whether it says something that must not be lost."""
        return self.kind in (EntryKind.ENTRY, EntryKind.POINTER)

    @property
    def ttl(self) -> str:
        """The day after which it no longer holds; empty when it names none, or more than one."""
        found = set(_TTL.findall(self.text))
        return found.pop() if len(found) == 1 else ""


_TTL = re.compile(r"\bTTL: (\d{4}-\d\d-\d\d)\b")
_DAY = re.compile(r"(?<!\d)(\d{4})[-_](\d\d)[-_](\d\d)(?!\d)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t](.*)$")
_BULLET = re.compile(r"[ \t]{0,3}(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_RULE = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$")
_TABLE_RULE = re.compile(r"[ \t]*\|[-:| \t]+\|?[ \t]*$")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_LINK = re.compile(
    r"\[(?P<title>(?:\\.|[^\]\\])*)\]\((?:<(?P<angle>[^>\n]*)>|(?P<plain>[^)\s]*))\)(?:[ \t]*(?:—|–|--?|:)[ \t]*)?"
)
_TASK = re.compile(r"\[Task \d{1,6}\]\Z")
_ATTACHED = re.compile(r"[ \t]*<!--\s*(?:trigger|importance)\s*:")
_LONGEST_COMMENT = 20_000
_CODEX_RECORDS = ("rollout_summary_files", "keywords")


def read_entries(files: Mapping[str, str], dialect: Dialect) -> list[Entry]:
    """Cut every file into its pieces, files in order of name; reading never fails."""
    found: list[Entry] = []
    for name in sorted(files):
        text = files[name]
        if not name.lower().endswith(".md"):
            pieces = [_piece(name, text, (0, len(text)))] if text else []
        elif is_whole_file_entry(name, dialect):
            pieces = list(_topic(name, text))
        elif dialect is Dialect.HERMES and is_editable(name, dialect):
            pieces = list(_sign_separated(name, text))
        else:
            pieces = list(_blocks(name, text, dialect))
        found += _identified(pieces, is_editable(name, dialect))
    return found


def _piece(file: str, text: str, span: tuple[int, int], kind: EntryKind = EntryKind.OTHER) -> Entry:
    start, end = span
    return Entry("", file, start, end, start, end, kind, text[start:end])


def _identified(pieces: list[Entry], editable: bool) -> Iterator[Entry]:
    seen: dict[tuple[str, str], int] = {}
    for piece in pieces:
        if not piece.claims:
            yield replace(piece, id=f"{piece.file}:{piece.start}", editable=editable and piece.editable)
            continue
        key = (piece.section, one_line(piece.text))
        seen[key] = seen.get(key, 0) + 1
        ident = content_id(piece.file, piece.kind, *key, piece.target, str(seen[key]))
        dated = piece.dated or _latest_day(f"{piece.title} {piece.text}")
        yield replace(piece, id=ident, dated=dated, editable=editable and piece.editable)


def _latest_day(text: str) -> str:
    return max(("-".join(parts) for parts in _DAY.findall(text) if "01" <= parts[1] <= "12"), default="")


def _topic(file: str, text: str) -> Iterator[Entry]:
    """A topic file: head, then the body as one entry, with blank edges kept apart."""
    front = read_frontmatter(text)
    body = text[front.body_start :]
    start = front.body_start + len(body) - len(body.lstrip())
    end = len(text) - (len(body) - len(body.rstrip())) if body.strip() else start
    if start:
        yield _piece(file, text, (0, start))
    if start < end:
        yield replace(
            _piece(file, text, (start, end), EntryKind.ENTRY),
            title=front.first("name") or file[:-3],
            type=front.type,
            description=front.first("description"),
            dated=_topic_day(file, front, text[start:end]),
            whole_file=True,
        )
    if end < len(text) and start < end:
        yield _piece(file, text, (end, len(text)))


def _topic_day(file: str, front: Frontmatter, body: str) -> str:
    stamped = _latest_day(front.first("metadata.modified", "modified", "updated", "date"))
    return stamped or _latest_day(file) or _latest_day(body)


def _sign_separated(file: str, text: str) -> Iterator[Entry]:
    at = 0
    for found in re.finditer(r"(?m)^§[ \t]*\r?(?:\n|\Z)", text):
        yield from _edged(file, text, (at, found.start()))
        yield _piece(file, text, found.span())
        at = found.end()
    yield from _edged(file, text, (at, len(text)))


def _edged(file: str, text: str, span: tuple[int, int]) -> Iterator[Entry]:
    """One entry with the white space around it in the piece, or nothing but white space."""
    start, end = span
    chunk = text[start:end]
    if not chunk.strip():
        if chunk:
            yield _piece(file, text, span)
        return
    inner = (start + len(chunk) - len(chunk.lstrip()), start + len(chunk.rstrip()))
    yield replace(_piece(file, text, span, EntryKind.ENTRY), core_start=inner[0], core_end=inner[1], text=text[slice(*inner)])


class _Lines:
    """The lines of a text with their offsets, and a place among them."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.starts = [m.start() for m in _LINE.finditer(text, start) if m.end() > m.start()]
        self.last_close = text.rfind("-->")
        self.at = 0

    def line(self, ahead: int = 0) -> str | None:
        """The line some places ahead, without its end; None behind the last."""
        number = self.at + ahead
        if number >= len(self.starts):
            return None
        return self.text[self.starts[number] : self.offset(ahead + 1)].rstrip("\r\n")

    def offset(self, ahead: int = 0) -> int:
        """Where the line some places ahead starts."""
        number = self.at + ahead
        return self.starts[number] if number < len(self.starts) else len(self.text)


def _blocks(file: str, text: str, dialect: Dialect) -> Iterator[Entry]:
    """A file of headings, bullets, tables and paragraphs."""
    start = read_frontmatter(text).body_start
    if start:
        yield _piece(file, text, (0, start))
    lines = _Lines(text, start)
    path: list[tuple[int, str]] = []
    while (line := lines.line()) is not None:
        kind, count = _next_block(lines, line, dialect)
        span = (lines.offset(), lines.offset(count))
        lines.at += count
        heading = _HEADING.match(line) if kind is EntryKind.HEADING else None
        if heading:
            name = heading[2].strip().rstrip("#").rstrip()
            path = [p for p in path if p[0] < len(heading[1])] + [(len(heading[1]), name)]
        section = " / ".join(step[1] for step in path)
        record = dialect is Dialect.CODEX and bool(path) and path[-1][1] in _CODEX_RECORDS
        piece = Entry("", file, *span, *span, kind, text[slice(*span)], section=section, editable=not record)
        yield _with_core(piece, text) if kind is EntryKind.ENTRY else piece


def _next_block(lines: _Lines, line: str, dialect: Dialect) -> tuple[EntryKind, int]:
    """The kind of the block that starts here and how many lines it has."""
    if not line.strip():
        return EntryKind.OTHER, _blank_run(lines, 0)
    if _HEADING.match(line):
        return EntryKind.HEADING, 1
    if fence := _FENCE.match(line):
        return EntryKind.ENTRY, _fence_length(lines, fence[1])
    if line.lstrip().startswith("<!--"):
        return EntryKind.OTHER, _comment_length(lines)
    if _is_table_head(lines):
        return EntryKind.OTHER, 2
    if line.lstrip().startswith("|"):
        return EntryKind.ENTRY, 1
    if _RULE.match(line) or (dialect is Dialect.CODEX and line.strip() == "v1" and lines.at == 0):
        return EntryKind.OTHER, 1
    return EntryKind.ENTRY, _entry_length(lines)


def _entry_length(lines: _Lines) -> int:
    """Lines of a bullet or paragraph: continuation, nested bullets, its own marks, the reason that follows it."""
    count = 1
    while (line := lines.line(count)) is not None:
        blank = _blank_run(lines, count)
        after = lines.line(count + blank) or ""
        if blank:
            if not _belongs_after_blank(after):
                break
            count += blank
        elif _ATTACHED.match(line) or line[:1] in (" ", "\t"):
            pass
        elif _starts_block(line) or line.startswith("|"):
            break
        count += 1
    return count


def _blank_run(lines: _Lines, ahead: int) -> int:
    count = 0
    while (line := lines.line(ahead + count)) is not None and not line.strip():
        count += 1
    return count


def _belongs_after_blank(line: str) -> bool:
    return bool(REASON.match(line)) or (line[:2] in ("  ", "\t") or line[:1] == "\t") and bool(line.strip())


def _starts_block(line: str) -> bool:
    return line.startswith("<!--") or any(x.match(line) for x in (_HEADING, _BULLET, _FENCE, _RULE))


def _fence_length(lines: _Lines, fence: str) -> int:
    count = 1
    while (line := lines.line(count)) is not None:
        count += 1
        if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            break
    return count


def _comment_length(lines: _Lines) -> int:
    if lines.offset() > lines.last_close:
        return 1
    closed = lines.text.find("-->", lines.offset(), lines.offset() + _LONGEST_COMMENT)
    count = 1
    while closed >= lines.offset(count) and count < len(lines.starts):
        count += 1
    return count


def _is_table_head(lines: _Lines) -> bool:
    line, below = lines.line(), lines.line(1)
    return bool(line and line.lstrip().startswith("|") and below and _TABLE_RULE.match(below))


def _with_core(piece: Entry, text: str) -> Entry:
    """Tell the words of an entry from the markup around them, and a pointer from a statement."""
    bullet = _BULLET.match(text, piece.start)
    start = bullet.end() if bullet else piece.start
    end = start + _words_end(text[start : piece.end])
    link = _LINK.match(text, start, end)
    if link is not None and bullet:
        target = link["angle"] if link["angle"] is not None else link["plain"]
        return replace(
            piece, core_start=link.end(), core_end=end, text=text[link.end() : end], kind=EntryKind.POINTER,
            title=link["title"], target=target, marks=text[end : piece.end],
        )
    return replace(piece, core_start=start, core_end=end, text=text[start:end], marks=text[end : piece.end])


def _words_end(chunk: str) -> int:
    """Where the words of an entry end: before line ends, comments and `[Task N]` at its end."""
    rest = chunk.rstrip()
    while True:
        if rest.endswith("-->") and (at := rest.rfind("<!--")) > 0:
            rest = rest[:at].rstrip()
        elif task := _TASK.search(rest, max(0, len(rest) - 15)):
            rest = rest[: task.start()].rstrip()
        else:
            return len(rest)
