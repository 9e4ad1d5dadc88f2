"""Two sentences on one frame: where exactly they part, and whether that place is the value or the subject."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from dreamd.relations import words
from dreamd.relations.features import PairFeatures
from dreamd.relations.slots import VERBS, Slots
from dreamd.relations.text import Token, tokens

_MANY = frozenset(
    "use support include need have require contain accept offer allow know speak also help like love own serve".split()
)
_LEFT = re.compile(r"\bfrom (.{1,40}?) (?:to|into|onto|over to|back to) ")
_LINKS = frozenset("is are was were be been being will now the a an only just".split())


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


def value_change(pair: PairFeatures, frame: Frame) -> str:
    """What changed, when the two say one thing of one subject with unequal single values; empty otherwise."""
    real = [
        (left, right, at)
        for (left, right), at in zip(frame.changes, frame.starts, strict=True)
        if _matters(left) or _matters(right)
    ]
    if len(real) != 1 or frame.equal < 0.6:
        return ""
    left, right, at = real[0]
    if not left or not right or len(left) > 4 or len(right) > 4:
        return ""
    if pair.a.imperative or pair.qualifiers_apart and not _only_value(pair):
        return ""
    before = [t for t in pair.a.tokens if t.kind != "stop"][:at]
    subject_ended = (
        any(t.stem in ("be", "have") or t.stem in _LINKS or t.kind == "op" for t in before)
        or _colon_before(pair.a, left)
        or _verb_before(pair.a, before)
    )
    if not before or not subject_ended or _is_label(before, left) and _is_label(before, right):
        return ""
    if _verb_stem(before) in _MANY and not _number(left):
        return ""
    measured = _number(left) and _number(right)
    return f"`{_words(left)}` against `{_words(right)}`" if measured or _short_value(left, right) else ""


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


def _colon_before(slots: Slots, left: tuple[Token, ...]) -> bool:
    return bool(left) and any(t.surface == ":" and t.at < left[0].at for t in slots.tokens)


def _verb_before(slots: Slots, before: list[Token]) -> bool:
    return bool(slots.subject) and any(t.stem not in slots.subject and t.is_content for t in before)


def _is_label(before: list[Token], run: tuple[Token, ...]) -> bool:
    """`row 118`, `valve 3`: a bare number right behind a noun names a thing."""
    return (
        len(run) == 1
        and run[0].kind == "number"
        and bool(before)
        and before[-1].is_content
        and before[-1].kind == "word"
        and before[-1].stem not in VERBS
    )


def _verb_stem(before: list[Token]) -> str:
    return next((t.stem for t in reversed(before) if t.stem in _MANY), "")


def _number(run: tuple[Token, ...]) -> bool:
    return any(t.kind == "number" or t.lower in words.NUMBER_WORDS for t in run)


def _short_value(left: tuple[Token, ...], right: tuple[Token, ...]) -> bool:
    return len([t for t in left if t.is_content]) <= 2 and len([t for t in right if t.is_content]) <= 2


def _words(run: tuple[Token, ...]) -> str:
    return " ".join(t.surface for t in run)
