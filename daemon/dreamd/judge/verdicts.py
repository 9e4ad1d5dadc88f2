"""The judge: features, guards and, where there is one, a score become one of the six relations.

A score may join what no guard keeps apart, but it alone never ends or holds anything: a statement meets a score of
neighbours, nearly all of them about something else, and what would be one wrong conflict in a hundred pairs would be one
every few nights. So a conflict also has to show in the wording. Everybody who judges asks this one function.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice

from dreamd.core.values import Basis, Judgement, PairScore, Relation
from dreamd.judge.abroad import abroad
from dreamd.judge.abroad.readings import by_meaning, by_reading, is_refuted
from dreamd.judge.abroad.strangers import strangers
from dreamd.judge.change.current import NEUTRAL
from dreamd.judge.change.disused import ends_the_use
from dreamd.judge.change.settled import settled_clash
from dreamd.judge.claims.deeds import told_as_deed
from dreamd.judge.claims.richer import adds_to
from dreamd.judge.claims.sameness import told_alike, told_from_both_ends, turned_no
from dreamd.judge.claims.vague import made_exact
from dreamd.judge.conflict_hints import OTHER_AMOUNTS, hinted_clash
from dreamd.judge.conflicts.beside import collateral_guards
from dreamd.judge.conflicts.contrary import contrary, demands_apart
from dreamd.judge.conflicts.denied import denied_elsewhere
from dreamd.judge.conflicts.frames import Frame, align
from dreamd.judge.conflicts.structure import moved_whole, order_from_both_ends, said_alike, same_list
from dreamd.judge.conflicts.word_places import change_places, paired_otherwise, turns_about
from dreamd.judge.features import PairFeatures, Statement, inversions, pair_features
from dreamd.judge.guards import GLOSSED, UNSPACED, reasons_apart, strong_changes
from dreamd.judge.judgements import conflict, merging, read_together, turned
from dreamd.judge.lazily import lazily
from dreamd.judge.limits import LIMITS, Limits
from dreamd.judge.slots import Slots, quantifiers_in
from dreamd.text import word_classes
from dreamd.text.markers import DIMENSION_NOUNS, LIGHT
from dreamd.text.tokens import stem

MOST_REASONS = 2
"""Reasons why two stay apart that a verdict gives: who has them looks for no more."""
LEAST_COMMON = 3
"""Shared words from which distant vectors may still mean one claim."""
LEAST_LONG = 9
"""Words of weight from which a statement says a lot."""
LEAST_ALIKE = 0.25
"""Share of equal characters or words from which two statements without spaces are about one topic: vectors cannot tell."""


def judge(
    a: Statement, b: Statement, *, similarity: float, score: PairScore | None = None, limits: Limits = LIMITS
) -> Judgement:
    """Say how `a` and `b` stand to each other; without a score by rules and similarity alone."""
    if _comes_first(b, a):
        return turned(judge(b, a, similarity=similarity, score=score.turned() if score else None, limits=limits))
    told = _opinion(a, b, similarity)
    if told.decided:
        return told.decided
    pair = pair_features(a, b, similarity)
    if score is None:
        return _loose(pair, told.guards, None, limits)
    heard = abroad.find(pair, score.heard) if score.heard else abroad.NOTHING
    found = by_reading(pair, heard, score)
    if not found and told.guards and not told.shown:
        found = by_meaning(pair, heard, score, limits)
    found = found or _by_score(pair, told, score, limits, heard)
    if found and is_refuted(pair, found, heard, told.clash):
        found = None
    return found or _loose(pair, told.guards, score, limits, heard)


def needs_score(a: Statement, b: Statement, *, similarity: float, limits: Limits = LIMITS) -> bool:
    """Whether a score could join the two, or settle a conflict that the wording shows; rules and distance settle the rest.

    Of two languages neither rules nor distance can say whether they speak of one thing at all.
    """
    if _comes_first(b, a):
        a, b = b, a
    if a.text == b.text or _is_far(pair_features(a, b, similarity), similarity, limits):
        return False
    told = _opinion(a, b, similarity)
    if told.decided or not told.guards:
        return not told.decided
    pair = pair_features(a, b, similarity)
    if not pair.same_script or any(strangers(pair)) and not any(reasons_apart(pair)) or told.shown:
        return True
    if not pair.in_english and pair.a.tongue in GLOSSED and bool(strong_changes(pair.a)) != bool(strong_changes(pair.b)):
        return True
    # a lexicon may know that "admiten" is "permiten"
    return not pair.in_english and pair.a.tongue in GLOSSED and pair.a.negations % 2 != pair.b.negations % 2


def _comes_first(one: Statement, other: Statement) -> bool:
    """A pair is judged in one order, whoever asks."""
    return one.text < other.text or one.text == other.text and str(one.at) < str(other.at)


def _is_far(pair: PairFeatures, similarity: float, limits: Limits) -> bool:
    return pair.same_script and similarity < limits.ask and len(pair.shared) < LEAST_COMMON


class _Opinion:
    """What rules alone find in a pair: a verdict, or what stands against a merge and what shows of a conflict."""

    def __init__(
        self, pair: PairFeatures, decided: Judgement | None, guards: tuple[str, ...] = (), *, beside: bool = False
    ) -> None:
        """`guards` are the first two at most, for no pair is told of more; `beside`: a sure conflict in which both can hold."""
        self.decided = decided
        self.guards = guards
        self._pair = pair
        self._beside = beside

    @lazily
    def clash(self) -> str:
        """What shows of a conflict where nothing is beyond doubt; only a score asks for it."""
        hint = "" if self._beside else hinted_clash(self._pair, align(self._pair.a, self._pair.b))
        return "" if hint and collateral_guards(self._pair) else hint

    @lazily
    def contrary(self) -> str:
        """Contrary predicates, which show less than that and need a surer score."""
        told = "" if self._beside or self.clash else contrary(self._pair)
        return "" if told and collateral_guards(self._pair) else told

    @lazily
    def demands(self) -> str:
        """Another demand, which shows the least."""
        told = "" if self._beside or self.clash or self.contrary else demands_apart(self._pair)
        return "" if told and collateral_guards(self._pair) else told

    @property
    def shown(self) -> str:
        """Whatever shows of a conflict."""
        return self.clash or self.contrary or self.demands


# Asked for twice: once to learn whether a score is wanted, and again, a batch of scores later, to judge.
@lru_cache(maxsize=4096)
def _opinion(a: Statement, b: Statement, similarity: float) -> _Opinion:
    pair = pair_features(a, b, similarity)
    if pair.a.folded == pair.b.folded:
        richer = "a" if len(a.text) >= len(b.text) else "b"
        return _Opinion(pair, Judgement(Relation.DUPLICATE, 1.0, ("same words",), richer=richer))
    if ended := _end_of_use(a, b):
        return _Opinion(pair, ended)
    guards = tuple(islice(chain(reasons_apart(pair), strangers(pair)), MOST_REASONS))
    frame = align(pair.a, pair.b)
    merged = None if guards or denied_elsewhere(pair) else _merge_by_rule(pair, frame)
    if merged:
        return _Opinion(pair, merged)
    clash = settled_clash(pair, frame)
    decided = conflict(pair, 0.9, (f"same subject, {clash.why}",)) if clash.why else None
    return _Opinion(pair, decided, guards, beside=clash.beside)


def _end_of_use(a: Statement, b: Statement) -> Judgement | None:
    """One side says no more than that a thing is used no longer, and is not the earlier one."""
    for newer, later, earlier in (("a", a, b), ("b", b, a)):
        if later.at is not None and earlier.at is not None and later.at < earlier.at:
            continue
        if thing := ends_the_use(later.text, earlier.text):
            return Judgement(Relation.UPDATES, 1.0, (f"`{thing}` is used no longer",), Basis.MARKER, newer=newer)
    return None


def _by_score(
    pair: PairFeatures, told: _Opinion, score: PairScore, limits: Limits, heard: abroad.Finding = abroad.NOTHING
) -> Judgement | None:
    """What the score may decide where no guard stands against it."""
    guards = told.guards
    limit, most = _least_and_most(pair, told, score, limits)
    if limit == limits.merge_foreign and heard.kind == "related" and not heard.apart and score.merge > score.conflict:
        limit = limits.merge_heard
    contested = score.conflict > most and score.merge < limits.merge_thin
    if not guards and score.merge >= limit and not contested:
        merged = read_together(pair, score)
        if merged:
            return merged
    if not told.shown or (pair.restated and not guards) or _speaks_of_more(pair, limits):
        return None
    # where a guard rules a merge out, what the score gave to merging was one claim's worth of likeness: share it out
    ruled_out = bool(guards) and pair.in_english and score.conflict >= limits.least
    against = score.conflict / max(1e-6, 1.0 - score.merge) if ruled_out else score.conflict
    marked = bool(strong_changes(pair.a)) != bool(strong_changes(pair.b))
    plain = pair.in_english or bool(pair.numbers_a and pair.numbers_b) or pair.a.tongue in UNSPACED and told.clash.isascii()
    limit = limits.clash_seen if pair.same_script and plain else limits.clash
    limit = limit if told.clash else limits.clash_contrary if told.contrary else limits.clash_demanded
    sure = pair.same_script and bool(told.clash) or told.clash == OTHER_AMOUNTS
    if against < (min(limit, limits.change_marked) if marked and sure else limit):
        return None
    shows = guards[:1] if guards or told.clash else (told.shown,)
    return conflict(pair, against, (f"read together they cannot both hold ({against:.2f})", *shows))


def _speaks_of_more(pair: PairFeatures, limits: Limits) -> bool:
    """Whether one says much that the other does not and the vectors see no one topic: what differs is two things."""
    return pair.in_english and pair.similarity < limits.aside and min(pair.cover_a, pair.cover_b) < limits.part


def _least_and_most(pair: PairFeatures, told: _Opinion, score: PairScore, limits: Limits) -> tuple[float, float]:
    """From which score of a merge two are one claim, and up to which score of a conflict."""
    limit, most = _by_evidence(pair, told, score, limits)
    twins = pair.same_script and min(pair.cover_a, pair.cover_b) >= limits.twin and bool(pair.only_a or pair.only_b)
    return limit, min(most, limits.contested_twin) if twins else most


def _by_evidence(pair: PairFeatures, told: _Opinion, score: PairScore, limits: Limits) -> tuple[float, float]:
    """The same by what speaks for a merge."""
    limit = _merge_limit(pair, score, limits)
    if denied_elsewhere(pair):
        return limits.merge_denied, 0.0 if told.clash else limits.contested_denied
    if limit in (limits.merge, limits.merge_thin) and _is_long(pair, told, score, limits):
        return limits.merge_long, limits.contested_long
    plain = _plain(pair, told, score, limits) if limit == limits.merge else None
    equal = limits.contested_equal if limit in (limits.merge_equal, limits.merge_covered) else 1.0
    return plain or (limit, limits.contested if limit >= limits.merge else equal)


def _plain(pair: PairFeatures, told: _Opinion, score: PairScore, limits: Limits) -> tuple[float, float] | None:
    """The same for two full statements, of which neither says more than the other, and no sign of a conflict."""
    least = min(len(pair.a.content_set), len(pair.b.content_set))
    if least < LEAST_COMMON or told.clash or not pair.same_script or score.same < max(score.a_richer, score.b_richer):
        return None
    if pair.similarity >= limits.topic:
        return limits.merge_plain, limits.contested_plain
    if pair.similarity >= limits.near:
        return limits.merge_near, limits.contested_plain
    return (limits.merge_far, limits.contested_far) if least > LEAST_COMMON and pair.in_english else None


def _is_long(pair: PairFeatures, told: _Opinion, score: PairScore, limits: Limits) -> bool:
    """Near, with so much in one that it is hardly so by chance, and no denial, change or other sign of another claim."""
    much = max(len(pair.a.content_set), len(pair.b.content_set)) >= LEAST_LONG
    if not much or not pair.in_english or pair.similarity < limits.near:
        return False
    quiet = pair.a.negations % 2 == pair.b.negations % 2 and bool(pair.a.changes) == bool(pair.b.changes)
    return quiet and min(score.a_richer, score.b_richer) < limits.each_more and not told.shown


def _merge_limit(pair: PairFeatures, score: PairScore, limits: Limits) -> float:
    if not pair.same_script:
        english = "en" in (pair.a.tongue, pair.b.tongue)
        alike = score.same >= max(score.a_richer, score.b_richer)
        return limits.merge_no_english if not english else limits.merge_foreign if alike else limits.merge_foreign_richer
    if (
        pair.restated
        and min(pair.cover_a, pair.cover_b) >= 0.2
        and pair.similarity >= 0.6
        and pair.a.head_negations == pair.b.head_negations
        and not (_named_anew(pair.only_a, pair.a) and _named_anew(pair.only_b, pair.b))
    ):
        return limits.merge_restated
    if pair.restated and pair.in_english:
        return limits.merge_amounts
    one_for_one = len(pair.only_a) == 1 == len(pair.only_b) and len(pair.shared) >= 2
    one_for_one = one_for_one and not _own_words(pair) <= LIGHT and not same_list(pair)
    if one_for_one:
        return limits.merge_one_word
    turned = pair.a.passive == pair.b.passive and bool(inversions(pair.a, pair.b, pair.shared))
    if min(pair.cover_a, pair.cover_b) >= 0.8 and len(pair.shared) >= 3 and _all_equal(pair) and not turned:
        return limits.merge_equal
    if (
        max(pair.cover_a, pair.cover_b) >= 0.99
        and len(pair.shared) >= 3
        and pair.a.head_negations == pair.b.head_negations
        and not turned
    ):
        return limits.merge_covered
    richer = max(score.a_richer, score.b_richer)
    poorer = pair.cover_b if score.a_richer > score.b_richer else pair.cover_a
    return limits.merge_thin if richer > score.same and poorer < 0.6 else limits.merge


def _named_anew(only: frozenset[str], slots: Slots) -> bool:
    """One noun of the subject is all that a side says in a word of its own, beside the amount: "the guild's debt"."""
    measured = {t.stem for t in slots.tokens if t.kind == "number" or t.lower in word_classes.UNIT_NAMES}
    own = only - LIGHT - _COUNTED - measured - DIMENSION_NOUNS.keys()
    return len(own) == 1 and own <= slots.subject


def _merge_by_rule(pair: PairFeatures, frame: Frame) -> Judgement | None:
    if not pair.only_a and not pair.only_b and len(pair.shared) >= 2 and not frame.parts and _still_so(pair):
        return merging(pair, Relation.DUPLICATE, 0.96, "same words, one of them says that it is so now", None)
    told = _own_words(pair) <= _EMPTY and len(pair.shared) >= 2
    if told and _all_equal(pair) and said_alike(pair) and moved_whole(pair) and _in_place(pair):
        return merging(pair, Relation.DUPLICATE, 0.97, "same words in another order", None)
    rest = (pair.only_a | pair.only_b) - LIGHT - _COUNTED
    if not rest and len(pair.shared) > 2 and same_list(pair) and _all_equal(pair) and said_alike(pair):
        return merging(pair, Relation.DUPLICATE, 0.9, "the same list in another order", None)
    both_ends = "one relation, told from both ends" if told_from_both_ends(pair) or order_from_both_ends(pair) else ""
    as_noun = "a deed, told once as a noun and once as a verb" if told_as_deed(pair) else ""
    reason = turned_no(pair) or both_ends or as_noun or _in_other_units(pair, frame)
    if reason:
        return merging(pair, Relation.DUPLICATE, 0.9, reason, None)
    for side, mine, theirs in (("a", pair.a, pair.b), ("b", pair.b, pair.a)):
        exact = made_exact(mine, theirs, pair)
        if exact or adds_to(mine, theirs):
            more = f"`{side}` gives the amount for a vague word" if exact else f"`{side}` says the same and adds to it"
            found = merging(pair, Relation.REFINES, 0.95, more, None)
            return replace(found, richer=side) if found else None
    return None


def _in_place(pair: PairFeatures) -> bool:
    """No word stands where the other side has another one of both: who and whom, whence and where to, which with which."""
    return not (change_places(pair) or turns_about(pair) or paired_otherwise(pair))


def _own_words(pair: PairFeatures) -> frozenset[str]:
    """What only one side says; where the amounts agree, "35 degrees" are "35 celsius", and "9 ms" are "9 milliseconds"."""
    agreed = pair.a.numbers and pair.b.numbers and not (pair.numbers_a or pair.numbers_b)
    agreed = agreed and (pair.restated or not _measured_apart(pair))
    return (pair.only_a | pair.only_b) - (_UNITS if agreed else frozenset())


def _measured_apart(pair: PairFeatures) -> bool:
    """Each has a unit of its own that is not the other's in another word: so much a day, so much a week."""
    mine, theirs = ({_UNIT_OF[word] for word in only if word in _UNIT_OF} for only in (pair.only_a, pair.only_b))
    dims = {dim for dim, _ in mine ^ theirs}
    return bool(mine and theirs and mine != theirs) and not dims <= _ONE_SCALE


def _in_other_units(pair: PairFeatures, frame: Frame) -> str:
    """The same words around the same amount in another unit."""
    said = pair.a.negations == pair.b.negations and pair.a.bearings == pair.b.bearings and pair.a.only == pair.b.only
    if not pair.restated or not said or pair.a.conditions != pair.b.conditions or pair.names_a or pair.names_b:
        return ""
    return "the same amount in another unit" if told_alike(frame.a.told, frame.b.told, pair, least=1) else ""


_EMPTY = frozenset(stem(word) for word in ("use", "happen", "exist", "stand", "lie", "hence", "therefore", "thus"))
"""Words that add nothing to a claim in which all others are equal."""
_COUNTED = frozenset(stem(word) for word in word_classes.NUMBER_WORDS)
_UNIT_OF = {form: unit for word, unit in word_classes.UNIT_NAMES.items() for form in (word, stem(word))}
_UNITS = frozenset(_UNIT_OF)
_ONE_SCALE = frozenset(["degree", "celsius"])


def _still_so(pair: PairFeatures) -> bool:
    """All is equal but a "now", "again" or "from now on", which in an order would not be the same."""
    marked = [c for slots in (pair.a, pair.b) for c in slots.changes]
    again = any(c.endswith("again") for c in marked)
    plain = all(c in NEUTRAL or c.endswith(" again") for c in marked) and not (again and pair.a.imperative)
    return bool(marked) and plain and _all_equal(pair, still=True)


def _all_equal(pair: PairFeatures, *, still: bool = False) -> bool:
    left, right = pair.a, pair.b
    neutral = frozenset({"again", "still"}) if still else frozenset()
    apart = pair.numbers_a or pair.numbers_b or pair.fixed_a or pair.fixed_b or pair.names_a or pair.names_b
    said = (
        left.conditions & word_classes.HARD_CONDITIONS == right.conditions & word_classes.HARD_CONDITIONS
        and left.only == right.only
        and left.denied == right.denied
    )
    counted = left.negations == right.negations and quantifiers_in(left) - {"none"} == quantifiers_in(right) - {"none"}
    same_words = len(left.content) == len(right.content) or bool(pair.only_a or pair.only_b)
    return (
        not apart
        and said
        and counted
        and same_words
        and left.bearings - neutral == right.bearings - neutral
        and (still or bool(left.changes) == bool(right.changes))
    )


def _loose(
    pair: PairFeatures, guards: tuple[str, ...], score: PairScore | None, limits: Limits, heard: abroad.Finding = abroad.NOTHING
) -> Judgement:
    close = pair.similarity >= limits.related or len(pair.shared) >= 3
    if pair.same_script and pair.a.tongue in UNSPACED:
        close = align(pair.a, pair.b).equal >= LEAST_ALIKE
    if score:
        most = limits.strange_words if heard.kind == "unrelated" else limits.strange
        close = heard.kind not in ("", "unrelated") or score.unrelated < most
    evidence = guards[:2] or (f"similarity {pair.similarity:.2f}",)
    return Judgement(Relation.RELATED if close else Relation.UNRELATED, 0.6, evidence)

