"""Progress: what came in, and what came of it. A dream that ran is judged by its outcome, not by having run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from dreamd.probing.health import Check, Facts, Inbox, Run, World, fine
from dreamd.probing.peek import (
    DAY_S,
    HOUR_S,
    beat_of,
    exists,
    facts_of,
    instant,
    is_held,
    iso,
    names_in,
    printable,
    span,
    text_of,
)
from dreamd.probing.preferences import number

FUTURE_S = 86400.0
OLD_NOTE_DAYS = 14
SUCCESS = ("changed", "nothing-to-do", "partial")
WHOLE = ("changed", "nothing-to-do")
FAILED = ("failed", "refused", "outage")
CUT_SHORT = ("interrupted",)
FAILED_MOST = 3
"""Failures in a row that are no accident any more."""
CUT_SHORT_MOST = 10
READ_MOST = 200
COMING = "dream.db.restoring-"
"""Beginning of the name of a copy that waits to take the place of the store; until then no note reaches one."""
LARGEST_LOOK_BYTES = 65536
TAKEN_WITHIN_S = 3600.0
"""A service that is awake takes the inbox in within a minute; whatever it does at that moment, an hour is enough."""
CATCHES_UP_S = 4 * HOUR_S
"""What waited for days while the machine slept is no failing of a service that has been awake for less."""
BY_HAND = "run `dream consolidate`, or `dream service install` so that it happens by itself"


def read_inbox(world: World) -> Inbox:
    """What waits beside the store: how many statements, how many files, and since when."""
    names = [n for n in names_in(f"{world.home}/inbox") if n.endswith(".json") and not n.startswith(".")]
    notes, oldest = 0, None
    for n, name in enumerate(names):
        notes += _statements(f"{world.home}/inbox/{name}") if n < READ_MOST else 1
        at = _left_at(world, name)
        oldest = at if oldest is None or (at is not None and at < oldest) else oldest
    return Inbox(notes, len(names), oldest)


def _statements(path: str) -> int:
    """How many statements a file holds; what hooks leave there is none."""
    text = text_of(path, limit=LARGEST_LOOK_BYTES)
    if '"touched"' in text[:40] or '"recalls"' in text[:40]:
        return 0
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return 1
    held = document.get("observations") if isinstance(document, dict) else None
    return len(held) if isinstance(held, list) else 1


def _left_at(world: World, name: str) -> datetime | None:
    """When a file was left: by its name, which was given under the clock of its writer, else by the disk.

    A name that lies ahead was given by a clock that was wrong.
    """
    stamp = name.partition("-")[0].rstrip("Z")[:15]
    named = instant(stamp) if len(stamp) == 15 else None
    if named is not None and (named - world.now).total_seconds() < FUTURE_S:
        return named
    return _touched(f"{world.home}/inbox/{name}")


def _touched(path: str) -> datetime | None:
    facts = facts_of(path)
    return datetime.fromtimestamp(facts.st_mtime, UTC) if facts else None


def check_inbox(world: World, facts: Facts, inbox: Inbox, preferences: Mapping[str, object]) -> Check:
    """Statements that never reached the store: nobody finds them, and no backup has them."""
    if not inbox.files or inbox.oldest is None:
        return fine("inbox", "nothing waits beside the store")
    waits_s = (world.now - inbox.oldest).total_seconds()
    count = f"{inbox.notes} {'note' if inbox.notes == 1 else 'notes'}" if inbox.notes else f"{inbox.files} files"
    told = f"{count} in the inbox for {span(max(0.0, waits_s))}"
    if not is_held(f"{world.home}/locks/dream.lock"):
        if facts.began and inbox.oldest < facts.began - timedelta(minutes=1):
            return Check("inbox", "no_effect", f"{told}: dreams since then did not take them in", "run `dream consolidate -v`")
        awake = is_held(f"{world.home}/locks/service.lock")
        held_back = awake and (beat_of(world.home, "heartbeat.json") or {}).get("state") in ("waiting", "paused", "working")
        if awake and not held_back:
            late = (world.now - max(inbox.oldest, facts.awake or inbox.oldest)).total_seconds() > TAKEN_WITHIN_S
        else:
            late = waits_s > 3 * interval_s(preferences) and has_had_time(world, facts)
        if late:
            return Check("inbox", "stale", told + ", and nobody takes them in", BY_HAND)
    return fine("inbox", told)


def has_had_time(world: World, facts: Facts) -> bool:
    """Whether nobody watches, or a service does that has been awake for long enough to catch up."""
    return facts.awake is None or (world.now - facts.awake).total_seconds() > CATCHES_UP_S


def interval_s(preferences: Mapping[str, object]) -> float:
    """The least time between two dreams."""
    return HOUR_S * max(1.0, number(preferences, "min_hours"))


def check_progress(world: World, facts: Facts, inbox: Inbox, preferences: Mapping[str, object]) -> Check:
    """Whether what waits has been waiting for longer than it should."""
    ahead = [t for t in (facts.last_success, facts.newest_row) if t and (t - world.now).total_seconds() > FUTURE_S]
    if ahead:
        return Check("progress", "unknown", f"the store speaks of {iso(max(ahead))}, which lies ahead of the clock",
                     "set the clock, or pass `--now` if the store was filled with one")
    waiting = facts.waiting + inbox.notes
    if not waiting:
        return fine("progress", "nothing waits")
    oldest = min(t for t in (facts.oldest, inbox.oldest, world.now) if t is not None)
    patience_s = 3 * interval_s(preferences)
    idle_s = (world.now - (facts.last_success or oldest)).total_seconds()
    oldest_s = (world.now - oldest).total_seconds()
    enough = number(preferences, "volume_base") + number(preferences, "volume_share") * facts.memories
    # What came in less than one interval ago is not late, however long there was nothing to do before it.
    many = waiting >= enough and oldest_s >= patience_s / 3
    # Where a service keeps the nights, or died keeping them, one night takes a single note in as well.
    kept = exists(f"{world.home}/heartbeat.json")
    old_s = patience_s if kept else max(patience_s, OLD_NOTE_DAYS * DAY_S)
    if idle_s > patience_s and (many or oldest_s > old_s) and has_had_time(world, facts):
        return Check("progress", "stale", f"no successful dream for {span(idle_s)} and {waiting} waiting", BY_HAND)
    good = f"the last dream {span(idle_s)} ago" if facts.last_success else "no dream yet"
    return fine("progress", f"{waiting} waiting, {good}")


def check_outcomes(world: World, facts: Facts, preferences: Mapping[str, object]) -> Check:
    """How the last dreams ended: three that failed are no accident, and fewer are none when no other has been for days."""
    failures, cut = _unsuccessful(facts.runs)
    patience_s = interval_s(preferences) * 3
    since_s = (world.now - facts.last_success).total_seconds() if facts.last_success else 0.0
    many = failures >= FAILED_MOST or (failures > 1 and since_s > patience_s)
    if many or failures + cut >= CUT_SHORT_MOST:
        named = next(r.outcome for r in facts.runs if r.outcome in (FAILED if failures else CUT_SHORT))
        times = f"the last {failures + cut} dreams" if failures + cut > 1 else "the last dream"
        how = {"refused": "refused to go on past a safety limit", "interrupted": "were cut short", "outage": "met an outage"}
        hint = ("look at it with `dream consolidate --dry-run`, then pass `--allow-large-change`" if named == "refused"
                else "run `dream consolidate -v`, `dream history` tells how they ended")
        return Check("outcomes", "failing", f"{times} ended without success: they {how.get(named, 'failed')}", hint)
    return fine("outcomes", "the last dreams ended well" if not failures else f"{failures} failed since the last success")


def _unsuccessful(runs: tuple[Run, ...]) -> tuple[int, int]:
    """How many dreams since the last success failed, and how many were cut short; one that goes on is neither."""
    failures = cut = 0
    for run in runs:
        if run.outcome in SUCCESS:
            break
        failures += run.outcome in FAILED
        cut += run.outcome in CUT_SHORT
    return failures, cut


def check_effect(world: World, facts: Facts) -> Check:
    """Dreams that succeed and yet leave what they were there for."""
    hint = "run `dream consolidate -v` and look at what is set aside"
    last = facts.runs[:3]
    # What a partial dream leaves waits for a person's word, and it said so.
    idle = [run for run in last if run.outcome in WHOLE and run.backlog > 0]
    backlogs = {run.backlog for run in idle}
    if len(idle) == 3 and len(backlogs) == 1:
        return Check("effect", "no_effect", f"three successful dreams in a row left the same {backlogs.pop()} waiting", hint)
    good = [instant(run.started_at) for run in facts.runs if run.outcome in WHOLE][:3]
    passed = [at for at in good if at is not None and facts.oldest is not None and facts.oldest < at]
    if len(passed) == 3 and (world.now - facts.oldest).total_seconds() > DAY_S:
        return Check("effect", "no_effect", f"three successful dreams passed over what waits since {iso(facts.oldest)}", hint)
    return fine("effect", "dreams have an effect")


def check_recall(facts: Facts) -> Check:
    """Whether the last dreams left what was known as easy to find as it was."""
    if not facts.dropped:
        return fine("recall", "what was found before the last dreams is found after them")
    run, lost, asked = facts.dropped
    return Check("recall", "failing", f"after the dream {printable(run)} search missed {lost} of {asked} memories it had found",
                 f"look at it with `dream history {printable(run)}`; `dream undo {printable(run)}` takes it back")


def check_left_over(world: World, facts: Facts, preferences: Mapping[str, object]) -> Check:
    """What a dream that was killed left half done; the next one finishes it, if there is a next one."""
    since, what = facts.left or ("", "")
    began = instant(since) if since else None
    if coming := [n for n in names_in(world.home) if n.startswith(COMING) and not n.endswith(("-wal", "-shm", "-journal"))]:
        began, what = _touched(f"{world.home}/{coming[0]}") or world.now, "a copy was to take the store's place"
    if began is None or is_held(f"{world.home}/locks/dream.lock"):
        return fine("left over", "nothing stands half done")
    lies_s = (world.now - began).total_seconds()
    if lies_s > (TAKEN_WITHIN_S if coming else 3 * interval_s(preferences)) and has_had_time(world, facts):
        return Check("left over", "stale", f"{what} for {span(lies_s)}", BY_HAND)
    return fine("left over", f"{what}; the next dream goes on from there")
