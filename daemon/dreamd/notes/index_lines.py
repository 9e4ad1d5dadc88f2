"""One line of `MEMORY.md`: what it says of a memory, where it stands among the others, and on which page of the overflow.

A line says its thing once: what kind of memory it is, the file that tells the rest, the statement, the day.

Where it stands is text that sorts as the memories do, so that the lines of an index can be kept in order as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar
from zlib import crc32

from dreamd.core.values import Category, Memory, MemoryClass, Status, Trust
from dreamd.notes.safe_text import write_line
from dreamd.notes.topic import hook_of, topic_path

MORE_LINES = 400
MORE_BYTES = 60_000
FEWEST_LINES = 32
PAGE_LINES = 32
"""Behind the fewest, one line in so many is the last of its page; a page ends sooner where a cap asks for it."""
MOST_ASKED, MOST_REPEATED = 6, 2
"""Up to how many doublings being asked for counts, and up to how many further conversations being said again."""
LEVEL_AT = 5
"""Where a rank says how much its memory was asked for."""
_FAR = 10_000_000
"""Days since 1970 that no time reaches: counted down from it, the newer is the smaller."""
# Looked up in a table: asking an enumeration takes as long as all the rest of a line.
_CATEGORIES = {c.value: c for c in Category}
Line = TypeVar("Line")


class IndexEntry(NamedTuple):
    """What the index says of one memory, and what decides where."""

    rank: str
    """The smaller, the further up; the id decides between equals."""
    id: str
    category: Category
    text: str
    size: int


def index_entry(memory: Memory, title: str = "") -> IndexEntry:
    """What the index is to say of a memory; `title` is the one a person gave it."""
    text = f"- {_link(memory, title)} — {write_line(hook_of(memory.text))} ({_notes(memory)})"
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return IndexEntry(_rank(memory), memory.id, memory.category, text, size + 1)


def kept_line(entry: IndexEntry) -> str:
    """An entry as one line that sorts like it."""
    return "\t".join((entry.rank, entry.id, str(entry.size), entry.category.value, entry.text))


def kept_id(line: str) -> str:
    """The memory of a line that was kept."""
    return line.split("\t", 2)[1]


def kept_level(line: str) -> int:
    """How much its memory was asked for when a line was kept."""
    return MOST_ASKED - int(line[LEVEL_AT])


def read_kept_lines(lines: Iterable[str]) -> list[IndexEntry]:
    """The entries behind lines that were kept."""
    entries = []
    for line in lines:
        rank, identity, size, category, text = line.split("\t", 4)
        entries.append(IndexEntry(rank, identity, _CATEGORIES[category], text, int(size)))
    return entries


def read_said(lines: Iterable[str]) -> Iterator[tuple[Category, str]]:
    """What lines that were kept say, each with its section: all that a page of the overflow needs."""
    for line in lines:
        *_, category, text = line.split("\t", 4)
        yield _CATEGORIES[category], text


def pages_of(entries: Iterable[IndexEntry]) -> Iterator[list[IndexEntry]]:
    """The pages of an overflow. Where one ends depends on its last line: one that comes or goes moves few other pages."""
    return _paged((entry, entry.id, entry.size) for entry in entries)


def split_pages(lines: Iterable[str]) -> Iterator[list[str]]:
    """The same of lines that were kept."""
    fields = ((line, line.split("\t", 3)) for line in lines)
    return _paged((line, found[1], int(found[2])) for line, found in fields)


def _paged(lines: Iterable[tuple[Line, str, int]]) -> Iterator[list[Line]]:
    page: list[Line] = []
    taken = 0
    for line, identity, size in lines:
        if page and (len(page) >= MORE_LINES or taken + size > MORE_BYTES):
            yield page
            page, taken = [], 0
        page.append(line)
        taken += size
        if ends_page(identity, len(page)):
            yield page
            page, taken = [], 0
    if page:
        yield page


def ends_page(identity: str, place: int) -> bool:
    """Whether a memory's line ends the page in which it is the line of some number, whatever comes behind it."""
    return place >= FEWEST_LINES and crc32(identity.encode()) % PAGE_LINES == 0


def _link(memory: Memory, title: str) -> str:
    target = topic_path(memory)
    if re.search(r"[\s()]", target):
        target = f"<{target}>"
    return f"[{write_line(title) or memory.memory_class.value}]({target})"


def _notes(memory: Memory) -> str:
    notes = [_day(memory.confirmed_at)]
    if memory.ttl:
        notes.append(f"TTL: {memory.ttl}")
    if memory.status is Status.STALE:
        notes.append("stale")
    if memory.unverified:
        notes.append("unverified")
    if memory.trust is Trust.UNTRUSTED:
        notes.append("from an untrusted source")
    return ", ".join(notes)


def _day(moment: datetime) -> str:
    return (moment if moment.tzinfo is UTC else moment.astimezone(UTC)).date().isoformat()


def asked_level(recalls: int) -> int:
    """How much a memory was asked for, in steps that each take twice as many: an index is not written for every question."""
    return min(recalls.bit_length(), MOST_ASKED)


def _rank(memory: Memory) -> str:
    """Highest worth first: sure, pinned, asked for or a standing rule, how often each, and the later confirmed.

    How often a text was said in one conversation says nothing of its worth: a paste is said very often.
    """
    doubtful = not memory.pinned and (memory.status is Status.STALE or memory.unverified)
    lasting = memory.memory_class is MemoryClass.RULE or memory.memory_class is MemoryClass.PREFERENCE
    level = asked_level(memory.recalls)
    repeated = min(max(len(memory.spoken_in) - 1, 0), MOST_REPEATED) if memory.authority is Trust.USER else 0
    worth = 2 * MOST_ASKED + MOST_REPEATED - 2 * level - repeated
    later = _FAR - round(memory.confirmed_at.timestamp() / 86_400, 6)
    return f"{doubtful:d}{not memory.pinned:d}{not (level or lasting):d}{worth:02d}{MOST_ASKED - level:d} {later:015.6f}"
