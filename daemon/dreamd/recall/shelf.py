"""The vectors of memories and passages, kept between questions, and how near each is to one question."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dreamd.core.values import Status, abroad_key
from dreamd.kit import Kit
from dreamd.models import Embedder
from dreamd.models.multilingual import SCALE
from dreamd.recall.across import Abroad, Across, load_abroad, multilingual_id
from dreamd.recall.ranking import LONGEST_QUESTION
from dreamd.recall.wordings import UNREAD, Nearness, Wordings, both
from dreamd.store import derived, passages, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

BESIDE_POOL = 16
REACH = 20
"""Times as many passages are sorted before it is known which of them may be seen."""
WIDENED = 4
"""Wordings brought from a server for each memory that is wanted of them, and once more as often where that is too few."""
MOST_WORDINGS = 16
"""Wordings a server is asked for, for each memory that is wanted: among them are the passages."""
ROUNDED = 0.001
"""How far a server's cosine may be off: it is told the question in halves."""

EVERYTHING = frozenset({Status.LIVE, Status.STALE, Status.HELD, Status.SUPERSEDED, Status.ARCHIVED})


@dataclass(frozen=True)
class Reach:
    """How far a question looks: how many memories and passages, and which of them."""

    count: int
    statuses: frozenset[str]
    scopes: frozenset[str]
    """None means all of them."""


@dataclass
class _Held:
    """Vectors of memories and passages, as they were read of a store."""

    rows: list[shown.Row]
    matrix: Floats
    wordings: Wordings
    place: dict[str, int]
    said: list[passages.Row] = field(default_factory=list)
    said_matrix: Floats | None = None
    said_behind: Floats | None = None
    said_place: dict[str, int] = field(default_factory=dict)
    abroad: Abroad | None = None

    @classmethod
    def read(cls, kit: Kit, statuses: frozenset[Status], ids: Sequence[str] | None = None,
             seqs: Sequence[int] | None = None) -> _Held:
        """All vectors of a store, or those of some memories and observations."""
        from dreamd.models import ALIKE

        rows, matrix = shown.load_vectors_of(kit.store, models=ALIKE, statuses=sorted(s.value for s in statuses), among=ids)
        held = cls(rows, matrix, Wordings.of(rows), {row.id: n for n, row in enumerate(rows) if not row.earlier})
        if kit.settings.recall.passages:
            held.said, held.said_matrix, held.said_behind = passages.load_vectors_of(kit.store, models=ALIKE, among=seqs)
            held.said_place = {row.id: n for n, row in enumerate(held.said)}
        shas = None if ids is None else {*(row.wording for row in rows), *(sha for row in held.said for sha in row.wordings)}
        held.abroad = load_abroad(kit, None if shas is None else [*shas, *map(abroad_key, shas)])
        return held

    def measured(self, question: Floats, across: Across | None, weight: float) -> tuple[Nearness, Sayings | None]:
        """How near each is to a question."""
        import numpy as np

        cosines = self.matrix @ question if self.rows else np.zeros(0, np.float32)
        if across:
            cosines = across.over(cosines, [row.wording for row in self.rows])
        found = self.wordings.nearness(cosines, weight)
        if not self.said or self.said_matrix is None or self.said_behind is None:
            return found, None
        alone, behind = self.said_matrix @ question, self.said_behind @ question
        if across:
            alone = across.over(alone, [row.wordings[0] for row in self.said])
            behind = across.over(behind, [row.wordings[1] for row in self.said])
        return found, Sayings(self.said, self.said_matrix, both(alone, behind, weight), self.said_place)


class Shelf:
    """The vectors of memories, kept between questions and read again only when the store has changed.

    A counted recall is a commit like any other, so the store's change counter alone would empty the shelf with every
    answer; only when it moved, the slower look at what matters decides. Of a store that finds what is near by itself nothing
    is kept.
    """

    def __init__(self, statuses: frozenset[Status] = EVERYTHING, *, scopes: Collection[str] = ()) -> None:
        """Of all scopes, or for questions within some."""
        self._statuses, self._scopes = statuses, sorted(scopes)
        self._pulse: object = None
        self._stamp: object = None
        self._held: _Held | None = None
        self._beside: Shelf | None = None

    @property
    def beside(self) -> Shelf:
        """The shelf of the copy of a team's memory: opened anew for each question, its change counter tells nothing."""
        self._beside = self._beside or Shelf(self._statuses)
        self._beside._pulse = None
        return self._beside

    def refresh(self, kit: Kit) -> None:
        """Bring the shelf up to date."""
        if derived.finds_near(kit.store):
            return
        pulse = shown.read_pulse(kit.store)
        if pulse == self._pulse:
            return
        stamp = shown.read_stamp(kit.store)
        if stamp != self._stamp:
            some = shown.load_numbers(kit.store, self._scopes) if self._scopes else (None, None)
            self._held = _Held.read(kit, self._statuses, *some)
        self._pulse, self._stamp = pulse, stamp

    def near(self, kit: Kit, query: str, reach: Reach) -> Near | None:
        """How near every memory that a question may see is to it; None when nothing has a vector.

        Raises Outage while the model is away.
        """
        if derived.finds_near(kit.store):
            return Sought.seek(kit, query, reach, self._statuses)
        if self._held is None or not (self._held.rows or self._held.said):
            return None
        question = read_question(kit.load_embedder(1), query)
        across = self._held.abroad.asked(kit, query) if self._held.abroad else None
        return Near(self._held, *self._held.measured(question, across, kit.settings.recall.context_weight))


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


class Near:
    """Cosines of one query with everything on a shelf."""

    def __init__(self, held: _Held, found: Nearness, sayings: Sayings | None) -> None:
        self._held = held
        self.found = found
        """How near each memory is."""
        self.sayings = sayings
        """What was said in passing, measured with the same query."""

    def meet(self, ids: Sequence[str]) -> None:
        """Have some memories measured as well that something else brought up: here they are all on the shelf."""

    def best(self, count: int, *, statuses: Collection[str], scopes: Collection[str]) -> list[str]:
        """Ids of the nearest memories of some statuses; no scope means all of them."""
        import numpy as np

        chosen: list[str] = []
        # Most questions may see nearly everything, so walking down the sorted row costs less than masking it.
        for n in np.argsort(-self.found.cosines, kind="stable"):
            row = self._held.rows[self.found.wordings.first[n]]
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

    def worded_like(self, vectors: Floats, scopes: Sequence[str]) -> list[dict[str, float]]:
        """For each of some vectors the memories of a scope nearest to it, in their own wordings, with their cosines.

        Words behind what was said around them are left out: a sentence of the same message is in these as it stands.
        """
        import numpy as np

        found: list[dict[str, float]] = []
        none = np.zeros(0, np.int64)
        for vector, scope in zip(vectors, scopes, strict=True):
            places = self._held.wordings.within.get(scope, none)
            row = self._held.matrix[places] @ vector if len(places) else np.zeros(0, np.float32)
            near: dict[str, float] = {}
            for n in np.argpartition(-row, BESIDE_POOL)[:BESIDE_POOL] if len(row) > BESIDE_POOL else range(len(row)):
                identity, cosine = self._held.rows[places[n]].id, float(row[n])
                near[identity] = max(cosine, near.get(identity, cosine))
            found.append(dict(sorted(near.items(), key=lambda one: (-one[1], one[0]))))
        return found

    def vector_of(self, identity: str) -> Floats | None:
        """The vector of a memory or a passage; None for one without."""
        matrix, place = self._held.matrix, self._held.place.get(identity)
        if place is None and self.sayings is not None:
            matrix, place = self.sayings.matrix, self.sayings.place.get(identity)
        found: Floats | None = None if place is None else matrix[place]
        return found


class Sought(Near):
    """The same of a store that finds what is near by itself: only what comes into question is brought here and measured.

    All memories are there that the whole would have among the nearest; of passages those among the nearest wordings.
    """

    def __init__(self, kit: Kit, read: Read, statuses: frozenset[Status]) -> None:
        self._kit, self._read, self._statuses = kit, read, statuses
        self._ids: dict[str, None] = {}
        self._seqs: dict[int, None] = {}
        self._bring((), ())

    @classmethod
    def seek(cls, kit: Kit, query: str, reach: Reach, statuses: frozenset[Status]) -> Sought | None:
        """What is near to a question; None when nothing has a vector."""
        read = Read.of(kit, query, sorted(reach.scopes))
        near = cls(kit, read, statuses)
        found = read.nearest(kit, reach)
        wordings, taken = list(found), 0
        said = derived.find_owners(kit.store, wordings, scopes=sorted(reach.scopes))[1] if wordings else []
        while taken < len(wordings):
            start, taken = taken, min(len(wordings), (taken or reach.count) * WIDENED)
            near._bring(derived.find_owners(kit.store, wordings[start:taken], scopes=sorted(reach.scopes))[0], said)
            left = max((found[one] for one in wordings[taken:taken + 1]), default=UNREAD) + ROUNDED
            if near.count(reach, left) >= reach.count:
                break
        return near if found or derived.has_vectors(kit.store) else None

    def count(self, reach: Reach, least: float) -> int:
        """How many memories that may be seen are at least so near."""
        rows = (self._held.rows[self.found.wordings.first[n]] for n in (self.found.cosines >= least).nonzero()[0])
        return sum(row.status in reach.statuses and (not reach.scopes or row.scope in reach.scopes) for row in rows)

    def meet(self, ids: Sequence[str]) -> None:
        """Have some memories measured as well that something else brought up."""
        if fresh := [one for one in ids if one not in self._ids]:
            self._bring(derived.find_lines(self._kit.store, fresh), ())

    def worded_like(self, vectors: Floats, scopes: Sequence[str]) -> list[dict[str, float]]:
        """For each of some vectors the memories of a scope nearest to it; see `Near.worded_like`."""
        from dreamd.models import ALIKE

        ids: dict[str, None] = {}
        for vector, scope in zip(vectors, scopes, strict=True):
            found = derived.nearest(self._kit.store, vector[None, :], models=ALIKE, scopes=[scope],
                                    count=BESIDE_POOL * WIDENED)[0]
            ids.update(dict.fromkeys(derived.find_owners(self._kit.store, list(found), scopes=[scope])[0]))
        if ids:
            self._bring(list(ids), ())
        return super().worded_like(vectors, scopes)

    def _bring(self, ids: Sequence[str], seqs: Sequence[int]) -> None:
        self._ids.update(dict.fromkeys(ids))
        self._seqs.update(dict.fromkeys(seqs))
        held = _Held.read(self._kit, self._statuses, list(self._ids), list(self._seqs))
        across = held.abroad.met(self._read.wide, self._read.query) if held.abroad and self._read.wide is not None else None
        weight = self._kit.settings.recall.context_weight
        super().__init__(held, *held.measured(self._read.question, across, weight))


@dataclass(frozen=True)
class Read:
    """A question as both models read it."""

    query: str
    question: Floats
    wide: Floats | None
    """None where nothing is of another language, or nobody can read it."""

    @classmethod
    def of(cls, kit: Kit, query: str, scopes: Sequence[str]) -> Read:
        """Read a question; raises Outage while a model is away."""
        question = read_question(kit.load_embedder(1), query)
        embedder = kit.load_abroad() if derived.has_vectors(kit.store, model=multilingual_id(kit), scopes=scopes) else None
        return cls(query, question, embedder.embed_questions([query])[0] if embedder else None)

    def nearest(self, kit: Kit, reach: Reach) -> dict[str, float]:
        """The wordings nearest to it, by whichever model finds them nearer, the nearest first."""
        from dreamd.models import ALIKE

        most, scopes = reach.count * MOST_WORDINGS, sorted(reach.scopes)
        found = derived.nearest(kit.store, self.question[None, :], models=ALIKE, scopes=scopes, count=most)[0]
        if self.wide is None:
            return found
        across = derived.nearest(kit.store, self.wide[None, :], models=(multilingual_id(kit),), scopes=scopes, count=most)[0]
        for wording, cosine in across.items():
            found[wording] = max(found.get(wording, UNREAD), min(1.0, cosine * SCALE))
        return dict(sorted(found.items(), key=lambda one: -one[1]))
