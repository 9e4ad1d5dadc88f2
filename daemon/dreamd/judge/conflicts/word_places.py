"""Words that stand in each other's places: of equal words the one sentence makes another claim than the other.

"Ida lends Odo the saw" and "Odo lends Ida the saw". A phrase with its preposition may stand anywhere ("in June", "im Juni"),
and what is something may be told from either end ("the dog is Rex", "Rex is the dog").
"""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

from collections import Counter

from dreamd.judge.abroad.turns_abroad import is_agentless
from dreamd.judge.conflicts.structure import same_list, told_as_list
from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import Slots

PARTS = 2
_ARTICLES = {
    "en": frozenset("the a an our its their your my his her this that these those".split()),
    "de": frozenset("der die das den dem des ein eine einen einem einer eines unser unsere unserer".split()),
    "es": frozenset("el la los las lo un una unos unas nuestro nuestra".split()),
    "fr": frozenset("le la les un une des notre nos".split()),
    "pt": frozenset("o a os as um uma nosso nossa".split()),
    "it": frozenset("il lo la i gli le un uno una nostro nostra".split()),
}
_OPENING = {
    "en": frozenset(
        (
            "in at on to from by with without for over under before after when whenever if unless because since while during "
            "as until behind between through via against within inside per except once every each of"
        ).split()
    ),
    "de": frozenset(
        (
            "in im am an auf aus bei beim mit nach vor ab seit bis um zu zum zur von vom für über unter durch ohne gegen "
            "zwischen während wegen wenn falls sobald solange bevor nachdem weil da jeden jede jedes pro"
        ).split()
    ),
    "es": frozenset("en a al con sin de del desde hasta por para antes después durante cuando si cada todos todas".split()),
    "fr": frozenset("à au aux en dans avec sans de du dès depuis pour par avant après pendant quand si chaque tous".split()),
    "pt": frozenset("em na nas no nos ao à aos às com sem de do da desde até por para antes depois quando se cada".split()),
    "it": frozenset("in nel nella a al alla con senza di del da dal dalla per prima dopo durante quando se ogni".split()),
}
_BEING = frozenset("is are was were be ist sind war es son est sont é são è sono".split())
_NOT_BOTH = (("from", "to"), ("with", "without"), ("over", "under"))


def change_places(pair: PairFeatures) -> bool:
    """What stands before some words stands behind them on the other side, and the other way round, the rest being equal."""
    left, right = _said(pair.a), _said(pair.b)
    if left == right or sorted(left) != sorted(right) or not pair.same_script:
        return False
    if same_list(pair) or told_as_list(pair) or is_agentless(pair.a.spoken, pair.a.tongue):
        return False
    ahead = next(n for n, (x, y) in enumerate(zip(left, right, strict=True)) if x != y)
    behind = next(n for n, (x, y) in enumerate(zip(reversed(left), reversed(right), strict=True)) if x != y)
    one, other = left[ahead : len(left) - behind], right[ahead : len(right) - behind]
    opening = _OPENING.get(pair.a.tongue, frozenset())
    return any(
        one[end:] + one[start:end] + one[:start] == other
        and opening.isdisjoint((one[0], one[end]))
        and not (len(one) == len(left) and _BEING.issuperset(one[start:end]))
        for start in range(1, len(one) - 1)
        for end in range(start + 1, len(one))
    )


def told_from_other_end(pair: PairFeatures) -> bool:
    """What is something, told once from the one end of the "is" and once from the other."""
    if _BEING.isdisjoint(pair.a.spoken) or not pair.same_script:
        return False
    left, right = _said(pair.a), _said(pair.b)
    return any(word in _BEING and right == [*left[at + 1 :], word, *left[:at]] for at, word in enumerate(left))


def turns_about(pair: PairFeatures) -> bool:
    """One goes from where the other goes to."""
    counts = [Counter(t.lower for t in slots.tokens) for slots in (pair.a, pair.b)]
    more, less = counts[0] - counts[1], counts[1] - counts[0]
    return any(one in more and other in less or one in less and other in more for one, other in _NOT_BOTH)


def paired_otherwise(pair: PairFeatures) -> bool:
    """One says "baking: Ida, frying: Odo", and of what it tells apart so the other says it crosswise."""
    for mine, theirs in ((pair.a, pair.b), (pair.b, pair.a)):
        told = _labelled(mine)
        if len(told) < PARTS:
            continue
        parts = [frozenset(clause) for clause in theirs.clauses] if ":" not in theirs.spoken else _labelled(theirs)
        if any(not any(each <= part for part in parts) for each in told):
            return True
    return False


def _labelled(slots: Slots) -> list[frozenset[str]]:
    """Each label together with what is said behind its colon."""
    parts: list[list[str]] = [[]]
    labels = 0
    for token in slots.tokens:
        labels += token.surface == ":"
        if token.kind == "stop" and token.surface != ":":
            parts.append([])
        elif token.is_content:
            parts[-1].append(token.stem)
    return [frozenset(part) for part in parts if part] if labels >= PARTS else []


def _said(slots: Slots) -> list[str]:
    """The words without articles and stops: small ones as they stand, others by their stem."""
    dropped = _ARTICLES.get(slots.tongue, frozenset())
    told = [t for t in slots.tokens if t.kind != "stop" and t.lower not in dropped]
    return [t.stem if t.is_content else t.lower for t in told]
