"""What was said just before a message: for finding what it says, never shown or judged.

"92, ten minutes" speaks of an alert because the agent had just asked about one. Both the person's own last words and the
agent's count: the one names the task, the other the detail. A reading that begins in the middle of a conversation takes
them from the state of the one before, so that one reading and two give the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from dreamd.core.values import Event, EventKind, Speaker
from dreamd.extraction.conversation import HUMAN, ConversationState
from dreamd.extraction.gate import is_acknowledgement
from dreamd.extraction.utterance import cleaned, sentences, speech
from dreamd.text.redaction import redact

LONGEST_SAID = 100
LONGEST_TOLD = 160
LONGEST_BESIDE = 160
"""Characters of the person's and of the agent's last words that are kept, their ends."""


class Setting(NamedTuple):
    """A message of a person and what was said just before it."""

    said: str
    """The person's own last words."""
    told: str
    """The agent's, after them."""
    message: str

    def share_of(self, words: set[str]) -> float:
        """How much of some words and of the message with its question is the same."""
        said = {*_WORD.findall(f"{self.told} {self.message}".casefold())}
        return len(said & words) / max(1, len(said | words))

    def around(self, text: str) -> str:
        """What belongs to a sentence of the message: what was said before it, and what else the message says."""
        beside, room, told = "", LONGEST_BESIDE, text.casefold()
        shortest, said = _said_in(self.message)
        for sentence, plain in said:
            if room < shortest:
                break
            if len(sentence) <= room and plain not in told:
                beside, room = f"{beside} {sentence}", room - len(sentence)
        return f"{self.said} {self.told}{beside}".strip()


Settings = Mapping[tuple[str, int], Sequence[Setting]]
"""The messages of a stretch by conversation and place: answers to several questions of a tool begin at the same one."""
_WORD = re.compile(r"\w+")


def setting_in(settings: Settings, place: tuple[str, int], text: str) -> Setting | None:
    """Of the messages that begin at a place the one that a text is, or comes from."""
    here = settings.get(place, ())
    mine = {*_WORD.findall(text.casefold())} if len(here) > 1 else set[str]()
    return max(here, key=lambda one: one.share_of(mine), default=None)


@lru_cache(maxsize=4)
def _said_in(message: str) -> tuple[int, tuple[tuple[str, str], ...]]:
    """The sentences of a message, each with its plain words, and the length of the shortest.

    Kept while the same message is asked about: a long one is asked about by each of its thousand sentences.
    """
    said = [cleaned(s) for paragraph in speech(message) for s in sentences(paragraph)]
    return min(map(len, said), default=0), tuple((s, s.rstrip(".!?").casefold()) for s in said)


def settings_of(events: Sequence[Event], state: ConversationState) -> tuple[Settings, tuple[str, str, str]]:
    """Each message of a person with what was said just before it; and what the messages of the next reading follow."""
    found: dict[tuple[str, int], list[Setting]] = {}
    talk, said, told = state.before
    for event in events:
        if event.conversation != talk:
            talk, said, told = event.conversation, "", ""
        if event.kind is EventKind.PROSE and event.speaker is Speaker.AGENT:
            told = last_words(event.text) or told
        elif event.kind in HUMAN and event.speaker is Speaker.HUMAN:
            asked = last_words(event.question) if event.kind is EventKind.ANSWER else told
            heard = redact(event.text).text  # before anything is cut: half a secret is not recognised any more
            found.setdefault((event.conversation, event.start), []).append(Setting(said, asked or told, heard))
            if not is_acknowledgement(heard.strip()):
                said = _tail(heard, LONGEST_SAID) or said
            told = ""
    return found, (talk, said, told)


@lru_cache(maxsize=4)
def last_words(told: str) -> str:
    """What counts of the agent's words, or of its question, for the message after them: their end, without secrets."""
    return _tail(redact(told).text, LONGEST_TOLD)


def _tail(text: str, longest: int) -> str:
    """The last whole sentences of what was said there, as many as have room; the end of the last where it is longer."""
    tail = ""
    for sentence in reversed([s for paragraph in speech(text) for s in sentences(paragraph)]):
        if tail and len(sentence) + len(tail) >= longest:
            break
        tail = f"{cleaned(sentence)[-longest:]} {tail}".strip()
    return tail
