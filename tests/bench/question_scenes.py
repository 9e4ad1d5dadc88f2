"""The scenes that train the question side: what people said to an agent, what the agent said before, and what is asked later.

A file holds scenes: `=== what it is about | language`, `A:` the agent's line before the next one, `U:` a message of the person,
`Q:` a question that the message above it answers. What is not English is read in the words of `as_read.json`: as recall read it
when the adapter was trained.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from dreamd.core.identity import with_context

T = TypeVar("T")
DATA = Path(__file__).parent / "question_data"
FILES = ("software.txt", "work.txt", "changes.txt", "abroad.txt", "talks.txt")
AS_READ = "as_read.json"
"""Texts of the scenes that were read in other words than they were written in, and those words."""
LONGEST_TOLD = 160
"""Characters of what the agent said before that are kept, its last whole sentences: as many as a dream keeps."""
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")


@dataclass(frozen=True)
class Scene:
    """The messages of one person's world and the questions that some of them answer."""

    name: str
    texts: list[str] = field(default_factory=list)
    behind: list[str] = field(default_factory=list)
    """Each text behind what the agent said before it."""
    questions: list[str] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    """For each question the place of the text that answers it."""


def load_scenes(*, data: Path = DATA) -> list[Scene]:
    """All scenes of the data, each text in the words that it is read in."""
    as_read = json.loads((data / AS_READ).read_text("utf-8"))
    return [scene for name in FILES for scene in read_scenes((data / name).read_text("utf-8"), as_read)]


def read_scenes(text: str, as_read: Mapping[str, str]) -> list[Scene]:
    """The scenes of one file.

    Raises ValueError at a line that is none of the four kinds or stands where it cannot.
    """
    scenes: list[Scene] = []
    told = ""
    for number, line in enumerate(text.splitlines(), 1):
        kind, _, rest = line.partition(" ")
        if kind == "===":
            scenes.append(Scene(rest))
            told = ""
        elif kind == "A:" and scenes:
            told = tail(rest)
        elif kind == "U:" and scenes:
            scenes[-1].texts.append(as_read.get(rest, rest))
            behind = with_context(rest, told)
            scenes[-1].behind.append(as_read.get(behind, behind))
            told = ""
        elif kind == "Q:" and scenes and scenes[-1].texts:
            scenes[-1].questions.append(as_read.get(rest, rest))
            scenes[-1].answers.append(len(scenes[-1].texts) - 1)
        else:
            raise ValueError(f"line {number} belongs to no scene or is of no known kind")
    return scenes


def tail(told: str) -> str:
    """The last whole sentences, as many as have room; the end of the last where it is longer."""
    kept = ""
    for sentence in reversed(_SENTENCE_END.split(told.strip())):
        if kept and len(sentence) + len(kept) >= LONGEST_TOLD:
            break
        kept = f"{sentence[-LONGEST_TOLD:]} {kept}".strip()
    return kept


def scenes_sha256(scenes: Sequence[Scene]) -> str:
    """A checksum of everything that training reads, in order."""
    digest = hashlib.sha256()
    for scene in scenes:
        for part in (*scene.texts, *scene.behind, *scene.questions, *map(str, scene.answers)):
            digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def file_sha256(path: Path) -> str:
    """A checksum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def folds(scenes: Sequence[T], count: int) -> list[tuple[list[T], list[T]]]:
    """The scenes split `count` times into those to train on and those to ask; each is asked once."""
    return [([s for i, s in enumerate(scenes) if i % count != fold], [s for i, s in enumerate(scenes) if i % count == fold])
            for fold in range(count)]
