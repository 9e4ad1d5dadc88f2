"""Numbers spelled in Chinese and Korean characters."""

# ruff: noqa: SIM905  tables read better as runs of words

from __future__ import annotations

import re

from dreamd.text import word_classes

_ZH = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_ZH_SCALE = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
_KO = {word: int(value) for word, value in (row.split("=") for row in (
    "한=1 두=2 세=3 네=4 다섯=5 여섯=6 일곱=7 여덟=8 아홉=9 열=10 열두=12 스무=20 서른=30").split())}
_COUNTERS = frozenset("人名日回個台件本枚円元个位家次")
_KO_NUMBER = re.compile(
    r"(?:^|\s)(다섯|여섯|일곱|여덟|아홉|열두|서른|스무|한|두|세|네|열)\s?(명|개|시간|번|달|주|시|단계|가지|사람|곳|대|장|차례)(만)?")
"""One of a kind is a number only where it is said that there is no more."""
_ZH_NUMBER = re.compile(r"[零一二三四五六七八九十百千两〇万]+(?:点[零一二三四五六七八九]+)?")
_ZH_PLAIN = re.compile(
    "一起|(?<![一二三四五六七八九十百])一个|一样|一致|一律|统一|第一|一般|一旦|之一|一直|一定|万一"
    "|一些|唯一|千万|一次性|一同|一切|二进制|三方|逐一|任一|一体|同一|星期一|星期二|星期三|星期四"
    "|星期五|星期六|周一|周二|周三|周四|周五|周六"
    "|(?<![一二三四五六七八九])十分(?!钟)")
"""Words in which a character of number counts nothing."""


def numbers_in(run: str) -> list[tuple[str, float]]:
    """Numbers inside a run of Chinese or Korean characters, as dimension and value, with the unit glued behind."""
    found: list[tuple[str, float]] = []
    blanked = _ZH_PLAIN.sub(lambda m: "·" * len(m.group()), run)
    for match in _ZH_NUMBER.finditer(blanked):
        rest = blanked[match.end() :]
        counted = match.group() != "一" and rest[:1] in _COUNTERS  # a hundred of what is counted one by one
        lone = match.group() in ("一", "千", "万", "百") and not unit_at(rest) and not counted
        if lone or match.start() and blanked[match.start() - 1] == "第":
            continue
        dim, factor = unit_at(rest) or ("", 1.0)
        found.append((dim, _chinese(match.group()) * factor))
    for match in _KO_NUMBER.finditer(run):
        unit = word_classes.UNIT_NAMES.get(match.group(2), ("", 1.0))
        if _KO[match.group(1)] > 1 or unit[0] or match.group(3):
            found.append((unit[0], _KO[match.group(1)] * unit[1]))
    return found


def unit_at(rest: str) -> tuple[str, float] | None:
    """The unit that a run of characters begins with."""
    for name in word_classes.CJK_UNITS:
        if rest.startswith(name):
            return word_classes.UNIT_NAMES[name]
    return None


def _chinese(text: str) -> float:
    total = section = digit = 0
    whole, _, part = text.partition("点")
    for char in whole:
        if char in _ZH:
            digit = _ZH[char]
        elif char == "万":
            total, section, digit = (total + section + digit) * 10_000, 0, 0
        else:
            section += (digit or 1) * _ZH_SCALE[char]
            digit = 0
    return total + section + digit + float("0." + "".join(str(_ZH[c]) for c in part))
