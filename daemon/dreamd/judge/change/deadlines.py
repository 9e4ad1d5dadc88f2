"""A day by which something is due, and the news that it has moved: "due on 3 May", "we got more time for it, until 9 June"."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re

from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import Slots
from dreamd.text import word_classes
from dreamd.text.markers import LIGHT, VERBS
from dreamd.text.tokens import Token, stem

_MOVED = re.compile(
    r"\b(?:extended|extension|prolonged|postponed|pushed|put off|moved|deferred|delayed|rescheduled|longer|more time|later"
    r"|earlier|brought forward|slipped)\b"
)
_DUE = re.compile(r"\b(?:due|deadline|until|till|by|clos(?:es?|ing)|ends?|ending|expires?|expected|handed in|the latest)\b")
_TERM = frozenset(stem(w) for w in "due deadline date day latest end close expect expire hand file submit must".split())
_BEHIND_HEAD = frozenset("for of in to on at from by with must is are has have should will can may".split())
LEAST_SAID = 0.6
"""Share of what was due that the news has to speak of."""


def deadline_moved(pair: PairFeatures) -> str:
    """One names the day by which a thing is due, and the other says that the day of this thing has become another."""
    if not pair.in_english:
        return ""
    for new, old in ((pair.a, pair.b), (pair.b, pair.a)):
        if len(old.numbers) != 1 or old.changes or old.negations or old.conditions:
            continue
        before = _day(old)
        after = before and _day(new)
        if not after or before == after:
            continue
        if _MOVED.search(new.low) and _DUE.search(old.low) and _speaks_of(new, old):
            return f"`{before}` against `{after}`"
    return ""


def _day(slots: Slots) -> str:
    """The one full date of a statement."""
    found = [key.removeprefix("date:") for key in slots.numbers if key.startswith("date:")] if slots.numbers else []
    return found[0] if len(found) == 1 and "-" in found[0] else ""


def _speaks_of(new: Slots, old: Slots) -> bool:
    """The news names what was due, by its noun and most of what tells it from others, and no narrower thing."""
    due = [t for t in old.tokens if t.kind == "word" and t.is_content and not _is_date(t) and t.stem not in _TERM | LIGHT]
    thing = {t.stem for t in due if t.stem not in VERBS or t.stem in old.subject}
    head = _head(old)
    if not thing or head not in new.content_set or len(thing & new.content_set) < LEAST_SAID * len(thing):
        return False
    cut = [t for t in new.tokens if t.kind != "stop"]
    ahead = [one for one, other in zip(cut, cut[1:], strict=False) if other.stem in thing and one.is_content]
    return all(one.stem in old.content_set or one.stem in VERBS for one in ahead)


def _head(slots: Slots) -> str:
    """The noun that a statement is about."""
    found = ""
    for token in slots.tokens:
        if found and (token.lower in _BEHIND_HEAD or token.stem in _TERM or token.kind == "stop"):
            break
        found = token.stem if token.is_content else found
    return found


def _is_date(token: Token) -> bool:
    return token.lower in word_classes.QUALIFIERS["month"] or token.lower in word_classes.QUALIFIERS["weekday"]
