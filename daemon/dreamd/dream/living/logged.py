"""The door to what is learned of logs: a night without one opens nothing behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from dreamd.core.values import Candidate, Logged, Scope
from dreamd.dream.apart import stands
from dreamd.kit import Kit
from dreamd.store.intake import tallies
from dreamd.store.intake.tallies import Tally
from dreamd.store.set_asides import SOURCE

OWN = "operations"
"""Dream's own log, as it is called where it lies and among the sources."""


class Gathering(Protocol):
    """What one gathering took in, as far as logs go."""

    tallies: dict[str, Tally]
    candidates: list[Candidate]
    stored: int
    lines: int


def is_used(kit: Kit, gathered: Gathering) -> bool:
    """Whether there is any log to learn from, or was one that could not be read."""
    return bool(gathered.tallies) or tallies.has_any(kit.store) or any(kit.paths.logs.glob(f"{OWN}*")) or stands(
        kit, SOURCE, OWN)


def counted(kit: Kit, gathered: Gathering, heard: Sequence[tuple[Scope, Logged]]) -> Mapping[str, Tally]:
    """What lines of logs come to, with all that was read before."""
    if not heard:
        return {}
    from dreamd.dream.living.recurring import fold

    return fold(kit.store, heard, gathered.tallies)
