"""Having passages of documents forgotten: by words, or by the address of a document. Their files are the person's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dreamd.core import fsio, locks
from dreamd.core.locks import Owner
from dreamd.core.world import World
from dreamd.library.finds.note_file import is_as_written, is_find, mark_of, read_text
from dreamd.store.library import chunks, corpora
from dreamd.store.library.chunks import Passage
from dreamd.store.library.corpora import FINDS
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


def still_in(world: World, wordings: Sequence[str]) -> list[str]:
    """The addresses of documents and finds in which some wordings stand."""
    with open_library(world.paths.library) as library:
        return list(dict.fromkeys(one.address for one in chunks.find_wordings(library, wordings)))


@dataclass(frozen=True)
class Gone:
    """How many passages went, and how many notes that dream itself had written of finds."""

    passages: int = 0
    notes: int = 0


def forget(world: World, found: Sequence[Passage], *, words: str = "") -> Gone:
    """Remove passages for good; the same words are not taken in again. A person's documents stay, notes of finds go.

    Of a note that somebody has written into, only the lines with all of the words go, where it was named by words.
    """
    if not found:
        return Gone()
    notes = 0
    with (locks.hold_library(world.paths.locks, Owner("dream forget", world.clock.now())),
          open_library(world.paths.library) as library):
        roots = {one.name: Path(one.root) for one in corpora.load_corpora(library) if FINDS in one.tags}
        with library.writing() as tx:
            chunks.forget_passages(library, tx, found)
        for address in dict.fromkeys(one.address for one in found):
            name, _, path = address.removeprefix(corpora.ADDRESS).partition("/")
            if name in roots and _forget_note(roots[name] / path, words):
                notes += 1
                with library.writing() as tx:  # its name is made of its words
                    corpora.drop_documents(tx, [k.seq for k in corpora.load_known(library, name).values() if k.path == path])
        library.scrub()
    return Gone(len(found), notes)


def _forget_note(path: Path, words: str) -> bool:
    text, wanted = read_text(path), words.casefold().split()
    if not is_find(text):
        return False
    if is_as_written(text) or not wanted:
        fsio.remove(path)
        return True
    left = [line for line in text.splitlines(keepends=True) if not all(word in line.casefold() for word in wanted)]
    fsio.write_atomic(path, "".join(left).encode())
    if all(word in path.name.casefold() for word in wanted):
        fsio.move(path, path.with_name(f"{mark_of(text)}.md"))
    return True
