"""What was said just before a message: for finding what it says, never shown or judged.

"92, ten minutes" speaks of an alert because the agent had just asked about one. Both the person's own last words and the
agent's count: the one names the task, the other the detail. A reading that begins in the middle of a conversation takes
them from the state of the one before, so that one reading and two give the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dreamd.core.values import Event, EventKind, Speaker
from dreamd.extraction.conversation import ConversationState
from dreamd.extraction.gate import is_acknowledgement
from dreamd.extraction.utterance import cleaned, sentences, speech
from dreamd.text.redaction import redact

LONGEST_SAID = 100
LONGEST_TOLD = 160
LONGEST_BESIDE = 160
"""Characters of the person's and of the agent's last words that are kept, their ends."""
_HUMAN = frozenset({EventKind.PROMPT, EventKind.REFUSAL, EventKind.ANSWER})


class Setting(NamedTuple):
    """A message of a person and what was said just before it."""

    said: str
    """The person's own last words."""
    told: str
    """The agent's, after them."""
    message: str

    def around(self, text: str) -> str:
        """What belongs to a sentence of the message: what was said before it, and what else the message says."""
        beside, room, told = "", LONGEST_BESIDE, text.casefold()
        for sentence in (cleaned(s) for paragraph in speech(self.message) for s in sentences(paragraph)):
            if sentence.rstrip(".!?").casefold() not in told and len(sentence) <= room:
                beside, room = f"{beside} {sentence}", room - len(sentence)
        return f"{self.said} {self.told}{beside}".strip()


Settings = Mapping[tuple[str, int], Setting]
"""The messages of a stretch by conversation and place."""


def settings_of(events: Sequence[Event], state: ConversationState) -> tuple[Settings, tuple[str, str, str]]:
    """Each message of a person with what was said just before it; and what the messages of the next reading follow."""
    found: dict[tuple[str, int], Setting] = {}
    talk, said, told = state.before
    for event in events:
        if event.conversation != talk:
            talk, said, told = event.conversation, "", ""
        if event.kind is EventKind.PROSE and event.speaker is Speaker.AGENT:
            told = _tail(redact(event.text).text, LONGEST_TOLD) or told
        elif event.kind in _HUMAN and event.speaker is Speaker.HUMAN:
            asked = _tail(redact(event.question).text, LONGEST_TOLD) if event.kind is EventKind.ANSWER else told
            heard = redact(event.text).text  # before anything is cut: half a secret is not recognised any more
            found.setdefault((event.conversation, event.start), Setting(said, asked or told, heard))
            if not is_acknowledgement(heard.strip()):
                said = _tail(heard, LONGEST_SAID) or said
            told = ""
    return found, (talk, said, told)


def _tail(text: str, longest: int) -> str:
    """The last whole sentences of what was said there, as many as have room; the end of the last where it is longer."""
    tail = ""
    for sentence in reversed([s for paragraph in speech(text) for s in sentences(paragraph)]):
        if tail and len(sentence) + len(tail) >= longest:
            break
        tail = f"{cleaned(sentence)[-longest:]} {tail}".strip()
    return tail
