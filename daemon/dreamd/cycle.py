"""One dream: orient, gather, consolidate, prune. The whole flow on one screen.

Everything that changes a memory is planned before anything is changed. `--dry-run` plans and stops; `--apply`
plans again and goes on only when the plan is the one a person approved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from dreamd import mutex, projection
from dreamd.clock import cpu_s, local_date
from dreamd.errors import DreamError, Refused
from dreamd.extraction import gate
from dreamd.kit import Kit
from dreamd.model import Memory, Observation, Scope, Status
from dreamd.mutex import Owner
from dreamd.phases.carry_out import Footing, carry_out, keep_verdicts
from dreamd.phases.compare import RULES, PairBook, find_partners, load_vectors
from dreamd.phases.consolidate import Bench, Heard, plan_consolidation
from dreamd.phases.gather import Gathered, gather
from dreamd.phases.orient import Orientation, orient, write_edits
from dreamd.phases.prune import PruneRules, plan_prune
from dreamd.plan import Change, Plan, digest, retired
from dreamd.relations import merged_wording
from dreamd.store import derived, journal, memories, observations, work

CHANGED = "changed"
NOTHING = "nothing-to-do"
WORTH_A_WORD = frozenset({"corrupt-line", "corrupt-document", "oversized", "encoding-replaced", "unknown-type", "unreadable",
                          "missing", "symlink", "not-a-file", "unknown-format"})
"""Reasons to skip that do not belong to a healthy source: a person should hear of them."""


@dataclass(frozen=True)
class Wish:
    """What a person, a timer or the service asked for."""

    scope: Scope | None = None
    full: bool = False
    allow_large_change: bool = False
    approved: str = ""
    """Digest of the plan that may be carried out, and of no other."""
    only_plan: bool = False


@dataclass
class CycleReport:
    """How a dream went, phase by phase."""

    run: str = ""
    outcome: str = NOTHING
    reason: str = ""
    now: datetime | None = None
    phases: dict[str, dict[str, float]] = field(default_factory=dict)
    fates: dict[str, int] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    digest: str = ""
    planned: bool = False
    scopes: list[Scope] = field(default_factory=list)
    skips: Mapping[str, int] = field(default_factory=dict)


def run_cycle(kit: Kit, wish: Wish = Wish()) -> CycleReport:
    """Run one dream and say how it ended.

    Raises Locked when another dream is at work, Refused past a safety limit, Outage when something is away.
    """
    report = CycleReport(now=kit.clock.now(), planned=wish.only_plan)
    if wish.only_plan:
        kit.dry = True
        _dream(kit, wish, report)
        return report
    with mutex.hold_dream(kit.paths.locks, Owner("dream consolidate", kit.clock.now())), _recorded(kit, report):
        _dream(kit, wish, report)
    return report


def _dream(kit: Kit, wish: Wish, report: CycleReport) -> None:
    with _phase(kit, report, "orient") as counts:
        orientation = orient(kit)
        _count_orientation(orientation, counts, report)
    with _phase(kit, report, "gather") as counts:
        gathered = _gather(kit, orientation, counts, report)
    with _phase(kit, report, "consolidate") as counts:
        consolidation = _plan_all(kit, gathered, wish)
        counts.update(observations=float(sum(consolidation.fates().values())), judged=float(consolidation.judged))
    with _phase(kit, report, "prune"):
        pruning = _plan_pruning(kit, consolidation, wish)
    _check_limits(kit, consolidation, pruning, wish)
    report.changes = [*consolidation.changes(), *pruning.changes()]
    report.fates = dict(consolidation.fates())
    report.digest = digest((consolidation, pruning))
    if wish.approved and wish.approved != report.digest:
        raise Refused("the plan is no longer what was approved: something it was based on has changed",
                      hint="make a new one with `dream consolidate --dry-run --plan FILE`")
    if not wish.only_plan:
        _apply(kit, orientation, consolidation, pruning, report)
    _conclude(orientation, gathered, report)


def _gather(kit: Kit, orientation: Orientation, counts: dict[str, float], report: CycleReport) -> Gathered:
    """Edits first: they are a person's words and must not wait for a source that takes long."""
    if not kit.dry:
        for edited in orientation.edits:
            write_edits(kit, edited)
    gathered = gather(kit)
    if kit.dry:
        gathered.candidates[:0] = [c for e in orientation.edits for c in e.candidates]
    counts.update(sources=gathered.sources, read=gathered.read, lines=gathered.lines, prompts=gathered.prompts,
                  stored=gathered.stored, known=gathered.known, refused=gathered.refused)
    report.skips = dict(gathered.skips)
    report.warnings.extend(gathered.warnings)
    return gathered


def _plan_all(kit: Kit, gathered: Gathered, wish: Wish) -> Plan:
    """One consolidation plan over all scopes; each scope is planned as if the others did not exist."""
    pending = observations.load_pending(kit.store, scope=str(wish.scope) if wish.scope else None)
    if kit.dry:
        known = {o.id for o in pending}
        fresh = observations.as_pending(gathered.candidates, after=observations.last_seq(kit.store))
        seen = {o.id for o in observations.load_by_ids(kit.store, (o.id for o in fresh))}
        pending += [o for o in {o.id: o for o in fresh}.values() if o.id not in known and o.id not in seen]
        pending = [o for o in pending if wish.scope is None or o.scope == wish.scope]
        pending.sort(key=lambda o: (o.at, o.id))
    if not pending:
        return Plan()
    by_scope: dict[Scope, list[Observation]] = {}
    for observation in pending:
        by_scope.setdefault(observation.scope, []).append(observation)
    plans, verdicts = [], {}
    remembered = derived.load_judged(kit.store, judge=RULES)
    for n, scope in enumerate(sorted(by_scope)):
        kit.progress("consolidate", n, len(by_scope))
        plan, book = _plan_scope(kit, scope, by_scope[scope], remembered)
        plans.append(plan)
        verdicts.update(book.fresh)
    return Plan(tuple(s for p in plans for s in p.steps), {i: r for p in plans for i, r in p.revisions.items()}, verdicts,
                judged=len(verdicts))


def _plan_scope(kit: Kit, scope: Scope, pending: Sequence[Observation], remembered: Mapping,  # type: ignore[type-arg]
                ) -> tuple[Plan, PairBook]:
    heard = [_hear(kit, o) for o in pending]
    waiting = [_hear(kit, o) for o in observations.load_waiting(kit.store, str(scope))]
    standing = memories.load_memories(kit.store, scope=scope)
    asked = [h.gated.text for h in heard if h.gated.verdict != "discard" and not h.observation.target]
    others = [m.text for m in standing] + [w.gated.text for w in waiting]
    vectors = load_vectors(kit, (*asked, *others)) if asked else load_vectors(kit, ())
    rules = kit.settings.consolidate
    partners = find_partners(asked, [*others, *asked], vectors, k=rules.neighbours, floor=rules.neighbour_floor)
    book = PairBook(vectors, remembered)
    bench = Bench(scope, standing, memories.load_revisions(kit.store, scope), partners, book.relate, merged_wording,
                  waiting, kit.settings.extraction.promote_after_conversations)
    return plan_consolidation(heard, bench), book


def _hear(kit: Kit, observation: Observation) -> Heard:
    gated = gate(observation.text, origin=observation.origin, at=observation.at, zone=kit.zone,
                 class_hint=observation.class_hint, type_hint=observation.type_hint, ttl=observation.ttl,
                 explicit=observation.explicit)
    return Heard(observation, gated)


def _plan_pruning(kit: Kit, consolidation: Plan, wish: Wish) -> Plan:
    """Prune what the store will hold once the consolidation is done."""
    prune, now = kit.settings.prune, kit.clock.now()
    due = memories.load_due(kit.store, today=local_date(now, kit.zone), heard_before=now - timedelta(days=prune.stale_after_days))
    will_be: dict[str, Memory] = {m.id: m for m in due if wish.scope is None or m.scope == wish.scope}
    will_be.update((c.after.id, c.after) for c in consolidation.changes())
    plan = plan_prune(list(will_be.values()), now=now, zone=kit.zone,
                      rules=PruneRules(prune.stale_after_days, prune.archive_after_days))
    revisions: dict[str, int] = {}
    for scope in {c.after.scope for c in plan.changes()}:
        known = memories.load_revisions(kit.store, scope)
        revisions.update((c.after.id, known[c.after.id]) for c in plan.changes() if c.after.id in known)
    return replace(plan, revisions=revisions)


def _check_limits(kit: Kit, consolidation: Plan, pruning: Plan, wish: Wish) -> None:
    """No run may retire more than its share of a scope, or all of it, unless a person says so."""
    if wish.allow_large_change:
        return
    rules = kit.settings.consolidate
    both = Plan((*consolidation.steps, *pruning.steps))
    by_scope: dict[Scope, int] = {}
    for change in retired(both):
        by_scope[change.after.scope] = by_scope.get(change.after.scope, 0) + 1
    final = {c.after.id: c.after for c in both.changes()}
    for scope, gone in sorted(by_scope.items()):
        live = {m.id for m in memories.load_memories(kit.store, scope=scope, statuses=(Status.LIVE,))}
        after = (live | {m.id for m in final.values() if m.scope == scope and m.status is Status.LIVE}) - {
            m.id for m in final.values() if m.status is not Status.LIVE}
        share = max(rules.retire_always, len(live) * rules.max_retire_percent // 100)
        if gone > share:
            raise Refused(f"this run would retire {gone} of {len(live)} live memories of scope `{scope}`, more than {share}",
                          hint="look at it with `dream consolidate --dry-run`, then pass `--allow-large-change`")
        if live and not after:
            raise Refused(f"this run would leave scope `{scope}` without a live memory",
                          hint="look at it with `dream consolidate --dry-run`, then pass `--allow-large-change`")


def _apply(kit: Kit, orientation: Orientation, consolidation: Plan, pruning: Plan, report: CycleReport) -> None:
    footing = Footing({**pruning.revisions, **consolidation.revisions})
    keep_verdicts(kit, consolidation.verdicts, judge=RULES)
    with _phase(kit, report, "consolidate") as counts:
        counts["steps"] = carry_out(kit, consolidation, footing, phase="consolidate")
    with _phase(kit, report, "prune") as counts:
        counts["steps"] = carry_out(kit, pruning, footing, phase="prune")
        scopes = footing.scopes | {e.scope for e in orientation.edits}
        counts["files"] = write_files(kit, sorted(scopes), report.warnings)
    if footing.spoiled:
        report.warnings.append(f"{len(footing.spoiled)} memories changed while the dream was planned; "
                               "what concerns them waits for the next dream")


def write_files(kit: Kit, scopes: Sequence[Scope], warnings: list[str]) -> int:
    """Bring the markdown of scopes up to date with the store; say how many files were written or removed."""
    written = 0
    for scope in scopes:
        intents = projection.load_scope_files(kit.store, scope, paths=kit.paths, rules=kit.settings.index)
        if not intents:
            continue
        with kit.writing() as tx:
            work.intend(tx, intents)
        conflicts = projection.settle(kit.store, kit.background, paths=kit.paths)
        warnings.extend(f"`{path}` was changed by hand meanwhile; yours stays" for path in conflicts)
        written += len(intents) - len(conflicts)
    return written


def _conclude(orientation: Orientation, gathered: Gathered, report: CycleReport) -> None:
    # A dry run that says so names what it would do; the outcome is that of a run that does it.
    did = bool(report.changes or report.fates or orientation.edits)
    report.outcome = CHANGED if did else NOTHING
    unusual = {r: n for r, n in gathered.skips.items() if r in WORTH_A_WORD}
    if unusual:
        report.warnings.append("set aside: " + ", ".join(f"{n} × {r}" for r, n in sorted(unusual.items())))
    report.reason = "" if did else "no new observations, no edits, nothing due"
    report.scopes = sorted({c.after.scope for c in report.changes})


def _count_orientation(orientation: Orientation, counts: dict[str, float], report: CycleReport) -> None:
    counts.update(interrupted=orientation.interrupted, files_finished=orientation.finished_files,
                  inbox=orientation.from_inbox, edits=sum(len(e.candidates) for e in orientation.edits))
    report.warnings.extend(orientation.warnings)


@contextmanager
def _phase(kit: Kit, report: CycleReport, name: str) -> Iterator[dict[str, float]]:
    """Time a phase; entered twice, planning and applying add up."""
    started, cpu = kit.clock.monotonic(), cpu_s()
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
        report.outcome, report.reason = error.outcome, error.message
        with suppress(DreamError):  # the error that is on its way says more than a second one about the journal
            kit.begin()
            _close(kit, report)
        raise
    if kit.run is not None:
        _close(kit, report)
        kit.store.checkpoint()


def _close(kit: Kit, report: CycleReport) -> None:
    waiting, _ = observations.count_pending(kit.store)
    run = kit.begin()
    report.run = run.id
    ended = replace(run, outcome=report.outcome, reason=report.reason, phases=report.phases, fates=report.fates,
                    warnings=tuple(report.warnings), backlog=waiting)
    with kit.writing() as tx:
        journal.end_run(tx, ended, ended_at=kit.clock.now())


