"""One page a week: what was learned, changed and decided, and what is waiting, from the journal and without a model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from dreamd.core import fsio
from dreamd.core.clock import local_date
from dreamd.core.paths import Paths
from dreamd.core.values import DECIDED, Status
from dreamd.core.world import World
from dreamd.kit import Kit, open_kit
from dreamd.report.diary import as_note
from dreamd.report.nights import Kind, Told, load_nights
from dreamd.sources.base.own_writing import MARK
from dreamd.store import memories
from dreamd.store.observations import plain_words

PLACE = "weeks"
"""Folder of the home with one page a week."""
MOST_RUNS = 2000
MOST_LINES = 30
BY_A_PERSON = frozenset({"decided-by-person", "dropped-by-person", "promoted-by-person", "accepted-by-pin",
                         "restored-by-person"})
_CHANGED = frozenset({Kind.REPLACED, Kind.DETAILED, Kind.EDITED, Kind.RETIRED, Kind.REVIVED, Kind.MOVED})


def last_week(today: date) -> date:
    """The Monday of the last week that is over."""
    return today - timedelta(days=today.weekday() + 7)


def write_week(world: World) -> None:
    """Write the page of the last week that is over, where it is not there yet."""
    with open_kit(world, read_only=True) as kit:
        monday = last_week(date.fromisoformat(local_date(kit.clock.now(), kit.zone)))
        number = monday.isocalendar()
        page = world.paths.home / PLACE / f"{number.year}-W{number.week:02}.md"
        text = "" if page.exists() else tell_week(kit, monday)
    if text:
        fsio.write_atomic(page, text.encode("utf-8", "replace"))


def forget(paths: Paths, statements: Sequence[str]) -> None:
    """Drop the pages that say what is to be forgotten; that of the last week is written anew without it."""
    wanted = [words for words in map(plain_words, statements) if words]
    for page in sorted((paths.home / PLACE).glob("*.md")) if wanted else ():
        told = plain_words(fsio.read_bytes(page).decode("utf-8", "replace").replace("\\", ""))
        if any(words in told for words in wanted):
            fsio.remove(page)


def tell_week(kit: Kit, monday: date) -> str:
    """The page of the week that began on a Monday, as markdown; nothing where nothing happened and nothing waits."""
    until = monday + timedelta(days=7)
    told = [one for night in load_nights(kit.store, limit=MOST_RUNS) if not night.undone_by
            and monday.isoformat() <= local_date(night.run.now, kit.zone) < until.isoformat() for one in night.told]
    decided = [one for one in told if one.reason in BY_A_PERSON or one.reason.startswith(DECIDED)]
    ours = {(one.run, one.memory) for one in decided}
    learned = [one for one in told if one.kind is Kind.LEARNED and (one.run, one.memory) not in ours]
    changed = [one for one in told if one.kind in _CHANGED and (one.run, one.memory) not in ours]
    waiting = [f"{as_note(m.text)} ({m.scope})" for m in memories.load_memories(kit.store, statuses=(Status.HELD,))]
    if not (learned or changed or decided or waiting):
        return ""
    rows = [*_section("Learned", [_line(one) for one in learned]), *_section("Changed", [_change(one) for one in changed]),
            *_section("Decided", [_change(one) if one.before else _line(one) for one in decided]),
            *_section("Waiting for you", waiting), *(["", "`dream review` decides what waits."] if waiting else [])]
    number = monday.isocalendar()
    title = f"Dream's week {number.year}-W{number.week:02}, {monday} to {until - timedelta(days=1)}"
    return "\n".join(["---", f"{MARK}: week", f"since: {monday.isoformat()}", "---", "", f"# {title}", *rows, ""])


def _section(heading: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    left = [f"- … and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
    return ["", f"## {heading} ({len(lines)})", "", *(f"- {line}" for line in lines[:MOST_LINES]), *left]


def _line(one: Told) -> str:
    return f"{as_note(one.text)} ({one.scope})"


def _change(one: Told) -> str:
    """What became of a memory, with why."""
    old, new = (as_note(face.text) if face else "" for face in (one.before, one.after))
    if one.successor:
        return f"{old} → {as_note(one.successor)} ({one.scope})"
    if old and new and old != new:
        return f"{old} → {new} ({one.scope})"
    return f"{new or old} ({one.scope}): {one.kind.value}{f', {one.why}' if one.why else ''}"
