"""How a person means a sentence: as a question, a passing thought, a piece of work, a pointer at the screen; and whether it
leans on something it does not contain.

The same words are a rule in one sentence and none in the next: "always validate" and "should we always validate". So the
stance is looked at before any key word counts. A pronoun is fine when the note names something before it, when it stands for
what follows ("it is important that …"), and when it means the scope itself ("here", "this project").
"""

from __future__ import annotations

import re
from functools import cache

from dreamd.text import patterns
from dreamd.text.language import language_of

_FEWEST_LETTERS = 3
_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n+")
_SHORT = 60
_WORD = re.compile(r"[^\W_]{2,}|\d+")
_CODE = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”")


def is_question(text: str) -> bool:
    """Whether a sentence asks, with or without a question mark; a tag question only asks for a nod, and is none."""
    text = text.strip().rstrip("\"'”)*_ ")
    if patterns.has("words/phrases", "tag", text):
        return False
    bare = _CODE.sub("x", text)
    return (patterns.starts("words/stance", "asks", text) or patterns.has("words/stance", "asks_inside", bare)
            or patterns.starts("words/stance", "asks_indirectly", text))


def asks_for_a_nod(text: str) -> bool:
    """Whether a statement ends with "…, no?"."""
    return patterns.has("words/phrases", "tag", text.strip())


def is_musing(text: str) -> bool:
    """Whether a sentence only thinks aloud: proposes, imagines, weighs up."""
    return patterns.has("words/stance", "muses", _CODE.sub("x", text))


def states_nothing(text: str) -> str:
    """Why a whole note states nothing: it is a `question` or a `thought`; or an empty string.

    A note of several sentences states something as soon as one of them does.
    """
    reasons = set()
    for sentence in _SENTENCES.split(text.strip()):
        said = sentence.strip()
        if said.endswith(("?", "？")) or (patterns.WIDE.search(said) and is_question(said)):
            reasons.add("" if asks_for_a_nod(said) else "question")
        elif patterns.starts("words/stance", "thought", said) or patterns.has("words/stance", "thought_inside", said):
            reasons.add("thought")
        elif said:
            return ""
    return "" if "" in reasons else min(reasons, default="")


def has_substance(text: str) -> bool:
    """Whether a sentence names anything, beyond agreeing and "always" and "this": "yes please, always" does not."""
    if len(text) > _SHORT or patterns.WIDE.search(text):
        return True
    agrees = patterns.cue("words/sure", "affirmation", whole=True)
    return any(word not in without_substance() and not agrees.match(word) for word in _WORD.findall(text.casefold()))


@cache
def without_substance() -> frozenset[str]:
    """Words that name nothing."""
    return frozenset(patterns.entries("words/stance", "no_substance")) | frozenset(patterns.entries("words/little", "little"))


def is_work(text: str) -> bool:
    """Whether a sentence tells of a piece of work to be done once, as a wish or a need."""
    if patterns.starts("words/stance", "works", text):
        return True
    return patterns.has("words/phrases", "needs_a_thing", text) or any(
        patterns.starts("words/stance", "works", clause.strip()) or _asks_for_work(clause)
        or patterns.starts("words/phrases", "works_on_it", clause)
        for clause in _parts(text)[1:])


def points_at_screen(text: str) -> bool:
    """Whether a sentence names an option, a picture or an item that only the two at work can see."""
    return patterns.has("words/stance", "points", _CODE.sub("x", text))


def without_item(text: str) -> str:
    """A sentence without the "for #3," or "btw," before it."""
    found = patterns.cue("words/stance", "item", start=True).match(text)
    rest = text[found.end():] if found else text
    return rest if len(rest) >= len("always x") else text


def leans(text: str) -> bool:
    """Whether a sentence can only be understood with something before it."""
    if points_outside(text) or patterns.starts("words/phrases", "latter", text):
        return True
    return (patterns.starts("words/phrases", "pointing_start", text) and not _names_scope(text)) or (
        patterns.starts("words/phrases", "unnamed", text))


def _names_scope(text: str) -> bool:
    return patterns.starts("words/phrases", "scope", text.strip())


def is_fragment(text: str) -> bool:
    """Whether a text has too few words to say anything."""
    return len(re.findall(r"[^\W\d_]", text)) < _FEWEST_LETTERS


def _parts(text: str) -> list[str]:
    return [part for part in re.split(r"[,;:…]\s+|\s+(?=(?:let'?s|please|can you|could you)\b)", text) if part]


def _asks_for_work(clause: str) -> bool:
    """Whether a clause inside a sentence asks for something: "… please keep the first"."""
    return (re.match(r"(?i)(?:please|can you|could you)\b", clause) is not None
            and patterns.starts("words/sure", "task", clause) and not patterns.has("words/sure", "standing", clause))


_TOKEN = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?|[\d`/\"“][^\s]*")
_PRONOUNS = frozenset({"he", "she", "they", "them", "him", "her", "it", "his", "their", "hers", "theirs"})
_DEPARTMENT = "IT"
"""In capitals the people who look after computers, and no pronoun."""


def points_outside(text: str) -> bool:
    """Whether a pronoun in the note points at something the note does not name."""
    lang = language_of(text)
    if lang == "fr" and patterns.starts("words/phrases", "italian_article", text):
        return False
    if lang != "en":
        listed = patterns.load("words/gate")["outside"].get(lang, [])
        return any(re.match(rf"\s*(?:{entry})", text, re.IGNORECASE) for entry in listed)
    if patterns.starts("words/phrases", "demonstrative", text) and not _names_scope(text):
        return True
    if patterns.starts("words/phrases", "forward", text):
        return False
    return _leans(patterns.cue("words/gate", "expletive").sub(" ", text))


def _leans(text: str) -> bool:
    for match in _TOKEN.finditer(text):
        if match[0] == _DEPARTMENT and not text.isupper():
            return False
        token = match[0].lower().replace("’", "'")
        bare = token.partition("'")[0]
        if token in _PRONOUNS or (bare in _PRONOUNS and token != bare):
            return True
        if token not in _empty() and bare not in _empty():
            return False  # something is named: pronouns after it can point to it
    return False


@cache
def _empty() -> frozenset[str]:
    return frozenset(patterns.entries("words/gate", "empty_words"))
