"""What recall reads of a store: vectors and words of memories that may be shown, as light as they come.

Two plain scans and a join in memory take half the time of SQLite's own join, which looks up each vector by its hash.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dreamd.core.values import MEMORY_FILE, text_sha, with_context
from dreamd.store import seals
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.derived import MULTILINGUAL_BYTES, unit_rows
from dreamd.store.word_search import MOST_QUERY_WORDS, query_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


COMMON_FROM = 1_000
"""Memories with a word from which on it is common."""
FEWEST_WORDS = 2
MOST_WORDS = 120
SHORTEST_STEM = 4
MOST_EARLIER = 8
"""Other wordings kept of one memory; ten people who say the same in ten ways do not need more."""


_SUPPORT = "FROM support s JOIN observation o ON o.seq = s.observation WHERE s.memory = m.id AND o.origin = 'user'"
_SAID_IN = f"(SELECT COUNT(DISTINCT o.conversation) {_SUPPORT} AND o.conversation <> '')"
_OWN_WORDS = f"EXISTS (SELECT 1 {_SUPPORT} AND o.explicit = 1 AND o.sign <> '{MEMORY_FILE}')"
"""Whether a person noted it, asked for it to be remembered, or wrote it into a file of dream's."""


@dataclass(frozen=True)
class Row:
    """One memory with a vector: just enough to know whether a question may see it."""

    id: str
    scope: str
    status: str
    earlier: bool = False
    """Whether the vector is that of a wording the memory took in or replaced, or of its words behind what was said before."""
    behind: bool = False
    """Whether it is the last of these: the memory's words behind what was said before them."""
    wording: str = ""
    """The hash of the words."""


def read_pulse(store: Store) -> tuple[int, int]:
    """Two numbers that stay the same while nobody commits; free of charge."""
    with_others = store.one("PRAGMA data_version")
    return int(with_others[0]) if with_others else 0, store.connection.total_changes


def read_stamp(store: Store) -> tuple[object, ...]:
    """Facts that move whenever a memory or a vector may have; counting recalls or observations leaves them alone."""
    memories = store.one("SELECT COUNT(*), COALESCE(SUM(rev), 0), COALESCE(MAX(seq), 0) FROM memory")
    vectors = store.one("SELECT COUNT(*) FROM vector")
    last = store.one("SELECT seq, ended_at FROM run ORDER BY seq DESC LIMIT 1")
    return (*(memories or ()), *(vectors or ()), *(last or ()))


def load_vectors_of(store: Store, *, models: Sequence[str], statuses: Sequence[str],
                    among: Sequence[str] | None = None) -> tuple[list[Row], NDArray[np.float32]]:
    """Memories of some statuses that have a vector, in the order they were made, with one unit row each; of all or of some.

    Behind them, marked `earlier`, come the wordings they took in or replaced: who asks in those words means them. Where only
    some are wanted, what they replaced must be among them.
    """
    import numpy as np

    only, args = ("", ()) if among is None else (f"AND id IN {LISTED}", (listed(among),))
    with store.reading():
        found = store.tuples(f"SELECT id, scope, status, wording FROM memory WHERE status IN {LISTED} {only} ORDER BY seq",
                          listed(statuses), *args)
        earlier = _earlier_wordings(store, among) if found else {}
        if among is None:
            bodies = dict(store.tuples(f"SELECT wording, body FROM vector WHERE model IN {LISTED}", listed(models))
                          if found else ())
        else:
            shas = {*(r[3] for r in found), *(sha for some in earlier.values() for sha in some)}
            bodies = dict(store.tuples(f"SELECT wording, body FROM vector WHERE model IN {LISTED} AND wording IN {LISTED}",
                                       listed(models), listed(shas)))
    having = [Row(r[0], r[1], r[2], wording=r[3]) for r in found if r[3] in bodies]
    having += [Row(r[0], r[1], r[2], earlier=True, behind=behind, wording=sha)
               for r in found for sha, behind in earlier.get(r[0], {}).items() if sha in bodies and sha != r[3]]
    if not having:
        return [], np.zeros((0, 0), dtype=np.float32)
    body = b"".join(bodies[row.wording] for row in having)
    bodies.clear()
    return having, unit_rows(np.frombuffer(body, dtype="<f2").reshape(len(having), -1))


def load_multilingual(store: Store, *, model: str, among: Sequence[str] | None = None) -> tuple[list[str], NDArray[np.float32]]:
    """Under what every vector of the multilingual model is kept, or those of some, and these vectors as unit rows."""
    import numpy as np

    only, args = ("", ()) if among is None else (f"AND wording IN {LISTED}", (listed(among),))
    found = store.all(f"SELECT wording, body FROM vector WHERE model = ? AND length(body) = ? {only}", model,
                      MULTILINGUAL_BYTES, *args)
    rows = list({r[0]: r for r in found}.values())
    body = b"".join(r[1] for r in rows)
    return [r[0] for r in rows], unit_rows(np.frombuffer(body, dtype="<f2").reshape(len(rows), -1)) if rows else (
        np.zeros((0, 0), np.float32))


def load_wordings(store: Store, scope: str) -> list[str]:
    """The words of what a question in a scope may meet."""
    return [r[0] for r in store.all("""SELECT w.text FROM memory m JOIN wording w ON w.sha = m.wording
                                       WHERE m.status IN ('live', 'stale', 'held') AND m.scope = ? ORDER BY m.seq""", scope)]


def _earlier_wordings(store: Store, among: Sequence[str] | None = None) -> dict[str, dict[str, bool]]:
    """For each memory the hashes of what it replaced and what its observations said, alone and (true) behind their context."""
    only, said, args = ("", "", ()) if among is None else (f"AND id IN {LISTED}", f"AND s.memory IN {LISTED}", (listed(among),))
    heirs = {r[0]: r[1] for r in store.tuples(f"SELECT id, superseded_by FROM memory WHERE superseded_by != '' {only}", *args)}
    found: dict[str, dict[str, bool]] = {}
    rows = store.tuples(f"SELECT id, wording FROM memory WHERE superseded_by != '' {only} ORDER BY seq DESC", *args)
    for memory, sha in rows:
        found.setdefault(_last_heir(memory, heirs), {})[sha] = False
    # Only what differs from the memory's own words counts, and most observations are those words.
    rows = store.tuples(f"""SELECT s.memory, o.text, o.context, o.text != w.text FROM support s
                         JOIN observation o ON o.seq = s.observation
                         JOIN memory m ON m.id = s.memory JOIN wording w ON w.sha = m.wording
                         WHERE (o.text != w.text OR o.context != '') {said} ORDER BY o.seq DESC""", *args)
    for memory, text, context, reworded in rows:
        shas = found.setdefault(_last_heir(memory, heirs), {})
        if context:
            shas.setdefault(text_sha(with_context(text, context)), True)
        if reworded:
            shas.setdefault(text_sha(text), False)
    return {memory: dict(list(shas.items())[:MOST_EARLIER]) for memory, shas in found.items()}


def _last_heir(memory: str, heirs: dict[str, str]) -> str:
    """The memory that carries a claim today; the memory itself where its line leads in a circle."""
    seen = {memory}
    at = memory
    while at in heirs and heirs[at] not in seen:
        at = heirs[at]
        seen.add(at)
    return at


def search_words_of(store: Store, stems: Sequence[str], *, statuses: Sequence[str], scopes: Sequence[str],
                    limit: int) -> list[str]:
    """Ids of the memories that have most words that begin like some stems, best first; no scope means all of them."""
    terms = {term: 0 for stem in stems[:MOST_WORDS] if (term := _beginning(stem))}
    if base := seals.server_of(store.connection):
        from dreamd.store.team import word_ranks

        terms = word_ranks.count(base, list(terms))
        chosen = {term: terms[term] for term in _rare(terms)}
        return word_ranks.search(base, chosen, statuses=statuses, scopes=scopes, limit=limit)
    for term in terms:
        row = store.one("SELECT COUNT(*) FROM memory_words WHERE memory_words MATCH ?", term)
        terms[term] = int(row[0]) if row else 0
    expression = " OR ".join(_rare(terms))
    if not expression:
        return []
    where, args = (f" AND m.scope IN {LISTED}", (listed(scopes),)) if scopes else ("", ())
    rows = store.all(f"""SELECT m.id FROM memory_words JOIN memory m ON m.seq = memory_words.rowid
                         WHERE memory_words MATCH ? AND m.status IN {LISTED}{where}
                         ORDER BY bm25(memory_words), m.id LIMIT ?""", expression, listed(statuses), *args, limit)
    return [r["id"] for r in rows]


def _rare(found: Mapping[str, int]) -> list[str]:
    """Of expressions, with how many memories have each, those worth ranking: few enough have them, or they are the rarest two.

    Ranking costs a microsecond a match, and a word of thousands of memories tells none of them apart.
    """
    present = sorted((term for term, count in found.items() if count), key=lambda term: found[term])[:MOST_QUERY_WORDS]
    return [term for n, term in enumerate(present) if n < FEWEST_WORDS or found[term] <= COMMON_FROM]


def _beginning(stem: str) -> str:
    """An expression for words that begin with a stem; a short one must be the whole word."""
    term = query_words(stem)
    return f"{term}*" if len(stem) >= SHORTEST_STEM and term.count('"') == 2 else term and f"({term})"


def scopes_answering(store: Store) -> list[str]:
    """The scopes with memories that answer questions without a word about their age."""
    return [r[0] for r in store.tuples("SELECT DISTINCT scope FROM memory WHERE status IN ('live', 'stale')")]


def load_numbers(store: Store, scopes: Sequence[str]) -> tuple[list[str], list[int]]:
    """Ids of all memories of some scopes, and the numbers of their observations."""
    told = listed(scopes)
    return ([r[0] for r in store.tuples(f"SELECT id FROM memory WHERE scope IN {LISTED}", told)],
            [r[0] for r in store.tuples(f"SELECT seq FROM observation WHERE scope IN {LISTED}", told)])


def load_answering_ids(store: Store, *, scope: str = "", after: str = "", limit: int = -1) -> list[str]:
    """Ids of all memories that answer questions without a word about their age, or of some from an id on and around to it.

    Of one scope where it is named, or where it is held: a dream over it hides nothing of another.
    """
    only = store.held or scope
    mine, held = ("AND scope = ?", (only,)) if only else ("", ())
    rows = []
    for side in (">=", "<") if after else (">=",):
        order = "ORDER BY id" if after else ""
        rows += store.all(f"SELECT id FROM memory WHERE id {side} ? AND status IN ('live', 'stale') {mine} {order} LIMIT ?",
                          after, *held, limit)
    return [r["id"] for r in rows][:limit if limit >= 0 else None]


def load_recent_ids(store: Store, *, scope: str, limit: int) -> list[str]:
    """Ids of the live memories of a scope that changed last, the newest first."""
    rows = store.all("SELECT id FROM memory WHERE scope = ? AND status = 'live' ORDER BY updated_at DESC, id DESC LIMIT ?",
                     scope, limit)
    return [r["id"] for r in rows]


def load_lasting_ids(store: Store, *, scopes: Sequence[str], days: tuple[str, str], limit: int, among: Sequence[str] = (),
                     ) -> list[str]:
    """Ids of live memories that a new conversation may be told, of all or of some, the most lasting first.

    These are what is pinned, what ends between two days, and of a person's own words what they noted or wrote themselves, what
    is a rule or a preference, and what they said in two conversations.
    """
    named, args = (f"AND m.id IN {LISTED}", (listed(among),)) if among else ("", ())
    rows = store.all(f"""SELECT id FROM (
                           SELECT m.id, m.authority, m.confirmed_at, m.class IN ('rule', 'preference') AS standing,
                             m.pinned = 1 OR COALESCE(m.ttl, '') BETWEEN ? AND ? AS first, {_SAID_IN} AS times,
                             {_OWN_WORDS} AS own
                           FROM memory m WHERE m.scope IN {LISTED} AND m.status = 'live' AND m.trust <> 'untrusted' {named}
                         ) AS told
                         WHERE first OR authority = 'user' AND (standing OR times > 1 OR own)
                         ORDER BY first DESC, standing DESC, MIN(times, 3) DESC, confirmed_at DESC, id DESC LIMIT ?""",
                     *days, listed(scopes), *args, limit)
    return [r["id"] for r in rows]


@dataclass(frozen=True)
class Dated:
    """A memory that may name a day."""

    id: str
    text: str
    said_at: str
    ttl: str | None


def load_dated(store: Store, *, scopes: Sequence[str]) -> list[Dated]:
    """Live memories of some scopes with a number in them."""
    return [Dated(*row) for row in store.tuples(
        f"""SELECT m.id, w.text, m.confirmed_at, m.ttl FROM memory m JOIN wording w ON w.sha = m.wording
            WHERE m.scope IN {LISTED} AND m.status = 'live' AND m.trust <> 'untrusted' AND w.text GLOB '*[0-9]*'""",
        listed(scopes))]


def count_waiting(store: Store, *, scopes: Sequence[str]) -> int:
    """How many memories of some scopes wait for a person's decision."""
    row = store.one(f"SELECT COUNT(*) FROM memory WHERE status = 'held' AND scope IN {LISTED}", listed(scopes))
    return int(row[0]) if row else 0
