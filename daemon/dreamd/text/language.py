"""Which language a sentence is written in, as far as the word lists care: by script, else by small words."""

from __future__ import annotations

import re
from functools import cache

from dreamd.text import patterns

_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_HAN = re.compile("[\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SAMPLE_CHARS = 600


def language_of(text: str) -> str:
    """`en`, `de`, `es`, `fr`, `pt`, `zh`, `ja` or `ko`; English when nothing speaks for another."""
    sample = text[:_SAMPLE_CHARS]
    if _KANA.search(sample):
        return "ja"
    if _HANGUL.search(sample):
        return "ko"
    if _HAN.search(sample):
        return "zh"
    seen = [word.lower().replace("’", "'") for word in _WORD.findall(sample)]
    scores = {lang: sum(word in small for word in seen) for lang, small in _small_words().items()}
    best = max(scores, key=lambda lang: (scores[lang], lang == "en"))
    return best if scores[best] > scores["en"] else "en"


@cache
def _small_words() -> dict[str, frozenset[str]]:
    table = patterns.load("words/dates")["stopwords"]
    assert isinstance(table, dict)
    return {str(lang): frozenset(listed) for lang, listed in table.items()}
