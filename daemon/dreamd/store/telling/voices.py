"""Who said what: the member and the machine of each observation of a team's store, and of what came from one.

The server itself writes them down, for whoever is connected: nobody speaks with another's voice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from dreamd.store.connection import LISTED, Store, listed


@dataclass(frozen=True)
class Voice:
    """Who said something, and on which machine; empty where that is not known."""

    member: str
    machine: str = ""

    def __str__(self) -> str:
        return f"{self.member} on {self.machine}" if self.machine else self.member


def load_voices(store: Store, observations: Collection[str]) -> dict[str, Voice]:
    """Whose word some observations are, by their ids; none in a store that is one person's own."""
    rows = store.all(f"""SELECT o.id, v.member, v.machine FROM voice v JOIN observation o ON o.seq = v.observation
                         WHERE o.id IN {LISTED}""", listed(observations))
    return {r["id"]: Voice(r["member"], r["machine"]) for r in rows}


def load_members(store: Store, scope: str) -> dict[str, str]:
    """Who said what in a scope of a team's store, by the ids of observations."""
    if not store.owns_words:
        return {}
    rows = store.tuples("""SELECT o.id, v.member FROM voice v JOIN observation o ON o.seq = v.observation
                           WHERE o.scope = ?""", scope)
    return dict(rows)


def load_said_by(store: Store, member: str) -> list[int]:
    """The numbers of all that somebody said."""
    rows = store.all("SELECT observation FROM voice WHERE member = ? ORDER BY observation", member)
    return [int(r["observation"]) for r in rows]


def are_of_two(one: Sequence[str], other: Sequence[str], members: Mapping[str, str]) -> bool:
    """Whether some observations and some others are the words of different members alone."""
    mine, theirs = ({members[o] for o in said if o in members} for said in (one, other))
    return bool(mine and theirs) and mine.isdisjoint(theirs)
