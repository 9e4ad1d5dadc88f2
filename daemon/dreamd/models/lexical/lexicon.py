"""The lexicon of other languages, read one language at a time: a night without that language never pays for it.

One concept a line: English first, then one column a language. A word may stand in several lines; the earliest tells how
it is glossed, and all of them what it may mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dreamd.models.lexical.wordforms import ROMANCE, stem_of, verb_root

TONGUES = ("de", "es", "fr", "pt", "zh", "ko", "ja", "it")
Meanings = tuple[str, ...]
"""What a word may mean in English, the first being how it is glossed."""


@dataclass(frozen=True)
class Vocabulary:
    """What the lexicon knows of one language: words, stems of words, roots of verbs, and entries of several words."""

    words: Mapping[str, Meanings]
    stems: Mapping[str, Meanings]
    verbs: Mapping[str, Meanings]
    phrases: tuple[tuple[str, str], ...]
    """The first word of each entry of several words, and the entry; longest first."""


def load_vocabulary(path: Path, tongue: str) -> Vocabulary:
    """Read one column of the lexicon; a line may end before it."""
    place = 1 + TONGUES.index(tongue)
    glued = tongue in ("zh", "ja")
    words: dict[str, Meanings] = {}
    for line in path.read_text("utf-8").splitlines():
        columns = line.split("|", place + 1)
        if len(columns) <= place or line[0] == "#" or not columns[place]:
            continue
        english = columns[0]
        for word in columns[place].split("/"):
            key = word.replace(" ", "") if glued else word
            known = words.get(key)
            if known is None:
                words[key] = (english,)
            elif english not in known:
                words[key] = (*known, english)
    words.pop("", None)
    stems: dict[str, Meanings] = {}
    verbs: dict[str, Meanings] = {}
    if tongue == "de" or tongue in ROMANCE:
        _fill_stems(words, tongue, stems, verbs)
    several = sorted((w for w in words if " " in w), key=len, reverse=True)
    return Vocabulary(words, stems, verbs, tuple((w.split()[0], w) for w in several))


def entries(path: Path) -> Iterator[tuple[str, str, str]]:
    """Language, English word and word of every entry, in the order of the file."""
    for line in path.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        english, *columns = line.split("|")
        for tongue, column in zip(TONGUES, columns, strict=False):
            for word in filter(None, column.split("/")):
                yield tongue, english, word.replace(" ", "") if tongue in ("zh", "ja") else word


def _fill_stems(words: Mapping[str, Meanings], tongue: str, stems: dict[str, Meanings], verbs: dict[str, Meanings]) -> None:
    """Stems of single words; one that two words of different meaning share is left out."""
    unclear: set[str] = set()
    for word, meanings in words.items():
        if " " in word:
            continue
        root = verb_root(word, tongue) if tongue != "de" else ""
        if root:
            verbs.setdefault(root, meanings)
        stem = stem_of(word, tongue)
        if stems.setdefault(stem, meanings)[0] != meanings[0] and stem != word:
            unclear.add(stem)
    for stem in unclear - words.keys():
        del stems[stem]
