"""A stretch of conversation as a language model is shown it: numbered lines, each with whose words it holds.

Only what people and the agent said to each other is shown, with secrets masked. Output of tools, summaries, what a harness or
dream itself put there and what the agent wrote down on its own are left out: what dream told an agent is never read back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from dreamd.core.clock import EARLIEST
from dreamd.core.events import Event, EventKind, Speaker
from dreamd.extraction.borrowed import typed
from dreamd.extraction.conversation import HUMAN
from dreamd.extraction.pasted import is_set_down, words_of
from dreamd.extraction.revisions import revision_of
from dreamd.extraction.utterance import sentences
from dreamd.text.injection import strip_hidden
from dreamd.text.redaction import redact

LONGEST_LINE = 1200
LONGEST_AGENT = 1600
"""Characters of an agent's message that are shown: its beginning and, three times as much, its end."""
MOST_PASTED = 5
"""Lines in a row of what was handed over that are shown."""
TOPIC_GAP = timedelta(minutes=30)
_BREAK = re.compile(r"(?<=[.!?。！？])\s+")


class Voice(StrEnum):
    """Whose words a line holds."""

    PERSON = "person"
    REFUSING = "refusing"
    PASTED = "pasted"
    AGENT = "agent"

    @property
    def is_own(self) -> bool:
        """Whether the person typed it themselves."""
        return self in (Voice.PERSON, Voice.REFUSING)


@dataclass(frozen=True)
class Line:
    """One line of a stretch. `turn` counts the person's messages; the agent's words belong to the turn they follow."""

    voice: Voice
    text: str
    turn: int
    start: int
    end: int
    at: datetime
    number: int = 0
    whole: str = ""
    """For a person's line: all they typed in that message."""
    after: str = ""
    """The second thought with which the person's next message begins, if it begins with one."""
    question: bool = False
    """The agent's question that the person's message answers."""


def lines_of(events: Sequence[Event]) -> list[Line]:
    """The lines of one conversation in their order, as far as they are shown."""
    found: list[Line] = []
    turn, last = 0, EARLIEST
    for event in events:
        last = event.at or last
        place = Line(Voice.AGENT, "", turn, event.start, event.end, last)
        if event.kind is EventKind.MEMORY_WRITE:
            # The agent wrote down itself what this turn gave: its own note is the observation.
            found = [one for one in found if one.turn != turn or one.turn == 0]
        elif event.kind is EventKind.PROSE and event.speaker is Speaker.AGENT:
            found += [replace(place, text=text) for text in _pieces(_shortened(_shown(event.text)))]
        elif event.kind in HUMAN and event.speaker is Speaker.HUMAN and event.text.strip():
            again = _second_thought(event)
            found = [replace(one, after=again) if again and one.turn == turn else one for one in found]
            turn += 1
            place = replace(place, turn=turn)
            found += [replace(place, text=text, question=True) for text in _pieces(_shown(event.question))]
            found += _heard(event, place)
    return found


def _second_thought(event: Event) -> str:
    first = next(iter(sentences(_shown(event.text))), "")
    return first if revision_of(first) else ""


def _heard(event: Event, place: Line) -> Iterator[Line]:
    text = _shown(event.text)
    own = text if event.kind is EventKind.ANSWER else "\n".join(typed(text))
    mine, voice = words_of(own), Voice.REFUSING if event.kind is EventKind.REFUSAL else Voice.PERSON
    pasted: list[str] = []
    for piece in _pieces(text):
        if (words := words_of(piece)) and f" {words} " in f" {mine} " and not is_set_down(piece, text):
            yield from (replace(place, voice=Voice.PASTED, text=one) for one in _few(pasted))
            pasted = []
            yield replace(place, voice=voice, text=piece, whole=own)
        else:
            pasted.append(piece)
    yield from (replace(place, voice=Voice.PASTED, text=one) for one in _few(pasted))


def _shown(text: str) -> str:
    return redact(strip_hidden(text)).text.strip()


def _pieces(text: str) -> Iterator[str]:
    """The lines of a text, long ones cut between sentences."""
    for line in text.splitlines():
        left = " ".join(line.split())
        while len(left) > LONGEST_LINE:
            ends = [m.start() for m in _BREAK.finditer(left, 1, LONGEST_LINE)]
            at = ends[-1] if ends else LONGEST_LINE
            yield left[:at].strip()
            left = left[at:].strip()
        if left:
            yield left


def _shortened(text: str) -> str:
    if len(text) <= LONGEST_AGENT:
        return text
    return f"{text[:LONGEST_AGENT // 4]} …\n… {text[-LONGEST_AGENT * 3 // 4:]}"


def _few(pasted: Sequence[str]) -> list[str]:
    """The beginning and the end of what was handed over."""
    if len(pasted) <= MOST_PASTED:
        return list(pasted)
    return [*pasted[:MOST_PASTED - 2], f"… ({len(pasted) - MOST_PASTED + 1} lines more) …", pasted[-1]]


def cut(lines: Sequence[Line], room: int) -> list[list[Line]]:
    """The lines in parts that fit into so many bytes, cut before a message of the person: where they paused longest."""
    turns: list[list[Line]] = []
    for line in lines:
        if not turns or line.turn != turns[-1][-1].turn:
            turns.append([])
        turns[-1].append(line)
    parts: list[list[Line]] = []
    while turns:
        fits, size = 0, 0
        while fits < len(turns) and (size := size + _size(turns[fits])) <= room:
            fits += 1
        if 0 < fits < len(turns):
            # Rather a little sooner, where the talk turned to something else.
            gaps = {n: turns[n][0].at - turns[n - 1][-1].at for n in range(max(1, fits // 2), fits + 1)}
            longest = max(gaps, key=lambda n: (gaps[n], n))
            fits = longest if gaps[longest] >= TOPIC_GAP else fits
        if fits:
            parts.append([line for turn in turns[:fits] for line in turn])
        else:  # one turn alone is too long: as much of it as there is room for, in as many parts
            parts += _split(turns[0], room)
            fits = 1
        turns = turns[fits:]
    return [_numbered(part) for part in parts]


def _split(turn: Sequence[Line], room: int) -> Iterator[list[Line]]:
    part: list[Line] = []
    for line in turn:
        if part and _size([*part, line]) > room:
            yield part
            part = []
        part.append(line)
    yield part


def _size(lines: Sequence[Line]) -> int:
    return sum(len(line.text.encode()) + 20 for line in lines)


def _numbered(lines: Sequence[Line]) -> list[Line]:
    return [replace(line, number=n) for n, line in enumerate(lines, 1)]


def told(lines: Sequence[Line]) -> str:
    """The lines as they are shown."""
    return "\n".join(f"{line.number} {line.voice.value}: {line.text}" for line in lines)
