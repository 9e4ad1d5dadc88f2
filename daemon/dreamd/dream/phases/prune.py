"""Prune: states past their day, references nobody asked for, and what is due to be archived. A pure plan.

Times count from the moment a memory was due, never from the run that noticed: a machine that slept for a month
comes to the same end as one that ran every night.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from dreamd.core.clock import local_date
from dreamd.core.values import CURRENT, Memory, MemoryClass, Status
from dreamd.dream.plan import Change, Plan, Step

AGEING = frozenset({MemoryClass.REFERENCE, MemoryClass.STATE})


@dataclass(frozen=True)
class PruneRules:
    stale_after_days: int = 90
    archive_after_days: int = 90


def plan_prune(memories: Sequence[Memory], *, now: datetime, zone: tzinfo, rules: PruneRules) -> Plan:
    """Choose what expires, goes stale, is archived or lives again. Touches nothing.

    Pinned memories and those a person edited are spared.
    """
    steps = []
    for memory in memories:
        if memory.status not in CURRENT or memory.pinned or memory.edited:
            continue
        change = _expiry(memory, now, zone) or _ageing(memory, now, rules)
        if change is not None:
            steps.append(Step((change,)))
    return Plan(tuple(steps))


def _expiry(memory: Memory, now: datetime, zone: tzinfo) -> Change | None:
    if memory.ttl is None or local_date(now, zone) <= memory.ttl:
        return None
    after = replace(memory, status=Status.ARCHIVED, reason="expired", valid_to=end_of_day(memory.ttl, zone))
    return Change("archive", memory, after, "expired", (f"TTL {memory.ttl}",))


def _ageing(memory: Memory, now: datetime, rules: PruneRules) -> Change | None:
    if memory.memory_class not in AGEING or memory.ttl is not None or memory.status is Status.HELD:
        return None
    heard = max(memory.confirmed_at, memory.recalled_at or memory.confirmed_at)
    stale_at = heard + timedelta(days=rules.stale_after_days)
    archive_at = stale_at + timedelta(days=rules.archive_after_days)
    evidence = (f"last said, confirmed or recalled on {heard.date().isoformat()}",)
    if now >= archive_at:
        after = replace(memory, status=Status.ARCHIVED, reason="stale", valid_to=archive_at)
        return Change("archive", memory, after, "stale-for-too-long", evidence)
    if now >= stale_at and memory.status is Status.LIVE:
        return Change("stale", memory, replace(memory, status=Status.STALE, reason="stale"), "not-asked-for", evidence)
    if now < stale_at and memory.status is Status.STALE and not memory.unverified:
        # Said, confirmed or recalled since; or the clock went back, and then nobody asked: the reason holds for all.
        return Change("revive", memory, replace(memory, status=Status.LIVE, reason="heard-of-in-time"), "heard-of-in-time",
                      evidence)
    return None


def end_of_day(day: str, zone: tzinfo) -> datetime:
    """The instant at which a calendar day of a zone is over."""
    following = date.fromisoformat(day) + timedelta(days=1)
    return datetime.combine(following, time(), zone).astimezone(UTC)
