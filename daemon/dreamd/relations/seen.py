"""What rules can see of a conflict, for callers who will not act on a score alone; and what an ending would lose."""

from __future__ import annotations

from dreamd.relations.beside import collateral_guards
from dreamd.relations.clashes import visible_clash
from dreamd.relations.features import Statement, pair_features
from dreamd.relations.frames import align
from dreamd.relations.guards import merge_guards
from dreamd.relations.slots import extract_slots
from dreamd.relations.verdicts import needs_score

LEAST_CLAIM = 2
"""Content words that make a clause a claim of its own."""


def is_seen(a: Statement, b: Statement, *, similarity: float) -> bool:
    """Whether the wording itself shows that two statements cannot both hold, guards against other subjects included."""
    pair = pair_features(a, b, similarity)
    if collateral_guards(pair):
        return False
    return bool(visible_clash(pair, align(pair.a, pair.b)))


def score_matters(a: Statement, b: Statement, *, similarity: float) -> bool:
    """Whether a score could still join two statements, or settle a conflict that the wording shows; else it is not asked."""
    if not needs_score(a, b, similarity=similarity):
        return False
    return not merge_guards(pair_features(a, b, similarity)) or is_seen(a, b, similarity=similarity)


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
