"""An index made again from the one before and from what changed: a night costs what it changed, not what is stored.

What is kept of an index is its lines in order, page by page. A line that comes or goes moves lines across the end of a
page, and no further than to the next page that ends where it ended before: the others are neither taken apart nor written.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from dreamd.notes.index import INDEX_FILE, IndexFrame, IndexPlan, fill_index, index_text, more_name, more_text
from dreamd.notes.index_lines import (
    IndexEntry,
    asked_level,
    ends_page,
    kept_id,
    kept_level,
    kept_line,
    read_kept_lines,
    read_said,
    split_pages,
)


@dataclass(frozen=True)
class KeptPart:
    """The index, or a page of its overflow: its lines in order, and the hash of the file it became."""

    lines: str
    sha: str


@dataclass(frozen=True)
class Recomposed:
    """A file of an index that was made again; without text where it is as it was."""

    name: str
    text: str | None
    lines: str


def kept_parts(plan: IndexPlan, shas: Mapping[str, str]) -> list[KeptPart]:
    """What to keep of an index, with the hash of each of its files by name."""
    return [KeptPart("\n".join(map(kept_line, part)), shas[name])
            for name, part in zip(index_names(plan.parts), plan.parts, strict=True)]


def index_names(parts: Sequence[object]) -> list[str]:
    """The file of each part of an index."""
    return [more_name(n) if n else INDEX_FILE for n in range(len(parts))]


def write_parts(parts: Sequence[KeptPart]) -> str:
    """Kept parts as text, an empty line between them."""
    return "\n\n".join(f"{part.sha}\n{part.lines}" if part.lines else part.sha for part in parts)


def read_parts(text: str) -> list[KeptPart]:
    """The parts behind such a text."""
    halves = (part.partition("\n") for part in text.split("\n\n"))
    return [KeptPart(lines, sha) for sha, _, lines in halves]


def compose_again(parts: Sequence[KeptPart], changed: Collection[str], fresh: Sequence[IndexEntry], *, frame: IndexFrame,
                  written: Mapping[str, str]) -> list[Recomposed]:
    """The files of an index of which only some memories changed: `fresh` are the entries of those that are still shown.

    `written` has the hash of each file as it was written last; one with another hash than the kept one is made again.
    Raises ValueError for parts that were not kept so.
    """
    shelf = _Shelf(parts)
    for identity in changed:
        shelf.take_out(identity)
    for entry in fresh:
        shelf.put(kept_line(entry))
    total = len(shelf)
    if not total:
        return []
    top = read_kept_lines(shelf.first(frame.max_lines))
    shown, text = fill_index(top, frame, total=total)
    shelf.cut(shown)
    pages = shelf.pages()
    if not text:
        text = index_text(top[:shown], frame, pages=len(pages), moved=total - shown)
    files = [Recomposed(INDEX_FILE, text, "\n".join(shelf.of(0)))]
    for n, lines in enumerate(pages, start=1):
        same = n < len(parts) and parts[n].lines == lines and written.get(more_name(n)) == parts[n].sha
        files.append(Recomposed(more_name(n), None if same else more_text(n, read_said(_lines(lines))), lines))
    return files


def asked_anew(parts: Sequence[KeptPart], recalls: Mapping[str, int]) -> list[str]:
    """Which memories of an index were asked for so much more since it was made that their lines may belong elsewhere."""
    if not recalls:
        return []
    lines = (line for part in parts for line in _lines(part.lines))
    return [identity for line in lines
            if (identity := kept_id(line)) in recalls and asked_level(recalls[identity]) != kept_level(line)]


class _Shelf:
    """The lines of an index and its pages, each part taken apart only where something comes or goes."""

    def __init__(self, parts: Sequence[KeptPart]) -> None:
        self._whole = [part.lines for part in parts]
        self._open: dict[int, list[str]] = {}

    def __len__(self) -> int:
        return sum(len(self._open[n]) if n in self._open else _count(whole) for n, whole in enumerate(self._whole))

    def of(self, number: int) -> list[str]:
        """The lines of a part, taken apart from now on."""
        if number not in self._open:
            self._open[number] = _lines(self._whole[number])
        return self._open[number]

    def take_out(self, identity: str) -> None:
        """Leave the line of a memory out, where it has one."""
        mark = f"\t{identity}\t"
        for number, whole in enumerate(self._whole):
            if mark in whole:
                lines = self.of(number)
                lines[:] = [line for line in lines if mark not in line or kept_id(line) != identity]

    def put(self, line: str) -> None:
        """Put a line where it belongs."""
        insort(self.of(max(0, bisect_right(self._whole, line) - 1)), line)

    def first(self, count: int) -> list[str]:
        """So many lines from the top, or all."""
        found: list[str] = []
        for number in range(len(self._whole)):
            if len(found) >= count:
                break
            found += self.of(number) if number in self._open else _lines(self._whole[number])
        return found[:count]

    def cut(self, count: int) -> None:
        """Have the index hold so many lines, and its pages the others."""
        index = self.of(0)
        if len(index) > count:
            if len(self._whole) == 1:
                self._whole.append("")
            self.of(1)[:0] = index[count:]
            del index[count:]
        number = 1
        while len(index) < count:
            page = self.of(number)
            missing = count - len(index)
            index += page[:missing]
            del page[:missing]
            number += 1

    def pages(self) -> list[str]:
        """The pages of the overflow as they are now."""
        pages: list[str] = []
        begun: list[str] = []
        last = len(self._whole) - 1
        for number in range(1, last + 1):
            if not begun and self._stays(number, last):
                pages.append(self._whole[number])
                continue
            full = list(split_pages([*begun, *self.of(number)]))
            open_end = bool(full) and number < last and not ends_page(kept_id(full[-1][-1]), len(full[-1]))
            begun = full.pop() if open_end else []
            pages += map("\n".join, full)
        return pages

    def _stays(self, number: int, last: int) -> bool:
        """Whether a page that begins where it did ends where it did."""
        whole = self._whole[number]
        if number in self._open or number == last or number + 1 not in self._open:
            return number not in self._open
        # One that ended for want of room ends elsewhere when what stood behind it has changed.
        return ends_page(kept_id(whole[whole.rfind("\n") + 1:]), _count(whole))


def _lines(whole: str) -> list[str]:
    return whole.split("\n") if whole else []


def _count(whole: str) -> int:
    return whole.count("\n") + 1 if whole else 0
