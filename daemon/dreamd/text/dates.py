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

from dreamd.text import patterns
from dreamd.text.calendar_dates import LAST_YEAR, MOST_DATES, calendar_dates, group, listed, month_end, sentence_of, validity
from dreamd.text.language import language_of

_GENERIC_SUBJECT = re.compile(r"\s*(?:an?|any|every|each|all|most|new|old)\b", re.IGNORECASE)
_NOUN_BEFORE = re.compile(r"(?i)\b(?:of|for|over|during|within|in|through|about)\s+$")
"""Words behind which a span stands as a noun: "the first week of 2026-08", and not "of in 2026-08"."""
_LENGTH = re.compile(r"(?i)\bthe\s+$")
_QUOTES, _OPTION = ("'", '"', "“", "”", "‘", "’", "«", "»"), re.compile(r"(?<!\w)--?\w[\w-]*[ =]$")
_DAY_AS_NAME, _MIDST = re.compile(r"Today|Tomorrow|Yesterday|Tonight"), re.compile(r"[\w,] $")
"""What is written with a capital in the midst of a sentence is a name: "the Today tab"."""
_BESIDE_A_NOUN = re.compile(r"(?i)(?<!\w)(?:the|our|my|your|his|her|its|their|\w+['’]s|of|over|during|within|about|for|than"
                            r"|de[rmns]|das|die|unser\w*|mein\w*)\s+$")
"""Words behind which a weekday's date has no preposition of its own: "our 2026-05-18 release"."""
_OF_THE = re.compile(r"(?i)\bof the (?=(?:next|last|coming|following) (?:week|month|year)\b)")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_DAY_OF_MONTH = re.compile(
    rf"(?i)\b(?:the )?(?:(?P<number>\d{{1,2}})(?:st|nd|rd|th)?|(?P<word>{'|'.join(_ORDINALS)})|(?P<last>last(?= day)))(?: day)?"
    r" of (?P<which>next|this|last|the coming|the current) month\b(?!['’])")
_ON_WEEKDAY = re.compile(
    r"(?i)(?P<on>\bon )(?P<day>mon|tues|wednes|thurs|fri|satur|sun)day\b(?! (?:morning|evening|night)?s\b|['’s-])")
_WEEKDAYS = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")
_WILL_BE = re.compile(r"(?i)\b(?:will|won['’]t|going to)\b|['’]ll\b")
_HAS_BEEN = re.compile(r"(?i)\s*(?:we|i|they|he|she|it) (?:just |finally |already )?"
                       r"(?:\w{2,}ed|went|did|got|made|sent|met|left|was|were|had)\b")
_SPECIFIC = re.compile(r"\b(?:the|this|our|my|we|i|he|she|it|they|will|we'll|is|are)\b", re.IGNORECASE)


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
    if not patterns.has("words/dates", "cheap", text):
        return Durable(text)
    day = at.astimezone(zone).date()
    lang = language_of(text)
    evidence: list[str] = []
    if lang == "en":
        text = _days_by_name(text, day, evidence)
    beside = "en" if lang in ("zh", "ja", "ko") else lang  # a script that nothing could mix English phrases up with
    for rule in _rules(frozenset({lang, beside})):
        text = rule.pattern.sub(partial(_absolute, rule=rule, day=day, evidence=evidence), text, count=MOST_DATES)
    text = calendar_dates(text, lang, day, evidence)
    ttl, valid_from = validity(text, day, evidence)
    return Durable(text, ttl, valid_from, tuple(dict.fromkeys(evidence)))


def _days_by_name(text: str, day: date, evidence: list[str]) -> str:
    """Put dates for days that a longer phrase names: "the 5th of next month", "we will switch on Monday"."""
    def of_month(match: re.Match[str]) -> str:
        shift = {"next": 1, "the coming": 1, "last": -1}.get(match["which"].lower(), 0)
        month = _shift(day.replace(day=1), shift, 2)
        number = int(match["number"]) if match["number"] else _ORDINALS.index(match["word"].lower()) + 1 if match["word"] else 0
        try:
            found = month.replace(day=number) if number else month_end(month)
        except ValueError:
            return match[0]
        return _told(match[0], found.isoformat(), evidence)

    def of_week(match: re.Match[str]) -> str:
        sentence, weekday = sentence_of(match), _WEEKDAYS.index(match["day"].lower())
        if patterns.has("words/dates", "weekly", sentence) or patterns.has("words/dates", "habit", sentence):
            return match[0]
        if _WILL_BE.search(sentence):
            found = day + timedelta(days=(weekday - day.weekday() - 1) % 7 + 1)
        elif _HAS_BEEN.match(sentence):
            found = day - timedelta(days=(day.weekday() - weekday - 1) % 7 + 1)
        else:
            return match[0]
        return match["on"] + _told(match[0], found.isoformat(), evidence)

    return _ON_WEEKDAY.sub(of_week, _DAY_OF_MONTH.sub(of_month, _OF_THE.sub("of ", text), count=MOST_DATES), count=MOST_DATES)


def _told(said: str, iso: str, evidence: list[str]) -> str:
    evidence.append(f"date: {said.strip().lower()} → {iso}")
    return iso


@cache
def _rules(languages: frozenset[str]) -> tuple[_Rule, ...]:
    """The rules of some languages; to make those of all takes a quarter of a second."""
    made = []
    for lang, rows in patterns.load("words/dates")["phrases"].items():
        for kind, shift, said, *near in rows if lang in languages else ():
            needs = f"(?=.{{0,40}}\\b(?:{near[0]})\\b)" if near else ""
            body = needs + said.replace("{P}", _preposition(lang)).replace("{N}", _number(lang))
            body = body.replace("{U}", group("u", listed("units", lang))).replace("{W}", group("w", listed("weekdays", lang)))
            pattern = f"(?:{body})" if lang in ("zh", "ja", "ko") else (
                rf"(?<![\w/-])(?<!\w\.)(?:{body})(?![\w(-]|[./]\w|'s? \w+ly)(?P<own>['’]s)?")
            made.append(_Rule(lang, kind, shift, re.compile(_once(pattern), re.IGNORECASE)))
    return tuple(made)


def _once(pattern: str) -> str:
    """Group names may stand once in a pattern; later repetitions of a name get a running number."""
    seen: dict[str, int] = {}

    def rename(match: re.Match[str]) -> str:
        name = match[1]
        seen[name] = seen.get(name, 0) + 1
        return match[0] if seen[name] == 1 else f"(?P<{name}_{seen[name]}>"

    return re.sub(r"\(\?P<(\w+)>", rename, pattern)


def _number(lang: str) -> str:
    numerals = "|".join(f"(?P<n{n}>{word})" for n, word in reversed(list(enumerate(listed("numbers", lang)))))
    gap = r"\s?" if lang in ("zh", "ja", "ko") else ""
    return rf"(?:(?<!\d)(?P<digits>\d{{1,3}}){gap}|(?:{numerals}))"


def _preposition(lang: str) -> str:
    table = patterns.load("words/dates")["preposition"]
    return rf"(?P<prep>(?:{table[lang]})(?:\s+the)?\s+)?" if lang in table else ""


def _absolute(match: re.Match[str], *, rule: _Rule, day: date, evidence: list[str]) -> str:
    """The absolute wording of one phrase, or the phrase itself where it means a habit or a length."""
    groups = match.groupdict()
    lead = next((v for k, v in groups.items() if v and re.match(r"prep|keep", k)), "")
    sentence = sentence_of(match)
    ends = bool(lead) and re.fullmatch(patterns.cue("words/dates", "ends_before"), lead.strip()) is not None
    if rule.lang == "en" and rule.kind in ("week", "month", "year") and _LENGTH.search(match.string[:match.start()]):
        return match[0]  # "for the next month" tells how long
    if groups.get("own") and rule.kind not in ("weekday-next", "weekday-this", "weekday-last"):
        return match[0]
    if _is_named(match) or _is_habit(match, rule, sentence, ends=ends) or _is_one_of_several(match, rule, sentence):
        return match[0]
    try:
        found = _reckon(rule, groups, day)
        if lead.lower().startswith(("through", "thru")) and rule.kind in ("week", "month", "year"):
            found = {"week": found + timedelta(days=6), "month": month_end(found)}.get(rule.kind, date(found.year, 12, 31))
    except (OverflowError, ValueError):
        return match[0]  # a date no calendar holds: the phrase stays as it was said
    if found.year > LAST_YEAR:
        return match[0]
    _told(match[0], found.isoformat(), evidence)
    return _worded(match, rule, found, lead, own=groups.get("own") or "")


def _is_named(match: re.Match[str]) -> bool:
    """Whether a phrase is code, the value of an option, a quotation by itself or a name, and no day is meant."""
    before, after = match.string[:match.start()], match.string[match.end():]
    is_quoted = before[-1:] in _QUOTES and after[:1] in _QUOTES
    return before.count("`") % 2 == 1 or is_quoted or _OPTION.search(before) is not None or (
        _DAY_AS_NAME.match(match[0]) is not None and _MIDST.search(before) is not None)


def _is_habit(match: re.Match[str], rule: _Rule, sentence: str, *, ends: bool) -> bool:
    if rule.kind == "another" or ends:
        weekly = rule.kind.startswith("weekday") and patterns.has("words/dates", "weekly", sentence)
        return weekly or patterns.has("words/dates", "keeping", sentence)
    if rule.kind == "ahead" and rule.lang == "en":
        before = sentence.partition(match[0])[0]
        if _GENERIC_SUBJECT.match(sentence) or not _SPECIFIC.search(before):
            return bool(before.strip())
    habit = patterns.cue("words/dates", "habit").search(sentence)
    if habit is None:
        return False
    return not (rule.kind.startswith("weekday") and habit[0].lower() in ("always", "never", "immer", "nie", "siempre", "nunca"))


def _is_one_of_several(match: re.Match[str], rule: _Rule, sentence: str) -> bool:
    """Whether a phrase picks from a span: "the last Monday of the month", and "the last Monday" unless a past is told of."""
    after = match.string[match.end():match.end() + 60]
    picks = rule.kind in ("week", "month", "year", "weekday-last", "weekday-this")
    if picks and patterns.starts("words/dates", "of_a_span", after):
        return True
    lead = re.match(r"(?i)(?:.*\s)?(?=(?:last|letzte[mnrs]?)\s)", match[0])
    if rule.kind != "weekday-last" or lead is None:
        return False
    before = (match.string[:match.start()] + lead[0]).split()
    if not before or not patterns.cue("words/dates", "one_of_several", whole=True).match(before[-1]):
        return False
    since = lead[0].lower().startswith(("since", "seit"))
    return not (since or (lead[0] and patterns.has("words/dates", "past", sentence)))


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
            return month_end(_shift(day.replace(day=1), rule.shift, 2))
        case "quarter-end":
            return month_end(day.replace(day=1, month=(day.month - 1) // 3 * 3 + 3))
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


def _worded(match: re.Match[str], rule: _Rule, found: date, lead: str, *, own: str) -> str:
    """Put a date where the phrase stood so that the sentence reads on."""
    iso = found.isoformat()
    if lead:
        return f"{re.sub(r'(?i)[ ]the[ ]$', ' ', lead)}{iso}{own}"
    if own or (rule.kind.startswith("weekday") and _BESIDE_A_NOUN.search(match.string[:match.start()])):
        return f"{iso}{own}"
    if rule.lang == "en" and rule.kind in ("week", "month", "year") and _NOUN_BEFORE.search(match.string[:match.start()]):
        return {"week": f"the week of {iso}", "month": iso[:7]}.get(rule.kind, iso[:4])
    if rule.kind == "another":
        said = _form("until", rule.lang).format(iso)
    elif rule.kind == "week":
        said = _form("week_of", rule.lang).format(iso)
    elif rule.kind in ("month", "year"):
        said = _form("span", rule.lang).format(iso[:7] if rule.kind == "month" else iso[:4])
    else:
        said = _form("on", rule.lang).format(iso)
    part = match.groupdict().get("part")
    if part:
        said += f" in the {part}"
    elif rule.lang == "en" and re.match(r" (?:morning|afternoon|evening|night)\b", match.string[match.end():match.end() + 12]):
        said += " in the"
    opens = match[0][:1].isupper() and rule.lang not in ("zh", "ja", "ko")
    return said[:1].upper() + said[1:] if opens else said


def _form(name: str, lang: str) -> str:
    return str(patterns.load("words/dates")["worded"][lang][("on", "until", "week_of", "span").index(name)])
