"""The conflict of a pair that needs no score: shown by the wording, by a value told anew, or by one part of a statement."""

from __future__ import annotations

from dataclasses import dataclass

from dreamd.judge.change.assigned import told_value
from dreamd.judge.claims.asides import claims_in
from dreamd.judge.claims.exchanged import exchanged_parts
from dreamd.judge.conflicts.beside import collateral_guards
from dreamd.judge.conflicts.clashes import certain_clash, told_anew
from dreamd.judge.conflicts.frames import Frame, align, told_changes
from dreamd.judge.features import PairFeatures, Statement, pair_features

MOST_SAID = 9
"""Content words up to which a statement can be replaced by a part of another."""
LEAST_SHARED = 2
"""Content words that a part has in common with what it ends, where it does not tell of the same subject."""


@dataclass(frozen=True, slots=True)
class Clash:
    """A conflict, as a phrase, empty where there is none; or one in which both can hold."""

    why: str
    beside: bool = False


def settled_clash(pair: PairFeatures, frame: Frame) -> Clash:
    """The conflict that is beyond doubt; `beside` where one shows and something else speaks for two things."""
    certain = certain_clash(pair, frame)
    if certain and (not collateral_guards(pair) or told_anew(pair)):
        return Clash(certain)
    told = told_value(pair) or exchanged_parts(pair) or _in_one_part(pair)
    return Clash(told, beside=bool(certain) and not told)


def _in_one_part(pair: PairFeatures) -> str:
    """A conflict with one part of a statement that tells of a change, where all its other parts are asides."""
    if not (pair.a.changes or pair.b.changes) or not pair.in_english:
        return ""
    if bool(told_changes(pair.a)) == bool(told_changes(pair.b)):
        return ""
    new, old = (pair.a, pair.b) if told_changes(pair.a) else (pair.b, pair.a)
    if len(old.content_set) > MOST_SAID or old.content_set.isdisjoint(new.content_set):
        return ""
    for text in claims_in(new.text):
        texts = (text, old.text) if new is pair.a else (old.text, text)
        part = pair_features(Statement(texts[0]), Statement(texts[1]), pair.similarity)
        mine, theirs = (part.a, part.b) if new is pair.a else (part.b, part.a)
        if len(part.shared) < LEAST_SHARED and not (theirs.subject and theirs.subject <= mine.content_set):
            continue
        told = certain_clash(part, align(part.a, part.b))
        if told and not collateral_guards(part):
            return told
    return ""
