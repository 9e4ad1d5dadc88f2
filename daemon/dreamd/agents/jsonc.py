"""JSON that a person has commented: read as what it means, and changed without touching a word of it.

Comments, a comma behind the last member and a byte order mark are blanked out before parsing, sign for sign, so that
every place in what was parsed is the same place in the file. An addition is put in at such a place; nothing is written anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

_TRIVIA = re.compile(r'"(?:[^"\\\n]|\\.)*"?|//[^\n]*|/\*(?:.*?\*/|.*)|,(?=\s*[}\]])', re.DOTALL)
"""What never ends is taken to the end of the text, so that one pass is enough whatever stands in a file."""
_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True)
class Place:
    """An object or a list in a text: where its values begin, where the last one ends, and where it closes."""

    values: dict[str, int]
    last: int
    close: int


def plain(text: str) -> str:
    """The same text as JSON: what only a person reads is blanked out, and every other sign stays where it was."""
    bare = _TRIVIA.sub(_blanked, text.replace("\ufeff", " ", 1) if text.startswith("\ufeff") else text)
    return _TRIVIA.sub(_blanked, bare)  # a comma that only a comment kept from being the last sign


def _blanked(found: re.Match[str]) -> str:
    endless = found[0].startswith("/*") and not (len(found[0]) > 3 and found[0].endswith("*/"))
    return found[0] if endless or found[0].startswith('"') else re.sub(r"[^\r\n]", " ", found[0])


def add(text: str, path: Sequence[str], member: str | None, content: object, *, indent: str) -> str:
    """Put a value behind the last one of the object or list at a path; `member` is its name in an object.

    Raises ValueError where the path leads nowhere.
    """
    bare = plain(text)
    at = _SPACE.match(bare).end()  # type: ignore[union-attr] # matches anything
    place = _look(bare, at)
    for step in path:
        if step not in place.values:
            raise ValueError(f"no `{step}`")
        place = _look(bare, place.values[step])
    line_end = "\r\n" if "\r\n" in text else "\n"
    lead = indent * (len(path) + 1)
    told = json.dumps(content, ensure_ascii=False, indent=indent).replace("\n", line_end + lead)
    named = told if member is None else f"{json.dumps(member, ensure_ascii=False)}: {told}"
    before = text[:place.close].rstrip(" \t\r\n")
    space = text[len(before):place.close]
    if not place.last:
        space = space or line_end + indent * len(path)
    elif "," not in _commas(text[place.last:len(before)]):
        before = f"{before[:place.last]},{before[place.last:]}"
    return f"{before}{line_end}{lead}{named}{space}{text[place.close:]}"


def _commas(trivia: str) -> str:
    """What stands between the last value and the end, without comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", trivia, flags=re.DOTALL)


def _look(bare: str, at: int) -> Place:
    """Take an object or a list apart; the values of a list have their number for a name."""
    opened = bare[at:at + 1]
    if opened not in ("{", "["):
        raise ValueError("neither object nor list")
    closing, reader = "}" if opened == "{" else "]", json.JSONDecoder()
    values: dict[str, int] = {}
    last, position = 0, _skip(bare, at + 1)
    while bare[position:position + 1] != closing:
        name = str(len(values))
        if opened == "{":
            name, position = reader.raw_decode(bare, position)
            position = _skip(bare, _skip(bare, position) + 1)
        values[name] = position
        _, last = reader.raw_decode(bare, position)
        position = _skip(bare, last)
        if bare[position:position + 1] == ",":
            position = _skip(bare, position + 1)
    return Place(values, last, position)


def _skip(bare: str, at: int) -> int:
    return _SPACE.match(bare, at).end()  # type: ignore[union-attr] # matches anything
