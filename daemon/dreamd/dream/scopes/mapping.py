"""What an older dream kept by directory names alone: which projects that was, as far as the sources still tell.

A scope whose sources all come from one repository is known by it from now on; nothing moves. Where scopes would have to be
taken apart or put together, that is a person's to order: the plan can be read, and what cannot be told waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dreamd.core.repositories.repository import Project, project_at
from dreamd.core.values import Memory, Scope
from dreamd.core.world import World
from dreamd.dream.scopes.placing import Evidence, names_for, surely
from dreamd.kit import Kit, exclusions, source_roots
from dreamd.sources import FoundSource, SourceRoots, discover, is_store, plain_name
from dreamd.store import memories, work
from dreamd.store.connection import Store
from dreamd.store.journal import Entry, write_entry
from dreamd.store.scopes import crossings, projects
from dreamd.store.scopes.projects import Known
from dreamd.store.work import Source

LOOKED = "looked-at "
KNOWN_FROM_NOW = "known-by"


@dataclass(frozen=True)
class Told:
    """What one source tells of its project; nothing where it is gone, or holds many."""

    source: str
    project: Project | None = None

    @property
    def identity(self) -> str:
        return self.project.identity if self.project else ""


@dataclass(frozen=True)
class Part:
    """What of a scope belongs to one project."""

    identity: str
    target: Scope
    memories: tuple[str, ...]
    sources: tuple[str, ...]
    whole: bool = False
    root: str = ""


@dataclass(frozen=True)
class Mapped:
    """One scope of an older dream: why it waits, what would go where, and how many memories nothing is known of."""

    scope: Scope
    why: str
    goes: tuple[Part, ...] = ()
    stays: int = 0


class Witnesses:
    """The sources that were read into scopes, asked where they are and whose."""

    def __init__(self, world: World, store: Store) -> None:
        self._world = world
        self._store = store

    def of(self, scope: Scope) -> list[Told]:
        """What each source that was read into a scope tells."""
        return [self._told(source) for source in work.load_sources(self._store) if source.scope == scope]

    def _told(self, source: Source) -> Told:
        path = Path(source.path)
        if is_store(path):
            return Told(source.id)
        roots = SourceRoots(extra=(path,), leave_out=exclusions(self._world).has_path)
        found = next((f for f in discover(roots) if f.path == path), None) or self._everywhere.get(source.id)
        project = project_at(found.place) if found and found.place else None
        return Told(source.id, surely(self._store, project) if project and project.name else None)

    @cached_property
    def _everywhere(self) -> dict[str, FoundSource]:
        """All sources of this machine: where one lies may have been masked."""
        return {work.source_id(str(plain_name(f.path)), f.kind): f for f in discover(source_roots(self._world))}


def evidence_of(world: World, store: Store) -> Evidence:
    """A look at what the sources that were read into a scope are known by; None where nothing tells."""
    witnesses = Witnesses(world, store)

    def look(scope: Scope) -> frozenset[str] | None:
        return frozenset(told.identity for told in witnesses.of(scope)) - {""} or None

    return look


def anchor_old(kit: Kit) -> None:
    """Let scopes of an older dream be known by the one repository that all their sources come from. Nothing moves.

    Who holds one scope leaves that to the dream of all.
    """
    if kit.store.held:
        return
    witnesses = Witnesses(kit.world, kit.store)
    for scope in _loose(kit.store):
        if kit.store.meta(f"{LOOKED}{scope}") is not None:
            continue
        found = {told.identity: told.project for told in witnesses.of(scope) if told.project}
        chosen = next(iter(found.values())) if len(found) == 1 else None
        alone = chosen is not None and projects.find_known(kit.store, chosen.identity) is None and _is_best(kit, scope, chosen)
        with kit.writing() as tx:
            work.write_meta(tx, f"{LOOKED}{scope}", "1")
            if chosen is not None and alone:
                projects.write_known(tx, Known(chosen.identity, scope, chosen.root), places=(chosen.root, chosen.place))
                write_entry(tx, Entry(kit.begin().seq, 0, KNOWN_FROM_NOW, f"scope {scope}", str(scope), "all-sources-agree",
                                      (), None, None))


def plan_mapping(kit: Kit) -> list[Mapped]:
    """What would become of the scopes that wait. Touches nothing."""
    taken = {k.scope for k in projects.load_known(kit.store)}
    planned: dict[str, Scope] = {}
    witnesses = Witnesses(kit.world, kit.store)
    found = [(scope, witnesses.of(scope)) for scope in _loose(kit.store)]
    for scope, told in found:  # first those that keep their own name, so that others can go to them
        known = {t.identity: t.project for t in told if t.project}
        only = next(iter(known.values())) if len(known) == 1 else None
        if only is not None and only.identity not in planned and projects.find_known(kit.store, only.identity) is None and (
                _is_best(kit, scope, only)):
            planned[only.identity] = scope
    return [_mapped(kit, scope, told, planned, taken) for scope, told in found]


def crossings_of(kit: Kit, one: Mapped) -> list[tuple[Part, tuple[Memory, ...], crossings.Rows]]:
    """What goes of a scope, with its rows."""
    found = []
    for part in one.goes:
        some = memories.load_some(kit.store, part.memories)
        if part.whole:
            rows = crossings.load_rows(kit.store, one.scope)
        else:
            said = {*crossings.load_said_of(kit.store, part.memories, one.scope),
                    *crossings.load_loose_of(kit.store, part.sources, one.scope)}
            rows = crossings.Rows(tuple(sorted(said)), part.sources)
        found.append((part, tuple(sorted(some.values(), key=lambda m: (m.created_at, m.id))), rows))
    return found


def _mapped(kit: Kit, scope: Scope, told: Sequence[Told], planned: dict[str, Scope], taken: set[Scope]) -> Mapped:
    known = {t.identity: t.project for t in told if t.project}
    all_ids = [m.id for m in memories.load_memories(kit.store, scope=scope)]
    if not known:
        return Mapped(scope, "none of its sources tells any more whose it is", stays=len(all_ids))
    for identity, project in known.items():
        if identity not in planned:
            before = projects.find_known(kit.store, identity)
            planned[identity] = before.scope if before else _new_name(kit.store, project, {*taken, *planned.values()})
    if len(known) == 1:
        (identity, project), = known.items()
        part = Part(identity, planned[identity], tuple(all_ids), tuple(t.source for t in told), whole=True, root=project.root)
        why = "all of its sources come from one project" if part.target == scope else f"its sources belong to {part.target}"
        return Mapped(scope, why, (part,))
    groups: dict[str, list[str]] = {}
    source_of = {t.source: t.identity for t in told}
    for one in all_ids:
        tied = [i for i in crossings.load_tied(kit.store, [one]) if i in set(all_ids)]
        heard = {source_of.get(s, "") for s in crossings.load_sources_of(kit.store, tied)}
        groups.setdefault(heard.pop() if len(heard) == 1 else "", []).append(one)
    parts = [Part(identity, planned[identity], tuple(groups.get(identity, ())),
                  tuple(t.source for t in told if t.identity == identity), root=project.root)
             for identity, project in sorted(known.items())]
    return Mapped(scope, f"{len(known)} projects of one name share it", tuple(parts), len(groups.get("", ())))


def _loose(store: Store) -> list[Scope]:
    """Scopes of projects that sources were read into and that are known by nothing yet."""
    taken = {k.scope for k in projects.load_known(store)}
    return [s for s in projects.load_read_into(store) if s.kind == "project" and s not in taken and projects.holds_of(store, s)]


def _is_best(kit: Kit, scope: Scope, project: Project) -> bool:
    """Of several scopes of one project the one with its name keeps what is to come; else the first that is looked at."""
    named = Scope("project", project.name)
    return scope == named or named not in _loose(kit.store)


def _new_name(store: Store, project: Project, taken: set[Scope]) -> Scope:
    for key in names_for(project):
        scope = Scope("project", key)
        if scope not in taken and not projects.holds_of(store, scope):
            return scope
    return Scope("project", project.identity[:100])
