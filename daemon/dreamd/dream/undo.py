"""Undo: take back what a run did, whole, with the files, and never by itself again.

Every operation is reversed from its `before`. Observations the run consumed stay, set aside: a person has just
rejected what they led to. Where later runs changed the same memories they are named first; they go back together
with it or not at all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from dreamd.core import locks
from dreamd.core.errors import Refused, StoreMissing
from dreamd.core.locks import Owner
from dreamd.core.plain_words.plain_reasons import AGAIN, PUT_BACK, TAKEN_BACK
from dreamd.core.values import Memory, Scope
from dreamd.dream import projection
from dreamd.dream.cycle import write_files
from dreamd.dream.phases.hand_edits import restated_files
from dreamd.dream.scopes import crossing, task_ends
from dreamd.dream.sharing.who_may import refuse_undo
from dreamd.kit import Kit
from dreamd.store import checks, journal, memories, observations, work
from dreamd.store.connection import Store
from dreamd.store.journal import Entry, Run
from dreamd.store.presence.sound_rows import stored_scope
from dreamd.store.telling import taken_back
from dreamd.store.telling.taken_back import PART, PUT, TOOK, UNDO


@dataclass(frozen=True)
class UndoPlan:
    """What undoing a run would reverse; `later` are standing runs that build on it."""

    run: Run
    entries: tuple[Entry, ...]
    later: tuple[Run, ...] = ()
    only: frozenset[str] | None = None
    """The memories of one change, where the rest of the run stands; None for the whole of it."""

    @property
    def told(self) -> str:
        """What is done, in a few words: `took back one change of` a run, or `put back` what an undo had taken back."""
        part = PART if self.only is not None else ""
        if self.run.kind != UNDO:
            return TOOK + part + ", ".join(r.id for r in (*self.later, self.run))
        verb = TOOK if taken_back.is_putting_back(self.run) else PUT
        what = self.run.reason.removeprefix(TOOK).removeprefix(PUT)
        later = f", and {TOOK}{', '.join(r.id for r in self.later)}" if self.later else ""
        return verb + part + what.removeprefix(part) + later


@dataclass(frozen=True)
class Undone:
    """What was taken back, and how many observations were set aside or handed back."""

    run: str
    """The run that did it, and that an undo puts back."""
    told: str
    runs: tuple[str, ...]
    memories: int
    observations: int
    files: int
    standing: tuple[str, ...] = ()
    """Runs that stand again, for what was taken back was the undo of them."""


@dataclass(frozen=True)
class Return:
    """One memory that goes back: as it stands now, and as it stands again afterwards; None where it does not."""

    memory: str
    now: Memory | None
    again: Memory | None


def hint_of_attached(store: Store, verb: str) -> str:
    """What helps whoever asks for the last dream where there is none."""
    run, last = journal.last_attached(store), journal.last_run(store)
    undo = journal.load_some_runs(store, [last.undone_by])[last.undone_by] if last and last.undone_by else None
    return ((f"`dream {verb} {run.id}` is about an attached directory; " if run else "")
            + (f"`dream {taken_back.how_to_put_back(undo)}` puts back what was taken back; " if undo else "")
            + "`dream history` shows the runs")


def plan_undo(kit: Kit, run_id: str | None = None, *, only: str = "") -> UndoPlan:
    """Choose the run to take back: the named one, or the last dream that changed something; `only` one memory of it.

    Raises StoreMissing when there is none, Refused for one that is undone already or cannot be undone.
    """
    run = choose_run(kit, run_id)
    if run.undone_by:
        raise _already(kit, run, run.undone_by)
    if run.kind == "forget":
        raise Refused("what was forgotten is gone for good and cannot come back")
    if run.kind == "mask":
        raise Refused("what was masked stays masked")
    gone = taken_back.load_taken_back(kit.store, run.seq)
    entries, later = journal.load_entries(kit.store, run.seq), journal.load_later(kit.store, run.seq)
    group = _bound_to(kit, run, entries, only) if only else None
    if group is not None:
        entries, later = [e for e in entries if e.memory in group], [e for e in later if e.memory in group]
    if gone and not (entries := [e for e in entries if e.memory not in gone]):
        raise _already(kit, run, max(gone.values()))
    followers = [journal.load_run(kit.store, str(seq)) for seq in sorted({e.run for e in later}, reverse=True)]
    return UndoPlan(run, tuple(entries), tuple(followers), group)


def _already(kit: Kit, run: Run, by: int, memory: str = "") -> Refused:
    undo = journal.load_some_runs(kit.store, [by])[by]
    was = taken_back.undone_words(run)
    back = "puts it back" if was == "taken back" else "takes it back again"
    return Refused(f"{'that change' if memory else 'what the run did'} is {was} already",
                   hint=f"`dream {taken_back.how_to_put_back(undo, memory)}` {back}")


def choose_run(kit: Kit, run_id: str | None = None) -> Run:
    """The named run, or the last dream that changed something; raises StoreMissing when there is none."""
    run = journal.load_run(kit.store, run_id) if run_id else journal.last_run(kit.store, undoable=True)
    if run is None:
        raise StoreMissing("there is no dream to take back", hint=hint_of_attached(kit.store, "undo"))
    return run


def what_returns(kit: Kit, plan: UndoPlan) -> list[Return]:
    """Every memory that taking a run back would change, from how it stands to how it stood before."""
    sides: dict[str, list[str | None]] = {}
    for run in (plan.run, *reversed(plan.later)):
        gone = taken_back.load_taken_back(kit.store, run.seq)
        for entry in plan.entries if run is plan.run else journal.load_entries(kit.store, run.seq):
            if entry.memory not in gone and (entry.before or entry.after):
                sides.setdefault(entry.memory, [entry.before, None])[1] = entry.after
    return [Return(memory, *(memories.from_snapshot(kit.store, side) if side else None for side in (after, before)))
            for memory, (before, after) in sides.items()]


def _bound_to(kit: Kit, run: Run, entries: Sequence[Entry], named: str) -> frozenset[str]:
    """A memory that a run changed with all that it changed along with it: what was replaced, what was held against it."""
    touched = {e.memory for e in entries if e.op not in (crossing.ROWS, task_ends.ENDS)}
    found = {i for i in touched if len(named) >= memories.SHORTEST_ID and i.startswith(named.strip().lower())}
    if len(found) != 1:
        raise StoreMissing(f"run {run.id} changed no memory `{named}`", hint=f"`dream diff {run.id}` shows what it changed")
    if len(touched) < len({e.memory for e in entries}):
        raise Refused("that run moved more than memories, and goes back whole or not at all",
                      hint=f"`dream undo {run.id}` takes it back")
    bound = [{e.memory, *_named_in(kit, e)} & touched for e in entries]
    while more := {i for some in bound if some & found for i in some} - found:
        found |= more
    gone = taken_back.load_taken_back(kit.store, run.seq)
    if back := sorted(found & gone.keys()):
        raise _already(kit, run, gone[back[0]], back[0])
    return frozenset(found)


def _named_in(kit: Kit, entry: Entry) -> set[str]:
    """The memories that an operation began or ceased to speak of."""
    sides = [memories.from_snapshot(kit.store, side) if side else None for side in (entry.before, entry.after)]
    named = [{m.superseded_by, *(other for other, _ in m.links)} if m else set() for m in sides]
    return (named[0] ^ named[1]) - {""}


def apply_undo(kit: Kit, plan: UndoPlan, *, with_later: bool = False) -> Undone:
    """Reverse a run, newest change first.

    Raises Refused when later runs build on it and were not asked for too, Locked while a dream is at work.
    """
    if plan.later and not with_later:
        names = ", ".join(r.id for r in plan.later)
        runs, them = ("a later run builds", "it") if len(plan.later) == 1 else ("later runs build", "them")
        raise Refused(f"{runs} on run {plan.run.id}: {names}",
                      hint=f"undo {them} too with `dream undo {plan.run.id} --with-later`")
    refuse_undo(kit.store, [run.kind for run in (*plan.later, plan.run)])
    kit.kind = UNDO
    with locks.hold_dream(kit.paths.locks, Owner("dream undo", kit.clock.now())):
        checks.refuse_if_unsound(kit.store)
        return _reverse_all(kit, (*plan.later, plan.run), plan)


def redo(kit: Kit, run_id: str) -> int:
    """Hand the observations of an undone run back to the next dream; say how many.

    The run itself stays undone: what it changed was taken back, another dream comes to its own end. Raises Refused
    for a run that was not undone, or of which nothing is set aside any more.
    """
    run = journal.load_run(kit.store, run_id)
    back = taken_back.load_taken_back(kit.store, run.seq)
    if not run.undone_by and not back and not observations.is_set_aside(kit.store, run.seq):
        raise Refused("nothing of that run was taken back", hint="`dream history` shows of which runs something was")
    kit.kind = "redo"
    with locks.hold_dream(kit.paths.locks, Owner("dream undo --redo", kit.clock.now())):
        checks.refuse_if_unsound(kit.store)
        with kit.writing() as tx:
            count = observations.hand_back(tx, run.seq)
            if not count:
                raise Refused("nothing of that run is set aside", hint="`dream consolidate` takes up what waits")
        kit.end(f"{count} of what run {run.id} had heard handed to the next dream")
    return count


def _reverse_all(kit: Kit, runs: Sequence[Run], plan: UndoPlan) -> Undone:
    touched: set[str] = set()
    aside, scopes, standing = 0, set[Scope](), list[str]()
    ended: list[tuple[Run, Entry]] = []
    mine, gone = kit.begin(), {run.seq: taken_back.load_taken_back(kit.store, run.seq) for run in runs}
    with kit.writing() as tx:
        for run in runs:
            part = plan.only if run is plan.run else None
            for entry in reversed(journal.load_entries(kit.store, run.seq)):
                if entry.memory in gone[run.seq] or (part is not None and entry.memory not in part):
                    continue
                if entry.op == crossing.ROWS:
                    scopes |= crossing.take_back(tx, kit, entry, mine)
                elif entry.op == task_ends.ENDS:
                    ended.append((run, entry))
                    continue
                elif reverse(tx, kit, entry, mine, scopes):
                    touched.add(entry.memory)
                scopes.add(stored_scope(entry.scope))
            aside += observations.set_aside(tx, run.seq, only=part)
            if part is None:
                journal.mark_undone(tx, run.seq, by=mine.seq)
            standing += _let_stand(tx, kit, run, touched) if run.kind == UNDO else []
    files = project(kit, sorted(scopes)) + sum(task_ends.take_back(kit, run, entry) for run, entry in ended)
    kit.end(plan.told)
    return Undone(mine.id, plan.told, tuple(r.id for r in runs), len(touched), aside, files, tuple(standing))


def _let_stand(tx: sqlite3.Connection, kit: Kit, undo: Run, touched: set[str]) -> list[str]:
    """Let the runs stand again that an undo had taken back, with what was said in them."""
    names = []
    for seq in taken_back.load_undone_by(kit.store, undo.seq):
        run = journal.load_run(kit.store, str(seq))
        observations.stand_again(tx, seq, touched)
        if run.undone_by == undo.seq:
            journal.mark_undone(tx, seq, by=0)
        names.append(run.id)
    return names


def reverse(tx: sqlite3.Connection, kit: Kit, entry: Entry, mine: Run, scopes: set[Scope]) -> bool:
    """Put one memory back to its `before`, one that was new goes altogether; False for one that was forgotten meanwhile."""
    if entry.before is None and entry.after is None:
        return False
    before = memories.from_snapshot(kit.store, entry.before) if entry.before else None
    there = True
    if before is None:
        there = memories.delete_memory(tx, entry.memory)
    else:
        if entry.after:
            after = memories.from_snapshot(kit.store, entry.after)
            crossing.carry_edited(tx, kit, after, before)
            if before.edited and after.scope == before.scope and after.text != before.text:
                work.intend(tx, restated_files(kit, before))  # kept to the byte, the file would go on saying the later words
        memories.write_memory(tx, before)
        scopes.add(before.scope)
    reason = AGAIN if entry.reason == PUT_BACK else f"{TAKEN_BACK}{entry.op}"
    journal.write_entry(tx, Entry(mine.seq, 0, UNDO, entry.memory, entry.scope, reason, (),
                                  entry.after, entry.before))
    return there


def project(kit: Kit, scopes: Sequence[Scope]) -> int:
    """Bring the files of scopes in line with what was taken back."""
    warnings: list[str] = []
    projection.settle(kit)
    return write_files(kit, scopes, warnings)
