"""The word search of a team's store: which words stand where, and a rank as SQLite's own index gives it.

Words are cut by SQLite itself, so that both engines know the same ones. A row tells where a word stands in a memory; what is
looked for comes as expressions of the file's index, and its rank is BM25 as that computes it.
"""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from dreamd.store.word_search import index_words

if TYPE_CHECKING:
    from dreamd.store.team.database import Database

K1, B = 1.2, 0.75
LEAST_IDF = 1e-6
AT_ONCE = 2_000
"""Memories whose words are here at once."""
MOST_COUNTED = 2_000
"""Memories with a word that are counted, here and for a rank: a word that more of them have tells as little however many."""
WORDS_EACH = 12
"""Words of a memory, about."""
LAST = "\U0010ffff"
"""No word goes on with it: it comes behind all that do."""
_PHRASE = re.compile(r'"([^"]+)"(\*?)')


_OF_THREAD = threading.local()


def _cutter() -> sqlite3.Connection:
    """What cuts words in this thread: SQLite's connections belong to the one that made them."""
    if (known := getattr(_OF_THREAD, "cutter", None)) is not None:
        return cast(sqlite3.Connection, known)
    _OF_THREAD.cutter = cutter = sqlite3.connect(":memory:", isolation_level=None)
    cutter.execute("""CREATE VIRTUAL TABLE cut USING fts5 (words, tokenize = "unicode61 remove_diacritics 2")""")
    cutter.execute("CREATE VIRTUAL TABLE seen USING fts5vocab (cut, 'instance')")
    return cutter


def cut(text: str) -> list[tuple[str, int]]:
    """The words of a text and where each stands."""
    cutter = _cutter()
    cutter.execute("INSERT INTO cut (rowid, words) VALUES (1, ?)", (text,))
    try:
        return [(str(term), int(place)) for term, place in cutter.execute('SELECT term, "offset" FROM seen ORDER BY "offset"')]
    finally:
        cutter.execute("DELETE FROM cut")


def places(text: str) -> dict[str, list[int]]:
    """Where each word of a text stands."""
    found: dict[str, list[int]] = {}
    for word, place in cut(text):
        found.setdefault(word, []).append(place)
    return found


def told(statement: str, values: Sequence[object]) -> list[tuple[str, Sequence[object]]] | None:
    """What PostgreSQL is asked instead of a statement about the word index; None for one about something else."""
    if statement.startswith("DELETE FROM memory_words WHERE rowid"):
        return [("DELETE FROM memory_words WHERE memory = %s", values), ("DELETE FROM memory_length WHERE memory = %s", values)]
    if statement.startswith("INSERT INTO memory_words (rowid, words)"):
        return _write(values[0], str(values[1]))
    if statement.startswith("INSERT INTO memory_words (memory_words)"):
        return []
    if statement.startswith("DROP TABLE memory_words"):
        return [("DELETE FROM memory_words", ()), ("DELETE FROM memory_length", ())]
    if statement.startswith("CREATE VIRTUAL TABLE memory_words"):
        return []
    return None


def count(base: Database, terms: Sequence[str]) -> dict[str, int]:
    """How many memories have each of some expressions of the file's index, as many as are counted."""
    phrases = {term: _phrases(term) for term in terms}
    known = _counts(base, [phrase for some in phrases.values() for phrase in some])
    found = {term: known[some[0]] for term, some in phrases.items() if len(some) == 1}
    found |= {term: _count_any(base, some) for term, some in phrases.items() if len(some) > 1}
    return {term: found.get(term, 0) for term in terms}


def search(base: Database, terms: Mapping[str, int], *, statuses: Sequence[str], scopes: Sequence[str],
           limit: int) -> list[str]:
    """Ids of the memories that have most of some expressions, counted as `count` does, best first; no scope means all."""
    told = {term: _phrases(term) for term in terms}
    phrases = [phrase for some in told.values() for phrase in some]
    if not phrases:
        return []
    known = {some[0]: terms[term] for term, some in told.items() if len(some) == 1}
    known |= _counts(base, [phrase for phrase in phrases if phrase not in known])
    hits, args = _hits(phrases, scopes, by_scope=_has_fewer_words(base, scopes, list(known.values())))
    within, own = ("AND m.scope = ANY (%s)", [list(scopes)]) if scopes else ("", [])
    # A rank counts what a tenant has of a word, and is asked of the memories of some scopes alone.
    rows = base.ask(f"""WITH hit AS MATERIALIZED ({hits}),
        size AS (SELECT memories::float8 AS n, words::float8 / NULLIF(memories, 0) AS mean FROM memory_total),
        ranked AS (SELECT h.memory, -SUM(GREATEST(ln((s.n - k.n + 0.5) / (k.n + 0.5)), {LEAST_IDF})
            * (h.times * ({K1} + 1)) / (h.times + {K1} * (1 - {B} + {B} * l.words / s.mean))) AS score
          FROM hit h JOIN unnest(%s::float8[]) WITH ORDINALITY AS k (n, phrase) ON k.phrase = h.phrase
          JOIN memory_length l ON l.memory = h.memory CROSS JOIN size s GROUP BY h.memory)
        SELECT m.id FROM ranked r JOIN memory m ON m.seq = r.memory
        WHERE m.status = ANY (%s) {within} ORDER BY r.score, m.id LIMIT %s""",
                    [*args, [known[one] for one in phrases], list(statuses), *own, limit])
    return [str(row[0]) for row in rows]


def count_stale(base: Database) -> int:
    """Memories whose words are not where the index says, and rows of the index without a memory; a part of them at a time."""
    stale, after = 0, -1
    while rows := base.ask("""SELECT m.seq, w.text FROM memory m LEFT JOIN wording w ON w.sha = m.wording
                              WHERE m.seq > %s ORDER BY m.seq LIMIT %s""", (after, AT_ONCE)):
        known: dict[int, dict[str, list[int]]] = {}
        for memory, word, where in base.ask("SELECT memory, word, places FROM memory_words WHERE memory > %s AND memory <= %s",
                                            (after, rows[-1][0])):
            known.setdefault(memory, {})[word] = where
        stale += sum(known.pop(seq, {}) != places(index_words(text)) for seq, text in rows if text is not None) + len(known)
        after = rows[-1][0]
    return stale + len(base.ask("SELECT DISTINCT memory FROM memory_words WHERE memory > %s", (after,)))


def _write(memory: object, words: str) -> list[tuple[str, Sequence[object]]]:
    found = places(words)
    return [("INSERT INTO memory_length VALUES (%s, %s)", (memory, sum(map(len, found.values())))),
            ("""INSERT INTO memory_words SELECT %s, key, ARRAY(SELECT jsonb_array_elements_text(value)::int)
                FROM jsonb_each(%s::jsonb)""", (memory, json.dumps(found)))]


Phrase = tuple[tuple[str, ...], bool]
"""Words in a row, and whether the last is only how one begins."""


def _phrases(expression: str) -> list[Phrase]:
    """The phrases of an expression."""
    phrases = ((tuple(word for word, _ in cut(text)), bool(star)) for text, star in _PHRASE.findall(expression))
    return [(words, begins) for words, begins in phrases if words]


def _counts(base: Database, phrases: Iterable[Phrase]) -> dict[Phrase, int]:
    """How many memories have each of some phrases, as many as are counted."""
    every = list(dict.fromkeys(phrases))
    single = [one for one in every if len(one[0]) == 1]
    # The limit comes first: whoever looks for different ones among all of a million reads a million.
    rows = base.ask(f"""SELECT (SELECT COUNT(DISTINCT memory) FROM (SELECT memory FROM memory_words
          WHERE word >= a.low AND word <= a.high LIMIT {MOST_COUNTED}) AS each)
        FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS a (low, high, n) ORDER BY a.n""",
                    _bounds(single)) if single else []
    found = {one: int(row[0]) for one, row in zip(single, rows, strict=True)}
    return found | {one: _count_any(base, [one]) for one in every if one not in found}


def _count_any(base: Database, phrases: Sequence[Phrase]) -> int:
    """How many different memories have one of some phrases, as many as are counted."""
    parts = [_of_phrase(phrase) for phrase in phrases]
    each = " UNION ALL ".join(f"SELECT memory FROM ({part}) AS p" for part, _ in parts)
    return int(base.ask(f"SELECT COUNT(DISTINCT memory) FROM ({each} LIMIT {MOST_COUNTED}) AS each",
                        [value for _, own in parts for value in own])[0][0])


def _bounds(phrases: Iterable[Phrase]) -> list[list[str]]:
    """Between which two words those lie that single words are looked for as.

    A range and not LIKE: under a policy only what tells nothing of other rows may be looked up in an index.
    """
    asked = [(words[0], words[0] + LAST * begins) for words, begins in phrases]
    return [[low for low, _ in asked], [high for _, high in asked]]


def _has_fewer_words(base: Database, scopes: Sequence[str], matches: Sequence[int]) -> bool:
    """Whether the memories of some scopes have fewer words in all than some words have matches in the tenant.

    A server knows neither: of words and scopes nothing is counted that another could ask for.
    """
    most = sum(matches) // WORDS_EACH if max(matches) < MOST_COUNTED else MOST_COUNTED
    return bool(scopes) and base.ask("SELECT COUNT(*) FROM (SELECT 1 FROM memory WHERE scope = ANY (%s) LIMIT %s) AS few",
                                     (list(scopes), most + 1))[0][0] <= most


def _hits(phrases: Sequence[Phrase], scopes: Sequence[str], *, by_scope: bool) -> tuple[str, list[object]]:
    """A question for (phrase, memory, times), of the memories of some scopes or of all, and its values.

    It looks the phrases up in the index of words, or `by_scope` among all words of the scopes.
    """
    single = [(n, one) for n, one in enumerate(phrases, 1) if len(one[0]) == 1]
    within, mine = "", list[object]()
    if scopes:
        within, mine = "JOIN memory o ON o.seq = w.memory AND o.scope = ANY (%s)", [list(scopes)]
    asked = "unnest(%s::int[], %s::text[], %s::text[]) AS a (phrase, low, high)"
    bounds: list[object] = [[n for n, _ in single], *_bounds(one for _, one in single)]
    # What stands before OFFSET is done first.
    found = f"""(SELECT a.phrase, w.memory, cardinality(w.places) AS times FROM {asked}
        JOIN memory_words w ON w.word >= a.low AND w.word <= a.high OFFSET 0) w {within}"""
    args = [*bounds, *mine]
    if by_scope:
        found = f"""(SELECT w.memory, w.word, cardinality(w.places) AS times FROM memory o
            JOIN memory_words w ON w.memory = o.seq WHERE o.scope = ANY (%s) OFFSET 0) w
            JOIN {asked} ON w.word >= a.low AND w.word <= a.high"""
        args = [*mine, *bounds]
    parts = [f"SELECT phrase, w.memory, SUM(w.times)::float8 AS times FROM {found} GROUP BY 1, 2"] if single else []
    args = args if single else []
    for n, phrase in enumerate(phrases, 1):
        if len(phrase[0]) > 1:
            part, own = _of_phrase(phrase)
            parts.append(f"SELECT {n} AS phrase, w.memory, COUNT(*)::float8 AS times FROM ({part}) AS w {within} GROUP BY 2")
            args += [*own, *mine]
    return " UNION ALL ".join(parts), args


def _of_phrase(phrase: Phrase) -> tuple[str, list[object]]:
    """A question for the memories that have a phrase, each as often as it has it, and its values."""
    words, begins = phrase
    lows, highs = _bounds(((word,), begins and n == len(words) - 1) for n, word in enumerate(words))
    tables = [f"(SELECT memory, unnest(places) AS place FROM memory_words WHERE word >= %s AND word <= %s) AS w{n}"
              for n in range(len(words))]
    joined = tables[0] + "".join(f" JOIN {table} ON w{n}.memory = w0.memory AND w{n}.place = w0.place + {n}"
                                 for n, table in enumerate(tables) if n)
    return f"SELECT w0.memory FROM {joined}", [value for both in zip(lows, highs, strict=True) for value in both]
