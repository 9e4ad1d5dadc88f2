"""How memory came to be what it is, night by night: counts from the journal, fates and calls of a language model.

Only what the store knows is told. It does not keep what an index was in earlier nights, nor what an agent did with what it
was shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from dreamd.core.clock import parse_instant
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.journal import DREAM
from dreamd.store.memories import HELD_SINCE
from dreamd.store.presence.sound_rows import sound_row
from dreamd.store.telling.taken_back import load_beside


@dataclass(frozen=True)
class Stand:
    """The live memories right after a run, by class."""

    run: int
    at: datetime
    live: Mapping[str, int]


@dataclass(frozen=True)
class Spent:
    """What language models used for one run."""

    calls: int
    tokens: int
    cost: float | None
    """None where no price is known."""


@dataclass(frozen=True)
class Unasked:
    """A live memory that nobody was ever shown."""

    id: str
    memory_class: str
    since: datetime
    """When it was last said or confirmed, or when dream first held it, whichever is later."""


@dataclass(frozen=True)
class IndexSize:
    """How large the index of a scope is today."""

    scope: str
    lines: int
    size: int


@sound_row
def load_stands(store: Store) -> list[Stand]:
    """The live memories by class after each run that changed any, oldest first, told again from the journal."""
    rows = store.tuples("""SELECT o.run, r.now, o.memory, json_extract(o.after, '$.class'), json_extract(o.after, '$.status')
                           FROM operation o JOIN run r ON r.seq = o.run ORDER BY o.run, o.seq""")
    return list(_stands(rows))


def _stands(rows: Sequence[tuple[object, ...]]) -> Iterator[Stand]:
    live: dict[str, str] = {}
    count: Counter[str] = Counter()
    last: tuple[int, str] | None = None
    for run, now, memory, kind, status in rows:
        if last is not None and last[0] != run:
            yield Stand(last[0], parse_instant(last[1]), +count)
        last = int(str(run)), str(now)
        if (before := live.pop(str(memory), None)) is not None:
            count[before] -= 1
        if status == "live":
            live[str(memory)] = str(kind)
            count[str(kind)] += 1
    if last is not None:
        yield Stand(last[0], parse_instant(last[1]), +count)


def count_live(store: Store) -> dict[str, int]:
    """The live memories of today, by class."""
    return {row["class"]: int(row["n"]) for row in store.all(
        "SELECT class, COUNT(*) AS n FROM memory WHERE status = 'live' GROUP BY class ORDER BY n DESC, class")}


def count_changes(store: Store, runs: Sequence[int]) -> dict[int, Counter[str]]:
    """The changes of each of some runs as they are numbered, by what was done last to each memory."""
    told: dict[int, Counter[str]] = {run: Counter() for run in runs}
    last = f"""FROM operation o WHERE run IN {LISTED} AND op NOT IN ('link', 'unlink')
               AND NOT EXISTS (SELECT 1 FROM operation n WHERE n.run = o.run AND n.memory = o.memory AND n.seq > o.seq
                               AND n.op NOT IN ('link', 'unlink'))"""
    for run, op, number in store.tuples(f"SELECT run, op, COUNT(*) {last} GROUP BY run, op", listed(runs)):
        told[int(str(run))][str(op)] += int(str(number))
    beside = load_beside(store, runs)
    some = {memory for hidden in beside.values() for memory in hidden}
    for run, memory, op in store.tuples(f"SELECT run, memory, op {last} AND memory IN {LISTED}", listed(beside), listed(some)):
        told[int(str(run))][str(op)] -= memory in beside[int(str(run))]
    return told


def load_spent(store: Store, runs: Sequence[int]) -> dict[int, Spent]:
    """What language models used for each of some runs, those that never asked one left out."""
    return {int(r["run"]): Spent(int(r["calls"]), int(r["tokens"]), None if r["priced"] == 0 else float(r["cost"]))
            for r in store.all(f"""SELECT run, COUNT(*) AS calls, SUM(tokens_in + tokens_out) AS tokens, SUM(cost) AS cost,
                                     COUNT(cost) AS priced FROM model_call WHERE run IN {LISTED} GROUP BY run""", listed(runs))}


@sound_row
def load_unasked(store: Store) -> list[Unasked]:
    """The live memories that were never shown, the oldest first."""
    held = f"COALESCE(({HELD_SINCE.format('m')}), m.created_at)"
    rows = store.tuples(f"""SELECT m.id, m.class, MAX(m.confirmed_at, {held}) AS since
                            FROM memory m WHERE m.status = 'live' AND NOT EXISTS (SELECT 1 FROM recall t WHERE t.memory = m.id)
                            ORDER BY since, m.id""")
    return [Unasked(str(identity), str(kind), parse_instant(str(since))) for identity, kind, since in rows]


def load_index_sizes(store: Store) -> list[IndexSize]:
    """How large the index of each scope is, as dream last wrote it."""
    sizes = []
    for row in store.all("SELECT scope, body FROM file WHERE path LIKE '%/MEMORY.md' ORDER BY scope"):
        body = row["body"].encode() if isinstance(row["body"], str) else bytes(row["body"])
        sizes.append(IndexSize(row["scope"], body.count(b"\n") + (not body.endswith(b"\n")), len(body)))
    return sizes


def count_shown(store: Store) -> tuple[int, int]:
    """How many live memories were ever shown, and how often memories were shown in all."""
    row = store.one("""SELECT COUNT(*) FILTER (WHERE m.status = 'live') AS some, COALESCE(SUM(r.times), 0) AS times
                       FROM recall r JOIN memory m ON m.id = r.memory""")
    return (int(row["some"]), int(row["times"])) if row else (0, 0)


def count_nights(store: Store) -> int:
    """How many dreams the journal holds."""
    row = store.one("SELECT COUNT(*) AS n FROM run WHERE kind = ?", DREAM)
    return int(row["n"]) if row else 0
