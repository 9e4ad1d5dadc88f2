"""Regroup: a look over memories that already stand, for twins that met in an order that kept them apart.

Only `--full` asks for it. Groups come from complete-linkage clustering on judged merges: every member was judged
the same claim as every other, and the representative stands for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from dreamd.core.values import MERGING, TRUST_RANK, Judgement, Memory, Status, Trust
from dreamd.dream.phases.consolidate import Relate
from dreamd.dream.plan import Change, Plan, Step
from dreamd.judge import group

SEEN_OFTEN = 1000.0


def plan_regroup(memories: Sequence[Memory], partners: Mapping[str, Sequence[str]], relate: Relate,
                 merged: Callable[[str, str], str | None]) -> Plan:
    """Merge standing memories of one scope that make the same claim. Touches nothing."""
    standing = [m for m in memories if m.status in (Status.LIVE, Status.STALE)]
    place = {m.text: n for n, m in enumerate(standing)}
    merges: dict[tuple[int, int], Judgement] = {}
    for n, memory in enumerate(standing):
        for text in partners.get(memory.text, ()):
            other = place.get(text, n)
            if other <= n or not _may_join(memory, standing[other]):
                continue
            verdict = relate(memory.text, memory.confirmed_at, text, standing[other].confirmed_at)
            if verdict.relation in MERGING:
                merges[n, other] = verdict
    steps = []
    sure = {pair: verdict.confidence for pair, verdict in merges.items()}
    for members in group(len(standing), sure, [_weight(m) for m in standing]):
        if len(members) > 1:
            told = [merges[min(members[0], n), max(members[0], n)] for n in members[1:]]
            step = _join([standing[n] for n in members], told, merged)
            steps.extend([step] if step else [])
    return Plan(tuple(steps))


def _may_join(a: Memory, b: Memory) -> bool:
    same_trust = (a.trust is Trust.UNTRUSTED) == (b.trust is Trust.UNTRUSTED)
    told = a.is_account or b.is_account  # what a record says is nobody else's to reword
    return not told and a.scope == b.scope and a.memory_class is b.memory_class and same_trust and not (_fixed(a) and _fixed(b))


def _fixed(memory: Memory) -> bool:
    return memory.pinned or memory.edited


def _weight(memory: Memory) -> float:
    return SEEN_OFTEN * _fixed(memory) + memory.support + min(len(memory.text), 400) / 1000


def _join(members: Sequence[Memory], told: Sequence[Judgement], merged: Callable[[str, str], str | None]) -> Step | None:
    """One memory for all; None when some wording would be lost."""
    kept, *others = members
    wording = kept.text
    for other in others:
        if _fixed(other):
            return None
        wording = merged(wording, other.text) or ""
        if not wording or (_fixed(kept) and wording != kept.text):
            return None
    everyone = [kept, *others]
    observations = tuple(dict.fromkeys(o for m in everyone for o in m.observations))
    after = replace(
        kept, text=wording, observations=observations, support=len(observations), status=Status.LIVE,
        spoken_in=tuple(dict.fromkeys(c for m in everyone for c in m.spoken_in)),
        confirmed_at=max(m.confirmed_at for m in everyone), valid_from=min(m.valid_from for m in everyone),
        updated_at=max(m.updated_at for m in everyone) if wording != kept.text else kept.updated_at,
        trust=min((m.trust for m in everyone), key=lambda t: TRUST_RANK[t]),
        authority=max((m.authority for m in everyone), key=lambda t: TRUST_RANK[t]))
    ended = [Change("merge", m, replace(m, status=Status.SUPERSEDED, superseded_by=kept.id, reason="duplicate",
                                        valid_to=after.confirmed_at), "duplicate", verdict.evidence)
             for m, verdict in zip(others, told, strict=True)]
    return Step((Change("merge", kept, after, "duplicate", (f"{len(members)} memories of one claim",)), *ended))
