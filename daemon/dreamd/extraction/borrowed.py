"""Words a person types and does not mean as their own: handed over for work, reported, imagined, or mere chat.

"Translate this: we deploy on Fridays" says nothing about deploying, and "if we used another store we would never have to
restart" says nothing about restarting.
"""

from __future__ import annotations

import re

from dreamd.extraction.foreign import divide
from dreamd.extraction.stance import is_question
from dreamd.extraction.utterance import filled_in, speech, without_shown
from dreamd.text import patterns

_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "‘": "’", "「": "」", "『": "』", "'": "'", "”": "”"}
_SENTENCE_START = re.compile(r"(?:^|(?<=[.!?。！？\n])[ \t]*|(?<=, ))(?=\S)")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_LONGEST_NAME = 2
_MOST = 20
"""Hand-overs looked for in one message."""
_REASONS = (("reports", "reported"), ("imagines", "imagined"), ("chats", "chat"))


def without_handed_over(text: str) -> str:
    """A message without the texts it only hands over to be translated, shortened, sent or judged.

    A quoted text ends with its quote, a text on the same line with its paragraph, and one that begins below with the
    message.
    """
    position = 0
    for _ in range(_MOST):
        found = _opening(text, position)
        if found is None:
            break
        position = found
        end = _end_of_text(text, position)
        text = f"{text[:position].rstrip(' :：')}.\n{text[end:]}" if end < len(text) else text[:position].rstrip(" :：") + "."
    return text


def typed(text: str) -> list[str]:
    """The paragraphs of a message that are its person's own words: nothing shown, quoted, reported or handed over."""
    if filled_in(text) is not None:
        return speech(text)
    return speech(divide(without_handed_over(without_shown(text))).own)


def unmeant_as(sentence: str) -> str:
    """Why a sentence is no word of its person's own: `reported`, `imagined`, `chat`; or nothing."""
    for table, reason in _REASONS:
        if reason == "reported" and patterns.starts("words/phrases", "on_condition", sentence):
            continue  # what is to be done once somebody says something is no report of it
        if patterns.starts("words/stance", table, sentence) or patterns.has("words/stance", f"{table}_inside", sentence):
            return reason
    return ""


def has_an_end(sentence: str) -> bool:
    """Whether a thing is said to be so until a day that is named: a state, which ends by itself."""
    return patterns.has("words/stance", "until", sentence) and not is_question(sentence) and not unmeant_as(sentence) and (
        patterns.starts("words/stance", "is_so", sentence))


def _opening(text: str, position: int) -> int | None:
    """Where the next handed-over text begins: behind the colon or before the quote."""
    opening = patterns.cue("words/stance", "hands_over", start=True)
    for start in _SENTENCE_START.finditer(text, position):
        found = opening.match(text, start.end())
        if found is not None and found.end() > position and not _only_names(text[found.end():]):
            return found.end()
    return None


def _only_names(text: str) -> bool:
    """Whether a text begins with a word or two in quotation marks: a thing that is named, and no text."""
    end = text.find(_QUOTES.get(text[:1], "\n"), 1)
    return text[:1] in _QUOTES and end > 0 and len(text[1:end].split()) <= _LONGEST_NAME


def _end_of_text(text: str, position: int) -> int:
    begins = re.compile(r"\s*").match(text, position)
    at = begins.end() if begins else position
    closing = _QUOTES.get(text[at:at + 1], "")
    if closing and (end := text.find(closing, at + 1)) >= 0:
        return end + 1
    if "\n" in text[position:at]:
        return len(text)
    paragraph = _PARAGRAPH.search(text, at)
    return paragraph.start() if paragraph else len(text)
