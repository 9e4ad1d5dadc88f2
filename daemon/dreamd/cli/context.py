"""What a command works with: the world, how to speak, and to whom. Built once; the only place that knows the streams."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO

from dreamd.core.chosen.settings_environment import read_settings
from dreamd.core.clock import Clock, FixedClock, SystemClock, parse_instant
from dreamd.core.errors import Refused, UsageError
from dreamd.core.paths import Paths, default_config, default_home, home_at, read_environment
from dreamd.core.plain_words.for_people import ENDLESS
from dreamd.core.world import Called, World

NARROWEST = 40
ORDINARY = 100
"""Columns of a terminal that was not told its size."""


@dataclass(frozen=True)
class Wanted:
    """The options every command takes."""

    home: str | None = None
    config: str | None = None
    now: str | None = None
    json: bool = False
    verbosity: int = 0


@dataclass(frozen=True)
class Context:
    """The world and the voice of one command."""

    world: World
    command: str
    json: bool
    verbosity: int
    stdin: BinaryIO
    stdout: TextIO
    stderr: TextIO
    colour: bool
    width: int

    def say(self, text: str = "") -> None:
        """What a person asked for, on standard output; nothing in JSON mode."""
        if not self.json:
            self.stdout.write(text + "\n")

    def tell(self, text: str) -> None:
        """A word of ours beside the answer, on standard error; nothing with `-q`."""
        if self.verbosity >= 0:
            self.stderr.write(self.world.called.told(text) + "\n")
            self.stderr.flush()

    def advise(self, text: str = "") -> None:
        """The same on standard output; its commands are told as they have to be typed, so no words of a memory stand in it."""
        self.say(self.world.called.told(text))

    def warn(self, text: str) -> None:
        """A warning on standard error."""
        self.stderr.write(f"warning: {self.world.called.told(text)}\n")
        self.stderr.flush()

    def document(self, document: Mapping[str, object]) -> None:
        """The one JSON document; nothing without `--json`."""
        if self.json:
            self.stdout.write(encode(document) + "\n")

    @property
    def asks(self) -> bool:
        """Whether somebody sits there who can be asked."""
        return not self.json and self.stdin.isatty() and self.stderr.isatty()

    def agrees(self, question: str) -> bool:
        """Whether a person says yes to a change they have seen; raises Refused where nobody can be asked."""
        if not self.asks:
            raise Refused("nothing was changed: there is nobody to ask", hint="pass `--yes` once you have seen the difference")
        self.stderr.write(f"\n{question} [y/N] ")
        self.stderr.flush()
        return self.stdin.readline().decode("utf-8", "replace").strip().lower() in ("y", "yes")


def encode(document: Mapping[str, object]) -> str:
    """One line of JSON."""
    return json.dumps(document, ensure_ascii=False, separators=(", ", ": "))


def build_context(command: str, wanted: Wanted) -> Context:
    """Read environment, settings and streams.

    Raises UsageError for a place or time that cannot be, ConfigError for settings that cannot be used.
    """
    env = read_environment()
    named = _place(wanted.home, "--home")
    home = home_at(named) if named else default_home(env)
    if home.exists() and not home.is_dir():
        raise UsageError(f"the home `{home}` is not a directory", hint="choose another place with `--home`")
    config = _place(wanted.config, "--config")
    settings = read_settings(config or default_config(env), env, required=bool(config or env.get("DREAM_CONFIG")))
    if settings.store.url and command != "team":
        from dreamd.store.team.pointer import point

        point(Paths(home).store, settings.store.url, settings.store.tenant)
    context = Context(
        World(Paths(home), settings, _clock(wanted.now or env.get("DREAM_NOW")), env,
              Called.by(wanted.home, wanted.config, env)), command, wanted.json,
        wanted.verbosity, sys.stdin.buffer, sys.stdout, sys.stderr,
        colour=wants_colour(sys.stdout, env), width=_width(sys.stdout, env))
    for warning in settings.warnings:
        context.warn(warning)
    return context


def _place(text: str | None, option: str) -> Path | None:
    if text is None:
        return None
    if not text.strip():
        raise UsageError(f"`{option}` needs a place")
    return Path(text).expanduser().absolute()


def _clock(now: str | None) -> Clock:
    if not now:
        return SystemClock()
    try:
        return FixedClock(parse_instant(now))
    except UsageError as error:
        raise UsageError(f"`--now`: {error.message}", hint=error.hint) from None


def _width(stream: TextIO, env: Mapping[str, str]) -> int:
    """Columns there are: those of a terminal, and no end of them in a pipe or a file, where nothing is cut."""
    if not stream.isatty():
        return ENDLESS
    told = env.get("COLUMNS", "")
    try:
        columns = int(told) if told.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return max(NARROWEST, columns or ORDINARY)  # a terminal that was not told its size says 0


def wants_colour(stream: TextIO, env: Mapping[str, str]) -> bool:
    """Whether colours mean something to whoever reads a stream, and are wanted."""
    return stream.isatty() and not env.get("NO_COLOR") and env.get("TERM") != "dumb"
