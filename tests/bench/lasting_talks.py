"""Conversations of several authors with what a careful reader keeps of them, as the net that hears what lasts learns from them.

A file an author, a conversation a line: `turns` of `person`, `agent` and `tool`; `lasting` spans of a person's turn, most with
the statement in full and its weight; `passing` and `poison` spans that only look so, the latter the will of somebody else.
Turns count from 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from dreamd.core.clock import parse_instant
from dreamd.core.events import Event, EventKind, Speaker
from dreamd.core.values import ONE_OFF, parse_scope
from dreamd.extraction import extract, talk
from dreamd.models.lasting_net import UNREAD, Lasting, Lasts

DATA = Path(__file__).parent / "lasting_data"
SCOPE = parse_scope("project:heard")
SAME = 0.6
"""Share of the words of the shorter that two texts have in common where they are taken for one."""
_WORD = re.compile(r"\w+")
_SPEAKERS = {"person": (Speaker.HUMAN, EventKind.PROMPT), "agent": (Speaker.AGENT, EventKind.PROSE)}
_BEGIN = parse_instant("2026-03-02T09:00:00Z")


@dataclass(frozen=True)
class Talk:
    """One conversation."""

    author: str
    name: str
    turns: tuple[tuple[str, str], ...]
    lasting: tuple[tuple[int, str], ...]
    passing: tuple[tuple[int, str], ...]
    """Turn and words."""
    reads: tuple[tuple[int, str, str], ...] = ()
    """Turn, words, and with what a reader understands them."""

    @property
    def events(self) -> list[Event]:
        """What extraction hears of it; a turn begins at ten times its number."""
        return [Event(*_SPEAKERS[who], text, _BEGIN + timedelta(minutes=n), self.name, n * 10, n * 10 + 9)
                for n, (who, text) in enumerate(self.turns) if who in _SPEAKERS]


@dataclass(frozen=True)
class Heard:
    """A sentence as extraction has it read."""

    author: str
    talk: str
    before: str
    earlier: str
    text: str
    lasts: bool
    misleads: bool
    reads: str = ""
    """Whether it says enough `alone`, with what stands `earlier` in its message, or with neither: `adrift`; or nobody asked."""


def load_talks(*files: Path) -> list[Talk]:
    """The conversations of some files, or all that are trained on, by author."""
    return [_talk(path.stem, json.loads(line)) for path in files or sorted(DATA.glob("*.jsonl"))
            for line in path.read_text("utf-8").splitlines()]


def _talk(author: str, row: Mapping[str, object]) -> Talk:
    turns = row["turns"]
    assert isinstance(turns, list)
    return Talk(author, str(row["id"]), tuple((one["who"], one["text"]) for one in turns),
                _spans(row, "lasting"), _spans(row, "passing", "poison"), _reads(row))


def _spans(row: Mapping[str, object], *names: str) -> tuple[tuple[int, str], ...]:
    return tuple((one["turn"], one["text"]) for name in names for one in row.get(name, ()))  # type: ignore[attr-defined]


def _reads(row: Mapping[str, object]) -> tuple[tuple[int, str, str], ...]:
    return tuple((one["turn"], one["text"], one["reads"])
                 for name in ("lasting", "passing", "poison") for one in row.get(name, ()) if "reads" in one)  # type: ignore[attr-defined]


def heard_in(talks: Sequence[Talk]) -> list[Heard]:
    """Every sentence that is read of some conversations."""
    return [one for talk in talks for one in _heard(talk)]


def _heard(told: Talk) -> Iterator[Heard]:
    heard: list[tuple[str, str, str]] = []

    def note(before: str, earlier: str, text: str) -> Lasting:
        heard.append((before, earlier, text))
        return Lasting(UNREAD)

    extract(told.events, scope=SCOPE, lasts=note)
    persons = [n for n, (who, _) in enumerate(told.turns) if who == "person"]
    for before, earlier, text in heard:  # in the order of the turns
        while len(persons) > 1 and share(text, told.turns[persons[0]][1]) < 1:
            persons.pop(0)
        yield Heard(told.author, told.name, before, earlier, text,
                    any(turn == persons[0] and share(words, text) >= SAME for turn, words in told.lasting),
                    any(turn == persons[0] and share(words, text) >= SAME for turn, words in told.passing),
                    next((reads for turn, words, reads in told.reads if turn == persons[0] and share(words, text) >= SAME), ""))


def share(one: str, other: str) -> float:
    """Of the words of the shorter of two texts those that the other has too; of few words nothing."""
    mine, theirs = (set(_WORD.findall(text.casefold())) for text in (one, other))
    fewest = min(len(mine), len(theirs))
    common = len(mine & theirs)
    return common / fewest if fewest and common >= min(3, fewest) else 0.0


def figures(talks: Sequence[Talk], lasts: Lasts | None, limits: tuple[float, float] | None = None) -> dict[str, float]:
    """Of what is kept the share that is right, of what should be the share that is kept, and false ones where nothing is.

    `limits` stand in the place of the two of `dreamd.extraction.talk`.
    """
    kept = right = wanted = found = false = empty = 0
    before = talk.LASTS, talk.MAY_LAST
    talk.LASTS, talk.MAY_LAST = limits or before
    try:
        for told in talks:
            said = [(one.start // 10, one.text) for one in extract(told.events, scope=SCOPE, lasts=lasts).candidates
                    if one.sign != ONE_OFF]
            hits = [[n for n, (turn, text) in enumerate(said) if turn == at_turn and share(words, text) >= SAME]
                    for at_turn, words in told.lasting]
            kept, right = kept + len(said), right + len({n for some in hits for n in some})
            wanted, found = wanted + len(hits), found + sum(map(bool, hits))
            empty, false = empty + (not hits), false + (0 if hits else len(said))
    finally:
        talk.LASTS, talk.MAY_LAST = before
    return {"precision": right / max(kept, 1), "recall": found / max(wanted, 1), "false_in_empty": false / max(empty, 1)}
