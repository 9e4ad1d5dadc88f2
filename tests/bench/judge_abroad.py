"""Pairs as they look once one side, or both, has been glossed from another language.

A gloss is a run of base forms without articles, in another order, some words missing or left as they were. English pairs
are brought into that shape with the lexicon itself: a word goes to one of its translations and comes back as whatever the
lexicon reads in it, so that the net learns which differences are the lexicon's and which are the claim's.
"""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

from judge_frames import A_NEWER, A_RICHER, B_NEWER, B_RICHER, CLASH, DATA, RELATED, SAME, UNRELATED, Row

from dreamd.models.lexical.glossary import Glossary, tongue_of
from dreamd.models.lexical.lexicon import entries

LEXICON = DATA / "lexicon.txt"
"""The lexicon as it was when the judge was trained: the one that is read with may grow, the training stays the same."""


@dataclass(frozen=True)
class Share:
    """How many English pairs of each label are told, and in the words of which languages."""

    counts: Mapping[int, int]
    tongues: tuple[str, ...]


PLAIN = Share(
    {SAME: 1700, A_RICHER: 500, B_RICHER: 600, A_NEWER: 100, B_NEWER: 900, CLASH: 1300, RELATED: 1500, UNRELATED: 300},
    ("de", "es", "fr", "pt", "zh", "ko"),
)
WIDE = Share(
    {SAME: 1000, B_RICHER: 300, B_NEWER: 400, CLASH: 600, RELATED: 700},
    ("de", "es", "fr", "pt", "it", "zh", "ko", "ja"),
)
BOTH_SIDES = 0.25
"""Share of pairs in which both sides are told in the same other language."""
LOST = 0.12
"""Share of words of meaning that a lexicon lacks."""
SHORTEST = 4
"""Words and stops under which a gloss says nothing any more."""
_SMALL = frozenset(
    (
        "the a an of to in on at by from is are be been was were has have had it its this that these those our we you your "
        "they their his her he she as so do does did will would just there"
    ).split()
)
_KEPT = frozenset("not no never only without unless except nobody nothing none".split())
_ENDINGS = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("es", ""), ("s", ""))
_WORD = re.compile(r"\d[\w.,:%/-]*|\w[\w'./:@-]*\w|\w|[.,;:!?]")


def told_abroad(rows: list[Row], glossary: Glossary, chance: random.Random, *, share: Share) -> list[Row]:
    """A share of the English pairs, one side of each, or both, in the words of a gloss."""
    echoes = {tongue: _echoes(glossary, tongue) for tongue in share.tongues}
    found: list[Row] = []
    for label, count in share.counts.items():
        plain = [r for r in rows if r[2] == label and tongue_of(r[0]) == "en" == tongue_of(r[1])]
        for a, b, _ in chance.sample(plain, min(count, len(plain))):
            tongue = chance.choice(share.tongues)
            sides = (True, True) if chance.random() < BOTH_SIDES else chance.choice([(True, False), (False, True)])
            one, other = (_told(t, echoes[tongue], chance) if told else t for t, told in zip((a, b), sides, strict=True))
            if min(len(one.split()), len(other.split())) >= SHORTEST:
                found.append((one, other, label))
    return found


def _echoes(glossary: Glossary, tongue: str) -> dict[str, list[str]]:
    """What the translations of a word come back as, by English word."""
    found: dict[str, list[str]] = {}
    known = glossary.vocabulary(tongue).words
    for language, english, word in entries(LEXICON):
        if language == tongue:
            found.setdefault(english, []).append(known[word][0])
    return found


def _told(text: str, echoes: dict[str, list[str]], chance: random.Random) -> str:
    """A statement as a gloss would tell it."""
    out: list[str] = []
    for word in _WORD.findall(text):
        low = word.lower()
        if low in _KEPT or not low[0].isalpha() or (word[0].isupper() and out):
            out.append(word if low not in _KEPT else low)
        elif low in _SMALL:
            out += [low] if chance.random() < LOST else []
        elif chance.random() >= LOST:
            out.append(_known(low, echoes, chance) or (low if chance.random() < 0.6 else _strange(low, chance)))
    _reorder(out, chance)
    return " ".join(out)


def _known(low: str, echoes: dict[str, list[str]], chance: random.Random) -> str:
    for ending, put in (("", ""), *_ENDINGS):
        base = low[: len(low) - len(ending)] + put
        if low.endswith(ending) and base in echoes:
            return chance.choice(echoes[base])
    return ""


def _strange(low: str, chance: random.Random) -> str:
    """A word that the lexicon lacks: left out, or standing there in its own language."""
    if chance.random() < 0.5:
        return ""
    return low[: max(2, len(low) - 2)] + chance.choice(["a", "o", "e", "ung", "ion", "eur", "os"])


def _reorder(words: list[str], chance: random.Random) -> None:
    """Verbs at the end, adjectives behind nouns, a time in front."""
    words[:] = [w for w in words if w]
    if len(words) < 4:
        return
    if chance.random() < 0.35:
        at = chance.randrange(1, len(words) - 1)
        words.insert(len(words) - 1, words.pop(at))
    if chance.random() < 0.25:
        at = chance.randrange(0, len(words) - 2)
        words[at], words[at + 1] = words[at + 1], words[at]
    if chance.random() < 0.15:
        words[:] = [*words[-3:-1], *words[:-3], words[-1]]
