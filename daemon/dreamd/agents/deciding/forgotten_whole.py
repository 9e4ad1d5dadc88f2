"""Forgetting, through every place that dream wrote the words into: memories, requests, backups, documents, tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dreamd.agents import attach
from dreamd.agents.foreign_traces import still_saying
from dreamd.agents.hooks import drop_requests
from dreamd.core.paths import Paths
from dreamd.core.values import Memory
from dreamd.dream import verbs
from dreamd.dream.living.reworded import Seen
from dreamd.dream.verbs import Forgotten
from dreamd.kit import Kit


@dataclass(frozen=True)
class Going:
    """What a person has seen and wants gone: memories, what was said without one, and the words that were looked for."""

    memories: Sequence[Memory]
    loose: Sequence[tuple[int, str]] = ()
    matching: str = ""
    seen: Seen = field(default_factory=dict)

    @property
    def words(self) -> list[str]:
        return [*(m.text for m in self.memories), *(text for _, text in self.loose)]


def forget_whole(kit: Kit, going: Going) -> tuple[Forgotten, list[str]]:
    """Forget for good; gives how much went, and every place where the words still stand.

    Raises StoreMissing for what is not there, Locked while a dream is at work.
    """
    drop_requests(kit.paths, going.words)
    attach.forget(kit, [*going.words, *([going.matching] if going.matching else ())])
    told = forget_in_tasks(kit.paths, going.words, going.matching)
    if (kit.paths.home / "weeks").is_dir():
        from dreamd.report import week_page

        week_page.forget(kit.paths, going.words)
    gone = verbs.forget(kit, list(dict.fromkeys(m.id for m in going.memories)), loose=[seq for seq, _ in going.loose],
                        words=going.matching, seen=going.seen)
    return gone, [*gone.left, *still_saying(kit, going.words), *told]


def forget_in_tasks(paths: Paths, statements: Sequence[str], matching: str = "") -> list[str]:
    """Take the lines of tasks out that say it; the files where a person's own line still does."""
    if not (paths.home / "tasks").is_dir():
        return []
    from dreamd.library.tasks import task_runs

    return task_runs.forget(paths, statements, matching.casefold().split())
