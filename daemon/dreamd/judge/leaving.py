"""What the ending of a statement would lose."""

from __future__ import annotations

from collections.abc import Sequence

from dreamd.judge.change.assigned import trades_of
from dreamd.judge.change.kin import has_akin
from dreamd.judge.change.trades import SAID_WITH, TRADE_OF
from dreamd.judge.slots import Slots, extract_slots
from dreamd.text.markers import LIGHT
from dreamd.text.tokens import stem
from dreamd.text.word_classes import QUALIFIERS, UNIT_NAMES

LEAST_CLAIM = 2
"""Content words that make a clause a claim of its own."""
_KINDS_OF_VALUE = frozenset(
    stem(word)
    for word in (
        *("day", "date", "time", "deadline", "path", "folder", "directory", "location", "port", "number", "temperature"),
        *("price", "cost", "amount", "value", "level", "duration", "length", "address", "name"),
    )
)
"""Said of a value, not of a thing: "release day is the 4th" and "release is postponed to the 9th" speak of one thing."""
_CALENDAR = QUALIFIERS["weekday"].keys() | QUALIFIERS["month"].keys() | {"may"}
_IN_HAND = frozenset(
    stem(word)
    for word in ("charge", "responsible", "own", "owner", "run", "manage", "lead", "do", "handle", "maintain", "look")
)
"""How somebody has a thing in hand, which may be told otherwise of the next."""


def leaves_more(old: str, new: str) -> str:
    """What `old` speaks of and `new` does not: ending `old` would lose it. Empty when there is nothing.

    A word of its subject that the new statement never names, or a clause of its own:
    "bed 9 grows sage and is watered every 4 days" says two things; "bed 9 is now watered every 6 days" replaces one.
    """
    slots, later = extract_slots(old), extract_slots(new)
    said, unsaid = later.content_set, _without_saying(slots, later)
    subject = (slots.subject & slots.content_set) - unsaid
    subject = subject - _KINDS_OF_VALUE or subject
    unnamed = sorted(word for word in subject - said if not has_akin(word, said))
    if unnamed and not _has_another_name(unnamed, slots, later):
        return " ".join(unnamed)
    if len(slots.clauses) < LEAST_CLAIM:
        return ""
    first, *rest = ([word for word in clause if word not in unsaid] for clause in slots.clauses)
    told = next((n for n, word in enumerate(first) if word not in said), len(first))
    for own in (first[told:], *rest):
        if len(own) >= LEAST_CLAIM and not any(word in said for word in own):
            return " ".join(own)
    return ""


def _without_saying(old: Slots, new: Slots) -> frozenset[str]:
    """The values of a statement, and a tool with the words of its trade where the new one names another of that trade."""
    found = {t.stem for t in old.tokens if t.kind == "number" or t.lower in _CALENDAR or t.lower in UNIT_NAMES}
    for trade in trades_of(old) & trades_of(new):
        found |= SAID_WITH[trade]  # "our tracker is x", "we switched to y": both speak of trackers
        found |= {t.stem for t in old.tokens if trade in TRADE_OF.get(t.lower, ())}
    return LIGHT.union(found)


def _has_another_name(unnamed: Sequence[str], old: Slots, new: Slots) -> bool:
    """All that is not named again is somebody, and the new statement says all the rest of somebody else."""
    opening = [slots.tokens[0] for slots in (old, new)]
    named = all(token.surface.istitle() and token.is_content for token in opening) and opening[0].stem != opening[1].stem
    rest = old.content_set - set(unnamed) - LIGHT - _IN_HAND
    return named and unnamed == [opening[0].stem] and all(has_akin(word, new.content_set) for word in rest)
