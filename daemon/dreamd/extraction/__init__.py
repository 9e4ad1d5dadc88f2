"""From what people and agents say to what may be remembered: redaction, dates, the gate, and the rules for transcripts.

What is named here is loaded when it is first asked for: a note needs redaction alone, and answers in a tenth of a second.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dreamd.extraction.conversation import ConversationState, Extraction, Talks
    from dreamd.extraction.dates import Durable, make_durable
    from dreamd.extraction.gate import gate
    from dreamd.extraction.neutral import looks_like_injection, neutralise, strip_hidden
    from dreamd.extraction.passages import Stretch, find_passages
    from dreamd.extraction.redaction import Mask, Redacted, redact
    from dreamd.extraction.rules import extract
    from dreamd.extraction.setting import settings_of

HOMES = {
    "ConversationState": "conversation", "Durable": "dates", "Extraction": "conversation", "Mask": "redaction",
    "Redacted": "redaction", "extract": "rules", "Stretch": "passages", "find_passages": "passages",
    "settings_of": "setting", "Talks": "conversation",
    "gate": "gate",
    "looks_like_injection": "neutral", "make_durable": "dates",
    "neutralise": "neutral", "redact": "redaction", "strip_hidden": "neutral",
}

__all__ = [
    "ConversationState", "Durable", "Extraction", "Mask", "Redacted", "Stretch", "Talks", "settings_of", "extract",
    "find_passages", "gate", "looks_like_injection", "make_durable", "neutralise", "redact", "strip_hidden",
]


class _Room(ModuleType):
    """This package. Importing `dreamd.extraction.gate` must not put the module where the function `gate` belongs."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> object:
        if name not in HOMES:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found: object = getattr(import_module(f"{self.__name__}.{HOMES[name]}"), name)
        setattr(self, name, found)
        return found


sys.modules[__name__].__class__ = _Room
