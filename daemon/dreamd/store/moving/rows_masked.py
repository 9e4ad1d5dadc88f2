"""Records of another store, clean before they are looked at: whoever wrote them may have known fewer secrets, or hidden some.

A statement is known by its words and a memory's words by their hash, so what is masked is renamed wherever it is named. No
record tells of a time that is yet to come, for what was said then would beat every later word until then.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from dreamd.core.values import content_id, text_sha
from dreamd.store.masking.unmasked import masked_value
from dreamd.store.moving.rows_out import Record
from dreamd.text.redaction import mask_name

_NAMES = frozenset({"conversation", "key", "source_id", "target", "scope", "identity", "sign", "id"})
"""What others are known by: a secret there becomes a hash, so that two stay two."""
_HASHES = frozenset({"sha", "wording", "hash", "rows"})
_PAST = frozenset({"at", "created_at", "updated_at", "confirmed_at", "stored_at", "last_at", "now", "started_at", "ended_at"})


def masked_records(records: Sequence[Record], now: str) -> tuple[list[Record], int]:
    """The records with every secret in them masked, and how many held one."""
    clean = [_masked(one, now) for one in records]
    shas: dict[str, str] = {}
    ids: dict[str, str] = {}
    held = 0
    for one, (fresh, kinds) in zip(records, clean, strict=True):
        held += bool(kinds)
        if one["kind"] == "wording":
            fresh["sha"] = shas[one["sha"]] = text_sha(fresh["text"])
        elif one["kind"] == "observation" and fresh != one:
            fresh["id"] = ids[one["id"]] = _named(fresh)
    return [following(fresh, shas, ids) for fresh, _ in clean], held


def _masked(one: Record, now: str) -> tuple[Record, list[str]]:
    kinds: list[str] = []
    fresh: Record = {}
    for name, told in one.items():
        if isinstance(told, str) and name in _NAMES:
            clean: Any = mask_name(told)
            kinds += ["name"] if clean != told else []
        elif name in _PAST and isinstance(told, str):
            clean = min(told, now)
        else:
            clean = told if name in _HASHES else masked_value(name, told, kinds)
        fresh[name] = clean
    return fresh, kinds


def _named(one: Record) -> str:
    """The id that a statement's words give it."""
    if one["key"]:
        return content_id("key", one["key"])
    return content_id("said", *(str(one[name]) for name in ("scope", "origin", "conversation", "at", "text", "target")))


def following(one: Record, shas: dict[str, str], ids: dict[str, str]) -> Record:
    """A record that names others as they are called now; a statement whose words do not give its id gets a key."""
    kind = one["kind"]
    if kind == "memory":
        return {**one, "wording": shas.get(one["wording"], one["wording"]),
                "observations": [ids.get(said, said) for said in one["observations"]]}
    if kind == "operation":
        return {**one, **{side: _sides(one[side], shas) for side in ("before", "after")}}
    if kind in ("fate", "model-word", "voice"):
        return {**one, "observation": ids.get(one["observation"], one["observation"])}
    if kind == "observation":
        said, old = "said:", str(one["target"])
        target = said + ids.get(old.removeprefix(said), old.removeprefix(said)) if old.startswith(said) else old
        moved = {**one, "target": target}
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
