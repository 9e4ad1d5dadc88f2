"""Whether a dream left what was known as easy to find as it was: the same questions before its first write and at its end.

The questions are memories of the person's own store, drawn anew for each run, each asked for in its own words by the vector it
already has, so that no model is loaded. One is found again where a result carries a statement it rests on, or took its place.
What a person took away in the meantime is no loss. A few that a crowd of new memories pushes out are noise; more are an alarm,
which the store keeps and the probe tells, until the run is undone or all of them are found again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from dreamd.core.values import Memory, Status, content_id, text_sha
from dreamd.kit import Kit
from dreamd.models import ALIKE, DIM, MODEL_ID
from dreamd.recall.answer import LONGEST_QUERY, Look, search
from dreamd.recall.shelf import Shelf
from dreamd.store import derived, memories, shown, work
from dreamd.store.intake import heads

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DROPPED = "recall-dropped"
"""The store's fact of the last run after which too much was not found any more."""
ASKED = 12
FEWEST = 3
"""Of a scope that is dreamt by itself: one for each statement that waits in it, but no fewer and never more than else. A team's
night has a dream for each of its scopes, and would ask more than it dreams."""
WITHIN = 10
NOISE = 1
"""So many fewer than before may be found after a run: a crowd of new memories pushes an old one out now and then."""


class OwnVectors:
    """What reads a text that the store has read before: it looks the vector up."""

    model_id = MODEL_ID
    dim = DIM

    def __init__(self, known: dict[str, NDArray[np.float32]]) -> None:
        self._known = known

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The kept rows of texts."""
        import numpy as np

        return np.stack([self._known[text_sha(text)] for text in texts])

    embed_questions = embed


@dataclass
class Watch:
    """What search found before a dream wrote anything."""

    buried: frozenset[str]
    """Reasons for which a person wants a memory gone: that is a wish, and no loss."""
    asked: dict[str, Memory] = field(default_factory=dict)
    """What was found before, by id."""
    reader: OwnVectors | None = None
    known: frozenset[str] = frozenset()
    """What an earlier run had hidden, asked for as well."""

    def look_before(self, kit: Kit) -> None:
        """Draw the questions of a run and ask them."""
        self.known = frozenset(dropped(kit).get("lost", ()))
        some = memories.load_some(kit.store, [*_draw(kit), *sorted(self.known)])
        if not some:
            return
        shas = {text_sha(one.text): one for one in some.values() if len(one.text) <= LONGEST_QUERY}
        read, rows = derived.load_vectors(kit.store, list(shas), models=ALIKE)
        self.reader = OwnVectors(dict(zip(read, derived.unit_rows(rows), strict=True)))
        having = {one.id: one for sha in read if (one := shas[sha])}
        self.asked = {one: having[one] for one in having if one in self.known} | self._found(kit, list(having.values()))

    def look_after(self, kit: Kit, counts: dict[str, float]) -> list[str]:
        """Ask them again and keep what is missing; says so in a sentence where it is more than noise, else nothing.

        Of how many that were asked for again how many were found goes into the counts of the run.
        """
        if not self.asked or kit.run is None:
            return []
        found, now = self._found(kit, list(self.asked.values())), memories.load_some(kit.store, list(self.asked))
        lost = [one for one in self.asked if one not in found and one in now and not self._was_taken_away(now[one])]
        kept = [one for one in self.asked if one in now and not self._was_taken_away(now[one])]
        counts.update(recall_asked=float(len(kept)), recall_found=float(len(kept) - len(lost)))
        fresh, still = [one for one in lost if one not in self.known], self.known & set(lost)
        if len(fresh) <= NOISE:
            if self.known and not still:
                _keep(kit, {})
            return []
        _keep(kit, {"run": kit.run.id, "lost": [*fresh, *sorted(still)], "of": len(self.asked)})
        return [f"search does not find {len(fresh)} of {len(self.asked)} memories any more that it found before this dream; "
                f"`dream undo {kit.run.id}` takes it back"]

    def _was_taken_away(self, memory: Memory) -> bool:
        return memory.status is Status.ARCHIVED and memory.reason in self.buried

    def _found(self, kit: Kit, asked: Sequence[Memory]) -> dict[str, Memory]:
        """Those of some memories that search finds by their own words."""
        eyes = replace(kit, embedder=self.reader, abroad=None, abroad_sought=True)
        look, shelf = Look(limit=WITHIN, record=False, unread=True), Shelf(scopes={str(one.scope) for one in asked})
        told = {one.id: [r.memory for r in search(eyes, one.text, replace(look, scopes=(one.scope,)), shelf=shelf).results]
                for one in asked}
        return {one.id: one for one in asked if _is_among(one, told[one.id], _heirs(kit, one))}


def _draw(kit: Kit) -> list[str]:
    """Some memories, others in each run: of as few scopes as have enough of them, those first in which something waits.

    There a dream can hide something, and only their vectors are read.
    """
    seed = kit.clock.now().isoformat()
    # Ids are hashes: those behind any of them are as good a draw, and no scope is read whole.
    draw = partial(shown.load_answering_ids, kit.store, after=content_id(seed))
    if kit.store.held:
        return draw(limit=min(ASKED, max(FEWEST, len(heads.load_heads(kit.store, scope=kit.store.held)))))
    waiting = {head.scope for head in heads.load_heads(kit.store)}
    # A server has thousands of scopes, and none is looked up among all memories.
    scopes = waiting or [""] if derived.finds_near(kit.store) else shown.scopes_answering(kit.store)
    drawn: list[str] = []
    for scope in sorted(scopes, key=lambda one: (one not in waiting, content_id(seed, one))):
        if len(drawn) < ASKED:
            drawn += draw(scope=scope, limit=ASKED - len(drawn))
    return drawn


def watch_over(kit: Kit, buried: frozenset[str]) -> Watch:
    """A watch that looks before the first write of a run."""
    watch = Watch(buried)
    kit.at_begin = partial(watch.look_before, kit)
    return watch


def dropped(kit: Kit) -> dict[str, list[str]]:
    """What the last alarm was about; nothing where none stands."""
    told = json.loads(kit.store.meta(DROPPED) or "{}")
    return told if isinstance(told, dict) else {}


def _keep(kit: Kit, told: dict[str, object]) -> None:
    with kit.writing() as tx:
        work.write_meta(tx, DROPPED, json.dumps(told) if told else "")


def _heirs(kit: Kit, memory: Memory) -> frozenset[str]:
    """A memory and all that took its place, one after the other."""
    heirs = {memory.id}
    while (one := memories.load_some(kit.store, [memory.id]).get(memory.id)) and one.superseded_by not in heirs | {""}:
        heirs.add(one.superseded_by)
        memory = replace(memory, id=one.superseded_by)
    return frozenset(heirs)


def _is_among(memory: Memory, results: Sequence[Memory], heirs: Collection[str]) -> bool:
    rests_on = set(memory.observations)
    return any(one.id in heirs or one.id in rests_on or not rests_on.isdisjoint(one.observations) for one in results)
