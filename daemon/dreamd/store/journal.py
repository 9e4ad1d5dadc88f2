"""The journal: runs and their operations, each change with before, after, reason and evidence."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from dreamd.core.clock import iso, parse_instant
from dreamd.core.errors import StoreMissing
from dreamd.core.plain_words.evidence_words import from_json, to_json
from dreamd.core.values import Clue, content_id
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.derived import drop_vectors
from dreamd.store.presence.holding import SCOPES_EPOCH
from dreamd.store.presence.sound_rows import refuse_lost_ids, sound_row

DREAM, ATTACH = "dream", "attach"
"""Kind of a run of the four phases; a person's verbs carry their own name as kind."""
DECIDING = ("review", "restore")
"""Kinds of the runs in which a person chose between memories: what was decided does not leave with age."""
NEVER_BACK = ("forget", "mask", "undo", "redo")
"""Runs of which nobody is told how to take them back."""
SHORTEST_ID = 4
STRETCH_RUNS = 256
"""Runs among which those that are too old are looked for after one run."""


@dataclass(frozen=True)
class Run:
    """One entry of the history."""

    seq: int
    id: str
    kind: str
    now: datetime
    started_at: datetime
    ended_at: datetime | None
    outcome: str
    reason: str
    phases: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    fates: Mapping[str, int] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    backlog: int = 0
    undone_by: int = 0
    operations: int = 0
    memories: int = 0
    """How many memories these operations changed."""


@dataclass(frozen=True)
class Entry:
    """One operation as it stands in the journal; `before` and `after` are snapshots without words."""

    run: int
    seq: int
    op: str
    memory: str
    scope: str
    reason: str
    evidence: tuple[Clue, ...]
    before: str | None
    after: str | None


ONLY = "only "
"""What stands as the reason of a dream over one scope, before the scope, until it has come to its end."""
LATELY = "seq > (SELECT MAX(seq) FROM run) - 1000"


def begin_run(tx: sqlite3.Connection, *, kind: str, now: datetime, started_at: datetime, version: str, held: str = "") -> Run:
    """Open a run; its id is derived from its number and time."""
    seq = int(tx.execute("SELECT COALESCE(MAX(seq), 0) + 1 FROM run").fetchone()[0])
    identity = content_id("run", str(seq), iso(now), kind, size=10)
    tx.execute("INSERT INTO run (seq, id, kind, now, started_at, version, reason) VALUES (?, ?, ?, ?, ?, ?, ?)",
               (seq, identity, kind, iso(now), iso(started_at), version, f"{ONLY}{held}" if held else ""))
    return Run(seq, identity, kind, now, started_at, None, "", "")


def end_run(tx: sqlite3.Connection, run: Run, *, ended_at: datetime) -> None:
    """Close a run with its outcome, counts and warnings."""
    tx.execute(
        """UPDATE run SET ended_at = ?, outcome = ?, reason = ?, phases = ?, fates = ?, warnings = ?, backlog = ?
           WHERE seq = ?""",
        (iso(ended_at), run.outcome, run.reason, json.dumps(run.phases), json.dumps(run.fates),
         json.dumps(list(run.warnings), ensure_ascii=False), run.backlog, run.seq))


def drop_run(tx: sqlite3.Connection, run: Run) -> None:
    """Take back a run that turned out to have nothing to do; it leaves no row."""
    tx.execute("DELETE FROM run WHERE seq = ? AND NOT EXISTS (SELECT 1 FROM operation WHERE run = ?)", (run.seq, run.seq))


def close_interrupted(tx: sqlite3.Connection, *, ended_at: datetime, held: str = "") -> int:
    """Mark runs that never ended; their committed work stays valid and the next run goes on.

    Who holds one scope knows only of that one that nobody is at work in it any more.
    """
    several = tx.execute("SELECT 1 FROM meta WHERE key = ?", (SCOPES_EPOCH,)).fetchone() is not None
    open_ones, args = _open_ones(held, several=several)
    return tx.execute(f"UPDATE run SET ended_at = ?, outcome = 'interrupted' WHERE {open_ones}",
                      (iso(ended_at), *args)).rowcount


def _open_ones(held: str, *, several: bool) -> tuple[str, tuple[str, ...]]:
    if held:
        return f"ended_at IS NULL AND {LATELY} AND reason = ?", (f"{ONLY}{held}",)
    # Where several dreams are at work at a time, one that was killed is not always the newest.
    return (f"ended_at IS NULL AND {LATELY}" if several else _NOT_ENDED), ()


_NOT_ENDED = f"""ended_at IS NULL AND seq >= COALESCE(
    (SELECT seq FROM run WHERE kind = '{DREAM}' ORDER BY seq DESC LIMIT 1), 0)"""
"""Only the newest dream and what came after it may not have ended: a dream begins by closing all that stands before it."""


def count_interrupted(store: Store) -> int:
    """How many runs never ended."""
    open_ones, args = _open_ones(store.held, several=store.meta(SCOPES_EPOCH) is not None)
    row = store.one(f"SELECT COUNT(*) AS n FROM run WHERE {open_ones}", *args)
    return int(row["n"]) if row else 0


_PASSED_OVER = "EXISTS (SELECT 1 FROM operation n WHERE n.memory = o.memory AND (n.run, n.seq) > (o.run, o.seq))"
_BY_WORDS = re.compile(r"(?:user|feedback|project|reference)_(.+)\.md")
_AGES = f"kind NOT IN {DECIDING}"


def is_older(store: Store, *, before: datetime) -> bool:
    """Whether the journal holds something from before a time that is not the newest entry about a memory.

    Of a long journal another stretch is looked at after each run: all of it, but not in one night.
    """
    ends = store.one("SELECT (SELECT MIN(seq) FROM run) AS first, (SELECT MAX(seq) FROM run) AS last")
    if ends is None or ends["last"] is None:
        return False
    stretches = -(-(ends["last"] - ends["first"] + 1) // STRETCH_RUNS)
    start = ends["first"] + ends["last"] % stretches * STRETCH_RUNS
    return store.one(f"""SELECT 1 FROM run r LEFT JOIN operation o ON o.run = r.seq
                         WHERE r.seq >= ? AND r.seq < ? AND r.ended_at < ? AND {_AGES}
                           AND (o.run IS NULL OR {_PASSED_OVER}) LIMIT 1""",
                     start, start + STRETCH_RUNS, iso(before)) is not None


def drop_old(tx: sqlite3.Connection, *, before: datetime) -> int:
    """Drop runs from before a time, and with them what could still be undone; give back how many runs went.

    The newest entry about each memory stays, however old: it says why the memory is what it is. So does what a person decided.
    """
    old = f"(SELECT seq FROM run WHERE ended_at < ? AND {_AGES})"
    told: set[str] = set()
    for column in ("before", "after"):
        told.update(r[0] for r in tx.execute(f"""SELECT json_extract(o.{column}, '$.wording') FROM operation o
            WHERE o.run IN {old} AND {_PASSED_OVER} AND o.{column} IS NOT NULL""", (iso(before),)))
    tx.execute(f"DELETE FROM operation AS o WHERE o.run IN {old} AND {_PASSED_OVER}", (iso(before),))
    gone = tx.execute(f"DELETE FROM run WHERE seq IN {old} AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.run = run.seq)",
                      (iso(before),)).rowcount
    known = {r[0] for r in tx.execute("SELECT wording FROM memory")}
    if told <= known:
        return int(gone)  # no words became needless: the whole journal need not be read
    for column in ("before", "after"):
        known.update(r[0] for r in tx.execute(f"SELECT DISTINCT json_extract({column}, '$.wording') FROM operation"))
    for (sha,) in tx.execute("SELECT sha FROM wording").fetchall():
        if sha not in known:
            tx.execute("DELETE FROM wording WHERE sha = ?", (sha,))
            drop_vectors(tx, sha)
    return int(gone)


def name_by_id(tx: sqlite3.Connection) -> set[str]:
    """Give the files of memories that were named by their first words the name they would get today; gives their scopes.

    In the journal too, for the memory is no other. A file that a person edited, or named, keeps its name.
    """
    renamed = set()
    others = tx.execute("SELECT id, scope, file FROM memory WHERE edited = 0 AND file <> id || '.md'").fetchall()
    for identity, scope, file in others:
        words = _BY_WORDS.fullmatch(file)
        if not words or (words[1] != identity and not words[1].endswith(f"-{identity[:6]}")):
            continue
        renamed.add(scope)
        tx.execute("UPDATE memory SET file = ? WHERE id = ?", (f"{identity}.md", identity))
        entries = tx.execute("SELECT run, seq, before, after FROM operation WHERE memory = ?", (identity,)).fetchall()
        for run, seq, *sides in entries:
            told = [_renamed(side, file, f"{identity}.md") for side in sides]
            tx.execute("UPDATE operation SET before = ?, after = ? WHERE run = ? AND seq = ?", (*told, run, seq))
    return renamed


def _renamed(snapshot: str | None, old: str, new: str) -> str | None:
    """A memory as the journal keeps it, under another name; as it is where that is not its name or it cannot be read."""
    try:
        kept = json.loads(snapshot or "")
    except ValueError:
        return snapshot
    if not isinstance(kept, dict) or kept.get("file") != old:
        return snapshot
    return json.dumps({**kept, "file": new}, ensure_ascii=False, sort_keys=True)


def write_entry(tx: sqlite3.Connection, entry: Entry) -> None:
    """Add one operation; its number is the next one of its run."""
    tx.execute(
        """INSERT INTO operation SELECT ?, COALESCE(MAX(seq), 0) + 1, ?, ?, ?, ?, ?, ?, ? FROM operation WHERE run = ?""",
        (entry.run, entry.op, entry.memory, entry.scope, entry.reason,
         to_json(entry.evidence), entry.before, entry.after, entry.run))


_COUNTED = """(SELECT COUNT(*) FROM operation o WHERE o.run = r.seq) AS operations,
    (SELECT COUNT(DISTINCT o.memory) FROM operation o WHERE o.run = r.seq
       AND (o.before IS NOT NULL OR o.after IS NOT NULL)) AS memories"""


def load_runs(store: Store, *, limit: int = 50, kind: str | None = None) -> list[Run]:
    """Runs, newest first."""
    where, args = ("", ()) if kind is None else (" WHERE r.kind = ?", (kind,))
    rows = store.all(f"""SELECT r.*, {_COUNTED}
                         FROM run r{where} ORDER BY r.seq DESC LIMIT ?""", *args, limit)
    return [_run(r) for r in rows]


def load_run(store: Store, identity: str) -> Run:
    """A run by its id, a beginning of it, or its number.

    Raises StoreMissing when there is none.
    """
    wanted = identity.strip().lower()
    sql = f"SELECT r.*, {_COUNTED} FROM run r WHERE "
    row = store.one(sql + "r.id >= ? AND r.id < ?", wanted, wanted + "g") if len(wanted) >= SHORTEST_ID else None
    if row is None and wanted.isdecimal() and len(wanted) < 12:
        row = store.one(sql + "r.seq = ?", int(wanted))
    if row is None:
        refuse_lost_ids(store.connection, "run")
        raise StoreMissing("no run with that id", hint=_which(store, wanted))
    return _run(row)


def _which(store: Store, wanted: str) -> str:
    """What helps where no run has an id: a person may have named a memory."""
    if len(wanted) >= SHORTEST_ID and store.one("SELECT 1 FROM operation WHERE memory >= ? AND memory < ? LIMIT 1",
                                                wanted, wanted + "g"):
        return f"that is a memory: `dream explain {wanted}` names its runs, `dream undo RUN --only {wanted}` takes one back"
    return "`dream history` shows the runs"


def load_some_runs(store: Store, seqs: Iterable[int]) -> dict[int, Run]:
    """Runs by their numbers; unknown ones are left out."""
    rows = store.all(f"""SELECT r.*, {_COUNTED}
                         FROM run r WHERE r.seq IN {LISTED}""", listed(seqs))
    return {r["seq"]: _run(r) for r in rows}


def last_run(store: Store, *, outcomes: Sequence[str] = (), kind: str = DREAM, undoable: bool = False) -> Run | None:
    """The newest run of a kind with one of the outcomes; with `undoable`, one that changed something and stands."""
    where, args = ("r.kind = ?" + (f" AND r.outcome IN {LISTED}" if outcomes else "")), (listed(outcomes),) if outcomes else ()
    if undoable:
        where += """ AND r.undone_by = 0 AND (EXISTS (SELECT 1 FROM operation o WHERE o.run = r.seq
                                                      AND (o.before IS NOT NULL OR o.after IS NOT NULL))
                     OR EXISTS (SELECT 1 FROM fate f WHERE f.run = r.seq AND f.set_aside = 0))"""
    row = store.one(f"""SELECT r.*, {_COUNTED}
                        FROM run r WHERE {where} ORDER BY r.seq DESC LIMIT 1""", kind, *args)
    return None if row is None else _run(row)


def last_attached(store: Store, *, after: Run | None = None) -> Run | None:
    """The newest run that changed an attached directory and stands, if it came after another run."""
    run = last_run(store, kind=ATTACH, outcomes=("changed",))
    return None if run is None or run.undone_by or after is not None and run.seq < after.seq else run


def last_seq(store: Store) -> int:
    """The number of the newest run; 0 before the first."""
    row = store.one("SELECT MAX(seq) AS n FROM run")
    return int(row["n"] or 0) if row else 0


def changed_since(store: Store, scope: str, run: int, *, but: int) -> bool:
    """Whether any run after one, `but` for one, changed a memory of a scope, whichever program it was."""
    # A forgetting names the scope of the first memory it took, whatever else it took.
    return store.one("SELECT 1 FROM operation WHERE run > ? AND run <> ? AND (scope = ? OR op = 'forget') LIMIT 1",
                     run, but, scope) is not None


def load_entries(store: Store, run: int) -> list[Entry]:
    """The operations of a run in their order."""
    return [_entry(r) for r in store.all("SELECT * FROM operation WHERE run = ? ORDER BY seq", run)]


def load_entries_of(store: Store, memory: str) -> list[Entry]:
    """Every operation that ever touched a memory."""
    return [_entry(r) for r in store.all("SELECT * FROM operation WHERE memory = ? ORDER BY run, seq", memory)]


def load_decisions(store: Store) -> list[tuple[Run, list[Entry]]]:
    """The standing runs in which a person chose between memories, oldest first, each with its operations."""
    rows = store.all(f"""SELECT r.*, {_COUNTED}
                         FROM run r WHERE r.kind IN {DECIDING} AND r.undone_by = 0 ORDER BY r.seq""")
    return [(_run(row), load_entries(store, row["seq"])) for row in rows]


def load_later(store: Store, run: int) -> list[Entry]:
    """Operations of later, standing runs on memories that this run touched too: they depend on it."""
    return [_entry(r) for r in store.all(
        """SELECT o.* FROM operation o JOIN run r ON r.seq = o.run
           WHERE o.run > ? AND r.undone_by = 0 AND r.kind NOT IN ('undo', 'forget')
             AND o.memory IN (SELECT memory FROM operation WHERE run = ?) ORDER BY o.run, o.seq""", run, run)]


TORN = "torn"
"""The fact that names a unit of work that is not done yet: its run, the last operation before it, its observations."""
FIRST_LOOK = "first look"
"""The fact that a first dream has read enough to show something, and shows it before it reads on."""


def torn_key(held: str) -> str:
    """The fact about the unit of who holds one scope, or all of the store."""
    return f"{TORN} {content_id('scope', held)}" if held else TORN


def begin_unit(tx: sqlite3.Connection, run: int, seqs: Sequence[int], *, held: str = "") -> None:
    """Remember in the first transaction of a unit what belongs to it."""
    last = tx.execute("SELECT MAX(seq) FROM operation WHERE run = ?", (run,)).fetchone()[0] or 0
    tx.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)",
               (torn_key(held), json.dumps({"run": run, "after": last, "observations": list(seqs)})))


def end_unit(tx: sqlite3.Connection, *, held: str = "") -> None:
    """The last transaction of a unit: from now on it stays."""
    tx.execute("DELETE FROM meta WHERE key IN (?, ?)", (torn_key(held), FIRST_LOOK))


def load_torn(store: Store) -> dict[str, str]:
    """The units that were interrupted and that nobody is at work on any more, by their facts: of the scope that is held and
    of whoever held all of the store, or of everybody."""
    if store.held:
        rows = store.all("SELECT key, value FROM meta WHERE key IN (?, ?) ORDER BY key", TORN, torn_key(store.held))
    else:
        rows = store.all("SELECT key, value FROM meta WHERE key = ? OR key LIKE ? ORDER BY key", TORN, f"{TORN} %")
    return {row["key"]: row["value"] for row in rows}


def is_built_on(store: Store, run: int, after: int) -> bool:
    """Whether a later run changed a memory that this one changed after one of its operations."""
    return store.one("""SELECT 1 FROM operation o WHERE o.run > ? AND o.memory IN (
                          SELECT memory FROM operation WHERE run = ? AND seq > ?) LIMIT 1""", run, run, after) is not None


def drop_entries(tx: sqlite3.Connection, run: int, after: int) -> None:
    """Take out the operations of a run behind one of them, as if they had not been."""
    tx.execute("DELETE FROM operation WHERE run = ? AND seq > ?", (run, after))


def load_unfinished(store: Store, scope: str, *, but: int) -> tuple[set[str], dict[str, str]]:
    """What the interrupted dreams right before one have done in a scope: memories they made, and how others stood before."""
    founded: set[str] = set()
    before: dict[str, str] = {}
    # Where scopes are dreamt one by one, thousands of other runs lie between two of one: mostly none of them was interrupted.
    if store.held and store.one(f"""SELECT 1 FROM run WHERE kind = '{DREAM}' AND {LATELY} AND seq <> ?
            AND outcome IN ('', 'interrupted') AND (reason = ? OR substr(reason, 1, {len(ONLY)}) <> '{ONLY}') LIMIT 1""",
                                but, f"{ONLY}{store.held}") is None:
        return founded, before
    for run in store.all(f"""SELECT seq, outcome, reason FROM run r WHERE kind = '{DREAM}' AND seq <> ? AND (? = ''
                             OR reason = ? OR EXISTS (SELECT 1 FROM operation o WHERE o.run = r.seq AND o.scope = ?))
                             ORDER BY seq DESC LIMIT 100""", but, store.held, f"{ONLY}{store.held}", store.held):
        if run["outcome"] not in ("", "interrupted"):
            break
        rows = store.tuples("""SELECT memory, json_extract(before, '$.status') FROM operation WHERE run = ? AND scope = ?
                               ORDER BY seq DESC""", run["seq"], scope)
        founded.update(memory for memory, status in rows if status is None)
        before.update((memory, status) for memory, status in rows if status is not None)
    return founded, {memory: status for memory, status in before.items() if memory not in founded}


def mark_undone(tx: sqlite3.Connection, run: int, *, by: int) -> None:
    """Remember which run took another one back; 0 for a run that stands again."""
    tx.execute("UPDATE run SET undone_by = ? WHERE seq = ?", (by, run))


def run_ids(store: Store) -> dict[int, str]:
    """The public id of every run by its number."""
    return {r["seq"]: r["id"] for r in store.all("SELECT seq, id FROM run")}


@sound_row
def _run(row: sqlite3.Row) -> Run:
    return Run(
        seq=row["seq"], id=row["id"], kind=row["kind"], now=parse_instant(row["now"]),
        started_at=parse_instant(row["started_at"]), ended_at=parse_instant(row["ended_at"]) if row["ended_at"] else None,
        outcome=row["outcome"], reason=row["reason"], phases=json.loads(row["phases"]), fates=json.loads(row["fates"]),
        warnings=json.loads(row["warnings"]), backlog=row["backlog"], undone_by=row["undone_by"],
        operations=row["operations"], memories=row["memories"])


@sound_row
def _entry(row: sqlite3.Row) -> Entry:
    return Entry(row["run"], row["seq"], row["op"], row["memory"], row["scope"], row["reason"],
                 from_json(row["evidence"]), row["before"], row["after"])
