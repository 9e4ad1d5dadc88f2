"""Records of another store, clean before they are looked at: whoever wrote them may have known fewer secrets, or hidden some.

A statement is known by its words and a memory's words by their hash, so what is masked is renamed wherever it is named. No
record tells of a time that is yet to come, for what was said then would beat every later word until then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from dreamd.core.values import content_id, text_sha
from dreamd.store.masking.unmasked import masked_value
from dreamd.store.moving.rows_out import Record
from dreamd.text.redaction import Redacted, mask_name, redact

Progress = Callable[[str, int, int], None]
"""Called with a step, how much of it is done, and of how much."""
OFTEN = 500
"""Records between two words on how far it is."""
MOST_KEPT = 100_000
"""Texts that are remembered at a time: more than that, and some are looked through twice."""
BARE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?|[0-9a-f]{12}|[0-9a-f]{64}", re.ASCII)
"""A day, an instant, an id, a hash: most of what records hold, and nothing that the mask would take for a secret."""
_NAMES = frozenset({"conversation", "key", "source_id", "target", "scope", "identity", "sign", "id"})
"""What others are known by: a secret there becomes a hash, so that two stay two."""
_HASHES = frozenset({"sha", "wording", "hash", "rows"})
_PAST = frozenset({"at", "created_at", "updated_at", "confirmed_at", "stored_at", "last_at", "now", "started_at", "ended_at"})


def masked_records(records: Sequence[Record], now: str, progress: Progress | None = None) -> tuple[list[Record], int]:
    """The records with every secret in them masked, and how many held one; those that held none are the same values."""
    look = Looks()
    clean: list[Record] = []
    shas: dict[str, str] = {}
    ids: dict[str, str] = {}
    held = 0
    for n, one in enumerate(records):
        if progress and n % OFTEN == 0:
            progress("looking for secrets", n, len(records))
        fresh, kinds = _masked(one, now, look)
        held += bool(kinds)
        if one["kind"] == "wording":
            shas[one["sha"]] = text_sha(fresh["text"])
            fresh = _with(fresh, sha=shas[one["sha"]])
        elif one["kind"] == "observation" and fresh is not one:
            fresh = _with(fresh, id=_named(fresh))
            ids[one["id"]] = fresh["id"]
        clean.append(fresh)
    return [following(one, shas, ids) for one in clean], held


class Looks:
    """Each text is looked through once, in however many records it stands; what dream makes of digits alone, never."""

    def __init__(self) -> None:
        self._seen: dict[str, Redacted] = {}

    def __call__(self, text: str) -> Redacted:
        """A text without its secrets."""
        if BARE.fullmatch(text):
            return Redacted(text)
        done = self._seen.get(text)
        if done is None:
            if len(self._seen) >= MOST_KEPT:
                self._seen.clear()
            done = self._seen[text] = redact(text)
        return done


def _masked(one: Record, now: str, look: Looks) -> tuple[Record, list[str]]:
    kinds: list[str] = []
    changed: Record = {}
    for name, told in one.items():
        if isinstance(told, str) and name in _NAMES:
            clean: Any = told if look(told).text == told else mask_name(told)
            kinds += ["name"] if clean != told else []
        elif name in _PAST and isinstance(told, str):
            clean = min(told, now)
        else:
            clean = told if name in _HASHES else masked_value(name, told, kinds, look)
        if clean != told:
            changed[name] = clean
    return _with(one, **changed), kinds


def _with(one: Record, **columns: object) -> Record:
    """A record with other values; itself where they are none, for a whole home is held in memory here once, not twice."""
    return one if all(one.get(name) == told for name, told in columns.items()) else {**one, **columns}


def _named(one: Record) -> str:
    """The id that a statement's words give it."""
    if one["key"]:
        return content_id("key", one["key"])
    return content_id("said", *(str(one[name]) for name in ("scope", "origin", "conversation", "at", "text", "target")))


def following(one: Record, shas: dict[str, str], ids: dict[str, str]) -> Record:
    """A record that names others as they are called now; a statement whose words do not give its id gets a key."""
    kind = one["kind"]
    if kind == "memory":
        return _with(one, wording=shas.get(one["wording"], one["wording"]),
                     observations=[ids.get(said, said) for said in one["observations"]])
    if kind == "operation":
        return _with(one, **{side: _sides(one[side], shas) for side in ("before", "after")})
    if kind in ("fate", "model-word", "voice"):
        return _with(one, observation=ids.get(one["observation"], one["observation"]))
    if kind == "observation":
        said, old = "said:", str(one["target"])
        target = said + ids.get(old.removeprefix(said), old.removeprefix(said)) if old.startswith(said) else old
        moved = _with(one, target=target)
        return moved if one["key"] or _named(moved) == one["id"] else {**moved, "key": f"moved:{one['id']}"}
    return one


def _sides(side: str | None, shas: dict[str, str]) -> str | None:
    """A snapshot of the journal, with the hash its words have now."""
    if side is None:
        return None
    kept = json.loads(side)
    if shas.get(kept["wording"], kept["wording"]) == kept["wording"]:
        return side
    return json.dumps({**kept, "wording": shas[kept["wording"]]}, ensure_ascii=False, sort_keys=True)
