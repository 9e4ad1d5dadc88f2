"""A statement without its asides: "x is 5 now, 4 was too little" claims no more than "x is 5 now"; "x moved, it is on 3 May" tells of x.

An aside is a whole sentence of its own beside the claim. What has no verb may tell where or when the claim holds, and
what begins like a condition does: with such a part at its side no part of a statement is a claim of its own.
"""

# ruff: noqa: E501, SIM905  patterns and word lists read better whole

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from dreamd.judge.slots import extract_slots
from dreamd.text.clauses import HELPING
from dreamd.text.markers import LINKS, VERBS
from dreamd.text.tokens import Token, tokens

_CUT = re.compile(r"\s*(?:;|,(?!\d)|\.(?=\s)|\s-(?=\s)|\s(?=because\b)|:(?=\s))\s*(?:(?:and|so|but|then) (?!that\b))?", re.IGNORECASE)
_BECAUSE = re.compile(r"^because(?: of)? ", re.IGNORECASE)
_OPENS_A_CASE = frozenset(
    (
        "if when whenever unless until while once before after during since in on at for with without from to as except only besides "
        "which who whose where that than not no never or either whether although though like by under over within per"
    ).split()
)
_PRONOUN = re.compile(
    r"^(?:(?:they|people|we|i) (?:say|said|told (?:me|us)|hear|heard) (?:that )?)?(?P<it>it's|it is|it|they're|they are|they|that's|that is|this is|he's|he is|she's|she is|he|she)\b ?",
    re.IGNORECASE,
)
_SAYING = re.compile(r"^(?:they|people) (?:say|said|told (?:me|us)) (?:that )?", re.IGNORECASE)
_SPEAKERS = frozenset(["i", "we", "they"])
_IS = {"'s": "is", "'re": "are"}
_NEW_VALUE = re.compile(r"^(?:the |its |our )?(?:new|current) (?:date|day|time|one|value|place|address|name|number|price|limit)(?= (?:is|are)\b)", re.IGNORECASE)
MOST_PIECES = 4
SHORT_PIECE = 4
"""Tokens up to which a part without a verb may be a value: "port 6543", "23 May"."""
LEAST_FORM = 4


@lru_cache(maxsize=16_384)
def claims_in(text: str) -> tuple[str, ...]:
    """Each part of a statement that can be a claim beside asides, told of what it is about; empty where it has one part."""
    slots = extract_slots(text)
    pieces = [piece.strip(" .!") for piece in _CUT.split(slots.bare)]
    pieces = [piece for piece in pieces if piece]
    if not 1 < len(pieces) <= MOST_PIECES:
        return ()
    asides = [_is_aside(piece) for piece in pieces]
    found = []
    for at, piece in enumerate(pieces):
        if all(aside for n, aside in enumerate(asides) if n != at) and not _BECAUSE.match(piece):
            whole = asides[at] or _may_claim(tokens(piece))
            told = _told_of(piece, pieces[at - 1] if at else "", whole=whole)
            found += [told] if told else []
    return tuple(found)


def _is_aside(piece: str) -> bool:
    """A sentence of its own, or a reason."""
    if _BECAUSE.match(piece):
        return True
    cut = tokens(piece)
    if not cut or cut[0].lower in _OPENS_A_CASE:
        return False
    return len(cut) > 1 and cut[0].lower in _SPEAKERS or any(_is_verb(t) for t in cut[1:])


def _may_claim(cut: Sequence[Token]) -> bool:
    """Long enough for a claim, and more than where or since when something holds."""
    return len(cut) > SHORT_PIECE and (cut[0].lower not in _OPENS_A_CASE or any(_is_verb(t) for t in cut))


def _is_verb(token: Token) -> bool:
    low = token.lower
    past = low.endswith("ed") and len(low) > LEAST_FORM
    return low in HELPING or low in LINKS or "'" in low or token.kind == "word" and (token.stem in VERBS or past)


def _told_of(piece: str, ahead: str, *, whole: bool) -> str:
    """A part with the thing it speaks of, which the part before it may have named."""
    said = _SAYING.sub("", piece)
    pronoun = _PRONOUN.match(said)
    vague = _NEW_VALUE.match(said)
    bare = not pronoun and not vague and (not whole or said != piece) and len(tokens(said)) <= SHORT_PIECE
    if not (pronoun or vague or bare):
        return piece if whole and said == piece else ""
    subject = _subject(ahead)
    if not subject:
        return ""
    if pronoun:
        it = pronoun.group("it").lower()
        verb = next((verb for short, verb in _IS.items() if it.endswith(short)), it.partition(" ")[2])
        return " ".join(part for part in (subject, verb, said[pronoun.end() :]) if part)
    return f"{subject}{said[vague.end() :]}" if vague else f"{subject} is {said}"


def _subject(piece: str) -> str:
    """The words of a part before its verb; of somebody's deed nothing, for that tells of two things."""
    slots = extract_slots(piece)
    at = slots.verb_at
    if at < 1:
        cut = slots.tokens
        at = next((n for n, t in enumerate(cut) if n and _is_verb(t)), -1)
    if at < 1 or not slots.tokens[at - 1].is_content and not any(t.is_content for t in slots.tokens[:at]):
        return ""
    return slots.bare[: slots.starts[at]].strip()
