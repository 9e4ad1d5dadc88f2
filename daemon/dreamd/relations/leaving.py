"""What the ending of a statement would lose."""

from __future__ import annotations

from dreamd.relations.slots import extract_slots

LEAST_CLAIM = 2
"""Content words that make a clause a claim of its own."""


def leaves_more(old: str, new: str) -> str:
    """What `old` speaks of and `new` does not: ending `old` would lose it. Empty when there is nothing.

    A word of its subject that the new statement never names, or a clause of its own:
    "bed 9 grows sage and is watered every 4 days" says two things; "bed 9 is now watered every 6 days" replaces one.
    """
    slots, said = extract_slots(old), extract_slots(new).content_set
    unnamed = [stem for stem in sorted(slots.subject) if stem in slots.content_set and stem not in said]
    if unnamed:
        return " ".join(unnamed)
    if len(slots.clauses) < LEAST_CLAIM:
        return ""
    first, *rest = slots.clauses
    told = next((n for n, stem in enumerate(first) if stem not in said), len(first))
    for own in (first[told:], *rest):
        if len(own) >= LEAST_CLAIM and not any(stem in said for stem in own):
            return " ".join(own)
    return ""
