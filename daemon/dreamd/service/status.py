"""What dream is doing now, what holds it back, what waits and what comes next: one answer for people and programs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dreamd import __version__, mutex, outage, telemetry
from dreamd.clock import iso
from dreamd.errors import DreamError
from dreamd.outage import Marker
from dreamd.service import gate
from dreamd.service.due import Backlog, load_backlog
from dreamd.service.gate import Outlook
from dreamd.store.connection import open_reader
from dreamd.telemetry import Beat, read_beat
from dreamd.world import World


@dataclass(frozen=True)
class Picture:
    """Everything `dream status` shows."""

    doing: str
    """`dreaming`, `extracting`, `paused`, `waiting`, `idle`, `stopped` (no service) or `unknown`."""
    phase: str
    done: int
    total: int
    since: str
    held_by: tuple[str, ...]
    backlog: Backlog
    unread: int
    next_due_at: datetime | None
    service_pid: int
    dreamer: str
    outages: tuple[Marker, ...]
    inbox: int
    store_error: str = ""


def read_picture(world: World) -> Picture:
    """Look at locks, heartbeats, store and markers; changes nothing and waits for nobody."""
    locks, now = world.paths.locks, world.clock.now()
    serving, dreaming = mutex.is_held(locks, mutex.SERVICE_LOCK), mutex.is_held(locks, mutex.DREAM_LOCK)
    service = read_beat(world.paths.heartbeat) if serving else None
    cycle = read_beat(telemetry.cycle_beat_path(world.paths)) if dreaming else None
    backlog, outlook, unread, error = _look(world)
    held = outlook.held_by() if outlook is not None else ()
    if service is not None and service.holds and outlook is not None and outlook.due.due:
        held = tuple(dict.fromkeys((*service.holds, *held)))  # the service knows of settling and retries, we do not
    return Picture(
        doing=_doing(service, cycle, dreaming=dreaming, paused=outlook is not None and outlook.pause is not None),
        phase=cycle.phase if cycle else "", done=cycle.done if cycle else 0, total=cycle.total if cycle else 0,
        since=cycle.since if cycle else "", held_by=() if dreaming else held, backlog=backlog, unread=unread,
        next_due_at=_next(outlook, now), service_pid=service.pid if service else 0,
        dreamer=mutex.read_owner(locks, mutex.DREAM_LOCK), inbox=_count(world.paths.inbox),
        outages=tuple(outage.read_markers(world.paths.outage, now=now,
                                          fallback=outage.runtime_dir(world.env, world.paths.home))),
        store_error=error)


def document(picture: Picture, world: World) -> dict[str, object]:
    """A picture as `dream status --json` prints it."""
    backlog = picture.backlog
    return {
        "doing": picture.doing, "phase": picture.phase or None, "done": picture.done, "total": picture.total,
        "since": picture.since or None, "held_by": list(picture.held_by), "waiting": backlog.waiting,
        "oldest_waiting_at": _when(backlog.oldest_at), "inbox": picture.inbox, "unread_sources": picture.unread,
        "memories": backlog.memories, "last_success_at": _when(backlog.last_success_at),
        "next_due_at": _when(picture.next_due_at), "dreamer": picture.dreamer or None,
        "service": {"running": picture.service_pid > 0, "pid": picture.service_pid or None},
        "outages": [{"component": m.component, "code": m.code, "reason": m.reason, "hint": m.hint or None,
                     "since": iso(m.since), "attempts": m.attempts, "next_retry_at": iso(m.next_retry_at)}
                    for m in picture.outages],
        "store_error": picture.store_error or None, "version": __version__,
        "paths": {"home": str(world.paths.home), "store": str(world.paths.store), "memory": str(world.paths.memory),
                  "settings": str(world.settings.path) if world.settings.path else None, "logs": str(world.paths.logs)},
    }


def _look(world: World) -> tuple[Backlog, Outlook | None, int, str]:
    if not world.paths.store.exists():
        return Backlog(), None, 0, ""
    try:
        store = open_reader(world.paths.store)
    except DreamError as error:
        return Backlog(), None, 0, error.message
    try:
        moved = gate.moved_sources(store)
        outlook = gate.look(world, store, unread=len(moved.unread), agents_at=moved.last_at)
        return load_backlog(store), outlook, len(moved.unread), ""
    except DreamError as error:
        return Backlog(), None, 0, error.message
    finally:
        store.close()


def _doing(service: Beat | None, cycle: Beat | None, *, dreaming: bool, paused: bool) -> str:
    if dreaming:
        return "extracting" if cycle is not None and cycle.run == "gather" else "dreaming"
    if paused:
        return "paused"
    if service is None:
        return "stopped"
    return service.state if service.state in ("idle", "waiting", "working", "paused") else "idle"


def _next(outlook: Outlook | None, now: datetime) -> datetime | None:
    """When the time gate opens; now when nothing but the gates holds; None when nothing waits."""
    if outlook is None or outlook.due.gate in ("nothing", "volume") and not outlook.due.due:
        return None
    return outlook.due.next_at or now


def _when(moment: datetime | None) -> str | None:
    return iso(moment) if moment is not None else None


def _count(inbox: Path) -> int:
    try:
        return sum(1 for p in inbox.iterdir() if p.suffix == ".json")
    except OSError:
        return 0
