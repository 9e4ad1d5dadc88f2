"""`dream capture`: a page, a file or some words become a note, found again like a document."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.core.errors import UsageError


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream capture` takes."""
    parser.add_argument("place", metavar="URL|FILE|-", help="an address of the web, a file, or `-` for standard input")
    parser.add_argument("--why", default="", help="why it is kept; the note's sentences are chosen by it too")
    parser.add_argument("--tag", action="append", default=[], metavar="T", help="a tag; may be given again")
    parser.add_argument("--fetch", action="store_true",
                        help="get what stands at the address: http or https, no private address, 10 MiB, 20 seconds. Without "
                             "it nothing is asked for, and the note has the address and your words alone")


def run(context: Context, options: Namespace) -> int:
    """Write the note and say where it is."""
    from dreamd.library.finds.capturing import Wanted, capture
    from dreamd.library.finds.note_file import document_of
    from dreamd.library.finds.reaching import LARGEST_BYTES

    words = context.stdin.read(LARGEST_BYTES + 1) if options.place == "-" else None
    if words is not None and len(words) > LARGEST_BYTES:
        raise UsageError("standard input is longer than 10 MiB")
    if words is not None and options.fetch:
        raise UsageError("`--fetch` is for addresses of the web")
    done = capture(context.world, Wanted(options.place, options.why, tuple(options.tag), options.fetch, words))
    context.document({**document_of(done.note), "status": done.status, "file": str(done.path), "address": done.address,
                      "trust": "web", "warnings": list(done.warnings)})
    home = context.world.env.get("HOME", "")
    context.say(f"{done.status}: {render.short(done.path, home)}  ({done.address})")
    for sentence in done.note.sentences:
        context.say(render.wrap(f"- {render.clean(sentence)}", context.width))
    for warning in done.warnings:
        context.warn(warning)
    if "://" in options.place and not options.fetch and not done.note.sentences:
        context.tell("hint: nothing was fetched; with `--fetch` the note also has its most telling sentences")
    return 0
