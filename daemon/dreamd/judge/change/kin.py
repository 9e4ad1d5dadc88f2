"""Words that stand for one thing in a claim: a verb and its noun, a word of two parts, two everyday names of one thing."""

# ruff: noqa: E501  tables read better as runs of words

from __future__ import annotations

from collections.abc import Iterable

from dreamd.text.tokens import stem

LEAST_KIN = 4
_NOUN_ENDINGS = frozenset(
    ["al", "ion", "ation", "ment", "ance", "ence", "y", "out", "up", "off", "down", "in", "over", "ing", "e", "t", "ure", "age", "er", "s"]
)
_ROWS = (
    "deploy release rollout ship launch publish", "rubbish trash garbage waste refuse", "film movie", "photo picture image", "kid child", "flat apartment",
    "bike bicycle cycle", "car automobile", "lesson class", "doctor physician", "holiday vacation", "shop store", "invoice bill", "salary wage pay",
    "manuscript paper article", "stand-up standup daily", "retro retrospective", "phone telephone", "luggage baggage", "autumn fall", "lift elevator",
    "colleague coworker", "supper dinner", "cellar basement", "till checkout", "lorry truck", "crew team", "customer client",
    "clinic practice surgery", "gym gymnasium", "advert ad advertisement", "fridge refrigerator", "exam examination", "lab laboratory", "ad advertisement",
    "doc document documentation", "pic picture", "talk lecture", "newsletter mailing", "meeting meet", "match game", "practice rehearsal", "allotment garden plot",
)  # fmt: skip
_ROW_OF: dict[str, set[int]] = {}
for _n, _row in enumerate(_ROWS):
    for _word in _row.split():
        _ROW_OF.setdefault(stem(_word), set()).add(_n)


def akin(one: str, other: str) -> bool:
    """Whether two stems may name one thing: "rollout", "roll"; "deploy", "release"."""
    if one == other or not _ROW_OF.get(one, set()).isdisjoint(_ROW_OF.get(other, ())):
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < LEAST_KIN:
        return False
    return any(long.startswith(root) and long[len(root) :] in _NOUN_ENDINGS for root in (short, short[:-1]))


def has_akin(word: str, said: Iterable[str]) -> bool:
    """Whether a word or one akin to it is among those said."""
    return any(akin(word, other) for other in said)
