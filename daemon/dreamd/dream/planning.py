"""Planning a whole dream: consolidation of every scope, then pruning of what will be there, within the limits.

Each scope is planned as if the others did not exist. Nothing here changes a memory.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from dreamd.core.clock import local_date
from dreamd.core.values import (
    DELETION_WAITS,
    IN_PASSING,
    MARKS,
    ONE_OFF,
    WITHHELD,
    Candidate,
    Fate,
    GateVerdict,
    Memory,
    Observation,
    Scope,
    Status,
)
from dreamd.dream.allowance import Allowance, Allowances, retired
from dreamd.dream.apart import Look, apart, set_aside, stands, taken_up, without_bad
from dreamd.dream.asking.crediting import categorised, credited
from dreamd.dream.living.clock_ahead import from_what_is_stored, memory_never_later, never_later
from dreamd.dream.living.reclass import plan_classes
from dreamd.dream.living.recorded import is_record, noted, records_of
from dreamd.dream.phases.compare import (
    PairJudge,
    Vectors,
    find_partners,
    likely_pairs,
    load_abroad,
    load_standing,
    load_vectors,
    tell_worth,
)
from dreamd.dream.phases.consolidate import Bench, plan_consolidation
from dreamd.dream.phases.edited import Deletions
from dreamd.dream.phases.prune import PruneRules, ages, counted_back, plan_prune
from dreamd.dream.phases.reconcile import plan_reconcile
from dreamd.dream.phases.regroup import plan_regroup
from dreamd.dream.phases.renew import embed_heard
from dreamd.dream.phases.twins import Heard, is_edit, spoken_of
from dreamd.dream.plan import Change, FateOf, Plan, Step
from dreamd.dream.scopes.endings import plan_endings
from dreamd.dream.verifying import plan_verification
from dreamd.extraction import gate
from dreamd.judge import merged_wording
from dreamd.kit import Kit
from dreamd.store import memories, observations, passages
from dreamd.store.set_asides import OBSERVATION, REASON, SCOPE, Aside
from dreamd.store.telling.voices import load_members
from dreamd.store.uses import UNUSED_COUNTS, load_days_used

SELDOM = 100_000
"""New values that stay, after which the next search for circles of them is made."""


@dataclass(frozen=True)
class Wish:
    """What a person, a timer or the service asked for."""

    scope: Scope | None = None
    full: bool = False
    allow_large_change: bool = False
    approved: str = ""
    """Digest of the plan that may be carried out, and of no other."""
    only_plan: bool = False


def plan_all(kit: Kit, fresh: Sequence[Candidate], wish: Wish, allowances: Allowances) -> Plan:
    """One consolidation plan over all scopes; each scope is planned as if the others did not exist."""
    chosen = str(wish.scope) if wish.scope else None
    put_off = observations.load_put_off(kit.store, chosen)
    pending = [*put_off, *observations.load_pending(kit.store, scope=chosen)]
    if kit.dry:
        known = {o.id for o in pending}
        told = observations.as_pending(fresh, after=observations.last_seq(kit.store))
        seen = {o.id for o in observations.load_by_ids(kit.store, (o.id for o in told))}
        pending += [o for o in {o.id: o for o in told}.values() if o.id not in known and o.id not in seen]
        pending = [o for o in pending if wish.scope is None or o.scope == wish.scope]
        pending.sort(key=lambda o: (o.at, o.id))
    pending = never_later(kit, pending)
    by_scope: dict[Scope, list[Observation]] = {}
    if wish.full:
        by_scope = {s: [] for s in memories.load_scopes(kit.store) if wish.scope is None or s == wish.scope}
    for observation in pending:
        by_scope.setdefault(observation.scope, []).append(observation)
    if not by_scope:
        return Plan()
    return plan_scopes(kit, by_scope, PairJudge(kit), allowances, full=wish.full)


def plan_scopes(kit: Kit, pending: Mapping[Scope, Sequence[Observation]], judge: PairJudge, allowances: Allowances, *,
                full: bool = False, looks: Mapping[str, str] | None = None) -> Plan:
    """One plan over some scopes; `looks` tells how each looks that is planned in several parts."""
    plans = []
    with _seldom_collected():
        for n, scope in enumerate(sorted(pending)):
            kit.progress("consolidate", n, len(pending))
            look = partial(str, (looks or {}).get(str(scope)) or _looks(pending[scope]))
            plans += _plan_apart(_Scene(kit, scope, judge, allowances, full, look), pending[scope])
    return joined(plans, judge)


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Have the search for circles of values made seldom: a plan reads a million values that stay, and hardly a circle.

    Otherwise that search takes a sixth of a large plan's time.
    """
    often, *rest = gc.get_threshold()
    gc.set_threshold(max(often, SELDOM) if often else 0, *rest)
    try:
        yield
    finally:
        gc.set_threshold(often, *rest)


@dataclass(frozen=True)
class _Scene:
    """What the plan of a scope is made with, beside what was said there."""

    kit: Kit
    scope: Scope
    judge: PairJudge
    allowances: Allowances
    full: bool
    look: Look


def _plan_apart(scene: _Scene, pending: Sequence[Observation]) -> list[Plan]:
    """The plan of a scope without what cannot be planned with: an observation, or the scope as it is now."""
    kit, scope, look = scene.kit, scene.scope, scene.look
    if stands(kit, SCOPE, str(scope), look):
        return []
    aside: list[FateOf] = []

    def leave_out(one: Observation, error: Exception) -> None:
        set_aside(kit, Aside(OBSERVATION, one.id, type(error).__name__), error)
        aside.append(FateOf(one, Fate.DISCARDED, REASON, "", (type(error).__name__,)))

    allowed = scene.allowances.of(scope)

    def plan(some: Sequence[Heard]) -> tuple[Plan, Allowance | None]:
        trial = allowed.copy() if allowed else None
        return _plan_scope(scene, some, trial), trial

    plans: list[Plan] = []
    failed = len(kit.aside)
    with apart(kit, SCOPE, str(scope), look):
        heard = []
        for n, one in enumerate(pending):
            kit.progress("hear", n, len(pending))
            heard += _hear_apart(kit, one, leave_out)
        planned, left = without_bad(heard, plan, lambda one, error: leave_out(one.observation, error))
        scene.allowances.keep(scope, left)
        plans.append(planned)
    if len(kit.aside) == failed:
        taken_up(kit, SCOPE, str(scope))
    return [*plans, Plan(tuple(Step((), (fate,)) for fate in aside))]


def _hear_apart(kit: Kit, observation: Observation, bad: Callable[[Observation, Exception], None]) -> list[Heard]:
    return without_bad([observation], lambda some: [_hear(kit, one) for one in some], bad)


def _looks(pending: Sequence[Observation]) -> str:
    """How a scope looks to a plan: another observation, and it is worth another try."""
    return f"{len(pending)} {max((o.id for o in pending), default='')}"


def joined(plans: Sequence[Plan], judge: PairJudge) -> Plan:
    """Several plans as one, with every verdict that was needed for them."""
    return Plan(tuple(s for p in plans for s in p.steps), {i: r for p in plans for i, r in p.revisions.items()},
                judge.fresh, judged=len(judge.fresh), judge=judge.name, waiting=tuple(w for p in plans for w in p.waiting))


def _plan_scope(scene: _Scene, heard: Sequence[Heard], allowance: Allowance | None) -> Plan:
    kit, scope, judge, full = scene.kit, scene.scope, scene.judge, scene.full
    # Heard again only where one of them could be the one too many: a night would pay for every order that still waits.
    waiting = [_hear(kit, o) for o in observations.load_waiting(kit.store, str(scope))] if _has_order(heard) else []
    asked = [h.gated.text for h in heard if h.gated.verdict != "discard" and not is_edit(h.observation)
             and h.observation.sign not in MARKS and not is_record(h.observation)]
    decided = [h.gated.text for h in heard if is_record(h.observation)]
    records = records_of(kit.store, heard, full=full) if decided or full else {}
    partners, vectors = dict[str, list[str]](), Vectors()
    if asked or decided or full:
        standing, vectors = load_standing(kit, scope, whole=full)
        load_vectors(kit, (*asked, *decided, *standing, *(w.gated.text for w in waiting)), vectors)
        load_abroad(kit, asked, (*standing, *(w.gated.text for w in waiting)), vectors)
        rules = kit.settings.consolidate
        partners = find_partners([*asked, *(standing if full else ())], [*standing, *asked], vectors, k=rules.neighbours,
                                 floor=rules.neighbour_floor)
    if heard or full:
        embed_heard(kit, scope, heard, full=full)
    known = _load_known(kit, scope, heard, partners if not full else None, records)
    worth = tell_worth(heard, known.memories)
    if asked or full:
        judge.prepare(vectors, likely_pairs(partners, heard, known.memories, worth, full=full))
        if kit.language is not None:  # nothing of a language model is loaded where none is asked
            from dreamd.dream.asking.arbitrating import arbitrate

            judge.fresh.update(arbitrate(kit, scope, judge.together, judge.fresh, allowance))
    bench = Bench(scope, known.memories, known.revisions, partners, judge.relate, merged_wording, waiting,
                  kit.settings.extraction.promote_after_conversations, known.live_elsewhere, allowance,
                  _deletions(kit, heard, unlimited=allowance is None), records, noted(kit.store, heard, records, full=full),
                  load_members(kit.store, str(scope)), partial(_wording, kit), worth=worth)
    plan = credited(kit.store, plan_consolidation(heard, bench))
    return from_what_is_stored(_look_again(kit, plan, bench) if full else plan, known.stored)


def _wording(kit: Kit, identity: str) -> str:
    """The durable wording of an observation; nothing where it is forgotten."""
    return next((_hear(kit, one).gated.text for one in observations.load_by_ids(kit.store, (identity,))), "")


def _look_again(kit: Kit, plan: Plan, bench: Bench) -> Plan:
    """A plan with what becomes of all that stands, judged anew: conflicts first, then twins that are left."""
    def left_by(plan: Plan) -> list[Memory]:
        return list(({m.id: m for m in bench.memories} | {c.after.id: c.after for c in plan.changes()}).values())

    again = plan_reconcile(replace(bench, memories=left_by(plan)), partial(_may_live, kit))
    plan = replace(plan, steps=(*plan.steps, *again.steps), waiting=(*plan.waiting, *again.waiting))
    twins = plan_regroup(left_by(plan), bench.partners, bench.relate, bench.merged)
    plan = replace(plan, steps=(*plan.steps, *twins.steps))
    return replace(plan, revisions={
        c.after.id: bench.revisions[c.after.id] for c in plan.changes() if c.after.id in bench.revisions})


def _may_live(kit: Kit, memory: Memory) -> bool:
    """Whether the gate lets any of the statements live that a memory rests on."""
    return any(_hear(kit, one).gated.verdict is GateVerdict.ALLOW for one in observations.load_of_memory(kit.store, memory.id))


def _deletions(kit: Kit, heard: Sequence[Heard], *, unlimited: bool) -> Deletions:
    """The limit of a person's deletions in files, and which of those that waited the person has meanwhile spoken against."""
    rules = kit.settings.consolidate
    since = frozenset(o.id for o in (h.observation for h in heard) if o.fate_reason == DELETION_WAITS
                      and observations.has_said_since(kit.store, o.target, o.at))
    return Deletions(rules.max_delete_percent, rules.delete_always, unlimited, since)


def _has_order(heard: Sequence[Heard]) -> bool:
    """Whether anything said is an order that has to be heard several times."""
    return any(h.observation.sign == ONE_OFF for h in heard)


@dataclass(frozen=True)
class _Known:
    """What a plan can meet of a scope, as one look found it."""

    memories: Sequence[Memory]
    revisions: Mapping[str, int]
    live_elsewhere: int
    stored: Mapping[str, Memory]
    """Those that count with other times than stand in the store, as they stand there."""


def _load_known(kit: Kit, scope: Scope, heard: Sequence[Heard], partners: Mapping[str, Sequence[str]] | None,
                records: Iterable[str] = ()) -> _Known:
    """The memories that statements can meet, or all without `partners`: a night costs what it heard, not what is stored."""
    with kit.store.reading():
        if partners is None:
            found = memories.load_memories(kit.store, scope=scope)
        else:
            texts = {*partners, *(near for some in partners.values() for near in some)}
            targets = {h.observation.target for h in heard if is_edit(h.observation)}
            said = {*records, *(one for h in heard for one in spoken_of(h.observation.target))}
            found = memories.load_around(kit.store, scope, texts=sorted(texts), ids=targets, said=sorted(said))
        stored = {memory.id: memory for memory in found}
        found = [memory_never_later(kit, memory) for memory in found]
        stored = {memory.id: stored[memory.id] for memory in found if memory != stored[memory.id]}
        revisions = memories.load_revisions(kit.store, [m.id for m in found])
        live = memories.count_status(kit.store, scope, Status.LIVE)
    return _Known(found, revisions, live - sum(m.status is Status.LIVE for m in found), stored)


def _hear(kit: Kit, observation: Observation) -> Heard:
    gated = gate(observation.text, origin=observation.origin, at=observation.at, zone=kit.zone,
                 class_hint=observation.class_hint, type_hint=observation.type_hint, ttl=observation.ttl,
                 explicit=observation.explicit, sign=observation.sign)
    if observation.sign in WITHHELD:
        gated = replace(gated, verdict=GateVerdict.DISCARD, reason=observation.sign, evidence=())
    if observation.sign == IN_PASSING and (gated.verdict is not GateVerdict.DISCARD or gated.reason in passages.ONLY_NO_MEMORY):
        gated = replace(gated, verdict=GateVerdict.DISCARD, reason=IN_PASSING, evidence=())
    heard = Heard(observation, categorised(kit.store, observation, gated))
    if not kit.dry:
        kit.verdicts[observation.id] = heard.gated
    return heard


def plan_pruning(kit: Kit, consolidation: Plan, wish: Wish, allowances: Allowances) -> Plan:
    """Prune what the store will hold once the consolidation is done."""
    rules, now = PruneRules(kit.settings.prune.stale_after_days, kit.settings.prune.archive_after_days), kit.clock.now()
    due = memories.load_due(kit.store, today=local_date(now, kit.zone), heard_before=now - rules.stale_after,
                            faded_before=_faded_before(kit, now, rules), every_stale=rules.stale_after > UNUSED_COUNTS)
    will_be: dict[str, Memory] = {m.id: m for m in due if wish.scope is None or m.scope == wish.scope}
    will_be.update((c.after.id, c.after) for c in consolidation.changes())
    first = {scope: min(m.confirmed_at for m in due if m.scope == scope) for scope in {m.scope for m in due if ages(m)}}
    plan = plan_prune(list(will_be.values()), now=now, zone=kit.zone,
                      uses={scope: load_days_used(kit.store, scope, since=since) for scope, since in first.items()},
                      rules=rules)
    plan = _within_limits(_sparing_the_last(kit, plan, will_be), allowances)
    changed = {c.after.id: c.after for c in (*consolidation.changes(), *plan.changes())}
    ends = plan_endings(kit, (*consolidation.changes(), *plan.changes())) if wish.scope is None else ()
    plan = replace(plan, steps=(*plan.steps, *plan_verification(kit, changed),
                                *plan_classes(kit, changed, wish.scope), *ends))
    ids = sorted({c.after.id for c in plan.changes()})
    return replace(plan, revisions=memories.load_revisions(kit.store, ids))


def _faded_before(kit: Kit, now: datetime, rules: PruneRules) -> dict[Scope, datetime]:
    """Since when a stale memory must not have been heard of to be archived, by scope, where there may be one."""
    found = {}
    for scope, first in memories.load_stale_scopes(kit.store, heard_before=now - rules.archived_after).items():
        gone = counted_back(now, load_days_used(kit.store, scope, since=first), rules.archived_after)
        if gone is not None:
            found[scope] = gone
    return found


def _sparing_the_last(kit: Kit, plan: Plan, will_be: Mapping[str, Memory]) -> Plan:
    """Age never empties a scope: the memory heard of last stays, however long that is ago."""
    spared: set[str] = set()
    aged = [c for c in plan.changes() if c.op == "archive" and c.reason != "expired"]
    for scope in {c.after.scope for c in aged}:
        current = {m.id: m for m in memories.load_memories(kit.store, scope=scope, statuses=(Status.LIVE, Status.STALE))}
        current.update((i, m) for i, m in will_be.items() if m.scope == scope)
        current.update((c.after.id, c.after) for c in plan.changes() if c.after.scope == scope)
        if not any(m.status in (Status.LIVE, Status.STALE) for m in current.values()):
            spared.add(max((c.after for c in aged if c.after.scope == scope), key=lambda m: (m.confirmed_at, m.id)).id)
    steps = tuple(s for s in plan.steps if not any(c.after.id in spared and c.op == "archive" for c in s.changes))
    return replace(plan, steps=steps)


def _within_limits(plan: Plan, allowances: Allowances) -> Plan:
    """Of what would be retired as much as may be, what was heard of longest ago first; the rest waits."""
    waiting: list[Change] = []
    for change in sorted(retired(plan.changes()), key=lambda c: (_heard_at(c.after), c.after.id)):
        allowed = allowances.of(change.after.scope)
        if allowed is not None and not allowed.admits((change,), {}, live=1):  # the last was spared already
            waiting.append(change)
    late = {c.after.id for c in waiting}
    steps = tuple(s for s in plan.steps if not any(c.after.id in late for c in s.changes))
    return replace(plan, steps=steps, waiting=tuple(waiting))


def _heard_at(memory: Memory) -> datetime:
    return max(memory.confirmed_at, memory.recalled_at or memory.confirmed_at)
