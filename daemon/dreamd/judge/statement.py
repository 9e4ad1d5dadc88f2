"""Everything the judge reads off one statement, once: what it counts, names, denies, and under which condition it holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import cache, cached_property, lru_cache
from itertools import groupby
from typing import NamedTuple

from dreamd.text import identifiers, quantities, word_classes
from dreamd.text.language import identify
from dreamd.text.negation import Denial, read_denial
from dreamd.text.tokens import Token, fold, tokens

_CACHED = 4_096
_DOTS_OF_VERSION = 2
GRAM = 3
"""Letters of the pieces by which texts of any script are compared."""
_LIGHT = frozenset(["the", "an", "this", "that", "i", "my", "me", "we", "our", "ours", "us", "you", "your", "yours", "please",
                    "is", "are", "be", "was", "were", "been", "am", "do", "does", "did"])
"""Words that come and go between two ways to say one thing."""
_BOUNDS, _BEFORE_BOUNDS = frozenset({"most", "least", "all", "any"}), frozenset({"at", "after", "in", "the"})
"""Words that tell no share behind these: "at most five", "after all"."""
_TERM = re.compile(r"\w+")


class Statement(NamedTuple):
    """A text and when it was said."""

    text: str
    at: datetime | None = None


class Reading:
    """The readable features of one text, each read when it is first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold(text)
        """The text in plain characters."""
        self.low = self.folded.lower()
        self.terms = frozenset(_TERM.findall(self.low))
        """Its words as they stand, in lower case."""

    @cached_property
    def tongue(self) -> str:
        """The language, as far as it shows."""
        return identify(self.text)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The pieces of the text."""
        return tokens(self.folded)

    @cached_property
    def spoken(self) -> frozenset[str]:
        """The pieces in lower case."""
        return frozenset(t.lower for t in self.tokens)

    @cached_property
    def plain(self) -> tuple[str, ...]:
        """The stems of all its words in order, without stops, articles, those who speak and forms of "be"."""
        told = [t for t in self.tokens if t.kind != "stop"]
        return tuple(t.stem for t, after in zip(told, (*told[1:], None), strict=False) if not _is_light(t, after))

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Stems of the words that carry meaning, in order."""
        return tuple(t.stem for t in self.tokens if t.is_content)

    @cached_property
    def content_set(self) -> frozenset[str]:
        """The same as a set."""
        return frozenset(self.content)

    @property
    def grams(self) -> frozenset[str]:
        """Runs of three letters, by which texts are compared that are not cut into words; made anew, for it is most of all."""
        packed = f" {' '.join(_TERM.findall(self.low))} "
        return frozenset(packed[i : i + GRAM] for i in range(max(1, len(packed) - GRAM + 1)))

    @cached_property
    def amounts(self) -> Counter[str]:
        """Amounts, rates, dates and times in one canonical form, and how often each is said."""
        found, rest = quantities.dates_and_times(self.folded)
        rest = identifiers.without_addresses(rest)
        kept: Sequence[Token] = tokens(rest) if rest != self.folded else self.tokens
        if rest.count(".") >= _DOTS_OF_VERSION:
            kept = [t for t in kept if not (t.kind == "number" and t.surface.count(".") >= _DOTS_OF_VERSION)]
        return Counter((*found, *quantities.measures(kept), *quantities.periods(self.tokens)))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The same, each once."""
        return frozenset(self.amounts)

    @cached_property
    def fixed(self) -> frozenset[str]:
        """Names with a shape of their own: versions, addresses, paths, identifiers."""
        return identifiers.fixed_names(self.folded, self.tokens)

    @cached_property
    def commands(self) -> frozenset[str]:
        """Code spans as written."""
        return identifiers.commands(self.text)

    @cached_property
    def quoted(self) -> frozenset[str]:
        """Quoted words."""
        return identifiers.quotations(self.folded)

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of people, places and things, and acronyms."""
        return identifiers.proper_names(self.tokens, self.tongue)

    @cached_property
    def denial(self) -> Denial:
        """What it denies."""
        return read_denial(self.tokens)

    @cached_property
    def quantifiers(self) -> frozenset[str]:
        """How many it speaks of: all, some, most, none."""
        spoken = {t.lower for before, t in zip((None, *self.tokens), self.tokens, strict=False)
                  if not (before and t.lower in _BOUNDS and before.lower in _BEFORE_BOUNDS)}
        return frozenset(kind for kind, words in word_classes.QUANTIFIERS.items() if not words.isdisjoint(spoken))

    @cached_property
    def conditions(self) -> frozenset[str]:
        """The words that make it hold in some cases only: if, unless, until."""
        found = set(self.spoken & word_classes.CONDITIONS)
        if not self.low.isascii():
            found.update(word.strip() for word in word_classes.CONDITIONS_CJK if word in self.low)
        return frozenset(found)

    @cached_property
    def modal(self) -> str:
        """Whether it must, should or may be so."""
        return next((kind for kind, words in word_classes.MODAL.items() if not words.isdisjoint(self.spoken)), "")

    @cached_property
    def changes(self) -> tuple[str, ...]:
        """The expressions by which it says itself that something has changed."""
        return tuple(dict.fromkeys(m.group().strip() for m in _change().finditer(self.low)))

    @cached_property
    def qualifiers(self) -> frozenset[tuple[str, str]]:
        """Members of closed families, as the environment, platform or weekday that a claim is about."""
        found = {pair for word in self.spoken for pair in _FAMILIES.get(word, ())}
        if not self.low.isascii():
            found.update(pair for word, pairs in _CJK_FAMILIES for pair in pairs if word in self.low)
        return frozenset(found)


def _joined(alternatives: Sequence[str]) -> str:
    """One pattern of alternatives, tried in their order.

    Neighbours that begin at the edge of a word share it, so that each is passed over by its first letter: ten times as quick.
    """
    runs = [(at_edge, list(some)) for at_edge, some in groupby(alternatives, lambda one: one.startswith(_EDGE))]
    return "|".join(f"{_EDGE}(?:{'|'.join(one.removeprefix(_EDGE) for one in some)})" if at_edge else "|".join(some)
                    for at_edge, some in runs)


_EDGE = r"\b"


@cache
def _change() -> re.Pattern[str]:
    """The markers of change, compiled for the first text that is asked for them: most commands read none."""
    return re.compile(_joined(word_classes.CHANGE))


def _is_light(token: Token, after: Token | None) -> bool:
    """ "A few" is more than "few": there the article says something."""
    return token.lower in _LIGHT or token.lower == "a" and not (after and after.lower in ("few", "little"))


@lru_cache(maxsize=_CACHED)
def read(text: str) -> Reading:
    """The features of a text, which whoever asks next finds as far as they are read."""
    return Reading(text)


_FAMILIES: dict[str, list[tuple[str, str]]] = {}
for _family, _members in word_classes.QUALIFIERS.items():
    for _word, _value in _members.items():
        _FAMILIES.setdefault(_word, []).append((_family, _value))
_CJK_FAMILIES = tuple((word, pairs) for word, pairs in _FAMILIES.items() if ord(word[0]) > 0x2E7F)
