"""From what people and agents say to what may be remembered: the gate, and the rules for transcripts.

What is named here is loaded when it is first asked for: a note needs little of it, and answers in a tenth of a second.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dreamd.extraction.conversation import ConversationState, Extraction, Talks
    from dreamd.extraction.gate import gate
    from dreamd.extraction.rules import extract
    from dreamd.extraction.setting import settings_of
    from dreamd.extraction.unclaimed import Stretch, find_passages

HOMES = {
    "ConversationState": "conversation", "Extraction": "conversation", "Stretch": "unclaimed", "Talks": "conversation",
    "extract": "rules", "find_passages": "unclaimed", "gate": "gate", "settings_of": "setting",
}

__all__ = ["ConversationState", "Extraction", "Stretch", "Talks", "extract", "find_passages", "gate", "settings_of"]


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
