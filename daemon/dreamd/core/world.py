"""What is known before a store is opened. Apart from `kit`, so that a note pays for nothing that only a dream needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dreamd.core.clock import Clock
from dreamd.core.paths import Paths, system_zone_name
from dreamd.core.settings import Settings


@dataclass(frozen=True)
class World:
    """Places, settings, time and the environment."""

    paths: Paths
    settings: Settings
    clock: Clock
    env: Mapping[str, str]

    @property
    def zone_name(self) -> str:
        """The zone a new store would count its days in."""
        chosen = self.settings.store.zone
        return system_zone_name(self.env) if chosen == "auto" else chosen
