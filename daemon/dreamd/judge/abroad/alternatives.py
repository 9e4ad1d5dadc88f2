"""Long alternations made quick: each alternative is tried only where its first letter stands."""

from __future__ import annotations

from collections.abc import Iterable

_QUANTIFIED = frozenset("?*+{")


def by_first_letter(patterns: Iterable[str]) -> str:
    """One alternation of patterns that all begin with a letter, or with a group of alternatives that do.

    It matches what `|` between them would: at one place only patterns of one letter can match, and these keep their order.
    """
    rests: dict[str, list[str]] = {}
    for pattern in patterns:
        starts, tail = _opened(pattern)
        found: dict[str, list[str]] = {}
        for start in starts:
            if not start[:1].isalpha() or start[1:2] in _QUANTIFIED:
                raise ValueError(f"a pattern has to begin with a letter: {pattern}")
            found.setdefault(start[0], []).append(start[1:])
        for letter, ends in found.items():
            rests.setdefault(letter, []).append(f"(?:{'|'.join(ends)}){tail}" if tail else "|".join(ends))
    return "|".join(f"{letter}(?:{'|'.join(ends)})" for letter, ends in rests.items())


def alternatives(pattern: str) -> list[str]:
    """A pattern cut at the bars that stand in no group of its own."""
    return _opened(f"(?:{pattern})")[0]


def _opened(pattern: str) -> tuple[list[str], str]:
    """The alternatives of the group that a pattern begins with, and what follows it; a plain pattern is its own."""
    if not pattern.startswith("(?:"):
        return [pattern], ""
    depth, start, found = 0, len("(?:"), []
    for at, char in enumerate(pattern):
        depth += (char == "(") - (char == ")")
        if (char == "|" and depth == 1) or depth == 0:
            found.append(pattern[start:at])
            start = at + 1
        if depth == 0:
            break
    return found, pattern[start:]
