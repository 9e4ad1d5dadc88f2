"""What two statements deny, laid beside each other: whether a denial of one need be a difference from the other at all."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re

from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import Slots
from dreamd.text.markers import LIGHT, VERBS
from dreamd.text.tokens import tokens

_PASSED_OVER = frozenset("ignore ignores ignored ignoring disregard disregards disregarded skip skips skipped skipping".split())
"""Verbs of which the object is as good as denied."""
_FALLING = frozenset(["drop", "fall", "rise", "sink", "get", "becom", "dry", "burn"])
_AMOUNTS = frozenset(["less", "more"])
MOST_ALIKE = 0.8
"""Share of common words from which a denial on one side is a difference, whatever it is that is denied."""


def denied_elsewhere(pair: PairFeatures) -> bool:
    """Only one side denies, but what it denies first is a word of its own: "don't let it drop below 5", "keeps at least 5".

    A negator reaches far behind that word, and two wordings of one claim share some of what stands there. Then it is for
    a score to say whether they agree.
    """
    if not pair.in_english or pair.opposites or min(pair.cover_a, pair.cover_b) >= MOST_ALIKE:
        return False
    if not pair.polarity_apart or (_deeds(pair.a) | _deeds(pair.b)) & pair.shared:
        return False
    return pair.a.bearings & _AMOUNTS == pair.b.bearings & _AMOUNTS or not (pair.a.numbers or pair.b.numbers)


def _deeds(slots: Slots) -> frozenset[str]:
    """What exactly a statement denies: the word behind each negator; behind "don't let it" the verb."""
    cut = slots.tokens
    if "let" not in slots.spoken:
        return slots.denied
    at = next(at for at, token in enumerate(cut) if token.lower == "let")
    verb = next((t.stem for t in cut[at + 1 :] if t.stem in VERBS or t.stem in _FALLING), "")
    thing = next((t.stem for t in cut[at + 1 :] if t.is_content), "")
    return slots.denied - {thing} | {verb} if verb else slots.denied


def denied_crosswise(pair: PairFeatures) -> bool:
    """Of two things that both speak of, one side denies the one and the other side the other: "obeys a but ignores b"."""
    if not pair.in_english or len(pair.shared) < 2:
        return False
    if pair.a.spoken.isdisjoint(_PASSED_OVER) and pair.b.spoken.isdisjoint(_PASSED_OVER):
        return False
    one, other = _denied_of(pair.a, pair.shared), _denied_of(pair.b, pair.shared)
    if not one or not other or one & other:
        return False
    return bool(one & pair.b.content_set) and bool(other & pair.a.content_set)


def ruled_out(pair: PairFeatures) -> str:
    """What one side rules out behind a comma, "by date, not by name", where the other says it and denies something else."""
    if not pair.in_english or not (pair.a.negations and pair.b.negations):
        return ""
    for mine, theirs in ((pair.a, pair.b), (pair.b, pair.a)):
        match = _NOT.search(mine.low)
        word = next((t.stem for t in tokens(match.group(1)) if t.is_content), "") if match else ""
        if word and word in theirs.content_set and word not in theirs.negated:
            return word
    return ""


def denied_and_said(pair: PairFeatures) -> str:
    """Both deny something, but what the one denies first the other asserts: "don't build another", "build a new one"."""
    if not pair.in_english or not (pair.a.negations and pair.b.negations):
        return ""
    for mine, theirs in ((pair.a, pair.b), (pair.b, pair.a)):
        told = (_deeds(mine) & theirs.content_set & pair.shared) - theirs.negated
        if told and mine.negations % 2:
            return min(told)
    return ""


_LAX = re.compile(
    r"\b(?:need(?:s|ed)? no(?:t|ne)?\b|needn't|no need|(?:do|does|did)(?:n't| not) (?:have|need) to|not necessary"
    r"|nothing against)"
)


def left_free(pair: PairFeatures) -> bool:
    """One side alone says that something need not be."""
    if not pair.in_english or not (pair.a.negations or pair.b.negations):
        return False
    return bool(_LAX.search(pair.a.low)) != bool(_LAX.search(pair.b.low))


_EXCEPTING = frozenset(
    (
        "or other others else elsewhere otherwise except but besides beside without unless until outside than apart beyond "
        "rather"
    ).split()
)
"""With these a denial says of all else what "only" leaves to one."""
ALL_BUT_ONE = 0.95
LEAST_SAID = 3


def bars_what_is_left(pair: PairFeatures) -> bool:
    """One says "only" of a place, a time or a person, and the other denies just that: "only at weekends", "not at weekends"."""
    if not pair.in_english or pair.a.only == pair.b.only or len(pair.shared) < LEAST_SAID:
        return False
    sole, denying = (pair.a, pair.b) if pair.a.only else (pair.b, pair.a)
    if sole.negations or denying.negations != 1 or max(pair.cover_a, pair.cover_b) < ALL_BUT_ONE:
        return False
    own = (pair.only_b if sole is pair.a else pair.only_a) - LIGHT - VERBS
    bound = denying.conditions or not denying.spoken.isdisjoint(_EXCEPTING)
    return not own and not bound and sole.bearings & _TIMES == denying.bearings & _TIMES


_TIMES = frozenset(["before", "after", "out", "less", "more"])
_NOT = re.compile(r", (?:and )?(?:not|never) ((?:\w+[ .]?){1,4})")


def _denied_of(slots: Slots, shared: frozenset[str]) -> frozenset[str]:
    """The shared words that a statement denies, or says are passed over."""
    found = set(slots.negated)
    cut = slots.tokens
    for at, token in enumerate(cut):
        if token.lower in _PASSED_OVER:
            found.update(t.stem for t in cut[at + 1 : at + 4] if t.is_content)
    return frozenset(found) & shared
