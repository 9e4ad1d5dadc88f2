"""Recall: from a question to what memory says about it.

`from dreamd.recall import open_recall` is the way in for programs; it is loaded when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dreamd.recall.answer import open_recall

__all__ = ["open_recall"]


def __getattr__(name: str) -> object:
    """The way in, imported when somebody first asks for it."""
    if name == "open_recall":
        from dreamd.recall.answer import open_recall

        return open_recall
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
