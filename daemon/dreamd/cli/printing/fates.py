"""What became of everything that was said: the fate of each observation of a run and why, in words a person knows.

The counts of a report say that twelve were let go; here they have names. Text goes to standard output alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.core.clock import iso
from dreamd.core.plain_words.for_people import VOICES
from dreamd.core.plain_words.plain_reasons import OF_FATES, fate_words, plain
from dreamd.core.values import IN_PASSING

if TYPE_CHECKING:
    from dreamd.core.values import Observation

MOST_SHOWN = 200


def fate_document(observation: Observation) -> dict[str, object]:
    """One fate for a program; what was said stays out."""
    return {"id": observation.id, "at": iso(observation.at), "origin": observation.origin.value,
            "scope": str(observation.scope), "conversation": observation.conversation or None,
            "fate": observation.fate.value if observation.fate else None, "reason": observation.fate_reason or None,
            "memory": observation.memory_id or None, "set_aside": observation.set_aside}


def without_memory(heard: Sequence[Observation]) -> list[Observation]:
    """The observations that no memory came of: let go, or waiting to be heard again."""
    return [o for o in heard if not o.memory_id]


def tell_fates(context: Context, heard: Sequence[Observation]) -> None:
    """List observations by fate and reason, what was said and the memory it led to."""
    room = MOST_SHOWN
    for fate in OF_FATES:
        groups: dict[str, list[Observation]] = {}
        for observation in heard:
            if observation.fate is fate:
                groups.setdefault(observation.fate_reason, []).append(observation)
        for reason, rows in sorted(groups.items(), key=lambda group: (group[0] == IN_PASSING, -len(group[1]), group[0])):
            why = context.world.called.told(plain(reason)) if reason else ""
            head = f"{fate_words(fate, reason, len(rows))} ({len(rows):,})"
            context.say()
            context.say(render.paint(head, "bold", colour=context.colour)
                        + render.wrap(why, context.width, f"{head}  ").removeprefix(head))
            for observation in rows[:room]:
                context.say(_line(context, observation))
            if len(rows) > room:
                context.say(f"  … and {len(rows) - room:,} more: `--json` lists them all")
            room = max(0, room - len(rows))


def _line(context: Context, observation: Observation) -> str:
    memory = f"  → {observation.memory_id}" if observation.memory_id else ""
    head = f"  {VOICES[observation.origin]:<10}  "
    return head + render.clip(observation.text, context.width - len(head) - len(memory)) + render.paint(
        memory, "cyan", colour=context.colour)
