"""Looking through the library by today's rules for secrets: in its passages, and in the notes of finds, that dream wrote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dreamd.core import fsio, locks
from dreamd.core.locks import Owner
from dreamd.core.values import text_sha
from dreamd.core.world import World
from dreamd.library.cutting import embedded_words
from dreamd.library.finds.note_file import is_as_written, is_find, read_note, read_text, render
from dreamd.store.library import chunks, corpora
from dreamd.store.library.chunks import Piece
from dreamd.store.library.library_file import Library, exists, open_library
from dreamd.text.redaction import redact


@dataclass(frozen=True)
class Bare:
    """A passage or a note with a secret in it, by its address."""

    address: str
    kinds: tuple[str, ...]


def find_bare(world: World) -> list[Bare]:
    """What today's rules would mask; nothing where nobody ever added a document."""
    if not exists(world.paths.library):
        return []
    with open_library(world.paths.library) as library:
        passages = [Bare(one.address, kinds) for one in chunks.load_all(library) if (kinds := _kinds(one.heading, one.text))]
        notes = [Bare(f"note `{path.name}`", kinds) for path in _notes(library) if (kinds := _kinds(read_text(path)))]
    return list({one.address: one for one in (*passages, *notes)}.values())


def mask(world: World) -> None:
    """Mask it: passages where they stand, so that it holds too for documents that are away, and notes as they are."""
    with (locks.hold_library(world.paths.locks, Owner("dream check", world.clock.now())),
          open_library(world.paths.library) as library):
        for path in _notes(library):
            text = read_text(path)
            if _kinds(text):
                plain = redact(text).text
                note = read_note(plain) if is_as_written(text) else None
                fsio.write_atomic(path, (render(note) if note else plain).encode())
        with library.writing() as tx:
            for one in chunks.load_all(library):
                if _kinds(one.heading, one.text):
                    piece = Piece(redact(one.heading).text, redact(one.text).text)
                    chunks.reword(tx, one, piece, sha=text_sha(embedded_words(one.title, piece)))
        library.scrub()


def _kinds(*texts: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(kind for text in texts for kind in redact(text).masks))


def _notes(library: Library) -> Iterator[Path]:
    for one in corpora.load_corpora(library):
        if corpora.FINDS in one.tags and Path(one.root).is_dir():
            for path in sorted(Path(one.root).rglob("*.md")):
                if not path.is_symlink() and is_find(read_text(path)):
                    yield path
