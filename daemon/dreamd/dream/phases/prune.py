"""Prune: states past their day, references nobody asked for, and what is due to be archived. A pure plan.

Times count from the moment a memory was due, never from the run that noticed: a machine that slept for a month
comes to the same end as one that ran every night. The clock of age starts when dream first held a memory, for nobody can
have asked for what dream had not learned; and a stretch in which nobody used a scope at all counts 90 days at most, for
nobody passed over what it holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import pairwise

from dreamd.core.clock import local_date
from dreamd.core.values import CURRENT, EXPIRED, FADED, Memory, MemoryClass, Scope, Status
from dreamd.dream.plan import Change, Plan, Step
from dreamd.store.uses import UNUSED_COUNTS

AGEING = frozenset({MemoryClass.REFERENCE, MemoryClass.STATE})
Uses = Mapping[Scope, Sequence[date]]
"""The days on which scopes were used: something was said, asked or told there."""


@dataclass(frozen=True)
class PruneRules:
    """How many days unheard of make a memory stale, and how many more take it out of the index."""

    stale_after_days: int = 90
    archive_after_days: int = 90

    @property
    def stale_after(self) -> timedelta:
        """How long unheard of makes stale."""
        return timedelta(days=self.stale_after_days)

    @property
    def archived_after(self) -> timedelta:
        """How long unheard of, before and after it was stale, is too long."""
        return self.stale_after + timedelta(days=self.archive_after_days)


@dataclass(frozen=True)
class Age:
    """How old a memory counts: since when, and how many of the days since then."""

    since: datetime
    counted: timedelta
    passed: timedelta

    @property
    def in_words(self) -> tuple[str, ...]:
        """The same for people."""
        told = [f"last said, confirmed, recalled or read in its document, or first held by dream, on "
                f"{self.since.date().isoformat()}"]
        if self.counted.days < self.passed.days:
            told.append(f"{self.counted.days} of the {self.passed.days} days since then count: in the others nothing was said, "
                        "asked or told there")
        return tuple(told)


def age_of(memory: Memory, now: datetime, used: Sequence[date] = ()) -> Age:
    """How old a memory counts in a scope that was used on some days."""
    heard = memory.confirmed_at
    since = max(heard, memory.recalled_at or heard, memory.stood_at or heard, memory.held_since or now)
    days = [datetime.combine(day, time(), UTC) for day in sorted(used)]
    marks = [since, *(day for day in days if since < day < now), max(now, since)]
    counted = sum((min(after - before, UNUSED_COUNTS) for before, after in pairwise(marks)), timedelta())
    return Age(since, counted, marks[-1] - since)


def counted_back(now: datetime, used: Sequence[date], counted: timedelta) -> datetime | None:
    """The latest moment since which so long counts in a scope that was used on some days; None where none is so long ago."""
    later, left = now, counted
    for day in sorted((datetime.combine(day, time(), UTC) for day in used), reverse=True):
        if day < now:
            stretch = min(later - day, UNUSED_COUNTS)
            if stretch >= left:
                break
            later, left = day, left - stretch
    return later - left if left <= UNUSED_COUNTS else None


def plan_prune(memories: Sequence[Memory], *, now: datetime, zone: tzinfo, rules: PruneRules, uses: Uses) -> Plan:
    """Choose what expires, goes stale, is archived or lives again. Touches nothing.

    Pinned memories and those a person edited are spared.
    """
    steps = []
    for memory in memories:
        if memory.status not in CURRENT or memory.pinned or memory.edited:
            continue
        change = _expiry(memory, now, zone) or _ageing(memory, now, rules, uses.get(memory.scope, ()))
        if change is not None:
            steps.append(Step((change,)))
    return Plan(tuple(steps))


def ages(memory: Memory) -> bool:
    """Whether a memory goes by age at all."""
    return memory.memory_class in AGEING and memory.ttl is None and not memory.pinned and not memory.edited


def _expiry(memory: Memory, now: datetime, zone: tzinfo) -> Change | None:
    if memory.ttl is None or local_date(now, zone) <= memory.ttl:
        return None
    after = replace(memory, status=Status.ARCHIVED, reason=EXPIRED, valid_to=end_of_day(memory.ttl, zone))
    return Change("archive", memory, after, EXPIRED, (f"TTL {memory.ttl}",))


def _ageing(memory: Memory, now: datetime, rules: PruneRules, used: Sequence[date]) -> Change | None:
    if not ages(memory) or memory.status is Status.HELD:
        return None
    age = age_of(memory, now, used)
    if age.counted >= rules.archived_after:
        after = replace(memory, status=Status.ARCHIVED, reason=FADED)  # it ends nothing: nobody said that it no longer holds
        return Change("archive", memory, after, "stale-for-too-long", age.in_words)
    if age.counted >= rules.stale_after and memory.status is Status.LIVE:
        return Change("stale", memory, replace(memory, status=Status.STALE, reason="stale"), "not-asked-for", age.in_words)
    if age.counted < rules.stale_after and memory.status is Status.STALE and not memory.unverified:
        # Said, confirmed or recalled since; or the clock went back, and then nobody asked: the reason holds for all.
        return Change("revive", memory, replace(memory, status=Status.LIVE, reason="heard-of-in-time"), "heard-of-in-time",
                      age.in_words)
    return None


def end_of_day(day: str, zone: tzinfo) -> datetime:
    """The instant at which a calendar day of a zone is over."""
    following = date.fromisoformat(day) + timedelta(days=1)
    return datetime.combine(following, time(), zone).astimezone(UTC)
