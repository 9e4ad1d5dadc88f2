"""Plans: what a dream intends to do, as frozen values. Preview, approval and apply use the same plan."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dreamd.core.clock import iso
from dreamd.core.plain_words.evidence_words import all_in_words
from dreamd.core.values import Clue, Fate, Judgement, Memory, Observation


@dataclass(frozen=True)
class Change:
    """One memory from `before` to `after`: None before means it is new."""

    op: str
    before: Memory | None
    after: Memory
    reason: str
    evidence: tuple[Clue, ...] = ()


@dataclass(frozen=True)
class FateOf:
    """What becomes of one observation, and why."""

    observation: Observation
    fate: Fate
    reason: str
    memory_id: str = ""
    evidence: tuple[Clue, ...] = ()


@dataclass(frozen=True)
class Step:
    """Changes and fates that belong in one transaction, each with the revision its memory had when planned."""

    changes: tuple[Change, ...]
    fates: tuple[FateOf, ...] = ()


@dataclass(frozen=True)
class Plan:
    """Everything one phase intends, in order."""

    steps: tuple[Step, ...] = ()
    revisions: Mapping[str, int] = field(default_factory=dict)
    """Revision of each existing memory the plan changes; apply leaves out a step whose memory moved on meanwhile."""
    verdicts: Mapping[tuple[str, str], Judgement] = field(default_factory=dict)
    judge: str = ""
    judged: int = 0
    waiting: tuple[Change, ...] = ()
    """What is past a safety limit of this run, and waits for the next dream."""

    def changes(self) -> list[Change]:
        return [change for step in self.steps for change in step.changes]

    def fates(self) -> Counter[str]:
        return Counter(fate.fate.value for step in self.steps for fate in step.fates)


def describe_change(change: Change) -> dict[str, object]:
    """One operation of `consolidate --json`."""
    return {
        "op": change.op, "memory": change.after.id, "scope": str(change.after.scope), "reason": change.reason,
        "evidence": all_in_words(change.evidence), "before": face(change.before), "after": face(change.after)}


def face(memory: Memory | None) -> dict[str, object] | None:
    """A memory as an operation shows it before and after."""
    if memory is None:
        return None
    return {"text": memory.text, "status": memory.status.value, "class": memory.memory_class.value,
            "support": memory.support, "superseded_by": memory.superseded_by or None,
            "valid_from": iso(memory.valid_from), "valid_to": iso(memory.valid_to) if memory.valid_to else None,
            "ttl": memory.ttl}


def digest(plans: tuple[Plan, ...]) -> str:
    """A hash of everything the plans would do and of the revisions they are based on."""
    lines: list[str] = []
    for plan in plans:
        for step in plan.steps:
            lines.extend(json.dumps(describe_change(c), ensure_ascii=False, sort_keys=True) for c in step.changes)
            lines.extend(f"{f.observation.id} {f.fate.value} {f.reason} {f.memory_id}" for f in step.fates)
        lines.extend(f"{memory} {revision}" for memory, revision in sorted(plan.revisions.items()))
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def joined_digest(parts: Sequence[str]) -> str:
    """One hash of several; of one it is that one."""
    return parts[0] if len(parts) == 1 else hashlib.sha256("\n".join(parts).encode()).hexdigest()
