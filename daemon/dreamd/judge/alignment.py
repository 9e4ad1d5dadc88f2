"""Two statements laid on each other: what both say, what only one says, and which span stands in the other's place."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise

from dreamd.judge.statement import Reading
from dreamd.text import word_classes
from dreamd.text.identifiers import is_short_for
from dreamd.text.tokens import Token

Span = tuple[str, str]
"""Words of `a` and the words of `b` that stand in their place; one may be empty."""
_ARTICLES, _IDENTITY = frozenset({"the", "a", "an"}), frozenset({"is", "are"})
JOINS = frozenset({"and", "und", "y", "et", "e", "while"})
"""Words that begin a clause beside another."""
_CLAUSE_ENDS = frozenset(",;.、。，；")
_LONGEST_ALIGNED = 400
"""Tokens up to which the order of two texts is compared."""


class Alignment:
    """What two readings share and where they part, each part read when it is first asked for."""

    def __init__(self, a: Reading, b: Reading) -> None:
        self.a, self.b = a, b

    @cached_property
    def shared(self) -> frozenset[str]:
        """Content stems of both."""
        return self.a.content_set & self.b.content_set

    @cached_property
    def only(self) -> tuple[frozenset[str], frozenset[str]]:
        """Content stems of `a` alone, and of `b` alone."""
        return self.a.content_set - self.b.content_set, self.b.content_set - self.a.content_set

    @cached_property
    def grams(self) -> float:
        """Share of equal runs of letters (Jaccard), 0 to 1: it needs no words and serves every script."""
        one, other = self.a.grams, self.b.grams
        both = len(one & other)
        return both / max(1, len(one) + len(other) - both)

    @cached_property
    def numbers(self) -> tuple[frozenset[str], frozenset[str]]:
        """Amounts, dates and times of each side that the other does not give, whatever the unit."""
        found = unmatched_numbers(self.a, self.b)
        if any(found) and not all(found):
            # "Port 6 of switch 6", "port 1 of switch 6": what one side says twice stands where the other has its own
            one, other = self.a.amounts, self.b.amounts
            again = (frozenset(k for k in other if one[k] > other[k]), frozenset(k for k in one if other[k] > one[k]))
            return found[0] or again[0], found[1] or again[1]
        return found

    @cached_property
    def fixed(self) -> tuple[frozenset[str], frozenset[str]]:
        """Identifiers of each side that the other does not mention."""
        return _unsaid(self.a.fixed - self.b.fixed, self.b), _unsaid(self.b.fixed - self.a.fixed, self.a)

    @cached_property
    def names(self) -> tuple[frozenset[str], frozenset[str]]:
        """Names of each side that the other does not have, in whatever form."""
        return _missing_names(self.a, self.b), _missing_names(self.b, self.a)

    @cached_property
    def commands(self) -> tuple[frozenset[str], frozenset[str]]:
        """Code spans of each side that the other does not say, marked or plain."""
        return _unsaid(self.a.commands, self.b), _unsaid(self.b.commands, self.a)

    @cached_property
    def quoted(self) -> tuple[frozenset[str], frozenset[str]]:
        """Quotations of each side that the other does not say."""
        return _unsaid(self.a.quoted, self.b), _unsaid(self.b.quoted, self.a)

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Where the two part, in the order of `a`: in whole words, as they stand."""
        one, other = self.a.tokens[:_LONGEST_ALIGNED], self.b.tokens[:_LONGEST_ALIGNED]
        matcher = SequenceMatcher(None, [t.stem for t in one], [t.stem for t in other], autojunk=False)
        return tuple((_words(one[i:j]), _words(other[k:n])) for kind, i, j, k, n in matcher.get_opcodes() if kind != "equal")

    @cached_property
    def _joints(self) -> tuple[dict[str, str], dict[str, str]]:
        return _joined(self.a), _joined(self.b)

    @cached_property
    def is_joined_alike(self) -> bool:
        """Whether the same small words join each shared word to the rest: a phrase may stand elsewhere, and is the same."""
        one, other = self._joints
        return all(one[stem] == other[stem] for stem in self.shared)

    @cached_property
    def is_moved_only(self) -> bool:
        """Whether both have the very same words, joined alike, and only a phrase went from one end to the other."""
        bags = [sorted(t.lower for t in side.tokens if t.kind != "stop") for side in (self.a, self.b)]
        one, other = self.a.content, self.b.content
        turned_round = len(one) == len(other) and any(one[n:] + one[:n] == other for n in range(len(one)))
        return bags[0] == bags[1] and turned_round and self.is_joined_alike and not any(self.turned)

    @cached_property
    def turned(self) -> tuple[str, str]:
        """Two shared words that stand the other way round in `b`, where both say nearly the same words; else empty.

        A phrase that moves with the word that joins it ("before each commit, run it") changes no role.
        """
        (one, other), moved = self._joints, self.is_joined_alike
        order_a = [s for s in one if s in self.shared]
        place = {s: n for n, s in enumerate(s for s in other if s in self.shared)}
        for joint in dict.fromkeys(one.values()) if moved else ("",):
            inside = [s for s in order_a if one[s] == joint] if moved else order_a
            found = next(((x, y) for x, y in pairwise(inside) if place[x] > place[y]), None)
            if found:
                return found
        return "", ""

    @cached_property
    def exchanged(self) -> tuple[str, str]:
        """Two words said in clauses of their own that have changed places with what is said of them; else empty.

        "Primer gets 6 hours, topcoat 16", "topcoat gets 6 hours, the primer 16": of four shared words each two stand in one
        clause of `a`, and each with the other two in one of `b`. However much the rest is reworded, that is another claim.
        """
        (one, denied), (other, also) = _clause_places(self.a), _clause_places(self.b)
        met = {(one[stem], other[stem]): stem for stem in one if stem in other}
        if denied is not None and also is not None:
            met.setdefault((denied, also), "not")
        for (i, k), x in met.items():
            for (j, n), y in met.items():
                if i < j and k != n and (i, n) in met and (j, k) in met:
                    return x, y
        return "", ""

    def cover(self, side: int) -> float:
        """Share of the content words of `a` (0) or `b` (1) that the other side has too."""
        mine = (self.a, self.b)[side].content_set
        return len(self.shared) / len(mine) if mine else 0.0


def _clause_places(told: Reading) -> tuple[dict[str, int], int | None]:
    """In which clause each word stands that stands in one only, and in which the one negator, if there is one."""
    found: dict[str, set[int]] = {}
    denied, clause = [], 0
    for token in told.tokens:
        if token.kind == "stop" and token.surface in _CLAUSE_ENDS or token.lower in JOINS:
            clause += 1
        elif token.lower in word_classes.NEGATORS or token.stem == "not":
            denied.append(clause)
        elif token.is_content:
            found.setdefault(token.stem, set()).add(clause)
    return {stem: min(places) for stem, places in found.items() if len(places) == 1}, denied[0] if len(denied) == 1 else None


def _joined(told: Reading) -> dict[str, str]:
    """Each content stem with the small words that join its phrase to the rest, in the order of the text."""
    found: dict[str, str] = {}
    joint, is_open = "", False
    for token in told.tokens:
        if token.is_content:
            found.setdefault(token.stem, joint)
            is_open = False
        elif token.kind == "stop" or token.lower in _IDENTITY:
            joint, is_open = "", False
        elif token.lower not in _ARTICLES:
            joint, is_open = f"{joint} {token.lower}" if is_open else token.lower, True
        elif not is_open:
            joint = ""
    return found


def _words(tokens: Sequence[Token]) -> str:
    return " ".join(t.surface for t in tokens)


def _unsaid(spans: frozenset[str], other: Reading) -> frozenset[str]:
    plain = other.low.replace("`", "")
    return frozenset(span for span in spans if span.removeprefix("version ").lower() not in plain)


def _missing_names(mine: Reading, theirs: Reading) -> frozenset[str]:
    def is_there(name: str) -> bool:
        return name in theirs.low or any(is_short_for(name, word) or is_short_for(word, name) for word in theirs.terms)

    return frozenset(name for name in mine.names - theirs.names if not is_there(name))


def unmatched_numbers(a: Reading, b: Reading) -> tuple[frozenset[str], frozenset[str]]:
    """Numbers of one side with no equal on the other; a number without unit matches the same value with one."""
    if a.numbers == b.numbers:
        return frozenset(), frozenset()
    left, right = set(a.numbers), set(b.numbers)
    both = left & right
    left -= both
    right -= both
    for key in sorted(left) if right else ():
        twin = next((k for k in sorted(right) if _same_number(key, k)), None)
        if twin:
            left.discard(key)
            right.discard(twin)
    if not (left and right):
        for mine, reading in ((left, a), (right, b)):
            mine -= {key for key in mine if _is_count_of_list(key, reading)}
    left = {k for k in left if not _spelled_in(k, b)}
    right = {k for k in right if not _spelled_in(k, a)}
    # "One" may stand for "a", but not where the other side says a number in its place: port 1 of switch 6, port 6 of switch 6.
    said = [sum(t.kind == "number" for t in reading.tokens) for reading in (a, b)]
    for mine, theirs, more in ((left, right, said[0] > said[1]), (right, left, said[1] > said[0])):
        if ":1" in mine and more and not any(k.startswith(":") for k in theirs):
            mine.discard(":1")
    return frozenset(left), frozenset(right)


def _same_number(one: str, other: str) -> bool:
    dim_a, _, value_a = one.partition(":")
    dim_b, _, value_b = other.partition(":")
    if dim_a == dim_b:  # two values of one dimension are one only where a year is left out
        return one == other or dim_a == "date" and (value_a.endswith(value_b) or value_b.endswith(value_a))
    if {dim_a, dim_b} in ({"degree", "celsius"}, {"fold", "times"}):
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
    return False


_FACTORS: dict[str, set[float]] = {}
for _dim, _factor in word_classes.UNIT_NAMES.values():
    _FACTORS.setdefault(_dim, set()).add(_factor)


def _scaled(one: str, other: str) -> bool:
    """A bare number matches a measure whose value in another unit of that dimension it is ("2 GB", "2")."""
    dim, _, value = max(one, other, key=lambda k: len(k.partition(":")[0])).partition(":")
    bare = min(one, other, key=lambda k: len(k.partition(":")[0])).partition(":")[2]
    if dim in ("", "date", "clock") or ":" in value:
        return False
    plain, measured = float(bare), float(value)
    return any(abs(plain * f - measured) < 1e-9 * max(1.0, abs(measured)) for f in _FACTORS.get(dim, ()))


def _is_count_of_list(key: str, reading: Reading) -> bool:
    """ "Three sizes: 1, 2 and 3" counts its own list."""
    dim, _, value = key.partition(":")
    if dim or "." in value or not value.isdecimal() or not 2 <= int(value) <= 12:
        return False
    commas = sum(t.surface in (",", "、", "，") for t in reading.tokens) + any(
        t.lower in ("and", "und", "y", "et", "e") for t in reading.tokens
    )
    return int(value) in (commas + 1, len(reading.numbers) - 1)


def _spelled_in(key: str, other: Reading) -> bool:
    """The digits stand somewhere in the other text inside a name (`h264`, `port:8080`)."""
    value = key.partition(":")[2]
    if len(value) < 2 or not other.fixed:
        return False
    return any(value == "".join(c for c in name if c.isdigit()) for name in other.fixed)
