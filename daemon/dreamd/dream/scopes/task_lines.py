"""What other tools' tasks in known repositories keep and stands alone: said to the project, where it waits for a person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from dreamd.core.errors import UsageError
from dreamd.core.values import FROM_TASK, Candidate, Origin, Scope, content_id
from dreamd.dream.scopes.mapping import evidence_of
from dreamd.dream.scopes.placing import Placing
from dreamd.kit import Kit, exclusions
from dreamd.store import observations
from dreamd.store.scopes import projects

if TYPE_CHECKING:
    from dreamd.library.tasks.task_folder import Folder


def propose_of_others(kit: Kit) -> list[Candidate]:
    """Take in what is new in known repositories; in a dry run it is only given back. Who holds one scope takes in nothing."""
    if kit.store.held:
        return []
    kept_out = exclusions(kit.world)
    return _propose(kit, [(folder, known.scope) for known in projects.load_known(kit.store)
                          if known.root.startswith("/") and not kept_out.has_place(known.root)
                          for folder in _folders_in(Path(known.root) / kit.settings.tasks.place)])


def propose_given(kit: Kit, given: Sequence[Path]) -> tuple[int, int]:
    """Take in the folders of tasks in places that a person names, repositories or their tasks: how many, and new lines."""
    kept_out, tail = exclusions(kit.world), PurePosixPath(kit.settings.tasks.place).parts
    there = {place: folders for place in given if not kept_out.has_place(str(place)) and (folders := _folders_at(place, tail))}
    placing = Placing(kit, evidence_of(kit.world, kit.store)) if there else None
    found = [(folder, scope) for place, folders in there.items() if placing and (scope := placing.scope_of(str(place)))
             for folder in folders]
    return len(found), len(_propose(kit, found))


def _folders_at(place: Path, tail: tuple[str, ...]) -> list[Folder]:
    """The folders of a repository, of the directory that holds them, or the one that is named itself."""
    if place.parts[-len(tail):] == tail:
        return _folders_in(place)
    if place.parent.parts[-len(tail):] == tail:
        from dreamd.library.tasks.foreign_tasks import folder_of_another

        return [folder] if (folder := folder_of_another(place)) else []
    return _folders_in(place.joinpath(*tail))


def _folders_in(place: Path) -> list[Folder]:
    """The folders in a directory of tasks; where nobody keeps any, nothing is loaded."""
    try:
        if not place.is_dir():
            return []
    except (OSError, ValueError):  # not ours to read, or no path
        return []
    from dreamd.library.tasks.foreign_tasks import folders_of_others

    return list(folders_of_others(place))


def _propose(kit: Kit, folders: Sequence[tuple[Folder, Scope]]) -> list[Candidate]:
    if not folders:
        return []
    from dreamd.library.tasks.foreign_tasks import lines_of

    told: dict[str, Candidate] = {}
    for folder, scope in folders:
        for line, at in lines_of(folder):
            key = content_id("line-of-task", str(scope), folder.slug, line)
            one = Candidate(line, Origin.IMPORT, min(at, kit.clock.now()), scope, f"task-{folder.slug}", key, sign=FROM_TASK)
            told[observations.observation_id(one)] = one
    seen = {o.id for o in observations.load_by_ids(kit.store, list(told))}
    fresh = [masked for identity, one in told.items() if identity not in seen and (masked := _standing_alone(kit, one))]
    if fresh and not kit.dry:
        with kit.writing() as tx:
            observations.append(tx, fresh, stored_at=kit.clock.now(), key=observations.tombstone_key(kit.store))
    return fresh


def _standing_alone(kit: Kit, one: Candidate) -> Candidate | None:
    from dreamd.library.tasks.standing_alone import why_not
    from dreamd.library.tasks.task_folder import one_line

    try:
        text = one_line(one.text)
    except UsageError:  # too long, or nothing but what must not be kept
        return None
    return None if why_not(text, at=one.at, zone=kit.zone) else Candidate(
        text, one.origin, one.at, one.scope, one.conversation, one.key, sign=one.sign)
