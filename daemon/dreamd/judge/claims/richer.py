"""One statement that says what another says, word for word, and adds to it: a reason, a command, a time, an aside."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re
from collections.abc import Sequence

from dreamd.judge.conflicts.frames import is_timely
from dreamd.judge.slots import Slots, extract_slots
from dreamd.text import word_classes
from dreamd.text.quantities import dimension
from dreamd.text.tokens import Token

_UNSAFE = word_classes.HARD_CONDITIONS | frozenset(
    "only but however when instead while before after until not never no than or nur aber pero mais mas".split()
)
_JOINTS = frozenset("which whose that by in from to with at on via through mit durch per par avec con por com através".split())
_WHERE = frozenset(["in", "on", "at", "from"])
_ASIDES = frozenset("not never nicht nie".split())
_EACH = frozenset("every each daily weekly nightly monthly hourly".split())
_WHOLE = frozenset("every each all any no".split())
"""What these speak of the whole of, a place or an aim behind it makes a part; as it does of what must be."""
_TURNS = ("rather than", "instead of", "and not", "and never", "und nicht", "und nie")
LONGEST_ASIDE = 6
LONGEST_AGENT = 5
LEAST_WORDS = 3
_CJK_REASON = re.compile(r"^[，,；;]?\s?(?:因为|由于|以便|以免|原因是|用于|为了|なぜなら|때문|왜냐하면)")
_CJK_TURN = re.compile(r"如果|除非|除了|只|但|不过|若|当|しかし|ただし|만약|하지만|단")


def adds_to(longer: Slots, shorter: Slots) -> bool:
    """`longer` begins with the words of `shorter` and goes on without a condition or a turn; or holds them around an amount."""
    if longer.tongue in ("zh", "ja", "ko"):
        return _adds_characters(longer.folded, shorter.folded)
    places = [n for n, t in enumerate(longer.tokens) if t.kind != "stop"]
    left = [longer.tokens[n] for n in places]
    right = [t for t in shorter.tokens if t.kind != "stop"]
    if len(right) < LEAST_WORDS or len(left) <= len(right):
        return False
    if [t.lower for t in left[: len(right)]] != [t.lower for t in right]:
        return _holds_amount(left, right, longer) or _names_agent(left, right, longer, shorter)
    return _goes_on(longer, places[len(right) :], shorter)


def _goes_on(longer: Slots, places: Sequence[int], shorter: Slots) -> bool:
    """What follows is a reason, an apposition, a place or a regular time, or an aside about something else."""
    rest = [longer.tokens[n] for n in places]
    first = rest[0]
    joint = longer.tokens[places[0] - 1].kind == "stop"
    if {t.lower for t in rest} & word_classes.HARD_CONDITIONS & longer.conditions:
        return False
    if first.lower in _ASIDES and joint or " ".join(t.lower for t in rest[:2]) in _TURNS:
        return _is_aside(rest, shorter)
    if first.lower in _EACH:
        return all(is_timely((t,)) or t.kind == "number" or t.lower in word_classes.NUMBER_WORDS for t in rest if t.is_content)
    if first.lower in _UNSAFE or first.lower == "for" and not joint:
        return False
    if _often(rest):
        return not shorter.numbers
    if not joint and shorter.imperative and first.lower in _WHERE:
        return False  # "water the ferns in the hall" says nothing of the other ferns
    if not joint and first.lower in _JOINTS and ({t.lower for t in shorter.tokens} & _WHOLE or shorter.modal == "must"):
        return False
    return joint or first.lower in word_classes.REASONS | _JOINTS


def _often(rest: Sequence[Token]) -> bool:
    """How many times or how long something is done: "twice", "three times", "40 seconds"."""
    unit = rest[1].lower if len(rest) > 1 else ""
    number = rest[0].kind == "number" or rest[0].lower in word_classes.NUMBER_WORDS
    return rest[0].lower in word_classes.TIMES_WORDS or number and (unit == "times" or unit in word_classes.UNIT_NAMES)


def _is_aside(rest: Sequence[Token], shorter: Slots) -> bool:
    """A denial of something that the shorter never speaks of, and that is no time in which it would not hold."""
    told = [t for t in rest if t.is_content]
    return 0 < len(told) <= LONGEST_ASIDE and not {t.stem for t in told} & shorter.content_set and not is_timely(tuple(told))


def _holds_amount(left: Sequence[Token], right: Sequence[Token], longer: Slots) -> bool:
    """The same words around "of 150 euros" or "of 4 m": what was vague has become exact."""
    size = len(left) - len(right)
    for at in range(LEAST_WORDS, len(right)):
        if [t.lower for t in left[:at]] != [t.lower for t in right[:at]]:
            return False
        put = left[at : at + size]
        if put[0].lower == "of" and [t.lower for t in left[at + size :]] == [t.lower for t in right[at:]]:
            told = extract_slots(" ".join(t.surface for t in put[1:]))
            behind = longer.verb in {t.stem for t in left[:at]}
            return behind and any(dimension(key) for key in told.numbers) and all(_counts(t) for t in put[1:])
    return False


def _names_agent(left: Sequence[Token], right: Sequence[Token], longer: Slots, shorter: Slots) -> bool:
    """The same words around "by the clerk": what is done is told with who does it."""
    size = len(left) - len(right)
    known = {t.lower for t in right}
    if not longer.passive or not shorter.passive or "by" in known or shorter.negations or shorter.conditions or known & _WHOLE:
        return False
    at = next((i for i, t in enumerate(left) if t.lower == "by"), 0)
    put = left[at : at + size]
    around = [t.lower for t in (*left[:at], *left[at + size :])]
    plain = all(t.kind == "word" and t.lower not in _UNSAFE | {"and", "or"} for t in put)
    return at > 0 and 1 < size <= LONGEST_AGENT and plain and around == [t.lower for t in right]


def _counts(token: Token) -> bool:
    return token.kind in ("number", "op") or token.lower in word_classes.UNIT_NAMES or token.lower in word_classes.NUMBER_WORDS


def _adds_characters(longer: str, shorter: str) -> bool:
    bare = shorter.rstrip("。.!！ ")
    rest = longer[len(bare) :]
    return len(bare) >= LEAST_WORDS and longer.startswith(bare) and bool(_CJK_REASON.match(rest)) and not _CJK_TURN.search(rest)
