"""The passages of documents: their words, their vectors, and how they are found."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dreamd.core.errors import Corrupt, DreamError
from dreamd.core.values import text_sha
from dreamd.store.library.corpora import ADDRESS, FINDS, Corpus, address_of, load_corpora
from dreamd.store.library.library_file import WORDS, Library, translated
from dreamd.store.word_search import index_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROWS_AT_ONCE = 4096
"""Vectors held in memory at a time while a question is compared with all of them."""
PART = 400


@dataclass(frozen=True)
class Piece:
    """A passage as it was cut: the headings above it, and its words."""

    heading: str
    text: str


@dataclass(frozen=True)
class Shelved:
    """A document as it is put on the shelf; `why` says why it has no passages."""

    corpus: str
    path: str
    sha: str
    size: int
    mtime_ns: int
    reader: str
    title: str = ""
    why: str = ""
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True)
class Passage:
    """A passage of a document as a question finds it."""

    seq: int
    address: str
    title: str
    heading: str
    text: str
    sha: str
    corpus: str
    tags: tuple[str, ...]

    @property
    def trust(self) -> str:
        """Whose words these are: of the web what was captured, of a person's documents the rest."""
        return "web" if FINDS in self.tags else "import"


def put_document(library: Library, tx: sqlite3.Connection, one: Shelved, *, embedded: Sequence[str]) -> int:
    """Put a document in the place of what stood under its path; gives how many passages it has.

    `embedded` are the words of which a vector is made. A vector that is known for the same words is taken over, and what a
    person had forgotten stays out.
    """
    tx.execute("DELETE FROM document WHERE corpus = ? AND path = ?", (one.corpus, one.path))
    row = tx.execute("""INSERT INTO document (corpus, path, sha, size, mtime_ns, title, why, reader)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
                     (one.corpus, one.path, one.sha, one.size, one.mtime_ns, one.title, one.why, one.reader))
    document, kept = row.lastrowid, 0
    for place, (piece, words) in enumerate(zip(one.pieces, embedded, strict=True)):
        if is_forgotten(library, text_sha(piece.text)):
            continue
        sha = text_sha(words)
        known = tx.execute("SELECT model, body FROM chunk WHERE sha = ? AND model <> '' LIMIT 1", (sha,)).fetchone()
        model, body = (known["model"], known["body"]) if known else ("", None)
        seq = tx.execute("INSERT INTO chunk (document, place, heading, text, sha, model, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
                         (document, place, piece.heading, piece.text, sha, model, body)).lastrowid
        tx.execute("INSERT INTO chunk_words (rowid, words, place) VALUES (?, ?, ?)",
                   (seq, index_words(f"{one.title}\n{piece.heading}\n{piece.text}"), one.path))
        kept += 1
    return kept


def load_waiting(library: Library, models: Sequence[str], *, limit: int) -> list[tuple[str, str, str, str]]:
    """Passages without a vector: (sha, title, heading, text), each words once."""
    marks = ", ".join("?" * len(models))
    return library.tuples(f"""SELECT c.sha, d.title, c.heading, c.text FROM chunk c JOIN document d ON d.seq = c.document
                              WHERE c.model NOT IN ({marks}) GROUP BY c.sha ORDER BY MIN(c.seq) LIMIT ?""", *models, limit)


def count_waiting(library: Library, models: Sequence[str]) -> int:
    """How many different passages have no vector yet."""
    marks = ", ".join("?" * len(models))
    row = library.one(f"SELECT COUNT(DISTINCT sha) AS n FROM chunk WHERE model NOT IN ({marks})", *models)
    return int(row["n"]) if row else 0


def write_vectors(tx: sqlite3.Connection, vectors: Mapping[str, NDArray[np.float16]], *, model: str) -> None:
    """Keep the vectors of passages, by the hash of the words they were made of."""
    tx.executemany("UPDATE chunk SET model = ?, body = ? WHERE sha = ?",
                   ((model, body.astype("<f2").tobytes(), sha) for sha, body in vectors.items()))


def vectors_of(library: Library, models: Sequence[str], *, among: Sequence[str]) -> Iterator[tuple[list[int],
                                                                                               NDArray[np.float32]]]:
    """The vectors of some corpora, a bounded number at a time, with the numbers of their passages."""
    import numpy as np

    with_models, with_names = ", ".join("?" * len(models)), ", ".join("?" * len(among))
    rows = library.connection.execute(
        f"""SELECT c.seq, c.body FROM chunk c JOIN document d ON d.seq = c.document
            WHERE c.model IN ({with_models}) AND d.corpus IN ({with_names})""", (*models, *among))
    while part := rows.fetchmany(ROWS_AT_ONCE):
        size = len(part[0]["body"])
        sound = [r for r in part if len(r["body"]) == size]
        wide = np.frombuffer(b"".join(r["body"] for r in sound), dtype="<f2").reshape(len(sound), -1).astype(np.float32)
        yield [r["seq"] for r in sound], wide


def find_words(library: Library, expression: str, *, among: Sequence[str], limit: int) -> list[int]:
    """Numbers of the passages that have words of a question, best first."""
    names = ", ".join("?" * len(among))
    rows = library.all(f"""SELECT c.seq FROM chunk_words JOIN chunk c ON c.seq = chunk_words.rowid
                           JOIN document d ON d.seq = c.document WHERE chunk_words MATCH ? AND d.corpus IN ({names})
                           ORDER BY bm25(chunk_words, 1.0, 1.0), c.seq LIMIT ?""", expression, *among, limit)
    return [r["seq"] for r in rows]


def load_passages(library: Library, seqs: Sequence[int]) -> dict[int, Passage]:
    """Passages by their numbers."""
    found: dict[int, Passage] = {}
    for start in range(0, len(seqs), PART):
        part = seqs[start:start + PART]
        for r in library.all(f"""SELECT c.seq, d.corpus, d.path, d.title, c.heading, c.text, c.sha, k.tags FROM chunk c
                                 JOIN document d ON d.seq = c.document JOIN corpus k ON k.name = d.corpus
                                 WHERE c.seq IN ({', '.join('?' * len(part))})""", *part):
            found[r["seq"]] = Passage(r["seq"], address_of(r["corpus"], r["path"]), r["title"], r["heading"], r["text"],
                                      r["sha"], r["corpus"], tuple(filter(None, r["tags"].split("\n"))))
    return found


def load_all(library: Library) -> list[Passage]:
    """Every passage."""
    return list(load_passages(library, [seq for (seq,) in library.tuples("SELECT seq FROM chunk ORDER BY seq")]).values())


def reword(tx: sqlite3.Connection, one: Passage, piece: Piece, *, sha: str) -> None:
    """Give a passage other words; its vector was one of the words before and goes."""
    tx.execute("UPDATE chunk SET heading = ?, text = ?, sha = ?, model = '', body = NULL WHERE seq = ?",
               (piece.heading, piece.text, sha, one.seq))
    tx.execute("UPDATE chunk_words SET words = ? WHERE rowid = ?",
               (index_words(f"{one.title}\n{piece.heading}\n{piece.text}"), one.seq))


def find_with_words(library: Library, words: Sequence[str]) -> list[Passage]:
    """Every passage whose text has all of some words, as they stand."""
    rows = library.tuples("SELECT seq, text FROM chunk ORDER BY seq") if words else []
    seqs = [seq for seq, text in rows if all(word in text.casefold() for word in words)]
    return list(load_passages(library, seqs).values())


def find_wordings(library: Library, wordings: Sequence[str]) -> list[Passage]:
    """Every passage in which one of some wordings stands as a whole, however it is wrapped and closed."""
    wanted = [whole for one in wordings if (whole := " ".join(one.casefold().split()).strip(" .!?"))]
    rows = library.tuples("SELECT seq, text FROM chunk ORDER BY seq") if wanted else []
    seqs = [seq for seq, text in rows if any(one in " ".join(text.casefold().split()) for one in wanted)]
    return list(load_passages(library, seqs).values())


def find_at(library: Library, address: str) -> list[Passage]:
    """The passages of the document with an address; of a corpus that stands alone, all of them."""
    corpus, _, path = address.removeprefix(ADDRESS).partition("/")
    rows = library.tuples("""SELECT c.seq FROM chunk c JOIN document d ON d.seq = c.document WHERE d.corpus = ?
                             AND (d.path = ? OR ? = '') ORDER BY c.seq""", corpus, path, path)
    return list(load_passages(library, [seq for (seq,) in rows]).values())


def forget_passages(library: Library, tx: sqlite3.Connection, found: Sequence[Passage]) -> None:
    """Remove passages for good: the same words are not read again, from whatever file."""
    for one in found:
        tx.execute("INSERT INTO forgotten VALUES (?) ON CONFLICT DO NOTHING", (_hash(library, text_sha(one.text)),))
        tx.execute("DELETE FROM chunk WHERE seq = ?", (one.seq,))


def is_forgotten(library: Library, sha: str) -> bool:
    """Whether a person had words forgotten."""
    return library.one("SELECT 1 FROM forgotten WHERE hash = ?", _hash(library, sha)) is not None


def _hash(library: Library, sha: str) -> str:
    row = library.one("SELECT value FROM fact WHERE key = 'key'")
    return hashlib.blake2b(sha.encode(), key=bytes.fromhex(row["value"]) if row else b"", digest_size=16).hexdigest()


def rebuild_words(tx: sqlite3.Connection) -> None:
    """Fill the index of words anew from the passages."""
    tx.execute("DROP TABLE chunk_words")
    tx.execute(WORDS)
    rows = tx.execute("""SELECT c.seq, d.title, c.heading, c.text, d.path FROM chunk c JOIN document d ON d.seq = c.document""")
    for part in iter(lambda: rows.fetchmany(PART), []):
        tx.executemany("INSERT INTO chunk_words (rowid, words, place) VALUES (?, ?, ?)",
                       ((r["seq"], index_words(f"{r['title']}\n{r['heading']}\n{r['text']}"), r["path"]) for r in part))


@dataclass(frozen=True)
class Saved:
    """What of a library cannot be read again from documents."""

    key: str
    forgotten: tuple[str, ...]
    corpora: tuple[Corpus, ...]


def save_chosen(library: Library) -> Saved:
    """Read which places a person gave and what they had forgotten; raises for a library that cannot tell."""
    with translated(library.path):
        key = library.one("SELECT value FROM fact WHERE key = 'key'")
        if key is None:
            raise Corrupt("the library does not know its key any more")
        return Saved(str(key["value"]), tuple(r["hash"] for r in library.all("SELECT hash FROM forgotten")),
                     tuple(replace(one, read_at=None) for one in load_corpora(library)))


def write_forgotten(tx: sqlite3.Connection, saved: Saved) -> None:
    """Keep in a new library what was forgotten in the one before."""
    tx.execute("UPDATE fact SET value = ? WHERE key = 'key'", (saved.key,))
    tx.executemany("INSERT INTO forgotten VALUES (?) ON CONFLICT DO NOTHING", ((one,) for one in saved.forgotten))


def look_over(library: Library) -> list[str]:
    """What is wrong with the library as it stands; nothing where it is sound."""
    with translated(library.path):
        faults = [str(r[0])[:80] for r in library.all("PRAGMA integrity_check(3)") if r[0] != "ok"]
    if faults:
        return ["it is damaged", *faults]
    try:
        library.connection.execute("INSERT INTO chunk_words (chunk_words) VALUES ('integrity-check')")
        row = library.one("SELECT COUNT(*) AS n FROM chunk WHERE seq NOT IN (SELECT rowid FROM chunk_words)")
    except (sqlite3.DatabaseError, DreamError):
        return ["its index of words is damaged"]
    return [f"{row['n']} passages are missing in its index of words"] if row and row["n"] else []
