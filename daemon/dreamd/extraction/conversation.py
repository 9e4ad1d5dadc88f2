"""What a stretch of conversation gives, and what the next stretch has to know of it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

from dreamd.core.values import Candidate, EventKind

HUMAN = frozenset({EventKind.PROMPT, EventKind.REFUSAL, EventKind.ANSWER})
"""Kinds of events in which a person speaks."""
SPOKEN_OF = "said:"
"""Before the id of an observation in a candidate's target: the candidate speaks of that earlier word."""
TAKEN_BACK = "taken-back"
"""Sign of a candidate that only withdraws an earlier word."""
MOST_TALKS = 8
"""Conversations of one source whose states are kept: more than go on beside each other."""


@dataclass(frozen=True)
class ConversationState:
    """What the next stretch of a conversation has to know of the stretches before."""

    seen: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()
    """What was stated plainly and not kept, as checksums."""
    before: tuple[str, str, str] = ("", "", "")
    """The conversation, and the last words of the person and of the agent in it."""

    def plain(self) -> dict[str, object]:
        """The state in values that JSON knows."""
        return {"seen": list(self.seen), "stated": list(self.stated), "before": list(self.before)}

    @classmethod
    def of_plain(cls, raw: object) -> ConversationState:
        """The state such values are of; what makes no sense is an empty one."""
        if not isinstance(raw, dict):
            return cls()
        talk, said, told = (*_strings(raw.get("before")), "", "", "")[:3]
        return cls(_strings(raw.get("seen")), _strings(raw.get("stated")), (talk, said, told))


@dataclass(frozen=True)
class Talks:
    """The states of the conversations of one source, the one heard last at the end: a database holds many."""

    states: tuple[tuple[str, ConversationState], ...] = ()

    def of(self, conversation: str) -> ConversationState:
        """The state of a conversation; an empty one where nothing is known of it."""
        return dict(self.states).get(conversation, ConversationState())

    def after(self, conversation: str, state: ConversationState) -> Talks:
        """The states once a stretch of a conversation was heard."""
        others = tuple((name, known) for name, known in self.states if name != conversation)
        return Talks((*others, (conversation, state))[-MOST_TALKS:])

    def encode(self) -> str:
        """All of it as JSON, small enough to lie beside a cursor; never JSON within JSON, in which no secret is recognised."""
        told = [[name, state.plain()] for name, state in self.states if state != ConversationState()]
        return json.dumps({"talks": told}, ensure_ascii=False) if told else ""

    @classmethod
    def decode(cls, text: str) -> Talks:
        """Read states back; what is unreadable is left out, for it only saves repetition."""
        try:
            raw = json.loads(text) if text else {}
        except ValueError:
            return cls()
        rows = raw.get("talks") if isinstance(raw, dict) else None
        return cls(tuple((row[0], ConversationState.of_plain(row[1])) for row in (rows if isinstance(rows, list) else ())
                         if isinstance(row, list) and len(row) == 2 and isinstance(row[0], str)))


@dataclass(frozen=True)
class Extraction:
    """What one stretch gave: candidates in order, what was passed over and why, and the state to keep."""

    candidates: tuple[Candidate, ...]
    skips: Counter[str]
    state: ConversationState
    withheld: tuple[Candidate, ...] = ()
    """What was said and let go at once, each with the sign that says why."""


def _strings(value: object) -> tuple[str, ...]:
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()
