"""When a model may be asked again after failures: worked out from the calls themselves, so that no restart forgets it.

How much waits, or for how long, plays no part in it: work that has become old is no reason to ask sooner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from dreamd.models.language_model import Ending
from dreamd.store.language.language_calls import Call

OPENS_AFTER = 3
"""Failures in a row after which nobody is asked for a while."""
MOST_LOOKED_AT = 50
STOPPED = "stopped"
"""How a call ends that dream itself broke off because it was asked to stop: nobody's failure."""
SETUP = "setup"
"""The role of a first try by hand. That it fails says nothing about the backend that is switched on."""
LONGEST = timedelta(hours=24)
_CIRCUIT = timedelta(minutes=15)
_SCOPE = timedelta(minutes=1)
_PERSON = timedelta(hours=1)
FOR_GOOD = frozenset({Ending.REFUSED, Ending.INVALID, Ending.CUT, Ending.TOO_LARGE})
"""The same question would fail in the same way: it is never asked again, and another one of its scope may be."""


@dataclass(frozen=True)
class Wait:
    """Why it is not yet time to ask, and when it is; `everywhere` holds for every scope."""

    why: str
    until: datetime
    everywhere: bool = True


def waits(calls: Sequence[Call], *, scope: str, now: datetime) -> Wait | None:
    """Whether asking in a scope has to wait, going by the calls so far, newest first."""
    settled = [call for call in calls if (call.ending is not None or _is_lost(call, now)) and call.detail != STOPPED
               and (call.role != SETUP or call.ending is Ending.ANSWERED)]
    found = [wait for wait in (_circuit(settled), _told_to(settled), _of_scope(settled, scope))
             if wait and now < wait.until <= now + LONGEST]
    return max(found, key=lambda wait: (wait.everywhere, wait.until)) if found else None


def is_open(calls: Sequence[Call]) -> bool:
    """Whether the last calls, newest first, failed so often in a row that the next one has to wait."""
    return _circuit([call for call in calls if call.ending is not None]) is not None


def is_stuck(calls: Sequence[Call]) -> bool:
    """Whether the last answers in one role in one night, newest first, led to nothing: it has ended for that night.

    A backend that is away is no answer: for that there is a wait.
    """
    last = [call for call in calls if call.ending is Ending.ANSWERED or call.ending in FOR_GOOD][:OPENS_AFTER]
    return len(last) == OPENS_AFTER and all(call.ending is not Ending.ANSWERED or not call.moved for call in last)


def _is_lost(call: Call, now: datetime) -> bool:
    """Whether whoever made a call died over it: it would have ended by now."""
    return not timedelta(0) <= now - call.at <= timedelta(seconds=call.used.seconds)


def _failures(calls: Sequence[Call]) -> Iterator[Call]:
    for call in calls:
        if call.ending is Ending.ANSWERED:
            return
        yield call


def _circuit(calls: Sequence[Call]) -> Wait | None:
    failed = list(_failures(calls))
    if failed and failed[0].ending is Ending.UNAUTHORISED:
        return Wait("unauthorised", failed[0].at + _doubled(_PERSON, len(failed) - 1))
    if len(failed) < OPENS_AFTER:
        return None
    return Wait("circuit-open", failed[0].at + _doubled(_CIRCUIT, len(failed) - OPENS_AFTER))


def _told_to(calls: Sequence[Call]) -> Wait | None:
    told = [call.retry_at for call in _failures(calls) if call.retry_at is not None]
    return Wait("rate-limited", max(told)) if told else None


def _of_scope(calls: Sequence[Call], scope: str) -> Wait | None:
    failed = [call for call in _failures([c for c in calls if c.scope == scope])
              if call.ending is not None and call.ending not in FOR_GOOD]
    return Wait("backing-off", failed[0].at + _doubled(_SCOPE, 2 * len(failed) - 2), everywhere=False) if failed else None


def _doubled(first: timedelta, times: int) -> timedelta:
    return min(LONGEST, first * int(2 ** min(times, 20)))
