"""The sources of this machine and how far each was read; their contents stay unread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from dreamd.core.values import storable
from dreamd.core.world import World
from dreamd.kit import exclusions, source_roots
from dreamd.sources import FoundSource, discover, is_store, plain_name
from dreamd.sources.versions import version_of
from dreamd.store import work
from dreamd.store.connection import open_reader
from dreamd.store.presence import lost
from dreamd.store.work import Source


@dataclass(frozen=True)
class Reach:
    """One source and how far it was read."""

    path: str
    kind: str
    scope: str
    version: str
    present: bool
    bytes: int
    read_bytes: int
    lines: int
    prompts: int
    observations: int
    read_at: datetime | None
    skips: Mapping[str, int] = field(default_factory=dict)

    @property
    def progress(self) -> str:
        """The same in a few words."""
        if not self.present:
            return "gone"
        if self.read_at is None:
            return "not read yet"
        whole = not self.bytes or self.read_bytes >= self.bytes or is_store(Path(self.path)) or Path(self.path).is_dir()
        skipped = sum(self.skips.values())
        return (f"{'all' if whole else f'{100 * self.read_bytes // self.bytes} %'}, {self.observations} kept"
                + (f", {skipped} passed over" if skipped else ""))


def load_reach(world: World) -> list[Reach]:
    """What was found on this machine and what was read before, by path."""
    known: dict[str, Source] = {}
    lost.refuse_if_lost(world.paths.store)
    if lost.is_there(world.paths.store):
        with open_reader(world.paths.store) as store:
            known = {s.id: s for s in work.load_sources(store)}
    kept_out = exclusions(world)
    # By what names them for good: the path that is kept is masked where it looks like a secret.
    found = {work.source_id(str(plain_name(f.path)), f.kind): f for f in discover(source_roots(world))
             if not kept_out.has_place(f.place)}
    rows = [_reach(known[i].path if i in known else storable(str(found[i].path)), found.get(i), known.get(i))
            for i in {*found, *known}]
    return sorted(rows, key=lambda row: row.path)


def _reach(path: str, found: FoundSource | None, read: Source | None) -> Reach:
    key = found.project_key if found else ""
    return Reach(
        path=path, kind=found.kind if found else read.kind if read else "",
        scope=str(read.scope) if read else f"project:{key}" if key else "user",
        version=version_of(found.path, found.kind) if found else "",
        present=found is not None or Path(path).exists(), bytes=found.size_bytes if found else 0,
        read_bytes=read.offset if read else 0, lines=read.lines if read else 0, prompts=read.prompts if read else 0,
        observations=read.observations if read else 0, skips=dict(read.skips or {}) if read else {},
        read_at=read.read_at if read else None)
