"""What was taken back: of which run, by which, and the memories that went with it."""

from __future__ import annotations

from collections.abc import Sequence

from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.journal import SHORTEST_ID, Entry, Run, load_entries_of


def load_taken_back(store: Store, run: int) -> dict[str, int]:
    """Memories that stand again as before a run, for what it did to them was taken back, and nothing was done since.

    Each with the number of the run that took it back.
    """
    before: dict[str, str | None] = {}
    for memory, side in store.tuples("SELECT memory, before FROM operation WHERE run = ? ORDER BY seq", run):
        before.setdefault(memory, side)
    rows = store.tuples(f"""SELECT o.memory, o.after, o.run FROM operation o
        WHERE o.memory IN {LISTED} AND o.run > ? AND o.op = 'undo'
        AND NOT EXISTS (SELECT 1 FROM operation n WHERE n.memory = o.memory AND (n.run, n.seq) > (o.run, o.seq))""",
                        listed(before), run)
    return {memory: by for memory, side, by in rows if side == before[memory]}


def count_taken_back(store: Store, runs: Sequence[Run]) -> dict[int, int]:
    """Of runs that stand but for some of their changes, how many memories stand again as before them, by number of the run."""
    undos = [r["seq"] for r in store.all("SELECT seq FROM run WHERE kind = 'undo' AND seq > ?",
                                         min((r.seq for r in runs), default=0))]
    if not undos:
        return {}
    touched = {r["run"] for r in store.all(f"""SELECT DISTINCT o.run FROM operation u JOIN operation o ON o.memory = u.memory
                                               AND o.run < u.run WHERE u.run IN {LISTED}""", listed(undos))}
    counted = {run.seq: len(load_taken_back(store, run.seq)) for run in runs if run.seq in touched and not run.undone_by}
    return {seq: n for seq, n in counted.items() if n}


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
