"""Carry out a plan in small transactions, stepping aside for anyone who waits to write."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dreamd.core.errors import Locked
from dreamd.core.values import Judgement, Scope
from dreamd.dream.plan import Change, Plan, Step
from dreamd.kit import Kit
from dreamd.library import gate_events
from dreamd.library.gate_events import Ruled
from dreamd.store import derived, memories, observations, work
from dreamd.store.journal import Entry, begin_unit, end_unit, name_by_id, write_entry

NAMED, BY_ID = "files are named", "by id"
"""The store's fact that no file is named any more as dreams of before did it."""


@dataclass
class Touched:
    """What one run changed in a scope: memories whose files that may concern, and in how many writes."""

    ids: set[str] = field(default_factory=set)
    writes: int = 0


@dataclass
class Footing:
    """What the plans of one run rest on: the revision each memory must still have, and what moved meanwhile."""

    expected: dict[str, int]
    spoiled: set[str] = field(default_factory=set)
    touched: dict[Scope, Touched] = field(default_factory=dict)


def files_due(kit: Kit, footing: Footing, edited: Iterable[Scope]) -> dict[Scope, Touched | None]:
    """Scopes whose files may have to change, each with what this run changed there; None where everything is looked at.

    With those that an interrupted run changed and did not come to write, those whose memories were asked for so much more
    that their order may be another, and once those whose files were named by dreams of before.
    """
    if kit.store.meta(NAMED) != BY_ID and memories.count_by_status(kit.store):  # where there is none, none is named
        with kit.writing() as tx:
            for scope in sorted(name_by_id(tx)):
                work.mark_unwritten(tx, scope)
            work.write_meta(tx, NAMED, BY_ID)
    asked = {scope: Touched() for scope in work.load_asked(kit.store)}
    return {**asked, **dict.fromkeys(work.load_unwritten(kit.store)), **footing.touched, **dict.fromkeys(edited)}


def carry_out(kit: Kit, plan: Plan, footing: Footing, *, phase: str) -> int:
    """Apply a plan step by step and say how many steps were done.

    It is a unit: one that was not done to its end is taken back by the next dream, for what is planned again must find
    what this plan has found. A step whose memory changed since it was planned is left, with all that rests on it, for the next
    dream.
    """
    done = written = 0
    events = gate_events.announce(kit.world, _ruled(kit, plan)) if plan.steps else {}
    told: list[str] = []
    while done < len(plan.steps):
        if kit.should_stop():
            raise Locked("asked to stop", hint="nothing is lost; the next dream goes on from here")
        # Not durable one by one: nothing outside the store knows of a step before the intents of its files are recorded.
        reached = []
        with kit.writing(durable=False) as tx:
            if not done:
                begin_unit(tx, kit.begin().seq, [f.observation.seq for step in plan.steps for f in step.fates],
                           held=kit.store.held)
            for part in kit.parts(plan.steps, done):
                for step in part:
                    if apply_step(tx, step, footing, kit.begin().seq):
                        written += 1
                        told += [fate.observation.id for fate in step.fates]
                done += len(part)
                reached.append(done)
            if done >= len(plan.steps):
                end_unit(tx, held=kit.store.held)
        for step_number in reached:  # as many reports on every machine, however its clock cut the batches
            kit.progress(phase, step_number, len(plan.steps))
    if events:  # not before the unit is whole: one that is taken back has decided nothing
        gate_events.tell(kit.world, [events[one] for one in told if one in events], events.values())
    return written


def _ruled(kit: Kit, plan: Plan) -> list[Ruled]:
    """What the gate decided on all that gets its fate."""
    decided = [(fate, kit.verdicts.pop(fate.observation.id)) for step in plan.steps for fate in step.fates
               if fate.observation.id in kit.verdicts]
    kinds = {s.id: s.kind for s in work.load_sources(kit.store)} if any(f.observation.source_id for f, _ in decided) else {}
    return [Ruled(fate.observation, gated, fate.fate, kit.begin().id,
                  kinds.get(fate.observation.source_id, fate.observation.source_id) or gate_events.NOTED)
            for fate, gated in decided]


def keep_verdicts(kit: Kit, verdicts: Mapping[tuple[str, str], Judgement], *, judge: str) -> None:
    """Remember judged pairs, so that none faces a fresh chance of being lost every night."""
    # In the order of their keys: neighbours share a page, and a batch in any other order would rewrite a page a row.
    in_order = sorted(verdicts.items(), key=lambda pair: pair[0])
    kit.write_all(in_order, lambda tx, part: derived.write_judged(tx, dict(part), judge=judge))


def apply_step(tx: sqlite3.Connection, step: Step, footing: Footing, run: int) -> int:
    """Write one step with its entries in the journal; 1 when it was done, 0 when what it rests on has moved."""
    if not _still_fits(tx, step, footing):
        footing.spoiled.update(c.after.id for c in step.changes)
        return 0
    for change in step.changes:
        write_change(tx, change, run)
        footing.expected[change.after.id] = footing.expected.get(change.after.id, 0) + 1
        touched = footing.touched.setdefault(change.after.scope, Touched())
        touched.writes += 1
        # The file of a memory also tells what it replaced.
        touched.ids.update({change.after.id, change.after.superseded_by, change.before.superseded_by if change.before else ""})
    for fate in step.fates:
        observations.write_fate(tx, fate.observation, fate.fate, reason=fate.reason, memory=fate.memory_id, run=run,
                                evidence=fate.evidence)
    return 1


def write_change(tx: sqlite3.Connection, change: Change, run: int) -> None:
    """Write a memory as a change leaves it, with its entry in the journal."""
    memories.write_memory(tx, change.after)
    write_entry(tx, Entry(run, 0, change.op, change.after.id, str(change.after.scope), change.reason, change.evidence,
                          memories.snapshot(change.before) if change.before else None, memories.snapshot(change.after)))


def _still_fits(tx: sqlite3.Connection, step: Step, footing: Footing) -> bool:
    seen: set[str] = set()
    for change in step.changes:
        identity = change.after.id
        if identity in footing.spoiled or change.after.superseded_by in footing.spoiled:
            return False
        if identity not in seen and memories.revision(tx, identity) != footing.expected.get(identity, 0):
            return False
        seen.add(identity)
    return all(f.memory_id not in footing.spoiled for f in step.fates)
