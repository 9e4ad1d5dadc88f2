"""Lines of one list: statements of one frame that hold side by side, so that none of them ends another. Pure.

"Never translate the product name A", "… B", "… C": read two at a time they look like one value said three times over. That
three of them stand in force together, or were said on one day, shows that the frame takes many values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dreamd.text.alike.parallels import pieces

FEWEST = 3
"""Values from which a frame is taken for a list: two may be a conflict."""
_FRAME_WORDS, _VALUE_WORDS = 3, 4


def value_in(frame: tuple[Sequence[str], Sequence[str]], text: str) -> tuple[str, ...]:
    """The words that stand in the open place of a frame (words before it, words after it); none where a text has another."""
    before, after = frame
    words = pieces(text)
    inside = words[len(before):len(words) - len(after)]
    fits = words[:len(before)] == tuple(before) and words[len(words) - len(after):] == tuple(after)
    return inside if fits and len(inside) <= _VALUE_WORDS else ()


def frame_of(one: str, other: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """What two statements share before and after the one place where each has words of its own; None without such a place."""
    mine, theirs = pieces(one), pieces(other)
    least = min(len(mine), len(theirs))
    before = next((n for n in range(least) if mine[n] != theirs[n]), least)
    after = next((n for n in range(least - before) if mine[-1 - n] != theirs[-1 - n]), least - before)
    frame = mine[:before], mine[len(mine) - after:]
    fits = before + after >= _FRAME_WORDS and value_in(frame, one) and value_in(frame, other)
    return frame if fits else None


def are_lines_of_a_list(one: str, other: str, beside: Iterable[str]) -> bool:
    """Whether two statements differ in one value alone, and what stands beside them shows that the place has many."""
    frame = frame_of(one, other)
    if frame is None:
        return False
    values = {value_in(frame, text) for text in (one, other, *beside)} - {()}
    return len(values) >= FEWEST
