"""Same words, same parts in the claim? Whether two statements with equal content words also put them in equal roles.

"Merge develop into main" and "merge main into develop" have every word in common. So before equal words count as an equal
claim, their places are compared: what stands behind each preposition, what shares a clause, who stands before the verb.
Phrases and clauses may change places, lists may change their order, a passive may become active.
"""

# ruff: noqa: E501, SIM905  word lists read better as runs of words

from __future__ import annotations

from dreamd.judge.claims.moved import clauses_alike, in_one_phrase, phrase_moved
from dreamd.judge.conflicts.sequence import order_in, same_order
from dreamd.judge.features import PairFeatures, inversions, is_cleft
from dreamd.judge.slots import Slots

_JOINTS = {
    word: group
    for group, members in {
        "in": "in at inside within into",
        "on": "on onto upon",
        "to": "to towards",
        "from": "from",
        "by": "by",
        "with": "with",
        "without": "without",
        "for": "for",
        "of": "of",
        "over": "over above",
        "under": "under below beneath",
        "before": "before until till",
        "after": "after once since",
        "when": "when whenever if",
        "unless": "unless",
        "because": "because",
        "behind": "behind",
        "between": "between among",
        "through": "through via",
        "against": "against",
        "off": "off out outside",
        "as": "as",
        "than": "than",
        "while": "while during",
        "so": "so",
        "that": "that which who whose",
        "about": "about",
        "per": "per",
        "instead": "instead",
    }.items()
    for word in members.split()
}
_VOICES = {
    word: group
    for group, members in {
        "must": "must shall has-to",
        "should": "should ought",
        "may": "may might",
        "could": "could",
        "would": "would",
        "will": "will",
        "did": "did",
        "few": "few little",
        "need": "need needs needed want wants",
        "or": "or either",
        "both": "both",
        "not": "not no never none nobody nothing neither nor without don't doesn't isn't aren't cannot can't won't mustn't dont",
        "some": "some several",
        "most": "most mostly usually rarely seldom often",
        "only": "only",
        "almost": "almost nearly hardly barely scarcely",
        "other": "other another",
        "own": "own",
        "us": "us me",
        "them": "them him her",
        "too": "too",
        "again": "again",
        "still": "still",
        "yet": "yet",
        "up": "up",
        "down": "down",
        "out": "out",
        "more": "more",
        "less": "less fewer",
    }.items()
    for word in members.split()
}
_ARTICLES = frozenset("the a an our its their your my his this that these those every each all any".split())
ROUGHLY = frozenset("about roughly approximately around circa almost nearly".split())
_LIST = frozenset(", and & or und y et e 、 ，".split())
LONG_LIST = 3
_GOVERNING = frozenset("to from by with without over under before after for in on off behind against when unless because than".split())
_OPPOSED = frozenset(
    frozenset(pair.split("/"))
    for pair in (
        "from/to from/for by/for by/with by/to with/without over/under under/with under/in under/on before/after over/in behind/in "
        "with/against for/against off/on off/in from/in over/on without/in behind/on to/without when/unless"
    ).split()
)
"""Prepositions of which one cannot stand for the other."""


def said_alike(pair: PairFeatures) -> bool:
    """The small words that change what is claimed are the same: must, may, will, few, or, only."""
    return _voices(pair.a) == _voices(pair.b)


def _voices(slots: Slots) -> frozenset[str]:
    cut = slots.tokens
    found = {_VOICES[t.lower] for t in cut if t.lower in _VOICES}
    if any(t.lower == "a" and u.lower in ("few", "little") for t, u in zip(cut, cut[1:], strict=False)):
        found.add("a few")
    if any(t.lower in ROUGHLY for t in cut):
        found.add("roughly")
    if any(t.lower in ("has", "have", "needs", "need") and u.lower == "to" for t, u in zip(cut, cut[1:], strict=False)):
        found.add("must")
        found.discard("need")
    return frozenset(found - {"not", "us", "them"})


def other_roles(pair: PairFeatures) -> str:
    """Two words that have changed places: behind a preposition, in a clause, or around the verb. Empty when none have."""
    if phrase_moved(pair):
        return ""
    left, right = openings(pair.a), openings(pair.b)
    if not _same_order(pair):
        lost = {(stem, joint) for stem, joint in left.items() if right.get(stem) != joint and stem in pair.shared}
        gained = {(stem, joint) for stem, joint in right.items() if left.get(stem) != joint and stem in pair.shared}
        for stem, joint in sorted(lost):
            other = next((s for s, j in sorted(gained) if j == joint and s != stem and not in_one_phrase(pair, stem, s)), "")
            if other and pair.a.passive == pair.b.passive and not same_list(pair):
                return f"`{joint} {stem}` against `{joint} {other}`"
    return _other_clause(pair) or _turned_around(pair, left.keys() | right.keys())


def other_opening(pair: PairFeatures) -> str:
    """A shared word that stands behind opposite prepositions: "from the app", "to the app"."""
    if pair.a.passive != pair.b.passive or _same_order(pair):
        return ""
    left, right = openings(pair.a), openings(pair.b)
    strict = pair.a.content == pair.b.content
    for stem in sorted(left.keys() & right.keys()):
        one, other = left[stem], right[stem]
        if one != other and (strict or frozenset((one, other)) in _OPPOSED):
            return f"`{one} {stem}` against `{other} {stem}`"
    return ""


def openings(slots: Slots) -> dict[str, str]:
    """The preposition or connective right before each content word, articles aside."""
    found: dict[str, str] = {}
    before = ""
    for token in slots.tokens:
        if token.lower in _ARTICLES:
            continue
        if token.lower in _JOINTS:
            before = _JOINTS[token.lower]
        elif token.is_content:
            if before in _GOVERNING and token.stem not in found:
                found[token.stem] = before
            before = ""
        else:
            before = before if token.kind == "op" else ""
    return found


def _other_clause(pair: PairFeatures) -> str:
    """As many clauses of the same words, but the words are paired otherwise."""
    left, right = (sorted(tuple(sorted(clause)) for clause in slots.clauses) for slots in (pair.a, pair.b))
    if len(left) < 2 or len(left) != len(right) or left == right or same_list(pair) or told_as_list(pair):
        return ""
    if sorted(pair.a.content) != sorted(pair.b.content) or clauses_alike(pair):
        return ""
    return "the same words are paired otherwise"


def _turned_around(pair: PairFeatures, governed: frozenset[str] | set[str]) -> str:
    """Who and what exchanged around the verb of one clause, in one voice."""
    if pair.a.passive != pair.b.passive or same_list(pair) or _same_order(pair) or is_cleft(pair.a) != is_cleft(pair.b):
        return ""
    for one, other in inversions(pair.a, pair.b, pair.shared):
        verb = pair.a.verb == pair.b.verb and pair.a.verb in (one, other)
        subject = one in pair.a.subject - pair.b.subject and other in pair.b.subject - pair.a.subject
        if (verb or subject) and one not in governed and other not in governed:
            return f"`{one} {other}` against `{other} {one}`"
    return ""


def _same_order(pair: PairFeatures) -> bool:
    left, right = order_in(pair.a.folded), order_in(pair.b.folded)
    other_words = pair.a.bearings != pair.b.bearings
    return bool(other_words and left and right and left[0] & right[0] and left[1] & right[1])


def same_list(pair: PairFeatures) -> bool:
    """The words that stand elsewhere are all items of one list, and the rest is in place."""
    if _two_in_turn(pair):
        return True
    left, right = _listed(pair.a), _listed(pair.b)
    if len(left) < 2 or left != right:
        return False
    rest = pair.shared - left
    if pair.a.passive != pair.b.passive and len(left) >= LONG_LIST:
        return True
    return [s for s in pair.a.content if s in rest] == [s for s in pair.b.content if s in rest]


def _two_in_turn(pair: PairFeatures) -> bool:
    """ "In cash or by bank transfer", "by bank transfer or in cash": the second part of one is the end of the other's first."""
    left, right = pair.a.clauses, pair.b.clauses
    if len(left) != 2 or len(right) != 2 or left[0][0] != right[0][0]:
        return False
    common = next((n for n, (x, y) in enumerate(zip(left[0], right[0], strict=False)) if x != y), 0)
    return common > 0 and left[0][common:] == right[1] and right[0][common:] == left[1]


def told_as_list(pair: PairFeatures) -> bool:
    """ "Sizes we stock: 3, 4 and 5" beside "we stock 5, 4 and 3": what stands behind a colon is the list of the other."""
    left, right = _listed(pair.a), _listed(pair.b)
    if len(left) < LONG_LIST or left != right or len(pair.only_a | pair.only_b) > 1 or pair.numbers_a or pair.numbers_b:
        return False
    behind = [slots.low.partition(":")[2] for slots in (pair.a, pair.b)]
    count = len(left)
    return any(tail and 0 <= tail.count(",") + tail.count(" and ") - count + 1 <= 1 and ":" not in tail for tail in behind)


def moved_whole(pair: PairFeatures) -> bool:
    """Words in common stand in one order, but for one clause or phrase that has moved as a whole; or voice or list explain it."""
    left = [s for s in pair.a.content if s in pair.shared]
    right = [s for s in pair.b.content if s in pair.shared]
    if sorted(left) != sorted(right) or pair.a.passive != pair.b.passive or same_list(pair) or told_as_list(pair):
        return True
    while left and right and left[0] == right[0]:
        left, right = left[1:], right[1:]
    while left and right and left[-1] == right[-1]:
        left, right = left[:-1], right[:-1]
    turns = [right[n:] + right[:n] for n in range(len(right) or 1)]
    return left in turns or not _names_each(pair)


def _names_each(pair: PairFeatures) -> bool:
    """ "lint: ruff, test: pytest": several things in one sentence, each with a value of its own."""
    cut = [[t.lower for t in slots.tokens] for slots in (pair.a, pair.b)]
    return any(words.count(":") > 1 or "and" in words and len(words) > LONG_LIST for words in cut)


def order_from_both_ends(pair: PairFeatures) -> bool:
    """ "X before y" and "y after x", with nothing else of its own on either side."""
    if pair.only_a or pair.only_b or len(pair.shared) < LONG_LIST - 1 or pair.a.negations or pair.b.negations:
        return False
    if pair.numbers_a or pair.numbers_b or pair.names_a or pair.names_b:
        return False
    turned = [slots.bearings & {"before", "after"} for slots in (pair.a, pair.b)]
    return same_order(pair.a.folded, pair.b.folded) and turned[0] != turned[1] and all(len(side) == 1 for side in turned) and said_alike(pair)


def _listed(slots: Slots) -> frozenset[str]:
    """Stems of the single-word items of a list."""
    if slots.spoken.isdisjoint(_LIST):
        return frozenset()
    found: set[str] = set()
    cut = [t for t in slots.tokens if t.lower not in _ARTICLES]
    for i, token in enumerate(cut):
        near = {cut[j].lower for j in (i - 1, i + 1) if 0 <= j < len(cut)}
        if token.is_content and near & _LIST:
            found.add(token.stem)
    return frozenset(found)
