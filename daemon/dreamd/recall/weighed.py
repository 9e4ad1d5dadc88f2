"""What the nights found out about pairs of what an answer may show. It is read here, and nothing is judged.

Only a verdict leaves something out: where a memory or a later passage says the same, or took its place. What no dream has
weighed yet is shown like anything else that was said.
"""

from __future__ import annotations

from collections.abc import Iterable

from dreamd.core.values import CURRENT, MERGING, Judgement, Memory, Relation, Status
from dreamd.store.connection import Store
from dreamd.store.derived import load_weighed, pair_side
from dreamd.text.alike.parallels import is_same_wording


class Weighed:
    """The verdicts on the pairs among what was met so far."""

    def __init__(self, store: Store | None = None) -> None:
        self._store = store
        self._sides: dict[str, None] = {}
        self._known: dict[tuple[str, str], Judgement] = {}

    def meet(self, some: Iterable[Memory]) -> None:
        """Read what is known of some more memories and passages, among each other and beside those met before."""
        sides = dict.fromkeys(map(_side, some))
        if self._store is not None and sides.keys() - self._sides.keys():
            self._sides |= sides
            self._known = load_weighed(self._store, list(self._sides))

    def of(self, one: Memory, other: Memory) -> Judgement | None:
        """The verdict on two of them, `a` being the first; None where no dream has weighed them."""
        a, b = _side(one), _side(other)
        found = self._known.get((min(a, b), max(a, b)))
        return found if found is None or a <= b else found.turned()

    def is_past(self, one: Memory, other: Memory) -> bool:
        """Whether another one carries what a passage says, or ended it."""
        ended = other.status not in CURRENT and other.status is not Status.SAID and not other.is_faded
        if ended and other.valid_to is not None and one.confirmed_at > other.valid_to:
            return False  # said anew after that had ended
        if is_same_wording(one.text, other.text):
            return True
        found = self.of(one, other)
        if found is None:
            return False
        if found.relation in MERGING:
            return ended or found.relation is Relation.DUPLICATE or found.richer == "b"
        if found.relation is Relation.UPDATES:
            return found.newer == "b"
        return found.relation is Relation.CONTRADICTS and other.confirmed_at >= one.confirmed_at


def _side(one: Memory) -> str:
    return pair_side(one.text, one.confirmed_at)
