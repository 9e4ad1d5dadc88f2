"""Turns of phrase of which the plain word says just as much: "prior to", "for the sake of", "nobody but"."""

# ruff: noqa: E501  tables read better one phrase a line

from __future__ import annotations

import re
from collections.abc import Sequence

_PLAINER = (
    ("for the sake of", "for"),
    ("for the purpose of", "for"),
    ("by means of", "with"),
    ("in order to", "to"),
    ("so as to", "to"),
    ("prior to", "before"),
    ("in advance of", "before"),
    ("subsequent to", "after"),
    ("due to the fact that", "because"),
    ("owing to the fact that", "because"),
    ("in view of the fact that", "because"),
    ("at all times", "always"),
    ("at no time", "never"),
    ("under no circumstances", "never"),
    ("each and every", "every"),
    ("in the event that", "if"),
    ("with the exception of", "except"),
    ("with regard to", "about"),
    ("at the present time", "now"),
    ("a total of", ""),
    ("free of charge", "free"),
    ("off limits", "off-limits"),
    ("every once in a while", "occasionally"),
    ("once in a while", "occasionally"),
    ("a while", "a time"),
    ("as long as the", "while the"),
    ("in spite of", "despite"),
    ("is situated in", "is in"),
    ("are situated in", "are in"),
    ("is located in", "is in"),
    ("are located in", "are in"),
)
_TO = dict(_PLAINER)
_NOBODY = ("nobody", "no one", "no-one", "nothing", "nowhere")
_STARTS = tuple({phrase.split()[0] for phrase in _TO} | {*_NOBODY})
_SIGNS = (*_TO, *(f"{none} {but}" for none in _NOBODY for but in ("else", "but", "except", "other than")))
"""What a text in plain letters has one of when a phrase stands in it."""
_PHRASES = re.compile(
    rf"\b(?:(?P<phrase>{'|'.join(_TO)})\b|(?P<none>nobody|no one|no-one|nothing|nowhere)(?: else)? (?:but|except|other than)(?= (?!if\b|when\b|for\b))) ?",
    re.IGNORECASE,
)


_NUMBER = r"(?=[$€£]?\d|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|a|an|one|half) )"
_BOUNDS = (
    (re.compile(rf"\b(?:never|no|not) (?:fewer|less) than {_NUMBER}", re.IGNORECASE), "at least "),
    (re.compile(rf"\b(?:never|no|not) (?:more|larger|longer|bigger|greater|higher) than {_NUMBER}", re.IGNORECASE), "at most "),
    (re.compile(rf"\b(?:larger|bigger|greater|higher) than {_NUMBER}", re.IGNORECASE), "above "),
    (re.compile(rf"\b(?:smaller|lower) than {_NUMBER}", re.IGNORECASE), "below "),
)
"""A bound in other words, where an amount follows."""
_NOT_BEYOND = re.compile(
    rf"\b(?:must|may|should|can|shall|will|do|does)(?:n't| not|not| never) (?:(?P<down>drop|fall|go|sink|get) (?:below|under)"
    rf"|(?P<up>exceed|(?:rise|go|get|climb) (?:above|over|beyond))) {_NUMBER}",
    re.IGNORECASE,
)
"""The same as something that may not be passed."""
_NONE_MORE = re.compile(rf"\bno ((?:[\w-]+ ){{1,3}}?)(?:may |can |must |should )?([\w-]+ )more than {_NUMBER}", re.IGNORECASE)
"""How many is the most, told as what nobody exceeds."""
_ONCE = re.compile(
    r"\b(o|O)nce (?=(?:the|it|they|he|she|you|we|all|this|that|our|its|their|\w{3,}(?:ed|wn|pt|ilt|ent|old|aid|ought))\b)"
)
"""Once, where it tells after what and not how often."""
_QUARTERS = re.compile(r"\b(?P<three>three )?(?:a |one )?quarters? of an hour\b", re.IGNORECASE)
_GLUED_RATE = re.compile(r"(?<![\w./,-])(?P<many>[$€£]?\d[\d.,]*)(?P<times>x?)/(?P<each>[a-z]{1,12})(?:/(?P<also>[a-z]{2,12}))?(?![\w/-]|\.\w)")
"""A number and what it holds for, with nothing but a stroke between: "2x/day", "100/min/user"."""
_POWER = re.compile(r"\b\d+(?:\.\d+)?e[-+]\d{1,2}\b")
"""A number told by a power of ten."""
_JUST = re.compile(r"\b(?P<is>is|are|use|run|keep|take|show|send) just (?=(?:an?|the) )", re.IGNORECASE)
"""Only, where it tells what a thing is and no more."""
_CELSIUS = re.compile(r"(?<=\d) ?° ?C\b")


def plainer(folded: str) -> str:
    """A folded text in plainer words; the same text where it has none of these phrases."""
    if "/" in folded:
        folded = _GLUED_RATE.sub(_per, folded.replace("€/", "€ per ") if "€/" in folded else folded)
    if " of an hour" in folded:
        folded = _QUARTERS.sub(lambda m: "45 minutes" if m.group("three") else "15 minutes", folded)
    if "°" in folded:
        folded = _CELSIUS.sub(" celsius", folded)
    if " just " in folded:
        folded = _JUST.sub(r"\g<is> only ", folded)
    if "nce " in folded:
        folded = _ONCE.sub(lambda m: "after " if m.group(1) == "o" else "After ", folded)
    if " more than " in folded and ("no " in folded or "No " in folded):
        folded = _NONE_MORE.sub(r"\1\2at most ", folded)
    if "e-" in folded or "e+" in folded:
        folded = _POWER.sub(lambda m: f"{float(m.group()):.20f}".rstrip("0").rstrip("."), folded)
    if "not " in folded or "n't " in folded or "never " in folded:
        folded = _NOT_BEYOND.sub(lambda m: "must be at least " if m.group("down") else "must be at most ", folded)
    if " than " in folded:
        for bound, put in _BOUNDS:
            folded = bound.sub(put, folded)
    low = folded.lower()
    return _PHRASES.sub(_plainly, folded) if has_any(low, _SIGNS if folded.isascii() else _STARTS) else folded


def has_any(text: str, signs: Sequence[str]) -> bool:
    """Whether a text holds one of some signs: half the time of asking `any` for it."""
    for sign in signs:  # noqa: SIM110  that is what takes half the time
        if sign in text:
            return True
    return False


def _per(match: re.Match[str]) -> str:
    told = f"{match.group('many')}{' times' if match.group('times') else ''} per {match.group('each')}"
    return f"{told} per {match.group('also')}" if match.group("also") else told


def _plainly(match: re.Match[str]) -> str:
    put = "only" if match.group("none") else _TO[match.group("phrase").lower()]
    return f"{put.capitalize() if match.group()[0].isupper() else put} " if put else ""
