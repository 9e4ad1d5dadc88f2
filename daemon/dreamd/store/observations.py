"""Observations: what somebody said or noted, append only, and what became of each."""

from __future__ import annotations

import hashlib
import hmac
import re
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from dreamd.core.clock import iso, parse_instant
from dreamd.core.plain_words.evidence_words import to_json
from dreamd.core.values import (
    DELETION_WAITS,
    IN_PASSING,
    MARKS,
    WITHHELD,
    Candidate,
    Clue,
    Fate,
    MemoryClass,
    MemoryType,
    Observation,
    Origin,
    Scope,
    content_id,
    parse_scope,
)
from dreamd.store import seals
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.presence.sound_rows import sound_row
from dreamd.store.turn_before import said_before

COLUMNS = """o.seq, o.id, o.text, o.origin, o.at, o.scope, o.conversation, o.key, o.class_hint, o.type_hint, o.ttl,
  o.explicit, o.sign, o.source_id, o.start, o.end, o.target, o.context, f.fate, f.reason AS fate_reason,
  f.memory AS fate_memory, COALESCE(f.set_aside, 0) AS set_aside"""
JOINED = f"SELECT {COLUMNS} FROM observation o LEFT JOIN fate f ON f.observation = o.seq"
PUT_OFF = "deletions wait"
"""The fact that deletions of a person's may be waiting."""
LEFT = "left-scope "
_LEFT = "SELECT key FROM meta WHERE key > ? AND key < ?"
LOOKED_THROUGH = 100
"""Rows that are read at once where the newest ones do not count."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")


@dataclass(frozen=True)
class Stored:
    """What `append` answers for one candidate: `stored`, `known` or `refused`."""

    id: str
    key: str
    status: str
    reason: str = ""


def observation_id(candidate: Candidate) -> str:
    """The id of a candidate, from what was said, where, by whom and when; the caller's key replaces all of it."""
    if candidate.key:
        return content_id("key", candidate.key)
    return said_id(candidate)


def said_id(one: Candidate | Observation, *, scope: str = "") -> str:
    """The id that content alone gives, in the scope it has or in another it had."""
    return content_id("said", scope or str(one.scope), one.origin.value, one.conversation, iso(one.at), one.text, one.target)


def is_itself(one: Observation, left: Sequence[str]) -> bool:
    """Whether an observation is what its id was made from, in its scope or in one of those that something has left."""
    return one.id == said_id(one) or any(one.id == said_id(one, scope=scope) for scope in left)


def mark_left(tx: sqlite3.Connection, scope: str) -> None:
    """Remember that statements made in a scope may stand in another by now: they keep their ids."""
    tx.execute("INSERT OR REPLACE INTO meta VALUES (?, '1')", (LEFT + scope,))


def load_left(store: Store) -> list[str]:
    """The scopes that statements have left."""
    return [r["key"].removeprefix(LEFT) for r in store.all(_LEFT, LEFT, LEFT + "\uffff")]


def append(tx: sqlite3.Connection, candidates: Sequence[Candidate], *, stored_at: datetime, key: bytes) -> list[Stored]:
    """Add candidates, exact repeats and forgotten ones excepted, and answer for each in order.

    `key` is the store's tombstone key. The text must already be masked.
    """
    answers = []
    forgets = tx.execute("SELECT 1 FROM tombstone LIMIT 1").fetchone() is not None
    left = [r[0].removeprefix(LEFT) for r in tx.execute(_LEFT, (LEFT, LEFT + "\uffff"))]
    for candidate in candidates:
        identity = observation_id(candidate)
        crossed = next((i for scope in left if not candidate.key and (i := said_id(candidate, scope=scope)) != identity
                        and tx.execute("SELECT 1 FROM observation WHERE id = ?", (i,)).fetchone()), "")
        if crossed:  # read again after it went into another scope
            answers.append(Stored(crossed, candidate.key, "known"))
            continue
        if forgets and candidate.sign not in MARKS and any(is_forgotten(tx, candidate.conversation, text, key=key)
                           for text in parts_of(candidate.text, candidate.sign)):
            answers.append(Stored(identity, candidate.key, "refused", "forgotten"))
            continue
        columns = {**vars(candidate), "id": identity, "at": iso(candidate.at), "scope": str(candidate.scope),
                   "context": candidate.context or said_before(tx, candidate), "stored_at": iso(stored_at)}
        row = tx.execute(f"""INSERT INTO observation ({', '.join(f'"{name}"' for name in columns)})
                             VALUES ({', '.join(f':{name}' for name in columns)}) ON CONFLICT DO NOTHING""", columns)
        answers.append(Stored(identity, candidate.key, "stored" if row.rowcount else "known"))
    return answers


def as_pending(candidates: Sequence[Candidate], *, after: int) -> list[Observation]:
    """The observations candidates would become, for a dry run that must not write them."""
    return [Observation(id=observation_id(c), seq=after + n, **vars(c)) for n, c in enumerate(candidates, 1)]


def load_pending(store: Store, *, scope: str | None = None) -> list[Observation]:
    """Observations without a fate, oldest statement first, ties by id: the order never depends on who read first."""
    with store.reading():
        return load_by_seqs(store, find_waiting(store, scope=scope))


def find_waiting(store: Store, *, scope: str | None = None) -> list[int]:
    """The numbers of the observations without a fate: in one scope, in the one that is held, or in all.

    Found from the newest on, they are had without reading any of the others, told years ago; a server keeps a table of them.
    """
    only = scope or store.held
    if base := seals.server_of(store.connection):
        from dreamd.store.team import waiting

        return waiting.find(base, only)
    where, args = (" WHERE scope = ?", (only,)) if only else ("", ())
    with store.reading():
        row = store.one("SELECT (SELECT COUNT(*) FROM observation) - (SELECT COUNT(*) FROM fate)")
        rows = store.tuples(f"""SELECT seq FROM (SELECT o.seq, o.scope FROM observation o
                                LEFT JOIN fate f ON f.observation = o.seq WHERE f.observation IS NULL
                                ORDER BY o.seq DESC LIMIT ?){where}""", max(0, int(row[0])) if row else 0, *args)
    return [int(seq) for seq, in rows]


def load_by_seqs(store: Store, seqs: Sequence[int]) -> list[Observation]:
    """Observations by number, oldest statement first."""
    return [read_row(r) for r in store.all(f"{JOINED} WHERE o.seq IN {LISTED} ORDER BY o.at, o.id", listed(seqs))]


def has_fates(store: Store) -> bool:
    """Whether any observation was ever dealt with."""
    return store.one("SELECT 1 FROM fate LIMIT 1") is not None


def drop_fates(tx: sqlite3.Connection, run: int, seqs: Sequence[int]) -> None:
    """Let observations wait again to which a run gave their fate, as if it had not."""
    tx.executemany("DELETE FROM fate WHERE observation = ? AND run = ?", ((seq, run) for seq in seqs))


def count_pending(store: Store) -> tuple[int, datetime | None]:
    """How many observations wait, and since when the oldest does."""
    with store.reading():
        row = store.one(f"SELECT COUNT(*) AS n, MIN(stored_at) AS oldest FROM observation WHERE seq IN {LISTED}",
                        listed(find_waiting(store)))
    if row is None or not row["n"]:
        return 0, None
    return int(row["n"]), parse_instant(row["oldest"])


def load_waiting(store: Store, scope: str) -> list[Observation]:
    """Single sightings that wait to be heard again."""
    rows = store.all(f"{JOINED} WHERE f.reason = 'single-sighting' AND f.set_aside = 0 AND o.scope = ? ORDER BY o.at, o.id",
                     scope)
    return [read_row(r) for r in rows]


def load_put_off(store: Store, scope: str | None = None) -> list[Observation]:
    """A person's deletions that wait because they were past their limit, oldest first."""
    if store.meta(PUT_OFF) is None:
        return []  # the fates of years are not looked through every night for what hardly ever is there
    rows = store.all(f"{JOINED} WHERE f.reason = ? AND f.set_aside = 0 ORDER BY o.at, o.id", DELETION_WAITS)
    return [read_row(r) for r in rows if scope in (None, r["scope"])]


def withdraw_put_off(tx: sqlite3.Connection) -> int:
    """Let no deletion wait any longer: a person has had the files brought back. Says how many did."""
    tx.execute("DELETE FROM meta WHERE key = ?", (PUT_OFF,))
    return tx.execute("UPDATE fate SET fate = ?, reason = 'brought-back' WHERE reason = ? AND set_aside = 0",
                      (Fate.DISCARDED.value, DELETION_WAITS)).rowcount


def has_said_since(store: Store, memory_id: str, at: datetime) -> bool:
    """Whether a person has said after some time what a memory says."""
    return any(o.origin is Origin.USER and o.at > at for o in load_of_memory(store, memory_id))


def load_by_ids(store: Store, ids: Iterable[str]) -> list[Observation]:
    """Observations by id, in the order of the ids; unknown ones are left out."""
    wanted = list(dict.fromkeys(ids))
    found = {r["id"]: read_row(r) for r in store.all(f"{JOINED} WHERE o.id IN {LISTED}", listed(wanted))}
    return [found[identity] for identity in wanted if identity in found]


def load_of_memory(store: Store, memory_id: str) -> list[Observation]:
    """The observations that support a memory, oldest first."""
    rows = store.all(f"{JOINED} JOIN support s ON s.observation = o.seq WHERE s.memory = ? ORDER BY o.at, o.id", memory_id)
    return [read_row(r) for r in rows]


def load_with_fate_of(store: Store, memory_id: str) -> list[Observation]:
    """The observations whose fate names a memory, whether or not they support it today, oldest first."""
    rows = store.all(f"{JOINED} WHERE f.memory = ? ORDER BY o.at, o.id", memory_id)
    return [read_row(r) for r in rows]


def load_of_run(store: Store, run: int) -> list[Observation]:
    """The observations a run gave their fate, oldest first."""
    rows = store.all(f"{JOINED} WHERE f.run = ? ORDER BY o.at, o.id", run)
    return [read_row(r) for r in rows]


def load_ids_of_run(store: Store, run: str) -> list[str]:
    """The ids of what a run gave its fate, by the name of the run."""
    return [identity for (identity,) in store.tuples(
        "SELECT o.id FROM observation o JOIN fate f ON f.observation = o.seq JOIN run r ON r.seq = f.run WHERE r.id = ?", run)]


def load_said_before(store: Store, seq: int, latest: datetime) -> datetime | None:
    """When the last thing was said that was stored before some number, of what was said no later than an instant."""
    row = store.one("SELECT MAX(at) AS newest FROM observation WHERE seq < ? AND at <= ?", seq, iso(latest))
    return parse_instant(row["newest"]) if row and row["newest"] else None


def last_seq(store: Store) -> int:
    """The highest observation number so far."""
    row = store.one("SELECT COALESCE(MAX(seq), 0) AS n FROM observation")
    return 0 if row is None else int(row["n"])


def write_fate(tx: sqlite3.Connection, observation: Observation, fate: Fate, *, reason: str, memory: str,
               run: int, evidence: Sequence[Clue] = ()) -> None:
    """Record the one fate of an observation."""
    if reason == DELETION_WAITS:
        tx.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (PUT_OFF, reason))
    tx.execute(
        """INSERT INTO fate (observation, fate, reason, memory, run, evidence) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (observation) DO UPDATE SET fate = excluded.fate, reason = excluded.reason,
             memory = excluded.memory, run = excluded.run, evidence = excluded.evidence""",
        (observation.seq, fate.value, reason, memory, run, to_json(evidence)))


def load_last_of(store: Store, source_id: str, *, count: int, in_passing: bool = False,
                 ahead_of: Collection[tuple[str, int]] = ()) -> list[Observation]:
    """What was last kept of a source, newest first; or what was last said in passing.

    What stands at a place (conversation and start) of `ahead_of` is left out: a reading that ended before its cursor moved
    has kept some of what the next one hears again.
    """
    which, size, last = "=" if in_passing else "<>", count, last_seq(store) + 1
    found: list[Observation] = []
    while len(found) < count:
        rows = store.all(f"{JOINED} WHERE o.source_id = ? AND o.sign {which} ? AND o.seq < ? ORDER BY o.seq DESC LIMIT ?",
                         source_id, IN_PASSING, last, size)
        found += [read_row(row) for row in rows
                  if (row["conversation"], row["start"]) not in ahead_of and row["sign"] not in WITHHELD]
        if len(rows) < size:
            break
        size, last = LOOKED_THROUGH, int(rows[-1]["seq"])
    return found[:count]


@sound_row
def load_scope_of(store: Store, source_id: str, conversation: str) -> Scope | None:
    """The scope of what was kept of a conversation before; None where nothing was."""
    row = store.one("SELECT scope FROM observation WHERE source_id = ? AND conversation = ? ORDER BY seq LIMIT 1", source_id,
                    conversation)
    return None if row is None else parse_scope(row["scope"])


def set_aside(tx: sqlite3.Connection, run: int, *, only: Collection[str] | None = None) -> int:
    """Mark what a run consumed, or only what led to some memories, as rejected by a person.

    It supports nothing and is not taken up again.
    """
    part, args = ("", (run,)) if only is None else (f" AND memory IN {LISTED}", (run, listed(only)))
    tx.execute(f"DELETE FROM support WHERE observation IN (SELECT observation FROM fate WHERE run = ?{part})", args)
    return tx.execute(f"UPDATE fate SET set_aside = 1 WHERE run = ?{part}", args).rowcount


def stand_again(tx: sqlite3.Connection, run: int, memories: Collection[str]) -> int:
    """Let what a run consumed count again where the undo of that run was itself taken back."""
    return tx.execute(f"UPDATE fate SET set_aside = 0 WHERE run = ? AND set_aside = 1 AND (memory = '' OR memory IN {LISTED})",
                      (run, listed(memories))).rowcount


def is_set_aside(store: Store, run: int) -> bool:
    """Whether anything that a run consumed was set aside."""
    return store.one("SELECT 1 FROM fate WHERE run = ? AND set_aside = 1 LIMIT 1", run) is not None


def hand_back(tx: sqlite3.Connection, run: int) -> int:
    """Let the observations of an undone run wait again."""
    return tx.execute("DELETE FROM fate WHERE run = ? AND set_aside = 1", (run,)).rowcount


def forgotten_hash(conversation: str, text: str, *, key: bytes) -> str:
    """The tombstone of a statement: keyed, so that the hash of a short secret cannot be guessed from outside."""
    return hmac.new(key, f"{conversation}\x00{plain_words(text)}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def parts_of(text: str, sign: str) -> list[str]:
    """A statement, and the sentences of one said in passing: the next reading may join other ones."""
    return list(dict.fromkeys((text, *(_SENTENCE_END.split(text) if sign == IN_PASSING else ()))))


def plain_words(text: str) -> str:
    """A statement without the spacing and case that a second telling may change."""
    return " ".join(text.split()).casefold()


def is_forgotten(tx: sqlite3.Connection, conversation: str, text: str, *, key: bytes) -> bool:
    """True when a person had this statement of this conversation forgotten."""
    digest = forgotten_hash(conversation, text, key=key)
    return tx.execute("SELECT 1 FROM tombstone WHERE hash = ?", (digest,)).fetchone() is not None


@sound_row
def tombstone_key(store: Store) -> bytes:
    """The store's secret for tombstones."""
    return bytes.fromhex(store.meta("tombstone_key") or "00")


@sound_row
def read_row(row: sqlite3.Row) -> Observation:
    """One row of an observation with its fate."""
    return Observation(
        id=row["id"], seq=row["seq"], text=row["text"], origin=Origin(row["origin"]), at=parse_instant(row["at"]),
        scope=parse_scope(row["scope"]), conversation=row["conversation"], key=row["key"],
        class_hint=MemoryClass(row["class_hint"]) if row["class_hint"] else None,
        type_hint=MemoryType(row["type_hint"]) if row["type_hint"] else None, ttl=row["ttl"],
        explicit=bool(row["explicit"]), sign=row["sign"], source_id=row["source_id"], start=row["start"], end=row["end"],
        target=row["target"], context=row["context"], fate=Fate(row["fate"]) if row["fate"] else None,
        fate_reason=row["fate_reason"] or "", memory_id=row["fate_memory"] or "", set_aside=bool(row["set_aside"]))
