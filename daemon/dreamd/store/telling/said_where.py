"""Where something was said: the source, and of a folder of notes the file in it, told again from what the store keeps."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from dreamd.core.values import Observation, content_id
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.presence.sound_rows import sound_row


@dataclass(frozen=True)
class Place:
    """A source, or one file of it."""

    kind: str
    path: str

    @property
    def name(self) -> str:
        """The name of the file."""
        return PurePath(self.path).name


@sound_row
def load_places(store: Store, said: Iterable[Observation]) -> dict[str, Place]:
    """Where each of some observations was said, by their ids; of a note there is no place."""
    some = [one for one in said if one.source_id]
    rows = store.tuples(f"""SELECT s.id, s.kind, s.path, COALESCE(c.carry, '') FROM source s
                            LEFT JOIN cursor c ON c.source = s.id WHERE s.id IN {LISTED}""",
                        listed(dict.fromkeys(one.source_id for one in some)))
    known = {identity: (Place(kind, path), _files(carry)) for identity, kind, path, carry in rows}
    return {one.id: _place(one, *known[one.source_id]) for one in some if one.source_id in known}


def _files(carry: str) -> list[str]:
    """The files of a folder, as the cursor names them; none of what is one file."""
    try:
        kept = json.loads(carry or "{}")
    except ValueError:
        return []
    files = kept.get("files") if isinstance(kept, dict) else None
    return [name for name in files if name] if isinstance(files, dict) else []


def _place(one: Observation, source: Place, files: list[str]) -> Place:
    """A note has its name from its file and its words, so the file is the one that gives it that name."""
    name = next((name for name in files if one.key.endswith(f":{content_id(name, one.text)}")), "")
    return Place(source.kind, f"{source.path.rstrip('/')}/{name}") if name else source
