"""One claim in two dresses that rules can undo: denied twice, its opposite denied, told from the other end, in other units."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re
from collections.abc import Sequence

from dreamd.judge.claims.converse import tied
from dreamd.judge.features import PairFeatures, denies_softly
from dreamd.judge.slots import Slots
from dreamd.text import word_classes
from dreamd.text.markers import DIMENSION_NOUNS, LIGHT
from dreamd.text.numerals import CHARACTER_NUMBERS
from dreamd.text.quantities import dimension
from dreamd.text.tokens import Token, stem, tokens

MOST_APART = 2
"""Unshared words up to which two statements may be one relation told from its two ends."""
_COMPLEMENTS = frozenset(
    frozenset(stem(word) for word in pair.split("/"))
    for pair in (
        "accept/reject accept/refuse accept/decline allow/forbid permit/forbid allow/deny visible/hidden open/closed "
        "locked/unlocked enabled/disabled enable/disable on/off public/private encrypted/unencrypted optional/mandatory "
        "optional/required online/offline true/false signed/unsigned tracked/untracked sorted/unsorted compressed/uncompressed "
        "mutable/immutable stateful/stateless pass/fail succeed/fail show/hide include/exclude present/absent paid/unpaid "
        "filled/empty full/empty attended/unattended keep/remove keep/delete keep/drop leave/remove leave/delete"
    ).split()
)
"""Opposites without a middle: what is not the one is the other."""
_TWO_ARE_ONE = frozenset(["fr", "es", "pt", "it"])
"""Languages that say one denial with two words."""
_HOLDING = frozenset(stem(word) for word in "fit contain carry limit load".split())
_WEIGHING = frozenset(stem(word) for word in "weigh weight mass heavy".split())
_AT_ALL = frozenset("else ever anyone anybody anything anywhere whatsoever".split())
_NEXT = frozenset("because since but so as and weil denn aber und porque pero y car mais et pois mas e".split())
_NO_LONGER = frozenset(["mais"])
"""But in one language, more in another."""
_BEGINNING = frozenset("the this these that our their his her its my it he she they we i you there".split())
"""Words behind an "as" that gives a reason; behind one that gives a role ("as guest") stands a bare noun."""
_JOINING = frozenset("and or nor und oder noch y ni o et ou e ; .".split())
_RELATING = frozenset("that which who whose der die das dem den was que qui che".split())
_PIVOTS = frozenset("without unless until except".split())
_FIRST_THEN = frozenset(["before", "after"])
_EARLIER = frozenset("before only once after when if until as".split())
_IS_SO = re.compile(r"[,;:] ?(?:because |since |as )?(?:he|she|it|they|we|i)(?:'s| is| are|'re|'m| am) (\w+)")
_FILLING = LIGHT | frozenset(
    stem(w) for w in "leave left stay remain together along every each somebody someone anybody anyone first case".split()
)


def turned_no(pair: PairFeatures) -> str:
    """Why a denial on one side alone is no difference: the other side denies the denial. Empty when it is one."""
    if not pair.a.negations and not pair.b.negations or len(pair.shared) < MOST_APART:
        return ""
    if pair.numbers_a or pair.numbers_b or pair.fixed_a or pair.fixed_b or pair.names_a and pair.names_b:
        return ""
    if pair.a.quantifiers & {"some", "most"} or pair.b.quantifiers & {"some", "most"}:
        return ""
    if _denied_opposite(pair):
        return "what one denies is the opposite of what the other says"
    for denying, plain in ((pair.a, pair.b), (pair.b, pair.a)):
        if plain.negations == 0 and denying.tongue not in _TWO_ARE_ONE and _denies_twice(denying, plain):
            return "one denies twice what the other says"
    return ""


def told_from_both_ends(pair: PairFeatures) -> bool:
    """One relation, told from its two ends."""
    return ends(pair) > 0


def ends(pair: PairFeatures) -> int:
    """How `tied` finds the two, where they are alike enough to be worth a look; 0 otherwise."""
    alike = len(pair.only_a) <= MOST_APART and len(pair.only_b) <= MOST_APART and len(pair.shared) >= MOST_APART
    return tied(pair.a.text, pair.b.text) if alike else 0


def says_too(denying: Slots, plain: Slots) -> bool:
    """The denying side says, beside what it denies, just what the other says: "she can't have milk, she is intolerant"."""
    reason = _IS_SO.search(denying.folded.lower())
    return reason is not None and plain.verb == stem(reason.group(1))


def narrowing(denying: Slots, other: Slots) -> frozenset[str]:
    """What a denial adds in its own clause, a place, a time, a case: it then denies less than the other says."""
    if {t.lower for t in denying.tokens} & _AT_ALL:
        return frozenset()
    clause: set[str] = set()
    ends = _NEXT - _NO_LONGER if denying.tongue == "pt" else _NEXT
    reached = False
    for at, token in enumerate(denying.tokens):
        after = denying.tokens[at + 1].lower if at + 1 < len(denying.tokens) else ""
        role = token.lower == "as" and after not in _BEGINNING
        if reached and (token.kind == "stop" or token.lower in ends and not role):
            break
        if _is_no(token):
            reached = True
        elif reached and token.is_content:
            clause.add(token.stem)
    marked = {t.stem for marker in denying.changes for t in tokens(marker)}
    return frozenset(clause) - other.content_set - marked - LIGHT


def told_alike(left: tuple[Token, ...], right: tuple[Token, ...], pair: PairFeatures, *, least: int = 2) -> bool:
    """Beside numbers, units, denials and light verbs both say the same words.

    How much a thing holds is not how much it weighs.
    """
    one, other = ({_same(s) for s in weighty(*side)} for side in ((left, pair.a), (right, pair.b)))
    shared = one & other
    mine, theirs = one - shared - pair.shared, other - shared - pair.shared
    if len(shared) < least or (mine | theirs) - _HOLDING:
        return False
    return not (mine | theirs) or (pair.a.stems | pair.b.stems).isdisjoint(_WEIGHING)


def weighty(told: tuple[Token, ...], slots: Slots) -> frozenset[str]:
    """The stems that carry a claim, without numbers, units, denials and light verbs."""
    dims = {dimension(key) for key in slots.numbers}
    return frozenset(
        t.stem
        for t in told
        if t.is_content
        and t.kind != "number"
        and t.lower not in word_classes.UNIT_NAMES
        and t.lower not in word_classes.NUMBER_WORDS
        and t.lower not in word_classes.FRACTION_WORDS
        and t.lower not in word_classes.SCALE_WORDS
        and not (t.lower.endswith("fold") and t.lower.removesuffix("fold") in word_classes.NUMBER_WORDS)
        and t.surface not in CHARACTER_NUMBERS
        and t.lower not in word_classes.NEGATORS
        and t.stem not in LIGHT
        and DIMENSION_NOUNS.get(t.lower) not in dims
    )


def _denied_opposite(pair: PairFeatures) -> bool:
    """ "Must not reject" and "has to accept"."""
    if len(pair.opposites) != 1 or frozenset(pair.opposites[0]) not in _COMPLEMENTS:
        return False
    counts = [slots.negations - _bans(slots, word) for slots, word in zip((pair.a, pair.b), pair.opposites[0], strict=True)]
    if counts[0] % 2 == counts[1] % 2 or max(counts) > 1:
        return False
    denying, word = (pair.a, pair.opposites[0][0]) if counts[0] else (pair.b, pair.opposites[0][1])
    lax = {t.lower for t in denying.tokens} & {"need", "needs", "have", "has", "needn't", "always", "all", "every"}
    rest = (pair.only_a | pair.only_b) - set(pair.opposites[0]) - LIGHT
    other = pair.b if denying is pair.a else pair.a
    weaker = other.modal == "may" and denying.modal == "must"
    return word in denying.denied and not lax and not weaker and not rest and pair.a.conditions == pair.b.conditions


def _bans(slots: Slots, word: str) -> int:
    """1 where a word is a denial by itself: "forbidden"."""
    return int(any(t.stem == word and t.lower in word_classes.NEGATORS for t in slots.tokens))


def _denies_twice(denying: Slots, plain: Slots) -> bool:
    """ "No x without y", "nothing unsigned", "not … unless": two denials that leave a demand."""
    said = plain.content_set
    cut = denying.tokens
    pivot = next((i for i, t in enumerate(cut) if i and (t.lower in _PIVOTS or _undone(t, said))), -1)
    second = next((i for i, t in enumerate(cut) if i and _is_no(t) and any(_is_no(u) for u in cut[:i])), -1)
    pivot = pivot if pivot > 0 else second
    if pivot < 1 or not any(_is_no(t) for i, t in enumerate(cut) if i != pivot):
        return False
    if cut[pivot].lower in _PIVOTS and cut[pivot].lower in plain.spoken:
        return False  # "until" stands in both: the one says it of a denial, the other of its opposite
    if pivot == second and _parted(cut, second) or len(plain.names | denying.names) > 1:
        return False
    if not plain.only and denies_softly(plain, denying):
        return False
    late = any(_is_no(t) for t in cut[pivot + 1 :])
    if plain.modal == "may" or late and not (plain.only or plain.modal == "must"):
        return False
    mine = {t.stem.removeprefix("un") if _undone(t, said) else t.stem for t in cut if t.is_content and not _is_no(t)}
    theirs = {t.stem for t in plain.tokens if t.is_content}
    if (mine ^ theirs) - _FILLING or len(mine & theirs - LIGHT) < 2:
        return False
    demand = [t.stem.removeprefix("un") for t in cut[pivot:] if t.is_content and not _is_no(t)][:1]
    thing = [t.stem for t in cut[:pivot] if t.is_content and not _is_no(t) and t.stem not in LIGHT][:1]
    order = [t.stem for t in plain.tokens]
    if not demand or not thing or demand[0] not in order or thing[0] not in order:
        return False
    ahead = order.index(thing[0]) < order.index(demand[0])
    if not plain.spoken.isdisjoint(_FIRST_THEN) and _comes_after(plain, demand[0]):
        return False  # "checked after anybody climbs" demands no check before
    return ahead or bool({t.lower for t in plain.tokens} & _EARLIER)


def _comes_after(plain: Slots, demand: str) -> bool:
    """What is demanded comes only after the thing: it stands behind a "before", or ahead of an "after"."""
    cut = plain.tokens
    at = next(i for i, t in enumerate(cut) if t.lower in _FIRST_THEN)
    stop = next((i for i, t in enumerate(cut) if t.kind == "stop"), len(cut)) if at == 0 else len(cut)
    behind = any(t.stem.removeprefix("un") == demand for t in cut[at:stop])
    return behind == (cut[at].lower == "before")


def _parted(cut: Sequence[Token], second: int) -> bool:
    """Two denials of two things, side by side: "Ida doesn't bake, and Odo doesn't fry"."""
    first = next(i for i, t in enumerate(cut) if _is_no(t))
    between = [t.lower for t in cut[first + 1 : second + 1]]
    return not _JOINING.isdisjoint(between) or "," in between and _RELATING.isdisjoint(between)


def _undone(token: Token, said: frozenset[str]) -> bool:
    return token.lower.startswith("un") and token.stem.removeprefix("un") in said


def _is_no(token: Token) -> bool:
    return token.lower in word_classes.NEGATORS or token.stem == "not"


def _same(word: str) -> str:
    return word.replace("-", "")
