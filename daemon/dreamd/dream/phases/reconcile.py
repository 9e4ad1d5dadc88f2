"""Reconcile: what stands is judged once more, each memory as if it had only now been said to all that was said before it.

Only `--full` asks for it: a better judge sees what an older one left beside its successor, or put before a person for nothing.
Pins, edits and what a person decided stay, and the limits of a run hold here too. Asked twice it changes nothing more: what
was put before a person is not put there again, and a statement ends no second one without a word of change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from dreamd.core.values import CURRENT, Basis, Clue, Gated, GateVerdict, Memory, Observation, Origin, Status, Trust
from dreamd.dream.phases.consolidate import Bench, enforce
from dreamd.dream.phases.draft import Draft
from dreamd.dream.phases.standing import CONFLICTS, Met, Ruling, Winner, between_members, few_endings, rule, stand_together
from dreamd.dream.phases.twins import Heard
from dreamd.dream.plan import Plan

AGREES = "no-longer-contradicts"
RIVAL = "contradicts"
_TOLD = (Status.LIVE, Status.STALE)
_ORIGINS = {Trust.USER: Origin.USER, Trust.AGENT: Origin.AGENT, Trust.UNTRUSTED: Origin.WEB}


def plan_reconcile(bench: Bench, may_live: Callable[[Memory], bool]) -> Plan:
    """Choose what becomes of memories that stand, judged against each other anew. Touches nothing.

    `may_live` tells whether the gate would let a memory live that waits.
    """
    draft = Draft(bench.memories, bench.revisions, live_elsewhere=bench.live_elsewhere, allowance=bench.allowance)
    for memory in bench.memories:
        _let_live(memory.id, draft, bench, may_live)
    earlier = _earlier_neighbours(draft, bench)
    for memory in sorted(bench.memories, key=_turn):
        if memory.id in earlier:
            _say_again(memory.id, earlier[memory.id], draft, bench)
    return Plan(tuple(draft.steps), draft.touched_revisions(), waiting=tuple(draft.waiting))


def _let_live(identity: str, draft: Draft, bench: Bench, may_live: Callable[[Memory], bool]) -> None:
    """A memory lives that waited for a person only because of what it is no longer judged to contradict."""
    waiting = draft.memories[identity]
    if waiting.status is not Status.HELD or waiting.reason != RIVAL:
        return
    rivals = [draft.memories[other] for other, relation in waiting.links
              if relation == RIVAL and other in draft.memories and draft.memories[other].status in CURRENT]
    verdicts = [bench.relate(waiting.text, waiting.confirmed_at, rival.text, rival.confirmed_at) for rival in rivals]
    if not rivals or any(verdict.relation in CONFLICTS for verdict in verdicts) or not may_live(waiting):
        return
    evidence = verdicts[0].evidence
    _without_link(waiting, rivals, draft, evidence, lives=True)
    for rival in rivals:
        others = [draft.memories[i] for i, r in rival.links if r == RIVAL and i != identity and i in draft.memories]
        # One that waited because of this one alone has nothing left to wait for.
        free = (rival.status is Status.HELD and rival.reason == RIVAL and may_live(rival)
                and not any(other.status in CURRENT for other in others))
        _without_link(rival, (waiting,), draft, evidence, lives=free)
    draft.close_step()


def _without_link(memory: Memory, rivals: Sequence[Memory], draft: Draft, evidence: Sequence[Clue], *, lives: bool) -> None:
    """Take away what linked a memory to some it does not contradict; it may live again by that."""
    gone = {rival.id for rival in rivals}
    after = replace(memory, links=tuple(link for link in memory.links if link[0] not in gone))
    if lives:
        after = replace(after, status=Status.LIVE, reason=AGREES)
    draft.change("revive" if lives else "unlink", after, reason=AGREES, evidence=evidence)


def _turn(memory: Memory) -> tuple[object, str]:
    return memory.confirmed_at, memory.id


def _earlier_neighbours(draft: Draft, bench: Bench) -> dict[str, list[str]]:
    """For each memory that is told those near it that were said before it, so that each pair is looked at once."""
    found: dict[str, dict[str, None]] = {}
    for memory in draft.memories.values():
        for text in bench.worth(memory.text, bench.near(memory.text, draft)) if memory.status in _TOLD else ():
            for other in draft.with_wording(text):
                if other.id != memory.id and other.status in _TOLD:
                    first, second = sorted((memory, other), key=_turn)
                    found.setdefault(second.id, {})[first.id] = None
    return {identity: list(others) for identity, others in found.items()}


def _say_again(identity: str, others: Sequence[str], draft: Draft, bench: Bench) -> None:
    """Settle every conflict of one memory with what was said before it."""
    said = draft.memories[identity]
    known = {other for other, relation in said.links if relation == RIVAL}
    near = [draft.memories[i].text for i in others]
    rulings: list[tuple[Met, Ruling]] = []
    for other in (draft.memories[i] for i in others if i not in known):
        if said.status in _TOLD and other.status in _TOLD:
            verdict = bench.relate(said.text, said.confirmed_at, other.text, other.confirmed_at)
            beside = verdict.basis is not Basis.MARKER and stand_together(said.observations, other, bench.noted)
            if verdict.relation in CONFLICTS and not beside:
                met = Met(other, verdict)
                rulings += between_members(rule(_as_said(said, other), [met], None, {}, near), said.observations, bench.members)
    spent = (m.reason for m in draft.memories.values() if m.superseded_by == said.id)
    rulings = few_endings(sorted(rulings, key=lambda r: -r[0].judgement.confidence), spent)
    lost = next((r for r in rulings if r[1].winner is Winner.STANDING), None)
    open_still = [r for r in rulings if r[1].winner in (Winner.NOBODY, Winner.BESIDE)]
    fixed = said.pinned or said.edited
    if lost is not None:
        if not fixed:
            met, ruling = lost
            ended = replace(said, status=Status.SUPERSEDED, superseded_by=met.memory.id, reason=ruling.reason,
                            valid_to=max(said.confirmed_at, met.memory.valid_from))
            draft.change("supersede", ended, reason=ruling.reason, evidence=met.judgement.evidence)
    elif open_still and not fixed:
        # What waits itself ends nothing meanwhile.
        met, ruling = open_still[0]
        held = draft.change("hold", replace(said, status=Status.HELD, reason=ruling.reason), reason=ruling.reason,
                            evidence=met.judgement.evidence)
        enforce(held, open_still, draft)
    else:
        enforce(said, [r for r in rulings if r[1].winner is Winner.NEW], draft)
    draft.close_step()


def _as_said(memory: Memory, other: Memory) -> Heard:
    """A memory as the statement it once was, in a talk that both were made in where there is one."""
    shared = next((talk for talk in memory.spoken_in if talk in other.spoken_in), "")
    observation = Observation(memory.id, 0, memory.text, _ORIGINS[memory.authority], memory.confirmed_at, memory.scope,
                              conversation=shared)
    return Heard(observation, Gated(GateVerdict.ALLOW, memory.reason, memory.text, memory.memory_class, memory.memory_type,
                                    memory.category))
