"""What an agent said and its person took up: an answer they let stand, a proposal they took, one of several they picked.

Nobody says again what was just said. To "they only take LIDO, shall I book it?" people answer "yes please", to "oak or
pine?" "the latter": the value stands in the agent's sentence alone, and with the person's yes it is theirs.
"""

from __future__ import annotations

import re

from dreamd.extraction.gate import is_acknowledgement
from dreamd.extraction.setting import Setting
from dreamd.extraction.stance import is_question
from dreamd.extraction.turns.revisions import revision_of
from dreamd.extraction.utterance import cleaned, sentences
from dreamd.text import patterns

LONGEST_ANSWER = 160
LONGEST_TAKEN = 160
DEFINITE = re.compile(r"\d|\w[-_.@/]\w|[`\"“«„]|(?<=[\w,] )[A-ZÄÖÜ]\w")
"""A number, a name, an identifier or something quoted."""
_SIDE_BY_SIDE = re.compile(r"(?i),|\b(?:or|and|oder|und|ou|et|o|y|e)\b")
_EITHER = re.compile(r"(?i)\b(?:or|oder|ou|o)\b")
_OF_ITS_WORK = re.compile(r"(?i)(?:i(?!.{0,20}\b(?:suggest|recommend|propose|see|can|could|would)\b)|i['’](?:ve|ll)|ich habe"
                          r"|j['’]ai|he|done|ok(?:ay)?|sure)\b")
"""The agent telling what it did."""
_OF_ITSELF = re.compile(r"(?i)(?:i|ich|yo|je|eu|puedo|posso)\b")
_VALUE = re.compile(r"\d|\w[_@/]\w|[`\"“«„]")
_GOES_ON = re.compile(r"(?i)\s*(?:$|[.,;:!…👍🙏✅🎉]|(?:for|für|para|pour|por|then|too|please|instead|everywhere|always|immer"
                      r"|siempre|toujours|her|him|them|it)\b)")
"""What may follow the words that take something up; "that" before a verb takes up nothing."""


def taken_up(setting: Setting | None, text: str) -> list[str]:
    """What the agent stated or proposed with a value, and the person took up or let stand."""
    if setting is None or not setting.told or not text or revision_of(text) is not None:
        return []
    said = sentences(text)
    if not said or len(text) > LONGEST_ANSWER or patterns.has("words/sure", "denial", said[0]):
        return []
    told = sentences(setting.told)
    offers = _asks(told[-1])
    answers = not offers and any(is_question(s) for s in sentences(setting.said))
    first = re.split(r"[.!,;](?:\s|$)", text, maxsplit=1)[0]
    takes, confirms = any(_says("takes", sentence) for sentence in said[:2]), _says("confirms", said[0])
    nods = is_acknowledgement(first) or patterns.cue("words/sure", "affirmation", whole=True).match(first) is not None
    if not (takes or confirms or (nods and (answers or offers))):
        return []
    stated = [s for s in told if not _asks(s) and len(s) <= LONGEST_TAKEN and not _OF_ITS_WORK.match(s)]
    meant = answers or offers or takes
    found = [cleaned(s) for s in stated if (meant and _is_definite(s)) or _proposes(s)][-1:]
    if offers and len(told[-1]) <= LONGEST_TAKEN and _VALUE.search(told[-1]):
        found.append(f"{cleaned(told[-1])} {cleaned(first)}")
    return found


def offered(setting: Setting | None, text: str) -> str:
    """The sentence in which the agent named what a message picks by its place, or by "that"."""
    if setting is None or not patterns.starts("words/replies", "picks", text):
        return ""
    named = [s for s in sentences(setting.told) if _SIDE_BY_SIDE.search(s) and (_is_definite(s) or _EITHER.search(s))]
    return cleaned(named[-1].rstrip("?？ ")) if named else ""


def _asks(sentence: str) -> bool:
    return sentence.endswith(("?", "？"))


def _says(table: str, sentence: str) -> bool:
    """Whether a sentence takes up what was said before it ("do that", "ja, das nehmen wir"), or confirms it ("y")."""
    found = patterns.cue("words/replies", table, start=True).match(sentence)
    return found is not None and _GOES_ON.match(sentence, found.end()) is not None


def _proposes(sentence: str) -> bool:
    """Whether a sentence proposes something that has a name, and not only the agent's next piece of work."""
    return patterns.has("words/replies", "proposes", sentence) and (
        _OF_ITSELF.match(sentence) is None or _is_definite(sentence))


def _is_definite(sentence: str) -> bool:
    return DEFINITE.search(sentence, 1) is not None
