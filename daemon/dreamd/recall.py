"""Recall: the right memories for a question, each with why it ranks where it does.

Words and vectors are looked up apart and fused by `ranking`. While the model is away words alone answer, and
the answer says so. What was shown is counted, after the answer is made and never in its way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dreamd import inbox, mutex
from dreamd.errors import DreamError, Outage, UsageError
from dreamd.kit import Kit
from dreamd.model import Memory, Scope, Status
from dreamd.ranking import Asked, Budget, Hit, rank, word_matches
from dreamd.store import derived, memories

WORD_POOL = 200
VECTOR_POOL = 100
RECALL_BUDGET_S = 0.05
"""Longest a recall waits to be counted at once; past it the count goes to the inbox."""
LONGEST_QUERY = 4000
WITH_VECTORS = "words+vectors"
WORDS_ONLY = "words"

PATH = re.compile(r"(?<![\w/.:@-])(~?/?(?:[\w.@+-]+/)+[\w.@+-]*[\w@+-]"
                  r"|[\w-]+\.(?:py|js|ts|tsx|go|rs|c|h|cpp|java|rb|sh|md|toml|yaml|yml|json|cfg|ini|sql))(?![\w/])")


@dataclass(frozen=True)
class Found:
    """One memory of an answer; `clue` says what it names that is not there."""

    memory: Memory
    score: float
    parts: dict[str, float]
    clue: str | None = None


@dataclass(frozen=True)
class Recall:
    """An answer, and whether meaning or words alone found it."""

    query: str
    results: tuple[Found, ...]
    mode: str
    warning: str = ""


def search(kit: Kit, query: str, *, limit: int | None = None, budget: str = "balanced", held: bool = False,
           scope: Scope | None = None, record: bool = True, directory: Path | None = None) -> Recall:
    """The memories that answer a query, best first.

    Raises UsageError for an empty or endless query. Works by words alone while the model is away.
    """
    if not query.strip():
        raise UsageError("an empty query finds nothing", hint="say what you are looking for")
    if len(query) > LONGEST_QUERY:
        raise UsageError(f"the query is longer than {LONGEST_QUERY} characters")
    wanted = {Status.LIVE, Status.STALE} | ({Status.HELD} if held else set())
    mode, warning = WITH_VECTORS, ""
    words = derived.search_words(kit.store, query, limit=WORD_POOL)
    try:
        near = _nearest(kit, query, scope, wanted)
    except Outage as outage:
        near, mode, warning = {}, WORDS_ONLY, f"{outage.message}; found by words alone"
    known = memories.load_some(kit.store, list({**words, **near}))
    pool = [m for m in known.values() if m.status in wanted and (scope is None or m.scope == scope)]
    matches = word_matches(query, [m.text for m in pool])
    hits = [Hit(m, matches[n], near.get(m.id, 0.0) if mode == WITH_VECTORS else None) for n, m in enumerate(pool)]
    ranked = rank(query, hits, now=kit.clock.now(), rules=kit.settings.recall,
                  asked=Asked(budget=Budget(budget), count=limit, held=held))
    results = tuple(Found(r.memory, r.score, r.parts, find_clue(r.memory.text, directory)) for r in ranked)
    if record and results:
        record_recalls(kit, [r.memory.id for r in results])
    return Recall(query, results, mode, warning)


def _nearest(kit: Kit, query: str, scope: Scope | None, wanted: set[Status]) -> dict[str, float]:
    """Similarity of the nearest memories by id."""
    import numpy as np

    from dreamd.embedding import MODEL_ID

    ids, matrix = derived.load_matrix(kit.store, model=MODEL_ID, scope=str(scope) if scope else None,
                                      statuses=[s.value for s in wanted])
    if not ids:
        return {}
    asked = kit.load_embedder(1).embed([query])[0]
    cosines = matrix @ asked.astype(np.float32)
    best = np.argsort(-cosines, kind="stable")[:VECTOR_POOL]
    return {ids[i]: float(cosines[i]) for i in best}


def record_recalls(kit: Kit, ids: Sequence[str]) -> None:
    """Count a recall for each memory; where the store is busy the count waits in the inbox."""
    now = kit.clock.now()
    try:
        with mutex.foreground(kit.paths.locks, RECALL_BUDGET_S), kit.store.writing() as tx:
            memories.record_recalls(tx, ids, now)
    except DreamError:
        inbox.put_recalls(kit.paths, ids, now=now, ticket=str(kit.clock.monotonic()))


def find_clue(text: str, directory: Path | None) -> str | None:
    """What a memory names that cannot be found from a directory: a clue that it may be out of date."""
    if directory is None:
        return None
    for name in dict.fromkeys(PATH.findall(text)):
        path = Path(name).expanduser()
        if "://" in text[max(0, text.find(name) - 8):text.find(name)]:
            continue
        try:
            there = (path if path.is_absolute() else directory / path).exists()
        except OSError:
            continue
        if not there:
            return "path missing"
    return None
