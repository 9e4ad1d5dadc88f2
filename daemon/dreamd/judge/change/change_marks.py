"""The words by which a statement says itself that something has changed."""

from __future__ import annotations

import re

from dreamd.judge.abroad import shifts
from dreamd.judge.abroad.alternatives import by_first_letter
from dreamd.text import word_classes

_CHANGE = re.compile(
    r"\b(?:" + by_first_letter(p.removeprefix(r"\b") for p in word_classes.CHANGE if p.startswith(r"\b")) + ")")
_CHANGE_CJK = re.compile("|".join((*(p for p in word_classes.CHANGE if not p.startswith(r"\b")), *shifts.CJK_MARKERS)))
_CHANGE_ABROAD = {tongue: re.compile(rf"\b(?:{'|'.join(told)})") for tongue, told in shifts.MARKERS.items()}
_IN_CONDITION = re.compile(
    r"\b(?:once|when|whenever|after|if|until|till|unless|as soon as|before|sobald|wenn|cuando|quando|quand)\b[^,.;:]*$"
)
_BEFORE_A_NOUN = re.compile(r"\b(?:an?|each|every|any|no|some|the|its|our|their) $")
"""Behind these a participle tells what a thing is like, not what became of it: "for a changed query"."""
_TAKES_PLACE = re.compile(r"\bf(?:inden?|indet|and|anden)\b[^.;]*\bstatt\b")
_PHRASAL = re.compile(
    r"\b(?:(?:pick|fetch|call|ring|wake)(?:s|ed|ing)? |(?:tak|com|wok|writ|report|gett?|talk|repl)\w* |get |what |all that )"
    r"(?:(?:it|them|you|me|us|him|her) )?$"
)
"""Before "up from", "back to" and "changed," these make another verb, or tell what: "picked up from school"."""
_WITH_VERB = frozenset(["up from", "back to", "changed,", "changed;", "changed:"])
_NOW_AND_THEN = re.compile(r"now and (?:then|again)\b")
_FIGURE = r"(?<![\w.])[\w.,:/]*\d[\w.,:%/°]*"
ARROW = re.compile(
    rf"\b([a-zA-Z]+) ({_FIGURE}) ?(?:->|→) ?(?=\1 )(?!.*(?:->|→))"
    rf"|({_FIGURE}(?: [a-z%°]+)?) ?(?:->|→) ?(?=[\w.]*\d)(?!.*(?:->|→))"
)
"""`30 days -> 60 days`, `pier 7 → pier 3`: what goes from one number to another, and no further."""


def change_marks(low: str, tongue: str = "en") -> tuple[str, ...]:
    """Every expression of a lower-case text that tells of a change, as matched, in the order of the text."""
    if ("->" in low or "→" in low) and ARROW.search(low):
        return (*_worded_changes(low, tongue), "->")
    return _worded_changes(low, tongue)


def _worded_changes(low: str, tongue: str) -> tuple[str, ...]:
    abroad = _CHANGE_ABROAD.get(tongue)
    found = tuple(
        m.group().strip()
        for m in (*_CHANGE.finditer(low), *(abroad.finditer(low) if abroad else ()))
        if not (m.group() == "statt" and _TAKES_PLACE.search(low))
        if not _NOW_AND_THEN.match(low, m.start()) and not _IN_CONDITION.search(low[: m.start()])
        if not (m.group() in _WITH_VERB and _PHRASAL.search(low[: m.start()]))
        if not (m.group().partition(" ")[0].endswith("ed") and _BEFORE_A_NOUN.search(low[: m.start()]))
    )
    return found if low.isascii() else (*found, *(m.group().strip() for m in _CHANGE_CJK.finditer(low)))
