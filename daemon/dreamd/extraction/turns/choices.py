"""Which of several things is meant: "the second one" after "tabs or spaces?", told with its name."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ORDINALS = {"first": 0, "former": 0, "second": 1, "third": 2, "fourth": 3, "last": -1, "latter": -1}
_ORDINAL = r"the (?P<which>first|former|second|third|fourth|last|latter)"
_PICK = re.compile(
    rf"(?i)(?:(?:ok(?:ay)?|yes|hm+|well|please|let['’]s|let us|i['’]d|definitely|clearly|rather|say|go (?:with|for)|take|use"
    r"|prefer"
    rf"|pick|choose"
    rf"|want|i|we)[,. ]+)*{_ORDINAL}(?: (?:one|option|variant))?(?P<rest>[.,;:!–-].*)?[.! ]*", re.DOTALL)
_MEANT = re.compile(rf"(?i)\b{_ORDINAL} (?:one|option|variant)\b(?= (?:is|was|has|i|we|you|should|must|can|stays|goes|never"
    rf"|always)\b)")
_LAST_OR = re.compile(r",? (?:or|oder|ou|o) (?=\S)")
_LAST_AND = re.compile(r",? (?:and|und|et|y|e) (?=\S)")
_FRAME = re.compile(r"(?i).*\b(?:be|use|with|in|as|to|on|for|want|prefer|like|take|need|keep|between|by|have|is|are"
    r"|there)\b[,:]?\s+|.*[:–]\s+")
_SHOULD = re.compile(r"(?i)(?P<norm>should|must|shall) (?P<subject>(?!i\b|we\b|you\b|it\b|this\b|that\b"
    r"|they\b).+?) (?P<verb>be|use|have|stay|go|return"
                     r"|start|end|run|live|show)\s*", re.DOTALL)
_VERB = re.compile(r" (?:are|is|do|does|have|has|would|can|will|work|works|both)\b")
_MOST_WORDS = 4
_LONGEST = 48
_NO_THING = re.compile(r"(?i)(?:not|no|yes|so|something else|other|later|now|both|neither|wait|leave|skip|stop|go|continue"
    r"|do|keep|fix|add|remove"
                       r"|implement|just|only|also|then|i|we|you|it|that|this)\b")


def alternatives(text: str) -> tuple[str, ...]:
    """The things that a question or a statement names side by side: "floats or integer cents", "red, green and blue"."""
    said = text.strip().rstrip("?？.! ")
    for between in (_LAST_OR, _LAST_AND) if not text.rstrip().endswith(("?", "？")) else (_LAST_OR,):
        found = list(between.finditer(said))
        if found:
            listed = _listed(said[:found[-1].start()], said[found[-1].end():])
            return listed if all(map(_is_thing, listed)) else ()
    return ()


def picked(answer: str, question: str) -> tuple[str, str] | None:
    """The thing that a whole answer picks of those in the question, and what the answer says besides."""
    found = _PICK.fullmatch(answer.strip())
    thing = _thing(found, question) if found else ""
    return (thing, (found["rest"] or "").lstrip(" .,;:!–-")) if found and thing else None


def with_names(sentence: str, offered: Iterable[str]) -> str:
    """A sentence with the name in the place of "the second one", where the nearest list before it has one."""
    found = _MEANT.search(sentence)
    thing = next((named for text in offered if (named := _thing(found, text))), "") if found else ""
    return f"{sentence[:found.start()]}{thing}{sentence[found.end():]}" if found and thing else sentence


def decided(question: str, thing: str) -> str:
    """What a question and the thing picked of it say together."""
    asked = question.strip().rstrip("?？ ")
    found = _SHOULD.match(asked)
    if found:
        return f"{opened(found['subject'])} {found['norm'].lower()} {found['verb'].lower()} {thing}."
    return f"{opened(asked)}? {opened(thing)}."


def _thing(found: re.Match[str], offered: str) -> str:
    listed = alternatives(offered)
    place = _ORDINALS[found["which"].lower()]
    return listed[place] if listed and -1 <= place < len(listed) else ""


def _listed(head: str, last: str) -> tuple[str, ...]:
    """The list that ends with `last`; its first member begins behind the words that lead up to it."""
    last = _VERB.split(last, maxsplit=1)[0].strip()
    led_up = _FRAME.match(last)
    listed = [last[led_up.end():] if led_up and led_up.end() < len(last) else last]
    *front, nearest = head.split(", ")
    framed = _FRAME.match(nearest)
    listed.insert(0, nearest[framed.end():] if framed else nearest)
    while front and not framed and len(front[-1].split()) <= 2:
        listed.insert(0, front.pop())
    if front and not framed and len(listed) > 2 and (lead := _FRAME.match(front[-1])) is not None:
        listed.insert(0, front[-1][lead.end():])
    return tuple(part.strip(" ,\"“”") for part in listed)


def _is_thing(text: str) -> bool:
    return 0 < len(text) <= _LONGEST and len(text.split()) <= _MOST_WORDS and _NO_THING.match(text) is None


def opened(text: str) -> str:
    """A text with a capital, unless it begins with a name that has none: an address, a path, a version."""
    return text[:1].upper() + text[1:] if re.match(r"[a-zà-ÿ]+(?=[\s,.!?;:'’]|$)(?![.@/]\w)", text) else text
