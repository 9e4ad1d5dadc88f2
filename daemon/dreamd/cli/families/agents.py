"""The agents' side: `dream connect`, `disconnect`, `mcp`, and what `dream hook` takes.

A hook itself never comes this way: `hooking` answers it before a command line is even built.
"""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Callable
from pathlib import Path

from dreamd.cli.context import Context
from dreamd.core.errors import DreamError, UsageError


def add_arguments(command: str, parser: ArgumentParser) -> None:
    """Declare what each command of this family takes."""
    if command == "hook":
        parser.add_argument("event", metavar="EVENT",
                            help="session-start, user-prompt-submit, stop, pre-compact or session-end; JSON on standard input")
    elif command == "connect":
        parser.add_argument("harness", metavar="HARNESS", nargs="?", help="claude-code, codex, gemini, cursor, copilot, …")
        parser.add_argument("--list", action="store_true", help="what is installed here, connected, read how far")
        parser.add_argument("--observe", action=BooleanOptionalAction, default=None,
                            help="have the agent asked once a conversation what to remember: that prolongs a paid turn")
        parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    elif command == "disconnect":
        parser.add_argument("harness", metavar="HARNESS", help="the harness to leave alone again")
        parser.add_argument("-y", "--yes", action="store_true", help="nothing is asked here anyway")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    commands: dict[str, Callable[[Context, Namespace], int]] = {
        "connect": connect, "disconnect": disconnect, "mcp": _mcp}
    return commands[context.command](context, options)


def connect(context: Context, options: Namespace) -> int:
    """Show the change to a harness's own configuration, ask, write, check."""
    from dreamd.agents import connect as connecting

    if options.list:
        return _list(context)
    if not options.harness:
        raise UsageError("which harness?", hint="`dream connect --list` shows those installed here")
    connection = connecting.plan_connect(context.world, options.harness, observe=options.observe)
    title = connection.harness.title
    if not connection.changes:
        context.document({"harness": options.harness, "changed": [], "connected": True})
        context.say(f"{title} is connected already")
        return 0
    context.tell(connection.diff())
    if options.observe:
        context.tell("once a conversation the agent is asked for what should be remembered: that prolongs a turn you pay for")
    if not options.yes and not context.agrees(f"connect {title} like this?"):
        context.say("nothing was changed")
        return 0
    written = connecting.connect(context.world, connection)
    context.document({"harness": options.harness, "changed": [str(p) for p in written], "connected": True})
    context.advise(f"{title} is connected; `dream disconnect {options.harness}` gives every byte back")
    silent = connecting.why_silent(context.world, options.harness)
    if silent:
        context.warn(f"{title} runs no hooks now: {silent}")
    if connection.harness.note:
        context.tell(f"hint: {connection.harness.note}")
    return 0


def disconnect(context: Context, options: Namespace) -> int:
    """Take the hooks out again."""
    from dreamd.agents import connect as connecting

    restored = connecting.disconnect(context.world, options.harness)
    context.document({"harness": options.harness, "changed": [str(p) for p in restored], "connected": False})
    for path in restored:
        context.say(f"`{path}` is as it was")
    return 0


def _list(context: Context) -> int:
    from dreamd.agents import connect as connecting
    from dreamd.cli.printing.render import count

    rows = [{"harness": s.harness.name, "title": s.harness.title, "installed": s.installed, "connected": s.connected,
             "file": str(s.file), **_read_so_far(context, s.harness.kind)} for s in connecting.list_harnesses(context.world)]
    context.document({"harnesses": rows})
    for row in rows:
        standing = "connected" if row["connected"] else "installed" if row["installed"] else "not found"
        read = f", {count(int(str(row['sources'])), 'source')} read" if row["sources"] else ""
        context.say(f"{row['harness']:<12} {standing}{read}")
    return 0


def _read_so_far(context: Context, kind: str) -> dict[str, object]:
    from dreamd.store import work
    from dreamd.store.connection import open_reader

    try:
        store = open_reader(context.world.paths.store)
    except DreamError:
        return {"sources": 0, "lines": 0}
    with store:
        read = [s for s in work.load_sources(store) if s.kind.startswith(kind)]
    return {"sources": len(read), "lines": sum(s.lines for s in read)}


def _mcp(context: Context, _options: Namespace) -> int:
    from dreamd.agents import mcp_server

    mcp_server.serve(context.world, directory=Path.cwd())
    return 0
