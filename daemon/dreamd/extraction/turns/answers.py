"""A short answer and the question before it, told as one statement.

"Redirect to the harbour page" is worth nothing alone, and a question is no memory. Together they are a decision:
"When the pilot is late: redirect to the harbour page."
"""

from __future__ import annotations

import re

_ARTICLE = r"(?:the |our |your |this |that |a |an )?"
_VERB = (r"(?:be|have|use|go|stay|remain|run|support|return|require|allow|include|contain|live|fail|keep|show|default|happen"
         r"|look|start|end|listen|write|read|store|send|accept|reject|retry|expire"
         r"|count|match|follow|use|point|redirect|appear|open|close)")
_CASE = re.compile(r"what (?:should|must|shall|does|do|would) (?:happen|be done|(?:we|i|it|they|the \w+) do)\s+"
                   r"(when|if|once|after|before|for|with|while|in case)\s+(.+)", re.IGNORECASE)
_VALUE = re.compile(rf"(?:what|which|who)(?: is|'s| are)\s+({_ARTICLE})(.+)", re.IGNORECASE)
_CHOICE = re.compile(r"(?:what|which)\s+(.+?)\s+(?:should|shall|do|must|would) (?:we|i|it|you|they)(?: want to| like to)?"
                     r"\s+(.+)", re.IGNORECASE)
_WAY = re.compile(r"(how|where|when)\s+(?:should|shall|must|do|would) (?:we|i|you|they)(?: want to| like to)?\s+(.+)",
                  re.IGNORECASE)
_PLACE = re.compile(rf"(how|where|when)\s+(should|shall|must|do|does|will)\s+(.+?)\s+({_VERB}\b.*)", re.IGNORECASE)
_NORM = re.compile(rf"(should|must|shall)\s+((?!i\b|we\b|you\b|it\b|this\b|that\b|they\b).+?)\s+({_VERB}\b.+)", re.IGNORECASE)
_SHORT_VALUE = 2
_LONGEST_VALUE = 12
_YES = re.compile(r"(?:yes|yep|yup|yeah|ja|sí|si|oui|sim|correct|right)\b[,.! ]*(.*)", re.IGNORECASE | re.DOTALL)
_NO = re.compile(r"(?:no|nope|nein|non|não|never)\b[,.! ]*(.*)", re.IGNORECASE | re.DOTALL)


def statement_of(question: str, answer: str) -> str:
    """One statement for a question and its answer; both as they stand where no form fits."""
    asked = question.strip().rstrip("?？ ").strip()
    said = answer.strip()
    told = _case(asked, said) or _norm(asked, said) or _value(asked, said) or _way(asked, said)
    return told or f"{question.strip()} {said}"


def norm_of(question: str, answer: str) -> str | None:
    """What a yes or no to "should exports be kept?" decides, or None where the question names no norm."""
    return _norm(question.strip().rstrip("?？ ").strip(), answer.strip())


def _case(asked: str, said: str) -> str | None:
    found = _CASE.fullmatch(asked)
    return f"{found[1].capitalize()} {found[2]}: {_small(said)}" if found else None


def _norm(asked: str, said: str) -> str | None:
    found = _NORM.fullmatch(asked)
    if found is None:
        return None
    subject = found[2][:1].upper() + found[2][1:]
    for pattern, verb in ((_YES, found[1]), (_NO, f"{found[1]} not")):
        answered = pattern.fullmatch(said)
        if answered is not None:
            more = answered[1].strip().rstrip(".")
            return f"{subject} {verb.lower()} {found[3]}{f', {_small(more)}' if more else ''}."
    return None


def _value(asked: str, said: str) -> str | None:
    found = _VALUE.fullmatch(asked)
    if found is None or len(said.split()) > _LONGEST_VALUE:
        return None
    verb = f" {'are' if ' are' in asked[:9].lower() else 'is'}" if len(said.split()) <= _SHORT_VALUE else ":"
    article = "the " if found[1].lower() in ("your ", "our ") else found[1].lower()
    named = f"{article}{found[2]}"
    return f"{named[:1].upper()}{named[1:]}{verb} {said if verb != ':' else _small(said)}"


def _way(asked: str, said: str) -> str | None:
    for pattern, form in ((_CHOICE, "{0} to {1}: {2}"), (_WAY, "{0} to {1}: {2}")):
        found = pattern.fullmatch(asked)
        if found:
            return form.format(found[1][:1].upper() + found[1][1:], found[2], said)
    found = _PLACE.fullmatch(asked)
    if found is None:
        return None
    verb = "" if found[2].lower() in ("do", "does") else f" {found[2].lower()}"
    return f"{found[1].capitalize()} {found[3]}{verb} {found[4]}: {said}"


def _small(text: str) -> str:
    """A text going on inside a sentence: a small letter, unless it begins with a name."""
    return text[:1].lower() + text[1:] if re.match(r"[A-Z][a-z]+(?: [a-z]|[.,]? *$)", text) else text
