"""Statements as tokens: folding of characters, splitting, light stems, and the language as far as it shows.

The stems are made for comparing two statements, not for reading: they only have to come out equal for the
forms of one word ("replaced", "replaces", "replacing").
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from dreamd.relations import words

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—−"), "-")
_QUOTES = {ord(c): "'" for c in "‘’‛`´"} | {ord(c): '"' for c in "“”„«»‟「」『』"}
_PLAIN: dict[int, str] = {**_DASHES, **{k: v for k, v in _QUOTES.items() if k != ord("`")}}
_CODE = re.compile(r"`([^`\n]+)`")
_ADDRESSES = r"""
    (?P<url>https?://[^\s<>"']+[^\s<>"'.,;:!?)])
  | (?P<mail>[\w.+-]+@[\w-]+\.[\w.-]+\w)
  | (?P<path>(?:~|\.{1,2})?/[\w.@%+<>{}*-]+(?:/[\w.@%+<>{}*-]*)*|(?:[\w.@%+<>{}*-]+/)+[\w.@%+<>{}*-]+) |
"""
_PIECES = r"""
    (?P<letters>(?!v\d)[^\W\d_]\w*(?:[.:+'-](?=[^\W_])\w*)*(?:\+\+|\#(?!\w))?)
  | (?P<flag>(?<![\w-])--?[A-Za-z][\w-]*(?:=[\w./-]+)?)
  | (?P<number>(?<![\w.])[#v$€£]?\d[\d.,:_]*\d(?![\w])|(?<![\w.])[#v$€£]?\d(?![\w]))
  | (?P<word>[^\W_]\w*(?:[.:+'-](?=[^\W_])\w*)*(?:\+\+|\#(?!\w))?|_\w+)
  | (?P<op><=|>=|=>|->|[=<>≤≥±×%°€$£→&+²³])
  | (?P<stop>[.;:!?,()\[\]|。，；：！？、])
"""
"""A word that begins with a letter comes first, for most tokens are one; only `v2` may be a number in spite of it."""
_TOKEN = re.compile(_ADDRESSES + _PIECES, re.VERBOSE)
_TOKEN_WITHOUT_ADDRESS = re.compile(_PIECES, re.VERBOSE)
"""The same where no `/` and no `@` stands, which every address has: much quicker."""
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+|[\uac00-\ud7af]+")
_POSSESSIVE = re.compile(r"(?<=\d)'s\b")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")
_BULLET = re.compile(r"(?m)^\s*(?:[-*•]|\d+[.)])\s+")
_LIST_SIGNS = re.compile(r"\s*[-*•\d]")
_WORDS = re.compile(r"[^\W\d_]+")
_KANA = re.compile(r"[\u3040-\u30ff]")
_SCRIPTS = (
    ("ru", re.compile(r"[\u0400-\u04ff]"), 2),
    ("ko", re.compile(r"[\uac00-\ud7af]"), 4),
    ("zh", re.compile(r"[\u3400-\u9fff]"), 4),
)
"""Scripts that tell a language, and one letter in how many has to be of it."""
_DIGITS_UNIT = re.compile(r"^(\d[\d.,]*)([A-Za-zµ°%²³]+)$")


class Token(NamedTuple):
    """One piece of a statement: its kind, surface, lower-case form, stem, and where it begins."""

    kind: str
    surface: str
    lower: str
    stem: str
    is_content: bool
    """True for a token that carries meaning of its own."""
    at: int


def fold(text: str) -> str:
    """Bring characters to one form: NFKC, plain dashes and quotes, no emphasis marks, single spaces."""
    text = unicodedata.normalize("NFKC", text).replace("³", "3")
    text = text if text.isascii() else text.translate(_PLAIN)
    if "*" in text or "__" in text:
        text = _EMPHASIS.sub("", text)
    if _LIST_SIGNS.match(text) or "\n" in text:
        text = _BULLET.sub("", text)
    return " ".join(text.split())


def tokens(text: str) -> tuple[Token, ...]:
    """Split folded text into tokens; code spans keep their words, runs of Chinese or Korean are cut by script."""
    if "`" in text:
        text = _CODE.sub(lambda m: f" {m.group(1)} ", text)
    if "'s" in text:
        text = _POSSESSIVE.sub("", text)
    pattern = _TOKEN if "/" in text or "@" in text else _TOKEN_WITHOUT_ADDRESS
    found: list[Token] = []
    for match in pattern.finditer(text):
        kind, surface, at = match.lastgroup or "word", match.group(), match.start()
        if kind == "letters" and surface != "May" and surface.isascii():
            found.append(tuple.__new__(Token, (*_forms("word", surface), at)))  # most tokens: half the time of a call
        elif kind == "path":
            found.extend(_path(surface.rstrip(".,:"), at))
        elif kind not in ("letters", "word"):
            found.append(_make(kind, surface, at))
        elif not surface.isascii() and _CJK.search(surface):
            found.extend(_cut_scripts(surface, at))
        elif kind == "word" and surface[0].isdecimal():
            found.extend(_counted(surface, at))
        elif surface == "May":
            found.append(_make("word", surface, at))
        else:
            found.append(_make("word", surface, at))
    return tuple(found)


def content_stems(text: str) -> frozenset[str]:
    """The stems of the words of a text that carry meaning."""
    return frozenset(t.stem for t in tokens(text) if t.is_content)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A light English stem, good enough to compare two statements."""
    if word in words.IRREGULAR:
        return words.IRREGULAR[word]
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("'s"):
        word = word[:-2]
    for ending, put in _ENDINGS_BY_LETTER.get(word[-1], ()):
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
    if not text.isascii():
        told = _script(text)
        if told:
            return told
    found = [name for word in _WORDS.findall(text) for name in _TONGUES_OF.get(word if word == "I" else word.lower(), ())]
    if found and set(found) == {"en"} and (len(found) > 1 or text.isascii()):
        return "en"
    counts = {name: found.count(name) for name in words.SMALL_WORDS}
    best = max(counts, key=lambda name: (counts[name], name == "en"))
    if best != "fr" and counts[best] == counts["fr"] and _ELIDED.search(text):
        best = "fr"
    if 0 < counts[best] <= counts["pt"] + 1 and _PORTUGUESE.search(text):
        best = "pt"
    if counts[best] and (best != "en" or counts["en"] > 1 or text.isascii()):
        return best
    return next((name for name, letters in _LETTERS.items() if any(c in letters for c in text)), best if counts[best] else "en")


def _script(text: str) -> str:
    """The language that the script alone tells; empty where it tells none."""
    if _KANA.search(text):
        return "ja"
    letters = sum(c.isalpha() for c in text) or 1
    return next((name for name, script, share in _SCRIPTS if len(script.findall(text)) * share > letters), "")


_TONGUES_OF: dict[str, list[str]] = {}
for _tongue, _small in words.SMALL_WORDS.items():
    for _word in _small:
        _TONGUES_OF.setdefault(_word, []).append(_tongue)
for _tongue, _telling in words.TELLING.items():
    for _word in _telling:
        _TONGUES_OF.setdefault(_word, []).extend([_tongue] * (1 if _word in words.SMALL_WORDS[_tongue] else 2))
for _word, _names in _TONGUES_OF.items():
    if len(_names) == 1:  # a word that only one language has tells more than one that several share
        _names *= 2
_LETTERS = {"tr": "şğıİ", "pl": "łąęśżźćń", "de": "ß", "es": "ñ¿¡", "pt": "ãõ", "fr": "èêœçà", "xx": "åøæčřšžőűäöü"}
"""Letters that give away a language of which no small word stands in the text."""
_ELIDED = re.compile(r"(?i)\b(?:l|d|s|n|j|c|qu)'(?=[aeiouyhéèê])")
_PORTUGUESE = re.compile(r"(?i)\w(?:lh|nh)[aeiou]|[çã]|\w(?:eza|agem|dade)s?\b")
"""Letters that of these languages only Portuguese has together."""
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


_ENDINGS_BY_LETTER: dict[str, list[tuple[str, str]]] = {}
for _ending in _ENDINGS:
    _ENDINGS_BY_LETTER.setdefault(_ending[0][-1], []).append(_ending)


def _make(kind: str, surface: str, at: int) -> Token:
    if surface == "May" and at:
        return Token(kind, surface, *_forms(kind, MAY_MONTH)[2:], at)
    return Token(*_forms(kind, surface), at)


@lru_cache(maxsize=65_536)
def _forms(kind: str, surface: str) -> tuple[str, str, str, str, bool]:
    """All that a token is but its place."""
    lower = surface.lower().removesuffix("'s")
    is_content = kind not in ("stop", "op") and lower not in words.STOP
    if lower.endswith("n't"):
        return kind, surface, lower, "not", is_content
    return kind, surface, lower, stem(lower) if kind == "word" else lower, is_content


def character_token(run: str, at: int) -> Token:
    """A run of characters that are no letters of an alphabet."""
    return Token("cjk", run, run, run, True, at)


def _path(surface: str, at: int) -> list[Token]:
    """What looks like a path: a unit (`km/h`), two words (`read/write`), or a path."""
    if surface.lower() in words.UNIT_NAMES:
        return [_make("word", surface, at)]
    if _is_slashed_words(surface):
        return [_make("word", part, at) for part in surface.split("/") if part]
    return [_make("path", surface, at)]


def _counted(surface: str, at: int) -> list[Token]:
    """A word that begins with a digit: a number with its unit (`12GB`), or a name."""
    glued = _DIGITS_UNIT.match(surface)
    if glued and glued.group(2).lower() in words.UNIT_NAMES:
        number, unit = glued.groups()
        return [_make("number", number, at), _make("word", unit, at + len(number))]
    return [_make("word", surface, at)]


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
        cut.append(character_token(run, at + match.start()))
        last = match.end()
    if last < len(surface):
        cut.append(_make("word", surface[last:], at + last))
    return cut
