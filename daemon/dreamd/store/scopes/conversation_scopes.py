"""Conversations that have a scope of their own: when each was last heard of, and what its hooks said of its end."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta

from dreamd.core.clock import iso, parse_instant
from dreamd.core.values import CONVERSATION_ENDED, Memory, MemoryClass, Scope, Status, Trust
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.observations import find_waiting
from dreamd.store.presence.sound_rows import stored_scope
from dreamd.store.work import write_meta

MOVED = "conversation "
"""Beginning of the fact that holds what a hook said last of a conversation; what follows is its scope."""
KEPT_DAYS = 30
QUIET_FOR = timedelta(days=1)
"""A conversation of which nothing is heard for so long is over."""
SESSION_END = "session-end"
LASTING = (MemoryClass.RULE, MemoryClass.PREFERENCE, MemoryClass.REFERENCE)
"""What holds until somebody says otherwise, in its project from the end of the conversation on."""
_LOCAL = "scope >= 'local:' AND scope < 'local;'"
_HELD = f"memory INDEXED BY memory_scope WHERE {_LOCAL}"
"""SQLite takes the index by status of itself, in which all that holds stands."""


@dataclass(frozen=True)
class Moved:
    """What a hook said last of a conversation: that it moved, or that it is over, and where."""

    event: str
    at: datetime
    place: str = ""


@dataclass(frozen=True)
class Conversation:
    """A conversation's scope in which something still claims to hold, or waits to be looked at."""

    scope: Scope
    said_at: datetime
    """When something was last said in it."""
    heard_at: datetime
    """When dream last learned of it."""
    moved: Moved | None


def write_moved(tx: sqlite3.Connection, scope: Scope, moved: Moved) -> None:
    """Keep that a conversation moved, where its scope holds anything, and that it ended in any case; the old ones go."""
    held = tx.execute("SELECT 1 FROM observation WHERE scope = ? LIMIT 1", (str(scope),)).fetchone()
    if held is None and moved.event != SESSION_END:
        return
    row = tx.execute("SELECT value FROM meta WHERE key = ?", (f"{MOVED}{scope}",)).fetchone()
    if row is not None and _read(row[0]).at > moved.at:
        return
    oldest = iso(moved.at - timedelta(days=KEPT_DAYS))
    known = tx.execute("SELECT key, value FROM meta WHERE key >= ? AND key < ?", (MOVED, MOVED + "\uffff")).fetchall()
    for key, value in known:
        if iso(_read(value).at) < oldest:
            tx.execute("DELETE FROM meta WHERE key = ?", (key,))
    body = {"event": moved.event, "at": iso(moved.at), "place": moved.place}
    write_meta(tx, f"{MOVED}{scope}", json.dumps(body, ensure_ascii=False))


def load_conversations(store: Store) -> list[Conversation]:
    """Every conversation with a scope of its own in which anything holds, waits for a person or for a dream."""
    with store.reading():
        # Most stores have none: then of all that was ever said only what waits is looked at, which is the newest.
        scopes = store.tuples(f"""SELECT scope FROM {_HELD} AND status IN ('live', 'held', 'stale')
            UNION SELECT scope FROM observation WHERE seq IN {LISTED} AND {_LOCAL}""", listed(find_waiting(store)))
        rows = store.all(f"""SELECT scope, MAX(at) AS said, MAX(stored_at) AS heard FROM observation WHERE scope IN {LISTED}
                             GROUP BY scope ORDER BY scope""", listed(scope for scope, in scopes)) if scopes else []
    told = {r["scope"]: store.meta(f"{MOVED}{r['scope']}") for r in rows}
    return [Conversation(stored_scope(r["scope"]), parse_instant(r["said"]), parse_instant(r["heard"]),
                         _read(body) if (body := told[r["scope"]]) else None) for r in rows]


def ends_at(store: Store, one: Conversation) -> datetime | None:
    """When a conversation is over, as far as is known yet; None where a person took its end back since."""
    sign = max(one.heard_at, one.moved.at) if one.moved else one.heard_at
    if was_brought_back(store, one.scope, since=sign):
        return None
    said_so = one.moved is not None and one.moved.event == SESSION_END and one.moved.at >= min(one.said_at, one.heard_at)
    return sign if said_so else sign + QUIET_FOR


def first_end(store: Store) -> datetime | None:
    """When the first of the conversations ends in whose scope a dream would still archive something."""
    rows = store.all(f"""SELECT DISTINCT scope, status, class, ttl, authority FROM {_HELD} AND pinned = 0 AND edited = 0
                           AND status IN ('live', 'held', 'stale')""")
    held = {r["scope"] for r in rows}
    going = {r["scope"] for r in rows if not _stays(r["status"], r["class"], r["ttl"], r["authority"])}
    ends = (ends_at(store, one) for one in (load_conversations(store) if held else ())
            if str(one.scope) in going or str(one.scope) in held and is_placed(store, one))
    return min((end for end in ends if end is not None), default=None)


def is_placed(store: Store, one: Conversation) -> bool:
    """Whether something tells the one project of a conversation, into which goes what lasts of it."""
    return bool(one.moved and one.moved.place) or len(load_projects_of(store, one.scope)) == 1


def stays_alone(memory: Memory) -> bool:
    """Whether a memory outlives its conversation where no project takes it: a person said it, and it names no end."""
    return _stays(memory.status, memory.memory_class, memory.ttl, memory.authority)


def _stays(status: str, memory_class: str, ttl: str | None, authority: str) -> bool:
    return status in (Status.LIVE, Status.STALE) and memory_class in LASTING and ttl is None and authority == Trust.USER


def load_projects_of(store: Store, scope: Scope) -> list[Scope]:
    """The projects in which something of a scope's conversations was kept, too."""
    rows = store.all("""SELECT DISTINCT scope FROM observation WHERE scope >= 'project:' AND scope < 'project;'
                          AND conversation IN (SELECT conversation FROM observation WHERE scope = ? AND conversation <> '')""",
                     str(scope))
    return [stored_scope(r["scope"]) for r in rows]


def was_brought_back(store: Store, scope: Scope, *, since: datetime) -> bool:
    """Whether a person took the end of a scope back, and nothing was heard of it since."""
    return store.one("""SELECT 1 FROM operation o JOIN run r ON r.seq = o.run WHERE o.scope = ? AND o.reason = ?
                          AND r.undone_by <> 0 AND r.now >= ? LIMIT 1""",
                     str(scope), CONVERSATION_ENDED, iso(since)) is not None


def _read(body: str) -> Moved:
    told = json.loads(body)
    return Moved(str(told["event"]), parse_instant(told["at"]), str(told["place"]))
