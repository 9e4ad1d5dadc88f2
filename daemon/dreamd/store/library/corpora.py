"""Which documents a person gave, where they lie, and what became of each when it was read."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from dreamd.core.clock import iso
from dreamd.store.library.library_file import Library

ADDRESS = "corpus://"
FINDS = "finds"
"""The tag of a corpus of captured notes: words of the web, of which dream wrote the files."""


@dataclass(frozen=True)
class Corpus:
    """A directory or a file of documents, under the name it has in addresses."""

    name: str
    root: str
    tags: tuple[str, ...] = ()
    watch: bool = False
    added_at: str = ""
    read_at: str | None = None


@dataclass(frozen=True)
class Known:
    """A document as it was when it was last read; `why` says why it has no passages."""

    seq: int
    path: str
    sha: str
    size: int
    mtime_ns: int
    why: str
    reader: str


@dataclass(frozen=True)
class Counted:
    """What stands in a corpus."""

    documents: int
    chunks: int
    waiting: int
    problems: tuple[tuple[str, str], ...]
    """(path, why) of each document that could not be read."""


def address_of(corpus: str, path: str) -> str:
    """How a document is named everywhere: by its corpus, never by where it lies on the disk."""
    return f"{ADDRESS}{corpus}/{path}"


def load_corpora(library: Library) -> list[Corpus]:
    """Every corpus, by name."""
    rows = library.all("SELECT * FROM corpus ORDER BY name")
    return [Corpus(r["name"], r["root"], tuple(filter(None, r["tags"].split("\n"))), bool(r["watch"]), r["added_at"],
                   r["read_at"]) for r in rows]


def write_corpus(tx: sqlite3.Connection, one: Corpus) -> None:
    """Keep a corpus, or what changed of one."""
    tx.execute("""INSERT INTO corpus VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET tags = excluded.tags,
                    watch = excluded.watch, root = excluded.root""",
               (one.name, one.root, "\n".join(one.tags), one.watch, one.added_at, one.read_at))


def mark_read(tx: sqlite3.Connection, name: str, at: datetime) -> None:
    """A corpus was gone through to its end."""
    tx.execute("UPDATE corpus SET read_at = ? WHERE name = ?", (iso(at), name))


def remove_corpus(tx: sqlite3.Connection, name: str) -> int:
    """Take a corpus out with all its passages; gives back how many documents went."""
    gone = tx.execute("DELETE FROM document WHERE corpus = ?", (name,)).rowcount
    tx.execute("DELETE FROM corpus WHERE name = ?", (name,))
    return gone


def load_known(library: Library, corpus: str) -> dict[str, Known]:
    """What is known of a corpus, by path."""
    rows = library.all("SELECT seq, path, sha, size, mtime_ns, why, reader FROM document WHERE corpus = ?", corpus)
    return {r["path"]: Known(*r) for r in rows}


def look_again(tx: sqlite3.Connection, seq: int, size: int, mtime_ns: int) -> None:
    """A document was touched and says what it said."""
    tx.execute("UPDATE document SET size = ?, mtime_ns = ? WHERE seq = ?", (size, mtime_ns, seq))


def move_document(tx: sqlite3.Connection, seq: int, path: str, mtime_ns: int) -> None:
    """A document lies elsewhere now; its passages stay."""
    tx.execute("UPDATE document SET path = ?, mtime_ns = ? WHERE seq = ?", (path, mtime_ns, seq))
    tx.execute("UPDATE chunk_words SET place = ? WHERE rowid IN (SELECT seq FROM chunk WHERE document = ?)", (path, seq))


def drop_documents(tx: sqlite3.Connection, seqs: Collection[int]) -> None:
    """Documents are gone, and their passages with them."""
    tx.executemany("DELETE FROM document WHERE seq = ?", ((seq,) for seq in seqs))


def count_corpus(library: Library, name: str) -> Counted:
    """How much of a corpus can be found, and what cannot."""
    read = library.one("SELECT COUNT(*) AS n FROM document WHERE corpus = ? AND why = ''", name)
    held = library.one("""SELECT COUNT(*) AS n, SUM(c.model = '') AS w FROM chunk c JOIN document d ON d.seq = c.document
                          WHERE d.corpus = ?""", name)
    bad = library.all("SELECT path, why FROM document WHERE corpus = ? AND why <> '' AND why NOT LIKE '-%' ORDER BY path", name)
    return Counted(int(read["n"]) if read else 0, int(held["n"]) if held else 0, int(held["w"] or 0) if held else 0,
                   tuple((r["path"], r["why"]) for r in bad))
