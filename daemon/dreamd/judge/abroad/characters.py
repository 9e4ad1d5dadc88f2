"""Small differences of Chinese, Japanese and Korean, where nothing but a character tells "at least" from "at most".

A gloss leaves such words out, so no score sees them; and without spaces they are no words of their own to the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from dreamd.judge.conflicts.frames import align
from dreamd.judge.conflicts.polarity import denials_in
from dreamd.judge.features import PairFeatures

LONGEST_WORD = 3
LEAST_EQUAL = 0.6
"""Share of equal characters from which what differs is one word in the place of another."""
_SCRIPTS = frozenset(["zh", "ja", "ko"])
_ONE_SIDED = frozenset(
    ["一部", "部分", "有些", "いくつか", "일부", "몇몇", "有时", "偶尔", "時々", "たまに", "가끔", "때때로"]
)
"""What speaks of some, or of sometimes, where the other side speaks of all and always without saying so."""
_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九十")} | {"两": 2, "": 1}
_UNITS = {
    unit: name
    for name, units in {
        "second": "秒 초", "minute": "分钟 分 분", "hour": "小时 時間 時 시간", "day": "天 日 일", "week": "周 星期 週間 週 주",
        "month": "个月 月 か月 ヶ月 개월 월 달", "quarter": "季度 분기", "year": "年 년",
    }.items()
    for unit in units.split()
}
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_EVERY = re.compile(
    rf"[每毎매] ?(?P<n>\d+|[一二三四五六七八九十两]?)个?(?P<unit>{_UNIT})"
    rf"|(?P<m>\d+|[一二三四五六七八九十]) ?(?P<each>{_UNIT})(?:ごと|마다)"
    r"|(?P<other>隔週|隔周|격주)"
)


def characters_apart(pair: PairFeatures) -> Iterator[str]:
    """Why two statements of one such language must not become one, however alike they read."""
    if not pair.same_script or pair.a.tongue not in _SCRIPTS:
        return
    some = [sorted(word for word in _ONE_SIDED if word in slots.low) for slots in (pair.a, pair.b)]
    if bool(some[0]) != bool(some[1]):
        yield f"one side speaks of `{(some[0] or some[1])[0]}` only"
    if denials_in(pair.a) % 2 != denials_in(pair.b) % 2 and align(pair.a, pair.b).equal >= LEAST_EQUAL:
        yield "one denies what the other does not"
    rates = _rates(pair.a.low), _rates(pair.b.low)
    if rates[0] and rates[1] and rates[0] != rates[1]:
        yield "another rate"


def one_in_place(pair: PairFeatures) -> bool:
    """One short run of characters stands in the place of another, and all the rest is the same."""
    if not pair.same_script or pair.a.tongue not in _SCRIPTS:
        return False
    frame = align(pair.a, pair.b)
    if frame.equal < LEAST_EQUAL or len(frame.parts) != 1:
        return False
    part = frame.parts[0]
    runs = ["".join(t.surface for t in run) for run in (part.left, part.right)]
    return all(0 < len(run) <= LONGEST_WORD for run in runs)


@lru_cache(maxsize=4096)
def _rates(low: str) -> frozenset[tuple[str, int]]:
    """How often something is done, as far as it is told."""
    found = set()
    for match in _EVERY.finditer(low):
        if match.group("other"):
            found.add(("week", 2))
            continue
        count = match.group("n") if match.group("unit") else match.group("m")
        found.add((_UNITS[match.group("unit") or match.group("each")], int(count) if count.isdigit() else _DIGITS[count]))
    return frozenset(found)

