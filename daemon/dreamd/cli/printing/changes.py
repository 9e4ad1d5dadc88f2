"""One change of a memory as a person reads it: what was done, why in plain words, and a small diff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dreamd.cli.printing import render
from dreamd.report.plain_reasons import OF_CHANGES, OF_SAYINGS, plain, plain_evidence

if TYPE_CHECKING:
    from dreamd.core.values import Clue, Memory
    from dreamd.dream.telling.explained import Operation

DURABLE = "durable"
DONE = {
    "add": "learned", "promote": "made a memory", "refine": "given detail", "merge": "merged", "regroup": "merged",
    "support": "said again", "supersede": "replaced", "version": "kept as an earlier version", "hold": "held for you",
    "propose": "proposed", "edit": "edited", "rename": "renamed", "archive": "retired", "restore": "brought back",
    "revive": "live again", "move": "moved", "forget": "forgotten", "link": "noted beside another"}
"""What was done; `stale` and the others are words already."""
MOVES = (("status", "status"), ("support", "times said"), ("ttl", "until"), ("superseded_by", "replaced by"))


def why(reason: str, evidence: Sequence[Clue], *, held: bool = False) -> str:
    """A reason with what it rests on."""
    rests = plain_evidence(evidence, reason)
    told = plain(reason, OF_SAYINGS if held else OF_CHANGES) if reason else ""
    if reason == DURABLE and any(one.startswith("until ") for one in rests):
        told = "it says what holds for a time"
    return told + (f": {'; '.join(rests)}" if rests else "")


def why_it_stands(memory: Memory) -> str:
    """Why a memory is as it is: why it was made, waits or ended."""
    if memory.reason == DURABLE and memory.ttl:
        return "it says what holds until then"
    return plain(memory.reason, OF_SAYINGS) if memory.reason else ""


def change_lines(told: Operation, *, width: int, colour: bool) -> list[str]:
    """One operation of the journal as a small diff."""
    entry, before, after = told.entry, told.before, told.after
    done = DONE.get(entry.op, entry.op)
    rest = f"  {done}  {entry.scope}"
    because = why(entry.reason, entry.evidence, held=entry.op == "hold")
    beside = because and len(entry.memory) + len(rest) + 2 + len(because) <= width
    lines = [render.paint(entry.memory, "cyan", colour=colour) + rest + (f"  {because}" if beside else "")]
    if because and not beside:
        lines.append(render.wrap(because, width, "    "))
    if before is not None and (after is None or before.text != after.text):
        lines.append(render.paint(render.wrap(before.text, width, "  - "), "red", colour=colour))
    if after is not None and (before is None or before.text != after.text):
        lines.append(render.paint(render.wrap(after.text, width, "  + "), "green", colour=colour))
    elif after is not None:
        lines.append(render.wrap(after.text, width, "  = "))
    if before is not None and after is not None:
        pairs = [(name, getattr(before, field) or "–", getattr(after, field) or "–") for field, name in MOVES]
        moved = [f"{name} {old} → {new}" for name, old, new in pairs if old != new]
        if moved:
            lines.append("    " + ", ".join(moved))
    return lines
