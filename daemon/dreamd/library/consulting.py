"""Finding passages of documents: what words and what vectors bring up; whoever asks weighs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dreamd.core.errors import StoreMissing
from dreamd.models import ALIKE
from dreamd.store.library import chunks, corpora
from dreamd.store.library.chunks import Passage
from dreamd.store.library.library_file import Library
from dreamd.store.word_search import query_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POOL = 60
"""Passages that words bring up, and as many that vectors do."""


@dataclass(frozen=True)
class Brought:
    """A passage that a question brought up; `cosine` is None where it has no vector yet."""

    passage: Passage
    cosine: float | None


def choose(library: Library, *, names: Sequence[str] = (), tag: str = "") -> list[str]:
    """The corpora that are looked through. Raises StoreMissing for a name that no corpus has."""
    known = corpora.load_corpora(library)
    unknown = [name for name in names if name not in {c.name for c in known}]
    if unknown:
        raise StoreMissing(f"no corpus `{unknown[0][:80]}`", hint="`dream corpus list` names them")
    return [c.name for c in known if (not names or c.name in names) and (not tag or tag in c.tags)]


def bring_up(library: Library, words: str, question: NDArray[np.float32] | None, among: Sequence[str]) -> list[Brought]:
    """The passages of some corpora nearest to a question, by words and by vector, in no order that matters."""
    if not among:
        return []
    cosines: dict[int, float] = {}
    by_words = chunks.find_words(library, expression, among=among, limit=POOL) if (expression := query_words(words)) else []
    if question is not None:
        wanted = set(by_words)
        for seqs, rows in chunks.vectors_of(library, ALIKE, among=among):
            near = (rows @ question).tolist()
            best = sorted(range(len(seqs)), key=lambda n: -near[n])[:POOL]
            cosines.update((seqs[n], near[n]) for n in (*best, *(n for n, seq in enumerate(seqs) if seq in wanted)))
    nearest = sorted(cosines, key=lambda seq: (-cosines[seq], seq))[:POOL]
    found = chunks.load_passages(library, list(dict.fromkeys((*nearest, *by_words))))
    return [Brought(found[seq], cosines.get(seq)) for seq in dict.fromkeys((*nearest, *by_words)) if seq in found]
