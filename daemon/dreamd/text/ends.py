"""The end and the beginning that a statement hangs on its dates: "until", "runs out on", "since"."""

from __future__ import annotations

import re
from datetime import date
from itertools import islice

from dreamd.text import patterns

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
        elif is_end(before, after, up_to_comma(match)) and not _is_over(match, day):
            ttl = max(ttl or "", match[0])
            evidence.append(f"ends: {match[0]}")
    return ttl, valid_from


def _is_over(match: re.Match[str], day: date) -> bool:
    """Whether a sentence in the past tense tells of an end that has come and gone."""
    return match[0] < day.isoformat() and patterns.has("words/dates", "past", sentence_of(match))


def is_end(before: str, after: str, sentence: str) -> bool:
    """Whether something ends at the date between these words."""
    if patterns.has("words/dates", "keeping", sentence):
        return False
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
