"""What a sentence speaks of that begins with "it", "she" or "mine": told with its name, or behind the words that name it.

A name is put in the place of a pronoun only where one thing was spoken of: what "we have …" brought in, the one person who was
named, what the agent called "your …". Otherwise the sentence stands behind the one before it, and where that says nothing
either, nothing is made of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dreamd.extraction.signs import is_at_work
from dreamd.extraction.stance import is_question, leans
from dreamd.extraction.turns.passing import names_something_at_hand
from dreamd.text import patterns

LONGEST_LEAD = 140
"""A sentence longer than this is not carried in front of another."""
_FEWEST_LETTERS = 20
_OBJECT = re.compile(r"(?i)\b(?:it|them|that|this|those|these|him|her|there|one)\b")
_SUBJECT = re.compile(
    r"(?i)(?P<lead>(?:(?:and|but|so|also|oh|ah|well|btw|yes|yep|no|ok(?:ay)?)[, ]+)*)(?P<pronoun>it|they|he|she|that|those"
    r"|these|this)"
    r"(?P<verb>['’]s|['’]re|['’]ve|(?: (?:only|always|never|also|usually))? [a-z]+)\b(?P<rest>.+)", re.DOTALL)
_OWNER = re.compile(r"(?i)(?P<lead>(?:(?:and|but|so|also|oh|ah|well|btw|yes|no|ok(?:ay)?)[, ]+)*)(?P<pronoun>her|his|their"
    r"|its) (?P<rest>[\w-]+ .+)",
                    re.DOTALL)
_MINE = re.compile(r"(?i)(?:(?:and|but|so|oh|ah+|well|yes|no|right|ok(?:ay)?)[, ]+)*(?P<pronoun>mine|ours)(?P<rest> (?:is"
    r"|are|runs?|uses?|has|lives?|listens?)\b.+)",
                   re.DOTALL)
_YOURS = re.compile(r"(?i)\byour (?P<thing>[\w-]+(?: [\w-]+)??)(?= (?:is|are|has|have|does|do|running|listen\w*|run|use|on"
    r"|in|at|for|from|of)\b|[?,.])")
_THING = r"(?P<thing>(?:an?|the|our|my|another|new|some|two|three) (?:[\w'’-]+ ){0,3}?[\w'’-]+)"
_BRINGS_IN = re.compile(
    rf"(?i)(?:.*[,;:] )?(?:(?:ok(?:ay)?|so|and|btw|now|also|by the way|oh|ah|finally),? )*(?:we|i|they|there"
    rf"|you)(?:['’](?:ve|s|re))? (?:now |also |just |finally |already |both )*"
    rf"(?:have|has|had|got|get|is|are|was|use|bought|rented?|hired|built|made|ordered|found|opened|booked|need|set up"
    rf"|created) (?:got )?(?:now )?{_THING}"
    r"(?: (?:now|too|as well|already|again|btw|since|for|in|at|on|from|with|by|next|these|today|here)\b.*)?[.!]*")
_NAME = re.compile(
    r"(?<![.!?] )(?<!^)(?<!\b[iaIA]n )(?<!\b[Aa]t )(?<!\b[Tt]o )(?<!\bnear )(?<!\bfrom )(?<!\bvia )(?<!\bon"
    r" )\b(?P<name>(?:(?:Dr|Mrs?|Ms|Prof|Frau|Herr|Madame"
    r"|Monsieur)\.? )?[A-ZÄÖÜ][a-zà-ÿ]+(?: [A-ZÄÖÜ][a-zà-ÿ]+)?)\b|^(?P<owner>[A-ZÄÖÜ][a-zà-ÿ]+)(?=['’]s )"
    r"|^(?P<first>[A-ZÄÖÜ][a-zà-ÿ]+(?: [A-ZÄÖÜ][a-zà-ÿ]+)?)(?= (?:is|has|was|will|can|does|broke|left|joined|and|or|\w+s)\b"
    r"|,| \()")
_NO_NAME = re.compile(r"(?i)(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july"
    r"|august|september|october"
                      r"|november|december|i|ok|yes|no|german|english|french|spanish|italian)$")
_DEFINITE = re.compile(r"(?i)^(?:an?|another|new|some|my|our) ")
_MANY = ("they", "those", "these")
_OWNED = re.compile(r"(?i)\b(?:my|our) (?:[\w'’-]+ )??[\w'’-]+(?= (?:this|next|in|for|with|on|at|from|by|to|and|is|was|now"
    r"|too|again|wrote|gave|has|wants?|needs?|said|asks?|decides?)\b|[,.!]|$)")
_ORDERED = re.compile(r"(?i)(?:(?:please|and|also|can you|could you)[, ]+)*[a-z]+ (?P<thing>(?:the|our"
    r"|my) (?:[\w'’-]+ ){0,2}?[\w'’-]+)"
                      r"(?: (?:while|too|please|again|now|and|then|if|when|before|after|first|as well)\b.*)?[.!]*")
_PEOPLE = ("he", "she", "her", "his")
_OTHER_PERSON = re.compile(r"(?i)\b(?:he|him|his|she|her|hers)\b")
_KIN = {
    "she": re.compile(r"(?i)\b(?:daughter|sister|wife|mother|mum|aunt|niece|girlfriend|grandma|grandmother|frau|mrs|ms)\.? $"),
    "he": re.compile(r"(?i)\b(?:son|brother|husband|father|dad|uncle|nephew|boyfriend|grandpa|grandfather|herr|mr)\.? $"),
}
_MOST_BEFORE_SUBJECT = 2
_ROLE_AT_END = re.compile(r"(?i)\b(?:the|your) (?P<thing>[\w-]+(?: [\w-]+)?)[.!]?$")
_NAMING = re.compile(r"(?i)(?:['’]s|['’]re| is| are) (?:now )?(?:called|named)\b")
_HAS_BE = {"'s": " is", "’s": " is", "'re": " are", "’re": " are", "'ve": " have", "’ve": " have"}


@dataclass(frozen=True)
class Before:
    """What was said right before a message."""

    asked: str = ""
    """The agent's question that the message may answer."""
    told: tuple[str, ...] = ()
    """What the agent stated since the person's last message."""
    said: tuple[str, ...] = ()
    """The sentences of the person's last message."""
    told_earlier: tuple[str, ...] = ()
    said_earlier: tuple[str, ...] = ()
    """The same of the turns before, oldest first."""


def begins_with_pronoun(sentence: str) -> bool:
    """Whether a sentence begins with a word that stands for something named before it."""
    return any(shape.fullmatch(sentence) for shape in (_SUBJECT, _OWNER, _MINE))


def without_pronoun(sentence: str) -> str:
    """A sentence as it would read with a name in the place of its first pronoun, to be weighed."""
    for shape, form in ((_SUBJECT, "{name}{verb}{rest}"), (_OWNER, "Arden's {rest}"), (_MINE, "My ferry{rest}")):
        found = shape.fullmatch(sentence)
        if found:
            parts = found.groupdict()
            name = "Our partners" if parts["pronoun"].lower() in _MANY else "Arden"
            return form.format(name=name, verb=_verb(parts.get("verb", "")), rest=parts["rest"])
    return sentence


def with_antecedent(sentence: str, before: Before, said: Sequence[str]) -> str:
    """A sentence that begins with a pronoun, made to stand by itself; nothing where what it speaks of was not said.

    `said` is what the same message said before it.
    """
    if (found := _MINE.fullmatch(sentence)) is not None:
        yours = _YOURS.search(before.asked)
        return f"{'My' if found['pronoun'].lower() == 'mine' else 'Our'} {yours['thing']}{found['rest']}" if yours else ""
    found = _SUBJECT.fullmatch(sentence) or _OWNER.fullmatch(sentence)
    if found is None:
        return ""
    named = _named(found, before, said)
    if named:
        parts = found.groupdict()
        own = f"{named}'s {parts['rest']}" if "verb" not in parts else f"{named}{_verb(parts['verb'])}{parts['rest']}"
        return own[:1].upper() + own[1:]
    if not said and found["pronoun"].lower() in _PEOPLE:
        last = ". ".join(text.rstrip(" .") for text in before.said)
        return _behind(sentence, [last]) if patterns.has("words/passing", "person", last) or _NAME.search(last) else ""
    return _behind(sentence, said or before.said)


def _named(found: re.Match[str], before: Before, said: Sequence[str]) -> str:
    """The one thing or person that a pronoun stands for, where that is plain."""
    near = [*before.said_earlier, *before.said, *said]
    if found["pronoun"].lower() not in _PEOPLE:
        return _thing(near) or (_role(before) if not said and _is_naming(found) else "")
    if _speaks_of_another(found["pronoun"], found["rest"]):
        return ""
    role = (_role(before) or _owned(before.said)) if not said and _is_naming(found) else ""
    return role or _person(near, found["pronoun"])


def _is_naming(found: re.Match[str]) -> bool:
    parts = found.groupdict()
    return _NAMING.match(f"{parts.get('verb', '')}{parts['rest']}") is not None


def _thing(near: Sequence[str]) -> str:
    """The one thing that the last sentence brought in."""
    found = _BRINGS_IN.fullmatch(near[-1].strip()) if near else None
    if found:
        return f"the {_DEFINITE.sub('', found['thing']).removeprefix('the ')}"
    ordered = _ORDERED.fullmatch(near[-1].strip()) if near and is_at_work(near[-1]) else None
    if ordered and not names_something_at_hand(ordered["thing"]):
        return ordered["thing"]
    return _owned(near)


def _owned(near: Sequence[str]) -> str:
    """The one thing or person of ours that the last sentence names."""
    owned = _OWNED.findall(near[-1]) if near else []
    return owned[0] if len(owned) == 1 else ""


def _role(before: Before) -> str:
    """What the agent's last sentence ended with: "here is the letter to the landlady"."""
    found = _ROLE_AT_END.search(before.told[-1]) if before.told else None
    return f"the {found['thing']}" if found else ""


def _person(near: Sequence[str], pronoun: str) -> str:
    """The one person whom the last sentence with a name is about."""
    for text in reversed(near):
        found = (m["name"] or m["owner"] or m["first"] for m in _NAME.finditer(text))
        names = list(dict.fromkeys(name for name in found if not _NO_NAME.search(name)))
        if len(names) > 1:
            return _by_kin(text, names, pronoun)
        if names:
            return names[0] if _is_about(text, names[0], pronoun) else _by_kin(text, names, pronoun)
    return ""


def _by_kin(text: str, names: Sequence[str], pronoun: str) -> str:
    """The one of several names that stands behind a word for a man or a woman: "my daughter Ronja"."""
    fit = [name for name in names if _KIN[_gender(pronoun)].search(text[:text.index(name)])]
    return fit[0] if len(fit) == 1 else ""


def _is_about(text: str, name: str, pronoun: str) -> bool:
    """Whether a sentence begins with a person, or goes on with the same pronoun after the name."""
    start = text.index(name)
    return len(text[:start].split()) <= _MOST_BEFORE_SUBJECT and not is_at_work(text) or any(
        _gender(m[0]) == _gender(pronoun) for m in _OTHER_PERSON.finditer(text, start))


def _speaks_of_another(pronoun: str, rest: str) -> bool:
    return any(_gender(found[0]) != _gender(pronoun) for found in _OTHER_PERSON.finditer(rest))


def _gender(pronoun: str) -> str:
    return "he" if pronoun.lower() in ("he", "him", "his") else "she"


def _behind(sentence: str, near: Sequence[str]) -> str:
    """The sentence behind the one before it, where that says enough to be spoken of."""
    text = next(iter(reversed(near)), "")
    if len(near) > 1 and _OBJECT.search(text):
        text = f"{near[-2].rstrip(' .,;…')}. {text[:1].upper()}{text[1:]}"
    elif _OBJECT.search(text):
        return ""
    if not _FEWEST_LETTERS <= patterns.width(text) <= LONGEST_LEAD or leans(text):
        return ""
    if is_question(text) or is_at_work(text):
        return ""
    return f"{text[:1].upper()}{text[1:].rstrip(' .,;…')}. {sentence[:1].upper()}{sentence[1:]}"


def _verb(said: str) -> str:
    return _HAS_BE.get(said.lower(), said)
