"""A person's second thought about what they said a moment ago: "sorry, I meant 7010", "scratch that", "that was a joke".

Such a sentence speaks of the person's last kept sentence, which must not live on with the wrong value. What it says
instead is told here: a whole sentence, one value to put in the place of another, or nothing at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from dreamd.extraction.stance import is_question
from dreamd.text import patterns

_LONGEST_VALUE = 40
_SHORTEST_TAIL = 20
_MOST_WORDS = 3
_STEM = 5
_FEWEST_SHARED = 0.5
_WORD = re.compile(r"[^\W\d_][\w-]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
_PLACE = re.compile(r"(?i)(?P<place>(?:on|in|at|to|under|from|with|by|for|use|is)(?: the| an?| our)?)"
                    r" (?P<new>[\w-]+) (?P<thing>[\w-]{3,})(?=[,.;!]|$)")
_LEAN = re.compile(r"(?i)\b(?:it|them|this|that|those|these|they|es|das|sie|ihn|eso|ellos|lo|la|los|ça|le|les|cela)\b")
_BEFORE_VALUE = re.compile(
    r"(?i)(?:(?:to|on|at|in|by|for|from|until|of|the|a|an|port|version|use|it['’]?s|it is|that['’]?s|is|make (?:it|that)|auf|am"
    r"|um|in|den|die|das|es ist|nimm|el|los|la|en|a las|es|le|la|les|à|en|c'est) )+")
_NOT_THE_OLD = re.compile(
    r"(?i)(?:,|;|(?<=\w)) (?:and |y |und |et )?(?:not|nicht|no|pas|instead of|statt|en vez de|au lieu de) "
    r"(?P<old>[^,;.!]+|\S+)$")


@cache
def _value() -> re.Pattern[str]:
    """A value of any kind: what tells capitals from others says so itself."""
    kinds = patterns.load("words/values")["kind"]
    return re.compile("|".join(f"(?P<{one['name']}>{one['says']})" for one in kinds), re.IGNORECASE)


REVISION = timedelta(minutes=30)
"""Within so long a second thought may follow."""


@dataclass(frozen=True)
class Revision:
    """What a second thought says instead, and how surely it speaks of an earlier word of its person."""

    rest: str
    """The sentence without its opener; empty when it only takes back."""
    sure: bool
    """Whether it says itself that an earlier word was wrong, and not only stops short."""
    about: str = ""
    """What it names of the earlier word: "forget what I said about squashing"."""


def revision_of(text: str) -> Revision | None:
    """The second thought a sentence is, or None."""
    opening = patterns.cue("words/stance", "interjection", start=True).match(text)
    bare = text[opening.end():] if opening else text
    found = patterns.cue("words/stance", "takes_back_named", start=True).match(bare)
    if found is not None:
        about, _, rest = bare[found.end():].partition(",")
        return Revision(_sentence(rest), sure=True, about=about.strip(" .!:"))
    found = patterns.cue("words/stance", "takes_back", start=True).match(bare)
    if found is not None:
        return Revision(_sentence(bare[found.end():]), sure=True)
    found = patterns.cue("words/stance", "thinks_again", start=True).match(text)
    return Revision(_sentence(bare if opening else text[found.end():]), sure=False) if found is not None else None


def _sentence(rest: str) -> str:
    """What follows an opener, without a value said first and then again: "7010, the server runs on 7010"."""
    rest = rest.strip(" ,;:.!–—-…。、，")
    head, _, tail = rest.partition(", ")
    if len(tail) >= _SHORTEST_TAIL and is_bare(head) and head.lower() in tail.lower():
        rest = tail
    return rest


def put_right(earlier: str, rest: str, *, unreadable: bool = False) -> str | None:
    """The earlier sentence with the one value that `rest` gives, or None where it is not plain which value that is.

    `unreadable` when `rest` is more than a value and yet says too little to stand by itself.
    """
    said, old = _new_and_old(rest)
    bare = _bare(said)
    if old and earlier.lower().count(old.lower()) == 1 and len(bare.split()) <= _MOST_WORDS:
        at = earlier.lower().index(old.lower())
        return f"{earlier[:at]}{bare}{earlier[at + len(old):]}"
    if (aligned := _aligned(earlier, said)) is not None:
        return aligned
    values = [found for found in _values(f"x {said}") if found[1] not in earlier] or _values(f"x {said}")
    if len(values) != 1 or not (
            _is_value(bare) or ((unreadable or _LEAN.search(said)) and is_same_subject(said, earlier))):
        return None
    kind, value, _ = values[0]
    places = [place for k, _, place in _values(earlier) if k == kind]
    place = places[0] if len(places) == 1 else _named_place(earlier, places, said)
    return earlier[:place[0]] + value + earlier[place[1]:] if place is not None else None


def _named_place(earlier: str, places: list[tuple[int, int]], said: str) -> tuple[int, int] | None:
    """Which of several values is meant: the one with words beside it that are said again, "1,750 in spring"."""
    if not places:
        return None
    meant = _stems(said)
    ends = [*(start for start, _ in places[1:]), len(earlier)]
    beside = [len(_stems(earlier[place[1]:end]) & meant) for place, end in zip(places, ends, strict=True)]
    best = max(beside, default=0)
    return places[beside.index(best)] if best and beside.count(best) == 1 else None


def _aligned(earlier: str, said: str) -> str | None:
    """"On the silver drive" put into "proxies go on the blue drive": the same place words and thing, another word between."""
    found = _PLACE.match(said)
    if found is None:
        return None
    same = list(re.finditer(rf"(?i)\b{re.escape(found['place'])} (?P<old>[\w-]+) {re.escape(found['thing'])}\b", earlier))
    if len(same) != 1 or same[0]["old"].lower() == found["new"].lower():
        return None
    return earlier[:same[0].start("old")] + found["new"] + earlier[same[0].end("old"):]


def is_bare(rest: str) -> bool:
    """Whether a text is nothing but a value, and says nothing by itself."""
    bare = _bare(_new_and_old(rest)[0])
    return _is_value(bare) or len(bare.split()) <= 1


def is_same_subject(later: str, earlier: str) -> bool:
    """Whether most words of substance of the shorter sentence stand in the other one."""
    mine, theirs = _stems(later), _stems(earlier)
    if not mine or not theirs:
        return False
    return len(mine & theirs) >= max(1.0, _FEWEST_SHARED * min(len(mine), len(theirs)))


def is_named_in(later: str, earlier: str) -> bool:
    """Whether a second thought names anything that the earlier sentence names."""
    return bool(_stems(later) & _stems(earlier))


def speaks_of(revision: Revision, earlier: str) -> bool:
    """Whether a second thought is plainly of an earlier sentence: it names it, gives a value for it or says the most of it."""
    if revision.about:
        return is_named_in(revision.about, earlier)
    return (revision.sure or not is_question(revision.rest)) and (
        put_right(earlier, revision.rest) is not None or is_same_subject(revision.rest, earlier))


def _new_and_old(rest: str) -> tuple[str, str]:
    """"7010, not 7001" taken apart."""
    said = rest.strip(" .!")
    named = _NOT_THE_OLD.search(said)
    return (said[:named.start()], named["old"].strip(" `'\"")) if named else (said, "")


def _bare(said: str) -> str:
    found = _BEFORE_VALUE.match(said)
    return said[found.end():] if found else said


def _is_value(text: str) -> bool:
    """Whether a text is one value, perhaps with the word that says of what: "30 days"."""
    found = _value().match(f"x {text}", 2) if text else None
    return found is not None and len(text) <= _LONGEST_VALUE and len(text[found.end() - 2:].split()) <= 1


def _values(text: str) -> list[tuple[str, str, tuple[int, int]]]:
    return [(str(found.lastgroup), found[0], found.span()) for found in _value().finditer(text)]


def _stems(text: str) -> set[str]:
    small = patterns.entries("words/stance", "no_substance")
    return {found[0].lower()[:_STEM] for found in _WORD.finditer(text) if found[0].lower() not in small}
