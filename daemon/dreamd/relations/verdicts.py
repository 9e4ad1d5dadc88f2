"""The judge: features, guards and, where there is one, a score become one of the six relations."""

from __future__ import annotations

from dreamd.model import Basis, Judgement, PairScore, Relation
from dreamd.relations import words
from dreamd.relations.features import PairFeatures, Statement, pair_features
from dreamd.relations.frames import Frame, align, denial, value_change
from dreamd.relations.guards import merge_guards
from dreamd.relations.slots import Slots
from dreamd.relations.wording import merged_wording

CLEARLY_LATER_DAYS = 1.0
RELATED_AT = 0.5
"""Similarity from which two statements count as one topic."""
TURNED = {"a": "b", "b": "a"}


def judge(a: Statement, b: Statement, *, similarity: float, score: PairScore | None = None) -> Judgement:
    """Say how `a` and `b` stand to each other; without a score by rules and similarity alone."""
    if (b.text, str(b.at)) < (a.text, str(a.at)):
        return _turned(judge(b, a, similarity=similarity, score=score.turned() if score else None))
    pair = pair_features(a, b, similarity)
    if pair.a.folded == pair.b.folded:
        return Judgement(Relation.DUPLICATE, 1.0, ("same words",), richer="a" if len(a.text) >= len(b.text) else "b")
    guards = merge_guards(pair)
    frame = align(pair.a, pair.b)
    settled = _settled(pair, guards, frame)
    if settled:
        return settled
    return _loose(pair, guards)


def needs_score(a: Statement, b: Statement, *, similarity: float) -> bool:
    """Whether a score could change the verdict: rules alone settle the rest."""
    return similarity >= 0.25


def _settled(pair: PairFeatures, guards: tuple[str, ...], frame: Frame) -> Judgement | None:
    """What rules alone may decide."""
    if not guards:
        merged = _merge_by_rule(pair, frame)
        if merged:
            return merged
    denied = denial(pair, frame)
    changed = value_change(pair, frame)
    if denied or changed:
        return _conflict(pair, 0.9, (denied or f"same subject, {changed}",))
    return None


def _merge_by_rule(pair: PairFeatures, frame: Frame) -> Judgement | None:
    if not pair.only_a and not pair.only_b and len(pair.shared) >= 2 and _numbers_equal(pair):
        return _merging(pair, Relation.DUPLICATE, 0.97, "same words in another order")
    for side, mine, theirs, only in (("a", pair.a, pair.b, pair.only_b), ("b", pair.b, pair.a, pair.only_a)):
        if not only and _extends(mine, theirs):
            return _merging(pair, Relation.REFINES, 0.95, f"`{side}` says the same and adds to it")
    return None


def _numbers_equal(pair: PairFeatures) -> bool:
    return not (pair.numbers_a or pair.numbers_b or pair.fixed_a or pair.fixed_b or pair.names_a or pair.names_b) and pair.a.conditions == pair.b.conditions and (
        pair.a.negations == pair.b.negations and pair.a.only == pair.b.only and pair.a.quantifiers == pair.b.quantifiers)


_UNSAFE_ADDITION = words.HARD_CONDITIONS | {"only", "but", "however", "when", "except", "instead", "while", "before", "after", "until", "not", "never", "no", "than", "every", "or"}


def _extends(longer: Slots, shorter: Slots) -> bool:
    """`longer` begins with the words of `shorter` and goes on without a condition or a turn."""
    left = [t.lower for t in longer.tokens if t.kind != "stop"]
    right = [t.lower for t in shorter.tokens if t.kind != "stop"]
    if len(right) < 3 or left[: len(right)] != right or len(left) <= len(right):
        return False
    rest = [t for t in longer.tokens if t.kind != "stop"][len(right) :]
    joint = next((t.surface for t in longer.tokens if t.at >= rest[0].at - 2 and t.at < rest[0].at and t.kind == "stop"), "")
    if joint or rest[0].lower in words.REASONS or rest[0].lower in ("which", "whose", "that", "by", "in", "under", "from", "to", "with", "at", "on"):
        return rest[0].lower not in _UNSAFE_ADDITION and not ({t.lower for t in rest} & words.HARD_CONDITIONS)
    return False


def _merging(pair: PairFeatures, relation: Relation, confidence: float, why: str) -> Judgement | None:
    kept = merged_wording(pair.a.text, pair.b.text)
    if kept is None:
        return None
    return Judgement(relation, confidence, (why,), richer="a" if kept == pair.a.text else "b")


def _conflict(pair: PairFeatures, confidence: float, evidence: tuple[str, ...]) -> Judgement:
    """`updates` when a marker or a day between them tells which is current, `contradicts` otherwise."""
    marked_a, marked_b = bool(pair.a.changes), bool(pair.b.changes)
    gap = pair.gap_days
    later = None if gap is None or abs(gap) < 1e-9 else ("b" if gap > 0 else "a")
    marked = None if marked_a == marked_b else ("a" if marked_a else "b")
    if marked and (later is None or later == marked):
        slots = pair.a if marked == "a" else pair.b
        return Judgement(Relation.UPDATES, confidence, (*evidence, f"`{slots.changes[0]}` shows the change"), Basis.MARKER, newer=marked)
    if gap is not None and abs(gap) >= CLEARLY_LATER_DAYS:
        basis = Basis.MARKER if marked_a and marked_b else Basis.TIME
        return Judgement(Relation.UPDATES, confidence, (*evidence, f"said {abs(gap):.0f} days later"), basis, newer=later)
    return Judgement(Relation.CONTRADICTS, confidence, (*evidence, "neither wording nor time says which is current"))


def _loose(pair: PairFeatures, guards: tuple[str, ...]) -> Judgement:
    close = pair.similarity >= RELATED_AT or len(pair.shared) >= 3
    relation = Relation.RELATED if close else Relation.UNRELATED
    evidence = guards[:2] or (f"similarity {pair.similarity:.2f}",)
    return Judgement(relation, 0.6, evidence)


def _turned(verdict: Judgement) -> Judgement:
    return Judgement(verdict.relation, verdict.confidence, verdict.evidence, verdict.basis,
                     TURNED.get(verdict.richer or "", None), TURNED.get(verdict.newer or "", None))
