"""`dream attach` and `dream detach`: an agent's own memory directory, kept in order where a person wants it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from dreamd.agents import attach as attaching
from dreamd.agents import proposals
from dreamd.agents.attach import Carried, DirectoryPlan
from dreamd.agents.proposals import Proposal
from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.cli.printing.changes import why
from dreamd.core.clock import iso
from dreamd.core.errors import Partial, UsageError
from dreamd.core.plain_words.evidence_words import in_words
from dreamd.kit import Kit, open_kit, open_to_change
from dreamd.notes import Dialect, conflicts_in_words, read_entries
from dreamd.service.installing.install import is_shut_out
from dreamd.text.redaction import redact

DIALECTS = tuple(d.value for d in Dialect)


def add_arguments(command: str, parser: ArgumentParser) -> None:
    """Declare what each of the two takes."""
    parser.add_argument("directory", metavar="DIR", nargs="?" if command == "attach" else None,
                        help="the agent's memory directory" + ("; without it, those attached" if command == "attach" else ""))
    if command == "detach":
        parser.add_argument("-y", "--yes", action="store_true", help="nothing is asked here anyway")
        return
    parser.add_argument("--dialect", choices=DIALECTS, help="whose directory it is, where it cannot be told by its shape")
    parser.add_argument("--commit", action="store_true", help="one commit a dream, where the directory is a git work tree")
    parser.add_argument("-n", "--dry-run", action="store_true", help="show what would change and stop")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    parser.add_argument("--allow-large-change", action="store_true", help="go beyond the limit of entries one dream takes out")


def run(context: Context, options: Namespace) -> int:
    """Carry one of the two out."""
    if context.command == "detach":
        return detach(context, options)
    return attach(context, options) if options.directory else _list(context)


def attach(context: Context, options: Namespace) -> int:
    """Show what a dream would change in the directory, ask, change it, and keep it in order from now on."""
    directory = Path(options.directory).expanduser()
    dialect = Dialect(options.dialect) if options.dialect else None
    with open_to_change(context.world, create=True, read_only=options.dry_run) as kit:
        kit.dry = options.dry_run
        for warning in [] if options.dry_run else attaching.recover(kit):
            context.warn(warning)
        planned = attaching.plan_directory(kit, directory, dialect=dialect, allow_large_change=options.allow_large_change)
        proposed = proposals.propose(kit, planned.before.root)
        _show(context, planned)
        show_proposals(context, proposed)
        if options.dry_run:
            context.document({**_document(kit, planned, None), "proposals": proposal_rows(proposed)})
            context.say(f"would change {render.count(len(planned.changed), 'file')}; nothing was changed")
            return Partial.exit_code if planned.plan.waiting else 0
        question = f"change `{directory}` like this, and keep it in order from now on?"
        if planned.changed and not options.yes and not context.agrees(question):
            context.say("nothing was changed")
            return 0
        attached = attaching.attach(kit, directory, dialect=planned.dialect, commit=options.commit)
        done = attaching.carry_out(kit, planned, commit=options.commit)
        context.document({**_document(kit, planned, done), "proposals": proposal_rows(proposed)})
    for warning in done.warnings[len(planned.plan.warnings):]:
        context.warn(warning)
    changed = render.count(len(done.files), "file")
    context.say(f"`{attached.path}` is attached ({attached.dialect}); "
                + (f"changed {changed}, run {done.run}" if done.run else "it is in order already"))
    if done.run:
        context.tell(f"`dream undo {done.run}` gives every byte back; `dream detach` leaves it alone")
    if is_shut_out(context.world, Path(attached.path)):
        context.warn("the installed service may not write there yet; run `dream service install` again")
    return Partial.exit_code if done.waiting else 0


def detach(context: Context, options: Namespace) -> int:
    """Leave the directory alone from now on; what is in it stays."""
    directory = Path(options.directory).expanduser()
    with open_to_change(context.world) as kit:
        was = attaching.detach(kit, directory)
    if not was:
        raise UsageError(f"`{directory}` is not attached", hint="`dream attach` shows those that are")
    context.document({"directory": str(directory.absolute()), "attached": False})
    context.say(f"`{directory}` is left alone from now on; nothing in it was changed")
    return 0


def take_back(context: Context, kit: Kit, run: str) -> int:
    """Put an attached directory back as it was before a run of kind `attach`."""
    done = attaching.undo(kit, run)
    context.document({"undone": [run], "memories": 0, "observations_set_aside": 0, "files": done.files, "later": [],
                      "commit": done.commit or None})
    context.say(f"took back {run}: {render.count(done.files, 'file')} as before"
                + (f", commit {done.commit[:12]}" if done.commit else ""))
    if done.blocked:
        context.warn(f"no commit was made: {done.blocked}")
    return 0


def _list(context: Context) -> int:
    with open_kit(context.world, create=True, read_only=True) as kit:
        known = attaching.load_attachments(kit.store)
    context.document({"attached": [{"directory": a.path, "dialect": a.dialect, "commit": a.commit} for a in known]})
    for attached in known:
        context.say(f"{attached.path}  {attached.dialect}{'  with commits' if attached.commit else ''}")
    if not known:
        context.advise("no directory is attached; `dream attach DIR` shows what it would change first")
    return 0


def _show(context: Context, planned: DirectoryPlan) -> None:
    for line in planned.diff.splitlines():
        context.tell("".join(c if c.isprintable() else " " for c in line))  # indentation counts in a difference
    for verb, edits in (("", planned.plan.edits), ("waits: ", planned.plan.waiting)):
        for edit in edits:
            told = f"{verb}{edit.action}  {edit.entry.file}  {why(edit.reason, edit.evidence)}"
            context.tell(render.clean(redact(told).text))
    for warning in planned.plan.warnings:
        context.warn(warning)
    if planned.plan.conflicts:
        context.warn(f"{render.count(len(planned.plan.conflicts), 'pair')} cannot both hold; decide in the directory itself")


def show_proposals(context: Context, proposed: Sequence[Proposal]) -> None:
    """Instruction files are their owner's: what dream would change there is told, and nothing else happens."""
    for one in proposed:
        context.say(f"\nproposed for `{one.file}`, which is yours and stays as it is:")
        for line in one.diff.splitlines():
            context.say("".join(c if c.isprintable() else " " for c in line))
        for edit in one.edits:
            context.say(render.clean(redact(f"  {why(edit.reason, edit.evidence)}").text))
        for entry, said in one.conflicts:
            clash = f"  cannot both hold: {' '.join(redact(entry).text.split())}  |  {' '.join(redact(said).text.split())}"
            context.say(render.clean(clash))


def proposal_rows(proposed: Sequence[Proposal]) -> list[dict[str, object]]:
    """The same for machines."""
    return [{"file": str(one.file), "diff": one.diff,
             "edits": [{"action": e.action, "text": redact(e.entry.text).text, "reason": e.reason,
                        "evidence": [redact(in_words(said)).text for said in e.evidence]}
                       for e in one.edits],
             "conflicts": [[redact(said).text for said in pair] for pair in one.conflicts]} for one in proposed]


def _document(kit: Kit, planned: DirectoryPlan, done: Carried | None) -> dict[str, object]:
    entries = read_entries(planned.before.texts, planned.dialect)
    pairs = [[{"file": e.file, "text": redact(e.text).text} for e in pair]
             for pair in conflicts_in_words(planned.plan, entries)]
    edits, waiting = ([{"action": e.action, "file": e.entry.file, "text": redact(e.entry.text).text, "reason": e.reason,
                        "evidence": [redact(in_words(said)).text for said in e.evidence]} for e in edits]
                      for edits in (planned.plan.edits, planned.plan.waiting))
    warnings = list(done.warnings if done else planned.plan.warnings)
    return {"directory": str(planned.before.root), "dialect": planned.dialect, "attached": done is not None,
            "run": done.run or None if done else None, "commit": done.commit or None if done else None,
            "changed": planned.changed, "edits": edits, "waiting": waiting, "conflicts": pairs, "warnings": warnings,
            "now": iso(kit.clock.now())}
