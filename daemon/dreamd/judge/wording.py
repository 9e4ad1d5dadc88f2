"""What a merge keeps: the specifics of a statement, and the one wording that says everything of both."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from dreamd.judge.abroad.strangers import strangers
from dreamd.judge.features import PairFeatures, Statement, pair_features
from dreamd.judge.guards import reasons_apart
from dreamd.judge.slots import extract_slots

_MASK = "[masked:"


@lru_cache(maxsize=65_536)
def specifics(text: str) -> frozenset[str]:
    """Numbers, versions, names, paths, identifiers, commands and quotations of a text in canonical form."""
    slots = extract_slots(text)
    return frozenset(
        {*(f"n {k}" for k in slots.numbers), *slots.fixed, *slots.commands, *(f'"{q}"' for q in slots.quoted), *slots.names}
    )


def can_merge(a_text: str, b_text: str) -> tuple[bool, str]:
    """Whether the hard guards let two texts become one that nobody has read together, and the first reason if not."""
    pair = pair_features(Statement(a_text), Statement(b_text), 1.0)
    found = next(chain(reasons_apart(pair), strangers(pair)), "")
    return not found, found


def merged_wording(representative: str, other: str) -> str | None:
    """The wording that keeps every specific of two that were judged to be one; None when they must stay apart."""
    if representative == other:
        return representative
    pair = pair_features(Statement(representative), Statement(other), 1.0)
    return None if any(reasons_apart(pair)) else wordings(pair)[0]


def wordings(pair: PairFeatures) -> tuple[str, str] | tuple[None, None]:
    """The wording to keep of two that no guard keeps apart, with `a` and with `b` as the one that stands."""
    a, b = pair.a.text, pair.b.text
    lost_with_b = bool(pair.numbers_b or pair.fixed_b or pair.names_b or _lost_commands(a, b) or _lost_logic(a, b))
    lost_with_a = bool(pair.numbers_a or pair.fixed_a or pair.names_a or _lost_commands(b, a) or _lost_logic(b, a))
    if lost_with_a and lost_with_b:
        return None, None
    if lost_with_b:
        return b, b
    if lost_with_a:
        return a, a
    return b if _says_more(b, a) else a, a if _says_more(a, b) else b


def _lost_commands(kept: str, gone: str) -> bool:
    text = extract_slots(kept).folded.replace("`", "").lower()
    return any(c.lower() not in text for c in extract_slots(gone).commands) or gone.count(_MASK) > kept.count(_MASK)


def _lost_logic(kept: str, gone: str) -> bool:
    """A condition, "only" or a limit on how many that the kept wording would drop."""
    mine, theirs = extract_slots(kept), extract_slots(gone)
    if mine.tongue != theirs.tongue:
        return False
    return bool(theirs.conditions) and not mine.conditions and not mine.only


def _says_more(one: str, other: str) -> bool:
    """A clearly longer wording of the same claim is kept: it holds the reason, place or time."""
    left, right = extract_slots(one), extract_slots(other)
    return len(left.content_set) >= len(right.content_set) + 2 and len(left.content_set & right.content_set) >= 0.5 * len(
        right.content_set
    )
