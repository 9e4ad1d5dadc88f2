"""A project's scope at once, for an agent's note: ahead of any dream and not in its name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from dreamd.core import fsio, locks
from dreamd.core.errors import Outage
from dreamd.core.paths import Paths
from dreamd.core.values import Scope
from dreamd.core.world import World
from dreamd.dream.scopes.mapping import evidence_of
from dreamd.dream.scopes.placing import Placing
from dreamd.store.connection import Store, open_store
from dreamd.store.schema import Founding

AT_ONCE_S = 2.0
"""Longest an agent's note waits for its turn."""


@dataclass(frozen=True)
class _AtOnce:
    """A store that somebody who waits writes one line into, ahead of any dream and not in its name."""

    store: Store
    paths: Paths
    dry: bool = False

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        with locks.foreground(self.paths.locks, AT_ONCE_S), self.store.writing() as tx:
            yield tx


def place_now(world: World, directory: str) -> tuple[Scope | None, bool]:
    """The scope of a directory's project for an agent's note, None where it has none; and whether nobody may write now."""
    paths = world.paths
    try:
        fsio.make_private_dir(paths.locks)
        with closing(open_store(paths.store, create_with=Founding(world.clock.now(), world.zone_name))) as store:
            return Placing(_AtOnce(store, paths), evidence_of(world, store)).scope_of(directory), False
    except (locks.WriteBusy, Outage):
        return None, True
