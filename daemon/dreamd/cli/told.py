"""An error that has been told already."""

from __future__ import annotations

from dreamd.core.errors import DreamError


class Told(Exception):
    """An error whose JSON document is already out; `marked` when its outage has left its marker too."""

    def __init__(self, error: DreamError, *, marked: bool) -> None:
        super().__init__(error.message)
        self.error = error
        self.marked = marked
