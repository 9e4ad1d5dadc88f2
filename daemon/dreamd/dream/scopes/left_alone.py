"""What a run leaves alone because the person keeps it from being read, remembered so that nobody waits for it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from dreamd.core.values import storable
from dreamd.kit import Kit
from dreamd.sources import facts_of
from dreamd.sources.exclusion import Exclusions
from dreamd.store import work
from dreamd.store.scopes.projects import drop_kept_out, load_kept_out, write_kept_out


@dataclass(frozen=True)
class LeftAlone:
    """The exclusions of a run, and the paths they met."""

    rules: Exclusions
    paths: set[Path] = field(default_factory=set)

    def has(self, path: Path) -> bool:
        """Whether a path is not to be opened."""
        if self.rules.has_path(path):
            self.paths.add(path)
        return path in self.paths


def remember(kit: Kit, paths: Iterable[Path], *, everything: bool) -> None:
    """Write down how the files are that were left alone; with `everything`, no others are any more."""
    if kit.dry:
        return
    now: dict[str, tuple[int, int]] = {}
    for path in paths:
        with suppress(OSError):
            if not path.is_dir():
                now[storable(str(path))] = facts_of(path)
    before = load_kept_out(kit.store)
    waits = {staged.path for staged in work.load_staged(kit.store)} & now.keys() if now else set()
    fresh = {path: facts for path, facts in now.items() if before.get(path) != facts or path in waits}
    gone = before.keys() - now.keys() if everything else set()
    if fresh or gone:
        with kit.writing() as tx:
            write_kept_out(tx, fresh, at=kit.clock.now())
            drop_kept_out(tx, sorted(gone))
