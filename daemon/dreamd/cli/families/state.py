"""`dream status`: what it is doing, since when, what holds it back, what waits, when it last did anything, what is next."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import suppress
from datetime import datetime
from typing import Any  # what a document holds

from dreamd import __version__
from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.cli.printing.json_documents import moment
from dreamd.cli.printing.render import tell_way
from dreamd.core.clock import SystemClock, iso, parse_instant
from dreamd.core.errors import UsageError
from dreamd.core.telemetry import Beat
from dreamd.dream.sharing.offering import count_ready
from dreamd.models import multilingual
from dreamd.probing.vital_signs import TROUBLE_WITH
from dreamd.service.gating.due import TOO_SOON
from dreamd.service.how_it_stands import Standing, look
from dreamd.store.presence.team_copy import load_synced

MOST_ASIDE = 5
WATCH_S = 1.0
SHORTEST_WATCH_S = 0.2
FIRST_LINE, REST_OF_LINE, REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream status` takes."""
    parser.add_argument("--watch", nargs="?", type=float, const=WATCH_S, metavar="SECONDS",
                        help=f"look again every so many seconds, in place, until Ctrl-C ({WATCH_S:g})")


def run(context: Context, options: Namespace) -> int:
    """Tell how things stand, once or until somebody has seen enough."""
    if options.watch is None:
        standing = look(context.world)
        shared = _shared_document(context)
        context.document(_document(context, standing, shared))
        for line in _lines(context, standing, shared) if not context.json else ():
            context.say(line)
        return 0
    if context.json:
        raise UsageError("`--json` is one document; `--watch` is for people", hint="call `dream status --json` again and again")
    if not options.watch >= SHORTEST_WATCH_S:
        raise UsageError(f"`--watch` takes {SHORTEST_WATCH_S:g} seconds or more")
    return _watch(context, options.watch)


def _watch(context: Context, every_s: float) -> int:
    """Draw over what stands there on a terminal; anywhere else one picture follows the other."""
    in_place = context.stdout.isatty()
    if in_place:
        context.stdout.write("\x1b[2J")
    with suppress(KeyboardInterrupt):  # the way to leave, and no failure
        while True:
            lines = _lines(context, look(context.world), _shared_document(context))
            if in_place:
                shown = "".join(f"{line}{REST_OF_LINE}\n" for line in lines)
                context.stdout.write(f"{FIRST_LINE}{shown}{REST_OF_SCREEN}")
            else:
                context.stdout.write("\n".join((*lines, "", "")))
            context.stdout.flush()
            SystemClock().sleep(every_s)
    return 0


def _document(context: Context, standing: Standing, shared: Shared) -> dict[str, object]:
    last, outlook, beat, pulse = standing.last, standing.outlook, standing.beat, standing.pulse
    paths, live = context.world.paths, sum(standing.categories.values())
    return {
        "state": standing.state, "dreaming": standing.dreamer or None, "service": standing.service or None,
        "service_state": pulse.state if pulse else None, "service_state_since": pulse.since or None if pulse else None,
        "phase": beat.phase if beat else None, "done": beat.done if beat else None, "total": beat.total if beat else None,
        "since": beat.since or None if beat else None, "ahead": _ahead(beat),
        "paused_until": moment(outlook.pause.until) if outlook.pause else None,
        "last_run": {"run": last.id, "kind": last.kind, "now": moment(last.now), "ended_at": moment(last.ended_at),
                     "outcome": last.outcome or None, "reason": last.reason or None} if last else None,
        "last_success_at": moment(standing.last_good.ended_at) if standing.last_good else None,
        "memories": standing.memories, "categories": {
            name: {"memories": n, "share": round(n / live, 3)} for name, n in standing.categories.items()},
        "waiting": standing.waiting, "oldest_waiting_at": moment(standing.oldest_at),
        "inbox": standing.inbox, "deletions_waiting": standing.deletions,
        "set_aside": [*(one.shown() for one in standing.aside), *(copy.shown() for copy in standing.damaged)],
        "next": {"due": outlook.due.due, "gate": outlook.due.gate, "reason": outlook.due.words,
                 "at": moment(standing.next_at), "due_since": moment(standing.due_since),
                 "may_start": outlook.may_start, "held_by": list(standing.held_by)},
        "outages": [{"component": m.component, "code": m.code, "reason": m.reason, "hint": m.hint or None,
                     "since": moment(m.since), "attempts": m.attempts} for m in standing.markers],
        **shared, "languages_apart": standing.apart or None, "language_model": standing.asking,
        "health": {"verdict": standing.health.verdict, "healthy": standing.health.code == 0,
                   "reason": standing.health.reason, "hint": standing.health.hint or None},
        "version": __version__,
        "paths": {"home": str(paths.home), "store": str(paths.store), "memory": str(paths.memory), "logs": str(paths.logs),
                  "config": str(context.world.settings.path) if context.world.settings.path else None}}


Shared = dict[str, dict[str, Any]]


def _shared_document(context: Context) -> Shared:
    """What waits to go up to a team, and of when the copy of its memory is; nothing where a home shares with none."""
    if not context.world.settings.teams.url:
        return {}
    return {"team": {"ready": count_ready(context.world.paths), "synced_at": moment(load_synced(context.world))}}


def _lines(context: Context, standing: Standing, shared: Shared) -> list[str]:
    now = context.world.clock.now()
    rows = [("now", _doing(standing, now)), ("service", _service(standing, now))]
    if standing.last is not None:
        last = standing.last
        ended = last.outcome.replace("-", " ") or "not ended"
        rows.append(("last run", f"{last.id} · {last.kind} · {ended} · {render.ago(last.now, now)}"))
    if standing.last_good is not None and standing.last_good.ended_at is not None:
        rows.append(("last dream", render.ago(standing.last_good.ended_at, now)))
    else:
        rows.append(("last dream", "none yet; `dream consolidate` makes one"))
    kept = ", ".join(f"{n:,} {render.status_word(status)}" for status, n in standing.memories.items() if n)
    rows.append(("memories", kept or "none yet"))
    if standing.categories:
        live = sum(standing.categories.values())
        rows.append(("about", ", ".join(f"{name} {100 * n / live:.0f} %" for name, n in standing.categories.items())))
    since = f", the oldest stored {render.ago(standing.oldest_at, now)}" if standing.oldest_at else ""
    inbox = f", {render.count(standing.inbox, 'file')} in the inbox" if standing.inbox else ""
    rows.append(("waiting", render.count(standing.waiting, "statement") + since + inbox))
    if standing.aside:
        rows.append(("set aside", "; ".join(one.told() for one in standing.aside[:MOST_ASIDE])
                     + (f"; {len(standing.aside) - MOST_ASIDE} more" if len(standing.aside) > MOST_ASIDE else "")))
    if standing.deletions:
        rows.append(("deletions", f"{standing.deletions:,} wait, past their limit; `dream check` says what can be done"))
    if standing.damaged:
        rows.append(("damaged", f"{render.count(len(standing.damaged), 'file')} set aside in `{context.world.paths.damaged}`"))
    if standing.apart:
        rows.append(("languages", f"other languages than English stay apart: {standing.apart}; run {multilingual.INSTALL}"))
    rows += [("model", standing.model[0]), *(("", line) for line in standing.model[1:])] if standing.model else []
    if told := shared.get("team"):
        rows.append(("team", f"{render.count(told['ready'], 'statement')} ready to go up, the team's memory here "
                     + (f"as of {told['synced_at']}" if told["synced_at"] else "not yet") + "; `dream team sync`"))
    if held := standing.memories.get("held", 0):
        rows.append(("for you", f"{render.count(held, 'memory')} {'waits' if held == 1 else 'wait'} for your decision; "
                                "`dream review` asks"))
    rows.append(("next", _next(standing, now)))
    health = standing.health
    rows.append(("health", health.verdict if health.verdict == "healthy" else f"{health.verdict}: {health.reason}"))
    home = context.world.paths.home
    settings = f"settings `{context.world.settings.path}`" if context.world.settings.path else "every setting at its default"
    rows.append(("dream", f"{__version__}, home `{home}`, {settings}"))
    away = _away(context, standing, now)
    mend = ["", f"hint: {health.hint}"] if health.code and health.hint and not standing.markers else []
    typed = context.world.called.told
    return [*render.table([(name, typed(words)) for name, words in rows], width=context.width), *away,
            *(typed(line) for line in mend)]


def _doing(standing: Standing, now: datetime) -> str:
    beat = standing.beat
    if beat is None:
        return standing.dreamer or standing.state
    told = f"{standing.dreamer}, {beat.phase}" + (f" {beat.done:,} of {beat.total:,}" if beat.total else "")
    ahead = _ahead(beat)
    way = f"; {tell_way(ahead['done'] or 0, ahead['total'] or 0, ahead['left_s'])}" if ahead else ""
    return told + (f" for {_lasting(beat.since, now)}" if beat.since else "") + way


def _ahead(beat: Beat | None) -> dict[str, int | None] | None:
    """How far a dream is through a long backlog; None where there is none."""
    if beat is None or not beat.counters.get("of"):
        return None
    return {"done": beat.counters.get("observations", 0), "total": beat.counters["of"], "left_s": beat.counters.get("left_s")}


def _service(standing: Standing, now: datetime) -> str:
    pulse = standing.pulse
    if pulse is None:
        return standing.service or "not running"
    return f"{standing.service}, {pulse.state}" + (f" for {_lasting(pulse.since, now)}" if pulse.since else "")


def _next(standing: Standing, now: datetime) -> str:
    due, since = standing.outlook.due, standing.due_since
    words = [f"due{f' for {_lasting(iso(since), now)}' if since else ''}: {due.words}" if due.due else due.words]
    # What holds a dream back says nothing while none is due; a pause does, for somebody asked for it.
    held = "; ".join(h for h in standing.held_by if h != due.words) if due.due or standing.outlook.pause else ""
    if held:
        words.append(f"not started yet: {held}" if due.due else held)
    if not standing.service:
        words.append(f"no service runs: {standing.by_hand}")
    elif standing.next_at is not None:
        words.append(f"the next comes {render.ago(standing.next_at, now)} at the earliest" if due.gate == TOO_SOON else
                     f"at the latest {render.ago(standing.next_at, now)}, if something waits then")
    return "; ".join(words)


def _away(context: Context, standing: Standing, now: datetime) -> list[str]:
    lines = []
    for marker in standing.markers:
        what = TROUBLE_WITH.get(marker.component, marker.component)
        told = f"trouble with {what}, first noticed {render.ago(marker.since, now)}: {marker.reason}"
        lines += ["", render.paint(told, "yellow", colour=context.colour)]
        if marker.hint:
            lines.append(context.world.called.told(f"  {marker.hint}"))
    return lines


def _lasting(since: str, now: datetime) -> str:
    """For how long something has gone on, from a heartbeat that anyone may have written."""
    try:
        seconds = max(0.0, (now - parse_instant(since)).total_seconds())
    except UsageError:
        return "some time"
    return render.span(seconds)
