"""Statements as tokens: folding of characters, splitting, light stems.

The stems are made for comparing two statements, not for reading: they only have to come out equal for the
forms of one word ("replaced", "replaces", "replacing").
"""

# ruff: noqa: SIM905  tables read better as runs of words

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from dreamd.text import word_classes

_PLAIN = {ord(sign): plain for signs, plain in (("‐‑‒–—−", "-"), ("‘’‛´", "'"), ("“”„«»‟「」『』", '"')) for sign in signs}
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
LONG_TEXT = 4000
"""Characters from which on the words of a text are no longer remembered: it is hardly one of statements."""
_DIGITS_UNIT = re.compile(r"^(\d[\d.,]*)([A-Za-zµ°%²³]+)$")


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a statement, shared by all statements that have it: where it stands is its place among the others."""

    kind: str
    surface: str
    lower: str
    stem: str
    is_content: bool
    """True for a token that carries meaning of its own."""


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
    text = _POSSESSIVE.sub("", text) if "'s" in text else text
    return tuple(chain.from_iterable(map(_known_pieces if len(text) <= LONG_TEXT else _pieces, text.split(" "))))


def _pieces(word: str) -> tuple[Token, ...]:
    """The tokens of what stands between two spaces: none of them reaches over a space, or depends on what is behind one."""
    if word.isascii():  # most words are nothing but letters, with a stop behind them at most
        if word.isalpha():
            return (_token("word", word),)
        if word[:-1].isalpha() and word[-1] in ".,":
            return _token("word", word[:-1]), _token("stop", word[-1])
    return tuple(_cut(word))


_known_pieces = lru_cache(maxsize=65_536)(_pieces)
"""The same, remembered: of the words of a text that nobody has read, most have been read in others."""


def _cut(word: str) -> Iterator[Token]:
    pattern = _TOKEN if "/" in word or "@" in word else _TOKEN_WITHOUT_ADDRESS
    for match in pattern.finditer(word):
        kind, surface = match.lastgroup or "word", match.group()
        if kind == "path":
            surface = surface.rstrip(".,:")
            yield _token("word" if surface.lower() in word_classes.UNIT_NAMES else "path", surface)  # km/h
        elif kind not in ("letters", "word"):
            yield _token(kind, surface)
        elif not surface.isascii() and _CJK.search(surface):
            yield from _cut_scripts(surface)
        elif kind == "word" and surface[0].isdecimal():
            yield from _counted(surface)
        else:
            yield _token("word", surface)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A light English stem, good enough to compare two statements."""
    if word in word_classes.IRREGULAR:
        return word_classes.IRREGULAR[word]
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    for ending, put in _ENDINGS_BY_LETTER.get(word[-1], ()):
        if word.endswith(ending) and len(word) - len(ending) + len(put) >= 3:
            word = word[: len(word) - len(ending)] + put
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word_classes.IRREGULAR.get(word) or word_classes.IRREGULAR.get(word + "e") or word


MAY_MONTH = "may-month"
"""The month, where a capital tells it from the verb."""
_ENDINGS_BY_LETTER: dict[str, list[tuple[str, str]]] = {}
"""What stands in the place of an ending, by its last letter: the first that fits counts."""
for _ending, _put in (pair.split(":") for pair in (
    "ational:ate ization:ize isation:ize ising:ize ised:ize ises:ize ise:ize ically:ic fulness:ful iness:y ness: "
    "ments: ment: ingly: edly: ations:ate ation:ate ators:ate ator:ate ities: ity: ions: ion: ively: ives: ive: ies:y "
    "ied:y ying:y sses:ss ches:ch shes:sh xes:x ings: ing: eed:eed ers:er ed: ly: ss:ss us:us is:is s:").split()):
    _ENDINGS_BY_LETTER.setdefault(_ending[-1], []).append((_ending, _put))


@lru_cache(maxsize=65_536)
def _token(kind: str, surface: str) -> Token:
    lower = surface.lower().removesuffix("'s") if surface != "May" else MAY_MONTH
    is_content = kind not in ("stop", "op") and lower not in word_classes.STOP
    if lower.endswith("n't"):
        return Token(kind, surface, lower, "not", is_content)
    return Token(kind, surface, lower, stem(lower) if kind == "word" else lower, is_content)


def _counted(surface: str) -> list[Token]:
    """A word that begins with a digit: a number with its unit (`12GB`), or a name."""
    glued = _DIGITS_UNIT.match(surface)
    if glued and glued.group(2).lower() in word_classes.UNIT_NAMES:
        number, unit = glued.groups()
        return [_token("number", number), _token("word", unit)]
    return [_token("word", surface)]


def _cut_scripts(surface: str) -> list[Token]:
    cut: list[Token] = []
    last = 0
    for match in _CJK.finditer(surface):
        if match.start() > last:
            between = surface[last : match.start()]
            cut.append(_token("number" if between.isdigit() else "word", between))
        cut.append(Token("cjk", match.group(), match.group(), match.group(), True))
        last = match.end()
    if last < len(surface):
        cut.append(_token("word", surface[last:]))
    return cut
