"""`dream consolidate`: one whole dream in the foreground, its plan on paper, or exactly a plan that was approved."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dreamd.agents.attach import load_attachments
from dreamd.cli.context import Context
from dreamd.cli.families.knowledge.corpus import read_watched
from dreamd.cli.families.telling.diaries import write_each_morning
from dreamd.cli.printing.json_documents import counts, error_document
from dreamd.cli.printing.progress import STEPS
from dreamd.cli.printing.render import tell_way
from dreamd.cli.printing.reporting import tell_report, tell_tended
from dreamd.cli.stopping import listening
from dreamd.cli.told import Told
from dreamd.core import fsio, locks
from dreamd.core.clock import FixedClock, SystemClock, iso, parse_instant
from dreamd.core.errors import DreamError, Locked, Outage, Partial, Refused, UsageError
from dreamd.core.throttle import Throttle
from dreamd.core.values import Fate, parse_scope
from dreamd.core.world import World
from dreamd.dream.cycle import CycleReport, run_cycle
from dreamd.dream.plan import describe_change
from dreamd.dream.planning import Wish
from dreamd.kit import Kit, open_kit
from dreamd.service.gating.allotting import Allotment, allot_now
from dreamd.service.gating.gates import Outlook, look_for_auto, remember
from dreamd.service.gating.idle import Pace
from dreamd.service.manners import Pulse, Stop, take_short_turns
from dreamd.service.tending import Tended, differing, look_at_all, outcome_of, tend_all
from dreamd.store.connection import open_reader

PLAN_SCHEMA = 1
LARGEST_PLAN_BYTES = 256 * 1024 * 1024
SAY_EVERY_S = 10.0
"""Between two lines about a long backlog where no terminal shows it."""
PHASES = ("orient", "gather", "consolidate", "prune")
SET_ASIDE = frozenset({"corrupt-line", "corrupt-document", "oversized", "unreadable", "not-a-file", "symlink",
                       "unknown-format", "damaged-archive"})
"""Reasons to skip that mean an input could not be used: the run is then partial."""


@dataclass(frozen=True)
class Approved:
    """A plan as a file holds it."""

    now: str
    digest: str
    scope: str | None
    full: bool
    allow_large_change: bool
    directories: dict[str, str] = field(default_factory=dict)


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream consolidate` takes."""
    parser.add_argument("--dry-run", action="store_true", help="print the plan and change nothing")
    parser.add_argument("--plan", metavar="FILE", help="save the plan and change nothing")
    parser.add_argument("--apply", metavar="FILE", help="carry out exactly this plan, or refuse")
    parser.add_argument("--scope", metavar="S", help="only this scope")
    parser.add_argument("--full", action="store_true",
                        help="judge every memory again, not only what is new; with `--dry-run` see what that would change")
    parser.add_argument("--auto", action="store_true", help="obey the gates (idle, time, volume), silent when nothing is due")
    parser.add_argument("--budget", metavar="TIME|auto", help="work no longer than this (`90s`, `10m`) and leave the rest to "
                        "the next dream; auto: as long as load, battery and what waits allow")
    parser.add_argument("--allow-large-change", action="store_true", help="retire more than a run usually may")
    parser.add_argument("--propose", action="store_true", help="what a language model would promote, reword, merge or retire "
                        "waits in `dream review`")


def run(context: Context, options: Namespace) -> int:
    """Dream once."""
    if options.apply and (options.dry_run or options.plan or options.auto or options.scope or options.full or options.propose):
        raise UsageError("`--apply` carries out a plan as it is and takes no other choice")
    if options.plan and not Path(options.plan).expanduser().absolute().parent.is_dir():
        raise UsageError(f"there is no directory for the plan `{options.plan}`", hint="make it first, or name another file")
    if options.budget and (options.apply or options.dry_run or options.plan):
        raise UsageError("`--budget` is for a dream that changes something", hint="a plan is made and carried out as a whole")
    report = CycleHolder()
    wish, world = _wish(context, options, report)
    if options.auto and not wish.only_plan:
        try:
            held = _ask_gates(world, report)
        except Locked:
            held = "another dream is at work"
        if held:
            context.document(_empty_document("not-now", held, world))
            if context.verbosity > 0:
                context.tell(f"not now: {held}")
            return 0
    given = report.allotted = allot_now(world, options.budget) if options.budget else None
    if given is not None:
        context.tell(given.told())
        if not given.limit_s:
            context.document(_empty_document("not-now", given.words, world))
            return 0
    try:
        _dream(context, world, wish, report)
    except Locked as locked:
        if report.stopped_by or report.out_of_time:
            return _leave(context, world, report)
        if options.auto:
            context.document(_empty_document("locked", locked.message, world))
            return 0
        _fail(context, world, locked, report)
    except DreamError as error:
        _fail(context, world, error, report)
    if not wish.only_plan and not report.stopped_by:
        read_watched(context)
        if options.auto and report.ended().run and (failed := write_each_morning(world)):
            report.ended().warnings.append(failed)
        if options.auto and world.settings.service.weekly_page:
            from dreamd.report.week_page import write_week

            write_week(world)
    return _conclude(context, options, wish, report) or report.stopped_by


def _leave(context: Context, world: World, holder: CycleHolder) -> int:
    """A dream that was asked to stop has closed its own record; what it did stays."""
    document = _empty_document("interrupted", "its time is up" if holder.out_of_time else "asked to stop", world)
    context.document({**document, "run": holder.run or None, **holder.budget()})
    context.tell(f"{'the time is up' if holder.out_of_time else 'stopped'}; nothing is lost, the next dream goes on from here")
    return holder.stopped_by


class CycleHolder:
    """The report of the run, once there is one; tells a failure inside the run from one before it."""

    def __init__(self) -> None:
        self.started = False
        self.run = ""
        """The run in the journal, where there was one before the dream was stopped."""
        self.stopped_by = 0
        """The exit code for the signal that asked the dream to stop before it was done."""
        self.out_of_time = False
        """Whether the time it was given was up before it was done."""
        self.allotted: Allotment | None = None
        """The time it was given, where a person gave it any."""
        self.outlook: Outlook | None = None
        """What the gates said, where they were asked."""
        self.tended: list[Tended] = []
        """What became of the attached directories, or would."""
        self.directories: dict[str, str] = {}
        """Of an approved plan: the directories it changes, and the digest of each change."""
        self._report: CycleReport | None = None

    def end(self, report: CycleReport) -> None:
        """Keep the finished report."""
        self._report = report

    def budget(self) -> dict[str, object]:
        """What a document tells of the time that was given."""
        return {"budget": self.allotted.document()} if self.allotted is not None else {}

    def ended(self) -> CycleReport:
        """The finished report; there is one whenever nothing was raised."""
        if self._report is None:
            raise DreamError("the dream ended without a report")
        return self._report


def _wish(context: Context, options: Namespace, holder: CycleHolder) -> tuple[Wish, World]:
    if not options.apply:
        scope = parse_scope(options.scope) if options.scope else None
        wish = Wish(scope=scope, full=options.full, allow_large_change=options.allow_large_change,
                    only_plan=bool(options.dry_run or options.plan))
        settings = context.world.settings
        return wish, replace(context.world, settings=replace(settings, llm=replace(
            settings.llm, propose_only=settings.llm.propose_only or options.propose)))
    plan = read_plan(Path(options.apply).expanduser())
    at = parse_instant(plan.now)
    if options.now and parse_instant(options.now) != at:
        raise UsageError(f"the plan was made for {plan.now}, not for the `--now` given")
    holder.directories = plan.directories
    wish = Wish(scope=parse_scope(plan.scope) if plan.scope else None, full=plan.full, approved=plan.digest,
                allow_large_change=plan.allow_large_change or options.allow_large_change)
    return wish, replace(context.world, clock=FixedClock(at))


def _ask_gates(world: World, holder: CycleHolder) -> str:
    """What keeps an automatic dream from starting, in words; empty when nothing does."""
    with open_kit(world, create=True) as kit:
        outlook = look_for_auto(world, kit.store)
    remember(world, outlook)
    holder.outlook = outlook
    return "" if outlook.may_start else "; ".join(outlook.held_by()) or "the gates are shut"


def _behave(kit: Kit, stop: Stop, outlook: Outlook | None, *, paced: bool = False) -> str:
    """Any dream ends after its step when it is asked to; one nobody waits for keeps the pace it was given.

    Gives why it was started, where nobody asked for it.
    """
    paced = paced or (outlook is not None and outlook.permission.pace is not Pace.FULL)
    kit.should_stop = stop
    kit.background = locks.Background(kit.paths.locks, should_stop=stop)
    kit.progress = Pulse(stop, Throttle(SystemClock(), paced=paced, should_stop=stop))
    return outlook.why(kit.clock.now()) if outlook is not None else ""


def _here(holder: CycleHolder) -> Path | None:
    """Where a person stands who asked for a dream; nowhere for one that started by itself."""
    try:
        return None if holder.outlook is not None else Path.cwd()
    except OSError:
        return None  # the directory is gone: what memories name cannot be looked for


def _dream(context: Context, world: World, wish: Wish, holder: CycleHolder) -> None:
    if wish.only_plan:
        with open_kit(world, create=True, read_only=True) as kit, _progress(context, kit):
            kit.standing_in = _here(holder)
            holder.end(run_cycle(kit, wish))
            holder.tended = look_at_all(kit)
        return
    _bring_up_to_date(world)
    take_short_turns()
    given = holder.allotted
    stop = Stop(world.paths, heeds_pause=holder.outlook is not None, limit_s=given.limit_s if given else 0.0)
    with open_kit(world, create=True) as kit:
        kit.standing_in = _here(holder)
        moved = differing(kit, holder.directories) if holder.directories else []
        if moved:
            raise Refused(f"`{moved[0]}` is no longer as it was when the plan was made",
                          hint="make a new one with `dream consolidate --dry-run --plan FILE`")
        why = _behave(kit, stop, holder.outlook, paced=given is not None and given.pace is not Pace.FULL)
        try:
            with listening(stop), _progress(context, kit):
                holder.started = True
                holder.end(run_cycle(kit, wish, why=why))
        except Locked:
            holder.stopped_by, holder.run = stop.code, kit.run.id if kit.run else ""
            holder.out_of_time = stop.out_of_time
            raise
        if (stop.code or stop()) and load_attachments(kit.store):
            holder.stopped_by = stop.code  # the dream itself was done before it heard
            context.warn("attached directories wait for the next dream")
            return
    holder.tended = tend_all(world, holder.directories if wish.approved else None)


def _bring_up_to_date(world: World) -> None:
    """Migrate an older store, alone: nobody may dream over a store that changes its shape."""
    if not world.paths.store.exists():
        return
    try:
        open_reader(world.paths.store).close()
    except Outage as outage:
        if outage.code != "store-older":
            raise
        with locks.hold_dream(world.paths.locks, locks.Owner("dream consolidate", world.clock.now())), \
                open_kit(world, migrate=True):
            pass


@contextmanager
def _progress(context: Context, kit: Kit) -> Iterator[None]:
    """Show how far the dream is: on a terminal always, anywhere else a line now and then while a long backlog lasts."""
    if context.verbosity < 0:
        yield
        return
    before, last_s, loud = kit.progress, 0.0, context.stderr.isatty()

    def show(phase: str, done: int, total: int) -> None:
        nonlocal last_s
        before(phase, done, total)
        now_s, ahead = context.world.clock.monotonic(), kit.ahead
        way = tell_way(ahead.done, ahead.total, ahead.left_s(kit.clock.monotonic())) if ahead.total else ""
        if not loud and way and phase == "observations" and now_s - last_s >= SAY_EVERY_S:
            last_s = now_s
            context.stderr.write(f"{way}\n")
            context.stderr.flush()
        elif loud and (now_s - last_s >= 0.1 or 0 < total <= done):
            last_s = now_s
            share = f" {done:,} of {total:,}" if total else ""
            told = way if phase == "observations" else f"{way}{': ' if way else ''}{STEPS.get(phase, phase)}{share}"
            context.stderr.write(f"\r\x1b[K{told} …")
            context.stderr.flush()

    kit.progress = show
    try:
        yield
    finally:
        if loud:
            context.stderr.write("\r\x1b[K")
            context.stderr.flush()


def _conclude(context: Context, options: Namespace, wish: Wish, holder: CycleHolder) -> int:
    report, tended = holder.ended(), holder.tended
    dreamt = report.outcome != "nothing-to-do"
    if tended:
        _add_tended(report, tended)
    aside = any(n for reason, n in report.skips.items() if reason in SET_ASIDE)
    partial = aside or report.outcome == Partial.outcome
    document = report_document(report, outcome=Partial.outcome if partial else report.outcome)
    document["operations"] = [*document["operations"], *(c.document() for one in tended for c in one.told.changes)]
    document["attached"] = [{"directory": one.directory, "run": one.run or None, "files": list(one.files),
                             "digest": one.digest or None, "left": one.left or None} for one in tended]
    document |= holder.budget()
    if options.plan:
        _write_plan(Path(options.plan).expanduser().absolute(), wish, document)
    context.document(document)
    quiet = report.outcome == "nothing-to-do" and options.auto
    if not context.json and not quiet and context.verbosity >= 0:
        if dreamt or report.outcome == "nothing-to-do":
            tell_report(context, report, plan_file=options.plan, carried_out_by=_command(wish))
        tell_tended(context, tended, planned=report.planned)
    for warning in report.warnings:
        context.warn(warning)
    if aside:
        context.tell("hint: `dream sources` shows what was passed over where")
    return Partial.exit_code if partial else 0


def _command(wish: Wish) -> str:
    """The command that does what a wish asks for, for who saw only its plan."""
    chosen = [("--full", wish.full), (f"--scope {wish.scope}", wish.scope), ("--allow-large-change", wish.allow_large_change)]
    return " ".join(["dream consolidate", *(option for option, given in chosen if given)])


def _add_tended(report: CycleReport, tended: Sequence[Tended]) -> None:
    """Have the report of a dream tell of the attached directories too."""
    report.warnings.extend(warning for one in tended for warning in one.warnings)
    report.outcome = outcome_of(tended, report.outcome)
    if any(one.files for one in tended):
        report.reason = ""
        report.run = report.run or next((one.run for one in tended if one.run), "")


def _fail(context: Context, world: World, error: DreamError, holder: CycleHolder) -> None:
    """Say how a dream ended that did not come to its end; the run itself has left its marker already."""
    document = _empty_document(error.outcome, error.message, world)
    name = type(error).__name__ if error.exit_code != 1 else "DreamError"
    context.document({**document, "error": error_document(name, error.message, error.hint, error.exit_code)})
    raise Told(error, marked=holder.started) from error


def report_document(report: CycleReport, *, outcome: str) -> dict[str, Any]:
    """`consolidate --json`."""
    return {
        "run": report.run or None, "outcome": outcome, "reason": report.reason or None,
        "now": iso(report.now) if report.now else None, "planned": report.planned,
        "phases": {name: report.phases.get(name, {"seconds": 0.0}) for name in dict.fromkeys((*PHASES, *report.phases))},
        "fates": counts(report.fates, tuple(Fate)), "operations": [describe_change(c) for c in report.changes],
        "scopes": [str(s) for s in report.scopes], "skips": dict(sorted(report.skips.items())),
        "waiting": [describe_change(c) for c in report.waiting],
        "set_aside": [*(a.shown() for a in report.aside), *(d.shown() for d in report.damaged)],
        "digest": report.digest or None, "warnings": list(report.warnings)}


def _empty_document(outcome: str, reason: str, world: World) -> dict[str, object]:
    return {"run": None, "outcome": outcome, "reason": reason, "now": iso(world.clock.now()), "planned": False,
            "phases": {name: {"seconds": 0.0} for name in PHASES}, "fates": counts({}, tuple(Fate)), "operations": [],
            "scopes": [], "skips": {}, "waiting": [], "set_aside": [], "attached": [], "digest": None, "warnings": []}


def _write_plan(path: Path, wish: Wish, document: dict[str, Any]) -> None:
    body = {"schema": PLAN_SCHEMA, "now": document["now"],
            "wish": {"scope": str(wish.scope) if wish.scope else None, "full": wish.full,
                     "allow_large_change": wish.allow_large_change},
            "digest": document["digest"], "operations": document["operations"],
            "attached": {row["directory"]: row["digest"] for row in document["attached"] if row["digest"]}}
    fsio.write_atomic(path, (json.dumps(body, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "surrogatepass"))


def read_plan(path: Path) -> Approved:
    """A plan somebody approved.

    Raises UsageError for a file that is none.
    """
    try:
        plan = json.loads(fsio.read_bytes(path, limit_bytes=LARGEST_PLAN_BYTES))
        wish = plan["wish"]
        if plan["schema"] != PLAN_SCHEMA:
            raise UsageError(f"`{path}` is a plan of another dream", hint="make a new one with `--plan FILE`")
        approved = Approved(str(plan["now"]), str(plan["digest"]), wish["scope"], bool(wish["full"]),
                            bool(wish["allow_large_change"]),
                            {str(path): str(sha) for path, sha in dict(plan.get("attached", {})).items()})
    except FileNotFoundError:
        raise UsageError(f"no plan at `{path}`", hint="`dream consolidate --plan FILE` makes one") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(f"`{path}` is no plan", hint="`dream consolidate --plan FILE` makes one") from None
    parse_instant(approved.now)
    return approved
