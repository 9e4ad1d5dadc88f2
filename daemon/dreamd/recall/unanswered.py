"""Whether nothing that was found answers a question, so that nothing is shown.

What is nearest to a question is always something. Where nobody ever said the answer it is a remark on the same person or
thing, and who reads it reads for nothing. Two signs tell such a question: even its best result is far, or it asks for a
number, a sum, a phone number or a page and no result has one. Nearness alone tells little more: of a hundred questions without
an answer it would silence 22 at the price of one answer in a hundred, and 32 at the price of three.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dreamd.core.identity import speaker_of
from dreamd.core.settings import RecallSettings
from dreamd.recall.ranking import LONGEST_QUESTION, SURELY, Ranked
from dreamd.recall.terms import word_roots
from dreamd.text import patterns

LEAST_NEAR = 0.23
"""Nearness that something must have for anything to be shown: what answers a question, nearly always has more."""
_LISTED = "words/asked"
_MONTH = (r"jan|feb|mar|apr|may|mai|mayo|jun|jul|aug|ago|sep|oct|okt|nov|dec|dez|dic|märz|enero|abril|janv|févr|mars|avr"
          r"|juin|juil|août|déc")
_NUMBER = re.compile(rf"(?i)(?<![\w#/.:@-])\d+(?:[.,]\d+)*k?(?=[\s.,;!?)%€$£]|[a-zµ°]{{1,3}}\b|$)"
                     rf"(?!\.? ?(?:am|pm|uhr|{_MONTH})\w*)")
"""A number by itself, and no day, time or part of a name."""
_SUM = re.compile(r"(?i)[$€£]|(?<![\w#/.:@-])\d+(?:[.,]\d+)*k?"
                  r"(?:[.,;:!?)/]|$| ?(?:euros?|eur|dollars?|usd|pounds?|gbp|quid|cents?|bucks|francs?|chf|zł|kr|reais|pesos)\b"
                  r"| (?:a|an|per|each|for|if|when|flat|now|from|in total|altogether|extra|net|gross|and|or|to|on|with|pro|je"
                  r"|für|wenn|im|ab|und|por|al|si|y|par|pour|le|la|et)\b)")
"""A number that may be a sum of money: nothing that is counted or measured stands behind it."""
_NO_SUM = re.compile(rf"(?i)\d[\w.-]*\.? ?(?:am|pm|uhr|{_MONTH})\w*|\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}:\d\d\b")
_CODE = re.compile(r"\b[A-Z]{1,6}[-/.]?\d{2,}")
"""What a serial number or the number of an order looks like."""
_PHONE = re.compile(r"\d(?:[ /()-]?\d){4}")
_PAGE = re.compile(r"https?://|\bwww\.|\b[\w-]{2,}\.[a-z]{2,}\b|\b(?:localhost|\d+\.\d+\.\d+\.\d+)\b|(?<=[\s\"'`(])/[\w-]+")


def is_unanswered(question: str, found: Sequence[Ranked]) -> bool:
    """Whether none of some results answers a question."""
    best = max((one.parts["nearness"] for one in found), default=0.0)
    if best < LEAST_NEAR and not any(one.parts.get("answers", 0.0) >= SURELY for one in found):
        return True
    return len(question) <= LONGEST_QUESTION and lacks_what_is_asked(question, [one.memory.text for one in found])


def reads_none(question: str, read: Sequence[tuple[float, str]], rules: RecallSettings) -> bool:
    """Whether a question is put for which all that was read reads as no answer, or as one about somebody else alone.

    Asked after what Ann bought, "Ben: I bought a boat" reads as an answer, and is none.
    """
    asks = question.rstrip().endswith(("?", "？")) or patterns.starts("words/stance", "asks", question.strip())
    if not (asks and read and rules.least_sure):
        return False
    others = _of_others(question, [text for _, text in read])
    surest = max(likely for likely, _ in read)
    own = max((likely for (likely, _), other in zip(read, others, strict=True) if not other), default=0.0)
    return own < max(rules.least_sure, surest)


def _of_others(question: str, texts: Sequence[str]) -> list[bool]:
    """For each text whether somebody else says it of himself, where the question names somebody who speaks as well."""
    said_by = [speaker_of(text) for text in texts]
    named = {name for name in said_by if name and re.search(rf"\b{re.escape(name)}\b", question)}
    asked_of = frozenset[str]().union(*map(word_roots, named))
    return [bool(named and name) and name not in named and asked_of.isdisjoint(word_roots(text))
            and not patterns.has(_LISTED, "addressed", text) for name, text in zip(said_by, texts, strict=True)]


def lacks_what_is_asked(question: str, texts: Sequence[str]) -> bool:
    """Whether a question can only be answered by a number, a sum, a phone number or a page, and no text has one."""
    if patterns.has(_LISTED, "phone", question):
        return not any(_PHONE.search(text) for text in texts)
    if patterns.has(_LISTED, "page", question):
        return not any(_PAGE.search(text) for text in texts)
    if patterns.has(_LISTED, "sum", question):
        return not any(_SUM.search(_NO_SUM.sub(" ", text)) or patterns.has(_LISTED, "whole", text) for text in texts)
    return patterns.has(_LISTED, "count", question) and not any(_has_number(text) for text in texts)


def _has_number(text: str) -> bool:
    plain = _NUMBER.search(text) is not None or _CODE.search(text) is not None
    return plain or patterns.has(_LISTED, "amount", text) or patterns.has(_LISTED, "whole", text)
