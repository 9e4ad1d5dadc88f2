"""How near a memory is to a question in all the wordings it is known by: its own, earlier ones, and in its talk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dreamd.recall.ranking import EARLIER_WORDING
from dreamd.store import shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Places = NDArray[np.int64]

UNREAD = -1.0
"""The cosine where there is no vector to measure."""


@dataclass(frozen=True)
class Wordings:
    """To which memory each row of a shelf belongs, and what kind of wording it is."""

    number: Mapping[str, int]
    owner: Places
    """The number of the memory that each row belongs to."""
    first: Places
    """The first row of each memory."""
    further: Places
    """All other rows: mostly few, and one by one they cost ten times as much as a look at all that are first."""
    others: Mapping[str, Sequence[int]]
    """The rows of a memory but its own words."""
    earlier: Places
    behind: Places
    """The rows of words behind what was said around them."""
    within: Mapping[str, Places]
    """The rows of each scope but those behind what was said around them."""

    @classmethod
    def of(cls, rows: Sequence[shown.Row]) -> Wordings:
        """What the rows of a shelf are."""
        import numpy as np

        number = {identity: n for n, identity in enumerate(dict.fromkeys(row.id for row in rows))}
        owner = np.array([number[row.id] for row in rows], np.int64)
        _, first = np.unique(owner, return_index=True)

        others: dict[str, list[int]] = {}
        for n, row in enumerate(rows):
            if row.earlier:
                others.setdefault(row.id, []).append(n)

        within: dict[str, list[int]] = {}
        for n, row in enumerate(rows):
            if not row.behind:
                within.setdefault(row.scope, []).append(n)

        def places(chosen: Sequence[bool]) -> Places:
            return np.flatnonzero(np.array(chosen, bool))

        further = np.setdiff1d(np.arange(len(rows)), first, assume_unique=True)
        return cls(number, owner, first, further, others, places([row.earlier and not row.behind for row in rows]),
                   places([row.behind for row in rows]), {scope: np.array(some) for scope, some in within.items()})

    def nearness(self, cosines: Floats, context_weight: float) -> Nearness:
        """How near each memory is, from the cosines of all its rows with one question."""
        import numpy as np

        cosines = cosines.copy()
        cosines[self.earlier] *= EARLIER_WORDING
        behind = np.full(len(self.number), UNREAD, np.float32)
        np.maximum.at(behind, self.owner[self.behind], cosines[self.behind])
        cosines[self.behind] = UNREAD
        own = cosines[self.first]
        words = np.maximum(own, np.float32(UNREAD))
        np.maximum.at(words, self.owner[self.further], cosines[self.further])
        met = (behind > UNREAD) & (words > UNREAD)
        near = np.maximum(words, np.where(met, both(words, behind, context_weight), behind)).astype(np.float32)
        return Nearness(self, near, words > own)


@dataclass(frozen=True)
class Nearness:
    """The cosine of each memory with one question."""

    wordings: Wordings
    cosines: Floats
    """One for each memory, in the order of its number."""
    through_earlier: NDArray[np.bool_]
    """Whether an earlier wording of the memory is nearer than its own."""

    def of(self, identity: str) -> float | None:
        """The cosine of one memory; None for one without a vector."""
        n = self.wordings.number.get(identity)
        return None if n is None else float(self.cosines[n])

    def is_earlier(self, identity: str) -> bool:
        """Whether a memory was found by an earlier wording."""
        n = self.wordings.number.get(identity)
        return n is not None and bool(self.through_earlier[n])


def both(words: Floats, behind: Floats, weight: float) -> Floats:
    """The cosine of words and of the same words behind what was said around them, in one.

    A sentence seldom names what its message is of, so what was said around it may count more than the words alone.
    """
    import numpy as np

    joined: Floats = ((words + weight * behind) / (1 + weight)).astype(np.float32)
    return joined
