"""What was taken back: of which run, by which, and the memories that went with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dreamd.core.plain_words.plain_reasons import PUT_BACK
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.journal import SHORTEST_ID, Entry, Run, load_entries_of

UNDO = "undo"
TOOK, PUT, PART = "took back ", "put back ", "one change of "
"""How the reason of an undo begins."""


def is_putting_back(run: Run) -> bool:
    """Whether an undo took an undo back, so that what it is about stands again."""
    return run.kind == UNDO and run.reason.startswith(PUT)


def undone_words(run: Run) -> str:
    """What happened to a run that was undone."""
    return "put back" if run.kind == UNDO and not is_putting_back(run) else "taken back"


def how_to_put_back(run: Run, memory: str = "") -> str:
    """The words behind `dream` that put back at once what an undo took back, or one memory of it."""
    return f"undo {run.id}" + (f" --only {memory}" if memory and PART not in run.reason else "")


def load_taken_back(store: Store, run: int) -> dict[str, int]:
    """Memories that stand again as before a run, for what it did to them was taken back, and nothing was done since.

    Each with the number of the run that took it back.
    """
    before = _stood_before(store, run)
    rows = store.tuples(f"""SELECT o.memory, o.after, o.run FROM operation o
        WHERE o.memory IN {LISTED} AND o.run > ? AND o.op = 'undo'
        AND NOT EXISTS (SELECT 1 FROM operation n WHERE n.memory = o.memory AND (n.run, n.seq) > (o.run, o.seq))""",
                        listed(before), run)
    return {memory: by for memory, side, by in rows if side == before[memory]}


def load_put_back(store: Store, run: int) -> dict[str, int]:
    """Memories of which what a run did was taken back and put back again, each with the run that did that last."""
    rows = store.tuples("""SELECT o.memory, o.before, o.run FROM operation o WHERE o.op = 'undo' AND o.reason = ? AND o.run > ?
        AND o.memory IN (SELECT memory FROM operation WHERE run = ?) ORDER BY o.run, o.seq""", PUT_BACK, run, run)
    before = _stood_before(store, run) if rows else {}
    return {memory: by for memory, side, by in rows if side == before[memory]}


def _stood_before(store: Store, run: int) -> dict[str, str | None]:
    before: dict[str, str | None] = {}
    for memory, side in store.tuples("SELECT memory, before FROM operation WHERE run = ? ORDER BY seq", run):
        before.setdefault(memory, side)
    return before


@dataclass(frozen=True)
class Count:
    """How many changes a run made, as they are numbered wherever people read of it, and how many of them were taken back."""

    changes: int
    back: int


def count_told(store: Store, runs: Sequence[Run]) -> dict[int, Count]:
    """The changes of some runs, by their numbers."""
    beside, gone = load_beside(store, [run.seq for run in runs]), _load_gone(store, runs)
    return {run.seq: Count(run.memories - len(hidden := beside.get(run.seq, set())), len(gone.get(run.seq, set()) - hidden))
            for run in runs}


def load_beside(store: Store, runs: Sequence[int]) -> dict[int, set[str]]:
    """Memories that took another one's place in the run in which they came: one change with that, told beside it."""
    beside: dict[int, set[str]] = {}
    for run, memory in store.tuples(f"""SELECT DISTINCT o.run, json_extract(o.after, '$.superseded_by') FROM operation o
            JOIN operation n ON n.run = o.run AND n.memory = json_extract(o.after, '$.superseded_by') AND n.before IS NULL
            WHERE o.run IN {LISTED} AND o.op NOT IN ('version', 'undo')
              AND json_extract(o.after, '$.status') = 'superseded'""", listed(runs)):
        beside.setdefault(run, set()).add(memory)
    return beside


def _load_gone(store: Store, runs: Sequence[Run]) -> dict[int, set[str]]:
    """Of runs that stand but for some of their changes, the memories that stand again as before them."""
    undos = [r["seq"] for r in store.all("SELECT seq FROM run WHERE kind = 'undo' AND seq > ?",
                                         min((r.seq for r in runs), default=0))]
    if not undos:
        return {}
    touched = {r["run"] for r in store.all(f"""SELECT DISTINCT o.run FROM operation u JOIN operation o ON o.memory = u.memory
                                               AND o.run < u.run WHERE u.run IN {LISTED}""", listed(undos))}
    return {run.seq: {*load_taken_back(store, run.seq)} for run in runs if run.seq in touched and not run.undone_by}


def load_undone_by(store: Store, undo: int) -> list[int]:
    """The runs that an undo took back, as a whole or in part, the newest first."""
    return [r["run"] for r in store.all("""SELECT DISTINCT o.run FROM operation u JOIN operation o ON o.memory = u.memory
        AND o.run < u.run AND o.before IS u.after WHERE u.run = ? UNION SELECT seq FROM run WHERE undone_by = ?
        ORDER BY 1 DESC""", undo, undo)]


def load_taken_away(store: Store, identity: str) -> Entry | None:
    """The operation that took a memory out of the store again with the run that had made it, by the beginning of its id."""
    wanted = identity.strip().lower()
    row = store.one("""SELECT memory FROM operation WHERE memory >= ? AND memory < ? AND op = 'undo' AND after IS NULL
                       AND memory NOT IN (SELECT id FROM memory) ORDER BY run DESC, seq DESC LIMIT 1""", wanted, wanted + "g")
    return load_entries_of(store, row["memory"])[-1] if row and len(wanted) >= SHORTEST_ID else None
