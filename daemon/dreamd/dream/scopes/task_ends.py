"""The end of a task's phase, and of a task: one run of the journal each, with what is proposed to the project's memory.

What is proposed is held until a person decides. The files of the task follow the commit; what the run does to them is kept
beforehand, so that it can be taken back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dreamd.core import locks
from dreamd.core.clock import local_date
from dreamd.core.values import FROM_TASK, Candidate, Fate, Memory, Origin, Scope, Status
from dreamd.dream.phases.carry_out import write_change
from dreamd.dream.phases.draft import founded
from dreamd.dream.phases.twins import Heard
from dreamd.dream.plan import Change
from dreamd.dream.scopes.scope_files import rewrite
from dreamd.extraction import gate
from dreamd.kit import Kit
from dreamd.library.tasks import course, task_runs
from dreamd.library.tasks import task_folder as parts
from dreamd.library.tasks.course import Task
from dreamd.library.tasks.standing_alone import why_not
from dreamd.store import memories, observations
from dreamd.store.journal import Entry, Run, begin_run, end_run, write_entry

KIND = "task"
ENDS = "task-end"
"""The journal's entry for what the end of a phase does in the folder of a task."""


@dataclass(frozen=True)
class Ended:
    """What the end of a phase, or of a task, did."""

    run: str
    report: str
    findings: tuple[str, ...]
    gone: int
    """Lines that left `NOTES.md`."""
    proposed: tuple[Memory, ...]


def end_phase(kit: Kit, task: Task, next_phase: str, scope: Scope | None) -> Ended:
    """End the present phase; with no next one the task is done, and what stands alone is proposed to the project.

    Raises Refused for a task that is done, WriteBusy when the store has no time.
    """
    now = kit.clock.now()
    end = course.plan_end(task, next_phase, day=local_date(now, kit.zone),
                          lasts=lambda text: not why_not(text, at=now, zone=kit.zone))
    wanted = [] if next_phase or scope is None else _standing_alone(kit, task, [i.text for i in end.findings])
    with locks.foreground(kit.paths.locks), kit.store.writing() as tx:
        run = begin_run(tx, kind=KIND, now=now, started_at=now, version="")
        write_entry(tx, Entry(run.seq, 0, ENDS, task.folder.id, str(scope or Scope("local", f"task-{task.folder.slug}")),
                              "task-done" if not next_phase else "phase-ended", (), None, None))
        said = [Candidate(text, Origin.AGENT, now, scope, conversation=f"task-{task.folder.slug}", sign=FROM_TASK)
                for text in wanted if scope is not None]
        made = [memory for one in said if (memory := _propose(tx, kit, run, one))]
        task_runs.record(kit.paths, task.folder, run.id, end)
        end_run(tx, replace(run, outcome="changed", reason=f"{end.action} of a task"), ended_at=now)
    course.apply_end(task, end, at=now, run=run.id)
    if made:
        rewrite(kit, sorted({m.scope for m in made}))
    return Ended(run.id, end.report, tuple(i.line for i in end.findings), len(end.drop), tuple(made))


def take_back(kit: Kit, run: Run, entry: Entry) -> int:
    """Undo the end of a phase in the folder of its task; how many files that may have changed."""
    folder, end = task_runs.load(kit.paths, entry.memory, run.id)
    if not folder.root.is_dir():
        return 0
    course.take_back(folder, end, at=kit.clock.now(), run=run.id)
    return 1


def _standing_alone(kit: Kit, task: Task, fresh: Sequence[str]) -> list[str]:
    """What was found and decided in a task and would serve a later one."""
    kept = [i for name in (parts.FINDINGS, parts.DECISIONS, parts.REVISIONS) for i in task.folder.items(name) if not i.is_over]
    now = kit.clock.now()
    return [text for text in dict.fromkeys([*(i.text for i in kept), *fresh]) if not why_not(text, at=now, zone=kit.zone)]


def _propose(tx: sqlite3.Connection, kit: Kit, run: Run, said: Candidate) -> Memory | None:
    """Hold a line of a task for its project; None for one that is known there, or was forgotten."""
    now = kit.clock.now()
    gated = gate(said.text, origin=said.origin, at=now, zone=kit.zone, sign=FROM_TASK)
    if any(m.text == gated.text for m in memories.load_memories(kit.store, scope=said.scope)):
        return None
    stored, = observations.append(tx, [said], stored_at=now, key=observations.tombstone_key(kit.store))
    heard = next(iter(observations.load_by_ids(kit.store, [stored.id])), None) if stored.status == "stored" else None
    if heard is None:
        return None
    memory = founded(Heard(heard, gated), Status.HELD, reason=FROM_TASK)
    write_change(tx, Change("propose", None, memory, FROM_TASK), run.seq)
    observations.write_fate(tx, heard, Fate.HELD, reason=FROM_TASK, memory=memory.id, run=run.seq)
    return memory
