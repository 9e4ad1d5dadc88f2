"""The parts of a rule: what it says, and behind that its **Why:** and **How to apply:**."""

from __future__ import annotations

import re

LABELS = {"why": "Why", "how to apply": "How to apply"}
"""The parts, by their names in small letters."""
PART = re.compile(rf"\*\*(?:{'|'.join(LABELS.values())}):?\*\*:?")
"""What opens a part."""


def written(name: str, words: str) -> str:
    """A part as it stands behind what the rule says."""
    return f"\n\n**{LABELS[name]}:** {words}"


def rule_alone(text: str) -> str:
    """What a rule says, without its parts; empty where a part stands first."""
    return PART.split(text, maxsplit=1)[0].rstrip()


def without_labels(text: str, instead: str) -> str:
    """A rule with its parts, and something else in place of what opens them."""
    return re.sub(rf"\n\s*{PART.pattern}\s*", instead, text)
