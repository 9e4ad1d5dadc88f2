"""A scope as a plan in the making leaves it: the store's memories with every change so far applied."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from dreamd.core.clock import parse_instant
from dreamd.core.values import CURRENT, Clue, Fate, Memory, Observation, Status, content_id, trust_of
from dreamd.dream.allowance import Allowance, retired
from dreamd.dream.phases.twins import Heard
from dreamd.dream.plan import Change, FateOf, Step
from dreamd.extraction.conversation import TAKEN_BACK
from dreamd.notes import topic_path


class Draft:
    """Takes changes one by one and gives them back as steps.

    Memories are found by any wording they ever had, so that a statement still meets the memory it once
    founded after that memory got a better wording; they are always judged by the wording they have now.
    """

    def __init__(self, memories: Iterable[Memory], revisions: Mapping[str, int], *, live_elsewhere: int = 0,
                 allowance: Allowance | None = None) -> None:
        """`live_elsewhere` counts live memories of the scope that no statement of this plan can meet."""
        self.memories: dict[str, Memory] = {}
        self.revisions = revisions
        self.touched: set[str] = set()
        self.steps: list[Step] = []
        self._by_wording: dict[str, dict[str, None]] = defaultdict(dict)
        self._changes: list[Change] = []
        self._live_elsewhere = live_elsewhere
        self._allowance = allowance
        self.waiting: list[Change] = []
        """What would retire more than a run may: it waits, with the observations that asked for it."""
        self._asking: set[str] = set()
        for memory in memories:
            self._keep(memory)

    def with_wording(self, text: str) -> list[Memory]:
        """Memories that have or had this wording, as they are now."""
        return [self.memories[i] for i in self._by_wording.get(text, ())]

    def successor(self, memory: Memory) -> Memory:
        """The version that stands for a memory today: itself unless it was superseded."""
        seen = {memory.id}
        while memory.superseded_by and memory.superseded_by in self.memories and memory.superseded_by not in seen:
            memory = self.memories[memory.superseded_by]
            seen.add(memory.id)
        return memory

    def supported_by(self, observation_id: str) -> Memory | None:
        """The memory that an observation founded or supports."""
        return next((m for m in self.memories.values() if observation_id in m.observations), None)

    def carried_by(self, observations: Collection[str]) -> list[Memory]:
        """The current memories that rest on any of some observations."""
        return [m for m in self.memories.values() if m.status in CURRENT and not set(observations).isdisjoint(m.observations)]

    def live_count(self) -> int:
        """How many live memories the scope has by now."""
        return self._live_elsewhere + sum(m.status is Status.LIVE for m in self.memories.values())

    def change(self, op: str, after: Memory, *, reason: str, evidence: Sequence[Clue] = ()) -> Memory:
        """Put a memory into its new state; nothing is recorded when that is the state it has."""
        before = self.memories.get(after.id)
        if before == after:
            return after
        if before is not None and before.id in self.revisions:
            self.touched.add(before.id)
        self._changes.append(Change(op, before, after, reason, tuple(evidence)))
        self._keep(after)
        return after

    def link(self, a: Memory, b: Memory, relation: str) -> None:
        """Link two memories to each other."""
        for one, other in ((a, b), (b, a)):
            now = self.memories[one.id]
            if all(o != other.id for o, _ in now.links):
                links = tuple(sorted((*now.links, (other.id, relation))))
                self.change("link", replace(now, links=links), reason=relation)

    def close_step(self, *fates: FateOf) -> None:
        """End a transaction: what was changed since the last one, with the fates it decided.

        One that would retire more than the run may is taken back; its observations wait for the next dream.
        """
        if self._allowance and not self._allowance.admits(self._changes, self.memories, live=self.live_count()):
            self.waiting += retired(self._changes, self.memories)
            self._asking.update(f.observation.id for f in fates)
            self._abandon()
        elif self._changes or fates:
            self.steps.append(Step(tuple(self._changes), fates))
            self._changes = []

    def waits(self, observation: Observation, *, about: Collection[str]) -> bool:
        """Whether an observation speaks of one that has to wait, and so waits too."""
        if self._asking.isdisjoint(about):
            return False
        self._asking.add(observation.id)
        return True

    def _abandon(self) -> None:
        """Put everything back as the last step left it."""
        for change in reversed(self._changes):
            after = change.after
            if change.before is None or change.before.text != after.text:
                self._by_wording[after.text].pop(after.id, None)
            if change.before is None:
                del self.memories[after.id]
            else:
                self._keep(change.before)
        self._changes = []

    def touched_revisions(self) -> dict[str, int]:
        """The revisions the plan rests on."""
        return {i: self.revisions[i] for i in sorted(self.touched)}

    def decline(self, observation: Observation, reason: str) -> bool:
        """Give an observation its fate without any change; True, for it is dealt with."""
        self.close_step(FateOf(observation, Fate.DISCARDED, reason))
        return True

    def take_back(self, observation: Observation, memory: Memory) -> bool:
        """Archive a memory whose person took their word back, the last live one excepted; True, for it is dealt with."""
        if memory.status is Status.LIVE and self.live_count() == 1:
            return self.decline(observation, "last-live-memory-stands")
        gone = replace(memory, status=Status.ARCHIVED, reason=TAKEN_BACK, valid_to=max(observation.at, memory.valid_from))
        self.change("archive", gone, reason=TAKEN_BACK)
        self.close_step(FateOf(observation, Fate.UPDATES, TAKEN_BACK, memory.id))
        return True

    def _keep(self, memory: Memory) -> None:
        self.memories[memory.id] = memory
        self._by_wording[memory.text][memory.id] = None


def spoken(memory: Memory, observation: Observation) -> tuple[str, ...]:
    """The conversations of a memory once an observation supports it too."""
    if not observation.conversation:
        return memory.spoken_in
    return tuple(dict.fromkeys((*memory.spoken_in, observation.conversation)))


def founded(one: Heard, status: Status, *, reason: str) -> Memory:
    """The memory an observation founds. Its times are those of the statement, not of the run."""
    observation, gated = one.observation, one.gated
    trust = trust_of(observation.origin)
    starts = parse_instant(gated.valid_from) if gated.valid_from else observation.at
    memory = Memory(
        id=content_id("memory", str(observation.scope), observation.id), scope=observation.scope, text=gated.text,
        memory_class=gated.memory_class, memory_type=gated.memory_type, category=gated.category, status=status,
        trust=trust, authority=trust, created_at=observation.at, updated_at=observation.at,
        confirmed_at=observation.at, valid_from=starts, ttl=gated.ttl, observations=(observation.id,), reason=reason,
        spoken_in=(observation.conversation,) if observation.conversation else ())
    return replace(memory, file=topic_path(memory))
