"""What became of everything that was said: the fate of each observation of a run and why, in words a person knows.

The counts of a report say that twelve were let go; here they have names. Text goes to standard output alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.core.clock import iso
from dreamd.core.values import IN_PASSING, Fate

if TYPE_CHECKING:
    from dreamd.core.values import Observation

SINGLE_SIGHTING = "single-sighting"
MOST_SHOWN = 200
TITLES = {
    Fate.NEW: "became memories of their own", Fate.DUPLICATE: "said before", Fate.REFINES: "added detail",
    Fate.UPDATES: "replaced something", Fate.CONTRADICTS: "contradict something", Fate.HELD: "held", Fate.DISCARDED: "let go"}
REASONS = {
    SINGLE_SIGHTING: "an order for one occasion; heard in several conversations it becomes a rule",
    IN_PASSING: "no memory is made of it, `dream search` finds it as it was said",
    "revised-at-once": "put right or taken back in the same breath",
    "agent-wrote-memory": "the agent wrote a memory of it itself",
    "acknowledgement": "only agrees, thanks or greets", "too-short": "too short to say anything",
    "only-a-secret": "nothing but a secret", "secret-file": "the contents of a file of secrets", "diff": "a diff",
    "log": "printed by a program", "code": "code",
    "commit": "a line of version control", "injection": "tries to give the agent orders",
    "editing-instruction": "an edit of one text", "history": "tells what was done; version control knows",
    "procedure": "a recipe of many steps; a runbook or a skill is its place",
    "outside-pronoun": "speaks of something it does not name", "question": "a question",
    "untrusted-origin": "from a tool or a web page", "agent-root-cause": "an agent's guess at a cause, not yet accepted",
    "rule-for-a-person": "a rule, a wish or an order that no person has given: `dream review` accepts it",
    "order-for-a-person": "an order that could do harm, which only a person may give",
    "names-nothing": "an agent's word that looks up nothing (where, which, how large); `dream review` accepts it",
    "quotes-an-order": "repeats what somebody else ordered; `dream review` asks whether it is meant",
    "agent-decision": "an agent's decision, not yet accepted", "forgotten": "was forgotten on request"}


def in_words(reason: str) -> str:
    """A reason as a person would put it; one without words of its own as it is."""
    told = REASONS.get(reason, "")
    return f"{reason}: {told}" if told else reason or "–"


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
    for fate, title in TITLES.items():
        groups: dict[str, list[Observation]] = {}
        for observation in heard:
            if observation.fate is fate:
                groups.setdefault(observation.fate_reason, []).append(observation)
        for reason, rows in sorted(groups.items(), key=lambda group: (group[0] == IN_PASSING, -len(group[1]), group[0])):
            waits = reason == SINGLE_SIGHTING
            context.say()
            context.say(render.paint(f"{'waits to be heard again' if waits else title} ({len(rows):,})", "bold",
                                     colour=context.colour) + f"  {in_words(reason)}")
            for observation in rows[:room]:
                context.say(_line(context, observation))
            if len(rows) > room:
                context.say(f"  … and {len(rows) - room:,} more: `--json` lists them all")
            room = max(0, room - len(rows))


def _line(context: Context, observation: Observation) -> str:
    memory = f"  → {observation.memory_id}" if observation.memory_id else ""
    head = f"  {observation.origin.value:<6}"
    return head + render.clip(observation.text, context.width - len(head) - len(memory)) + render.paint(
        memory, "cyan", colour=context.colour)
