"""Calendar dates as people write them, made ISO where a statement hangs its end or its beginning on them ("until", "since")."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, datetime
from functools import cache, partial
from itertools import islice

from dreamd.text import patterns
from dreamd.text.language import language_of

_ISO = re.compile(r"(?<![0-9A-Za-z_-])(\d{4})-(\d{2})-(\d{2})(?![0-9A-Za-z_-])")
_CLAUSE_END = re.compile(r"[.!?;\n。！？；](?=\s|$|[\u3000-\u9fff])|\n")
_NEAR_CHARS = 60
SENTENCE_CHARS = 300
MOST_DATES = 40
"""A note that names more days than this is a calendar, and stays as it was said."""


def validity(text: str, day: date, evidence: list[str]) -> tuple[str | None, str | None]:
    """The end and the beginning that stand beside the dates of a text."""
    ttl: str | None = None
    valid_from: str | None = None
    for match in islice(_ISO.finditer(text), MOST_DATES):
        before, after = text[:match.start()][-SENTENCE_CHARS:], text[match.end():match.end() + SENTENCE_CHARS]
        if not is_date(match[0]):
            continue
        if cue_ends(before, "starts_before") or follows(after, "starts_after"):
            valid_from = valid_from or match[0]
        elif is_end(before, after, up_to_comma(match)) and not (  # in the past tense it tells of an end that has come and gone
                match[0] < day.isoformat() and patterns.has("words/dates", "past", sentence_of(match))):
            ttl = max(ttl or "", match[0])
            evidence.append(f"ends: {match[0]}")
    return ttl, valid_from


def is_end(before: str, after: str, sentence: str) -> bool:
    """Whether something ends at the date between these words."""
    return not patterns.has("words/dates", "keeping", sentence) and _ends(before, after)


def _ends(before: str, after: str) -> bool:
    return cue_ends(before, "ends_before") or verb_ends(before) or follows(after, "ends_after")


def is_date(iso: str) -> bool:
    """Whether an ISO date names a day that exists."""
    try:
        date.fromisoformat(iso)
    except ValueError:
        return False
    return True


def sentence_of(match: re.Match[str]) -> str:
    """The sentence a match stands in, or as much of it as lies near."""
    text, low = match.string, max(0, match.start() - SENTENCE_CHARS)
    start = max((m.end() for m in _CLAUSE_END.finditer(text, low, match.start())), default=low)
    end = _CLAUSE_END.search(text, match.end(), match.end() + SENTENCE_CHARS)
    return text[start:end.start() if end else match.end() + SENTENCE_CHARS]


def up_to_comma(match: re.Match[str]) -> str:
    """The sentence of a date without the clauses behind it, which speak of something else."""
    sentence = sentence_of(match)
    said = sentence.find(match[0])
    comma = sentence.find(",", said + len(match[0]))
    return sentence if said < 0 or comma < 0 else sentence[:comma]


def cue_ends(before: str, table: str) -> bool:
    """Whether the words right before a date are a cue of this table."""
    near = before[-_NEAR_CHARS:]
    return any(not near[m.end():].strip() for m in patterns.cue("words/dates", table).finditer(near))


def verb_ends(before: str) -> bool:
    """Whether a verb of ending stands a few words before a date, in the same clause and not denied."""
    near = re.split(r"[.!?;,\n]", before[-_NEAR_CHARS:])[-1]
    found = list(patterns.cue("words/dates", "ends_verb").finditer(near))
    if not found or re.search(r"\b(?:not|never|nicht|no|pas|não)\b[^.]{0,12}$", near[:found[-1].start()]):
        return False
    gap = near[found[-1].end():]
    return re.fullmatch(r"(?:\s+(?:on|at|after|by|the|am|el|le|em|en|dem|of|day|about|end))*\s*", gap) is not None


def follows(after: str, table: str) -> bool:
    """Whether a cue of this table stands right after a date."""
    return patterns.starts("words/dates", table, after[:30])


_DOTTED = re.compile(r"(?<![\w.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?![\w])")
_SLASHED = re.compile(r"(?<![\w./-])(\d{1,2})/(\d{1,2})/(\d{4})(?![\w/])")
LAST_YEAR = 8_999
MONTHS = 12


def calendar_dates(text: str, lang: str, day: date, evidence: list[str]) -> str:
    """Write out calendar dates as ISO where the text hangs an end or a beginning on them; others read well as they are."""
    def replace(match: re.Match[str]) -> str:
        if match["day"] is None and _lacks_capital(match):
            return match[0]
        before = match.string[max(0, match.start() - SENTENCE_CHARS):match.start()]
        after = match.string[match.end():match.end() + SENTENCE_CHARS]
        with_year = match["year"] or match.groupdict().get("year_a")
        if not _ends(before, after) and not (with_year and cue_ends(before, "starts_before")):
            return match[0]
        ranges = re.search(r"(?i)\b(?:from|von|vom|de|du)\s+\w+(?:\s+\d+)?\s*$", before)
        if ranges or patterns.has("words/dates", "keeping", up_to_comma(match)):
            return match[0]
        found = _parse_calendar(match[0], lang, day, last_of_month=match["day"] is None)
        if found is None:
            return match[0]
        evidence.append(f"date: {match[0].strip()} → {found.isoformat()}")
        return found.isoformat()

    text = _SLASHED.sub(_unslashed, _DOTTED.sub(_undotted, text))
    text = _elsewhere().sub(partial(_from_elsewhere, day=day, evidence=evidence), text, count=MOST_DATES)
    return _calendar(lang).sub(replace, text, count=MOST_DATES)


def _lacks_capital(match: re.Match[str]) -> bool:
    """Whether a month without a day is written like another word: "until march", "it may"."""
    month = match["month"]
    return month is not None and month.lower() in ("may", "march", "mar", "mai", "mars") and month.islower()


@cache
def _elsewhere() -> re.Pattern[str]:
    """Ends in languages of which nothing else is known: the word for "until", a day, a month, perhaps a year."""
    rows = patterns.load("words/dates")["elsewhere"]
    return re.compile("|".join(
        rf"(?i:(?<!\w)(?:{row['until']})\s)(?P<day{n}>\d{{1,2}})(?:\.|º|°)? (?i:{group(f'm{n}_', tuple(row['months']))})\b\.?"
        rf"(?: (?:de )?(?P<year{n}>\d{{4}}))?" for n, row in enumerate(rows)))


def _from_elsewhere(match: re.Match[str], *, day: date, evidence: list[str]) -> str:
    groups = {name: said for name, said in match.groupdict().items() if said}
    number = int(next(name for name in groups if name.startswith("day"))[3:])
    month = next(int(name.rpartition("_")[2]) for name in groups if name.startswith(f"m{number}_")) + 1
    year = int(groups.get(f"year{number}") or day.year + ((month, int(groups[f"day{number}"])) < (day.month, day.day)))
    iso = f"{year}-{month:02}-{int(groups[f'day{number}']):02}"
    if not is_date(iso):
        return match[0]
    said = match[0][match.start(f"day{number}") - match.start():]
    evidence.append(f"date: {said} → {iso}")
    return match[0][:-len(said)] + iso


def _unslashed(match: re.Match[str]) -> str:
    """31/12/2026 and 12/31/2026 name one day; 03/04/2026 names one or another, and stays."""
    first, second = int(match[1]), int(match[2])
    iso = f"{match[3]}-{min(first, second):02}-{max(first, second):02}"
    return iso if first != second and max(first, second) > 12 and is_date(iso) else match[0]


def _undotted(match: re.Match[str]) -> str:
    iso = f"{match[3]}-{int(match[2]):02}-{int(match[1]):02}"
    return iso if is_date(iso) else match[0]


@cache
def _calendar(lang: str) -> re.Pattern[str]:
    if lang in ("zh", "ja"):
        return re.compile(r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})[日号號]|末|底)")
    if lang == "ko":
        return re.compile(r"(?:(?P<year>\d{4})년 ?)?(?P<month>\d{1,2})월 ?(?:(?P<day>\d{1,2})일|말)")
    names = "|".join(f"{name}" for name in listed("months", lang))
    month = rf"(?P<month>(?i:{names}))\b(?:\.(?=\s\d))?"
    dayed = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.|er|º)?(?: of| de)?\s"
    year = r"(?:,?(?: de| of)? (?P<year>\d{4})\b)?"
    late = "(?i:the )?(?i:end of )?" if lang == "en" else r"(?i:(?:ende|finales de|final de|fin(?: de)?|fim de) )?"
    plain = rf"(?<![\w.-]){late}(?:{dayed})?{month}{year}"
    if lang != "en":
        return re.compile(plain)
    american = (rf"(?P<month_a>(?i:{names}))\b\.? (?P<day_a>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|[:.]\d)"
                r"(?:,? (?P<year_a>\d{4})\b)?")
    return re.compile(rf"(?<![\w.-])(?:{american}|{plain})")


def _parse_calendar(said: str, lang: str, day: date, *, last_of_month: bool) -> date | None:
    numbers = re.fullmatch(r"(?:(\d{4})[年년] ?)?(\d{1,2})[月월] ?(?:(\d{1,2})[日号號일]|[末底말])", said)
    try:
        if numbers:
            month = int(numbers[2])
            year = int(numbers[1]) if numbers[1] else day.year + (month < day.month)
            found = date(year, month, int(numbers[3] or 1))
            return found if numbers[3] else month_end(found)
        return _ask_dateparser(said, lang, day, last_of_month=last_of_month)
    except (ValueError, OverflowError):
        return None


def _ask_dateparser(said: str, lang: str, day: date, *, last_of_month: bool) -> date | None:
    import dateparser

    if lang == "en" and re.search(r"[A-Za-z][a-z]+\.? \d{1,2}(?:st|nd|rd|th)?\b(?!\d)", said):
        last_of_month = False
    bare = re.sub(r"(?i)^(?:the )?(?:(?:end of|ende|finales de|final de|fin(?: de)?|fim de) )?", "", said)
    moment = dateparser.parse(bare, languages=[lang], settings={
        "RELATIVE_BASE": datetime(day.year, day.month, day.day), "PREFER_DATES_FROM": "future",  # noqa: DTZ001 a day, not an instant
        "PREFER_DAY_OF_MONTH": "last" if last_of_month else "current", "DATE_ORDER": "DMY", "STRICT_PARSING": False})
    return moment.date() if moment is not None and moment.year <= LAST_YEAR else None


def listed(table: str, lang: str) -> tuple[str, ...]:
    """The words of a table in one language."""
    return patterns.entries("words/dates", table, (lang,))


def group(prefix: str, options: tuple[str, ...]) -> str:
    """A pattern for one of several words, each in a group with its number."""
    return "(?:" + "|".join(f"(?P<{prefix}{n}>{option})" for n, option in enumerate(options)) + ")"


def month_end(day: date) -> date:
    """The last day of a month."""
    return day.replace(day=monthrange(day.year, day.month)[1])


def named_days(text: str, said: date) -> list[tuple[str, bool]]:
    """The days a text names, as it meant them on the day it was said, and of each whether something goes on from it.

    Habits name none.
    """
    if not _may_name().search(text):
        return []
    lang = language_of(text)
    plain = _SLASHED.sub(_unslashed, _DOTTED.sub(_undotted, text))
    found = [*islice(_ISO.finditer(plain), MOST_DATES), *islice(_calendar(lang).finditer(plain), MOST_DATES)]
    days = [(iso, cue_ends(match.string[:match.start()], "goes_on_from")) for match in found
            if (iso := _iso_of(match, lang, said)) and not patterns.has("words/dates", "habit", sentence_of(match))]
    return sorted(set(days))


def _iso_of(match: re.Match[str], lang: str, said: date) -> str:
    """The day a match names, of those with that name the nearest where it has no year; nothing where it is none."""
    parts = match.groupdict()
    if not parts:
        return match[0] if is_date(match[0]) else ""
    name, day, year = (parts[key] or parts.get(f"{key}_a") or "" for key in ("month", "day", "year"))
    month = int(name) if name.isdecimal() else _month_number(name, lang)
    if not day or not month:
        return ""
    years = [int(year)] if year else [said.year - 1, said.year, said.year + 1]
    named = [iso for one in years if is_date(iso := f"{one:04}-{month:02}-{int(day):02}")]
    return min(named, key=lambda iso: abs(date.fromisoformat(iso) - said), default="")


def _month_number(name: str, lang: str) -> int:
    """Which month a word names; 0 for none."""
    whole = [word for word in listed("months", lang) if word != "Jänner"][:MONTHS]
    short = name.casefold().replace("jän", "jan")[:3 if lang in ("en", "de") else None]
    return next((n for n, word in enumerate(whole, start=1) if word.casefold().startswith(short)), 0)


@cache
def _may_name() -> re.Pattern[str]:
    """A quick look whether a text names any day."""
    months = "|".join(patterns.entries("words/dates", "months"))
    return re.compile(rf"\d{{4}}-\d\d-\d\d|\d[./] ?\d{{1,2}}[./] ?\d{{4}}|\d ?[月월]|\d.{{0,8}}\b(?:{months})"
                      rf"|\b(?:{months})\b.{{0,3}}\d", re.IGNORECASE)
