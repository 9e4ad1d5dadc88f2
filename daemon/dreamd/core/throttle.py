"""How fast a dream may work, how large its batches are, and how often a conversation is extracted.

Work is counted in cost tokens, as a database vacuum counts its own: what is cheap for us may be dear for
the disk. Pauses happen between batches, never under a lock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

ROW_READ = 1
ROW_WRITTEN = 5
EMBEDDING = 50

POINTS_PER_PAUSE = 200
PAUSE_S = 0.02
PACED_SHARE = 0.25
LONGEST_PAUSE_S = 2.0

BATCH_ROWS = 128
SMALLEST_BATCH = 4
BATCH_BUDGET_S = 0.002
"""Longest a batch goes on under the write lock, its commit apart: a note that meets it waits as long again as it takes."""
YIELDS_PER_HALVING = 3
YIELDS_UNTIL_STARVED = 10
STARVED_PAUSE_S = 0.1
"""Between batches once ten in a row found somebody waiting. A dream that steps aside goes on where it was and loses
nothing, so it trickles through a busy hour; a long pause would only hold its lock idle."""

COMPANY_S = 3.0
"""Whoever wrote so recently is likely to write again: a dream then leaves store and disk alone most of the time."""
REST_SHARE = 0.8
"""Of the time with company that goes by between two pieces of a dream's writing: most writers then meet none of them."""
CROWD_REST_SHARE = 0.9
"""The same among others who leave no time for a piece of a dream between two writes of theirs."""
LONGEST_REST_S = 0.5
COMPANY_BATCH_S = 0.0005
"""Longest a batch goes on with company, its commit apart: a writer who meets one waits about as long as for its own commit."""
LOOK_S = 0.001
"""Between two looks for other writers, while a dream waits for its turn among them."""
BLIND_S = 0.01
"""Whoever has not looked for so long does not know when the others wrote, only that they did."""
RHYTHM_S = (0.01, 0.15)
"""Shortest and longest time between two writes of others after which a dream goes right after one of them: then it is
done before the next."""

CLOCK_STEP = timedelta(minutes=5)


class Ticking(Protocol):
    """The part of a clock that pacing needs."""

    def monotonic(self) -> float: ...
    def sleep(self, seconds: float) -> None: ...


class Throttle:
    """Spends cost tokens and sleeps when they are used up; free of any pause unless `paced`."""

    def __init__(self, clock: Ticking, *, paced: bool, should_stop: Callable[[], bool] | None = None) -> None:
        self.paced = paced
        self._clock = clock
        self._should_stop = should_stop
        self._owed = 0
        self._rested_at = clock.monotonic()

    def spend(self, points: int) -> None:
        """Count work that was done; call between batches, for it may sleep."""
        if not self.paced:
            return
        self._owed += points
        pauses, self._owed = divmod(self._owed, POINTS_PER_PAUSE)
        if pauses:
            worked_s = max(0.0, self._clock.monotonic() - self._rested_at)
            self._rest(max(pauses * PAUSE_S, worked_s * (1 - PACED_SHARE) / PACED_SHARE))
            self._rested_at = self._clock.monotonic()

    def _rest(self, seconds: float) -> None:
        # In short naps, so that a dream that is asked to stop does not sleep through it.
        left = min(seconds, LONGEST_PAUSE_S)
        while left > 0 and not (self._should_stop and self._should_stop()):
            nap = min(left, 0.1)
            self._clock.sleep(nap)
            left -= nap


@dataclass(frozen=True)
class Batching:
    """How many rows the next batch takes; politeness shrinks it, so that it finishes rather than restarts."""

    rows: int = BATCH_ROWS
    yields: int = 0

    @property
    def starved(self) -> bool:
        """Ten yields in a row: somebody always waits, and the dream leaves the store to them most of the time."""
        return self.yields >= YIELDS_UNTIL_STARVED

    @property
    def pause_s(self) -> float:
        """How long to keep away from the store before the next batch."""
        return STARVED_PAUSE_S if self.starved else 0.0

    def after_yield(self) -> Batching:
        """Somebody waited: three in a row halve the batch."""
        yields = self.yields + 1
        rows = max(SMALLEST_BATCH, self.rows // 2) if yields % YIELDS_PER_HALVING == 0 else self.rows
        return Batching(rows, yields)

    def after_batch(self, seconds: float) -> Batching:
        """Nobody waited: the row of yields ends, and the size follows the time budget."""
        if seconds > BATCH_BUDGET_S:
            return Batching(max(SMALLEST_BATCH, self.rows // 2), 0)
        return Batching(min(BATCH_ROWS, self.rows * 2) if seconds < BATCH_BUDGET_S / 2 else self.rows, 0)


@dataclass(frozen=True)
class Company:
    """Whether others write too and in what rhythm, as a dream finds it when it looks between two pieces of its own writing."""

    met_s: float | None = None
    """When somebody else had written since the look before, on the monotonic clock."""
    gap_s: float | None = None
    """What lies between two writes of others, most of the time; None where they come and go unseen."""
    looked_s: float | None = None
    sharp: bool = False
    """Whether `met_s` is the moment itself, and not only that of the first look after a while."""
    rest_until_s: float = 0.0

    def after_look(self, *, met: bool, now_s: float) -> Company:
        """What is known after another look."""
        blind = self.looked_s is None or now_s - self.looked_s > BLIND_S
        if not met:
            return replace(self, looked_s=now_s, sharp=self.sharp and not blind)
        gap_s = self.gap_s
        if self.met_s is not None and self.sharp and not blind:
            gap_s = now_s - self.met_s if gap_s is None else (3 * gap_s + now_s - self.met_s) / 4
        return replace(self, met_s=now_s, gap_s=gap_s, looked_s=now_s, sharp=not blind)

    def after_work(self, worked_s: float, *, now_s: float) -> Company:
        """What is known after a piece of writing of the dream's own: how long it keeps away, if others wrote of late."""
        crowded = self.gap_s is not None and self.gap_s < RHYTHM_S[0]
        share = CROWD_REST_SHARE if crowded else REST_SHARE
        return replace(self, rest_until_s=now_s + min(LONGEST_REST_S, worked_s * share / (1 - share)))

    def is_here(self, now_s: float) -> bool:
        """Whether somebody else wrote of late."""
        return self.met_s is not None and now_s - self.met_s <= COMPANY_S

    def has_rhythm(self, now_s: float) -> bool:
        """Whether others leave enough time between two writes for a piece of ours."""
        return self.is_here(now_s) and self.gap_s is not None and RHYTHM_S[0] <= self.gap_s <= RHYTHM_S[1]

    def wait_s(self, now_s: float) -> float:
        """Seconds until the next look; 0 when it is the dream's turn.

        Whoever wrote a moment ago does not write this very moment again: so a dream goes right after somebody and not
        right before, where the others keep a rhythm. Whoever falls out of it is waited for twice as long as it lasts.
        """
        if not self.is_here(now_s) or self.met_s is None:
            return 0.0
        if now_s < self.rest_until_s:
            return min(LOOK_S, self.rest_until_s - now_s)
        if self.gap_s is None or not self.has_rhythm(now_s):
            return 0.0
        is_right_after = now_s - self.met_s <= self.gap_s / 4
        return 0.0 if is_right_after or now_s > self.rest_until_s + 2 * self.gap_s else LOOK_S


@dataclass(frozen=True)
class Talk:
    """What is known about one conversation since it was extracted last."""

    turns: int = 0
    """Completed turns since then."""
    ended: bool = False
    compacted: bool = False
    staged: bool = False
    """Something came in while an extraction ran; it goes at once, without asking the throttle."""
    last_at: datetime | None = None


def is_extraction_due(talk: Talk, *, every_turns: int, min_minutes: float, now: datetime) -> bool:
    """Every N turns, at the end or at a compaction, not more often than every M minutes; staged work at once."""
    if talk.staged:
        return True
    if not (talk.turns >= every_turns or (talk.turns and (talk.ended or talk.compacted))):
        return False
    if talk.last_at is None or talk.last_at > now + CLOCK_STEP:
        return True  # a time from the future is a stepped clock and no reason to wait for it
    return now - talk.last_at >= timedelta(minutes=min_minutes)


def after_extraction(talk: Talk, *, now: datetime, staged: bool = False) -> Talk:
    """The state after an extraction that started at the turns counted so far."""
    return replace(talk, turns=0, ended=False, compacted=False, staged=staged, last_at=now)
