"""The gates together: is a dream due, may it work now, and what holds it back in words.

The service, `dream consolidate --auto` and `dream status` all ask here, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dreamd.core import locks
from dreamd.core.clock import parse_instant
from dreamd.core.deferral import Deferral, end_deferral, note_deferral, read_deferral
from dreamd.core.errors import ConfigError
from dreamd.core.paths import system_zone_name
from dreamd.core.plain_words.for_people import span
from dreamd.core.world import World
from dreamd.kit import read_zone
from dreamd.service.gating.due import Due, Slots, find_slots, judge_due, load_backlog
from dreamd.service.gating.idle import Pace, Permission, is_starved, judge_surroundings, read_surroundings
from dreamd.service.gating.pause import Pause, read_pause
from dreamd.service.gating.watch import neighbours
from dreamd.sources import OF_AN_EDITOR, facts_of, reach_of
from dreamd.store.connection import Store

RECENT_NOTES = 200
NS = 1_000_000_000


@dataclass(frozen=True)
class Outlook:
    """What the gates say at one moment."""

    due: Due
    permission: Permission
    pause: Pause | None = None
    deferral: Deferral | None = None
    """How long this dream has been due and held, where it has."""
    starved: str = ""

    @property
    def may_start(self) -> bool:
        return self.due.due and self.permission.granted and self.pause is None

    @property
    def gates(self) -> tuple[str, ...]:
        """The names of the gates that hold it."""
        return tuple(h.gate for h in self.permission.holds)

    def held_by(self) -> tuple[str, ...]:
        """What keeps a dream from starting now, in words; empty when nothing does."""
        if self.pause is not None:
            return (self.pause.words,)
        holds = tuple(h.words for h in self.permission.holds)
        if not self.due.due:
            return (self.due.words, *holds)
        return (self.starved, *holds) if self.starved and holds else holds

    def why(self, now: datetime) -> str:
        """Why the dream was started, for the record of its run."""
        waited = f"; {self.deferral.words(now)}" if self.deferral is not None and self.deferral.gates else ""
        slow = "; slowly, for it has waited too long" if self.permission.pace is Pace.TRICKLE else ""
        return f"due: {self.due.words}{waited}{slow}"


@dataclass(frozen=True)
class Sight:
    """What only the one who looks can know."""

    agents_at: datetime | None = None
    """When a conversation moved last."""
    settled_s: float | None = None
    """For how long the machine has been up, since login or resume."""


def judge(world: World, store: Store, due: Due, sight: Sight) -> Outlook:
    """Ask every gate whether a due dream may work now."""
    now = world.clock.now()
    deferral = read_deferral(world.paths, now)
    waited_s = deferral.waited_s(now) if deferral is not None and due.due else 0.0
    starved = f"it has waited for {span(waited_s)}, too long" if is_starved(waited_s, world.settings.service) else ""
    return Outlook(due, permit(world, store, sight, deferred_s=waited_s), read_pause(world.paths, now),
                   deferral if due.due else None, starved)


def look_for_auto(world: World, store: Store) -> Outlook:
    """Ask every gate from the files themselves, as `dream consolidate --auto` does.

    Nights are kept where a service keeps them: the two must not come to different answers about one home.
    """
    moved = moved_sources(store)
    now = world.clock.now()
    slots = nightly_slots(world, now) if locks.is_held(world.paths.locks, locks.SERVICE_LOCK) else None
    due = judge_due(load_backlog(store, unread_sources=len(moved.unread)), world.settings.service, now=now, slots=slots)
    return judge(world, store, due, Sight(moved.last_at))


def remember(world: World, outlook: Outlook) -> None:
    """Keep in mind, beyond this process, that a dream is due and held; or that none is due any more."""
    if not outlook.due.due:
        end_deferral(world.paths)
    elif outlook.gates and outlook.pause is None:
        note_deferral(world.paths, outlook.gates, world.clock.now())


def permit(world: World, store: Store | None, sight: Sight, *, deferred_s: float = 0.0) -> Permission:
    """May a dream work now? Without a store nobody has written to it."""
    now = world.clock.now()
    told = (sight.agents_at, last_note_at(store) if store is not None else None, _inbox_at(world.paths.inbox))
    times = [t for t in told if t is not None and t <= now]
    quiet_s = (now - max(times)).total_seconds() if times else None
    if locks.is_held(world.paths.locks, locks.GATE_LOCK):
        quiet_s = 0.0
    seen = read_surroundings(world.paths.home, agents_quiet_s=quiet_s, settled_s=sight.settled_s)
    return judge_surroundings(seen, world.settings.service, deferred_s=deferred_s)


def nightly_slots(world: World, now: datetime) -> Slots:
    """The nightly times before and after now on this machine's wall clock."""
    try:
        zone = read_zone(world.zone_name)
    except ConfigError:
        zone = read_zone(system_zone_name({}))
    return find_slots(now, world.settings.service.nightly_at, zone)


def last_note_at(store: Store) -> datetime | None:
    """When somebody wrote an observation in the foreground last; what a dream itself read does not count."""
    row = store.one("SELECT MAX(stored_at) AS newest FROM (SELECT stored_at, source_id FROM observation "
                    "ORDER BY seq DESC LIMIT ?) AS late WHERE source_id = ''", RECENT_NOTES)
    return parse_instant(row["newest"]) if row and row["newest"] else None


@dataclass(frozen=True)
class Moved:
    """Transcripts that hold something new, and when any of them moved last."""

    unread: tuple[Path, ...]
    last_at: datetime | None


def moved_sources(store: Store) -> Moved:
    """Compare known transcripts and their neighbours with how far they were read."""
    known = {Path(r["path"]): (r["mtime_ns"], r["size"]) for r in store.all(
        "SELECT s.path AS path, c.size AS size, c.mtime_ns AS mtime_ns FROM source s "
        "LEFT JOIN cursor c ON c.source = s.id LIMIT 5000")}
    unread, last_s = [], 0.0
    for path, mtime_ns, size in _facts({*known, *neighbours(known)}):
        if path.suffix not in OF_AN_EDITOR:
            last_s = max(last_s, mtime_ns / NS)
        read = known.get(path)
        if read is None or None in read or reach_of(path, mtime_ns=read[0], size=read[1]) != reach_of(
                path, mtime_ns=mtime_ns, size=size):
            unread.append(path)
    return Moved(tuple(sorted(unread)), datetime.fromtimestamp(last_s, UTC) if last_s else None)


def _facts(paths: Iterable[Path]) -> Iterable[tuple[Path, int, int]]:
    for path in paths:
        with suppress(OSError):
            mtime_ns, size = facts_of(path)
            if not path.is_dir():
                yield path, mtime_ns, size


def _inbox_at(inbox: Path) -> datetime | None:
    with suppress(OSError):
        times = [p.stat().st_mtime for p in inbox.iterdir() if p.suffix == ".json"]
        return datetime.fromtimestamp(max(times), UTC) if times else None
    return None
