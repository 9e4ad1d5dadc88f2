"""What a plan makes of decision records: one memory each, as live as its status says, in versions.

Nobody judges what a record means: its own status, and those of the records that name it, say everything. What was learned of
logs is brought up to date in the same way: one held memory each, told anew with every count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dreamd.core.values import (
    CURRENT,
    DECIDED,
    DECISION,
    LEARNED,
    LOGGED,
    MEMORY_FILE,
    MENDED,
    RECURS,
    Fate,
    GateVerdict,
    Memory,
    Observation,
    Status,
)
from dreamd.dream.phases.draft import Draft, founded
from dreamd.dream.phases.handover import ruling_of
from dreamd.dream.phases.standing import Winner
from dreamd.dream.phases.twins import BURIED, Heard, spoken_of
from dreamd.dream.plan import FateOf
from dreamd.store import work
from dreamd.store.connection import Store
from dreamd.store.intake.decided import Line, load_records, record_of

_STATUS = {"accepted": Status.LIVE, "unstated": Status.LIVE, "proposed": Status.HELD, "unknown": Status.HELD,
           RECURS: Status.HELD, MENDED: Status.HELD}


def is_record(observation: Observation) -> bool:
    """Whether an observation is what a decision record says, or what many lines of logs do."""
    return observation.sign.startswith((DECISION, LEARNED))


def records_of(store: Store, heard: Sequence[Heard], *, full: bool) -> dict[str, Line]:
    """By observation the records of every folder that any of the statements comes from, or of all folders."""
    ours = [h.observation for h in heard if is_record(h.observation)]
    known = load_records(store, None if full else {one.source_id for one in ours})
    return known | {one.id: Line(one.source_id, record_of(one.key)) for one in ours}


def noted(store: Store, heard: Sequence[Heard], records: Mapping[str, Line], *, full: bool) -> dict[str, str]:
    """The lines of every document that any of the statements comes from, or of all documents, records among them."""
    documents = {h.observation.source_id for h in heard if h.observation.sign == MEMORY_FILE and h.observation.source_id}
    known = work.load_lines(store, None if full else documents, sign=MEMORY_FILE)
    return {one: line.source for one, line in records.items()} | known | {
        h.observation.id: h.observation.source_id for h in heard if h.observation.source_id in documents}


def take_records(heard: Sequence[Heard], draft: Draft, records: Mapping[str, Line]) -> None:
    """Bring the memories of decisions to what their records say, what took another's place before that other."""
    for one in _heirs_first([one for one in heard if is_record(one.observation)]):
        if not draft.waits(one.observation, about=spoken_of(one.observation.target)):
            _take_record(one, draft, records)


def _heirs_first(heard: Sequence[Heard]) -> list[Heard]:
    """Records in the order in which they can be placed: what took another's place before that other."""
    after = {record_of(one.observation.key).rpartition(":")[2]: _heir(one.observation) for one in heard}

    def depth(one: Heard) -> int:
        seen: set[str] = set()
        here = _heir(one.observation)
        while here and here not in seen:
            seen.add(here)
            here = after.get(here, "")
        return len(seen)

    return sorted(heard, key=lambda one: (depth(one), one.observation.at, one.observation.seq))


def _take_record(one: Heard, draft: Draft, records: Mapping[str, Line]) -> None:
    """Bring the memory of a decision to what its record says now."""
    observation, line = one.observation, records[one.observation.id]
    if one.gated.verdict is GateVerdict.DISCARD:
        draft.close_step(FateOf(observation, Fate.DISCARDED, one.gated.reason, "", one.gated.evidence))
        return
    before = _memory_of(line, spoken_of(observation.target), draft, records)
    if before is not None and before.status is Status.ARCHIVED and before.reason in BURIED:
        draft.close_step(FateOf(observation, Fate.DUPLICATE, before.reason, before.id))
        return
    heir = _memory_of(line._replace(record=_named(line.record, _heir(observation))), (), draft, records) if _heir(
        observation) else None
    after = _as_told(one, before, heir, records, line)
    if before is not None and before.text == after.text and (before.edited or before.pinned) and before.status is after.status:
        after = replace(before, observations=after.observations, support=after.support)
    elif before is not None and (before.edited or before.pinned) and observation.sign.startswith(LEARNED):
        after = replace(before, observations=after.observations, confirmed_at=after.confirmed_at)  # its words are a person's
    elif before is not None and (before.edited or before.pinned):
        _beside(one, before, draft)
        return
    op = _operation(before, after)
    told = tuple(observation.context.split("\n")) if observation.sign.startswith(LEARNED) else (
        f"its record says so: {observation.sign.split(':')[1]}",)
    draft.change(op, after, reason=after.reason, evidence=told)
    draft.close_step(FateOf(observation, _fate(before, after), after.reason, after.id, told))


def _as_told(one: Heard, before: Memory | None, heir: Memory | None, records: Mapping[str, Line], line: Line) -> Memory:
    observation, standing = one.observation, one.observation.sign.split(":")[1]
    status = _STATUS.get(standing, Status.ARCHIVED)
    reason = f"{DECIDED}{standing}"
    learned = observation.sign.startswith(LEARNED)
    reason = f"{LOGGED}{standing}" if learned else reason
    if learned and before is not None and before.status is Status.LIVE:  # a person accepted it
        status, reason = Status.LIVE, before.reason
    elif one.gated.reason == "injection":
        status, reason = Status.HELD, one.gated.reason
    elif heir is not None:
        status = Status.SUPERSEDED
    memory = before or founded(one, status, reason=reason)
    others = tuple(o for o in memory.observations if o != observation.id and (o not in records or records[o] != line))
    ended = None if status in CURRENT else max(observation.at, memory.valid_from, heir.valid_from if heir else observation.at)
    return replace(
        memory, text=one.gated.text, status=status, reason=reason, observations=(*others, observation.id),
        support=len(others) + 1, updated_at=max(memory.updated_at, observation.at),
        confirmed_at=max(memory.confirmed_at, observation.at), valid_to=ended,
        superseded_by=heir.id if heir is not None and status is Status.SUPERSEDED else "")


def _memory_of(line: Line, lines: Sequence[str], draft: Draft, records: Mapping[str, Line]) -> Memory | None:
    """The memory of a record: the one in force, else the one that its record ended, else one that a person buried."""
    ours = [m for m in draft.memories.values() if any(records.get(o) == line or o in lines for o in m.observations)]
    return next((m for wanted in (lambda m: m.status in CURRENT, lambda m: m.is_account,
                                  lambda m: m.reason in BURIED) for m in ours if wanted(m)), None)


def _beside(one: Heard, before: Memory, draft: Draft) -> None:
    """What a person pinned or wrote stands; what the record says now waits beside it."""
    ruling = ruling_of(one.observation, before)
    if ruling.winner is Winner.NEW:
        return
    fresh = draft.change("hold", founded(one, Status.HELD, reason=ruling.reason), reason=ruling.reason)
    draft.link(fresh, before, "contradicts")
    draft.close_step(FateOf(one.observation, Fate.HELD, ruling.reason, fresh.id))


def _operation(before: Memory | None, after: Memory) -> str:
    if after.status is Status.SUPERSEDED:
        return "version" if before is None else "supersede"
    if after.status is Status.ARCHIVED:
        return "archive"
    if before is None or before.status is not after.status:
        return "hold" if after.status is Status.HELD else "add" if before is None else "revive"
    return "refine"


def _fate(before: Memory | None, after: Memory) -> Fate:
    if before is not None:
        return Fate.DUPLICATE if before.text == after.text else Fate.UPDATES
    return {Status.LIVE: Fate.NEW, Status.HELD: Fate.HELD, Status.SUPERSEDED: Fate.UPDATES}.get(after.status, Fate.DISCARDED)


def _heir(observation: Observation) -> str:
    """The record that took the place of this one, as its sign names it."""
    return observation.sign.split(":")[2] if observation.sign.count(":") > 1 else ""


def _named(record: str, other: str) -> str:
    return f"{record.rpartition(':')[0]}:{other}"
