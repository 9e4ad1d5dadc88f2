"""What a statement is: its class, the type agents use, and the section of the index it belongs to.

Key words decide, in a fixed order, so the same words always get the same answer.
"""

from __future__ import annotations

import re
from functools import cache

from dreamd.core.values import Category, MemoryClass, MemoryType
from dreamd.text import patterns

_FIRST_WORD = re.compile(r"\W*([^\W\d_]+(?:-[^\W\d_]+)?)")
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
        return not any(patterns.starts("words/phrases", name, rest) for name in ("not_an_order", "names_a_thing"))
    return begins_with(_imperatives("imperative_or_noun"), text)


def begins_with(verbs: frozenset[str], text: str) -> bool:
    """Whether a sentence begins with one of some words as an order does: no verb that would make it a noun follows soon."""
    found = _FIRST_WORD.match(text)
    if found is None or found[1].lower() not in verbs:
        return False
    rest = text[found.end():]
    return bool(rest.strip(" .!")) and not any(
        patterns.starts("words/phrases", name, rest) for name in ("verb_follows", "not_an_order"))


@cache
def _imperatives(table: str) -> frozenset[str]:
    return frozenset(patterns.entries("words/classes", table))
