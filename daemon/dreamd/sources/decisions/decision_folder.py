"""A folder of decision records, or one page of many, as a source: one note for each, with what the others say of it.

The folder is read as a whole whenever any page of it changed, for who supersedes whom may stand on either side. A record
that says the same as before keeps its identity, so what was known stays known.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time
from pathlib import Path

from dreamd.core.values import DECISION, Cursor, Event, EventKind, Reading, Skip, Speaker, content_id
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.opening import Unopened, open_source
from dreamd.sources.base.tolerant import parse_record, record_at
from dreamd.sources.decisions.decision_log import read_log
from dreamd.sources.decisions.record_chains import Chain, Finding, chain
from dreamd.sources.decisions.record_folders import (
    LARGEST_PAGE_BYTES,
    PAGES,
    holds_log,
    is_all_records,
    is_log,
    pages_of,
    place_of,
)
from dreamd.sources.decisions.record_reading import Record, read_record
from dreamd.sources.decisions.record_words import Standing, in_one_order

KIND = "decisions"
FORM = "5"
"""Goes up with the wording of the notes, so that every folder is read once more."""
_DIGITS = 16
_TELLING = {Standing.UNSTATED: "status not stated"}


@dataclass(frozen=True)
class _Pages:
    """What was read of a folder."""

    chain: Chain
    digests: Mapping[str, str]
    changed_at: Mapping[str, datetime]
    skips: tuple[Skip, ...]
    size: int
    lines: int


class DecisionRecords:
    """Reads a folder of decision records, whatever their dialect."""

    kind = KIND

    def accepts(self, head: Head) -> bool:
        """A directory with little else than records of decisions, or a log of them; one that is named so is found unasked."""
        if not head.is_dir:
            return holds_log(head.path)
        return not head.names.isdisjoint(_names_of_pages(head)) and "MEMORY.md" not in head.names and (
            is_all_records(head.path))

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:  # noqa: ARG002 one small whole
        """Read the folder and give every record, where any page changed since the cursor."""
        if not _is_there(path):  # gone or not looked into: that ends nothing
            return Reading((), cursor, (Skip(contract.UNREADABLE, 0, 0, path.name),))
        carried = parse_record(cursor.carry) or {}
        known = {name: str(sha) for name, sha in record_at(carried, "files").items()} if carried.get("form") == FORM else {}
        seen, said = _load(path, only_look=True), carried.get("told")
        if known == seen.digests and isinstance(said, list):  # nothing is taken apart again to say the same
            return Reading((), cursor, seen.skips, told=tuple(str(one) for one in said))
        pages = _load(path)
        findings = tuple(finding.told() for finding in pages.chain.findings)
        unread = {skip.file for skip in pages.skips}
        base = _from_place(path)
        events = {one.path: _note(one, pages, base) for one in pages.chain.records}
        standing: dict[str, tuple[str, ...] | None] = dict.fromkeys(sorted(unread & known.keys()))
        for _, event in sorted(events.items()):  # a log has many
            standing[event.file] = (*(standing.get(event.file) or ()), event.uid)
        digests = {**pages.digests, **{name: known[name] for name in unread & known.keys()}}
        carry = json.dumps({"form": FORM, "files": digests, "told": findings}, separators=(",", ":"), sort_keys=True)
        return Reading(tuple(events.values()), Cursor(len(digests), pages.size, carry=carry), pages.skips, pages.lines, 0,
                       standing=standing, told=findings)


def findings_in(path: Path) -> tuple[Finding, ...]:
    """What in a folder of records cannot be right; nothing where it cannot be looked into."""
    return _load(path).chain.findings if _is_there(path) else ()


def _is_there(path: Path) -> bool:
    try:
        return (path.is_dir() or is_log(path)) and not path.is_symlink()
    except (OSError, ValueError):
        return False


def _names_of_pages(head: Head) -> frozenset[str]:
    return frozenset(name for name in head.names if "." not in name or name.endswith(PAGES))


def _load(path: Path, *, only_look: bool = False) -> _Pages:
    """The pages of a folder: whether any changed, and what they say."""
    texts: dict[str, str] = {}
    digests: dict[str, str] = {}
    changed: dict[str, datetime] = {}
    skips: list[Skip] = []
    size = lines = 0
    folder = path if path.is_dir() else path.parent
    for name in pages_of(path):
        try:
            with open_source(folder / name) as handle:
                body = handle.read(LARGEST_PAGE_BYTES + 1)
                changed[name] = datetime.fromtimestamp(os.fstat(handle.fileno()).st_mtime, UTC)
        except (Unopened, OSError) as error:
            skips.append(Skip(error.reason if isinstance(error, Unopened) else contract.UNREADABLE, 0, 0, name))
            continue
        if len(body) > LARGEST_PAGE_BYTES or b"\0" in body:
            skips.append(Skip(contract.OVERSIZED if len(body) > LARGEST_PAGE_BYTES else contract.SPOILT, 0, len(body), name))
            continue
        size, lines = size + len(body), lines + body.count(b"\n") + 1
        digests[name] = hashlib.sha256(body).hexdigest()[:_DIGITS]
        if not only_look:
            texts[name] = body.decode("utf-8", "replace").removeprefix("\ufeff")
    pages = zip(texts, in_one_order(tuple(texts.values())), strict=True)
    found = (read_log(name, text) if folder != path else [read_record(name, text)] for name, text in pages)
    records = [one for some in found for one in some if one is not None]
    return _Pages(chain(records), digests, changed, tuple(skips), size, lines)


def _note(record: Record, pages: _Pages, base: str) -> Event:
    """One record as a note. Its sign tells what became of it, and the record that took its place."""
    chained = pages.chain
    standing, successors = chained.standing(record), chained.successors.get(record.path, ())
    text = told(record, successors, f"{base}{record.path}")
    heir = f":{_identity(successors[0])}" if successors else ""
    sign = f"{DECISION}{standing.value}{heir}"
    file = record.path if record.path in pages.changed_at else record.path.rpartition("#")[0]
    at = datetime.combine(record.day, time(12), UTC) if record.day else pages.changed_at[file]
    return Event(Speaker.AGENT, EventKind.NOTE, text, at, "", 0, 0, title=record.title, sign=sign, file=file,
                 uid=f"{DECISION}{_identity(record)}:{content_id(sign, text)[:_DIGITS]}")


def _identity(record: Record) -> str:
    return content_id("record", record.path)[:_DIGITS]


def told(record: Record, successors: tuple[Record, ...], link: str) -> str:
    """A decision in a few sentences: its name and standing, what was decided, why, and where it is written down."""
    said = record.said or _TELLING.get(record.standing, record.standing.value)
    if successors:
        by = f"superseded by {', '.join(one.name for one in successors)}"
        said = by if record.standing in (Standing.ACCEPTED, Standing.UNSTATED, Standing.SUPERSEDED) else f"{said}, {by}"
    parts = [f"{record.name} ({', '.join(part for part in (said, record.when) if part)}): {_closed(record.title)}"]
    parts += [f"Decided: {_closed(record.decided)}"] if record.decided else []
    parts += [f"Why: {_closed(record.why)}"] if record.why else []
    return " ".join((*parts, f"Record: {link}"))


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", "…", "。", "！", "？")) else f"{sentence}."


def _from_place(path: Path) -> str:
    """What leads from the project to the folder."""
    place, path = Path(place_of(path)), path if path.is_dir() else path.parent
    for here in (path.absolute(), path.resolve()):
        if here.is_relative_to(place):
            inside = here.relative_to(place).as_posix()
            return "" if inside == "." else f"{inside}/"
    return f"{path.name}/"
