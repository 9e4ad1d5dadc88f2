"""Who wins when two statements of one subject cannot both hold. Pure; each ruling carries the rule's name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from dreamd.core.clock import days_between
from dreamd.core.values import (
    CLEARLY_LATER_DAYS,
    CURRENT,
    MERGING,
    TRUST_RANK,
    Basis,
    Evidence,
    EvidenceKind,
    GateVerdict,
    Judgement,
    Memory,
    Relation,
    Status,
    Trust,
    trust_of,
)
from dreamd.dream.phases.twins import Heard, is_guess
from dreamd.judge import ends_the_use, have_other_values, leaves_more
from dreamd.store.telling.voices import are_of_two
from dreamd.text.alike.parallels import pieces

REVISION = timedelta(minutes=30)
"""Within which a person who says another value in the same talk has thought again."""
CONFLICTS = (Relation.UPDATES, Relation.CONTRADICTS)
MARKED = "updates"
"""Reason of a ruling that rests on a word of change."""
MEMBERS_CONTRADICT = "members-contradict"
"""Reason of what waits for a curator of a team."""
BY_TIME_OR_NUMBER = frozenset({"later-statement", "older-statement-came-late", "better-supported", "contradicts"})
_BY_WORDS_ALONE = (MARKED, "later-statement")
_MOST_IMPLICIT_ENDINGS = 1
"""Memories one statement may end without a word of change: the nearest; a second would be a guess."""
_SURE_FURTHER = 0.99
"""Confidence from which a word of change ends a second memory: "we replaced A by B" is said of one thing, and is read to
clash with much that is near it."""
_STEPS_OF_SURENESS = 20
"""Within a step of a twentieth no confidence tells more than nearness does: what was met is met nearest first."""
CLEARLY_BETTER_SUPPORTED = 2
"""Conversations by which one side must be ahead when neither person nor time decides."""

FEWEST = 3
"""Values from which a frame is taken for a list ("never translate the product name A", "… B", "… C"): two may be a conflict."""
_FRAME_WORDS, _VALUE_WORDS = 3, 4
_OF_ANOTHER = frozenset({EvidenceKind.ENTITY, EvidenceKind.QUANTITY})
_SAID_OF_BOTH, _LONGEST_HEAD = 3, 2
_IDENTITY = re.compile(r"(?i)\b(?:is|are|ist|sind|est|sont|es|son|é|è)\s+(?:the|our|my|der|die|das|unser\w*|le|la|les|notre"
                       r"|el|los|nuestr[oa]s?|o|a|nosso|il|nostro)\s")
"""A thing of which there is one: "is the owner", "est notre dépôt"."""


class Winner(StrEnum):
    NEW = "new"
    STANDING = "standing"
    NOBODY = "nobody"
    """Both are held for a person."""
    BESIDE = "beside"
    """The standing one is not touched, the new one is held beside it."""
    EACH = "each"
    """Neither is touched: the new one comes in as the gate has it, the standing one goes on waiting."""


@dataclass(frozen=True)
class Claim:
    """The side of a conflict that comes in."""

    authority: Trust
    at: datetime
    conversation: str
    held: bool
    """The gate lets it wait only; it can end nothing that is live."""
    spoken: bool = False
    """Said in a talk, and not noted on purpose."""
    guessed: str = ""
    """Why it waits, where nobody but a language model says that it was said: no memory ends or waits because of it."""


@dataclass(frozen=True)
class Ruling:
    winner: Winner
    reason: str


@dataclass(frozen=True)
class Met:
    """A memory an observation was judged against; the observation is side `a`."""

    memory: Memory
    judgement: Judgement


def settle_conflict(claim: Claim, standing: Memory, judgement: Judgement) -> Ruling:
    """Decide between an incoming claim (side `a`) and a standing memory (side `b`)."""
    ours, theirs = TRUST_RANK[claim.authority], TRUST_RANK[standing.authority]
    if claim.guessed:
        return Ruling(Winner.BESIDE, claim.guessed)
    replaced = judgement.basis is Basis.MARKER and judgement.newer != "b" and ours == theirs
    if is_guess(standing) and not claim.held and ours <= theirs and not replaced:
        return Ruling(Winner.EACH, "waits-beside-standing")
    waits = standing.status is Status.HELD and standing.trust is Trust.UNTRUSTED
    if claim.held and not (standing.status is Status.HELD and ours >= theirs):
        if claim.authority is Trust.AGENT and ours < theirs:
            return Ruling(Winner.STANDING, "person-over-agent")
        return Ruling(Winner.BESIDE, "waits-beside-standing")
    if ours < theirs and not waits:
        return Ruling(Winner.STANDING, "person-over-agent")
    if standing.pinned:
        return Ruling(Winner.BESIDE, "pinned-stands")
    if standing.edited:
        return Ruling(Winner.BESIDE, "edited-by-person-stands")
    if ours > theirs:
        return Ruling(Winner.NEW, "person-over-agent" if theirs else "trusted-over-untrusted")
    return _by_time(claim, standing, judgement)


def _by_time(claim: Claim, standing: Memory, judgement: Judgement) -> Ruling:
    if judgement.relation is Relation.UPDATES:
        ahead = judgement.newer != "b"
        if judgement.basis is Basis.MARKER:
            return Ruling(Winner.NEW if ahead else Winner.STANDING, MARKED if ahead else "older-statement-came-late")
    gap_days = days_between(standing.confirmed_at, claim.at)
    same_talk = bool(claim.conversation) and claim.conversation in standing.spoken_in
    revised = claim.spoken and same_talk and len(standing.spoken_in) == 1
    if revised and timedelta() <= claim.at - standing.confirmed_at <= REVISION:
        return Ruling(Winner.NEW, "revised-within-minutes")
    if not same_talk and gap_days >= CLEARLY_LATER_DAYS:
        return Ruling(Winner.NEW, "later-statement")
    if not same_talk and gap_days <= -CLEARLY_LATER_DAYS:
        return Ruling(Winner.STANDING, "older-statement-came-late")
    if len(standing.spoken_in) - 1 >= CLEARLY_BETTER_SUPPORTED and standing.status is Status.LIVE:
        return Ruling(Winner.STANDING, "better-supported")
    return Ruling(Winner.NOBODY, "contradicts")


def rule(one: Heard, met: Sequence[Met], twin: Met | None, noted: Mapping[str, str],
         beside: Sequence[str] = ()) -> list[tuple[Met, Ruling]]:
    """Rulings against every current memory that cannot hold with the observation.

    `beside`: what else is in force near it, or was said on its day.
    """
    observation = one.observation
    claim = Claim(trust_of(observation.origin), observation.at, observation.conversation,
                  one.gated.verdict is GateVerdict.HOLD, not observation.explicit,
                  one.gated.reason if one.is_guess else "")

    def listed(m: Met) -> bool:
        return are_lines_of_a_list(one.gated.text, m.memory.text, beside)

    rulings: list[tuple[Met, Ruling]] = []
    for m in sorted(met, key=lambda m: -int(m.judgement.confidence * _STEPS_OF_SURENESS)):
        if m.memory.status not in CURRENT or m is twin:
            continue
        if m.judgement.relation in MERGING:
            if is_guess(m.memory) and not claim.held:
                rulings += _over_guess(claim, m)
            elif _trust_apart(one, m.memory):
                rulings.append((m, _between_trusts(claim)))
            continue
        if m.judgement.relation not in CONFLICTS or not m.judgement.is_sure or listed(m):
            continue
        if m.judgement.basis is not Basis.MARKER and stand_together((observation.id,), m.memory, noted):
            continue
        if claim.conversation in m.memory.spoken_in and say_the_same_of_two(one.gated.text, m):
            continue
        ruling = settle_conflict(claim, m.memory, m.judgement)
        old, new = m.memory.text, one.gated.text
        loses = {Winner.NEW: (old, new), Winner.STANDING: (new, old)}.get(ruling.winner)
        if loses and leaves_more(*loses) and not ends_the_use(loses[1], loses[0]):
            continue  # the side that would end says something else as well: ending it would lose that
        rulings.append((m, ruling))
    return few_endings(rulings, with_rivals=True)


def between_members(rulings: Sequence[tuple[Met, Ruling]], observations: Sequence[str],
                    members: Mapping[str, str]) -> list[tuple[Met, Ruling]]:
    """The same where two members of a team contradict each other: neither wins by being later or by being heard more often.

    `observations` are what the incoming side rests on. A word of change still ends what it speaks of, whoever said that, and
    a person's word stands over an agent's.
    """
    waits = Ruling(Winner.NOBODY, MEMBERS_CONTRADICT)
    return [(met, waits if ruling.reason in BY_TIME_OR_NUMBER and are_of_two(observations, met.memory.observations, members)
             else ruling) for met, ruling in rulings]


def few_endings(rulings: Sequence[tuple[Met, Ruling]], spent: Iterable[str] = (), *, with_rivals: bool = False,
                ) -> list[tuple[Met, Ruling]]:
    """Without the endings that would be a guess: a statement ends one by its time and one by its words.

    The surest ruling stands first; what ends beyond it has no other value than what ended. `spent`: reasons of what the
    statement ended before; `with_rivals`: who ends one side of a conflict has decided about the other.
    """
    endings = Counter(spent)
    kept: list[tuple[Met, Ruling]] = []
    for met, ruling in rulings:
        by = _spoken_by(met, ruling)
        if by:
            endings[by] += 1
            sure = by == MARKED and met.judgement.confidence >= _SURE_FURTHER and not any(
                have_other_values(m.memory.text, met.memory.text) for m, r in kept if _spoken_by(m, r) == MARKED)
            if endings[by] > _MOST_IMPLICIT_ENDINGS and not sure and not (with_rivals and _rival_of_ended(met.memory, kept)):
                continue
        kept.append((met, ruling))
    return kept


def _spoken_by(met: Met, ruling: Ruling) -> str:
    """What alone a ruling against what stands rests on: a word of change, also where a pin keeps it from ending; or time."""
    if met.judgement.basis is Basis.MARKER and ruling.winner in (Winner.NEW, Winner.BESIDE):
        return MARKED
    return ruling.reason if ruling.winner is Winner.NEW and ruling.reason in _BY_WORDS_ALONE else ""


def stand_together(lines: Sequence[str], memory: Memory, noted: Mapping[str, str]) -> bool:
    """Whether a memory rests on a line of the same document: what stands there side by side holds side by side."""
    return not {noted[one] for one in lines if one in noted}.isdisjoint(noted.get(one) for one in memory.observations)


def _rival_of_ended(memory: Memory, rulings: Sequence[tuple[Met, Ruling]]) -> bool:
    """Whether a memory waits in conflict with one that ends."""
    return any((m.memory.id, "contradicts") in memory.links for m, r in rulings if r.winner is Winner.NEW)


def _trust_apart(one: Heard, memory: Memory) -> bool:
    return (trust_of(one.observation.origin) is Trust.UNTRUSTED) != (memory.trust is Trust.UNTRUSTED)


def _over_guess(claim: Claim, met: Met) -> list[tuple[Met, Ruling]]:
    """What is said in earnest takes the place of a guess that says it too, unless the guess says more."""
    more = met.judgement.relation is Relation.REFINES and met.judgement.richer != "a"
    if more or TRUST_RANK[claim.authority] < TRUST_RANK[met.memory.authority]:
        return []
    return [(met, Ruling(Winner.NEW, Relation.DUPLICATE.value))]


def _between_trusts(claim: Claim) -> Ruling:
    if claim.authority is Trust.UNTRUSTED:
        return Ruling(Winner.STANDING, "trusted-already-says-so")
    return Ruling(Winner.NEW, "trusted-over-untrusted")


def are_lines_of_a_list(one: str, other: str, beside: Iterable[str]) -> bool:
    """Whether two statements of one frame differ in their values alone, and what stands beside them shows that it has many."""
    mine, theirs = pieces(one), pieces(other)
    if len(mine) == len(theirs):
        frame = tuple(a if a == b else None for a, b in zip(mine, theirs, strict=True))
    else:
        before, after = _shared_ends(mine, theirs)
        frame = (*mine[:before], None, *mine[len(mine) - after:])
    if sum(word is not None for word in frame) < _FRAME_WORDS or None not in frame:
        return False
    values = {_values_in(frame, pieces(text)) for text in (one, other, *beside)} - {()}
    return len(values) >= FEWEST


def say_the_same_of_two(text: str, met: Met) -> bool:
    """Whether a statement says of another doer or another number, at its head, what a memory says: "Ada is on call on Mondays".

    Who says both in one talk tells of two, where weeks apart the one may have taken the other's place. What only one can be
    ("is the owner") is said of one.
    """
    if met.judgement.basis is Basis.MARKER or not any(
            isinstance(e, Evidence) and e.kind in _OF_ANOTHER for e in met.judgement.evidence):
        return False
    mine, theirs = pieces(text), pieces(met.memory.text)
    before, after = _shared_ends(mine, theirs)
    heads = mine[before:len(mine) - after], theirs[before:len(theirs) - after]
    if after < _SAID_OF_BOTH or not all(1 <= len(head) <= _LONGEST_HEAD for head in heads):
        return False
    counted = all(any(map(str.isdigit, word)) for head in heads for word in head)
    return (before == 0 or before == 1 and counted) and _IDENTITY.search(text) is None


def _shared_ends(mine: Sequence[str], theirs: Sequence[str]) -> tuple[int, int]:
    """How many words two have in common from the beginning on, and of the rest from the end on."""
    least = min(len(mine), len(theirs))
    before = next((n for n in range(least) if mine[n] != theirs[n]), least)
    return before, next((n for n in range(least - before) if mine[-1 - n] != theirs[-1 - n]), least - before)


def _values_in(frame: tuple[str | None, ...], words: tuple[str, ...]) -> tuple[str, ...]:
    """The words in the open places of a frame, several where it has one place alone; none where a text does not fit."""
    if len(words) == len(frame):
        fits = all(fixed is None or fixed == word for fixed, word in zip(frame, words, strict=True))
        return tuple(word for fixed, word in zip(frame, words, strict=True) if fixed is None) if fits else ()
    if frame.count(None) > 1 or len(words) < len(frame):
        return ()
    gap = frame.index(None)
    inside = words[gap:len(words) - (len(frame) - gap - 1)]
    return inside if (*words[:gap], None, *words[gap + len(inside):]) == frame and len(inside) <= _VALUE_WORDS else ()
