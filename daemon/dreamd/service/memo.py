"""What the supervisor asks the store, and the little it writes there: never for longer than one short transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dreamd.core import locks
from dreamd.core.errors import DreamError
from dreamd.core.world import World
from dreamd.service.gating.due import Backlog, load_backlog
from dreamd.sources import reach_of
from dreamd.store import schema, work
from dreamd.store.connection import open_reader, open_store
from dreamd.store.work import Staged


@dataclass(frozen=True)
class Memo:
    """The store as the supervisor needs it; read again only when its files changed."""

    backlog: Backlog = Backlog()
    taken: tuple[tuple[Path, int], ...] = ()
    """Sources and how far each was read: bytes of a transcript, the time of the last change of a database."""
    staged: tuple[Staged, ...] = ()
    epoch: int = 0
    stamp: tuple[int, ...] = ()


def found_store(world: World) -> None:
    """Create the store where there is none, so that a probe has something to look at.

    An empty file is one whose making was cut short by a full disk.
    """
    if not world.paths.store.exists() or world.paths.store.stat().st_size == 0:
        open_store(world.paths.store, create_with=schema.Founding(world.clock.now(), world.zone_name)).close()


def stamp_of(store: Path) -> tuple[int, ...]:
    """What changes whenever the store does; cheap enough for every tick."""
    marks: list[int] = []
    for path in (store, store.with_name(store.name + "-wal")):
        try:
            facts = path.stat()
        except OSError:
            marks += [0, 0]
        else:
            marks += [facts.st_mtime_ns, facts.st_size]
    return tuple(marks)


def read_memo(world: World, before: Memo) -> Memo:
    """Read the store if it changed since `before`.

    Raises Outage or Corrupt when it cannot be read.
    """
    found_store(world)
    stamp = stamp_of(world.paths.store)
    if stamp == before.stamp:
        return before
    with open_reader(world.paths.store) as store, store.reading():
        taken = tuple((path, reach_of(path, mtime_ns=int(r["mtime_ns"]), size=int(r["size"]))) for r in store.all(
            "SELECT s.path AS path, c.size AS size, c.mtime_ns AS mtime_ns FROM source s "
            "JOIN cursor c ON c.source = s.id LIMIT 5000") for path in (Path(r["path"]),))
        return Memo(load_backlog(store), taken, tuple(work.load_staged(store)), store.epoch(), stamp)


def stage(world: World, stretches: Sequence[tuple[Path, int, int]], *, why: str, now: datetime) -> bool:
    """Keep stretches that came in during an extraction, so that they outlive everyone; False when it had to wait.

    A lost row would only mean the ordinary throttle for that stretch: the cursor knows what was not read.
    """
    if not stretches or not world.paths.store.exists():
        return True
    try:
        with locks.foreground(world.paths.locks), open_store(world.paths.store) as store, store.writing() as tx:
            for path, start, end in stretches:
                work.stage(tx, Staged(0, str(path), str(path), start, end, why, now))
    except DreamError:
        return False
    return True


def drop_consumed(world: World, memo: Memo) -> int:
    """Forget staged stretches that were read meanwhile; says how many."""
    read = dict(memo.taken)
    gone = [s for s in memo.staged if read.get(Path(s.path), -1) >= s.end or not Path(s.path).exists()]
    if not gone:
        return 0
    try:
        with locks.foreground(world.paths.locks), open_store(world.paths.store) as store, store.writing() as tx:
            for staged in gone:
                work.unstage(tx, staged.path, up_to=staged.end)
    except DreamError:
        return 0
    return len(gone)
