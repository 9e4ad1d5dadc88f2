# ruff: noqa: PTH116
"""Signs of life and of its absence: markers, locks, heartbeats, the fence, a pause, a dream that is held back."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping
from datetime import datetime

from dreamd.probing.advance import has_had_time
from dreamd.probing.health import Check, Facts, Inbox, World, fine
from dreamd.probing.peek import (
    HOUR_S,
    beat_of,
    bytes_at,
    exists,
    instant,
    is_held,
    iso,
    json_of,
    names_in,
    printable,
    size_of,
    span,
    text_of,
)
from dreamd.probing.preferences import number

FROZEN_S = 300.0
SLEPT_S = 120.0
"""A machine that slept for less is not worth a word."""
FUTURE_S = 86400.0
LONGEST_DREAM_S = 86400.0
"""Beyond this a lock is held too long, however lively its holder looks."""
YIELDS = 10
MISSED_S = 6 * HOUR_S
"""So long a service may be away before it is missed: a machine that lost its power comes back sooner."""
OWN_TAIL_BYTES = 2048
PATIENCE_S = 600.0
"""How long notes may lie beside the store while somebody keeps its door shut."""
LOOKS, NAP_S = 6, 0.03
"""A dream lets go of the door after each batch, which lasts no longer than a fifth of a second."""


TROUBLE_WITH = {"model": "the model", "embed": "the model", "index": "the index of meanings", "disk": "the disk",
                "db": "the store", "config": "the settings", "lock": "a lock", "cycle": "dreaming",
                "language-model": "the language model"}
"""What may be away, in words."""


def read_markers(world: World) -> list[Check]:
    """What said of itself that it is away, in the home, in its reserve, or in memory where the disk took nothing."""
    found: dict[str, Check] = {}
    for directory in filter(None, (world.home + "/outage", _fallback(world))):
        for name in names_in(directory)[:64]:
            component = name[:-5] if name.endswith(".json") else ""
            if component and not name.startswith("."):
                found.setdefault(component, _marker(component, json_of(f"{directory}/{name}")))
    reserve = json_of(world.home + "/outage/.reserve")
    for record in reserve if isinstance(reserve, list) else []:
        if isinstance(record, dict):
            found.setdefault(str(record.get("component")), _marker(str(record.get("component")), record))
    return list(found.values()) or [fine("outage", "no component says it is away")]


def _fallback(world: World) -> str:
    base = world.env.get("XDG_RUNTIME_DIR", "")
    return f"{base}/dream-{hashlib.sha256(os.fsencode(world.home)).hexdigest()[:12]}" if base.startswith("/") else ""


def _marker(component: str, record: object) -> Check:
    known = record if isinstance(record, dict) else {}
    told = printable(known.get("reason")) or "the marker cannot be read"
    since = f" since {printable(known.get('since'))}" if known.get("since") else ""
    return Check(f"outage.{printable(component)}", "outage_marker_present",
                 f"trouble with {TROUBLE_WITH.get(component, printable(component))}{since}: {told}",
                 printable(known.get("hint")) or "run `dream consolidate` and read what it says")


def awake_since(world: World) -> datetime | None:
    """Since when the service that watches this home has been awake; None where none does, or where nobody can tell."""
    beat = beat_of(world.home, "heartbeat.json")
    if beat is None or not is_held(f"{world.home}/locks/service.lock"):
        return None
    awake_s, silent_s = _awake_silence(world, beat), _boot_silence(world, beat)
    if awake_s is not None and silent_s is not None and silent_s - awake_s > SLEPT_S:
        now: datetime = world.now
        return now  # it has only just woken up, and had no time to say so
    at = instant(beat.get("awake_since"))
    return at if at is not None and at <= world.now else None


def check_dreamer(world: World, preferences: Mapping[str, object], cycle: Mapping[str, object] | None,
                  awake: datetime | None = None) -> Check:
    """Whether somebody dreams, and for how long; one that shows progress may take its time."""
    path = world.home + "/locks/dream.lock"
    if not is_held(path):
        return fine("lock", "nobody dreams right now")
    held_s = world.now.timestamp() - max(os.stat(path).st_mtime, awake.timestamp() if awake else 0.0)
    limit_s = 2 * 60 * number(preferences, "child_timeout_minutes")
    lively = cycle is not None and _silence(world, cycle) <= FROZEN_S and held_s <= LONGEST_DREAM_S
    if held_s > limit_s and not lively:
        return Check("lock", "lock_overdue", f"a dream holds the lock for {span(held_s)}, the longest honest one is "
                     f"{span(limit_s)}", "look at it with `dream status`, then end that process")
    return fine("lock", f"a dream is at work for {span(max(held_s, 0))}")


def check_door(world: World, inbox: Inbox) -> Check:
    """Whether notes can reach the store: the locks of those who write, held by somebody who does not let go."""
    shut = _shut(world.home)
    if not shut:
        return fine("door", "whoever wants to write can")
    waits_s = (world.now - inbox.oldest).total_seconds() if inbox.oldest else 0.0
    if waits_s > PATIENCE_S and not is_held(world.home + "/locks/dream.lock"):
        return Check("door", "lock_overdue", f"somebody holds `{shut}` and lets nobody write; {inbox.notes or inbox.files} "
                     f"wait in the inbox, the oldest for {span(waits_s)}",
                     f"find who holds `{world.home}/locks/{shut}` and end that process")
    return fine("door", "somebody writes right now")


def _shut(home: str) -> str:
    """The lock that stays held through several looks."""
    for name in ("write.lock", "gate.lock"):
        for look in range(LOOKS):
            if not is_held(f"{home}/locks/{name}"):
                break
            if look + 1 == LOOKS:
                return name
            time.sleep(NAP_S)
    return ""


def check_pulse(world: World) -> Check:
    """Whoever is alive has to move."""
    alive = (("service.lock", "heartbeat.json", "the service"), ("dream.lock", "cycle.json", "the dream"))
    for lock, name, who in alive:
        beat = beat_of(world.home, name)
        if not is_held(f"{world.home}/locks/{lock}") or (beat is None and lock == "dream.lock"):
            continue
        silent_s = (_silence(world, beat) if beat is not None
                    else world.now.timestamp() - os.stat(f"{world.home}/locks/{lock}").st_mtime)
        if silent_s > FROZEN_S:
            return Check("heartbeat", "frozen", f"{who} is alive and has not moved for {span(silent_s)}",
                         "run `dream status`; restart it with `dream service install` or end that process")
    return fine("heartbeat", "nobody who is alive is stuck")


def _silence(world: World, beat: Mapping[str, object]) -> float:
    wall = instant(beat.get("at"))
    wall_s = (world.now - wall).total_seconds() if wall else FROZEN_S * 10
    silent_s, awake_s = _boot_silence(world, beat), _awake_silence(world, beat)
    if silent_s is not None:  # a stepped wall clock proves nothing, and who slept with the machine was not stuck
        return silent_s if awake_s is None else min(silent_s, awake_s)
    return abs(wall_s) if wall_s < -FUTURE_S else wall_s


def _boot_silence(world: World, beat: Mapping[str, object]) -> float | None:
    """Since when nothing was heard, by the clock that runs on while the machine sleeps; None where it tells nothing."""
    boot_clock, stamp = getattr(time, "CLOCK_BOOTTIME", None), beat.get("boot_s")
    if boot_clock is None or not isinstance(stamp, int | float) or world.fixed or not _is_of_this_boot(beat):
        return None
    return time.clock_gettime(boot_clock) - stamp


def _awake_silence(world: World, beat: Mapping[str, object]) -> float | None:
    """The same by the clock that stands still while the machine sleeps."""
    stamp = beat.get("awake_s")
    if not isinstance(stamp, int | float) or not stamp or world.fixed or not _is_of_this_boot(beat):
        return None
    return time.monotonic() - stamp


def _is_of_this_boot(beat: Mapping[str, object]) -> bool:
    return bool(beat.get("boot_id")) and beat.get("boot_id") == text_of("/proc/sys/kernel/random/boot_id")


def dead_since(world: World, facts: Facts) -> datetime | None:
    """When a service was heard of last that ended without a word and in whose place nobody dreamed since."""
    beat = beat_of(world.home, "heartbeat.json")
    at = instant(beat.get("at")) if beat else None
    if at is None or is_held(f"{world.home}/locks/service.lock") or (facts.last_success and facts.last_success > at):
        return None
    return at


def check_service(world: World, facts: Facts, oldest: datetime | None) -> Check:
    """A service that ended without a word, while something came in that it was there for."""
    at = dead_since(world, facts)
    if at is None or oldest is None:
        return fine("service", "no service has gone missing")
    waits_s = (world.now - max(at, oldest)).total_seconds()
    if waits_s > MISSED_S:
        return Check("service", "stale", f"the service that ran here ended without a word at {iso(at)}, and what came in since "
                     f"{iso(oldest)} waits", "start it again: `dream service install`, or run `dream consolidate`")
    return fine("service", "a service ended without a word, and nothing has waited for long")


def check_fence(world: World, facts: Facts, beats: Iterable[Mapping[str, object]]) -> Check:
    """Whether another owner, another store, or an older copy took the place of the store."""
    counters = [c for c in (b.get("counters") for b in beats) if isinstance(c, dict)]
    seen = [c["epoch"] for c in counters if isinstance(c.get("epoch"), int)]
    if facts.runs and facts.runs[0].outcome == "fenced":
        return Check("fence", "fenced", "the last dream was overtaken by another owner of this store",
                     "make sure only one machine uses this home, then run `dream consolidate`")
    name, epoch = _written_for(world)
    if facts.epoch and name not in ("", facts.name):
        return Check("fence", "fenced", "the files beside the store were written for another store: it was replaced by hand",
                     "put the right one back, or run `dream consolidate` once; it takes the store over")
    if facts.epoch and max((*seen, epoch)) > facts.epoch:
        return Check("fence", "fenced", "the store is older than the dream that used it last: replaced or restored",
                     "run `dream consolidate` once; it takes the store over")
    return fine("fence", "one owner")


def _written_for(world: World) -> tuple[str, int]:
    """The store for which files were written last, and the number of its dream then; nothing where that is being settled."""
    path = f"{world.home}/own-files"
    lines = bytes_at(path, size_of(path) - OWN_TAIL_BYTES, OWN_TAIL_BYTES).decode("utf-8", "replace").splitlines()
    words = lines[-1].split(" ") if lines else []
    return (words[0], int(words[1])) if len(words) > 2 and words[1].isdecimal() else ("", 0)


def check_language_model(world: World, facts: Facts, preferences: Mapping[str, object]) -> Check:
    """Whether a language model may be asked, where one is configured; dreams go on without one, so it is no illness."""
    try:
        rest = json.loads(facts.rest or "{}")
        until = instant(rest.get("until"))
    except (ValueError, AttributeError):
        rest, until = {}, None
    if preferences.get("language_model") in (None, "", "off"):
        return fine("language-model", "none is configured")
    if until is None or until <= world.now:
        return fine("language-model", "may be asked")
    return fine("language-model", f"not asked before {printable(rest.get('day')) or iso(until)}: {printable(rest.get('why'))}; "
                                  "dreams go on without it")


def check_pause(world: World) -> Check:
    """A person's wish that nothing be started; a file that cannot be read keeps everything from starting, too."""
    record = json_of(world.home + "/paused.json")
    if record is None and not exists(world.home + "/paused.json"):
        return fine("pause", "not paused")
    if not isinstance(record, dict):
        return Check("pause", "blocked", "`paused.json` cannot be read, so nothing is started: nobody knows whether a person "
                     "paused it", "run `dream resume`")
    until = instant(record.get("until"))
    if until is not None and until <= world.now:
        return fine("pause", "a pause has run out")
    told = f"paused by a person{f' until {iso(until)}' if until else ''}"
    return Check("pause", "stopped", told, "run `dream resume`")


def check_wait(world: World, facts: Facts, beats: Iterable[Mapping[str, object]], preferences: Mapping[str, object]) -> Check:
    """A dream that is due and held back: by what, and whether it is for too long."""
    told, kept = list(beats), json_of(world.home + "/deferred.json")
    if isinstance(kept, dict) and facts.waiting:  # with nothing left to do nobody came back to take that file away
        told.append({"due_since": kept.get("since"), "holds": kept.get("gates")})
    for beat in told:
        due, yields = instant(beat.get("due_since")), beat.get("yields")
        if isinstance(yields, int) and yields >= YIELDS:
            return Check("wait", "starved", f"the dream stepped aside {yields} times in a row", "run `dream consolidate`")
        if due is None or (facts.last_success and facts.last_success > due):
            continue
        waited_s = (world.now - due).total_seconds()
        holds = beat.get("holds")
        why = ", ".join(printable(h) for h in holds) if isinstance(holds, list) and holds else ""
        if waited_s > HOUR_S * number(preferences, "starved_after_hours") and has_had_time(world, facts):
            held = f"a dream is due for {span(waited_s)} and waits because of {why or 'what nobody knows'}"
            return Check("wait", "starved", held, "run `dream consolidate`")
        if why:
            return Check("wait", "deferred", f"a dream is due and waits: {why}", "")
    return fine("wait", "nothing is held back")
