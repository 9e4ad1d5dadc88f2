"""Sources: one adapter per format, all giving the same events.

`discover` lists what there is, `adapter_for` recognises a path by its content, and an adapter's `read` gives what
lies behind a cursor. Nothing here writes, and nothing a file holds can raise out of it. The adapters themselves are
imported when one is wanted: whoever only asks for a project's name, as every hook does, must not pay for them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.sources.base.contract import (
    LARGEST_DOCUMENT_BYTES,
    LONGEST_LINE_BYTES,
    ORDINARY,
    Adapter,
    FoundSource,
    Head,
    SourceRoots,
)
from dreamd.sources.base.finding import look_at, project_key_of, why_unread
from dreamd.sources.base.stores import OF_AN_EDITOR, facts_of, is_store, reach_of, written_store
from dreamd.sources.base.unpacking import plain_name

if TYPE_CHECKING:
    from dreamd.sources.adapters import ADAPTERS


def __getattr__(name: str) -> object:
    """The adapters, imported when somebody first asks for all of them."""
    if name == "ADAPTERS":
        from dreamd.sources.adapters import ADAPTERS

        return ADAPTERS
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def adapter_for(path: Path) -> Adapter | None:
    """The adapter that reads a path, by its content; None for anything unknown or unreadable."""
    from dreamd.sources.adapters import ADAPTERS

    head = look_at(path)
    if head is None:
        return None
    return next((adapter for adapter in ADAPTERS if adapter.accepts(head)), None)


def adapter_of_kind(kind: str) -> Adapter | None:
    """The adapter of a known kind, for sources that were recognised before."""
    from dreamd.sources.adapters import ADAPTERS

    return next((adapter for adapter in ADAPTERS if adapter.kind == kind), None)


def discover(roots: SourceRoots) -> list[FoundSource]:
    """Every source below the given roots."""
    from dreamd.sources.discovery import discover_in

    def recognise(path: Path) -> str:
        adapter = adapter_for(path)
        return adapter.kind if adapter else ""

    return discover_in(roots, recognise)


def stores_below(roots: SourceRoots) -> list[Path]:
    """The databases with conversations, going by where they are."""
    from dreamd.sources.discovery import stores_in

    return [path for path in stores_in(roots) if path.is_file()]


__all__ = [
    "ADAPTERS", "LARGEST_DOCUMENT_BYTES", "LONGEST_LINE_BYTES", "OF_AN_EDITOR", "ORDINARY", "Adapter", "FoundSource", "Head",
    "SourceRoots",
    "adapter_for", "adapter_of_kind", "discover", "facts_of", "is_store", "plain_name", "project_key_of", "reach_of",
    "stores_below", "why_unread", "written_store",
]
