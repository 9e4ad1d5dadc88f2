"""Plain look-ups: where a thing is, which one it is, how large, since when. Pure.

What an agent says beyond a look-up describes how things are done here, and whoever reads it does them so. No list of words
knows all that could do harm in such a sentence. Its shape can be seen: a look-up has a verb of rest with a value behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from dreamd.text import patterns
from dreamd.text.language import language_of

LONGEST_SUBJECT = 14
"""Words before the verb: more is no subject any more, it is a clause."""
LONGEST_SENTENCE = 45
_SENTENCE = re.compile(r"(?<=[.!?])[\"'”’»)*_`]*\s+|(?<=[。！？])|\n+|;\s+|\s+[–—-]+\s+")
_CLAUSE = re.compile(r"(?<!\d),(?=\s)\s*|\s+(?:and|but|while|und|aber|y|pero|et|mais|e|ma)\s+|[，、]")
_REASON = re.compile(r"(?i)(?:because|weil|da|denn|porque|parce qu|car|perché|poiché|so that|damit)\b[^,;]*")
_FAR = re.compile(r"(?:https?|s3|gs|s?ftps?|wss?)://\S+|[\w.+-]+@[\w-]+\.[\w.-]+")
_FAR_REST = re.compile(r"(?i)(?:\b(?:is|are|at|in|on|under|see|called|ist|sind|unter|auf|bei|es|son|está|están|en|est|sont"
                       r"|sur|à|é|são|em|è|sono|su)\s+|[:=(|<]\s*|[是为在は]\s*)$")
_LOWER_VALUE = (
    r"\d", r"`[^`\n]+`", r"(?<!\w)[~.]{0,2}/?\w[\w.-]*/[\w./*-]+", r"(?<!\w)/[\w.-]+", r"\b\w+://\S", r"(?<!\w)--\w[\w-]+",
    r"\w_\w", r"\b\w+-[A-Z]\w*", r"\b[a-z]\w*-\w+(?=[.\s]*$)", r"\b[a-z]+[A-Z]\w*", r"\b[A-Z][a-z0-9]+[A-Z]\w*",
    r"\b[\w-]{2,}\.[a-z]{2,5}\b", r"(?<!\w)[\"“„«][^\"”“»\n]{2,40}[\"”“»]")
_VALUE = re.compile("|".join(_LOWER_VALUE))
_NAME = re.compile(r"(?<=[a-z,/(:] )[A-Z][a-z]\w+|(?<=[a-z:] )[A-Z]{2,}(?=(?: [a-z]+)?[.\s]*$)")
"""The name of one thing inside a sentence; capitals alone only near its end, for acronyms are common nouns."""
_CALLED = re.compile(r"(?i)\b(?:called|named|heißt|heißen|llama|s'appelle|chama|chiama)\s+(?=\w)|叫做?|という")
_LED = re.compile(r"(?:The |Die |Der |Das |Le |La |El )?(?:[A-Z]\w+ v?\d[\d.]* (?:is|are|ist|sind|est|es) "
                  r"(?:the|used|die|der|das|la|le|el)\b"
                  r"|(?:\w+ )?`?[\w.-]*[/.][\w./-]*\w`? (?:holds|contains|enthält|contient|contiene)\b)")
_BARE = re.compile(r"(?i)^[^,;]*\b(?:is|are|lies?|lives?|runs?|listens|ist|sind|liegt|liegen|läuft|est|sont|es|está|son|están"
                   r"|é|è) (?:[^\W\d]+ ){0,3}`?(?:\S*[\d/_]\S*|\S+\.\w{2,4})`?(?: \w+){0,1}[.\s]*$")
"""What guards something, or is guarded, may be told where it is and which, in one clause and no more."""
_ONLY_WHOM = re.compile(r"(?i)\b(?:for|für|para|pour|per)\s+(?:the\s+|der\s+|die\s+|das\s+|la\s+|le\s+|el\s+)?$")
"""What stands before a value that only says which of the things is meant."""


def is_look_up(text: str) -> bool:
    """Whether every sentence of a text says of a thing where, which or how large it is."""
    return all(_is_plain(part) or _names_a_version(part) for part in _SENTENCE.split(text) if part and part.strip())


def _names_a_version(sentence: str) -> bool:
    """Whether a sentence says what a thing with its version, or a file, is for: "Node 20 is the …", "a/b.ts holds …"."""
    led = _LED.match(sentence)
    return led is not None and len(sentence.split()) <= LONGEST_SUBJECT and not _touches_safety(sentence)


def _touches_safety(sentence: str) -> bool:
    return patterns.has("words/orders", "safeguard", sentence) or not {
        *re.findall(r"[^\W\d_]+", sentence.casefold())}.isdisjoint(_secret_things())


@cache
def _secret_things() -> frozenset[str]:
    return frozenset(patterns.entries("words/orders", "entrusted"))


def _is_plain(sentence: str) -> bool:
    bare = _REASON.sub("", sentence.strip())
    if len(bare.split()) > LONGEST_SENTENCE or not _far_things_rest(bare):
        return False
    tongue = language_of(bare)
    if _touches_safety(bare) and _BARE.search(bare) is None:
        return False
    whole = False
    for clause in _CLAUSE.split(bare):
        if not clause.strip(" .!?\"'"):
            continue
        if not whole:
            whole = _says_a_value(clause, tongue)
        elif len(clause.split()) > 1 and not _has_value(clause, tongue):
            return False
    return whole


def _says_a_value(clause: str, tongue: str) -> bool:
    """Whether a verb of rest stands in a clause, with a value behind it that is more than the name of its subject."""
    for verb in _verbs().finditer(clause):
        if len(clause[:verb.start()].split()) <= LONGEST_SUBJECT and any(
                _ONLY_WHOM.search(clause[:at]) is None for at in _values(clause, tongue, verb.end())):
            return True
    colon = re.match(r"[^:：]{3,60}[:：]\s", clause)  # "Staging cluster: k8s-stg-2"
    return colon is not None and any(True for _ in _values(clause, tongue, colon.end()))


def _has_value(clause: str, tongue: str) -> bool:
    return any(True for _ in _values(clause, tongue, 0))


def _values(clause: str, tongue: str, start: int) -> Iterator[int]:
    """Where values begin from a place on."""
    for called in _CALLED.finditer(clause):
        if called.end() >= start:
            yield called.end()
    for found in _VALUE.finditer(clause, start):
        yield clause.rfind(" ", 0, found.start() + 1) + 1
    if tongue != "de":  # full of capitals
        for found in _NAME.finditer(clause, start):
            yield found.start()


def _far_things_rest(sentence: str) -> bool:
    """Whether the addresses in a sentence are places, and not where something goes, comes from or is fetched."""
    return all(_FAR_REST.search(sentence[:found.start()]) for found in _FAR.finditer(sentence))


@cache
def _verbs() -> re.Pattern[str]:
    return patterns.cue("words/orders", "rests")
