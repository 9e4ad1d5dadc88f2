"""Which scope a project has: what it is known by, written down once, so that a name for people can stay short and stay its own.

A scope's key is a name. What tells two projects of one name apart, and brings the clones and worktrees of one together, is
kept here: the address of a remote, a first commit, or a path, each leading to one scope; and the places it was seen at, for
the day they are gone.

Of what is never read: how each file was when it was last left alone, so that nobody waits for it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath

from dreamd.core.clock import iso
from dreamd.core.errors import UsageError
from dreamd.core.repositories.repository import Project, plain_path, project_at
from dreamd.core.values import Scope, parse_scope, storable
from dreamd.store import work
from dreamd.store.connection import Store
from dreamd.store.presence.sound_rows import sound_row, stored_scope

_KNOWN = "project "
_PLACE = "place "
_PAST_KNOWN = "project!"


@dataclass(frozen=True)
class Known:
    """One thing a project is known by, and its scope."""

    identity: str
    scope: Scope
    root: str = ""


@sound_row
def load_known(store: Store) -> list[Known]:
    """Everything that projects are known by."""
    rows = store.all("SELECT key, value FROM meta WHERE key >= ? AND key < ? ORDER BY key", _KNOWN, _PAST_KNOWN)
    return [_known(r["key"].removeprefix(_KNOWN), r["value"]) for r in rows]


def find_known(store: Store, identity: str) -> Known | None:
    """What is written down of one identity."""
    told = store.meta(_KNOWN + _safe(identity))
    return None if told is None else _known(_safe(identity), told)


def find_at(store: Store, place: str) -> Known | None:
    """What was last known of a place, whatever stands there now."""
    identity = store.meta(_PLACE + _safe(place))
    return find_known(store, identity) if identity else None


def write_known(tx: sqlite3.Connection, known: Known, *, places: Iterable[str] = ()) -> None:
    """Write down what a project is known by, and where it was seen."""
    identity = _safe(known.identity)
    body = json.dumps({"scope": str(known.scope), "root": _safe(known.root)}, ensure_ascii=False, sort_keys=True)
    tx.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KNOWN + identity, body))
    tx.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", ((_PLACE + _safe(place), identity) for place in places))


def repoint(tx: sqlite3.Connection, identities: Iterable[str], source: Scope, target: Scope) -> None:
    """Let what led to one scope lead to another."""
    for identity in identities:
        row = tx.execute("SELECT value FROM meta WHERE key = ?", (_KNOWN + identity,)).fetchone()
        known = _known(identity, row[0]) if row else None
        if known is not None and known.scope == source:
            write_known(tx, Known(identity, target, known.root))


def look_up(store: Store, project: Project) -> Scope | None:
    """The scope of a project as far as it can be told by looking alone; None for one nobody has met."""
    known = find_known(store, project.identity) or _as_before(store, project)
    return known.scope if known else _by_name(store, project)


def scope_at(store: Store, place: str) -> Scope | None:
    """The scope of a directory, for whoever only looks: hooks, priming, recall."""
    project = project_at(place) if place else None
    known = find_gone(store, place, project) if project else None
    return known.scope if known else look_up(store, project) if project else None


def find_gone(store: Store, place: str, project: Project) -> Known | None:
    """What a directory that is gone was known as: a repository around where it was says nothing of it then."""
    path = plain_path(place)
    if not project.common or not path.startswith("/") or Path(path).exists():
        return None
    for above in (Path(path), *Path(path).parents):
        if str(above) == project.place:
            return None
        known = find_at(store, str(above))
        if known is not None and not known.identity.startswith("path:"):
            return known
    return None


def holds_of(store: Store, scope: Scope) -> bool:
    """Whether anything was ever kept in a scope."""
    return any(store.one(f"SELECT 1 FROM {table} WHERE scope = ? LIMIT 1", str(scope)) for table in ("memory", "observation"))


def is_used(store: Store, name: str) -> bool:
    """Whether there is a scope of this name, as a person may have written it."""
    try:
        scope = parse_scope(name)
    except UsageError:
        return False
    return holds_of(store, scope) or any(k.scope == scope for k in load_known(store))


def was_read_into(store: Store, scope: Scope) -> bool:
    """Whether a source was read into a scope."""
    return store.one("SELECT 1 FROM source WHERE scope = ? LIMIT 1", str(scope)) is not None


def load_read_into(store: Store) -> list[Scope]:
    """The scopes that sources were read into."""
    return [stored_scope(scope) for scope, in store.tuples("SELECT DISTINCT scope FROM source ORDER BY scope") if scope]


def _as_before(store: Store, project: Project) -> Known | None:
    """What a project was known by before it had what it has now, or while it was still there."""
    if not project.common:
        place = PurePosixPath(project.root)
        for above in (place, *place.parents) if plain_path(project.root).startswith("/") else ():
            known = find_at(store, str(above))
            # A folder that was never a repository says nothing of those inside it.
            if known is not None and (above == place or not known.identity.startswith("path:")):
                return known
        return None
    before = find_at(store, project.root)
    if before is None:
        return None
    same = before.identity == f"commit:{project.commit}" or before.identity.startswith("commit:") and not project.remote and (
        not project.commit)
    return before if same or before.identity.startswith("path:") else None


def _by_name(store: Store, project: Project) -> Scope | None:
    """A scope that a person filled by its name alone, before its project was met; none that sources were read into."""
    try:
        scope = parse_scope(f"project:{storable(project.name)}")
    except UsageError:
        return None
    if not holds_of(store, scope) or was_read_into(store, scope) or any(k.scope == scope for k in load_known(store)):
        return None
    return scope


def _safe(name: str) -> str:
    """An identity or a place as it may be stored: people put secrets into addresses and directory names."""
    if name.startswith("commit:"):
        return name  # as long and as random as a secret, and none
    from dreamd.text.redaction import mask_name  # a third of what a look costs, and only where there is something to look for

    kind, colon, rest = storable(name).partition(":")
    return f"{kind}:{mask_name(rest)}" if colon and kind in ("remote", "path") else mask_name(storable(name))


def _known(identity: str, body: str) -> Known:
    told = json.loads(body)
    return Known(identity, stored_scope(told["scope"]), str(told["root"]))


EXCLUDED = "excluded"
_SCOPE = "local:never-read"


def load_kept_out(store: Store) -> dict[str, tuple[int, int]]:
    """(mtime_ns, size) of every file that was left alone, by path."""
    rows = store.all("SELECT s.path, c.mtime_ns, c.size FROM source s JOIN cursor c ON c.source = s.id WHERE s.kind = ?",
                     EXCLUDED)
    return {r["path"]: (int(r["mtime_ns"]), int(r["size"])) for r in rows}


def write_kept_out(tx: sqlite3.Connection, files: Mapping[str, tuple[int, int]], *, at: datetime) -> None:
    """Remember how files were that are left alone; what was read of one before stays where it ended."""
    for path, (mtime_ns, size) in files.items():
        identity = work.source_id(path, EXCLUDED)
        tx.execute("""INSERT INTO source (id, path, kind, scope, first_seen_at, read_at) VALUES (?, ?, ?, ?, ?, ?)
                      ON CONFLICT (id) DO UPDATE SET read_at = excluded.read_at""",
                   (identity, path, EXCLUDED, _SCOPE, iso(at), iso(at)))
        tx.execute("INSERT OR REPLACE INTO cursor VALUES (?, 0, ?, 0, '', '', ?, '')", (identity, size, mtime_ns))
        tx.execute("UPDATE cursor SET size = ?, mtime_ns = ? WHERE source IN (SELECT id FROM source WHERE path = ?)",
                   (size, mtime_ns, path))
        work.unstage(tx, path)


def drop_kept_out(tx: sqlite3.Connection, paths: Iterable[str]) -> None:
    """Forget that files were left alone: they are read again, or gone."""
    for path in paths:
        tx.execute("DELETE FROM cursor WHERE source = ?", (work.source_id(path, EXCLUDED),))
        tx.execute("DELETE FROM source WHERE id = ?", (work.source_id(path, EXCLUDED),))
