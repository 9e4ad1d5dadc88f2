"""Memories that other programs kept, as statements for the gate: mem0's, those of Claude's data export, basic-memory's notes.

Each has the origin `import`, the time it had there and an id of its own, so that a second time changes nothing. What is not a
statement (relations, empty entries) is counted and left.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dreamd.core import fsio
from dreamd.core.clock import parse_instant
from dreamd.core.errors import DreamError, Refused, UsageError
from dreamd.core.values import LONGEST_TEXT, Candidate, Origin, Scope, content_id, parse_scope
from dreamd.sources.claude_code.memory_text import pieces_of, standing_words, without_links

MEM0, CLAUDE, BASIC = "mem0", "Claude's data export", "basic-memory"
LARGEST_BYTES = 256 * 1024 * 1024
MOST_NOTES = 20_000
USER = Scope("user")
_OBSERVED = re.compile(r"^\s*[-*] \[(?![ xX-]\])([^\]\n]{1,60})\]\s+(.+)$")
_RELATED = re.compile(r"^\s*[-*] .{0,80}?\[\[[^\]]+\]\].{0,80}$")
_TO_DO = re.compile(r"^\s*[-*] \[[ xX-]\]")
_BOLD = re.compile(r"\*\*([^*\n]{1,120})\*\*:?")
"""A line that is nothing but bold stands in for a heading."""
_TAGS = re.compile(r"(?:\s#[\w/-]+)+(?=\s*(?:\([^()]*\))?\s*$)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-ZÀ-Þ\"“])")
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)


@dataclass(frozen=True)
class Foreign:
    """What another program kept."""

    program: str
    statements: tuple[Candidate, ...]
    left: int = 0
    """Entries that say nothing, tasks, and relations between notes."""


def read_foreign(path: Path, now: datetime) -> Foreign | None:
    """The memories of another program; None for what is none of the three.

    Raises Refused for what cannot be read, and for what is cut short: a name says what it should be.
    """
    if path.is_dir():
        return _claude(path, now) or _basic_memory(path, now)
    if zipfile.is_zipfile(path):
        return _claude(path, now)
    body = fsio.read_bytes(path, limit_bytes=LARGEST_BYTES)
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        if path.suffix.lower() in (".json", ".zip"):
            what = "is empty" if not body.strip() else f"is damaged or cut short: it is no whole {path.suffix[1:].upper()}"
            raise Refused(f"`{path}` {what}; nothing was taken in", hint="have it made again") from None
        return None
    memories = _claude_memories(document)
    return _of_claude(memories, {}, now) if memories else _mem0(document, now)


def in_scope(foreign: Foreign, scope: Scope | None) -> Foreign:
    """All statements in one scope, where a person names it."""
    return foreign if scope is None else replace(foreign, statements=tuple(replace(s, scope=scope) for s in foreign.statements))


def _mem0(document: object, now: datetime) -> Foreign | None:
    rows = document.get("results", document.get("memories")) if isinstance(document, dict) else document
    if not isinstance(rows, list) or not any(isinstance(row, dict) and "memory" in row for row in rows):
        return None
    told = [row for row in rows if isinstance(row, dict) and isinstance(row.get("memory"), str) and row["memory"].strip()]
    related = document.get("relations") if isinstance(document, dict) else None
    left = len(rows) - len(told) + (len(related) if isinstance(related, list) else 0)
    return Foreign(MEM0, tuple(_candidate(
        row["memory"], _time(row.get("updated_at") or row.get("created_at"), now), _mem0_scope(row),
        key=f"mem0:{row.get('id') or content_id('mem0', row['memory'])}") for row in told), left)


def _mem0_scope(row: dict[str, Any]) -> Scope:
    """Whose a memory is: a person's holds everywhere, that of an agent or a session belongs to it alone."""
    if row.get("user_id") or not (row.get("agent_id") or row.get("run_id")):
        return USER
    return _scope("local", f"mem0 {row.get('run_id') or row.get('agent_id')}")


def _claude(path: Path, now: datetime) -> Foreign | None:
    memories: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    try:
        for kind, body in _unpacked_parts(path) if path.is_dir() else _packed_parts(path):
            with suppress(ValueError, RecursionError):
                document = json.loads(body)
                if kind == "memories":
                    memories += _claude_memories(document)
                else:
                    names |= {str(p["uuid"]): str(p.get("name") or "") for p in _dicts(document) if "uuid" in p}
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:
        raise Refused(f"`{path}` cannot be unpacked ({type(error).__name__})") from None
    return _of_claude(memories, names, now) if memories else None


def _packed_parts(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if (kind := _part_of(info.filename)) and info.file_size <= LARGEST_BYTES:
                yield kind, archive.read(info)


def _unpacked_parts(path: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted((*path.glob("*.json"), *path.glob("*/*.json"))):
        if (kind := _part_of(str(file.relative_to(path)))) and file.is_file() and file.stat().st_size <= LARGEST_BYTES:
            yield kind, fsio.read_bytes(file, limit_bytes=LARGEST_BYTES)


def _part_of(name: str) -> str:
    """Which part of an export a file is: older ones have one file for all, later ones a folder."""
    stem, _, folder = Path(name).name, None, Path(name).parent.name
    return next((kind for kind in ("memories", "projects") if stem == f"{kind}.json" or (
        folder == kind and stem.endswith(".json"))), "")


def _dicts(document: object) -> list[dict[str, Any]]:
    return [one for one in (document if isinstance(document, list) else [document]) if isinstance(one, dict)]


def _claude_memories(document: object) -> list[dict[str, Any]]:
    return [one for one in _dicts(document) if "conversations_memory" in one or "project_memories" in one]


def _of_claude(memories: Iterable[dict[str, Any]], names: dict[str, str], now: datetime) -> Foreign:
    told: list[Candidate] = []
    for one in memories:
        told += _statements(str(one.get("conversations_memory") or ""), "claude", now, USER)
        projects = one.get("project_memories")
        for uuid, text in (projects.items() if isinstance(projects, dict) else ()):
            scope = _scope("project", names[uuid]) if names.get(uuid) else _scope("local", f"claude project {uuid}")
            told += _statements(str(text or ""), f"claude:{uuid}", now, scope)
    return Foreign(CLAUDE, tuple({one.key: one for one in told}.values()))


def _basic_memory(folder: Path, now: datetime) -> Foreign | None:
    told: list[Candidate] = []
    left, is_one = 0, False
    scope = _scope("project", folder.resolve().name)
    for path in sorted(folder.rglob("*.md"))[:MOST_NOTES]:
        if path.is_symlink() or any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        try:
            text = fsio.read_bytes(path).decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
        except (DreamError, FileNotFoundError):
            left += 1
            continue
        front = _front(text)
        if "permalink" not in front:
            continue
        is_one = True
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        at = _time(front.get("updated") or front.get("modified") or front.get("created") or front.get("date"), changed)
        some, others = _of_note(text, front, min(at, now), scope)
        told, left = told + some, left + others
    return Foreign(BASIC, tuple({one.key: one for one in told}.values()), left) if is_one else None


def _of_note(text: str, front: dict[str, Any], at: datetime, scope: Scope) -> tuple[list[Candidate], int]:
    """The observations of a note and what else it says; how many relations and tasks it has."""
    place, title = f"basic-memory:{front['permalink']}", str(front.get("title") or "")
    told: list[Candidate] = []
    rest, related = [], 0
    for line in _FRONT.sub("", text).split("\n"):
        if _RELATED.match(line) or _TO_DO.match(line):
            related += 1
        elif found := _OBSERVED.match(line):
            words = _TAGS.sub("", without_links(found[2])).strip()
            told.append(_candidate(words, at, scope, key=f"{place}#{content_id('line', words)}", context=title))
        else:
            rest.append(line)
    return [*told, *_statements("\n".join(rest), place, at, scope, title=title)], related


def _statements(text: str, place: str, at: datetime, scope: Scope, *, title: str = "") -> Iterator[Candidate]:
    """The sentences of a text, each found by what stands before it."""
    heading = ""
    for piece in pieces_of(text.encode("utf-8", "replace").decode()):  # half a sign, as JSON can hold it, is no text
        words = standing_words(without_links(piece.text)).strip()
        if bold := _BOLD.fullmatch(words):
            heading = bold[1]
            continue
        before = " ".join(filter(None, (title, piece.heading, heading)))
        for sentence in _SENTENCE.split(words):
            plain = sentence.strip()
            if plain and not (plain.startswith("#") or plain == title):
                yield _candidate(plain, at, scope, key=f"{place}#{content_id('line', plain)}", context=before)
                before = plain


def _candidate(text: str, at: datetime, scope: Scope, *, key: str, context: str = "") -> Candidate:
    return Candidate(text.strip()[:LONGEST_TEXT], Origin.IMPORT, at, scope, key=key, context=context[:LONGEST_TEXT])


def _time(told: object, otherwise: datetime) -> datetime:
    try:
        return parse_instant(str(told)) if told else otherwise
    except UsageError:
        return otherwise


def _scope(kind: str, name: str) -> Scope:
    """A scope of that name, as far as a scope can be called so."""
    plain = " ".join("".join(c if c.isalnum() or c in " -_" else " " for c in name).split())[:80] or "import"
    return parse_scope(f"{kind}:{plain}")


def _front(text: str) -> dict[str, Any]:
    found = _FRONT.match(text)
    if not found:
        return {}
    import yaml

    try:  # nothing but text, lists and tables: a day that no calendar has is a word like any other
        told = yaml.load(found[1], Loader=yaml.BaseLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
