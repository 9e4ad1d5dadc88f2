"""An export becomes part of this home: one transaction, one run of the journal, and the files behind it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from dreamd import __version__
from dreamd.core import fsio, locks
from dreamd.core.errors import Corrupt, DreamError, Outage, Refused, UsageError
from dreamd.core.locks import Owner
from dreamd.core.values import Memory, text_sha
from dreamd.dream import projection
from dreamd.dream.moving.reading_back import Export
from dreamd.dream.scopes.scope_files import rewrite
from dreamd.dream.telling.explained import in_words
from dreamd.kit import Kit
from dreamd.models import ALIKE
from dreamd.store import checks, derived, journal, memories, observations, work
from dreamd.store.journal import Entry, begin_run, end_run, write_entry
from dreamd.store.moving.rows_in import Taken, take_in
from dreamd.store.moving.rows_out import Record
from dreamd.store.work import Intent

IMPORT = "import"
"""Kind of the run, and the operation on each memory that came."""
BATCH = 256
SENSELESS = (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, sqlite3.IntegrityError,
             sqlite3.InterfaceError, sqlite3.ProgrammingError, sqlite3.DataError, Corrupt, UsageError)
"""What records that make no sense lead to; a full disk or a busy store is another matter."""


@dataclass(frozen=True)
class Arrived:
    """What came of an export, and the run that takes it back; empty where nothing was new."""

    taken: Taken
    run: str = ""


def bring_in_rows(kit: Kit, records: Sequence[Record]) -> Arrived:
    """The same into a team's store, which shows its memories elsewhere: rows, and no file."""
    checks.refuse_if_unsound(kit.store)
    return Arrived(*_write(kit, records))


def bring_in(kit: Kit, export: Export) -> Arrived:
    """Take in what is new here; what is here already, or was forgotten here, stays as it is.

    Raises Refused for records that make no sense, Locked while a dream is at work. Then nothing was changed.
    """
    with locks.hold_dream(kit.paths.locks, Owner("dream import", kit.clock.now())):
        checks.refuse_if_unsound(kit.store)
        taken, run = _write(kit, export.records)
        some = list(memories.load_some(kit.store, taken.memories).values())
        kit.progress("writing files", 0, 0)
        projection.settle(kit)
        rewrite(kit, sorted({one.scope for one in some}))
    _embed(kit, [one.text for one in some])
    return Arrived(taken, run)


def _write(kit: Kit, records: Sequence[Record]) -> tuple[Taken, str]:
    now, faults = kit.clock.now(), _look_for_faults(kit)
    with locks.foreground(kit.paths.locks), kit.store.writing() as tx:
        try:
            taken = take_in(kit.store, tx, records, key=observations.tombstone_key(kit.store), now=now,
                            progress=kit.progress)
            some = list(memories.load_some(kit.store, taken.memories).values())
            kit.progress("reading it back", 0, 0)
            _read_back(kit, taken)
        except SENSELESS as error:
            raise senseless(error) from None
        if taken.is_nothing:
            return taken, ""
        if not kit.store.owns_words:
            work.intend(tx, [_file(kit, one, taken.edited[one.id]) for one in some if one.id in taken.edited])
        kit.progress("writing the journal", 0, 0)
        run = begin_run(tx, kind=IMPORT, now=now, started_at=now, version=__version__)
        for one in some:
            told = memories.snapshot(one)
            write_entry(tx, Entry(run.seq, 0, IMPORT, one.id, str(one.scope), "came-by-import", (), None, told))
        end_run(tx, replace(run, outcome="changed", reason=f"memories taken in: {len(some)}"), ended_at=now)
        kit.progress("checking", 0, 0)
        if any(found - faults.get(look, found) for look, found in _look_for_faults(kit).items()):
            raise Refused("the export does not fit together; nothing was changed", hint="have it made again")
    return taken, run.id


def _look_for_faults(kit: Kit) -> dict[checks.Look, set[str]]:
    """What a check finds wrong with the store, but for what rows that nobody can read keep it from asking."""
    found = {}
    for look in checks.FITTING:
        with suppress(DreamError):
            found[look] = set(look(kit.store))
    return found


def senseless(error: Exception) -> Refused:
    """What is said of an export that holds something no dream would have written."""
    return Refused(f"the export holds something this dream cannot read ({type(error).__name__}); nothing was changed",
                   hint="have it made again")


def _read_back(kit: Kit, taken: Taken) -> None:
    """Read what was taken in as every later look will; what cannot be read is not kept. Raises what readers raise."""
    for run in journal.load_some_runs(kit.store, taken.runs):
        for entry in journal.load_entries(kit.store, run):
            in_words(kit.store, entry)
    observations.load_by_ids(kit.store, taken.said)


def _file(kit: Kit, memory: Memory, body: str) -> Intent:
    """The file of a memory that a person had edited, to the byte."""
    raw = body.encode("utf-8", "surrogateescape")
    return Intent(projection.topic_path(memory, kit.paths), None, fsio.sha256_bytes(raw), raw, memory.id, str(memory.scope))


def _embed(kit: Kit, texts: Sequence[str]) -> None:
    """Have what came found by its meaning at once; while the model is away, words find it until a dream has it again."""
    import numpy as np

    wordings = {text_sha(text): text for text in texts}
    missing = derived.find_missing(kit.store, list(wordings), models=ALIKE)
    with suppress(Outage):
        embedder = kit.load_embedder(len(missing)) if missing else None
        for start in range(0, len(missing) if embedder else 0, BATCH):
            kit.progress("embed", start, len(missing))
            part = missing[start:start + BATCH]
            assert embedder is not None
            rows = embedder.embed([wordings[sha] for sha in part]).astype(np.float16)
            with locks.foreground(kit.paths.locks), kit.store.writing() as tx:
                derived.write_vectors(tx, dict(zip(part, rows, strict=True)), model=embedder.model_id)
