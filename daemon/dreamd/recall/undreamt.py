"""What waits for the next dream and has the words of a question: whoever has just told dream something finds it at once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from dreamd.core.values import Observation, Origin, Scope
from dreamd.recall.terms import word_matches
from dreamd.store import observations
from dreamd.store.connection import Store

MOST = 500
"""Statements that are looked at, the newest."""
SHOWN = 5
LEAST = 0.5
"""Share of a question's words without which nothing is shown: no network has read what waits."""


@dataclass(frozen=True)
class Waiting:
    """What waits and matches, the best first, and how many statements wait in all."""

    found: tuple[Observation, ...]
    count: int


def find_waiting(store: Store, query: str, *, scopes: Collection[Scope] = ()) -> Waiting:
    """What was said since the last dream; of a tool or a web page nothing is shown before it was judged."""
    with store.reading():
        seqs = observations.find_waiting(store)
        some = [one for one in observations.load_by_seqs(store, seqs[:MOST])
                if not one.target and one.origin not in (Origin.TOOL, Origin.WEB) and (not scopes or one.scope in scopes)]
    shares = word_matches(query, [one.text for one in some])
    best = sorted(((share, one) for share, one in zip(shares, some, strict=True) if share >= LEAST),
                  key=lambda row: (-row[0], -row[1].seq))
    return Waiting(tuple(one for _, one in best[:SHOWN]), len(seqs))
