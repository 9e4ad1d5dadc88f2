"""Upkeep: `dream check`, `dream config`."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any  # the value of a setting is of the type that the setting has

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.cli.printing.progress import shown
from dreamd.core.chosen.settings_environment import variable_of
from dreamd.core.errors import ConfigError, Corrupt, UsageError
from dreamd.core.paths import default_config, share_dir
from dreamd.core.settings import TABLES, Settings, check_word
from dreamd.kit import open_kit, open_to_change, read_zone
from dreamd.service.gating.due import parse_time_of_day
from dreamd.store.backups import list_backups

if TYPE_CHECKING:
    from dreamd.dream.check import Finding

ACTIONS = ("show", "path", "check", "get", "set", "unset")
SIGNS = {"ok": ("ok", "green"), "repaired": ("repaired", "yellow"), "broken": ("broken", "red")}


def add_arguments(command: str, parser: ArgumentParser) -> None:
    """Declare what each command of this family takes."""
    if command == "check":
        parser.add_argument("--repair", action="store_true", help="make anew what is derived: files, vectors, word index")
        parser.add_argument("--secrets", action="store_true",
                            help="look for secrets and injected orders by today's rules, in everything that is kept; with "
                                 "--repair they are masked and held")
    else:
        parser.add_argument("action", choices=ACTIONS, nargs="?", default="show",
                            help="show every setting, the path of the file, check the file, or one setting of it")
        parser.add_argument("key", metavar="KEY", nargs="?", help="a setting, as `recall.lean`")
        parser.add_argument("value", metavar="VALUE", nargs="?", help="for `set`; several, as paths, with commas between")
        parser.description = ("Settings, where each came from, what was clamped. What counts, the first first: an option of "
                              "the command, the environment (DREAM_RECALL_LEAN for recall.lean), the file, the default.")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    commands: dict[str, Callable[[Context, Namespace], int]] = {"check": check, "config": config}
    return commands[context.command](context, options)


def check(context: Context, options: Namespace) -> int:
    """Verify everything against everything else."""
    from dreamd.dream import check as doctor

    if options.secrets:
        return _secrets(context, repair=options.repair)
    with open_kit(context.world) as kit, shown(context, "comparing everything with everything else") as kit.progress:
        findings = doctor.check(kit, repair=options.repair)
    broken = [f for f in findings if f.verdict == doctor.BROKEN]
    context.document({"healthy": not broken, "findings": [
        {"name": f.name, "verdict": f.verdict, "detail": f.detail or None} for f in findings]})
    rows = [(f.verdict, f.name, f.detail) for f in findings]
    for finding, line in zip(findings, render.table_rows(rows, width=context.width), strict=True):
        _, style = SIGNS.get(finding.verdict, ("", "dim"))
        context.say(render.paint(line.rstrip(), style, colour=context.colour and finding.verdict != doctor.OK))
    if broken and not context.json:
        raise Corrupt(f"{render.count(len(broken), 'check')} failed", hint=_what_helps(context, broken))
    context.say("everything agrees" if not broken else "")
    return Corrupt.exit_code if broken else 0


def _what_helps(context: Context, broken: Sequence[Finding]) -> str:
    """What mends what was found, and nothing that would not."""
    from dreamd.dream import check as doctor

    wanted = {finding.mended_by for finding in broken}
    copies = list_backups(context.world.paths.backups)
    restore = "`dream restore-store` goes back to the last sound copy" if copies else (
        "no copy of the store is in `backups/`; `dream check --json` says what is wrong, and a copy of your own goes back "
        "with `dream restore-store FILE`")
    told = {doctor.BY_REPAIR: "`dream check --repair` makes anew what is derived",
            doctor.BY_RESTORE: restore, doctor.BY_PERSON: "what another user or a link put there only you can take away"}
    return "; ".join(words for way, words in told.items() if way in wanted)


def _secrets(context: Context, *, repair: bool) -> int:
    """Look through everything for secrets and injected orders; a plan to read first, and with `--repair` one go."""
    from dreamd.agents.guarding import screening

    with (open_to_change if repair else open_kit)(context.world) as kit, \
            shown(context, "looking for secrets and orders") as kit.progress:
        found = screening.screen(kit, repair=repair)
    context.document({"repaired": found.done, "findings": [
        {"what": f.what, "where": f.where, "kinds": list(f.kinds), "action": f.action} for f in found.finds],
        "warnings": list(found.warnings)})
    for line in render.table([(f.action, f.what, f.where, ", ".join(f.kinds)) for f in found.finds]):
        context.say(line.rstrip())
    for warning in found.warnings:
        context.warn(warning)
    ours = [f for f in found.finds if f.action != screening.TELL]
    if not ours:
        context.say("nothing that dream keeps holds a secret or an injected order")
    elif found.done:
        context.say(f"{render.count(len(ours), 'place')} put right; change what was a secret where it is in use")
    else:
        context.say(f"{render.count(len(ours), 'place')} to put right; nothing was changed")
        context.tell("hint: `dream check --secrets --repair` masks and holds")
    return 1 if found.open else 0


def config(context: Context, options: Namespace) -> int:
    """Show settings and where each came from."""
    settings, env = context.world.settings, context.world.env
    takes = {"get": 1, "unset": 1, "set": 2}.get(options.action, 0)
    if takes != sum(word is not None for word in (options.key, options.value)):
        raise UsageError("`config get KEY`, `config set KEY VALUE`, `config unset KEY`; the others take nothing more",
                         hint="`dream config show` lists the keys")
    if takes:
        return _one_setting(context, options)
    wanted = settings.path or default_config(env)
    if options.action == "path":
        context.document({"path": str(wanted), "exists": settings.path is not None, "home": str(context.world.paths.home),
                          "defaults": str(share_dir("config") / "dream.toml")})
        context.say(str(wanted))
        if settings.path is None:
            context.tell(f"not there, so every setting is at its default; `{share_dir('config') / 'dream.toml'}` shows them")
        return 0
    if options.action == "check":
        _try_words(context)
        context.document({"path": str(wanted), "exists": settings.path is not None, "warnings": list(settings.warnings),
                          "set": sorted(settings.set_by_person), "environment": sorted(settings.from_environment)})
        said = f"{render.count(len(settings.set_by_person), 'setting')} set, {render.count(len(settings.warnings), 'warning')}"
        if settings.from_environment:
            context.say(f"the environment: {render.count(len(settings.from_environment), 'setting')} set, before the file")
        context.say(f"`{wanted}`: {said}" if settings.path else f"no file at `{wanted}`, every setting is at its default")
        return 0
    rows = list(_rows(context))
    context.document({"path": str(wanted), "exists": settings.path is not None, "home": str(context.world.paths.home),
                      "settings": {name: {"value": value, "from": origin} for name, value, origin in rows},
                      "warnings": list(settings.warnings)})
    for line in render.table([(name, origin, _spelt(value)) for name, value, origin in rows], width=context.width):
        context.say(line)
    return 0


def _checked(name: str, word: str) -> tuple[Any, tuple[str, ...]]:
    """What a word means for a setting; one that is wrong is the command's fault, and no setting's."""
    try:
        return check_word(name, word)
    except ConfigError as error:
        raise UsageError(error.message, hint=error.hint) from None


def _one_setting(context: Context, options: Namespace) -> int:
    """Tell, write or take out one setting; the file's other lines and remarks stay."""
    from dreamd.core.chosen.settings_file import remove_key, write_keys

    rows = {name: (value, origin) for name, value, origin in _rows(context)}
    if options.key not in rows:
        _checked(options.key, "")  # raises, with the nearest name
    value, origin = rows[options.key]
    table, key = options.key.split(".", 1)
    path = context.world.settings.path or default_config(context.world.env)
    if options.action == "set":
        word, clamped = _checked(options.key, options.value)
        for warning in clamped:
            context.warn(warning)
        chosen = list(word) if isinstance(word, tuple) else word
        value, origin = chosen, "file"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_keys(path, table, {key: chosen})
    elif options.action == "unset":
        default = getattr(getattr(Settings(), table), key)
        value, origin = list(default) if isinstance(default, tuple) else default, "default"
        remove_key(path, table, key)
    above = variable_of(options.key) if options.key in context.world.settings.from_environment else ""
    context.document({"key": options.key, "value": value, "from": origin, "path": str(path), "variable": above or None})
    if options.action == "get":
        context.say(_spelt(value))
        context.tell(f"from {_told_origin(context, options.key, origin)}")
    else:
        context.say(f"{options.key} = {_spelt(value)}  ({origin})")
        if above:
            context.warn(f"`{above}` in the environment counts before the file")
    return 0


def _told_origin(context: Context, name: str, origin: str) -> str:
    """Where a value comes from, in words."""
    file = f"`{context.world.settings.path}`"
    return {"file": file, "clamped": f"{file}, brought into its range", "default": "the defaults",
            "environment": f"the environment, `{variable_of(name)}`"}[origin]


def _try_words(context: Context) -> None:
    """What is a string to the settings file and something else to the dream that reads it.

    Raises ConfigError for one that nothing can be done with.
    """
    read_zone(context.world.zone_name)
    parse_time_of_day(context.world.settings.service.nightly_at)


def _rows(context: Context) -> Iterator[tuple[str, object, str]]:
    settings = context.world.settings
    clamped = {w.split(" ", 1)[0] for w in settings.warnings}
    for table in TABLES:
        values = getattr(settings, table)
        for field in fields(values):
            name = f"{table}.{field.name}"
            value = getattr(values, field.name)
            origin = "environment" if name in settings.from_environment else "default" if (
                name not in settings.set_by_person) else "clamped" if name in clamped else "file"
            yield name, list(value) if isinstance(value, tuple) else value, origin


def _spelt(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
