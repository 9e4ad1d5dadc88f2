"""From the events of a conversation to candidates with their evidence, without a language model.

`extract` is the seam: whoever reads conversations another way gives the same candidates, each with the words it rests on and
where they stand, and the same gate decides. What people type is the signal. Each message is told from its pastes and split
into sentences; a question counts with its answer, a sentence that leans with the one it leans on. What does not surely hold
is no memory: it is found as a passage, and comes back as a candidate when it is said again. A stretch in which the agent
wrote a memory itself is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from dreamd.core.plain_words.rule_parts import written
from dreamd.core.values import ONE_OFF, Candidate, Event, EventKind, Observation, Origin, Scope, Speaker
from dreamd.extraction.answered import SHORT_ANSWER, decided_by
from dreamd.extraction.borrowed import typed, unmeant_as
from dreamd.extraction.conversation import HUMAN, TAKEN_BACK, ConversationState, Extraction
from dreamd.extraction.foreign import disowns
from dreamd.extraction.gate import is_acknowledgement
from dreamd.extraction.pasted import paste_key
from dreamd.extraction.revisions import revision_of
from dreamd.extraction.stance import is_fragment, is_question, leans, without_item
from dreamd.extraction.surely import SURE, sign_of
from dreamd.extraction.talk import Read, Talk, begins_a_second_thought
from dreamd.extraction.utterance import LONGEST_SENTENCE, cleaned, sentences, shortened, without_request
from dreamd.models.lasting_net import Lasts
from dreamd.text import patterns

CERTAIN = frozenset({"remember", "until"})
"""Signs that stand whatever else is read of a sentence."""
SHORTEST_ANTECEDENT = 20
BEFORE = -1
"""Place of a message of an earlier stretch."""
REMEMBERED = 24
"""Wordings kept as checksums, so a repeated prompt is not a second statement of the same conversation."""
_LABELLED = re.compile(r"(?i)\**(?P<name>why|how to apply)\**:\**\s*")


class _Heard(NamedTuple):
    text: str
    sign: str


def extract(events: Sequence[Event], *, scope: Scope, state: ConversationState | None = None, source_id: str = "",
            earlier: Sequence[Observation] = (), lasts: Lasts | None = None) -> Extraction:
    """Find what is worth remembering in a stretch of conversation.

    `earlier` is what was last kept of the stretches before, newest first: a second thought may speak of it. `lasts` reads how
    surely a sentence is meant to last.
    """
    state = state or ConversationState()
    talk = Talk(scope, source_id, list(state.seen), list(earlier), last_said=state.before[1],
                stated=dict.fromkeys(state.stated, BEFORE), lasts=lasts, before=[state.before[2]])
    for event in events:
        if event.kind is EventKind.MEMORY_WRITE:
            talk.leave_to_agent()
        elif event.kind is EventKind.PROSE and event.speaker is Speaker.AGENT:
            talk.hear_agent(event.text)
        elif event.kind in HUMAN:
            if event.speaker is not Speaker.HUMAN:
                talk.skips["not-a-person"] += 1
                continue
            talk.turn_from = len(talk.found)
            _listen(talk, event)
            if talk.takes_back:
                talk.add(event, shortened(event.text), sign=TAKEN_BACK)
            talk.before.clear()
    said = {(event.conversation, event.start): event.text for event in events if event.kind is EventKind.PROMPT}
    kept = [_known_by_its_place(one, said) for one in talk.found]
    return Extraction(tuple(kept), +talk.skips, ConversationState(tuple(talk.seen[-REMEMBERED:]),
                                                                 tuple(talk.stated)[-REMEMBERED:]),
                      tuple(talk.withheld))


def _known_by_its_place(one: Candidate, said: Mapping[tuple[str, int], str]) -> Candidate:
    """A statement out of a long text, as the same one wherever that text is pasted again."""
    message = said.get((one.conversation, one.start), "")
    return one if one.target or one.origin is not Origin.USER else replace(one, key=paste_key(one, message))


def _listen(talk: Talk, event: Event) -> None:
    """Take one message of a person apart."""
    text = event.text.strip()
    talk.turns_since += 1
    talk.revised = False
    talk.before.append(event.question)
    before = len(talk.seen)
    if disowns(text):
        talk.disown(event)
    revision = revision_of(text[:LONGEST_SENTENCE])
    if revision is not None and revision.sure and len(text) <= SHORT_ANSWER and not revision.rest:
        talk.undo(event, revision)
        return
    if text and (revision is None or event.kind is EventKind.ANSWER) and _answers(talk, event, text):
        return
    if not text or is_acknowledgement(text):
        talk.skips["acknowledgement"] += 1
        talk.turns_since -= 1
        return
    paragraphs = typed(text)
    if not paragraphs:
        talk.skips["paste"] += 1
        return
    _listen_to([s for paragraph in paragraphs for s in _said(paragraph)], talk, event)
    talk.hear_person([s for paragraph in paragraphs for s in sentences(paragraph)])
    if len(talk.seen) == before and not talk.revised:
        talk.skips["no-sign"] += 1


def _answers(talk: Talk, event: Event, text: str) -> bool:
    """Keep what a message decides together with the question it answers; True where nothing else is to be heard of it."""
    filled_in = event.kind is EventKind.ANSWER
    first = text if filled_in else (sentences(text) or [""])[0]
    told = decided_by(event.question, first, filled_in=filled_in)
    if told:
        talk.add(event, told, sign="answer")
    elif filled_in and len(text) <= SHORT_ANSWER:
        talk.skips["nothing-decided"] += 1
        talk.hear_person([text[:LONGEST_SENTENCE]])
        return True
    if told and (filled_in or first == text):
        talk.hear_person([text[:LONGEST_SENTENCE]])
        return True
    return False


def _said(paragraph: str) -> list[str]:
    """The sentences of a paragraph, each without what only leads up to it."""
    found = (without_item(sentence) for sentence in sentences(paragraph) if len(sentence) <= LONGEST_SENTENCE)
    return [text for text in found if not is_fragment(text)]


def _listen_to(said: list[str], talk: Talk, event: Event) -> None:
    n = 0
    while n < len(said):
        if n + 1 < len(said) and begins_a_second_thought(said[n], said[n + 1]):
            n += 1
            said[n] = f"wait, {said[n]}"
        text = talk.left_of(event, said[n])
        n += 1
        heard = _heard(talk, event, text, said[:n - 1]) if text else None
        if heard is None:
            continue
        while n < len(said) and (more := _part_of(said[n])) and len(heard.text) + len(more) < LONGEST_SENTENCE:
            heard = _Heard(f"{heard.text}{more}", heard.sign)
            n += 1
        talk.add(event, heard.text, sign=heard.sign)


def _part_of(sentence: str) -> str:
    """What a sentence adds to the one before it that was kept: why, how to apply it; or nothing."""
    labelled = _LABELLED.match(sentence)
    if labelled is not None:
        return written(labelled["name"].lower(), cleaned(sentence[labelled.end():]))
    goes_on = patterns.starts("words/phrases", "reason_start", sentence)
    return f" {cleaned(sentence)}" if goes_on and not is_question(sentence) else ""


def _heard(talk: Talk, event: Event, text: str, earlier: Sequence[str]) -> _Heard | None:
    """What one sentence says to be kept, with the sign that speaks for it."""
    if unmeant := unmeant_as(text):
        talk.skips[unmeant] += 1
        return None
    if _is_bare_request(text):  # "…. Remember that." speaks of the sentence before it
        return _Heard(cleaned(earlier[-1]), "remember") if earlier else None
    lead = patterns.cue("words/phrases", "lead", start=True).match(text)
    told = cleaned(text[lead.end():] if lead else text)
    sign = sign_of(told, refused=event.kind is EventKind.REFUSAL)
    told = without_request(told)
    read = Read(sign) if sign in CERTAIN else talk.read(text, earlier, sign)
    sign = read.sign
    if sign in ("", ONE_OFF) and talk.says_again(event, text, told):
        return _Heard(told, "said-again")
    if sign == ONE_OFF:
        return None if leans(told) else _Heard(told, sign)
    if sign and (read.leans or read.adrift or leans(told)):
        front = _question(event, earlier) if read.adrift else _antecedent(earlier)
        if not front or len(front) + len(told) >= LONGEST_SENTENCE:
            talk.skips["no-antecedent"] += 1
            return None
        told = f"{cleaned(front)} {told}"
    return _Heard(told, sign) if sign else None


def _antecedent(earlier: Sequence[str]) -> str:
    """The sentence before, where it says enough to be spoken of."""
    text = earlier[-1] if earlier else ""
    enough = patterns.width(text) >= SHORTEST_ANTECEDENT and not is_question(text)
    return text if enough and not leans(text) else ""


def _question(event: Event, earlier: Sequence[str]) -> str:
    """What the agent had asked, where a message begins with what says too little alone."""
    return "" if earlier or "\n" in event.question else event.question.strip()


def _is_bare_request(sentence: str) -> bool:
    """Whether a sentence asks to remember and says nothing to be remembered."""
    words_left = sentence.rstrip(".!。！ ")
    return any(patterns.cue(SURE, "remember", whole=True).match(words_left.removesuffix(tail))
               for tail in (" this", " it", " please", " that", ""))
