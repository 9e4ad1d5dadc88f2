"""Two sentences on one frame: where exactly they part, and whether that place is the value or the subject."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import lru_cache

from dreamd.judge.change.current import Now, current
from dreamd.judge.claims.runs import SPANS, is_amount, is_span, mixed, named_things
from dreamd.judge.features import PairFeatures
from dreamd.judge.lazily import lazily
from dreamd.judge.slots import Slots
from dreamd.text import word_classes
from dreamd.text.markers import ATTRIBUTES, LIMITING, LINKS, MANY, ONE_OF, ONE_PLACE, PLACE_VERBS, VERBS
from dreamd.text.tokens import Token

_BEING = frozenset("is are was were called named ist heißt es son est é são".split())
_NAMED_NOUNS = frozenset("hut hotel house lodge villa camp café cafe bar pub school church".split())
"""Nouns that stand before a name of their own."""
_AGENT = frozenset("by durch von por par".split())
_ARTICLES = frozenset("the a an our their his her der die das dem den el la los las le les o os as".split())
_HABIT = re.compile(
    r"(?:is|are|gets?) (?!over|off|gone|out|finished|done|now|fixed|no longer|retired|abolished|withdrawn|cancell?ed"
    r"|discontinued|shut down|switched off|turned off|deprecated|suspended|scrapped|repaired|resolved|superseded|overruled"
    r"|decommissioned|postponed|phased out|closed down|dissolved|lifted|revoked|unblocked|reopened|down to|up to|back to)"
)
_SMALL = frozenset().union(*word_classes.SMALL_WORDS.values())
_CJK_DAYS = ("周", "星期", "曜", "월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일")
_TIMES = word_classes.QUALIFIERS["season"].keys() | word_classes.QUALIFIERS["shift"].keys() | {
    *("afternoon", "afternoons", "evenings", "mornings", "noon", "today", "tomorrow", "daily", "weekly", "monthly", "nightly"),
    *("yearly", "hourly", "dawn", "dusk", "lunch", "week", "month", "year", "quarter", "uhr", "late", "early"),
    *("vormittag", "nachmittag"),
}  # fmt: skip
_ZH_DAYS = frozenset("一二三四五六日天")
_PREPOSITIONS = frozenset("in on at to from into onto under over with by for of through via before after until without".split())


@dataclass(frozen=True, slots=True)
class Part:
    """A place where two statements differ: what each says there, and the index where it begins among all tokens."""

    left: tuple[Token, ...]
    right: tuple[Token, ...]
    left_at: int
    right_at: int
    told_at: int
    """The index where it begins among what `a` tells."""
    last: bool
    """Nothing that the two share comes after it, but for the noun that a value is the name of."""


class Frame:
    """Two claims as they stand now, laid on each other when somebody asks where they part."""

    def __init__(self, a: str, b: str) -> None:
        self._texts = a, b

    @lazily
    def a(self) -> Now:
        """The first claim."""
        return current(self._texts[0])

    @lazily
    def b(self) -> Now:
        """The second claim."""
        return current(self._texts[1])

    @lazily
    def _stems(self) -> tuple[list[str], list[str]]:
        return [t.stem for t in self.a.told], [t.stem for t in self.b.told]

    @lazily
    def _middle(self) -> tuple[int, int, int, int]:
        return _unlike_middle(*self._stems)

    @lazily
    def scattered(self) -> bool:
        """Whether they differ in more than one place: what most pairs do, and much sooner known than in which."""
        (left, right), (i, j, k, m) = self._stems, self._middle
        return i < j and k < m and not set(left[i:j]).isdisjoint(right[k:m])

    @lazily
    def _laid(self) -> tuple[list[tuple[int, int, int, int]], float]:
        (left, right), (i, j, k, m) = self._stems, self._middle
        if not self.scattered:
            parts = [(i, j, k, m)] if i < j or k < m else []
            return parts, 2.0 * (i + len(left) - j) / max(1, len(left) + len(right))
        matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
        return [codes[1:] for codes in matcher.get_opcodes() if codes[0] != "equal"], matcher.ratio()

    @lazily
    def equal(self) -> float:
        """How much of them is equal."""
        return self._laid[1]

    @lazily
    def parts(self) -> tuple[Part, ...]:
        """Where they differ."""
        left, right = self.a, self.b
        parts = []
        for i, j, k, m in self._laid[0]:
            at_left = left.places[i] if i < len(left.places) else len(left.every)
            at_right = right.places[k] if k < len(right.places) else len(right.every)
            last = j == len(left.told) or j + 1 == len(left.told) and left.told[j].stem in ONE_OF
            parts.append(Part(left.told[i:j], right.told[k:m], at_left, at_right, i, last))
        return tuple(parts)


def align(a: Slots, b: Slots) -> Frame:
    """Align two claims word by word."""
    return _align(a.text, b.text)


# As for the features: asked for again at once by guards, rules and the judge.
@lru_cache(maxsize=128)
def _align(a: str, b: str) -> Frame:
    return Frame(a, b)


def _unlike_middle(left: list[str], right: list[str]) -> tuple[int, int, int, int]:
    """Where two rows of stems begin and end to differ; where these middles share a word, they differ in several places."""
    most = min(len(left), len(right))
    ahead = next((n for n in range(most) if left[n] != right[n]), most)
    behind = next((n for n in range(most - ahead) if left[-1 - n] != right[-1 - n]), most - ahead)
    return ahead, len(left) - behind, ahead, len(right) - behind


LEAST_EQUAL = 0.5
LEAST_ORDER = 2
"""Words of an order, or of a Chinese sentence, before the place of a value: what is done, and with what."""
MOST_WORDS = 4
"""Longer runs of other words are another statement, not another value."""
MORE_CHARACTERS = 2
MOST_PARTS = 3
NEARLY_EQUAL = 0.8
LONG_CLAIM = 8
"""Equal words from which a sentence is told again with another number in it, wherever that stands."""


def value_change(pair: PairFeatures, frame: Frame, *, strict: bool = False) -> str:
    """What changed, when the two say one thing of one subject with unequal single values; empty otherwise.

    `strict` takes only values that a thing has one of: amounts, days, names of places, who does it, and whatever a word
    of change calls new; otherwise any short run of words behind the verb will do.
    """
    marked = bool(told_changes(pair.a)) != bool(told_changes(pair.b))
    if pair.a.negations % 2 != pair.b.negations % 2 and not marked:
        return ""
    if strict and not marked and pair.a.bearings != pair.b.bearings:
        return ""
    if pair.qualifiers_apart and not _only_value(pair):
        return ""
    most = MOST_PARTS if marked or len(frame.a.told) >= LONG_CLAIM and _told_again(frame) else 1
    if most == 1 and frame.scattered or not frame.parts or len(frame.parts) > most:
        return ""
    if frame.equal < LEAST_EQUAL and not ((marked or _is_then(frame)) and _only_other_times(frame)):
        return ""
    if any(not _is_value(pair, frame, part, marked=marked) for part in frame.parts):
        return ""
    counted = all(is_amount(p.left) and is_amount(p.right) and not _names_a_day(frame, p) for p in frame.parts)
    if counted and not (pair.numbers_a or pair.numbers_b):
        return ""
    if strict and not all(_is_single(pair, frame, part, marked=marked) for part in frame.parts):
        return ""
    return "; ".join(f"`{_words(part.left)}` against `{_words(part.right)}`" for part in frame.parts)


def _is_then(frame: Frame) -> bool:
    """Both say of a thing when it is: "is on Mondays at 9:30"."""
    part = frame.parts[0]
    ahead = [t.lower for now, at in ((frame.a, part.left_at), (frame.b, part.right_at)) for t in now.every[max(0, at - 2) : at]]
    return sum(word in ("is", "are") for word in ahead) == len(("a", "b"))


def _told_again(frame: Frame) -> bool:
    """A claim word for word, but for amounts."""
    return frame.equal >= NEARLY_EQUAL and all(both_amounts(part) for part in frame.parts)


def _only_other_times(frame: Frame) -> bool:
    """All that differs is a day and a time of day, and something is left to say it of."""
    part = frame.parts[0]
    dated = all(_calendar_word(run) and any(t.kind == "number" for t in run) for run in (part.left, part.right))
    return len(frame.parts) == 1 and part.told_at > 0 and dated and _calendar(part)


def _is_value(pair: PairFeatures, frame: Frame, part: Part, *, marked: bool) -> bool:
    """A short run on both sides, behind the verb or as the bound of a rule."""
    most = MOST_WORDS + MORE_CHARACTERS * pair.a.tongue.startswith(("zh", "ja"))
    if not part.left or not part.right or max(len(part.left), len(part.right)) > most:
        return False
    if _is_label(frame.a, part.left, part.left_at) and _is_label(frame.b, part.right, part.right_at):
        return False
    amount = both_amounts(part)
    alike = _before(frame.a, part.left_at) == _before(frame.b, part.right_at)
    if pair.a.tongue not in ("en", "zh", "ja", "ko") and not (alike or marked or amount):
        return False
    if pair.a.imperative or pair.b.imperative:
        return marked and len(frame.parts) == 1 or amount and part.told_at >= LEAST_ORDER
    if pair.a.tongue in ("zh", "ja", "ko"):
        deep = part.told_at >= (1 if pair.a.tongue == "ko" else LEAST_ORDER)
        return len(frame.parts) == 1 and deep and not _numbers_a_thing(frame, part)
    deep = amount and pair.a.tongue != "en" and part.told_at >= LEAST_ORDER
    ended = deep or _subject_ended(pair.a, frame.a, part.left_at) or _subject_ended(pair.b, frame.b, part.right_at)
    bound = amount and len(frame.a.told) >= LONG_CLAIM and _before(frame.a, part.left_at) in LIMITING
    if not (ended or bound):
        return False
    ahead = {t.stem for t in frame.a.every[: part.left_at]} - pair.a.subject
    ahead |= {t.stem for t in frame.b.every[: part.right_at]} - pair.b.subject
    return amount or pair.a.tongue != "en" or not ahead & MANY


def _is_single(pair: PairFeatures, frame: Frame, part: Part, *, marked: bool) -> bool:
    """Whether the place holds one value only."""
    if both_amounts(part):
        return _same_dimension(part)
    if _calendar(part):
        return True
    if marked:
        two = mixed(part.left), mixed(part.right)
        ahead = (part.left if two[0] else part.right)[0]
        narrower = pair.a.tongue == "en" and two[0] != two[1] and ahead.kind == "word" and ahead.stem not in VERBS
        things = all(two) or named_things(part.left, part.right)
        counted = pair.a.quantifiers == pair.b.quantifiers and not things and not narrower
        turned = any(t.stem in VERBS or t.lower == "back" for t in (*part.left, *part.right))
        return counted and not turned and max(len(part.left), len(part.right)) < MOST_WORDS
    before = _before(frame.a, part.left_at), _before(frame.b, part.right_at)
    if before[0] != before[1] and before[0] in _PREPOSITIONS and before[1] in _PREPOSITIONS:
        return False
    named = before[0] == before[1] and pair.a.tongue != "de" and _named(frame.a, part)
    if named or _numbered(part) or before[0] == before[1] and _is_preferred(frame, part):
        return True
    if part.last and _is_agent(frame, part):
        return pair.a.passive and pair.b.passive
    told = _tells_value(frame.a, part.left_at) and _tells_value(frame.b, part.right_at)
    return part.last and told and _is_attribute(pair) and _same_shape(frame, part)


def _subject_ended(slots: Slots, now: Now, at: int) -> bool:
    """The change stands behind the verb, or behind the colon that stands for one."""
    before = now.every[:at]
    if any(t.surface == ":" for t in before):
        return True
    spoken = any(t.stem == slots.verb for t in before) if slots.subject and slots.verb else False
    return spoken or any(t.kind == "op" or t.lower in LINKS or (t.stem in VERBS and not slots.imperative) for t in before)


def told_changes(slots: Slots) -> tuple[str, ...]:
    """The words of change that speak of an event, not of what regularly happens ("are extended by") or never does."""
    if not slots.changes:
        return ()
    low = slots.low
    return tuple(c for c in slots.changes if not _HABIT.match(c) and f"never {c}" not in low and f"not {c}" not in low)


def in_subject(pair: PairFeatures, frame: Frame, part: Part) -> bool:
    """The part stands before the verb on both sides, with a word of the subject in each."""
    if pair.a.tongue != "en":
        return part.told_at == 0 and not part.last and not is_timely(part.left)
    for slots, now, run, at in ((pair.a, frame.a, part.left, part.left_at), (pair.b, frame.b, part.right, part.right_at)):
        if not {t.stem for t in run if t.is_content} & slots.subject or _subject_ended(slots, now, at):
            return False
    return True


def is_timely(run: tuple[Token, ...]) -> bool:
    """A run that tells when: a day, a month, a time of day, an amount of time."""
    return _calendar_word(run) or any(is_span((t,)) or t.lower in _TIMES for t in run)


def _named(now: Now, part: Part) -> bool:
    """Two names where only one fits: "at hut Alpha", "is called north"."""
    capital = all(any(t.surface[:1].isupper() for t in run) for run in (part.left, part.right))
    ahead = [t for t in now.every[: part.left_at] if t.lower not in _ARTICLES]
    noun = bool(ahead) and (ahead[-1].stem in ONE_OF or ahead[-1].lower in _NAMED_NOUNS)
    if not capital or not (part.last or noun) or len(ahead) < LEAST_ORDER:
        return False
    joint, verb = (ahead[-2].lower, ahead[-3:-2]) if noun else (ahead[-1].lower, ahead[-2:-1])
    return joint in _BEING or joint in ONE_PLACE and any(t.lower in LINKS or t.stem in PLACE_VERBS for t in verb)


def _numbered(part: Part) -> bool:
    """`room 12` against `room 14`: an identifier that is itself the value."""
    if not part.last or len(part.left) != 1 or len(part.right) != 1:
        return False
    return all(t.kind == "word" and any(c.isdigit() for c in t.surface) for t in (*part.left, *part.right))


def _is_preferred(frame: Frame, part: Part) -> bool:
    """`prefers x` against `prefers y`: what is preferred leaves the other behind."""
    ahead = frame.a.told[part.told_at - 1 : part.told_at]
    return bool(ahead) and ahead[0].stem == "prefer" and len(part.left) == len(part.right) and not part.last


def _is_agent(frame: Frame, part: Part) -> bool:
    """`by the trainee` against `by the engineer`: somebody on both sides, not a means and not a time."""
    for now, run, at in ((frame.a, part.left, part.left_at), (frame.b, part.right, part.right_at)):
        article = _before(now, at) in _ARTICLES
        agent = now.every[at - 2].lower if article and at >= LEAST_ORDER else _before(now, at)
        if agent not in _AGENT or not (article or run[0].surface[:1].isupper()) or _calendar_word(run):
            return False
    return True


def _is_attribute(pair: PairFeatures) -> bool:
    """`The owner of x is …`: the subject is something a thing has one of."""
    same = not (pair.only_a & pair.a.subject or pair.only_b & pair.b.subject)
    return same and bool(pair.a.subject & pair.b.subject & ATTRIBUTES)


def _same_shape(frame: Frame, part: Part) -> bool:
    """Both values are names, or both nouns with an article, or both single words right behind the verb."""
    shapes = []
    for now, run, at in ((frame.a, part.left, part.left_at), (frame.b, part.right, part.right_at)):
        article = _before(now, at) in _ARTICLES
        capital = run[0].surface[:1].isupper()
        shapes.append((article, capital, any(c.isdigit() for c in run[0].surface)))
    return shapes[0] == shapes[1]


def _tells_value(now: Now, at: int) -> bool:
    """What stands before a value: a form of being, a preposition or a colon; "the manager approves" does something."""
    ahead = next((t for t in reversed(now.every[:at]) if t.lower not in _ARTICLES), None)
    return ahead is not None and (ahead.stem not in VERBS or ahead.lower in LINKS or ahead.lower in _BEING)


def _before(now: Now, at: int) -> str:
    return now.every[at - 1].lower if 0 < at <= len(now.every) else ""


def _only_value(pair: PairFeatures) -> bool:
    return all(q.startswith(("weekday", "month", "season", "shift", "colour", "side")) for q in pair.qualifiers_apart)


def _calendar(part: Part) -> bool:
    """Nothing but days and months, with what belongs to a date."""
    told = (*part.left, *part.right)
    plain = all(_calendar_word((t,)) or t.kind in ("number", "cjk") or t.lower in _TIMES for t in told)
    return plain and all(_calendar_word(run) for run in (part.left, part.right))


def _calendar_word(run: tuple[Token, ...]) -> bool:
    days = word_classes.QUALIFIERS["weekday"].keys() | word_classes.QUALIFIERS["month"].keys()
    return any(t.lower in days for t in run) or any(d in "".join(t.surface for t in run) for d in _CJK_DAYS)


def _numbers_a_thing(frame: Frame, part: Part) -> bool:
    """`3号阀门`: a number that a thing goes by."""
    after = frame.a.told[part.told_at + len(part.left) : part.told_at + len(part.left) + 1]
    before = frame.a.told[max(0, part.told_at - 1) : part.told_at]
    return any(t.surface[0] in "号番번" for t in after) or any(t.surface in ("第", "제") for t in before)


def _names_a_day(frame: Frame, part: Part) -> bool:
    """`星期四`, `周三`: a number by which a day of the week goes."""
    before = frame.a.told[max(0, part.told_at - 1) : part.told_at]
    return any(t.surface in ("期", "周") for t in before) and all(t.surface in _ZH_DAYS for t in (*part.left, *part.right))


def _is_label(now: Now, run: tuple[Token, ...], at: int) -> bool:
    """`row 118`, `valve 3`: a bare number right behind a noun names a thing."""
    if len(run) != 1 or run[0].kind != "number" or not 0 < at <= len(now.every):
        return False
    ahead = now.every[at - 1]
    if any(t.lower in word_classes.UNIT_NAMES for t in now.every[at + 1 : at + 2]):
        return False
    plain = ahead.kind == "word" and ahead.is_content and ahead.lower not in _SMALL
    return plain and ahead.stem not in VERBS and ahead.stem not in ONE_OF


def both_amounts(part: Part) -> bool:
    """Amounts on both sides, of which one may be a bare unit of time: "for ten minutes", "for an hour"."""
    left, right = is_amount(part.left), is_amount(part.right)
    if left and right or not part.left or not part.right:
        return left and right
    return (left or is_span(part.left)) and (right or is_span(part.right))


def _same_dimension(part: Part) -> bool:
    units = word_classes.UNIT_NAMES
    dims = [{units[t.lower][0] for t in run if t.lower in units} for run in (part.left, part.right)]
    return not (dims[0] and dims[1]) or dims[0] == dims[1] or dims[0] | dims[1] <= SPANS


def _words(run: tuple[Token, ...]) -> str:
    return " ".join(t.surface for t in run)
