"""Having passages of documents forgotten: by words, or by the address of a document. Their files are the person's own."""

from __future__ import annotations

from collections.abc import Sequence

from dreamd.core import locks
from dreamd.core.locks import Owner
from dreamd.core.world import World
from dreamd.store.library import chunks
from dreamd.store.library.chunks import Passage
from dreamd.store.library.library_file import exists, open_library


def find(world: World, *, words: str = "", addresses: Sequence[str] = ()) -> list[Passage]:
    """The passages that have all of some words, or that stand in some documents."""
    if not exists(world.paths.library) or not (words.split() or addresses):
        return []
    with open_library(world.paths.library) as library:
        found = chunks.find_with_words(library, words.casefold().split())
        for address in addresses:
            found += chunks.find_at(library, address)
    return list({one.seq: one for one in found}.values())


def forget(world: World, found: Sequence[Passage]) -> int:
    """Remove passages for good; the same words are not taken in again. Gives how many went."""
    if not found:
        return 0
    with (locks.hold_library(world.paths.locks, Owner("dream forget", world.clock.now())),
          open_library(world.paths.library) as library):
        with library.writing() as tx:
            chunks.forget_passages(library, tx, found)
        library.scrub()
    return len(found)
