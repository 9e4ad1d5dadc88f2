"""What another took the place of: a tool, a part, somebody in an office, a number; and the older claim that still names it."""

# ruff: noqa: E501  patterns read better whole

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dreamd.judge.conflicts.frames import told_changes
from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import Slots
from dreamd.text.markers import LIGHT, RETIRED, VERBS
from dreamd.text.tokens import content_stems

_THE = r"(?:the |our |its |an? )?"
_HAVE = r"(?:(?:has|have|had)(?: now| just)? )?"
_FOR = r"(?: (?:for|in|on|at) (?P<use>[^,;]+?))?"
_END = r"(?:[,;] .*)?\.?$"
_PLACES = (
    re.compile(rf"^(?:we|they)(?:'ve| have)?(?: now| just)? (?:replaced|swapped|swapped out|exchanged) {_THE}(?P<old>[^,;]{{2,40}}?) (?:by|with|for) {_THE}(?P<new>[^,;]{{2,40}}?){_FOR}{_END}", re.IGNORECASE),
    re.compile(rf"^{_THE}(?P<old>[^,;]{{2,40}}?) (?:was|were|has been|have been|got)(?: now| finally)? (?:replaced|superseded|swapped) (?:by|with|for) {_THE}(?P<new>[^,;]{{2,40}}?){_FOR}{_END}", re.IGNORECASE),
    re.compile(rf"^{_THE}(?P<new>[^,;]{{2,40}}?) {_HAVE}(?:replaced|replaces|took the place of|taken the place of|takes the place of|superseded|supersedes) {_THE}(?P<old>[^,;]{{2,40}}?){_FOR}{_END}", re.IGNORECASE),
)
_NAME = r"(?:(?:Mr|Mrs|Ms|Dr)\.? )?[A-Z][\w-]+(?: [A-Z][\w-]+)?"
_OFFICE = re.compile(
    rf"^(?P<who>{_NAME}) (?:has |now )?(?:follows|followed|succeeds|succeeded|replaces|replaced|takes over from|took over from|taken over from) (?P<former>{_NAME}) as {_THE}(?P<office>[^,;]+?){_END}"
)
_NOT_BUT = re.compile(r"\d[^,;]*, (?:and )?not (\d[\d.:,]*\d|\d)")
_BEFORE_VALUE = frozenset(["by", "with", "in", "on", "from", "via", "using", "through", "use", "uses", "used", "to"])
LEAST_KEPT = 0.75
LEAST_HEAD = 2
MOST_CLAUSES = 2
"""What is done, and what for."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """What had its place taken, by what, and what it was used for, where that is said."""

    old: frozenset[str]
    new: frozenset[str]
    use: frozenset[str]
    named: bool
    """The old one goes by a name, or by more than one word."""


def other_in_place(pair: PairFeatures) -> str:
    """What one says was replaced, followed in an office or corrected, where the other still says it."""
    if not pair.in_english:
        return ""
    for new, old in ((pair.a, pair.b), (pair.b, pair.a)):
        if told_changes(old):
            continue
        gone = _reason_gone(new, old) if new.changes else ""
        plain = not (old.negations or old.conditions or len(old.clauses) > MOST_CLAUSES)
        found = gone or plain and (_replaced(new, old) or _followed(new, old) or _corrected(new, old, pair))
        if found:
            return found
    return ""


@lru_cache(maxsize=16_384)
def replacement_in(folded: str) -> Replacement | None:
    """What a statement says was replaced; None where it says nothing of the kind."""
    if "place" not in folded and "swapped" not in folded and "exchanged" not in folded and "supersede" not in folded:
        return None
    for pattern in _PLACES:
        match = pattern.match(folded)
        if match:
            old, new, use = (content_stems(match.group(name) or "") for name in ("old", "new", "use"))
            named = len(old) > 1 or any(word[:1].isupper() for word in match.group("old").split())
            return Replacement(old, new, use, named) if old and new and old != new else None
    return None


def _replaced(new: Slots, old: Slots) -> str:
    """The older claim does something with what was replaced, at its end or before what it is done for."""
    told = replacement_in(new.folded) if new.changes else None
    if not told or not told.old <= old.content_set or told.new <= old.content_set:
        return ""
    rest = old.content_set - told.old - LIGHT - VERBS
    if told.use and not told.use & rest or not told.use and not told.named:
        return ""
    cut = old.tokens
    first = next(at for at, token in enumerate(cut) if token.stem in told.old)
    ahead = [t.lower for t in cut[:first] if t.lower not in ("the", "our", "a", "an", "its")]
    return f"`{' '.join(sorted(told.old))}` was replaced" if ahead and ahead[-1] in _BEFORE_VALUE else ""


def _reason_gone(new: Slots, old: Slots) -> str:
    """What the older claim gives as its reason is over: "use the side door, the lift is broken", "the lift is repaired"."""
    match = None if new.conditions or old.conditions else RETIRED.match(new.low)
    over = content_stems(next((group for group in match.groups() if group), "")) if match else frozenset()
    head = frozenset(t.stem for t in old.head if t.is_content)
    told = bool(over) and over <= old.content_set - head and len(head) >= LEAST_HEAD
    return f"`{' '.join(sorted(over))}` is over" if told else ""


def _followed(new: Slots, old: Slots) -> str:
    """ "X follows Y as head of the mill", where the older claim has Y for it."""
    match = _OFFICE.match(new.folded) if " as " in new.folded else None
    if not match:
        return ""
    former, office = content_stems(match.group("former")), content_stems(match.group("office"))
    rest = old.content_set - former - LIGHT
    held = bool(former & old.content_set) and bool(office) and office <= rest and len(rest - office) == 0
    return f"`{match.group('who')}` follows `{match.group('former')}`" if held else ""


def _corrected(new: Slots, old: Slots, pair: PairFeatures) -> str:
    """ "24 hours before, not 48": all of the older claim is told again, but for the number that is denied."""
    match = _NOT_BUT.search(new.folded)
    if not match or len(old.numbers) != 1 or not any(t.surface == match.group(1) for t in old.tokens if t.kind == "number"):
        return ""
    cover = pair.cover_a if old is pair.a else pair.cover_b
    told = {key for key in new.numbers - old.numbers if key.partition(":")[2] != match.group(1)}
    return f"`not {match.group(1)}`" if cover >= LEAST_KEPT and len(told) == 1 else ""
