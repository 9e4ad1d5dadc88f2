"""The markdown of a team's memories on this machine: made from the store, read by people and agents, taken in by nobody.

A team's store owns the words, so there is nothing to compare and nothing to park: what differs is written anew.
"""

from __future__ import annotations

from pathlib import Path

from dreamd.core import fsio
from dreamd.core.values import Scope
from dreamd.dream import projection
from dreamd.kit import Kit
from dreamd.store import memories, work

READ_ONLY = 0o400


def show_scope(kit: Kit, scope: Scope) -> int:
    """Bring the files of a scope in line with the store; says how many were written or removed."""
    changes = work.load_unwritten(kit.store).get(scope, 0)
    if kit.as_worker and not is_shown(kit, scope):
        _mark_shown(kit, scope, changes)
        return 0
    files = _rendered(kit, scope)
    places = {(kit.paths.home / path).parent for path in files} | set(_folders(kit, scope))
    changed = 0
    for path, body in files.items():
        if _standing(kit.paths.home / path) != body:
            _write(kit.paths.home / path, body)
            changed += 1
    for place in sorted(places):
        for found in sorted(place.iterdir()) if place.is_dir() else ():
            if found.is_file() and str(found.relative_to(kit.paths.home)) not in files:
                fsio.remove(found)
                changed += 1
    _mark_shown(kit, scope, changes)
    return changed


def _mark_shown(kit: Kit, scope: Scope, changes: int) -> None:
    if changes:
        with kit.background.batch(), kit.store.writing() as tx:
            work.mark_written(tx, scope, changes)


def count_stale(kit: Kit, scope: Scope) -> int:
    """How many files of a scope are not as the store would have them."""
    return sum(_standing(kit.paths.home / path) != body for path, body in _rendered(kit, scope).items())


def is_shown(kit: Kit, scope: Scope) -> bool:
    """Whether this machine has ever shown a scope."""
    return any(place.is_dir() for place in _folders(kit, scope))


def _rendered(kit: Kit, scope: Scope) -> dict[str, bytes]:
    with kit.store.reading():
        everything = memories.load_memories(kit.store, scope=scope)
    found = projection.render_scope(everything, {}, scope=scope, paths=kit.paths, rules=kit.settings.index)
    return {path: body for path, (body, _) in found.items()}


def _folders(kit: Kit, scope: Scope) -> list[Path]:
    notes = kit.paths.scope_dir(scope)
    return [notes, kit.paths.archive / notes.relative_to(kit.paths.memory)]


def _standing(path: Path) -> bytes | None:
    try:
        return fsio.read_bytes(path)
    except FileNotFoundError:
        return None


def _write(path: Path, body: bytes) -> None:
    fsio.write_atomic(path, body)
    path.chmod(READ_ONLY)
