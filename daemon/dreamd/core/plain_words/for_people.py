"""Numbers, times and standing as people say them: the same words in a terminal, on a page and in a diary."""

from __future__ import annotations

from datetime import datetime, tzinfo

from dreamd.core.values import Memory, Origin, Status, Trust

VOICES = {Origin.USER: "a person", Origin.AGENT: "an agent", Origin.TOOL: "a tool", Origin.WEB: "a web page",
          Origin.IMPORT: "a file"}
"""Who said something."""
WORD_OF = {Trust.USER: "a person", Trust.AGENT: "an agent or a file", Trust.UNTRUSTED: "a tool or a web page"}
"""Whose word a memory counts for."""
ENDLESS = 1_000_000
"""The width of what is no terminal: nothing is cut or broken there."""


def clean(text: str) -> str:
    """One line without anything a terminal would obey."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def count(number: float, one: str, many: str = "") -> str:
    """`1 memory`, `1,200 memories`."""
    whole = int(number)
    plural = many or (f"{one[:-1]}ies" if one.endswith("y") and one[-2] not in "aeo" else f"{one}s")
    return f"{whole:,} {one if whole == 1 else plural}"


def ago(moment: datetime, now: datetime) -> str:
    """How long ago or how far ahead, in the coarsest unit that still says something."""
    seconds = (now - moment).total_seconds()
    if seconds >= 0:
        return past(seconds)
    return "in a moment" if seconds > -60 else f"in {span(1 - seconds)}"


def past(seconds: float) -> str:
    """How long ago something was that many seconds ago."""
    return "just now" if seconds < 60 else f"{span(seconds)} ago"


def span(seconds: float) -> str:
    """How long something lasts: `40 seconds`, `2 hours`, `3 days`."""
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            return count(seconds // size, unit)
    return count(seconds, "second")


def stamp(moment: datetime, zone: tzinfo | None = None) -> str:
    """`2026-05-07 09:30`, in the given zone or the machine's."""
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def status_word(status: str) -> str:
    """How a memory stands, in the word that is used wherever people read of it."""
    return "replaced" if status == Status.SUPERSEDED else str(status)


def outcome_words(outcome: str) -> str:
    """How a run ended."""
    return outcome.replace("-", " ") or "running"


def marks(memory: Memory) -> str:
    """What is particular about a memory, in a few signs' room."""
    told = [] if memory.status is Status.LIVE else [
        f"said on {memory.confirmed_at.date()}" if memory.status is Status.SAID else status_word(memory.status)]
    told += [f"team {memory.team}"] if memory.team else []
    told += ["pinned"] if memory.pinned else []
    told += ["edited"] if memory.edited else []
    told += ["unverified"] if memory.unverified else []
    told += [f"until {memory.ttl}"] if memory.ttl else []
    return ", ".join(told)
