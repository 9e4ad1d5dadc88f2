"""Memory files as agents and people leave them: frontmatter in two dialects, indexes, tables, plain notes.

This reads only; it is deliberately small and forgiving, because a file that a person edits by hand is rarely quite
what a program would have written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from dreamd.core.values import MemoryType
from dreamd.sources.base.tolerant import moment

_KEY = re.compile(r"[ \t]{0,8}([A-Za-z_][\w.-]{0,60})[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_BULLET = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+(.*)$")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)$")
_TABLE_RULE = re.compile(r"\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t:|-]*)?$")
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\(<?([^()<>\n]{1,400})>?\)")
_WIKI_LINK = re.compile(r"\[\[([^\[\]\n|]{1,200})(?:\|[^\[\]\n]{1,200})?\]\]")
_STRUCK = re.compile(r"```[\s\S]*?(?:```|\Z)|`[^`\n]*`"
                     r"|(?<![~\\])~~(?=[^\s~])(?:(?!~~)(?:[^\n]|\n(?![ \t]*\n)))*(?<=[^\s~\\])~~(?!~)")
"""What Markdown strikes through; code is matched first, for in it the sign is a letter like any other."""
_LARGEST_FRONTMATTER = 16_000
_LARGEST_NUMBER = 10**18
_TYPES = frozenset(kind.value for kind in MemoryType)
MANAGED_MARK = "<!-- dream"
_MANAGED_OPEN = re.compile(r"<!--\s*(?:dream:(?:begin|start)\b|openclaw:[\w:-]{1,80}:start\b)", re.IGNORECASE)
_MANAGED_CLOSE = re.compile(r"<!--\s*(?:/dream\b|dream:end\b|openclaw:[\w:-]{1,80}:end\b)", re.IGNORECASE)


@dataclass(frozen=True)
class Front:
    """What a topic file's frontmatter says that a reader can use."""

    name: str = ""
    description: str = ""
    type_hint: str = ""
    conversation: str = ""
    modified_at: datetime | None = None


@dataclass(frozen=True)
class Piece:
    """One statement of an index: a bullet with what belongs to it, a table row or a paragraph.

    `links` are the targets it points to; `start` and `end` are offsets in characters of the text given.
    """

    text: str
    heading: str
    start: int
    end: int
    links: tuple[str, ...] = ()
    managed: bool = False


def split_front(text: str) -> tuple[Front, str]:
    """Frontmatter and body; files without frontmatter, or with a broken one, are all body."""
    if not text.startswith(("---\n", "---\r\n")):
        return Front(), text
    end = re.compile(r"^---[ \t]*\r?$", re.MULTILINE).search(text, 4, 4 + _LARGEST_FRONTMATTER)
    if end is None:
        return Front(), text
    return _front(_values(text[4:end.start()])), text[end.end():]


def _values(block: str) -> dict[str, str]:
    """All scalar values, nested ones under their own key: `metadata.type` and a flat `type` read the same."""
    import yaml

    try:
        parsed = yaml.safe_load(block)
    except (yaml.YAMLError, ValueError, RecursionError):
        parsed = None
    found: dict[str, str] = {}
    if isinstance(parsed, dict):
        for key, value in parsed.items():
            nested = value.items() if isinstance(value, dict) else [(key, value)]
            found.update({str(name): _scalar(inner) for name, inner in nested if str(name) not in found})
        return found
    for line in block.splitlines():
        matched = _KEY.match(line)
        if matched and matched.group(2):
            found.setdefault(matched.group(1), matched.group(2).strip().strip("\"'"))
    return found


def _scalar(value: object) -> str:
    """A value as text; lists are left out, for aliases can make a small file unfold into a giant one."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < _LARGEST_NUMBER):
        return str(value)
    return value if isinstance(value, str) else ""


def _front(values: dict[str, str]) -> Front:
    hint = values.get("type", "").strip().lower()
    return Front(
        name=values.get("name", "") or values.get("title", ""),
        description=values.get("description", ""),
        type_hint=hint if hint in _TYPES else "",
        conversation=values.get("originSessionId", "") or values.get("origin_session_id", ""),
        modified_at=moment(values.get("modified") or values.get("updated") or values.get("updated_at") or ""))


def pieces_of(text: str) -> Iterator[Piece]:
    """The statements of an index or of a plain note file, in file order."""
    return _Walk(text).pieces()


def link_targets(text: str) -> tuple[str, ...]:
    """Where the Markdown and wiki links of a statement point."""
    return (*(target for _, target in _LINK.findall(text)), *_WIKI_LINK.findall(text))


def standing_words(text: str) -> str:
    """Text without what its writer took back: what is struck through, and what an HTML comment hides."""
    kept = _without_comments(text)
    return _STRUCK.sub(lambda found: found[0] if found[0][0] == "`" else "", kept) if "~~" in kept else kept


def _without_comments(text: str) -> str:
    """Text without its HTML comments; one that never ends is taken for text."""
    kept: list[str] = []
    position = 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[position:start])
        position = end + 3
    kept.append(text[position:])
    return "".join(kept)


def without_links(text: str) -> str:
    """Markdown links replaced by their words."""
    return _LINK.sub(r"\1", text) if "](" in text else text


class _Walk:
    """Goes through an index line by line and gathers what belongs together."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._heading = ""
        self._gathered: list[str] = []
        self._start = 0
        self._end = 0
        self._kind = ""
        self._indent = 0
        self._columns: list[str] = []
        self._managed = False
        self._fenced = False

    def pieces(self) -> Iterator[Piece]:
        """The statements in order."""
        position = 0
        comment = False
        for line in self._text.splitlines(keepends=True):
            start, position = position, position + len(line)
            body = line.rstrip()
            opens = body.lstrip().startswith("<!--") and not self._fenced and (
                body.endswith("-->") or "-->" not in body)
            if comment or opens:
                yield from self._flush()
                self._note_marks(body)
                comment = "-->" not in body
                continue
            yield from self._line(body, start=start, end=position)
        yield from self._flush()

    def _note_marks(self, body: str) -> None:
        if _MANAGED_OPEN.search(body):
            self._managed = True
        elif _MANAGED_CLOSE.search(body):
            self._managed = False

    def _line(self, body: str, *, start: int, end: int) -> Iterator[Piece]:
        stripped = body.strip()
        if stripped.startswith(("```", "~~~")):
            if not self._fenced and not (self._gathered and self._gathered[-1].endswith(":")):
                yield from self._flush()
            self._fenced = not self._fenced
            self._gather(body, start=start, end=end, kind=self._kind or "paragraph")
            if not self._fenced and self._kind == "paragraph":
                yield from self._flush()
            return
        if self._fenced:
            self._gather(body, start=start, end=end, kind=self._kind)
            return
        heading, bullet = _HEADING.match(stripped), _BULLET.match(body)
        if not stripped or heading or stripped in ("---", "***", "___"):
            if self._kind != "bullet" or stripped:
                yield from self._flush()
            if heading:
                self._heading = heading.group(2).rstrip("# \t") if len(heading.group(1)) > 1 else ""
        elif stripped.startswith("|"):
            yield from self._row(stripped, start=start, end=end)
        elif bullet and (self._kind != "bullet" or len(bullet.group(1).expandtabs()) <= self._indent):
            yield from self._flush()
            self._indent = len(bullet.group(1).expandtabs())
            self._gather(bullet.group(2), start=start, end=end, kind="bullet")
        elif bullet or (self._kind == "bullet" and body[:1] in " \t"):
            self._gather(f"- {bullet.group(2)}" if bullet else stripped, start=start, end=end, kind="bullet")
        else:
            if self._kind == "bullet" and self._text[self._end:start].strip("\r\n") == "" and self._end < start:
                yield from self._flush()  # a paragraph after a blank line, not a lazy continuation
            self._gather(stripped, start=start, end=end, kind=self._kind or "paragraph")

    def _row(self, stripped: str, *, start: int, end: int) -> Iterator[Piece]:
        cells = [cell.strip() for cell in stripped.strip("|").split("|")]
        if self._kind != "table":
            yield from self._flush()
            self._kind, self._columns = "table", cells
        elif not _TABLE_RULE.match(stripped):
            named = [f"{name}: {cell}" if name else cell
                     for name, cell in zip(self._columns + [""] * len(cells), cells, strict=False) if cell]
            if named:
                yield self._piece("; ".join(named), start=start, end=end)

    def _gather(self, text: str, *, start: int, end: int, kind: str) -> None:
        if not self._gathered:
            self._start = start
        self._kind, self._end = kind, end
        self._gathered.append(text)

    def _flush(self) -> Iterator[Piece]:
        text = "\n".join(self._gathered).strip()
        if text.strip("`~ \n"):
            yield self._piece(text, start=self._start, end=self._end)
        self._gathered, self._kind, self._columns = [], "", []

    def _piece(self, text: str, *, start: int, end: int) -> Piece:
        return Piece(text, self._heading, start, end, link_targets(text), self._managed or MANAGED_MARK in text)
