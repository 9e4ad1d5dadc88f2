"""Whether a statement tells of what is done or of who does it."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from dreamd.text import word_classes
from dreamd.text.tokens import Token

BEING = frozenset("is are was were be been being gets get got isn't aren't wasn't weren't wird werden wurde wurden".split())
_NOT_PARTICIPLES = frozenset(
    (
        "red bed shed seed feed speed need hundred unit limit audit habit credit visit bit kit permit different current "
        "present recent content student client agent patient open golden green wooden"
    ).split()
)
_PARTICIPLE = re.compile(r"(?:ed|en|wn|ought|elt|ept|eld|ilt|ade|old|ent|ound|ead|ut|it|et|one|un)$")
_NO_DEED = frozenset("the a an in on at to of for with from under over behind".split())
"""Behind these stands no participle: "is in the hut"."""


def is_passive(cut: Sequence[Token]) -> bool:
    """A form of "be" with a participle close behind it."""
    for i, token in enumerate(cut[:-1]):
        if token.lower in BEING:
            ahead = tuple(takewhile(lambda t: t.lower not in _NO_DEED, cut[i + 1 : i + 4]))
            if any(
                t.kind == "word"
                and (t.lower not in word_classes.STOP or t.lower == "done")
                and t.lower not in _NOT_PARTICIPLES
                and len(t.lower) > 2
                and _PARTICIPLE.search(t.lower)
                for t in ahead
            ):
                return True
    return False
