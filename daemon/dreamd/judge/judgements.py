"""A verdict put into words: one claim with the wording to keep, or two of which one is current, if anything tells which."""

from __future__ import annotations

from dreamd.core.values import Basis, Judgement, PairScore, Relation
from dreamd.judge.conflicts.frames import told_changes
from dreamd.judge.features import PairFeatures
from dreamd.judge.wording import wordings

CLEARLY_LATER_DAYS = 1.0
_TURNED = {"a": "b", "b": "a"}


def merging(pair: PairFeatures, relation: Relation, confidence: float, why: str, score: PairScore | None) -> Judgement | None:
    """A merge of what no guard keeps apart, if one wording keeps everything; the score may choose between two that do."""
    kept, other = wordings(pair)
    if kept is None:
        return None
    richer = "a" if kept == pair.a.text else "b"
    if score and kept != other:
        richer = "a" if score.a_richer >= score.b_richer else "b"
    return Judgement(relation, confidence, (why,), richer=richer)


def read_together(pair: PairFeatures, score: PairScore) -> Judgement | None:
    """The merge that a score tells of: the same, or one side says more."""
    relation = Relation.DUPLICATE if score.same >= max(score.a_richer, score.b_richer) else Relation.REFINES
    return merging(pair, relation, score.merge, f"read together they say the same ({score.merge:.2f})", score)


def conflict(pair: PairFeatures, confidence: float, evidence: tuple[str, ...]) -> Judgement:
    """`updates` when a marker or a day between them tells which is current, `contradicts` otherwise."""
    told_a, told_b = told_changes(pair.a), told_changes(pair.b)
    marked_a, marked_b = bool(told_a), bool(told_b)
    gap = pair.gap_days
    later = None if gap is None or abs(gap) < 1e-9 else ("b" if gap > 0 else "a")
    marked = None if marked_a == marked_b else ("a" if marked_a else "b")
    if marked and (later is None or later == marked):
        told = told_a if marked == "a" else told_b
        return Judgement(
            Relation.UPDATES, confidence, (*evidence, f"`{told[0]}` shows the change"), Basis.MARKER, newer=marked
        )
    if gap is not None and abs(gap) >= CLEARLY_LATER_DAYS:
        basis = Basis.MARKER if marked_a and marked_b else Basis.TIME
        return Judgement(Relation.UPDATES, confidence, (*evidence, f"said {abs(gap):.0f} days later"), basis, newer=later)
    return Judgement(Relation.CONTRADICTS, confidence, (*evidence, "neither wording nor time says which is current"))


def turned(verdict: Judgement) -> Judgement:
    """The verdict on the same two with their sides exchanged."""
    return Judgement(
        verdict.relation,
        verdict.confidence,
        verdict.evidence,
        verdict.basis,
        _TURNED.get(verdict.richer or ""),
        _TURNED.get(verdict.newer or ""),
    )
