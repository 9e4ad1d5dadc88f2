"""Which of the statements near one are worth judging against it: the network is slow, and most of what is near is alike only.

Where two have other values they can be no one claim, and what one replaces is nearly always the nearest of those: in stores of
two authors in 76 of 78 cases. And what two rows of a table share, their neighbours share as well: it is the head of the table,
and no subject of which one row could say something new.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dreamd.judge.alignment import Alignment
from dreamd.judge.guards import differ_in_values
from dreamd.judge.out_of_use import disused_in
from dreamd.judge.statement import read

MOST_OTHER_VALUES = 2
"""Of the near that have other values, so many are judged, nearest first."""
_HALF = 0.5
FEWEST_IN_HEAD, FEWEST_IN_ROW = 3, 2
"""Words that two must share for it to be the head of a table, and that each must have for itself."""


def worth_judging(text: str, near: Sequence[str], same_day: Callable[[str, str], bool]) -> list[str]:
    """Those of `near`, nearest first, that may be one claim with a statement or be replaced by it.

    `same_day` tells whether two were said on one day: what replaces another is seldom said beside it.
    """
    kept, others = [], 0
    for other in near:
        if disused_in(text)[0] or disused_in(other)[0] or not have_other_values(text, other):
            kept.append(other)
        elif others < MOST_OTHER_VALUES:
            others += 1
            if not _are_rows_of_a_table(text, other, near, same_day):
                kept.append(other)
    return kept


def have_other_values(one: str, other: str) -> bool:
    """Whether each of two statements has an amount, a time, a name, an identifier or a place of its own."""
    return differ_in_values(Alignment(read(one), read(other)))


def share_half(one: str, other: str) -> bool:
    """Whether each of two statements has at least half of its words of substance in common with the other."""
    pair = Alignment(read(one), read(other))
    return min(pair.cover(0), pair.cover(1)) >= _HALF


def _are_rows_of_a_table(text: str, other: str, near: Sequence[str], same_day: Callable[[str, str], bool]) -> bool:
    """Whether all that two share a third shares that was said beside one of them, and each says more than one thing else."""
    mine, theirs = read(text), read(other)
    head = mine.content_set & theirs.content_set
    if len(head) < FEWEST_IN_HEAD or mine.changes or theirs.changes:
        return False
    if min(len(mine.content_set - head), len(theirs.content_set - head)) < FEWEST_IN_ROW:
        return False
    return any(head <= read(third).content_set for third in near
               if third != other and (same_day(third, text) or same_day(third, other)))
