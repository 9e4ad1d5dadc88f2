"""What two statements share and where they part: the facts on which guards and the judge decide."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from dreamd.judge.abroad.turns_abroad import is_agentless
from dreamd.judge.claims.amounts import unmatched_numbers
from dreamd.judge.conflicts.opposites import opposed
from dreamd.judge.lazily import lazily
from dreamd.judge.slots import Slots, extract_slots
from dreamd.text import word_classes
from dreamd.text.identifiers import is_short_for
from dreamd.text.tokens import stem


class Statement(NamedTuple):
    """A text and when it was said."""

    text: str
    at: datetime | None = None


class PairFeatures:
    """The features of a pair, each read when it is first asked for.

    `only_*` and `*_a`/`*_b` hold what one side has and the other does not.
    """

    def __init__(self, a: Statement, b: Statement, similarity: float) -> None:
        self.a = extract_slots(a.text)
        self.b = extract_slots(b.text)
        self.similarity = similarity
        self.gap_days = (b.at - a.at).total_seconds() / 86_400 if a.at and b.at else None
        """Days from `a` to `b`; None when one time is unknown."""
        self.shared, self.only_a, self.only_b = _match_stems(self.a, self.b)
        """Content words of both, of `a` alone, and of `b` alone: every pair is asked for them."""
        self.cover_a = len(self.shared) / max(1, len(self.shared) + len(self.only_a))
        """Share of `a`'s content words that `b` has too."""
        self.cover_b = len(self.shared) / max(1, len(self.shared) + len(self.only_b))
        """Share of `b`'s content words that `a` has too."""
        self.same_script = self.a.tongue == self.b.tongue
        """True when the two are written in one language."""
        self.in_english = self.same_script and self.a.tongue == "en"
        """True when both are English."""

    @lazily
    def _numbers(self) -> tuple[frozenset[str], frozenset[str]]:
        return unmatched_numbers(self.a, self.b)

    @lazily
    def numbers_a(self) -> frozenset[str]:
        """Numbers of `a` with no equal in `b`."""
        return self._numbers[0]

    @lazily
    def numbers_b(self) -> frozenset[str]:
        """Numbers of `b` with no equal in `a`."""
        return self._numbers[1]

    @lazily
    def fixed_a(self) -> frozenset[str]:
        """Fixed names and quotations of `a` that `b` does not mention."""
        return _unmentioned(self.a, self.b)

    @lazily
    def fixed_b(self) -> frozenset[str]:
        """Fixed names and quotations of `b` that `a` does not mention."""
        return _unmentioned(self.b, self.a)

    @lazily
    def names_a(self) -> frozenset[str]:
        """Proper names of `a` that `b` does not have, in whatever form."""
        return _missing_names(self.a.names, self.b)

    @lazily
    def names_b(self) -> frozenset[str]:
        """Proper names of `b` that `a` does not have, in whatever form."""
        return _missing_names(self.b.names, self.a)

    @lazily
    def opposites(self) -> tuple[tuple[str, str], ...]:
        """Words of which one side says the opposite."""
        return opposed(self.a, self.b, self.shared)

    @lazily
    def _qualifiers(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return _qualifiers(self.a, self.b)

    @lazily
    def qualifiers_apart(self) -> tuple[str, ...]:
        """Families of which each side has another member."""
        return self._qualifiers[0]

    @lazily
    def qualifier_one_sided(self) -> tuple[str, ...]:
        """Families of which one side alone has a member."""
        return self._qualifiers[1]

    @lazily
    def polarity_apart(self) -> frozenset[str]:
        """Shared words that one side denies and the other asserts."""
        return _polarity(self.a, self.b, self.shared)

    @lazily
    def swapped(self) -> bool:
        """Whether who and whom are exchanged."""
        return _swapped(self)

    @lazily
    def restated(self) -> bool:
        """Both give the same amounts in other units or as words."""
        both = bool(self.a.numbers and self.b.numbers) and not (self.numbers_a or self.numbers_b)
        return both and _digits(self.a) != _digits(self.b)



# Asked for again at once by whoever weighs a pair before it is judged; a few dozen are enough.
@lru_cache(maxsize=128)
def pair_features(a: Statement, b: Statement, similarity: float) -> PairFeatures:
    """Compare two statements slot by slot."""
    return PairFeatures(a, b, similarity)


def _digits(slots: Slots) -> frozenset[str]:
    return frozenset(t.surface for t in slots.tokens if t.kind == "number")


def _match_stems(a: Slots, b: Slots) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    left, right = a.content_set, b.content_set
    shared = set(left & right)
    only_a, only_b = left - shared, right - shared
    if not only_a or not only_b:
        return frozenset(shared), only_a, only_b
    ordered = sorted(only_b)
    firsts: dict[str, list[str]] = {}
    for word in ordered:
        firsts.setdefault(word[:1], []).append(word)
    for one in sorted(only_a):
        numeric = one in word_classes.NUMBER_WORDS or one[:1].isdigit()
        likely = ordered if numeric else firsts.get(one[:1], ())
        twin = next((o for o in likely if o in only_b and _same_word(one, o)), None)
        if twin:
            shared.add(one)
            only_a -= {one}
            only_b -= {twin}
    return frozenset(shared), frozenset(only_a), frozenset(only_b)


@lru_cache(maxsize=65_536)  # a statement meets a dozen others, and most of them say it in words that come again
def _same_word(one: str, other: str) -> bool:
    if ("-" in one or "-" in other) and one.replace("-", "") == other.replace("-", ""):
        return True
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    root = short.removesuffix("e")
    plain = short.replace("-", "").isalpha() and long.replace("-", "").isalpha()
    if len(root) >= 5 and len(long) - len(short) <= 3 and long.startswith(root) and plain:
        return not any(c.isdigit() for c in long)
    mine, theirs = word_classes.NUMBER_WORDS.get(one, one), word_classes.NUMBER_WORDS.get(other, other)
    return mine == theirs or str(mine) == str(theirs)


def _unmentioned(mine: Slots, other: Slots) -> frozenset[str]:
    """Fixed names and quotations of one side that the other does not mention in any spelling."""
    own = mine.fixed | mine.quoted
    return frozenset(n for n in own - other.fixed - other.quoted if not _mentioned(n, other)) if own else own


def _mentioned(name: str, other: Slots) -> bool:
    bare = name.removeprefix("version ")
    flat = bare.replace("-", "").replace(".", "").replace("_", "").lower()
    low = other.low
    root = stem(bare.lower())
    said = any(bare.lower() == t.lower.strip(".,:") or root == t.stem for t in other.tokens)
    if said or (not bare.isascii() and bare in low):
        return True
    return (
        len(flat) > 3
        and not flat.isdigit()
        and flat in low.replace("-", "").replace(".", "").replace("_", "").replace(" ", "")
        and not any(c.isdigit() for c in flat[-1:])
    )


def _missing_names(mine: frozenset[str], theirs: Slots) -> frozenset[str]:
    if not mine:
        return mine
    found = theirs.plain_words
    return frozenset(
        n
        for n in mine
        if n not in found
        and n.rstrip("s") not in found
        and not set(extract_stems(n)) & theirs.stems
        and not any(
            is_short_for(n, o) or is_short_for(o, n)
            for o in found if o[:1] == n[:1] and len(o) > 1 and o not in word_classes.STOP
        )
        and not (len(n) > 3 and n in theirs.low)
    )


def extract_stems(name: str) -> tuple[str, ...]:
    """The stems a name is known by."""
    return (stem(name),)


def _qualifiers(a: Slots, b: Slots) -> tuple[tuple[str, ...], tuple[str, ...]]:
    apart: list[str] = []
    one_sided: list[str] = []
    if not a.qualifiers and not b.qualifiers:
        return (), ()
    told = {family for family, _ in a.qualifiers | b.qualifiers}
    for family in (f for f in word_classes.QUALIFIERS if f in told):
        left = {v for f, v in a.qualifiers if f == family}
        right = {v for f, v in b.qualifiers if f == family}
        head = {v for f, v in a.head_qualifiers if f == family} - right | {
            v for f, v in b.head_qualifiers if f == family
        } - left
        if left - right and right - left:
            apart.append(f"{family}: {', '.join(sorted(left - right))} against {', '.join(sorted(right - left))}")
        elif head and family not in word_classes.LOOSE_FAMILIES:
            one_sided.append(f"{family}: {', '.join(sorted(head))}")
    return tuple(apart), tuple(one_sided)


def _polarity(a: Slots, b: Slots, shared: frozenset[str]) -> frozenset[str]:
    """Shared words that one side denies and the other, which denies nothing at all, asserts."""
    if bool(a.negations) == bool(b.negations):
        if bool(a.head_negations) == bool(b.head_negations):
            return frozenset()
        denying, plain = (a, b) if a.head_negations else (b, a)
        elsewhere = denies_softly(plain, denying) or plain.only or is_bounded(denying, plain)
        return frozenset() if elsewhere or plain.denied & denying.denied else denying.head_negated & shared - plain.negated
    denying, plain = (a, b) if a.negations else (b, a)
    if denies_softly(plain, denying) or denying.negations > 1 or plain.only or is_bounded(denying, plain):
        return frozenset()
    return denying.negated & shared


def is_bounded(denying: Slots, plain: Slots) -> bool:
    """ "Not until x" beside "only after x": a denial with a bound, and a bound without a denial."""
    bounds = denying.conditions & {"unless", "until"}
    return bool(bounds - plain.conditions) and any(t.lower in _BOUNDS for t in plain.tokens)


_BOUNDS = frozenset(
    ["before", "after", "once", "only", "when", "if", "until", "unless", "as", "first", "then", "without", "must", "always"]
    + ["every", "each", "all"]
)


def denies_softly(slots: Slots, other: Slots) -> bool:
    """Wording of its own that denies without a negator: "free of", "instead of", "only … after", "formerly"."""
    low, theirs = slots.low, other.low
    return any(
        w in low and w not in theirs
        for w in (
            "free of",
            "instead of",
            "rather than",
            "formerly",
            "stays out",
            "stay out",
            "keep out",
            "kept out",
            "off ",
            "out of",
            "leave out",
            "only after",
            "only once",
            "only when",
            "only if",
            "abolish",
            "stopped",
            "withdrawn",
            "gone",
            " fail",
            "reject",
            "refus",
            "exclud",
            "waive",
            "exempt",
            "unable",
            "impossible",
            "drop",
            "lack",
            "miss",
            "stop",
            "skip",
            "ignor",
            " hate",
            "dislik",
            "detest",
            "annoy",
        )
    )


def _swapped(pair: PairFeatures) -> bool:
    """Who and whom exchanged around the same verb, in the same voice; or kept in place while the voice turned."""
    a, b = pair.a, pair.b
    if is_agentless(a.spoken, a.tongue) and is_agentless(b.spoken, b.tongue):
        return False
    if a.content == b.content and len(a.content) >= 3 and _has_by(a) != _has_by(b) and a.has_be != b.has_be:
        return True
    if not a.subject or not b.subject or is_cleft(a) != is_cleft(b):
        return False
    holding = _holding(a, b)
    if (a.verb != b.verb or len(pair.shared) < 3) and not holding:
        return False
    after_a, after_b = a.content_set - a.subject, b.content_set - b.subject
    if not holding:
        after_a, after_b = after_a - {a.verb}, after_b - {b.verb}
    exchanged = bool(a.subject & after_b & pair.shared) and bool(b.subject & after_a & pair.shared)
    if a.passive == b.passive:
        return exchanged
    kept = bool(a.subject & b.subject) and bool(after_a & after_b)
    return kept and not exchanged and _has_by(a) != _has_by(b) and len(pair.only_a) <= 1 and len(pair.only_b) <= 1


_CLEFT = re.compile(r"\b(?:is|are|was|were) what\b|^what\b[^?]*\b(?:is|are|was|were)\b")
"""Six gigabytes "is what the job needs"."""


def is_cleft(slots: Slots) -> bool:
    """Whether it puts first what others tell last."""
    return _CLEFT.search(slots.low) is not None


def _holding(a: Slots, b: Slots) -> bool:
    """Both say who has or needs what, with nothing but the things themselves to tell them apart."""
    if a.spoken.isdisjoint(_HAVING) or b.spoken.isdisjoint(_HAVING):
        return False
    first = [next((t.lower for t in slots.tokens if t.lower in _HAVING), "") for slots in (a, b)]
    return bool(first[0]) and first[0] == first[1] and not a.subject & b.subject


_HAVING = frozenset(["has", "have", "had", "needs", "need", "gets", "get"])


def inversions(a: Slots, b: Slots, shared: frozenset[str]) -> list[tuple[str, str]]:
    """Neighbouring shared words of one clause of `a` that stand the other way round in one clause of `b`."""
    found = []
    for clause in a.clauses:
        kept = [s for s in clause if s in shared]
        for one, other in zip(kept, kept[1:], strict=False):
            for theirs in b.clauses:
                if one in theirs and other in theirs and theirs.index(other) < theirs.index(one):
                    found.append((one, other))
    return found


def _has_by(slots: Slots) -> bool:
    return any(t.lower in ("by", "durch", "von", "por", "par") for t in slots.tokens)
