"""What a stretch of conversation gives, and what the next stretch has to know of it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

from dreamd.model import Candidate

SPOKEN_OF = "said:"
"""Before the id of an observation in a candidate's target: the candidate speaks of that earlier word."""
TAKEN_BACK = "taken-back"
"""Sign of a candidate that only withdraws an earlier word."""


@dataclass(frozen=True)
class ConversationState:
    """What the next stretch of a conversation has to know of the stretches before."""

    causes: tuple[str, ...] = ()
    """Root causes the agent named in its last turn, waiting for the person."""
    seen: tuple[str, ...] = ()
    before: tuple[str, str, str] = ("", "", "")
    """The conversation, and the last words of the person and of the agent in it."""

    def encode(self) -> str:
        """The state as JSON, small enough to lie beside a cursor."""
        if not self.causes and not self.seen and not any(self.before):
            return ""
        told = {"causes": list(self.causes), "seen": list(self.seen), "before": list(self.before)}
        return json.dumps(told, ensure_ascii=False)

    @classmethod
    def decode(cls, text: str) -> ConversationState:
        """Read a state back; an unreadable one is an empty one, for it only saves repetition."""
        try:
            raw = json.loads(text) if text else {}
        except ValueError:
            return cls()
        if not isinstance(raw, dict):
            return cls()
        talk, said, told = (*_strings(raw.get("before")), "", "", "")[:3]
        return cls(_strings(raw.get("causes")), _strings(raw.get("seen")), (talk, said, told))


@dataclass(frozen=True)
class Extraction:
    """What one stretch gave: candidates in order, what was passed over and why, and the state to keep."""

    candidates: tuple[Candidate, ...]
    skips: Counter[str]
    state: ConversationState


def _strings(value: object) -> tuple[str, ...]:
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()
