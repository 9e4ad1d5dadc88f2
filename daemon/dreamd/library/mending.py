"""Looking over the library, and making it anew where it is damaged: all of it can be read again from the documents.

What cannot be read again is which folders a person gave, and what they had forgotten of them. Both are saved first; where
what was forgotten cannot be read any more, nothing is read again, for it would come back.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dreamd.core import fsio, locks
from dreamd.core.errors import DreamError
from dreamd.core.locks import Owner
from dreamd.core.world import World
from dreamd.library import shelving
from dreamd.models import Embedder
from dreamd.store.library import chunks, corpora
from dreamd.store.library.library_file import Library, exists, open_library

ANEW = ".anew"
"""The ending of a library that is being made in the place of a damaged one."""


@dataclass(frozen=True)
class Mended:
    """What a repair did; `left` says what only a person can do."""

    done: str = ""
    left: str = ""


def look_over(world: World) -> list[str]:
    """What is wrong with the library; nothing where it is sound, or where nobody ever added a document."""
    if not exists(world.paths.library):
        return []
    try:
        with open_library(world.paths.library) as library:
            return chunks.look_over(library)
    except DreamError as error:
        return [error.message]


def mend(world: World, *, embedder: Embedder | None = None) -> Mended:
    """Make the index of words anew, or, where that is not enough, the whole library from the documents.

    Raises Locked while documents are being taken in.
    """
    place = world.paths.library
    with locks.hold_library(world.paths.locks, Owner("dream check", world.clock.now())):
        with suppress(DreamError), open_library(place) as library:
            with library.writing() as tx:
                chunks.rebuild_words(tx)
            if not chunks.look_over(library):
                return Mended("the index of words was made anew")
        try:
            with open_library(place) as library:
                saved = chunks.save_chosen(library)
        except (DreamError, sqlite3.Error):
            return Mended(left="which folders were given, or what was forgotten of them, cannot be read any more: remove "
                               f"`{place.name}`, and add the documents again")
        _replace(place, saved)
        known = saved.corpora
    gone = [one.name for one in known if not Path(one.root).exists()]
    passages = sum(shelving.add(world, Path(one.root), one, progress=_nobody, embedder=embedder).passages
                   for one in known if one.name not in gone)
    left = f"the places of {', '.join(gone)} are away: `dream corpus add` again when they are there" if gone else ""
    return Mended(f"made anew from the documents, {passages} passages", left)


def _replace(place: Path, saved: chunks.Saved) -> None:
    """Put an empty library in the place of the damaged one, with what a person chose in it."""
    fresh = place.with_name(place.name + ANEW)
    fsio.remove(fresh)
    with open_library(fresh, create=True) as library:
        _fill(library, saved)
    for ending in ("-wal", "-shm"):  # before the move: read beside the new file, they would damage that too
        fsio.remove(place.with_name(place.name + ending))
    fsio.move(fresh, place)


def _fill(library: Library, saved: chunks.Saved) -> None:
    with library.writing() as tx:
        chunks.write_forgotten(tx, saved)
        for one in saved.corpora:
            corpora.write_corpus(tx, one)
    library.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _nobody(_phase: str, _done: int, _total: int) -> None:
    """Nobody is told how far it is: what waits for the report is told at its end."""
