"""Small words that make another claim of the same words: must or may, almost, and or or, up or down, a plan, a part of."""

# ruff: noqa: E501, SIM905  word lists read better as runs of words

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile

from dreamd.judge.abroad.turns_abroad import is_agentless
from dreamd.judge.claims.deeds import told_as_deed
from dreamd.judge.claims.moved import clauses_alike, crossed
from dreamd.judge.claims.sameness import told_from_both_ends, turned_no
from dreamd.judge.conflicts.sequence import explains_turned
from dreamd.judge.conflicts.structure import ROUGHLY, moved_whole, other_opening, other_roles, same_list, told_as_list
from dreamd.judge.conflicts.word_places import told_from_other_end
from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import Slots
from dreamd.text.markers import LIGHT
from dreamd.text.tokens import Token, stem
from dreamd.text.word_classes import FRACTION_WORDS, NUMBER_WORDS

_DEMANDS = frozenset("must shall mandatory obligatory compulsory required requires".split())
_ALLOWS = frozenset("may might could optional optionally allowed permitted".split())
_A_FEW = frozenset(["few", "little"])
_DEMANDING = _DEMANDS | {"should", "ought"}
_HEDGES = frozenset("soon eventually supposedly almost nearly hardly barely scarcely virtually partly partially".split())
_IN_COMMON = frozenset("one single shared common same".split())
_YOU_COULD = re.compile(r"you (?:could|might|may) ")
_NOT_ONLY = re.compile(r"\b(?:not|n't) (?:only|just|solely|exclusively)\b")
_ALL_BUT = re.compile(r"\b(?:every(?:one|body|thing|where)?|all)(?: \w+)? (?:but|except|other than)\b")
_PERSONS = {"he": "m", "him": "m", "his": "m", "she": "f", "her": "f", "hers": "f"}
_INTENDS = re.compile(
    r"\b(?:plan(?:s|ned|ning)?|intend(?:s|ed)?|hope[sd]?|wish(?:es)?|consider(?:s|ing)?|want(?:s|ed)?|aims?|propose[sd]?|would like) to\b"
    r"|\b(?:wants?|lacks?|wish(?:es)? for|asked? for)\b"
)
_GROUNDS = re.compile(r"[,;] (?:because|since|as|for|so)\b|; ")
"""Where a statement goes on to its reasons: what somebody wants there is no want of the claim."""
_RISING = frozenset(stem(w) for w in "increase raise longer higher larger bigger rise grow extend widen upwards faster more".split())
_FALLING = frozenset(stem(w) for w in "decrease lower shorter smaller reduce fall shrink narrow downwards slower less fewer lessen".split())
_AMOUNTS = frozenset(["more", "less", "fewer"])
_NEEDING = frozenset(["need", "needs", "needed", "lack", "lacks", "want", "wants"])
_HOLDING = frozenset(["has", "have", "had", "got"])
_PERIODS = frozenset(["day", "night", "week", "month", "quarter", "season", "year"])
"""Whose things are no part of them."""
_VAGUE_NOUNS = frozenset(
    stem(w)
    for w in "name length width height depth weight price cost size colour version date time address limit deadline value status speed "
    "fifths thirds quarters half percent temperature duration term title capacity sake number amount kind type set list group use case way process handling lot bulk rest total choice part instead".split()
)
_ARTICLES = frozenset("the a an our its their mr mrs ms".split())
LEAST_TOPIC = 0.3
LEAST_COVER = 0.6
NEARLY_ALL = 0.8
MOST_OWN = 2
"""Words of its own up to which a statement says of the whole what the other says of a part; one with more is reworded."""


def shades_apart(pair: PairFeatures) -> Iterable[str]:
    """Reasons in small words why two statements must not become one."""
    if not pair.same_script or turned_no(pair) or told_from_both_ends(pair) or told_as_deed(pair):
        return
    low, high = sorted((pair.cover_a, pair.cover_b))
    if high < LEAST_TOPIC:
        return
    if explains_turned(pair.a.folded, pair.b.folded):
        yield "one gives as the reason what the other explains by it"
    limited = _limited(pair.a), _limited(pair.b)
    if low >= NEARLY_ALL and all(limited) and limited[0] != limited[1]:
        yield "each says only of something else"
    if pair.a.only and pair.b.only and bool(_NOT_ONLY.search(pair.a.low)) != bool(_NOT_ONLY.search(pair.b.low)):
        yield "one says only, the other not only"
    if pair.a.letters and pair.b.letters and pair.a.letters != pair.b.letters:
        exchanged = sorted(pair.a.letters) == sorted(pair.b.letters)
        yield "two letters are exchanged" if exchanged else "each side has a letter of its own"
    free = is_agentless(pair.a.spoken, pair.a.tongue) and is_agentless(pair.b.spoken, pair.b.tongue)
    free = free or low >= 1 and told_from_other_end(pair)
    roles = other_roles(pair) if low >= NEARLY_ALL and not free else ""
    if low >= NEARLY_ALL and not moved_whole(pair) and not clauses_alike(pair):
        yield "the same words are paired otherwise"
    elif roles:
        yield f"the same words in other roles: {roles}"
    elif (turned := crossed(pair)) and not same_list(pair) and not told_as_list(pair):
        yield f"each goes with what the other has: {turned}"
    if low >= LEAST_COVER or high >= 1:
        yield from _likely(pair)
    opening = other_opening(pair) if high >= LEAST_COVER else ""
    if opening:
        yield opening
    yield from _turned(pair)
    if high < LEAST_COVER:
        return
    whole = _part(pair.a, pair.b, pair.only_a) if len(pair.only_b - LIGHT) <= MOST_OWN else ""
    whole = whole or (_part(pair.b, pair.a, pair.only_b) if len(pair.only_a - LIGHT) <= MOST_OWN else "")
    if whole:
        yield f"one side speaks of {whole}"


def _limited(slots: Slots) -> str:
    """What stands behind the only "only" of a statement; empty where it has none, or several."""
    if "only" not in slots.spoken:
        return ""
    cut = slots.tokens
    found = [next((u.stem for u in cut[at + 1 :] if u.is_content), "") for at, t in enumerate(cut) if t.lower == "only"]
    return found[0] if len(found) == 1 else ""


def _likely(pair: PairFeatures) -> Iterable[str]:
    left, right = pair.a.spoken, pair.b.spoken
    negated = pair.a.negations or pair.b.negations
    for mine, theirs in ((left, right), (right, left)):
        demands = not negated and not mine.isdisjoint(_DEMANDING)
        if demands and theirs & _ALLOWS - mine and not {"only"} & (mine | theirs):
            yield "one demands what the other allows"
        if demands and mine & _DEMANDS and "can" in theirs and not {"can", "only"} & mine and "only" not in theirs:
            yield "one demands what the other makes possible"
        if "will" in mine and "did" in theirs or "both" in mine and "either" in theirs:
            yield "will against did, or both against either"
        if not mine.isdisjoint(_NEEDING) and theirs & _HOLDING and not theirs & (_NEEDING | {"to"}) and not mine & _HOLDING:
            yield "one needs what the other has"
        if not mine.isdisjoint(_A_FEW) and theirs & _A_FEW and _a_few(pair.a) != _a_few(pair.b):
            yield "a few against few"
        if "only" in mine and "except" in theirs and "except" not in mine and "only" not in theirs and not negated:
            yield "one says only, the other except"
        if "only" in mine and _ALL_BUT.search((pair.b if mine is left else pair.a).low):
            yield "one says only, the other all but"
        if demands and _YOU_COULD.match((pair.b if mine is left else pair.a).low):
            yield "one demands what the other leaves to the reader"
        if "own" in mine and theirs & _IN_COMMON and "own" not in theirs:
            yield "one says that each has its own, the other that they have one"
        if not mine.isdisjoint(_HEDGES) and not theirs & _HEDGES:
            yield f"only one side says `{min(mine & _HEDGES)}`"
        if min(pair.cover_a, pair.cover_b) >= NEARLY_ALL and "or" in mine and "or" not in theirs and "and" in theirs:
            yield "one says and, the other or"
        if "unless" in mine and "if" in theirs and "if" not in mine and "unless" not in theirs and not negated:
            yield "one says if, the other unless"
    if pair.a.numbers == pair.b.numbers and said_roughly(pair.a) != said_roughly(pair.b):
        yield "only one side says about how many"
    if _persons_exchanged(pair):
        yield "who and whom are exchanged"
    plans = _is_plan(pair.a.low), _is_plan(pair.b.low)
    if plans[0] != plans[1] and not {"user", "client"} & (pair.a.content_set | pair.b.content_set):
        yield "only one side is an intention or a want"


def _persons_exchanged(pair: PairFeatures) -> bool:
    if pair.a.spoken.isdisjoint(_PERSONS) or pair.b.spoken.isdisjoint(_PERSONS):
        return False
    one, other = ([_PERSONS[t.lower] for t in slots.tokens if t.lower in _PERSONS] for slots in (pair.a, pair.b))
    return len(set(one)) > 1 and sorted(one) == sorted(other) and one != other


@lru_cache(maxsize=16_384)
def _is_plan(low: str) -> bool:
    return _INTENDS.search(_GROUNDS.split(low, maxsplit=1)[0]) is not None


def _a_few(slots: Slots) -> bool:
    return any(t.lower == "a" and u.lower in _A_FEW for t, u in zip(slots.tokens, slots.tokens[1:], strict=False))


def said_roughly(slots: Slots) -> bool:
    """A hedge right before a number: about half, roughly ten."""
    if slots.spoken.isdisjoint(ROUGHLY):
        return False
    cut = slots.tokens
    return any(
        t.lower in ROUGHLY and (u.kind == "number" or u.lower in NUMBER_WORDS or u.lower in FRACTION_WORDS)
        for t, u in zip(cut, cut[1:], strict=False)
    )


def _turned(pair: PairFeatures) -> Iterable[str]:
    """One says more where the other says less."""
    sides = pair.a, pair.b
    if all(s.content_set.isdisjoint(_RISING) and s.spoken.isdisjoint(_AMOUNTS) for s in sides):
        return
    left, right = pair.a.content_set | _small(pair.a), pair.b.content_set | _small(pair.b)
    for mine, theirs in ((left, right), (right, left)):
        up, down = mine & _RISING - theirs, theirs & _FALLING - mine
        if up and down and not mine & _FALLING and not theirs & _RISING and not (pair.a.negations or pair.b.negations):
            yield f"`{min(up)}` against `{min(down)}`"
            return


def _small(slots: Slots) -> frozenset[str]:
    return slots.spoken & _AMOUNTS


def _part(mine: Slots, theirs: Slots, extra: frozenset[str]) -> str:
    """`the owner of the mill` or `the mill's owner`, where the other side speaks of the mill itself."""
    if "of" not in mine.spoken and "'" not in mine.folded:
        return ""
    first = takewhile(lambda t: t.kind != "stop", mine.tokens)
    cut = [t for t in first if t.lower not in _ARTICLES]
    spoken = [t for t in theirs.tokens if t.kind != "stop"]
    held = {t.stem for i, t in enumerate(spoken) if not t.surface.lower().endswith("'s") or i + 1 == len(spoken)}
    for one, joint, whole in zip(cut, cut[1:], cut[2:], strict=False):
        thing = one.stem in extra and one.kind == "word" and _is_thing(one.stem)
        owned = whole.surface.lower().endswith(("'s", "s'"))  # "the logs of drivers' phones" are of the phones
        if joint.lower == "of" and thing and whole.stem in held and not owned and whole.lower not in ("every", "each"):
            return f"`{one.surface} of {whole.surface}` only"
    for whole, one in zip(cut, cut[1:], strict=False):
        thing = one.stem in extra and one.is_content and _is_thing(one.stem)
        if whole.surface.lower().endswith("'s") and thing and whole.stem in held and not _is_period(mine, whole):
            return f"`{whole.surface} {one.surface}` only"
    return ""


def _is_period(slots: Slots, whole: Token) -> bool:
    """ "The month's rent" is the rent of a month; "last month's rent" is another one than this month's."""
    before = [t.lower for t in slots.tokens[: slots.tokens.index(whole)]][-1:]
    return whole.surface.lower().removesuffix("'s") in _PERIODS and before in ([], ["the"], ["a"], ["each"], ["every"])


def _is_thing(stem_: str) -> bool:
    return stem_ not in LIGHT and stem_ not in _VAGUE_NOUNS
