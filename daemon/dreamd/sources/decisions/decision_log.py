"""One page that records many decisions, each under a heading of its own. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

from dreamd.sources.decisions.record_pages import front_of, kind_of, outside_fences, tame
from dreamd.sources.decisions.record_reading import Record, read_entry
from dreamd.sources.decisions.record_words import day_said, plain

MOST = 2_000
"""Headings of a page that are looked at."""
FEWEST = 2
"""Records by which a page is a log of decisions; one under a heading may be an example."""
_HEADING = re.compile(r"(#{1,6}|={1,6})[ \t]+(\S.*?)[ \t#=]*$")
_LINK = re.compile(r"(?i)\[[^\]]*\]\([^)\s]+\.(?:md|markdown|mdx|adoc|asciidoc|rst|org|txt)\b[^)]*\)|(?:xref|link):\S+\[")
"""To another page."""
_WORDS = re.compile(r"\w+")
_LEAST_WORDS = 4
"""Words beside its fields and links, below which an entry only points to a record that lies elsewhere."""


@dataclass(frozen=True)
class _Entry:
    level: int
    heading: str
    body: str


def read_log(path: str, text: str) -> list[Record]:
    """The records of a page that holds several, in their order; nothing for an index, a guide or a single record."""
    entries = list(islice(_entries(tame(text)), MOST))
    best: list[Record] = []
    for level in sorted({one.level for one in entries}):
        anchors = dict[str, int]()
        found = [record for one in entries if one.level == level and (record := _record_of(path, one, anchors))]
        best = found if len(found) > len(best) else best
    return best if len(best) >= FEWEST else []


def _record_of(path: str, entry: _Entry, anchors: dict[str, int]) -> Record | None:
    """The record that stands under a heading; its address ends like the heading's own in what shows the page."""
    anchor = re.sub(r"[^\w-]", "", plain(entry.heading).casefold().replace(" ", "-"))
    again = anchors[anchor] = anchors.get(anchor, -1) + 1
    said = day_said(entry.heading)
    heading = re.sub(r"^[\W_]+|[\W_]+$", "", entry.heading.replace(said, " ", 1)) if said else entry.heading
    if kind_of(heading) or not heading or _only_points(entry):
        return None
    dated = f"\n{said}\n" if said else ""
    name = f"{anchor}-{again}" if again else anchor
    return read_entry(f"{path}#{name}", f"# {heading}\n{dated}\n{entry.body}", PurePosixPath(name))


def _only_points(entry: _Entry) -> bool:
    """Whether an entry says no more than its standing and where the record lies."""
    if _LINK.search(entry.heading):
        return True
    said = [line for line in entry.body.splitlines() if not re.match(r"[\s>*_|+-]*[^:：|]{1,30}[*_]*[:：|]", line)
            and not _HEADING.fullmatch(line)]
    rest = _LINK.sub(" ", " ".join(said))
    return bool(_LINK.search(entry.body)) and len(_WORDS.findall(rest)) < _LEAST_WORDS


def _entries(text: str) -> Iterator[_Entry]:
    """Every heading of a page with what stands below it, down to the next of its level or above."""
    lines = text[len(front_of(text)):].splitlines()
    heads = [(n, len(found[1]), found[2]) for n, line in outside_fences(lines) if (found := _HEADING.fullmatch(line.rstrip()))]
    for at, (n, level, heading) in enumerate(heads):
        end = next((m for m, deep, _ in islice(heads, at + 1, None) if deep <= level), len(lines))
        yield _Entry(level, heading, "\n".join(lines[n + 1:end]))
