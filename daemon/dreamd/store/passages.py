"""Passages: observations of which no memory is made, as recall reads them. Words and fate are the observation's.

Everything a person said is one that no memory tells of: what was said in passing, what the gate keeps from becoming a memory
for its kind and not for what is in it, and what waits for its form alone. What was set aside by an undo, taken back by a
later word, or has passed the end it names is no passage any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dreamd.core.clock import parse_instant
from dreamd.core.errors import StoreMissing
from dreamd.core.values import (
    IN_PASSING,
    LEARNED,
    Category,
    Gated,
    GateVerdict,
    Memory,
    MemoryClass,
    MemoryType,
    Observation,
    Origin,
    Status,
    Trust,
    parse_scope,
    text_sha,
    with_context,
)
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.derived import WEIGHED, finds_near, load_vectors, unit_rows
from dreamd.store.memories import SHORTEST_ID, load_memory
from dreamd.store.presence.sound_rows import sound_row

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

ONLY_NO_MEMORY = frozenset({"editing-instruction", "history", "procedure"})
"""Refusals of the gate that keep a sentence from becoming a memory, and not from being found as it was said."""
KEPT_AS_SAID = ONLY_NO_MEMORY | {IN_PASSING, "too-short"}
"""Fates of what a person said and no memory is made of: it is found as a passage. Secrets, code and attacks are not."""
HELD_FOR_FORM = frozenset({"question", "thought", "outside-pronoun", "names-nothing", "single-sighting"})
"""Why a memory waits whose form alone is in doubt: what the person said is found as a passage until it is decided."""


def _quoted(words: AbstractSet[str]) -> str:
    return ", ".join(f"'{word}'" for word in sorted(words))


_OF_A_PERSON = f"(o.origin = 'user' OR o.sign = '{IN_PASSING}')"
"""What an agent said is kept in passing only where the person let it stand."""
_NO_MARK = f"(length(o.target) = 0 OR o.sign = '{IN_PASSING}')"
"""What says something of a memory or its file is nobody's words. Asked so that no server looks for what has no target in its
index of targets, by which it would read nearly all that was ever said."""
_KEPT = f"f.reason IN ({_quoted(KEPT_AS_SAID)}) AND f.set_aside = 0"
_UNTOLD = """NOT EXISTS (SELECT 1 FROM support s JOIN memory m ON m.id = s.memory
  WHERE s.observation = o.seq AND m.status != 'held')"""
_WAITS = f"m.status = 'held' AND m.reason IN ({_quoted(HELD_FOR_FORM)})"


def _among(fates: str = "", held: str = "") -> str:
    """Passages, found from the side of fates and of memories: neither looks at an observation that is no passage."""
    return f"""FROM (SELECT f.observation AS seq FROM fate f WHERE {_KEPT} {fates}
    UNION SELECT s.observation FROM memory m JOIN support s ON s.memory = m.id WHERE {_WAITS} {held}) AS p
  JOIN observation o ON o.seq = p.seq WHERE {_OF_A_PERSON} AND {_NO_MARK} AND {_UNTOLD}"""


_ALL = _among()
_CHOSEN = _among(f"AND f.observation IN {LISTED}", f"AND s.observation IN {LISTED}")
_AFTER = "AND f.run > ?", "AND m.id IN (SELECT memory FROM operation WHERE run > ?)"
"""Those that became passages after a run."""
_CARRIER = f"SELECT m.id FROM support s JOIN memory m ON m.id = s.memory WHERE s.observation = o.seq AND {_WAITS}"


def _some(fates: str = "", held: str = "") -> str:
    """The same from the side of an observation, for those that are named, and for those of a scope in a server's index."""
    return f"""FROM observation o WHERE {_OF_A_PERSON} AND {_NO_MARK} AND {_UNTOLD} AND (
  EXISTS (SELECT 1 FROM fate f WHERE f.observation = o.seq AND {_KEPT} {fates}) OR EXISTS ({_CARRIER} {held}))"""


_SOME = _some()
_COLUMNS = "o.id, o.text, o.at, o.scope, o.conversation, o.ttl, o.context"
_TAKEN_BACK = "SELECT substr(target, 6) FROM observation WHERE target >= 'said:' AND target < 'said;'"
_NOT_LEARNED = f"substr(o.sign, 1, {len(LEARNED)}) <> '{LEARNED}'"
"""Behind what was learned of many lines stand those lines, which nobody said before it."""
_CARRIED = f"""SELECT o.text, o.context FROM memory m JOIN support s ON s.memory = m.id
  JOIN observation o ON o.seq = s.observation
  WHERE m.status IN ('live', 'stale', 'held') AND o.context <> '' AND {_NOT_LEARNED} AND o.scope = ? ORDER BY o.seq"""
MOST_STEMS = 12


def _of(store: Store, fates: str = "", held: str = "") -> str:
    """Passages to choose from by their scope: a server finds its observations, a file sooner all that are passages."""
    return (_some if finds_near(store) else _among)(fates, held)


def is_kept(one: Observation, gated: Gated) -> bool:
    """Whether what was said will be found as a passage, whatever becomes of it."""
    if one.sign != IN_PASSING and (one.target or one.origin is not Origin.USER):
        return False
    if gated.verdict is GateVerdict.HOLD:
        return gated.reason in HELD_FOR_FORM
    return gated.verdict is GateVerdict.DISCARD and gated.reason in KEPT_AS_SAID


def load_answered(store: Store, ids: Sequence[str]) -> dict[str, str]:
    """For memories and passages by id what was said just before them; nothing for what was said out of the blue."""
    found: dict[str, str] = {}
    for identity, context in store.tuples(f"""SELECT s.memory, o.context FROM support s
              JOIN observation o ON o.seq = s.observation WHERE s.memory IN {LISTED} AND o.context <> ''
            UNION ALL SELECT o.id, o.context FROM observation o WHERE o.id IN {LISTED} AND o.context <> ''""",
                                          listed(ids), listed(ids)):
        found[identity] = f"{found[identity]}\n{context}" if identity in found else context
    return found


@dataclass(frozen=True)
class Row:
    """One passage with a vector: just enough to know whether a question may see it."""

    id: str
    scope: str
    wordings: tuple[str, str] = ("", "")
    """The hashes of its words, alone and behind what was said before them."""


def load_vectors_of(store: Store, *, models: Sequence[str], among: Sequence[int] | None = None,
                    ) -> tuple[list[Row], NDArray[np.float32], NDArray[np.float32]]:
    """The passages that have a vector, in the order they were said, with one unit row each; and one with what was before.

    `among` are the numbers of observations, where not all that are passages are wanted.

    Where nothing was said before, or the second vector is not made yet, both rows are the same.
    """
    import numpy as np

    with store.reading():
        found, gone = _passages(store, among)
        shas = {r["id"]: (text_sha(r["text"]), text_sha(with_context(r["text"], r["context"])))
                for r in found if r["id"] not in gone}
        known, bodies = load_vectors(store, list(dict.fromkeys(sha for pair in shas.values() for sha in pair)), models=models)
    place = {sha: n for n, sha in enumerate(known)}
    having = [Row(r["id"], r["scope"], shas[r["id"]]) for r in found if r["id"] in shas and shas[r["id"]][0] in place]
    if not having:
        return [], np.zeros((0, 0), dtype=np.float32), np.zeros((0, 0), dtype=np.float32)
    rows = unit_rows(bodies)
    alone = [place[shas[row.id][0]] for row in having]
    return having, rows[alone], rows[[place.get(shas[row.id][1], n) for n, row in zip(alone, having, strict=True)]]


def _passages(store: Store, among: Sequence[int] | None) -> tuple[list[sqlite3.Row], set[str]]:
    """The passages, all or some, and those that were taken back."""
    if among is None:
        found = store.all(f"SELECT {_COLUMNS} {_ALL} ORDER BY o.seq")
        return found, {r[0] for r in store.all(_TAKEN_BACK)} if found else set()
    some = listed(among)
    found = store.all(f"SELECT {_COLUMNS} {_CHOSEN} ORDER BY o.seq", some, some)
    told = listed([f"said:{r['id']}" for r in found])
    return found, {r[0] for r in store.all(f"SELECT substr(target, 6) FROM observation WHERE target IN {LISTED}", told)}


def load_texts(store: Store, scope: str, *, carried: bool) -> tuple[list[str], list[str]]:
    """What has to have a vector: the words of every passage of a scope, alone, and behind what was said before them.

    With `carried`, what memories carry counts too, behind what was said before it.
    """
    passing = store.all(f"SELECT o.text, o.context {_of(store)} AND o.scope = ? ORDER BY o.seq", scope)
    told = [*passing, *(store.all(_CARRIED, scope) if carried else ())]
    return [r["text"] for r in passing], [with_context(r["text"], r["context"]) for r in told if r["context"]]


def load_behind_memories(store: Store, scope: str) -> list[str]:
    """What was said of all that memories of a scope carry, alone and behind what was said before it, each once."""
    rows = store.tuples(f"""SELECT o.text, CASE WHEN {_NOT_LEARNED} THEN o.context ELSE '' END
                            FROM memory m JOIN support s ON s.memory = m.id
                            JOIN observation o ON o.seq = s.observation WHERE m.scope = ? ORDER BY o.seq""", scope)
    return list(dict.fromkeys(words for text, context in rows
                              for words in (text, with_context(text, context) if context else text)))


@dataclass(frozen=True)
class Spoken:
    """One passage as it is judged: its words, when and where they were said."""

    id: str
    text: str
    at: datetime
    scope: str


def load_unweighed(store: Store, *, after: int, scope: str | None = None) -> list[Spoken]:
    """The passages that became such after a run and were not weighed yet, the latest first."""
    where, args = ("AND o.scope = ?", (scope,)) if scope else ("", ())
    lately = _of(store, *_AFTER) if scope else _among(*_AFTER)
    return _spoken(store, f"""{lately} {where} AND NOT EXISTS (SELECT 1 FROM judged j WHERE j.a = '{WEIGHED}' AND j.b = o.id)
                              ORDER BY o.at DESC, o.id""", after, after, *args)


def load_spoken(store: Store, *, scope: str | None = None) -> list[Spoken]:
    """Every passage, of one scope or of all, in the order they were said."""
    where, args = ("AND o.scope = ?", (scope,)) if scope else ("", ())
    return _spoken(store, f"{_of(store) if scope else _ALL} {where} ORDER BY o.at, o.id", *args)


@sound_row
def _spoken(store: Store, rest: str, *args: object) -> list[Spoken]:
    rows = store.tuples(f"SELECT o.id, o.text, o.at, o.scope {rest}", *args)
    gone = {r[0] for r in store.tuples(_TAKEN_BACK)} if rows else set()
    return [Spoken(i, text, parse_instant(at), place) for i, text, at, place in rows if i not in gone]


@sound_row
def load_changed_beside(store: Store, *, after: int, scope: str | None = None) -> list[Spoken]:
    """Memories that changed after a run and stand in a scope that has passages, the last to be confirmed first."""
    where, args = f"m.scope IN (SELECT o.scope {_ALL})", tuple[str, ...]()
    if scope:
        where, args = f"m.scope = ? AND EXISTS (SELECT 1 {_of(store)} AND o.scope = ?)", (scope, scope)
    rows = store.tuples(f"""SELECT m.id, w.text, m.confirmed_at, m.scope FROM memory m JOIN wording w ON w.sha = m.wording
                            WHERE m.id IN (SELECT memory FROM operation WHERE run > ?)
                              AND m.status IN ('live', 'stale', 'held', 'superseded') AND {where}
                            ORDER BY m.confirmed_at DESC, m.id""", after, *args)
    return [Spoken(i, text, parse_instant(at), place) for i, text, at, place in rows]


def load_some(store: Store, ids: Sequence[str]) -> dict[str, Memory]:
    """Passages by full id, in the form recall shows; what is none is left out."""
    return {r["id"]: _face(r) for r in store.all(f"SELECT {_COLUMNS} {_SOME} AND o.id IN {LISTED}", listed(ids))}


@dataclass(frozen=True)
class Place:
    """A passage with the number of its observation and the memory that waits with its words, if one does."""

    seq: int
    passage: Memory
    memory_id: str


def find(store: Store, identity: str) -> Place | None:
    """A passage by its id or a unique beginning of it; None where there is none."""
    wanted = identity.strip().lower()
    if len(wanted) < SHORTEST_ID:
        return None
    rows = store.all(f"""SELECT {_COLUMNS}, o.seq, ({_CARRIER} LIMIT 1) AS carrier {_SOME} AND o.id >= ? AND o.id < ?
                         LIMIT 2""", wanted, wanted + "g")
    return Place(int(rows[0]["seq"]), _face(rows[0]), rows[0]["carrier"] or "") if len(rows) == 1 else None


def load_named(store: Store, identity: str) -> Memory | Place:
    """A memory or a passage by its id or a unique beginning of it; the memory where one waits with the words of the passage.

    Raises what `load_memory` raises where there is neither.
    """
    try:
        return load_memory(store, identity)
    except StoreMissing:
        found = find(store, identity)
        if found is None:
            raise
        return load_memory(store, found.memory_id) if found.memory_id else found


def load_shown(store: Store, identity: str) -> Memory:
    """The same, a passage in the form recall shows."""
    named = load_named(store, identity)
    return named.passage if isinstance(named, Place) else named


def search_words_of(store: Store, stems: Sequence[str], *, scopes: Sequence[str], limit: int) -> list[str]:
    """Ids of the passages that have most of some stems, the latest first among equals; for a search that has only words."""
    likes = [f"%{stem.replace('%', '').replace('_', '')}%" for stem in stems[:MOST_STEMS] if stem.strip("%_")]
    if not likes:
        return []
    score = " + ".join(["(o.text LIKE ?)"] * len(likes))
    where, args = (f" AND o.scope IN {LISTED}", (listed(scopes),)) if scopes else ("", ())
    with store.reading():
        gone = {r[0] for r in store.all(_TAKEN_BACK)}
        rows = store.all(f"""SELECT o.id, {score} AS score {_of(store) if scopes else _ALL}{where}
                             ORDER BY score DESC, o.at DESC, o.id LIMIT ?""", *likes, *args, limit + len(gone))
    return [r["id"] for r in rows if r["score"] and r["id"] not in gone][:limit]


@sound_row
def _face(row: sqlite3.Row) -> Memory:
    at = parse_instant(row["at"])
    return Memory(row["id"], parse_scope(row["scope"]), row["text"], MemoryClass.HISTORY, MemoryType.PROJECT, Category.PROJECTS,
                  Status.SAID, Trust.USER, Trust.USER, at, at, at, at, ttl=row["ttl"], observations=(row["id"],),
                  spoken_in=(row["conversation"],) if row["conversation"] else (), reason=IN_PASSING,
                  answers=row["context"])
