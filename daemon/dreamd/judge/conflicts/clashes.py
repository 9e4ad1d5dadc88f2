"""Conflicts that the wording itself shows: a stated end, a denial, all against none, another order, stage or value.

`certain_clash` decides alone; what only hints at a conflict stands in `hints`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dreamd.judge.abroad.named_abroad import other_name_abroad
from dreamd.judge.change.change_marks import ARROW
from dreamd.judge.change.deadlines import deadline_moved
from dreamd.judge.change.former import former_abroad
from dreamd.judge.change.happenings import told_event
from dreamd.judge.change.holders import other_hands
from dreamd.judge.change.replaced import other_in_place
from dreamd.judge.change.takeover import other_keeper
from dreamd.judge.claims.causes import only_cause
from dreamd.judge.claims.sameness import narrowing, says_too, told_alike, turned_no, weighty
from dreamd.judge.conflicts.frames import Frame, told_changes, value_change
from dreamd.judge.conflicts.sequence import is_turned
from dreamd.judge.conflicts.sole import other_sole
from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import Slots
from dreamd.text.markers import (
    ATTRIBUTES,
    HANDED,
    LIGHT,
    LINKS,
    ONE_PLACE,
    PLACE_VERBS,
    RETIRED,
    STAGE,
    STAGE_WORDS,
    VERBS,
)
from dreamd.text.quantities import dimension
from dreamd.text.tokens import Token, stem, tokens
from dreamd.text.word_classes import NUMBER_WORDS, UNIT_NAMES

_LEFT = re.compile(
    r"\bfrom (.{1,40}?) (?:to|into|onto|over to|back to) "
    r"|\b(?:took|taken|moved|migrated|got) [^,;.]{2,40}? off (?:the )?([^,;.]{2,30}?) (?:and|to|onto) "
)
_DUE = frozenset(["due", "deadline", "date", "valu", "value", "current"])
BOTH_WAYS = frozenset(
    frozenset(stem(word) for word in pair.split("/"))
    for pair in (
        *("lend/borrow", "buy/sell", "import/export", "send/receive", "in/out", "arrive/leave", "push/pull", "read/write"),
        *("enter/exit", "enter/leave", "start/end", "start/finish", "begin/end"),
    )
)
"""Opposites that a thing may do in turn."""
_HOLDER = re.compile(r"^([A-Z][\w-]+(?: [A-Z][\w-]+)?) is (?:now |currently )?(?:the|our) ([^.,;]{3,60})\.?$")
LEAST_COVER = 0.75
LEAST_REPEATED = 4
"""Shared content words from which one statement repeats another, whatever the order."""
_NO_LONGER = frozenset(stem(word) for word in ("longer", "any", "more", "anymore"))
LONGEST_SIGN = 3
"""Letters of a unit's sign: longer ones are its name."""


def certain_clash(pair: PairFeatures, frame: Frame) -> str:
    """The conflict that the wording shows beyond doubt, as a phrase; empty when it shows none."""
    return (
        explicit_change(pair)
        or told_event(pair)
        or former_abroad(pair)
        or other_keeper(pair)
        or other_name_abroad(pair)
        or other_holder(pair)
        or other_hands(pair)
        or turned_order(pair)
        or denial(pair, frame)
        or deadline_moved(pair)
        or other_sole(pair)
        or other_in_place(pair)
        or value_change(pair, frame, strict=True)
        or other_amount(pair, frame)
        or other_fixed(pair, frame)
        or other_liking(pair)
        or other_unit(pair, frame)
        or other_agent(pair)
        or stage_change(pair)
        or only_cause(pair)
        or opposite(pair, frame)
        or other_name(pair)
    )


def explicit_change(pair: PairFeatures) -> str:
    """One side repeats the other's claim as the former state: "now … instead of …", "no longer …", "from … to …"."""
    for new, old, cover in ((pair.a, pair.b, pair.cover_b), (pair.b, pair.a, pair.cover_a)):
        if not new.changes or old.changes or old.negations or len(old.content_set) < 2:
            continue
        retired = _retired(new) & old.content_set
        left = _left(new)
        former = {t.stem for t in tokens(left) if t.is_content} & old.content_set
        denied = new.negated & old.content_set
        named = bool(old.subject) and old.subject <= new.content_set
        moved = left.replace("-", "")
        if any(name in moved for name in old.fixed) and not (old.names - new.names and new.names - old.names):
            return f"`{new.changes[0]}` ends `{moved}`"
        gone = (pair.only_a if old is pair.a else pair.only_b) - LIGHT - VERBS
        gone -= old.subject if new.passive and not old.passive else frozenset()
        if former and len(old.content_set) >= 3 and (cover >= LEAST_COVER and not gone or named):
            return f"`{new.changes[0]}` ends `{' '.join(sorted(former))}`"
        if not gone and not narrowing(new, old) and len(old.content_set) >= 3 and denied and len(denied) < len(new.content_set):
            return f"`{new.changes[0]}` ends `{' '.join(sorted(denied))}`"
        if retired and len(pair.shared) >= 2 and cover >= 0.6 and not gone:
            return f"`{new.changes[0]}` ends `{' '.join(sorted(retired))}`"
    return ""


def taken_over(pair: PairFeatures) -> bool:
    """One names who had something in hand before, and says all that the other says of it: "took over the keys from"."""
    for new, old in ((pair.a, pair.b), (pair.b, pair.a)):
        handed = HANDED.search(new.folded.lower()) if new.changes and not old.changes else None
        if handed and _retired(new) & old.subject and explicit_change(pair):
            return True
    return False


def told_anew(pair: PairFeatures) -> bool:
    """One side repeats every word of the other and says beside it that the other's amount is over.

    What such a pair has in another order is the same thing turned round, not another thing.
    """
    for new, old, lost, own in ((pair.a, pair.b, pair.only_b, pair.only_a), (pair.b, pair.a, pair.only_a, pair.only_b)):
        ended = [t for t in old.tokens if t.stem in new.negated and (t.kind == "number" or t.lower in NUMBER_WORDS)]
        amounts = {t.stem for t in new.tokens if t.kind == "number" or t.lower in NUMBER_WORDS}
        alone = not lost and own - amounts - LIGHT <= _NO_LONGER
        if ended and alone and len(pair.shared) >= LEAST_REPEATED and not old.names and not old.negations and not old.changes:
            return True
    return False


def _left(new: Slots) -> str:
    """What something is said to have gone from."""
    low = new.folded.lower()
    found = _LEFT.search(low) or (ARROW.search(low) if "->" in new.changes else None)
    return next((g for g in reversed(found.groups()) if g), "") if found else ""


def other_holder(pair: PairFeatures) -> str:
    """Two people, each said to be the one who holds an office."""
    told = [_HOLDER.match(slots.folded) for slots in (pair.a, pair.b)]
    if not told[0] or not told[1] or told[0].group(1) == told[1].group(1):
        return ""
    offices = [frozenset(t.stem for t in tokens(match.group(2)) if t.is_content) for match in told if match]
    same = offices[0] == offices[1] and bool(offices[0] & ATTRIBUTES)
    return f"`{told[0].group(1)}` against `{told[1].group(1)}`" if same else ""


def _retired(slots: Slots) -> frozenset[str]:
    """Content stems of what a statement says is over, and of who gave something up."""
    low = slots.folded.lower()
    match = RETIRED.search(low) or HANDED.search(low)
    told = next((g for g in match.groups() if g), "") if match else ""
    return frozenset(t.stem for t in tokens(told) if t.is_content)


def turned_order(pair: PairFeatures) -> str:
    """Both order the same two things, the other way round."""
    apart = pair.qualifiers_apart or pair.numbers_a and pair.numbers_b
    told = not apart and min(pair.cover_a, pair.cover_b) >= 0.5 and is_turned(pair.a.folded, pair.b.folded)
    return "one puts first what the other puts second" if told else ""


def denial(pair: PairFeatures, frame: Frame) -> str:
    """One side denies what the other says in nearly the same words."""
    if pair.qualifiers_apart or pair.numbers_a and pair.numbers_b or pair.a.conditions ^ pair.b.conditions:
        return ""
    left, right = pair.a.head_negations, pair.b.head_negations
    if left % 2 == right % 2 or pair.a.negations % 2 == pair.b.negations % 2:
        return ""
    if not told_alike(frame.a.told, frame.b.told, pair) or turned_no(pair):
        return ""
    denying, plain = (pair.a, pair.b) if left % 2 else (pair.b, pair.a)
    if says_too(denying, plain):
        return ""
    reached = denying.head_negated & pair.shared or denying.quantifiers & {"none"}
    return "one denies what the other says" if reached and not (pair.a.only or pair.b.only) else ""


def other_amount(pair: PairFeatures, frame: Frame) -> str:
    """The same words around another amount of the same dimension, in whatever order."""
    if len(pair.numbers_a) != 1 or len(pair.numbers_b) != 1 or len(pair.shared) < 2 or pair.fixed_a or pair.fixed_b:
        return ""
    (one,), (other,) = pair.numbers_a, pair.numbers_b
    dim = dimension(one)
    if not dim or dim != dimension(other) or pair.a.bearings != pair.b.bearings and not (pair.a.changes or pair.b.changes):
        return ""
    if pair.a.negations % 2 != pair.b.negations % 2 or pair.names_a or pair.names_b or pair.qualifiers_apart:
        return ""
    alike = told_alike(frame.a.told, frame.b.told, pair) or _told_anew(pair, frame)
    return f"`{one.lstrip(':')}` against `{other.lstrip(':')}`" if alike else ""


def other_fixed(pair: PairFeatures, frame: Frame) -> str:
    """The same words around another version, in whatever order; or around another path where a single thing lies."""
    if len(pair.fixed_a) != 1 or len(pair.fixed_b) != 1 or pair.names_a or pair.names_b or pair.qualifiers_apart:
        return ""
    if pair.a.negations or pair.b.negations or pair.a.conditions != pair.b.conditions or len(pair.shared) < 2:
        return ""
    (one,), (other,) = pair.fixed_a, pair.fixed_b
    own = {t.stem for slots in (pair.a, pair.b) for t in slots.tokens if not _is_fixed(t, one, other)}
    own = own & (pair.only_a | pair.only_b) - LIGHT
    versions = all(name.startswith("version ") for name in (one, other))
    paths = "/" in one and "/" in other and all(_LIES.search(slots.folded) for slots in (pair.a, pair.b))
    alike = (versions or paths) and not own and not frame.a.told[0].surface[0].isdigit()
    return f"`{one.removeprefix('version ')}` against `{other.removeprefix('version ')}`" if alike else ""


def _is_fixed(token: Token, one: str, other: str) -> bool:
    return token.lower.lstrip("v") in (one.removeprefix("version "), other.removeprefix("version ")) or token.kind == "path"


_LIES = re.compile(r"^(?:The|Our|Its) [^,;:]{3,40}? (?:is|lives|lies|sits) (?:in|at) [\w./~-]+\.?$")


def other_unit(pair: PairFeatures, frame: Frame) -> str:
    """The same words around another unit of one dimension: "in metres", "in millimetres"."""
    if pair.a.numbers or pair.b.numbers or pair.a.negations or pair.b.negations:
        return ""
    told = [_IN_UNIT.findall(slots.low) for slots in (pair.a, pair.b)]
    if len(told[0]) != 1 or len(told[1]) != 1:
        return ""
    (one,), (other,) = told
    apart = UNIT_NAMES[one] != UNIT_NAMES[other] and UNIT_NAMES[one][0] == UNIT_NAMES[other][0]
    alike = apart and pair.a.conditions == pair.b.conditions and not pair.names_a and not pair.names_b
    return f"`in {one}` against `in {other}`" if alike and told_alike(frame.a.told, frame.b.told, pair) else ""


_UNITS = sorted(unit for unit in UNIT_NAMES if unit.isascii() and unit.isalpha() and len(unit) > LONGEST_SIGN)
_IN_UNIT = re.compile(rf"\bin ({'|'.join(_UNITS)})\b")


def other_liking(pair: PairFeatures) -> str:
    """The same person likes the same thing as something else."""
    told = [_LIKING.match(slots.folded) for slots in (pair.a, pair.b)]
    if not told[0] or not told[1] or told[0].group(1, 2) != told[1].group(1, 2) or pair.a.negations or pair.b.negations:
        return ""
    one, other = told[0].group(3), told[1].group(3)
    apart = {t.stem for t in tokens(one) if t.is_content} ^ {t.stem for t in tokens(other) if t.is_content}
    return f"`{one}` against `{other}`" if apart else ""


_LIKING = re.compile(
    r"^(I|[Tt]he \w+|[A-Z]\w+)(?:'d)? (?:now )?(?:likes?|prefers?|wants?|would (?:like|rather have)|rather have)"
    r" ((?:my|the|our|his|her|their|all) [\w -]{3,40}?) as ([\w -]{3,40}?)(?: now| instead)?\.?$"
)


def _told_anew(pair: PairFeatures, frame: Frame) -> bool:
    """One side tells of a change, and either it or the older statement has a word or two of its own, but not both."""
    told = told_changes(pair.a), told_changes(pair.b)
    if bool(told[0]) == bool(told[1]):
        return False
    new, old = (frame.a, frame.b) if told[0] else (frame.b, frame.a)
    mine, theirs = weighty(new.told, pair.a if told[0] else pair.b), weighty(old.told, pair.b if told[0] else pair.a)
    shared, own, lost = mine & theirs, mine - theirs, theirs - mine - _DUE
    return len(shared) >= 2 and (not own and len(lost) <= 1 or not lost and len(own) <= 2)


def other_agent(pair: PairFeatures) -> str:
    """The same deed to the same thing, once told of who does it and once of what is done, by somebody else."""
    if pair.a.passive == pair.b.passive or pair.a.negations or pair.b.negations or pair.numbers_a or pair.numbers_b:
        return ""
    done, doing = (pair.a, pair.b) if pair.a.passive else (pair.b, pair.a)
    by = next((i for i, t in enumerate(done.tokens) if t.lower == "by"), -1)
    if by < 1 or not doing.subject or not done.subject:
        return ""
    agent = frozenset(t.stem for t in done.tokens[by:] if t.is_content)
    deed = frozenset(t.stem for t in done.tokens[:by] if t.is_content)
    told = frozenset(t.stem for t in doing.tokens[max(doing.verb_at, 0) :] if t.is_content)
    same = len(deed) >= 2 and deed in (told, doing.content_set - doing.subject)
    return "somebody else does it" if same and agent - doing.subject and doing.subject - agent else ""


def stage_change(pair: PairFeatures) -> str:
    """The same thing at another stage of its life: planned, on trial, live, retired."""
    if len(_stages(pair.a)) != 1:
        return ""
    stages = _stages(pair.a), _stages(pair.b)
    if len(stages[1]) != 1 or stages[0][0][0] == stages[1][0][0] or pair.a.negations or pair.b.negations:
        return ""
    low = pair.a.folded, pair.b.folded
    own = (pair.a.subject | pair.b.subject) & (pair.only_a | pair.only_b) - STAGE_WORDS
    if own or not pair.a.subject & pair.shared or not pair.b.subject & pair.shared:
        return ""
    labelled = pair.a.subject == pair.b.subject and ":" in low[0] and ":" in low[1]
    told = [STAGE_WORDS | {t.stem for t in tokens(stage)} for _, stage in (*stages[0], *stages[1])]
    alike = labelled or not (pair.only_a - told[0]) or not (pair.only_b - told[1])
    return f"{stages[0][0][0]} against {stages[1][0][0]}" if alike else ""


def _stages(slots: Slots) -> tuple[tuple[str, str], ...]:
    """The stages that a statement names, each with its words."""
    low = slots.low
    if slots.content_set.isdisjoint(STAGE_WORDS) and "down" not in low and "done" not in low:
        return ()
    return _stages_in(low.rstrip("."))


@lru_cache(maxsize=16_384)
def _stages_in(low: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, found.group()) for name, pattern in STAGE.items() if (found := pattern.search(low)))


def opposite(pair: PairFeatures, frame: Frame) -> str:
    """One word is the other's opposite and everything else is equal."""
    if len(pair.opposites) != 1 or pair.a.negations % 2 != pair.b.negations % 2 or not pair.shared:
        return ""
    if len(pair.shared) < 2 and len(frame.parts) != 1:
        return ""
    one, other = pair.opposites[0]
    if pair.only_a - {one} - LIGHT or pair.only_b - {other} - LIGHT or pair.numbers_a or pair.numbers_b:
        return ""
    if frozenset((one, other)) in BOTH_WAYS:
        return ""
    if pair.a.conditions != pair.b.conditions or one in pair.a.subject or other in pair.b.subject:
        return ""
    ended = bool(frame.parts) and frame.parts[0].left_at > 0
    return f"`{one}` against `{other}`" if ended else ""


def other_name(pair: PairFeatures) -> str:
    """The same words in whatever order around another name or day in a place that holds one."""
    if len(pair.only_a) != 1 or len(pair.only_b) != 1 or len(pair.shared) < 2 or pair.a.negations != pair.b.negations:
        return ""
    told = []
    for slots, only in ((pair.a, pair.only_a), (pair.b, pair.only_b)):
        at = next((i for i, t in enumerate(slots.tokens) if t.stem in only), 0)
        token = slots.tokens[at]
        if not at or token.stem in slots.subject or not token.surface[:1].isupper() or token.kind != "word":
            return ""
        if not any(t.stem in PLACE_VERBS or t.lower in LINKS for t in slots.tokens[max(0, at - 2) : at]):
            return ""
        told.append((slots.tokens[at - 1].lower, token.surface))
    same_place = told[0][0] == told[1][0] and told[0][0] in ONE_PLACE
    return f"`{told[0][1]}` against `{told[1][1]}`" if same_place and pair.a.conditions == pair.b.conditions else ""
