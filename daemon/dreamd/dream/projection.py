"""From memories to files: what each scope's directory should hold, and getting it there safely.

The store decides first, the files follow from intents. Before a file is replaced its bytes are compared with
what dream last knew of it: where a person was quicker, theirs stays, ours is parked, and the next dream takes
the edit in.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from dreamd.core import fsio
from dreamd.core.errors import Corrupt, DreamError
from dreamd.core.locks import Background
from dreamd.core.paths import Paths
from dreamd.core.settings import IndexSettings
from dreamd.core.values import Memory, Scope, Status
from dreamd.dream.ordering import Before, IndexFiles, keep_order, load_order, make_index, make_index_again
from dreamd.dream.own_files import note_own
from dreamd.notes import INDEX_FILE, EarlierVersion, IndexFrame, asked_anew, index_entry, render_topic
from dreamd.store import journal, memories, work
from dreamd.store.connection import Store
from dreamd.store.work import BY_HAND, Intent, KnownFile

BATCH = 128
"""Files recorded, written and flushed at a time."""
RENAMES = 32
"""Of these as many as are renamed, or noted as done, while the write lock is held: two to four milliseconds."""
COMPANY_BATCH = 16
"""The first of these two while others write."""
COMPANY_RENAMES = 8
"""The second while others write."""
UNREADABLE = "unreadable"
"""In place of a hash: no file that dream wrote."""
SHOWN = frozenset({Status.LIVE, Status.STALE})
WITH_FILE = SHOWN | {Status.ARCHIVED}
PARKED_MOST = 200
"""Files kept in `conflicts/`; the oldest go first beyond it."""


class Writing(Protocol):
    """What writing the files of a scope needs of a kit."""

    @property
    def store(self) -> Store: ...
    @property
    def background(self) -> Background: ...
    @property
    def paths(self) -> Paths: ...
    def writing(self) -> AbstractContextManager[sqlite3.Connection]: ...
    def in_turn(self) -> AbstractContextManager[None]: ...
    @property
    def has_company(self) -> bool: ...


@dataclass(frozen=True)
class _Place:
    """Where the files of a scope stand, relative to the home."""

    scope: Scope
    notes: str
    archive: str
    rules: IndexSettings

    def topic(self, memory: Memory) -> str:
        return f"{self.archive if memory.status is Status.ARCHIVED else self.notes}/{memory.file}"

    @property
    def frame(self) -> IndexFrame:
        return IndexFrame(str(self.scope), self.rules.max_lines, self.rules.max_kib * 1024, self.rules.aim_lines)


def topic_path(memory: Memory, paths: Paths) -> str:
    """Where the file of a memory belongs, below the home."""
    return _place(memory.scope, paths, IndexSettings()).topic(memory)


def _place(scope: Scope, paths: Paths, rules: IndexSettings) -> _Place:
    notes = str(paths.scope_dir(scope).relative_to(paths.home))
    return _Place(scope, notes, str(Path(paths.archive.name) / Path(notes).relative_to(paths.memory.name)), rules)


def plan_files(desired: dict[str, tuple[bytes, str]], everything: Sequence[Memory], known: Mapping[str, KnownFile],
               scope: Scope) -> list[Intent]:
    """The files of one scope that differ from what dream last wrote. Touches nothing."""
    carried = {o for m in everything if m.status in WITH_FILE for o in m.observations}
    for path, file in known.items():
        if path not in desired and file.memory.startswith(BY_HAND) and file.memory.removeprefix(BY_HAND) not in carried:
            # A person's own file that no memory says all of: theirs, whatever dream makes of it.
            desired[path] = (file.body, file.memory)
    intents = []
    for path, (body, memory) in desired.items():
        sha = fsio.sha256_bytes(body)
        before = known.get(path)
        if before is not None and body == before.body and not work.is_whole(before):
            continue  # the bytes kept for a person's file are damaged, the file itself is not
        if before is None or before.sha != sha:
            intents.append(Intent(path, before.sha if before else None, sha, body, memory, str(scope)))
    for path, before in known.items():
        if path not in desired:
            intents.append(Intent(path, before.sha, None, None, before.memory, str(scope)))
    return intents


def render_scope(everything: Sequence[Memory], known: Mapping[str, KnownFile], *, scope: Scope, paths: Paths,
                 rules: IndexSettings) -> dict[str, tuple[bytes, str]]:
    """Every file a scope should have: path below the home → (bytes, memory id)."""
    place = _place(scope, paths, rules)
    return _all_files(everything, known, place, _index_of(everything, place, {}, run=0))


def _index_of(everything: Sequence[Memory], place: _Place, titles: Mapping[str, str], *, run: int) -> IndexFiles:
    return make_index([index_entry(m, titles.get(m.id, "")) for m in everything if m.status in SHOWN], place.frame, run=run)


def _all_files(everything: Sequence[Memory], known: Mapping[str, KnownFile], place: _Place, index: IndexFiles,
               ) -> dict[str, tuple[bytes, str]]:
    return _topics(everything, everything, known, place) | {
        f"{place.notes}/{name}": (body, "") for name, body in index.made.items()}


def _topics(some: Sequence[Memory], everything: Sequence[Memory], known: Mapping[str, KnownFile], place: _Place,
            ) -> dict[str, tuple[bytes, str]]:
    """The files of some memories; `everything` holds what they replaced."""
    earlier: dict[str, list[EarlierVersion]] = {}
    for memory in everything:
        if memory.status is Status.SUPERSEDED and memory.superseded_by and memory.reason != "duplicate":
            earlier.setdefault(memory.superseded_by, []).append(
                EarlierVersion(memory.text, memory.valid_from, memory.valid_to))
    files: dict[str, tuple[bytes, str]] = {}
    own = {file.memory: file for file in known.values() if file.memory}
    for memory in some:
        path = place.topic(memory)
        if memory.status not in WITH_FILE:
            continue
        if memory.edited and (path in known or memory.id in own):
            # A person's own words and layout: kept to the byte until that person changes them, under another name too.
            files[path] = ((known.get(path) or own[memory.id]).body, memory.id)
        else:
            files[path] = (render_topic(memory, earlier=earlier.get(memory.id, ())).encode(), memory.id)
    return files


@dataclass(frozen=True)
class ScopePlan:
    """What the files of a scope must become, and what to keep of its index once that is recorded."""

    intents: Sequence[Intent]
    order: bytes


@dataclass(frozen=True)
class Latest:
    """The only memories of a scope that changed since all its files were looked at, and the run that changed them."""

    ids: Collection[str]
    run: int


def load_scope_files(store: Store, scope: Scope, *, paths: Paths, rules: IndexSettings) -> Sequence[Intent]:
    """The files of a scope that are not as the store as it is would have them."""
    return plan_scope(store, scope, paths=paths, rules=rules).intents


def plan_scope(store: Store, scope: Scope, *, paths: Paths, rules: IndexSettings, latest: Latest | None = None) -> ScopePlan:
    """Plan the files of a scope from the store as it is.

    With `latest` no other topic file is made anew, and of the index the pages alone that change: a night costs what changed
    in it. Where nobody knows any more how the index was, everything is looked at.
    """
    place = _place(scope, paths, rules)
    with store.reading():
        before = load_order(store, scope, paths, run=latest.run) if latest else None
        if latest and before:
            return _plan_latest(store, latest, before, place)
        run = journal.last_seq(store)
        everything, known = memories.load_memories(store, scope=scope), work.load_files(store, scope=scope)
        titles = work.load_titles(store)
    index = _index_of(everything, place, titles, run=run)
    return ScopePlan(plan_files(_all_files(everything, known, place, index), everything, known, scope), index.order)


def _plan_latest(store: Store, latest: Latest, before: Before, place: _Place) -> ScopePlan:
    ids = sorted({*latest.ids, *asked_anew(before.parts, memories.load_recalls(store, place.scope))})
    found = memories.load_some(store, ids)
    some = sorted((m for m in found.values() if m.scope == place.scope), key=lambda m: (m.created_at, m.id))
    earlier = memories.load_some(store, sorted({i for m in some for i in m.supersedes}))
    topics, some_ids = {place.topic(m) for m in some}, {*ids}
    known = work.load_files_about(store, place.scope, memory_ids=ids, paths=sorted(topics))
    known = {path: k for path, k in known.items()
             if k.memory in some_ids or k.memory.startswith(BY_HAND) or path in topics}
    replaced = sorted(earlier.values(), key=lambda m: (m.created_at, m.id))
    intents = plan_files(_topics(some, replaced, known, place), some, known, place.scope)
    written = {path.removeprefix(f"{place.notes}/"): sha_and_owner for name in (INDEX_FILE, "more")
               for path, sha_and_owner in work.load_hashes(store, f"{place.notes}/{name}").items()}
    titles = work.load_titles(store)
    index = make_index_again(before, ids, [index_entry(m, titles.get(m.id, "")) for m in some if m.status in SHOWN],
                             frame=place.frame,
                             written={name: sha for name, (sha, _) in written.items()})
    return ScopePlan([*intents, *_plan_index(index, written, place)], index.order)


def _plan_index(index: IndexFiles, written: Mapping[str, tuple[str, str]], place: _Place) -> Iterator[Intent]:
    """The files of an index that differ from those that were written, by name with hash and owner."""
    for name, body in index.made.items():
        before, sha = written.get(name, (None, ""))[0], fsio.sha256_bytes(body)
        if sha != before:
            yield Intent(f"{place.notes}/{name}", before, sha, body, "", str(place.scope))
    for name, (sha, owner) in written.items():
        if not owner and name not in index.made and name not in index.stay:
            yield Intent(f"{place.notes}/{name}", sha, None, None, "", str(place.scope))


def write_scope(kit: Writing, scope: Scope, plan: ScopePlan, *, changes: int, by: str = "") -> list[str]:
    """Record what a scope's files must become and carry it out, piece by piece; the paths where a person was quicker.

    The scope stays marked as behind until its last intent is recorded, so that whoever is killed in between has lost
    nothing: the next dream plans the rest anew. `by` is the version of dream where every file of the scope was looked at.
    """
    conflicts: list[str] = []
    # These commits are durable ones, for a file must never be ahead of what decided about it.
    left = with_missing(kit, scope, plan.intents)
    order = keep_order(kit.paths, scope, plan.order)
    while True:
        size = _batch(kit)
        with kit.writing() as tx:
            work.intend(tx, left[:size])
            del left[:size]
            if not left:
                work.mark_written(tx, scope, changes, by=by, order=order)
        conflicts += settle(kit)
        if not left:
            return conflicts


def with_missing(kit: Writing, scope: Scope, intents: Sequence[Intent]) -> list[Intent]:
    """Intents for a scope whose directory may be away: then all its files are written, each from nothing.

    One file alone in a directory would look as if a person had deleted all the others.
    """
    notes = _place(scope, kit.paths, IndexSettings()).notes
    if not intents or (kit.paths.home / notes).is_dir():
        return list(intents)
    fresh = {i.path: replace(i, base_sha=None) if i.path.startswith(f"{notes}/") else i for i in intents}
    for path, known in work.load_files(kit.store, scope=scope).items():
        if path.startswith(f"{notes}/") and path not in fresh and work.is_whole(known):
            fresh[path] = Intent(path, None, fsio.sha256_bytes(known.body), known.body, known.memory, known.scope)
    return list(fresh.values())


def settle(kit: Writing) -> list[str]:
    """Carry out every intent there is; give back the paths where a person was quicker.

    Safe to repeat, to interrupt and to run beside another one: a file that already holds the new bytes only loses its
    intent. Bodies are written and flushed before the lock and directories after it: under it files are only renamed.
    """
    store, paths = kit.store, kit.paths
    conflicts: list[str] = []
    while intents := work.load_intents(store, limit=_batch(kit)):
        _check_inside(intents, paths)
        note_own(paths, store, intents)
        with ExitStack() as prepared:
            with kit.in_turn():
                waiting = prepared.enter_context(fsio.prepared(_missing(intents, paths)))
            ready = {one.path: one for one in waiting}
            done: dict[str, KnownFile | None] = {}
            for part in _parts(intents, _renames(kit)):
                with kit.in_turn(), kit.background.batch():
                    _check_inside(part, paths)
                    _put_in_place(_unchanged(store, part), ready, done, paths)
        there = {(paths.home / path).parent for path in done}
        with kit.in_turn():
            fsio.sync_dirs(directory for directory in sorted(there) if directory.is_dir())
        for part in _parts(intents, _renames(kit)):
            # Lost with the power, this is only done again: what it tells of is on the disk before it.
            with kit.in_turn(), kit.background.batch(), store.writing(durable=False) as tx:
                conflicts += _conclude(tx, part, done, paths)
    return conflicts


def _batch(kit: Writing) -> int:
    return COMPANY_BATCH if kit.has_company else BATCH


def _renames(kit: Writing) -> int:
    return COMPANY_RENAMES if kit.has_company else RENAMES


def _parts(intents: Sequence[Intent], size: int) -> Iterator[Sequence[Intent]]:
    return (intents[start:start + size] for start in range(0, len(intents), size))


def _check_inside(intents: Sequence[Intent], paths: Paths) -> None:
    if any(".." in Path(i.path).parts for i in intents):
        raise Corrupt("a memory names a file outside its scope", hint="`dream history` shows the run that took it in")
    for directory in dict.fromkeys((paths.home / i.path).parent for i in intents):
        fsio.check_inside(paths.home, directory)


def _missing(intents: Sequence[Intent], paths: Paths) -> Iterator[tuple[Path, bytes]]:
    """The bodies that still have to be written; one that is there already was perhaps never flushed."""
    for intent in intents:
        path, standing = paths.home / intent.path, _standing(intent, paths)
        if intent.body is not None and standing == intent.base_sha:
            yield path, intent.body
        elif intent.body is not None and standing == intent.new_sha:
            with suppress(FileNotFoundError):  # gone again since the look: that is seen under the lock
                fsio.sync_file(path)


def _unchanged(store: Store, intents: Sequence[Intent]) -> list[Intent]:
    """The intents that nobody carried out or replaced while their bodies were written."""
    wanted = work.load_wanted(store, [i.path for i in intents])
    return [i for i in intents if i.path in wanted and wanted[i.path] == (i.base_sha, i.new_sha)]


def _put_in_place(intents: Sequence[Intent], ready: Mapping[Path, fsio.Prepared], done: dict[str, KnownFile | None],
                  paths: Paths) -> None:
    """Rename what is still as dream last knew it: asked at the last moment, for a person may have saved a file meanwhile."""
    for intent in intents:
        path = paths.home / intent.path
        found = _found(intent, path)  # before its bytes are read: one that is saved after that is another one
        standing = _standing(intent, paths)
        if standing == intent.new_sha:
            done[intent.path] = found
        elif standing != intent.base_sha:
            continue
        elif intent.body is None:
            fsio.take_away(path)
            done[intent.path] = None
        elif path in ready:
            one = ready[path]
            fsio.put_in_place(one)
            done[intent.path] = KnownFile(intent.path, intent.new_sha or "", intent.body, intent.memory, intent.scope,
                                          one.size, one.mtime_ns, one.inode)


def _conclude(tx: sqlite3.Connection, intents: Sequence[Intent], done: Mapping[str, KnownFile | None], paths: Paths,
              ) -> list[str]:
    """Drop the intents that were carried out, and park those where a person was quicker."""
    conflicts = []
    for intent in intents:
        if intent.path in done:
            work.settle(tx, intent, done[intent.path])
        elif _standing(intent, paths) not in (intent.base_sha, intent.new_sha):
            conflicts.append(intent.path)
            _park(intent, paths)
            work.drop_intent(tx, intent)
    return conflicts


def _standing(intent: Intent, paths: Paths) -> str | None:
    """The hash of the file as it stands; None where there is none."""
    try:
        return fsio.sha256_bytes(fsio.read_bytes(paths.home / intent.path))
    except FileNotFoundError:
        return None
    except DreamError:
        return UNREADABLE


def _found(intent: Intent, path: Path) -> KnownFile | None:
    """What holds the new bytes already, put there by a run that was interrupted or by somebody else, as it is on disk now."""
    if intent.body is None or intent.new_sha is None:
        return None
    known = KnownFile(intent.path, intent.new_sha, intent.body, intent.memory, intent.scope)
    try:
        facts = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return known  # should it come this very moment, the next dream must look, whatever it finds
    return replace(known, size=facts.st_size, mtime_ns=facts.st_mtime_ns, inode=facts.st_ino)


def _park(intent: Intent, paths: Paths) -> None:
    if intent.body is None or intent.new_sha is None:
        return
    kept = sorted(paths.conflicts.glob("*")) if paths.conflicts.is_dir() else []
    for old in kept[:max(0, len(kept) - PARKED_MOST + 1)]:
        fsio.remove(old)
    fsio.write_atomic(paths.conflicts / f"{Path(intent.path).name}.{intent.new_sha[:12]}", intent.body)
