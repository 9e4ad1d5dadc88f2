"""Memories: identity, standing and versions in rows; the words by hash, written once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from dreamd.core.clock import iso, parse_instant
from dreamd.core.errors import StoreMissing, UsageError
from dreamd.core.values import (
    MEMORY_FILE,
    Category,
    Memory,
    MemoryClass,
    MemoryType,
    Scope,
    Status,
    Trust,
    text_sha,
)
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.derived import side_of
from dreamd.store.presence.sound_rows import refuse_lost_ids, sound_row, stored_scope
from dreamd.store.uses import mark_asked, mark_used
from dreamd.store.word_search import index_words
from dreamd.store.work import mark_unwritten

HELD_SINCE = "SELECT now FROM run WHERE seq = (SELECT MIN(run) FROM operation WHERE memory = {0}.id)"
"""When a dream first held a memory, as the journal knows it."""
STOOD_AT = f"""SELECT MAX(d.read_at) FROM support s JOIN observation n ON n.seq = s.observation AND n.sign = '{MEMORY_FILE}'
              JOIN source d ON d.id = n.source_id WHERE s.memory = {{0}}.id"""
"""When a document was last read anew that says a memory: what left its document supports nothing any more."""
SELECT = f"""SELECT m.*, w.text AS text, COALESCE(r.times, 0) AS recalls, r.last_at AS recalled_at,
              COALESCE(({HELD_SINCE.format('m')}), m.created_at) AS held_since, ({STOOD_AT.format('m')}) AS stood_at
            FROM memory m LEFT JOIN wording w ON w.sha = m.wording LEFT JOIN recall r ON r.memory = m.id"""
_LAST_HEARD = """FROM memory o LEFT JOIN recall t ON t.memory = o.id
                 WHERE o.status = '{0}' AND o.class IN ('reference', 'state')"""
_ALL_BEFORE = f"""o.confirmed_at <= ? AND COALESCE(t.last_at, '') <= ? AND COALESCE(({HELD_SINCE.format('o')}), '') <= ?
                  AND COALESCE(({STOOD_AT.format('o')}), '') <= ?"""
"""What was said, asked for, first held or read in its document of a memory, all of it by some time."""
FORGOTTEN_TEXT = "[forgotten]"
SHORTEST_ID = 4


def load_memories(store: Store, *, scope: Scope | None = None, statuses: Iterable[Status] | None = None) -> list[Memory]:
    """Memories in the order of their founding statement."""
    where, args = [], []
    if scope is not None:
        where.append("m.scope = ?")
        args.append(str(scope))
    if statuses is not None:
        where.append(f"m.status IN {LISTED}")
        args.append(listed(statuses))
    clause = f" WHERE {' AND '.join(where)}" if where else ""
    with store.reading():
        rows = store.all(f"{SELECT}{clause} ORDER BY m.created_at, m.id", *args)
        return _complete(store, rows)


def load_memory(store: Store, identity: str) -> Memory:
    """One memory by its id or a unique beginning of it.

    Raises StoreMissing when there is none, UsageError when several begin so.
    """
    wanted = identity.strip().lower()
    if 0 < len(wanted) < SHORTEST_ID and all(c in "0123456789abcdef" for c in wanted):
        raise UsageError(f"`{wanted}` is too short for an id", hint=f"give its first {SHORTEST_ID} characters at least")
    if len(wanted) < SHORTEST_ID or not all(c in "0123456789abcdef" for c in wanted):
        raise StoreMissing("no memory with that id", hint="`dream list --all` shows the ids")
    with store.reading():
        rows = store.all(f"{SELECT} WHERE m.id >= ? AND m.id < ? LIMIT 2", wanted, wanted + "g")
        if not rows:
            refuse_lost_ids(store.connection, "memory")
            raise StoreMissing("no memory with that id", hint="`dream list --all` shows the ids")
        if len(rows) > 1:
            raise UsageError("several memories begin with that id", hint="give a few more characters")
        return _complete(store, rows)[0]


def has_wording(store: Store, text: str) -> bool:
    """Whether these are, or once were, the words of a memory."""
    return store.one("SELECT 1 FROM wording WHERE sha = ?", text_sha(text)) is not None


def load_due(store: Store, *, today: str, heard_before: datetime, faded_before: Mapping[Scope, datetime],
             every_stale: bool = False) -> list[Memory]:
    """Memories whose day may have come: past their TTL, live and not heard of since, or stale and either heard of since
    or, by scope, not for so long that they go.
    """
    before = [iso(heard_before)] * 4
    revived = [""] * 4 if every_stale else before
    mine, held = _held_alone(store)
    with store.reading():
        due = [seq for scope, gone in faded_before.items() for seq, in store.tuples(
            f"SELECT o.seq {_LAST_HEARD.format('stale')} AND o.scope = ? AND {_ALL_BEFORE}", str(scope), *[iso(gone)] * 4)]
        due += [seq for seq, in store.tuples(
            f"""SELECT o.seq FROM memory o INDEXED BY memory_ttl
                  WHERE status IN ('live', 'held', 'stale') AND ttl IS NOT NULL AND ttl < ? {mine}
                UNION SELECT o.seq {_LAST_HEARD.format('stale')} {mine} AND NOT ({_ALL_BEFORE})
                UNION SELECT o.seq {_LAST_HEARD.format('live')} {mine} AND {_ALL_BEFORE}""",
            today, *held, *held, *revived, *held, *before)]
        return _complete(store, store.all(f"{SELECT} WHERE m.seq IN {LISTED} ORDER BY m.created_at, m.id", listed(due)))


def _held_alone(store: Store) -> tuple[str, tuple[str, ...]]:
    """What keeps a question about memories `o` to the scope that is held, where one is, and its values."""
    return ("AND o.scope = ?", (store.held,)) if store.held else ("", ())


def load_stale_scopes(store: Store, *, heard_before: datetime) -> dict[Scope, datetime]:
    """The scopes of stale memories not heard of for some time, and when of the earliest of these."""
    mine, held = _held_alone(store)
    return {stored_scope(row["scope"]): parse_instant(row["confirmed_at"]) for row in store.all(
        f"""SELECT o.scope, MIN(o.confirmed_at) AS confirmed_at {_LAST_HEARD.format('stale')} {mine} AND {_ALL_BEFORE}
            GROUP BY o.scope""", *held, *[iso(heard_before)] * 4)}


def load_oddly_classed(store: Store) -> list[Memory]:
    """Live references with an end, and live states without one."""
    mine, held = _held_alone(store)
    with store.reading():
        odd = [seq for seq, in store.tuples(
            f"""SELECT o.seq FROM memory o INDEXED BY memory_ttl WHERE status IN ('live', 'held', 'stale') AND ttl IS NOT NULL
                  AND status = 'live' AND class = 'reference' {mine}
                UNION SELECT o.seq FROM memory o WHERE status = 'live' AND class = 'state' AND ttl IS NULL {mine}""",
            *held, *held)]
        return _complete(store, store.all(f"{SELECT} WHERE m.seq IN {LISTED} ORDER BY m.created_at, m.id", listed(odd)))


def load_some(store: Store, ids: Sequence[str]) -> dict[str, Memory]:
    """Memories by full id; unknown ones are left out."""
    with store.reading():
        return {m.id: m for m in _complete(store, store.all(f"{SELECT} WHERE m.id IN {LISTED}", listed(ids)))}


def load_around(store: Store, scope: Scope, *, texts: Iterable[str], ids: Iterable[str] = (), said: Iterable[str] = (),
                ) -> list[Memory]:
    """Memories of a scope with some wordings, ids or observations, and all that their versions and their links lead to."""
    found: dict[str, Memory] = {}
    with store.reading():
        wanted = {*ids, *_with_wordings(store, scope, texts)}
        for observation in said:
            wanted.update(r["memory"] for r in store.all("""SELECT s.memory FROM support s
                JOIN observation o ON o.seq = s.observation WHERE o.id = ?""", observation))
        while wanted:
            fresh = {i: m for i, m in load_some(store, sorted(wanted)).items() if m.scope == scope}
            found.update(fresh)
            named = {i for m in fresh.values() for i in (m.superseded_by, *(other for other, _ in m.links))}
            wanted = named - {""} - found.keys() if fresh else set()
    return sorted(found.values(), key=lambda m: (iso(m.created_at), m.id))


def _with_wordings(store: Store, scope: Scope, texts: Iterable[str]) -> list[str]:
    shas = listed(text_sha(t) for t in texts)
    return [r["id"] for r in store.all(f"SELECT id FROM memory WHERE wording IN {LISTED} AND scope = ?", shas, str(scope))]


@sound_row
def load_scopes(store: Store) -> list[Scope]:
    """Every scope that has an observation or a memory."""
    rows = store.all("SELECT scope FROM memory UNION SELECT scope FROM observation ORDER BY scope")
    return [stored_scope(r["scope"]) for r in rows]


def count_by_status(store: Store) -> dict[str, int]:
    """How many memories there are of each status."""
    return {r["status"]: int(r["n"]) for r in store.all("SELECT status, COUNT(*) AS n FROM memory GROUP BY status")}


def count_by_category(store: Store) -> dict[str, int]:
    """How many live memories there are of each category, most first."""
    return {r["category"]: int(r["n"]) for r in store.all(
        "SELECT category, COUNT(*) AS n FROM memory WHERE status = 'live' GROUP BY category ORDER BY n DESC, category")}


def write_memory(tx: sqlite3.Connection, memory: Memory) -> None:
    """Insert or replace one memory with its support, links, words and word index."""
    tx.execute("INSERT INTO wording VALUES (?, ?) ON CONFLICT DO NOTHING", (text_sha(memory.text), memory.text))
    columns = _columns(memory)
    names, values = ", ".join(columns), ", ".join(f":{name}" for name in columns)
    tx.execute(f"""INSERT INTO memory ({names}) VALUES ({values}) ON CONFLICT (id)
                   DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in columns)}, rev = memory.rev + 1""", columns)
    mark_unwritten(tx, str(memory.scope))
    seq = tx.execute("SELECT seq FROM memory WHERE id = ?", (memory.id,)).fetchone()[0]
    tx.execute("DELETE FROM support WHERE memory = ?", (memory.id,))
    tx.executemany("INSERT INTO support SELECT ?, seq FROM observation WHERE id = ?",
                   ((memory.id, o) for o in memory.observations))
    tx.execute("DELETE FROM memory_words WHERE rowid = ?", (seq,))
    tx.execute("INSERT INTO memory_words (rowid, words) VALUES (?, ?)", (seq, index_words(memory.text)))
    tx.execute("DELETE FROM link WHERE a = ? OR b = ?", (memory.id, memory.id))
    tx.executemany("INSERT INTO link VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                   ((*sorted((memory.id, other)), relation) for other, relation in memory.links))


def delete_memory(tx: sqlite3.Connection, identity: str) -> bool:
    """Remove a memory's rows, for `forget` and for what existed only through an undone run; True if it was there."""
    row = tx.execute("SELECT seq, scope FROM memory WHERE id = ?", (identity,)).fetchone()
    if row is None:
        return False
    mark_unwritten(tx, row[1])
    tx.execute("DELETE FROM memory_words WHERE rowid = ?", (row[0],))
    tx.execute("DELETE FROM link WHERE a = ? OR b = ?", (identity, identity))
    tx.execute("DELETE FROM memory WHERE id = ?", (identity,))
    return True


def write_back(tx: sqlite3.Connection, memory: Memory) -> None:
    """Put a memory back as it was before its last write, its revision too."""
    write_memory(tx, memory)
    tx.execute("UPDATE memory SET rev = rev - 2 WHERE id = ?", (memory.id,))


def load_recalls(store: Store, scope: Scope) -> dict[str, int]:
    """How often each memory of a scope was shown that ever was."""
    rows = store.tuples("SELECT m.id, r.times FROM recall r JOIN memory m ON m.id = r.memory WHERE m.scope = ?", str(scope))
    return {identity: int(times) for identity, times in rows}


def count_recalls(store: Store) -> dict[str, int]:
    """How often the memories of each scope were shown."""
    return {str(scope): int(n) for scope, n in store.tuples(
        "SELECT m.scope, SUM(r.times) FROM recall r JOIN memory m ON m.id = r.memory GROUP BY m.scope")}


def revision(tx: sqlite3.Connection, identity: str) -> int:
    """How often a memory was written; 0 when it is not there. Plans compare it before they change anything."""
    row = tx.execute("SELECT rev FROM memory WHERE id = ?", (identity,)).fetchone()
    return 0 if row is None else int(row[0])


@sound_row
def load_said(store: Store, scope: Scope, *, statuses: Iterable[Status]) -> list[tuple[str, datetime]]:
    """The words of the memories of a scope that have some statuses, with when each was last confirmed, the last one last."""
    rows = store.tuples(f"""SELECT w.text, m.confirmed_at FROM memory m JOIN wording w ON w.sha = m.wording
                            WHERE m.scope = ? AND m.status IN {LISTED}
                            ORDER BY m.confirmed_at, m.id""", str(scope), listed(statuses))
    return [(text, parse_instant(at)) for text, at in rows]


@sound_row
def load_sides(store: Store) -> set[str]:
    """Every memory as the side of a judged pair: the hash of its words and when it was last confirmed."""
    return {side_of(sha, parse_instant(at)) for sha, at in store.tuples("SELECT wording, confirmed_at FROM memory")}


def load_revisions(store: Store, ids: Sequence[str]) -> dict[str, int]:
    """The revisions of some memories, as a plan is made; unknown ones are left out."""
    return dict(store.tuples(f"SELECT id, rev FROM memory WHERE id IN {LISTED}", listed(ids)))


def load_ids(store: Store, scope: Scope, status: Status) -> set[str]:
    """The ids of the memories of a scope that have a status."""
    return {r["id"] for r in store.all("SELECT id FROM memory WHERE scope = ? AND status = ?", str(scope), status.value)}


def count_status(store: Store, scope: Scope, status: Status) -> int:
    """How many memories of a scope have a status."""
    row = store.one("SELECT COUNT(*) AS n FROM memory WHERE scope = ? AND status = ?", str(scope), status.value)
    return int(row["n"]) if row else 0


def record_recalls(tx: sqlite3.Connection, ids: Iterable[str], at: datetime) -> None:
    """Count one recall for each memory that was shown."""
    ids = list(ids)
    mark_used(tx, ids, at)
    tx.executemany(
        """INSERT INTO recall SELECT ?, 1, ? WHERE EXISTS (SELECT 1 FROM memory WHERE id = ?)
           ON CONFLICT (memory) DO UPDATE SET times = recall.times + 1, last_at = MAX(recall.last_at, excluded.last_at)""",
        ((i, iso(at), i) for i in ids))
    mark_asked(tx, ids)


def snapshot(memory: Memory) -> str:
    """A memory as the journal keeps it: everything but its words and recalls, which have one owner each."""
    return json.dumps({**_columns(memory), "observations": memory.observations, "links": sorted(memory.links)},
                      ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _columns(memory: Memory) -> dict[str, str | int | None]:
    """What the row of a memory holds, by the names of its columns, which the journal uses too."""
    return {
        "id": memory.id, "scope": str(memory.scope), "wording": text_sha(memory.text), "class": memory.memory_class.value,
        "type": memory.memory_type.value, "category": memory.category.value, "taxonomy": memory.taxonomy_version,
        "status": memory.status.value, "trust": memory.trust.value, "authority": memory.authority.value,
        "created_at": iso(memory.created_at), "updated_at": iso(memory.updated_at), "confirmed_at": iso(memory.confirmed_at),
        "valid_from": iso(memory.valid_from), "valid_to": iso(memory.valid_to) if memory.valid_to else None, "ttl": memory.ttl,
        "superseded_by": memory.superseded_by, "pinned": memory.pinned, "edited": memory.edited,
        "unverified": memory.unverified, "reason": memory.reason, "file": memory.file}


def _from_columns(kept: sqlite3.Row | dict[str, Any]) -> dict[str, Any]:  # Any: values of a memory, each of its own kind
    return {
        "id": kept["id"], "scope": stored_scope(kept["scope"]), "memory_class": MemoryClass(kept["class"]),
        "memory_type": MemoryType(kept["type"]), "category": Category(kept["category"]), "taxonomy_version": kept["taxonomy"],
        "status": Status(kept["status"]), "trust": Trust(kept["trust"]), "authority": Trust(kept["authority"]),
        "valid_to": parse_instant(kept["valid_to"]) if kept["valid_to"] else None, "ttl": kept["ttl"],
        "superseded_by": kept["superseded_by"], "pinned": bool(kept["pinned"]), "edited": bool(kept["edited"]),
        "unverified": bool(kept["unverified"]), "reason": kept["reason"], "file": kept["file"],
        **{name: parse_instant(kept[name]) for name in ("created_at", "updated_at", "confirmed_at", "valid_from")}}


@sound_row
def from_snapshot(store: Store, raw: str) -> Memory:
    """A memory as it was when the journal kept it."""
    kept = json.loads(raw)
    row = store.one("SELECT text FROM wording WHERE sha = ?", kept["wording"])
    return Memory(**_from_columns(kept), text=row["text"] if row else FORGOTTEN_TEXT, observations=tuple(kept["observations"]),
                  support=len(kept["observations"]), links=tuple((a, b) for a, b in kept["links"]))


def _complete(store: Store, rows: Sequence[sqlite3.Row]) -> list[Memory]:
    """Add support, versions and links in three passes instead of one query a memory."""
    ids = [r["id"] for r in rows]
    support: dict[str, list[tuple[str, str]]] = {i: [] for i in ids}
    older: dict[str, list[str]] = {i: [] for i in ids}
    links: dict[str, list[tuple[str, str]]] = {i: [] for i in ids}
    some = listed(ids)
    for r in store.all(f"""SELECT s.memory, o.id, o.conversation FROM support s JOIN observation o ON o.seq = s.observation
                           WHERE s.memory IN {LISTED} ORDER BY o.at, o.id""", some):
        support[r["memory"]].append((r["id"], r["conversation"]))
    for r in store.all(f"""SELECT superseded_by, id FROM memory WHERE superseded_by <> '' AND superseded_by IN {LISTED}
                           ORDER BY created_at, id""", some):
        older[r["superseded_by"]].append(r["id"])
    for r in store.all(f"SELECT a, b, relation FROM link WHERE a IN {LISTED} OR b IN {LISTED} ORDER BY a, b", some, some):
        for mine, other in ((r["a"], r["b"]), (r["b"], r["a"])):
            if mine in links and (other, r["relation"]) not in links[mine]:
                links[mine].append((other, r["relation"]))
    return [_memory(r, support[r["id"]], older[r["id"]], links[r["id"]]) for r in rows]


@sound_row
def _memory(row: sqlite3.Row, support: list[tuple[str, str]], older: list[str], links: list[tuple[str, str]]) -> Memory:
    return Memory(
        **_from_columns(row), text=row["text"] if row["text"] is not None else FORGOTTEN_TEXT, supersedes=tuple(older),
        observations=tuple(o for o, _ in support), support=len(support), links=tuple(links),
        spoken_in=tuple(dict.fromkeys(c for _, c in support if c)), recalls=row["recalls"],
        recalled_at=parse_instant(row["recalled_at"]) if row["recalled_at"] else None,
        held_since=parse_instant(row["held_since"]), stood_at=parse_instant(row["stood_at"]) if row["stood_at"] else None)
