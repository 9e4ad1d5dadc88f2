"""Numbers spelled in other languages, in figures: "quatre-vingt-dix", "duecento", "삼십 분".

What the table of number words reads anyhow, up to ten and in tens, is left to it; here are the words that are made of several,
and languages whose numbers it does not know.
"""



from __future__ import annotations

import re

from dreamd.judge.abroad.alternatives import by_first_letter

_ITALIAN = "due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette"
_TENS = {
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "fr": "vingt trente quarante cinquante soixante",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
}
_ONES = {
    "it": "uno due tre quattro cinque sei sette otto nove",
    "fr": "un deux trois quatre cinq six sept huit neuf",
    "pt": "um dois três quatro cinco seis sete oito nove",
    "es": "uno dós trés cuatro cinco séis siete ocho nueve",
    "de": "ein zwei drei vier fünf sechs sieben acht neun",
}
_TEENS_FRENCH = "dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf"
_HUNDREDS_SPANISH = "doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
_HUNDREDS_PORTUGUESE = "duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos"


def _italian() -> dict[str, int]:
    found = {word: n for n, word in enumerate([*_ITALIAN.split(), "diciotto", "diciannove"], 2)}
    for n, ten in enumerate(_TENS["it"].split(), 2):
        found[ten] = n * 10
        for m, one in enumerate(_ONES["it"].split(), 1):
            found[(ten[:-1] if one[0] in "uo" else ten) + one] = n * 10 + m
    hundreds = {("" if n == 1 else one) + "cento": n * 100 for n, one in enumerate(_ONES["it"].split(), 1)}
    thousands = {"mille": 1000} | {one + "mila": n * 1000 for n, one in enumerate(_ONES["it"].split(), 1) if n > 1}
    return found | hundreds | thousands | {"centocinquanta": 150}


def _french() -> dict[str, int]:
    found = {f"{ten} et un": (n + 2) * 10 + 1 for n, ten in enumerate(_TENS["fr"].split())}
    for m, teen in enumerate(_TEENS_FRENCH.split(), 10):
        found |= {f"soixante-{teen}": 60 + m, f"quatre-vingt-{teen}": 80 + m}
    found |= {f"quatre-vingt-{one}": 80 + n for n, one in enumerate(_ONES["fr"].split(), 1)}
    found |= {"quatre-vingts": 80, "quatre-vingt": 80, "soixante et onze": 71, "cent": 100, "mille": 1000}
    ones = {one: n for n, one in enumerate(_ONES["fr"].split(), 1) if n > 1}
    return found | {f"{one} cent{s}": n * 100 for one, n in ones.items() for s in ("", "s")}


def _portuguese() -> dict[str, int]:
    found = {"treze": 13, "mil": 1000, "cento e cinquenta": 150}
    tens = [(ten, n * 10) for n, ten in enumerate(_TENS["pt"].split(), 2)]
    found |= {f"{ten} e {one}": n + m for ten, n in tens for m, one in enumerate(_ONES["pt"].split(), 1)}
    return found | {word: n * 100 for n, word in enumerate(_HUNDREDS_PORTUGUESE.split(), 2)}


def _spanish() -> dict[str, int]:
    found = {"once": 11, "mil": 1000, "ciento cincuenta": 150, "veintiún": 21, "veintidos": 22}
    found |= {f"veinti{one}": 20 + n for n, one in enumerate(_ONES["es"].split(), 1)}
    found |= {word[:-2] + ending: n * 100 for n, word in enumerate(_HUNDREDS_SPANISH.split(), 2) for ending in ("os", "as")}
    return found


_HALVES = {"anderthalb": "1.5", "eineinhalb": "1.5", "zweieinhalb": "2.5", "dreieinhalb": "3.5"}


def _german() -> dict[str, int]:
    ones = [("", 1), *((one, n) for n, one in enumerate(_ONES["de"].split(), 1))]
    return {one + scale: n * size for one, n in ones for scale, size in (("hundert", 100), ("tausend", 1000))}


_MADE_OF = {"it": _italian(), "fr": _french(), "pt": _portuguese(), "es": _spanish(), "de": _german()}
_WORDS = {tongue: {word: str(value) for word, value in told.items()} for tongue, told in _MADE_OF.items()}
_WORDS["de"] |= _HALVES
_SPELLED = {
    tongue: re.compile(rf"\b(?:{by_first_letter(sorted(told, key=len, reverse=True))})\b", re.IGNORECASE)
    for tongue, told in _WORDS.items()
}
_KOREAN = {c: n for n, c in enumerate("일이삼사오육칠팔구", 1)}
_KOREAN_SCALE = {"십": 10, "백": 100, "천": 1000}
_SINO = re.compile(
    r"(?<![가-힣])(?:[일이삼사오육칠팔구십백천]{2,}|[삼육칠팔구십백천])"
    r"(?= ?(?:분|초|시간|일|주|개월|년|명|개|원|회|번|층|호|세|살|퍼센트|미터|킬로))"
    r"|(?<![가-힣])[사오](?= (?:분|초|시간|일|주|개월|년|명))|(?<![가-힣])[일이](?= (?:초|개월|퍼센트))"
)
"""A lone "이" is a number only before what "this" does not stand before."""


def in_digits(folded: str, tongue: str) -> str:
    """A folded text with these numbers in figures."""
    if tongue == "ko":
        return _SINO.sub(lambda match: str(_sino(match.group())), folded)
    pattern = _SPELLED.get(tongue)
    return pattern.sub(lambda match: _WORDS[tongue][match.group().lower()], folded) if pattern else folded


def _sino(told: str) -> int:
    total = digit = 0
    for char in told:
        if char in _KOREAN:
            digit = _KOREAN[char]
        else:
            total += (digit or 1) * _KOREAN_SCALE[char]
            digit = 0
    return total + digit
