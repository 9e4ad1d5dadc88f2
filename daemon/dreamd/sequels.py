"""What was said later of the same: the answer of today often shares no word with the question that the old one answers.

"The tracker is called north now" is far from "where do our results go?", and near to "results go to the tracker called south",
which answered it last month. So beside the nearest results comes what was said of much the same on a later day.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dreamd.model import Memory, Status
from dreamd.outdated import is_of_another_day
from dreamd.passages import Sayings, Wanted
from dreamd.ranking import Hit, Ranked, placed, weigh, word_matches, word_roots
from dreamd.store import memories, passages
from dreamd.store.connection import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

FIRST = 3
"""Results, by nearness, of which a sequel is looked for."""
OF_BEST = 0.7
"""Share of the nearest result's similarity that such a result has."""
ALIKE = 0.5
"""Likeness from which something later speaks of the same thing."""
WORTH = 0.9
"""What the nearness of a result counts for its sequel."""
LOOKED_AT = 8
SAME_WORDS = 0.85


@dataclass(frozen=True)
class Around:
    """What the shelf knows of the memories near some vectors, and the vector of whatever lies on it."""

    beside: Callable[[Floats], list[dict[str, float]]]
    """For some vectors the memories nearest to each, with their cosines."""
    vector_of: Callable[[str], Floats | None]
    sayings: Sayings | None = None


def with_sequels(answer: Sequence[Ranked], wanted: Wanted, *, store: Store, around: Around) -> list[Ranked]:
    """An answer with what was said later of the same as its nearest results."""
    import numpy as np

    nearest = sorted(answer, key=lambda one: (-one.parts["similarity"], one.memory.id))[:FIRST]
    told = [(one, around.vector_of(one.memory.id)) for one in nearest
            if one.parts["similarity"] >= OF_BEST * nearest[0].parts["similarity"]]
    having = [(one, vector) for one, vector in told if vector is not None]
    if not having:
        return list(answer)
    alike = around.beside(np.stack([vector for _, vector in having]))
    for found, (_, vector) in zip(alike, having, strict=True):
        found.update(_passages_near(vector, around.sayings))
    named = list(dict.fromkeys(i for found in alike for i in found if found[i] >= ALIKE))
    known = passages.load_some(store, named) | memories.load_some(store, named)
    seated = list(answer)
    for (one, _), found in zip(having, alike, strict=True):
        later = [known[i] for i in sorted(found, key=lambda i: (-found[i], i)) if i in known and found[i] >= ALIKE]
        sequel = next((memory for memory in later if _continues(memory, one.memory, wanted)), None)
        if sequel is not None and len(seated) < wanted.count and not any(_is_there(sequel, other.memory) for other in seated):
            seated = placed(seated, _beside(one, sequel, wanted, answer))
    return seated


def _passages_near(vector: Floats, sayings: Sayings | None) -> dict[str, float]:
    import numpy as np

    if sayings is None:
        return {}
    cosines = sayings.matrix @ vector
    places = np.flatnonzero(cosines >= ALIKE)
    best = places[np.argsort(-cosines[places], kind="stable")][:LOOKED_AT]
    return {sayings.rows[n].id: float(cosines[n]) for n in best}


def _continues(later: Memory, earlier: Memory, wanted: Wanted) -> bool:
    """Whether something may be shown and was said of the scope of another on a later day."""
    shown = later.status in (Status.LIVE, Status.STALE, Status.SAID) and not (later.ttl and later.ttl < wanted.today)
    return shown and later.id != earlier.id and is_of_another_day(earlier, later)


def _is_there(sequel: Memory, other: Memory) -> bool:
    """Whether a result says what the sequel says."""
    mine, theirs = word_roots(sequel.text), word_roots(other.text)
    return sequel.id == other.id or len(mine & theirs) >= SAME_WORDS * len(mine)


def _beside(one: Ranked, sequel: Memory, wanted: Wanted, answer: Sequence[Ranked]) -> Ranked:
    match, *_ = word_matches(wanted.query, [sequel.text, *(other.memory.text for other in answer)])
    near = WORTH * one.parts["similarity"]
    weighed = weigh(Hit(sequel, 0.0, near), now=wanted.now, rules=wanted.rules)
    return Ranked(sequel, min(weighed.score, one.score), {**weighed.parts, "words": match, "sequel": WORTH})
