"""Which language a sentence is written in: for the word lists by script and small words, for all else by a library."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from dreamd.text import patterns

_SCRIPTS = (("ja", re.compile("[\u3040-\u30ff]")), ("ko", re.compile("[\uac00-\ud7af]")), ("zh", re.compile("[\u4e00-\u9fff]")))
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SAMPLE_CHARS = 600
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "pl", "cs", "ro", "tr", "ru", "uk", "ar", "zh",
             "ja", "ko", "th", "hu", "el", "he", "vi", "id", "hi", "bg")
"""Languages that are told apart; of more, short notes of names and numbers would seem to be the rarer ones."""
LIKELIER = 5.0
"""How many times likelier than English another language must be: of 4,850 English statements 2 are then taken for another,
of 1,260 others 4 for English."""
_ENGLISH_ALONE = frozenset({"the", "and", "with", "our", "are", "must", "should", "this", "that", "which", "when", "from",
                            "not", "have", "has", "never", "always", "only", "every", "they", "their", "before", "after"})
"""Words of English that are none of another language."""
_FEWEST_ALONE = 2


def language_of(text: str) -> str:
    """`en`, `de`, `es`, `fr`, `pt`, `zh`, `ja` or `ko`; English when nothing speaks for another."""
    sample = text[:_SAMPLE_CHARS]
    if wide := next((lang for lang, script in _SCRIPTS if script.search(sample)), ""):
        return wide
    seen = [word.lower().replace("’", "'") for word in _WORD.findall(sample)]
    scores = {lang: sum(word in small for word in seen) for lang, small in _small_words().items()}
    best = max(scores, key=lambda lang: (scores[lang], lang == "en"))
    return best if scores[best] > scores["en"] else "en"


@lru_cache(maxsize=65_536)
def is_english(text: str) -> bool:
    """Whether a statement is in English, or in nothing that could be told from it."""
    return identify(text) == "en"


def identify(text: str) -> str:
    """The language of a statement as two letters, told by a library; English unless another is far likelier."""
    sample = text[:_SAMPLE_CHARS]
    words = [word.lower() for word in _WORD.findall(sample)]
    if not words or sample.isascii() and len(_ENGLISH_ALONE.intersection(words)) >= _FEWEST_ALONE:
        return "en"
    shares: dict[str, float] = dict(_identifier().rank(sample))
    best = max(shares, key=lambda language: shares[language])
    return best if shares[best] >= LIKELIER * shares["en"] else "en"


@cache
def _identifier() -> Any:  # a class of a library without types
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier
    from py3langid.modelio import load_model

    # Told which languages there are it would keep all others beside them, 30 MiB of them.
    weights, priors, known, moves, rows, features = load_model(MODEL_DIR / MODEL_FILE)
    chosen = [n for n, language in enumerate(known) if language in LANGUAGES]
    return LanguageIdentifier(weights[:, chosen].copy(), priors[chosen].copy(), [known[n] for n in chosen], moves, features,
                              norm_probs=True, tk_row=rows)


@cache
def _small_words() -> dict[str, frozenset[str]]:
    return {lang: frozenset(listed) for lang, listed in patterns.load("words/dates")["stopwords"].items()}
