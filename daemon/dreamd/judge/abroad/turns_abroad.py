"""Turns of phrase of other languages that would be read as what they are not, said so that they are read rightly.

"No" is no denial in Portuguese, "なければならない" no denial in Japanese; "ne … que" says only, and "dos veces al día" how often.
"""

# ruff: noqa: E501  patterns read better whole

from __future__ import annotations

import re

from dreamd.judge.abroad.clocks_abroad import in_figures
from dreamd.judge.abroad.numerals_abroad import in_digits

_PERIODS = {
    "day": "día|dia|jour|giorno|tag",
    "week": "semana|semaine|settimana|woche",
    "month": "mes|mois|mês|mese|monat",
    "year": "año|ano|an|anno|jahr",
}
_PERIOD_OF = {word: period for period, told in _PERIODS.items() for word in told.split("|")}
_OFTEN = re.compile(
    rf"\b(\w+?)(?: veces| fois| vezes| volte| ?mal) (?:al|por|par|ao|à la|a la|por la|am|pro|in der|im|à|alla|all')\s?({'|'.join(_PERIOD_OF)})\b", re.IGNORECASE
)
_DAILY = re.compile(r"\b(ein|zwei|drei|vier)mal (täglich|wöchentlich|monatlich)\b", re.IGNORECASE)
_ADVERB_OF = {"täglich": "day", "wöchentlich": "week", "monatlich": "month"}
_NO_MORE_THAN = re.compile(r"\b(?:ne |n')(?!.*\b(?:pas|jamais|plus|aucune?|rien|personne|ni)\b)([^.;]*?)\bqu(?:e\b|')", re.IGNORECASE)
_PLAINLY = {
    "pt": (
        (re.compile(r"\bno\b", re.IGNORECASE), "em o"),
        (re.compile(r"\bdos\b", re.IGNORECASE), "de os"),
        (re.compile(r"\bnão (?=[^.;,]{1,40}\b(?:nunca|nada|ninguém|nenhuma?|jamais)\b)", re.IGNORECASE), ""),
    ),
    "fr": (
        (_NO_MORE_THAN, r"\1seulement "),
        (re.compile(r"\b(?:ne |n')(?=[^.;,]{1,40}\b(?:pas|jamais|aucune?|rien|personne)\b)", re.IGNORECASE), ""),
    ),
    "es": ((re.compile(r"\bno (?=[^.;,]{1,40}\b(?:nunca|nada|nadie|ning[uú]n|ninguna|jamás|tampoco)\b)", re.IGNORECASE), ""),),
    "zh": (
        (re.compile("不超过|不多于|不大于|不高于"), "最多"),
        (re.compile("不少于|不低于|不小于"), "至少"),
        (re.compile("不然的话|不然"), "否则"),
        (re.compile("不仅|不但|不光"), "并且"),
        (re.compile("不管|不论"), "任何"),
        (re.compile("不断"), "持续"),
        (re.compile("不锈钢"), "钢"),
    ),
    "ja": (
        (re.compile("(?:なければ|なくては|ないと)(?:なら|いけ)(?:ない|ません)"), "るべき"),
        (re.compile("かもしれ(?:ない|ません)"), "かも"),
        (re.compile("少ない"), "少し"),
    ),
    "ko": ((re.compile("지 않으면 안 (?:된다|됩니다|돼요)"), "야 한다"),),
}


def rightly(folded: str, tongue: str) -> str:
    """A folded text of a language in words that are read as they are meant."""
    if tongue == "en":
        return folded
    for pattern, put in _PLAINLY.get(tongue, ()):
        folded = pattern.sub(put, folded)
    folded = in_digits(in_figures(folded, tongue), tongue)
    folded = _OFTEN.sub(lambda m: f"{m.group(1)} times per {_PERIOD_OF[m.group(2).lower()]}", folded)
    return _DAILY.sub(lambda m: f"{m.group(1)} times per {_ADVERB_OF[m.group(2).lower()]}", folded)


_DONE = frozenset(["wird", "werden", "wurde", "wurden"])
_BY = frozenset(["von", "vom", "durch"])


def is_agentless(spoken: frozenset[str], tongue: str) -> bool:
    """A German passive that names nobody who does it: whatever comes first in it, the same is done to the same."""
    return tongue == "de" and not spoken.isdisjoint(_DONE) and spoken.isdisjoint(_BY)
