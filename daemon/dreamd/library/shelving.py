"""Taking documents in: what is new is read, what moved is recognised, what is gone goes, and each file fails alone.

First every file is read and can be found by its words, then the vectors are made; both go on where they were stopped, and
whoever asks meanwhile finds what is there already.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core import locks
from dreamd.core.clock import iso
from dreamd.core.errors import Outage, StoreMissing, UsageError
from dreamd.core.locks import Owner
from dreamd.core.values import storable
from dreamd.core.world import World
from dreamd.kit import exclusions
from dreamd.library.cutting import Measure, cut, embedded_words, measure_of
from dreamd.library.finds.note_file import is_find, words_of
from dreamd.library.formats.asking_child import Reader
from dreamd.library.formats.plain_formats import LARGEST_BYTES, NO_DOCUMENT, Text, kind_of, read_plain
from dreamd.library.formats.reading_child import NOT_INSTALLED
from dreamd.library.walk import Seen, walk
from dreamd.models import ALIKE, Embedder, load_embedder, model_files
from dreamd.models.texts import load_tokenizer
from dreamd.store.library import chunks, corpora
from dreamd.store.library.chunks import Piece, Shelved
from dreamd.store.library.corpora import FINDS, Corpus, Known
from dreamd.store.library.library_file import Library, open_library
from dreamd.text.injection import strip_hidden
from dreamd.text.redaction import redact

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

READER = "2"
"""How documents are read and cut; what another way has read is read anew."""
EMBEDDED_AT_ONCE = 64
MASKED_AT_ONCE = 20_000
"""Characters in which secrets are looked for at a time; a stretch ends at an empty line where it can."""
Progress = Callable[[str, int, int], None]


@dataclass
class Report:
    """What became of the files of a corpus."""

    corpus: str
    read: int = 0
    unchanged: int = 0
    moved: int = 0
    gone: int = 0
    others: int = 0
    """Files that are no documents."""
    passages: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)
    """(path, why) of every document that could not be read."""
    warning: str = ""


@dataclass
class Desk:
    """What one going-through works with."""

    library: Library
    corpus: Corpus
    measure: Measure
    reader: Reader
    report: Report
    moved: set[int] = field(default_factory=set)
    """Documents that lie under another path than they did."""


def add(world: World, place: Path, wish: Corpus, *, progress: Progress, embedder: Embedder | None = None) -> Report:
    """Take a directory or a file in, or bring it up to date; `wish` has the name, the tags and whether to watch it.

    Raises UsageError for a place that is not there or a name that is taken.
    """
    root = place.expanduser().absolute()
    if not root.exists():
        raise UsageError(f"`{place}` is not there")
    if root == world.paths.home or world.paths.home in root.parents:
        raise UsageError("that is dream's own home")
    with (locks.hold_library(world.paths.locks, Owner("dream corpus", world.clock.now())),
          open_library(world.paths.library, create=True) as library):
        corpus = _enlist(world, library, root, wish)
        return _take_in(world, library, corpus, progress=progress, embedder=embedder)


def add_finds(world: World, folder: Path, *, embedder: Embedder | None = None) -> Report:
    """Take in the notes of finds that lie in a folder, and nothing else of it; every dream brings them up to date."""
    with (locks.hold_library(world.paths.locks, Owner("dream capture", world.clock.now())),
          open_library(world.paths.library, create=True) as library):
        corpus = _enlist(world, library, folder, Corpus("", "", (FINDS,), True), name="finds")
        return _take_in(world, library, corpus, progress=lambda *_: None, embedder=embedder)


def refresh_watched(world: World, *, progress: Progress, embedder: Embedder | None = None) -> list[Report]:
    """Bring every corpus up to date that is to be watched; one that is away just now keeps what it has."""
    if not world.paths.library.exists():
        return []
    with (locks.hold_library(world.paths.locks, Owner("dream corpus", world.clock.now())),
          open_library(world.paths.library) as library):
        return [_take_in(world, library, one, progress=progress, embedder=embedder) for one in corpora.load_corpora(library)
                if one.watch and Path(one.root).exists()]


def remove(world: World, name: str) -> int:
    """Take a corpus out, by its name or its place; gives how many documents went. Raises StoreMissing for an unknown one."""
    with (locks.hold_library(world.paths.locks, Owner("dream corpus", world.clock.now())),
          open_library(world.paths.library) as library):
        wanted = name.removeprefix(corpora.ADDRESS).rstrip("/")
        found = [c for c in corpora.load_corpora(library) if wanted == c.name or str(Path(name).absolute()) == c.root]
        if not found:
            raise StoreMissing(f"no corpus `{name[:80]}`", hint="`dream corpus list` names them")
        with library.writing() as tx:
            gone = corpora.remove_corpus(tx, found[0].name)
        library.scrub()
        return gone


def _enlist(world: World, library: Library, root: Path, wish: Corpus, *, name: str = "") -> Corpus:
    known = corpora.load_corpora(library)
    before = next((c for c in known if c.root == str(root)), None)
    taken = {c.name for c in known if c.root != str(root)}
    if wish.name and (wish.name in taken or "/" in wish.name):
        raise UsageError(f"the name `{wish.name}` is taken or has a slash in it", hint="`dream corpus list` names them")
    if before and wish.name and wish.name != before.name:
        raise UsageError(f"that place is known as `{before.name}`", hint=f"`dream corpus remove {before.name}` first")
    name = before.name if before else wish.name or _free_name(root, taken, name)
    fresh = Corpus(name, str(root), tuple(dict.fromkeys((*(before.tags if before else ()), *wish.tags))),
                   wish.watch or bool(before and before.watch), before.added_at if before else iso(world.clock.now()),
                   before.read_at if before else None)
    if fresh != before:
        with library.writing() as tx:
            corpora.write_corpus(tx, fresh)
    return fresh


def _free_name(root: Path, taken: set[str], wanted: str) -> str:
    plain = wanted or redact(storable(root.name or "root")).text.replace("/", "-")
    if plain in taken and root.parent.name and not wanted:
        plain = f"{redact(storable(root.parent.name)).text}-{plain}"
    return next(name for n in range(1, len(taken) + 3) if (name := plain if n == 1 else f"{plain}-{n}") not in taken)


def _take_in(world: World, library: Library, corpus: Corpus, *, progress: Progress, embedder: Embedder | None) -> Report:
    report = Report(corpus.name)
    measure = measure_of(load_tokenizer(model_files.locate(world.settings.model.directory)))
    desk = Desk(library, corpus, measure, Reader(), report)
    try:
        _read_all(world, desk, progress)
    finally:
        desk.reader.close()
    with library.writing() as tx:
        corpora.mark_read(tx, corpus.name, world.clock.now())
    report.warning = embed_waiting(world, library, progress=progress, embedder=embedder)
    counted = corpora.count_corpus(library, corpus.name)
    report.passages, report.problems = counted.chunks, list(counted.problems)
    return report


def _read_all(world: World, desk: Desk, progress: Progress) -> None:
    known = corpora.load_known(desk.library, desk.corpus.name)
    kept_out = exclusions(world)
    there = list(walk(Path(desk.corpus.root), leave_out=lambda path: kept_out.has_path(Path(path))))
    paths = {one.path for one in there}
    gone = {k.sha: k for k in known.values() if k.path not in paths and k.sha and not k.why}
    for n, seen in enumerate(there):
        progress("read", n, len(there))
        _take(desk, seen, known.get(seen.path), gone)
    away = [k.seq for k in known.values() if k.path not in paths and k.seq not in desk.moved]
    if away:
        with desk.library.writing() as tx:
            corpora.drop_documents(tx, away)
    desk.report.gone = len(away)
    progress("read", len(there), len(there))


def _take(desk: Desk, seen: Seen, before: Known | None, gone: dict[str, Known]) -> None:
    """One file: as it was, moved here, or read."""
    same = before is not None and (before.size, before.mtime_ns, before.reader) == (seen.size, seen.mtime_ns, READER)
    if before is not None and same and before.why != NOT_INSTALLED and not seen.why:
        _count(desk, before.why, unchanged=True)
        return
    kind = "data" if seen.why == "no regular file" else kind_of(seen.path)
    if kind == "data" or (not seen.why and redact(seen.path).text != seen.path):
        desk.report.others += 1
        return
    body, why = b"", seen.why or ("an archive, not opened" if kind == "archive" else "")
    if not why and seen.size > LARGEST_BYTES:
        why = "larger than 64 MiB"
    if not why:
        try:
            body = seen.place.read_bytes()
        except OSError as error:
            why = f"cannot be opened ({type(error).__name__})"
    sha = hashlib.sha256(body).hexdigest() if body else ""
    if before is not None and sha and sha == before.sha and before.reader == READER and before.why != NOT_INSTALLED:
        with desk.library.writing() as tx:
            corpora.look_again(tx, before.seq, seen.size, seen.mtime_ns)
        _count(desk, before.why, unchanged=True)
        return
    old = gone.get(sha)
    if before is None and old is not None and kind_of(old.path) == kind and old.reader == READER:
        del gone[sha]
        with desk.library.writing() as tx:
            corpora.move_document(tx, old.seq, seen.path, seen.mtime_ns)
        desk.moved.add(old.seq)
        desk.report.moved += 1
        return
    found = _read(desk, seen, kind, body, why)
    _shelve(desk, seen, sha, found)


def _read(desk: Desk, seen: Seen, kind: str, body: bytes, why: str) -> Text:
    if why:
        return Text(why=why)
    if FINDS not in desk.corpus.tags:
        return desk.reader.read(seen.place) if kind == "rich" else read_plain(seen.path, body)
    # A folder of finds may be part of a person's own notes, and only what was captured was given to dream.
    found = read_plain(seen.path, body) if kind == "markdown" else NO_DOCUMENT
    return replace(found, text=words_of(found.text)) if is_find(found.text) else NO_DOCUMENT


def _shelve(desk: Desk, seen: Seen, sha: str, found: Text) -> None:
    why = found.why if found.is_document else f"{OTHER}{found.why}"
    pieces: list[Piece] = []
    title = _masked(found.title)
    if not why:
        pieces = cut(_masked(found.text), found.form, desk.measure)
    row = Shelved(desk.corpus.name, seen.path, sha, seen.size, seen.mtime_ns, READER, title, why, tuple(pieces))
    with desk.library.writing() as tx:
        chunks.put_document(desk.library, tx, row, embedded=[embedded_words(title, piece) for piece in pieces])
    _count(desk, why, unchanged=False)


OTHER = "-"
"""Before the reason of a file that is no document: remembered so that it is not opened again, and never named."""


def _count(desk: Desk, why: str, *, unchanged: bool) -> None:
    if why.startswith(OTHER):
        desk.report.others += 1
    elif unchanged:
        desk.report.unchanged += 1
    elif not why:
        desk.report.read += 1


def _masked(text: str) -> str:
    """A text as it may be kept: without secrets, and without signs that nobody sees."""
    parts, at = list[str](), 0
    plain = strip_hidden(storable(text))
    while at < len(plain):
        end = at + MASKED_AT_ONCE
        if end < len(plain):
            gap = plain.rfind("\n\n", at + MASKED_AT_ONCE // 2, end)
            end = gap if gap > at else end
        parts.append(redact(plain[at:end]).text)
        at = end
    return "".join(parts)


def embed_waiting(world: World, library: Library, *, progress: Progress, embedder: Embedder | None = None) -> str:
    """Make the vectors that are missing; gives a warning where the model is away."""
    total = chunks.count_waiting(library, ALIKE)
    if not total:
        return ""
    try:
        model = world.settings.model
        reads = embedder or load_embedder(model.engine, expected_texts=total, directory=model.directory, threads=model.threads,
                                          device=model.device, kept_in=world.paths.models)
        done = 0
        while waiting := chunks.load_waiting(library, ALIKE, limit=EMBEDDED_AT_ONCE):
            progress("embed", done, total)
            words = [embedded_words(title, Piece(heading, text)) for _, title, heading, text in waiting]
            rows = reads.embed(words)
            with library.writing() as tx:
                chunks.write_vectors(tx, _halves([row[0] for row in waiting], rows), model=reads.model_id)
            done += len(waiting)
        progress("embed", total, total)
    except Outage as outage:
        return f"{outage.message}; documents are found by words alone until then"
    return ""


def _halves(shas: Sequence[str], rows: NDArray[np.float32]) -> dict[str, NDArray[np.float16]]:
    return {sha: row.astype("<f2") for sha, row in zip(shas, rows, strict=True)}
