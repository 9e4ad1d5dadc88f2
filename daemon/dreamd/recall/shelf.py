"""The vectors of memories and passages, kept between questions, and how near each is to one question."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dreamd.core.values import Memory, Status
from dreamd.kit import Kit
from dreamd.models import Embedder
from dreamd.recall.across import Abroad, load_abroad
from dreamd.recall.ranking import LONGEST_QUESTION
from dreamd.recall.terms import shared_words
from dreamd.recall.wordings import UNREAD, Nearness, Wordings, both
from dreamd.store import passages, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

BESIDE_POOL = 16
REACH = 20
"""Times as many passages are sorted before it is known which of them may be seen."""

EVERYTHING = frozenset({Status.LIVE, Status.STALE, Status.HELD, Status.SUPERSEDED, Status.ARCHIVED})


class Shelf:
    """The vectors of memories, kept between questions and read again only when the store has changed.

    A counted recall is a commit like any other, so the store's change counter alone would empty the shelf with every
    answer; only when it moved, the slower look at what matters decides.
    """

    def __init__(self, statuses: frozenset[Status] = EVERYTHING) -> None:
        self._statuses = statuses
        self._pulse: object = None
        self._stamp: object = None
        self._rows: list[shown.Row] = []
        self._matrix: Floats | None = None
        self._place: dict[str, int] = {}
        self._wordings: Wordings | None = None
        self._said: list[passages.Row] = []
        self._said_matrix: Floats | None = None
        self._said_behind: Floats | None = None
        self._said_place: dict[str, int] = {}
        self._abroad: Abroad | None = None
        self._beside: Shelf | None = None

    @property
    def beside(self) -> Shelf:
        """The shelf of the copy of a team's memory."""
        self._beside = self._beside or Shelf(self._statuses)
        return self._beside

    def refresh(self, kit: Kit) -> None:
        """Bring the shelf up to date."""
        from dreamd.models import ALIKE

        pulse = shown.read_pulse(kit.store)
        if pulse == self._pulse:
            return
        stamp = shown.read_stamp(kit.store)
        if stamp != self._stamp:
            statuses = sorted(s.value for s in self._statuses)
            self._rows, self._matrix = shown.load_vectors_of(kit.store, models=ALIKE, statuses=statuses)
            self._place = {row.id: n for n, row in enumerate(self._rows) if not row.earlier}
            self._wordings = Wordings.of(self._rows)
            if kit.settings.recall.passages:
                self._said, self._said_matrix, self._said_behind = passages.load_vectors_of(kit.store, models=ALIKE)
                self._said_place = {row.id: n for n, row in enumerate(self._said)}
            self._abroad = load_abroad(kit)
        self._pulse, self._stamp = pulse, stamp

    def near(self, kit: Kit, query: str) -> Near | None:
        """How near every memory on the shelf is to a query; None when nothing has a vector.

        Raises Outage while the model is away.
        """
        if self._matrix is None or self._wordings is None or not (self._rows or self._said):
            return None
        import numpy as np

        question = read_question(kit.load_embedder(1), query)
        across = self._abroad.asked(kit, query) if self._abroad else None
        cosines = self._matrix @ question if self._rows else np.zeros(0, np.float32)
        if across:
            cosines = across.over(cosines, [row.wording for row in self._rows])
        weight = kit.settings.recall.context_weight
        found = self._wordings.nearness(cosines, weight)
        sayings = None
        if self._said and self._said_matrix is not None and self._said_behind is not None:
            alone, behind = self._said_matrix @ question, self._said_behind @ question
            if across:
                alone = across.over(alone, [row.wordings[0] for row in self._said])
                behind = across.over(behind, [row.wordings[1] for row in self._said])
            nearest = both(alone, behind, weight)
            sayings = Sayings(self._said, self._said_matrix, nearest, self._said_place)
        return Near(self._rows, self._place, self._matrix, found, sayings)


def read_question(embedder: Embedder, query: str) -> Floats:
    """The unit row of a question; a long text is no question and stands as it is.

    Raises Outage while the model is away.
    """
    if len(query) > LONGEST_QUESTION:
        rows = embedder.embed([query])
    else:
        rows = embedder.embed_questions([query])
    row: Floats = rows[0]
    return row


@dataclass(frozen=True)
class Sayings:
    """The passages of a store with how near each is to one question."""

    rows: Sequence[passages.Row]
    matrix: Floats
    cosines: Floats
    place: Mapping[str, int]
    """Where the row of each is."""

    def best(self, count: int, *, scopes: frozenset[str]) -> list[int]:
        """Places of the nearest passages that a question may see."""
        import numpy as np

        # Nearly every question may see what is nearest to it: only where it may not, all of them are sorted.
        for reach in (count * REACH, len(self.rows)):
            places = np.arange(len(self.rows))
            if reach < len(self.rows):
                places = np.sort(np.argpartition(-self.cosines, reach)[:reach])
            chosen = [int(n) for n in places[np.argsort(-self.cosines[places], kind="stable")]
                      if not scopes or self.rows[n].scope in scopes]
            if len(chosen) >= count:
                break
        return chosen[:count]


@dataclass(frozen=True)
class Near:
    """Cosines of one query with everything on a shelf."""

    rows: Sequence[shown.Row]
    place: dict[str, int]
    matrix: Floats
    found: Nearness
    """How near each memory is."""
    sayings: Sayings | None = None
    """What was said in passing, measured with the same query."""

    def best(self, count: int, *, statuses: Collection[str], scopes: Collection[str]) -> list[str]:
        """Ids of the nearest memories of some statuses; no scope means all of them."""
        import numpy as np

        chosen: list[str] = []
        # Most questions may see nearly everything, so walking down the sorted row costs less than masking it.
        for n in np.argsort(-self.found.cosines, kind="stable"):
            row = self.rows[self.found.wordings.first[n]]
            if row.status in statuses and (not scopes or row.scope in scopes):
                chosen.append(row.id)
                if len(chosen) == count:
                    break
        return chosen

    def of(self, identity: str) -> float | None:
        """The cosine of one memory or passage with the query; None for one without a vector."""
        if self.sayings is not None and identity in self.sayings.place:
            return float(self.sayings.cosines[self.sayings.place[identity]])
        return self.found.of(identity)

    def is_earlier(self, identity: str) -> bool:
        """Whether a memory was found by an earlier wording."""
        return self.found.is_earlier(identity)

    def worded_like(self, vectors: Floats) -> list[dict[str, float]]:
        """For each of some vectors the memories nearest to it, in their own wordings, with their cosines.

        Words behind what was said around them are left out: a sentence of the same message is in these as it stands.
        """
        return self.beside(vectors, talk=False)

    def beside(self, vectors: Floats, *, talk: bool = True) -> list[dict[str, float]]:
        """For each of some vectors the memories nearest to it, in any of their wordings, with their cosines."""
        import numpy as np

        found: list[dict[str, float]] = []
        for row in vectors @ self.matrix.T if self.rows else np.zeros((len(vectors), 0), np.float32):
            if not talk:
                row[self.found.wordings.behind] = UNREAD
            near: dict[str, float] = {}
            for n in np.argpartition(-row, BESIDE_POOL)[:BESIDE_POOL] if len(row) > BESIDE_POOL else range(len(row)):
                identity, cosine = self.rows[n].id, float(row[n])
                near[identity] = max(cosine, near.get(identity, cosine))
            found.append(dict(sorted(near.items(), key=lambda one: (-one[1], one[0]))))
        return found

    def vector_of(self, identity: str) -> Floats | None:
        """The vector of a memory or a passage; None for one without."""
        matrix, place = self.matrix, self.place.get(identity)
        if place is None and self.sayings is not None:
            matrix, place = self.sayings.matrix, self.sayings.place.get(identity)
        found: Floats | None = None if place is None else matrix[place]
        return found

    def between(self, a: Memory, b: Memory) -> float:
        """The cosine of two memories or passages; the words they share where one has no vector."""
        one, other = self.vector_of(a.id), self.vector_of(b.id)
        return shared_words(a, b) if one is None or other is None else max(0.0, float(one @ other))
