"""The little markdown of the manual, for a terminal and as a man page: headings, paragraphs, lists, tables and code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dreamd.cli.printing import render

HEADING, CODE, TABLE, ITEM, PARAGRAPH = "heading", "code", "table", "item", "paragraph"
_ITEM = re.compile(r"(?:[-*]|\d+\.) ")
_RULE = re.compile(r"[|\s:-]+")
INDENT = "  "


class Block(NamedTuple):
    """A heading (its depth in `mark`), an item (its bullet in `mark`), a paragraph, a table or lines of code."""

    kind: str
    lines: tuple[str, ...]
    mark: str = ""

    @property
    def text(self) -> str:
        """All of it in one line."""
        return " ".join(line.strip() for line in self.lines)


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text in order."""
    lines = [line for line in text.splitlines() if not line.startswith("<!--")]
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("```"):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith("```")), len(lines))
            yield Block(CODE, tuple(lines[at + 1:end]))
            at = end + 1
        elif line.startswith("#"):
            yield Block(HEADING, (line.lstrip("# "),), line.partition(" ")[0])
            at += 1
        elif line.startswith("|"):
            end = _until(lines, at, lambda one: not one.startswith("|"))
            yield Block(TABLE, tuple(one for one in lines[at:end] if not _RULE.fullmatch(one)))
            at = end
        elif line.strip():
            found = _ITEM.match(line)
            end = _until(lines, at + 1, lambda one: not one.strip() or _begins(one))
            first = line[found.end():] if found else line
            yield Block(ITEM if found else PARAGRAPH, (first, *lines[at + 1:end]), found[0].strip() if found else "")
            at = end
        else:
            at += 1


def _until(lines: list[str], at: int, ends: Callable[[str], bool]) -> int:
    return next((n for n in range(at, len(lines)) if ends(lines[n])), len(lines))


def _begins(line: str) -> bool:
    return line.startswith(("```", "#", "|")) or _ITEM.match(line) is not None


def cells(row: str) -> list[str]:
    """The cells of a row of a table; a bar behind a backslash parts none."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def in_terminal(text: str, *, width: int, colour: bool) -> str:
    """A text for people at a terminal."""
    told: list[str] = []
    before = ""
    for block in blocks(text):
        if told and not (block.kind == before == ITEM):
            told.append("")
        before = block.kind
        if block.kind == HEADING:
            told.append(render.paint(block.text, "bold", colour=colour))
        elif block.kind == CODE:
            told += [INDENT + line for line in block.lines]
        elif block.kind == TABLE:
            told += _table(block, width)
        else:
            told.append(render.wrap(block.text, width, f"{INDENT}{block.mark} " if block.mark else ""))
    return "\n".join(told)


def _table(block: Block, width: int) -> list[str]:
    """A table whose last column is broken to fit."""
    rows = [cells(line) for line in block.lines]
    if sum(max(map(len, column)) for column in list(zip(*rows, strict=False))[:-1]) > width * 0.6:
        return [render.wrap(": ".join(filter(None, row)), width, INDENT) for row in rows]
    told = []
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]) - 1)]
    for row in rows:
        lead = INDENT + "".join(f"{cell:<{widths[n] + 2}}" for n, cell in enumerate(row[:-1]))
        told.append(lead + render.wrap(row[-1], max(20, width - len(lead)), "").replace("\n", "\n" + " " * len(lead)))
    return told


def as_man(text: str, *, name: str, section: int, version: str) -> str:
    """A text as a man page."""
    found = list(blocks(text))
    title = next((one.text for one in found if one.kind == HEADING), name)
    told = [f'.TH {name.upper()} {section} "" "dream {version}"', ".SH NAME", f"{name} \\- {_roff(title)}", ".SH DESCRIPTION"]
    for block in found:
        if block.kind == HEADING:
            told += [f".SH {_roff(block.text).upper()}"] if block.text != title else []
        elif block.kind in (CODE, TABLE):
            told += [".PP", ".RS 4", ".nf", *map(_roff, block.lines), ".fi", ".RE"]
        elif block.kind == ITEM:
            told += [f'.IP "{_roff(block.mark)}" 4', _roff(block.text)]
        else:
            told += [".PP", _roff(block.text)]
    return "\n".join(told) + "\n"


def _roff(line: str) -> str:
    plain = line.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
