"""The worlds that train the net which reads whether a statement answers a question.

A file of `answer_data` holds worlds: `=== what it is about | language`, numbered statements with the day they were said on, and
`Q: question -> 3, 5 | 1`: what answers it, and behind the bar what answered it before and was replaced; `-> none` where nothing
does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

DATA = Path(__file__).parent / "answer_data"
_STATEMENT = re.compile(r"(\d+)\. (?:\d{4}-\d\d-\d\d )?(\S.*)")
_QUESTION = re.compile(r"Q: (.+?) ?-> ?(none|[\d, ]+?) ?(?:\| ?([\d, ]+))?")


@dataclass(frozen=True)
class Question:
    """A question, the places of the statements that answer it, and of those that answered it before."""

    text: str
    answers: frozenset[int]
    replaced: frozenset[int] = frozenset()


@dataclass(frozen=True)
class World:
    """What was said in one world, and what is asked of it."""

    name: str
    texts: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


def load_worlds(*, data: Path = DATA, asked: bool = False) -> list[World]:
    """The worlds of all files in order of their names: those to learn from, or those of authors who are only asked."""
    files = sorted(data.glob("asked_*.txt" if asked else "answers_*.txt"))
    return [world for path in files for world in read_worlds(path.read_text("utf-8"))]


def read_worlds(text: str) -> list[World]:
    """The worlds of one file.

    Raises ValueError at a line of no known kind, or with a number that no statement of its world has.
    """
    worlds: list[World] = []
    for number, line in enumerate(filter(str.strip, text.splitlines()), 1):
        said, asked = _STATEMENT.fullmatch(line.rstrip()), _QUESTION.fullmatch(line.rstrip())
        if line.startswith("=== "):
            worlds.append(World(line[4:].strip()))
        elif said and worlds and int(said[1]) == len(worlds[-1].texts) + 1:
            worlds[-1].texts.append(said[2])
        elif asked and worlds:
            worlds[-1].questions.append(_question(asked, len(worlds[-1].texts)))
        else:
            raise ValueError(f"line {number} that is not empty belongs to no world or is of no known kind")
    return worlds


def _question(asked: re.Match[str], count: int) -> Question:
    answers, replaced = (frozenset(int(n) - 1 for n in re.findall(r"\d+", part or "")) for part in (asked[2], asked[3]))
    if any(not 0 <= n < count for n in answers | replaced):
        raise ValueError(f"`{asked[1]}` is answered by a statement that its world does not have")
    return Question(asked[1], answers, replaced - answers)


def parted(worlds: Sequence[World], *, every: int = 6) -> tuple[list[World], list[World]]:
    """Those to train on, and those that are only asked: one of so many, spread over all files."""
    asked = worlds[every - 1::every]
    return [world for n, world in enumerate(worlds, 1) if n % every], list(asked)
