"""The JSON documents of the command line; names and fields are public."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from dreamd.core.clock import iso
from dreamd.core.paths import Paths
from dreamd.core.values import Memory, Observation, Status, is_observed

if TYPE_CHECKING:
    from dreamd.dream.telling.explained import Operation
    from dreamd.report.nights import Told
    from dreamd.store.telling.voices import Voice


def moment(at: datetime | None) -> str | None:
    """A time as documents spell it."""
    return iso(at) if at is not None else None


def memory_document(memory: Memory, paths: Paths) -> dict[str, object]:
    """One memory."""
    return {
        "id": memory.id, "text": memory.text, "class": memory.memory_class.value, "type": memory.memory_type.value,
        "category": memory.category.value, "scope": str(memory.scope), "status": memory.status.value,
        "support": memory.support, "recalls": memory.recalls, "created_at": iso(memory.created_at),
        "updated_at": iso(memory.updated_at), "confirmed_at": iso(memory.confirmed_at),
        "valid_from": iso(memory.valid_from), "valid_to": moment(memory.valid_to), "ttl": memory.ttl,
        "superseded_by": memory.superseded_by or None, "supersedes": list(memory.supersedes),
        "observations": list(memory.observations), "pinned": memory.pinned, "edited": memory.edited,
        "trust": memory.trust.value, "unverified": memory.unverified, "reason": memory.reason or None,
        "file": memory_file(memory, paths),
        **({"team": memory.team} if memory.team else {})}


def memory_file(memory: Memory, paths: Paths) -> str | None:
    """Where the markdown of a memory is; None for one that has none."""
    if not memory.file or memory.status in (Status.HELD, Status.SUPERSEDED):
        return None
    if memory.team:
        paths = Paths(paths.team)
    place = paths.scope_dir(memory.scope)
    if memory.status is Status.ARCHIVED:
        place = paths.archive / place.relative_to(paths.memory)
    return str(place / memory.file)


def observation_document(observation: Observation, source: str) -> dict[str, object]:
    """One observation with what became of it; `read_by_model`: its text is a model's wording of the sentences in `context`."""
    return {
        "id": observation.id, "key": observation.key or None, "text": observation.text,
        "origin": observation.origin.value, "at": iso(observation.at), "scope": str(observation.scope),
        "conversation": observation.conversation or None, "source": source or None, "start": observation.start,
        "end": observation.end, "sign": observation.sign or None,
        "read_by_model": is_observed(observation.sign), "explicit": observation.explicit,
        "fate": observation.fate.value if observation.fate else None, "reason": observation.fate_reason or None,
        "memory": observation.memory_id or None, "set_aside": observation.set_aside, "context": observation.context or None}


def voice_document(voice: Voice | None) -> dict[str, object]:
    """Who said an observation of a team's memory, and on which machine; nothing in one's own."""
    return {"member": voice.member, "machine": voice.machine or None} if voice else {}


def operation_document(told: Operation) -> dict[str, object]:
    """One operation of the journal."""
    from dreamd.core.plain_words.evidence_words import all_in_words  # what a note pays for nothing of
    from dreamd.dream.plan import face

    entry = told.entry
    return {"op": entry.op, "memory": entry.memory, "scope": entry.scope, "reason": entry.reason,
            "evidence": all_in_words(entry.evidence), "before": face(told.before), "after": face(told.after)}


def change_document(told: Told) -> dict[str, object]:
    """One change of a run, with the number that `dream undo --only` takes and where it came from."""
    return {"number": told.number, "memory": told.memory, "kind": told.kind.value, "scope": told.scope, "reason": told.reason,
            "why": told.why, "evidence": list(told.evidence), "text": told.text, "op": told.op,
            "before": told.before.text if told.before else None, "after": told.after.text if told.after else None,
            "replaced_by": told.successor or None, "taken_back_by": told.taken_back or None,
            "put_back_by": told.put_back or None,
            "sources": [{"observation": s.observation, "at": iso(s.at), "origin": s.origin, "kind": s.kind,
                         "name": s.name or None, "conversation": s.conversation or None} for s in told.sources]}


def error_document(name: str, message: str, hint: str | None, code: int) -> dict[str, object]:
    """What went wrong, inside another document."""
    return {"name": name, "message": message, "hint": hint, "code": code}


def counts(numbers: Mapping[str, int], names: tuple[str, ...]) -> dict[str, int]:
    """The named numbers, zero where there is none."""
    return {name: int(numbers.get(name, 0)) for name in names}
