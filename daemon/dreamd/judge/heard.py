"""What two statements share, of which one or both are not English, by what a lexicon hears in them.

The lexicon gives for each word all that it may mean. A word is shared when one of its meanings stands on the other side,
where two English words of one meaning count as one. What is left over is what a side says in a word of its own.
"""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dreamd.core.values import Hearing
from dreamd.judge.claims.alike import ALIKE
from dreamd.judge.conflicts.polarity import denies, lacks
from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import Slots
from dreamd.text import word_classes
from dreamd.text.markers import LIGHT, VERBS
from dreamd.text.numerals import CHARACTER_NUMBERS
from dreamd.text.tokens import Token, stem

KIN_LETTERS = 5
KIN_ENDING = 3
LONG_KOREAN = 2
_SMALL = frozenset(
    (
        "not without there thing therefore otherwise also even since as-well here inside within outside upon than per us well "
        "instead until longer o'clock uhr pm am still noch already hundred thousand do have has once twice"
    ).split()
)
_PARTICLES = frozenset(
    (
        "erst schon doch mal eben denn ja halt ya aún todavía déjà encore já ainda già ancora 就 才 也 都 もう まだ 벌써 "
        "우리 저희 herr herrn frau señor señora monsieur madame mme senhor senhora dona signor signora"
    ).split()
)
"""What only colours a sentence: "schließt erst um drei"; the "our" that English readers leave out, and titles before a name."""
_DROPPED = (
    word_classes.STOP | word_classes.NEGATORS | word_classes.NUMBER_WORDS.keys() | word_classes.UNIT_NAMES.keys() | _SMALL)
"""Words that no claim is compared by: what they say is read elsewhere, or nothing."""
_FAINT = LIGHT | frozenset(
    stem(word)
    for word in (
        "use make do take go come put get receive give have be happen exist hold always every each all only must may can now "
        "new same time day week month year there possible people person somebody part way kind thing own already "
        "currently regular"
    ).split()
)
"""Words that may come and go between two ways to say one thing."""
_GENERIC = frozenset(
    stem(word)
    for word in (
        "hall room place house building person people staff machine system environment area site department line number service"
    ).split()
)
"""Words that a compound may have in one language and leave out in another: "exhibition hall", "exhibition"."""
_OFFICES = frozenset(
    stem(word)
    for word in (
        "manager director boss chief head lead leader supervisor owner deputy secretary treasurer president chairman "
        "assistant clerk officer principal headmaster foreman conductor coordinator doctor nurse teacher trainer"
    ).split()
)
"""Who holds one is told apart by the word itself: within a language two words for it are two people."""
_KO_ENDINGS = frozenset(
    (
        "한다 된다 이다 합니다 됩니다 입니다 한 하는 하고 해서 하면 에 를 을 은 는 이 가 도 로 으로 우리 저희 대이다 것 수 "
        "개이다 명이다 시에 시에는 시이다 시부터 시까지"
    ).split()
)
_KO_TAIL = re.compile(
    r"(?<=[\uac00-\ud7af])(?:에서는|에서|에게|으로|까지|부터|은|는|이|가|을|를|의|에|도|로|와|과)$"
)


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a statement: as it stands, and each of its meanings as English stems."""

    surface: str
    meanings: tuple[frozenset[str], ...]

    @property
    def is_faint(self) -> bool:
        """Whether nothing hangs on it."""
        return any(meaning <= _FAINT for meaning in self.meanings)

    @property
    def is_generic(self) -> bool:
        """Whether another language may well leave it out: "system", "place"."""
        return any(meaning <= _GENERIC for meaning in self.meanings)

    @property
    def is_verb(self) -> bool:
        """Whether it can be nothing but a verb."""
        return bool(self.meanings) and all(meaning <= VERBS for meaning in self.meanings)

    @property
    def is_named(self) -> bool:
        """A name by its shape, which no lexicon translates."""
        shaped = self.surface[0].isupper() or self.surface.isascii() and any(c.isdigit() for c in self.surface)
        return shaped and all(meaning == {stem(self.surface.lower())} for meaning in self.meanings)


@dataclass(frozen=True, slots=True)
class Compared:
    """What two statements share, what each says in words of its own, and how much of them could be read."""

    shared: tuple[Word, ...]
    own_a: tuple[Word, ...]
    """Words of weight that only `a` has; those that could not be read have no meaning."""
    own_b: tuple[Word, ...]
    faint_a: tuple[Word, ...]
    """Words of `a` alone on which nothing hangs, as long as the lexicon took them for what they are."""
    faint_b: tuple[Word, ...]
    worded: bool
    """Every shared word stands on the other side itself, and not only a word of its meaning."""
    same_things: bool
    """The same of all shared words but verbs and those on which nothing hangs."""
    named: frozenset[str]
    """Names that stand on both sides, in lower case."""
    denied: tuple[bool, bool]
    """Whether the first clause of each denies what it speaks of."""
    denied_somewhere: tuple[bool, bool]
    lacking: tuple[bool, bool]
    """Whether each speaks of something that is done without."""
    read: float
    """The lesser share that was understood."""

    @property
    def topics(self) -> tuple[Word, ...]:
        """The shared words that tell what both are about."""
        return tuple(w for w in self.shared if not w.is_faint and not w.is_verb)


def compare(pair: PairFeatures, hearing: Hearing) -> Compared:
    """Lay the words of both on each other."""
    left, lost_a = _words(pair.a, hearing.a, alone=pair.same_script)
    right, lost_b = _words(pair.b, hearing.b, alone=pair.same_script)
    said = _surfaces(pair.a, left, lost_a), _surfaces(pair.b, right, lost_b)
    pools = _pool(left), _pool(right)
    in_one = bool(hearing.a and hearing.b)
    found_a = [_is_in(w, pools[1], in_one=in_one) or _stands(w.surface, said[1]) for w in left]
    found_b = [_is_in(w, pools[0], in_one=in_one) or _stands(w.surface, said[0]) for w in right]
    unread_a = [w for w in lost_a if not _stands(w.surface, said[1])]
    unread_b = [w for w in lost_b if not _stands(w.surface, said[0])]
    shares = _share_read(left, unread_a), _share_read(right, unread_b)
    met = [w for w in lost_a if w not in unread_a]
    return Compared(
        shared=(*(w for w, found in zip(left, found_a, strict=True) if found), *met),
        own_a=(*(w for w, found in zip(left, found_a, strict=True) if not found and not w.is_faint), *unread_a),
        own_b=(*(w for w, found in zip(right, found_b, strict=True) if not found and not w.is_faint), *unread_b),
        faint_a=tuple(w for w, found in zip(left, found_a, strict=True) if not found and w.is_faint),
        faint_b=tuple(w for w, found in zip(right, found_b, strict=True) if not found and w.is_faint),
        worded=all(_stands(w.surface, said[1]) for w, found in zip(left, found_a, strict=True) if found),
        same_things=all(
            _stands(w.surface, said[1]) or w.is_faint or w.is_verb for w, found in zip(left, found_a, strict=True) if found
        ),
        named=frozenset(w.surface.lower() for w in (*met, *lost_b) if w not in unread_b and w.is_named),
        denied=(denies(pair.a, abroad=bool(hearing.a)), denies(pair.b, abroad=bool(hearing.b))),
        denied_somewhere=(
            denies(pair.a, abroad=bool(hearing.a), whole=True),
            denies(pair.b, abroad=bool(hearing.b), whole=True),
        ),
        lacking=(lacks(pair.a), lacks(pair.b)),
        read=min(shares),
    )


def _share_read(known: Sequence[Word], unread: Sequence[Word]) -> float:
    """How much of a statement was understood; a name needs no understanding."""
    strange = sum(not w.is_named for w in unread)
    return len(known) / max(1, len(known) + strange)


def _words(slots: Slots, heard: Sequence[tuple[str, ...]], *, alone: bool) -> tuple[list[Word], list[Word]]:
    """The words that carry a claim, and those that could not be read; of one character only where it can be found `alone`."""
    if not heard:
        cut = enumerate(slots.tokens)
        told = [(n, t) for n, t in cut if t.is_content and t.kind != "number" and not t.lower[0].isdigit()]
        return [Word(_surface(t, slots, n), _english(t)) for n, t in told if t.lower not in _DROPPED], []
    found: list[Word] = []
    lost: list[Word] = []
    for surface, *meanings in heard:
        if surface in _PARTICLES:
            continue
        if not meanings:
            bare = _KO_TAIL.sub("", surface) if len(surface) > LONG_KOREAN else surface
            lost += [Word(bare, ())] if _is_word(surface) and (alone or len(surface) > 1) else []
            continue
        meant = tuple(dict.fromkeys(map(_meaning, meanings)))
        if all(meant):
            found.append(Word(surface, meant))
    return found, lost


def _english(token: Token) -> tuple[frozenset[str], ...]:
    """An English word; one with hyphens also without them, and as the words it is made of."""
    if "-" not in token.lower:
        return (frozenset([token.stem]),)
    parts = frozenset(stem(part) for part in token.lower.split("-") if part not in _DROPPED)
    return (frozenset([token.stem]), frozenset([stem(token.lower.replace("-", ""))]), parts)


def _surface(token: Token, slots: Slots, place: int) -> str:
    """The word as it stands; at the head of a sentence a capital tells of no name."""
    return token.lower if not place and token.surface.istitle() and not slots.starts[0] else token.surface


def _meaning(english: str) -> frozenset[str]:
    """The stems of a meaning that carry something; empty where none does."""
    stems = frozenset(stem(word) for word in english.split() if word not in _DROPPED)
    return stems - _FAINT - _GENERIC or stems


def _is_word(surface: str) -> bool:
    if not any(c.isalpha() for c in surface) or surface[0].isdigit() or surface[0] in CHARACTER_NUMBERS:
        return False
    lone = len(surface) == 1 and not "\u3400" <= surface <= "\u9fff"
    return not lone and surface not in _KO_ENDINGS and surface.lower() not in _DROPPED


def _pool(told: Iterable[Word]) -> frozenset[str]:
    """All stems of one side, and the rows of words of one meaning they stand in."""
    stems = {s for word in told for meaning in word.meanings for s in meaning}
    return frozenset(stems) | {f"={row}" for s in stems for row in ALIKE.get(s, ())}


def _is_in(word: Word, pool: frozenset[str], *, in_one: bool) -> bool:
    if in_one and any(meaning & _OFFICES for meaning in word.meanings):
        return False
    return any(all(s in pool or any(f"={row}" in pool for row in ALIKE.get(s, ())) for s in m) for m in word.meanings)


def _surfaces(slots: Slots, known: Iterable[Word], lost: Iterable[Word]) -> frozenset[str]:
    """Words as they stand, for names and for words that two languages have in common."""
    return frozenset([*(w.surface.lower() for w in (*known, *lost)), *(t.lower for t in slots.tokens)])


def _stands(surface: str, said: frozenset[str]) -> bool:
    """The word itself, or a word of the same beginning, stands on the other side."""
    low = surface.lower()
    if len(low) == 1:
        return any(low in other for other in said)
    return low in said or len(low) >= KIN_LETTERS and any(_kin(low, other) for other in said)


def _kin(one: str, other: str) -> bool:
    """Forms of one word: "fermentation" and "fermentación"; "seeder" and "seeders"."""
    short, long = sorted((one, other), key=len)
    long = long.removeprefix("ge") if long.startswith("ge" + short[:2]) else long  # "leitet", "geleitet"
    common = next((n for n, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short))
    return common >= max(KIN_LETTERS, len(short) - KIN_ENDING) and len(long) - common <= KIN_ENDING + 1
