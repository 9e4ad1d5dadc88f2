"""`dream open`: the page on this machine, until nobody looks at it any more."""

from __future__ import annotations

import html
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.cli.context import Context
from dreamd.core import fsio
from dreamd.core.errors import DreamError, UsageError

if TYPE_CHECKING:
    from dreamd.web.serving import Place

LIBRARIES = ("starlette", "uvicorn", "jinja2")
IDLE_MINUTES = 30.0
LINK = """<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={0}"><title>dream</title>
<a href="{0}">dream</a>
"""


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream open` takes."""
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port of this machine (any that is free)")
    parser.add_argument("--socket", metavar="FILE", help="a socket that only you can open, in place of a port")
    parser.add_argument("--no-browser", action="store_true", help="only say where it is")
    parser.add_argument("--idle", type=float, default=IDLE_MINUTES, metavar="MINUTES",
                        help=f"end when nobody has looked for so long ({IDLE_MINUTES:g})")


def run(context: Context, options: Namespace) -> int:
    """Serve the page until Ctrl-C, or until nobody has looked for a while."""
    if not 0 <= options.port <= 65535:
        raise UsageError("a port is a number up to 65535")
    if not 0 < options.idle <= 10_000:
        raise UsageError("`--idle` takes minutes, more than none")
    if options.socket == "":
        raise UsageError("`--socket` needs a place")
    try:
        from dreamd.web.serving import serve
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in LIBRARIES:
            raise
        raise DreamError("the page needs libraries that are not installed",
                         hint="`pip install 'dreamd[web]'` brings them") from None
    with ExitStack() as opened, suppress(KeyboardInterrupt):  # the way to leave, and no failure
        serve(context.world, port=options.port, path=Path(options.socket).expanduser().absolute() if options.socket else None,
              idle_s=60 * options.idle, tell=lambda place: _tell(context, place, opened, browser=not options.no_browser))
    context.tell("the page is closed")
    return 0


def _tell(context: Context, place: Place, opened: ExitStack, *, browser: bool) -> None:
    """Say where the page is, and show it where somebody sits in front of this machine."""
    env = context.world.env
    far = bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY"))
    host = env.get("SSH_CONNECTION", "").split()[2:3] or ["THIS-MACHINE"]
    tunnel = place.tunnel(host[0]) if far or place.path else ""
    context.document({"url": place.link, "port": place.port, "socket": str(place.path) if place.path else None,
                      "tunnel": tunnel or None})
    if tunnel:
        context.say(f"from the machine you sit at: {tunnel}")
    context.say(place.link)
    context.tell("it is for you alone while this runs; Ctrl-C closes it")
    context.stdout.flush()
    shows = context.stdout.isatty() and (env.get("DISPLAY") or env.get("WAYLAND_DISPLAY") or env.get("TERM_PROGRAM"))
    if browser and not far and not place.path and shows and not context.json:
        opened.enter_context(_shown(context, place.link))


@contextmanager
def _shown(context: Context, link: str) -> Iterator[None]:
    """Open a browser by way of a file that only its owner reads: what a program is started with, every user can see."""
    import webbrowser

    paths = context.world.paths
    note = paths.home / "open.html"
    with suppress(DreamError, OSError):  # the link is printed all the same
        fsio.make_private_dir(paths.home)
        fsio.write_unsynced(note, LINK.format(html.escape(link)).encode())
        webbrowser.open(note.as_uri())
    try:
        yield
    finally:
        with suppress(DreamError, OSError):
            fsio.remove(note)
