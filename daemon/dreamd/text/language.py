"""Which language a sentence is written in: for the word lists by script and small words, for all else by a library."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
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
Make = Callable[[], bytes]
Kept = Callable[[str, Make], bytes]
"""Gives what is kept under a name, made where it is not there."""
_HEAD_BYTES, _QUICKLY = 1024, 1


def language_of(text: str) -> str:
    """`en`, `de`, `es`, `fr`, `pt`, `zh`, `ja` or `ko`; English when nothing speaks for another."""
    sample = text[:_SAMPLE_CHARS]
    if wide := next((lang for lang, script in _SCRIPTS if script.search(sample)), ""):
        return wide
    seen = [word.lower().replace("’", "'") for word in _WORD.findall(sample)]
    scores = {lang: sum(word in small for word in seen) for lang, small in _small_words().items()}
    best = max(scores, key=lambda lang: (scores[lang], lang == "en"))
    return best if scores[best] > scores["en"] else "en"


def is_english(text: str) -> bool:
    """Whether a statement is in English, or in nothing that could be told from it."""
    return identify(text) == "en"


@lru_cache(maxsize=65_536)
def identify(text: str) -> str:
    """The language of a statement as two letters, told by a library; English unless another is far likelier."""
    sample = text[:_SAMPLE_CHARS]
    words = [word.lower() for word in _WORD.findall(sample)]
    if not words or sample.isascii() and len(_ENGLISH_ALONE.intersection(words)) >= _FEWEST_ALONE:
        return "en"
    shares: dict[str, float] = dict(_identifier().rank(sample))
    best = max(shares, key=lambda language: shares[language])
    return best if shares[best] >= LIKELIER * shares["en"] else "en"


def keep_with(kept: Kept) -> None:
    """Say who keeps what is made of the library's model, before it is needed: to unpack its own form takes half a second."""
    global _kept
    _kept = kept


def _made_anew(_name: str, make: Make) -> bytes:
    return make()


_kept: Kept = _made_anew


@cache
def _identifier() -> Any:  # a class of a library without types
    import numpy as np
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

    facts = (MODEL_DIR / MODEL_FILE).stat()
    name = "-".join(map(str, (facts.st_size, facts.st_mtime_ns, *LANGUAGES)))
    blob = memoryview(zlib.decompress(_kept(name, _make_table)))
    told, parts = json.loads(bytes(blob[:_HEAD_BYTES])), []
    at = _HEAD_BYTES
    for size in told["sizes"]:
        parts.append(blob[at:at + size])
        at += size
    known, priors = told["languages"], np.frombuffer(parts[1], np.float32)
    weights = np.frombuffer(parts[0], np.float16).reshape(-1, len(known))
    return LanguageIdentifier(weights, priors, known, parts[2].cast("I"), parts[4].cast("i"), norm_probs=True,
                              tk_row=parts[3].cast("I"))


def _make_table() -> bytes:
    """The library's model of the languages that are told apart alone, unpacked: a line of JSON, then plain numbers."""
    import numpy as np
    from py3langid.langid import MODEL_DIR, MODEL_FILE
    from py3langid.modelio import load_model

    # Told which languages there are it would keep all others beside them, 30 MiB of them.
    weights, priors, known, moves, rows, features = load_model(MODEL_DIR / MODEL_FILE)
    chosen = [n for n, language in enumerate(known) if language in LANGUAGES]
    parts = [part.tobytes() for part in (
        np.asarray(weights[:, chosen], np.float16), np.asarray(priors[chosen], np.float32), np.asarray(moves, np.uint32),
        np.asarray(rows, np.uint32), np.asarray(features, np.int32))]
    head = json.dumps({"languages": [known[n] for n in chosen], "sizes": [len(part) for part in parts]}).encode()
    packing = zlib.compressobj(_QUICKLY)
    return b"".join((*(packing.compress(part) for part in (head.ljust(_HEAD_BYTES), *parts)), packing.flush()))


@cache
def _small_words() -> dict[str, frozenset[str]]:
    return {lang: frozenset(listed) for lang, listed in patterns.load("words/dates")["stopwords"].items()}
