"""Whether a statement in any of the languages denies what it speaks of."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re

from dreamd.judge.slots import Slots
from dreamd.text import word_classes

SHORTEST_HEAD = 8
"""Characters before the first stop that are no clause yet: "No, ..."."""
_LACKING = frozenset("without ohne sin sans sem senza ne lacks lacking avoid avoids avoided nor".split())
_CJK_STOP = re.compile(r"[，,。；;.]")
_CJK_NO = re.compile(
    "不|没|禁止|严禁|勿|别|无法|无权|无人|无关|無い|ない|ません|ず、|않|못하|못 |없다|없는|없습|아니|안 |금지|말 것|지 마|마라"
)
_NO_DENIAL = re.compile(
    "不同|不久|不过|无论|无线|无人机|差不多|不只|不晚于|不早于|特别|分别|级别|类别|区别|个别|にもかかわらず|危ない|切ない|못지않"
)


def denies(slots: Slots, *, abroad: bool, whole: bool = False) -> bool:
    """Whether the claim itself is denied, and not a thing that is done without; the first clause alone unless `whole`.

    A "no" is a denial in English and Spanish alone; in a text that is `abroad` although it looks English it tells nothing.
    """
    no = slots.tongue == "es" or slots.tongue == "en" and not abroad
    if slots.tongue in ("zh", "ja", "ko"):
        low = _NO_DENIAL.sub(" ", slots.low)
        return bool(_CJK_NO.search(low if whole else _CJK_STOP.split(low, maxsplit=1)[0]))
    for place, token in enumerate(slots.tokens):
        if token.kind == "stop" and not whole and slots.starts[place] > SHORTEST_HEAD:
            break
        told = token.lower in word_classes.NEGATORS or token.stem == "not"
        if told and token.lower not in _LACKING and (no or token.lower != "no"):
            return True
    return False


def denials_in(slots: Slots) -> int:
    """How many denials stand in a text of characters."""
    return len(_CJK_NO.findall(_NO_DENIAL.sub(" ", slots.low)))


_WITHOUT = frozenset("without ohne sin sans sem senza".split())
_LEFT_OUT = re.compile(r"\b(?:remov(?:ed?|ing)|free of|left out|leaves? out|excluded?|omitted)\b")
_CJK_WITHOUT = re.compile("없이|無しで|なしで|抜きで|不带|不加|无需|无须")


def left_out(slots: Slots) -> frozenset[str]:
    """The first word of weight behind each "without"."""
    cut = slots.tokens
    return frozenset(
        next((u.lower for u in cut[at + 1 :] if u.is_content and len(u.lower) > 1), "")
        for at, token in enumerate(cut)
        if token.lower in _WITHOUT
    )


def lacks(slots: Slots) -> bool:
    """Whether something is done without something."""
    if not slots.spoken.isdisjoint(_WITHOUT) or _LEFT_OUT.search(slots.low):
        return True
    return not slots.low.isascii() and bool(_CJK_WITHOUT.search(slots.low))
