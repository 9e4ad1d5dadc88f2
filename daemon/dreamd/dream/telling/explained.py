"""Why a memory is what it is: what was said, its versions, what stands beside it, every decision about it; as values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from dreamd.core.errors import StoreMissing
from dreamd.core.values import Memory, Observation, Status
from dreamd.dream.phases.prune import Age, age_of, ages
from dreamd.kit import Kit
from dreamd.store import journal, memories, observations, passages
from dreamd.store.connection import Store
from dreamd.store.journal import Entry, Run
from dreamd.store.presence.team_copy import beside_own, world_of_copy
from dreamd.store.telling import taken_back
from dreamd.store.telling.said_where import load_places
from dreamd.store.telling.voices import Voice, load_voices
from dreamd.store.uses import load_days_used


@dataclass(frozen=True)
class Operation:
    """One operation of the journal with the memory before and after, in words."""

    entry: Entry
    before: Memory | None
    after: Memory | None
    run: Run | None = None


@dataclass(frozen=True)
class Explained:
    """Everything that is known about one memory, or about what was said in passing."""

    memory: Memory
    heard: tuple[Observation, ...]
    places: Mapping[str, str]
    """The path of the file in which each was said, by its id."""
    decisions: tuple[Operation, ...]
    replaces: tuple[Memory, ...]
    replaced_by: Memory | None
    links: tuple[tuple[str, Memory], ...]
    age: Age | None
    """None for what does not go by age."""
    voices: Mapping[str, Voice] = field(default_factory=dict)
    """Of a team's memory: who said each observation, by its id."""
    undone: bool = False
    """Whether it is a memory no more, for the run that had made it was taken back."""


@contextmanager
def knowing(kit: Kit, identity: str) -> Iterator[tuple[Kit, Callable[[Memory], Memory]]]:
    """The kit over the store that knows an id, one's own before the copy of a team's, and how its memories are marked."""
    with beside_own(kit.world, kit.store, identity) as (store, mark):
        yield kit if store is kit.store else replace(kit, world=world_of_copy(kit.world), store=store), mark


def explain(kit: Kit, identity: str) -> Explained:
    """Everything about a memory, or a passage, by its id or the beginning of it.

    Raises StoreMissing when there is none, UsageError when several begin so.
    """
    store = kit.store
    with store.reading():
        named, undone = _named(store, identity)
        memory = named.passage if isinstance(named, passages.Place) else named
        said = observations.load_by_ids(store, [memory.id]) if memory.status is Status.SAID else []
        heard: dict[str, Observation] = {o.id: o for o in (*said, *observations.load_of_memory(store, memory.id))}
        if undone:  # it supports nothing any more
            heard.update((o.id, o) for o in observations.load_by_ids(store, memory.observations))
        heard.update((o.id, o) for o in observations.load_with_fate_of(store, memory.id) if o.id not in heard)
        versions = memories.load_some(store, [*memory.supersedes, *([memory.superseded_by] if memory.superseded_by else [])])
        linked = memories.load_some(store, [other for other, _ in memory.links])
        entries = journal.load_entries_of(store, memory.id)
        runs = journal.load_some_runs(store, {e.run for e in entries})
        places = {said: place.path for said, place in load_places(store, heard.values()).items()}
        return Explained(
            memory, tuple(heard.values()), places,
            tuple(in_words(store, entry, runs.get(entry.run)) for entry in entries),
            tuple(versions[i] for i in memory.supersedes if i in versions), versions.get(memory.superseded_by),
            tuple((relation, linked[other]) for other, relation in memory.links if other in linked),
            None if undone else _age(kit, memory), load_voices(store, heard), undone)


def _named(store: Store, identity: str) -> tuple[Memory | passages.Place, bool]:
    """A memory or a passage, also a memory that an undo took away, as it last was; whether it is one of those."""
    try:
        return passages.load_named(store, identity), False
    except StoreMissing:
        gone = taken_back.load_taken_away(store, identity)
        if gone is None or gone.before is None:
            raise
        return memories.from_snapshot(store, gone.before), True


def in_words(store: Store, entry: Entry, run: Run | None = None) -> Operation:
    """An operation with the words its snapshots stand for."""
    before, after = (memories.from_snapshot(store, one) if one else None for one in (entry.before, entry.after))
    return Operation(entry, before, after, run)


def _age(kit: Kit, memory: Memory) -> Age | None:
    if memory.status not in (Status.LIVE, Status.STALE) or not ages(memory):
        return None
    return age_of(memory, kit.clock.now(), load_days_used(kit.store, memory.scope, since=memory.confirmed_at))
