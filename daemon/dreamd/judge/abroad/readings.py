"""Verdicts on what is not English, from the words that a lexicon could read; a score tells who does what to whom."""

from __future__ import annotations

from dataclasses import replace

from dreamd.core.values import MERGING, Judgement, PairScore, Relation
from dreamd.judge.abroad import abroad
from dreamd.judge.abroad.characters import one_in_place
from dreamd.judge.conflict_hints import OTHER_VALUES
from dreamd.judge.conflicts.beside import collateral_guards
from dreamd.judge.conflicts.word_places import change_places
from dreamd.judge.features import PairFeatures
from dreamd.judge.guards import UNSPACED, reasons_apart
from dreamd.judge.judgements import conflict, merging, read_together
from dreamd.judge.limits import Limits

LEAST_HEARD = 0.02
"""A score of a merge under which words alone join nothing: they do not tell who does what to whom."""
LEAST_ALONE = 0.1
"""And in one language, where each may have its own word for another thing."""
LEAST_UNREAD = 0.3
"""And where one word of them could not be read."""
LEAST_APART = 0.35
"""A score of a merge under which two may be about two things, where each names one of its own."""
SURE_VALUE = 0.8
"""A score of a conflict from which one word in the place of another is another value, and no other thing."""
MOST_AGAINST = 0.3
"""A score of a conflict from which a word more on one side may be what they differ in."""


def by_reading(pair: PairFeatures, heard: abroad.Finding, score: PairScore) -> Judgement | None:
    """What follows from words that a lexicon knows: one claim, or two that cannot both hold."""
    if heard.kind == "conflict" and (heard.bare and pair.same_script or not collateral_guards(pair)):
        return conflict(pair, 0.85, (heard.why,))
    if heard.kind not in ("same", "a richer", "b richer") or score.merge < (LEAST_ALONE if pair.same_script else LEAST_HEARD):
        return None
    unread = heard.kind == "same" and heard.more and score.merge < LEAST_UNREAD
    unread = unread or heard.kind == "same" and pair.same_script and bool(pair.numbers_a) != bool(pair.numbers_b)
    if unread or pair.same_script and (change_places(pair) or heard.worded and one_in_place(pair)):
        return None
    if heard.kind != "same" and score.merge <= score.conflict and (pair.same_script or not _hardly_more(heard, score)):
        return None
    alike = heard.kind == "same" or heard.more < abroad.MUCH and score.same > max(score.a_richer, score.b_richer)
    found = merging(pair, Relation.DUPLICATE if alike else Relation.REFINES, 0.85, heard.why, None)
    return found if heard.kind == "same" or found is None else replace(found, richer=heard.kind[0])


def _hardly_more(heard: abroad.Finding, score: PairScore) -> bool:
    """A word or two of its own, which another language may well say without."""
    return heard.more < abroad.MUCH and score.merge >= LEAST_ALONE and score.conflict < MOST_AGAINST


def by_meaning(pair: PairFeatures, heard: abroad.Finding, score: PairScore, limits: Limits) -> Judgement | None:
    """One claim in one language other than English, whose words a lexicon could read: none of them is of another thing."""
    if not pair.same_script or pair.in_english:
        return None
    if heard.kind != "related" or heard.parted or heard.barred or heard.worded and one_in_place(pair):
        return None
    least = limits.merge_read_unspaced if pair.a.tongue in UNSPACED else limits.merge_read
    if score.merge < least or score.conflict > limits.contested_read or any(reasons_apart(pair)):
        return None
    return read_together(pair, score)


def is_refuted(pair: PairFeatures, found: Judgement, heard: abroad.Finding, clash: str) -> bool:
    """What a score finds where words that a lexicon knows say otherwise: two things, each of which may have its own."""
    if found.relation in MERGING:
        return heard.barred or heard.apart and found.confidence < LEAST_APART
    if pair.same_script and clash.startswith("`") and found.confidence >= SURE_VALUE:
        return False  # one word of a sentence in the place of another: the sentence is about what stands around it
    return heard.apart and (pair.same_script or clash in OTHER_VALUES or not heard.kind)
