"""What dream never reads because a person said so: such a conversation does not wait to be read.

A rough likeness of what the room `sources` knows: where it is in doubt, the conversation does not count.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from dreamd.probing.peek import bytes_at, exists, text_of

FILE_NAME = ".dreamignore"
HEAD_BYTES = 65536
_CWD = re.compile(rb'"(?:cwd|workdir|directory)"\s*:\s*"(/[^"\\]{0,1000})"')


class KeptOut:
    """The patterns of the settings, and what was found out about folders."""

    def __init__(self, sources: object, person: str) -> None:
        listed = sources.get("exclude", []) if isinstance(sources, dict) else []
        self._patterns = [p.strip() for p in listed if isinstance(p, str) and p.strip()] if isinstance(listed, list) else []
        self._person = person

    def holds(self, path: str) -> bool:
        """Whether a conversation is kept from being read, by its file or by where it was held."""
        told = _CWD.search(bytes_at(path, 0, HEAD_BYTES))
        places = [path, *([told[1].decode("utf-8", "replace")] if told else [])]
        return any(self._is_named(place) or self._is_ignored(place) for place in places)

    def _is_named(self, place: str) -> bool:
        kept = False
        for pattern in self._patterns:
            kind, colon, name = pattern.partition(":")
            if colon and kind == "conversation":
                kept = kept or fnmatchcase(os.path.splitext(os.path.basename(place))[0], name)  # noqa: PTH119, PTH122
            elif colon and kind == "project":
                last = name.lower().rstrip("/").rpartition("/")[2]
                kept = kept or any(fnmatchcase(part, last) for part in place.lower().split("/"))
            elif pattern.startswith("!"):
                kept = kept and not _means(self._at_home(pattern[1:]), place)
            else:
                kept = kept or _means(self._at_home(pattern), place)
        return kept

    def _at_home(self, pattern: str) -> str:
        return self._person + pattern[1:] if pattern == "~" or pattern.startswith("~/") else pattern

    def _is_ignored(self, place: str) -> bool:
        folder, below = place, ""
        while folder not in ("", "/"):
            lines = self._lines_of(folder)
            if lines is not None and (not lines or any(_means(line, f"/{below}") or line.strip("/*") in ("", ".")
                                                       for line in lines)):
                return True
            folder, name = os.path.split(folder)
            below = f"{name}/{below}" if below else name
        return False

    def _lines_of(self, folder: str) -> list[str] | None:
        path = f"{folder}/{FILE_NAME}"
        if not exists(path):
            return None
        lines = (line.strip() for line in text_of(path).splitlines())
        return [line for line in lines if line and not line.startswith("#")]


def _means(pattern: str, place: str) -> bool:
    """Whether a pattern of that kind names a path or a folder above it."""
    plain = pattern.rstrip("/")
    if "/" not in plain:
        return bool(plain) and any(fnmatchcase(part, plain) for part in place.split("/"))
    wanted = plain if plain.startswith("/") else f"*/{plain.removeprefix('**/')}"
    return any(fnmatchcase(above, wanted) for above in _and_above(place))


def _and_above(place: str) -> Iterable[str]:
    parts = place.split("/")
    return ("/".join(parts[:n]) for n in range(2, len(parts) + 1))
