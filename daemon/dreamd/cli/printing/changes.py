"""One change of a memory as a person reads it: what was done, why in plain words, and a small diff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dreamd.cli.printing import render
from dreamd.core.plain_words.plain_reasons import DURABLE, OF_WISHES, done_words, plain, plain_evidence, plain_why
from dreamd.report.nights import Kind, Told

if TYPE_CHECKING:
    from dreamd.cli.context import Context
    from dreamd.core.values import Clue, Memory
    from dreamd.dream.telling.explained import Operation

MOST_SOURCES = 3
MOVES = (("status", "status"), ("support", "times said"), ("ttl", "until"), ("superseded_by", "replaced by"))


def why(reason: str, evidence: Sequence[Clue], texts: Sequence[str] = ()) -> str:
    """A reason with what it rests on."""
    rests = plain_evidence(evidence, reason, texts)
    return plain_why(reason, rests) + (f": {'; '.join(rests)}" if rests else "")


def why_it_stands(memory: Memory) -> str:
    """Why a memory is as it is: why it was made, waits or ended."""
    if memory.reason == DURABLE and memory.ttl:
        return "it says what holds until then"
    return plain(memory.reason) if memory.reason else ""


def told_lines(context: Context, one: Told, *, digits: int) -> list[str]:
    """One change of a run by its number: the words before and after, why, and from where."""
    width, colour, called = context.width, context.colour, context.world.called
    head = f"{one.number:>{digits}}  "
    gap = " " * len(head)
    back = f"  taken back by {one.taken_back}" if one.taken_back else f"  put back by {one.put_back}" if one.put_back else ""
    lines = [head + render.paint(one.memory, "cyan", colour=colour) + f"  {one.kind.words}{back}  {one.scope}"]
    new = one.successor or (one.after.text if one.after and one.before and one.after.text != one.before.text else "")
    old = one.before.text if one.before and not one.successor else one.text
    signs = (("- ", "red", old), ("+ ", "green", new)) if new else (
        (("+ ", "green", old),) if one.kind is Kind.LEARNED else (("= ", "", old),))
    for sign, style, text in signs:
        told = render.wrap(text, width, gap + sign)
        lines.append(render.paint(told, style, colour=colour) if style else told)
    because = "; ".join(filter(None, (called.told(one.why), *one.evidence)))
    whence = [f"{s.told}, {render.stamp(s.at)}" for s in one.sources[:MOST_SOURCES]]
    more = len(one.sources) - len(whence)
    rows = [("why", because), *((("from" if n == 0 else ""), place) for n, place in enumerate(whence)),
            ("", f"and {more:,} more: `{called.command(f'explain {one.memory}')}`" if more > 0 else "")]
    lines += [render.wrap(text, width, f"{gap}{name:<6}") for name, text in rows if text]
    return "\n".join(lines).split("\n")


def change_lines(told: Operation, *, width: int, colour: bool) -> list[str]:
    """One operation of the journal as a small diff."""
    entry, before, after = told.entry, told.before, told.after
    done = done_words(entry.op, entry.reason)
    rest = f"  {done}  {entry.scope}"
    because = "" if entry.op in OF_WISHES else why(entry.reason, entry.evidence, [s.text for s in (before, after) if s])
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
        pairs = [(name, *(render.status_word(str(getattr(side, field) or "–")) for side in (before, after)))
                 for field, name in MOVES]
        moved = [f"{name} {old} → {new}" for name, old, new in pairs if old != new]
        if moved:
            lines.append("    " + ", ".join(moved))
    return "\n".join(lines).split("\n")
