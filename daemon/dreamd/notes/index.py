"""`MEMORY.md`: one line a memory, sections by category, never over the caps.

The caps are the ones agents read with: 200 lines or 25 KB, whichever comes first, counted after frontmatter and
comments are stripped. What does not fit leaves lowest value first, whole lines only, for `more.md`.
The same memories in any order give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from dreamd.core.values import Category, Memory, Status
from dreamd.notes.frontmatter import read_frontmatter
from dreamd.notes.index_lines import IndexEntry, index_entry, pages_of
from dreamd.notes.safe_text import comment_spans, one_line, write_line

INDEX_FILE = "MEMORY.md"
MAX_LINES = 200
MAX_BYTES = 25_000
AIM_LINES = 140

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

END = "End of the index."
"""The last line of an index: where it is missing, the file was cut. No comment: it would close one that a person left open."""
_REST_OF_LINE = re.compile(r"[ \t]*(?:\r?\n|\Z)")
FRAME_BYTES = 2_000
"""More than all takes that is neither the heading nor a line of a memory."""


@dataclass(frozen=True)
class IndexPlan:
    """The index and its overflow, and which memories stand where."""

    text: str
    overflow: tuple[tuple[str, str], ...]
    """(file name, text) of `more.md`, `more-2.md`, … in order; empty when everything fits."""
    parts: tuple[Sequence[IndexEntry], ...]
    """What stands in the index, and then what in each page of the overflow."""

    @property
    def files(self) -> dict[str, str]:
        """Every file of the plan by name."""
        return {INDEX_FILE: self.text, **dict(self.overflow)}


@dataclass(frozen=True)
class IndexFrame:
    """What an index is called and how much fits into it."""

    title: str = ""
    max_lines: int = MAX_LINES
    max_bytes: int = MAX_BYTES
    aim_lines: int = AIM_LINES
    """Lines to which an index shrinks that does not fit."""

    @property
    def heading(self) -> str:
        """The first line."""
        plain = write_line(self.title)
        return "# Memory" if not plain or plain == "Memory" else f"# Memory: {plain}"


AS_READ = IndexFrame()
"""The caps that agents read with."""


def render_index(memories: Sequence[Memory], frame: IndexFrame = AS_READ) -> IndexPlan:
    """The index of one scope. Held and ended memories are left out; beyond the caps it shrinks to `aim_lines`."""
    return compose_index([index_entry(m) for m in memories if m.status in (Status.LIVE, Status.STALE)], frame)


def compose_index(entries: Sequence[IndexEntry], frame: IndexFrame = AS_READ) -> IndexPlan:
    """The index of entries that are there already."""
    lines = sorted(entries)
    shown, text = fill_index(lines, frame, total=len(lines))
    pages = list(pages_of(lines[shown:]))
    overflow = tuple((more_name(n), more_text(n, _said(page))) for n, page in enumerate(pages, start=1))
    if pages:
        text = index_text(lines[:shown], frame, pages=len(pages), moved=len(lines) - shown)
    return IndexPlan(text, overflow, (lines[:shown], *pages))


def fill_index(lines: Sequence[IndexEntry], frame: IndexFrame, *, total: int) -> tuple[int, str]:
    """How many of `total` entries an index shows, and its text where it shows all.

    `lines` are the first of them, as many at least as the index may have lines.
    """
    if total <= frame.max_lines and _fits(text := _compose(frame.heading, lines, []), frame.max_lines, frame.max_bytes):
        return total, text
    return _largest_fit(frame.heading, lines, (min(frame.aim_lines, frame.max_lines), frame.max_bytes), total=total), ""


def index_text(lines: Sequence[IndexEntry], frame: IndexFrame, *, pages: int, moved: int) -> str:
    """The index that shows some entries and leaves as many as `moved` to its overflow."""
    return _compose(frame.heading, lines, [more_name(n) for n in range(1, pages + 1)], moved=moved)


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


def _compose(heading: str, lines: Sequence[IndexEntry], more: Sequence[str], *, moved: int = 0) -> str:
    count = f"{len(lines) + moved} memories" if len(lines) + moved != 1 else "1 memory"
    parts = [heading, f"<!-- dream: index of {count}, kept in order; edit freely, your edits win -->"]
    parts += _sections(_said(lines))
    if more:
        parts.append(_more_line(more, moved))
    parts += [END] if lines else []
    return "\n\n".join(parts) + "\n"


def _said(lines: Sequence[IndexEntry]) -> Iterator[tuple[Category, str]]:
    return ((line.category, line.text) for line in lines)


def _sections(lines: Iterable[tuple[Category, str]]) -> list[str]:
    own: dict[Category, list[str]] = {category: [] for category in SECTIONS}
    for category, text in lines:
        own[category].append(text)
    return [f"## {name}\n" + "\n".join(own[category]) for category, name in SECTIONS.items() if own[category]]


def _more_line(files: Sequence[str], moved: int) -> str:
    links = [f"[{name}]({name})" for name in files]
    where = links[0] if len(links) == 1 else f"{links[0]} to {links[-1]}"
    return f"{moved} more {'memory is' if moved == 1 else 'memories are'} in {where}."


def _fits(text: str, max_lines: int, max_bytes: int) -> bool:
    # Bytes with our own comment counted: some readers charge for it.
    return index_size(text)[0] <= max_lines and len(text.encode("utf-8", "surrogatepass")) <= max_bytes


def _largest_fit(heading: str, lines: Sequence[IndexEntry], caps: tuple[int, int], *, total: int) -> int:
    """How many of the first lines fit, with room for the line that says where the rest of all is."""
    low, high = 0, min(len(lines), caps[0])  # each takes a line at least
    most = _most_within(heading, lines[:high], caps[0], moved=total)
    sizes = list(accumulate((line.size for line in lines[:high]), initial=0))
    around = len(heading.encode("utf-8", "surrogatepass")) + FRAME_BYTES
    while low < high:
        middle = (low + high + 1) // 2
        surely = sizes[middle] + around <= caps[1]
        if middle <= most and (surely or _fits(_with_rest(heading, lines[:middle], total), *caps)):
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


def more_name(number: int) -> str:
    """The file of a page of the overflow."""
    return "more.md" if number == 1 else f"more-{number}.md"


def more_text(number: int, page: Iterable[tuple[Category, str]]) -> str:
    """A page of the overflow from the lines it has, each with its section.

    It does not say how many pages there are, or one more would have every page written anew.
    """
    heading = "# More memories" if number == 1 else f"# More memories, part {number}"
    comment = "<!-- dream: overflow of MEMORY.md, lowest value last; edit freely, your edits win -->"
    return "\n\n".join([heading, comment, *_sections(page)]) + "\n"


def is_more_file(name: str) -> bool:
    """Whether a file name is one of the overflow's."""
    return re.fullmatch(r"(?i)more(-\d+)?\.md", one_line(name)) is not None
