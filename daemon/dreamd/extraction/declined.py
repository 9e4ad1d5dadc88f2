"""What to tell somebody whose note will become no memory: why, and what of it would be worth keeping."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo

from dreamd.core.values import Gated, GateVerdict, MemoryClass, Origin
from dreamd.extraction.gate import gate, is_change_list, is_code, is_commit, is_diff, is_log
from dreamd.extraction.utterance import sentences

_BEYOND = "what was decided and why, or where it can be looked up, in a sentence"
ADVICE = {
    "history": _BEYOND, "commit": _BEYOND,
    "log": "the cause and what mended it, in a sentence; `dream log` keeps what was done",
    "procedure": "where it stands, once a runbook or a skill has it: `The deploy runbook is docs/deploy.md`",
    "code": "what nobody sees in it: why it is so", "diff": "what nobody sees in it: why it is so",
    "secret-file": "where the secret is kept, never the secret", "only-a-secret": "where the secret is kept, never the secret",
    "editing-instruction": "the rule behind it, if it holds from now on: `Always …`",
    "acknowledgement": "what it agrees to, in a sentence", "too-short": "what holds, in a sentence"}
"""What is worth keeping of a text, by why it makes no memory."""
MOST_SHOWN = 3
_LINES_READ = 200
_LASTING = frozenset({MemoryClass.PREFERENCE, MemoryClass.RULE, MemoryClass.STATE})
_TELLING = frozenset({"names-path-or-command", "decision-record"})
_NUMBERED = re.compile(r"\s*\d+[.)]\s")


@dataclass(frozen=True)
class Declined:
    """Why a note will be no memory, what would be one, and sentences of it that would."""

    reason: str
    advice: str
    worth: tuple[str, ...] = ()


def why_declined(text: str, *, origin: Origin, at: datetime, zone: tzinfo, class_hint: MemoryClass | None = None,
                 ) -> Declined | None:
    """What the gate will say against a note; None where it takes it or lets it wait."""
    def ask(words: str) -> Gated:
        return gate(words, origin=origin, at=at, zone=zone)

    gated = gate(text, origin=origin, at=at, zone=zone, class_hint=class_hint)
    if gated.verdict is not GateVerdict.DISCARD:
        return None
    worth: dict[str, None] = {}
    for line in text.splitlines()[:_LINES_READ] if gated.reason not in ("code", "diff", "injection") else ():
        if _NUMBERED.match(line) or any(belongs(line) for belongs in (is_log, is_commit, is_code, is_diff, is_change_list)):
            continue
        for sentence in sentences(line):
            said = ask(sentence) if sentence != text.strip() else gated
            if said.verdict is GateVerdict.ALLOW and (said.memory_class in _LASTING or said.reason in _TELLING):
                worth.setdefault(said.text)
    return Declined(gated.reason, ADVICE.get(gated.reason, ""), tuple(worth)[:MOST_SHOWN])
