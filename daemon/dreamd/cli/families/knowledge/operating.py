"""`dream log`: what was done, with what and why."""

from __future__ import annotations

import re
import shlex
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.core.clock import parse_instant
from dreamd.core.errors import UsageError
from dreamd.core.plain_words.for_people import stamp
from dreamd.core.values import parse_scope
from dreamd.library.line_log import told_at
from dreamd.text.injection import strip_hidden

SHOWN = 20
MOST_SHOWN = 10_000
_AGO = re.compile(r"(\d{1,5})\s?([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream log` takes."""
    parser.add_argument("line", metavar="ACTION TOOL DETAIL", nargs="*", help="what was done, with which tool, to what; left "
                        "out: the last lines")
    parser.add_argument("--reason", default="", help="why")
    parser.add_argument("--scope", help="user, project:NAME, team:NAME or local:CONVERSATION (user)")
    parser.add_argument("--query", metavar="WORD", nargs="*", help="the lines with all these words, the newest first")
    parser.add_argument("--since", metavar="TIME", help="no older ones: a time, or `2h`, `7d`, `3w` ago")
    parser.add_argument("--action", help="lines of one action")
    parser.add_argument("--tool", help="lines of one tool")
    parser.add_argument("-n", "--limit", type=int, default=SHOWN, metavar="N", help=f"most lines ({SHOWN})")


def run(context: Context, options: Namespace) -> int:
    """Write a line, or look some up."""
    from dreamd.library import operations

    asks = options.query is not None or options.since or options.action or options.tool
    if options.line and asks:
        raise UsageError("give a line to write, or what to look for, not both", hint="`dream log --query WORD…` looks lines up")
    if not options.line:
        return _look_up(context, options)
    if len(options.line) < 3:
        raise UsageError("a line is ACTION TOOL DETAIL", hint="`dream log deploy helm \"web 1.4 to staging\" --reason release`")
    action, tool, *detail = options.line
    row = operations.write_line(context.world, {"action": action, "tool": tool, "detail": " ".join(detail),
                                                "reason": options.reason}, parse_scope(options.scope or "user"))
    context.document({"entry": row, "file": str(operations.log_of(context.world).path)})
    if context.verbosity >= 0:
        context.say("logged")
    return 0


def _look_up(context: Context, options: Namespace) -> int:
    from dreamd.library import operations

    if not 1 <= options.limit <= MOST_SHOWN:
        raise UsageError(f"`--limit` must be from 1 to {MOST_SHOWN}")
    words = tuple(w for word in options.query or () for w in word.casefold().split())
    since = since_when(context, options.since)
    sought = operations.Sought(words, since, options.action or "", options.tool or "")
    found = operations.find_lines(context.world, sought)
    rows = list(islice(found, options.limit))
    more = next(found, None) is not None
    following = _next(options, rows, more=more)
    context.document({"query": " ".join(words), "entries": rows, "more": more, "next": following})
    for row in rows:
        reason = f" ({row['reason']})" if row.get("reason") else ""
        at = told_at(row)
        when = stamp(at) if at else row.get("timestamp", "")
        told = f"{when}  {row.get('action', '')}  {row.get('tool', '')}  {row.get('detail', '')}{reason}"
        context.say(render.fit(" ".join(strip_hidden(told).split()), 400))
    if not rows:
        context.say("nothing in the log fits" if words or options.since or options.action or options.tool
                    else "nothing was logged yet")
    if following:
        context.tell(f"hint: `{following[0]}`")
    return 0


def since_when(context: Context, told: str | None) -> datetime | None:
    """A time, or so long ago.

    Raises UsageError for anything else.
    """
    if not told:
        return None
    ago = _AGO.fullmatch(told.strip())
    if ago:
        return context.world.clock.now() - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    try:
        return parse_instant(told)
    except UsageError as error:
        hint = "write a day like `2026-05-07`, a time like `2026-05-07T09:30`, or how long ago: `7d`, `3w`"
        raise UsageError(f"`{render.clean(told)}`: {error.message}", hint=hint) from None


def _next(options: Namespace, rows: Sequence[dict[str, object]], *, more: bool) -> list[str]:
    """The commands that go on from here: more of the same, what it was done with, what came of it, or how to begin."""
    base = ["dream", "log", *(("--query", *options.query) if options.query else ())]
    narrowed = [*(("--action", options.action) if options.action else ()), *(("--tool", options.tool) if options.tool else ())]
    if not rows:
        wider = options.since or options.action or options.tool
        return [shlex.join(base if wider and options.query else ["dream", "log"])] if wider or options.query else [
            'dream log ACTION TOOL DETAIL --reason "why"']
    found = []
    if more:
        since = ("--since", options.since) if options.since else ()
        found.append(shlex.join([*base, *narrowed, *since, "-n", str(min(MOST_SHOWN, options.limit * 5))]))
    for name in ("tool", "action"):
        kinds = Counter(str(row.get(name, "")) for row in rows)
        if len(kinds) > 1 and not getattr(options, name):
            found.append(shlex.join([*base, *narrowed, f"--{name}", kinds.most_common(1)[0][0]]))
    newest = rows[0]
    if newest.get("tool") and (options.query or options.action):
        found.append(shlex.join(["dream", "log", "--tool", str(newest["tool"]), "--since", str(rows[-1].get("timestamp", ""))]))
    found.append(shlex.join(["dream", "search", f"{newest.get('tool', '')} {newest.get('detail', '')}"[:80].strip(), "--held"]))
    return list(dict.fromkeys(found))
