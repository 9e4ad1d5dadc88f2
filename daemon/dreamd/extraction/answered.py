"""A question of the agent and what its person answered, kept as one; and what it said or proposed that the person took up.

"Semicolon" is worth nothing alone and a question is no memory. Together they are a decision. What only asks how to go on at
the moment decides nothing, and neither does a yes to an offer of work. Nobody says again what was just said: to "they only
take LIDO, shall I book it?" people answer "yes please". The value stands in the agent's sentence alone, and with the
person's yes it is theirs.
"""

from __future__ import annotations

import re

from dreamd.extraction.gate import is_acknowledgement
from dreamd.extraction.revisions import revision_of
from dreamd.extraction.setting import Setting
from dreamd.extraction.stance import is_question
from dreamd.extraction.surely import DEFINITE, SURE, is_at_work
from dreamd.extraction.utterance import LONGEST_SENTENCE, cleaned, sentences
from dreamd.text import patterns

SHORT_ANSWER = 60
"""What is no longer is understood with what was asked or said before it."""
LONGEST_ANSWER = 300
_NORM = re.compile(
    r"(?i)\b(?:should|must|shall|prefer|convention|policy|default|which|what|how|where|who|when|soll\w*|welche\w*|debe\w*|cuál"
    r"|quel\w*|doit|qual|deve\w*)\b|[哪什应]|どの|べき|어떤|어느")
_DECIDES = re.compile(r"(?i)\b(?:should|must|shall)\b|\bwhich \w+ (?:do|does|should|shall)\b|\b(?:convention|policy)\b")
_ADDED = re.compile(r"(?i)\s*\((?:recommended|default|suggested)\)|\"?\s*selected preview:[\s\S]*$")
"""What a question tool writes behind an option."""


def answer_of(text: str) -> str:
    """An answer without what a question tool adds to the option that was chosen."""
    return _ADDED.sub("", text).strip(" \"\n")


def decided_by(question: str, answer: str, *, filled_in: bool) -> str:
    """What a question and its answer decide together, or nothing.

    `filled_in` when the words were given as the answer to a question tool.
    """
    asked, said = question.strip(), answer_of(answer)
    if not asked or not said or len(said) > (LONGEST_ANSWER if filled_in else SHORT_ANSWER) or is_question(said):
        return ""
    if patterns.has("words/phrases", "about_now", asked) or any(
            patterns.has(SURE, name, asked) for name in ("offer", "momentary")):
        return ""
    agrees = is_acknowledgement(said) or patterns.cue(SURE, "affirmation", whole=True).match(said) is not None
    norm = _NORM if filled_in and not agrees else _DECIDES
    open_yet = patterns.starts("words/phrases", "left_open", said.rstrip(".。"))
    if open_yet or (not filled_in and is_at_work(said)) or not norm.search(asked):
        return ""
    if len(asked) + len(said) >= LONGEST_SENTENCE or patterns.has(SURE, "momentary", said) or "\n" in asked:
        return ""
    return f"{asked[:1].upper()}{asked[1:]} {cleaned(said)}"


LONGEST_REPLY = 160
LONGEST_TAKEN = 160
_SIDE_BY_SIDE = re.compile(r"(?i),|\b(?:or|and|oder|und|ou|et|o|y|e)\b")
_EITHER = re.compile(r"(?i)\b(?:or|oder|ou|o)\b")
_VALUE = re.compile(r"\d|\w[_@/]\w|[`\"“«„]")


def taken_up(setting: Setting | None, text: str) -> list[str]:
    """What the agent stated or proposed with a value, and the person took up or let stand."""
    if setting is None or not setting.told or not text or revision_of(text) is not None:
        return []
    said = sentences(text)
    if not said or len(text) > LONGEST_REPLY or patterns.has("words/sure", "denial", said[0]):
        return []
    told = sentences(setting.told)
    offers = _asks(told[-1])
    answers = not offers and any(is_question(s) for s in sentences(setting.said))
    first = re.split(r"[.!,;](?:\s|$)", text, maxsplit=1)[0]
    takes, confirms = any(_says("takes", sentence) for sentence in said[:2]), _says("confirms", said[0])
    nods = is_acknowledgement(first) or patterns.cue("words/sure", "affirmation", whole=True).match(first) is not None
    if not (takes or confirms or (nods and (answers or offers))):
        return []
    stated = [s for s in told if not _asks(s) and len(s) <= LONGEST_TAKEN
              and not patterns.starts("words/phrases", "of_its_work", s)]
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
    return found is not None and patterns.starts("words/phrases", "goes_on", sentence[found.end():])


def _proposes(sentence: str) -> bool:
    """Whether a sentence proposes something that has a name, and not only the agent's next piece of work."""
    return patterns.has("words/replies", "proposes", sentence) and (
        not patterns.starts("words/phrases", "of_itself", sentence) or _is_definite(sentence))


def _is_definite(sentence: str) -> bool:
    return DEFINITE.search(sentence, 1) is not None
