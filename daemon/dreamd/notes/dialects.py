"""Which agent keeps a memory directory, and which of its files may be touched.

A person's instruction files are in no dialect's hands: dream proposes a change to them and never makes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum


class Dialect(StrEnum):
    """The shapes of memory directories dream can keep in order."""

    CLAUDE = "claude"
    """`MEMORY.md` with pointers and topic files: Claude Code auto memory, `.claude/memory`, agent memory."""
    OPENCLAW = "openclaw"
    """A workspace: curated `MEMORY.md`, append-only daily logs below `memory/`."""
    CODEX = "codex"
    """Task groups in `MEMORY.md`, `memory_summary.md` with `v1` on its first line."""
    HERMES = "hermes"
    """Entries between `§` lines, with a limit in characters for each file."""
    GENERIC = "generic"
    """Markdown with headings and bullets."""


HERMES_LIMITS: Mapping[str, int] = {"memory.md": 2_200, "user.md": 1_375}
"""Characters the agent itself accepts in a file; a file is never brought above it."""

INSTRUCTION_FILES = frozenset({
    "claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", "copilot-instructions.md",
    "soul.md", "identity.md", "tools.md",
})
"""Owner's files, in lower case: only ever proposed to."""

_SEPARATOR = re.compile(r"(?m)^§[ \t]*\r?$")
_TASK_GROUP = re.compile(r"(?m)^# Task Group:")
_MARK = re.compile(r"<!--\s*(?:trigger|importance)\s*:")
_DAILY = re.compile(r"(?:.*/)?memory/\d{4}-\d\d-\d\d[^/]*\.md")


def detect_dialect(files: Mapping[str, str]) -> Dialect:
    """Tell whose directory this is from names and shapes; generic when nothing says so."""
    names = {name.lower(): name for name in files}
    index = files.get(names.get("memory.md", ""), "")
    summary = files.get(names.get("memory_summary.md", ""))
    if summary is not None or "raw_memories.md" in names or _TASK_GROUP.search(index):
        return Dialect.CODEX
    if _SEPARATOR.search(index) or _SEPARATOR.search(files.get(names.get("user.md", ""), "")):
        return Dialect.HERMES
    if any(_DAILY.fullmatch(name) for name in files) or _MARK.search(index) or "soul.md" in names:
        return Dialect.OPENCLAW
    if "memory.md" in names or _mostly_topics(files.values()):
        return Dialect.CLAUDE
    return Dialect.GENERIC


def is_instruction_file(name: str) -> bool:
    """Whether a file holds its owner's instructions."""
    return name.rsplit("/", 1)[-1].lower() in INSTRUCTION_FILES


def is_editable(name: str, dialect: Dialect) -> bool:
    """Whether a dream may change this file of a directory in this dialect."""
    plain = name.lower()
    if is_instruction_file(name) or not plain.endswith(".md") or any(x.startswith(".") for x in plain.split("/")):
        return False
    if dialect is Dialect.OPENCLAW:
        return plain == "memory.md"
    if dialect is Dialect.CODEX:
        return plain in ("memory.md", "memory_summary.md")
    if dialect is Dialect.HERMES:
        return plain in HERMES_LIMITS
    return "/" not in name


def is_whole_file_entry(name: str, dialect: Dialect) -> bool:
    """Whether a file is one memory as a whole, as topic files are."""
    from dreamd.notes.directory import is_index

    return dialect is Dialect.CLAUDE and not is_index(name) and not is_instruction_file(name)


def _mostly_topics(texts: Iterable[str]) -> bool:
    heads = [bool(re.match(r"\ufeff?---\r?\n(?:.*\r?\n)*?(?:\s*type:|metadata:)", text[:2_000])) for text in texts]
    return sum(heads) * 2 > len(heads)
