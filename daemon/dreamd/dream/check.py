"""Check: store, files, vectors and journal against each other; repair what is derived, refuse where it is not."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from dreamd.core import fsio, locks, rights
from dreamd.core.errors import Corrupt, DreamError
from dreamd.core.locks import Owner
from dreamd.core.plain_words.for_people import count
from dreamd.core.values import Scope
from dreamd.dream import projection, setting_aside
from dreamd.dream.cycle import write_files
from dreamd.dream.phases.carry_out import BY_ID, NAMED
from dreamd.dream.phases.hand_edits import read_edits
from dreamd.dream.phases.weighing import WEIGHED_TO
from dreamd.dream.scopes import mirror
from dreamd.kit import Kit
from dreamd.store import checks, derived, memories, observations, seals, work
from dreamd.store.connection import translated
from dreamd.store.library.library_file import exists as library_exists
from dreamd.store.presence.sound_rows import sound_row, stored_scope
from dreamd.store.work import Intent, KnownFile

OK, REPAIRED, BROKEN = "ok", "repaired", "broken"
EDITED = "edited"
"""A person changed something that the next dream takes in: no damage, and nothing that a repair may undo unasked."""
BY_REPAIR, BY_RESTORE, BY_PERSON = "repair", "restore-store", "person"
READING = ("staged", "cursor", "source", "unread", "tally")


@dataclass(frozen=True)
class Finding:
    """What one check saw; `detail` names places and counts, never words of a memory."""

    name: str
    verdict: str
    detail: str = ""
    mended_by: str = ""
    """What mends it where it is broken: a repair, an older store, or a person."""


def check(kit: Kit, *, repair: bool = False) -> list[Finding]:
    """Look at everything; with `repair`, make the derived parts anew.

    Raises Locked while a dream is at work, for it would see half of what that dream does.
    """
    with locks.hold_dream(kit.paths.locks, Owner("dream check", kit.clock.now())):
        return list(_findings(kit, repair))


def _findings(kit: Kit, repair: bool) -> Iterator[Finding]:
    """Everything that is found; where a damaged row is in the way of a look, that row is what it finds."""
    for name, look in checks.INVARIANTS:
        try:
            with translated(kit.paths.store):
                faults = sound_row(look)(kit.store)
        except Corrupt as damage:
            faults = [damage.message]
        yield Finding(name, BROKEN if faults else OK, "; ".join(faults[:10]), BY_RESTORE if faults else "")
    try:
        with translated(kit.paths.store):
            yield from _beside_rows(kit, repair)
    except Corrupt as damage:
        yield Finding("rows", BROKEN, damage.message, BY_RESTORE)


def _beside_rows(kit: Kit, repair: bool) -> Iterator[Finding]:
    """What follows from the rows, and what lies beside the store."""
    unsealed = set(seals.broken(kit.store.connection)) & seals.DERIVED
    yield _derived(kit, "word index", checks.stale_words(kit.store), _rebuild_words, repair)
    yield _derived(kit, "vectors", len(checks.bad_vectors(kit.store)) or len(unsealed & {"vector", "vector_file"}),
                   _drop_vectors, repair)
    yield _derived(kit, "verdicts", len(unsealed & {"judged"}), _drop_verdicts, repair)
    yield _derived(kit, "model answers", len(unsealed & {"model_answer"}), lambda kit: _drop(kit, "model_answer"), repair)
    yield _derived(kit, "reading positions", len(unsealed.intersection(READING)), _read_anew, repair)
    unfinished = _load_unfinished(kit)
    yield _finish_files(kit, unfinished, unsealed=len(unsealed & {"intent"}), repair=repair)
    gone = [path for path in _deleted_by_person(kit) if path not in unfinished.paths]
    if gone and not repair:
        yield Finding("deleted files", EDITED, f"{len(gone)} gone: the next `dream consolidate` takes that as your wish, "
                                               "`dream check --repair` brings them back")
    yield from _left_open(kit, repair)
    wrong = _stray_files(kit, unfinished, leave_out=() if repair else gone) or len(unsealed & {"file"})
    yield _derived(kit, "files", wrong, _rewrite_files, repair)
    yield from _library(kit, repair)
    yield from _logs(kit)
    yield _rights(kit, repair)


def _library(kit: Kit, repair: bool) -> Iterator[Finding]:
    """The documents that were added; where there are none, there is nothing to look at."""
    if not library_exists(kit.paths.library):
        return
    from dreamd.library import mending  # costs nobody anything who has no documents

    faults = mending.look_over(kit.world)
    if not faults:
        yield Finding("documents", OK)
    elif not repair:
        yield Finding("documents", BROKEN, f"{'; '.join(faults)}; `dream check --repair` makes it anew", BY_REPAIR)
    else:
        done = mending.mend(kit.world, embedder=kit.embedder)
        yield Finding("documents", REPAIRED if done.done else BROKEN, "; ".join(filter(None, (done.done, done.left))),
                      "" if done.done else BY_PERSON)


def _logs(kit: Kit) -> Iterator[Finding]:
    """Lines of the logs that nobody can read; the others are read as ever."""
    from dreamd.library import gate_events, operations

    for log in (operations.log_of(kit.world), gate_events.log_of(kit.world)):
        if why := log.hindrance():
            yield Finding("logs", BROKEN, why, BY_PERSON)
    spoilt = {log.name: n for log in (operations.log_of(kit.world), gate_events.log_of(kit.world)) if (n := log.count_spoilt())}
    if spoilt:
        yield Finding("logs", EDITED, ", ".join(f"{n} that cannot be read in `{name}.ndjson` and what was packed of it"
                                                for name, n in spoilt.items()) + "; the other lines are")


@dataclass(frozen=True)
class _Unfinished:
    """What an interrupted run has decided and not come to write: no damage, and nobody's wish either."""

    paths: frozenset[str] = frozenset()
    scopes: frozenset[Scope] = frozenset()


def _load_unfinished(kit: Kit) -> _Unfinished:
    intents = work.load_intents(kit.store, limit=-1)
    return _Unfinished(frozenset(i.path for i in intents), frozenset(work.load_unwritten(kit.store)))


def _finish_files(kit: Kit, unfinished: _Unfinished, *, unsealed: int, repair: bool) -> Finding:
    if unsealed:
        return _derived(kit, "unfinished files", unsealed, _settle, repair)
    if not unfinished.paths and not unfinished.scopes:
        return Finding("unfinished files", OK)
    what = f"{len(unfinished.paths)} files and {len(unfinished.scopes)} scopes that an interrupted run did not come to write"
    if not repair:
        return Finding("unfinished files", EDITED, f"{what}; the next `dream consolidate` does")
    _settle(kit)
    write_files(kit, sorted(unfinished.scopes), [])
    return Finding("unfinished files", REPAIRED, what)


def _left_open(kit: Kit, repair: bool) -> Iterator[Finding]:
    """What only a person settles: deletions past their limit, and files that were damaged, here and now or earlier."""
    waiting = observations.load_put_off(kit.store)
    if waiting and repair:
        with kit.background.batch(), kit.store.writing() as tx:
            yield Finding("deletions", REPAIRED, f"{observations.withdraw_put_off(tx)} that waited withdrawn")
    elif waiting:
        yield Finding("deletions", EDITED, f"{len(waiting)} wait, past their limit: `dream consolidate --allow-large-change` "
                                           "carries them out, `dream check --repair` withdraws them")
    damaged = [d for e in read_edits(kit, []) for d in e.damaged if d.reason not in (setting_aside.AWAY, "gone")]
    if damaged and not repair:
        yield Finding("damaged files", EDITED, "; ".join(setting_aside.tell(damaged)) + "; the next `dream consolidate` writes "
                                               "them as they were")
    kept = setting_aside.list_copies(kit.paths)
    if kept:
        yield Finding("set aside", EDITED, f"{len(kept)} damaged files were copied to `{kit.paths.damaged.name}/`, "
                                           f"`{kept[-1].name}` last; remove what nobody needs")


def _rights(kit: Kit, repair: bool) -> Finding:
    """A memory is its owner's alone: an editor or a copy may have opened it to others."""
    ajar, foreign = rights.list_too_open(kit.paths.home)
    if foreign:
        shown = ", ".join(f"`{p.relative_to(kit.paths.home)}`" for p in foreign[:3])
        return Finding("rights", BROKEN, f"{len(foreign)} links or things of another user, {shown} among them; dream reads and "
                                         "writes none of them: take them away", BY_PERSON)
    if not ajar:
        return Finding("rights", OK)
    if not repair:
        open_to = f"{count(len(ajar), 'file')} open to other users"
        return Finding("rights", EDITED, f"{open_to}; `dream check --repair` closes what is open")
    for path in ajar:
        rights.close_to_others(path)
    return Finding("rights", REPAIRED, f"{count(len(ajar), 'file')} closed to other users")


def _derived(kit: Kit, name: str, wrong: int, mend: Callable[[Kit], None], repair: bool) -> Finding:
    if not wrong:
        return Finding(name, OK)
    if not repair:
        return Finding(name, BROKEN, f"{wrong} missing or out of date; `dream check --repair` makes them anew", BY_REPAIR)
    mend(kit)
    return Finding(name, REPAIRED, f"{wrong} made anew")


def _rebuild_words(kit: Kit) -> None:
    with kit.background.batch(), kit.store.writing() as tx:
        derived.rebuild_words(tx)


def _drop_vectors(kit: Kit) -> None:
    """All of them: a seal tells that a row is wrong, not which. The next dream embeds anew."""
    with kit.background.batch(), kit.store.writing() as tx:
        derived.lose_vectors(tx)


def _drop_verdicts(kit: Kit) -> None:
    """Pairs are judged again when they meet again; of passages the next dreams see to that."""
    _drop(kit, "judged")
    with kit.background.batch(), kit.store.writing() as tx:
        work.write_meta(tx, WEIGHED_TO, "0")


def _read_anew(kit: Kit) -> None:
    """Sources are read from their beginning once more; what is known already is recognised by its id.

    What logs come to is counted anew with them, or every line would count twice.
    """
    _drop(kit, *READING)


def _drop(kit: Kit, *tables: str) -> None:
    with kit.background.batch(), kit.store.writing() as tx:
        for table in tables:
            seals.empty(tx, table)


def _settle(kit: Kit) -> None:
    if "intent" in seals.broken(kit.store.connection):
        _drop(kit, "intent")
        write_files(kit, memories.load_scopes(kit.store), [])
    projection.settle(kit)


def _deleted_by_person(kit: Kit) -> list[str]:
    """Topic files that are gone from a directory that is still there."""
    return [f.path for f in work.load_files(kit.store).values() if f.memory and f.path.startswith("memory/")
            and not (kit.paths.home / f.path).exists() and (kit.paths.home / f.path).parent.is_dir()]


def _stray_files(kit: Kit, unfinished: _Unfinished, *, leave_out: Collection[str]) -> int:
    """Files that are missing or that the store would now write otherwise; a person's fresh edits are not strays."""
    if kit.store.owns_words:
        return sum(mirror.count_stale(kit, scope) for scope in memories.load_scopes(kit.store)
                   if scope not in unfinished.scopes and mirror.is_shown(kit, scope))
    wrong, expected = 0, {*leave_out, *unfinished.paths}
    behind = unfinished.scopes | {stored_scope(i.scope) for i in work.load_intents(kit.store, limit=-1)}
    for known in work.load_files(kit.store).values():
        missing = known.path not in expected and not (kit.paths.home / known.path).exists()
        wrong += missing or not work.is_whole(known)
    behind |= {*work.load_asked(kit.store)}  # the next dream puts these in another order
    for scope in memories.load_scopes(kit.store) if kit.store.meta(NAMED) == BY_ID else ():  # else a dream of before wrote them
        if scope in behind:
            continue
        wrong += len(projection.load_scope_files(kit.store, scope, paths=kit.paths, rules=kit.settings.index))
    return wrong


def _rewrite_files(kit: Kit) -> None:
    """Missing files come back as they were, a person's own layout included; then what is out of date follows."""
    if kit.store.owns_words:
        for scope in memories.load_scopes(kit.store):
            mirror.show_scope(kit, scope)
        return
    known = list(work.load_files(kit.store).values())
    gone = [f for f in known if work.is_whole(f) and not (kit.paths.home / f.path).exists()]
    with kit.background.batch(), kit.store.writing() as tx:
        for file in known:
            if not work.is_whole(file):
                _take_from_disk(tx, file, kit.paths.home / file.path)
        work.intend(tx, [Intent(f.path, None, fsio.sha256_bytes(f.body), f.body, f.memory, f.scope) for f in gone])
    _settle(kit)
    kit.kind = "repair"
    scopes = memories.load_scopes(kit.store)
    write_files(kit, scopes, [])
    if "file" in seals.broken(kit.store.connection):
        _own_anew(kit, scopes)


def _own_anew(kit: Kit, scopes: Sequence[Scope]) -> None:
    """The table of files is damaged somewhere: set down for each file again whose it is, then seal it as it stands."""
    with kit.background.batch(), kit.store.writing() as tx:
        for scope in scopes:
            known = work.load_files(kit.store, scope=scope)
            wanted = projection.render_scope(memories.load_memories(kit.store, scope=scope), known, scope=scope,
                                             paths=kit.paths, rules=kit.settings.index)
            for path, (_, memory) in wanted.items():
                if path in known:
                    work.accept_file(tx, replace(known[path], memory=memory))
    with kit.background.batch(), kit.store.writing() as tx:
        seals.renew(tx, "file")


def _take_from_disk(tx: sqlite3.Connection, file: KnownFile, path: Path) -> None:
    """The kept bytes are damaged: keep those of the file, if it still is what was kept; otherwise write it anew."""
    with suppress(FileNotFoundError, DreamError):
        body = fsio.read_bytes(path)
        if fsio.sha256_bytes(body) == file.sha:
            work.accept_file(tx, replace(file, body=body))
            return
    work.drop_file(tx, file.path)
