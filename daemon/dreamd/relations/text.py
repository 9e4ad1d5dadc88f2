"""Statements as tokens: folding of characters, splitting, light stems, and the language as far as it shows.

The stems are made for comparing two statements, not for reading: they only have to come out equal for the
forms of one word ("replaced", "replaces", "replacing").
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from dreamd.relations import words

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—−"), "-")
_QUOTES = {ord(c): "'" for c in "‘’‛`´"} | {ord(c): '"' for c in "“”„«»‟「」『』"}
_PLAIN: dict[int, str] = {**_DASHES, **{k: v for k, v in _QUOTES.items() if k != ord("`")}}
_CODE = re.compile(r"`([^`\n]+)`")
_TOKEN = re.compile(
    r"""
    (?P<url>https?://[^\s<>"']+[^\s<>"'.,;:!?)])
  | (?P<mail>[\w.+-]+@[\w-]+\.[\w.-]+\w)
  | (?P<path>(?:~|\.{1,2})?/[\w.@%+<>{}*-]+(?:/[\w.@%+<>{}*-]*)*|(?:[\w.@%+<>{}*-]+/)+[\w.@%+<>{}*-]+)
  | (?P<flag>(?<![\w-])--?[A-Za-z][\w-]*(?:=[\w./-]+)?)
  | (?P<number>(?<![\w.])[#v$€£]?\d[\d.,:_]*\d(?![\w])|(?<![\w.])[#v$€£]?\d(?![\w]))
  | (?P<word>[^\W_](?:[\w]|[.:+-](?=[^\W_])|'(?=[^\W_]))*(?:\+\+|\#(?!\w))?|_\w+)
  | (?P<op><=|>=|=>|->|[=<>≤≥±×%°€$£→&+²³])
  | (?P<stop>[.;:!?,()\[\]|。，；：！？、])
    """,
    re.VERBOSE,
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+|[\uac00-\ud7af]+")
_DIGITS_UNIT = re.compile(r"^(\d[\d.,]*)([A-Za-zµ°%²³]+)$")


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a statement: its kind, surface, lower-case form, stem, and where it begins."""

    kind: str
    surface: str
    lower: str
    stem: str
    at: int

    @property
    def is_content(self) -> bool:
        """True for a token that carries meaning of its own."""
        return self.kind not in ("stop", "op") and self.lower not in words.STOP


def fold(text: str) -> str:
    """Bring characters to one form: NFKC, plain dashes and quotes, no emphasis marks, single spaces."""
    text = unicodedata.normalize("NFKC", text).replace("³", "3")
    text = text if text.isascii() else text.translate(_PLAIN)
    text = re.sub(r"\*\*|__|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)", "", text)
    text = re.sub(r"(?m)^\s*(?:[-*•]|\d+[.)])\s+", "", text)
    return re.sub(r"\s+", " ", text).strip()


def tokens(text: str) -> tuple[Token, ...]:
    """Split folded text into tokens; code spans keep their words, runs of Chinese or Korean are cut by script."""
    text = re.sub(r"(?<=\d)'s\b", "", _CODE.sub(lambda m: f" {m.group(1)} ", text))
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "word"
        surface = match.group().rstrip(".,:") if match.lastgroup == "path" else match.group()
        if kind == "word" and _CJK.search(surface):
            found.extend(_cut_scripts(surface, match.start()))
            continue
        if kind == "path" and surface.lower() in words.UNIT_NAMES:
            kind = "word"
        if kind == "path" and _is_slashed_words(surface):
            at = match.start()
            found.extend(_make("word", part, at) for part in surface.split("/") if part)
            continue
        glued = _DIGITS_UNIT.match(surface) if kind == "word" else None
        if glued and glued.group(2).lower() in words.UNIT_NAMES:
            found.append(_make("number", glued.group(1), match.start()))
            found.append(_make("word", glued.group(2), match.start() + len(glued.group(1))))
            continue
        found.append(_make(kind, surface, match.start()))
    return tuple(found)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A light English stem, good enough to compare two statements."""
    if word in words.IRREGULAR:
        return words.IRREGULAR[word]
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("'s"):
        word = word[:-2]
    for ending, put in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) + len(put) >= 3:
            word = word[: len(word) - len(ending)] + put
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return words.IRREGULAR.get(word) or words.IRREGULAR.get(word + "e") or word


def language(text: str) -> str:
    """The language as far as script and small words show it: en, de, es, fr, pt, ru, zh, ja, ko."""
    if re.search(r"[\u3040-\u30ff]", text):
        return "ja"
    letters = sum(c.isalpha() for c in text) or 1
    if len(re.findall(r"[\u0400-\u04ff]", text)) * 2 > letters:
        return "ru"
    if len(re.findall(r"[\uac00-\ud7af]", text)) * 4 > letters:
        return "ko"
    if len(re.findall(r"[\u3400-\u9fff]", text)) * 4 > letters:
        return "zh"
    found = [w if w == "I" else w.lower() for w in re.findall(r"[^\W\d_]+", text)]
    counts = {name: sum(w in small for w in found) for name, small in words.SMALL_WORDS.items()}
    best = max(counts, key=lambda name: (counts[name], name == "en"))
    if counts[best] and (best != "en" or counts["en"] > 1 or text.isascii()):
        return best
    return next((name for name, letters in _LETTERS.items() if any(c in letters for c in text)), best if counts[best] else "en")


_LETTERS = {"tr": "şğıİ", "pl": "łąęśżźćń", "de": "ß", "es": "ñ¿¡", "pt": "ãõ", "fr": "èêœçà", "xx": "åøæčřšžőűäöü"}
"""Letters that give away a language of which no small word stands in the text."""
MAY_MONTH = "may-month"
"""The month, where a capital tells it from the verb."""
_ENDINGS = (
    ("ational", "ate"),
    ("ization", "ize"),
    ("isation", "ize"),
    ("ising", "ize"),
    ("ised", "ize"),
    ("ises", "ize"),
    ("ise", "ize"),
    ("ically", "ic"),
    ("fulness", "ful"),
    ("iness", "y"),
    ("ness", ""),
    ("ments", ""),
    ("ment", ""),
    ("ingly", ""),
    ("edly", ""),
    ("ations", "ate"),
    ("ation", "ate"),
    ("ators", "ate"),
    ("ator", "ate"),
    ("ities", ""),
    ("ity", ""),
    ("ions", ""),
    ("ion", ""),
    ("ively", ""),
    ("ives", ""),
    ("ive", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("ying", "y"),
    ("sses", "ss"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("xes", "x"),
    ("ings", ""),
    ("ing", ""),
    ("eed", "eed"),
    ("ers", "er"),
    ("ed", ""),
    ("ly", ""),
    ("ss", "ss"),
    ("us", "us"),
    ("is", "is"),
    ("s", ""),
)


def _make(kind: str, surface: str, at: int) -> Token:
    lower = MAY_MONTH if surface == "May" and at else surface.lower()
    if lower.endswith("'s"):
        lower = lower[:-2]
    if lower.endswith("n't"):
        return Token(kind, surface, lower, "not", at)
    return Token(kind, surface, lower, stem(lower) if kind == "word" else lower, at)


def _is_slashed_words(surface: str) -> bool:
    """`read/write` and `env/state` are two words; `config/app.toml` and `/etc/hosts` are paths."""
    parts = surface.split("/")
    return len(parts) == 2 and all(p.isalpha() and len(p) > 1 for p in parts) and parts[0].lower() in words.SLASHED


def _cut_scripts(surface: str, at: int) -> list[Token]:
    cut: list[Token] = []
    last = 0
    for match in _CJK.finditer(surface):
        if match.start() > last:
            cut.append(
                _make("number" if surface[last : match.start()].isdigit() else "word", surface[last : match.start()], at + last)
            )
        run = match.group()
        cut.append(Token("cjk", run, run, run, at + match.start()))
        last = match.end()
    if last < len(surface):
        cut.append(_make("word", surface[last:], at + last))
    return cut
