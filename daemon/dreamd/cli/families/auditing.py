"""`dream audit`: what pollutes a memory, dream's own or another's; for a person and for a repository's checks."""

from __future__ import annotations

import io
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.cli.printing.progress import shown
from dreamd.core import fsio
from dreamd.core.errors import CouldNotLook, DreamError, UsageError
from dreamd.core.values import parse_scope
from dreamd.kit import open_kit

if TYPE_CHECKING:
    from dreamd.agents.auditing.findings import Audited, Finding

CLEAN, FOUND = 0, 1


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what the audit takes."""
    parser.add_argument("place", metavar="DIR|FILE", nargs="?",
                        help="a memory directory, a repository, a CLAUDE.md or AGENTS.md; without it dream's own memory")
    parser.add_argument("--scope", metavar="S", help="of dream's own memory only this scope")
    parser.add_argument("--root", metavar="DIR", help="the repository that the paths are meant in, where nothing tells it")
    parser.add_argument("--html", metavar="FILE", help="write the report as a page")
    parser.add_argument("--plan", metavar="FILE", help="of dream's own memory: save what a dream can put in order, for "
                                                       "`dream consolidate --apply`")


def run(context: Context, options: Namespace) -> int:
    """Look, tell, and say by the exit code whether something was found."""
    if options.place and (options.scope or options.plan):
        raise UsageError("`--scope` and `--plan` are for dream's own memory",
                         hint="`dream attach DIR` puts a memory directory in order; an instruction file is its owner's")
    try:
        audited = _look(context, options)
        planned = _plan(context, options) if options.plan else frozenset()
        if options.html:
            page = _page(audited, planned)
            fsio.write_atomic(Path(options.html).expanduser().absolute(), page.encode("utf-8", "replace"))
    except DreamError as error:  # one code for checks: whoever could not look must not read as who found nothing
        raise CouldNotLook(error.message, hint=error.hint) from error
    except OSError as error:
        raise CouldNotLook(error.strerror or type(error).__name__) from error
    context.document(_document(audited, planned))
    if not context.json:
        _tell(context, audited, planned)
    return FOUND if audited.findings else CLEAN


def _look(context: Context, options: Namespace) -> Audited:
    from dreamd.agents.auditing.own_audit import audit_own
    from dreamd.agents.auditing.place_audit import audit_place

    with open_kit(context.world, create=bool(options.place), read_only=True) as kit, \
            shown(context, "looking through what is remembered") as kit.progress:
        kit.dry = True
        if options.place:
            root = Path(options.root).expanduser().resolve() if options.root else None
            if root is not None and not root.is_dir():
                raise UsageError(f"`{options.root}` is no directory")
            return audit_place(kit, Path(options.place).expanduser().absolute(), root=root)
        return audit_own(kit, scope=parse_scope(options.scope) if options.scope else None, here=_here(options.root))


def _here(root: str | None) -> Path | None:
    try:
        return Path(root).expanduser().resolve() if root else Path.cwd()
    except OSError:
        return None  # the directory is gone: what memories name cannot be looked for


def _plan(context: Context, options: Namespace) -> frozenset[str]:
    """Save the plan of a whole dream that judges everything again, and say which memories it changes."""
    import json

    from dreamd.cli.families import dreaming

    chosen = ["--full", "--plan", options.plan, *(["--scope", options.scope] if options.scope else [])]
    parser = ArgumentParser()
    dreaming.add_arguments("consolidate", parser)
    quiet = replace(context, command="consolidate", json=False, verbosity=-1, stdout=io.StringIO())
    dreaming.run(quiet, parser.parse_args(chosen))
    path = Path(options.plan).expanduser()
    return frozenset(str(one["memory"]) for one in json.loads(fsio.read_bytes(path))["operations"])


def _document(audited: Audited, planned: frozenset[str]) -> dict[str, object]:
    return {
        "subject": audited.subject, "entries": audited.entries, "clean": not audited.findings,
        "counts": dict(Counter(str(f.kind) for f in audited.findings)),
        "findings": [{
            "kind": str(f.kind), "detail": f.detail, "do": f.advice, "planned": _is_planned(f, planned),
            "places": [{"file": p.file or None, "line": p.line or None, "memory": p.memory or None, "text": p.text}
                       for p in f.places]} for f in audited.findings],
        "always_loaded": {
            "tokens": sum(one.tokens for one in audited.loaded),
            "files": [{"file": one.file, "bytes": one.size_bytes, "tokens": one.tokens} for one in audited.loaded]},
        "not_told": list(audited.untold)}


def _is_planned(finding: Finding, planned: frozenset[str]) -> bool:
    return any(place.memory in planned for place in finding.places)


def _tell(context: Context, audited: Audited, planned: frozenset[str]) -> None:
    for finding in audited.findings:
        done = "; planned" if _is_planned(finding, planned) else ""
        context.say(render.clean(f"{finding.kind}: {finding.detail}{done}"))
        for place in finding.places:
            context.say(f"  {render.clip(f'{place.name}  {place.text}', context.width - 2)}")
        context.say(render.clean(f"→ {finding.advice}").join(("  ", "")))
    context.say(_summary(audited))
    for line in audited.untold:
        context.tell(f"not looked at: {line}")


def _summary(audited: Audited) -> str:
    found = render.count(len(audited.findings), "finding") if audited.findings else "nothing found"
    tokens = sum(one.tokens for one in audited.loaded)
    cost = f"; about {render.count(tokens, 'token')} are loaded into every session" if audited.loaded else ""
    return f"{render.clean(audited.subject)}: {render.count(audited.entries, 'entry', 'entries')}, {found}{cost}"


def _page(audited: Audited, planned: frozenset[str]) -> str:
    """The report as one page that loads nothing from anywhere."""
    from html import escape

    def row(finding: Finding) -> str:
        places = "".join(f"<li><code>{escape(p.name)}</code> {escape(p.text)}</li>" for p in finding.places)
        return (f"<tr><td>{escape(finding.kind)}</td><td>{escape(finding.detail)}<ul>{places}</ul></td>"
                f"<td>{escape(finding.advice)}{' (planned)' if _is_planned(finding, planned) else ''}</td></tr>")

    rows: Sequence[str] = [row(f) for f in audited.findings]
    return ("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>dream audit</title><style>"
            "body{font-family:sans-serif;max-width:70em;margin:2em auto}"
            "td{vertical-align:top;border-top:1px solid #ccc;padding:.5em}</style>"
            f"<h1>dream audit</h1><p>{escape(_summary(audited))}</p><table>{''.join(rows)}</table>"
            f"<p>{escape('; '.join(audited.untold))}</p></html>\n")
