"""Identical long text counts once, whoever brings it: what was pasted again is no second statement.

Nobody types the same long paragraph twice. So a statement out of one is known by the paragraph it stands in, and when the
same paragraph comes again, in another conversation or from another agent, it is the observation that is there already.
"""

from __future__ import annotations

import re

from dreamd.core.values import Candidate, content_id

LONG = 160
"""Characters from which on a statement that comes again in the same words was pasted."""
LONG_PARAGRAPH = 100
"""The same of a paragraph, which has several of them."""
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
