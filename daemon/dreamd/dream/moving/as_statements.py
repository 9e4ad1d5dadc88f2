"""An export that nobody vouched for: its memories as statements for the gate, with none of the standing they had there.

Whoever can write a file can write an export, pins, a person's words and graves with it. So only its words count, as those of
any other program's memories do: a rule waits for the person, and nothing that stands here is ended, forgotten or outvoted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from dreamd.core.clock import parse_instant
from dreamd.core.values import (
    CURRENT,
    LONGEST_TEXT,
    Candidate,
    MemoryClass,
    MemoryType,
    Origin,
    Status,
    Trust,
    parse_scope,
)
from dreamd.dream.moving.reading_back import Export
from dreamd.dream.moving.taking_in import SENSELESS, senseless
from dreamd.extraction.orders import STANDING
from dreamd.kit import Kit
from dreamd.store import observations
from dreamd.store.moving.rows_in import Taken, choose_unknown
from dreamd.store.moving.rows_out import Record
from dreamd.text.injection import could_harm, looks_like_injection, wears_a_role

FOR_A_PERSON = "order-for-a-person"


@dataclass(frozen=True)
class Standing:
    """What an export claims for itself, for whoever has to vouch for it."""

    memories: int
    pinned: int
    of_a_person: int
    """Rules and preferences that stand as a person's word."""
    graves: int


def standing_of(export: Export) -> Standing:
    """Count what an export claims."""
    some = [one for one in export.records if one["kind"] == "memory"]
    theirs = sum(1 for one in some if one.get("authority") == Trust.USER and one.get("class") in ("preference", "rule"))
    graves = [one.get("rows") for one in export.records if one["kind"] == "tombstones"]
    return Standing(len(some), sum(1 for one in some if one.get("pinned")), theirs,
                    sum(len(rows) for rows in graves if isinstance(rows, list)))


def as_statements(kit: Kit, export: Export) -> tuple[tuple[Candidate, ...], Taken]:
    """What current memories of an export say, of those that are neither here nor forgotten here; and how many are.

    Raises Refused for records that make no sense.
    """
    try:
        wanted, taken = choose_unknown(kit.store, export.records, key=observations.tombstone_key(kit.store))
        words = {one["sha"]: one["text"] for one in export.records if one["kind"] == "wording"}
        return tuple(_statement(one, words[one["wording"]]) for one in wanted if Status(one["status"]) in CURRENT), taken
    except SENSELESS as error:
        raise senseless(error) from None


def _statement(one: dict[str, Any], text: str) -> Candidate:
    """One memory as a statement. What was held there, or came from the web, is held here too; every rule is by its class."""
    kind = MemoryClass(one["class"])
    waits = Trust(one["trust"]) is Trust.UNTRUSTED or Status(one["status"]) is Status.HELD and kind not in STANDING
    return Candidate(text[:LONGEST_TEXT], Origin.WEB if waits else Origin.IMPORT, parse_instant(one["confirmed_at"]),
                     parse_scope(one["scope"]), key=f"dream:{one['id']}", class_hint=kind,
                     type_hint=MemoryType(one["type"]), ttl=date.fromisoformat(one["ttl"]).isoformat() if one["ttl"] else None)


def with_doubts(export: Export) -> Export:
    """An export as an empty home takes it, that nobody vouched for: what orders harm there waits for the person."""
    try:
        return replace(export, records=tuple(_doubted(export.records)))
    except SENSELESS as error:
        raise senseless(error) from None


def _doubted(records: tuple[Record, ...]) -> Iterator[Record]:
    harmful = {one["sha"] for one in records if one["kind"] == "wording" and _is_harmful(str(one["text"]))}
    for one in records:
        if one["kind"] == "memory" and one["wording"] in harmful and one["status"] in (Status.LIVE, Status.STALE):
            yield {**one, "status": Status.HELD.value, "pinned": 0, "reason": FOR_A_PERSON}
        else:
            yield one


def _is_harmful(text: str) -> bool:
    return could_harm(text) or looks_like_injection(text) or wears_a_role(text)
