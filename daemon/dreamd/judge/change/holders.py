"""Who is said to have a thing in hand, in whatever words: "Kim owns x", "x is run by Kim these days", "Kim took x over from Ole"."""

# ruff: noqa: E501, SIM905  patterns and word lists read better whole

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dreamd.judge.features import PairFeatures
from dreamd.text.tokens import tokens
from dreamd.text.word_classes import STOP

_NAME = r"(?P<who>[A-Z][\w-]+(?: [A-Z][\w-]+)?)"
_BE = r"(?:is|are)(?: now| currently)?"
_NOW = r"(?: now| currently| has)?"
_HELD = (
    ("own", rf"{_NAME}{_NOW} owns (?P<what>.+)"),
    ("care", rf"{_NAME}{_NOW} (?:looks after|takes care of|maintains|runs|manages) (?P<what>.+)"),
    ("care", rf"{_NAME}{_NOW} (?:does|makes|draws|handles|prepares|organi[sz]es|coordinates|moderates|hosts|designs) (?P<what>(?:all )?(?:the|our) .+)"),
    ("care", rf"(?P<what>.+?) {_BE} (?:looked after|taken care of|maintained|run|managed) by {_NAME}"),
    ("own", rf"{_NAME} {_BE} (?:responsible for|in charge of|the owner of) (?P<what>.+)"),
    ("own", rf"(?P<what>.+?) {_BE} owned by {_NAME}"),
    ("own", rf"(?P<what>.+?)(?: now)? belongs? to {_NAME}"),
    ("own", rf"(?:the )?owner of (?P<what>.+?)(?: {_BE}|:) {_NAME}"),
    ("lead", rf"{_NAME}{_NOW} (?:leads|heads) (?P<what>.+)"),
    ("lead", rf"{_NAME} {_BE} (?:the )?(?:lead|head|manager) of (?P<what>.+)"),
    ("lead", rf"(?P<what>.+?) {_BE} (?:led|headed) by {_NAME}"),
    ("key", rf"{_NAME}(?: now)? (?:has|holds|keeps) (?P<what>(?:[Tt]he|[Oo]ur) (?:\w+ )?(?:keys?|pager|password)\b.*)"),
    ("key", rf"(?P<what>(?:[Tt]he|[Oo]ur) (?:\w+ )?(?:keys?|pager|password)\b.*?) {_BE} with {_NAME}"),
    ("", rf"{_NAME}{_NOW} (?:takes|took|taken) over (?P<what>.+?)(?: from [A-Z][\w-]+)?"),
    ("", rf"[A-Z][\w-]+{_NOW} (?:handed|passed|gave|transferred) (?:over )?(?P<what>.+?) (?:over |on )?to {_NAME}"),
    ("", rf"(?P<what>.+?) (?:has been|was) (?:handed|passed) (?:over|on) to {_NAME}"),
)
"""Each with how it is held; what is cared for may be cared for by several, and a handing over may be of anything."""
_ROLES = {"": frozenset(["own", "lead", "care", "key", ""]), "lead": frozenset(["lead", "care"]), "care": frozenset(["lead", "own"])}
_GROUPS = frozenset("team group office department branch crew shop store school club division unit project company".split())
_COMPILED = tuple((role, re.compile(rf"^(?:now )?{pattern}(?:,? (?:now|these days|from now on|nowadays|instead))?\.?$")) for role, pattern in _HELD)
_SIGNS = re.compile(
    r"\b(?:owns|owned|owner|looks after|looked after|care of|maintains|maintained|runs?|manages|managed|responsible|in charge|belongs?|leads?|led|heads|headed"
    r"|manager|keys?|pager|password|over|handed|passed|gave|transferred|does|makes|draws|handles|prepares|organi[sz]es|coordinates|moderates|hosts|designs)\b"
)
_LEAD_IN = re.compile(r"^(?:From now on|As of \w+|Since \w+|These days|Starting \w+),? ")
_SHARED = re.compile(r"\b(?:also|too|as well|together|with|along|jointly|and|or|half|part of|while|when|if|only on|deputy|deputises|away|leave)\b")
_PRONOUNS = STOP | {"both", "everyone", "everybody", "someone", "anyone"}


@dataclass(frozen=True, slots=True)
class Holding:
    """Who has what in hand, and how; no role where something is handed over."""

    role: str
    who: str
    what: frozenset[str]


@lru_cache(maxsize=16_384)
def holding_in(folded: str) -> Holding | None:
    """The one holder that a short statement names; None when it names none, or several, or a share only."""
    if not _SIGNS.search(folded):
        return None
    text = _LEAD_IN.sub("", folded)
    for role, pattern in _COMPILED:
        match = pattern.match(text)
        if match and match.group("who").lower() not in _PRONOUNS and not _SHARED.search(match.group("what")):
            what = frozenset(t.stem for t in tokens(match.group("what")) if t.is_content)
            return Holding(role, match.group("who"), what) if what else None
    return None


def other_hands(pair: PairFeatures) -> str:
    """Another holder of the very same thing; empty when the two name one, or speak of two things."""
    if not pair.in_english or pair.a.negations or pair.b.negations:
        return ""
    one, other = holding_in(pair.a.folded), holding_in(pair.b.folded)
    if one is None or other is None or one.what != other.what or one.who == other.who:
        return ""
    if one.role == other.role == "care":
        same = bool(one.what & _GROUPS) or bool(pair.a.changes) != bool(pair.b.changes) or pair.a.passive != pair.b.passive
    else:
        same = one.role == other.role or other.role in _ROLES.get(one.role, ()) or one.role in _ROLES.get(other.role, ())
    return f"`{one.who}` against `{other.who}`" if same else ""
