"""What a repository's own instruction files say already: every agent there loads them, so it is not stored a second time.

They make no memory and end none here. Where such a file cannot be read, nothing is known of it, and what a person said is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import DreamError
from dreamd.core.values import Candidate, Event, Origin
from dreamd.kit import Kit, exclusions
from dreamd.text.negation import read_denial
from dreamd.text.tokens import stem, tokens

NAMES = ("CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md", ".github/copilot-instructions.md")
HIGHEST = 6
"""How many directories above the one somebody worked in are looked at, up to the root of the work tree."""
LARGEST_BYTES = 256 * 1024
FEWEST_WORDS = 3
_LINE = re.compile(r"\n+|(?<=[.!?])\s+")
_WORD = re.compile(r"[^\W_]{3,}|\d+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def without_written(kit: Kit, events: Sequence[Event], found: Sequence[Candidate]) -> list[Candidate]:
    """The candidates of a conversation that no instruction file of the places it was held in says already."""
    if not found:
        return []
    lines = [line for cwd in dict.fromkeys(event.cwd for event in events if event.cwd) for line in _lines(kit, cwd)]
    return [one for one in found if one.target or one.origin is not Origin.USER or not says_already(one.text, lines)]


def says_already(text: str, lines: Sequence[str]) -> bool:
    """Whether one line says all that a text says: every word of substance, and the same is denied."""
    mine, denied = _words(text), read_denial(tokens(text)).count
    return len(mine) >= FEWEST_WORDS and any(
        mine <= _words(line) and read_denial(tokens(line)).count == denied for line in lines)


def _lines(kit: Kit, cwd: str) -> list[str]:
    place, found, kept_out = Path(cwd), list[str](), exclusions(kit.world).has_path
    for directory in (place, *place.parents)[:HIGHEST]:
        for path in (directory / name for name in NAMES):
            with suppress(DreamError, OSError, ValueError):  # not there, not ours, too large: nothing is known of it
                if not kept_out(path):
                    text = fsio.read_bytes(path, limit_bytes=LARGEST_BYTES).decode("utf-8", "replace")
                    found += [line for line in _LINE.split(text) if line.strip()]
        if _is_root(directory):
            break
    return found


def _is_root(directory: Path) -> bool:
    with suppress(OSError, ValueError):
        return (directory / ".git").exists()
    return True  # what cannot be looked at has nothing above it that could


def _words(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text.casefold()))
