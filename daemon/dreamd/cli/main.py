"""The command `dream`: find the command, load its family alone, turn what went wrong into a sentence and an exit code."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from dreamd import __version__
from dreamd.cli.commands import FAMILY, SUMMARY, nearest, overview
from dreamd.cli.told import Told
from dreamd.core.errors import Corrupt, CouldNotLook, DreamError, Outage, UsageError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from types import FrameType

    from dreamd.cli.context import Context

VALUED = ("--home", "--config", "--now")
FLAGS = ("--json", "--quiet", "--verbose")
CHECKS = frozenset({"audit", "doctor"})
"""Commands whose exit code 1 says that something was found."""
HELP, MAN = "help", "--man"
INTERRUPTED = 130
TERMINATED = 143
PASSING = frozenset({"store-busy"})
"""Outages that are over before anyone could read a marker."""


class Terminated(BaseException):
    """The process was asked to stop; nothing between here and `main` may swallow it."""


class Call(NamedTuple):
    """What was typed: the command and everything else in its order."""

    command: str | None
    words: tuple[str, ...]
    version: bool = False


class Family(Protocol):
    """What a module of commands offers."""

    def add_arguments(self, command: str, parser: ArgumentParser) -> None:
        """Declare what a command takes beside the common options."""

    def run(self, context: Context, options: Namespace) -> int:
        """Carry the command out and give its exit code; raise DreamError for what went wrong."""
        ...


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out one command line and give back its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    _ready_streams()
    # Idle threads of what multiplies matrices spin: half a second of a small dream. Read when numpy is loaded, later than this.
    os.putenv("OPENBLAS_NUM_THREADS", "1")
    signal.signal(signal.SIGTERM, _terminate)
    try:
        code = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough; what it did not read is not our failure.
        _close_stdout()
        return 0
    except OSError as error:
        _close_stdout()
        command = _command(words)
        if command == "hook":  # nobody listens any more, and a hook says nothing else
            return 0
        sys.stderr.write(f"error: cannot write the answer: {error.strerror}\n")
        return CouldNotLook.exit_code if command in CHECKS else 1
    return code


def read_call(words: Sequence[str]) -> Call:
    """Find the command among the options that may stand before it.

    Raises UsageError for an option that is none of the common ones, or a command there is not.
    """
    place = 0
    while place < len(words):
        word = words[place]
        if word in ("-h", "--help"):
            return Call(None, ())
        if word == "--version":
            return Call(None, (), version=True)
        if word in VALUED:
            place += 2
        elif word in FLAGS or word.startswith(tuple(f"{v}=" for v in VALUED)) or _is_volume(word):
            place += 1
        elif word.startswith("-"):
            raise UsageError(f"unknown option `{word.split('=')[0]}`", hint="see `dream --help`")
        else:
            break
    if place >= len(words):
        return Call(None, ())
    command, rest = words[place], (*words[:place], *words[place + 1:])
    if command != HELP and command not in FAMILY:
        close = nearest(command)
        raise UsageError(f"there is no command `{command}`",
                         hint=f"did you mean `dream {close}`?" if close else "see `dream --help`")
    return Call(command, rest)


def _run(words: list[str]) -> int:
    context: Context | None = None
    command = ""
    try:
        call = read_call(words)
        if call.command is None:
            sys.stdout.write(f"dream {__version__}\n" if call.version else overview() + "\n")
            return 0
        if call.command == HELP:
            call = _help(call)
        command = call.command or ""
        if not command:
            return 0
        if command == "probe":
            from dreamd import probe

            return probe.main(list(call.words))
        if command == "hook" and not {"-h", "--help"} & set(call.words):
            from dreamd.cli import hooking

            return hooking.main(call.words)
        family = load_family(command)
        options = _parse(command, family, call.words)
        context = _build_context(command, options)
        return family.run(context, options)
    except SystemExit as asked:  # argparse printed the help of a command
        return int(asked.code or 0)
    except KeyboardInterrupt:
        return _stopped(INTERRUPTED, command)
    except Terminated:
        return _stopped(TERMINATED, command)
    except BrokenPipeError:
        raise
    except Told as told:
        failed = _report(told.error, None if told.marked else context, command, wants_json=False)
    except DreamError as error:
        failed = _report(_of_check(error, command), context, command, wants_json=_wants_json(words))
    except Exception as error:  # noqa: BLE001 - the one place where an unforeseen error becomes a sentence
        failed = _report(_of_check(_crashed(error, context), command), context, command, wants_json=_wants_json(words))
    # A hook must never be the reason that an agent's session fails.
    return 0 if command == "hook" else failed


def _help(call: Call) -> Call:
    """Print what there is to be told; gives the call that is left where it is the help of a command."""
    from dreamd.cli.manual.help_told import tell

    words = [word for before, word in zip(("", *call.words), call.words, strict=False)
             if before not in VALUED and (word == MAN or not word.startswith("-"))]
    told = tell(words)
    if told is None:
        return Call(next(word for word in words if word in FAMILY), ("--help",))
    sys.stdout.write(told + "\n")
    return Call(None, ())


def load_family(command: str) -> Family:
    """The module that carries out a command."""
    return cast(Family, import_module(f"dreamd.cli.families.{FAMILY[command]}"))


def _parse(command: str, family: Family, words: Sequence[str]) -> Namespace:
    from argparse import RawDescriptionHelpFormatter

    from dreamd.cli.parser import Parser

    summary = SUMMARY[command]
    parser = Parser(prog=f"dream {command}", description=_capital(summary), allow_abbrev=False, epilog=_examples(command),
                    formatter_class=RawDescriptionHelpFormatter)
    declare(command, family, parser)
    return parser.parse_intermixed_args(list(words)) if _mixes(parser) else parser.parse_args(list(words))


def declare(command: str, family: Family, parser: ArgumentParser) -> None:
    """Declare everything one command takes."""
    family.add_arguments(command, parser)
    common = parser.add_argument_group("everywhere")
    common.add_argument("--home", metavar="DIR", help="everything dream writes lives below it")
    common.add_argument("--config", metavar="FILE", help="settings file")
    common.add_argument("--now", metavar="TIME", help="act as if it were this time (ISO 8601)")
    common.add_argument("--json", action="store_true", help="one JSON document on standard output")
    common.add_argument("-q", "--quiet", action="count", default=0, help="quieter")
    common.add_argument("-v", "--verbose", action="count", default=0, help="louder")


def _capital(summary: str) -> str:
    return f"{summary[0].upper()}{summary[1:]}."


def _examples(command: str) -> str:
    from dreamd.cli.examples import EXAMPLES, lines_of

    return "\n".join(["examples:", *lines_of(EXAMPLES[command])]) if command in EXAMPLES else ""


def _mixes(parser: ArgumentParser) -> bool:
    """Options may stand between positional words, except where a family has commands of its own."""
    return parser._subparsers is None


def _build_context(command: str, options: Namespace) -> Context:
    from dreamd.cli.context import Wanted, build_context

    wanted = Wanted(options.home, options.config, options.now, options.json, options.verbose - options.quiet)
    return build_context(command, wanted)


def _report(error: DreamError, context: Context | None, command: str, *, wants_json: bool) -> int:
    """Say what went wrong and what to do, leave a marker where something is away, and give the exit code."""
    message, hint = error.message, error.hint
    if isinstance(error, Outage) and context is not None and error.code not in PASSING:
        unmarked = _flag(error, context, command)
        if unmarked:
            message = unmarked
    told = context.world.called.told if context is not None else str
    message, hint = told(_masked(message)), told(_masked(hint)) if hint else hint
    sys.stderr.write(f"{_painted('error:', '31')} {_line(message)}\n")
    if hint:
        sys.stderr.write(f"hint: {_line(hint)}\n")
    sys.stderr.flush()
    if wants_json:
        from dreamd.cli.context import encode

        name = type(error).__name__ if error.exit_code != 1 else "DreamError"
        sys.stdout.write(encode({"error": {"name": name, "message": message, "hint": hint, "code": error.exit_code}}) + "\n")
    return error.exit_code


def _painted(word: str, code: str) -> str:
    """A word in a colour where whoever reads the errors sees colours and wants them."""
    from dreamd.cli.context import wants_colour
    from dreamd.core.paths import read_environment

    return f"\x1b[{code}m{word}\x1b[0m" if wants_colour(sys.stderr, read_environment()) else word


def _masked(words: str) -> str:
    """What is said again of a command line may be a secret that somebody typed there."""
    from dreamd.text.redaction import redact

    return redact(words).text


def _flag(error: Outage, context: Context, command: str) -> str:
    """Leave the marker of an outage; the words to say when nothing took it."""
    from dreamd.core import outage

    world = context.world
    try:
        outage.flag(world.paths.outage, error, now=world.clock.now(), owner=f"dream {command}",
                    fallback=outage.runtime_dir(world.env, world.paths.home))
    except Outage as unmarked:
        return unmarked.message
    return ""


def _crashed(error: Exception, context: Context | None) -> DreamError:
    """An unforeseen error as one for a person; where it happened goes to the log, never what was in it."""
    from dreamd.core import telemetry
    from dreamd.core.paths import Paths, default_home, read_environment

    paths = context.world.paths if context is not None else Paths(default_home(read_environment()))
    logged = telemetry.log_crash(paths, error)
    if context is not None and (damage := _damage_of(context)):
        return damage
    where = f"where it happened is in `{paths.logs / telemetry.CRASH_NAME}`" if logged else "it could not be logged"
    return DreamError(f"something unforeseen happened ({type(error).__name__}); {where}",
                      hint="run `dream check`; nothing that was stored is lost")


def _damage_of(context: Context) -> Corrupt | None:
    """What is wrong with the store, if anything: nobody foresees all that a flipped bit makes of a row, but the store tells."""
    from dreamd.kit import open_to_change

    try:
        with open_to_change(context.world, read_only=True):
            return None
    except Corrupt as damage:
        return damage
    except DreamError:
        return None


def _of_check(error: DreamError, command: str) -> DreamError:
    """What kept a check from looking: its exit code must not read as if something, or nothing, had been found."""
    if command not in CHECKS or isinstance(error, UsageError):
        return error
    return CouldNotLook(error.message, hint=error.hint)


def _wants_json(words: Sequence[str]) -> bool:
    return "--json" in (words[:words.index("--")] if "--" in words else words)


def _stopped(code: int, command: str) -> int:
    kept = "; nothing is lost, the next dream goes on from here" if command in ("consolidate", "ingest", "run") else ""
    sys.stderr.write(f"stopped{kept}\n")
    return code


def _line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _is_volume(word: str) -> bool:
    return len(word) > 1 and word[0] == "-" and set(word[1:]) <= {"q", "v"}


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    # Asked twice, we leave at once: a kill is survived, so this is too.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(TERMINATED))
    raise Terminated


def _ready_streams() -> None:
    """Output that never fails on a character: what the terminal cannot show is written as an escape."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # somebody closed it: then nobody is told
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _command(words: Sequence[str]) -> str:
    try:
        return read_call(words).command or ""
    except DreamError:
        return ""


def _close_stdout() -> None:
    with suppress(OSError):
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, sys.stdout.fileno())
        os.close(quiet)


if __name__ == "__main__":
    sys.exit(main())
