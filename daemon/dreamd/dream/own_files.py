"""The list of the files that dream wrote, by their hashes: what is on it is no person's edit.

The store owns what is right, the files follow from it. Where somebody went back to an older store, by `restore-store` or by
hand, the files below the home are ahead of it, and each of them would look like an edit of a person, with a person's
authority. So the hash of what dream is about to write is noted beside the store and not in it, with the store and the number
of the dream. The list is only read where its last line is not of the store that is there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from dreamd.core import fsio
from dreamd.core.errors import DreamError
from dreamd.core.paths import Paths, is_plain
from dreamd.core.values import Scope, parse_scope
from dreamd.store.connection import Store
from dreamd.store.presence import exchange
from dreamd.store.work import Intent

LARGEST_BYTES = 8 * 1024 * 1024
"""A list longer than this loses its older half."""


@dataclass(frozen=True)
class OwnFiles:
    """What the list says."""

    scopes: dict[str, Scope] = field(default_factory=dict)
    """The scope of each hash that dream wrote."""
    store: str = ""
    epoch: int = 0
    settling: str = ""
    """Why the files are of another store, where the last line says that they are."""

    def is_ahead_of(self, store: Store) -> bool:
        """Whether the files were written for another store than this one, or for a later state of it."""
        if self.settling:
            return True
        return bool(self.store) and (self.store != name_of(store) or self.epoch > store.epoch())

    @property
    def is_lost(self) -> bool:
        """Whether nobody could read the store they were written for."""
        return self.settling != exchange.SETTLE_KNOWN


def name_of(store: Store) -> str:
    """What tells one store from another; a copy of it has the same."""
    return hashlib.sha256((store.meta("tombstone_key") or "").encode()).hexdigest()[:12]


def note_own(paths: Paths, store: Store, intents: Sequence[Intent]) -> None:
    """Put files on the list that are about to be written: before they are, for what is too much on it does no harm."""
    who = f"{name_of(store)} {store.epoch()}"
    lines = [f"{who} {i.new_sha} {quote(i.scope)}" for i in intents if i.body is not None and i.new_sha]
    if lines:
        _make_way(paths)
        fsio.append_line(paths.own_files, "\n".join(lines).encode())


def note_settled(paths: Paths, store: Store) -> None:
    """Say that the files are those of this store from now on."""
    _make_way(paths)
    fsio.append_line(paths.own_files, f"{name_of(store)} {store.epoch()} -".encode())
    with_size = paths.own_files.stat().st_size
    if with_size > LARGEST_BYTES:
        body = fsio.read_bytes(paths.own_files, limit_bytes=2 * with_size)
        fsio.write_atomic(paths.own_files, body[body.index(b"\n", len(body) // 2) + 1:])


def last_word(paths: Paths) -> OwnFiles:
    """The last line of the list, without the hashes: cheap enough for every dream."""
    if not is_plain(paths.own_files):
        return OwnFiles()
    try:
        with paths.own_files.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, 2) - 2048))
            return _read(stream.read().decode("utf-8", "replace").splitlines()[-1:])
    except (FileNotFoundError, NotADirectoryError):
        return OwnFiles()


def load_own(paths: Paths) -> OwnFiles:
    """The whole list."""
    if not is_plain(paths.own_files):
        return OwnFiles()
    body = fsio.read_bytes(paths.own_files, limit_bytes=8 * LARGEST_BYTES)
    return _read(body.decode("utf-8", "replace").splitlines())


def _make_way(paths: Paths) -> None:
    """Move away what is no file and stands where the list belongs: a list that begins anew does no harm, none at all would."""
    place = paths.own_files
    if not is_plain(place) and (place.exists() or place.is_symlink()):
        with fsio.translated(place):
            place.replace(place.with_name(f"{place.name}.in-the-way"))


def _read(lines: Sequence[str]) -> OwnFiles:
    scopes: dict[str, Scope] = {}
    store, epoch, settling = "", 0, ""
    for line in lines:
        if line in (exchange.SETTLE_KNOWN, exchange.SETTLE_LOST):
            settling = line
            continue
        words = line.split(" ")
        if len(words) < 3 or not words[1].isdecimal():
            continue  # cut by a loss of power
        store, epoch, settling = words[0], int(words[1]), ""
        if len(words) == 4:
            try:
                scopes[words[2]] = parse_scope(unquote(words[3]))
            except DreamError:
                continue
    return OwnFiles(scopes, store, epoch, settling)
