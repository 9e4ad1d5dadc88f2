"""What goes back to the word of a language model: changes in the journal, statements it read, pairs it judged.

A change names role, model and prompt in its evidence, as `credit` writes it; once it was taken back, it says so there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from dreamd.core.plain_words.evidence_words import from_json, to_json
from dreamd.core.values import Clue
from dreamd.store import journal
from dreamd.store.connection import Store
from dreamd.store.journal import Entry

TAKEN_BACK = "taken-back"
_BY = "by "
_WAS_BY = "taken back, was by "


@dataclass(frozen=True)
class Whose:
    """Which words are meant: those of one model, of one role, or of one model in one role."""

    role: str = ""
    model: str = ""

    def is_in(self, evidence: Sequence[Clue]) -> bool:
        """Whether a change goes back to them."""
        return any(self.named(clue) for clue in evidence)

    def named(self, clue: Clue) -> bool:
        """Whether a reason names them."""
        if not isinstance(clue, str) or not clue.startswith(_BY):
            return False
        role, _, rest = clue.removeprefix(_BY).partition(" ")
        model = rest.rpartition(" ")[0]
        return bool(rest) and self.role in ("", role) and self.model in ("", model)

    def told(self) -> str:
        """The same in words."""
        return " ".join(word for word in (self.role, self.model) if word)


def load_credited(store: Store, whose: Whose) -> list[Entry]:
    """The standing changes that go back to some words, oldest first."""
    rows = store.tuples("""SELECT o.run, o.seq FROM operation o JOIN run r ON r.seq = o.run
                           WHERE r.undone_by = 0 AND o.evidence LIKE '%"by %' ORDER BY o.run, o.seq""")
    found: dict[int, list[int]] = {}
    for run, seq in rows:
        found.setdefault(run, []).append(seq)
    return [entry for run, seqs in found.items() for entry in journal.load_entries(store, run)
            if entry.seq in seqs and whose.is_in(entry.evidence)]


def load_runs_after(store: Store, entries: Sequence[Entry]) -> list[int]:
    """The other standing runs that changed what some changes made, newest first."""
    own, first = {entry.run for entry in entries}, dict[str, int]()
    for entry in entries:
        first.setdefault(entry.memory, entry.run)
    later = {run for memory, since in first.items() for (run,) in store.tuples(
        """SELECT o.run FROM operation o JOIN run r ON r.seq = o.run WHERE o.memory = ? AND o.run > ?
           AND r.undone_by = 0 AND r.kind NOT IN ('undo', 'forget')""", memory, since)}
    return sorted(later - own, reverse=True)


def count_words(store: Store, whose: Whose) -> int:
    """How many statements they read are not set aside."""
    row = store.one("""SELECT COUNT(*) AS n FROM model_word w LEFT JOIN fate f ON f.observation = w.observation
                       WHERE ? IN ('', w.role) AND ? IN ('', w.model) AND COALESCE(f.set_aside, 0) = 0""",
                    whose.role, whose.model)
    return int(row["n"]) if row else 0


def mark_taken_back(tx: sqlite3.Connection, entries: Sequence[Entry], whose: Whose) -> None:
    """Let changes say that they were taken back: they are found by their author no more."""
    for entry in entries:
        clues = [f"{_WAS_BY}{str(clue).removeprefix(_BY)}" if whose.named(clue) else clue for clue in entry.evidence]
        tx.execute("UPDATE operation SET evidence = ? WHERE run = ? AND seq = ?", (to_json(clues), entry.run, entry.seq))


def set_words_aside(tx: sqlite3.Connection, whose: Whose, *, run: int) -> int:
    """Have nothing rest on what a model read, now or later: as a person rejected it. Says how many statements those are."""
    seqs = [row[0] for row in tx.execute("SELECT observation FROM model_word WHERE ? IN ('', role) AND ? IN ('', model)",
                                         (whose.role, whose.model)).fetchall()]
    aside = 0
    for seq in seqs:
        tx.execute("DELETE FROM support WHERE observation = ?", (seq,))
        known = tx.execute("SELECT set_aside FROM fate WHERE observation = ?", (seq,)).fetchone()
        if known is None:
            tx.execute("INSERT INTO fate (observation, fate, reason, run, set_aside) VALUES (?, 'discarded', ?, ?, 1)",
                       (seq, TAKEN_BACK, run))
        else:
            tx.execute("UPDATE fate SET set_aside = 1 WHERE observation = ?", (seq,))
        aside += known is None or not known[0]
    return aside


def hand_back_beside(tx: sqlite3.Connection, entries: Sequence[Entry]) -> int:
    """Let what others said for the same changes wait again, so that the next dream comes to its own end; says how much."""
    handed = 0
    for run, memory in sorted({(entry.run, entry.memory) for entry in entries}):
        rows = tx.execute("SELECT observation FROM fate WHERE run = ? AND memory = ? AND set_aside = 0",
                          (run, memory)).fetchall()
        for (seq,) in rows:
            tx.execute("DELETE FROM support WHERE observation = ?", (seq,))
            tx.execute("DELETE FROM fate WHERE observation = ?", (seq,))
        handed += len(rows)
    return handed


def leave_apart(tx: sqlite3.Connection, whose: Whose) -> int:
    """Keep pairs that a model judged, as no more than related: nobody is asked about them again by himself."""
    rows = tx.execute("SELECT a, b, evidence FROM judged WHERE evidence LIKE '%\"by %'").fetchall()
    taken = [(a, b) for a, b, evidence in rows if whose.is_in(from_json(evidence))]
    tx.executemany("UPDATE judged SET relation = 'related', evidence = ? WHERE a = ? AND b = ?",
                   [(to_json([f"{_WAS_BY}{whose.told()}"]), a, b) for a, b in taken])
    return len(taken)
