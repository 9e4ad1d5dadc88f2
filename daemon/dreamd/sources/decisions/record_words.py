"""Standing, day, sentences and references in the words of a decision record. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from functools import cache, lru_cache

from dreamd.sources.decisions.record_pages import WORDS
from dreamd.text import patterns


class Standing(StrEnum):
    """What became of a decision, as its record tells."""

    ACCEPTED = "accepted"
    PROPOSED = "proposed"
    REJECTED = "rejected"
    DEPRECATED = "deprecated"
    SUPERSEDED = "superseded"
    UNSTATED = "unstated"
    """The record names no status: it lies among the decisions, and says what was chosen."""
    UNKNOWN = "unknown"
    """It names one that nobody knows."""


LONGEST_SENTENCE = 280
_STRUCK = re.compile(r"~~.*?~~")
_BOX = re.compile(r"^[ \t]*[-*+][ \t]*\[([ xX✓✔])\][ \t]*", re.MULTILINE)
_IMAGE = re.compile(r"!\[([^\]]{0,200})\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]{0,500})\](?:\([^)]*\)|\[[^\]]*\])|(?:xref:|link:)[^\s\[]+\[([^\]]*)\]"
                   r"|:\w+:`([^`<]*?)(?:\s*<[^>]*>)?`")
_PLAIN = re.compile(r"[*_`>#|\[\]]+")
_NOTHING = re.compile(r"(?i)[\W_]*"
                      r"(?:n/?a|none|nothing|null|nil|no|not yet|false|keine|nein|non|aucun|ninguno|nenhum|无|無|なし|없음)?"
                      r"[\W_]*")
_ISO = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_DOTTED = re.compile(r"(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)")
_SLASHED = re.compile(r"(?<!\d)(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?!\d)")
_MONTH = re.compile(r"(?<!\d)(\d{4})-(\d{2})(?![-\d])")
_NAMED_MONTH = re.compile(r"(?i)\b[^\W\d_]{3,12}\.?\s*,?\s+\d{4}\b")
_WIDE_DAY = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]")
_NAMED_DAY = re.compile(r"(?i)\b(?:[^\W\d_]{3,12}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}"
                        r"|\d{1,2}(?:\.|st|nd|rd|th|º|er)?[\s-]+(?:de\s+|of\s+)?"
                        r"[^\W\d_]{3,12}\.?,?[\s-]+(?:de\s+)?\d{4})\b")
_PART = re.compile(r"(?i)\b(?:partial(?:ly)?|partly|in part|(?:parts?|portions?|clauses?|sections?) of|only"
                   r"|teilweise|nur|partiellement|parcialmente|parzialmente)\b|部分|一部|일부")
_ONE_DAY = re.compile(r"(?i)\b(?:will|shall|would|should|may|once|when|until|unless|if|after|before"
                      r"|wird|werden|sobald|wenn|bis|sera|quand|será|cuando|sarà|quando)\b")
_SENTENCE = re.compile(r"(?<=[.!?])(?:[\"'”’)\]])*\s+(?=[\"'“‘(\[]?[A-ZÀ-ÞА-Я0-9])|(?<=[。！？])")
_BECAUSE = re.compile(r"(?i)\b(?:because|since|so that|in order to|"
                      r"to avoid|as it|as this|weil|damit|um zu|denn|parce qu|afin de|puisque|"
                      r"porque|para que|ya que|para evitar|pois"
                      r"|perché|affinché|потому что|чтобы)\b|因为|为了|以便|ため|ので|때문에|위해")
_CHOSEN = re.compile(r"(?i)\n[ \t>*_+-]*"
                     r"(?:chosen|selected|gewählte) (?:option|alternative|solution)s?[*_]*\s*[:：][*_]*\s*((?:[^\n]+\n?)+)")
_QUOTED = re.compile(r"([\"'“„«‘])(.+?)[\"'”“»’](?=[\s,.;]*(?:because|weil|porque|parce|$|[,.;(]))")
_ADDED = re.compile(r"\s*(?:$|[(,;:–—-]|(?:by|in|on|since|until|for|with|at|as of)\b)")
"""What may stand behind a standing that is told alone: nothing, or when, where and by whom."""
_QUOTES = re.compile(r"[\"'“„«‘‚»][\"'”“»’«]")
_BELOW = re.compile(r"(?i)\(?see (?:below|above|the)|siehe unten")


@cache
def _standings() -> tuple[re.Pattern[str], dict[str, Standing]]:
    """One pattern for every word of standing, the longest first, and the standing that each of its groups tells."""
    names = [(name, Standing(kind)) for kind, some in patterns.load(WORDS)["standing"].items() for name in some]
    names.sort(key=lambda pair: -len(pair[0]))
    whole = re.compile("|".join(f"(?P<w{n}>{_bounded(name)})" for n, (name, _) in enumerate(names)), re.IGNORECASE)
    return whole, {f"w{n}": kind for n, (_, kind) in enumerate(names)}


def _kind(found: re.Match[str]) -> Standing:
    return _standings()[1][str(found.lastgroup)]


def _bounded(name: str) -> str:
    words = re.escape(name).replace(r"\ ", r"[\s_-]+")
    return words if patterns.WIDE.search(name) else rf"(?<![\w-]){words}(?![\w])(?!-\w)"


def plain(text: str) -> str:
    """Words without marks, links, pictures and signs of emphasis, on one line."""
    text = _LINK.sub(lambda m: m[1] or m[2] or m[3] or "", _IMAGE.sub(r"\1", _STRUCK.sub("", text)))
    return re.sub(r"\s+", " ", re.sub(r"[*`]+|(?<!\w)_+|_+(?!\w)|^[>#]+\s*", "", text)).strip()


def says_nothing(value: str) -> bool:
    """Whether a field is there and holds nothing: "N/A", "none", a dash."""
    return _NOTHING.fullmatch(plain(value)) is not None


def standing_in(value: str) -> tuple[Standing, str]:
    """The standing a field or section tells, and the word it uses; of a history the last line, or that of the latest day.

    Unstated where there is nothing, or where all that could be said is listed and nothing chosen.
    """
    boxes = _BOX.findall(value)
    if boxes:
        value = "\n".join(line for line in value.splitlines() if (box := _BOX.match(line)) and box[1].strip())
    value = re.sub(r"\(\s*(?:=>|->|→)[^)]*\)", "", value)  # what it shall be one day
    lines = [step for line in value.splitlines() for step in re.split(r"→|➔|⇒|->|=>", plain(_IMAGE.sub(r"\1", line)))
             if not _NOTHING.fullmatch(step)]
    if not lines:
        return Standing.UNSTATED, ""
    told: list[tuple[str, Standing, str]] = []
    for line in lines:
        found = [m for m in _standings()[0].finditer(line[:160]) if not _is_mentioned(line, m)]
        kinds = {_kind(m) for m in found}
        if len(kinds) > 2 and (any(sign in line for sign in ("|", "/", "{", " or ")) or "," in line and not day_said(line)):
            return Standing.UNSTATED, ""
        first = next((m for m in found if not _is_part(line, m)), None)
        if first is not None and (not told or first.start() < 60 and not _ONE_DAY.search(line[:first.start()])):
            day = day_in(line)
            told.append((day.isoformat() if day else "", _kind(first), re.sub(r"[\s_-]+", " ", first[0].casefold())))
    if not told:
        named = re.search(r"[^\W\d_][\w '’-]{0,30}", lines[0])
        return (Standing.UNKNOWN, named[0].strip().casefold()) if named else (Standing.UNSTATED, "")
    last = max(told, key=lambda one: one[0]) if all(day for day, _, _ in told) else told[-1]
    return last[1], last[2]


def standing_at(line: str, day: str) -> Standing:
    """The standing that a line tells together with a day in it: what stands last before the day, else what the line tells."""
    before = [_kind(m) for m in _standings()[0].finditer(line[:line.index(day)])]
    return before[-1] if before else standing_in(line)[0]


def _is_part(line: str, found: re.Match[str]) -> bool:
    """Whether a word of standing speaks of a part alone: "partially superseded by"."""
    return _kind(found) is Standing.SUPERSEDED and _PART.search(line[:found.start()]) is not None


def _is_mentioned(line: str, found: re.Match[str]) -> bool:
    """Whether a word is spoken of and not said: in quotation marks, among other words."""
    around = line[found.start() - 1:found.start()] + line[found.end():found.end() + 1]
    return _QUOTES.fullmatch(around) is not None and len(re.findall(r"\w+", line)) > len(found[0].split()) + 2


def is_standing(value: str) -> bool:
    """Whether a value is a word of standing and nothing else but what is told of it: a status, whatever its field is called."""
    told = plain(_IMAGE.sub(r"\1", value))
    found = _standings()[0].match(told)
    return found is not None and _ADDED.match(told, found.end()) is not None


def speaks_of_part(text: str) -> bool:
    """Whether only a part of a record is spoken of."""
    return _PART.search(re.split(r"[.!?]\s", text)[0]) is not None


def day_in(text: str) -> date | None:
    """The first day named in a text, however it is written; None where it could be one of two."""
    return _first_day(text)[1]


def day_said(text: str) -> str:
    """The words of the first day that a text names; empty where it names none."""
    said, day = _first_day(text)
    return said if day else ""


def _first_day(text: str) -> tuple[str, date | None]:
    for shape, order in ((_ISO, (1, 2, 3)), (_WIDE_DAY, (1, 2, 3)), (_DOTTED, (3, 2, 1))):
        found = shape.search(text)
        if found and (day := _day(*(int(found[n]) for n in order))):
            return found[0], day
    slashed = _SLASHED.search(text)
    if slashed:
        one, two = int(slashed[1]), int(slashed[2])
        return slashed[0], _day(int(slashed[3]), min(one, two), max(one, two)) if one == two or max(one, two) > 12 else None
    named = _NAMED_DAY.search(plain(text))
    return (named[0], _ask_dateparser(named[0])) if named else ("", None)


def in_one_order(texts: Sequence[str]) -> list[str]:
    """The same pages with every day that is written with slashes as people of that folder mean it, where one of them tells."""
    firsts, seconds = ([int(found[n]) for text in texts for found in _SLASHED.finditer(text)] for n in (1, 2))
    day_first, month_first = any(one > 12 for one in firsts), any(one > 12 for one in seconds)
    if day_first == month_first:
        return list(texts)
    order = r"\3-\2-\1" if day_first else r"\3-\1-\2"
    return [_SLASHED.sub(order, text) for text in texts]


def month_in(text: str) -> date | None:
    """The first day of a month that is named without one."""
    told = _MONTH.search(text)
    named = None if told else _NAMED_MONTH.search(plain(text))
    if told:
        return _day(int(told[1]), int(told[2]), 1)
    return _ask_dateparser(f"1 {named[0].replace(',', ' ')}") if named else None


@lru_cache(1024)
def _ask_dateparser(said: str) -> date | None:
    import dateparser

    moment = dateparser.parse(re.sub(r"(?i)(\d)(?:st|nd|rd|th|er|º)\b", r"\1", said.replace("-", " ")),
                              settings={"REQUIRE_PARTS": ["year", "month", "day"]})
    return moment.date() if moment else None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def sentences_of(text: str) -> list[str]:
    """The sentences of the first paragraphs of a section, plain; entries of a list each by itself."""
    found: list[str] = []
    for part in re.split(r"\n\s*\n|\n(?=[ \t]*(?:[-*+•]|\d{1,2}[.)])\s)", text):
        words = plain(re.sub(r"^[ \t]*(?:[-*+•>]|\d{1,2}[.)])\s+", "", part, flags=re.MULTILINE))
        if words and not words.startswith("|"):
            found += [one.strip() for one in _SENTENCE.split(words) if one and one.strip()]
    return found


def first_sentence(text: str) -> str:
    """What a section says first, an announcement of a list with what it announces."""
    said = sentences_of(text)
    if len(said) > 1 and said[0].endswith((":", "：")):
        return shortened(f"{said[0]} {said[1]}")
    return shortened(said[0]) if said else ""


def reason_in(text: str) -> str:
    """The first sentence of a section that gives a reason."""
    return next((shortened(one) for one in sentences_of(text) if _BECAUSE.search(one) and not _BELOW.search(one)), "")


def chosen_in(text: str) -> tuple[str, str]:
    """The option that an outcome names, and its reason: `Chosen option: "X", because Y`."""
    # A reason that begins below its "because" belongs to the same sentence.
    joined = re.sub(r"(?i)\b(because|weil|porque|parce que)[ \t]*:?\n\s*(?:[-*+]|\d[.)])?[ \t]*", r"\1 ", text)
    said = _CHOSEN.search("\n" + joined)
    if said is None:
        return "", ""
    words = plain(said[1])
    quoted = _QUOTED.match(words)
    option, rest = (quoted[2], words[quoted.end():]) if quoted else ("", words)
    cause = _BECAUSE.search(rest)
    option = option or (rest[:cause.start()] if cause else first_sentence(rest))
    reason = first_sentence(rest[cause.end():].strip(" ,:")) if cause else ""
    return shortened(option.strip(" ,;.:–—-")), "" if _BELOW.search(reason) else reason


def shortened(sentence: str) -> str:
    """A sentence of bearable length, cut between words."""
    if len(sentence) <= LONGEST_SENTENCE:
        return sentence
    return sentence[:LONGEST_SENTENCE].rsplit(" ", 1)[0].rstrip(" ,;:") + " …"
