"""What the agent said and the person then accepted: a root cause it found, a limit it proposed."""

from __future__ import annotations

import re

from dreamd.extraction.claims import names_a_value
from dreamd.extraction.turns.passing import names_something_at_hand
from dreamd.extraction.turns.restated import decree_of
from dreamd.extraction.utterance import LONGEST_SENTENCE, cleaned, sentences, speech
from dreamd.text import patterns

_CAUSE = re.compile(r"(?i)\broot cause\b|grundursache|causa raíz|cause racine|causa raiz|根本原因|근본 ?원인")
_PROPOSES = re.compile(
    r"(?i)(?:i(?:['’]d| would) (?:(?:suggest|recommend|propose)(?: that (?:you|we)|:)? (?:to )?)?"
    r"|i (?:suggest|recommend|propose)(?: that (?:you|we)|:)? (?:to )?)"
    r"(?P<what>(?:limit|cap|set|keep|use|store|raise|lower|pin|cut|plan|book|reserve|take|run|put|schedule) .{8,})")
_SHORTEST = 30


def causes_of(prose: str) -> list[str]:
    """The root causes the agent names."""
    found = [s for paragraph in speech(prose) for s in sentences(paragraph) if _CAUSE.search(s)]
    return [cleaned(s) for s in found if _SHORTEST <= len(s) <= LONGEST_SENTENCE and not s.rstrip().endswith("?")]


def proposal_of(prose: str) -> str:
    """The one thing the agent proposes with a value, as what it would leave: "the queue is limited to 350 entries"."""
    said = [s for paragraph in speech(prose) for s in sentences(paragraph) if len(s) <= LONGEST_SENTENCE // 2]
    found = [m["what"] for s in said if (m := _PROPOSES.match(s)) and not s.rstrip().endswith("?")]
    if len(found) != 1 or names_something_at_hand(found[0]) or not names_a_value(f"x {found[0]}"):
        return ""
    ordered = cleaned(found[0])
    return decree_of(ordered) or ordered


def accepts_a_proposal(text: str) -> bool:
    """Whether a message tells the agent to do what it just proposed."""
    return len(text) <= _SHORTEST * 2 and patterns.starts("words/replies", "agrees", text)
