"""What dream could not work with and set aside: one fact of the store each, with the reason and how the thing looked then.

A thing that looks as it did is left alone until another version of dream comes, which tries everything again.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass

from dreamd.core.values import content_id
from dreamd.store.connection import Store
from dreamd.store.presence.sound_rows import sound_row
from dreamd.store.work import write_meta

ASIDE = "aside "
"""Beginning of the key of such a fact; what follows is the kind and the hash of the name."""
REASON = "set-aside"
"""Reason in the fate of an observation that was set aside."""
SOURCE, MESSAGE, OBSERVATION, SCOPE = "source", "message", "observation", "scope"
FILE, EDITS, FILES = "file", "edits", "files"
"""A file of the inbox, what a person changed in the files of a scope, and the files of a scope as dream writes them."""
BEHIND = " at byte "
"""Between the id of a source and the place of a message in it."""


@dataclass(frozen=True)
class Aside:
    """One thing that was set aside. `why` is the class of what was raised, for its words may be those of a memory."""

    kind: str
    name: str
    why: str
    mark: str = ""
    version: str = ""
    place: str = ""
    """Where a person finds it, when the name does not say so."""
    known_as: str = ""
    """What it is found by: a name that looks like a secret is masked, and two of those are still two."""

    def told(self) -> str:
        """The thing and the reason in words."""
        named = {SOURCE: "source", MESSAGE: "part of", OBSERVATION: "statement", SCOPE: "scope", FILE: "file",
                 EDITS: "edits by hand in scope", FILES: "files of scope"}[self.kind]
        return f"{named} `{self.place or self.name}` ({self.why})"

    def shown(self) -> dict[str, str]:
        """The same as a document shows it."""
        return {"kind": self.kind, "name": self.place or self.name, "reason": self.why}

    @property
    def key(self) -> str:
        return f"{ASIDE}{self.kind} {self.known_as or content_id(self.kind, self.name)}"


@sound_row
def load_asides(store: Store) -> list[Aside]:
    """Everything that is set aside."""
    rows = store.all("SELECT value FROM meta WHERE key > ? AND key < ? ORDER BY key", ASIDE, ASIDE + "~")
    return [_aside_in(str(r["value"])) for r in rows]


@sound_row
def load_aside(store: Store, key: str) -> Aside | None:
    """The one thing that is set aside under a key; asked for each source and scope of a night, so nothing else is read."""
    rows = store.all("SELECT value FROM meta WHERE key = ?", key)
    return _aside_in(str(rows[0]["value"])) if rows else None


def _aside_in(value: str) -> Aside:
    return Aside(**{k: str(v) for k, v in json.loads(value).items()})


def write_aside(tx: sqlite3.Connection, aside: Aside) -> None:
    """Remember that a thing was set aside; what was known of it before is replaced."""
    write_meta(tx, aside.key, json.dumps(asdict(aside), sort_keys=True))


def drop_aside(tx: sqlite3.Connection, aside: Aside) -> None:
    """A thing is worked with again."""
    tx.execute("DELETE FROM meta WHERE key = ?", (aside.key,))


def try_again(tx: sqlite3.Connection, aside: Aside) -> None:
    """Have a thing tried again from the beginning: what was read of it is known when it is met a second time."""
    drop_aside(tx, aside)
    if aside.kind == OBSERVATION:
        tx.execute("""DELETE FROM fate WHERE reason = ? AND set_aside = 0
                        AND observation = (SELECT seq FROM observation WHERE id = ?)""", (REASON, aside.name))
    elif aside.kind == MESSAGE:
        tx.execute("DELETE FROM cursor WHERE source = ?", (aside.name.partition(BEHIND)[0],))
