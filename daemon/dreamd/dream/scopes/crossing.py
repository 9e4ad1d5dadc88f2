"""Crossing scopes: what a person moves, merges or renames, planned, in one transaction, and to be taken back like any run.

A memory goes with its versions, with whatever rests on the same statements, and with those statements. A whole scope goes
with everything in it, and with what its project is known by, so that what is said there later follows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dreamd.core import fsio, locks
from dreamd.core.errors import Refused, StoreMissing, UsageError
from dreamd.core.locks import Owner
from dreamd.core.values import Memory, Scope
from dreamd.dream import projection
from dreamd.dream.cycle import write_files
from dreamd.dream.phases.carry_out import write_change
from dreamd.dream.phases.hand_edits import read_edits
from dreamd.dream.plan import Change
from dreamd.dream.scopes.mapping import Mapped, crossings_of
from dreamd.kit import Kit
from dreamd.store import journal, memories, work
from dreamd.store.journal import Entry, Run
from dreamd.store.scopes import projects
from dreamd.store.scopes.crossings import Rows, load_rows, load_said_of, load_tied, move_rows, pack, unpack
from dreamd.store.scopes.projects import Known
from dreamd.store.work import BY_HAND, Intent

KIND = "scope"
ROWS = "crossing"
"""The journal's entry for what no memory's own entry tells: statements, sources, and what the project is known by."""
BY_PERSON = "moved-by-person"


@dataclass(frozen=True)
class Crossing:
    """What goes from one scope into another; `whole` when nothing stays behind."""

    source: Scope
    target: Scope
    memories: tuple[Memory, ...]
    rows: Rows
    whole: bool = False

    def after(self) -> list[Memory]:
        """The memories as they will be: no link leads back across."""
        ours = {m.id for m in self.memories}
        return [replace(m, scope=self.target, links=tuple(link for link in m.links if link[0] in ours)) for m in self.memories]


def plan_whole(kit: Kit, source: Scope, target: Scope, *, merge: bool) -> list[Crossing]:
    """Everything of a scope into another, which must be new unless they are to be merged.

    Raises UsageError for scopes that cannot, StoreMissing for one that is not there, Refused where one already stands.
    """
    if source == target:
        raise UsageError("that is one and the same scope")
    if source.kind == "user" or not merge and source.kind == "local":
        raise UsageError(f"the scope `{source}` stays what it is", hint="`dream scope move ID --to SCOPE` moves one memory")
    there = {*memories.load_scopes(kit.store), *(k.scope for k in projects.load_known(kit.store))}
    if source not in there:
        raise StoreMissing(f"no scope `{source}`", hint="`dream scope list` shows the scopes")
    if not merge and target in there:
        raise Refused(f"there is a scope `{target}` already", hint=f"`dream scope merge {source} {target}` makes them one")
    with kit.store.reading():
        found = memories.load_memories(kit.store, scope=source)
        return [Crossing(source, target, tuple(found), load_rows(kit.store, source), whole=True)]


def plan_move(kit: Kit, ids: Sequence[str], target: Scope) -> list[Crossing]:
    """Some memories, with all that is tied to them, into a scope.

    Raises StoreMissing for an unknown id, UsageError where nothing would move.
    """
    with kit.store.reading():
        wanted = load_tied(kit.store, [memories.load_memory(kit.store, i).id for i in ids])
        found = memories.load_some(kit.store, wanted)
        by_scope: dict[Scope, list[Memory]] = {}
        for memory in found.values():
            if memory.scope != target:
                by_scope.setdefault(memory.scope, []).append(memory)
        if not by_scope:
            raise UsageError("that is where it is already")
        return [Crossing(source, target, tuple(sorted(some, key=lambda m: (m.created_at, m.id))),
                         Rows(tuple(load_said_of(kit.store, [m.id for m in some], source))))
                for source, some in sorted(by_scope.items())]


def apply_crossing(kit: Kit, plan: Sequence[Crossing], verb: str) -> Run:
    """Carry it out: rows in one transaction, files after it.

    Raises Locked while a dream is at work, Refused where somebody edited files that no dream has seen yet.
    """
    scopes = sorted({s for c in plan for s in (c.source, c.target)})
    kit.kind = KIND
    with locks.hold_dream(kit.paths.locks, Owner(f"dream scope {verb}", kit.clock.now())):
        _check_edits(kit, scopes)
        run = kit.begin()
        with kit.writing() as tx:
            for crossing in plan:
                _cross(tx, kit, crossing, run, verb)
        finish(kit, scopes)
        kit.end("; ".join(f"{verb}: {c.source} → {c.target}" for c in plan))
    return run


def apply_mapping(kit: Kit, plan: Sequence[Mapped]) -> Run:
    """Give the scopes of an older dream to their projects, as planned, in one run."""
    kit.kind = KIND
    with locks.hold_dream(kit.paths.locks, Owner("dream scope map", kit.clock.now())):
        scopes = sorted({s for one in plan for part in one.goes for s in (one.scope, part.target)})
        _check_edits(kit, scopes)
        run = kit.begin()
        with kit.writing() as tx:
            for one in plan:
                for part, some, rows in crossings_of(kit, one):
                    places = (part.root,) if part.root.startswith("/") else ()
                    projects.write_known(tx, Known(part.identity, part.target, part.root), places=places)
                    if part.target != one.scope and (some or rows.observations or rows.sources):
                        _cross(tx, kit, Crossing(one.scope, part.target, some, rows, part.whole), run, "map")
        finish(kit, scopes)
        kit.end("scopes of an older dream given to their projects")
    return run


def finish(kit: Kit, scopes: Iterable[Scope]) -> list[str]:
    """Bring the files after the rows: first those that go over as they are, then what is made from the memories."""
    warnings: list[str] = []
    projection.settle(kit)
    write_files(kit, sorted(set(scopes)), warnings)
    return warnings


def take_back(tx: sqlite3.Connection, kit: Kit, entry: Entry, run: Run) -> set[Scope]:
    """Reverse what no memory's own entry tells; the scopes whose files are touched."""
    source, target, rows = unpack(entry.evidence)
    move_rows(tx, rows, target, source)
    _carry_by_hand(tx, kit, target, source, rows.files)
    journal.write_entry(tx, Entry(run.seq, 0, ROWS, entry.memory, str(target), "undo of crossing",
                                  pack(target, source, rows), None, None))
    return {source, target}


def carry_edited(tx: sqlite3.Connection, kit: Kit, before: Memory, after: Memory) -> None:
    """Let a file that a person wrote in go over to the byte; call before the rows of files are looked at anew."""
    if not after.edited or before.scope == after.scope:
        return
    old, new = (projection.topic_path(m, kit.paths) for m in (before, after))
    known = work.load_files(kit.store, scope=before.scope).get(old)
    if known is not None:
        there = work.load_files(kit.store, scope=after.scope).get(new)
        work.intend(tx, [Intent(new, there.sha if there else None, fsio.sha256_bytes(known.body), known.body, after.id,
                                str(after.scope))])


def _cross(tx: sqlite3.Connection, kit: Kit, crossing: Crossing, run: Run, verb: str) -> None:
    hand = tuple(sorted(p for p, k in work.load_files(kit.store, scope=crossing.source).items()
                        if k.memory.startswith(BY_HAND))) if crossing.whole else ()
    prefix = f"{kit.paths.scope_dir(crossing.source).relative_to(kit.paths.home)}/"
    rows = replace(crossing.rows, files=tuple(p.removeprefix(prefix) for p in hand if p.startswith(prefix)))
    for before, after in zip(crossing.memories, crossing.after(), strict=True):
        carry_edited(tx, kit, before, after)
        write_change(tx, Change(verb, before, after, BY_PERSON, (f"from {crossing.source}",)), run.seq)
    move_rows(tx, rows, crossing.source, crossing.target)
    _carry_by_hand(tx, kit, crossing.source, crossing.target, rows.files)
    work.mark_unwritten(tx, str(crossing.source))
    journal.write_entry(tx, Entry(run.seq, 0, ROWS, f"{crossing.source} {run.id}", str(crossing.source), verb,
                                  pack(crossing.source, crossing.target, rows), None, None))


def _carry_by_hand(tx: sqlite3.Connection, kit: Kit, source: Scope, target: Scope, names: Sequence[str]) -> None:
    """Files that a person put there and no memory says all of: theirs, wherever the scope goes."""
    old, new = (str(kit.paths.scope_dir(scope).relative_to(kit.paths.home)) for scope in (source, target))
    known = work.load_files(kit.store, scope=source) if names else {}
    taken = work.load_files(kit.store, scope=target) if names else {}
    for name in names:
        file, there = known.get(f"{old}/{name}"), taken.get(f"{new}/{name}")
        if file is not None and there is None:
            work.intend(tx, [Intent(f"{new}/{name}", None, fsio.sha256_bytes(file.body), file.body, file.memory, str(target)),
                             Intent(file.path, file.sha, None, None, file.memory, str(source))])


def _check_edits(kit: Kit, scopes: Sequence[Scope]) -> None:
    edited = {e.scope for e in read_edits(kit, []) if e.candidates or e.gone or e.damaged} & set(scopes)
    if edited:
        raise Refused(f"files of {', '.join(f'`{s}`' for s in sorted(edited))} were edited since the last dream",
                      hint="`dream consolidate` takes that in; then run it again")
