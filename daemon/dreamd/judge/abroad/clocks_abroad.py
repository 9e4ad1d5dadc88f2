"""Times of day as other languages say them, in figures: "a las ocho y media de la tarde", "um halb elf", "十点半", "오후 3시"."""

# ruff: noqa: E501  patterns read better whole

from __future__ import annotations

import re

_HOURS = {
    "de": "null ein/eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "es": "cero una dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "fr": "zéro une deux trois quatre cinq six sept huit neuf dix onze douze",
    "pt": "zero uma duas três quatro cinco seis sete oito nove dez onze doze",
    "it": "zero una due tre quattro cinque sei sette otto nove dieci undici dodici",
    "zh": "零 一 二/两 三 四 五 六 七 八 九 十 十一 十二",
    "ja": "零 一 二 三 四 五 六 七 八 九 十 十一 十二",
    "ko": "영 한 두 세 네 다섯 여섯 일곱 여덟 아홉 열 열한 열두",
}
_HOUR_OF = {
    tongue: {word: n for n, forms in enumerate(told.split()) for word in forms.split("/")} for tongue, told in _HOURS.items()
}


def _hour(tongue: str, name: str = "h") -> str:
    return rf"(?P<{name}>\d{{1,2}}|{'|'.join(sorted(_HOUR_OF[tongue], key=len, reverse=True))})"


_LATE = {
    "de": "abends|nachmittags|am abend|am nachmittag",
    "es": "de la tarde|de la noche",
    "fr": "du soir|de l'après-midi",
    "pt": "da tarde|da noite",
    "it": "di sera|del pomeriggio|della sera",
}
_EARLY = {
    "de": "morgens|vormittags|früh|am morgen|nachts",
    "es": "de la mañana|de la madrugada",
    "fr": "du matin",
    "pt": "da manhã|da madrugada",
    "it": "di mattina|del mattino|di notte",
}


def _part(tongue: str) -> str:
    return rf"(?: (?:(?P<late>{_LATE[tongue]})|(?:{_EARLY[tongue]})))?"


_SPOKEN = {
    "de": (
        re.compile(rf"\b(?:um|ab|bis|gegen) halb {_hour('de')}\b{_part('de')}", re.IGNORECASE),
        re.compile(rf"\b(?P<m>viertel nach|viertel vor) {_hour('de')}\b{_part('de')}", re.IGNORECASE),
        re.compile(rf"\b(?:um|ab|bis|gegen) {_hour('de')}(?: uhr)?(?! (?:uhr|prozent|%|minuten|stunden|tage|wochen|euro))\b(?![.:]\d){_part('de')}", re.IGNORECASE),
        re.compile(rf"\b{_hour('de')} uhr(?: (?P<min>\d\d))?\b{_part('de')}", re.IGNORECASE),
    ),
    "es": (re.compile(rf"\ba las? {_hour('es')}(?::(?P<min>\d\d))?(?P<half> y media| y cuarto)?\b(?! (?:semanas?|personas?|veces)){_part('es')}", re.IGNORECASE),),
    "fr": (re.compile(rf"\b{_hour('fr')} ?h(?:eures?)?(?: ?(?P<min>\d\d))?(?P<half> et demie| et quart)?\b(?! (?:par|de suite|avant|après|plus)){_part('fr')}", re.IGNORECASE),),
    "pt": (re.compile(rf"\b(?:às|à) {_hour('pt')}(?:[:h](?P<min>\d\d))?(?:h| horas?)?(?P<half> e meia| e um quarto)?\b{_part('pt')}", re.IGNORECASE),),
    "it": (re.compile(rf"\b(?:alle |all')(?:ore )?{_hour('it')}(?:[:.](?P<min>\d\d))?(?P<half> e mezz[ao]| e un quarto)?\b{_part('it')}", re.IGNORECASE),),
    "zh": (re.compile(rf"(?P<part>上午|下午|晚上|凌晨|早上|傍晚)?{_hour('zh')}点(?!击|评|餐|心|名|子|燃)(?:钟|整)?(?P<half>半|一刻)?(?:(?P<min>\d\d)分)?"),),
    "ja": (re.compile(rf"(?P<part>午前|午後|朝|夜|夕方)?の?{_hour('ja')}時(?!間|点|代|期|計)(?P<half>半)?(?:(?P<min>\d\d)分)?"),),
    "ko": (re.compile(rf"(?:(?P<part>오전|오후|아침|저녁|밤|새벽) )?{_hour('ko')}시(?!간|스|장|험|작|설|민|내)(?: ?(?P<half>반))?(?: ?(?P<min>\d\d)분)?"),),
}
_AT_LENGTH = re.compile(r"\b(?:à|vers|dès|jusqu'à|avant|après|de|entre|et) $", re.IGNORECASE)
"""What stands before a French time of day; without it hours are a span."""
_LATE_ASIA = frozenset(["下午", "晚上", "傍晚", "午後", "夜", "夕方", "오후", "저녁", "밤"])
_GERMAN_AT = frozenset(["um", "ab", "bis", "gegen"])
NOON = 12
LAST_HOUR = 24


def in_figures(folded: str, tongue: str) -> str:
    """A folded text with its times of day as 08:30."""
    for pattern in _SPOKEN.get(tongue, ()):
        folded = pattern.sub(lambda match: _told(match, tongue), folded)
    return folded


def _told(match: re.Match[str], tongue: str) -> str:
    found = match.groupdict()
    told = found["h"].lower()
    hour = int(told) if told.isdigit() else _HOUR_OF[tongue][told]
    if hour > LAST_HOUR or tongue == "fr" and not _AT_LENGTH.search(match.string[: match.start()]):
        return match.group()
    minute = int(found.get("min") or 0)
    half = found.get("half") or ""
    if half:
        minute = 15 if any(word in half for word in ("cuart", "quart", "一刻")) else 30
    low = match.group().lower()
    if tongue == "de" and " halb " in low:
        hour, minute = hour - 1, 30
    if found.get("m"):
        hour, minute = (hour, 15) if found["m"].lower().endswith("nach") else (hour - 1, 45)
    late = bool(found.get("late")) or found.get("part") in _LATE_ASIA
    if late and hour < NOON:
        hour += NOON
    opening = low.partition(" ")[0]
    german = f"{opening} " if opening in _GERMAN_AT else ""
    ahead = {"de": german, "es": "a las ", "pt": "às ", "it": "alle "}.get(tongue, "")
    told = f"{ahead}{hour:02d}:{minute:02d}"
    return f" {told} " if tongue in ("zh", "ja", "ko") else told
