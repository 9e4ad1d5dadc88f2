"""What is left to a curator of a team: pins, and what two members contradict each other in. In one's own store, nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dreamd.core.errors import Refused
from dreamd.core.values import Memory
from dreamd.store.connection import Store
from dreamd.store.telling.voices import are_of_two, load_voices

if TYPE_CHECKING:
    from dreamd.store.team.tenancy import Machine

DECIDED_BY_A_CURATOR = frozenset({"review", "pin", "unpin"})
"""Kinds of runs."""


def find_behind(store: Store) -> list[Machine]:
    """The machines whose copies of a team's memory may still have what was forgotten; none of a store of one's own."""
    from dreamd.store.seals import server_of

    base = server_of(store.connection)
    if base is None:
        return []
    from dreamd.store.team.tenancy import load_machines

    return [one for one in load_machines(base) if one.behind]


def refuse_pin(store: Store) -> None:
    """Raise Refused for whoever is no curator; the server would refuse it too."""
    if not store.decides:
        raise Refused("only a curator of the team pins and unpins", hint="ask one of them; `dream team users` names them")


def refuse_undo(store: Store, kinds: Sequence[str]) -> None:
    """Raise Refused for whoever is no curator where what a curator decided is to be taken back."""
    if not store.decides and not DECIDED_BY_A_CURATOR.isdisjoint(kinds):
        raise Refused("only a curator of the team takes back what was decided in a review, or pinned",
                      hint="ask one of them; `dream team users` names them")


def refuse_between_members(store: Store, memory: Memory, others: Sequence[Memory]) -> None:
    """Raise Refused for whoever is no curator where a memory and others are the words of two members."""
    if store.decides:
        return
    said = load_voices(store, [i for m in (memory, *others) for i in m.observations])
    members = {identity: voice.member for identity, voice in said.items()}
    if any(are_of_two(memory.observations, other.observations, members) for other in others):
        raise Refused("two members of the team said these, and only a curator decides between them",
                      hint="ask a curator to run `dream review`; whoever said it may say in a new conversation what holds")
