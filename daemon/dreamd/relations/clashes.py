"""Conflicts that the wording itself shows: a stated end, a denial, all against none, another order, stage or value.

`certain_clash` decides alone; `visible_clash` is enough where a trained score finds the conflict, too.
"""

from __future__ import annotations

import re

from dreamd.relations.causes import only_cause, other_cause
from dreamd.relations.features import PairFeatures
from dreamd.relations.frames import Frame, value_change
from dreamd.relations.markers import EXCLUSIVE, HANDED, LIGHT, RETIRED, STAGE, STAGE_WORDS, VERBS
from dreamd.relations.quantities import dimension
from dreamd.relations.sameness import told_alike, turned_no
from dreamd.relations.sequence import is_turned
from dreamd.relations.slots import Slots
from dreamd.relations.text import tokens

_LEFT = re.compile(r"\bfrom (.{1,40}?) (?:to|into|onto|over to|back to) ")
LEAST_COVER = 0.75


def certain_clash(pair: PairFeatures, frame: Frame) -> str:
    """The conflict that the wording shows beyond doubt, as a phrase; empty when it shows none."""
    return (
        explicit_change(pair)
        or turned_order(pair)
        or denial(pair, frame)
        or value_change(pair, frame, strict=True)
        or other_amount(pair, frame)
        or stage_change(pair)
        or only_cause(pair)
        or opposite(pair, frame)
    )


def visible_clash(pair: PairFeatures, frame: Frame) -> str:
    """A conflict that the wording lets one see, though something else would have to confirm it."""
    return certain_clash(pair, frame) or value_change(pair, frame) or _hinted(pair)


def explicit_change(pair: PairFeatures) -> str:
    """One side repeats the other's claim as the former state: "now … instead of …", "no longer …", "from … to …"."""
    for new, old, cover in ((pair.a, pair.b, pair.cover_b), (pair.b, pair.a, pair.cover_a)):
        if not new.changes or old.changes or old.negations or len(old.content_set) < 2:
            continue
        retired = _retired(new) & old.content_set
        left = _LEFT.search(new.folded.lower())
        former = {t.stem for t in tokens(left.group(1)) if t.is_content} & old.content_set if left else set()
        denied = new.negated & old.content_set
        named = bool(old.subject) and old.subject <= new.content_set
        if former and len(old.content_set) >= 3 and (cover >= LEAST_COVER or named):
            return f"`{new.changes[0]}` ends `{' '.join(sorted(former))}`"
        gone = (pair.only_a if old is pair.a else pair.only_b) - LIGHT - VERBS
        if not gone and len(old.content_set) >= 3 and denied and len(denied) < len(new.content_set):
            return f"`{new.changes[0]}` ends `{' '.join(sorted(denied))}`"
        if retired and len(pair.shared) >= 2 and cover >= 0.6 and not old.changes:
            return f"`{new.changes[0]}` ends `{' '.join(sorted(retired))}`"
    return ""


def _retired(slots: Slots) -> frozenset[str]:
    """Content stems of what a statement says is over, and of who gave something up."""
    low = slots.folded.lower()
    match = RETIRED.search(low) or HANDED.search(low)
    told = next((g for g in match.groups() if g), "") if match else ""
    return frozenset(t.stem for t in tokens(told) if t.is_content)


def turned_order(pair: PairFeatures) -> str:
    """Both order the same two things, the other way round."""
    told = min(pair.cover_a, pair.cover_b) >= 0.5 and is_turned(pair.a.folded, pair.b.folded)
    return "one puts first what the other puts second" if told else ""


def denial(pair: PairFeatures, frame: Frame) -> str:
    """One side denies what the other says in nearly the same words."""
    if pair.qualifiers_apart or pair.numbers_a and pair.numbers_b or pair.a.conditions ^ pair.b.conditions:
        return ""
    left, right = pair.a.head_negations, pair.b.head_negations
    if left % 2 == right % 2 or pair.a.negations % 2 == pair.b.negations % 2:
        return ""
    if not told_alike(frame.a.told, frame.b.told, pair) or turned_no(pair):
        return ""
    denying = pair.a if left % 2 else pair.b
    reached = denying.head_negated & pair.shared or denying.quantifiers & {"none"}
    return "one denies what the other says" if reached and not (pair.a.only or pair.b.only) else ""


def other_amount(pair: PairFeatures, frame: Frame) -> str:
    """The same words around another amount of the same dimension, in whatever order."""
    if len(pair.numbers_a) != 1 or len(pair.numbers_b) != 1 or len(pair.shared) < 2 or pair.fixed_a or pair.fixed_b:
        return ""
    (one,), (other,) = pair.numbers_a, pair.numbers_b
    dim = dimension(one)
    if not dim or dim != dimension(other) or pair.a.bearings != pair.b.bearings and not (pair.a.changes or pair.b.changes):
        return ""
    if pair.a.negations % 2 != pair.b.negations % 2 or pair.names_a or pair.names_b or pair.qualifiers_apart:
        return ""
    return f"`{one.lstrip(':')}` against `{other.lstrip(':')}`" if told_alike(frame.a.told, frame.b.told, pair) else ""


def stage_change(pair: PairFeatures) -> str:
    """The same thing at another stage of its life: planned, on trial, live, retired."""
    low = pair.a.folded.lower().rstrip("."), pair.b.folded.lower().rstrip(".")
    stages = [[name for name, pattern in STAGE.items() if pattern.search(text)] for text in low]
    if len(stages[0]) != 1 or len(stages[1]) != 1 or stages[0] == stages[1] or pair.a.negations or pair.b.negations:
        return ""
    subjects = pair.a.subject | pair.b.subject
    if not pair.a.subject & pair.shared or not subjects & pair.shared or subjects & (pair.only_a | pair.only_b) - STAGE_WORDS:
        return ""
    alike = not (pair.only_a - STAGE_WORDS) or not (pair.only_b - STAGE_WORDS)
    return f"{stages[0][0]} against {stages[1][0]}" if alike else ""


def opposite(pair: PairFeatures, frame: Frame) -> str:
    """One word is the other's opposite and everything else is equal."""
    if len(pair.opposites) != 1 or pair.a.negations % 2 != pair.b.negations % 2 or len(pair.shared) < 2:
        return ""
    one, other = pair.opposites[0]
    if pair.only_a - {one} - LIGHT or pair.only_b - {other} - LIGHT or pair.numbers_a or pair.numbers_b:
        return ""
    if pair.a.conditions != pair.b.conditions or len(frame.parts) != 1:
        return ""
    at = frame.parts[0]
    ended = any(t.stem in LIGHT or t.stem in pair.a.content_set for t in frame.a.every[: at.left_at])
    return f"`{one}` against `{other}`" if ended else ""


def _hinted(pair: PairFeatures) -> str:
    """Signs of a conflict in what both speak of: a denial, an opposite, another amount, two exclusive choices."""
    if other_cause(pair):
        return "another cause"
    cover = max(pair.cover_a, pair.cover_b)
    if cover < 0.5 or len(pair.shared) < 2:
        return ""
    if turned_no(pair):
        return ""
    if pair.polarity_apart or pair.a.head_negations % 2 != pair.b.head_negations % 2:
        return "one denies what the other says"
    if pair.opposites:
        return "`{}` against `{}`".format(*pair.opposites[0])
    if pair.numbers_a and pair.numbers_b and {dimension(k) for k in pair.numbers_a} & {dimension(k) for k in pair.numbers_b}:
        return "other amounts"
    if bool(pair.a.changes) != bool(pair.b.changes):
        return "one tells of a change"
    if EXCLUSIVE.search(pair.a.folded.lower()) and EXCLUSIVE.search(pair.b.folded.lower()):
        return "each leaves room for nothing else"
    return ""
