"""What the ending of a statement would lose."""

from __future__ import annotations

from dreamd.relations.slots import extract_slots
from dreamd.relations.text import stem

LEAST_CLAIM = 2
"""Content words that make a clause a claim of its own."""
_KINDS_OF_VALUE = frozenset(stem(word) for word in ("day", "date", "time"))
"""Said of a value, not of a thing: "release day is the 4th" and "release is postponed to the 9th" speak of one thing."""


def leaves_more(old: str, new: str) -> str:
    """What `old` speaks of and `new` does not: ending `old` would lose it. Empty when there is nothing.

    A word of its subject that the new statement never names, or a clause of its own:
    "bed 9 grows sage and is watered every 4 days" says two things; "bed 9 is now watered every 6 days" replaces one.
    """
    slots, said = extract_slots(old), extract_slots(new).content_set
    subject = slots.subject - _KINDS_OF_VALUE or slots.subject
    unnamed = [word for word in sorted(subject) if word in slots.content_set and word not in said]
    if unnamed:
        return " ".join(unnamed)
    if len(slots.clauses) < LEAST_CLAIM:
        return ""
    first, *rest = slots.clauses
    told = next((n for n, word in enumerate(first) if word not in said), len(first))
    for own in (first[told:], *rest):
        if len(own) >= LEAST_CLAIM and not any(word in said for word in own):
            return " ".join(own)
    return ""
