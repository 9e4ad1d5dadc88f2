"""Sources: one adapter per format, all giving the same events.

`discover` lists what there is, `adapter_for` recognises a path by its content, and an adapter's `read` gives what
lies behind a cursor. Nothing here writes, and nothing a file holds can raise out of it.
"""

from __future__ import annotations

from pathlib import Path

from dreamd.sources.chat_lines import CursorTranscript, OpenClawSession
from dreamd.sources.claude_code import ClaudeCode
from dreamd.sources.codex import Codex
from dreamd.sources.contract import (
    LARGEST_DOCUMENT_BYTES,
    LONGEST_LINE_BYTES,
    ORDINARY,
    Adapter,
    FoundSource,
    Head,
    SourceRoots,
)
from dreamd.sources.copilot_cli import CopilotCli
from dreamd.sources.databases import CursorCli, CursorIde
from dreamd.sources.databases import Hermes as HermesSessions
from dreamd.sources.discovery import discover_in
from dreamd.sources.finding import look_at, project_key_of
from dreamd.sources.gemini import Gemini
from dreamd.sources.memory_dir import MemoryDirectory
from dreamd.sources.note_files import CodexMemories, Hermes, OpenClawWorkspace, StructuredLog
from dreamd.sources.opencode import OpenCodeDatabase, OpenCodeExport
from dreamd.sources.opencode_tree import OpenCodeTree
from dreamd.sources.specstory import SpecStory

ADAPTERS: tuple[Adapter, ...] = (
    SpecStory(), Gemini(), CopilotCli(), Codex(), ClaudeCode(), OpenCodeExport(), OpenCodeDatabase(),
    OpenCodeTree(), CursorIde(), CursorCli(), HermesSessions(), OpenClawSession(), CursorTranscript(), OpenClawWorkspace(),
    Hermes(), CodexMemories(), MemoryDirectory(), StructuredLog(),
)
"""In the order they are asked: the first that accepts a path reads it."""


def adapter_for(path: Path) -> Adapter | None:
    """The adapter that reads a path, by its content; None for anything unknown or unreadable."""
    head = look_at(path)
    if head is None:
        return None
    return next((adapter for adapter in ADAPTERS if adapter.accepts(head)), None)


def adapter_of_kind(kind: str) -> Adapter | None:
    """The adapter of a known kind, for sources that were recognised before."""
    return next((adapter for adapter in ADAPTERS if adapter.kind == kind), None)


def discover(roots: SourceRoots) -> list[FoundSource]:
    """Every source below the given roots."""

    def recognise(path: Path) -> str:
        adapter = adapter_for(path)
        return adapter.kind if adapter else ""

    return discover_in(roots, recognise)


__all__ = [
    "ADAPTERS", "LARGEST_DOCUMENT_BYTES", "LONGEST_LINE_BYTES", "ORDINARY", "Adapter", "FoundSource", "Head",
    "SourceRoots", "adapter_for", "adapter_of_kind", "discover", "project_key_of",
]
