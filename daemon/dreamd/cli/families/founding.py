"""The store itself: `dream init` makes one, `dream restore-store` goes back to an earlier one."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.core.errors import StoreMissing
from dreamd.dream.going_back import begin_anew
from dreamd.dream.going_back import restore_store as go_back
from dreamd.store.intake import inbox
from dreamd.store.presence.elsewhere import refuse_elsewhere


def add_arguments(command: str, parser: ArgumentParser) -> None:
    """Declare what each command of this family takes."""
    if command == "init":
        parser.add_argument("--new", action="store_true", help="also where a store is lost or damaged; it is kept beside")
    else:
        parser.add_argument("file", metavar="FILE", nargs="?", help="a backup, packed or not (the newest sound one)")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    refuse_elsewhere(context.world.paths.store)
    commands: dict[str, Callable[[Context, Namespace], int]] = {"init": init, "restore-store": restore_store}
    return commands[context.command](context, options)


def init(context: Context, options: Namespace) -> int:
    """Make a new store and take in what waits in the inbox."""
    founded = begin_anew(context.world, anew=options.new)
    store = context.world.paths.store
    context.document({"store": str(store), "taken": founded.taken, "kept": [str(p) for p in founded.kept],
                      "warnings": list(founded.warnings)})
    context.say(f"a new store at `{store}`")
    if founded.taken:
        context.say(f"{render.count(founded.taken, 'statement')} taken in from the inbox")
    for place in founded.kept:
        context.say(f"what was there is kept as `{place}`")
    for warning in founded.warnings:
        context.warn(warning)
    return 0


def restore_store(context: Context, options: Namespace) -> int:
    """Put a verified backup in the store's place; the present one stays beside it."""
    chosen = Path(options.file).expanduser().absolute() if options.file else None
    if not context.world.paths.home.is_dir():
        raise StoreMissing(f"no home at `{context.world.paths.home}`", hint="`dream consolidate` or `dream note` makes one")
    done = go_back(context.world, chosen)
    context.document({"restored": str(done.used), "kept": str(done.kept) if done.kept else None, "saved": done.saved,
                      "whole": done.whole})
    context.say(f"restored from `{done.used}`")
    if done.kept is not None:
        context.say(f"the store that was there is kept as `{done.kept}`")
        if not done.whole:
            context.warn("it could not be read as a whole: what was noted since the backup may stand only in it")
    if inbox.list_inbox(context.world.paths):
        context.advise("what was noted since then waits in the inbox; `dream consolidate` takes it in")
    context.tell("hint: the next `dream consolidate` brings the files in line with it and makes what search finds by anew")
    return 0
