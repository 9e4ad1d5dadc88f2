"""The eight guards: differences that are certain enough to forbid a merge, or to show a person where two part.

Each finds the spans by which the two statements part. Which of them forbid a merge whatever the network reads is decided
here (`vetoes`); `make judge` shows what they cost in true merges and what they keep apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dreamd.core.values import Evidence, EvidenceKind
from dreamd.judge.alignment import Alignment
from dreamd.judge.statement import Reading
from dreamd.text import word_classes

_HARD = word_classes.HARD_CONDITIONS
_NEARLY_ALL, _ALL = 0.8, 0.99
_DATED = ("date:", "clock:")
_MEASURED = re.compile(r"[a-z-]*:")
"""What stands before the value of an amount in its canonical form."""
_TIMES = frozenset({"weekday", "month", "season", "shift"})
_AUXILIARIES = frozenset({"will", "can", "must", "may", "should", "and", "had", "took", "did"})
_UNLIKE = frozenset(map(frozenset, (("all", "some"), ("all", "most"), ("some", "most"), ("none", "some"), ("none", "all"),
                                    ("none", "most"))))


@dataclass(frozen=True)
class Difference:
    """One difference: its kind, and the words of each side that show it. `both`: each side has its own."""

    kind: EvidenceKind
    a: str = ""
    b: str = ""

    @property
    def both(self) -> bool:
        """Whether each side has a word of its own there, and not one alone."""
        return bool(self.a and self.b)


def guards(pair: Alignment) -> tuple[Difference, ...]:
    """Every difference that a guard finds, at most one of a kind and form."""
    return (*_values(pair), *_entities(pair), *_qualifiers(pair), *_logic(pair))


def vetoes(pair: Alignment, found: Sequence[Difference]) -> tuple[Difference, ...]:
    """Those that forbid a merge whatever else is known: unequal values in one place, and logic between near twins.

    A negation, a quantifier or an order of words is read the same in many wordings, so it forbids only where the two say
    the same words but for one; what is said of two things and exchanged forbids always.
    """
    twins = sum(map(len, pair.only)) <= 1 and bool(pair.shared)
    return tuple(g for g in found if g.both and g.kind in _ON_VALUES or twins and _is_logic(pair, g) or _holds_in_part(pair, g)
                 or g.kind is EvidenceKind.ROLE_ORDER and any(pair.exchanged))


def differ_in_values(pair: Alignment) -> bool:
    """Whether each side has an amount, a time, a name, an identifier or a place of its own: then they are never one claim."""
    return any(g.both and g.kind in _ON_VALUES for found in (_values, _entities, _qualifiers) for g in found(pair))


def _holds_in_part(pair: Alignment, guard: Difference) -> bool:
    """One side says all that the other says, and a condition."""
    bare = 0 if guard.b else 1
    return guard.kind is EvidenceKind.CONDITION and not guard.both and pair.cover(bare) >= _ALL


def _is_logic(pair: Alignment, guard: Difference) -> bool:
    if guard.kind is EvidenceKind.ROLE_ORDER:
        return pair.a.terms == pair.b.terms
    return guard.kind in _ON_LOGIC and (guard.both or guard.kind is EvidenceKind.POLARITY)


_ON_VALUES = frozenset({EvidenceKind.QUANTITY, EvidenceKind.ENTITY, EvidenceKind.TEMPORAL, EvidenceKind.SUBJECT})
_ON_LOGIC = frozenset({EvidenceKind.POLARITY, EvidenceKind.QUANTIFIER, EvidenceKind.CONDITION})


def shown(one: Difference, pair: Alignment) -> Evidence:
    """A difference in the words of the two texts, as far as they stand there, else by where the two part."""
    a, b = _as_written(one.a, pair.a), _as_written(one.b, pair.b)
    if (a or not one.a) and (b or not one.b):
        return Evidence(one.kind, a, b)
    if one.kind in (EvidenceKind.QUANTITY, EvidenceKind.TEMPORAL):
        parted = [(x if one.a else "", y if one.b else "") for x, y in pair.spans]
        fit = [span for span in parted if all(span) is one.both and any(span)]
        return Evidence(one.kind, *next((span for span in fit if re.search(r"\d", "".join(span))), fit[0] if fit else ("", "")))
    return Evidence(one.kind, one.a, one.b)


def _as_written(keys: str, told: Reading) -> str:
    """Values, names and stems as they stand in the text; empty where one does not."""
    surfaces = {form: t.surface.strip(".,:") for t in reversed(told.tokens) for form in (t.stem, t.lower.strip(".,:"))}
    bare = [_MEASURED.sub("", key.removeprefix("version "), count=1).lower() for key in keys.split(", ") if key]
    found = dict.fromkeys(surfaces.get(key, "") for key in bare)
    return "" if "" in found else ", ".join(found)


def _values(pair: Alignment) -> Iterator[Difference]:
    """Quantities with their units; dates and times of day apart from them."""
    for kind, dated in ((EvidenceKind.QUANTITY, False), (EvidenceKind.TEMPORAL, True)):
        one, other = (sorted(k for k in keys if k.startswith(_DATED) is dated) for keys in pair.numbers)
        if one or other:
            yield Difference(kind, ", ".join(one), ", ".join(other))


def _entities(pair: Alignment) -> Iterator[Difference]:
    """Identifiers, versions, paths, code, quotations and names."""
    for one, other in (pair.fixed, pair.commands, pair.quoted, pair.names):
        if one or other:
            yield Difference(EvidenceKind.ENTITY, ", ".join(sorted(one)), ", ".join(sorted(other)))
    yield from _heads(pair)


def _heads(pair: Alignment) -> Iterator[Difference]:
    """Another doer at the head, where a capital tells nothing, of the same words: "Nina runs it", "Omar runs it"."""
    if not pair.a.tokens or not pair.b.tokens or len(pair.only[0]) != 1 or len(pair.only[1]) != 1:
        return
    one, other = pair.a.tokens[0], pair.b.tokens[0]
    if {one.stem} == pair.only[0] and {other.stem} == pair.only[1] and one.surface.istitle() and other.surface.istitle():
        told = [side.tokens[1].lower if len(side.tokens) > 1 else "" for side in (pair.a, pair.b)]
        if all(word.endswith("s") or word in _AUXILIARIES for word in told):
            yield Difference(EvidenceKind.ENTITY, one.surface, other.surface)


def _qualifiers(pair: Alignment) -> Iterator[Difference]:
    """Another environment, platform, place or day of the week."""
    mine, theirs = pair.a.qualifiers, pair.b.qualifiers
    if mine == theirs:
        return
    for family in sorted({f for f, _ in mine ^ theirs}):
        one, other = ({v for f, v in side if f == family} for side in (mine, theirs))
        if one and other and one & other:
            continue
        kind = EvidenceKind.TEMPORAL if family in _TIMES else EvidenceKind.SUBJECT
        yield Difference(kind, ", ".join(sorted(one)), ", ".join(sorted(other)))


def _logic(pair: Alignment) -> Iterator[Difference]:
    """Negation, quantifier, condition, modality, and who does what to whom."""
    a, b = pair.a, pair.b
    if a.denial.count % 2 != b.denial.count % 2:
        yield Difference(EvidenceKind.POLARITY, _denied(a), _denied(b))
    for one in sorted(a.quantifiers - b.quantifiers):
        for other in sorted(b.quantifiers - a.quantifiers):
            if frozenset((one, other)) in _UNLIKE:
                yield Difference(EvidenceKind.QUANTIFIER, one, other)
    hard = [sorted(r.conditions & _HARD) for r in (a, b)]
    if bool(hard[0]) != bool(hard[1]) and not (a.conditions and b.conditions):
        yield Difference(EvidenceKind.CONDITION, *(", ".join(h) for h in hard))
    elif a.modal and b.modal and a.modal != b.modal:
        yield Difference(EvidenceKind.CONDITION, a.modal, b.modal)
    if any(pair.exchanged):
        yield Difference(EvidenceKind.ROLE_ORDER, *pair.exchanged)
    elif min(pair.cover(0), pair.cover(1)) >= _NEARLY_ALL and any(pair.turned):
        yield Difference(EvidenceKind.ROLE_ORDER, *pair.turned)


def _denied(told: Reading) -> str:
    return ", ".join(sorted(told.denial.first)) or ("not" if told.denial.count else "")
