"""What a statement is: its class, the type agents use, and the section of the index it belongs to.

Key words decide, in a fixed order, so the same words always get the same answer.
"""

from __future__ import annotations

import re
from functools import cache

from dreamd.core.values import Category, MemoryClass, MemoryType
from dreamd.text import patterns

_FIRST_WORD = re.compile(r"\W*([^\W\d_]+(?:-[^\W\d_]+)?)")
_NOT_AN_ORDER = re.compile(r"\s+(?:is|are|was|were|has|have|of|can|will|does|must|runs?|comes?|goes|costs|lives|stays"
                           r"|belongs)\b|\s*:"
                           r"|\w*['’]s\b", re.IGNORECASE)
_VERB_FOLLOWS = re.compile(
    r"\s+(?:[\w'’-]+\s+){1,5}?(?:is|are|was|were|has|have|can|cannot|may|must|will|should|runs?|comes?|goes?|go|lives?"
    r"|takes?|needs?|uses?"
    r"|starts?|ends?|arrives?|happens?|belongs?|carr(?:y|ies)|leaves?|stays?|keeps?|contains?|shows?|stores?|lies?"
    r"|sits?)\b", re.IGNORECASE)
_NAMES_A_THING = re.compile(
    r"\s+(?:(?!(?:the|an?|all|any|every|each|no|only|sure|certain|that|what|which|who|where|when|whether|whatever|if|as|once|before"
    r"|after|until|unless|while|because|so|than|and|or|but|it|they|we|you|i|he|she|there|here|this|these|those|nobody|nothing"
    r"|everything|anything|something|to|for|from|in|on|at|with|by|of|not|never|always)\b)[\w-]+\s+){1,3}?"
    r"(?:is|are|was|were|has|equals)\s+\S", re.IGNORECASE)
"""A verb that is the first part of a name, of which something is said: "retry limit is 5", "build server is north"."""
_CATEGORIES = (
    ("memory_system", Category.MEMORY_SYSTEM), ("people", Category.PEOPLE), ("operations", Category.OPERATIONS),
    ("architecture", Category.ARCHITECTURE),
)


def class_of(text: str, *, has_ttl: bool) -> MemoryClass:
    """The class of a statement that may be stored: preference, rule, state or reference."""
    if has_ttl:
        return MemoryClass.STATE
    first = first_sentence(text)
    if patterns.has("words/classes", "preference", first):
        return MemoryClass.PREFERENCE
    if is_order(first) or patterns.has("words/classes", "rule", first):
        return MemoryClass.RULE
    return MemoryClass.REFERENCE


def type_of(text: str, memory_class: MemoryClass) -> MemoryType:
    """The type in frontmatter that goes with a class and its words."""
    if patterns.starts("words/classes", "person", text):
        return MemoryType.USER
    if memory_class is MemoryClass.PREFERENCE:
        return MemoryType.USER
    if memory_class is MemoryClass.RULE:
        return MemoryType.FEEDBACK
    if memory_class is MemoryClass.REFERENCE and patterns.has("words/classes", "lookup", text):
        return MemoryType.REFERENCE
    return MemoryType.PROJECT


def category_of(text: str, memory_class: MemoryClass) -> Category:
    """The section of the index, by key words."""
    if memory_class is MemoryClass.PREFERENCE:
        return Category.PREFERENCES
    if patterns.has("words/classes", "memory_system", text):
        return Category.MEMORY_SYSTEM
    if memory_class is MemoryClass.RULE:
        return Category.RULES
    for table, category in _CATEGORIES:
        if patterns.has("words/classes", table, text):
            return category
    return Category.PROJECTS


def first_sentence(text: str) -> str:
    """The statement itself: what stands before **Why:** and **How to apply:**, up to its first full stop."""
    body = re.split(r"\n\s*\*\*", text.strip(), maxsplit=1)[0]
    return re.split(r"(?<=[.!?。！？])\s+(?=[A-ZÄÖÜÀ-Þ\u3040-\u9fff\uac00-\ud7af])", body, maxsplit=1)[0]


def is_order(text: str) -> bool:
    """Whether a sentence begins with a verb in the imperative."""
    found = _FIRST_WORD.match(text)
    if found is not None and found[1].lower() in _imperatives("imperative"):
        rest = text[found.end():]
        return _NOT_AN_ORDER.match(rest) is None and _NAMES_A_THING.match(rest) is None
    return begins_with(_imperatives("imperative_or_noun"), text)


def begins_with(verbs: frozenset[str], text: str) -> bool:
    """Whether a sentence begins with one of some words as an order does: no verb that would make it a noun follows soon."""
    found = _FIRST_WORD.match(text)
    if found is None or found[1].lower() not in verbs:
        return False
    rest = text[found.end():]
    return bool(rest.strip(" .!")) and not (_VERB_FOLLOWS.match(rest) or _NOT_AN_ORDER.match(rest))


@cache
def _imperatives(table: str) -> frozenset[str]:
    return frozenset(patterns.entries("words/classes", table))
