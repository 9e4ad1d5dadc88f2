"""Which passages an answer shows: what a person said and no memory carries, where it is nearer than the memories.

A memory was weighed, a passage was only said. So passages are few, have a floor of their own, and come up only where no
memory is as near. The nights weigh them: one that was found to be said again, replaced or contradicted by a memory or by a
later passage stays away (`weighed`). What no night has weighed yet is shown, the later first.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from dreamd.core.settings import RecallSettings
from dreamd.core.values import Memory, Status
from dreamd.recall.asked import has_what_is_asked, kind_asked_for
from dreamd.recall.ranking import EARLIER_WORDING, Hit, Ranked, placed, weigh, word_matches, word_roots
from dreamd.recall.weighed import Weighed
from dreamd.store import memories, passages
from dreamd.store.connection import Store
from dreamd.text.alike.parallels import puts_another

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

POOL = 24
"""Passages looked at for one question."""
REACH = 20
"""Times as many are sorted before it is known which of them may be seen."""
FLOOR = 0.18
"""Least similarity of a passage, and of what stands beside one."""
FIRST = 0.4
"""Share of the nearest result that a passage needs to be looked at."""
STEEP = 10.0
"""How quickly what is less near is less likely the answer."""
WORTH = 0.047
"""How likely the answer a result of usual length has to be to be shown: its reader pays for every word."""
BREVITY = 0.5
MODERATE = 18
ROOM = 0.3
"""Where a result of usual length has more words and signs than `MODERATE`, more may be shown: messages cost more there."""
MESSAGE = 0.8
"""Share of the length of a whole message that is usual for a result."""
COMPARED = 6
"""Memories that a passage may stand aside for, the nearest ones."""
COMPARED_FROM = 0.4
CONTAINED = 0.85
"""Share of the words of a passage that another result must have to stand for it."""
OF_TEN = 10
_SIGNS = re.compile(r"\w+|[^\w\s]")
READABLE = 20
"""Characters from which what was said to a question can be read without it."""


@dataclass(frozen=True)
class Sayings:
    """The passages of a store with how near each is to one question."""

    rows: Sequence[passages.Row]
    matrix: Floats
    cosines: Floats
    place: Mapping[str, int]
    """Where the row of each is."""

    def best(self, count: int, *, scopes: frozenset[str], today: str) -> list[int]:
        """Places of the nearest passages that a question may see."""
        import numpy as np

        # Nearly every question may see what is nearest to it: only where it may not, all of them are sorted.
        for reach in (count * REACH, len(self.rows)):
            places = np.arange(len(self.rows))
            if reach < len(self.rows):
                places = np.sort(np.argpartition(-self.cosines, reach)[:reach])
            chosen = [int(n) for n in places[np.argsort(-self.cosines[places], kind="stable")]
                      if (not scopes or self.rows[n].scope in scopes) and not ((ttl := self.rows[n].ttl) and ttl < today)]
            if len(chosen) >= count:
                break
        return chosen[:count]


@dataclass(frozen=True)
class Wanted:
    """A question as far as passages have to know it."""

    query: str
    now: datetime
    today: str
    rules: RecallSettings
    count: int
    """Results the whole answer may have."""
    scopes: frozenset[str] = frozenset()
    stems: Sequence[str] = ()
    """Beginnings of its words, where words alone have to answer."""
    whole: bool = False
    """A deep look, from which nothing is left out for being far behind the best."""


Beside = Callable[["Floats"], list[dict[str, float]]]
"""For rows of passages the memories nearest to each, with their cosines."""


@dataclass(frozen=True)
class Known:
    """The store an answer is made from, and what is known of what may be in it."""

    store: Store
    weighed: Weighed
    sayings: Sayings | None = None
    beside: Beside | None = None


def add_to(ranked: Sequence[Ranked], wanted: Wanted, known: Known) -> list[Ranked]:
    """The memories of an answer with the passages that belong into it."""
    pool = _pool(known.store, wanted, ranked, known.sayings) if most_of(wanted.count, wanted.rules) else []
    return _with_passages(ranked, pool, wanted, known) if pool else list(ranked)


def as_shown(memory: Memory) -> Memory:
    """A passage as an answer shows it: without the question it was said to, where what was said can be read without."""
    if memory.status is not Status.SAID:
        return memory
    from dreamd.extraction.utterance import sentences

    said = sentences(memory.text)
    asked = max((n for n, sentence in enumerate(said[:-1]) if sentence.endswith(("?", "？"))), default=-1)
    told = " ".join(said[asked + 1:])
    if asked < 0 or len(told) >= READABLE:
        return replace(memory, text=told)
    return replace(memory, text=" ".join(said[asked:]))


def prepare() -> None:
    """Load what reads the values of a passage, before the first question that needs it."""
    from dreamd.extraction.turns import revisions

    revisions.values_of("ready")


def most_of(count: int, rules: RecallSettings) -> int:
    """How many of so many results may be passages."""
    return max(1, round(count * rules.passages / OF_TEN)) if rules.passages and count else 0


@dataclass(frozen=True)
class _Pooled:
    """A passage near a question, with its vector where the model answers."""

    ranked: Ranked
    vector: Floats | None = None

    @property
    def memory(self) -> Memory:
        return self.ranked.memory


def _with_passages(ranked: Sequence[Ranked], pool: Sequence[_Pooled], wanted: Wanted, known: Known) -> list[Ranked]:
    """The memories with the nearest passages among them, each passage only where no memory says the same or ended it."""
    weighed = known.weighed
    weighed.meet([*(one.memory for one in ranked), *(one.memory for one in pool)])
    best = max(one.parts["similarity"] for one in (*ranked, pool[0].ranked))
    fit = [one for one in pool if one.ranked.parts["similarity"] >= max(FLOOR, FIRST * best)]
    latest = list({one.memory.id: one for one in (_latest(one, pool, wanted, weighed) for one in reversed(fit))}.values())[::-1]
    latest = latest[:most_of(wanted.count, wanted.rules)]
    if not latest:
        return list(ranked)
    standing = _standing(known, latest, ranked)
    weighed.meet(memory for some in standing.values() for memory in some)
    chosen: dict[str, Ranked] = {}
    for one in latest:
        instead = next((memory for memory in standing[one.memory.id] if weighed.is_past(one.memory, memory)), None)
        if instead is None:
            chosen[one.memory.id] = one.ranked
        elif instead.may_answer and all(instead.id != other.memory.id for other in ranked):
            chosen[instead.id] = _carrier(instead, one.ranked, wanted)
    ended = {memory.id for one in latest if one.memory.id in chosen for memory in standing[one.memory.id]
             if not memory.pinned and weighed.is_surely_ended(memory, one.memory)}
    return seated([one for one in ranked if one.memory.id not in ended], list(chosen.values()), wanted,
                  [*ranked, *(one.ranked for one in pool)])


def _pool(store: Store, wanted: Wanted, ranked: Sequence[Ranked], sayings: Sayings | None) -> list[_Pooled]:
    """The nearest passages, best first."""
    if sayings is None:
        ids = passages.search_words_of(store, wanted.stems, scopes=sorted(wanted.scopes), limit=POOL)
        places: list[int] = []
    else:
        places = sayings.best(POOL, scopes=wanted.scopes, today=wanted.today)
        ids = [sayings.rows[n].id for n in places]
    known = passages.load_some(store, ids)
    ids = [i for i in ids if i in known and not ((ttl := known[i].ttl) and ttl < wanted.today)]
    # Rarity is taken among all that is shown, so that a match counts the same on both sides.
    shown = [one.memory.text for one in ranked]
    matches = word_matches(wanted.query, [*(known[i].text for i in ids), *shown])
    place = {sayings.rows[n].id: n for n in places} if sayings else {}
    pool, kind = [], kind_asked_for(wanted.query)
    for identity, match in zip(ids, matches, strict=False):
        n = place.get(identity)
        cosine = float(sayings.cosines[n]) if sayings and n is not None else None
        fits = has_what_is_asked(kind, known[identity].text)
        one = weigh(Hit(known[identity], match, cosine, has_value=fits), now=wanted.now, rules=wanted.rules)
        pool.append(_Pooled(one, sayings.matrix[n] if sayings and n is not None else None))
    return sorted(pool, key=lambda one: (-one.ranked.parts["similarity"], one.memory.id))


def _latest(one: _Pooled, pool: Sequence[_Pooled], wanted: Wanted, weighed: Weighed) -> _Pooled:
    """The passage that stands for one today, as near as it: the last that says the same, or says it otherwise."""
    later = [other for other in pool if other.memory.confirmed_at > one.memory.confirmed_at
             and other.memory.scope == one.memory.scope and weighed.is_past(one.memory, other.memory)]
    last = max(later, key=lambda other: (other.memory.confirmed_at, other.memory.id), default=None)
    if last is None:
        return one
    found = max((last.ranked, _carrier(last.memory, one.ranked, wanted)), key=lambda ranked: ranked.parts["similarity"])
    return _Pooled(found, last.vector)


def _standing(known: Known, chosen: Sequence[_Pooled], ranked: Sequence[Ranked]) -> dict[str, list[Memory]]:
    """For each passage the memories of its scope that may speak of the same thing, the nearest first."""
    import numpy as np

    near: list[dict[str, float]] = [{} for _ in chosen]
    if known.beside is not None and chosen:
        near = known.beside(np.stack([one.vector for one in chosen if one.vector is not None]))
    held = memories.load_some(known.store, list(dict.fromkeys(i for some in near for i in some)))
    found = {}
    for one, some in zip(chosen, near, strict=True):
        rows = [held[i] for i, cosine in some.items() if i in held and cosine >= COMPARED_FROM]
        if known.beside is None:
            rows = [other.memory for other in ranked]
        found[one.memory.id] = [other for other in rows if other.scope == one.memory.scope][:COMPARED]
    return found


def _carrier(memory: Memory, passage: Ranked, wanted: Wanted) -> Ranked:
    """The memory that carries or replaced a passage, found by words that are not its own."""
    cosine = passage.parts.get("vectors")
    hit = Hit(memory, passage.parts["words"], None if cosine is None else cosine * EARLIER_WORDING, earlier=cosine is not None)
    return weigh(hit, now=wanted.now, rules=wanted.rules)


def seated(ranked: Sequence[Ranked], said: Sequence[Ranked], wanted: Wanted, rivals: Sequence[Ranked]) -> list[Ranked]:
    """The nearest memory or passage, and as many more as are each likely enough the answer to be worth their words."""
    worth = _worth({one.memory.id: one for one in (*ranked, *said)}, rivals)
    nearest = max((one.parts["similarity"] for one in (*ranked, *said)), default=0.0)

    def place(one: Ranked) -> tuple[bool, float, str]:
        return one.parts["similarity"] < nearest, -worth[one.memory.id], one.memory.id

    chosen: list[Ranked] = []
    for one in sorted((*ranked, *said), key=place):
        if len(chosen) == wanted.count or (chosen and worth[one.memory.id] < WORTH and not wanted.whole):
            break
        if not any(_says_all_of(other.memory, one.memory) for other in chosen):
            chosen = [other for other in chosen if not _says_all_of(one.memory, other.memory)]
            chosen.append(one)
    kept = {one.memory.id for one in chosen}
    order = [one for one in ranked if one.memory.id in kept]
    for one in sorted((one for one in said if one.memory.id in kept), key=lambda one: (-one.score, one.memory.id)):
        order = placed(order, one)
    return order


def _worth(candidates: Mapping[str, Ranked], rivals: Sequence[Ranked]) -> dict[str, float]:
    """How likely each candidate is the answer among all that is near, more for a short one.

    Long is what is longer than the messages around usually are: who reads whole messages there pays for their length too.
    """
    running = {one.memory.id: one for one in rivals} | dict(candidates)
    near = sorted(running.values(), key=lambda one: (-one.parts["similarity"], one.memory.id))[:POOL]
    if not near:
        return {}
    width = {one.memory.id: len(_SIGNS.findall(as_shown(one.memory).text)) for one in (*near, *candidates.values())}
    best = near[0].parts["similarity"]
    chance = {one.memory.id: math.exp(STEEP * (one.parts["similarity"] - best)) for one in (*near, *candidates.values())}
    total = sum(chance[one.memory.id] for one in near)
    whole = Counter[tuple[tuple[str, ...], datetime]]()
    for one in near:
        whole[one.memory.spoken_in, one.memory.confirmed_at] += width[one.memory.id]
    nearest = near[:OF_TEN]
    usual = MESSAGE * sum(whole[one.memory.spoken_in, one.memory.confirmed_at] for one in nearest) / len(nearest)
    room = (max(usual, 1.0) / MODERATE) ** ROOM
    return {identity: chance[identity] / total * room * (usual / max(width[identity], 1)) ** BREVITY for identity in candidates}


def _says_all_of(memory: Memory, other: Memory) -> bool:
    """Whether a text has nearly every word of a passage, or of a memory that faded, so that both together say no more."""
    if other.status is not Status.SAID and (not (other.status is Status.STALE or other.is_faded) or other.pinned):
        return False
    mine, theirs = word_roots(memory.text), word_roots(other.text)
    more = theirs - mine
    return len(more) <= (1 - CONTAINED) * len(theirs) and not (more and puts_another(memory.text, other.text))
