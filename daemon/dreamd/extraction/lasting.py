"""The clause of a sentence that holds tomorrow, where the sentence as a whole is about today.

"Access lasts 15 minutes, the board decided that last week": what was decided will be asked for, when is told by the date of the
message.
"""

from __future__ import annotations

import re

from dreamd.extraction.gate import is_history
from dreamd.extraction.signs import ENOUGH, is_at_work, weigh
from dreamd.extraction.stance import is_question, leans
from dreamd.extraction.turns.antecedents import begins_with_pronoun, without_pronoun
from dreamd.extraction.turns.borrowed import unmeant_as
from dreamd.extraction.turns.passing import names_something_at_hand
from dreamd.extraction.utterance import cleaned
from dreamd.text import patterns

_BORDER = re.compile(r"(?:[,;:]|\s[-–—]+|…)\s+(?:(?:and|but|so|because|since|also)\s+)?")
_LASTING = frozenset({"stated", "told", "environment", "lookup", "definition", "change", "contrast", "settles", "choice"})
_PROGRAM = re.compile(r"\s*[\w.-]+: ")
"""What a program printed begins with its name."""
_SUBORDINATE = re.compile(r"(?i)(?:if|when|unless|while|although|though|whether|until|before|after|which|who|that|as|than"
    r"|like|every time|each time|whenever|once|wenn|falls|si)\b")
_FEWEST_WORDS = 3
_SHORTEST = 14


def lasting_clause(sentence: str) -> str:
    """The first clause that tells a lasting fact by itself, with those behind it that are no work and not of the moment."""
    if is_question(sentence) or patterns.has("words/rules", "hedge", sentence):
        return ""
    clauses = [clause.strip() for clause in _BORDER.split(sentence.strip()) if clause.strip(" .")]
    printed = _PROGRAM.match(sentence) is not None and patterns.has("words/rules", "narrative", sentence)
    if len(clauses) < 2 or printed:
        return ""
    for n, clause in enumerate(clauses):
        named = without_pronoun(clause)
        if named != clause and (n == 0 or any(map(_is_of_today, clauses[:n])) or begins_with_pronoun(clauses[0])):
            continue
        if _lasts(named):
            # "She" in a later clause is the one whom the first clause names.
            first = clause if named == clause else clauses[0]
            more = next((k for k, other in enumerate(clauses[n + 1:], n + 1) if _is_of_today(other)), len(clauses))
            return "" if first is clauses[0] and leans(first) else cleaned(_joined(sentence, first, clauses[more - 1]))
    return ""


def _lasts(clause: str) -> bool:
    if len(clause.split()) < _FEWEST_WORDS or patterns.width(clause) < _SHORTEST or _SUBORDINATE.match(clause):
        return False
    if _is_of_today(clause) or leans(clause):
        return False
    opened = clause[:1].upper() + clause[1:]
    if unmeant_as(opened) or is_history(opened):
        return False
    weighed = weigh(opened, at_work=True)
    lasting = weighed.strong or not (_LASTING.isdisjoint(weighed.signs) or names_something_at_hand(clause))
    return weighed.weight >= ENOUGH and lasting


def _is_of_today(clause: str) -> bool:
    return (is_at_work(clause) or is_question(clause) or patterns.has("words/claims", "passing", clause)
            or patterns.has("words/rules", "narrative", clause) or patterns.has("words/rules", "momentary", clause)
            or patterns.has("words/rules", "hedge", clause))


def _joined(sentence: str, first: str, last: str) -> str:
    start = sentence.index(first)
    return sentence[start:sentence.index(last, start) + len(last)]
