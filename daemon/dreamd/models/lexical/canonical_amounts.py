"""Amounts in one form for the pair scorer: "5400 seconds" and "an hour and a half" both read "90 minutes".

A small net cannot divide by sixty. Only English is rewritten here: other languages have been glossed before.
"""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re

_SMALL = {w: n for n, w in enumerate("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
                                     "fifteen sixteen seventeen eighteen nineteen".split())}
_TENS = {w: 10 * n for n, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_NAMES = "|".join([*_SMALL, *_TENS])
_SPELLED = re.compile(rf"\b(?:(?:{_NAMES}|an?(?=[ -](?:hundred|thousand|million)\b))"
                      rf"(?:(?:[ -]| and )(?:{_NAMES}|hundred|thousand|million)\b)*)\b(?! (?:of|or|another)\b)", re.IGNORECASE)
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_FRACTION = re.compile(r"\b(\d+) (third|quarter|fifth|tenth)s\b", re.IGNORECASE)
_HALVES = (
    (re.compile(r"\b(\d+)(?: and a half|½) (\w+)", re.IGNORECASE), r"\1.5 \2"),
    (re.compile(r"\b(?:an?|1) (hour|day|week|month|year|minute) and a half\b", re.IGNORECASE), r"1.5 \1"),
    (re.compile(r"\bhalf (?:an?|of an?) (hour|day|minute|year|kilometre|metre|second)\b|\bhalf-(hour|year)\b", re.IGNORECASE),
     r"0.5 \1\2"),
    (re.compile(r"\b(?:a )?quarter of an hour\b", re.IGNORECASE), "15 minutes"),
    (re.compile(r"\b(?:an? )?fortnight\b", re.IGNORECASE), "2 weeks"),
    (re.compile(r"\ban? dozen\b", re.IGNORECASE), "12"),
)
_UNITS: dict[str, tuple[tuple[float, str], ...]] = {
    "time": ((604_800, "week"), (86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"), (0.001, "millisecond")),
    "months": ((12, "year"), (1, "month")),
    "bytes": ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "bytes")),
    "metres": ((1000, "km"), (1, "m"), (0.01, "cm"), (0.001, "mm")),
    "grams": ((1e6, "tonnes"), (1000, "kg"), (1, "g")),
    "area": ((1e6, "km²"), (1, "m²")),
    "hertz": ((1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz"), (1, "Hz")),
    "watts": ((1e6, "MW"), (1e3, "kW"), (1, "W")),
}
_SPELLINGS: dict[str, dict[str, float]] = {
    "time": {"weeks week wk": 604_800, "days day": 86_400, "hours hour hrs hr h": 3600, "minutes minute mins min": 60,
             "seconds second secs sec s": 1, "milliseconds millisecond ms": 0.001},
    "months": {"years year yrs yr": 12, "months month": 1},
    "bytes": {"tb terabytes terabyte": 1e12, "gb gigabytes gigabyte gigs": 1e9, "mb megabytes megabyte": 1e6,
              "kb kilobytes kilobyte": 1e3, "bytes byte": 1},
    "metres": {"km kilometres kilometers kilometre kilometer": 1000, "m metres meters metre meter": 1,
               "cm centimetres centimeters centimetre": 0.01, "mm millimetres millimeters millimetre": 0.001},
    "grams": {"tonnes tonne tons": 1e6, "kg kilos kilograms kilogram kilo": 1000, "g grams gram": 1},
    "area": {"km²": 1e6, "ha hectares hectare": 1e4, "m²": 1},
    "hertz": {"ghz": 1e9, "mhz": 1e6, "khz": 1e3, "hz": 1},
    "watts": {"mw megawatts": 1e6, "kw kilowatts kilowatt": 1e3, "w watts watt": 1},
}
_KNOWN = {word: (dim, size) for dim, sizes in _SPELLINGS.items() for words, size in sizes.items() for word in words.split()}
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_UNIT = "|".join(sorted(_KNOWN, key=len, reverse=True))
_MEASURE = re.compile(rf"(?<![\w.,:/-])({_NUMBER})[ -]?({_UNIT})(?![\w/²])", re.IGNORECASE)
_PERCENT = re.compile(rf"(?<![\w.,])({_NUMBER}) ?(?:%|per ?cent\b|percent\b)", re.IGNORECASE)
_RATE = re.compile(r"\b(once|twice|thrice|\d+ times) (?:an?|per|each|every|1) (second|minute|hour|day|week|month|year)\b",
                   re.IGNORECASE)
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_CLOCK = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))? ?([ap])\.?m\b\.?", re.IGNORECASE)
_O_CLOCK = re.compile(r"\b(\d{1,2}) o'?clock(?: in the (morning|afternoon|evening))?", re.IGNORECASE)
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w,])")


def restate(text: str) -> str:
    """The text with its amounts in digits and in the largest unit of which they are a whole number."""
    text = _SPELLED.sub(_in_digits, text)
    text = _FRACTION.sub(lambda m: f"{100 * int(m.group(1)) / _PARTS[m.group(2).lower()]:.4g} percent", text)
    for pattern, plain in _HALVES:
        text = pattern.sub(plain, text)
    if not re.search(r"\d|\b(?:once|twice|thrice)\b", text, re.IGNORECASE):
        return text
    text = _O_CLOCK.sub(_hour, text)
    text = _CLOCK.sub(lambda m: _clock(int(m.group(1)), int(m.group(2) or 0), late=m.group(3).lower() == "p"), text)
    text = _RATE.sub(_every, text)
    text = _PERCENT.sub(lambda m: f"{_plain(_read(m.group(1)))} percent", text)
    text = _MEASURE.sub(lambda m: _measure(m.group(1), m.group(2)), text)
    return _GROUPED.sub(lambda m: m.group().replace(",", ""), text)


def _in_digits(match: re.Match[str]) -> str:
    """A spelled number in digits; a lone "one" may be no number."""
    words = match.group().lower().replace("-", " ").split()
    if words == ["one"]:
        return _one(match)
    total = part = 0
    for word in words:
        if word in _SCALES:
            part = max(part, 1) * _SCALES[word]
            if word != "hundred":
                total, part = total + part, 0
        elif word not in ("a", "an", "and"):
            part += _SMALL.get(word, _TENS.get(word, 0))
    return str(total + part)


def _one(match: re.Match[str]) -> str:
    follows = re.match(r" (\w+)", match.string[match.end():])
    return "1" if follows and follows.group(1).lower() in _KNOWN else match.group()


def _read(number: str) -> float:
    return float(number.replace(",", ""))


def _plain(value: float) -> str:
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"


def _measure(number: str, unit: str) -> str:
    if unit == "M" or (unit in ("s", "m", "g", "h", "w", "W") and "," in number):
        return f"{number} {unit}"
    dim, size = _KNOWN[unit.lower()]
    amount = _read(number) * size
    for factor, name in _UNITS[dim]:
        whole = amount / factor
        if whole >= 1 and abs(whole - round(whole)) < 1e-6 * whole:
            many = "s" if round(whole) != 1 and dim in ("time", "months") else ""
            return f"{_plain(round(whole))} {name}{many}"
    return f"{number} {unit}"


def _every(match: re.Match[str]) -> str:
    times = _TIMES.get(match.group(1).lower()) or int(match.group(1).split()[0])
    unit = match.group(2)
    if times == 1:
        return f"every {unit}"
    dim, size = _KNOWN[unit.lower()]
    every = size / times
    for factor, name in _UNITS[dim]:
        if every >= factor and abs(every / factor - round(every / factor)) < 1e-9:
            return f"every {round(every / factor)} {name}s"
    return match.group()


def _hour(match: re.Match[str]) -> str:
    return _clock(int(match.group(1)), 0, late=(match.group(2) or "").lower() in ("afternoon", "evening"))


def _clock(hour: int, minute: int, *, late: bool) -> str:
    return f"{hour % 12 + 12 * late:02d}:{minute:02d}" if hour <= 12 else f"{hour:02d}:{minute:02d}"
