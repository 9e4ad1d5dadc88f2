"""The hard guards: differences that forbid a merge whatever a score says, each with the sentence that explains it."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dreamd.judge.abroad.bearings_abroad import bearings_apart
from dreamd.judge.abroad.characters import characters_apart
from dreamd.judge.claims.causes import other_cause
from dreamd.judge.claims.sameness import ends, told_from_both_ends, turned_no
from dreamd.judge.conflicts.denied import (
    bars_what_is_left,
    denied_and_said,
    denied_crosswise,
    denied_elsewhere,
    left_free,
    ruled_out,
)
from dreamd.judge.conflicts.opposites import RELATIONS
from dreamd.judge.conflicts.polarity import denies
from dreamd.judge.conflicts.sequence import is_turned
from dreamd.judge.conflicts.shades import shades_apart
from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import Slots
from dreamd.text import word_classes
from dreamd.text.markers import LIGHT
from dreamd.text.tokens import stem

GLOSSED = frozenset(["en", "de", "es", "fr", "pt", "zh", "ko", "ja", "it"])
"""Languages of which the score knows a lexicon."""
UNSPACED = frozenset(["zh", "ja", "ko"])
"""Languages whose words cannot be counted one by one."""
KIN_LETTERS = 4
KIN_ENDING = 3
_PARTS = word_classes.QUANTIFIERS["some"] | word_classes.QUANTIFIERS["most"]
_SMALL_ABROAD = frozenset().union(*(small for tongue, small in word_classes.SMALL_WORDS.items() if tongue != "en"))
_SOLE = frozenset(["sole", "single", "whole", "entire", "exclusive", "overall", "actual"])
_SOFTENERS = frozenset("if unless until when once after without only before provided during while for".split())


def merge_guards(pair: PairFeatures) -> tuple[str, ...]:
    """Every reason why the two must not become one; empty when none was found."""
    return tuple(reasons_apart(pair))


def reasons_apart(pair: PairFeatures) -> Iterator[str]:
    """The same one by one, for whoever needs no more than the first."""
    yield from _values(pair)
    yield from _compounds_apart(pair)
    yield from characters_apart(pair)
    yield from bearings_apart(pair)
    yield from _names(pair)
    yield from _logic(pair)
    yield from subjects_apart(pair)
    yield from shades_apart(pair)


def kin(one: str, other: str) -> bool:
    """Two forms of one word, as far as their beginnings show."""
    short, long = sorted((one, other), key=len)
    return len(short) >= KIN_LETTERS and long[: len(short) - 1] == short[:-1] and len(long) - len(short) <= KIN_ENDING


def _values(pair: PairFeatures) -> Iterable[str]:
    if pair.numbers_a and pair.numbers_b:
        yield f"numbers differ: {listed(pair.numbers_a)} against {listed(pair.numbers_b)}"
    if pair.fixed_a and pair.fixed_b:
        yield f"identifiers, versions or paths differ: {listed(pair.fixed_a)} against {listed(pair.fixed_b)}"
    if (
        (pair.numbers_a or pair.fixed_a)
        and (pair.numbers_b or pair.fixed_b)
        and not ((pair.numbers_a and pair.numbers_b) or (pair.fixed_a and pair.fixed_b))
    ):
        yield "each side has a number or identifier that the other lacks"
    commands_a, commands_b = pair.a.commands - pair.b.commands, pair.b.commands - pair.a.commands
    if commands_a and commands_b and not _commands_said(commands_a, pair.b) and not _commands_said(commands_b, pair.a):
        yield f"commands differ: {listed(commands_a)} against {listed(commands_b)}"


def _compounds_apart(pair: PairFeatures) -> Iterable[str]:
    """`grain-prd` against `grain-stg`: names made of parts, of which one part is another."""
    for one in sorted(word for word in pair.only_a if "-" in word):
        for other in sorted(pair.only_b):
            mine, theirs = one.split("-"), other.split("-")
            apart = [(x, y) for x, y in zip(mine, theirs, strict=False) if x != y]
            if len(mine) == len(theirs) and len(apart) == 1 and not kin(*apart[0]) and apart[0][0][:3] != apart[0][1][:3]:
                yield f"names of several parts differ: `{one}` against `{other}`"


def _commands_said(commands: Iterable[str], other: Slots) -> bool:
    text = other.folded.replace("`", "").lower()
    return all(c.lower() in text for c in commands)


def _names(pair: PairFeatures) -> Iterable[str]:
    if pair.names_a and pair.names_b:
        yield f"names differ: {listed(pair.names_a)} against {listed(pair.names_b)}"
    for apart in pair.qualifiers_apart:
        near = max(pair.cover_a, pair.cover_b) >= 0.3 or not pair.same_script or pair.a.tongue in UNSPACED
        if apart.partition(":")[0] not in word_classes.LOOSE_FAMILIES or near:
            yield f"different {apart}"


_UNLIKE = (("all", "some"), ("all", "most"), ("some", "most"), ("none", "some"), ("none", "all"), ("none", "most"))


def _logic(pair: PairFeatures) -> Iterable[str]:
    if turned_no(pair):
        return
    out = ruled_out(pair)
    if out:
        yield f"one rules out `{out}`, the other says it"
    said = denied_and_said(pair)
    if said:
        yield f"one denies `{said}`, the other says it"
    if bars_what_is_left(pair):
        yield "one denies what the other says is the only one"
    if left_free(pair):
        yield "one leaves free what the other does not"
    if denied_crosswise(pair):
        yield "each denies what the other says"
    if pair.polarity_apart and not denied_elsewhere(pair):
        yield f"one side denies what the other says of {listed(pair.polarity_apart)}"
    if min(pair.cover_a, pair.cover_b) >= 0.8 and pair.a.denied and pair.b.denied and not pair.a.denied & pair.b.denied:
        yield f"they deny different things: {listed(pair.a.denied)} against {listed(pair.b.denied)}"
    if _one_denies(pair):
        yield "only one side is a denial"
    quant_a, quant_b = pair.a.quantifiers, pair.b.quantifiers
    for one, other in _UNLIKE if quant_a and quant_b else ():
        for mine, theirs in ((quant_a, quant_b), (quant_b, quant_a)):
            if (
                one in mine
                and other in theirs
                and one not in theirs
                and other not in mine
                and not _negation_explains(pair, one, other)
            ):
                yield f"how many differs: {one} against {other}"
    for left, right, poorer in ((pair.a, pair.b, pair.cover_b), (pair.b, pair.a, pair.cover_a)):
        partly = {"some", "most"} & left.quantifiers and not right.quantifiers and right.spoken.isdisjoint(_PARTS)
        if partly and poorer > 0.5 and pair.same_script and _some_of(left, right):
            yield "one side speaks of some only"
        if (
            left.conditions & word_classes.HARD_CONDITIONS
            and not (right.conditions or not right.spoken.isdisjoint(_SOFTENERS) or right.only and left.negations)
            and pair.same_script
            and poorer > 0.4
        ):
            yield "one side holds under a condition only"
    if pair.opposites and not _turned_opposites(pair) and not told_from_both_ends(pair):
        yield "opposite words: " + ", ".join(f"{a} against {b}" for a, b in pair.opposites)
    marked = strong_changes(pair.a), strong_changes(pair.b)
    if bool(marked[0]) != bool(marked[1]) and not (pair.a.changes and pair.b.changes):
        yield f"only one side tells of a change: `{(marked[0] or marked[1])[0]}`"
    if (pair.swapped and not told_from_both_ends(pair)) or ends(pair) < 0:
        yield "who and whom are exchanged"
    if other_cause(pair):
        yield "each names another cause"
    if is_turned(pair.a.folded, pair.b.folded):
        yield "one puts first what the other puts second"
    if permission(pair.a) * permission(pair.b) < 0 or _allows(pair.a, pair.b) or _allows(pair.b, pair.a):
        yield "one allows what the other bars"


def _some_of(partly: Slots, whole: Slots) -> bool:
    """What there is some of is something that the other side speaks of; "most of the meeting" is not."""
    cut = partly.tokens
    found = []
    for at, token in enumerate(cut):
        if token.lower in _PARTS:
            noun = next((t for t in cut[at + 1 :] if t.is_content), None)
            found.append(token.lower.endswith(("ly", "times")) or noun is None or noun.stem in whole.content_set)
    return any(found) or not found


_WEAK_CHANGES = frozenset(
    (
        "now",
        "jetzt",
        "nun",
        "ahora",
        "agora",
        "maintenant",
        "现在",
        "이제",
        "after all",
        "again",
        "wieder",
        "instead",
        "instead of",
        "actually",
        "so far",
        "meanwhile",
        "depuis",
        "부터",
        "bisher",
        "früher",
        "doch",
        "statt",
        "en lugar de",
        "en vez de",
        "em vez de",
        "au lieu de",
        "대신",
        "anymore",
        "any more",
        "gone",
        "以前",
        "原来",
        "已经",
        "used to",
        "nowadays",
        "until now",
    )
)


def strong_changes(slots: Slots) -> tuple[str, ...]:
    """The change markers of a statement that cannot be plain wording."""
    return slots.changes and tuple(
        c
        for c in slots.changes
        if c.rstrip(".,;:") not in _WEAK_CHANGES
        and not c.startswith(
            ("since", "ab ", "seit", "desde", "depuis", "from", "starting", "beginning", "is ", "are ", "new ", "current ")
        )
    )


_BARS = frozenset(
    (
        "lock locked locks block blocked blocks bar barred "
        "bars reserve reserved forbid forbidden prohibit prohibited sealed off-limits"
    ).split()
)


def permission(slots: Slots) -> int:
    """1 where something may be done, -1 where it is barred, 0 where nothing is said of it."""
    if not slots.spoken.isdisjoint(_BARS):
        return -1
    return 1 if slots.modal == "may" and not slots.negations and not slots.only else 0


_NOT_TO = re.compile(r"\b(?:(?:is|are|be) not to|must not|mustn't|must never|may not|may never|not (?:allowed|permitted) to)\b")


def _allows(lax: Slots, strict: Slots) -> bool:
    """One may do it, and the other says of it that it is not to be done."""
    may = lax.modal == "may" and not lax.negations and not lax.only
    return may and strict.negations > 0 and not strict.only and bool(_NOT_TO.search(strict.folded.lower()))


def _one_denies(pair: PairFeatures) -> bool:
    """In two languages, or without spaces, the reach of a negator cannot be compared; its presence can."""
    if pair.same_script and pair.a.tongue not in ("zh", "ja", "ko"):
        return False
    left, right = pair.a.head_negations, pair.b.head_negations
    escape = pair.a.only or pair.b.only
    silent = pair.a if left == 0 else pair.b
    if (left == 0) == (right == 0) or escape:
        return False
    somewhere = [denies(slots, abroad=slots.tongue != "en", whole=True) for slots in (pair.a, pair.b)]
    return pair.same_script or somewhere[0] != somewhere[1] and not _says_no(silent)


def _says_no(slots: Slots) -> bool:
    """Wording in the first clause that may stand for a denial in another language."""
    low = " ".join(t.lower for t in slots.tokens[: max(len(slots.tokens) * 2 // 3, 8)])
    return any(w in low for w in _DENIAL_WORDS)


_DENIAL_WORDS = (
    *("remov", "empt", "ignor", "exclud", "drop", "skip", "reject", "stop", "clos", "out of", "locked", "blocked", "unless"),
    *("free of", "entfern", "leer", "空", "关", "停", "拒", "비운", "삭제"),
)


def _negation_explains(pair: PairFeatures, one: str, other: str) -> bool:
    """ "Not every" is "some"; "nobody" beside "not … anyone" is one claim."""
    if "none" in (one, other) and (pair.a.conditions | pair.b.conditions) & {"unless", "until"}:
        return True
    return "none" in (one, other) and (pair.a.negations > 0 and pair.b.negations > 0 or pair.a.negations + pair.b.negations > 1)


def _turned_opposites(pair: PairFeatures) -> bool:
    """`x before y` and `y after x` agree: the order of the shared words is turned together with the opposite."""
    if len(pair.opposites) != 1:
        return False
    denied = bool(pair.a.negations) != bool(pair.b.negations)
    if pair.a.only != pair.b.only and _BUT_IT.search((pair.b if pair.a.only else pair.a).low):
        return True
    left = [s for s in pair.a.content if s in pair.shared]
    right = [s for s in pair.b.content if s in pair.shared]
    turned = RELATIONS.issuperset(pair.opposites[0]) and len(left) >= 2 and left != right and left[0] != right[0]
    return denied or turned


_BUT_IT = re.compile(r"\b(?:another|(?:any|every|all) other|anything|everything|all|any)\b[^.;,]*\b(?:than|but|except)\b")
"""All but one thing: rejecting that is accepting only the one."""


def subjects_apart(pair: PairFeatures) -> Iterable[str]:
    """Signs that two claims of the same make are about different or narrower subjects."""
    if not pair.same_script:
        return
    for mine, theirs, extra, cover in (
        (pair.a, pair.b, pair.only_a, pair.cover_b),
        (pair.b, pair.a, pair.only_b, pair.cover_a),
    ):
        narrowing = narrowed(mine, theirs, extra) if cover >= 0.6 else ""
        if narrowing:
            yield f"one side speaks of {narrowing} only"
            return
    if pair.qualifier_one_sided and min(pair.cover_a, pair.cover_b) < 1 and max(pair.cover_a, pair.cover_b) >= 0.75:
        yield f"only one side is about {pair.qualifier_one_sided[0]}"
    left, right = pair.a.subject & pair.only_a, pair.b.subject & pair.only_b
    if not left or not right:
        return
    left, right = (frozenset(s for s in own if not is_number(s)) for own in (left, right))
    if left and right and pair.a.passive == pair.b.passive and _same_predicate(pair):
        yield f"different subjects: {listed(left)} against {listed(right)}"


def is_number(root: str) -> bool:
    """Whether a stem counts or measures."""
    return root[:1].isdigit() or root in _COUNTING


_COUNTING = frozenset(
    form for word in (*word_classes.NUMBER_WORDS, *word_classes.UNIT_NAMES, *word_classes.FRACTION_WORDS)
    for form in (word, stem(word))
)


_SOME_ONE = frozenset(["one"])
"""Behind it stands a thing that is not named yet: "one customer" may be the one that the other side names."""


def narrowed(mine: Slots, theirs: Slots, extra: frozenset[str]) -> str:
    """A word put before a shared noun of the subject that the other side leaves bare ("payment webhooks")."""
    their_words = [t for t in theirs.tokens if t.kind not in ("stop", "op")]
    bare = {
        t.stem
        for i, t in enumerate(their_words)
        if t.is_content and (i == 0 or not their_words[i - 1].is_content and their_words[i - 1].lower not in _SOME_ONE)
    }
    cut = mine.tokens
    for one, head in zip(cut, cut[1:], strict=False):
        if (
            one.stem in extra
            and one.kind == "word"
            and one.is_content
            and one.lower not in word_classes.NUMBER_WORDS
            and one.lower not in _SOLE
            and (mine.tongue == "en" or not {one.lower, head.lower} & _SMALL_ABROAD)
            and one.stem in mine.subject
            and head.stem in bare & mine.subject
            and head.stem in theirs.subject
        ):
            return f"`{one.surface} {head.surface}`"
    return ""


def _same_predicate(pair: PairFeatures) -> bool:
    """After the subject both say the same, word for word."""
    left = [s for s in pair.a.content if s not in pair.a.subject]
    right = [s for s in pair.b.content if s not in pair.b.subject]
    counted = pair.a.numbers and pair.b.numbers and not pair.numbers_a and not pair.numbers_b
    if counted and all(is_number(s) or s in LIGHT for s in (*left, *right)):
        return True
    if left and set(left) == set(right):
        return True
    shared = [s for s in left if s in right]
    return len(shared) >= 2 and len(shared) >= 0.7 * max(len(left), len(right))


def listed(values: Iterable[str]) -> str:
    """Up to four values in code marks."""
    return ", ".join(f"`{v.lstrip(':')}`" for v in sorted(values)[:4])
