"""What becomes of memories whose line has left its place in a document: a successor, other support, or the archive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dreamd.core.values import (
    TRUST_RANK,
    WITHDRAWN,
    Basis,
    Fate,
    Judgement,
    Memory,
    Observation,
    Relation,
    Status,
    trust_of,
)
from dreamd.dream.phases.draft import Draft
from dreamd.dream.phases.edited import Deletions, put_off
from dreamd.dream.phases.standing import Ruling, Winner
from dreamd.dream.phases.twins import spoken_of
from dreamd.dream.plan import FateOf

EDITED = "edited-at-source"
LEFT = "left-one-source"
STANDS_IN_PLACE = Judgement(Relation.UPDATES, 1.0, ("edited at its source",), Basis.MARKER, newer="a")
"""What a document says of two of its lines by putting one in the place of the other; no judge is asked."""
Wording = Callable[[str], str]
"""The durable wording of an observation, by its id."""


@dataclass(frozen=True)
class Left:
    """The memories that rested on lines which stand no longer where they stood."""

    ending: Sequence[Memory] = ()
    """Those that nothing else carries."""
    staying: Sequence[Memory] = ()
    """Those that are said elsewhere too: they rest on that alone from now on."""


def leave_place(observation: Observation, draft: Draft, wording: Wording) -> Left:
    """Take the lines of whose place an observation speaks from under the memories that rested on them."""
    lines = set(spoken_of(observation.target))
    ending, staying = [], []
    for memory in draft.carried_by(lines):
        rest = tuple(one for one in memory.observations if one not in lines)
        if not rest:
            ending.append(memory)
            continue
        text = memory.text
        if not (memory.pinned or memory.edited) and text not in (said := [wording(one) for one in rest]):
            # These were the words of what left: those that are still said stay.
            text = next((words for words in reversed(said) if words), text) if _said_by(lines, memory, wording) else text
        after = replace(memory, observations=rest, support=len(rest), text=text)
        staying.append(draft.change("support", after, reason=LEFT))
    return Left(ending, staying)


def _said_by(lines: set[str], memory: Memory, wording: Wording) -> bool:
    return any(wording(one) == memory.text for one in memory.observations if one in lines)


def ruling_of(observation: Observation, memory: Memory) -> Ruling:
    """Whether the line that took a memory's place ends it: what a person pinned or wrote is not for a file to end."""
    if memory.pinned:
        return Ruling(Winner.BESIDE, "pinned-stands")
    if memory.edited:
        return Ruling(Winner.BESIDE, "edited-by-person-stands")
    if TRUST_RANK[trust_of(observation.origin)] < TRUST_RANK[memory.authority]:
        return Ruling(Winner.BESIDE, "person-over-agent")
    return Ruling(Winner.NEW, EDITED)


def withdraw(observation: Observation, draft: Draft, deletions: Deletions, wording: Wording) -> None:
    """Archive what nothing says any more, within the limit of what may vanish at once."""
    left = leave_place(observation, draft, wording)
    reason = LEFT if left.staying else "nothing-rests-on-it"
    named = left.staying[0].id if left.staying else ""
    waits = False
    for memory in left.ending:
        ruling = ruling_of(observation, memory)
        gone = replace(memory, status=Status.ARCHIVED, reason=WITHDRAWN, valid_to=max(observation.at, memory.valid_from))
        if ruling.winner is not Winner.NEW:
            reason, named = ruling.reason, memory.id
        elif put_off(observation, gone, draft, deletions):
            waits = True
        else:
            draft.change("archive", gone, reason=WITHDRAWN)
            reason, named = WITHDRAWN, memory.id
    if not waits:
        draft.close_step(FateOf(observation, Fate.UPDATES if reason == WITHDRAWN else Fate.DISCARDED, reason, named))
