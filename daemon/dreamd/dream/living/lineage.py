"""Which line of a document took the place of which, from what it said before and what it says now. Pure.

Four things tell, the surest first: the place in the list between lines that stayed, the heading above it, the words, and for
what left its file altogether the words alone. Nobody has to judge what two lines mean: one stands where the other stood.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from dreamd.text.alike.parallels import pieces

ALIKE_IN_PLACE = 0.25
"""Likeness of words from which two lines of one stretch of changes are the same line, before and after."""
ALIKE_ANYWHERE = 0.5
"""The same for lines that stand in two files, or far from each other in one."""
CARRIED_OVER = 0.7
"""Share of the words of the shorter line from which it has become part of the longer one, or was split off it."""
FEWEST_CARRIED = 4
SAME_HEADING = 0.1
MOST_PAIRS = 40_000
"""Beyond so many pairs in one stretch of changes words alone tell: that is a new text, and no edited one."""

Files = Mapping[str, Sequence[str]]
"""The lines of each file, in order, by their identity."""


@dataclass(frozen=True)
class Line:
    """The words of one line, and the heading it stands under."""

    text: str
    heading: str = ""


@dataclass
class Lineage:
    """What became of the lines that are no longer there."""

    took: dict[str, str] = field(default_factory=dict)
    """The line that stands now where another stood, by that other."""
    gone: list[str] = field(default_factory=list)
    """Lines that left nothing in their place."""


def trace(before: Files, after: Files, lines: Mapping[str, Line]) -> Lineage:
    """What became of each line of `before` that does not stand in `after`; one that `lines` does not know is no line."""
    stands = {uid for some in after.values() for uid in some}
    found = Lineage()
    stretches = [stretch for name, old in before.items() for stretch in _stretches(old, after.get(name, ()), stands, lines)]
    for stretch in stretches:
        found.took.update((stretch.old[a], stretch.new[b]) for a, b in stretch.pairs)
    left = [uid for some in before.values() for uid in some if uid not in stands and uid not in found.took and uid in lines]
    known = {uid for some in before.values() for uid in some}
    fresh = [uid for some in after.values() for uid in some if uid not in known and uid in lines]
    found.took.update(_anywhere(left, fresh, set(found.took.values()), lines))
    # What was edited and moved at once has left its place: only what is alike nowhere was put in the place of another.
    taken = set(found.took.values())
    for stretch in stretches:
        found.took.update(_by_place(stretch, found.took.keys(), taken, lines))
    found.gone = [uid for uid in left if uid not in found.took]
    return found


def trace_through(states: Sequence[Files], lines: Mapping[str, Line]) -> dict[str, str]:
    """What stands in the last state in the place of each line of the first, told by all the states between."""
    became = {uid: uid for some in states[0].values() for uid in some}
    for before, after in pairwise(states):
        names = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        took = trace({name: before[name] for name in names & before.keys()},
                     {name: after[name] for name in names & after.keys()}, lines).took
        became = {uid: took.get(now, now) for uid, now in became.items()}
    stands = {uid for some in states[-1].values() for uid in some}
    return {uid: now for uid, now in became.items() if now in stands}


def is_one_line(old: Line, new: Line) -> bool:
    """Whether two lines are so alike that one is the other, wherever they stand."""
    before, after = Counter(pieces(old.text)), Counter(pieces(new.text))
    return _moved((before & after).total(), before, after) > 0


class _Stretch(NamedTuple):
    """What stood and what stands between lines that stayed where they were."""

    old: Sequence[str]
    new: Sequence[str]
    pairs: Sequence[tuple[int, int]]
    """Places of the lines that are alike."""
    whole: bool
    """Whether a file is nothing else, before and after."""


def _stretches(old: Sequence[str], new: Sequence[str], stands: set[str], lines: Mapping[str, Line]) -> Iterator[_Stretch]:
    was = set(old)
    for step, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if step == "replace":
            gone = [uid for uid in old[a:b] if uid not in stands and uid in lines]
            come = [uid for uid in new[c:d] if uid not in was and uid in lines]
            if gone and come and len(gone) * len(come) <= MOST_PAIRS:
                yield _Stretch(gone, come, _aligned(gone, come, lines), len(old) == len(new) == 1)


def _by_place(stretch: _Stretch, told: Collection[str], taken: Collection[str], lines: Mapping[str, Line]) -> dict[str, str]:
    """Of what is alike nowhere, what stands at the same place between two pairs, below the same heading."""
    took: dict[str, str] = {}
    i = j = 0
    for a, b in (*stretch.pairs, (len(stretch.old), len(stretch.new))):
        gone = [uid for uid in stretch.old[i:a] if uid not in told]
        come = [uid for uid in stretch.new[j:b] if uid not in taken]
        if len(gone) == len(come):
            took.update((old, new) for old, new in zip(gone, come, strict=True)
                        if stretch.whole or lines[old].heading == lines[new].heading)
        i, j = a + 1, b + 1
    return took


def _aligned(old: Sequence[str], new: Sequence[str], lines: Mapping[str, Line]) -> list[tuple[int, int]]:
    """The pairs of two sequences that keep the order and are alike most of all."""
    worth = [[_worth(lines[a], lines[b]) for b in new] for a in old]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            both = worth[i][j] + best[i + 1][j + 1] if worth[i][j] else 0.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], both)
    pairs, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if worth[i][j] and best[i][j] == worth[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _worth(old: Line, new: Line) -> float:
    """How much speaks for one line being the other, in one stretch of changes; nothing where too little does."""
    alike = likeness(old.text, new.text)
    return 0.0 if alike < ALIKE_IN_PLACE else alike + SAME_HEADING * (old.heading == new.heading)


def likeness(one: str, other: str) -> float:
    """The share of words that two texts have in common."""
    mine, theirs = Counter(pieces(one)), Counter(pieces(other))
    both = mine.total() + theirs.total()
    return 2 * (mine & theirs).total() / both if both else float(one == other)


def _anywhere(left: Sequence[str], fresh: Sequence[str], taken: set[str], lines: Mapping[str, Line]) -> dict[str, str]:
    """For lines that left their place, the new line of any file that is most alike, or that the words went into."""
    words = {uid: Counter(pieces(lines[uid].text)) for uid in (*left, *fresh)}
    holding: dict[str, list[str]] = defaultdict(list)
    for uid in fresh:
        for word in words[uid]:
            holding[word].append(uid)
    took = {}
    for uid in left:
        shared: Counter[str] = Counter()
        for word, times in words[uid].items():
            for other in holding.get(word, ()):
                shared[other] += min(times, words[other][word])
        scored = ((_moved(shared[other], words[uid], words[other]), other not in taken, other) for other in shared)
        likest = max(scored, default=(0.0, False, ""))
        if likest[0]:
            took[uid] = likest[2]
    return took


def _moved(shared: int, old: Counter[str], new: Counter[str]) -> float:
    """How alike two lines of different places are, by the words they share; nothing where too little speaks for it."""
    alike = 2 * shared / (old.total() + new.total())
    shorter = min(old.total(), new.total())
    carried = shorter >= FEWEST_CARRIED and shared >= CARRIED_OVER * shorter
    return alike if alike >= ALIKE_ANYWHERE or carried else 0.0
