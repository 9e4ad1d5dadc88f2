"""From probabilities to a verdict: one relation, which side is richer or newer, and what it rests on.

Vetoes come first, then a merge, then a conflict; what is sure of neither stays apart. The limits are fitted, not chosen here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from dreamd.core.clock import days_between
from dreamd.core.identity import speaker_of, words_of_speaker
from dreamd.core.values import CLEARLY_LATER_DAYS, Basis, Evidence, EvidenceKind, Judgement, Relation
from dreamd.judge.alignment import Alignment
from dreamd.judge.classifier import CLASSES, Limits
from dreamd.judge.features import A_NEWER, A_RICHER, B_NEWER, B_RICHER, CLASH, SAME
from dreamd.judge.guards import Difference, guards, shown, vetoes
from dreamd.judge.out_of_use import ends_the_use
from dreamd.judge.statement import Reading, read
from dreamd.judge.wording import kept_wording, says_more
from dreamd.text.identifiers import are_written_apart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_EVIDENCE = 3
_QUESTIONS = re.compile(r"(?:[^.!…。！]*[?？]\s*)+")
_QUESTION = re.compile(r"[^.!?…。！？]*[?？]+")
_SHARE_IN_TALK, _FEWEST_OF_TWO = 0.5, 2
"""Of the words that turns of a talk tell something with, how many two of them must share: the share of the fewer, or of the
more, for one claim; and how many at least where two persons speak."""
_LEAD_IN = re.compile(r"(?i)\A(?:(?:please|bitte|also|and|just)\s+)*(?:note[zr]?|remember|keep in mind|bear in mind|fyi"
                      r"|for the record|be aware|beachte[nt]?|merk(?:e|t)? dir|zur info|recuerda|ten en cuenta|retiens"
                      r"|n'oublie pas|lembre-se)"
                      r"(?:\s*[:：,]|\s+(?:that|dass|que|de que))\s*")
_FEWEST = 3
"""Words from which two that are the same but for small ones are one claim."""


@dataclass(frozen=True)
class Laid:
    """A pair laid on each other, before anything was weighed."""

    pair: Alignment
    said: tuple[datetime | None, datetime | None]
    """When each was said."""

    @cached_property
    def guards(self) -> tuple[Difference, ...]:
        """Every difference that a guard finds."""
        return guards(self.pair)

    @property
    def gap(self) -> float | None:
        """Days from `a` to `b`; None where one time is unknown."""
        a, b = self.said
        return days_between(a, b) if a is not None and b is not None else None


@dataclass(frozen=True)
class Weighed(Laid):
    """A pair with all that is known of it."""

    similarity: float
    features: NDArray[np.float64]
    """One row, with those that the network adds where it was asked."""
    probabilities: NDArray[np.float64]
    """By class, in the order of `CLASSES`."""
    certain: Judgement | None
    """The verdict that needs neither fit nor network."""
    labels: NDArray[np.float64] | None
    """What the network reads, eight probabilities; None where it was not asked."""


def decide(told: Weighed, limits: Limits) -> Judgement:
    """The verdict on a pair."""
    by_class = dict(zip(CLASSES, map(float, told.probabilities), strict=True))
    if told.labels is not None:
        if by_class["merge"] >= limits.merge:
            merged = _merge(told, by_class["merge"])
            if merged:
                return merged
        # Something must show by which they could not both hold: a guard, a word of weight, or words in each other's place.
        parts = told.guards or any(told.pair.only) or any(a and b for a, b in told.pair.spans)
        # Where two are surely one claim or a conflict, nothing is left of staying apart: the newer takes the other's place.
        clash, either = by_class["conflict"], by_class["conflict"] + by_class["merge"]
        taken = either if clash > by_class["merge"] and either >= limits.either else clash
        if taken >= limits.conflict and parts and _may_end(told.pair):
            return _conflict(told, taken, limits)
    return _apart(told, by_class)


def certain(told: Laid) -> Judgement | None:
    """What needs no network: two that differ in nothing that is said, or one that says the other's thing is used no longer."""
    a, b = told.pair.a, told.pair.b
    led_in = _is_led_in(a, b)
    same = a.plain == b.plain or told.pair.is_moved_only or led_in
    if not are_written_apart(a.text, b.text) and (a.low == b.low or len(a.plain) >= _FEWEST and same
                                                  and not vetoes(told.pair, told.guards)):
        richer = "a" if (len(a.text) >= len(b.text)) is not led_in else "b"
        return Judgement(Relation.DUPLICATE, 1.0, (Evidence(EvidenceKind.SAME_WORDS),), richer=richer)
    gap = told.gap or 0.0
    for newer, later, earlier, is_later in (("a", a, b, gap <= 0), ("b", b, a, gap >= 0)):
        if is_later and (thing := ends_the_use(later.text, earlier.text)):
            evidence = Evidence(EvidenceKind.OUT_OF_USE, thing, thing)
            return Judgement(Relation.UPDATES, 1.0, (evidence,), Basis.MARKER, newer=newer)
    return None


def _is_led_in(a: Reading, b: Reading) -> bool:
    """Whether the two are the same but for words that only ask to be heard: "please note: …", "remember that …"."""
    bare = [_LEAD_IN.sub("", side.text) for side in (a, b)]
    return any(map(str.__ne__, bare, (a.text, b.text))) and read(bare[0]).plain == read(bare[1]).plain


def _merge(told: Weighed, sure: float) -> Judgement | None:
    """One claim, unless a veto stands against it or each side says something that the other would lose."""
    kept = kept_wording(told.pair)
    if kept is None or vetoes(told.pair, told.guards) or are_written_apart(told.pair.a.text, told.pair.b.text):
        return None
    if _are_turns(told.pair):
        one, other = (_told_in_talk(side) for side in (told.pair.a, told.pair.b))
        if len(one & other) < _SHARE_IN_TALK * max(len(one), len(other), 1):
            return None
    assert told.labels is not None
    same, a_richer, b_richer = (float(told.labels[n]) for n in (SAME, A_RICHER, B_RICHER))
    needed = says_more(told.pair)
    richer = needed or ("a" if a_richer >= b_richer else "b")
    relation = Relation.DUPLICATE if same >= max(a_richer, b_richer) else Relation.REFINES
    evidence = [Evidence(EvidenceKind.SAME_CLAIM, share=sure)]
    if relation is Relation.REFINES:
        own = ", ".join(span[0 if richer == "a" else 1] for span in told.pair.spans if span[0 if richer == "a" else 1])
        evidence.append(_of_side(EvidenceKind.SAYS_MORE, richer, own))
    return Judgement(relation, sure, tuple(evidence), richer=richer)


def _may_end(pair: Alignment) -> bool:
    """Whether one could end the other: neither only asks, and two turns of a talk tell of the same.

    A reply is as near to what it replies to as an update is: "Is it worth it?" ends with no "Yes, and I sold it".
    """
    if any(_QUESTIONS.fullmatch(words_of_speaker(side.text)) for side in (pair.a, pair.b)):
        return False
    if not _are_turns(pair):
        return True
    one, other = _told_in_talk(pair.a), _told_in_talk(pair.b)
    if speaker_of(pair.a.text) == speaker_of(pair.b.text):
        return bool(one & other)
    return len(one & other) >= max(_FEWEST_OF_TWO, _SHARE_IN_TALK * min(len(one), len(other)))


def _are_turns(pair: Alignment) -> bool:
    """Whether both are turns of a talk: a heading before a colon has small letters, as in "Front desk extension: 204"."""
    return all(speaker_of(side.text).istitle() for side in (pair.a, pair.b))


def _told_in_talk(turn: Reading) -> frozenset[str]:
    """The words that a turn tells something with: what it asks tells nothing, and names are those of who is spoken to."""
    told = read(_QUESTION.sub("", words_of_speaker(turn.text)))
    return told.content_set - {name.lower() for name in told.names}


def _conflict(told: Weighed, sure: float, limits: Limits) -> Judgement:
    """`updates` when the wording or a day between them tells which is current, `contradicts` otherwise."""
    assert told.labels is not None
    parts = (*_parting(told), Evidence(EvidenceKind.CLASH, share=sure))
    a_newer, b_newer, clash = (float(told.labels[n]) for n in (A_NEWER, B_NEWER, CLASH))
    whole = max(a_newer + b_newer + clash, 1e-9)
    marked = next((side for side, share in (("a", a_newer), ("b", b_newer)) if share / whole >= limits.marked), None)
    gap = told.gap
    later = None if not gap else ("b" if gap > 0 else "a")
    if marked and (later is None or later == marked):
        changes = (told.pair.a if marked == "a" else told.pair.b).changes
        mark = _of_side(EvidenceKind.CHANGE_TOLD, marked, changes[0] if changes else "")
        return Judgement(Relation.UPDATES, sure, (*parts, mark), Basis.MARKER, newer=marked)
    if gap is not None and abs(gap) >= CLEARLY_LATER_DAYS:
        a, b = (at.date().isoformat() if at else "" for at in told.said)
        return Judgement(Relation.UPDATES, sure, (*parts, Evidence(EvidenceKind.LATER, a, b)), Basis.TIME, newer=later)
    return Judgement(Relation.CONTRADICTS, sure, (*parts, Evidence(EvidenceKind.SAME_TIME)))


def _of_side(kind: EvidenceKind, side: str, words: str) -> Evidence:
    return Evidence(kind, words, "") if side == "a" else Evidence(kind, "", words)


def _parting(told: Weighed) -> tuple[Evidence, ...]:
    """The words by which two that cannot both hold part: what a guard found, else what stands in the other's place."""
    found = [shown(g, told.pair) for g in told.guards if g.both]
    if not found:
        found = [Evidence(EvidenceKind.SUBJECT, a, b) for a, b in dict.fromkeys(told.pair.spans) if a and b]
    return tuple(found[: _MOST_EVIDENCE - 1])


def _apart(told: Weighed, by_class: dict[str, float]) -> Judgement:
    close = by_class["related"] >= by_class["unrelated"] or by_class["merge"] + by_class["conflict"] > by_class["unrelated"]
    near = Evidence(EvidenceKind.NEAR if close else EvidenceKind.FAR, share=told.similarity)
    parts = [shown(g, told.pair) for g in told.guards if g.both][: _MOST_EVIDENCE - 1] if close else []
    sure = by_class["related"] + by_class["unrelated"]
    return Judgement(Relation.RELATED if close else Relation.UNRELATED, sure, (*parts, near))
