"""One dream: orient, gather, consolidate, prune. The whole flow on one screen.

Everything that changes a memory is planned before anything is changed. `--dry-run` plans and stops; `--apply`
plans again and goes on only when the plan is the one a person approved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from types import MappingProxyType

from dreamd import __version__
from dreamd.core import fsio, locks, outage, telemetry
from dreamd.core.clock import SystemClock, cpu_s, iso
from dreamd.core.errors import DreamError, Locked, Outage, Refused, of_progress
from dreamd.core.locks import Owner
from dreamd.core.values import Candidate, Scope
from dreamd.dream import projection
from dreamd.dream.allowance import Allowances
from dreamd.dream.apart import apart, taken_up, try_old_ones
from dreamd.dream.asking.speaking import observe_waiting, reflect_on, speaking
from dreamd.dream.backlog import is_long, rehearsal, rehearse, roll_back, work_off
from dreamd.dream.phases.carry_out import Footing, Touched, carry_out, files_due, keep_verdicts
from dreamd.dream.phases.gather import Gathered, gather, gather_on
from dreamd.dream.phases.orient import Orientation, look_into_inbox, orient, write_edits
from dreamd.dream.phases.renew import renew_vectors
from dreamd.dream.phases.twins import BURIED
from dreamd.dream.phases.weighing import Weighing, weigh_passages
from dreamd.dream.plan import Plan, digest, joined_digest
from dreamd.dream.planning import Wish, plan_all, plan_pruning
from dreamd.dream.report import CHANGED as CHANGED
from dreamd.dream.report import NOTHING as NOTHING
from dreamd.dream.report import PARTIAL, WORTH_A_WORD, count_orientation, note_plan, tell_aside, tell_nothing, tell_waiting
from dreamd.dream.report import CycleReport as CycleReport
from dreamd.dream.scopes import mirror
from dreamd.dream.scopes.endings import promote_ended
from dreamd.dream.scopes.mapping import anchor_old
from dreamd.dream.scopes.task_lines import propose_of_others
from dreamd.dream.sharing.laying_ready import end_with
from dreamd.kit import Kit
from dreamd.recall.still_found import watch_over
from dreamd.store import backups, checks, forgetting, journal, memories, observations, work
from dreamd.store.set_asides import EDITS, FILES

AS_USUAL = Wish()
BEAT_S = 5.0
QUIET_S = 1.0
"""A dream that is done within this leaves no heartbeat, unless it writes something."""
FIRST_LOOK_AT = 1000
"""Observations after which a first dream shows something before it reads on."""
INTERRUPTED = "interrupted"
TRIAL_NAME = ".trial"


def run_cycle(kit: Kit, wish: Wish = AS_USUAL, *, why: str = "") -> CycleReport:
    """Run one dream and say how it ended; `why` it was started goes into its record.

    Raises Locked where another is at work or this one is to stop, Refused past a safety limit, Outage where something is away.
    """
    report = CycleReport(now=kit.clock.now(), planned=wish.only_plan, why=why)
    if wish.only_plan:
        kit.dry = True
        checks.refuse_if_unsound(kit.store, only_look=True)
        with speaking(kit, report):
            _dream(kit, wish, report)
        return report
    owner = Owner("dream consolidate", kit.clock.now())
    with locks.hold_dream(kit.paths.locks, owner), beating(kit):
        if not kit.sound:  # before the run has a record: not even that is written into a store that is damaged
            checks.refuse_if_unsound(kit.store)
        watch = watch_over(kit, BURIED)
        with _recorded(kit, report), speaking(kit, report, only_kept=bool(wish.approved)):
            _dream(kit, wish, report)
            report.warnings.extend(watch.look_after(kit, report.phases["prune"]))
            clear_markers(kit)
    end_with(kit)
    _tell(kit, report)
    return report


@contextmanager
def beating(kit: Kit, kind: str = "") -> Iterator[None]:
    """Say while the dream works where it is, in a file the probe and `dream status` read; gone at the end.

    The holder of the dream lock is the file's only writer; a child of the service and a dream by hand come through here.
    """
    heart = telemetry.Heartbeat(telemetry.cycle_beat_path(kit.paths), "cycle", boot_id=outage.current_boot_id())
    shown, clock = kit.progress, SystemClock()
    started_s, since, beats, last_s = clock.monotonic(), "", 0, -BEAT_S

    def beat(phase: str, done: int, total: int) -> None:
        nonlocal since, beats, last_s
        try:
            shown(phase, done, total)
        except BaseException as error:
            of_progress(error)
            raise
        at_s, changed = clock.monotonic(), phase != heart.beat.phase
        since = iso(clock.now()) if changed else since
        # Only a dream that has something to do leaves a trace, and no more than the disk should bear.
        if (kit.run is not None or at_s - started_s >= QUIET_S) and (changed or at_s - last_s >= BEAT_S):
            beats, last_s = beats + 1, at_s
            heart.write(telemetry.Beat("cycle", phase=phase, done=done, total=total, since=since, sequence=beats,
                                       state="working", run=kit.run.id if kit.run else kind, yields=kit.yields,
                                       counters={"epoch": kit.epoch or 0, **kit.ahead.counters(kit.clock.monotonic())}))

    kit.progress = beat
    try:
        yield
    finally:
        kit.progress = shown
        if beats:
            heart.remove()


def clear_markers(kit: Kit, only: Sequence[str] = outage.COMPONENTS) -> list[str]:
    """Take away the markers of what this dream has used from end to end, and of nothing else; says which stood.

    What it had no use for is tried here and now, or a marker would stand as long as there is nothing to do.
    """
    fallback = outage.runtime_dir(kit.world.env, kit.paths.home)
    away = {m.component for m in outage.read_markers(kit.paths.outage, fallback=fallback)} & set(only)
    away -= outage.DREAMS_WITHOUT if kit.settings.llm.backend != "off" else frozenset()  # an answer alone clears that one
    if not away:
        return []
    if away & {"disk", "db", "index"} and kit.run is None:
        kit.begin()
    if "disk" in away:
        trial = kit.paths.memory / TRIAL_NAME
        fsio.write_atomic(trial, b" " * outage.RESERVE_BYTES)
        fsio.remove(trial)
    if away & {"model", "embed"} and not kit.embedded:
        kit.load_embedder(1).embed(["dream"])
        kit.load_judge()
    return sorted(c for c in away if outage.clear(kit.paths.outage, c, fallback=fallback))


def _tell(kit: Kit, report: CycleReport) -> None:
    """One event a phase and one a run, for the log: counts and names of reasons, never words."""
    if kit.run is not None:
        for phase, counts in report.phases.items():
            whole = {name: int(n) for name, n in counts.items() if name not in ("seconds", "cpu_s")}
            telemetry.log_event(kit.paths, "phase.finished", clock=kit.clock, run=report.run, phase=phase, counts=whole,
                                seconds=counts["seconds"], cpu_seconds=counts["cpu_s"])
        telemetry.log_event(kit.paths, "cycle.finished", clock=kit.clock, run=report.run, outcome=report.outcome,
                            seconds=round(sum(p["seconds"] for p in report.phases.values()), 3), counts=report.fates,
                            skips=report.skips, items=len(report.changes))


def _dream(kit: Kit, wish: Wish, report: CycleReport) -> None:
    with _phase(kit, report, "orient") as counts:
        try_old_ones(kit)
        if not kit.dry:
            roll_back(kit)
        orientation = orient(kit)
        count_orientation(orientation, counts, report)
    allowances = Allowances(kit, unlimited=wish.allow_large_change)
    take = partial(_carry_out_unit, kit, report)
    with _phase(kit, report, "gather") as counts:
        gathered = _gather(kit, orientation, counts, report, partial(work_off, kit, wish, allowances, take, most_units=1))
    if kit.language is not None and not wish.approved:  # a plan is carried out as it was made
        with _phase(kit, report, "observe") as counts:
            counts.update(observe_waiting(kit, gathered.unread))
    long = (wish.only_plan or bool(wish.approved)) and is_long(kit, gathered.candidates)
    with rehearsal(kit, gathered.candidates, long=long) as trial:
        trial_report = report if wish.only_plan else CycleReport()
        tried = Allowances(trial, unlimited=wish.allow_large_change)
        if long:
            with _phase(kit, report, "consolidate"):
                work_off(trial, wish, tried, partial(_rehearse, trial, trial_report))
        if long or wish.only_plan:
            _plan_rest(trial, () if long else gathered.candidates, wish, tried, trial_report)
        if long:
            _check_approved(wish, trial_report)
    if not wish.only_plan:
        with _phase(kit, report, "consolidate"):
            work_off(kit, wish, allowances, take)
        consolidation, pruning = _plan_rest(kit, (), wish, allowances, report)
        if not long:
            _check_approved(wish, report)
        _apply(kit, orientation, consolidation, pruning, report)
        if kit.language is not None and not wish.approved:
            with _phase(kit, report, "reflect") as counts:
                counts.update(reflect_on(kit, report, allowances, take))
        _weigh(kit, wish, report)
        renew_vectors(kit)
    _conclude(kit, orientation, gathered, report)
    report.reason += "; what stands was judged again and stays as it is" if wish.full and report.outcome == NOTHING else ""


def _plan_rest(kit: Kit, fresh: Sequence[Candidate], wish: Wish, allowances: Allowances, report: CycleReport,
               ) -> tuple[Plan, Plan]:
    """Plan what the units of a long backlog have left, which mostly is everything, and what is to be retired."""
    with _phase(kit, report, "consolidate") as counts:
        consolidation = plan_all(kit, fresh, wish, allowances)
        note_plan(report, consolidation, counts)
    with _phase(kit, report, "prune"):
        pruning = plan_pruning(kit, consolidation, wish, allowances)
    report.changes += pruning.changes()
    report.waiting = [*consolidation.waiting, *pruning.waiting]
    report.parts[-1] = digest((consolidation, pruning))
    report.digest = joined_digest(report.parts)
    return consolidation, pruning


def _check_approved(wish: Wish, report: CycleReport) -> None:
    if wish.approved and wish.approved != report.digest:
        raise Refused("the plan is no longer what was approved: something it was based on has changed",
                      hint="make a new one with `dream consolidate --dry-run --plan FILE`")


def _rehearse(trial: Kit, report: CycleReport, plan: Plan) -> None:
    note_plan(report, plan, report.phases.setdefault("consolidate", {"seconds": 0.0, "cpu_s": 0.0}))
    rehearse(trial, plan)


def _carry_out_unit(kit: Kit, report: CycleReport, plan: Plan) -> None:
    """Carry out one unit of a long backlog, its files too: it is there to be seen before the next one is looked at."""
    note_plan(report, plan, report.phases.setdefault("consolidate", {"seconds": 0.0, "cpu_s": 0.0}))
    footing = Footing(dict(plan.revisions))
    keep_verdicts(kit, plan.verdicts, judge=plan.judge)
    carry_out(kit, plan, footing, phase="consolidate")
    written = write_files(kit, sorted(footing.touched), report.warnings, touched=footing.touched)
    telemetry.log_event(kit.paths, "unit.finished", clock=kit.clock, run=kit.begin().id, items=len(plan.changes()),
                        counts={**plan.fates(), "files": written, "done": kit.ahead.done, "total": kit.ahead.total})
    _tell_spoiled(footing, report)


def _gather(kit: Kit, orientation: Orientation, counts: dict[str, float], report: CycleReport, show: Callable[[], None],
            ) -> Gathered:
    """Edits first: they are a person's words and must not wait for a source that takes long."""
    if not kit.dry:
        for edited in orientation.edits:
            with apart(kit, EDITS, str(edited.scope)):
                conflicts = write_edits(kit, edited)
                report.warnings.extend(f"`{path}` was changed by hand meanwhile; yours stays" for path in conflicts)
        anchor_old(kit)
    gathered = _look_first(kit, show)
    promoted = [*promote_ended(kit), *propose_of_others(kit)]
    if kit.dry:
        gathered.candidates[:0] = [*look_into_inbox(kit), *(c for e in orientation.edits for c in e.candidates), *promoted]
    counts.update(sources=gathered.sources, read=gathered.read, lines=gathered.lines, prompts=gathered.prompts,
                  stored=gathered.stored, known=gathered.known, refused=gathered.refused)
    counts.update({f"skipped.{reason}": float(n) for reason, n in sorted(gathered.skips.items())})
    report.skips = dict(gathered.skips)
    report.warnings.extend(gathered.warnings)
    return gathered


def _look_first(kit: Kit, show: Callable[[], None]) -> Gathered:
    """Read every source; a first dream shows something of what it has read before it reads on."""
    began = kit.store.meta(journal.FIRST_LOOK) is not None
    if kit.dry or not (began or not observations.has_fates(kit.store)):
        return gather(kit)
    waiting = observations.count_pending(kit.store)[0]
    gathered = gather(kit, until=0 if began else max(1, FIRST_LOOK_AT - waiting))
    if gathered.left:
        if not began:
            with kit.writing() as tx:
                work.write_meta(tx, journal.FIRST_LOOK, "1")
        show()
        gather_on(kit, gathered)
    return gathered


def _apply(kit: Kit, orientation: Orientation, consolidation: Plan, pruning: Plan, report: CycleReport) -> None:
    footing = Footing({**pruning.revisions, **consolidation.revisions})
    keep_verdicts(kit, consolidation.verdicts, judge=consolidation.judge)
    with _phase(kit, report, "consolidate") as counts:
        counts["steps"] = carry_out(kit, consolidation, footing, phase="consolidate")
    with _phase(kit, report, "prune") as counts:
        counts["steps"] = carry_out(kit, pruning, footing, phase="prune")
        due = files_due(kit, footing, {e.scope for e in orientation.edits})
        counts["files"] = write_files(kit, sorted(due), report.warnings, touched=due)
    if forgetting.is_unfinished(kit.store):
        with kit.background.batch():
            whole = forgetting.finish(kit.store, kit.paths)
        if not whole:
            report.warnings.append("what was forgotten still stands in the log beside the store, for another program reads it; "
                                   "the next dream removes it")
    _tell_spoiled(footing, report)


def _weigh(kit: Kit, wish: Wish, report: CycleReport) -> None:
    """Find out what recall must know of passages, once the memories are as this dream leaves them."""
    with _phase(kit, report, "consolidate") as counts:
        weighing = weigh_passages(kit, wish.scope)
        if weighing != Weighing():
            counts.update(weighed=weighing.passages, weighed_pairs=weighing.pairs, unweighed=weighing.left)


def _tell_spoiled(footing: Footing, report: CycleReport) -> None:
    if footing.spoiled:
        report.warnings.append(f"memories changed while the dream was planned: {len(footing.spoiled)}; "
                               "what concerns them waits for the next dream")


def write_files(kit: Kit, scopes: Sequence[Scope], warnings: list[str], *,
                touched: Mapping[Scope, Touched | None] = MappingProxyType({})) -> int:
    """Bring the markdown of scopes up to date with the store; say how many files were written or removed.

    `touched` is what one run changed: where nothing else did since all files were looked at, no other file is made anew.
    """
    return sum(mirror.show_scope(kit, scope) if kit.store.owns_words else _write_files_of(kit, scope, warnings, touched)
               for scope in scopes)


def _write_files_of(kit: Kit, scope: Scope, warnings: list[str], touched: Mapping[Scope, Touched | None]) -> int:
    written, failed = 0, len(kit.aside)
    with apart(kit, FILES, str(scope)):
        changes = work.load_unwritten(kit.store).get(scope, 0)
        mine = touched.get(scope)
        alone = mine is not None and mine.writes == changes and work.looked_by(kit.store, scope) == __version__
        run = kit.run.seq if kit.run else journal.last_seq(kit.store)
        latest = projection.Latest(mine.ids, run) if mine and alone else None
        plan = projection.plan_scope(kit.store, scope, paths=kit.paths, rules=kit.settings.index, latest=latest)
        if plan.intents or changes or (mine and not mine.ids):
            conflicts = projection.write_scope(kit, scope, plan, changes=changes, by="" if alone else __version__)
            warnings.extend(f"`{path}` was changed by hand meanwhile; yours stays" for path in conflicts)
            written = len(plan.intents) - len(conflicts)
    if len(kit.aside) == failed:
        taken_up(kit, FILES, str(scope))
    return written


def _conclude(kit: Kit, orientation: Orientation, gathered: Gathered, report: CycleReport) -> None:
    # A dry run that says so names what it would do; the outcome is that of a run that does it.
    did = bool(report.changes or report.fates or any(e.candidates for e in orientation.edits))
    report.outcome = PARTIAL if report.waiting or report.damaged else CHANGED if did else NOTHING
    report.aside = tuple(kit.aside)
    if kit.aside or report.waiting:
        report.outcome = PARTIAL
        report.warnings.extend(tell_waiting(report.waiting))
        report.warnings.extend(tell_aside([one.told() for one in kit.aside]))
    unusual = {r: n for r, n in gathered.skips.items() if r in WORTH_A_WORD}
    if unusual:
        report.warnings.append("set aside: " + ", ".join(f"{n} × {r}" for r, n in sorted(unusual.items())))
    report.reason = "" if did or report.outcome is PARTIAL else tell_nothing(report)
    report.scopes = sorted({c.after.scope for c in report.changes})
    named = {c.after.superseded_by for c in report.changes} - {"", *(c.after.id for c in report.changes)}
    report.successors = memories.load_some(kit.store, sorted(named)) if named else {}


@contextmanager
def _phase(kit: Kit, report: CycleReport, name: str) -> Iterator[dict[str, float]]:
    """Time a phase; entered twice, planning and applying add up."""
    started, cpu = kit.clock.monotonic(), cpu_s()
    kit.progress(name, 0, 0)
    counts = report.phases.setdefault(name, {"seconds": 0.0, "cpu_s": 0.0})
    try:
        yield counts
    finally:
        counts["seconds"] = round(counts["seconds"] + kit.clock.monotonic() - started, 3)
        counts["cpu_s"] = round(counts["cpu_s"] + cpu_s() - cpu, 3)


@contextmanager
def _recorded(kit: Kit, report: CycleReport) -> Iterator[None]:
    """Close the run's journal entry, whatever happens; a run that wrote nothing has none."""
    try:
        yield
    except DreamError as error:
        if isinstance(error, Outage):
            outage.flag(kit.paths.outage, error, now=kit.clock.now(), owner="dream consolidate",
                        fallback=outage.runtime_dir(kit.world.env, kit.paths.home))
        stopped = isinstance(error, Locked) and kit.should_stop()
        report.outcome, report.reason = INTERRUPTED if stopped else error.outcome, error.message
        with suppress(DreamError):  # the error that is on its way says more than a second one about the journal
            if kit.run is not None or not stopped:
                kit.begin()
                _close(kit, report)
                _tell(kit, report)
        raise
    if kit.run is not None:
        _close(kit, report)
        kit.store.checkpoint()
        backups.back_up_if_due(kit.store.connection, kit.paths, now=kit.clock.now(), keep=kit.settings.store.backups_kept)
        _drop_old(kit)


def _drop_old(kit: Kit) -> None:
    """The journal keeps what can still be undone, as long as the settings say."""
    before = kit.clock.now() - timedelta(days=kit.settings.store.runs_kept_days)
    if journal.is_older(kit.store, before=before):
        with kit.writing() as tx:
            journal.drop_old(tx, before=before)


def _close(kit: Kit, report: CycleReport) -> None:
    waiting, _ = observations.count_pending(kit.store)
    report.run = (run := kit.begin()).id
    told = "; ".join(w for w in (report.reason, report.why) if w)
    ended = replace(run, outcome=report.outcome, reason=told, phases=report.phases, fates=report.fates,
                    warnings=tuple(report.warnings), backlog=waiting)
    with kit.writing() as tx:
        journal.end_run(tx, ended, ended_at=kit.clock.now())
