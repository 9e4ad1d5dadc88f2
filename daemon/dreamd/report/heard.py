"""What a run heard: where it was said, what was let go and why, and what a later run has dealt with anew.

A night is told as it was. What was said may get another fate later; what the run counted when it ended stands with the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from dreamd.core.plain_words.for_people import VOICES
from dreamd.core.plain_words.plain_reasons import plain, plain_skip
from dreamd.core.values import Fate, Observation, Origin
from dreamd.store.journal import Run
from dreamd.store.telling.said_where import Place

SKIPPED = "skipped."


@dataclass(frozen=True)
class Source:
    """Where something was said, without the place of the file on this machine."""

    observation: str
    at: datetime
    origin: str
    kind: str
    """Kind of the source (`claude-code`, `memory-dir`, …); `note` for what was noted by hand or by an agent."""
    name: str
    """Name of the file; empty for a note."""
    conversation: str
    text: str

    @property
    def who(self) -> str:
        """Who said it."""
        return VOICES[Origin(self.origin)]

    @property
    def place(self) -> str:
        """Where it was said, as people name it."""
        kind = KINDS.get(self.kind) or self.kind.replace("-", " ")
        return f"{kind}: {self.name}" if self.name else kind

    @property
    def told(self) -> str:
        """Who said it and where."""
        if self.name and self.origin == Origin.IMPORT.value:  # the place says all that is known of who
            return self.place
        talk = f", conversation {self.conversation}" if self.conversation and not self.name else ""
        return f"{self.who}, {'a note' if self.kind == 'note' else self.place}{talk}"


KINDS = {"claude-code": "Claude Code", "codex": "Codex", "gemini": "Gemini", "copilot-cli": "Copilot", "vscode-chat": "VS Code",
         "opencode": "OpenCode", "openclaw": "OpenClaw", "cursor": "Cursor", "hermes": "Hermes", "letta": "Letta",
         "memory-dir": "memory file", "note": "notes", "decisions": "decision records"}


@dataclass(frozen=True)
class LetGo:
    """Statements of which no memory came, for one reason."""

    reason: str
    why: str
    said: tuple[Source, ...]
    """Those of them that no later run has dealt with."""
    count: int
    """How many there were."""


def read_source(one: Observation, place: Place | None) -> Source:
    """Where an observation was said."""
    return Source(one.id, one.at, one.origin.value, place.kind if place else "note",
                  place.name if place else "", one.conversation, one.text)


def let_go(run: Run, heard: Sequence[Observation], said: Mapping[str, Source]) -> tuple[LetGo, ...]:
    """What led to no memory, by its reasons, the most frequent first."""
    reasons: dict[str, list[Source]] = {}
    for one in heard:
        if one.fate is Fate.DISCARDED and not one.memory_id:
            reasons.setdefault(one.fate_reason, []).append(said[one.id])
    prefix, still = f"{Fate.DISCARDED.value}.", sum(1 for o in heard if o.fate is Fate.DISCARDED)
    counted = {str(name).removeprefix(prefix): int(n) for name, n in run.phases.get("consolidate", {}).items()
               if str(name).startswith(prefix)} if run.fates.get(Fate.DISCARDED.value, 0) > still else {}
    rows = [LetGo(reason, plain(reason), tuple(some := reasons.get(reason, [])), max(len(some), counted.get(reason, 0)))
            for reason in {**reasons, **counted}]
    return tuple(sorted(rows, key=lambda row: (-row.count, row.reason)))


def dealt_with_since(run: Run, new: Collection[str], heard: Sequence[Observation], said: Mapping[str, Source],
                     ) -> tuple[tuple[str, str], ...]:
    """Of what the run counted when it ended, what has another fate by now; `new` is what its memories came to rest on."""
    here = {o.id for o in heard}
    gone = Counter(run.fates) - Counter(o.fate.value for o in heard if o.fate)
    places = [said[o].place for o in new if o in said and o not in here]
    fates = [fate.value for fate in Fate for _ in range(gone[fate.value])]
    return tuple((places[n] if n < len(places) else "dealt with anew since", fate) for n, fate in enumerate(fates))


def skipped_in(gather: object) -> tuple[tuple[str, str, int], ...]:
    """What readers passed over, by reason."""
    counts = {str(name).removeprefix(SKIPPED): int(n) for name, n in gather.items() if str(name).startswith(SKIPPED)} \
        if isinstance(gather, dict) else {}
    return tuple((name, plain_skip(name), n) for name, n in sorted(counts.items(), key=lambda row: (-row[1], row[0])))
