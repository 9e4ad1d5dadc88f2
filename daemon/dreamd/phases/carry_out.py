"""Carry out a plan in small transactions, stepping aside for anyone who waits to write."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field

from dreamd.errors import Locked
from dreamd.kit import Kit
from dreamd.model import Judgement, Scope
from dreamd.plan import Plan, Step
from dreamd.store import derived, memories, observations
from dreamd.store.journal import Entry, write_entry

BATCH_STEPS = 64
BATCH_S = 0.05
"""Longest a batch holds the write lock; whoever writes in the foreground waits at most about this long."""


@dataclass
class Footing:
    """What the plans of one run rest on: the revision each memory must still have, and what moved meanwhile."""

    expected: dict[str, int]
    spoiled: set[str] = field(default_factory=set)
    scopes: set[Scope] = field(default_factory=set)


def carry_out(kit: Kit, plan: Plan, footing: Footing, *, phase: str) -> int:
    """Apply a plan step by step and say how many steps were done.

    A step whose memory changed since it was planned is left, with all that rests on it, for the next dream.
    """
    done = written = 0
    while done < len(plan.steps):
        if kit.should_stop():
            raise Locked("asked to stop", hint="nothing is lost; the next dream goes on from here")
        with kit.writing() as tx:
            first, started = done, kit.clock.monotonic()
            while done < len(plan.steps) and done - first < BATCH_STEPS and kit.clock.monotonic() - started < BATCH_S:
                written += _attempt(tx, plan.steps[done], footing, kit.begin().seq)
                done += 1
        kit.progress(phase, done, len(plan.steps))
        if kit.background.someone_waits():
            kit.yields += 1
    return written


def keep_verdicts(kit: Kit, verdicts: Mapping[tuple[str, str], Judgement], *, judge: str) -> None:
    """Remember judged pairs, so that none faces a fresh chance of being lost every night."""
    pairs = list(verdicts.items())
    for start in range(0, len(pairs), 500):
        with kit.writing() as tx:
            derived.write_judged(tx, dict(pairs[start:start + 500]), judge=judge)


def _attempt(tx: sqlite3.Connection, step: Step, footing: Footing, run: int) -> int:
    if not _still_fits(tx, step, footing):
        footing.spoiled.update(c.after.id for c in step.changes)
        return 0
    for change in step.changes:
        memories.write_memory(tx, change.after)
        write_entry(tx, Entry(run, 0, change.op, change.after.id, str(change.after.scope), change.reason, change.evidence,
                              memories.snapshot(change.before) if change.before else None,
                              memories.snapshot(change.after)))
        footing.expected[change.after.id] = footing.expected.get(change.after.id, 0) + 1
        footing.scopes.add(change.after.scope)
    for fate in step.fates:
        observations.write_fate(tx, fate.observation, fate.fate, reason=fate.reason, memory=fate.memory_id, run=run,
                                evidence=fate.evidence)
    return 1


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
