"""Cutting a document into passages: at its headings, and where a section is long, into windows that overlap.

The measure is the word pieces of the model that reads the passages, so that none is longer than it can take in. Nothing
here depends on anything but the text: the same file gives the same passages to the byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dreamd.store.library.chunks import Piece

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LONGEST = 240
"""Word pieces of a passage at most; a file that has no more is one passage."""
OVERLAP = 48
SHORTEST = 32
"""A section with fewer goes with the one after it."""
EMBEDDED_CHARACTERS = 1000
"""What is read of a passage for its vector, headings and all."""
LONGEST_HEADING = 120
_STRETCH = 60_000
"""Characters whose word pieces are counted at a time."""
_ATX = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.+)$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_RULE = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}[ \t]*$")
Measure = Callable[[str], Sequence[tuple[int, int]]]
"""Where each word piece of a text begins and ends, in characters."""


@dataclass(frozen=True)
class Section:
    """The words under one heading; `heading` names it with those above it."""

    heading: str
    text: str


def measure_of(tokenizer: Tokenizer) -> Measure:
    """The measure of a model."""
    tokenizer.no_truncation()

    def measure(text: str) -> list[tuple[int, int]]:
        spans: list[tuple[int, int]] = []
        for at in range(0, len(text), _STRETCH):
            part = text[at:at + _STRETCH].encode("utf-8", "replace").decode("utf-8")
            spans += [(at + a, at + b) for a, b in tokenizer.encode(part, add_special_tokens=False).offsets]
        return spans

    return measure


def cut(text: str, form: str, measure: Measure) -> list[Piece]:
    """The passages of a text; `form` tells how its headings are marked: `markdown`, `rst` or `text`."""
    whole = text.strip()
    if not whole:
        return []
    spans = measure(whole)
    if len(spans) <= LONGEST:
        return [Piece("", whole)]
    pieces: list[Piece] = []
    for section in _joined(list(sections(whole, form)), measure):
        pieces += [Piece(section.heading, part) for part in _windows(section.text, measure(section.text))]
    return pieces


def embedded_words(title: str, piece: Piece) -> str:
    """What a vector is made of: where a passage stands, and its words, as far as they count."""
    above = " · ".join(filter(None, dict.fromkeys((title, piece.heading))))
    return f"{above}\n{piece.text}"[:EMBEDDED_CHARACTERS] if above else piece.text[:EMBEDDED_CHARACTERS]


def sections(text: str, form: str) -> Iterator[Section]:
    """The sections of a text, in order, each with the headings above it."""
    lines, above = text.split("\n"), list[tuple[int, str]]()
    marks = list(_headings(lines, form))
    starts = [start for start, _, _, _ in marks]
    first = starts[0] if starts else len(lines)
    ends = [*starts[1:], len(lines)] if starts else []
    if body := "\n".join(lines[:first]).strip("\n"):
        yield Section("", body)
    for (start, _, level, title), end in zip(marks, ends, strict=True):
        above = [(depth, name) for depth, name in above if depth < level]
        above.append((level, title[:LONGEST_HEADING]))
        yield Section(" > ".join(name for _, name in above), "\n".join(lines[start:end]).strip("\n"))


def _headings(lines: Sequence[str], form: str) -> Iterator[tuple[int, int, int, str]]:
    """(first line, line after the heading, level, words) of each heading."""
    if form == "text":
        return
    fenced, levels = "", list[str]()
    for n, line in enumerate(lines):
        if form == "markdown":
            fence = _FENCE.match(line)
            if fence and (not fenced or fenced == fence[1]):
                fenced = "" if fenced else fence[1]
            if fenced:
                continue
            if found := _ATX.match(line):
                # The signs behind a heading are no part of it; a pattern for them would look at each of a long line's again.
                yield n, n + 1, len(found[1]), found[2].rstrip(" \t").rstrip("#").rstrip(" \t") or found[2][:1]
            elif n and re.fullmatch(r" {0,3}(=+|-{2,})[ \t]*", line) and _may_be_heading(lines, n - 1):
                yield n - 1, n + 1, 1 if "=" in line else 2, lines[n - 1].strip()
        elif n and (found := _RULE.match(line)) and _may_be_heading(lines, n - 1):
            if len(line.rstrip()) + 2 <= len(lines[n - 1].strip()):
                continue  # too short to stand under these words
            over = n >= 2 and lines[n - 2].rstrip() == line.rstrip()
            sign = found[1] * (2 if over else 1)
            if sign not in levels:
                levels.append(sign)
            yield n - 2 if over else n - 1, n + 1, levels.index(sign) + 1, lines[n - 1].strip()


def _may_be_heading(lines: Sequence[str], n: int) -> bool:
    """A line over a rule is a heading where it has words, is no list or table, and stands after a gap or at the top."""
    line = lines[n]
    alone = n == 0 or not lines[n - 1].strip() or bool(_RULE.match(lines[n - 1]))
    return alone and bool(re.search(r"\w", line)) and not line.startswith(("    ", "\t", "|", "- ", "* ", ">"))


def _joined(parts: list[Section], measure: Measure) -> Iterator[Section]:
    """Sections of which none is shorter than it may be, unless nothing stands beside it."""
    done: list[Section] = []
    waiting: Section | None = None
    for part in parts:
        if waiting is not None:
            part = Section(waiting.heading or part.heading, f"{waiting.text}\n\n{part.text}")
        if len(measure(part.text)) < SHORTEST:
            waiting = part
        else:
            done.append(part)
            waiting = None
    if waiting is not None and done:
        done[-1] = Section(done[-1].heading, f"{done[-1].text}\n\n{waiting.text}")
    elif waiting is not None:
        done.append(waiting)
    yield from done


def _windows(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Parts of a text that overlap, each beginning and ending with a whole word."""
    begins = [n == 0 or spans[n - 1][1] < start for n, (start, _) in enumerate(spans)]
    at = 0
    while at < len(spans):
        end = min(len(spans), at + LONGEST)
        if end < len(spans):
            end = next((n for n in range(end, at + LONGEST - OVERLAP, -1) if begins[n]), end)
        part = text[spans[at][0]:spans[end - 1][1]] if at else text[:spans[end - 1][1]]
        if part.strip():
            yield part.strip()
        if end == len(spans):
            return
        back = end - OVERLAP
        at = next((n for n in range(back, end) if begins[n]), back)
