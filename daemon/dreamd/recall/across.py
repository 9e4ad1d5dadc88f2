"""How near a question is to what is in another language than it: by the vectors of the multilingual model.

To the embedding model all of one other language is alike. Where a store holds words that are not English, these are measured
by the other model, and all that has such a vector is where the question itself is not English.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dreamd.core.values import abroad_key
from dreamd.kit import Kit
from dreamd.models.multilingual import MULTILINGUAL_ID, SCALE
from dreamd.store import shown
from dreamd.text.language import is_english

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Abroad:
    """The multilingual vectors of a store."""

    place: Mapping[str, int]
    matrix: Floats

    def asked(self, kit: Kit, query: str) -> Across | None:
        """How near all of them are to a question; None where their encoder is not there.

        Raises Outage when it fails.
        """
        embedder = kit.load_abroad()
        return None if embedder is None else self.met(embedder.embed_questions([query])[0], query)

    def met(self, question: Floats, query: str) -> Across:
        """The same for a question that was read."""
        return Across(self.place, (self.matrix @ question * SCALE).clip(-1.0, 1.0), is_english=is_english(query))


@dataclass(frozen=True)
class Across:
    """How near one question is to words of other languages."""

    place: Mapping[str, int]
    cosines: Floats
    is_english: bool

    def over(self, cosines: Floats, wordings: Sequence[str]) -> Floats:
        """The cosines of wordings, given by their hashes; in their place those that were measured across languages."""
        measured = cosines.copy()
        for n, sha in enumerate(wordings):
            place = self.place.get(abroad_key(sha))
            if place is None and not self.is_english:
                place = self.place.get(sha)
            if place is not None:
                measured[n] = self.cosines[place]
        return measured


def multilingual_id(kit: Kit) -> str:
    """The name of the model that reads other languages."""
    return kit.abroad.model_id if kit.abroad else MULTILINGUAL_ID


def load_abroad(kit: Kit, among: Sequence[str] | None = None) -> Abroad | None:
    """The multilingual vectors of a store, or of some wordings; None where none of these is of another language."""
    keys, matrix = shown.load_multilingual(kit.store, model=multilingual_id(kit), among=among)
    return Abroad({key: n for n, key in enumerate(keys)}, matrix) if keys else None
