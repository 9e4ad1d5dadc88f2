"""Relative dates made absolute against the time of the observation, and the end a statement names for itself.

A note that says "next Thursday" is wrong a week later, so every such phrase becomes a date in place. Habits
("every Monday", "if it fails, tomorrow"), lengths ("for 10 years") and clock times are left alone. Only a stated end
("until", "runs out on", "is switched off on") makes a TTL; "since", "from" and "opens on" set the beginning at most.
Phrases are data in `config/words/dates.toml`; calendar dates with month names are read by `dateparser`.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from functools import cache, partial
from itertools import islice

from dreamd.extraction import words
from dreamd.extraction.language import language_of

_ISO = re.compile(r"(?<![0-9A-Za-z_-])(\d{4})-(\d{2})-(\d{2})(?![0-9A-Za-z_-])")
_DOTTED = re.compile(r"(?<![\w.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?![\w])")
_CLAUSE_END = re.compile(r"[.!?;\n。！？；](?=\s|$|[\u3000-\u9fff])|\n")
_GENERIC_SUBJECT = re.compile(r"\s*(?:an?|any|every|each|all|most|new|old)\b", re.IGNORECASE)
_SPECIFIC = re.compile(r"\b(?:the|this|our|my|we|i|he|she|it|they|will|we'll|is|are)\b", re.IGNORECASE)
_NEAR_CHARS = 60
_SENTENCE_CHARS = 300
_MOST_DATES = 40
"""A note that names more days than this is a calendar, and stays as it was said."""
_LAST_YEAR = 8_999


@dataclass(frozen=True)
class Durable:
    """A text whose dates hold at any later time, with the end and the beginning it states."""

    text: str
    ttl: str | None = None
    valid_from: str | None = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Rule:
    lang: str
    kind: str
    shift: int
    pattern: re.Pattern[str]


def make_durable(text: str, at: datetime, zone: tzinfo) -> Durable:
    """Replace relative dates by absolute ones and find the end or beginning that the text states."""
    if not _cheap().search(text):
        return Durable(text)
    day = at.astimezone(zone).date()
    lang = language_of(text)
    evidence: list[str] = []
    for rule in _rules():
        if rule.lang in (lang, _spoken_beside(lang)):
            text = rule.pattern.sub(partial(_absolute, rule=rule, day=day, evidence=evidence), text, count=_MOST_DATES)
    text = _calendar_dates(text, lang, day, evidence)
    ttl, valid_from = _validity(text, day, evidence)
    return Durable(text, ttl, valid_from, tuple(dict.fromkeys(evidence)))


@cache
def _cheap() -> re.Pattern[str]:
    cheap = words.load("words/dates")["cheap"]
    assert isinstance(cheap, dict)
    return re.compile(cheap["cues"], re.IGNORECASE)


def _spoken_beside(lang: str) -> str:
    """English phrases also stand in sentences of scripts that nothing else could mix them up with."""
    return "en" if lang in ("zh", "ja", "ko") else lang


@cache
def _rules() -> tuple[_Rule, ...]:
    rows = words.load("words/dates")["rule"]
    assert isinstance(rows, list)
    made = []
    for row in rows:
        lang, wide = row["lang"], row["lang"] in ("zh", "ja", "ko")
        needs = f"(?=.{{0,40}}\\b(?:{row['needs']})\\b)" if "needs" in row else ""
        body = needs + row["pattern"].replace("{P}", _preposition(lang)).replace("{N}", _number(lang))
        body = body.replace("{U}", _group("u", _listed("units", lang))).replace("{W}", _group("w", _listed("weekdays", lang)))
        pattern = f"(?:{body})" if wide else rf"(?<![\w/-])(?:{body})(?![\w-]|[./]\w|'s? \w+ly)(?P<own>['’]s)?"
        made.append(_Rule(lang, row["kind"], int(row.get("shift", 0)), re.compile(_once(pattern), re.IGNORECASE)))
    return tuple(made)


def _once(pattern: str) -> str:
    """Group names may stand once in a pattern; later repetitions of a name get a running number."""
    seen: dict[str, int] = {}

    def rename(match: re.Match[str]) -> str:
        name = match[1]
        seen[name] = seen.get(name, 0) + 1
        return match[0] if seen[name] == 1 else f"(?P<{name}_{seen[name]}>"

    return re.sub(r"\(\?P<(\w+)>", rename, pattern)


def _listed(table: str, lang: str) -> tuple[str, ...]:
    return words.entries("words/dates", table, (lang,))


def _group(prefix: str, options: tuple[str, ...]) -> str:
    return "(?:" + "|".join(f"(?P<{prefix}{n}>{option})" for n, option in enumerate(options)) + ")"


def _number(lang: str) -> str:
    numerals = "|".join(f"(?P<n{n}>{word})" for n, word in reversed(list(enumerate(_listed("numbers", lang)))))
    gap = r"\s?" if lang in ("zh", "ja", "ko") else ""
    return rf"(?:(?<!\d)(?P<digits>\d{{1,3}}){gap}|(?:{numerals}))"


def _preposition(lang: str) -> str:
    table = words.load("words/dates")["preposition"]
    assert isinstance(table, dict)
    return rf"(?P<prep>(?:{table[lang]})(?:\s+the)?\s+)?" if lang in table else ""


def _absolute(match: re.Match[str], *, rule: _Rule, day: date, evidence: list[str]) -> str:
    """The absolute wording of one phrase, or the phrase itself where it means a habit or a length."""
    groups = match.groupdict()
    lead = next((v for k, v in groups.items() if v and re.match(r"prep|keep", k)), "")
    sentence = _sentence(match)
    ends = bool(lead) and re.fullmatch(words.cue("words/dates", "ends_before"), lead.strip()) is not None
    if groups.get("own") and rule.kind not in ("weekday-next", "weekday-this", "weekday-last"):
        return match[0]
    if _is_habit(match, rule, sentence, ends=ends):
        return match[0]
    try:
        found = _reckon(rule, groups, day)
        if lead.lower().startswith(("through", "thru")) and rule.kind in ("week", "month", "year"):
            found = {"week": found + timedelta(days=6), "month": _month_end(found)}.get(rule.kind, date(found.year, 12, 31))
    except (OverflowError, ValueError):
        return match[0]  # a date no calendar holds: the phrase stays as it was said
    if found.year > _LAST_YEAR:
        return match[0]
    said = match[0].strip().lower()
    evidence.append(f"date: {said} → {found.isoformat()}")
    return _worded(match, rule, found, lead, own=groups.get("own") or "")


def _sentence(match: re.Match[str]) -> str:
    """The sentence a match stands in, or as much of it as lies near."""
    text, low = match.string, max(0, match.start() - _SENTENCE_CHARS)
    start = max((m.end() for m in _CLAUSE_END.finditer(text, low, match.start())), default=low)
    end = _CLAUSE_END.search(text, match.end(), match.end() + _SENTENCE_CHARS)
    return text[start:end.start() if end else match.end() + _SENTENCE_CHARS]


def _is_habit(match: re.Match[str], rule: _Rule, sentence: str, *, ends: bool) -> bool:
    if rule.kind == "another" or ends:
        weekly = rule.kind.startswith("weekday") and words.has("words/dates", "weekly", sentence)
        return weekly or words.has("words/dates", "keeping", sentence)
    if rule.kind == "ahead" and rule.lang == "en":
        before = sentence.partition(match[0])[0]
        if _GENERIC_SUBJECT.match(sentence) or not _SPECIFIC.search(before):
            return bool(before.strip())
    habit = words.cue("words/dates", "habit").search(sentence)
    if habit is None:
        return False
    return not (rule.kind.startswith("weekday") and habit[0].lower() in ("always", "never", "immer", "nie", "siempre", "nunca"))


def _reckon(rule: _Rule, groups: dict[str, str | None], day: date) -> date:
    number, unit, weekday = _picked("n", groups), _picked("u", groups), _picked("w", groups)
    if groups.get("digits"):
        number = int(str(groups["digits"]))
    match rule.kind:
        case "day":
            return day + timedelta(days=rule.shift)
        case "ahead" | "another":
            return _shift(day, number or 1, unit)
        case "ago":
            return _shift(day, -number, unit)
        case "weekday-next":
            return day + timedelta(days=(weekday - day.weekday() - 1) % 7 + 1)
        case "weekday-this":
            return day + timedelta(days=(weekday - day.weekday()) % 7)
        case "weekday-last":
            return day - timedelta(days=(day.weekday() - weekday - 1) % 7 + 1)
        case "weekday-week":
            return _monday(day) + timedelta(days=7 * rule.shift + weekday)
        case "week":
            return _monday(day) + timedelta(days=7 * rule.shift)
        case "week-end":
            return _monday(day) + timedelta(days=7 * rule.shift + 6)
        case "month":
            return _shift(day.replace(day=1), rule.shift, 2)
        case "month-end":
            return _month_end(_shift(day.replace(day=1), rule.shift, 2))
        case "quarter-end":
            return _month_end(day.replace(day=1, month=(day.month - 1) // 3 * 3 + 3))
        case "year":
            return date(day.year + rule.shift, 1, 1)
        case _:
            return date(day.year + rule.shift, 12, 31)


def _picked(prefix: str, groups: dict[str, str | None]) -> int:
    return next((int(k[len(prefix):].partition("_")[0]) for k, v in groups.items()
                 if v and re.fullmatch(rf"{prefix}\d+(?:_\d+)?", k)), 0)


def _shift(day: date, number: int, unit: int) -> date:
    if unit < 2:
        return day + timedelta(days=number * (7 if unit else 1))
    months = day.year * 12 + day.month - 1 + number * (12 if unit == 3 else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _month_end(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])


def _worded(match: re.Match[str], rule: _Rule, found: date, lead: str, *, own: str) -> str:
    """Put a date where the phrase stood so that the sentence reads on."""
    iso = found.isoformat()
    form = words.load("words/dates")
    if lead:
        return f"{re.sub(r'(?i)[ ]the[ ]$', ' ', lead)}{iso}{own}"
    if own:
        return f"{iso}{own}"
    if rule.kind == "another":
        said = _form(form, "until", rule.lang).format(iso)
    elif rule.kind == "week":
        said = _form(form, "week_of", rule.lang).format(iso)
    elif rule.kind in ("month", "year"):
        said = _form(form, "span", rule.lang).format(iso[:7] if rule.kind == "month" else iso[:4])
    else:
        said = _form(form, "on", rule.lang) + iso
    part = match.groupdict().get("part")
    if part:
        said += f" in the {part}"
    elif rule.lang == "en" and re.match(r" (?:morning|afternoon|evening"
                                        r"|night)\b", match.string[match.end():match.end() + 12]):
        said += " in the"
    opens = match[0][:1].isupper() and rule.lang not in ("zh", "ja", "ko")
    return said[:1].upper() + said[1:] if opens else said


def _form(table: dict[str, object], name: str, lang: str) -> str:
    forms = table[name]
    return str(forms[lang]) if isinstance(forms, dict) else ""


def _calendar_dates(text: str, lang: str, day: date, evidence: list[str]) -> str:
    """Write out calendar dates as ISO where the text hangs an end or a beginning on them; others read well as they are."""
    def replace(match: re.Match[str]) -> str:
        before = match.string[max(0, match.start() - _SENTENCE_CHARS):match.start()]
        after = match.string[match.end():match.end() + _SENTENCE_CHARS]
        ends = _cue_ends(before, "ends_before") or _verb_ends(before) or _after(after, "ends_after")
        dated = match["year"] or match.groupdict().get("year_a")
        if not ends and not (dated and _cue_ends(before, "starts_before")):
            return match[0]
        ranges = re.search(r"(?i)\b(?:from|von|vom|de|du)\s+\w+(?:\s+\d+)?\s*$", before)
        if ranges or words.has("words/dates", "keeping", _sentence(match)):
            return match[0]
        found = _parse_calendar(match[0], lang, day, last_of_month=match["day"] is None)
        if found is None:
            return match[0]
        evidence.append(f"date: {match[0].strip()} → {found.isoformat()}")
        return found.isoformat()

    text = _DOTTED.sub(_undotted, text)
    return _calendar(lang).sub(replace, text, count=_MOST_DATES)


def _undotted(match: re.Match[str]) -> str:
    iso = f"{match[3]}-{int(match[2]):02}-{int(match[1]):02}"
    return iso if _is_date(iso) else match[0]


@cache
def _calendar(lang: str) -> re.Pattern[str]:
    if lang in ("zh", "ja"):
        return re.compile(r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})[日号號]|末|底)")
    if lang == "ko":
        return re.compile(r"(?:(?P<year>\d{4})년 ?)?(?P<month>\d{1,2})월 ?(?:(?P<day>\d{1,2})일|말)")
    names = "|".join(f"{name}" for name in _listed("months", lang))
    fold = "(?i:" if lang in ("es", "fr", "pt") else "(?:"
    month = rf"(?P<month>{fold}{names}))\b(?:\.(?=\s\d))?"
    dayed = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.|er|º)?(?: of| de)?\s"
    year = r"(?:,?(?: de| of)? (?P<year>\d{4})\b)?"
    plain = rf"(?<![\w.-])(?:{dayed})?{month}{year}"
    if lang != "en":
        return re.compile(plain)
    american = (rf"(?P<month_a>{names})\b\.? (?P<day_a>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|[:.]\d)"
                r"(?:,? (?P<year_a>\d{4})\b)?")
    ended = rf"(?<![\w.-])(?:{american}|(?:the )?(?:end of )?(?:{dayed})?{month}{year})"
    return re.compile(ended)


def _parse_calendar(said: str, lang: str, day: date, *, last_of_month: bool) -> date | None:
    numbers = re.fullmatch(r"(?:(\d{4})[年년] ?)?(\d{1,2})[月월] ?(?:(\d{1,2})[日号號일]|[末底말])", said)
    try:
        if numbers:
            month = int(numbers[2])
            year = int(numbers[1]) if numbers[1] else day.year + (month < day.month)
            found = date(year, month, int(numbers[3] or 1))
            return found if numbers[3] else _month_end(found)
        return _ask_dateparser(said, lang, day, last_of_month=last_of_month)
    except (ValueError, OverflowError):
        return None


def _ask_dateparser(said: str, lang: str, day: date, *, last_of_month: bool) -> date | None:
    import dateparser

    if lang == "en" and re.search(r"[A-Z][a-z]+\.? \d{1,2}(?:st|nd|rd|th)?\b(?!\d)", said):
        last_of_month = False
    bare = re.sub(r"(?i)^(?:the )?(?:end of )?", "", said)
    moment = dateparser.parse(bare, languages=[lang], settings={
        "RELATIVE_BASE": datetime(day.year, day.month, day.day), "PREFER_DATES_FROM": "future",  # noqa: DTZ001 a day, not an instant
        "PREFER_DAY_OF_MONTH": "last" if last_of_month else "current", "DATE_ORDER": "DMY", "STRICT_PARSING": False})
    return moment.date() if moment is not None and moment.year <= _LAST_YEAR else None


def _validity(text: str, day: date, evidence: list[str]) -> tuple[str | None, str | None]:
    """The end and the beginning that stand beside the dates of a text."""
    ttl: str | None = None
    valid_from: str | None = None
    for match in islice(_ISO.finditer(text), _MOST_DATES):
        before, after = text[:match.start()][-_SENTENCE_CHARS:], text[match.end():match.end() + _SENTENCE_CHARS]
        if not _is_date(match[0]):
            continue
        if _cue_ends(before, "starts_before") or _after(after, "starts_after"):
            valid_from = valid_from or match[0]
        elif _is_end(before, after, _sentence(match)) and not _is_over(match, day):
            ttl = max(ttl or "", match[0])
            evidence.append(f"ends: {match[0]}")
    return ttl, valid_from


def _is_over(match: re.Match[str], day: date) -> bool:
    """Whether a sentence in the past tense tells of an end that has come and gone."""
    return match[0] < day.isoformat() and words.has("words/dates", "past", _sentence(match))


def _is_date(iso: str) -> bool:
    try:
        date.fromisoformat(iso)
    except ValueError:
        return False
    return True


def _is_end(before: str, after: str, sentence: str) -> bool:
    if words.has("words/dates", "keeping", sentence):
        return False
    return _cue_ends(before, "ends_before") or _verb_ends(before) or _after(after, "ends_after")


def _cue_ends(before: str, table: str) -> bool:
    """Whether the words right before a date are a cue of this table."""
    near = before[-_NEAR_CHARS:]
    return any(not near[m.end():].strip() for m in words.cue("words/dates", table).finditer(near))


def _verb_ends(before: str) -> bool:
    """Whether a verb of ending stands a few words before a date, in the same clause and not denied."""
    near = re.split(r"[.!?;,\n]", before[-_NEAR_CHARS:])[-1]
    found = list(words.cue("words/dates", "ends_verb").finditer(near))
    if not found or re.search(r"\b(?:not|never|nicht|no|pas|não)\b[^.]{0,12}$", near[:found[-1].start()]):
        return False
    gap = near[found[-1].end():]
    return re.fullmatch(r"(?:\s+(?:on|at|after|by|the|am|el|le|em|en|dem|of|day|about|end))*\s*", gap) is not None


def _after(after: str, table: str) -> bool:
    return words.starts("words/dates", table, after[:30])
