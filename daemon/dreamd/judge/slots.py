"""Everything the judge reads off one statement, once: `extract_slots` is cached per text."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from dreamd.judge.abroad.turns_abroad import rightly
from dreamd.judge.change.change_marks import change_marks
from dreamd.judge.claims.phrases import has_any, plainer
from dreamd.judge.claims.politeness import plain
from dreamd.judge.claims.voices import BEING, is_passive
from dreamd.judge.lazily import lazily
from dreamd.text import identifiers as names
from dreamd.text import quantities, word_classes
from dreamd.text.clauses import HELPING, clauses, first_clause, verb_at
from dreamd.text.markers import ONE_OF
from dreamd.text.negation import NO_DENIAL, Denial, may_deny, read_denial
from dreamd.text.tokens import Token, fold, language, starts, tokens

_CACHED = 65_536
MANY_CLAUSES = 2
DOTS_OF_VERSION = 2
_ONLY = re.compile(
    r"(?<![\w-])(?:only|solely|exclusively|alone|nothing else|no other|sole|nur|ausschließlich|solo|sólo|solamente|"
    r"únicamente|seulement|uniquement|só|somente|apenas)\b|只|仅|만 |뿐|だけ|のみ"
)
_STATED = frozenset(["version", "release", "v"])
_PLACED = frozenset("in at of for inside beside behind above under below near opposite on".split())
BEARINGS = {
    word: group
    for group, members in {
        "less": "less fewer under below least minimum",
        "more": "more over above most maximum exceeding",
        "before": "before prior ahead earlier until till",
        "after": "after following later since",
        "out": "out outside off away",
        "or": "or either",
        "up": "up upwards",
        "down": "down downwards",
        "too": "too",
        "again": "again",
        "still": "still",
        "yet": "yet",
        "other": "other another",
        "own": "own",
    }.items()
    for word in members.split()
}


class Slots:
    """The readable features of one statement: what every pair asks for at once, all others when they are first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.written = fold(text)
        """The text in plain characters."""
        self.tongue = language(self.written)
        """The language, as far as it shows."""
        self.folded = rightly(plainer(self.written), self.tongue)
        """The text in plain characters and plain words."""
        self.low = self.folded.lower()
        """The same in lower case."""
        self.bare = plain(self.folded)
        """The text without what only makes it polite."""
        self.tokens = tokens(self.bare)
        """The pieces of the claim itself, without what only makes it polite."""
        self.spoken = frozenset([t.lower for t in self.tokens])
        """The pieces in lower case, as a set."""
        self.stems = frozenset([t.stem for t in self.tokens])
        """The stems of all pieces."""
        self.content = tuple([t.stem for t in self.tokens if t.is_content])
        """Stems of the content words, in order."""
        self.content_set = frozenset(self.content)
        """The content stems as a set."""

    @lazily
    def starts(self) -> tuple[int, ...]:
        """Where each of them begins."""
        return starts(self.bare)

    @lazily
    def plain_words(self) -> frozenset[str]:
        """The pieces in lower case, without the stops that belong to them."""
        return frozenset(t.lower.strip(".,:'") for t in self.tokens)

    @lazily
    def letters(self) -> tuple[str, ...]:
        """Single capitals inside a sentence: "disk A", "team B"."""
        found = [n for n, t in enumerate(self.tokens) if len(t.surface) == 1 and t.surface.isupper() and t.surface != "I"]
        return tuple(self.tokens[n].surface for n in found if self.starts[n])

    @lazily
    def clauses(self) -> tuple[tuple[str, ...], ...]:
        """The content stems cut at punctuation and connectives."""
        return clauses(self.tokens)

    @lazily
    def head(self) -> tuple[Token, ...]:
        """The first clause, where the claim itself stands."""
        return first_clause(self.tokens)

    @lazily
    def verb_at(self) -> int:
        """Where the main verb stands; 0 for an imperative, -1 when none was found."""
        return verb_at(self.tokens, self.head)

    @lazily
    def imperative(self) -> bool:
        """Whether it is an order."""
        return self.verb_at == 0

    @lazily
    def subject(self) -> frozenset[str]:
        """Content stems before the main verb (or the colon); empty for an imperative."""
        return frozenset(t.stem for t in self.tokens[: max(self.verb_at, 0)] if t.is_content)

    @lazily
    def verb(self) -> str:
        """Stem of the main verb, as far as it shows."""
        return next((t.stem for t in self.tokens[max(self.verb_at, 0) :] if t.is_content), "")

    @lazily
    def labels(self) -> frozenset[str]:
        """What tells the subject from others of its kind: `row 118`, `gw-17`, `PAY-3` before the verb."""
        return _labels(self.tokens, self.verb_at)

    @lazily
    def has_be(self) -> bool:
        """True when a form of "be" stands in the text, as in every passive."""
        return not self.spoken.isdisjoint(BEING)

    @lazily
    def passive(self) -> bool:
        """Whether it tells of what is done, not of who does it."""
        return self.has_be and is_passive(self.tokens)

    @lazily
    def numbers(self) -> frozenset[str]:
        """Amounts, rates, dates and times in one canonical form."""
        return _numbers(self.folded, self.tokens)

    @lazily
    def fixed(self) -> frozenset[str]:
        """Names with a shape of their own."""
        return names.fixed_names(self.folded, self.tokens)

    @lazily
    def commands(self) -> frozenset[str]:
        """Code spans as written."""
        return names.commands(self.text)

    @lazily
    def quoted(self) -> frozenset[str]:
        """Quoted words."""
        return names.quotations(self.folded)

    @lazily
    def names(self) -> frozenset[str]:
        """Names of people, places and things, and acronyms."""
        return names.proper_names(self.tokens, self.tongue)

    @lazily
    def denial(self) -> Denial:
        """What is denied in the whole statement."""
        return read_denial(self.tokens, self.bare) if may_deny(self.spoken, self.stems, self.bare) else NO_DENIAL

    @lazily
    def head_denial(self) -> Denial:
        """What is denied in its first clause."""
        alone = len(self.head) == len(self.tokens) or self.denial == NO_DENIAL
        return self.denial if alone else read_denial(self.head, self.bare)

    @lazily
    def negations(self) -> int:
        """How many negators there are."""
        return self.denial.count

    @lazily
    def negated(self) -> frozenset[str]:
        """Content stems within the reach of a negator."""
        return self.denial.reach

    @lazily
    def denied(self) -> frozenset[str]:
        """The first content stem behind each negator: what exactly is denied."""
        return self.denial.first

    @lazily
    def head_negated(self) -> frozenset[str]:
        """Content stems within the reach of a negator of the first clause."""
        return self.head_denial.reach

    @lazily
    def head_negations(self) -> int:
        """Negators of the first clause, where the claim itself stands."""
        return self.head_denial.count

    @lazily
    def quantifiers(self) -> frozenset[str]:
        """How many the first clause speaks of: all, some, most, none."""
        return _quantifiers(self.head)

    @lazily
    def only(self) -> bool:
        """Whether it leaves room for nothing else."""
        return says_only(self.low)

    @lazily
    def conditions(self) -> frozenset[str]:
        """The words that make it hold in some cases: if, unless, until."""
        return _conditions(self.spoken, self.low, self.tongue)

    @lazily
    def modal(self) -> str:
        """Whether it must, should or may be so."""
        return next((kind for kind, members in word_classes.MODAL.items() if not members.isdisjoint(self.spoken)), "")

    @lazily
    def changes(self) -> tuple[str, ...]:
        """Change markers as matched."""
        return change_marks(self.low, self.tongue)

    @lazily
    def bearings(self) -> frozenset[str]:
        """Small words that turn a claim: before, after, more, less, out, off, or."""
        return _bearings(self.spoken, self.changes)

    @lazily
    def qualifiers(self) -> frozenset[tuple[str, str]]:
        """Members of closed families, as the place or part that a claim is about."""
        return _qualifiers(self.tokens, self.low)

    @lazily
    def head_qualifiers(self) -> frozenset[tuple[str, str]]:
        """Those before the first comma, colon or reason: what the claim itself is about."""
        return self.qualifiers if len(self.head) == len(self.tokens) else _qualifiers(self.head, self.low)


_EXCLUSIVE = (
    *("only", "sole", "exclusively", "alone", "nothing else", "no other"),
    *("nur", "solo", "solamente", "seulement", "uniquement", "somente", "apenas"),
)
"""What a text in plain letters has one of when `_ONLY` is found in it."""


def says_only(low: str) -> bool:
    """Whether a text in lower case leaves room for nothing else."""
    return (not low.isascii() or has_any(low, _EXCLUSIVE)) and _ONLY.search(low) is not None


@lru_cache(maxsize=_CACHED)
def extract_slots(text: str) -> Slots:
    """The features of a text, which whoever asks next finds as far as they are read."""
    return Slots(text)


def _bearings(spoken: frozenset[str], changes: tuple[str, ...]) -> frozenset[str]:
    """ "Since" tells a time where something has changed, and a reason everywhere else."""
    reason = "since" in spoken and not any(mark.startswith("since") for mark in changes)
    return frozenset(BEARINGS[word] for word in spoken if word in BEARINGS and not (reason and word == "since"))


_COUNTING = frozenset().union(*word_classes.QUANTIFIERS.values())


def _quantifiers(head: Sequence[Token]) -> frozenset[str]:
    spoken = [t.lower for t in head]
    if _COUNTING.isdisjoint(spoken):
        return frozenset()
    for i, word in enumerate(spoken):
        if word in ("most", "least", "all", "any") and i and spoken[i - 1] in ("at", "after", "in", "the"):
            spoken[i] = ""
    return frozenset(kind for kind, members in word_classes.QUANTIFIERS.items() if not members.isdisjoint(spoken))


def quantifiers_in(slots: Slots) -> frozenset[str]:
    """How many a statement speaks of, in whichever of its clauses."""
    return slots.quantifiers if len(slots.clauses) < MANY_CLAUSES else _quantifiers(slots.tokens)


def _numbers(folded: str, cut: Sequence[Token]) -> frozenset[str]:
    found, rest = quantities.dates_and_times(folded)
    rest = names.without_addresses(rest)
    keep = tokens(rest) if rest != folded else tuple(cut)
    if rest.count(".") >= DOTS_OF_VERSION:
        keep = tuple(t for t in keep if not (t.kind == "number" and t.surface.count(".") >= DOTS_OF_VERSION))
    return frozenset(q.key for q in [*found, *quantities.measures(keep)])


def _labels(cut: Sequence[Token], verb: int) -> frozenset[str]:
    subject = cut[:verb] if verb > 0 else cut[: 4 if verb == 0 else 3]
    counted = any(t.kind == "number" for t in cut)
    found = set(names.fixed_names(" ".join(t.surface for t in subject), subject))
    if not counted:
        return frozenset(found)
    for one, number in zip(subject, subject[1:], strict=False):
        if number.kind == "number" and one.kind == "word" and one.is_content and one.lower not in HELPING:
            found.add(f"{one.stem} {number.lower}")
    for place, one, number in zip(cut, cut[1:], cut[2:], strict=False):
        named = one.kind == "word" and one.is_content and one.lower not in _STATED and one.stem not in ONE_OF
        if number.kind == "number" and named and place.lower in _PLACED and "." not in number.surface:
            found.add(f"{one.stem} {number.lower}")
    return frozenset(found)


_ROMANCE_IF = frozenset(["si", "se"])
_OTHER_TONGUES = {"es": frozenset(["se"]), "fr": frozenset(["se"]), "pt": frozenset(["si"])}
"""What is "if" in one tongue and "oneself" in the next."""


def _conditions(spoken: frozenset[str], low: str, tongue: str) -> frozenset[str]:
    found = set(spoken & word_classes.CONDITIONS)
    found -= _OTHER_TONGUES.get(tongue, _ROMANCE_IF)
    if not low.isascii():
        found.update(w.strip() for w in word_classes.CONDITIONS_CJK if w in low)
    return frozenset(found)


_FAMILY_OF: dict[str, list[tuple[str, str]]] = {}
for _family, _members in word_classes.QUALIFIERS.items():
    for _word, _value in _members.items():
        _FAMILY_OF.setdefault(_word, []).append((_family, _value))
_CJK_QUALIFIERS = tuple((w, pairs) for w, pairs in _FAMILY_OF.items() if ord(w[0]) > 0x2E7F)


_STANDING = frozenset("in at on with under inside there here".split())
_BUILT = frozenset("build builds release releases channel version versions toolchain compiler image images".split())


def _is_other_word(cut: Sequence[Token], at: int) -> bool:
    """ "Flags live in the vault" names no live system, and what is done nightly no nightly build."""
    low = cut[at].lower
    if low not in ("live", "nightly"):
        return False
    after = cut[at + 1].lower if at + 1 < len(cut) else ""
    return after in _STANDING if low == "live" else after not in _BUILT


def _qualifiers(cut: Sequence[Token], low: str) -> frozenset[tuple[str, str]]:
    told = [n for n, t in enumerate(cut) if t.lower in _FAMILY_OF and t.kind == "word" and not _is_other_word(cut, n)]
    found = {pair for n in told for pair in _FAMILY_OF[cut[n].lower]}
    if not low.isascii():
        found.update(pair for word, pairs in _CJK_QUALIFIERS if word in low for pair in pairs)
    return frozenset(found)
