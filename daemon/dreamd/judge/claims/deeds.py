"""A deed told as a noun: "approval of the plan by the board is in May" is "the board approves the plan in May"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import Slots
from dreamd.text.markers import LIGHT
from dreamd.text.tokens import tokens

_NOUN = r"\w{3,}(?:al|tion|sion|ment|ance|ery|ing|ure|age)"
_IS = r"(?:is|are|happens?|takes? place|occurs?|has to happen|must happen)(?: done| carried out| made)?"
_HOW = "in|on|at|every|each|before|after|within|once|twice|with|daily|weekly|monthly|yearly|by hand"
_DEED = re.compile(
    rf"^(?:the )?(?P<deed>{_NOUN}) of (?P<thing>[^,;:]+?)(?: by (?P<who>[^,;:]+?))? {_IS}(?: by (?P<doer>[^,;:]+?))?"
    rf"(?P<rest>(?: (?:{_HOW})\b[^,;:]*)?)\.?$",
    re.IGNORECASE,
)
KIN_LETTERS = 4


@dataclass(frozen=True, slots=True)
class Deed:
    """What is done, as a noun's stem, to what, by whom, and how or when."""

    deed: str
    thing: frozenset[str]
    who: frozenset[str]
    rest: frozenset[str]


@lru_cache(maxsize=16_384)
def deed_in(folded: str) -> Deed | None:
    """The deed that a statement has for its subject; None where it has none."""
    match = _DEED.match(folded)
    if not match:
        return None
    deed = next((t.stem for t in tokens(match.group("deed").lower())), "")
    thing, who, doer, rest = (
        frozenset(t.stem for t in tokens(match.group(name) or "") if t.is_content) for name in ("thing", "who", "doer", "rest")
    )
    return Deed(deed, thing, who | doer, rest)


def told_as_deed(pair: PairFeatures) -> bool:
    """One tells as a noun what the other tells as a verb, with the same parts in the same roles and nothing else."""
    if pair.a.tongue != "en" or pair.a.negations or pair.b.negations or pair.numbers_a or pair.numbers_b:
        return False
    if pair.a.bearings != pair.b.bearings or pair.a.only != pair.b.only or pair.a.modal != pair.b.modal:
        return False
    one, other = deed_in(pair.a.folded), deed_in(pair.b.folded)
    if (one is None) == (other is None):
        return False
    return _tells(pair.b, one) if one else other is not None and _tells(pair.a, other)


def _tells(slots: Slots, deed: Deed) -> bool:
    verb = next((stem for stem in slots.content if _kin(stem, deed.deed)), "")
    if not verb or slots.conditions or slots.quantifiers or not deed.thing:
        return False
    rest = slots.content_set - {verb} - deed.thing - deed.who - deed.rest - LIGHT
    missing = (deed.thing | deed.who | deed.rest) - slots.content_set - LIGHT
    before = frozenset(slots.content[: slots.content.index(verb)])
    roles = deed.thing <= before if slots.passive else not deed.thing & before and deed.who <= before
    told = slots.passive or not slots.subject or bool(deed.who) or before <= LIGHT
    return roles and told and not rest and not missing


def _kin(one: str, other: str) -> bool:
    shared = 0
    for x, y in zip(one, other, strict=False):
        if x != y:
            break
        shared += 1
    return shared >= max(KIN_LETTERS, min(len(one), len(other)) - 2)
