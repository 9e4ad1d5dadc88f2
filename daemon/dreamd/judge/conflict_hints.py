"""Signs of a conflict that are not enough by themselves: where a trained score finds the conflict, too, they confirm it.

A statement meets hundreds of others about its own subject, so a sign counts only where nothing in the wording speaks for
two things side by side: a special case beside a general denial, two objects of one verb, two places, two predicates.
"""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re
from collections.abc import Sequence

from dreamd.judge.change.current import NEUTRAL, current
from dreamd.judge.change.kin import has_akin
from dreamd.judge.claims.amounts import of_one_kind
from dreamd.judge.claims.causes import other_cause
from dreamd.judge.claims.runs import is_amount
from dreamd.judge.claims.sameness import narrowing, says_too, turned_no
from dreamd.judge.conflicts.clashes import BOTH_WAYS, LONGEST_SIGN
from dreamd.judge.conflicts.frames import Frame, Part, align, told_changes, value_change
from dreamd.judge.conflicts.structure import ROUGHLY, order_from_both_ends
from dreamd.judge.features import PairFeatures, denies_softly, is_bounded
from dreamd.judge.guards import UNSPACED, is_number, narrowed, permission, strong_changes
from dreamd.judge.slots import Slots
from dreamd.text.markers import ATTRIBUTES, EXCLUSIVE, LIGHT, LINKS, VERBS
from dreamd.text.quantities import dimension
from dreamd.text.tokens import Token, stem
from dreamd.text.word_classes import HARD_CONDITIONS, NEGATORS, NUMBER_WORDS, UNIT_NAMES

_PLACES = frozenset("in on at to from into onto under over with by for of through via as behind front outside near".split())
_MORE = frozenset(["and", "or", "also"])
"""Behind these stands one more thing that a statement says."""
_POSSESSING = frozenset("the a an our their his her its my your this that".split())
_CASES = HARD_CONDITIONS | {"when", "whenever", "during", "while"}
_IN_ORDER = frozenset("before after ahead behind above below over under earlier later more less".split())
_SEVERAL = frozenset(["support", "includ"])
"""Verbs of which a thing may have several numbers: the versions it supports."""
_WHOLE = re.compile(r"\b(?:all|every|whole|entire|single|our (?:one|only)|no other|nowhere else|none|each)\b")
"""What speaks of the whole of a thing leaves as little room beside it as "only" does."""
UNREAL = re.compile(r"\b(?:would|could|should|might) have\b")
_TWICE_NO = re.compile(r"\bnot (?:un|in|im|dis)[a-z]{4,}")


OTHER_AMOUNTS = "other amounts"
OTHER_DAY = "another day"
OTHER_VALUES = frozenset([OTHER_AMOUNTS, OTHER_DAY])


def hinted_clash(pair: PairFeatures, frame: Frame) -> str:
    """A conflict that the wording lets one see, though something else would have to confirm it."""
    if other_cause(pair):
        return "another cause"
    if not pair.same_script:
        return _hinted_abroad(pair)
    value = value_change(pair, frame)
    if value and not _one_of_many(frame, frame.parts[0]):
        return value
    alone = [bool(EXCLUSIVE.search(slots.low)) for slots in (pair.a, pair.b)]
    whole = all(shut or _WHOLE.search(slots.low) for shut, slots in zip(alone, (pair.a, pair.b), strict=True))
    named = pair.in_english and bool(pair.names_a and pair.names_b) and all(_WHOLE.search(s.low) for s in (pair.a, pair.b))
    only = (pair.only_a or pair.only_b) and (any(alone) and whole or named)
    if only and _one_subject(pair):
        return "each leaves room for nothing else"
    if max(pair.cover_a, pair.cover_b) < 0.5 or len(pair.shared) < 2 or turned_no(pair):
        return ""
    told = _denied(pair) or _barred(pair) or _opposed(pair) or _other_amounts(pair) or _other_version(pair)
    return told or _other_unit(pair) or _changed(pair)


def _one_of_many(frame: Frame, part: Part) -> bool:
    """The place may well hold both: two objects of one verb, two cases, two places, measures of two kinds."""
    if is_amount(part.left) and is_amount(part.right):
        return False
    dims = [{UNIT_NAMES[t.lower][0] for t in run if t.lower in UNIT_NAMES} for run in (part.left, part.right)]
    if dims[0] and dims[1] and not dims[0] & dims[1]:
        return True
    ahead = frame.a.every[: part.left_at], frame.b.every[: part.right_at]
    if _says_how_many(part.left) != _says_how_many(part.right) or all(_joint(run, LINKS) in _MORE for run in ahead):
        return True
    joints = [_joint(run) for run in ahead]
    if joints[0] != joints[1] and all(joint in _PLACES for joint in joints):
        return True
    placed = [all(t.lower in _PLACES for t in run) for run in (part.left, part.right)]
    if placed[0] != placed[1] or any(t.lower in _CASES for t in ahead[0]):
        return True
    plain = all(t.kind == "word" and t.surface.islower() and t.is_content for t in (*part.left, *part.right))
    whose = not part.last and all(run and run[-1].lower == "the" for run in ahead)
    return plain and (whose or _is_object(ahead[0]) and _is_object(ahead[1]))


def _says_how_many(run: Sequence[Token]) -> bool:
    return any(t.kind == "number" or t.lower in NUMBER_WORDS for t in run)


def _joint(ahead: Sequence[Token], small: frozenset[str] = frozenset()) -> str:
    return next((t.lower for t in reversed(ahead) if t.lower not in _POSSESSING | small), "")


def _is_object(ahead: Sequence[Token]) -> bool:
    """A noun with its article right behind a verb that does something: "feeds the cat", and not "is the lead"."""
    if not ahead or ahead[-1].lower not in _POSSESSING:
        return False
    verb = next((t for t in reversed(ahead) if t.lower not in _POSSESSING), ahead[-1])
    return verb.stem in VERBS and verb.lower not in LINKS


def _one_subject(pair: PairFeatures) -> bool:
    """What one speaks about stands in the other, too."""
    known = ((pair.a.subject, pair.b), (pair.b.subject, pair.a))
    done = pair.a if pair.a.passive else pair.b
    same_deed = pair.a.passive != pair.b.passive and done.verb in pair.shared and bool(done.subject & pair.shared)
    return same_deed or bool(pair.shared) and any(subject and subject <= slots.content_set for subject, slots in known)


def _own(pair: PairFeatures) -> tuple[frozenset[str], frozenset[str]]:
    """Words of weight that only one side says."""
    spared = LIGHT | VERBS | pair.a.denied | pair.b.denied
    return pair.only_a - spared, pair.only_b - spared


def _denied(pair: PairFeatures) -> str:
    """One denies what the other says, and neither speaks of a case, a place or a thing of its own."""
    if not pair.polarity_apart and (
        pair.a.head_negations % 2 == pair.b.head_negations % 2 or pair.a.negations % 2 == pair.b.negations % 2
    ):
        return ""
    denying, plain = (pair.a, pair.b) if pair.a.head_negations > pair.b.head_negations else (pair.b, pair.a)
    low = f"{denying.folded} {plain.folded}".lower()
    if UNREAL.search(low) or _TWICE_NO.search(low) or says_too(denying, plain):
        return ""
    if denies_softly(plain, denying) or is_bounded(denying, plain):
        return ""
    if pair.a.tongue == "en":
        own = _own(pair)[0 if plain is pair.a else 1]
        if own and narrowing(denying, plain) - LIGHT - VERBS - denying.denied and not EXCLUSIVE.search(low):
            return ""
        if _special(plain, denying) or _predicates_apart(plain, denying, pair.shared):
            return ""
    return "one denies what the other says"


def _barred(pair: PairFeatures) -> str:
    """One allows what the other bars: "may edit" beside "is locked for"."""
    return "one allows what the other bars" if permission(pair.a) * permission(pair.b) < 0 else ""


def _special(plain: Slots, denying: Slots) -> bool:
    """ "Columns in the archive need a default" beside "columns need none": what holds of some is no end of the rule."""
    own = frozenset(s for s in plain.subject - denying.content_set - LIGHT if not is_number(s) and s not in ROUGHLY)
    return bool(own and plain.subject & denying.content_set and plain.passive == denying.passive)


def _predicates_apart(plain: Slots, denying: Slots, shared: frozenset[str]) -> bool:
    """All they share is the subject: what is denied and what is said have nothing in common."""
    bans = denying.imperative and plain.modal == "may"
    return bool(plain.subject) and shared <= plain.subject and not denying.denied & plain.content_set and not bans


def _opposed(pair: PairFeatures) -> str:
    """One says the opposite of a word of the other, with nothing else of its own on either side."""
    if not pair.opposites or any(frozenset(each) in BOTH_WAYS for each in pair.opposites):
        return ""
    told = {stem for opposed in pair.opposites for stem in opposed}
    mine, theirs = _own(pair)
    beside = mine - told and theirs - told and pair.a.tongue == "en"
    placed = not told.isdisjoint(_IN_ORDER)
    exchanged = pair.a.subject and pair.b.subject and not pair.a.subject & pair.b.subject and pair.a.passive == pair.b.passive
    alike = placed and exchanged or order_from_both_ends(pair)
    return "" if beside or alike else "`{}` against `{}`".format(*pair.opposites[0])


def _other_amounts(pair: PairFeatures) -> str:
    dims = [{dimension(key) for key in numbers} for numbers in (pair.numbers_a, pair.numbers_b)]
    two_things = len(dims[0]) > 1 and len(dims[1]) > 1 and "every-time" in dims[0] & dims[1]
    narrower = narrowed(pair.a, pair.b, pair.only_a) or narrowed(pair.b, pair.a, pair.only_b)
    beside = two_things or narrower or {pair.a.verb, pair.b.verb} & _SEVERAL or _parts_of_one(pair)
    if dims[0] & dims[1] == {""} and (_counted_apart(pair) or _things_apart(pair)):
        return ""
    return OTHER_AMOUNTS if dims[0] & dims[1] and not beside else ""


def _things_apart(pair: PairFeatures) -> bool:
    """Each has a noun of its own beside a bare number: "1.6 manages the data stack", "1.5 manages the network stack"."""
    mine, theirs = ({word for word in own if not is_number(word)} for own in _own(pair))
    named = {word for word in mine if not has_akin(word, theirs)}, {word for word in theirs if not has_akin(word, mine)}
    return pair.in_english and all(named) and not (pair.a.changes or pair.b.changes)


def _counted_apart(pair: PairFeatures) -> bool:
    """Two bare numbers of which neither stands beside anything that both say: "takes thirty children", "leaves at seven"."""
    if not pair.in_english or pair.a.verb == pair.b.verb:
        return False
    near = [_beside_number(slots) for slots in (pair.a, pair.b)]
    return bool(near[0]) and bool(near[1]) and not near[0] & pair.shared and not near[1] & pair.shared


def _beside_number(slots: Slots) -> frozenset[str]:
    """The content words right before and behind the numbers of a statement."""
    told = [t for t in slots.tokens if t.is_content]
    at = [i for i, t in enumerate(told) if is_number(t.stem)]
    return frozenset(told[n].stem for i in at for n in (i - 1, i + 1) if 0 <= n < len(told) and n not in at)


def _other_version(pair: PairFeatures) -> str:
    """Two versions of what both speak of, with nothing else that tells two things apart."""
    if len(pair.fixed_a) != 1 or len(pair.fixed_b) != 1 or pair.names_a and pair.names_b or pair.numbers_a or pair.numbers_b:
        return ""
    (one,), (other,) = pair.fixed_a, pair.fixed_b
    versions = one.startswith("version ") and other.startswith("version ")
    own = (pair.only_a - LIGHT - VERBS, pair.only_b - LIGHT - VERBS)
    beside = all(len(words) > 1 for words in own) or {pair.a.verb, pair.b.verb} & _SEVERAL or _FITS.search(pair.a.low)
    return "another version" if versions and not beside else ""


_FITS = re.compile(r"\b(?:works? (?:well )?with|compatible|tested (?:with|on|against)|since|until|before|after|from)\b")


def _other_unit(pair: PairFeatures) -> str:
    """Each tells the unit in which a thing is given, one dimension and no number."""
    told = [[t.lower for t in s.tokens if len(t.lower) > LONGEST_SIGN and t.lower in UNIT_NAMES] for s in (pair.a, pair.b)]
    if len(told[0]) != 1 or len(told[1]) != 1 or pair.a.numbers or pair.b.numbers:
        return ""
    one, other = (UNIT_NAMES[side[0]] for side in told)
    lost = min(len(pair.only_a - {stem(told[0][0])} - LIGHT), len(pair.only_b - {stem(told[1][0])} - LIGHT))
    alike = _MEASURE_OF.get(one[0], one[0]) == _MEASURE_OF.get(other[0], other[0]) and one != other
    return f"in {told[0][0]} against in {told[1][0]}" if alike and lost <= 1 else ""


_MEASURE_OF = {
    **dict.fromkeys(("lb", "oz"), "mass"),
    **dict.fromkeys(("feet", "inch", "mile"), "length"),
    **dict.fromkeys(("fahrenheit", "kelvin"), "celsius"),
    "mph": "speed",
}
"""What units of other countries measure, which are not converted."""


def _parts_of_one(pair: PairFeatures) -> bool:
    """One subject has a word more ("the Go linter" beside "the Go version"): a part, or a neighbour, of the other's."""
    if not pair.a.subject & pair.b.subject or pair.a.tongue != "en" or pair.a.passive != pair.b.passive:
        return False
    mine, theirs = (frozenset(slots.subject) - other.content_set for slots, other in ((pair.a, pair.b), (pair.b, pair.a)))
    return any(not is_number(stem) for stem in (mine | theirs) - ATTRIBUTES - LIGHT - VERBS - NEGATORS)


def _changed(pair: PairFeatures) -> str:
    """One tells of a change in what the other speaks of, and of something that the other does not say already."""
    for new, old, cover in ((pair.a, pair.b, pair.cover_b), (pair.b, pair.a, pair.cover_a)):
        told = told_changes(new) or any(c.endswith("again") for c in new.changes)
        cover = _share_told(pair, old) if new.tongue in UNSPACED else cover
        if not told or old.changes or not (cover >= 0.6 or old.subject and old.subject <= new.content_set):
            continue
        only_subject = new.subject and old.subject and pair.shared <= new.subject & old.subject
        if new.tongue == "en" and not strong_changes(new) and (only_subject or _parts_of_one(pair)):
            continue
        if new.head_negations % 2 and old.head_negations % 2:
            continue  # what is denied altogether now was denied in part before
        if current(new.text).stems - LIGHT <= old.content_set and not new.negations:
            continue
        return "one tells of a change"
    return ""


def _share_told(pair: PairFeatures, old: Slots) -> float:
    """How much of the older claim the newer one repeats, character by character where words are not told apart."""
    frame = align(pair.a, pair.b)
    size = len(frame.a.told if old is pair.a else frame.b.told)
    return frame.equal * (len(frame.a.told) + len(frame.b.told)) / 2 / max(1, size)


def _hinted_abroad(pair: PairFeatures) -> str:
    """Between two languages only numbers, days, denials and words of change can be compared."""
    if pair.numbers_a and pair.numbers_b and of_one_kind(pair.numbers_a, pair.numbers_b):
        return OTHER_AMOUNTS
    if any(apart.startswith("weekday") for apart in pair.qualifiers_apart):
        return OTHER_DAY
    if bool(strong_changes(pair.a)) != bool(strong_changes(pair.b)):
        return "one tells of a change"
    if bool(_says_now(pair.a)) != bool(_says_now(pair.b)):
        return "one says that it is so now"
    return "one denies what the other says" if bool(pair.a.head_negations) != bool(pair.b.head_negations) else ""


def _says_now(slots: Slots) -> bool:
    return any(mark in NEUTRAL and mark not in _AGAIN for mark in slots.changes)


_AGAIN = frozenset(["again", "wieder", "부터"])
