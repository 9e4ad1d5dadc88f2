"""The one thread that searches: model and vectors stay warm in it between two keystrokes, and no two searches meet.

Between questions its connection has no transaction open, so neither a dream nor a forgetting waits for a person who reads.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from dreamd.core.world import World
from dreamd.kit import Kit, open_kit
from dreamd.models import Embedder
from dreamd.recall.answer import Look, Recall, search
from dreamd.recall.shelf import Shelf


class Warm:
    """Recall for a page, made once a start; what it loaded of models serves whoever changes words, too."""

    def __init__(self, world: World, *, embedder: Embedder | None = None) -> None:
        self._world, self.embedder = world, embedder
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="search")
        self._opened = ExitStack()
        self._kit: Kit | None = None
        self._file: tuple[int, int] | None = None
        self._shelf = Shelf()

    def search(self, query: str, look: Look) -> Recall:
        """The memories that answer a query, as `dream search` finds them.

        Raises UsageError for an endless query, StoreMissing where nothing is there yet.
        """
        return self._thread.submit(self._search, query, look).result()

    def close(self) -> None:
        """Let go of store and model."""
        self._thread.submit(self._opened.close).result()
        self._thread.shutdown()

    def _search(self, query: str, look: Look) -> Recall:
        kit = self._open()
        try:
            return search(kit, query, look, shelf=self._shelf)
        finally:
            self.embedder = kit.embedder

    def _open(self) -> Kit:
        """The store, opened again where another file has taken its place."""
        path = self._world.paths.store
        facts = path.stat() if path.exists() else None
        file = (facts.st_dev, facts.st_ino) if facts else None
        if self._kit is None or file != self._file:
            self._opened.close()
            self._kit, self._shelf = None, Shelf()
            kit = self._opened.enter_context(open_kit(self._world, read_only=True))
            kit.embedder = self.embedder
            self._kit, self._file = kit, file
        return self._kit
