"""The operational log: what was done with which tool and why, one line each, written at once and looked up in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from dreamd.core.clock import iso
from dreamd.core.errors import UsageError
from dreamd.core.values import Scope
from dreamd.core.world import World
from dreamd.library.line_log import LineLog, told_at
from dreamd.text.injection import strip_hidden
from dreamd.text.redaction import mask_scope, redact

NAME = "operations"
LONGEST = {"action": 200, "tool": 200, "detail": 4_000, "reason": 2_000}
FIELDS = ("action", "tool", "detail", "reason")


@dataclass(frozen=True)
class Sought:
    """What somebody asks the log: every word somewhere in a line, since when, of which action and tool."""

    words: tuple[str, ...] = ()
    since: datetime | None = None
    action: str = ""
    tool: str = ""

    def fits(self, row: dict[str, object]) -> bool:
        """Whether a line is meant."""
        if self.action and str(row.get("action", "")).casefold() != self.action.casefold():
            return False
        if self.tool and str(row.get("tool", "")).casefold() != self.tool.casefold():
            return False
        if self.since:
            at = told_at(row)
            if at is None or at < self.since:
                return False
        if not self.words:
            return True
        said = " ".join(str(row.get(name, "")) for name in FIELDS).casefold()
        return all(word in said for word in self.words)


def log_of(world: World) -> LineLog:
    """The operational log of a home."""
    return LineLog(world.paths, NAME, world.settings.log)


def write_line(world: World, told: dict[str, str], scope: Scope) -> dict[str, object]:
    """Add one line, its secrets masked; gives it back as it was written.

    Raises UsageError for a line that says too little or too much.
    """
    row: dict[str, object] = {"timestamp": iso(world.clock.now())}
    for name in FIELDS:
        text = " ".join(strip_hidden(told.get(name, "")).split())
        if not text and name != "reason":
            raise UsageError(f"the {name} is empty", hint="`dream log ACTION TOOL DETAIL`, `dream log deploy helm \"web 1.4\"`")
        if len(text) > LONGEST[name]:
            raise UsageError(f"the {name} is longer than {LONGEST[name]} characters", hint="a line tells one thing done")
        row[name] = redact(text).text
    scope = mask_scope(scope)
    if scope.kind != "user":
        row["scope"] = str(scope)
    log = log_of(world)
    log.rotate_if_due(world.clock.now())
    log.append([row])
    return row


def find_lines(world: World, sought: Sought) -> Iterator[dict[str, object]]:
    """Lines that are meant, the newest first, out of what was rotated too."""
    return (row for row in log_of(world).newest_first() if sought.fits(row))
