"""What an event put in the place of what was: "x was moved to y", "x was renamed to y", told of a value that an older claim has.

The two need no common frame: "we serve the manual from A" and "the manual has moved to B" speak of one place. So the thing
that the event is about is compared with the whole older claim, which must say nothing else but a value of the same kind.
"""

# ruff: noqa: E501, SIM905  patterns and word lists read better whole

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import Slots, extract_slots
from dreamd.text.markers import ATTRIBUTES, LIGHT, VERBS
from dreamd.text.quantities import dimension
from dreamd.text.tokens import Token, stem, tokens
from dreamd.text.word_classes import UNIT_NAMES

_HAVING = r"(?:(?:has|have|had) )?(?:just |recently |now )?(?:(?:been|was|were|is|are|got) )?(?:just |recently |now )?"
_MOVED = "moved|migrated|relocated|switched|shifted|transferred|ported|converted"
_SET = (
    "slipped|postponed|pushed|brought forward|rescheduled|delayed|extended|shortened|raised|lowered|bumped|increased|decreased|"
    "reduced|cut|upgraded|lifted|doubled|halved|set|changed|updated|moved|dropped|trimmed|widened|tightened"
)
_TO = r"(?: (?:up|down|back|over|on|out|forward))?(?: from (?P<former>[^,;.]{1,30}?))? (?:to|into|onto|till|until) (?P<value>[^;]+?)\.?$"
_WHAT = r"(?:(?:the|our|its|my) )?(?P<what>[^,;:]{2,60}?)"
_WE = r"(?:we|they|the team|i)(?:'ve| have)? (?:just |now )?"
_EVENTS = (
    ("place", re.compile(rf"^{_WHAT} {_HAVING}(?:{_MOVED}){_TO}", re.IGNORECASE)),
    ("place", re.compile(rf"^{_WE}(?:{_MOVED}) {_WHAT}{_TO}", re.IGNORECASE)),
    ("value", re.compile(rf"^{_WHAT} {_HAVING}(?:{_SET}){_TO}", re.IGNORECASE)),
    ("value", re.compile(rf"^{_WE}(?:{_SET}) {_WHAT}{_TO}", re.IGNORECASE)),
    ("name", re.compile(rf"^{_WHAT} {_HAVING}renamed(?: from [^,;.]{{1,30}}?)? (?:to |into )?(?P<value>[^;,]+?)\.?$", re.IGNORECASE)),
    ("name", re.compile(rf"^{_WHAT} (?:is|are) (?:now called|called now|now named) (?P<value>[^;,]+?)\.?$", re.IGNORECASE)),
    ("colour", re.compile(rf"^{_WHAT} {_HAVING}repainted (?P<value>\w+)\.?$", re.IGNORECASE)),
)
_LEAD_IN = re.compile(r"^(?:as of|since|from|on|in|starting) [^,]{2,30}, ?", re.IGNORECASE)
_CALLED = re.compile(r"\b(?:is|are) (?:called|named|known as) ([^,;.]+)\.?$")
_COPULA = re.compile(r"\b(?:is|are) (\S+?)\.?$")
_AT = frozenset("on at in from".split())
KIN_LETTERS = 5
_SITED = frozenset(stem(w) for w in "host live keep store run serve deploy work base locate sit stand lie house stay park archive".split())
"""Verbs of being somewhere; what is written or printed there is no site."""
_TONGUES = frozenset("english german french spanish italian portuguese dutch polish russian turkish chinese japanese korean latin".split())
_CALENDAR = ("weekday", "month", "season")


@dataclass(frozen=True, slots=True)
class Event:
    """What was changed, in which way, and what it was changed to."""

    kind: str
    what: frozenset[str]
    value: str
    former: str = ""
    """What it was changed from, where that is said."""


@lru_cache(maxsize=16_384)
def events_in(folded: str) -> tuple[Event, ...]:
    """Every way in which a short statement can be read as a change of one thing to one value."""
    text = _LEAD_IN.sub("", folded)
    found = []
    for kind, pattern in _EVENTS:
        match = pattern.match(text)
        if match:
            what = frozenset(t.stem for t in tokens(match.group("what")) if t.is_content)
            found.append(Event(kind, what, match.group("value"), match.groupdict().get("former") or ""))
    return tuple(event for event in found if event.what)


def told_event(pair: PairFeatures) -> str:
    """What an event ended, where the older claim says nothing but the former value of the same thing."""
    if not pair.in_english or pair.a.negations or pair.b.negations:
        return ""
    for new, old in ((pair.a, pair.b), (pair.b, pair.a)):
        if not new.changes or old.changes or old.conditions or new.conditions:
            continue
        for event in events_in(new.folded):
            former = _former(event, old) if _about(event, new, old) and not _was_another(event, old) else ""
            if former:
                return f"`{event.value}` ends `{former}`"
    return ""


def _about(event: Event, new: Slots, old: Slots) -> bool:
    """All that the event is about stands in the older claim; an attribute may be implied ("the threshold")."""
    thing = event.what - ATTRIBUTES or event.what
    known = old.content_set
    kin = {stem_ for stem_ in thing if stem_ in known or any(_kin(stem_, other) for other in known)}
    return kin == thing and not (old.subject & ATTRIBUTES) - new.content_set - event.what - LIGHT


def _was_another(event: Event, old: Slots) -> bool:
    """It was changed from a day or a number that the older claim does not have: "from Tuesday" beside "on Fridays"."""
    if not event.former:
        return False
    told = extract_slots(f"on {event.former}")
    days = {(family, value) for family, value in told.qualifiers if family in _CALENDAR}
    figures = {t.surface for t in told.tokens if t.kind == "number"}
    known = {t.surface for t in old.tokens if t.kind == "number"}
    return bool(days) and days.isdisjoint(old.qualifiers) or bool(figures and known) and figures.isdisjoint(known)


def _former(event: Event, old: Slots) -> str:
    """The one value of the event's kind that the older claim has, if nothing else is left of it."""
    value = extract_slots(f"in {event.value}")  # a month is told from the verb "may" by its place
    left = [t for t in old.tokens if t.is_content and t.stem not in event.what and t.stem not in LIGHT]
    left = [t for t in left if not any(_kin(t.stem, thing) for thing in event.what)]
    if event.kind == "name":
        return _name(event, old, left)
    if event.kind == "colour":
        told, known = ({v for family, v in slots.qualifiers if family == "colour"} for slots in (value, old))
        rest = [t for t in left if t.stem not in VERBS and ("colour", t.lower) not in old.qualifiers]
        return min(known) if len(told) == 1 == len(known) and told != known and not rest else ""
    plain = [t for t in left if t.stem not in VERBS or t.stem in old.subject or t.kind != "word"]
    if any(t.stem in VERBS and not _tells(t.stem, event.what) for t in left) and event.what & ATTRIBUTES - old.content_set:
        return ""  # "the coverage threshold" is what "coverage must be" tells of, not what "coverage fell by" does
    if value.numbers or old.numbers:
        return _amount(value, old, plain)
    days = [{(f, v) for f, v in slots.qualifiers if f in _CALENDAR} for slots in (value, old)]
    if len(days[0]) == 1 == len(days[1]):
        (one,), (other,) = days
        rest = [t for t in plain if (other[0], other[1]) not in extract_slots(t.surface).qualifiers]
        return other[1] if one[0] == other[0] and one != other and not rest else ""
    return _place(event, old, left) if event.kind == "place" else ""


def _tells(verb: str, what: frozenset[str]) -> bool:
    """ "Costs" tells the price of a thing, "weighs" its weight."""
    return bool(_TOLD_BY.get(verb, frozenset()) & what)


_TOLD_BY = {
    stem(verb): frozenset(stem(noun) for noun in nouns.split())
    for verb, nouns in (("cost", "price fee rate fare rent"), ("weigh", "weight"), ("last", "duration length"), ("take", "duration"))
}
"""Verbs that name an attribute by themselves."""


def _amount(value: Slots, old: Slots, left: list[Token]) -> str:
    """One number on each side, of one dimension, with nothing beside its unit."""
    if len(value.numbers) != 1 or len(old.numbers) != 1 or value.numbers == old.numbers:
        return ""
    (one,), (other,) = value.numbers, old.numbers
    rest = [t for t in left if t.kind != "number" and t.lower not in UNIT_NAMES and not _is_calendar(t)]
    return other.lstrip(":") if dimension(one) == dimension(other) != "" and not rest else ""


def _place(event: Event, old: Slots, left: list[Token]) -> str:
    """A name behind the preposition of a place, with a verb of a place before it, against another name."""
    names = [t for t in left if t.surface[:1].isupper() or any(c.isdigit() for c in t.surface)]
    rest = [t for t in left if t not in names and (t.stem not in VERBS or t.stem in old.subject)]
    if not names or rest or not event.value[:1].isupper() or any(_is_calendar(t) or t.lower in _TONGUES for t in names):
        return ""
    at = old.tokens.index(names[0])
    run, ahead = old.tokens[at : at + len(names)], old.tokens[:at]
    stands = {t.stem for t in ahead} & _SITED or len(ahead) > 1 and ahead[-2].lower in ("is", "are")
    same = event.value.lower() in old.folded.lower()
    there = len(ahead) > 1 and ahead[-1].lower in _AT and stands and not same
    return " ".join(t.surface for t in run) if list(run) == names and there else ""


def _name(event: Event, old: Slots, left: list[Token]) -> str:
    """What it was called before; where it is an address, also what it was."""
    match = _CALLED.search(old.folded)
    if not match and any(t.kind in ("mail", "url") for t in left):
        match = _COPULA.search(old.folded)
    if not match or event.value.lower() == match.group(1).lower():
        return ""
    said = {t.stem for t in tokens(match.group(1))}
    return match.group(1) if all(t.stem in said or t.stem in ("call", "nam") for t in left) else ""


def _kin(one: str, other: str) -> bool:
    """Forms of one word that have no common stem: "certification", "certified"."""
    short, long = sorted((one, other), key=len)
    return len(short) >= KIN_LETTERS and (long.startswith(short) or long[: len(short) - 1] == short[:-1] and len(short) > KIN_LETTERS)


def _is_calendar(token: Token) -> bool:
    return any(family in _CALENDAR for family, _ in extract_slots(token.surface).qualifiers) or stem(token.lower) in ("due", "date")
