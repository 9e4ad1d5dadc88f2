"""What is known before a store is opened. Apart from `kit`, so that a note pays for nothing that only a dream needs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from dreamd.core.clock import Clock
from dreamd.core.paths import Paths, default_home, home_at, system_zone_name
from dreamd.core.settings import Settings

_COMMAND = re.compile(r"`dream (?!help\b)([a-z][^`]*)`")
_READING = frozenset({"consolidate", "ingest", "run", "service", "sources"})
"""What reads as the settings say: with others than it was called with it would read something else."""


@dataclass(frozen=True)
class Called:
    """Home and settings file as a person named them, so that what they copy from a screen is about the same."""

    home: str = ""
    """Empty where dream finds it by itself."""
    config: str = ""

    @classmethod
    def by(cls, home: object, config: object, env: Mapping[str, str]) -> Called:
        """As options named them; a home that dream finds by itself need not be named."""
        return cls(str(home) if home and home_at(str(home)) != default_home(env) else "", str(config or ""))

    def command(self, words: str) -> str:
        """A whole command line: `dream --home .sample undo 1f2e`."""
        config = self.config if words.partition(" ")[0] in _READING else ""
        named = [f"--{name} {shlex.quote(value)}" for name, value in (("home", self.home), ("config", config)) if value]
        return " ".join(("dream", *named, words))

    def told(self, sentence: str) -> str:
        """A sentence of ours with the commands it names as they have to be typed; never words that somebody said."""
        return _COMMAND.sub(lambda found: f"`{self.command(found[1])}`", sentence) if self.home or self.config else sentence


@dataclass(frozen=True)
class World:
    """Places, settings, time and the environment."""

    paths: Paths
    settings: Settings
    clock: Clock
    env: Mapping[str, str]
    called: Called = Called()

    @property
    def zone_name(self) -> str:
        """The zone a new store would count its days in."""
        chosen = self.settings.store.zone
        return system_zone_name(self.env) if chosen == "auto" else chosen
