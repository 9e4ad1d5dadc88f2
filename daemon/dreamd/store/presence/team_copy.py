"""The copy of a team's memory in a home of one's own: brought by a sync, read by whoever looks, changed by nobody else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from dreamd.core.clock import parse_instant
from dreamd.core.errors import DreamError, Refused, StoreMissing, UsageError
from dreamd.core.paths import Paths
from dreamd.core.values import Memory
from dreamd.core.world import World
from dreamd.store.connection import open_reader
from dreamd.store.presence import lost

if TYPE_CHECKING:
    from dreamd.store.connection import Store

SYNCED = "synced"
"""The fact of a copy that says when it was last brought up to date."""
HOW_IT_CHANGES = ("say what holds with `dream note --scope SCOPE`, and the next `dream team sync` takes it up; what is there"
                  " is changed in a home whose `store.url` is the team's")


def world_of_copy(world: World) -> World:
    """The world of the home within the home."""
    return replace(world, paths=Paths(world.paths.team))


@contextmanager
def open_copy(world: World) -> Iterator[Store | None]:
    """The copy, to look at; None where there is none, or it cannot be read: one's own memory answers all the same."""
    store = None
    if world.settings.teams.url and lost.is_there(world_of_copy(world).paths.store):
        with suppress(DreamError):
            store = open_reader(world_of_copy(world).paths.store)
    try:
        yield store
    finally:
        if store is not None:
            store.close()


def of_team(world: World, found: Iterable[Memory]) -> list[Memory]:
    """Memories marked as those of the team."""
    return [replace(one, team=world.settings.teams.tenant) for one in found]


def load_synced(world: World) -> datetime | None:
    """When the copy was last brought up to date; None where none is."""
    with open_copy(world) as store:
        at = store.meta(SYNCED) if store else None
    return parse_instant(at) if at else None


def load_copied(world: World, ids: list[str]) -> dict[str, Memory]:
    """Memories of the copy by their ids, as far as they are there."""
    from dreamd.store import memories

    with open_copy(world) as store:
        return {m.id: m for m in of_team(world, memories.load_some(store, ids).values())} if store and ids else {}


@contextmanager
def beside_own(world: World, own: Store, identity: str) -> Iterator[tuple[Store, Callable[[Memory], Memory]]]:
    """The store that knows an id, one's own before the copy, and how its memories are marked."""
    with open_copy(world) as copy:
        if copy is not None and _knows(copy, identity) and not _knows(own, identity):
            yield copy, lambda memory: of_team(world, [memory])[0]
        else:
            yield own, lambda memory: memory


@contextmanager
def refusing_copied(world: World, identity: str) -> Iterator[None]:
    """Say of an id that only the copy knows that it is the team's: raises Refused in place of StoreMissing."""
    try:
        yield
    except StoreMissing:
        with open_copy(world) as copy:
            if copy is None or not _knows(copy, identity):
                raise
        raise Refused(f"that memory is of the team `{world.settings.teams.tenant}`, and read-only here",
                      hint=HOW_IT_CHANGES) from None


def _knows(store: Store, identity: str) -> bool:
    from dreamd.store import passages

    try:
        passages.load_named(store, identity)
    except StoreMissing:
        return False
    except UsageError:
        return True  # several begin so: whoever asks for it says which
    return True
