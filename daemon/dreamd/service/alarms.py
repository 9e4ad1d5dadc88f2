"""The outages of a service: flagged once, tried again when their time has come, told to a person once a day."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from dreamd.core import outage
from dreamd.core.errors import DreamError, Outage
from dreamd.core.outage import Marker
from dreamd.core.paths import Paths
from dreamd.core.world import World

RETRY_FLOOR_S = 600.0
"""A marker that no try renews or clears is not tried more often than this."""


class Alarms:
    """The markers that stand, as the service knows them."""

    def __init__(self, world: World, *, boot_id: str, event: Callable[..., None]) -> None:
        self._paths: Paths = world.paths
        self._boot_id, self._event = boot_id, event
        self._fallback = outage.runtime_dir(world.env, world.paths.home)
        self._alerted: dict[str, datetime] = {}
        self._tried_s = -RETRY_FLOOR_S
        self.markers: list[Marker] = []

    def retry_at(self, now: datetime) -> datetime | None:
        """When the latest outage is tried again; None when nothing is away or a try is due."""
        self.markers = outage.read_markers(self._paths.outage, now=now, fallback=self._fallback)
        waits = [m.next_retry_at for m in self._holding() if not outage.is_retry_due(m, now=now, boot_id=self._boot_id)]
        return max(waits, default=None)

    def wants_try(self, at_s: float) -> str:
        """The component that asks for a try although nothing else is due: only a success clears its marker."""
        if self._holding() and at_s - self._tried_s >= RETRY_FLOOR_S:
            return self._holding()[0].component
        return ""

    def _holding(self) -> list[Marker]:
        return [m for m in self.markers if m.component not in outage.DREAMS_WITHOUT]

    def tried(self, at_s: float) -> None:
        """A dream begins, which is a try for everything."""
        self._tried_s = at_s

    def flag(self, failure: Outage, now: datetime, *, quietly: bool = False) -> None:
        """Leave or renew a marker, and tell a person at most once a day; `quietly` where even a log may not be written."""
        known = next((m for m in self.markers if m.component == failure.component and m.code == failure.code), None)
        if known is not None and not outage.is_retry_due(known, now=now, boot_id=self._boot_id):
            return  # seen again on a look, which is no attempt
        try:
            marker = outage.flag(self._paths.outage, failure, now=now, owner="dream run", fallback=self._fallback)
        except DreamError as worse:
            self._event("outage.unmarked", component=failure.component, reason=worse.message)
            return
        if quietly:
            return
        self.markers = [marker, *(m for m in self.markers if m.component != marker.component)]
        spoke = self._alerted.get(marker.component)
        if outage.is_alert_due(replace(marker, alerted_at=spoke or marker.alerted_at), now):
            self._alerted[marker.component] = now  # a full disk may not take it down, and must not make us repeat it
            self._event("outage.alert", component=marker.component, code=marker.code, reason=marker.reason,
                        hint=marker.hint, attempts=marker.attempts)
            with suppress(DreamError):  # not remembered, so said once more after a restart: better than not at all
                outage.note_alert(self._paths.outage, marker, now)

    def settled(self, before: list[Marker]) -> None:
        """Tell a person once about everything that is back."""
        standing = {m.component for m in outage.read_markers(self._paths.outage, fallback=self._fallback)}
        for marker in before:
            if marker.component not in standing:
                self._alerted.pop(marker.component, None)
                self._event("outage.over", component=marker.component, code=marker.code)
