"""The parts of a rule: what it says, and behind that its **Why:** and **How to apply:**."""

from __future__ import annotations

import re

LABELS = {"why": "Why", "how to apply": "How to apply"}
"""The parts, by their names in small letters."""
_NAMES = "|".join(LABELS.values())
PART = re.compile(rf"\*\*(?:{_NAMES}):?\*\*:?")
"""What opens a part."""
REASON = re.compile(rf"\*\*(?:{_NAMES})\b")
"""What begins a paragraph that explains the one before it: a part, or one with a longer name, "**Why it matters:**"."""


def written(name: str, words: str) -> str:
    """A part as it stands behind what the rule says."""
    return f"\n\n**{LABELS[name]}:** {words}"


def rule_alone(text: str) -> str:
    """What a rule says, without its parts; empty where a part stands first."""
    return re.split(rf"\s*{PART.pattern}", text, maxsplit=1)[0]


def without_labels(text: str, instead: str) -> str:
    """A rule with its parts, and something else in place of what opens them."""
    return re.sub(rf"\n\s*{PART.pattern}\s*", instead, text)
