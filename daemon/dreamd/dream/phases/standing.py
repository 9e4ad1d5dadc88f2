"""Who wins when two statements of one subject cannot both hold. Pure; each ruling carries the rule's name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from dreamd.core.clock import days_between
from dreamd.core.values import CLEARLY_LATER_DAYS, TRUST_RANK, Basis, Judgement, Memory, Relation, Status, Trust

REVISION = timedelta(minutes=30)
"""Within which a person who says another value in the same talk has thought again."""
CLEARLY_BETTER_SUPPORTED = 2
"""Conversations by which one side must be ahead when neither person nor time decides."""


class Winner(StrEnum):
    NEW = "new"
    STANDING = "standing"
    NOBODY = "nobody"
    """Both are held for a person."""
    BESIDE = "beside"
    """The standing one is not touched, the new one is held beside it."""


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


@dataclass(frozen=True)
class Ruling:
    winner: Winner
    reason: str


def settle_conflict(claim: Claim, standing: Memory, judgement: Judgement) -> Ruling:
    """Decide between an incoming claim (side `a`) and a standing memory (side `b`)."""
    ours, theirs = TRUST_RANK[claim.authority], TRUST_RANK[standing.authority]
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
            return Ruling(Winner.NEW if ahead else Winner.STANDING, "updates" if ahead else "older-statement-came-late")
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
