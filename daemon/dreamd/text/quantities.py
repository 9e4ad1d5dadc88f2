"""Numbers of a statement in one canonical form: measures with units, rates, times of day, dates, plain numbers.

Two numbers are the same when their canonical forms are: "half an hour", "30 min" and "1800 s" all read
`time:1800`. What only looks like a number (a version, an address, a ticket) belongs to `names`.
"""

# ruff: noqa: SIM905  tables read better as runs of words

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from dreamd.text import word_classes
from dreamd.text.numerals import numbers_in, unit_at
from dreamd.text.tokens import Token

_DATE = re.compile(
    r"\b(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?\b|(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日일])?")
_MONTHS = word_classes.QUALIFIERS["month"] | {"may": "05", "sept": "09"} | {
    name: f"{n:02d}" for n, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_MONTH_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.|º)?\s(?:de\s|of\s)?({_MONTH_NAMES})\b(?:,?\s(?:de\s)?(\d{{4}}))?", re.IGNORECASE
)
_MONTH_DAY = re.compile(rf"\b({_MONTH_NAMES})\s(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s(\d{{4}}))?", re.IGNORECASE)
_CJK_DAY = re.compile(r"(?<!年)(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일号]")
_CLOCK = re.compile(r"\b(\d{1,2})[:h](\d{2})(?::\d{2})?(?:\s?(am|pm))?\b|\b(\d{1,2})\s?(am|pm)\b", re.IGNORECASE)
_NAMED_TIMES = {"midnight": "00:00", "noon": "12:00", "midday": "12:00"}
_OPENING = frozenset(["one", "half", "every", "each", *_NAMED_TIMES, *word_classes.PERIODS, *word_classes.TIMES_WORDS,
                      *word_classes.NUMBER_WORDS])
_ONE_COUNTS = frozenset(["hundred", "thousand", "million", "dozen", *word_classes.FRACTION_WORDS, *word_classes.UNIT_NAMES])
"""What "a" before it counts: "a dozen", "a third"."""
_LETTERS = re.compile(r"[^\W\d_]+")
_HOUR = 3600.0
_DIGIT = re.compile(r"\d")
_COUNTED = frozenset(["number", "cjk"])


def dates_and_times(text: str) -> tuple[list[str], str]:
    """Dates and times of day, and the text with them blanked so that their digits are not read again."""
    found: list[str] = []
    if not _DIGIT.search(text):
        return found, text

    def take(dim: str, value: str, match: re.Match[str]) -> str:
        found.append(f"{dim}:{value}")
        return " " * len(match.group())

    def clock(m: re.Match[str]) -> str:
        hour, minute = int(m.group(1) or m.group(4)), int(m.group(2) or 0)
        half = (m.group(3) or m.group(5) or "").lower()
        if hour > 24 or minute > 59:
            return m.group()
        hour = hour % 12 + 12 * (half == "pm") if half else hour % 24
        return take("clock", f"{hour:02d}:{minute:02d}", m)

    text = _DATE.sub(
        lambda m: take("date", _date(m.group(1) or m.group(4), m.group(2) or m.group(5), m.group(3) or m.group(6)), m), text
    )
    spoken = frozenset(_LETTERS.findall(text.lower())) if text.isascii() else None  # None: may hold anything
    if spoken is None or not spoken.isdisjoint(_MONTHS):
        text = _DAY_MONTH.sub(lambda m: take("date", _date(m.group(3), _MONTHS[m.group(2).lower()], m.group(1)), m), text)
        text = _MONTH_DAY.sub(lambda m: take("date", _date(m.group(3), _MONTHS[m.group(1).lower()], m.group(2)), m), text)
    if spoken is None:
        text = _CJK_DAY.sub(lambda m: take("date", _date(None, m.group(1), m.group(2)), m), text)
    return found, _CLOCK.sub(clock, text)


def periods(tokens: Sequence[Token]) -> list[str]:
    """What an amount is for: "30 EUR a day" is paid each day."""
    found = []
    for (number, unit, each, period) in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        if number.kind == "number" and unit.lower in word_classes.UNIT_NAMES and each.lower in ("a", "per", "each", "every"):
            dim, factor = word_classes.UNIT_NAMES.get(period.lower, ("", 0.0))
            if dim == "month" or dim == "time" and factor >= _HOUR:  # shorter ones are a part of the unit: "Mbit each second"
                found.append(_amount(f"every-{dim}", factor))
    return found


def measures(tokens: Sequence[Token]) -> list[str]:
    """Numbers with units, rates ("three times a minute"), fractions and plain numbers, in token order."""
    found: list[str] = []
    i = 0
    likely = [i for i, t in enumerate(tokens) if t.kind in _COUNTED or _counts(t.lower)]
    for begin in [i for i in likely if _may_begin(tokens, i)]:
        if begin < i:
            continue  # told already, as a part of what began before
        i, token = begin, tokens[begin]
        if token.kind == "cjk":
            found.extend(_amount(dim, value) for dim, value in numbers_in(token.surface))
            continue
        rate = _rate(tokens, i)
        if rate:
            found.append(rate[0])
            i = rate[1]
            continue
        if token.lower in _NAMED_TIMES:
            found.append(f"clock:{_NAMED_TIMES[token.lower]}")
        value, after = _value(tokens, i)
        if value is not None:
            found.append(_with_unit(tokens, i, after, value))
            i = after
    return found


def _may_begin(tokens: Sequence[Token], i: int) -> bool:
    """Whether a token that may count does: "a" only before what can be counted so."""
    return tokens[i].lower not in ("a", "an") or i + 1 < len(tokens) and tokens[i + 1].lower in _ONE_COUNTS


@lru_cache(maxsize=65_536)
def _counts(low: str) -> bool:
    """Whether a number, a rate or a time of day may begin with a word: a quick look before the slow one."""
    return low in ("a", "an") or low in _OPENING or "-" in low


def _date(year: str | None, month: str, day: str | None) -> str:
    """Month and day; the year only where both may be known, kept apart so that a missing year stays compatible."""
    tail = f"{int(month):02d}-{int(day):02d}" if day else f"{int(month):02d}"
    return f"{year}-{tail}" if year else tail


def _amount(dim: str, value: float) -> str:
    """The form under which two numbers are compared: the dimension, empty when none is named, and the value."""
    return f"{dim}:{value:.6g}"


def parse_number(surface: str) -> float | None:
    """Read digits as people write them in several languages: `50,000`, `50.000`, `3.5`, `3,5`, `31_000`."""
    text = surface.strip("#v$€£").replace("_", "").rstrip(".,:")
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        text = text.replace(",", "")
    elif re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", text) and not text.startswith("0"):
        text = text.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d+,\d+", text):
        text = text.replace(",", ".")
    try:
        return float(text)
    except ValueError:
        return None


def _value(tokens: Sequence[Token], i: int) -> tuple[float | None, int]:
    """A number that begins at token `i`, in digits or words, and the index after it."""
    token = tokens[i]
    nxt = tokens[i + 1].lower if i + 1 < len(tokens) else ""
    if token.kind == "number":
        value = parse_number(token.surface)
        if value is not None and nxt in word_classes.SCALE_WORDS and nxt != "k":
            return value * word_classes.SCALE_WORDS[nxt], i + 2
        return value, i + 1
    low = token.lower
    if low in ("a", "an", "one") and nxt in ("hundred", "thousand", "million", "dozen"):
        return float(word_classes.SCALE_WORDS.get(nxt, 12)), i + 2
    if low == "half" and nxt in ("a", "an", "of") and i + 2 < len(tokens) and tokens[i + 2].lower in word_classes.UNIT_NAMES:
        return 0.5, i + 2
    if low in ("one", "a") and nxt in word_classes.FRACTION_WORDS and nxt not in ("half", "second"):
        return word_classes.FRACTION_WORDS[nxt] * 100, i + 1
    if low in word_classes.NUMBER_WORDS:
        return _spelled(tokens, i)
    if "-" in low and all(part in word_classes.NUMBER_WORDS for part in low.split("-")):
        return float(sum(word_classes.NUMBER_WORDS[part] for part in low.split("-"))), i + 1
    return None, i + 1


def _spelled(tokens: Sequence[Token], i: int) -> tuple[float, int]:
    total = float(word_classes.NUMBER_WORDS[tokens[i].lower])
    i += 1
    if i < len(tokens) and tokens[i].lower in word_classes.FRACTION_WORDS and total < 10:
        return total * word_classes.FRACTION_WORDS[tokens[i].lower] * 100, i
    while i < len(tokens):
        low = tokens[i].lower
        # What may be added to a number as it is spoken: up to a hundred behind hundreds, up to ten behind tens.
        room = 100 if total >= 100 and total % 100 == 0 else 10 if total >= 20 and total % 10 == 0 else 0
        if low in word_classes.SCALE_WORDS and low != "k":
            total *= word_classes.SCALE_WORDS[low]
        elif word_classes.NUMBER_WORDS.get(low, 999) < room:
            total += word_classes.NUMBER_WORDS[low]
        elif low not in ("and", "y", "e", "und") or i + 1 >= len(tokens) or (
                word_classes.NUMBER_WORDS.get(tokens[i + 1].lower, 999) >= room):
            break
        i += 1
    return total, i


def _rate(tokens: Sequence[Token], i: int) -> tuple[str, int] | None:
    """ "Every 20 seconds", "three times a minute", "once per hour", "daily": the seconds (or months) between two."""
    low = [t.lower for t in tokens[i : i + 5]]
    if low[0] in word_classes.PERIODS:
        dim, seconds = word_classes.PERIODS[low[0]]
        return _amount("every-" + dim, seconds), i + 1
    if low[0] in ("every", "each") and len(low) > 1:
        value, after = _value(tokens, i + 1)
        unit = tokens[after].lower if after < len(tokens) and value is not None else low[1]
        after = after + 1 if value is not None else i + 2
        value = 1.0 if value is None else value
        unit = "day" if unit in ("evening", "night", "morning", "noon") else unit
        if unit in word_classes.UNIT_NAMES and word_classes.UNIT_NAMES[unit][0] in ("time", "month"):
            dim, factor = word_classes.UNIT_NAMES[unit]
            return _amount("every-" + dim, value * factor), after
        return None
    times: float | None = word_classes.TIMES_WORDS.get(low[0])
    after = i + 1
    if times is None:
        times, after = _value(tokens, i)
        if times is None or after >= len(tokens) or tokens[after].lower not in ("times", "time"):
            return None
        after += 1
    rest = [t.lower for t in tokens[after : after + 2]]
    if len(rest) == 2 and rest[0] in ("a", "an", "per", "each", "every", "al", "pro", "im", "par", "por"):
        unit = rest[1]
        after += 2
    else:
        ends = after >= len(tokens) or tokens[after].kind == "stop" or tokens[after].lower in (
            "in", "by", "and", "without", "before", "per", "at", "on", "for", "with")
        return (_amount("times", times), after) if ends or times != 1 else None
    if unit in word_classes.UNIT_NAMES and word_classes.UNIT_NAMES[unit][0] in ("time", "month"):
        dim, factor = word_classes.UNIT_NAMES[unit]
        return _amount("every-" + dim, factor / times), after
    return _amount("times", times), after


def _with_unit(tokens: Sequence[Token], i: int, after: int, value: float) -> str:
    """Attach the unit that follows (or the currency before); a number without one keeps an empty dimension."""
    follow = tokens[after].lower if after < len(tokens) else ""
    if tokens[i].surface[:1] in "$€£":
        return _amount({"$": "usd", "€": "eur", "£": "gbp"}[tokens[i].surface[0]], value)
    if follow in word_classes.FRACTION_WORDS and value >= 10:
        return _amount("percent", value)
    if follow in word_classes.UNIT_NAMES:
        dim, factor = word_classes.UNIT_NAMES[follow]
        return _amount(dim, value * factor)
    if after < len(tokens) and tokens[after].kind == "cjk":
        unit = unit_at(follow)
        return _amount(unit[0], value * unit[1]) if unit else _amount("", value)
    if i and tokens[i - 1].lower in ("€", "$", "£"):
        return _amount({"$": "usd", "€": "eur", "£": "gbp"}[tokens[i - 1].lower], value)
    return _amount("", value)
