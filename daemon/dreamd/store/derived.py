"""What is derived and may be thrown away: vectors, verdicts on pairs, the word search, the vector file's facts."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from dreamd.core.clock import iso
from dreamd.core.identity import vector_keys
from dreamd.core.plain_words.evidence_words import from_json, to_json
from dreamd.core.values import Basis, Judgement, Relation, Scope, text_sha, with_context
from dreamd.store import schema, seals
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.presence.sound_rows import sound_row
from dreamd.store.word_search import index_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PAIRS_PART = 200
UNIT_PART = 4096
SIDE_DIGITS = 24
SHA_DIGITS = 64
"""The hash of words alone; another key of them is longer."""
VECTOR_BYTES = 384 * 2
MULTILINGUAL_BYTES = 512 * 2
LOST = "vectors lost"
"""The store's fact that its vectors were thrown away, until a dream has made them anew."""
WEIGHED = ""
"""First side of the rows that tell which passages were weighed; the second is the passage's id."""


@lru_cache(maxsize=65_536)  # asked for each pair a statement is in
def pair_side(text: str, at: datetime | None) -> str:
    """One side of a judged pair: the hash of its words and when it was said."""
    return side_of(text_sha(text), at)


def side_of(sha: str, at: datetime | None) -> str:
    """The same for words that are known by their hash."""
    return f"{sha[:SIDE_DIGITS]}@{iso(at) if at else ''}"


def load_vectors(store: Store, wordings: Sequence[str], *, models: Sequence[str]) -> tuple[list[str], NDArray[np.float16]]:
    """The wording hashes of which a vector is known, and their vectors, float16 as stored, one a row."""
    known: list[str] = []
    bodies: list[bytes] = []
    rows = store.tuples(f"SELECT wording, body FROM vector WHERE model IN {LISTED} AND wording IN {LISTED}", listed(models),
                        listed(wordings))
    for wording, body in dict(rows).items():
        # One that is damaged is missing: it is made anew, and must not shift the others.
        if isinstance(body, bytes) and len(body) == len(bodies[0] if bodies else body):
            known.append(wording)
            bodies.append(body)
    return known, _matrix(bodies)


def has_any_vector(store: Store, keys: Sequence[str]) -> bool:
    """Whether any vector is kept under one of some keys, whichever model made it."""
    return bool(store.tuples(f"SELECT 1 FROM vector WHERE wording IN {LISTED} LIMIT 1", listed(keys)))


def load_standing(store: Store, scope: Scope, *, models: Sequence[str]) -> tuple[list[str], list[str], NDArray[np.float16]]:
    """The words of every memory of a scope, in the order of their founding statements: all that a search for partners needs.

    With them those of which a vector is known, and these vectors, as `load_vectors` gives them.
    """
    rows = store.tuples(f"""SELECT w.text, v.body FROM memory m JOIN wording w ON w.sha = m.wording
                            LEFT JOIN vector v ON v.wording = m.wording AND v.model IN {LISTED}
                            WHERE m.scope = ? ORDER BY m.created_at, m.id""", listed(models), str(scope))
    sound = {text: body for text, body in rows if body is not None}
    if set(map(type, sound.values())) - {bytes} or len(set(map(len, sound.values()))) > 1:
        # Some are damaged: those of the size that most have are not.
        sizes = Counter(len(body) for body in sound.values() if isinstance(body, bytes))
        size = max(sizes, key=lambda one: sizes[one], default=0)
        sound = {text: body for text, body in sound.items() if isinstance(body, bytes) and len(body) == size}
    return [text for text, _ in rows], list(sound), _matrix(list(sound.values()))


def finds_near(store: Store) -> bool:
    """Whether the store itself finds what is near to a vector; beside a file, whoever asks compares with what it holds."""
    return seals.server_of(store.connection) is not None


def nearest(store: Store, rows: NDArray[np.float32], *, models: Sequence[str], scopes: Sequence[str],
            count: int) -> list[dict[str, float]]:
    """For each of some vectors the wordings nearest to it of a store that finds them: see `team.team_vectors`."""
    from dreamd.store.team import team_vectors

    base = seals.server_of(store.connection)
    return team_vectors.nearest(base, rows, models=models, scopes=scopes, count=count) if base else [{} for _ in rows]


def find_owners(store: Store, wordings: Sequence[str], *, scopes: Sequence[str]) -> tuple[list[str], list[int]]:
    """The memories and the observations that some wordings belong to, of such a store."""
    from dreamd.store.team import team_vectors

    base = seals.server_of(store.connection)
    return team_vectors.find_owners(base, wordings, scopes=scopes) if base else ([], [])


def has_vectors(store: Store, *, model: str = "", scopes: Sequence[str] = ()) -> bool:
    """Whether such a store has any vector, or one of a model in some scopes."""
    parts = [("model = ?", model)] if model else []
    parts += [(f"scope IN {LISTED}", listed([*scopes, ""]))] if scopes else []
    where = " AND ".join(part for part, _ in parts) or "TRUE"
    return store.one(f"SELECT 1 FROM vector WHERE {where} LIMIT 1", *(value for _, value in parts)) is not None


def find_lines(store: Store, ids: Sequence[str]) -> list[str]:
    """Some memories of such a store with all that they replaced and all that replaced them."""
    from dreamd.store.team import team_vectors

    base = seals.server_of(store.connection)
    return team_vectors.whole_lines(base, ids) if base else list(ids)


def load_texts(store: Store, scope: Scope) -> list[str]:
    """The words of every memory of a scope, in the order of their founding statements."""
    return [text for text, in store.tuples("""SELECT w.text FROM memory m JOIN wording w ON w.sha = m.wording
                                              WHERE m.scope = ? ORDER BY m.created_at, m.id""", str(scope))]


def find_held(store: Store, scope: Scope, *, models: Sequence[str]) -> set[str]:
    """The hashes of all wordings of a scope that have a vector, of such a store."""
    return {sha for sha, in store.tuples(f"SELECT wording FROM vector WHERE scope IN (?, '') AND model IN {LISTED}", str(scope),
                                         listed(models))}


def find_missing(store: Store, wordings: Sequence[str], *, models: Sequence[str]) -> list[str]:
    """The wording hashes of which no vector is known, each once."""
    asked = list(dict.fromkeys(wordings))
    rows = store.tuples(f"SELECT wording FROM vector WHERE model IN {LISTED} AND wording IN {LISTED}", listed(models),
                        listed(asked))
    known = {sha for sha, in rows}
    return [sha for sha in asked if sha not in known]


def find_made_by(store: Store, models: Sequence[str]) -> list[str]:
    """The hashes of the wordings whose vectors some engines made; of the scope that is held, where one is."""
    mine, held = ("AND scope = ?", (store.held,)) if store.held else ("", ())
    rows = store.all(f"SELECT wording FROM vector WHERE model IN {LISTED} AND length(wording) = ? {mine}", listed(models),
                     SHA_DIGITS, *held)
    return [row[0] for row in rows]


def load_words_of(store: Store, wordings: Sequence[str], *, limit: int) -> dict[str, str]:
    """The words behind some hashes, as far as memories or observations have them; at most `limit`."""
    rows = store.tuples(f"SELECT sha, text FROM wording WHERE sha IN {LISTED} LIMIT ?", listed(wordings), limit)
    found: dict[str, str] = dict(rows)
    asked = set(wordings) - found.keys() if len(found) < limit else set()
    for text, context in store.tuples("SELECT text, context FROM observation ORDER BY seq") if asked else ():
        for words in (text, with_context(text, context)) if context else (text,):
            sha = text_sha(words)
            if sha in asked and len(found) < limit:
                found[sha] = words
    return found


def unit_rows(rows: NDArray[np.float16]) -> NDArray[np.float32]:
    """The same rows, each of length one, for cosines by one product; a row of zeros stays one."""
    import numpy as np

    wide: NDArray[np.float32] = rows.astype(np.float32)
    for start in range(0, len(wide), UNIT_PART):  # all at once would take as much room again
        part = wide[start:start + UNIT_PART]
        part /= np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-12)
    return wide


def _matrix(bodies: Sequence[bytes]) -> NDArray[np.float16]:
    import numpy as np

    return np.frombuffer(b"".join(bodies), dtype="<f2").reshape(len(bodies), -1) if bodies else np.zeros((0, 0), "<f2")


def drop_vectors(tx: sqlite3.Connection, wording: str) -> None:
    """Forget the vectors of a wording, of every model."""
    tx.execute(f"DELETE FROM vector WHERE wording IN {LISTED}", (listed(vector_keys(wording)),))


def drop_made_by(tx: sqlite3.Connection, wordings: Sequence[str], models: Sequence[str]) -> None:
    """Forget the vectors of some wordings that some engines made."""
    tx.execute(f"DELETE FROM vector WHERE wording IN {LISTED} AND model IN {LISTED}", (listed(wordings), listed(models)))


def lose_vectors(tx: sqlite3.Connection) -> None:
    """Throw every vector away, also one that cannot be read any more, and remember that they are to be made anew."""
    for table in ("vector", "vector_file"):
        seals.empty(tx, table)
    tx.execute("INSERT OR REPLACE INTO meta VALUES (?, '1')", (LOST,))


def find_again(tx: sqlite3.Connection) -> None:
    """Remember that no vector is missing any more."""
    tx.execute("DELETE FROM meta WHERE key = ?", (LOST,))


def write_vectors(tx: sqlite3.Connection, vectors: Mapping[str, NDArray[np.float16]], *, model: str,
                  instead_of: Sequence[str] = ()) -> None:
    """Keep vectors, little-endian float16 on every machine; those of the same words under some other names go."""
    drop_made_by(tx, list(vectors), instead_of)
    if base := seals.server_of(tx):
        from dreamd.store.team import team_vectors

        team_vectors.write(base, vectors, model=model)
        return
    tx.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)",
                   ((wording, model, body.astype("<f2").tobytes()) for wording, body in vectors.items()))


@sound_row
def load_judged(store: Store, pairs: Iterable[tuple[str, str]], *, judge: str) -> dict[tuple[str, str], Judgement]:
    """The verdicts this judge remembers of some pairs, each by the hashes of both sides, smaller hash first."""
    asked = sorted(set(pairs))
    found: dict[tuple[str, str], Judgement] = {}
    for start in range(0, len(asked), PAIRS_PART):
        part = asked[start:start + PAIRS_PART]
        # Joined, for SQLite reads the whole table to find which of its rows are IN a list of pairs.
        rows = store.all(f"""WITH asked (a, b) AS (VALUES {', '.join(['(?, ?)'] * len(part))})
                             SELECT j.* FROM asked CROSS JOIN judged j ON j.a = asked.a AND j.b = asked.b AND j.judge = ?""",
                         *(side for pair in part for side in pair), judge)
        found.update({(r["a"], r["b"]): Judgement(Relation(r["relation"]), r["confidence"], from_json(r["evidence"]),
                                                  Basis(r["basis"]), r["richer"], r["newer"]) for r in rows})
    return found


def has_judged(store: Store, *, judge: str) -> bool:
    """Whether this judge remembers anything: before its first night there is nothing to ask for."""
    return store.one("SELECT 1 FROM judged WHERE judge = ? LIMIT 1", judge) is not None


def write_judged(tx: sqlite3.Connection, verdicts: Mapping[tuple[str, str], Judgement], *, judge: str) -> None:
    """Remember verdicts; the pair (a, b) must come with the smaller hash first."""
    tx.executemany("INSERT OR REPLACE INTO judged VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   ((a, b, v.relation.value, v.confidence, to_json(v.evidence), v.basis.value,
                     v.richer, v.newer, judge) for (a, b), v in verdicts.items()))


@sound_row
def load_weighed(store: Store, sides: Sequence[str]) -> dict[tuple[str, str], Judgement]:
    """What any judge has found of the pairs among some sides, smaller hash first and without its evidence; one query."""
    if len(sides) < 2:
        return {}
    marks = ", ".join("?" * len(sides))
    # The plus keeps SQLite from seeking every pair of sides: few pairs of a side are known.
    rows = store.tuples(f"""SELECT a, b, relation, confidence, basis, richer, newer FROM judged
                            WHERE a IN ({marks}) AND +b IN ({marks})""", *sides, *sides)
    return {(a, b): Judgement(Relation(relation), confidence, (), Basis(basis), richer, newer)
            for a, b, relation, confidence, basis, richer, newer in rows}


def find_judged(store: Store, pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those of some pairs that any judge has judged: a better judge is no reason to ask anew."""
    asked, found = sorted(set(pairs)), set[tuple[str, str]]()
    for start in range(0, len(asked), PAIRS_PART):
        part = asked[start:start + PAIRS_PART]
        rows = store.tuples(f"""WITH asked (a, b) AS (VALUES {', '.join(['(?, ?)'] * len(part))})
                                SELECT j.a, j.b FROM asked CROSS JOIN judged j ON j.a = asked.a AND j.b = asked.b""",
                            *(side for pair in part for side in pair))
        found.update((a, b) for a, b in rows)
    return found


def mark_weighed(tx: sqlite3.Connection, passages: Sequence[str], *, judge: str) -> None:
    """Note of which passages every pair was judged; lost with the verdicts, so that both come back together."""
    tx.executemany("INSERT OR REPLACE INTO judged VALUES (?, ?, ?, 1.0, '[]', ?, NULL, NULL, ?)",
                   ((WEIGHED, one, Relation.UNRELATED.value, Basis.NONE.value, judge) for one in passages))


def drop_verdicts(tx: sqlite3.Connection, sha: str, *, of: int | None = None) -> None:
    """Forget what was judged of a text, whenever it was said, and that the observation which said it was weighed."""
    tx.execute("DELETE FROM judged WHERE a = ? AND b = (SELECT id FROM observation WHERE seq = ?)", (WEIGHED, of))
    side = sha[:SIDE_DIGITS]
    for column in ("a", "b"):
        tx.execute(f"DELETE FROM judged WHERE {column} >= ? AND {column} < ?", (side + "@", side + "A"))


def drop_pairs(tx: sqlite3.Connection, pairs: Sequence[tuple[str, str]]) -> None:
    """Forget what was judged of some pairs, smaller hash first."""
    tx.executemany("DELETE FROM judged WHERE a = ? AND b = ?", pairs)


def load_pairs(store: Store) -> list[tuple[str, str]]:
    """Every pair of which a verdict is known, and every passage that was weighed behind `WEIGHED`."""
    return [(a, b) for a, b in store.tuples("SELECT a, b FROM judged")]


def rebuild_words(tx: sqlite3.Connection) -> int:
    """Fill the word index anew from the memories."""
    # Made anew as a whole: an index that is damaged cannot be emptied row by row.
    tx.execute("DROP TABLE memory_words")
    tx.execute(schema.WORD_INDEX)
    rows = tx.execute("SELECT m.seq, w.text FROM memory m JOIN wording w ON w.sha = m.wording").fetchall()
    tx.executemany("INSERT INTO memory_words (rowid, words) VALUES (?, ?)", ((r[0], index_words(r[1])) for r in rows))
    return len(rows)
