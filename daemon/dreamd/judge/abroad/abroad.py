"""What two statements are to each other, of which one or both are not English, by the words that a lexicon knows.

Beside the words they share it counts what each denies, counts, and says to have changed. Where too much could not be
read, nothing is decided here.
"""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dreamd.core.values import Hearing
from dreamd.judge.change.current import NEUTRAL
from dreamd.judge.change.former import former_value
from dreamd.judge.claims.amounts import of_one_kind, unmatched_numbers
from dreamd.judge.conflicts.contrary import are_contrary
from dreamd.judge.conflicts.polarity import lacks, left_out
from dreamd.judge.features import PairFeatures
from dreamd.judge.guards import listed, reasons_apart, strong_changes
from dreamd.judge.heard import Compared, Word, compare
from dreamd.judge.slots import Slots
from dreamd.text import word_classes
from dreamd.text.tokens import stem

LEAST_READ = 0.6
"""Share of a statement's words that must have been understood for anything to follow from it."""
LEAST_SHARED = 2
MUCH = 3
"""Words of its own from which the richer of two says more, however alike a score finds them."""
MOST_OWN = 1
"""Words of its own that a denial, or what it denies, may have."""
_WEEKDAYS = frozenset(stem(day) for day in "monday tuesday wednesday thursday friday saturday sunday weekend".split())
_CHANGING = frozenset(
    stem(word)
    for word in (
        "change changed move moved postpone switch switched migrate pass passed transfer shift replace become raise lower "
        "extend shorten increase reduce carry forward relocate introduce abolish rename advance convert update go up down now"
    ).split()
)
"""What a statement says of the change itself, and not of the thing."""
_MORE_OPPOSITES = (
    ("local", "foreign"),
    ("local", "abroad"),
    ("local", "imported"),
    ("shared", "isolated"),
    ("free", "chargeable"),
)
_STATES = (("run", "stop"), ("start", "stop"), ("on", "off"))
"""Opposites that tell two claims apart also where one of them is so common a word that it says little by itself."""

_OPPOSITES = frozenset(frozenset(map(stem, pair)) for pair in (*word_classes.OPPOSITES, *_MORE_OPPOSITES, *_STATES))
_OPPOSITE_STATES = frozenset(frozenset(map(stem, pair)) for pair in _STATES)


@dataclass(frozen=True, slots=True)
class Finding:
    """What follows from the comparison."""

    kind: str
    """`same`, `a richer`, `b richer`, `conflict`, `related` or `unrelated`; empty where nothing follows."""
    why: str = ""
    more: int = 0
    """How many words the richer side has of its own; a name or a day counts for several."""
    apart: bool = False
    """Each side speaks of a thing of its own."""
    parted: bool = False
    """Each side has a word of its own, whether it could be read or not."""
    bare: bool = False
    """Neither says anything that the other does not, but for a denial."""
    worded: bool = False
    """All words that both share stand on the other side themselves: no word of one meaning was found."""
    barred: bool = False
    """Whatever a score says, they are no one claim: another thing stands in the place of one, one denies or lacks what
    the other has, or names are exchanged."""


NOTHING = Finding("")


def find(pair: PairFeatures, hearing: Hearing) -> Finding:
    """What two statements are to each other by what a lexicon hears in them."""
    told = compare(pair, hearing)
    if told.read < LEAST_READ:
        return Finding("", "too little could be read")
    clash = _clash(pair, told)
    if clash:
        return Finding("conflict", clash, bare=told.same_things and not told.own_a and not told.own_b)
    barred = _is_barred(pair, told)
    alike = len(told.shared) >= LEAST_SHARED and not barred and told.denied[0] == told.denied[1]
    merged = _merge(pair, told) if alike and not any(reasons_apart(pair)) else ""
    if merged:
        why = "word by word they say the same" if merged == "same" else "word by word one says the same and more"
        more = sum(MUCH if w.is_named or _is_day(w) else 1 for w in (*told.own_a, *told.own_b))
        return Finding(merged, why, more, worded=told.worded)
    if told.topics or len(told.shared) >= LEAST_SHARED:
        both = (told.own_a, told.own_b)
        things = [[w for w in own if _is_thing(w) and not (w.is_generic and not pair.same_script)] for own in both]
        why = f"both speak of {listed(w.surface for w in told.topics or told.shared)}"
        exchanged = [len(each) for each in things] == [1, 1]
        return Finding("related", why, apart=all(things), parted=all(both), barred=barred or exchanged, worded=told.worded)
    if not told.shared:
        return Finding("unrelated", "no word in common")
    return Finding("", apart=all(any(_is_thing(w) for w in own) for own in (told.own_a, told.own_b)), barred=barred)


def _is_barred(pair: PairFeatures, told: Compared) -> bool:
    """Names are exchanged; or one denies or lacks what the other does not, and not only in what it says besides."""
    if _names_in(pair.a, told) != _names_in(pair.b, told):
        return True
    for slots, other, own in ((pair.a, pair.b, told.own_a), (pair.b, pair.a, told.own_b)):
        missing = left_out(slots) - left_out(other) - {w.surface.lower() for w in own}
        if missing and not lacks(other) and any(missing):
            return True  # it does without just what the other speaks of
    no_a, no_b = (any(said) for said in zip(told.denied_somewhere, told.lacking, strict=True))
    mine, theirs = (told.own_a, told.own_b) if no_a else (told.own_b, told.own_a)
    return no_a != no_b and (bool(theirs) or len(mine) < LEAST_SHARED)


def _merge(pair: PairFeatures, told: Compared) -> str:
    """One claim where neither side, or only one, says something in words of its own."""
    no_a, no_b = told.denied_somewhere
    own_a, own_b = told.own_a, told.own_b
    if pair.same_script:  # one language has the same words for the same thing: what differs at all may be another
        own_a, own_b = (*own_a, *told.faint_a), (*own_b, *told.faint_b)
    own = (*own_a, *own_b)
    lost = 0 if pair.same_script else MOST_OWN
    if len(own) <= lost and not any(w.meanings or w.is_named for w in own):
        return "same" if no_a == no_b else ""
    if pair.same_script and not told.worded:
        return ""
    if not own_b and no_a >= no_b:
        return "a richer"
    return "b richer" if not own_a and no_b >= no_a else ""


def _names_in(slots: Slots, told: Compared) -> list[str]:
    """The names that both have, in the order of a side: who does it to whom."""
    return [t.lower for t in slots.tokens if t.lower in told.named]


def _clash(pair: PairFeatures, told: Compared) -> str:
    """What cannot hold on both sides, where the rest of what is said is the same."""
    if not told.shared:
        return ""
    own = told.own_a, told.own_b
    changed = _tells_change(pair.a), _tells_change(pair.b)
    if changed[0] != changed[1]:
        return _ended(told, (pair.a, pair.b), own) if changed[0] else _ended(told, (pair.b, pair.a), (own[1], own[0]))
    if not own[0] and not own[1] and _other_amounts(pair.a, pair.b):
        return "other amounts"
    days = own[0] and own[1] and all(_is_day(w) for w in (*own[0], *own[1]))
    if days and told.denied_somewhere[0] == told.denied_somewhere[1]:
        return "another day"
    most = max(len(own[0]), len(own[1]))
    single = len(own[0]) == len(own[1]) == 1 and bool(told.topics)
    if len(told.shared) < LEAST_SHARED and not single:
        return ""
    if told.lacking[0] != told.lacking[1] and told.denied[0] == told.denied[1]:
        return "one does without what the other has" if not most else ""
    if told.denied_somewhere[0] != told.denied_somewhere[1]:
        return "one denies what the other says" if most <= MOST_OWN and not single else ""
    apart = None
    if single or most <= MOST_OWN + 1:
        apart = _opposed(own[0], own[1]) or _in_opposite_states((*own[0], *told.faint_a), (*own[1], *told.faint_b))
    return f"`{apart[0].surface}` against `{apart[1].surface}`" if apart else ""


def _tells_change(slots: Slots) -> bool:
    return bool(strong_changes(slots)) or any(mark in NEUTRAL for mark in slots.changes)


def _other_amounts(one: Slots, other: Slots) -> bool:
    """Each has an amount of one dimension that the other has not."""
    return of_one_kind(*unmatched_numbers(one, other))


def _ended(told: Compared, sides: tuple[Slots, Slots], own: tuple[Sequence[Word], Sequence[Word]]) -> str:
    """A change told by one side, in what the other speaks of: all of it, or all but the one value that is another now."""
    new, old = sides
    mine = [w for w in own[0] if not _is_changing(w)]
    theirs = [w for w in own[1] if not w.is_verb]
    if not theirs and not mine and _other_amounts(new, old):
        return "another amount since the change"
    if mine and theirs and all(_is_day(w) for w in (*mine, *theirs)):
        return "another day since the change"
    if not own[1] and len(told.shared) >= LEAST_SHARED and (mine or told.denied[0] != told.denied[1]):
        return "one tells of a change in all that the other says"
    if len(mine) == 1 == len(theirs) and told.topics and mine[0].is_named and theirs[0].is_named:
        return f"`{theirs[0].surface}` before, `{mine[0].surface}` now"
    former = former_value(new.folded, new.tongue)[0]
    named = bool(former) and former in old.low and any(w.surface.lower() in former for w in told.shared)
    return f"`{former}` has ended" if named and len(theirs) <= MOST_OWN else ""


def _is_day(word: Word) -> bool:
    return any(meaning <= _WEEKDAYS for meaning in word.meanings)


def _is_thing(word: Word) -> bool:
    return bool(word.meanings) and not (_is_day(word) or _is_changing(word) or word.is_verb or word.is_named)


def _is_changing(word: Word) -> bool:
    return any(meaning & _CHANGING for meaning in word.meanings)


def _opposed(mine: Iterable[Word], theirs: Sequence[Word]) -> tuple[Word, Word] | None:
    """Two words of which one may mean the opposite of the other."""
    return _first_of(mine, theirs, lambda x, y: frozenset((x, y)) in _OPPOSITES or are_contrary(x, y))


def _in_opposite_states(mine: Iterable[Word], theirs: Sequence[Word]) -> tuple[Word, Word] | None:
    """Two words of which one says that a thing runs and the other that it does not."""
    return _first_of(mine, theirs, lambda x, y: frozenset((x, y)) in _OPPOSITE_STATES)


def _first_of(mine: Iterable[Word], theirs: Sequence[Word], is_so: Callable[[str, str], bool]) -> tuple[Word, Word] | None:
    for one in mine:
        for other in theirs:
            if any(is_so(x, y) for m in one.meanings for n in other.meanings for x in m for y in n):
                return one, other
    return None
