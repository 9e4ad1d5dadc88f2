"""Text for people: aligned, plain, with colour only where a terminal shows it. Nothing a memory says can steer a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from pathlib import Path

from dreamd.core.plain_words.for_people import ENDLESS
from dreamd.core.plain_words.for_people import ago as ago
from dreamd.core.plain_words.for_people import clean as clean
from dreamd.core.plain_words.for_people import count as count
from dreamd.core.plain_words.for_people import marks as marks
from dreamd.core.plain_words.for_people import outcome_words as outcome_words
from dreamd.core.plain_words.for_people import span as span
from dreamd.core.plain_words.for_people import stamp as stamp
from dreamd.core.plain_words.for_people import status_word as status_word
from dreamd.core.values import Memory, Status

WIDEST_PROSE = 120
"""Columns beyond which nobody likes to read a sentence."""
NARROWEST_PROSE = 24
"""Columns in which a sentence can still be read beside what names it; with fewer it stands below."""
STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
STATUS_STYLE = {Status.LIVE: "green", Status.HELD: "yellow", Status.STALE: "dim", Status.ARCHIVED: "dim",
                Status.SUPERSEDED: "dim", Status.SAID: "dim"}


def paint(text: str, style: str, *, colour: bool) -> str:
    """The text in a style, or as it is."""
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if colour and text else text


def clip(text: str, width: int) -> str:
    """One clean line of at most so many columns."""
    return fit(clean(text), width)


def fit(line: str, width: int) -> str:
    """A line cut at so many columns, its inner spaces kept; signs of wide scripts take two."""
    if width > ENDLESS // 2:
        return line
    used = [_columns(sign) for sign in line]
    if sum(used) <= width:
        return line
    kept = len(line)
    while kept and sum(used[:kept]) >= width:
        kept -= 1
    return line[:kept].rstrip() + "…"


def _columns(sign: str) -> int:
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 0 if unicodedata.combining(sign) else 1


def wrap(text: str, width: int, indent: str = "") -> str:
    """A clean text over several lines; an indent that is more than spaces stands on the first of them, or alone above them."""
    import textwrap

    if width > ENDLESS // 2:
        return indent + clean(text)
    if indent.strip() and len(indent) + NARROWEST_PROSE > max(width, 2 * NARROWEST_PROSE):
        return f"{indent.rstrip()}\n{wrap(text, width, '    ')}"
    room = max(NARROWEST_PROSE, len(indent) + NARROWEST_PROSE, min(width, WIDEST_PROSE))
    return textwrap.fill(clean(text), width=room, initial_indent=indent, subsequent_indent=" " * len(indent),
                         break_long_words=False, break_on_hyphens=False)


def short(path: Path, home: str) -> str:
    """A path as people write it, `~` for their own directory."""
    text = str(path)
    return "~" + text[len(home):] if home and text.startswith(home.rstrip("/") + "/") else text


def memory_line(memory: Memory, *, width: int, colour: bool, scope: bool = False) -> str:
    """Id, class, marks and text of a memory on one line."""
    told = marks(memory)
    place = f"{memory.scope}  " if scope else ""
    kind = "in passing" if memory.status is Status.SAID else memory.memory_class.value
    head = f"{memory.id}  {kind:<10}  "
    note = f"[{told}] " if told else ""
    room = max(16, width - len(head) - len(place) - len(note))
    return (paint(memory.id, "cyan", colour=colour) + f"  {kind:<10}  "
            + paint(place, "dim", colour=colour) + paint(note, STATUS_STYLE[memory.status], colour=colour)
            + clip(memory.text, room))


def table(rows: Sequence[Sequence[str]], *, gap: int = 2, width: int = ENDLESS) -> list[str]:
    """Rows with their columns aligned and cleaned; the last one goes on below itself where it is longer than there is room."""
    return [line for row in table_rows(rows, gap=gap, width=width) for line in row.split("\n")]


def table_rows(rows: Sequence[Sequence[str]], *, gap: int = 2, width: int = ENDLESS) -> list[str]:
    """The same with one text for each row, of several lines where it goes on below itself."""
    if not rows:
        return []
    rows = [[clean(cell) for cell in row] for row in rows]
    widths = [max(sum(map(_columns, row[n])) for row in rows) for n in range(len(rows[0]) - 1)]
    told = []
    for row in rows:
        head = "".join(cell + " " * (w + gap - sum(map(_columns, cell))) for cell, w in zip(row, widths, strict=False))
        told.append(wrap(row[-1], width, head) if len(head) + len(row[-1]) > width else head + row[-1])
    return told


def tell_way(done: int, total: int, left_s: float | None) -> str:
    """How far through a long backlog, and how long it still takes."""
    left = "" if left_s is None else f", about {max(1, round(left_s))} s left" if left_s < 90 else (
        f", about {round(left_s / 60)} min left" if left_s < 5400 else f", about {left_s / 3600:.1f} h left")
    return f"{done:,} of {total:,} statements{left}"
