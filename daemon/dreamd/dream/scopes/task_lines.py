"""What other tools' tasks in known repositories keep and stands alone: said to the project, where it waits for a person."""

from __future__ import annotations

from pathlib import Path

from dreamd.core.errors import UsageError
from dreamd.core.values import FROM_TASK, Candidate, Origin, content_id
from dreamd.kit import Kit, exclusions
from dreamd.library.tasks.foreign_tasks import folders_of_others, lines_of
from dreamd.library.tasks.standing_alone import why_not
from dreamd.library.tasks.task_folder import one_line
from dreamd.store import observations
from dreamd.store.scopes import projects


def propose_of_others(kit: Kit) -> list[Candidate]:
    """Take in what is new in them; in a dry run it is only given back."""
    kept_out, told = exclusions(kit.world), dict[str, Candidate]()
    for known in projects.load_known(kit.store):
        if not known.root.startswith("/") or kept_out.has_place(known.root):
            continue
        for folder in folders_of_others(Path(known.root) / kit.settings.tasks.place):
            for line, at in lines_of(folder):
                key = content_id("line-of-task", str(known.scope), folder.slug, line)
                one = Candidate(line, Origin.IMPORT, min(at, kit.clock.now()), known.scope, f"task-{folder.slug}", key,
                                sign=FROM_TASK)
                told[observations.observation_id(one)] = one
    seen = {o.id for o in observations.load_by_ids(kit.store, list(told))}
    fresh = [masked for identity, one in told.items() if identity not in seen and (masked := _standing_alone(kit, one))]
    if fresh and not kit.dry:
        with kit.writing() as tx:
            observations.append(tx, fresh, stored_at=kit.clock.now(), key=observations.tombstone_key(kit.store))
    return fresh


def _standing_alone(kit: Kit, one: Candidate) -> Candidate | None:
    try:
        text = one_line(one.text)
    except UsageError:  # too long, or nothing but what must not be kept
        return None
    return None if why_not(text, at=one.at, zone=kit.zone) else Candidate(
        text, one.origin, one.at, one.scope, one.conversation, one.key, sign=one.sign)
