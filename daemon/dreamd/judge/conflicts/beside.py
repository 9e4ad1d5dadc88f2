"""Claims beside each other: signs that two speak of different things, so that neither ends nor doubts the other."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dreamd.judge.abroad.named_abroad import other_name_abroad
from dreamd.judge.change.current import current
from dreamd.judge.change.deadlines import deadline_moved
from dreamd.judge.change.former import former_abroad
from dreamd.judge.change.happenings import told_event
from dreamd.judge.change.holders import other_hands
from dreamd.judge.change.kin import has_akin
from dreamd.judge.change.replaced import other_in_place
from dreamd.judge.change.takeover import other_keeper
from dreamd.judge.claims.runs import is_amount
from dreamd.judge.claims.sameness import ends, narrowing, turned_no
from dreamd.judge.conflicts.clashes import other_holder, other_liking, stage_change, taken_over, turned_order
from dreamd.judge.conflicts.frames import align, both_amounts, in_subject, is_timely, told_changes, value_change
from dreamd.judge.conflicts.opposites import denied_by_letter
from dreamd.judge.conflicts.sequence import is_turned
from dreamd.judge.conflicts.sole import other_sole
from dreamd.judge.features import PairFeatures
from dreamd.judge.guards import GLOSSED, listed, narrowed, subjects_apart
from dreamd.judge.slots import Slots, extract_slots
from dreamd.text.markers import ATTRIBUTES, LIGHT, LIMITING, VERBS
from dreamd.text.quantities import dimension
from dreamd.text.tokens import Token, stem
from dreamd.text.word_classes import CONDITIONS_CJK, HARD_CONDITIONS, QUALIFIERS, QUANTIFIERS, UNIT_NAMES


def collateral_guards(pair: PairFeatures) -> tuple[str, ...]:
    """Reasons why two claims can both hold, so that neither ends nor doubts the other."""
    if other_keeper(pair) or former_abroad(pair) or other_name_abroad(pair):
        return ()
    if deadline_moved(pair) or other_sole(pair) or other_in_place(pair) or _only_turned(pair):
        return ()
    if other_holder(pair) or taken_over(pair) or other_hands(pair) or told_event(pair) or other_liking(pair):
        return ()
    values = (*_VALUE_FAMILIES, "environment") if stage_change(pair) else _VALUE_FAMILIES
    found = [f"different {apart}" for apart in pair.qualifiers_apart if not apart.startswith(values)]
    free = not pair.in_english and pair.a.negations % 2 != pair.b.negations % 2  # what comes first there is no sign of who
    if (pair.swapped and not free and not is_turned(pair.a.folded, pair.b.folded)) or ends(pair) == BOTH_CAN_BE:
        found.append("who and whom are exchanged")
    quantifiers = (pair.a.quantifiers, pair.b.quantifiers)
    for mine, theirs in (quantifiers, quantifiers[::-1]):
        denied = pair.a.negations % 2 != pair.b.negations % 2 or denied_by_letter(pair.only_a, pair.only_b)
        if "all" in mine and theirs & {"some", "most"} and "all" not in theirs and "none" not in mine | theirs and not denied:
            found.append("one speaks of all, the other of some")
    found.extend(_other_things(pair))
    found.extend(_beside(pair))
    return tuple(found)


_IN_ORDER = frozenset(["first", "second", "third", "then", "afterward", "later", "last", "next"])


def _only_turned(pair: PairFeatures) -> bool:
    """One order of two things and its turn, with nothing else in either."""
    plain = pair.only_a | pair.only_b <= LIGHT | VERBS | _IN_ORDER and not (pair.a.conditions or pair.b.conditions)
    return plain and bool(turned_order(pair))


_NAMING = re.compile(r"\b(?:called(?! off)|named|renamed|known as)\b")
_VALUE_FAMILIES = ("weekday", "month", "season", "shift", "colour", "part", "age", "reach")


def _other_things(pair: PairFeatures) -> Iterable[str]:
    """Signs that the two speak of different things, each of which may have its own value."""
    for left, right in ((pair.a.labels, pair.b.labels), (pair.a.quoted, pair.b.quoted)):
        if left - right and right - left:
            yield f"different things: {listed(left - right)} against {listed(right - left)}"
    if not pair.same_script:
        return
    if not (pair.a.only and pair.b.only):
        yield from (why for why in subjects_apart(pair) if why.startswith("different subjects"))
    named_a = {n for n in pair.names_a if stem(n) in pair.a.subject}
    named_b = {n for n in pair.names_b if stem(n) in pair.b.subject}
    if named_a and named_b and pair.a.passive == pair.b.passive:
        yield f"different subjects: {listed(named_a)} against {listed(named_b)}"
    sides = ((pair.a, pair.b, pair.names_a, pair.names_b), (pair.b, pair.a, pair.names_b, pair.names_a))
    for new, old, told, known in sides:
        if new.changes and not old.changes and len(told) >= 2 and known and not former_values(new) & old.names:
            yield f"the change is about {listed(told)}, not {listed(known)}"
    if pair.numbers_a and pair.numbers_b:
        yield from _others_of_a_kind(pair)
    if bool(pair.a.changes) == bool(pair.b.changes) and pair.numbers_a and pair.numbers_b:
        one, other = _kinds(pair.a, pair.only_a, pair.shared), _kinds(pair.b, pair.only_b, pair.shared)
        if any(one[how].isdisjoint(other[how]) for how in one.keys() & other.keys()):
            yield "things of another kind, each with its own number"
    if not (pair.a.changes or pair.b.changes):
        part = _part_of(pair.a, pair.b, pair.only_a) or _part_of(pair.b, pair.a, pair.only_b)
        part = part or narrowed(pair.a, pair.b, pair.only_a) or narrowed(pair.b, pair.a, pair.only_b)
        if part:
            yield f"one side speaks of {part} only"
    if bool(_NAMING.search(pair.a.folded.lower())) != bool(_NAMING.search(pair.b.folded.lower())):
        yield "only one side is about a name"
    if len(pair.shared) < 2 and pair.similarity < 0.55 and not value_change(pair, align(pair.a, pair.b), strict=True):
        yield "hardly a word in common"


def _kinds(slots: Slots, only: frozenset[str], shared: frozenset[str]) -> dict[str, set[str]]:
    """What a word that both have stands before, where the other side does not name it: `the ebony sorter`."""
    found: dict[str, set[str]] = {}
    for how, kind in _behind_articles(slots):
        if how.stem in shared and kind.stem in only and kind.is_content:
            found.setdefault(how.stem, set()).add(kind.stem)
    return found


def _others_of_a_kind(pair: PairFeatures) -> Iterable[str]:
    """The ebony beacon against the cobalt beacon: each may have its own number, in whatever words it is told."""
    for kind, mine in _which(pair.a, pair.only_a, pair.shared).items():
        theirs = _which(pair.b, pair.only_b, pair.shared).get(kind, set())
        if mine and theirs and not any(has_akin(one, theirs) for one in mine):
            yield f"different things of one kind: {listed(mine)} against {listed(theirs)}"


def _which(slots: Slots, only: frozenset[str], shared: frozenset[str]) -> dict[str, set[str]]:
    """What tells one thing of a kind that both name from another, where only this side says it."""
    found: dict[str, set[str]] = {}
    for how, kind in _behind_articles(slots):
        if kind.stem in shared and how.stem in only - LIGHT and how.is_content:
            found.setdefault(kind.stem, set()).add(how.stem)
    return found


def _behind_articles(slots: Slots) -> Iterable[tuple[Token, Token]]:
    """Two words behind an article: what tells a thing, and the kind of thing it is."""
    for article, how, kind in zip(slots.tokens, slots.tokens[1:], slots.tokens[2:], strict=False):
        if article.lower in ("the", "our", "my") and how.kind == kind.kind == "word" and kind.stem not in VERBS:
            yield how, kind


_SHARES = QUANTIFIERS["some"] | QUANTIFIERS["most"] | QUANTIFIERS["all"] | QUANTIFIERS["none"]


def _part_of(mine: Slots, theirs: Slots, extra: frozenset[str]) -> str:
    """`the documentation of x` against `x`: a part is not the whole."""
    cut = [t for t in mine.tokens if t.lower not in ("the", "a", "an", "our", "its")]
    for part, joint, whole in zip(cut, cut[1:], cut[2:], strict=False):
        own = part.stem in extra & mine.subject - ATTRIBUTES and part.lower not in _SHARES
        if joint.lower == "of" and own and whole.stem in theirs.subject:
            return f"`{part.surface} of {whole.surface}`"
    return ""


_FORMER = re.compile(
    r"\b(?:instead of|rather than|in place of|no longer|up from|down from|statt(?: bisher)?|en (?:vez|lugar) del?"
    r"|au lieu d[eu]?|em vez d[aeo]s?) (?:the )?((?:[^,;.]|[,.](?=\d)){1,40})|\bfrom (.{1,30}?) (?:to|into|onto) "
    r"|\b(?:took|taken|moved|migrated|got) [^,;.]{2,40}? off (?:the )?([^,;.]{2,30}?) (?:and|to|onto) "
)
_FITS = re.compile(r"\b(?:works? (?:well )?with|compatible with|tested (?:with|on|against)|supports|runs? under)\b")
_ALSO = re.compile(
    r"\b(?:also|too|as well|in addition|additionally|another|a second|besides|auch|zusätzlich|también|además"
    r"|aussi|également|também)\b|也|还|도 |추가"
)
BOTH_CAN_BE = -2
_UNTIL = frozenset(["before"])
ALL_BUT_ONE = 0.95
LEAST_SAID = 0.75
"""Share of a statement that another must repeat for its denial to be a denial of a part of it."""
LEAST_FRAME = 0.4
"""Share of equal words from which two statements can be laid on each other."""
CASES = HARD_CONDITIONS | frozenset(word.strip() for word in CONDITIONS_CJK)
CASES |= {"when", "whenever", "besides", "cuando", "quand", "lorsque", "quando"}
"""Words that open a case in which something else may hold."""
_DURING = re.compile(r"\bduring\b|\bwhile\b|\bin an emergency\b|\bexcept\b")
_IN_ANY_CASE = re.compile(r"\b(?:whether|or not|even (?:if|when)|regardless|no matter|in any case|without exception)\b")


def _beside(pair: PairFeatures) -> Iterable[str]:
    """Each may have its own value: another number in the subject, another former value, one more of many."""
    marked = bool(told_changes(pair.a)) != bool(told_changes(pair.b))
    one, other = _counted_subject(pair.a, pair.only_a), _counted_subject(pair.b, pair.only_b)
    if one and other:
        yield f"different things: `{one}` against `{other}`"
    low = pair.a.folded.lower(), pair.b.folded.lower()
    if all(_place_and_more(fixed) for fixed in (pair.fixed_a, pair.fixed_b)):
        yield "another place with a value of its own"
    if _whose(pair.a) * _whose(pair.b) < 0:
        yield "one speaks of ours, the other of somebody else's"
    if not marked and pair.a.letters and pair.b.letters and set(pair.a.letters) != set(pair.b.letters):
        yield "different letters"
    plain = pair.in_english and not (pair.a.changes or pair.b.changes) and pair.a.negations % 2 == pair.b.negations % 2
    if plain and bool(_ADDS.search(low[0])) != bool(_ADDS.search(low[1])):
        yield "one adds to what the other says"
    if bool(_OF_A_WHOLE.search(low[0])) != bool(_OF_A_WHOLE.search(low[1])):
        yield "one tells of a part of it"
    if bool(_INTENDED.search(low[0])) != bool(_INTENDED.search(low[1])):
        yield "only one side is an intention"
    if all(_FITS.search(text) for text in low) and _two_values(pair):
        yield "each of them may fit"
    tongues = {pair.a.tongue, pair.b.tongue}
    if len(tongues) > 1 and not tongues <= GLOSSED:
        yield "two languages that cannot be compared"
    if not pair.same_script and not marked and pair.names_a and pair.names_b:
        yield f"different names: {listed(pair.names_a)} against {listed(pair.names_b)}"
    for new, old, told, known in ((pair.a, pair.b, pair.names_a, pair.names_b), (pair.b, pair.a, pair.names_b, pair.names_a)):
        if new.changes and not old.changes:
            also = None if new.negations else _ALSO.search(new.low)
            if also and also.group().rpartition(" ")[2] not in old.low:
                yield "one adds to what the other says"
            mine, theirs = (pair.only_a, pair.only_b) if new is pair.a else (pair.only_b, pair.only_a)
            if new.negations and mine & new.subject and theirs & old.subject and new.passive == old.passive and not new.only:
                yield f"different subjects: {listed(mine & new.subject)} against {listed(theirs & old.subject)}"
            if told and known and new.negations and pair.same_script:
                yield f"what is denied is {listed(told)}, not {listed(known)}"
            former = former_values(new)
            if former and misses(former, old):
                yield f"the former value is {listed(former)}"
    yield from _framed(pair, marked=marked)
    yield from _denied_in_part(pair)
    if not marked and _clocks(pair) and pair.a.bearings & _UNTIL != pair.b.bearings & _UNTIL:
        yield "one tells a beginning, the other an end"


_OF_A_WHOLE = re.compile(r"\d[\d.,]* (?:\w+ )?(?:out )?of (?:the|our|its|their|this|that|these|those|them|it)\b")
_ADDS = re.compile(r"\b(?:also|as well|in addition|additionally)\b|\btoo\W*$")
_INTENDED = re.compile(r"\b(?:wants?|plan(?:s|ned|ning)?|hope[sd]?|intend(?:s|ed)?|would like|propose[sd]?) to (?=[a-z])")


def _place_and_more(fixed: frozenset[str]) -> bool:
    """A path and a version, say, which belong to each other."""
    return len(fixed) > 1 and any("/" in name for name in fixed)


def _whose(slots: Slots) -> int:
    """1 where it speaks of what is ours, -1 where of what is somebody else's, 0 where of neither or of both."""
    return int(not slots.spoken.isdisjoint(_OURS)) - int(not slots.spoken.isdisjoint(_THEIRS))


_OURS = frozenset(["our", "my", "ours"])
_THEIRS = frozenset(["their", "theirs", "your"])


def _two_values(pair: PairFeatures) -> bool:
    """Each side has a number, a name or a version of its own."""
    sides = ((pair.numbers_a, pair.numbers_b), (pair.names_a, pair.names_b), (pair.fixed_a, pair.fixed_b))
    return any(one and other for one, other in sides)


def _denied_in_part(pair: PairFeatures) -> Iterable[str]:
    """One denies what the other never said, or denies it for a place, a time or a case only."""
    for denying, plain, cover in ((pair.a, pair.b, pair.cover_b), (pair.b, pair.a, pair.cover_a)):
        if not denying.negations % 2 or plain.negations or not pair.same_script or denying.only:
            continue
        tail = narrowing(denying, plain)
        if not denying.head_negations % 2:
            if tail and cover > ALL_BUT_ONE:
                yield f"only {listed(tail)} is denied"
            continue
        if tail and cover >= LEAST_SAID and not plain.only and not turned_no(pair):
            yield f"only {listed(tail)} is denied"
        lost = current(plain.text).stems - current(denying.text).stems - denying.content_set - LIGHT - VERBS
        if tail and lost and denying.tongue != "en":
            yield f"what is denied is not {listed(lost)}"


def _framed(pair: PairFeatures, *, marked: bool) -> Iterable[str]:
    """Signs that show once the two are laid on each other: another subject, another kind of value, a case of its own."""
    if not pair.same_script:
        return
    frame = align(pair.a, pair.b)
    both = [part for part in frame.parts if part.left and part.right]
    english = pair.a.tongue == "en"
    things = any(_two_things(p.left, english=english) and _two_things(p.right, english=english) for p in both)
    if things and not (marked and english) or marked and not english and len(both) > 1:
        yield "another thing and another value"
    if not (pair.a.only and pair.b.only) and (marked or pair.a.passive == pair.b.passive) and frame.equal >= LEAST_FRAME:
        for part in both:
            if in_subject(pair, frame, part):
                yield f"different subjects: `{part.left[0].surface}` against `{part.right[0].surface}`"
    if_unless = [slots.conditions & {"if", "unless"} for slots in (pair.a, pair.b)]
    if set(if_unless) == {frozenset(["if"]), frozenset(["unless"])}:
        yield "one says if, the other unless"
    if len(both) == 1 == len(frame.parts) and _when_and_what(both[0].left, both[0].right, marked=marked):
        yield "one tells when, the other something else"
    if marked:
        return
    if pair.opposites and _other_value(pair) and not pair.polarity_apart:
        yield "opposite ends: " + ", ".join(f"{one} and {other}" for one, other in pair.opposites)
    if any(_thing_and_time(part.left) and _thing_and_time(part.right) for part in both):
        yield "another thing at another time"
    amounts = [both_amounts(part) for part in both]
    if any(amounts) and not all(amounts):
        yield "another thing with another amount"
    cases = [slots.conditions & CASES or frozenset(_DURING.findall(slots.folded.lower())) for slots in (pair.a, pair.b)]
    if bool(cases[0]) != bool(cases[1]) and not any(_IN_ANY_CASE.search(slots.folded.lower()) for slots in (pair.a, pair.b)):
        yield "one speaks of a case of its own"


def _when_and_what(left: tuple[Token, ...], right: tuple[Token, ...], *, marked: bool) -> bool:
    """One run tells when; the other does not, and where one of the claims tells of a change, it is a name, too."""
    if _only_time(left) == _only_time(right):
        return False
    other = right if _only_time(left) else left
    return not marked or not is_timely(other) and all(t.surface[:1].isupper() for t in other)


def _two_things(run: tuple[Token, ...], *, english: bool) -> bool:
    """A word and its own day or number: `A 10` of "会議室A: 10人", `inglés lunes` of "el curso de inglés es los lunes".

    In English a name before a number is one value ("PyPy 3.9").
    """
    if _thing_and_time(run):
        return True
    named = [t for t in run if t.kind in ("word", "cjk") and not is_amount((t,)) and t.lower not in UNIT_NAMES]
    named = [t for t in named if not english or t.surface.islower()]
    return bool(named) and any(t.kind == "number" for t in run)


def _only_time(run: tuple[Token, ...]) -> bool:
    return is_timely(run) and not _thing_and_time(run)


def _thing_and_time(run: tuple[Token, ...]) -> bool:
    return is_timely(run) and any(t.is_content and t.kind == "word" and not is_timely((t,)) for t in run)


def _other_value(pair: PairFeatures) -> bool:
    return bool(pair.numbers_a and pair.numbers_b) or any(
        q.startswith(("weekday", "month", "season", "shift")) for q in pair.qualifiers_apart
    )


def _counted_subject(slots: Slots, only: frozenset[str]) -> str:
    """A number in the subject that is neither an amount nor a bound: a year, a version, what a thing goes by."""
    cut = slots.tokens
    for i, token in enumerate(cut):
        if token.kind != "number" or token.stem not in only & slots.subject:
            continue
        before, after = cut[i - 1].lower if i else "", cut[i + 1].lower if i + 1 < len(cut) else ""
        if before not in LIMITING and after not in UNIT_NAMES and token.surface[:1] not in "$€£":
            return f"{before} {token.surface}".strip()
    return ""


def former_values(new: Slots) -> frozenset[str]:
    """Numbers and names of what a statement says was so before."""
    match = _FORMER.search(new.folded)
    if not match:
        return frozenset()
    told = extract_slots(next(g for g in match.groups() if g))
    return frozenset(told.numbers) or frozenset(t.lower for t in told.tokens if t.surface[:1].isupper() and t.is_content)


def misses(former: frozenset[str], old: Slots) -> bool:
    """The former value is of a kind that the older statement has, but is not there."""
    if any(":" in key for key in former):
        values = {key.partition(":")[2] for key in old.numbers}
        alike = {dimension(k) for k in former} & {dimension(k) for k in old.numbers} or "" in map(dimension, former)
        return bool(values) and bool(alike) and not any(_near(key.partition(":")[2], old.numbers) for key in former)
    days = {_WEEKDAYS[name] for name in former if name in _WEEKDAYS}
    known = {value for family, value in old.qualifiers if family == "weekday"}
    if days and known:
        return days.isdisjoint(known)
    said = old.folded.lower()
    return bool(old.names) and not any(name in said for name in former)


_WEEKDAYS = QUALIFIERS["weekday"]


def _near(value: str, numbers: frozenset[str]) -> bool:
    """The bare value stands among the numbers, in whatever unit ("from 3 to 5 degrees")."""
    for key in numbers:
        theirs = key.partition(":")[2]
        if value == theirs or theirs.startswith(f"{int(value):02d}:") if value.isdigit() else value == theirs:
            return True
        try:
            ratio = float(theirs) / float(value)
        except (ValueError, ZeroDivisionError):
            continue
        if any(abs(ratio - factor) < 1e-9 * factor for _, factor in UNIT_NAMES.values()):
            return True
    return False


def _clocks(pair: PairFeatures) -> bool:
    return all(any(dimension(k) == "clock" for k in side) for side in (pair.numbers_a, pair.numbers_b))
