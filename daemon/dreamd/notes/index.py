"""`MEMORY.md`: one line a memory, sections by category, the newest again at the end, never over the caps.

The caps are the ones agents read with: 200 lines or 25 KB, whichever comes first, counted after frontmatter and
comments are stripped. What does not fit leaves lowest value first, whole lines only, for `more.md`.
The same memories in any order give the same bytes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC
from itertools import accumulate
from typing import NamedTuple
from zlib import crc32

from dreamd.model import Category, Memory, MemoryClass, Standing, Status, Trust
from dreamd.notes.frontmatter import read_frontmatter
from dreamd.notes.safe_text import comment_spans, one_line, write_line
from dreamd.notes.topic import hook_of, title_of, topic_path

INDEX_FILE = "MEMORY.md"
MAX_LINES = 200
MAX_BYTES = 25_000
AIM_LINES = 140
RECENT_SHOWN = 10
RECENT_HEADING = "Recent"
MORE_LINES = 400
MORE_BYTES = 60_000
PAGE_LINES = 256
"""One line in so many is the last of its page; a page ends sooner where a cap asks for it."""

SECTIONS = {
    Category.PREFERENCES: "Preferences",
    Category.RULES: "Rules and conventions",
    Category.ARCHITECTURE: "System architecture",
    Category.OPERATIONS: "Operations",
    Category.MEMORY_SYSTEM: "Memory system",
    Category.PROJECTS: "Projects",
    Category.PEOPLE: "People and relationships",
}
"""Titles of the seven sections, in the order they appear."""

_WRITTEN = re.compile(r"(?m)^(- (\[[^\]\n]*\]\(<?([^)>\n]+)>?\)) — .*)$")
"""A whole line as `index_entry` makes it, for file names without brackets."""
_REST_OF_LINE = re.compile(r"[ \t]*(?:\r?\n|\Z)")
FRAME_BYTES = 2_000
"""More than all takes that is neither the heading nor a line of a memory."""
_DAY_OF_DOUBLING = 30.0
"""Days of recency that twice the support is worth."""


@dataclass(frozen=True)
class IndexPlan:
    """The index and its overflow, and which memories stand where."""

    text: str
    overflow: tuple[tuple[str, str], ...]
    """(file name, text) of `more.md`, `more-2.md`, … in order; empty when everything fits."""
    shown_ids: tuple[str, ...]
    moved_ids: tuple[str, ...]

    @property
    def overflow_text(self) -> str | None:
        """The text of `more.md`, when there is one."""
        return self.overflow[0][1] if self.overflow else None

    @property
    def files(self) -> dict[str, str]:
        """Every file of the plan by name."""
        return {INDEX_FILE: self.text, **dict(self.overflow)}


class IndexEntry(NamedTuple):
    """What the index says of one memory, and what decides where."""

    memory: Memory | Standing
    link: str
    text: str
    size: int
    value: tuple[object, ...]
    """The smaller, the further up."""

    @property
    def pointer(self) -> str:
        """The line that only points, under `Recent`."""
        return f"- {self.link} ({_day(self.memory)})"


def render_index(
    memories: Sequence[Memory],
    *,
    title: str = "",
    max_lines: int = MAX_LINES,
    max_bytes: int = MAX_BYTES,
    aim_lines: int = AIM_LINES,
) -> IndexPlan:
    """The index of one scope. Held and ended memories are left out; beyond the caps it shrinks to `aim_lines`."""
    return compose_index([index_entry(m) for m in memories if m.status in (Status.LIVE, Status.STALE)], title=title,
                         max_lines=max_lines, max_bytes=max_bytes, aim_lines=aim_lines)


def compose_index(
    entries: Sequence[IndexEntry],
    *,
    title: str = "",
    max_lines: int = MAX_LINES,
    max_bytes: int = MAX_BYTES,
    aim_lines: int = AIM_LINES,
) -> IndexPlan:
    """The index of entries that are there already."""
    lines = sorted(entries, key=lambda entry: entry.value)
    heading = _heading(title)
    if len(lines) <= max_lines and _fits(text := _compose(heading, lines, []), max_lines, max_bytes):
        return IndexPlan(text, (), tuple(line.memory.id for line in lines), ())
    kept = _largest_fit(heading, lines, (min(aim_lines, max_lines), max_bytes))
    shown, moved = lines[:kept], lines[kept:]
    overflow = _overflow(moved)
    text = _compose(heading, shown, [name for name, _ in overflow], moved=len(moved))
    return IndexPlan(text, overflow, tuple(x.memory.id for x in shown), tuple(x.memory.id for x in moved))


def index_size(text: str) -> tuple[int, int]:
    """Lines and bytes an agent is charged for: without frontmatter and comments."""
    front = read_frontmatter(text)
    body = text[front.body_start :]
    kept: list[str] = []
    at = looked = 0
    behind_words = False
    for start, end in comment_spans(body):
        line_start = body.rfind("\n", looked, start) + 1
        behind_words = bool(body[line_start or looked : start].strip()) or (behind_words and not line_start)
        looked = end
        if behind_words:
            continue  # a comment behind words is part of their line
        kept.append(body[at : max(line_start, at)])
        rest = _REST_OF_LINE.match(body, end)
        at = looked = rest.end() if rest else end
    body = "".join([*kept, body[at:]])
    return len(body.splitlines()), len(body.encode("utf-8", "surrogatepass"))


def index_line(memory: Memory) -> str:
    """The one line of a memory: `- [Title](file.md) — hook (2026-05-07)`."""
    return index_entry(memory).text


def index_entry(memory: Memory) -> IndexEntry:
    """What the index is to say of a memory."""
    link = _link(memory)
    return _entry(memory, link, f"- {link} — {write_line(hook_of(memory.text))} ({_notes(memory)})")


def entries_again(standing: Iterable[Standing], written: Iterable[str]) -> tuple[list[IndexEntry], list[str]]:
    """The entries of memories that did not change since an index and its overflow were written, taken from there.

    Behind them the ids of those that have no line there. Reading all memories whole and making their lines anew would cost
    a night sixty microseconds for each of them.
    """
    lines: dict[str, tuple[str, str]] = {}
    for text in written:
        lines |= _lines_by_file(text)
    entries, missing = [], []
    for one in standing:
        line = lines.get(one.file)
        if line is None:
            missing.append(one.id)
        else:
            entries.append(_entry(one, *line))
    return entries, missing


def _entry(memory: Memory | Standing, link: str, text: str) -> IndexEntry:
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return IndexEntry(memory, link, text, size + 1, _value(memory))


def _lines_by_file(text: str) -> dict[str, tuple[str, str]]:
    """The whole lines of an index or its overflow, each as its file with its link and itself."""
    return {file: (link, line) for line, link, file in _WRITTEN.findall(text)}


def _link(memory: Memory) -> str:
    target = topic_path(memory)
    if re.search(r"[\s()]", target):
        target = f"<{target}>"
    return f"[{title_of(memory)}]({target})"


def _notes(memory: Memory) -> str:
    notes = [_day(memory)]
    if memory.ttl:
        notes.append(f"TTL: {memory.ttl}")
    if memory.status is Status.STALE:
        notes.append("stale")
    if memory.unverified:
        notes.append("unverified")
    if memory.trust is Trust.UNTRUSTED:
        notes.append("from an untrusted source")
    return ", ".join(notes)


def _day(memory: Memory | Standing) -> str:
    moment = memory.confirmed_at
    return (moment if moment.tzinfo is UTC else moment.astimezone(UTC)).date().isoformat()


def _value(memory: Memory | Standing) -> tuple[object, ...]:
    """Highest value first: live, pinned, rules and preferences, then support and recency."""
    kind, pinned, support = memory.memory_class, memory.pinned, memory.support
    weight = memory.confirmed_at.timestamp() / 86_400
    if support > 1:
        weight += _DAY_OF_DOUBLING * math.log2(support)
    doubtful = not pinned and (memory.status is Status.STALE or memory.unverified)
    lasting = kind is MemoryClass.RULE or kind is MemoryClass.PREFERENCE
    return (doubtful, not pinned, not lasting, -round(weight, 6), memory.id)


def _newest(line: IndexEntry) -> tuple[object, ...]:
    return (-line.memory.confirmed_at.timestamp(), -line.memory.created_at.timestamp(), line.memory.id)


def _heading(title: str) -> str:
    plain = write_line(title)
    if not plain or plain == "Memory":
        return "# Memory"
    return f"# Memory: {plain}"


def _compose(heading: str, lines: Sequence[IndexEntry], more: Sequence[str], *, moved: int = 0) -> str:
    count = f"{len(lines) + moved} memories" if len(lines) + moved != 1 else "1 memory"
    parts = [heading, f"<!-- dream: index of {count}, kept in order; edit freely, your edits win -->"]
    parts += _sections(lines)
    recent = sorted((x for x in lines if x.memory.status is Status.LIVE), key=_newest)[: _recent_count(len(lines))]
    if recent:
        parts.append(f"## {RECENT_HEADING}\n" + "\n".join(x.pointer for x in recent))
    if more:
        parts.append(_more_line(more, moved))
    return "\n\n".join(parts) + "\n"


def _sections(lines: Sequence[IndexEntry]) -> list[str]:
    own: dict[Category, list[str]] = {category: [] for category in SECTIONS}
    for line in lines:
        own[line.memory.category].append(line.text)
    return [f"## {name}\n" + "\n".join(own[category]) for category, name in SECTIONS.items() if own[category]]


def _recent_count(shown: int) -> int:
    """Up to ten, and never more than a third of what stands above: a short index is not said twice."""
    return min(RECENT_SHOWN, shown // 3)


def _more_line(files: Sequence[str], moved: int) -> str:
    links = [f"[{name}]({name})" for name in files]
    where = links[0] if len(links) == 1 else f"{links[0]} to {links[-1]}"
    return f"{moved} more {'memory is' if moved == 1 else 'memories are'} in {where}."


def _fits(text: str, max_lines: int, max_bytes: int) -> bool:
    # Bytes with our own comment counted: some readers charge for it.
    return index_size(text)[0] <= max_lines and len(text.encode("utf-8", "surrogatepass")) <= max_bytes


def _largest_fit(heading: str, lines: Sequence[IndexEntry], caps: tuple[int, int]) -> int:
    """How many of the first lines fit, with room for the line that says where the rest is."""
    low, high = 0, min(len(lines), caps[0])  # each takes a line at least
    most = _most_within(heading, lines[:high], caps[0], moved=len(lines))
    sizes = list(accumulate((line.size for line in lines[:high]), initial=0))
    around = len(heading.encode("utf-8", "surrogatepass")) + FRAME_BYTES
    around += RECENT_SHOWN * max((line.size for line in lines[:high]), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        surely = sizes[middle] + around <= caps[1]
        if middle <= most and (surely or _fits(_with_rest(heading, lines[:middle], len(lines)), *caps)):
            low = middle
        else:
            high = middle - 1
    return low


def _most_within(heading: str, lines: Sequence[IndexEntry], max_lines: int, *, moved: int) -> int:
    """How many of the first lines fit as far as lines count: with each entry goes one at least, so few are tried."""
    most, high = 0, len(lines)
    tried = high
    while most < high:
        over = index_size(_with_rest(heading, lines[:tried], moved))[0] - max_lines
        if over > 0:
            high, tried = tried - 1, max(most + 1, tried - over)
        else:
            most, tried = tried, min(tried + 1, high)
    return most


def _with_rest(heading: str, lines: Sequence[IndexEntry], moved: int) -> str:
    return _compose(heading, lines, ["more.md", "more-9999.md"], moved=moved)


def _overflow(moved: Sequence[IndexEntry]) -> tuple[tuple[str, str], ...]:
    """The pages of the overflow. Where one ends depends on its last line: a line that comes or goes moves no other page."""
    pages: list[list[IndexEntry]] = [[]]
    size, ends = 0, False
    for line in moved:
        if pages[-1] and (ends or len(pages[-1]) >= MORE_LINES or size + line.size > MORE_BYTES):
            pages.append([])
            size = 0
        pages[-1].append(line)
        size += line.size
        ends = _ends_page(line)
    return tuple((_more_name(n), _more_text(n, page, len(pages))) for n, page in enumerate(pages, start=1) if page)


def _ends_page(line: IndexEntry) -> bool:
    return crc32(line.memory.id.encode()) % PAGE_LINES == 0


def _more_name(number: int) -> str:
    return "more.md" if number == 1 else f"more-{number}.md"


def _more_text(number: int, page: Sequence[IndexEntry], pages: int) -> str:
    heading = "# More memories" if pages == 1 else f"# More memories, part {number} of {pages}"
    comment = "<!-- dream: overflow of MEMORY.md, lowest value last; edit freely, your edits win -->"
    return "\n\n".join([heading, comment, *_sections(page)]) + "\n"


def is_more_file(name: str) -> bool:
    """Whether a file name is one of the overflow's."""
    return re.fullmatch(r"(?i)more(-\d+)?\.md", one_line(name)) is not None
