"""Placing: which scope a working directory belongs to, for whoever keeps something of what was said there.

The one place where a project gets its scope. What nobody has met before gets a name of its own; two that share a directory
name never share a scope.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Protocol

from dreamd.core.errors import DreamError, UsageError
from dreamd.core.repositories.git import ask_git
from dreamd.core.repositories.repository import Project, project_at
from dreamd.core.values import LONGEST_SCOPE_KEY, Scope, content_id, parse_scope, storable
from dreamd.store.connection import Store
from dreamd.store.scopes import projects
from dreamd.store.scopes.projects import Known
from dreamd.text.redaction import mask_scope

GIT_S = 10.0
"""A history without a remote is walked to its first commit once; past this its path has to do."""
Evidence = Callable[[Scope], frozenset[str] | None]


class Keeping(Protocol):
    """What placing needs of a kit."""

    @property
    def store(self) -> Store: ...
    @property
    def dry(self) -> bool: ...
    def writing(self) -> AbstractContextManager[sqlite3.Connection]: ...


class Placing:
    """Scopes of places during one run; what is new is written down at once, in a dry run only kept in mind.

    `evidence` tells what the sources that an older dream read into a scope are known by; None where that cannot be told.
    """

    def __init__(self, kit: Keeping, evidence: Evidence) -> None:
        self._kit = kit
        self._evidence = evidence
        self._seen: dict[str, Scope | None] = {}
        self._new: dict[str, Scope] = {}

    def scope_of(self, place: str) -> Scope | None:
        """The scope of a working directory; None where nothing tells a project."""
        if place not in self._seen:
            project = project_at(place) if place else None
            gone = projects.find_gone(self._kit.store, place, project) if project else None
            self._seen[place] = gone.scope if gone else self._placed(project) if project and project.name else None
        return self._seen[place]

    def _placed(self, project: Project) -> Scope | None:
        project = surely(self._kit.store, project)
        identity = project.identity
        known = projects.find_known(self._kit.store, identity)
        scope = known.scope if known else self._new.get(identity) or continued(self._kit.store, project) or self._named(project)
        if scope is None:
            return None
        places = {project.root, project.place} if project.root.startswith("/") else set()
        fresh = known is None or any(projects.find_at(self._kit.store, p) != known for p in places)
        if fresh and self._kit.dry:
            self._new[identity] = scope
        elif fresh:
            with self._kit.writing() as tx:
                projects.write_known(tx, Known(identity, scope, project.root), places=sorted(places))
        return scope

    def _named(self, project: Project) -> Scope | None:
        """A scope whose name nobody else has."""
        taken = {k.scope for k in projects.load_known(self._kit.store)} | set(self._new.values())
        for key in names_for(project):
            try:
                scope = mask_scope(parse_scope(f"project:{storable(key)[:LONGEST_SCOPE_KEY]}"))
            except UsageError:
                continue
            if scope not in taken and self._is_free(scope, project):
                return scope
        return None

    def _is_free(self, scope: Scope, project: Project) -> bool:
        """Whether nothing is kept under a name that could be another project's."""
        if not projects.was_read_into(self._kit.store, scope):
            return True
        found = self._evidence(scope)
        return found is not None and found == {project.identity}


def surely(store: Store, project: Project) -> Project:
    """A project with its first commit as git itself tells it, where nothing stronger is known."""
    if not project.common or project.remote:
        return project
    before = projects.find_at(store, project.root)
    if before and before.identity.startswith("commit:") and _has_commit(project, before.identity.removeprefix("commit:")):
        return replace(project, commit=before.identity.removeprefix("commit:"))
    return replace(project, commit=_first_commit(project) or project.commit)


def continued(store: Store, project: Project) -> Scope | None:
    """The scope of what a project was known by before it had a remote or a commit, or while its place was still there."""
    before = projects.find_at(store, project.root)
    if before and project.remote and before.identity.startswith("commit:") and _has_commit(
            project, before.identity.removeprefix("commit:")):
        return before.scope
    return projects.look_up(store, project)


def names_for(project: Project) -> Iterator[str]:
    """Names for people, shortest first: the directory's, then with whose it is in front, at last with a sign of its own."""
    yield project.name
    parts = PurePosixPath(project.remote.removeprefix("file:")).parts if project.remote else ()
    parts = parts[:-1] or PurePosixPath(project.root).parent.parts
    for n in range(1, len(parts) + 1):
        yield "/".join((*(part.strip("/") for part in parts[-n:]), project.name)).strip("/")
    yield f"{project.name}-{content_id('project', project.identity, size=6)}"


def _has_commit(project: Project, commit: str) -> bool:
    try:
        ask_git(Path(project.place), "cat-file", "-e", f"{commit}^{{commit}}", timeout_s=GIT_S, thorough=False)
    except DreamError:
        return False
    return True


def _first_commit(project: Project) -> str:
    """The oldest commit without a parent; empty where git cannot tell, or only how far a shallow copy goes."""
    try:
        place = Path(project.place)
        told = ask_git(place, "rev-parse", "--is-shallow-repository", timeout_s=GIT_S, thorough=False)
        if told.strip() != "false":
            return ""
        roots = ask_git(place, "rev-list", "--max-parents=0", "--timestamp", "HEAD", timeout_s=GIT_S, thorough=False)
    except DreamError:
        return ""
    found = sorted((int(at), commit) for at, _, commit in (line.partition(" ") for line in roots.splitlines()) if at.isdigit())
    return found[0][1] if found else ""
