"""Which lines of a task would serve a later one: those that can be read without it and stay true.

One or two sentences, a citation, nothing that leans on what stands beside, nothing of the moment or of the task itself.
"""

from __future__ import annotations

import re
from datetime import datetime, tzinfo
from functools import cache

from dreamd.core.values import Gated, GateVerdict, MemoryClass, Origin
from dreamd.extraction.gate import gate
from dreamd.extraction.stance import is_work, leans
from dreamd.text import patterns
from dreamd.text.tokens import tokens

MOST_SENTENCES = 2
LONGEST = 400
_SENTENCE = re.compile(r"(?<=[a-z\d)`\"'»”\]][.!?])\s+(?=[A-ZÀ-Þ`\"(])|(?<=[。！？])")
_NUMBERED = re.compile(
    r"(?i)(?<![\w/])#\d+\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b|\b(?:adr|rfc)[ -]?\d+\b"
    r"|\b(?:pr|pull request|issue) #?\d+\b")
_FILE = re.compile(
    r"(?<![\w/])(?:[\w@.-]+/)*(?:[\w-][\w.-]*\.[a-z]{1,5}|Makefile|Dockerfile|Justfile|Procfile|LICENSE)"
    r"(?::\d+(?:-\d+)?)?(?!\w)")
_NO_FILE = re.compile(r"(?i)^`?(?:e\.g|i\.e|etc|vs|\d[\d.]*\w?|[a-z]\.[a-z])\.?`?$")
_SHELL = re.compile(r"(?:^|\s)(?:&&|\|\|?|;)\s|^\$ ")
"""What joins commands: a line of them without a word around it says neither when nor what for."""
_WORD = re.compile(r"[^\W\d_]+")
_LINE = re.compile(r"(?i)\blines? \d+(?:-\d+)?\b")
_LEANING = frozenset({"outside-pronoun", "question", "thought", "quotes-an-order", "speaks-as-a-chat-role"})
_LASTING = frozenset({MemoryClass.RULE, MemoryClass.PREFERENCE, MemoryClass.REFERENCE})


def why_not(text: str, *, at: datetime, zone: tzinfo) -> str:
    """Why a line stays with its task; empty where it stands alone."""
    gated = gate(text, origin=Origin.AGENT, at=at, zone=zone)
    bare = without_citations(text)
    if gated.verdict is GateVerdict.DISCARD:
        return gated.reason
    if len(text) > LONGEST or len([s for s in _SENTENCE.split(text) if s and s.strip()]) > MOST_SENTENCES:
        return "too-long"
    if not has_citation(text):
        return "no-citation"
    if gated.reason in _LEANING or leans(text):
        return "leans-on-others"
    if not _will_last(gated, bare):
        return "may-change"
    if _SHELL.search(text) and not _small_words().intersection(word.lower() for word in _WORD.findall(bare)):
        return "only-a-command"
    if is_work(bare) or patterns.has("words/tasks", "of_the_task", bare):
        return "of-this-task"
    return ""


def _will_last(gated: Gated, bare: str) -> bool:
    hedged = patterns.has("words/sure", "hedge", bare)
    return gated.memory_class in _LASTING and not gated.ttl and not (hedged or may_change(bare))


def may_change(text: str) -> bool:
    """Whether a text tells of the moment: "at the moment", "for now", "currently"."""
    return patterns.has("words/sure", "momentary", text) or patterns.has("words/tasks", "may_change", text)


@cache
def _small_words() -> frozenset[str]:
    return frozenset(patterns.entries("words/dates", "stopwords"))


def has_citation(text: str) -> bool:
    """Whether a line says where it can be looked up: a file, an address, a record, a change by its number or hash."""
    return bool(_NUMBERED.search(text) or _files(text)) or any(token.kind in ("url", "path") for token in tokens(text))


def without_citations(text: str) -> str:
    """A line without what it cites: the number of a line or of a change is no word of the moment."""
    for cited in _files(text):
        text = text.replace(cited, " ")
    return " ".join(_NUMBERED.sub(" ", _LINE.sub(" ", re.sub(r"https?://\S+", " ", text))).split())


def _files(text: str) -> list[str]:
    return [found[0] for found in _FILE.finditer(text) if not _NO_FILE.match(found[0])]
