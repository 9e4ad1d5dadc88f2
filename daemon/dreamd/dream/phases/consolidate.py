"""Consolidate: every observation gets one fate and a reason.

The plan is a pure function of observations, memories and judged pairs. Observations are taken oldest
statement first, each against the memories as the ones before it left them, so a run that was killed half-way
and one that was not come to the same end. A statement is compared with what a memory says now, never with
what one of its members once said: likeness does not travel along chains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from dreamd.core.values import (
    CURRENT,
    MEMORY_FILE,
    MERGING,
    ONE_OFF,
    PLACE_OF,
    TRUST_RANK,
    WITHDRAWN,
    Basis,
    Evidence,
    EvidenceKind,
    Fate,
    Gated,
    GateVerdict,
    Judgement,
    Memory,
    Relation,
    Scope,
    Status,
    Trust,
    trust_of,
)
from dreamd.dream.allowance import Allowance
from dreamd.dream.living.reclass import by_its_end
from dreamd.dream.living.recorded import is_record, take_records
from dreamd.dream.phases.draft import Draft, founded, spoken
from dreamd.dream.phases.edited import Deletions, in_turn, take_edit
from dreamd.dream.phases.handover import EDITED, STANDS_IN_PLACE, Wording, leave_place, ruling_of, withdraw
from dreamd.dream.phases.standing import Met, Ruling, Winner, between_members, rule, stand_together
from dreamd.dream.phases.twins import BURIED, Heard, is_edit, is_guess, may_merge, may_take_back, says_anew, spoken_of
from dreamd.dream.plan import FateOf, Plan
from dreamd.extraction.conversation import SPOKEN_OF, TAKEN_BACK
from dreamd.extraction.pasted import LONG
from dreamd.judge import share_half
from dreamd.store.intake.decided import Line
from dreamd.text.tokens import stem

Relate = Callable[[str, datetime, str, datetime], Judgement]
"""Judge statement `a` (words, time) against statement `b`."""
Worth = Callable[[str, Sequence[str]], Sequence[str]]
"""Of the wordings near a wording those that are worth judging."""

SINGLE_SIGHTING = "single-sighting"
_WORD = re.compile(r"[a-z]{4,}")


@dataclass(frozen=True)
class Bench:
    """What a plan is made from: the memories it can meet, who may be compared with whom, and the judge."""

    scope: Scope
    memories: Sequence[Memory]
    revisions: Mapping[str, int]
    partners: Mapping[str, Sequence[str]]
    """Wordings near a wording, nearest first."""
    relate: Relate
    merged: Callable[[str, str], str | None]
    """Wording that keeps everything of both statements, or None."""
    waiting: Sequence[Heard] = ()
    promote_after: int = 3
    live_elsewhere: int = 0  # live memories of the scope that are not among `memories`
    allowance: Allowance | None = None  # without one, any number may be retired
    deletions: Deletions = field(default_factory=Deletions)
    records: Mapping[str, Line] = field(default_factory=dict)  # what was read of decision records
    noted: Mapping[str, str] = field(default_factory=dict)  # the document that each line of one was noted in
    members: Mapping[str, str] = field(default_factory=dict)  # of a team: whose word each observation is
    wording: Wording = str  # the durable one of an observation
    same_day: Mapping[tuple[date, Trust], Sequence[str]] = field(default_factory=dict)  # what else is heard, by its day
    worth: Worth = lambda _text, near: near  # of the wordings near one, nearest first, those to be judged

    def near(self, text: str, draft: Draft) -> list[str]:
        """Wordings near a wording that memories have by now, nearest first."""
        return [wording for wording in self.partners.get(text, ()) if draft.with_wording(wording)]


def plan_consolidation(heard: Sequence[Heard], bench: Bench) -> Plan:
    """Choose one fate for each observation of one scope. Touches nothing."""
    waiting = list(bench.waiting)
    draft = Draft(bench.memories, bench.revisions, live_elsewhere=bench.live_elsewhere, allowance=bench.allowance)
    deletions = bench.deletions.of(draft)
    bench = replace(bench, same_day=_by_day(heard))
    for one in in_turn([one for one in heard if not is_record(one.observation)]):
        if not draft.waits(one.observation, about=spoken_of(one.observation.target)):
            _decide(one, draft, bench, waiting, deletions)
    take_records(heard, draft, bench.records)
    return Plan(tuple(draft.steps), draft.touched_revisions(), waiting=tuple(draft.waiting))


def _by_day(heard: Sequence[Heard]) -> dict[tuple[date, Trust], list[str]]:
    days: dict[tuple[date, Trust], list[str]] = {}
    for one in heard:
        days.setdefault(_day(one), []).append(one.gated.text)
    return days


def _day(one: Heard) -> tuple[date, Trust]:
    return one.observation.at.date(), trust_of(one.observation.origin)


def _decide(one: Heard, draft: Draft, bench: Bench, waiting: list[Heard], deletions: Deletions) -> None:
    observation, gated = one.observation, one.gated
    if is_edit(observation):
        take_edit(one, draft, deletions)
    elif observation.sign == WITHDRAWN or observation.target.startswith(PLACE_OF) and gated.verdict is GateVerdict.DISCARD:
        withdraw(observation, draft, deletions, bench.wording)
    elif observation.target.startswith(PLACE_OF):
        _take_place(one, draft, bench)
    elif observation.target and _take_back(one, draft, bench):
        return
    elif gated.verdict is GateVerdict.DISCARD:
        draft.close_step(FateOf(observation, Fate.DISCARDED, gated.reason, "", gated.evidence))
    else:
        met = _meet(one, draft, bench)
        if observation.sign == ONE_OFF and not any(m.judgement.relation in MERGING for m in met):
            _wait_or_promote(one, draft, bench, waiting)
        else:
            _place(one, met, draft, bench)


def _meet(one: Heard, draft: Draft, bench: Bench) -> list[Met]:
    """Judge an observation against every memory near it, nearest first, versions followed to the current one."""
    text, at = one.gated.text, one.observation.at
    near: dict[str, Memory] = {}
    for wording in (text, *bench.worth(text, bench.near(text, draft))):
        for memory in draft.with_wording(wording):
            near.setdefault(memory.id, memory)
            head = draft.successor(memory)
            near.setdefault(head.id, head)
    met = []
    for memory in near.values():
        if memory.text == text:
            verdict = Judgement(Relation.DUPLICATE, 1.0, (Evidence(EvidenceKind.SAME_WORDS),), richer="b")
        else:
            verdict = bench.relate(text, at, memory.text, memory.confirmed_at)
        if verdict.relation is not Relation.UNRELATED:
            met.append(Met(memory, verdict))
    return met


def _place(one: Heard, met: Sequence[Met], draft: Draft, bench: Bench) -> None:
    twin = _best_twin(one, met, bench.noted)
    rulings = _rulings(one, met, twin, draft, bench)
    lost = next(((m, r) for m, r in rulings if r.winner is Winner.STANDING), None)
    pressing = any(r.winner is not Winner.EACH for _, r in rulings)
    ended_twin = next((m for m in met if m.judgement.relation in MERGING and m.memory.status is Status.SUPERSEDED), None)
    buried = next((m for m in met if m.judgement.relation in MERGING and m.memory.status is Status.ARCHIVED
                   and m.memory.reason in BURIED), None)
    if lost is not None:
        _end_at_once(one, lost, ended_twin, draft)
    elif twin is not None:
        _merge(one, twin, rulings, draft, bench)
    elif ended_twin is not None and not pressing and not says_anew(one, ended_twin.memory):
        _repeat_ended(one, ended_twin, draft)
    elif buried is not None and not pressing:
        draft.close_step(FateOf(one.observation, Fate.DUPLICATE, buried.memory.reason, buried.memory.id,
                                buried.judgement.evidence))
    else:
        _add(one, rulings, draft)


def _rulings(one: Heard, met: Sequence[Met], twin: Met | None, draft: Draft, bench: Bench) -> list[tuple[Met, Ruling]]:
    in_force = [wording for wording in bench.near(one.gated.text, draft)
                if any(memory.status in (Status.LIVE, Status.STALE) for memory in draft.with_wording(wording))]
    return between_members(rule(one, met, twin, bench.noted, (*in_force, *bench.same_day.get(_day(one), ()))),
                           (one.observation.id,), bench.members)


def _best_twin(one: Heard, met: Sequence[Met], noted: Mapping[str, str]) -> Met | None:
    """The memory an observation says again: the surest, then the one founded first.

    Two lines of one document say one thing only where they say it in much the same words: nobody notes a thing twice on a page.
    """
    fit = [m for m in met if m.judgement.relation in MERGING and may_merge(one, m.memory) and not _would_plant(one, m)
           and (share_half(one.gated.text, m.memory.text) or not stand_together((one.observation.id,), m.memory, noted))]
    return min(fit, key=lambda m: (-m.judgement.confidence, m.memory.created_at, m.memory.id), default=None)


def _would_plant(one: Heard, met: Met) -> bool:
    """Whether what only waits would put its own words into a memory that is in force."""
    richer = met.judgement.relation is Relation.REFINES and met.judgement.richer == "a"
    return one.gated.verdict is GateVerdict.HOLD and met.memory.status is not Status.HELD and richer


def _end_at_once(one: Heard, lost: tuple[Met, Ruling], ended_twin: Met | None, draft: Draft) -> None:
    """The observation lost: it becomes a version that has ended, or supports the one that already has."""
    (met, ruling), observation = lost, one.observation
    if ended_twin is not None:
        _repeat_ended(one, ended_twin, draft)
        return
    fresh = founded(one, Status.SUPERSEDED, reason=ruling.reason)
    fresh = replace(fresh, superseded_by=met.memory.id, valid_to=max(observation.at, met.memory.valid_from))
    draft.change("version", fresh, reason=ruling.reason, evidence=met.judgement.evidence)
    fate = Fate.DUPLICATE if met.judgement.relation in MERGING else (
        Fate.UPDATES if ruling.reason == "older-statement-came-late" else Fate.CONTRADICTS)
    draft.close_step(FateOf(observation, fate, ruling.reason, fresh.id, met.judgement.evidence))


def _repeat_ended(one: Heard, met: Met, draft: Draft) -> None:
    memory = draft.memories[met.memory.id]
    if trust_of(one.observation.origin) is not Trust.UNTRUSTED or memory.trust is Trust.UNTRUSTED:
        draft.change("support", replace(memory, observations=(*memory.observations, one.observation.id),
                                        support=memory.support + 1, spoken_in=spoken(memory, one.observation)),
                     reason="repeats-ended-version", evidence=met.judgement.evidence)
    draft.close_step(FateOf(one.observation, Fate.DUPLICATE, "repeats-ended-version", memory.id, met.judgement.evidence))


def _merge(one: Heard, twin: Met, rulings: Sequence[tuple[Met, Ruling]], draft: Draft, bench: Bench) -> None:
    memory, observation, verdict = draft.memories[twin.memory.id], one.observation, twin.judgement
    if one.is_guess and not is_guess(memory):  # nobody but a model says that it was said again, or by whom
        draft.close_step(FateOf(observation, Fate.DUPLICATE, Fate.DUPLICATE.value, memory.id, verdict.evidence))
        return
    if memory.status is Status.ARCHIVED and memory.reason == WITHDRAWN:
        memory = replace(memory, observations=(), support=0)  # all that said it before says it no more
    wording = memory.text
    waits = one.gated.verdict is GateVerdict.HOLD and memory.status is not Status.HELD
    if (verdict.relation is Relation.REFINES or verdict.richer == "a") and not waits:
        # The richer words go first: they are kept unless they would lose something.
        pair = (one.gated.text, memory.text) if verdict.richer == "a" else (memory.text, one.gated.text)
        wording = bench.merged(*pair) or ""
    untouchable = memory.pinned or memory.edited or memory.is_account
    if not wording or (untouchable and wording != memory.text):
        # Nothing may be dropped, and these words may not be changed: both stay.
        _add(one, rulings, draft)
        return
    after = _decided(_supported(memory, one, wording), rulings, draft)
    if verdict.richer == "b" and memory.text == one.gated.text and len(wording) >= LONG and observation.sign != MEMORY_FILE:
        # The same long text again was pasted, whoever did it: it confirms, and counts no second time.
        after = replace(after, support=memory.support, spoken_in=memory.spoken_in, observations=memory.observations)
    op, fate = ("merge", Fate.DUPLICATE) if wording == memory.text else ("refine", Fate.REFINES)  # in more words: nothing new
    draft.change(op, after, reason=fate.value, evidence=verdict.evidence)
    enforce(after, rulings, draft)
    draft.close_step(FateOf(observation, fate, fate.value, memory.id, verdict.evidence))


def _decided(memory: Memory, rulings: Sequence[tuple[Met, Ruling]], draft: Draft) -> Memory:
    """A memory that waited in a conflict lives once the last of what it could not hold beside has ended."""
    ended = {m.memory.id for m, r in rulings if r.winner is Winner.NEW}
    if memory.status is not Status.HELD or memory.reason != "contradicts" or not ended:
        return memory
    rivals = {i for i, relation in memory.links if relation == "contradicts" and draft.memories[i].status in CURRENT
              and not is_guess(draft.memories[i])}
    open_still = rivals - ended or any(r.winner not in (Winner.NEW, Winner.EACH) for _, r in rulings)
    return memory if open_still else replace(memory, status=Status.LIVE, reason="later-statement")


def _supported(memory: Memory, one: Heard, wording: str) -> Memory:
    """A memory once an observation of the same claim supports it."""
    observation, gated = one.observation, one.gated
    ours, status, reason = trust_of(observation.origin), memory.status, memory.reason
    if gated.verdict is GateVerdict.ALLOW and status in (Status.STALE, Status.ARCHIVED) and reason != "expired":
        status, reason = Status.LIVE, "said-again"
    # A person's own word accepts what an agent only inferred; a contradiction stays a person's to decide.
    accepted = ours is Trust.USER and memory.authority is not Trust.USER
    if status is Status.HELD and gated.verdict is GateVerdict.ALLOW and (accepted or reason == SINGLE_SIGHTING or (
            reason == "quotes-an-order" and ours is Trust.USER)):
        status, reason = Status.LIVE, "accepted"
    told = replace(memory, text=wording, status=status, reason=reason, support=memory.support + 1,
                   observations=(*memory.observations, observation.id), spoken_in=spoken(memory, observation),
                   confirmed_at=max(memory.confirmed_at, observation.at),
                   updated_at=max(memory.updated_at, observation.at) if wording != memory.text else memory.updated_at,
                   valid_from=min(memory.valid_from, observation.at), valid_to=None if status in CURRENT else memory.valid_to,
                   ttl=gated.ttl if gated.ttl and observation.at >= memory.confirmed_at else memory.ttl,
                   trust=min(memory.trust, ours, key=lambda t: TRUST_RANK[t]),
                   authority=max(memory.authority, ours, key=lambda t: TRUST_RANK[t]))
    return by_its_end(told) if told.ttl and not memory.ttl else told


def _add(one: Heard, rulings: Sequence[tuple[Met, Ruling]], draft: Draft) -> None:
    observation, gated = one.observation, one.gated
    undecided = [r for _, r in rulings if r.winner in (Winner.NOBODY, Winner.BESIDE)]
    if undecided:
        status, reason = Status.HELD, undecided[0].reason
    elif gated.verdict is GateVerdict.HOLD:
        status, reason = Status.HELD, gated.reason
    else:
        status, reason = Status.LIVE, gated.reason
    evidence = rulings[0][0].judgement.evidence if rulings else gated.evidence
    fresh = draft.change("add" if status is Status.LIVE else "hold", founded(one, status, reason=reason),
                         reason=reason, evidence=evidence)
    enforce(fresh, rulings, draft)
    draft.close_step(FateOf(observation, _fate_of_new(rulings, gated), reason, fresh.id, evidence))


def _fate_of_new(rulings: Sequence[tuple[Met, Ruling]], gated: Gated) -> Fate:
    winners = {r.winner for _, r in rulings}
    if Winner.NOBODY in winners:
        return Fate.CONTRADICTS
    if Winner.BESIDE in winners or gated.verdict is GateVerdict.HOLD:
        return Fate.HELD
    if Winner.NEW in winners:
        return Fate.UPDATES
    return Fate.NEW


def enforce(new: Memory, rulings: Sequence[tuple[Met, Ruling]], draft: Draft) -> None:
    """Apply rulings: the successor stands in the draft before the one it replaces ends."""
    for met, ruling in rulings:
        memory, evidence = draft.memories[met.memory.id], met.judgement.evidence
        if ruling.winner is Winner.NEW:
            ended = replace(memory, status=Status.SUPERSEDED, superseded_by=new.id, reason=ruling.reason,
                            valid_to=max(new.confirmed_at, memory.valid_from))
            draft.change("supersede", ended, reason=ruling.reason, evidence=evidence)
        elif ruling.winner is Winner.NOBODY:
            # The last live memory of a scope stays in force while a person decides; the newcomer alone waits.
            last = memory.status is Status.LIVE and draft.live_count() == 1
            if memory.status is not Status.HELD and not last:
                draft.change("hold", replace(memory, status=Status.HELD, reason=ruling.reason), reason=ruling.reason,
                             evidence=evidence)
            draft.link(new, memory, "contradicts")
        elif ruling.winner in (Winner.BESIDE, Winner.EACH):
            draft.link(new, memory, "contradicts")


def _take_back(one: Heard, draft: Draft, bench: Bench) -> bool:
    """A person takes back what they said a moment ago, or puts it right; False when it is heard like any other word."""
    observation = one.observation
    memory = draft.supported_by(observation.target.removeprefix(SPOKEN_OF))
    if memory is None or not may_take_back(observation, memory):
        return observation.sign == TAKEN_BACK and draft.decline(observation, "nothing-to-take-back")
    if observation.sign == TAKEN_BACK or one.gated.verdict is GateVerdict.DISCARD:
        return draft.take_back(observation, memory)
    said = Judgement(Relation.UPDATES, 1.0, ("put right in the same conversation",), Basis.MARKER, newer="a")
    twin = _best_twin(one, met := [m for m in _meet(one, draft, bench) if m.memory.id != memory.id], bench.noted)
    rulings = [(Met(memory, said), Ruling(Winner.NEW, "put-right")), *_rulings(one, met, twin, draft, bench)]
    if twin is None:
        _add(one, rulings, draft)
    else:
        _merge(one, twin, rulings, draft, bench)
    return True


def _take_place(one: Heard, draft: Draft, bench: Bench) -> None:
    """A line stands where others stood: their memories end with this one, unless they are said elsewhere or say the same."""
    observation = one.observation
    left = {m.id: m for m in leave_place(observation, draft, bench.wording).ending}
    same = next((m for m in left.values() if m.text == one.gated.text), None)
    if same is not None:
        draft.change("support", replace(same, observations=(), support=0), reason=EDITED)
    met = [m for m in _meet(one, draft, bench) if m.memory.id not in left or m.memory.id == (same and same.id)]
    twin = _best_twin(one, met, bench.noted)
    ended = [Met(m, STANDS_IN_PLACE) for m in left.values() if twin is None or m.id != twin.memory.id]
    rulings = _rulings(one, met, twin, draft, bench)
    lost = next((m for m, r in rulings if r.winner is Winner.STANDING), None)
    if lost is not None:
        enforce(lost.memory, [(m, ruling_of(observation, m.memory)) for m in ended], draft)
        _place(one, met, draft, bench)
        return
    rulings = [*((m, ruling_of(observation, m.memory)) for m in ended), *rulings]
    if twin is None and rulings:
        _add(one, rulings, draft)
    elif twin is None:
        _place(one, met, draft, bench)
    else:
        _merge(one, twin, rulings, draft, bench)


def _share_words(one: str, other: str) -> bool:
    """A cheap look, for much may wait: the judge reads only what has words of substance in common, or is no English."""
    mine, theirs = ({stem(word) for word in _WORD.findall(text.lower())} for text in (one, other))
    return not (one.isascii() and other.isascii()) or 3 * len(mine & theirs) >= min(len(mine), len(theirs))


def _wait_or_promote(one: Heard, draft: Draft, bench: Bench, waiting: list[Heard]) -> None:
    """A one-off order waits without a memory until it was heard in enough conversations."""
    text, at = one.gated.text, one.observation.at
    same = [w for w in waiting if w.gated.text == text or (_share_words(text, w.gated.text)
            and bench.relate(text, at, w.gated.text, w.observation.at).relation in MERGING)]
    talks = {w.observation.conversation or w.observation.id for w in (*same, one)}
    if len(talks) < bench.promote_after or one.gated.verdict is not GateVerdict.ALLOW:
        waiting.append(one)
        draft.close_step(FateOf(one.observation, Fate.HELD, SINGLE_SIGHTING))
        return
    evidence = (f"said in {len(talks)} conversations",)
    fresh = founded(one, Status.LIVE, reason="said-in-several-conversations")
    everyone = sorted((*same, one), key=lambda w: (w.observation.at, w.observation.id))
    fresh = replace(
        fresh, created_at=everyone[0].observation.at, valid_from=everyone[0].observation.at, support=len(everyone),
        observations=tuple(w.observation.id for w in everyone),
        spoken_in=tuple(dict.fromkeys(w.observation.conversation for w in everyone if w.observation.conversation)),
        trust=min((trust_of(w.observation.origin) for w in everyone), key=lambda t: TRUST_RANK[t]))
    draft.change("promote", fresh, reason=fresh.reason, evidence=evidence)
    draft.close_step(*(FateOf(w.observation, Fate.NEW if w is one else Fate.DUPLICATE, fresh.reason, fresh.id, evidence)
                       for w in everyone))
    for w in same:
        waiting.remove(w)
