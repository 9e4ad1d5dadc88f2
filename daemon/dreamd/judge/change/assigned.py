"""Another value of one kind for the same thing, in whatever words: "we deploy on Thursdays", "deploys moved to tuesday mornings".

What is left of each statement without the value, the words of the change and what goes without saying for such a value has
to be the same, whatever its order: a word more on either side speaks of another component, place or person.
"""

# ruff: noqa: E501, SIM905  word lists read better as runs of words

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dreamd.judge.change.current import current
from dreamd.judge.change.kin import has_akin
from dreamd.judge.change.trades import SAID_WITH, TOOLS_OF, TRADE_OF
from dreamd.judge.claims.asides import claims_in
from dreamd.judge.conflicts.beside import former_values, misses
from dreamd.judge.conflicts.frames import told_changes
from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import BEARINGS, Slots, extract_slots
from dreamd.text.markers import ATTRIBUTES, DIMENSION_NOUNS, LIGHT, ONE_OF
from dreamd.text.quantities import dimension
from dreamd.text.tokens import Token, stem
from dreamd.text.word_classes import NUMBER_WORDS, QUALIFIERS, UNIT_NAMES

_WEEKDAYS = QUALIFIERS["weekday"]
_TIMES = frozenset(stem(w) for w in "morning mornings afternoon afternoons evening evenings night nights noon lunch lunchtime midday dinner breakfast early late week weeks".split())
_ADDED = re.compile(r"\b(?:also|too|as well|in addition|another|a second|besides|both)\b")
_UNSURE = re.compile(
    r"(?<!\d )\bmay\b(?! \d)|\b(?:might|could|would|maybe|perhaps|probably|possibly|if|unless|whether|plan(?:s|ned|ning)? to|want(?:s|ed)? to|hope[sd]? to|intend(?:s|ed)? to|going to try|try|trying|"
    r"consider(?:s|ing)?|thinking|discuss(?:es|ing)?|propos(?:e|es|ed)|suggest(?:s|ed)?|once|last|used to|was|were|had been|except|only|sometimes|usually|temporarily|for now|this time|one-off)\b|\?"
)
_SET = re.compile(
    r"^(?:please )?(?:bump|raise|lower|increase|decrease|reduce|set|change|cut|extend|shorten|push|move|put|switch|drop|turn) (?!from\b|to\b)(?:the |our |its )?[^,;]{2,40}? (?:up |down |back |over )?to (?=\S)",
    re.IGNORECASE,
)
"""An order that sets a value: what holds from then on."""
_CHANGING = frozenset(
    stem(w)
    for w in (
        "now currently today henceforth onwards instead again move switch migrate shift change bump raise lower increase decrease reduce cut upgrade downgrade update postpone delay extend shorten "
        "push bring forward transfer reschedule relocate convert port lift slip drop put set go went new next later earlier turn back over"
    ).split()
)
_TAKING_PLACE = frozenset(
    stem(w)
    for w in (
        "happen take place occur come go run do make have hold schedule plan fall be day days date time slot week every each always regular regularly get "
        "send mail"
    ).split()
)
_STORED = frozenset(
    stem(w)
    for w in (
        "write save store keep put land go live lie sit reside end place file folder path directory dir location locate find dump output record collect under inside new disk drive"
    ).split()
)
_DATED = frozenset(stem(w) for w in "due deadline date day submit submission hand latest until by must have until on take place happen hold schedule plan set new be".split())
_HELD_AT = frozenset(stem(w) for w in "use keep hold run stay set value be have get take amount number figure listen answer bind reach serve expose now total altogether".split())
_EMPLOYED = frozenset(stem(w) for w in "use run write do work be live host keep store build make deploy team we everything everyone our stuff go come switch over on".split())
_ASKED = frozenset("ask contact call mail email ping tell to with".split())
_ADDRESSED = frozenset(stem(w) for w in "ask write talk speak contact call mail email ping go turn tell send be question matter thing stuff please".split())
_WE = frozenset("we our us i my we're we've".split())
_THEY = frozenset("they their them he his she her you your he's she's they're".split())
_BOUNDS = frozenset(["before", "after", "less", "more", "or", "other"])
_MEALS = frozenset("lunch noon midnight dinner breakfast work school midday lunchtime".split())
_NAMES_THAT_ARE_WORDS = frozenset(
    "make word teams square spring express rails phoenix signal matrix element linear notion sage render zoom meet fish chef puppet swarm oracle drone concourse semaphore bun pest nose ant actions "
    "vault chai foundation gem flow lit less parcel outline height basecamp go helix atom cursor zed conductor glue cypress unity ninja comet neptune argo luigi loki pulsar iris clerk canvas affinity render railway"
    .split()
)
_TOTAL = re.compile(r"\b(?:in total|altogether|all in all|in all)\b")
_WITH_THE_NEW = re.compile(r" with (?:the|our) (?:new|bigger|larger|smaller|faster|other) [^,;.]{2,30}$")
_NEVER_BARE = frozenset(["date", "clock", "month", "freq", "every-time", "every-month"])
MOST_TOLD = 14
"""Content words from which a statement says too much to be told again as one value."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """A value, how it is shown, and which tokens say it."""

    value: str
    shown: str
    at: frozenset[int]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value of which a thing has one: what goes without saying beside it, and how a statement gives it."""

    name: str
    unsaid: frozenset[str]


def told_value(pair: PairFeatures) -> str:
    """The value that one side has in the place of the other's, where one of them tells of a change; else empty."""
    if not pair.in_english or not _may_be(pair):
        return ""
    changed = bool(pair.a.changes or pair.b.changes)
    for new, old in ((pair.a, pair.b), (pair.b, pair.a)):
        marked = changed and bool(told_changes(new)) or bool(_SET.match(new.bare))
        if not (marked or _TOTAL.search(new.low) and _TOTAL.search(old.low) or _says_former(new, old)):
            continue
        if old.negations or old.conditions or changed and told_changes(old) or len(old.content_set) > MOST_TOLD or _SET.match(old.bare):
            continue
        marked = marked or bool(_TOTAL.search(new.low))
        for text in (new.text, *claims_in(new.text)):
            found = _replaced(extract_slots(text), old, marked=marked, whole=new)
            if found:
                return found
    return ""


def _says_former(new: Slots, old: Slots) -> bool:
    """Whether a statement of several parts speaks of something that may be the other's value."""
    if "," not in new.bare and ";" not in new.bare and ". " not in new.bare:
        return False
    return any(t.lower in new.spoken for t in old.tokens if t.kind in ("number", "path") or t.surface[:1].isupper() or t.lower in _WEEKDAYS)


def _may_be(pair: PairFeatures) -> bool:
    """Cheap: whether the two have values of one kind at all."""
    if pair.a.qualifiers and pair.b.qualifiers and _weekdays(pair.a) and _weekdays(pair.b):
        return True
    if pair.a.numbers and pair.b.numbers and pair.a.numbers != pair.b.numbers and pair.shared:
        return True
    if bool(pair.a.changes) == bool(pair.b.changes):
        return False
    return _has_place(pair.a) and _has_place(pair.b) or bool(trades_of(pair.a) & trades_of(pair.b)) or bool(pair.a.names and pair.b.names and pair.a.names != pair.b.names)


def _weekdays(slots: Slots) -> bool:
    return any(family == "weekday" for family, _ in slots.qualifiers)


def _has_place(slots: Slots) -> bool:
    return "/" in slots.folded


def rivals_of(text: str) -> frozenset[str]:
    """Tools, in lower case, that somebody leaves who goes over to the one that a statement names; none where it tells no change."""
    slots = extract_slots(text)
    trades = trades_of(slots) if slots.tongue == "en" and told_changes(slots) else ()
    return frozenset(name for trade in trades for name in TOOLS_OF[trade]) - slots.spoken


def trades_of(slots: Slots) -> frozenset[int]:
    """The trades of the tools that a statement names."""
    if slots.spoken.isdisjoint(TRADE_OF):
        return frozenset()
    return frozenset(trade for word in slots.spoken if word in TRADE_OF for trade in TRADE_OF[word])


def _replaced(new: Slots, old: Slots, *, marked: bool, whole: Slots) -> str:
    """The two values, if all that the two say beside them is the same."""
    if new.negations or new.conditions or len(new.content_set) > MOST_TOLD:
        return ""
    if _ADDED.search(new.low) or _UNSURE.search(_without_marks(new)) or _UNSURE.search(old.low):
        return ""
    if _others(new) != _others(old) and _others(new) * _others(old) < 0:
        return ""
    for kind, mine, theirs in _values(new, old):
        if mine.value == theirs.value or not (marked or _mentions(whole, theirs) and not _mentions(new, theirs)):
            continue
        if kind.name != "weekday" and new.quantifiers != old.quantifiers or kind.name != "path" and _bound(new) != _bound(old):
            continue
        if not _else_alike(new, old, kind) or _speaks_of_another(whole, old, kind, theirs):
            continue
        if _same(_topic(new, kind, mine), _topic(old, kind, theirs)):
            return f"`{theirs.shown}` against `{mine.shown}`"
    return ""


def _else_alike(new: Slots, old: Slots, kind: Kind) -> bool:
    """Beside the one value nothing else has another: neither an amount, but for the hour of a day, nor a day."""
    if kind.name != "amount":
        mine, theirs = ({key for key in slots.numbers if dimension(key) != "clock"} for slots in (new, old))
        if mine != theirs:
            return False
    return kind.name == "weekday" or _days(new) == _days(old)


def _days(slots: Slots) -> frozenset[str]:
    return frozenset(value for family, value in slots.qualifiers if family == "weekday")


def _speaks_of_another(whole: Slots, old: Slots, kind: Kind, theirs: Assigned) -> bool:
    """The change is told of another former value than the older statement has: "from Tuesday to Thursday" beside "on Fridays"."""
    if kind.name == "weekday":
        return len(_days(whole)) > 1 and theirs.value not in _days(whole)
    former = former_values(whole)
    return bool(former) and misses(former, old)


def _mentions(slots: Slots, value: Assigned) -> bool:
    """Whether a statement speaks of a value beside its own: of the one that was so before."""
    return value.shown.partition(" ")[0].lower() in slots.spoken


def _without_marks(new: Slots) -> str:
    """A statement in lower case without the passive of its change: "was moved" is no past."""
    return re.sub(r"\b(?:was|were|had been) (?=\w+(?:ed|t|n)\b)", "", new.low)


def _bound(slots: Slots) -> frozenset[str]:
    """The bounds a statement sets: more than a number, before or after something but a meal."""
    if not slots.bearings & _BOUNDS:
        return frozenset()
    found = set()
    for token, after in zip(slots.tokens, slots.tokens[1:], strict=False):
        group = BEARINGS.get(token.lower, "")
        if group in ("before", "after", "other", "or") and after.lower not in _MEALS or group in ("less", "more") and (after.kind in ("number", "op") or after.lower in ("than", *NUMBER_WORDS)):
            found.add(group)
    return frozenset(found)


def _others(slots: Slots) -> int:
    """1 where it speaks of us, -1 where of others, 0 where of nobody."""
    return int(bool(slots.spoken & _WE)) or -int(bool(slots.spoken & _THEY - {"they"}))


def _values(new: Slots, old: Slots) -> Iterator[tuple[Kind, Assigned, Assigned]]:
    """Each kind of which both give exactly one value."""
    mine, theirs = _day(new), _day(old)
    if mine and theirs:
        yield Kind("weekday", _TAKING_PLACE | _TIMES), mine, theirs
    mine, theirs = _amount(new), _amount(old)
    dims = {dimension(each.value) for each in (mine, theirs) if each}
    if mine and theirs and (len(dims) == 1 or "" in dims and not dims & _NEVER_BARE and _tells_what(new, old)) and _figure(mine) != _figure(theirs):
        nouns = frozenset(stem(w) for w, dim in DIMENSION_NOUNS.items() if dim in dims or dim == "celsius" and "degree" in dims)
        yield Kind("amount", _DATED if "date" in dims else _HELD_AT | nouns), mine, theirs
    mine, theirs = _path(new), _path(old)
    if mine and theirs:
        yield Kind("path", _STORED), mine, theirs
    mine, theirs = _addressee(new), _addressee(old)
    if mine and theirs:
        yield Kind("person", _ADDRESSED), mine, theirs
    for trade in sorted(trades_of(new) & trades_of(old)):
        mine, theirs = _tool(new, trade), _tool(old, trade)
        if mine and theirs:
            yield Kind("tool", _EMPLOYED | SAID_WITH[trade]), mine, theirs


def _tells_what(new: Slots, old: Slots) -> bool:
    """The side without a unit says what the number is of: "the temperature is 54" beside "at 58 degrees"."""
    bare = new if any(not dimension(key) for key in new.numbers) else old
    dims = {dimension(key).replace("degree", "celsius") for key in new.numbers | old.numbers}
    return any(DIMENSION_NOUNS.get(word) in dims for word in bare.spoken)


def _figure(amount: Assigned) -> str:
    """An amount without its unit."""
    return amount.value.partition(":")[2]


def _only(found: Sequence[Assigned]) -> Assigned | None:
    """The one value of a statement; None where it gives none, or several."""
    return found[0] if found and len({each.value for each in found}) == 1 else None


def _day(slots: Slots) -> Assigned | None:
    found = [(n, t) for n, t in enumerate(current(slots.text).every) if t.lower in _WEEKDAYS]
    told = _only([Assigned(_WEEKDAYS[t.lower], t.surface, frozenset([n])) for n, t in found])
    return None if told is None or _numbered(slots) else told


def _numbered(slots: Slots) -> bool:
    return any(t.lower in ("first", "second", "third", "fourth", "last", "other", "odd", "even") for t in slots.tokens)


def _amount(slots: Slots) -> Assigned | None:
    """The one number of a statement, which no thing goes by."""
    if len(slots.numbers) != 1:
        return None
    (key,) = slots.numbers
    cut = current(slots.text).every
    at = [n for n, t in enumerate(cut) if t.kind == "number" or t.lower in NUMBER_WORDS]
    if not at or slots.qualifiers and dimension(key) == "date" and any(f == "weekday" for f, _ in slots.qualifiers):
        return None
    if not dimension(key) and (len(at) != 1 or not _stands_for_a_value(cut, at[0])):
        return None
    unit = [n for n, t in enumerate(cut) if t.lower in UNIT_NAMES or t.lower in QUALIFIERS["month"] or t.lower == "may" or t.lower in ("x", "percent")]
    return Assigned(key, " ".join(cut[n].surface for n in sorted({*at, *(u for u in unit if min(abs(u - n) for n in at) <= 2)})), frozenset({*at, *unit}))


def _stands_for_a_value(cut: Sequence[Token], at: int) -> bool:
    """Behind a word that gives a value, not behind a noun that it numbers."""
    if not at:
        return False
    ahead = cut[at - 1]
    return not ahead.is_content or ahead.kind in ("op", "stop") or ahead.stem in ONE_OF | ATTRIBUTES | LIGHT or ahead.lower in ("listens", "size", "listen")


def _path(slots: Slots) -> Assigned | None:
    cut = current(slots.text).every
    return _only([Assigned(t.surface.rstrip("/.,"), t.surface, frozenset([n])) for n, t in enumerate(cut) if t.kind in ("path", "url")])


def _addressee(slots: Slots) -> Assigned | None:
    """Whom to ask: a name right behind "ask", "write to", "goes to"."""
    cut = current(slots.text).every
    found = []
    for n, token in enumerate(cut):
        ahead = cut[n - 1].lower if n else ""
        verb = cut[n - 2].stem if n > 1 else ""
        told = ahead in _ASKED and (ahead not in ("to", "with") or verb in _ADDRESSED)
        if token.surface[:1].isupper() and token.is_content and token.kind == "word" and told:
            found.append(Assigned(token.lower, token.surface, frozenset([n])))
    return _only(found)


def _tool(slots: Slots, trade: int) -> Assigned | None:
    cut = current(slots.text).every
    found = []
    for n, token in enumerate(cut):
        low = token.lower
        if trade in TRADE_OF.get(low, ()) and (low not in _NAMES_THAT_ARE_WORDS or token.surface[:1].isupper()):
            beside = {m for m in (n - 1, n + 1) if 0 <= m < len(cut) and cut[m].surface[:1].isupper() and m and cut[m].lower in TRADE_OF}
            found.append(Assigned(low, token.surface, frozenset([n, *beside])))
    return _only(found)


def _topic(slots: Slots, kind: Kind, value: Assigned) -> frozenset[str]:
    """What a statement says beside the value: the stems that tell it from others of its kind."""
    now = current(slots.text)
    end = _WITH_THE_NEW.search(slots.bare.rstrip(". "))
    told: dict[str, bool] = {}
    for n, token in enumerate(now.every):
        if n in value.at or not token.is_content or token.kind == "number" or token.lower in UNIT_NAMES and kind.name == "amount":
            continue
        if end and token.stem in {t.stem for t in extract_slots(end.group()).tokens}:
            continue
        told[token.stem] = told.get(token.stem, False) or n > 0 and token.surface[:1].isupper()
    unsaid = kind.unsaid | _CHANGING | LIGHT
    return frozenset(word for word, named in told.items() if named or word not in unsaid)


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Word for word the same, where a noun may stand for its verb: "rollout", "roll out"."""
    left, right = one - other, other - one
    if not left and not right:
        return True
    if len(left) != len(right) or not (one & other) and len(left) > 1:
        return False
    return all(has_akin(x, right) for x in left) and all(has_akin(y, left) for y in right)
