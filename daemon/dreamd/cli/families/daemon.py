"""The service for people: `dream run`, `dream service`, `dream pause`, `dream resume`."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.core import fsio
from dreamd.core.chosen.settings_environment import read_settings
from dreamd.core.clock import iso
from dreamd.core.errors import DreamError, UsageError
from dreamd.core.paths import default_config
from dreamd.core.world import World
from dreamd.probing.vital_signs import TROUBLE_WITH
from dreamd.service.gating.pause import parse_span
from dreamd.service.gating.pause import pause as begin
from dreamd.service.gating.pause import resume as end
from dreamd.service.installing import units
from dreamd.service.installing.install import Installer, document
from dreamd.service.installing.units import find_place
from dreamd.store.connection import open_reader

KINDS = ("systemd", "sweep", "launchd", "cron")
WORDS = {
    "service.started": "watching", "service.stopped": "stopped", "service.resumed": "the machine slept; settling first",
    "service.clock-stepped": "the clock was set by {seconds} s", "service.held": "a dream is due and waits: {reason}",
    "service.reloaded": "read the settings again", "service.reload-refused": "kept the settings: {reason}",
    "cycle.started": "{kind} started", "cycle.finished": "{kind} {outcome} after {seconds} s",
    "outage.alert": "trouble with {component}: {reason}", "outage.over": "no more trouble with {component}",
    "cycle.stopping": "{kind} stops: {reason}",
    "outage.unmarked": "trouble with {component}, of which no note could be left: {reason}",
}
"""How an event reads on a terminal."""


def add_arguments(command: str, parser: ArgumentParser) -> None:
    """Declare what each command of this family takes."""
    if command == "pause":
        parser.add_argument("--for", dest="span", metavar="TIME", help="how long, such as `90m`, `2h`, `3d` (until resumed)")
    elif command == "service":
        parser.add_argument("action", choices=("install", "uninstall", "status", "print"))
        parser.add_argument("--as", dest="kind", choices=KINDS, help="instead of what fits this machine; `sweep` is a timer "
                            "that dreams once an hour if it is time, without a service that stays")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    commands: dict[str, Callable[[Context, Namespace], int]] = {
        "run": serve, "service": manage, "pause": pause, "resume": resume}
    return commands[context.command](context, options)


def serve(context: Context, options: Namespace) -> int:
    """Be the service until asked to stop."""

    from dreamd.service.run import Service

    if options.now or context.world.env.get("DREAM_NOW"):
        raise UsageError("`dream run` lives in the present and takes no `--now`")
    config = _config(context, options)

    def reload() -> World:
        return replace(context.world, settings=read_settings(config, context.world.env))

    fsio.make_private_dir(context.world.paths.home)
    fsio.make_private_dir(context.world.paths.locks)
    return Service(context.world, config=config, reload=reload, say=_voice(context)).run()


def manage(context: Context, options: Namespace) -> int:
    """Install, remove, look at or print the service."""
    installer = installer_for(context, options)
    if options.action == "print":
        return _print(context, installer, options.kind)
    if options.action == "status":
        return _status(context, installer)
    fsio.make_private_dir(context.world.paths.home)
    if options.action == "install":
        kind = options.kind or installer.choose()
        done = installer.install(kind)
        context.document({"installed": kind, "done": done})
        context.say("\n".join(done) or "everything is as it should be")
        return 0
    done = installer.uninstall()
    context.document({"installed": None, "done": done})
    context.say("\n".join(done) or "it was not installed")
    return 0


def installer_for(context: Context, options: Namespace) -> Installer:
    """What installs the service of this home, and knows how it stands."""
    named = _config(context, options) if options.config or context.world.env.get("DREAM_CONFIG") else None
    return Installer(context.world, find_place(context.world, named, write_paths=_attached(context.world)))


def _attached(world: World) -> tuple[Path, ...]:
    """The agents' directories that dream keeps in order, and the diary's folder: the only places outside the home that the
    service may write to."""
    from dreamd.agents.attach import load_attachments

    told = world.settings.diary.folder
    diary = (Path(told).expanduser().absolute(),) if told else ()
    try:
        store = open_reader(world.paths.store)
    except DreamError:
        return diary  # not there yet, or in need of repair: removing the service must not depend on it
    with store:
        return (*sorted(Path(a.path) for a in load_attachments(store)), *diary)


def _status(context: Context, installer: Installer) -> int:
    standing = installer.standing()
    context.document(document(standing))
    if not standing.kind:
        context.say("not installed")
        context.tell("hint: `dream service install`")
        return 0
    context.say(f"installed as {standing.kind}: {standing.active}, {standing.enabled}")
    for path, state in standing.files.items():
        context.say(f"  {state:<9}{path}")
    for problem in standing.problems:
        context.warn(problem)
    return 0


def _print(context: Context, installer: Installer, kind: str | None) -> int:
    chosen = kind or "systemd"
    texts = {str(path): text for path, text in installer.texts(chosen).items()}
    if chosen == "cron":
        texts = {"crontab": units.cron_line(installer.place) + "\n"}
    context.document({"kind": chosen, "files": texts})
    for path, text in texts.items():
        context.say(f"# {path}\n{text}")
    return 0


def pause(context: Context, options: Namespace) -> int:
    """Keep the service from starting work."""
    span = parse_span(options.span) if options.span else None
    begun = begin(context.world.paths, now=context.world.clock.now(), span=span)
    context.document({"paused": True, "until": iso(begun.until) if begun.until else None})
    context.advise(f"paused until {render.stamp(begun.until)}" if begun.until else "paused until `dream resume`")
    return 0


def resume(context: Context, _options: Namespace) -> int:
    """Let the service start work again."""
    was = end(context.world.paths)
    context.document({"paused": False, "was_paused": was})
    context.say("resumed" if was else "it was not paused")
    return 0


def _config(context: Context, options: Namespace) -> Path:
    if options.config:
        return Path(options.config).expanduser().absolute()
    return default_config(context.world.env)


def _voice(context: Context) -> Callable[..., None]:
    """One line for people on a terminal, JSON lines otherwise; both to standard error, where a journal listens."""
    people = context.stderr.isatty() and not context.json

    def say(event: str, **fields: object) -> None:
        if context.verbosity < 0:
            return
        if people:
            context.tell(_words(context, event, fields))
        else:
            told = {"at": iso(context.world.clock.now()), "event": event,
                    **{k: v for k, v in fields.items() if v not in (None, "")}}
            context.stderr.write(json.dumps(told, default=dict) + "\n")
            context.stderr.flush()

    return say


def _words(context: Context, event: str, fields: Mapping[str, object]) -> str:
    stamp = f"{context.world.clock.now().astimezone():%H:%M:%S}"
    told = {**fields, "component": TROUBLE_WITH.get(str(fields.get("component")), fields.get("component"))}
    try:
        return f"{stamp} {WORDS.get(event, event).format(**told)}"
    except (KeyError, IndexError):
        return f"{stamp} {event}"
