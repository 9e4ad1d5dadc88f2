"""The words of a question and of a text: which of them tell anything, and how much of the one the other has."""

from __future__ import annotations

import math
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any  # what a TOML file holds

from dreamd.core.errors import ConfigError
from dreamd.core.paths import share_dir

ALIKE_WORTH = 0.7
"""What a word of the same meaning counts of the word itself."""
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_PIECE = re.compile(r"\w+", re.UNICODE)
_ENDINGS = ("ations", "ation", "ments", "ment", "ings", "ing", "ers", "er", "ies", "ed", "es", "s", "e", "y")


def word_matches(query: str, texts: Sequence[str]) -> list[float]:
    """For each text the share (0–1) of the query's words it has, rarer words counting more.

    Rarity is taken among the texts at hand, so nothing but the hits is needed; a word that none of them has counts
    like the rarest, so a question about something unknown stays a poor match for all.
    """
    wanted = word_roots(query)
    if not wanted:
        return [0.0] * len(texts)
    all_roots = [word_roots(text) for text in texts]
    found_in = Counter(root for roots in all_roots for root in roots & wanted)
    worth = {root: math.log1p((len(texts) + 1) / (found_in[root] + 0.5)) for root in wanted}
    total = sum(worth.values())
    return [_match(sorted(wanted), roots, worth) / total for roots in all_roots]


def _match(wanted: Sequence[str], roots: frozenset[str], worth: Mapping[str, float]) -> float:
    """The worth of the wanted roots that a text has, itself or in a word of the same meaning."""
    rows = _rows_of_alike()
    meant = {row for root in roots for row in rows.get(root, ())}
    return sum(worth[root] * (1.0 if root in roots else ALIKE_WORTH if not meant.isdisjoint(rows.get(root, ())) else 0.0)
               for root in wanted)


def telling_words(text: str) -> list[str]:
    """The words of a text that carry its subject, each once and as written; all of them where none does."""
    words = list(dict.fromkeys(unicodedata.normalize("NFKC", text).casefold().split()))
    pieces = list(dict.fromkeys(piece for word in words for piece in _PIECE.findall(word)))
    little = _little_words()
    return [piece for piece in pieces if piece not in little] or pieces


def word_stems(words: Sequence[str]) -> list[str]:
    """Words without their endings, each once."""
    return list(dict.fromkeys(map(_root, words)))


def alike_words(words: Sequence[str]) -> list[str]:
    """Words of the same meaning as some words, without these; for a search that has nothing but words."""
    rows = _rows_of_alike()
    meant = {row for word in words for row in rows.get(_root(word), ())}
    known = set(words)
    return [word for n, row in enumerate(_alike()) if n in meant for word in row if word not in known]


@lru_cache(maxsize=4_096)  # the same texts come up for question after question
def word_roots(text: str) -> frozenset[str]:
    """The words of a text without their endings; pairs of signs where a script has no spaces between words."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = _WORD.findall(_UNSPACED.sub(" ", plain))
    little = _little_words()
    telling = [word for word in words if word not in little] or words
    signs = _UNSPACED.findall(plain)
    pairs = [a + b for a, b in zip(signs, signs[1:], strict=False)] or signs
    return frozenset([*(_root(word) for word in telling), *pairs])


@cache
def _little_words() -> frozenset[str]:
    """Words that carry no subject; a question made of nothing else keeps them all."""
    return frozenset(word for words in _word_list("little").values() for word in words)


@cache
def _alike() -> tuple[tuple[str, ...], ...]:
    """Rows of words that mean the same."""
    return tuple(tuple(row) for row in _word_list("alike"))


@cache
def _rows_of_alike() -> dict[str, frozenset[int]]:
    """For a root the rows it stands in."""
    found: dict[str, set[int]] = {}
    for n, row in enumerate(_alike()):
        for word in row:
            found.setdefault(_root(word), set()).add(n)
    return {root: frozenset(rows) for root, rows in found.items()}


def _word_list(name: str) -> Any:
    path = share_dir("config") / "words" / f"{name}.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))[name]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError) as error:
        raise ConfigError(f"the word list `{path}` cannot be read: {type(error).__name__}",
                          hint="reinstall dream, or restore the file") from error


def _root(word: str) -> str:
    if len(word) == 4 and word.endswith("s"):
        return word[:-1]
    if len(word) > 4 and word.isascii() and word.isalpha():
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[:-len(ending)]
                if ending == "s" and word[-1] == "y":  # deploys, deploy
                    word = word[:-1]
                break
        if len(word) > 3 and word[-1] == word[-2]:
            word = word[:-1]
    return word
