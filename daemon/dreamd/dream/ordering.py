"""The index of a scope and its overflow, made from all memories or from the index before and what changed since.

What the index before was is kept in a file beside the store, under the hash that the store names. It is used where that hash
fits, where the journal knows of no change since but the run's own, and for each page that still stands as it was written.
In doubt, and where the file is gone or damaged, the index is made from all memories: the bytes are the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from dreamd.core import fsio
from dreamd.core.errors import DreamError
from dreamd.core.paths import Paths
from dreamd.core.values import Scope
from dreamd.notes import (
    IndexEntry,
    IndexFrame,
    KeptPart,
    compose_again,
    compose_index,
    index_names,
    kept_parts,
    read_parts,
    write_parts,
)
from dreamd.store import journal, work
from dreamd.store.connection import Store

LARGEST_ORDER_BYTES = 256 * 1024 * 1024
BEHIND_RUN = "\n\n"
"""Stands between the number of the run that knew the order and the order."""


@dataclass(frozen=True)
class IndexFiles:
    """An index with its overflow: the files that were made, by name, those that stay as they are, and what to keep of it."""

    made: Mapping[str, bytes]
    stay: Collection[str] = ()
    order: bytes = b""


def make_index(entries: Sequence[IndexEntry], frame: IndexFrame, *, run: int) -> IndexFiles:
    """The index of all entries there are, as of a run; no file where nothing is to be shown."""
    if not entries:
        return IndexFiles({})
    plan = compose_index(entries, frame)
    made = {name: text.encode() for name, text in plan.files.items()}
    parts = kept_parts(plan, {name: fsio.sha256_bytes(body) for name, body in made.items()})
    return IndexFiles(made, order=_order(parts, run))


@dataclass(frozen=True)
class Before:
    """An index as it was kept."""

    parts: Sequence[KeptPart]
    run: int


def make_index_again(before: Before, changed: Collection[str], fresh: Sequence[IndexEntry], *, frame: IndexFrame,
                     written: Mapping[str, str]) -> IndexFiles:
    """The same where only some memories changed; `written` has the hash of each file as the store knows it."""
    shas = {name: part.sha for name, part in zip(index_names(before.parts), before.parts, strict=True)}
    made, stay, parts = {}, [], []
    for file in compose_again(before.parts, changed, fresh, frame=frame, written=written):
        if file.text is None:
            stay.append(file.name)
        else:
            made[file.name] = file.text.encode()
            shas[file.name] = fsio.sha256_bytes(made[file.name])
        parts.append(KeptPart(file.lines, shas[file.name]))
    return IndexFiles(made, stay, _order(parts, before.run) if parts else b"")


def load_order(store: Store, scope: Scope, paths: Paths, *, run: int) -> Before | None:
    """What was kept of a scope's index, as far as it holds but for what `run` changed; None where it may not be used."""
    sha = work.order_kept(store, scope)
    if not sha:
        return None
    try:
        body = fsio.read_bytes(paths.order_of(scope), limit_bytes=LARGEST_ORDER_BYTES)
    except (OSError, DreamError):
        return None
    if fsio.sha256_bytes(body) != sha:
        return None
    known, _, parts = body.decode().partition(BEHIND_RUN)
    if journal.changed_since(store, str(scope), int(known), but=run):
        return None
    return Before(read_parts(parts), run)


def keep_order(paths: Paths, scope: Scope, order: bytes) -> str:
    """Keep what the next index is made from and give its hash; empty where that cannot be, for it is only a help."""
    place = paths.order_of(scope)
    with suppress(OSError, DreamError):
        if order:
            fsio.write_unsynced(place, order)
            return fsio.sha256_bytes(order)
        fsio.remove(place)
    return ""


def _order(parts: Sequence[KeptPart], run: int) -> bytes:
    return f"{run}{BEHIND_RUN}{write_parts(parts)}".encode()
