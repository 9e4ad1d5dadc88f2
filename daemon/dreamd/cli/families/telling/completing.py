"""`dream completion SHELL`: the words a shell needs to complete every command, made from what the commands declare."""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace

from dreamd.cli.commands import FAMILY, GLOBAL_OPTIONS, GROUPS, SUMMARY
from dreamd.cli.context import Context
from dreamd.cli.hooking import EVENTS
from dreamd.cli.manual.topics import list_topics
from dreamd.core.errors import DreamError

SHELLS = ("bash", "zsh", "fish")
APART = frozenset({"probe", "hook"})
"""Commands that read their own words before any family is loaded."""
PROBED = ("--json", "--nagios", "--deep", "--prom", "--home", "--config", "--now")
FILES, FOLDERS = frozenset({"FILE", "PATH"}), frozenset({"DIR"})


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream completion` takes."""
    parser.add_argument("shell", choices=SHELLS, help="for which shell")


def run(context: Context, options: Namespace) -> int:
    """Print what the shell reads."""
    try:
        import shtab
    except ImportError:
        raise DreamError("`shtab` is not installed, which makes completions", hint="pip install shtab") from None
    text = shtab.complete(_everything(), options.shell)
    context.document({"shell": options.shell, "script": text})
    context.say(text.rstrip("\n"))
    return 0


def _everything() -> ArgumentParser:
    """One parser with every command of dream."""
    from dreamd.cli.main import declare, load_family
    from dreamd.cli.parser import Parser

    top = Parser(prog="dream", description="Consolidates the memory of AI agents.", allow_abbrev=False)
    for name, what in GLOBAL_OPTIONS:
        spelt, _, value = name.partition(" ")
        if spelt.startswith("--") and value:
            top.add_argument(spelt, metavar=value, help=what)
    top.add_argument("--json", action="store_true", help="one JSON document on standard output")
    commands = top.add_subparsers(metavar="COMMAND")
    for command in FAMILY:
        parser = commands.add_parser(command, help=SUMMARY[command], description=SUMMARY[command], allow_abbrev=False)
        if command not in APART:
            declare(command, load_family(command), parser)
            parser.description = SUMMARY[command]  # a shell has a line for it, however much `--help` tells
    for flag in PROBED:
        commands.choices["probe"].add_argument(flag, action="store_true", help="`dream probe --help` says what for")
    commands.choices["hook"].add_argument("event", choices=EVENTS)
    commands.add_parser("help", help="commands by family, a topic or a command at length").add_argument(
        "what", choices=[*dict.fromkeys((*(name for name, _ in GROUPS), *list_topics(), *FAMILY))])
    for parser in (top, *commands.choices.values()):
        _name_places(parser)
    return top


def _name_places(parser: ArgumentParser) -> None:
    """Say of what is a file or a folder that it is one."""
    import shtab

    for action in parser._actions:
        if _metavars(action) & FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif _metavars(action) & FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]


def _metavars(action: Action) -> set[str]:
    return {action.metavar} if isinstance(action.metavar, str) else set(action.metavar or ())
