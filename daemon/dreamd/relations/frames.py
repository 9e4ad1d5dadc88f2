"""Two sentences on one frame: where exactly they part, and whether that place is the value or the subject."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from dreamd.relations import words
from dreamd.relations.features import PairFeatures
from dreamd.relations.sequence import is_turned
from dreamd.relations.slots import VERBS, Slots
from dreamd.relations.text import Token, stem, tokens

_MANY = frozenset(
    "use support include need have require contain accept offer allow know speak also help like love own serve".split()
)
_LEFT = re.compile(r"\bfrom (.{1,40}?) (?:to|into|onto|over to|back to) ")
_LINKS = frozenset("is are was were be has have had".split())
_ONE_OF = frozenset(stem(w) for w in "port room extension channel floor pier gate platform level version".split())
"""Nouns that number the value itself behind the verb: a thing listens on one port and is in one room."""
_ONE_PLACE = frozenset("at on is are called named in".split())


@dataclass(frozen=True, slots=True)
class Frame:
    """The aligned parts that differ: token runs of `a` and `b`, and how much of the sentences is equal."""

    changes: tuple[tuple[tuple[Token, ...], tuple[Token, ...]], ...]
    equal: float
    starts: tuple[int, ...]
    """Index in `a` where each change begins."""


def align(a: Slots, b: Slots) -> Frame:
    """Align two statements word by word."""
    left = [t for t in a.tokens if t.kind != "stop"]
    right = [t for t in b.tokens if t.kind != "stop"]
    matcher = difflib.SequenceMatcher(None, [t.stem for t in left], [t.stem for t in right], autojunk=False)
    changes, starts = [], []
    for op, i, j, k, m in matcher.get_opcodes():
        if op != "equal":
            changes.append((tuple(left[i:j]), tuple(right[k:m])))
            starts.append(i)
    return Frame(tuple(changes), matcher.ratio(), tuple(starts))


def value_change(pair: PairFeatures, frame: Frame, *, strict: bool = False) -> str:
    """What changed, when the two say one thing of one subject with unequal single values; empty otherwise.

    `strict` takes numbers, days and names in a place that holds one only; otherwise any short run of words will do.
    """
    aligned = zip(frame.changes, frame.starts, strict=True)
    real = [(left, right, at) for (left, right), at in aligned if _matters(left) or _matters(right)]
    if len(real) != 1 or frame.equal < 0.6 or pair.a.imperative:
        return ""
    left, right, at = real[0]
    if not left or not right or len(left) > 4 or len(right) > 4 or (pair.qualifiers_apart and not _only_value(pair)):
        return ""
    before = [t for t in pair.a.tokens if t.kind != "stop"][:at]
    if not before or not _subject_ended(pair.a, before, left) or (_is_label(before, left) and _is_label(before, right)):
        return ""
    if any(t.stem in _MANY for t in before) and not _number(left):
        return ""
    certain = (_number(left) and _number(right)) or _named(before, left, right) or _calendar(left, right)
    return f"`{_words(left)}` against `{_words(right)}`" if certain or (not strict and _short_value(left, right)) else ""


def explicit_change(pair: PairFeatures) -> str:
    """One side repeats the other's claim as the former state: "now … instead of …", "no longer …", "from … to …"."""
    for new, old, cover in ((pair.a, pair.b, pair.cover_b), (pair.b, pair.a, pair.cover_a)):
        if not new.changes or old.changes or cover < 0.75 or old.negations or len(old.content_set) < 3:
            continue
        left = _LEFT.search(new.folded.lower())
        former = {t.stem for t in tokens(left.group(1)) if t.is_content} & old.content_set if left else set()
        denied = new.negated & old.content_set
        if former or denied and len(denied) < len(new.content_set):
            return f"`{new.changes[0]}` ends `{' '.join(sorted(former or denied))}`"
    return ""


def turned_order(pair: PairFeatures) -> str:
    """Both order the same two things, the other way round."""
    told = min(pair.cover_a, pair.cover_b) >= 0.5 and is_turned(pair.a.folded, pair.b.folded)
    return "one puts first what the other puts second" if told else ""


def denial(pair: PairFeatures, frame: Frame) -> str:
    """One side denies what the other says in nearly the same words."""
    if frame.equal < 0.7 or pair.qualifiers_apart or pair.numbers_a and pair.numbers_b:
        return ""
    rest = {t.stem for left, right in frame.changes for t in (*left, *right) if t.is_content}
    if len(rest) > 1 or not (pair.polarity_apart or pair.a.negations != pair.b.negations):
        return ""
    return (
        "one denies what the other says"
        if pair.a.negations % 2 != pair.b.negations % 2 and not (pair.a.conditions ^ pair.b.conditions)
        else ""
    )


def _matters(run: tuple[Token, ...]) -> bool:
    return any(t.is_content or t.kind == "number" or t.lower in words.NEGATORS for t in run)


def _only_value(pair: PairFeatures) -> bool:
    return all(q.startswith(("weekday", "month", "season", "shift")) for q in pair.qualifiers_apart)


def _subject_ended(slots: Slots, before: list[Token], left: tuple[Token, ...]) -> bool:
    """The change stands behind the verb, or behind the colon that stands for one."""
    if any(t.surface == ":" and t.at < left[0].at for t in slots.tokens):
        return True
    return any(t.kind == "op" or t.lower in _LINKS or (t.stem in VERBS and bool(slots.subject)) for t in before)


def _named(before: list[Token], left: tuple[Token, ...], right: tuple[Token, ...]) -> bool:
    """Two names where only one fits: "at hut Alpha", "is called north"."""
    capital = all(any(t.surface[:1].isupper() for t in run) for run in (left, right))
    return capital and any(t.lower in _ONE_PLACE for t in before[-3:])


def _calendar(left: tuple[Token, ...], right: tuple[Token, ...]) -> bool:
    days = words.QUALIFIERS["weekday"].keys() | words.QUALIFIERS["month"].keys()
    return all(any(t.lower in days for t in run) for run in (left, right))


def _is_label(before: list[Token], run: tuple[Token, ...]) -> bool:
    """`row 118`, `valve 3`: a bare number right behind a noun names a thing."""
    return (
        len(run) == 1
        and run[0].kind == "number"
        and bool(before)
        and before[-1].is_content
        and before[-1].kind == "word"
        and before[-1].stem not in VERBS
        and before[-1].stem not in _ONE_OF
    )


def _number(run: tuple[Token, ...]) -> bool:
    return any(t.kind == "number" or t.lower in words.NUMBER_WORDS for t in run)


def _short_value(left: tuple[Token, ...], right: tuple[Token, ...]) -> bool:
    return len([t for t in left if t.is_content]) <= 2 and len([t for t in right if t.is_content]) <= 2


def _words(run: tuple[Token, ...]) -> str:
    return " ".join(t.surface for t in run)
