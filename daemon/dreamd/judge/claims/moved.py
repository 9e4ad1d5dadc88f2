"""A phrase or a clause put elsewhere in a sentence, with every word as it was: the same claim.

"For more than four books, loans go through Edda" and "Loans of more than four books go through Edda"; "the rota hangs in the
office and helpers must not change it" and "helpers must not change the rota, which hangs in the office".
"""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

from collections.abc import Sequence

from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import Slots
from dreamd.text.clauses import clauses
from dreamd.text.tokens import Token

LONGEST_REFERENT = 3
TWO = 2
_OPENING = frozenset(
    (
        "in at on to from by with without for over under before after when whenever if unless because since while during as "
        "until behind between through via against within inside per except once"
    ).split()
)
"""What a phrase that can be moved begins with."""
_SMALL = frozenset("the a an our its their your my his her this that these those".split())
_JOINING = frozenset(["and", "or"])
_BINDING = _JOINING | {"of"}
_REFERRING = frozenset("it its they them their which that who whose he she him this".split())


def phrase_moved(pair: PairFeatures) -> bool:
    """The one sentence is the other with one phrase moved, which begins with a preposition or a connective."""
    left, right = _said(pair.a), _said(pair.b)
    if len(left) != len(right) or left == right or sorted(left) != sorted(right):
        return False
    ahead = next(n for n, (x, y) in enumerate(zip(left, right, strict=True)) if x != y)
    behind = next(n for n, (x, y) in enumerate(zip(reversed(left), reversed(right), strict=True)) if x != y)
    one, other = left[ahead : len(left) - behind], right[ahead : len(right) - behind]
    return any(one[cut:] + one[:cut] == other and not _OPENING.isdisjoint((one[0], one[cut])) for cut in range(1, len(one)))


def _said(slots: Slots) -> list[str]:
    """The words without articles and stops: small ones as they stand, others by their stem."""
    told = [t for t in slots.tokens if t.kind != "stop" and t.lower not in _SMALL]
    return [t.stem if t.is_content else t.lower for t in told]


def clauses_alike(pair: PairFeatures) -> bool:
    """The same clauses in another order, where a pronoun may stand in either for what the other names."""
    common = _joined(pair.a) & _joined(pair.b)
    left, right = _clauses(pair.a, common), _clauses(pair.b, common)
    if left == right:
        return True
    if pair.a.spoken.isdisjoint(_REFERRING) or pair.b.spoken.isdisjoint(_REFERRING):
        return False
    return any(_without(left, run) == _without(right, run) for run in _runs(pair.a.content) & _runs(pair.b.content))


def crossed(pair: PairFeatures) -> str:
    """Two things, each with another of two partners: "the vault holds wine and the cellar cheese", turned. Empty when not."""
    if len(pair.shared) < TWO + TWO or len(pair.a.clauses) < TWO or len(pair.b.clauses) < TWO:
        return ""
    common = _joined(pair.a) & _joined(pair.b)
    left, right = (_partners(_clauses(slots, common), pair.shared) for slots in (pair.a, pair.b))
    if len(left) < TWO or len(right) < TWO:
        return ""
    for one in sorted(pair.shared):
        mine, theirs = _with(left, one), _with(right, one)
        if not mine or not theirs or mine == theirs:
            continue
        for partner in sorted(mine - theirs - {one}):
            for other in sorted(theirs - mine - {one}):
                rest = (_with(left, other) - mine) & (_with(right, partner) - theirs) - {partner, other}
                if rest:
                    return f"`{one} {partner}` against `{one} {other}`"
    return ""


def _partners(told_in: Sequence[tuple[str, ...]], shared: frozenset[str]) -> list[frozenset[str]]:
    """The shared words of each clause; none twice, for then it is not clear with what it goes."""
    found = [frozenset(clause) & shared for clause in told_in]
    told = [word for clause in found for word in clause]
    return [clause for clause in found if clause] if len(told) == len(set(told)) else []


def _with(told: Sequence[frozenset[str]], word: str) -> frozenset[str]:
    return next((clause for clause in told if word in clause), frozenset())


def in_one_phrase(pair: PairFeatures, one: str, other: str) -> bool:
    """Both sides say the two as one thing or as two that go together: "the repo root", "root of the repo"; "ham and eggs"."""
    return all(_are_neighbours(slots, one, other) for slots in (pair.a, pair.b))


def _are_neighbours(slots: Slots, one: str, other: str) -> bool:
    told = [t for t in slots.tokens if t.lower not in _SMALL and t.lower not in _BINDING]
    return any({x.stem, y.stem} == {one, other} for x, y in zip(told, told[1:], strict=False))


def _joined(slots: Slots) -> frozenset[frozenset[str]]:
    """What stands around an "and" or an "or", two by two."""
    if slots.spoken.isdisjoint(_JOINING):
        return frozenset()
    told = [t for t in slots.tokens if t.lower not in _SMALL]
    around = zip(told, told[1:], told[2:], strict=False)
    return frozenset(frozenset((x.stem, y.stem)) for x, joint, y in around if joint.lower in _JOINING)


def _clauses(slots: Slots, common: frozenset[frozenset[str]]) -> list[tuple[str, ...]]:
    """The clauses, each sorted; a pair of words that both sides join is not cut."""
    told = [t for t in slots.tokens if t.lower not in _SMALL]
    kept: list[Token] = [] if common else told
    for at, token in enumerate(told) if common else ():
        inside = 0 < at < len(told) - 1 and token.lower in _JOINING
        if not (inside and frozenset((told[at - 1].stem, told[at + 1].stem)) in common):
            kept.append(token)
    return sorted(tuple(sorted(clause)) for clause in clauses(kept))


def _runs(content: Sequence[str]) -> frozenset[tuple[str, ...]]:
    """What a pronoun may stand for: one word, or a few in a row."""
    sizes = range(1, LONGEST_REFERENT + 1)
    return frozenset(tuple(content[at : at + n]) for n in sizes for at in range(len(content) - n + 1))


def _without(told: Sequence[tuple[str, ...]], run: tuple[str, ...]) -> list[tuple[str, ...]]:
    return sorted(clause for clause in (tuple(w for w in clause if w not in run) for clause in told) if clause)
