"""What is due, decided from the store and the time alone: no job list that a crash could lose.

One missed night or a thousand give one dream. A time that lies in the future is a stepped clock and means
*unknown*, never *wait until then*.

What the clocks did between two looks, and whether the machine has been up for long enough to work.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

from dreamd.core.clock import Clock, parse_instant
from dreamd.core.errors import ConfigError
from dreamd.core.plain_words.for_people import ago, count, span
from dreamd.core.settings import ServiceSettings
from dreamd.core.world import World
from dreamd.kit import read_zone
from dreamd.store import journal, observations
from dreamd.store.connection import Store
from dreamd.store.presence.sound_rows import sound_row
from dreamd.store.scopes import conversation_scopes
from dreamd.text.calendar_dates import is_date

OLD_NOTE = timedelta(days=7)
"""A note waits at most a week, however few there are."""
CLOCK_STEP = timedelta(minutes=5)
NIGHT_SLACK = timedelta(hours=4)
"""The nightly dream may come this much before its interval is over, or it would drift later every night."""
TOO_SOON = "time"
"""The gate that stays shut for a while after a dream."""
SUCCESSES = ("changed", "nothing-to-do", "partial")


@dataclass(frozen=True)
class Backlog:
    """What waits, as the store and the sources tell it."""

    waiting: int = 0
    oldest_at: datetime | None = None
    memories: int = 0
    sessions: int = 0
    """Conversations with something new, read or not."""
    last_success_at: datetime | None = None
    created_at: datetime | None = None
    """When the store was made; before its first night there was no night to miss."""
    ends_at: datetime | None = None
    """When the first of what is kept ends by its date: a state, or what a conversation keeps for itself."""
    left_over: bool = False
    """Files an interrupted run left to be written; they are finished whatever the gates of time and volume say."""


@dataclass(frozen=True)
class Due:
    """Whether a dream is due, and why or why not in words."""

    due: bool
    gate: str
    words: str
    next_at: datetime | None = None
    """When one is due by time alone, if something still waits then."""


@dataclass(frozen=True)
class Slots:
    """The nightly time that has passed last, and those to come."""

    passed: datetime
    ahead: tuple[datetime, ...] = ()


@sound_row
def load_backlog(store: Store, *, unread_sources: int = 0) -> Backlog:
    """Count what waits, no further than needed to decide."""
    waiting, oldest = observations.count_pending(store)
    memories = store.one("SELECT COUNT(*) AS n FROM memory WHERE status IN ('live', 'held', 'stale')")
    talks = store.one("SELECT COUNT(DISTINCT o.conversation) AS n FROM observation o LEFT JOIN fate f "
                      "ON f.observation = o.seq WHERE f.observation IS NULL AND o.conversation <> ''")
    left = store.one("SELECT 1 FROM intent LIMIT 1") is not None or journal.count_interrupted(store) > 0
    last = journal.last_run(store, outcomes=SUCCESSES)
    created = store.meta("created_at")
    return Backlog(
        waiting=waiting, oldest_at=oldest, memories=memories["n"] if memories else 0,
        sessions=(talks["n"] if talks else 0) + unread_sources, last_success_at=last.ended_at if last else None,
        created_at=parse_instant(created) if created else None, ends_at=_first_end(store), left_over=left)


def _first_end(store: Store) -> datetime | None:
    """What no dream would end, as it is pinned or was edited, is not asked for every night; an end that is no day is none."""
    rows = store.all("SELECT DISTINCT ttl FROM memory WHERE ttl IS NOT NULL AND status IN ('live', 'held', 'stale') "
                     "AND pinned = 0 AND edited = 0")
    days = [date.fromisoformat(row["ttl"]) for row in rows if is_date(row["ttl"])]
    ends = [conversation_scopes.first_end(store)]
    if days:
        ends.append(datetime.combine(min(days) + timedelta(days=1), time(), read_zone(store.meta("zone") or "UTC")))
    return min((end for end in ends if end is not None), default=None)


def judge_due(backlog: Backlog, rules: ServiceSettings, *, now: datetime, slots: Slots | None = None) -> Due:
    """Decide whether a dream is due; `slots` are the nights, for those who keep them."""
    ended = backlog.ends_at is not None and backlog.ends_at <= now
    if not (backlog.waiting or backlog.sessions or backlog.left_over or ended):
        return Due(False, "nothing", "nothing waits")
    if backlog.left_over:
        return Due(True, "left-over", "an interrupted dream left work to finish")
    last, created = _believed(backlog.last_success_at, now), _believed(backlog.created_at, now)
    interval = timedelta(hours=rules.min_hours)
    began = last or created
    missed = slots is not None and (began is None or began < slots.passed)
    if missed and (last is None or now - last >= interval - NIGHT_SLACK):
        only_ended = ended and not (backlog.waiting or backlog.sessions)
        return Due(True, "night", "the nightly time has passed and "
                                  f"{'something kept has come to its end' if only_ended else _waiting(backlog.waiting)}")
    nights = [s for s in (slots.ahead if slots else ()) if last is None or s - last >= interval - NIGHT_SLACK]
    if last is not None and now - last < interval:
        return Due(False, TOO_SOON, f"the last dream was {ago(last, now)}", next_at=min((last + interval, *nights)))
    enough = rules.volume_base + rules.volume_share * backlog.memories
    if backlog.waiting >= enough:
        return Due(True, "volume", f"{_waiting(backlog.waiting)}, {enough:.0f} are enough")
    if backlog.sessions >= rules.volume_sessions:
        return Due(True, "volume", f"{_talks(backlog.sessions)} {'has' if backlog.sessions == 1 else 'have'} something new")
    old_at = backlog.oldest_at + OLD_NOTE if backlog.oldest_at is not None else None
    if old_at is not None and now >= old_at:
        return Due(True, "age", f"the oldest statement waits for {span((now - old_at + OLD_NOTE).total_seconds())}")
    if backlog.oldest_at is not None and _believed(backlog.oldest_at, now) is None:
        return Due(True, "age", "nobody knows for how long the oldest statement waits: the clock was set back")
    beside = f", {_talks(backlog.sessions)} with something new" if backlog.sessions else ""
    return Due(False, "volume", f"{_waiting(backlog.waiting)}{beside}; "
                                f"{enough:.0f} statements or {_talks(rules.volume_sessions)} make a dream worth while",
               next_at=min((t for t in (old_at, *nights) if t is not None), default=None))


def _believed(at: datetime | None, now: datetime) -> datetime | None:
    """A time that may be reckoned with; one ahead of us was written under a clock that was wrong."""
    return at if at is not None and at <= now + CLOCK_STEP else None


def find_slots(now: datetime, nightly_at: str, zone: tzinfo) -> Slots:
    """The nightly times around now, on the wall clock of a zone whatever its offset did that night.

    Raises ConfigError when `nightly_at` is no time of day.
    """
    hour, minute = parse_time_of_day(nightly_at)
    today = now.astimezone(zone).date()
    # By calendar day, not by adding 24 hours: a night of 23 or 25 hours has its slot once, too.
    days = [today + timedelta(days=n) for n in range(-2, 4)]
    slots = [datetime(d.year, d.month, d.day, hour, minute, tzinfo=zone).astimezone(now.tzinfo) for d in days]
    return Slots(max((s for s in slots if s <= now), default=now - timedelta(days=1)), tuple(s for s in slots if s > now))


def parse_time_of_day(text: str) -> tuple[int, int]:
    """Read `03:00`.

    Raises ConfigError for anything else.
    """
    hour, colon, minute = text.strip().partition(":")
    if colon and hour.isdecimal() and minute.isdecimal() and int(hour) < 24 and int(minute) < 60:
        return int(hour), int(minute)
    raise ConfigError("`service.nightly_at` is no time of day", hint='write it like `nightly_at = "03:00"`')


@dataclass(frozen=True)
class Reading:
    """The three clocks at one moment."""

    wall: datetime
    monotonic_s: float
    boot_s: float


@dataclass(frozen=True)
class Gap:
    """What the clocks did between two ticks."""

    resumed: bool
    """The machine slept, or we were stopped: settle before any work."""
    stepped_s: float
    """How far the wall clock moved by itself; 0 when it went along."""


GAP_S = 120.0


def judge_gap(before: Reading, after: Reading, *, expected_s: float, gap_s: float = GAP_S) -> Gap:
    """Compare boot time, monotonic and wall clock across one tick."""
    boot_s = after.boot_s - before.boot_s
    slept_s = boot_s - (after.monotonic_s - before.monotonic_s)
    late_s = boot_s - expected_s
    stepped_s = (after.wall - before.wall).total_seconds() - boot_s
    return Gap(resumed=slept_s > gap_s or late_s > gap_s, stepped_s=stepped_s if abs(stepped_s) > gap_s else 0.0)


def _waiting(number: int) -> str:
    return f"{count(number, 'statement')} {'waits' if number == 1 else 'wait'}"


def _talks(number: int) -> str:
    return count(number, "conversation")


class Settling:
    """Counts from the start, and again from every resume; by boot time, which no set clock moves."""

    def __init__(self, world: World, *, boot_id: str) -> None:
        self.world, self._boot_id = world, boot_id
        self.reading = read_clocks(world.clock)
        self.awake_since = self.reading.wall
        """When it started, or the machine woke up last: what lay there before then is late only from then on."""
        self._from_s = self.reading.boot_s
        self._wanted_s = float(world.settings.service.settle_s)

    def look(self, *, expected_s: float, gap_s: float) -> Gap:
        """Read the clocks and compare them with the last time; a machine that slept settles anew."""
        before, self.reading = self.reading, read_clocks(self.world.clock)
        gap = judge_gap(before, self.reading, expected_s=expected_s, gap_s=gap_s)
        if gap.resumed:
            # A fleet that wakes up at nine must not dream at nine: the spread differs from machine to machine.
            spread = hashlib.sha256(f"{self._boot_id}{self.world.paths.home}".encode()).digest()[0] / 255
            self._from_s, self.awake_since = self.reading.boot_s, self.reading.wall
            self._wanted_s = self.world.settings.service.settle_s * (0.75 + spread)
        return gap

    @property
    def settled_s(self) -> float:
        """For how long the machine has been up, as far as we saw."""
        return self.reading.boot_s - self._from_s

    @property
    def goes_on(self) -> bool:
        """Nothing is started yet."""
        return self.settled_s < self._wanted_s


def read_clocks(clock: Clock) -> Reading:
    """The three clocks at this moment."""
    return Reading(clock.now(), clock.monotonic(), clock.boot())
