"""What two statements share and where they part: the facts on which guards and the judge decide."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from dreamd.relations import words
from dreamd.relations.names import is_short_for
from dreamd.relations.opposites import opposed
from dreamd.relations.slots import Slots, extract_slots
from dreamd.relations.text import stem


@dataclass(frozen=True)
class Statement:
    """A text and when it was said."""

    text: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PairFeatures:
    """The features of a pair; `only_*` and `*_a`/`*_b` hold what one side has and the other does not."""

    a: Slots
    b: Slots
    similarity: float
    shared: frozenset[str]
    only_a: frozenset[str]
    only_b: frozenset[str]
    numbers_a: frozenset[str]
    numbers_b: frozenset[str]
    fixed_a: frozenset[str]
    fixed_b: frozenset[str]
    names_a: frozenset[str]
    names_b: frozenset[str]
    opposites: tuple[tuple[str, str], ...]
    qualifiers_apart: tuple[str, ...]
    qualifier_one_sided: tuple[str, ...]
    polarity_apart: frozenset[str]
    swapped: bool
    restated: bool
    """Both give the same amounts in other units or as words."""
    gap_days: float | None
    """Days from `a` to `b`; None when one time is unknown."""

    @property
    def cover_a(self) -> float:
        """Share of `a`'s content words that `b` has too."""
        return len(self.shared) / max(1, len(self.shared) + len(self.only_a))

    @property
    def cover_b(self) -> float:
        """Share of `b`'s content words that `a` has too."""
        return len(self.shared) / max(1, len(self.shared) + len(self.only_b))

    @property
    def same_script(self) -> bool:
        """True when the two are written in one language."""
        return self.a.tongue == self.b.tongue


# Asked for again at once by whoever weighs a pair before it is judged; a few dozen are enough.
@lru_cache(maxsize=128)
def pair_features(a: Statement, b: Statement, similarity: float) -> PairFeatures:
    """Compare two statements slot by slot."""
    sa, sb = extract_slots(a.text), extract_slots(b.text)
    shared, only_a, only_b = _match_stems(sa, sb)
    numbers_a, numbers_b = unmatched_numbers(sa, sb)
    fixed_a, fixed_b = _apart(sa.fixed | sa.quoted, sb.fixed | sb.quoted, sa, sb)
    names_a, names_b = _names_apart(sa, sb)
    gap = (b.at - a.at).total_seconds() / 86_400 if a.at and b.at else None
    apart, one_sided = _qualifiers(sa, sb)
    return PairFeatures(
        a=sa,
        b=sb,
        similarity=similarity,
        shared=shared,
        only_a=only_a,
        only_b=only_b,
        numbers_a=numbers_a,
        numbers_b=numbers_b,
        fixed_a=fixed_a,
        fixed_b=fixed_b,
        names_a=names_a,
        names_b=names_b,
        opposites=opposed(sa, sb),
        qualifiers_apart=apart,
        qualifier_one_sided=one_sided,
        polarity_apart=_polarity(sa, sb, shared),
        swapped=_swapped(sa, sb, shared, only_a, only_b),
        restated=bool(sa.numbers and sb.numbers) and not (numbers_a or numbers_b) and _digits(sa) != _digits(sb),
        gap_days=gap,
    )


def unmatched_numbers(a: Slots, b: Slots) -> tuple[frozenset[str], frozenset[str]]:
    """Numbers of one side with no equal on the other; a number without unit matches the same value with one."""
    left, right = set(a.numbers), set(b.numbers)
    both = left & right
    left -= both
    right -= both
    for mine, theirs in ((left, right), (right, left)):
        for key in sorted(mine):
            twin = next((k for k in sorted(theirs) if _same_number(key, k)), None)
            if twin:
                mine.discard(key)
                theirs.discard(twin)
    for mine, slots in ((left, a), (right, b)):
        mine -= {key for key in mine if _is_count_of_list(key, slots)}
    left = {k for k in left if not _spelled_in(k, b)}
    right = {k for k in right if not _spelled_in(k, a)}
    # "One" may stand for "a", but not where the other side says a number in its place: port 1 of switch 6, port 6 of switch 6.
    if ":1" in left and not any(k.startswith(":") for k in right) and _said_numbers(a) > _said_numbers(b):
        left.discard(":1")
    if ":1" in right and not any(k.startswith(":") for k in left) and _said_numbers(b) > _said_numbers(a):
        right.discard(":1")
    return frozenset(left), frozenset(right)


def _said_numbers(slots: Slots) -> int:
    return sum(t.kind == "number" for t in slots.tokens)


def _digits(slots: Slots) -> frozenset[str]:
    return frozenset(t.surface for t in slots.tokens if t.kind == "number")


def _same_number(one: str, other: str) -> bool:
    dim_a, _, value_a = one.partition(":")
    dim_b, _, value_b = other.partition(":")
    if dim_a == dim_b == "date":
        return value_a.endswith(value_b) or value_b.endswith(value_a)
    if {dim_a, dim_b} == {"degree", "celsius"}:
        return value_a == value_b
    if {dim_a, dim_b} == {"clock", ""}:
        plain = value_a if not dim_a else value_b
        clock = value_b if not dim_a else value_a
        return clock.endswith(":00") and plain in (str(int(clock[:2])), str(int(clock[:2]) % 12))
    if not dim_a or not dim_b:
        return value_a == value_b or _scaled(one, other)
    if {dim_a, dim_b} == {"freq", "every-time"}:
        return abs(float(value_a) * float(value_b) - 1) < 1e-6
    if {dim_a, dim_b} in ({"every-month", "month"}, {"every-time", "time"}):
        return value_a == value_b
    if {dim_a, dim_b} == {"time", "month"}:
        days = float(value_a if dim_a == "time" else value_b) / 86_400
        months = float(value_b if dim_a == "time" else value_a)
        return months >= 12 and months % 12 == 0 and days in (365 * months / 12, 365.25 * months / 12)
    return False


def _scaled(one: str, other: str) -> bool:
    """A bare number matches a measure whose value in another unit of that dimension it is ("2 GB", "2")."""
    dim, _, value = max(one, other, key=lambda k: len(k.partition(":")[0])).partition(":")
    bare = min(one, other, key=lambda k: len(k.partition(":")[0])).partition(":")[2]
    if dim in ("", "date", "clock") or ":" in value:
        return False
    return any(
        d == dim and abs(float(bare) * f - float(value)) < 1e-9 * max(1.0, abs(float(value)))
        for d, f in words.UNIT_NAMES.values()
    )


def _is_count_of_list(key: str, slots: Slots) -> bool:
    """ "Three sizes: 1, 2 and 3" counts its own list."""
    dim, _, value = key.partition(":")
    if dim or "." in value or not value.isdigit() or not 2 <= int(value) <= 12:
        return False
    commas = sum(t.surface in (",", "、", "，") for t in slots.tokens) + any(
        t.lower in ("and", "und", "y", "et", "e") for t in slots.tokens
    )
    return int(value) in (commas + 1, len(slots.numbers) - 1)


def _spelled_in(key: str, other: Slots) -> bool:
    """The digits stand somewhere in the other text inside a name (`h264`, `port:8080`)."""
    value = key.partition(":")[2]
    return len(value) >= 2 and any(value == "".join(c for c in name if c.isdigit()) for name in other.fixed)


def _match_stems(a: Slots, b: Slots) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    left, right = a.content_set, b.content_set
    shared = set(left & right)
    only_a, only_b = left - shared, right - shared
    ordered = sorted(only_b)
    for one in sorted(only_a):
        numeric = one in words.NUMBER_WORDS or one[:1].isdigit()
        twin = next((o for o in ordered if (numeric or o[:1] == one[:1]) and o in only_b and _same_word(one, o)), None)
        if twin:
            shared.add(one)
            only_a -= {one}
            only_b -= {twin}
    return frozenset(shared), frozenset(only_a), frozenset(only_b)


def _same_word(one: str, other: str) -> bool:
    if one.replace("-", "") == other.replace("-", ""):
        return True
    short, long = sorted((one, other), key=len)
    if len(short) >= 5 and long.startswith(short) and len(long) - len(short) <= 3 and short.isalpha() and long.isalpha():
        return not any(c.isdigit() for c in long)
    return words.NUMBER_WORDS.get(one, one) == words.NUMBER_WORDS.get(other, other) or str(
        words.NUMBER_WORDS.get(one, one)
    ) == str(words.NUMBER_WORDS.get(other, other))


def _apart(left: frozenset[str], right: frozenset[str], a: Slots, b: Slots) -> tuple[frozenset[str], frozenset[str]]:
    """Fixed names of each side that the other does not mention in any spelling."""
    return (
        frozenset(n for n in left - right if not _mentioned(n, b)),
        frozenset(n for n in right - left if not _mentioned(n, a)),
    )


def _mentioned(name: str, other: Slots) -> bool:
    bare = name.removeprefix("version ")
    flat = bare.replace("-", "").replace(".", "").replace("_", "").lower()
    low = other.folded.lower()
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


def _names_apart(a: Slots, b: Slots) -> tuple[frozenset[str], frozenset[str]]:
    def missing(mine: frozenset[str], theirs: Slots) -> frozenset[str]:
        if not mine:
            return mine
        low = theirs.folded.lower()
        found = {t.lower.strip(".,:'") for t in theirs.tokens}
        stems = {t.stem for t in theirs.tokens}
        return frozenset(
            n
            for n in mine
            if n not in found
            and n.rstrip("s") not in found
            and not set(extract_stems(n)) & stems
            and not any(
                is_short_for(n, o) or is_short_for(o, n) for o in found if o[:1] == n[:1] and len(o) > 1 and o not in words.STOP
            )
            and not (len(n) > 3 and n in low)
        )

    return missing(a.names, b), missing(b.names, a)


def extract_stems(name: str) -> tuple[str, ...]:
    """The stems a name is known by."""
    return (stem(name),)


def _qualifiers(a: Slots, b: Slots) -> tuple[tuple[str, ...], tuple[str, ...]]:
    apart: list[str] = []
    one_sided: list[str] = []
    told = {family for family, _ in a.qualifiers | b.qualifiers}
    for family in (f for f in words.QUALIFIERS if f in told):
        left = {v for f, v in a.qualifiers if f == family}
        right = {v for f, v in b.qualifiers if f == family}
        head = {v for f, v in a.head_qualifiers if f == family} - right | {
            v for f, v in b.head_qualifiers if f == family
        } - left
        if left - right and right - left:
            apart.append(f"{family}: {', '.join(sorted(left - right))} against {', '.join(sorted(right - left))}")
        elif head and family not in words.LOOSE_FAMILIES:
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
    return bool(denying.conditions & {"unless", "until"}) and any(t.lower in _BOUNDS for t in plain.tokens)


_BOUNDS = frozenset(
    ["before", "after", "once", "only", "when", "if", "until", "unless", "as", "first", "then", "without", "must", "always"]
    + ["every", "each", "all"]
)


def denies_softly(slots: Slots, other: Slots) -> bool:
    """Wording of its own that denies without a negator: "free of", "instead of", "only … after", "formerly"."""
    low, theirs = slots.folded.lower(), other.folded.lower()
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
        )
    )


def _swapped(a: Slots, b: Slots, shared: frozenset[str], only_a: frozenset[str], only_b: frozenset[str]) -> bool:
    """Who and whom exchanged around the same verb, in the same voice; or kept in place while the voice turned."""
    if a.content == b.content and len(a.content) >= 3 and _has_by(a) != _has_by(b) and a.has_be != b.has_be:
        return True
    if not a.subject or not b.subject:
        return False
    holding = _holding(a, b)
    if (a.verb != b.verb or len(shared) < 3) and not holding:
        return False
    after_a, after_b = a.content_set - a.subject, b.content_set - b.subject
    if not holding:
        after_a, after_b = after_a - {a.verb}, after_b - {b.verb}
    exchanged = bool(a.subject & after_b & shared) and bool(b.subject & after_a & shared)
    if a.passive == b.passive:
        return exchanged
    kept = bool(a.subject & b.subject) and bool(after_a & after_b)
    return kept and not exchanged and _has_by(a) != _has_by(b) and len(only_a) <= 1 and len(only_b) <= 1


def _holding(a: Slots, b: Slots) -> bool:
    """Both say who has or needs what, with nothing but the things themselves to tell them apart."""
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
