"""Plain claims: a thing said to be so, with a value that can be looked up nowhere else.

"Bills are paid within 14 days" is worth keeping though no word in it sounds like a rule; "the button is red" is not. What
tells them apart is a verb of standing in the present tense, a subject that is named and a value: a date, an amount, a
name, a place, an identifier.
"""

from __future__ import annotations

import re
from functools import cache

from dreamd.text import patterns

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_WEEKDAYS = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
_SMALL_NUMBERS = "two|three|four|five|six|seven|eight|nine|ten|twelve"
_TITLE = r"(?:Dr|Mrs?|Ms|Prof)\. "


def states_a_value(sentence: str) -> bool:
    """Whether a named thing, a whole kind or a habit of ours is said to be so, with a value."""
    text = sentence.strip()
    if text.endswith(("?", "？")) or patterns.has("words/claims", "passing", text):
        return False
    office, kind, claim, habit = _shapes()
    if office.match(text) or kind.match(text):
        return True
    return (claim.match(text) or habit.match(text)) is not None and names_a_value(text)


def names_a_value(text: str) -> bool:
    """Whether a text names a date, an amount, a name, a place or an identifier; its first letter may be a capital."""
    return _value().search(text, 1) is not None


@cache
def _shapes() -> tuple[re.Pattern[str], ...]:
    """Four shapes of a claim: who holds an office, what is done with a kind, how a thing stands, what we do."""
    subject = rf"(?i:(?!(?:{_any('no_subject')})\b))"
    office = rf"(?:{_TITLE})?{subject}[A-Z][\w-]+(?: [A-Z][\w-]+)? (?:is|are) (?:the|our|my) [a-z]"
    kind = (rf"(?i){subject}(?!(?:the|some|{_SMALL_NUMBERS}|we|all|both)\b)(?:[\w'-]+ ){{1,3}}are (?:{_any('participle')})"
            r" (?:in|with|by|to|at|via|on|from|as|for|under|without) \w")
    claim = (rf"(?i)(?:the |our |my |all |every |each |{_TITLE}|[a-z][\w-]* (?:of|for|in|without|with|from|on) )?"
             rf"{subject}(?!we\b)(?:{_TITLE}|[^,.;?]){{2,60}}? (?:{_any('standing')})\b(?! (?:{_any('state_of_work')})\b)")
    habit = rf"(?i)we (?:all |also |mostly |usually )?(?:{_any('habit')})\b(?! (?:it|this|that|them|to)\b)"
    return tuple(re.compile(shape) for shape in (office, kind, claim, habit))


@cache
def _value() -> re.Pattern[str]:
    """What a claim is about, found nowhere but in what was said."""
    unit = _any("unit")
    return re.compile("|".join((
        r"\d{4}-\d\d", r"\b\d{1,2}[:.]\d\d\b", r"\bv?\d+\.\d+", r"\b\d+[x×]", r"\b\d+(?:st|nd|rd|th)\b", r"\b\d{3,} \d{2,}",
        rf"(?i:\b\d[\d,.]* ?(?:%|(?:{unit})\b))", rf"\b(?:{_SMALL_NUMBERS}) (?:\w+ )?(?:{unit})\b",
        r"\b(?:from|between) \d{1,2} (?:to|and) \d{1,2}\b", r"\b\d[\d.,]*k\b", rf"\b{_TITLE}[A-Z]",
        r"(?<!\w)[\"“][^\"”\n]{3,30}[\"”]",
        r"(?<!\w)#[\w-]{3,}", r"\b[a-z]\w*-\d+\b", r"\b[A-Z]+-\d[\w-]+", r"\b[A-Za-z]{2,} \d{1,3}\b(?!\.)",
        r"\b[A-Z]{2,}\d[\w-]*\b", r"\b[A-Z]\d{1,3}\b",
        r"(?<!\w)[~.]{0,2}/?\w[\w.-]*/[\w./-]*", r"\b\w+://\S", r"(?<!\w)--\w[\w-]+", r"`[^`]+`", r"\b[a-z]+_[a-z_]+\b",
        r"\b[\w-]+\.(?:com|org|net|io|dev|example|internal|local)\b",
        r"\b[\w-]+\.(?:md|json|ya?ml|toml|py|ts|js|go|docx|csv|txt|sql)\b",
        rf"(?i:\b(?:in|of|until|by|on|to) (?:{_MONTHS})\b)", rf"(?i:\b(?:on|every(?: second| other)?|each|to) {_WEEKDAYS}\b)",
        rf"(?i:\b{_WEEKDAYS}\b)", r"\b\d[\d.,]* [a-z]{3,}s\b", r"\b[A-Z] \d{2,}\b",
        r"\b[A-Z]{2,5}\b", r"(?<=[a-z,/] )[A-Z][A-Za-z]{2,}",
    )))


def _any(table: str) -> str:
    return "|".join(patterns.entries("words/claims", table))
