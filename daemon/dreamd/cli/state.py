"""`dream status`: what it is doing, when it last did anything, what waits, what is next."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from dreamd.cli import render
from dreamd.cli.context import Context
from dreamd.cli.documents import moment

if TYPE_CHECKING:
    from dreamd.outage import Marker
    from dreamd.service.gate import Outlook
    from dreamd.store.connection import Store
    from dreamd.store.journal import Run
    from dreamd.telemetry import Beat

SUCCESSES = ("changed", "nothing-to-do", "partial")


@dataclass(frozen=True)
class Standing:
    """Everything the command tells, read once."""

    dreamer: str
    service: str
    beat: Beat | None
    last: Run | None
    last_good: Run | None
    memories: dict[str, int]
    waiting: int
    oldest_at: datetime | None
    inbox: int
    outlook: Outlook
    markers: tuple[Marker, ...]


def add_arguments(_command: str, _parser: ArgumentParser) -> None:
    """Nothing beside the common options."""


def run(context: Context, _options: Namespace) -> int:
    """Tell how things stand."""
    from dreamd.store.connection import open_reader

    store = open_reader(context.world.paths.store)
    try:
        standing = _read(context, store)
    finally:
        store.close()
    context.document(_document(standing))
    if not context.json:
        _tell(context, standing)
    return 0


def _read(context: Context, store: Store) -> Standing:
    from dreamd import mutex, outage, telemetry
    from dreamd.service.gate import look_for_auto
    from dreamd.store import journal, memories, observations

    world, paths = context.world, context.world.paths
    dreamer = mutex.read_owner(paths.locks, mutex.DREAM_LOCK)
    runs = journal.load_runs(store, limit=1)
    waiting, oldest_at = observations.count_pending(store)
    return Standing(
        dreamer=dreamer, service=mutex.read_owner(paths.locks, mutex.SERVICE_LOCK),
        beat=telemetry.read_beat(telemetry.cycle_beat_path(paths)) if dreamer else None, last=runs[0] if runs else None,
        last_good=journal.last_run(store, outcomes=SUCCESSES), memories=memories.count_by_status(store), waiting=waiting,
        oldest_at=oldest_at, inbox=len(list(paths.inbox.glob("*.json"))) if paths.inbox.is_dir() else 0,
        outlook=look_for_auto(world, store),
        markers=tuple(outage.read_markers(paths.outage, now=world.clock.now(),
                                          fallback=outage.runtime_dir(world.env, paths.home))))


def _state(standing: Standing) -> str:
    if standing.dreamer:
        return "dreaming"
    return "paused" if standing.outlook.pause is not None else "idle"


def _document(standing: Standing) -> dict[str, object]:
    last, outlook, beat = standing.last, standing.outlook, standing.beat
    return {
        "state": _state(standing), "dreaming": standing.dreamer or None, "service": standing.service or None,
        "phase": beat.phase if beat else None, "done": beat.done if beat else None, "total": beat.total if beat else None,
        "paused_until": moment(outlook.pause.until) if outlook.pause else None,
        "last_run": {"run": last.id, "kind": last.kind, "now": moment(last.now), "ended_at": moment(last.ended_at),
                     "outcome": last.outcome or None} if last else None,
        "last_success_at": moment(standing.last_good.ended_at) if standing.last_good else None,
        "memories": standing.memories, "waiting": standing.waiting, "oldest_waiting_at": moment(standing.oldest_at),
        "inbox": standing.inbox,
        "next": {"due": outlook.due.due, "gate": outlook.due.gate, "reason": outlook.due.words,
                 "at": moment(outlook.due.next_at), "may_start": outlook.may_start, "held_by": list(outlook.held_by())},
        "outages": [{"component": m.component, "code": m.code, "reason": m.reason, "hint": m.hint or None,
                     "since": moment(m.since), "attempts": m.attempts} for m in standing.markers]}


def _tell(context: Context, standing: Standing) -> None:
    now = context.world.clock.now()
    outlook, beat = standing.outlook, standing.beat
    doing = standing.dreamer or _state(standing)
    if beat is not None:
        doing += f", {beat.phase}" + (f" {beat.done:,} of {beat.total:,}" if beat.total else "")
    rows = [("now", doing), ("service", standing.service or "not running")]
    if standing.last is not None:
        last = standing.last
        rows.append(("last run", f"{last.id} · {last.kind} · {last.outcome or 'not ended'} · {render.ago(last.now, now)}"))
    if standing.last_good is not None and standing.last_good.ended_at is not None:
        rows.append(("last dream", render.ago(standing.last_good.ended_at, now)))
    else:
        rows.append(("last dream", "none yet; `dream consolidate` makes one"))
    kept = ", ".join(f"{n:,} {status}" for status, n in sorted(standing.memories.items()) if n)
    rows.append(("memories", kept or "none yet"))
    since = f", the oldest stored {render.ago(standing.oldest_at, now)}" if standing.oldest_at else ""
    inbox = f", {render.count(standing.inbox, 'file')} in the inbox" if standing.inbox else ""
    rows.append(("waiting", render.count(standing.waiting, "observation") + since + inbox))
    rows.append(("next", f"due: {outlook.due.words}" if outlook.may_start else "; ".join(outlook.held_by())))
    for line in render.table(rows):
        context.say(line)
    for marker in standing.markers:
        context.say()
        context.say(render.paint(f"away: {marker.component}, first noticed {render.ago(marker.since, now)}: {marker.reason}",
                                 "yellow", colour=context.colour))
        if marker.hint:
            context.say(f"  {marker.hint}")
