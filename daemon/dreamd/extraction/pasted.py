"""What of a message was pasted: long text counts once, whoever brings it, and what has the form of something set down waits.

Nobody types the same long paragraph twice. So a statement out of one is known by the paragraph it stands in, and when the
same paragraph comes again, in another conversation or from another agent, it is the observation that is there already.
A record of talk, a letter and a quotation are told by their form, in any language: lines each behind their speaker or a time
of day, a greeting or a signature on a line of its own, marks of quotation. What stands there may be meant all the same by
whoever passes it on, so it is not let go: it waits for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from dreamd.core.values import Candidate, content_id
from dreamd.extraction.foreign import quotations
from dreamd.text import patterns

LONG = 160
"""Characters from which on a statement that comes again in the same words was pasted."""
LONG_PARAGRAPH = 100
"""The same of a paragraph, which has several of them."""
FEWEST_TURNS = 2
LONGEST_GREETING = 40
_TURN = re.compile(r"[ \t]*(?P<number>\d{1,4}[.:)]?[ \t]+)?"
                   r"(?P<who>[^\W\d_](?:[\w.'’-]| (?=\S)){0,28}?)[ \t]?[:：]\s*(?P<said>\S.*)")
_CLOCK = re.compile(r"[ \t]*\S.{0,30}\s\W?\d{1,2}[:.h]\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?\W?\s*$", re.IGNORECASE)
_ASKS = ("?", "？")
_ENDS = tuple(".!?。！？:：;")
_WORDS = re.compile(r"\w+")
_PARAGRAPH = re.compile(r"\n[ \t]*\n+")
_NUMBER = re.compile(r"[0-9a-f]{7,40}\b|\d+", re.IGNORECASE)
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]{2,}")


def paste_key(candidate: Candidate, message: str) -> str:
    """The key of a statement that stands in a long text; empty for one that was said in a few words."""
    paragraphs = [p for p in _PARAGRAPH.split(message) if p.strip()]
    mine = set(_WORD.findall(candidate.text.casefold()))
    if not paragraphs or not mine:
        return ""
    shares = [len(mine & set(_WORD.findall(p.casefold()))) for p in paragraphs]
    place = shares.index(max(shares))
    around = _around(paragraphs, place)
    if len(around) < LONG_PARAGRAPH:
        return ""
    return "pasted:" + content_id(str(candidate.scope), around, _plain(candidate.text))


def _around(paragraphs: list[str], place: int) -> str:
    """A paragraph, with as many of those after it and then before it as make it long."""
    first, last = place, place + 1
    text = _plain(paragraphs[place])
    while len(text) < LONG_PARAGRAPH and last < len(paragraphs):
        last += 1
        text = _plain(" ".join(paragraphs[first:last]))
    while len(text) < LONG_PARAGRAPH and first:
        first -= 1
        text = _plain(" ".join(paragraphs[first:last]))
    return text


def _plain(text: str) -> str:
    """A text as it is in every copy: a template is the same whatever number was filled in."""
    return " ".join(_NUMBER.sub("#", text).casefold().split())


def is_set_down(sentence: str, message: str) -> bool:
    """Whether a sentence of a message stands in what has the form of something set down elsewhere."""
    said = words_of(sentence)
    return bool(said) and any(said in part for part in _words_set_down(message))


@lru_cache(maxsize=1)
def _words_set_down(message: str) -> tuple[str, ...]:
    """The words of the parts of a message that have such a form; every sentence of it is held against them."""
    return tuple(map(words_of, set_down(message)))


def set_down(message: str) -> Iterator[str]:
    """The parts of a message that have such a form."""
    blocks = [block.strip("\n") for block in _PARAGRAPH.split(message) if block.strip()]
    yield from _talk(message.splitlines())
    yield from _letter(blocks)
    yield from _brought_in(blocks)
    yield from (message[begin:end] for begin, end in quotations(message))


def _talk(lines: list[str]) -> Iterator[str]:
    """Lines of a record of talk: from the first speaker on whoever speaks, each up to the next empty line."""
    turns = {n: found for n, line in enumerate(lines) if (found := _TURN.fullmatch(line))}
    if len(turns) >= FEWEST_TURNS and any(_speaks(turns[n]) for n in turns if n - 1 in turns or n + 1 in turns):
        yield from _paragraphs(lines, turns)
    clocks = [n for n, line in enumerate(lines) if _CLOCK.fullmatch(line)]
    if len(clocks) >= FEWEST_TURNS:
        yield from _paragraphs(lines, clocks)


def _speaks(turn: re.Match[str]) -> bool:
    """Whether what stands before a colon is somebody who speaks, and no thing of which something is said."""
    numbered = turn["number"] is not None or turn["who"][-1].isdigit() or len(turn["who"]) == 1
    return numbered or turn["said"].rstrip().endswith(_ASKS) or patterns.cue(
        "words/foreign", "speakers", whole=True).match(turn["who"]) is not None


def _paragraphs(lines: list[str], begun: Iterable[int]) -> Iterator[str]:
    end = 0
    for n in begun:
        if n >= end:  # else it stands in the one before
            end = next((m for m in range(n + 1, len(lines)) if not lines[m].strip()), len(lines))
            yield "\n".join(lines[n:end])


def _brought_in(blocks: list[str]) -> Iterator[str]:
    """What stands a line below a colon, where the words before that speak neither of oneself nor of rules."""
    for n, block in enumerate(blocks[:-1]):
        lead = block.rstrip().splitlines()[-1].rstrip()
        if lead.endswith((":", "：")) and not blocks[n + 1].lstrip().startswith(("```", "~~~")) and (
                patterns.has("words/foreign", "theirs", lead) or not patterns.has("words/foreign", "own_lead", lead)):
            yield from blocks[n + 1:]
            return


def _letter(blocks: list[str]) -> Iterator[str]:
    """The paragraphs between a greeting, or what brings a letter in, and its signature."""
    closed = [n for n, block in enumerate(blocks) if n and _is_signature(block)]
    greeted = [n for n, block in enumerate(blocks) if _is_greeting(block)]
    if closed and (begun := min([*greeted, 1])) < closed[-1]:
        yield from blocks[begun:closed[-1]]
    elif greeted and greeted[0]:  # nobody greets below what they said
        yield from blocks[greeted[0]:]


def _is_greeting(block: str) -> bool:
    return "\n" not in block and len(block) <= LONGEST_GREETING and block.rstrip().endswith((",", "，"))


def _is_signature(block: str) -> bool:
    """Whether a paragraph is a short line and the name below it."""
    lines = [line.strip() for line in block.splitlines()]
    short = all(0 < len(line) <= LONGEST_GREETING and not line.endswith(_ENDS) for line in lines)
    return len(lines) in (2, 3) and short and lines[-1][:1].isupper() and len(lines[-1].split()) <= 3 and (
        lines[0].endswith((",", "，")) or patterns.starts("words/phrases", "sign_off", lines[0]))


def words_of(text: str) -> str:
    """The words of a text alone: what markup stands around them tells nothing of whose they are."""
    return " ".join(_WORDS.findall(text.casefold()))
