"""A member who leaves, forgotten as a source: what they said goes, and what rests on nobody else's word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from dreamd.store import forgetting, memories, observations
from dreamd.store.connection import Store
from dreamd.store.journal import Entry, begin_run, end_run, write_entry
from dreamd.store.team import tenancy
from dreamd.store.team.tenancy import Machine
from dreamd.store.telling.voices import load_said_by


@dataclass(frozen=True)
class Departed:
    """How much of a member is gone for good."""

    memories: int
    observations: int
    machines: Sequence[Machine] = ()
    """Those whose copies do not know of it yet."""


def forget_member(url: str, tenant: str, member: str, *, at: datetime) -> Departed:
    """Remove all that a member said, and the memories that nobody else said too; only tombstones stay.

    Done as the role that owns the store. What others said too stays, without the member's word for it.
    """
    with tenancy.open_owned(Path("dream.db"), url, tenant) as store:
        said = load_said_by(store, member)
        resting = [memories.load_memory(store, i) for i in forgetting.load_resting_on(store, said)]
        if said:
            _carry_out(store, [(m.id, str(m.scope)) for m in resting], said, at)
        return Departed(len(resting), len(said), [m for m in tenancy.load_machines(store.base) if m.behind])


def _carry_out(store: Store, resting: Sequence[tuple[str, str]], said: Sequence[int], at: datetime) -> None:
    with store.writing() as tx:
        run = begin_run(tx, kind="forget", now=at, started_at=at, version="")
        for identity, scope in resting:
            write_entry(tx, Entry(run.seq, 0, "forget", identity, scope, "forgotten", (), None, None))
        key = observations.tombstone_key(store)
        forgetting.forget_memories(tx, [identity for identity, _ in resting], at=at, key=key)
        forgetting.forget_observations(tx, said, at=at, key=key)
        end_run(tx, replace(run, outcome="changed", reason=f"memories forgotten: {len(resting)}"), ended_at=at)
