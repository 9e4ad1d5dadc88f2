"""Reading a whole memory directory back: topics, index lines, and whatever else people put between them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dreamd.notes.frontmatter import read_frontmatter
from dreamd.notes.index import END, INDEX_FILE, is_more_file
from dreamd.notes.safe_text import comment_spans, one_line, read_line
from dreamd.notes.topic import TopicText, read_topic, unix_lines

_POINTER = re.compile(
    r"^[ \t]*[-*+][ \t]+\[(?P<title>(?:\\.|[^\]\\])*)\]\((?:<(?P<angle>[^>]*)>|(?P<plain>[^)\s]*))\)(?P<rest>.*)$"
)
_SEPARATOR = re.compile(r"^\s*(?:—|–|--?|:)\s*")
_NOTES = re.compile(r"\((?P<day>\d{4}-\d\d-\d\d)(?P<more>(?:, [^()]*)?)\)")
_TTL = re.compile(r"TTL: (\d{4}-\d\d-\d\d)")
_BULLET = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_HEADING = re.compile(r"^[ \t]{0,3}(#{1,6})[ \t](.*)$")
_RULE = re.compile(r"^[-*_=|: \t]{3,}$")
_OWN_LINE = re.compile(rf"^\d+ more memor(?:y is|ies are) in \[|^{re.escape(END)}\s*$")


@dataclass(frozen=True)
class IndexLine:
    """One line of an index that says something: a pointer to a topic, or a statement of its own (no `target`)."""

    file: str
    section: str
    title: str
    target: str
    hook: str
    ttl: str | None
    raw: str

    @property
    def recent(self) -> bool:
        """Whether it only repeats what stands above: dreams of before ended an index so."""
        return self.section == "Recent" and bool(self.target)


@dataclass(frozen=True)
class DirectoryText:
    """What a directory says: topic files by name, the index in its parts, and names of files that are no notes."""

    topics: Mapping[str, TopicText]
    lines: tuple[IndexLine, ...]
    headings: tuple[str, ...]
    comments: tuple[str, ...]
    other_files: tuple[str, ...]
    has_index: bool
    """False when the index is missing or says nothing at all."""


def read_directory(files: Mapping[str, str], *, known: Mapping[str, TopicText] | None = None) -> DirectoryText:
    """Read a directory given as names and texts; whatever the texts hold, reading never fails.

    `known` are topic files already read from the very same bytes, to save the work.
    """
    topics: dict[str, TopicText] = {}
    lines: list[IndexLine] = []
    headings: list[str] = []
    comments: list[str] = []
    others: list[str] = []
    for name in sorted(files):
        if is_index(name):
            found, heads = read_index(name, files[name])
            lines += found
            headings += heads
            text = unix_lines(files[name])
            comments += [text[start:end] for start, end in comment_spans(text)]
        elif name.lower().endswith(".md") and "/" not in name and not name.startswith("."):
            topics[name] = (known or {}).get(name) or read_topic(name, files[name])
        else:
            others.append(name)
    indexed = any(name.lower() == INDEX_FILE.lower() and text.strip("\ufeff \r\n\t") for name, text in files.items())
    return DirectoryText(topics, tuple(lines), tuple(headings), tuple(comments), tuple(others), indexed)


def is_index(name: str) -> bool:
    """Whether a file is the index or its overflow."""
    return name.lower() == INDEX_FILE.lower() or is_more_file(name)


def read_index(file: str, text: str) -> tuple[list[IndexLine], list[str]]:
    """The lines and headings of an index; continuation lines join the line they belong to."""
    plain = unix_lines(text)
    body = plain[read_frontmatter(plain).body_start :]
    for start, end in reversed(comment_spans(body)):
        body = body[:start] + "\n" * body.count("\n", start, end) + body[end:]
    raws = body.split("\n")
    headings: list[str] = []
    found: list[tuple[str, list[str]]] = []
    section, open_line = "", False
    for number, raw in enumerate(raws, start=1):
        heading = _HEADING.match(raw)
        if heading:
            section, open_line = heading.group(2).strip().rstrip("#").rstrip(), False
            headings.append(section)
        elif not raw.strip() or _RULE.match(raw) or _OWN_LINE.match(raw) or _is_table_head(raws, number):
            open_line = False
        elif open_line and not _BULLET.match(raw) and not _is_row(raw):
            found[-1][1].append(raw.strip())
        else:
            found.append((section, [raw.rstrip()]))
            open_line = True
    return [_index_line(file, name, " ".join(parts)) for name, parts in found], headings


def _index_line(file: str, section: str, raw: str) -> IndexLine:
    pointer = _POINTER.match(raw)
    if pointer is None:
        plain = " — ".join(c.strip() for c in raw.strip().strip("|").split("|")) if _is_row(raw) else raw
        hook, ttl = _hook(_BULLET.sub("", plain, count=1))
        return IndexLine(file, section, "", "", hook, ttl, raw)
    target = pointer["angle"] if pointer["angle"] is not None else pointer["plain"]
    hook, ttl = _hook(_SEPARATOR.sub("", pointer["rest"], count=1))
    title = one_line(read_line(pointer["title"]))
    return IndexLine(file, section, title, target.removeprefix("./"), hook, ttl, raw)


def _is_row(raw: str) -> bool:
    return raw.lstrip().startswith("|")


def _is_table_head(raws: list[str], number: int) -> bool:
    """Whether line `number` (from 1) is a table row with the dashes below it."""
    below = raws[number] if number < len(raws) else ""
    return _is_row(raws[number - 1]) and _is_row(below) and _RULE.match(below) is not None


def _hook(text: str) -> tuple[str, str | None]:
    text = text.rstrip()
    notes = _NOTES.fullmatch(text, max(text.rfind("("), 0))
    ttl = _TTL.search(notes["more"]) if notes else None
    return one_line(read_line(text[: notes.start()] if notes else text)), ttl.group(1) if ttl else None
