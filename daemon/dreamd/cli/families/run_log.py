"""The journal for people: `dream history`, `dream diff`, `dream undo`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.cli.printing.changes import change_lines, told_lines
from dreamd.cli.printing.fates import fate_document, tell_fates, without_memory
from dreamd.cli.printing.json_documents import change_document, moment, operation_document
from dreamd.cli.printing.reporting import tended_lines
from dreamd.core.clock import iso
from dreamd.core.errors import StoreMissing, UsageError
from dreamd.dream.plan import face
from dreamd.dream.telling.explained import Operation, in_words
from dreamd.dream.telling.gist import gist
from dreamd.dream.undo import hint_of_attached
from dreamd.kit import Kit, open_kit, open_to_change
from dreamd.models.language_model import Role
from dreamd.report.nights import Night, memory_named, tell_run
from dreamd.store import journal, observations
from dreamd.store.connection import Store
from dreamd.store.journal import Entry, Run
from dreamd.store.telling import taken_back

if TYPE_CHECKING:
    from dreamd.agents.told_changes import Record
    from dreamd.dream.undo import Return

DEFAULT_RUNS = 30
MOST_RETURNS = 20
MOST_LATER = 5


def add_arguments(command: str, parser: ArgumentParser) -> None:
    """Declare what each command of this family takes."""
    if command == "history":
        parser.add_argument("run", metavar="RUN", nargs="?", help="one run: what became of everything that was said, and why")
        parser.add_argument("-n", "--limit", type=int, default=DEFAULT_RUNS, metavar="N", help=f"newest runs ({DEFAULT_RUNS})")
    elif command == "diff":
        parser.add_argument("run", metavar="RUN", nargs="?", help="id of a run, the beginning of it, or its number "
                            "(the last dream that changed something)")
    else:
        parser.add_argument("run", metavar="RUN", nargs="?", help="the run to take back (the last dream that "
                            "changed something); of an undo, put back what it took")
        parser.add_argument("--only", metavar="N|ID", default="",
                            help="one change of RUN, by its number in `dream diff` or the id of its memory, and what was "
                                 "changed along with it")
        parser.add_argument("--with-later", action="store_true", help="also the later runs that build on it")
        parser.add_argument("--dry-run", action="store_true", help="say what would be taken back, and stop")
        parser.add_argument("--redo", metavar="RUN",
                            help="have the next dream decide anew on what a run that was taken back had heard")
        parser.add_argument("--model", metavar="NAME", default="", help="what this language model did, in whichever runs")
        parser.add_argument("--role", choices=[role.value for role in Role], default="",
                            help="what a language model did in this role, in whichever runs")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    commands: dict[str, Callable[[Context, Namespace], int]] = {"history": history, "diff": diff, "undo": undo}
    return commands[context.command](context, options)


def history(context: Context, options: Namespace) -> int:
    """List the runs, newest first, or tell one of them."""
    if options.limit < 1:
        raise UsageError("`--limit` must be at least 1")
    if options.run:
        return _one_run(context, options.run)
    with open_kit(context.world, read_only=True) as kit:
        runs = journal.load_runs(kit.store, limit=options.limit)
        ids, counted = journal.run_ids(kit.store), taken_back.count_told(kit.store, runs)
    context.document({"runs": [_run_document(r, ids) for r in runs]})
    now = context.world.clock.now()
    rows = [(r.id, render.ago(r.now, now), r.kind, render.outcome_words(r.outcome), gist(r, ids, counted[r.seq]))
            for r in runs]
    for line in render.table(rows, width=context.width):
        context.say(line)
    if not runs:
        context.say("no run yet")
        context.tell("hint: `dream consolidate` makes one")
    return 0


def _one_run(context: Context, identity: str) -> int:
    """One run: how it went, and the fate of every observation with its reason."""
    with open_kit(context.world, read_only=True) as kit:
        found = journal.load_run(kit.store, identity)
        ids, counted = journal.run_ids(kit.store), taken_back.count_told(kit.store, [found])
        heard = observations.load_of_run(kit.store, found.seq)
    context.document({"run": _run_document(found, ids), "observations": [fate_document(o) for o in heard]})
    if context.json:
        return 0
    context.say(_head(found, ids))
    context.say(render.wrap(gist(found, ids, counted[found.seq]) or "it changed nothing", context.width))
    tell_fates(context, heard)
    if found.operations:
        context.tell(f"\n`dream diff {found.id}` shows what it changed")
    return 0


def _run_document(run: Run, ids: dict[int, str]) -> dict[str, object]:
    return {"run": run.id, "number": run.seq, "kind": run.kind, "now": iso(run.now), "started_at": iso(run.started_at),
            "ended_at": moment(run.ended_at), "outcome": run.outcome or None, "reason": run.reason or None,
            "operations": run.operations, "fates": dict(run.fates), "phases": dict(run.phases),
            "warnings": list(run.warnings), "backlog": run.backlog,
            "undone_by": ids.get(run.undone_by) if run.undone_by else None}


def diff(context: Context, options: Namespace) -> int:
    """Show every change of a run: before, after, why; and what was said that changed nothing."""
    from dreamd.agents import attach as attaching

    with open_kit(context.world, read_only=True) as kit:
        found = journal.load_run(kit.store, options.run) if options.run else journal.last_run(kit.store, undoable=True)
        if found is None:
            raise StoreMissing("no dream has changed anything that stands", hint=hint_of_attached(kit.store, "diff"))
        ids = journal.run_ids(kit.store)
        changes = [in_words(kit.store, e) for e in journal.load_entries(kit.store, found.seq)]
        night = tell_run(kit.store, found)
        heard = observations.load_of_run(kit.store, found.seq)
        record = attaching.load_told(kit, found.id) if found.kind == attaching.KIND else None
        since = None if options.run else journal.last_attached(kit.store, after=found)
        later = [] if options.run else [r for r in journal.load_runs(kit.store, limit=MOST_LATER)
                                        if r.seq > found.seq and (r.memories or r.reason)]
    if record is not None and record.changes:
        return _tell_attached(context, found, _run_document(found, ids), record)
    context.document({"run": _run_document(found, ids), "changes": [change_document(one) for one in night.told],
                      "operations": [operation_document(one) for one in changes],
                      "observations": [fate_document(o) for o in heard]})
    if context.json:
        return 0
    context.say(_head(found, ids))
    _tell_changes(context, night, changes)
    tell_fates(context, heard if context.verbosity > 0 else without_memory(heard))
    _tell_attached_since(context, since, "diff")
    _tell_later(context, [run for run in later if run.kind != journal.ATTACH])
    return 0


def _tell_later(context: Context, later: Sequence[Run]) -> None:
    """What came after the dream that is shown, so that nobody takes it for the last word."""
    if later:
        context.tell("\nsince then:")
        for run in reversed(later):
            context.tell(f"  {run.kind} {run.id}  {run.reason or 'changed ' + render.count(run.memories, 'memory')}")
        context.tell("`dream history` lists every run")


def _tell_attached_since(context: Context, run: Run | None, verb: str) -> None:
    if run is not None:
        context.tell(f"\nsince then something was changed in an attached directory: `dream {verb} {run.id}`")


def _head(run: Run, ids: dict[int, str]) -> str:
    back = f" · {taken_back.undone_words(run)} by {ids.get(run.undone_by, run.undone_by)}" if run.undone_by else ""
    return f"run {run.id} · {run.kind} · {render.stamp(run.now)} · {render.outcome_words(run.outcome)}{back}"


def _tell_changes(context: Context, night: Night, steps: Sequence[Operation]) -> None:
    """Every change by its number; with `-v` also the steps in which a memory came to be as the run left it."""
    alone = night.alone
    for one in alone:
        context.say()
        for line in told_lines(context, one, digits=len(str(len(alone)))):
            context.say(line)
        for step in steps if context.verbosity > 0 else ():
            if step.entry.memory == one.memory and len(one.ops) > 1:
                for line in change_lines(step, width=context.width - 4, colour=context.colour):
                    context.say(f"    {line}")
    if not alone:
        context.say("it changed no memory")
    elif not night.undone_by and night.run.kind not in journal.NEVER_BACK:
        context.tell(f"\n`dream undo {night.run.id}" + (" --only N` takes one of them back, without `--only` all"
                                                        if len(alone) > 1 else "` takes it back"))


def _tell_attached(context: Context, found: Run, run: dict[str, object], record: Record) -> int:
    """What a run changed in an attached directory: each entry with its file and its reason, then the lines."""
    context.document({"run": run, "operations": [c.document() for c in record.changes], "diff": record.diff,
                      "observations": []})
    context.say(_head(found, {}))
    for change in record.changes:
        for line in tended_lines(change, width=context.width, colour=context.colour):
            context.say(line)
    for line in record.diff.splitlines():
        context.say("".join(c if c.isprintable() else " " for c in line))
    return 0


def entry_document(store: Store, entry: Entry) -> dict[str, object]:
    """One operation of the journal with the words its snapshots stand for."""
    return operation_document(in_words(store, entry))


def undo(context: Context, options: Namespace) -> int:
    """Take a run back, or hand the observations of one that was taken back to the next dream."""
    from dreamd.dream import undo as undoing

    if options.redo:
        if options.run:
            raise UsageError("give RUN or `--redo RUN`, not both")
        with open_to_change(context.world) as kit:
            handed = undoing.redo(kit, options.redo)
        context.document({"redone": options.redo, "observations": handed})
        verb, it = ("waits", "it") if handed == 1 else ("wait", "them")
        context.advise(f"{render.count(handed, 'statement')} {verb} again; `dream consolidate` takes {it} up")
        return 0
    if options.model or options.role:
        return _take_back(context, options)
    with (open_kit if options.dry_run else open_to_change)(context.world) as kit:
        run = undoing.choose_run(kit, options.run)
        since = None if options.run else journal.last_attached(kit.store, after=run)
        if run.kind == journal.ATTACH and options.run and not options.dry_run:
            from dreamd.cli.families import attaching

            return attaching.take_back(context, kit, run.id)
        plan = undoing.plan_undo(kit, run.id, only=memory_named(kit.store, run, options.only))
        later = [r.id for r in plan.later]
        back = _numbered(kit, run, undoing.what_returns(kit, plan))
        if options.dry_run:
            context.document({"run": plan.run.id, "later": later, "planned": True, "returns": _returns_document(back),
                              "operations": [entry_document(kit.store, e) for e in plan.entries]})
            told = plan.told.replace(taken_back.TOOK, "take back ").replace(taken_back.PUT, "put back ")
            context.say(render.wrap(f"would {told}", context.width))
            _tell_returns(context, back)
            _tell_attached_since(context, since, "undo")
            return 0
        done = undoing.apply_undo(kit, plan, with_later=options.with_later)
    context.document({"run": done.run, "undone": list(done.runs), "memories": done.memories,
                      "observations_set_aside": done.observations, "files": done.files, "later": later,
                      "returns": _returns_document(back), "standing_again": list(done.standing)})
    context.say(done.told + ("; no dream learns it again by itself" if done.observations else ""))
    _tell_returns(context, back)
    again = "takes it back again" if done.standing else "puts it back"
    context.tell(f"`dream undo {done.run}` {again}")
    _tell_attached_since(context, since, "undo")
    return 0


Numbered = Sequence[tuple[int, "Return"]]


def _numbered(kit: Kit, run: Run, back: Sequence[Return]) -> Numbered:
    """What goes back with its numbers in the run, in their order; what a later run did has none and stands last."""
    told = tell_run(kit.store, run).told
    order = [one.memory for one in told]
    numbers = {one.memory: one.number for one in told if run.kind != taken_back.UNDO}  # those of an undo are nobody's
    return sorted(((numbers.get(one.memory, 0), one) for one in back),
                  key=lambda row: order.index(row[1].memory) if row[0] else len(order))


def _returns_document(back: Numbered) -> list[dict[str, object]]:
    return [{"number": number or None, "memory": one.memory, "now": face(one.now), "again": face(one.again)}
            for number, one in back]


def _tell_returns(context: Context, back: Numbered) -> None:
    """Each memory that goes back, and what becomes of it."""
    room = len(back) if context.verbosity > 0 else MOST_RETURNS
    digits = len(str(max((number for number, _ in back), default=0)))
    for number, one in back[:room]:
        words, text = _return_words(one)
        head = f"  {number or '':>{digits}}  {one.memory}  {words:<10}  "
        context.say(render.wrap(text, context.width, head))
    if len(back) > room:
        context.say(f"  … and {len(back) - room:,} more: `-v` lists them all")


def _return_words(one: Return) -> tuple[str, str]:
    if one.again is None:
        return "taken out", one.now.text if one.now else ""
    if one.now is None:
        return "back", one.again.text
    if one.now.text != one.again.text:
        return "says again", one.again.text
    status = "" if one.now.status is one.again.status else render.status_word(one.again.status)
    return (f"{status} again" if status else "as it was"), one.again.text


def _take_back(context: Context, options: Namespace) -> int:
    """Take back what a language model did, and leave the rest of those runs as it is."""
    from dreamd.dream.asking.taking_back import apply_take_back, plan_take_back
    from dreamd.kit import open_kit, open_to_change
    from dreamd.store.language.model_traces import Whose

    if options.run:
        raise UsageError("give RUN, or `--model` and `--role`, not both")
    with (open_kit if options.dry_run else open_to_change)(context.world) as kit:
        plan = plan_take_back(kit, Whose(options.role, options.model))
        later = [r.id for r in plan.later]
        if options.dry_run:
            context.document({"run": None, "later": later, "planned": True,
                              "operations": [entry_document(kit.store, e) for e in plan.entries]})
            context.say(f"would take back {render.count(len(plan.entries), 'change')} of `{plan.whose.told()}`"
                        + (f" and what the later runs {', '.join(later)} built on them" if later else ""))
            return 0
        done = apply_take_back(kit, plan, with_later=options.with_later)
    context.document({"undone": list(done.runs), "memories": done.memories, "observations_set_aside": done.observations,
                      "files": done.files, "later": later})
    context.say(f"took back what `{plan.whose.told()}` did: changes to {render.count(done.memories, 'memory')}, "
                f"{render.count(done.observations, 'statement')} set aside, {render.count(done.files, 'file')} rewritten")
    return 0
