"""`dream doctor`: everything that can be wrong with this dream in one report, with what to do next. Changes nothing."""

from __future__ import annotations

import platform
import sqlite3
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dreamd import __version__
from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.core.errors import CouldNotLook, DreamError, StoreMissing

OK, NOTE, WRONG, UNKNOWN = "ok", "note", "wrong", "not-looked-at"
STYLES = {OK: "dim", NOTE: "yellow", WRONG: "red", UNKNOWN: "yellow"}
CLEAN, FOUND = 0, 1
LIBRARIES = ("numpy", "onnxruntime", "tokenizers", "torch", "mcp", "trafilatura", "selectolax", "openai", "anthropic")
"""What is told of where it is installed: engines, and what the extras bring."""


@dataclass(frozen=True)
class Row:
    """One thing that was looked at; `next` is the command or the deed that mends it."""

    part: str
    name: str
    verdict: str
    detail: str = ""
    next: str = ""


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream doctor` takes: nothing of its own."""
    del parser


def run(context: Context, options: Namespace) -> int:
    """Look at every part; one that cannot be looked at keeps nobody from looking at the others."""
    parts: dict[str, Callable[[], Iterator[Row]]] = {
        "versions": lambda: _versions(context), "settings": lambda: _settings(context), "probe": lambda: _probe(context),
        "check": lambda: _check(context), "sources": lambda: _sources(context), "hooks": lambda: _hooks(context),
        "service": lambda: _service(context, options)}
    rows: list[Row] = []
    for part, look in parts.items():
        try:
            rows += look()
        except StoreMissing as missing:
            rows.append(Row(part, part, NOTE, missing.message, missing.hint or ""))
        except (DreamError, OSError) as error:
            told = error.message if isinstance(error, DreamError) else error.strerror or type(error).__name__
            rows.append(Row(part, part, UNKNOWN, told, (error.hint or "") if isinstance(error, DreamError) else ""))
    code = FOUND if any(r.verdict == WRONG for r in rows) else (
        CouldNotLook.exit_code if any(r.verdict == UNKNOWN for r in rows) else CLEAN)
    steps = list(dict.fromkeys(r.next for wanted in (WRONG, UNKNOWN, NOTE) for r in rows if r.verdict == wanted and r.next))
    context.document({"healthy": code == CLEAN, "code": code, "next": steps, "checks": [
        {"part": r.part, "name": r.name, "verdict": r.verdict, "detail": r.detail or None, "next": r.next or None}
        for r in rows]})
    _tell(context, rows, steps)
    return code


def _tell(context: Context, rows: list[Row], steps: list[str]) -> None:
    shown = [r for r in rows if r.verdict != OK or r.part == "versions" or context.verbosity > 0]
    told = [tuple(map(render.clean, (r.verdict, r.part, r.name, r.detail))) for r in shown]
    for row, line in zip(shown, render.table_rows(told, width=context.width), strict=True):
        context.say(render.paint(line.rstrip(), STYLES[row.verdict], colour=context.colour))
    sound = sum(r.verdict == OK for r in rows)
    others = ", ".join(f"{n} {word}" for word in (WRONG, UNKNOWN, NOTE) if (n := sum(r.verdict == word for r in rows)))
    context.say(f"{render.count(len(rows), 'check')}: {sound} ok{f', {others}' if others else ''}")
    for n, step in enumerate(steps, 1):
        context.say(render.clean(f"{n}. {step}"))


def _versions(context: Context) -> Iterator[Row]:
    from importlib.metadata import PackageNotFoundError, version

    yield Row("versions", "dream", OK, f"{__version__}, home `{context.world.paths.home}`")
    yield Row("versions", "python", OK, f"{platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.platform()}")
    found = []
    for name in LIBRARIES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue  # most are of extras that nobody needs
    yield Row("versions", "libraries", OK, ", ".join(found))


def _settings(context: Context) -> Iterator[Row]:
    settings = context.world.settings
    for warning in settings.warnings:
        yield Row("settings", "clamped", NOTE, warning, "`dream config show` tells where each value comes from")
    set_here = len(settings.set_by_person), len(settings.from_environment)
    yield Row("settings", "file", OK, f"`{settings.path}`, {set_here[0]} set" if settings.path else "every one at its default")
    if settings.from_environment:
        yield Row("settings", "environment", OK, f"{set_here[1]} set there, before the file")


def _probe(context: Context) -> Iterator[Row]:
    from dreamd.probing.health import CODES, TOLD
    from dreamd.service.how_it_stands import ask_probe

    for check in ask_probe(context.world).checks:
        code = CODES.get(TOLD.get(check.verdict, check.verdict), 1)
        known = OK if check.verdict == "healthy" else NOTE if code == 0 else UNKNOWN if code == 2 else WRONG
        yield Row("probe", check.name, known, check.detail, check.hint)


def _check(context: Context) -> Iterator[Row]:
    from dreamd.dream import check
    from dreamd.kit import open_kit

    helps = {check.BY_REPAIR: "`dream check --repair`", check.BY_RESTORE: "`dream restore-store`"}
    verdicts = {check.OK: OK, check.EDITED: NOTE}
    with open_kit(context.world) as kit:
        for one in check.check(kit):
            yield Row("check", one.name, verdicts.get(one.verdict, WRONG), one.detail, helps.get(one.mended_by, ""))


def _sources(context: Context) -> Iterator[Row]:
    from dreamd.dream.telling.where_from import load_reach

    rows = load_reach(context.world)
    if not rows:
        yield Row("sources", "found", NOTE, "no source was found on this machine",
                  "`dream ingest PATH`, or `dream config set sources.paths PATH`")
        return
    unread = sum(r.present and r.read_at is None for r in rows)
    yield Row("sources", "found", OK, f"{render.count(len(rows), 'source')}, {unread} not read yet")
    gone = [r for r in rows if not r.present]
    if gone:
        yield Row("sources", "gone", NOTE, f"{len(gone)} that were read before are not there any more")


def _hooks(context: Context) -> Iterator[Row]:
    from dreamd.agents import connect

    for one in connect.list_harnesses(context.world):
        name = one.harness.name
        if one.connected:
            silent = connect.why_silent(context.world, name)
            ours = connect.dream_command(context.world) in one.file.read_text("utf-8", "replace")
            if silent:
                yield Row("hooks", name, WRONG, f"{one.harness.title} runs no hooks now: {silent}", f"take that out, or "
                                                                                                  f"`dream disconnect {name}`")
            elif not ours:
                yield Row("hooks", name, NOTE, "its hooks call another dream than this one", f"`dream connect {name}`")
            else:
                yield Row("hooks", name, OK, "connected")
        elif one.installed:
            yield Row("hooks", name, NOTE, f"{one.harness.title} is here and not connected", f"`dream connect {name}`")


def _service(context: Context, options: Namespace) -> Iterator[Row]:
    from dreamd.cli.families.daemon import installer_for

    standing = installer_for(context, options).standing()
    if not standing.kind:
        yield Row("service", "installed", NOTE, "not installed: dreams are made by hand", "`dream service install`")
        return
    yield Row("service", standing.kind, OK if standing.active == "active" else WRONG, f"{standing.active}, {standing.enabled}",
              "" if standing.active == "active" else "`dream service install`")
    for problem in standing.problems:
        yield Row("service", standing.kind, WRONG, problem, "`dream service install`")
