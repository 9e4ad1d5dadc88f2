"""Whether a note leans on something it does not contain: "He told her to turn it around".

A pronoun is fine when the note names something before it ("the tests …; they belong to …"), when it stands for what
follows ("it is important that …"), and when it means the scope itself ("here", "this project").
"""

from __future__ import annotations

import re
from functools import cache

from dreamd.text import patterns
from dreamd.text.language import language_of

_TOKEN = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?|[\d`/\"“][^\s]*")
_PRONOUNS = frozenset({"he", "she", "they", "them", "him", "her", "it", "his", "their", "hers", "theirs"})
_DEMONSTRATIVE = re.compile(
    r"\s*(?:and |but |so |because |if |when )*(?:this|that|these|those)(?:'s)? (?:is|are|was|were|has|have|should|must|can"
    r"|will|would|does|do|means|happens|way|one|"
    r"needs?|isn't|doesn't|won't|shouldn't)\b", re.IGNORECASE)
_DEPARTMENT = "IT"
"""In capitals the people who look after computers, and no pronoun."""
_FORWARD = re.compile(r"\s*(?:in|despite|because of|due to|after|before|unlike|with|given|for all|by|from|at|on"
                      r"|during) (?:its|their)\b", re.IGNORECASE)
_ITALIAN_ARTICLE = re.compile(
    r"(?i)\s*il (?=(?:.*? )?(?:di|del|dello|della|dei|degli|delle|al|allo|alla|alle|nel|nella|gli|che|con|sono|dal|dalla|sul"
    r"|sulla|signor|signore|ogni|è|viene|ha|non|per|tutti|trova|chiama|approva|gestisce|usa|parte)\b)"
    r"(?!.*\b(?:est|les|des|du|pas|doit|faut|et|une|pour|dans|qui|sur|avec|au|aux|ne|sont|chaque|tous|toutes|ce|cette)\b)")
"""Italian, which the French words take for French: there `il` is an article and names what it speaks of."""
_SCOPE = re.compile(r"(?i)\bthis (?:project|repo(?:sitory)?|codebase|workspace|team|machine|company|app(?:lication)?"
                    r"|package)\b")


def points_outside(text: str) -> bool:
    """Whether a pronoun in the note points at something the note does not name."""
    lang = language_of(text)
    if lang == "fr" and _ITALIAN_ARTICLE.match(text):
        return False
    if lang != "en":
        listed = patterns.load("words/gate")["outside"].get(lang, [])
        return any(re.match(rf"\s*(?:{entry})", text, re.IGNORECASE) for entry in listed)
    if _DEMONSTRATIVE.match(text) and not _SCOPE.match(text.strip()):
        return True
    if _FORWARD.match(text):
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
