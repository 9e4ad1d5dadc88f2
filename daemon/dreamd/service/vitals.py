"""What the supervisor says about itself: its heartbeat for those who look, and readiness, status and progress for systemd."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from dreamd.core import telemetry
from dreamd.core.clock import iso
from dreamd.core.telemetry import Heartbeat, read_beat
from dreamd.core.world import World
from dreamd.service.gating.due import Due, Reading
from dreamd.service.memo import Memo


class Notifier:
    """Speaks to `$NOTIFY_SOCKET`; says nothing where there is none."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._address = env.get("NOTIFY_SOCKET", "")

    def tell(self, *lines: str) -> bool:
        """Send lines such as `READY=1`; False when nobody listens."""
        if not self._address.startswith(("/", "@")):
            return False
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
            line.setblocking(False)  # a listener that does not read must not hold us up
            line.sendto("\n".join(lines).encode(), address)
            return True
        return False


IDLE_BEAT_S = 115.0


@dataclass(frozen=True)
class State:
    """What the service is doing."""

    name: str
    """`idle`, `working`, `paused` or `waiting`."""
    holds: tuple[str, ...] = ()
    due: Due | None = None
    due_since: datetime | None = None


class Vitals:
    """Writes the heartbeat when it says something new; an unchanged one seldom, for a disk wears by what nobody reads."""

    def __init__(self, world: World, notifier: Notifier, *, boot_id: str) -> None:
        self._paths, self._notifier = world.paths, notifier
        self._heart = Heartbeat(world.paths.heartbeat, "service", boot_id=boot_id)
        self._beaten_s = -IDLE_BEAT_S

    @property
    def pid(self) -> int:
        return self._heart.beat.pid

    def tell(self, state: State, memo: Memo, counters: Mapping[str, int], *, reading: Reading, awake_since: datetime) -> None:
        """Say how things stand."""
        at_s, now = reading.monotonic_s, reading.wall
        old, backlog = self._heart.beat, memo.backlog
        working = read_beat(telemetry.cycle_beat_path(self._paths)) if state.name == "working" else None
        beat = replace(
            old, state=state.name, holds=state.holds, phase=working.phase if working else "",
            waiting=backlog.waiting, done=working.done if working else 0, total=working.total if working else 0,
            last_success_at=iso(backlog.last_success_at) if backlog.last_success_at else "",
            due_since=iso(state.due_since) if state.due_since else "", sequence=old.sequence + 1,
            since=old.since if old.state == state.name and old.since else iso(now),
            next_due_at=iso(state.due.next_at) if state.due is not None and state.due.next_at else "",
            awake_since=iso(awake_since), counters={**counters, "epoch": memo.epoch})
        same = replace(beat, sequence=old.sequence, at=old.at, boot_s=old.boot_s, awake_s=old.awake_s) == old
        if not same or state.name == "working" or at_s - self._beaten_s >= IDLE_BEAT_S:
            self._heart.write(beat)
            self._beaten_s = at_s
        told = f"{state.name} {beat.phase} {beat.done}/{beat.total}" if beat.phase else "; ".join((state.name, *state.holds))
        self._notifier.tell(f"STATUS={told[:200]}")

    def end(self) -> None:
        """A clean end leaves no heartbeat."""
        self._heart.remove()
