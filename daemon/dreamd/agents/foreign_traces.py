"""Where forgotten words still stand in what a person attached: dream says so, and changes nothing there for it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from dreamd.agents import foreign_dir
from dreamd.agents.attach import load_attachments
from dreamd.core.errors import DreamError
from dreamd.kit import Kit, exclusions


def still_saying(kit: Kit, statements: Sequence[str]) -> list[str]:
    """Files of attached directories in which any of some statements still stands: they are their owner's to change."""
    wanted = [words for words in (" ".join(text.split()).casefold().rstrip(".!") for text in statements) if words]
    found = []
    for attachment in load_attachments(kit.store):
        with suppress(DreamError, OSError):
            texts = foreign_dir.read_foreign(Path(attachment.path), exclusions(kit.world).has_path).texts
            found += [str(Path(attachment.path) / name) for name, body in sorted(texts.items())
                      if any(words in " ".join(body.split()).casefold() for words in wanted)]
    return found
