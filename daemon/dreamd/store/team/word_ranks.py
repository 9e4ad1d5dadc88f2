"""The word search of a team's store: which words stand where, and a rank as SQLite's own index gives it.

Words are cut by SQLite itself, so that both engines know the same ones. A row tells where a word stands in a memory; what is
looked for comes as an expression of the file's index, and its rank is BM25 as that computes it.
"""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
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
SCOPES = "(SELECT value FROM json_each(%s))"
LAST = "\U0010ffff"
"""No word goes on with it: it comes behind all that do."""
_PHRASE = re.compile(r'"([^"]+)"(\*?)')
_MATCH = re.compile(r"FROM memory_words JOIN memory m ON m\.seq = memory_words\.rowid\s+WHERE memory_words MATCH \? AND")


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
    if statement.startswith("SELECT COUNT(*) FROM memory_words WHERE memory_words MATCH"):
        phrases = _phrases(str(values[0]))
        return [_counted(phrases)] if phrases else [("SELECT 0", ())]
    if statement.startswith("DROP TABLE memory_words"):
        return [("DELETE FROM memory_words", ()), ("DELETE FROM memory_length", ())]
    if statement.startswith("CREATE VIRTUAL TABLE memory_words"):
        return []
    return None


def ranked(statement: str, values: Sequence[object]) -> tuple[str, Sequence[object], Sequence[object]] | None:
    """A question that ranks by words: the statement around it still in SQLite's words, its first values, and the others."""
    if not _MATCH.search(statement):
        return None
    phrases = _phrases(str(values[0]))
    # A rank counts what a tenant has of a word, and is asked of the memories of some scopes alone.
    hits, args = _hits(phrases, [values[2]] if "m.scope IN" in statement else [])
    if not hits:
        return None
    parts = [_counted([phrase]) for phrase in phrases]
    known = " UNION ALL ".join(f"SELECT {n} AS phrase, n FROM ({part}) AS k" for n, (part, _) in enumerate(parts))
    scored = f"""(WITH hit AS ({hits}),
        size AS (SELECT memories::float8 AS n, words::float8 / NULLIF(memories, 0) AS mean FROM memory_total),
        known AS ({known})
        SELECT h.memory, -SUM(GREATEST(ln((s.n - k.n + 0.5) / (k.n + 0.5)), {LEAST_IDF})
          * (h.times * ({K1} + 1)) / (h.times + {K1} * (1 - {B} + {B} * l.words / s.mean))) AS score
        FROM hit h JOIN known k ON k.phrase = h.phrase JOIN memory_length l ON l.memory = h.memory CROSS JOIN size s
        GROUP BY h.memory)"""
    args += [value for _, some in parts for value in some]
    around = _MATCH.sub("FROM \0 AS ranked JOIN memory m ON m.seq = ranked.memory WHERE", statement)
    return around.replace("bm25(memory_words)", "ranked.score"), (scored, *args), list(values[1:])


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


def _phrases(expression: str) -> list[tuple[list[str], bool]]:
    """The phrases of an expression, each as its words and whether the last is only how one begins."""
    phrases = (([word for word, _ in cut(text)], bool(star)) for text, star in _PHRASE.findall(expression))
    return [(words, begins) for words, begins in phrases if words]


def _counted(phrases: Iterable[tuple[list[str], bool]]) -> tuple[str, list[object]]:
    """A question for how many different memories have one of some phrases, as many as are counted, and its values."""
    parts, args = list[str](), list[object]()
    for words, begins in phrases:
        if len(words) == 1:  # nothing but the index is read
            where, own = next(_asked(words, begins))
            part = f"SELECT memory FROM memory_words WHERE {where}"
        else:
            part, own = _phrase(words, begins)
            part = f"SELECT memory FROM ({part}) AS p"
        parts.append(part)
        args += own
    # The limit comes first: whoever looks for different ones among all of a million reads a million.
    return f"SELECT COUNT(DISTINCT memory)::float8 AS n FROM ({' UNION ALL '.join(parts)} LIMIT {MOST_COUNTED}) AS each", args


def _hits(phrases: Iterable[tuple[list[str], bool]], scopes: Sequence[object] = ()) -> tuple[str, list[object]]:
    """A question for (phrase, memory, times), of the memories of some scopes or of all, and its values."""
    parts: list[str] = []
    args: list[object] = []
    for n, (words, begins) in enumerate(phrases):
        part, own = _phrase(words, begins)
        within = f"WHERE memory IN (SELECT seq FROM memory WHERE scope IN {SCOPES})" if scopes else ""
        parts.append(f"SELECT {n} AS phrase, memory, SUM(times)::float8 AS times FROM ({part}) AS p {within} GROUP BY memory")
        args += [*own, *scopes]
    return " UNION ALL ".join(parts), args


def _phrase(words: Sequence[str], begins: bool) -> tuple[str, list[object]]:
    asked = list(_asked(words, begins))
    if len(words) == 1:
        return f"SELECT memory, cardinality(places) AS times FROM memory_words WHERE {asked[0][0]}", asked[0][1]
    tables = [f"(SELECT memory, unnest(places) AS place FROM memory_words WHERE {where}) AS w{n}"
              for n, (where, _) in enumerate(asked)]
    joined = tables[0] + "".join(f" JOIN {table} ON w{n}.memory = w0.memory AND w{n}.place = w0.place + {n}"
                                 for n, table in enumerate(tables) if n)
    return f"SELECT w0.memory, 1 AS times FROM {joined}", [value for _, values in asked for value in values]


def _asked(words: Sequence[str], begins: bool) -> Iterator[tuple[str, list[object]]]:
    for n, word in enumerate(words):
        if begins and n == len(words) - 1:
            # As a range and not LIKE: under a policy only what tells nothing of other rows may be looked up in an index.
            yield "word >= %s AND word < %s", [word, word + LAST]
        else:
            yield "word = %s", [word]
