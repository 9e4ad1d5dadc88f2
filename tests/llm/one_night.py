"""One night of asking in a process of its own, as a dream has it: `python one_night.py HOME URL NOW COUNT SETTINGS`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from asking import question

from dreamd.core.clock import FixedClock, parse_instant
from dreamd.core.paths import Paths, read_environment
from dreamd.core.settings import build_settings
from dreamd.core.world import World
from dreamd.kit import open_kit
from dreamd.llm.desk import open_desk


def main(home: str, url: str, now: str, count: str, settings: str) -> None:
    """Ask some questions, the same ones every night and some of this night alone."""
    tables = {"llm": {"backend": "openai", "model": "stand-in", "base_url": url, **json.loads(settings)}}
    world = World(Paths(Path(home)), build_settings(tables), FixedClock(parse_instant(now)), read_environment())
    with open_kit(world, create=True, migrate=True) as kit, open_desk(kit) as desk:
        for n in range(int(count)):
            answer = desk.ask(question(f"{now} {n}" if n % 2 else f"always {n}", scope=f"project:p{n}"))
            print(answer.ending.value)


if __name__ == "__main__":
    main(*sys.argv[1:])
