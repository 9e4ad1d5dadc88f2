"""Whether a clause says what a sentence says, word for word: what a model made of a person's words is in force only then. Pure.

Whatever is left out of a sentence may be what it hangs on: an exception, a doubt, a question, whose words it is. The judge of
pairs is no help, it finds that a sentence and its half say nearly the same. So a clause has all words of whole clauses of the
sentence, in their order, small ones aside, and what stands beside those turns nothing.
"""

from __future__ import annotations

import re
from functools import cache

from dreamd.extraction.revisions import revision_of
from dreamd.extraction.stance import is_musing, is_question
from dreamd.judge.statement import Reading, read
from dreamd.text import patterns
from dreamd.text.tokens import Token

WORDS = "words/verbatim"
_CLAUSES = re.compile(r"[,;:](?=\s)\s*|\s*[()，、；：]\s*|\s+[–—-]+\s+")
_WISH = re.compile(r"(?i)\b(?:i|we)(?:['’]d| would)?(?: \w+)? (?:want|like)\b")
_WISHED = frozenset({"want", "like", "would", "i'd", "we'd"})


def says(clause: str, sentence: str, *, answered: bool = False) -> bool:
    """Whether a clause says whole clauses of a sentence; `answered` where the sentence asks and somebody said yes to it."""
    if is_question(sentence) and not answered and not is_question(clause):
        return False
    if is_question(clause) or is_musing(sentence) or patterns.has("words/sure", "hedge", sentence):
        return _has_same_words(read(clause), read(sentence), small=_listed("light", read(sentence).tongue))
    clause, sentence = (patterns.cue(WORDS, "aside").sub(" ", text) for text in (clause, sentence))
    parts = [part for part in _CLAUSES.split(sentence) if part.strip()]
    ends = range(1, len(parts) + 1)
    return any(_is_said(clause, " , ".join(parts[start:end]), answered=answered)
               and not any(map(turns, (*parts[:start], *parts[end:])))
               for end in ends for start in range(end))


def turns(clause: str) -> bool:
    """Whether leaving a clause out makes what stands beside it another statement."""
    told = read(clause)
    return bool(told.conditions or told.denial.count or not told.spoken.isdisjoint(_listed("turns", told.tongue))
                or patterns.starts(WORDS, "narrows", clause) or patterns.has("words/stance", "reports", clause)
                or revision_of(clause) is not None)


def _is_said(clause: str, sentence: str, *, answered: bool) -> bool:
    told = read(sentence)
    small = _listed("light", told.tongue) | (_WISHED if _WISH.search(sentence) else frozenset())
    return _has_same_words(read(clause), told, small=small | (_listed("frame", told.tongue) if answered else frozenset()))


def _has_same_words(mine: Reading, theirs: Reading, *, small: frozenset[str]) -> bool:
    """Whether two have the same words in the same order and of the same time, but for what may be added and left out."""
    told = [[t for t in side.tokens if t.kind != "stop"] for side in (mine, theirs)]
    one, other = ({t.stem for t in side} for side in told)
    frame = _listed("frame", theirs.tongue)
    kept = [_word(t) for t in told[0] if t.stem in other or t.lower not in frame]
    return bool(kept) and kept == [_word(t) for t in told[1] if t.stem in one or t.lower not in small]


def _word(token: Token) -> tuple[str, bool]:
    """What a form says: its word, and whether of the past. Who "owned" something need not own it."""
    return token.stem, token.lower.endswith("ed") or token.lower in _listed("past", "en")


@cache
def framing() -> frozenset[str]:
    """Stems of the words that a statement may be put in."""
    return frozenset(read(" ".join(patterns.entries(WORDS, "frame"))).content)


@cache
def _listed(table: str, tongue: str) -> frozenset[str]:
    return frozenset(patterns.entries(WORDS, table, (tongue or "en",)))
