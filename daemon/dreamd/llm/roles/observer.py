"""The observer: a stretch of conversation in, facts out, each with the lines it rests on word for word.

What quotes no line, or quotes wrongly, is dropped and counted. Whose word a fact is decide the lines, never the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dreamd.core.plain_words.rule_parts import LABELS, written
from dreamd.core.settings import LlmSettings
from dreamd.core.values import Category, GateVerdict, MemoryClass, MemoryType
from dreamd.llm.roles.prompts import SHARE, TEXT, WHOLE, choice, fenced, listed, load_prompt, records, shape, words
from dreamd.llm.roles.record import Line, told
from dreamd.models.language_model import Ask, Role
from dreamd.text.tokens import fold

MOST_OUT = 4000
MOST_FACTS = 24
"""Facts that one stretch can give; a reader that finds more has copied it."""
LONGEST_FACT = 500
SHORTEST_QUOTE = 2
UNSURE = 0.5
"""Confidence below which a fact waits for a person."""
CLASSES = (MemoryClass.PREFERENCE, MemoryClass.RULE, MemoryClass.REFERENCE, MemoryClass.STATE)
SCHEMA: Mapping[str, object] = shape({"segments": listed(shape({
    "narrative": TEXT, "facts": listed(shape({
        "text": TEXT, "class": choice(CLASSES), "type": choice(list(MemoryType)), "category": choice(list(Category)),
        "priority": WHOLE, "gate": choice(list(GateVerdict)), "confidence": SHARE, "why": TEXT, "how_to_apply": TEXT,
        "quotes": listed(shape({"line": WHOLE, "quote": TEXT})),
    })),
}))})


@dataclass(frozen=True)
class Quoted:
    """A line with the piece of it that a fact rests on."""

    line: Line
    quote: str


@dataclass(frozen=True)
class Fact:
    """One statement of the observer, its quotes found in their lines."""

    text: str
    memory_class: MemoryClass
    memory_type: MemoryType
    category: Category
    unsure: bool
    quotes: tuple[Quoted, ...]


def room(settings: LlmSettings) -> int:
    """Bytes of a stretch that fit into one call; a token is never less than a byte."""
    constant = len(load_prompt("observer").text.encode()) + len(repr(SCHEMA)) + 200
    return max(2000, settings.tokens_per_call - constant - MOST_OUT)


def ask_about(lines: Sequence[Line], *, scope: str, seconds: float) -> Ask:
    """Ask what a stretch holds."""
    prompt = load_prompt("observer")
    return Ask(Role.OBSERVER, prompt.name, prompt.text, fenced("# The record", told(lines)), SCHEMA, scope, MOST_OUT, seconds)


def read_facts(value: Mapping[str, object], lines: Sequence[Line], dropped: Counter[str]) -> list[Fact]:
    """The facts of an answer that quote their lines rightly; what is dropped is counted by reason."""
    by_number = {line.number: line for line in lines}
    found: list[Fact] = []
    for segment in records(value.get("segments")):
        for raw in records(segment.get("facts")):
            reason = "too-many" if len(found) >= MOST_FACTS else ""
            fact = None if reason else _read(raw, by_number)
            if isinstance(fact, Fact):
                found.append(fact)
            else:
                dropped[reason or fact or "unreadable"] += 1
    return found


def _read(raw: Mapping[str, object], lines: Mapping[int, Line]) -> Fact | str:
    text = words(raw.get("text"), LONGEST_FACT)
    if not text:
        return "unreadable"
    if raw.get("gate") == GateVerdict.DISCARD:
        return "left-out"
    quotes = [_found(one, lines) for one in records(raw.get("quotes"))]
    if not quotes:
        return "no-quote"
    if not all(quotes):
        return "wrong-quote"
    for name in LABELS:
        if more := words(raw.get(name.replace(" ", "_")), LONGEST_FACT):
            text += written(name, more)
    try:
        return Fact(text, MemoryClass(str(raw.get("class"))), MemoryType(str(raw.get("type"))),
                    Category(str(raw.get("category"))), _is_unsure(raw), tuple(q for q in quotes if q))
    except ValueError:
        return "unreadable"


def _is_unsure(raw: Mapping[str, object]) -> bool:
    confidence = raw.get("confidence")
    return raw.get("gate") != GateVerdict.ALLOW or not isinstance(confidence, int | float) or not UNSURE <= confidence <= 1


def _found(raw: Mapping[str, object], lines: Mapping[int, Line]) -> Quoted | None:
    """The line that is named, where the piece stands in it letter by letter; only kinds of quotes and spaces may differ."""
    number, quote = raw.get("line"), words(raw.get("quote"))
    line = lines.get(number) if isinstance(number, int) else None
    if line is None or len(quote) < SHORTEST_QUOTE and quote != line.text or fold(quote) not in fold(line.text):
        return None
    return Quoted(line, quote)
