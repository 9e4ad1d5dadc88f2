"""Whether a text tells somebody what to do, however it is dressed; and whether only a person may say so. Pure.

An agent's word may be a fact, never a rule: what it notes in the form of an order, what a class calls a rule or a preference,
what it says that somebody else wants or allows, and a fact that changes what may be done, waits for a person. What an order
does is not asked, for no list of words would know all that does harm; only lines of a memory directory, which a person chose
to have read, are asked for that.
"""

from __future__ import annotations

import re
from functools import cache

from dreamd.core.values import MEMORY_FILE, MemoryClass, Origin, Trust, trust_of
from dreamd.extraction.classes import begins_with, class_of
from dreamd.text import patterns
from dreamd.text.injection import could_harm
from dreamd.text.tokens import stem

STANDING = frozenset({MemoryClass.PREFERENCE, MemoryClass.RULE})
"""What holds in every conversation, and so may come from a person alone."""
ACCEPTED = frozenset({"proposal"})
"""Signs of an agent's words that the person agreed to in the conversation itself."""
_SENTENCE = re.compile(r"(?<=[.!?])[\"'”’»)*_`]*\s+|(?<=[。！？])|\n+|;\s+|\s+[–—-]+\s+")
_CLAUSE = re.compile(r"[,:：，、]\s*|\s+(?:and|then|und|dann|y|et|e)\s+")
_LEAD = re.compile(r"(?i)[\W_]*(?:(?:please|kindly|just|also|then|and|so|always|never|bitte|por favor|s'il (?:te|vous) pla[iî]t"
                   r"|请|請)[\s,]*)*")


def needs_a_person(text: str, *, origin: Origin, memory_class: MemoryClass, sign: str) -> str:
    """Why a statement that no person made waits for one; or nothing."""
    if trust_of(origin) is not Trust.AGENT:
        return ""
    if could_harm(text):
        # Whoever wanted this may have told the agent on a page it read; only a person can say that it is meant.
        return "order-for-a-person"
    if sign == MEMORY_FILE or sign in ACCEPTED:
        return ""
    if changes_what_may_be_done(text):
        return "order-for-a-person"
    if memory_class in STANDING or gives_orders(text) or patterns.has("words/orders", "speaks_for", text):
        return "rule-for-a-person"
    return ""


def must_name_something(origin: Origin, sign: str) -> bool:
    """Whether a statement may live by itself only as a look-up: nobody but an agent, or a file of its, says it."""
    return trust_of(origin) is Trust.AGENT and sign != MEMORY_FILE and sign not in ACCEPTED


def changes_what_may_be_done(text: str) -> bool:
    """Whether a text put as a fact permits something, takes a safeguard away, or sends something out of the house.

    Whoever reads it acts on it as on an order, so it is one. A safeguard and its absence must stand in one sentence.
    """
    plain = text.replace("’", "'")
    return any(
        patterns.has("words/orders", "permits", part) or patterns.has("words/orders", "leaves", part)
        or (patterns.has("words/orders", "safeguard", part) and patterns.has("words/orders", "lifted", part))
        for part in parts_of(plain))


def gives_orders(text: str) -> bool:
    """Whether any sentence of a text, or any part of one, has the form of a rule, a wish or an order."""
    return any(is_ruling(sentence) or any(map(_is_imperative, _CLAUSE.split(sentence))) for sentence in parts_of(text))


def is_ruling(sentence: str) -> bool:
    """Whether one sentence states a rule or a wish, or begins as an order does."""
    return class_of(sentence, has_ttl=False) in STANDING or _is_imperative(sentence)


def parts_of(text: str) -> list[str]:
    """The sentences of a text, and what a dash or a semicolon sets apart in them."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def _is_imperative(clause: str) -> bool:
    lead = _LEAD.match(clause)
    bare = clause[lead.end():] if lead else clause
    if patterns.starts("words/orders", "imperative", bare) or patterns.has("words/orders", "ending", bare.rstrip(" .!。！")):
        return True
    return begins_with(_verbs(), bare)


@cache
def _verbs() -> frozenset[str]:
    plain = patterns.entries("words/orders", "verb_stem")
    return frozenset((*plain, *map(stem, plain), *patterns.entries("words/orders", "verb")))
