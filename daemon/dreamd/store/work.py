"""Work in progress: sources and cursors, files still to be written, files as last accepted, staged stretches."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from dreamd.core.clock import iso, parse_instant
from dreamd.core.values import Cursor, Scope, content_id
from dreamd.store import seals
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.presence.holding import SCOPES_EPOCH, epoch_key
from dreamd.store.presence.sound_rows import sound_row, stored_scope


@dataclass(frozen=True)
class Source:
    """A place observations come from and what was taken from it so far."""

    id: str
    path: str
    kind: str
    scope: Scope
    lines: int = 0
    prompts: int = 0
    observations: int = 0
    skips: Mapping[str, int] | None = None
    read_at: datetime | None = None
    offset: int = 0


@dataclass(frozen=True)
class Intent:
    """A file that must come to hold `body` (or to be gone, when None), provided it still is what we knew."""

    path: str
    base_sha: str | None
    new_sha: str | None
    body: bytes | None
    memory: str
    scope: str


@dataclass(frozen=True)
class KnownFile:
    """A file as dream last wrote it or last accepted a person's edit of it."""

    path: str
    sha: str
    body: bytes
    memory: str
    scope: str
    size: int = -1
    mtime_ns: int = -1
    inode: int = -1


Facts = tuple[int, int, int]
"""Size, time in nanoseconds and inode of a file."""
BY_HAND = "by-hand "
"""Owner of a file a person added; behind it the observation that says all of it, where there is one."""
MASKED = b"[masked"


def is_whole(known: KnownFile) -> bool:
    """False for kept bytes that are not those of the hash, though no secret was masked in them: the store is damaged."""
    return MASKED in known.body or hashlib.sha256(known.body).hexdigest() == known.sha


@dataclass(frozen=True)
class Staged:
    """A stretch of a transcript that came in while an extraction ran."""

    seq: int
    source: str
    path: str
    start: int
    end: int
    why: str
    at: datetime


def source_id(path: str, kind: str) -> str:
    """The id of a source, from where it is and what it is."""
    return content_id("source", kind, path)


@dataclass(frozen=True)
class Position:
    """How far a source was read: the adapter's cursor, the file's time then, and the state of the conversation."""

    cursor: Cursor = Cursor()
    mtime_ns: int = -1
    talk: str = ""


@sound_row
def load_position(store: Store, source: str) -> Position:
    """How far a source was read; the beginning for one never seen."""
    row = store.one("SELECT * FROM cursor WHERE source = ?", source)
    if row is None:
        return Position()
    cursor = Cursor(row["offset"], row["size"], row["prefix_bytes"], row["prefix_sha"], row["carry"])
    return Position(cursor, row["mtime_ns"], row["talk"])


def write_position(tx: sqlite3.Connection, source: Source, position: Position, *, skips: Counter[str], at: datetime) -> None:
    """Move a cursor, together with the counts of what was read; in the transaction that stored the work."""
    row = tx.execute("SELECT skips FROM source WHERE id = ?", (source.id,)).fetchone()
    total = Counter(json.loads(row[0])) + skips if row else skips
    tx.execute(
        """INSERT INTO source
             (id, path, kind, scope, first_seen_at, read_at, lines, prompts, observations, skips, moved_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET path = excluded.path, read_at = excluded.read_at,
             lines = source.lines + excluded.lines, prompts = source.prompts + excluded.prompts,
             observations = source.observations + excluded.observations,
             skips = excluded.skips, moved_at = excluded.moved_at""",
        (source.id, source.path, source.kind, str(source.scope), iso(at), iso(at), source.lines, source.prompts,
         source.observations, json.dumps(total, sort_keys=True), iso(at)))
    cursor = position.cursor
    tx.execute("INSERT OR REPLACE INTO cursor VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
               (source.id, cursor.offset, cursor.size, cursor.prefix_bytes, cursor.prefix_sha, cursor.carry,
                position.mtime_ns, position.talk))


@sound_row
def load_sources(store: Store) -> list[Source]:
    """Every source ever read."""
    rows = store.all("SELECT s.*, c.offset FROM source s LEFT JOIN cursor c ON c.source = s.id ORDER BY s.kind, s.path")
    return [Source(r["id"], r["path"], r["kind"], stored_scope(r["scope"]), r["lines"], r["prompts"], r["observations"],
                   json.loads(r["skips"]), parse_instant(r["read_at"]) if r["read_at"] else None, r["offset"] or 0)
            for r in rows]


def intend(tx: sqlite3.Connection, intents: Sequence[Intent]) -> None:
    """Record files to be written after the commit; a newer intent for a path replaces an older one."""
    tx.executemany("INSERT OR REPLACE INTO intent VALUES (?, ?, ?, ?, ?, ?)",
                   ((i.path, i.base_sha, i.new_sha, i.body, i.memory, i.scope) for i in intents))


UNWRITTEN = "unwritten "
"""Beginning of the fact that a scope's files are behind its memories; what follows is the scope."""


def mark_unwritten(tx: sqlite3.Connection, scope: str) -> None:
    """A memory changed: its scope's files are behind until their intents are recorded, whoever is killed in between."""
    tx.execute("""INSERT INTO meta VALUES (?, '1')
                  ON CONFLICT (key) DO UPDATE SET value = CAST(meta.value AS INTEGER) + 1""", (UNWRITTEN + scope,))


def load_unwritten(store: Store) -> dict[Scope, int]:
    """Scopes whose files are behind, each with how many changes that was."""
    rows = store.all("SELECT key, value FROM meta WHERE key > ? AND key < ?", UNWRITTEN, UNWRITTEN + "\uffff")
    return {stored_scope(r["key"].removeprefix(UNWRITTEN)): int(r["value"]) for r in rows}


def mark_written(tx: sqlite3.Connection, scope: Scope, changes: int, *, by: str = "", order: str = "") -> None:
    """The intents of a scope are recorded, as of so many changes; one that came meanwhile keeps the mark.

    `by` names the version of dream that has looked at every file of the scope, `order` is the hash of what was kept of its
    index: without it, or where a change came meanwhile, the next index is made from the beginning.
    """
    tx.execute("DELETE FROM meta WHERE key = ? AND value = ?", (f"{UNWRITTEN}{scope}", str(changes)))
    tx.execute("DELETE FROM meta WHERE key = ?", (f"{ASKED}{scope}",))
    if by:
        write_meta(tx, f"{LOOKED}{scope}", by)
    behind = tx.execute("SELECT 1 FROM meta WHERE key = ?", (f"{UNWRITTEN}{scope}",)).fetchone()
    if order and not behind:
        write_meta(tx, f"{ORDER}{scope}", order)
    else:
        tx.execute("DELETE FROM meta WHERE key = ?", (f"{ORDER}{scope}",))


TITLE = "title "
"""Beginning of the fact that holds the title a person gave a memory in the index; what follows is the memory."""


def load_asked(store: Store) -> list[Scope]:
    """The scopes whose memories were asked for so much more that their index may be in another order."""
    rows = store.all("SELECT key FROM meta WHERE key > ? AND key < ?", ASKED, ASKED + "\uffff")
    return [stored_scope(r["key"].removeprefix(ASKED)) for r in rows]


def write_title(tx: sqlite3.Connection, memory: str, title: str) -> None:
    """Keep the title that a person gave a memory."""
    write_meta(tx, f"{TITLE}{memory}", title)


def load_titles(store: Store) -> dict[str, str]:
    """The titles that people gave, by memory."""
    rows = store.all("SELECT key, value FROM meta WHERE key > ? AND key < ?", TITLE, TITLE + "\uffff")
    return {r["key"].removeprefix(TITLE): r["value"] for r in rows}


ASKED = "asked "
"""Beginning of the fact that memories of a scope were asked for so much more that its index may be in another order; what
follows is the scope."""
LOOKED = "files by "
"""Beginning of the fact that says which dream last looked at every file of a scope; what follows is the scope."""


def looked_by(store: Store, scope: Scope) -> str:
    """The version of the dream that last looked at every file of a scope: another one may write them otherwise."""
    return store.meta(f"{LOOKED}{scope}") or ""


ORDER = "order of "
"""Beginning of the fact that names by its hash what was kept of the index of a scope; what follows is the scope."""


def order_kept(store: Store, scope: Scope) -> str:
    """The hash of what was kept of the index of a scope; empty where nothing is or it may not be used."""
    return store.meta(f"{ORDER}{scope}") or ""


ACCOUNT = "stands in "
"""Beginning of the fact that holds what stood in a source when it was last read; what follows is the source."""


def load_account(store: Store, source: str) -> str:
    """What stood in a source when it was last read; empty for one that was not followed yet."""
    return store.meta(f"{ACCOUNT}{source}") or ""


def write_account(tx: sqlite3.Connection, source: str, account: str) -> None:
    """Keep what stands in a source; in the transaction that stored what it says."""
    write_meta(tx, f"{ACCOUNT}{source}", account)


def load_lines(store: Store, sources: Collection[str] | None, *, sign: str) -> dict[str, str]:
    """All that was ever noted in some sources, or in any, under some sign: the source of each observation, oldest first."""
    if sources is None:
        return dict(store.tuples("SELECT id, source_id FROM observation WHERE sign = ? ORDER BY seq", sign))
    told = (store.tuples("SELECT id, source_id FROM observation WHERE source_id = ? AND sign = ? ORDER BY seq", one, sign)
            for one in sorted(sources))
    return {identity: source for some in told for identity, source in some}


LAST_TAKEN = "inbox"
"""The fact that names the last inbox file whose contents were committed."""


def take_once(tx: sqlite3.Connection, name: str) -> bool:
    """Note that an inbox file is taken in with this transaction; False when it already was, and only its file is left.

    One name is enough: files are taken one by one, and each is gone before the next one's commit.
    """
    row = tx.execute("SELECT value FROM meta WHERE key = ?", (LAST_TAKEN,)).fetchone()
    write_meta(tx, LAST_TAKEN, name)
    return row is None or row[0] != name


@sound_row
def load_intents(store: Store, *, limit: int = 256) -> list[Intent]:
    """Files that still have to be written."""
    return [Intent(r["path"], r["base_sha"], r["new_sha"], r["body"], r["memory"], r["scope"])
            for r in store.all("SELECT * FROM intent ORDER BY path LIMIT ?", limit)]


def load_wanted(store: Store, paths: Sequence[str]) -> dict[str, tuple[str | None, str | None]]:
    """The intents of some paths as they are now: from which hash to which."""
    marks = ", ".join("?" * len(paths))
    return {r["path"]: (r["base_sha"], r["new_sha"])
            for r in store.all(f"SELECT path, base_sha, new_sha FROM intent WHERE path IN ({marks})", *paths)}


def settle(tx: sqlite3.Connection, intent: Intent, known: KnownFile | None) -> None:
    """An intent was carried out: drop it and remember the file as it is now (None: it is gone).

    One that was recorded meanwhile for the same file starts from what was just written.
    """
    gone = tx.execute("DELETE FROM intent WHERE path = ? AND base_sha IS ? AND new_sha IS ?",
                      (intent.path, intent.base_sha, intent.new_sha)).rowcount
    if not gone:
        tx.execute("UPDATE intent SET base_sha = ? WHERE path = ? AND base_sha IS ?",
                   (intent.new_sha, intent.path, intent.base_sha))
    if known is None:
        tx.execute("DELETE FROM file WHERE path = ?", (intent.path,))
    else:
        accept_file(tx, known)


def drop_intent(tx: sqlite3.Connection, intent: Intent) -> None:
    """Give up writing a file: a person was quicker."""
    tx.execute("DELETE FROM intent WHERE path = ? AND new_sha IS ?", (intent.path, intent.new_sha))


def accept_file(tx: sqlite3.Connection, known: KnownFile) -> None:
    """Remember a file as it is now."""
    tx.execute("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
               (known.path, known.sha, known.body, known.memory, known.scope, known.size, known.mtime_ns, known.inode))


def drop_file(tx: sqlite3.Connection, path: str) -> None:
    """Forget a file that a person removed, and any wish to write it."""
    tx.execute("DELETE FROM file WHERE path = ?", (path,))
    tx.execute("DELETE FROM intent WHERE path = ?", (path,))


@sound_row
def load_files(store: Store, *, scope: Scope | None = None) -> dict[str, KnownFile]:
    """Known files by path relative to the home."""
    where, args = ("", ()) if scope is None else (" WHERE scope = ?", (str(scope),))
    rows = store.all(f"SELECT * FROM file{where} ORDER BY path", *args)
    return {r["path"]: _known_file(r) for r in rows}


@sound_row
def load_files_about(store: Store, scope: Scope, *, memory_ids: Sequence[str], paths: Sequence[str]) -> dict[str, KnownFile]:
    """The known files of some memories, those a person added to the scope, and those at some paths."""
    rows = store.all(f"SELECT * FROM file WHERE memory <> '' AND memory IN {LISTED}", listed(memory_ids))
    rows += store.all("SELECT * FROM file WHERE memory <> '' AND memory >= ? AND memory < ?", BY_HAND, f"{BY_HAND}~")
    for path in paths:
        rows += store.all("SELECT * FROM file WHERE path = ?", path)
    return {r["path"]: _known_file(r) for r in rows if r["scope"] == str(scope)}


def load_hashes(store: Store, path: str) -> dict[str, tuple[str, str]]:
    """(hash, owner) of the known files whose path begins so, without their bodies."""
    rows = store.tuples("SELECT path, sha, memory FROM file WHERE path >= ? AND path <= ?", path, f"{path}\uffff")
    return {found: (sha, memory) for found, sha, memory in rows}


def _known_file(row: sqlite3.Row) -> KnownFile:
    return KnownFile(row["path"], row["sha"], _as_bytes(row["body"]), row["memory"], row["scope"], row["size"],
                     row["mtime_ns"], row["inode"])


def _as_bytes(body: object) -> bytes:
    """Kept bytes; one flipped bit turns them into text, or into nothing, as far as SQLite can tell."""
    return body if isinstance(body, bytes) else str(body).encode("utf-8", "surrogateescape")


def load_looks(store: Store) -> dict[str, int | None]:
    """The scopes of known files, each with the sum of how its notes look; None where that is not known."""
    scopes = store.tuples("SELECT scope FROM file GROUP BY scope ORDER BY MIN(path)")
    known = seals.load_looks(store.connection)  # a damaged index may know less than the table
    return {name: known.get(name) for name in dict.fromkeys([*(str(stored_scope(scope)) for (scope,) in scopes), *known])}


@sound_row
def load_file_facts(store: Store) -> dict[str, dict[str, Facts]]:
    """How the known notes looked by scope and path: enough to see which were touched, without bodies."""
    found: dict[str, dict[str, Facts]] = {}
    rows = store.tuples("""SELECT scope, path, size, mtime_ns, inode FROM file
                           WHERE path > 'memory/' AND path < 'memory0' ORDER BY path""")
    for scope, path, size, mtime_ns, inode in rows:
        found.setdefault(scope, {})[path] = (size, mtime_ns, inode)
    return found


def stage(tx: sqlite3.Connection, staged: Staged) -> None:
    """Keep a stretch for the extraction that follows the running one; a longer stretch replaces a shorter one."""
    row = tx.execute('SELECT seq, "end" FROM staged WHERE source = ?', (staged.source,)).fetchone()
    if row is None:
        tx.execute('INSERT INTO staged (source, path, start, "end", why, at) VALUES (?, ?, ?, ?, ?, ?)',
                   (staged.source, staged.path, staged.start, staged.end, staged.why, iso(staged.at)))
    else:
        tx.execute('UPDATE staged SET "end" = MAX("end", ?), why = ? WHERE seq = ?', (staged.end, staged.why, row["seq"]))


@sound_row
def load_staged(store: Store) -> list[Staged]:
    """Stretches that wait, oldest first."""
    return [Staged(r["seq"], r["source"], r["path"], r["start"], r["end"], r["why"], parse_instant(r["at"]))
            for r in store.all("SELECT * FROM staged ORDER BY seq")]


def unstage(tx: sqlite3.Connection, path: str, *, up_to: int | None = None) -> None:
    """The staged stretch of a file was read, as a whole or up to a byte."""
    if up_to is None:
        tx.execute("DELETE FROM staged WHERE path = ?", (path,))
    else:
        tx.execute('DELETE FROM staged WHERE path = ? AND "end" <= ?', (path, up_to))
        tx.execute("UPDATE staged SET start = MAX(start, ?) WHERE path = ?", (up_to, path))


def write_meta(tx: sqlite3.Connection, key: str, value: str) -> None:
    """Set one of the store's own facts."""
    tx.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def take_epoch(tx: sqlite3.Connection, *, held: str = "") -> int:
    """Become the dream that holds this store, or one scope of it; whoever held it before can write no more batches.

    Gives the fence that stands from now on. Those who hold other scopes go on.
    """
    mine = epoch_key(held) if held else "epoch"
    counts = {str(row[0]): int(row[1]) for row in tx.execute(
        "SELECT key, value FROM meta WHERE key IN ('epoch', ?, ?)", (SCOPES_EPOCH, mine)).fetchall()}
    for key in {mine, SCOPES_EPOCH} if held else {mine}:
        counts[key] = counts.get(key, 0) + 1
        write_meta(tx, key, str(counts[key]))
    return counts.get("epoch", 0) + counts.get(mine if held else SCOPES_EPOCH, 0)
