"""A long backlog, worked off unit by unit: each is planned, carried out and visible before the next one is looked at.

What is newest comes first, and the scopes that are used most. Where the units end follows from what waits alone, and a
unit that was interrupted is taken back before the next dream begins: whoever is killed comes to the same end.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any  # a unit's fact is what JSON holds

from dreamd.core.values import Candidate
from dreamd.dream.allowance import Allowances
from dreamd.dream.phases.carry_out import Footing, apply_step
from dreamd.dream.phases.compare import PairJudge
from dreamd.dream.phases.twins import spoken_of
from dreamd.dream.plan import Plan
from dreamd.dream.planning import Wish, plan_scopes
from dreamd.kit import Ahead, Kit
from dreamd.store import journal, memories, observations
from dreamd.store.connection import Store
from dreamd.store.intake import heads as line
from dreamd.store.intake.heads import Head
from dreamd.store.presence.sound_rows import stored_scope

UNIT = 512
"""Observations that are planned together; a shorter backlog is one unit."""
PROGRESS = "observations"
"""Phase under which the way through a backlog is reported."""
Take = Callable[[Plan], None]
"""Carries out the plan of a unit."""


def work_off(kit: Kit, wish: Wish, allowances: Allowances, take: Take, *, most_units: int = 0) -> None:
    """Plan and carry out what waits, unit by unit; a backlog of one unit is left for the plan that ends the run.

    With `most_units` no more than so many, and of any backlog.
    """
    heads = line.load_heads(kit.store, scope=str(wish.scope) if wish.scope else None)
    if len(heads) <= UNIT and not most_units:
        return
    looks = {scope: f"{len(some)} {max(h.id for h in some)}" for scope, some in _by_scope(heads).items()}
    units = units_of(heads, memories.count_recalls(kit.store))
    judge, done = PairJudge(kit), 0
    kit.ahead = Ahead(0, len(heads), kit.clock.monotonic())
    for unit in units[:most_units or len(units)]:
        kit.progress(PROGRESS, done, len(heads))
        waiting = {stored_scope(scope): observations.load_by_seqs(kit.store, [h.seq for h in some])
                   for scope, some in unit.items()}
        take(plan_scopes(kit, waiting, judge, allowances, looks=looks))
        judge.settle(remembered=not kit.dry)
        done += sum(map(len, unit.values()))
        kit.ahead = replace(kit.ahead, done=done)
    kit.progress(PROGRESS, done, len(heads))
    if most_units:
        kit.ahead = Ahead()  # there is more to read first, and nobody knows how much


def units_of(heads: Sequence[Head], recalls: Mapping[str, int]) -> list[dict[str, list[Head]]]:
    """What waits, oldest statement first, in units: of each scope its newest first, and small scopes together."""
    rounds: list[tuple[int, tuple[int, str, int, str], str, list[Head]]] = []
    for scope, some in _by_scope(heads).items():
        rank = (recalls.get(scope, 0), some[-1].at, len(some), scope)
        rounds += [(n, rank, scope, batch) for n, batch in enumerate(_batches(some))]
    units: list[dict[str, list[Head]]] = []
    room = 0
    # The newest of every scope before the older of any, and among scopes the one that is asked for most.
    for _, _, scope, batch in sorted(sorted(rounds, key=lambda r: r[1], reverse=True), key=lambda r: r[0]):
        if len(batch) > room or scope in units[-1]:
            units.append({})
            room = UNIT
        units[-1][scope] = batch
        room -= len(batch)
    return units


def _by_scope(heads: Sequence[Head]) -> dict[str, list[Head]]:
    found: dict[str, list[Head]] = {}
    for head in heads:
        found.setdefault(head.scope, []).append(head)
    return found


def _batches(heads: Sequence[Head]) -> Iterator[list[Head]]:
    """The newest observations of a scope, those before them, and so on; one that speaks of another comes with it."""
    known = {head.id: head for head in heads}
    left = list(heads)
    while left:
        chosen: dict[str, None] = {}
        asked = [head.id for head in left[-UNIT:]]
        while asked:
            identity = asked.pop()
            if identity in known and identity not in chosen:
                chosen[identity] = None
                asked += spoken_of(known[identity].target)
        yield [head for head in left if head.id in chosen]
        for identity in chosen:
            del known[identity]
        left = [head for head in left if head.id in known]


@contextmanager
def rehearsal(kit: Kit, fresh: Sequence[Candidate], *, long: bool) -> Iterator[Kit]:
    """A kit to plan with: where units build on each other, one with a copy of the store that forgets all of it."""
    if not long:
        yield kit
        return
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        kit.store.copy_into(connection)
        connection.row_factory = sqlite3.Row
        store = Store(Path(":memory:"), connection)
        with store.writing() as tx:
            observations.append(tx, fresh, stored_at=kit.clock.now(), key=observations.tombstone_key(kit.store))
        yield replace(kit, store=store, dry=True, run=None)


def is_long(kit: Kit, fresh: Sequence[Candidate]) -> bool:
    """Whether what waits is more than one unit."""
    return len(fresh) + observations.count_pending(kit.store)[0] > UNIT


def rehearse(kit: Kit, plan: Plan) -> None:
    """Carry out a plan in the copy of a rehearsal."""
    footing = Footing(dict(plan.revisions))
    with kit.store.writing() as tx:
        for step in plan.steps:
            apply_step(tx, step, footing, journal.last_seq(kit.store) + 1)


def roll_back(kit: Kit) -> None:
    """Take back what an interrupted unit had done, as if it had never begun: the same unit is planned again.

    Where somebody has changed one of its memories since, it stays as it is: then it is simply gone on from there.
    """
    for name, torn in journal.load_torn(kit.store).items():
        _take_back(kit, name, json.loads(torn))


def _take_back(kit: Kit, name: str, begun: Mapping[str, Any]) -> None:
    run, first = int(begun["run"]), int(begun["after"])
    entries = [e for e in journal.load_entries(kit.store, run) if e.seq > first]
    with kit.writing() as tx:
        if not journal.is_built_on(kit.store, run, first):
            for entry in reversed(entries):
                if entry.before is None:
                    memories.delete_memory(tx, entry.memory)
                else:
                    memories.write_back(tx, memories.from_snapshot(kit.store, entry.before))
            journal.drop_entries(tx, run, first)
            observations.drop_fates(tx, run, begun["observations"])
        tx.execute("DELETE FROM meta WHERE key = ?", (name,))

