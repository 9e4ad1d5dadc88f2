"""A word on the desktop, where a person wants one: that something waits for a decision, or that health is bad. Once a day."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from dreamd import probe
from dreamd.core import fsio
from dreamd.core.clock import iso
from dreamd.core.errors import DreamError
from dreamd.core.paths import default_config
from dreamd.core.world import World
from dreamd.store.connection import open_reader
from dreamd.store.memories import count_by_status

NOTIFIED_ON = "notified-on"
"""The file that says on which day a word was last put on the desktop."""
BETWEEN_S = 600.0
"""Between two looks: nothing that a day is enough for is worth more."""
LONGEST_S = 5.0


def look(world: World, looked_s: float) -> float:
    """Say what a person should know, unless it was said today; gives when this was last looked at, in monotonic seconds."""
    now_s = world.clock.monotonic()
    if now_s - looked_s < BETWEEN_S:
        return looked_s
    mark, today = world.paths.primed / NOTIFIED_ON, iso(world.clock.now())[:10]
    with suppress(DreamError, OSError):  # a word is never worth more than the service
        if not (mark.exists() and fsio.read_bytes(mark).decode("ascii", "replace") == today):
            words = what_to_say(world)
            if words and put_on_desktop(words, path=world.env.get("PATH")):
                fsio.write_atomic(mark, today.encode())
    return now_s


def what_to_say(world: World) -> str:
    """That something waits or is wrong, in one line; empty where nothing is."""
    with open_reader(world.paths.store) as store:
        held = count_by_status(store).get("held", 0)
    report = probe.inspect(probe.World(home=str(world.paths.home), now=world.clock.now(), env=dict(world.env),
                                       config=str(world.settings.path or default_config(world.env)), fixed=False, deep=False))
    told = [f"{held} {'memory waits' if held == 1 else 'memories wait'} for your decision: "
            f"{world.called.command('review')}"] if held else []
    told += [f"{report.verdict}: {report.reason}"] if report.code else []
    return "; ".join(told)


def put_on_desktop(words: str, *, path: str | None) -> bool:
    """Whether a desktop took the words; False where there is none, and no failure."""
    command = _command(words, path)
    if not command:
        return False
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=LONGEST_S, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _command(words: str, path: str | None) -> Sequence[str]:
    if found := shutil.which("notify-send", path=path):
        return (found, "--app-name=dream", "dream", words)
    if found := shutil.which("osascript", path=path):
        # The words go in as an argument: in the script they would be part of it.
        script = ("on run argv", 'display notification (item 1 of argv) with title "dream"', "end run")
        return (found, *(word for line in script for word in ("-e", line)), words)
    return ()
