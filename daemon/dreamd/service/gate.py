"""The gates together: is a dream due, may it work now, and what holds it back in words.

The service, `dream consolidate --auto` and `dream status` all ask here, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dreamd import mutex
from dreamd.clock import parse_instant
from dreamd.errors import ConfigError
from dreamd.idle import Permission, judge_surroundings, read_surroundings
from dreamd.kit import read_zone
from dreamd.paths import system_zone_name
from dreamd.service.due import Due, judge_due, latest_slot, load_backlog
from dreamd.service.pause import Pause, read_pause
from dreamd.service.watch import neighbours
from dreamd.store.connection import Store
from dreamd.world import World

RECENT_NOTES = 200


@dataclass(frozen=True)
class Outlook:
    """What the gates say at one moment."""

    due: Due
    permission: Permission
    pause: Pause | None = None

    @property
    def may_start(self) -> bool:
        return self.due.due and self.permission.granted and self.pause is None

    def held_by(self) -> tuple[str, ...]:
        """What keeps a dream from starting now, in words; empty when nothing does."""
        words = [h.words for h in self.permission.holds]
        if self.pause is not None:
            words.insert(0, f"paused by a person{f' until {self.pause.until:%Y-%m-%d %H:%M} UTC' if self.pause.until else ''}")
        return (self.due.words, *words) if not self.due.due else tuple(words)


def look(world: World, store: Store, *, unread: int, agents_at: datetime | None = None, settled_s: float | None = None,
         ) -> Outlook:
    """Ask every gate for the service; nights are kept."""
    now = world.clock.now()
    backlog = load_backlog(store, unread_sources=unread)
    due = judge_due(backlog, world.settings.service, now=now, slot=nightly_slot(world, now))
    return Outlook(due, permit(world, store, agents_at=agents_at, settled_s=settled_s), read_pause(world.paths, now))


def look_for_auto(world: World, store: Store) -> Outlook:
    """Ask every gate for `dream consolidate --auto`: idle, time and volume, from the files themselves."""
    moved = moved_sources(store)
    now = world.clock.now()
    due = judge_due(load_backlog(store, unread_sources=len(moved.unread)), world.settings.service, now=now)
    return Outlook(due, permit(world, store, agents_at=moved.last_at), read_pause(world.paths, now))


def permit(world: World, store: Store, *, agents_at: datetime | None = None, settled_s: float | None = None,
           deferred_s: float = 0.0) -> Permission:
    """May a dream work now?"""
    now = world.clock.now()
    times = [t for t in (agents_at, last_note_at(store), _inbox_at(world.paths.inbox)) if t is not None and t <= now]
    quiet_s = (now - max(times)).total_seconds() if times else None
    if mutex.is_held(world.paths.locks, mutex.GATE_LOCK):
        quiet_s = 0.0
    seen = read_surroundings(world.paths.home, agents_quiet_s=quiet_s, settled_s=settled_s)
    return judge_surroundings(seen, world.settings.service, deferred_s=deferred_s)


def nightly_slot(world: World, now: datetime) -> datetime | None:
    """The latest nightly time that has passed on this machine's wall clock."""
    try:
        zone = read_zone(world.zone_name)
    except ConfigError:
        zone = read_zone(system_zone_name({}))
    return latest_slot(now, world.settings.service.nightly_at, zone)


def last_note_at(store: Store) -> datetime | None:
    """When somebody wrote an observation in the foreground last; what a dream itself read does not count."""
    row = store.one("SELECT MAX(stored_at) AS at FROM (SELECT stored_at, source_id FROM observation "
                    "ORDER BY seq DESC LIMIT ?) WHERE source_id = ''", RECENT_NOTES)
    return parse_instant(row["at"]) if row and row["at"] else None


@dataclass(frozen=True)
class Moved:
    """Transcripts that hold something new, and when any of them moved last."""

    unread: tuple[Path, ...]
    last_at: datetime | None


def moved_sources(store: Store) -> Moved:
    """Compare known transcripts and their neighbours with how far they were read."""
    known = {Path(r["path"]): r["size"] for r in store.all(
        "SELECT s.path AS path, c.size AS size FROM source s LEFT JOIN cursor c ON c.source = s.id LIMIT 5000")}
    unread, last_s = [], 0.0
    for path, size, mtime_s in _facts({*known, *neighbours(known)}):
        last_s = max(last_s, mtime_s)
        if known.get(path) != size:
            unread.append(path)
    return Moved(tuple(sorted(unread)), datetime.fromtimestamp(last_s, UTC) if last_s else None)


def _facts(paths: Iterable[Path]) -> Iterable[tuple[Path, int, float]]:
    for path in paths:
        with suppress(OSError):
            facts = path.stat()
            if not path.is_dir():
                yield path, facts.st_size, facts.st_mtime


def _inbox_at(inbox: Path) -> datetime | None:
    with suppress(OSError):
        times = [p.stat().st_mtime for p in inbox.iterdir() if p.suffix == ".json"]
        return datetime.fromtimestamp(max(times), UTC) if times else None
    return None
