"""How long a dream may take that a person asked to fit in: by what waits, what feeds the machine, and who else is at work."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from dreamd.core.errors import StoreMissing
from dreamd.core.settings import ServiceSettings
from dreamd.core.world import World
from dreamd.kit import open_kit
from dreamd.service.gating.idle import Pace, Permission, Signal, Surroundings, judge_surroundings, read_surroundings
from dreamd.service.gating.pause import parse_span
from dreamd.store.observations import count_pending

LEAST_S = 60.0
PER_OBSERVATION_S = 0.1
"""About what an observation costs from its vector to its memory, on a slow machine."""
ON_BATTERY_S = 120.0
BESIDE_OTHERS_S = 300.0


@dataclass(frozen=True)
class Allotment:
    """The time a dream may take and its pace, with the reasons; no time at all where it should not start."""

    limit_s: float
    pace: Pace
    words: str

    def told(self) -> str:
        """The same in a line."""
        rests = "" if self.pace is Pace.FULL else ", with rests"
        return f"budget: {self.limit_s:g} s{rests} ({self.words})" if self.limit_s else f"not now: {self.words}"

    def document(self) -> dict[str, object]:
        """The same for programs."""
        return {"limit_s": round(self.limit_s, 2), "pace": self.pace.value, "why": self.words}


def allot_now(world: World, wanted: str) -> Allotment:
    """The time that somebody gave, as `10m`, or for `auto` what the machine has to spare now.

    Raises UsageError for what is no length of time.
    """
    if wanted != "auto":
        return Allotment(parse_span(wanted).total_seconds(), Pace.FULL, "as it was asked for")
    waiting = 0
    with suppress(StoreMissing), open_kit(world, read_only=True) as kit:
        waiting = count_pending(kit.store)[0]
    seen = read_surroundings(world.paths.home, agents_quiet_s=None, settled_s=None)
    return allot(seen, judge_surroundings(seen, world.settings.service), world.settings.service, waiting=waiting)


def allot(seen: Surroundings, permission: Permission, rules: ServiceSettings, *, waiting: int) -> Allotment:
    """Choose how long a dream may take now."""
    never = [h.words for h in permission.holds if h.gate in ("battery", "disk")]
    if never:
        return Allotment(0.0, Pace.FULL, "; ".join(never))
    reasons = [f"{waiting} waiting" if waiting else "nothing waits that is known"]
    limit_s = min(max(LEAST_S, waiting * PER_OBSERVATION_S), rules.child_timeout_minutes * 60.0)
    pace = Pace.FULL
    if seen.on_battery is Signal.YES:
        limit_s = min(limit_s, ON_BATTERY_S)
        charge = f" at {seen.battery_percent:.0f} %" if seen.battery_percent is not None else ""
        reasons.append(f"on battery{charge}")
    others = [h.words for h in permission.holds if h.gate == "pressure"]
    if others or seen.person_active is Signal.YES:
        limit_s, pace = min(limit_s, BESIDE_OTHERS_S), Pace.PACED
        reasons += others or ["somebody works here"]
    elif seen.load_per_core is not None:
        reasons.append(f"load {seen.load_per_core:.2f} per core")
    return Allotment(limit_s, pace, ", ".join(reasons))
