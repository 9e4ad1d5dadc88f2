"""What was said later of the same: the answer of today often shares no word with the question that the old one answers.

"The tracker is called north now" is far from "where do our results go?", and near to "results go to the tracker called south",
which answered it last month. So beside the nearest results comes what was said of much the same on a later day; and before
them what began anew with a name that they have: "Mara is retiring, Jo takes it" tells of the list that "goes to Mara".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dreamd.core.values import Memory, Status
from dreamd.recall.outdated import is_of_another_day
from dreamd.recall.ranking import Hit, Ranked, placed, weigh, word_matches, word_roots
from dreamd.recall.said import Sayings, Wanted
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
NAMED = 0.35
"""The same, where the later text begins with a name that stands in the earlier one."""
SHORTEST_NAME = 4
WORTH = 0.9
"""What the nearness of a result counts for its sequel."""
NAMED_AMONG = 24
SAME_WORDS = 0.85
_NAMES = re.compile(r"(?<=[\w,;:] )[A-ZÀ-ÖØ-Þ][\w-]+|(?<![\w.-])(?:\w*\d[\w.-]*|\w+(?:-\w+)+)")
"""Words that call something by its name: with a capital where no sentence begins, with a digit or a hyphen."""
_FIRST = re.compile(r"(?:^|[.!?] )([A-ZÀ-ÖØ-Þ][\w-]+)")
_IS = r"\w* (?:is|are|was|were|has|had|will|goes?|went|left|ist|sind|war|hat|wird|geht|est|a|va|es|está|ha|foi)\b"
"""What tells that the first word of a sentence is a name: somebody or something is or does something."""
_BEGINS = (r"(?:^|[.;,:!?] +(?:and |but |und |aber |y |pero |et |mais )?"
           r"|\b(?:and|but|since|because|without|not|und|weil|ohne|nicht) )"
           r"(?:the |our |der |die |das |unser[e]? |el |la |le |les |notre |nuestr[oa] )?")
"""Where a clause begins, with an article before its first word."""


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
    named = list(dict.fromkeys(i for found in alike for i in found if found[i] >= NAMED))
    known = passages.load_some(store, named) | memories.load_some(store, named)
    seated = list(answer)
    for (one, _), found in zip(having, alike, strict=True):
        nearest_first = [known[i] for i in sorted(found, key=lambda i: (-found[i], i)) if i in known and found[i] >= NAMED]
        later = [memory for memory in nearest_first if _continues(memory, one.memory, wanted)]
        seated = _with_sequel(seated, one, next((memory for memory in later if found[memory.id] >= ALIKE), None), wanted)
        seated = _with_named(seated, one, _named_anew(one.memory, later, wanted.query), wanted)
    return seated


def _with_sequel(seated: list[Ranked], one: Ranked, sequel: Memory | None, wanted: Wanted) -> list[Ranked]:
    """An answer with one sequel of a result, where it is none yet and has room."""
    if sequel is None or len(seated) >= wanted.count or any(_is_there(sequel, other.memory) for other in seated):
        return seated
    return placed(seated, _beside(one, sequel, wanted, seated))


def _with_named(seated: list[Ranked], one: Ranked, sequel: Memory | None, wanted: Wanted) -> list[Ranked]:
    """An answer with what began anew with a name of a result before that result."""
    if sequel is None:
        return seated
    at = next(n for n, other in enumerate(seated) if other.memory.id == one.memory.id)
    there = next((n for n, other in enumerate(seated) if _is_there(sequel, other.memory)), None)
    if there is None and len(seated) >= wanted.count:
        return seated
    if there == at:
        return seated
    ranked = _beside(one, sequel, wanted, seated) if there is None else seated[there]
    ranked = replace(ranked, parts={**ranked.parts, "named": 1.0})
    rest = [other for n, other in enumerate(seated) if n != there]
    at = min(at, len(rest) if there is None else there)
    return [*rest[:at], ranked, *rest[at:]]


def _begins_with(names: Sequence[str], first: Sequence[str], text: str) -> bool:
    """Whether a clause of a text begins with one of some names, or with one of some first words that turn out to be names."""
    told = [*map(re.escape, names), *(f"{re.escape(word)}{_IS}" for word in first)]
    return bool(told) and re.search(f"{_BEGINS}(?:{'|'.join(told)})", text.casefold()) is not None


def _roots_of(words: Sequence[str], question: str) -> list[str]:
    """The beginnings of words that a question does not have."""
    asked = word_roots(question)
    roots = dict.fromkeys(root for word in words for root in sorted(word_roots(word)))
    return [root for root in roots if root not in asked and len(root) >= SHORTEST_NAME]


def _named_anew(earlier: Memory, later: Sequence[Memory], question: str) -> Memory | None:
    """The nearest of some later texts that begins with a name of an earlier one, as fully as it was said."""
    names = _roots_of(_NAMES.findall(earlier.text), question), _roots_of(_FIRST.findall(earlier.text), question)
    found = [memory for memory in later if _begins_with(*names, memory.text)]
    return next((memory for memory in found[1:] if set(memory.spoken_in) & set(found[0].spoken_in)
                 and len(memory.text) > len(found[0].text) and _is_there(found[0], memory)), found[0]) if found else None


def _passages_near(vector: Floats, sayings: Sayings | None) -> dict[str, float]:
    import numpy as np

    if sayings is None:
        return {}
    cosines = sayings.matrix @ vector
    places = np.flatnonzero(cosines >= NAMED)
    best = places[np.argsort(-cosines[places], kind="stable")][:NAMED_AMONG]
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
