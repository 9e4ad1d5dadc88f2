"""Everything the judge reads off one statement, once: `extract_slots` is cached per text."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from dreamd.relations import names, quantities, words
from dreamd.relations.change_marks import change_marks
from dreamd.relations.manners import plain
from dreamd.relations.markers import ONE_OF, VERBS
from dreamd.relations.phrases import plainer
from dreamd.relations.text import Token, fold, language, tokens

_CACHED = 65_536
_CLAUSE_END = frozenset(
    (
        "but because since so and or then while although though if unless until when which who whose aber weil und oder "
        "pero porque y o mais car et ou sondern sino"
    ).split()
)
_BACKWARD = frozenset(
    (
        "forbidden prohibited banned disallowed disabled off-limits taboo verboten untersagt prohibido prohibida "
        "interdit interdite proibido proibida refused avoided"
    ).split()
)
_PART_END = _CLAUSE_END | words.CONDITIONS | words.REASONS
_HEAD_END = words.REASONS - {"as", "for", "so", "da", "ya"} | {"which", "whose", "but"}
_SHORTEST_HEAD = 3
MANY_CLAUSES = 2
_LONGEST_LABEL = 4
"""Words before a colon that are the name of what is told behind it: "log retention: 30 days"."""
_CONTRAST = {"rather": "than", "instead": "of", "in": "place", "as": "opposed", "en": "vez", "em": "vez", "au": "lieu"}
"""Two words that set one thing against another."""
_NO_DENIAL: tuple[frozenset[str], frozenset[str], int] = (frozenset(), frozenset(), 0)
_ONLY = re.compile(
    r"(?<![\w-])(?:only|solely|exclusively|alone|nothing else|no other|sole|nur|ausschließlich|solo|sólo|solamente|"
    r"únicamente|seulement|uniquement|só|somente|apenas)\b|只|仅|만 |뿐|だけ|のみ"
)
_AUX = frozenset(
    (
        "is are was were be has have had must may can should will shall would could does do did doesn't don't didn't "
        "isn't aren't wasn't weren't hasn't haven't cannot can't won't mustn't shouldn't ist sind wird werden hat haben "
        "muss müssen darf dürfen kann es son está están debe deben tiene tienen est sont doit doivent ont é são deve "
        "devem tem têm gets get got needs need"
    ).split()
)
_BE = frozenset("is are was were be been being gets get got isn't aren't wasn't weren't wird werden wurde wurden".split())
_COMMANDING = frozenset(["always", "never", "please", "do", "don't", "dont", "not", "avoid", "prefer", "only"])
_SPEAKERS = frozenset("i we they you he she it".split())
_FRONTED = frozenset(
    ("before after since because if when unless until while to in on at for with from during once as whenever without").split()
)
_DETERMINERS = frozenset(
    "the a an of to no every each all our its their this that any some in on for from with by and or".split()
)
_AFTER_VERB = frozenset(
    (
        "the a an to in on at for from with by of into its our their his her no only all every each any as under over "
        "through before after up"
    ).split()
)
_STATED = frozenset(["version", "release", "v"])
_PLACED = frozenset("in at of for inside beside behind above under below near opposite on".split())
_NOT_PARTICIPLES = frozenset(
    (
        "red bed shed seed feed speed need hundred unit limit audit habit credit visit bit kit permit different current "
        "present recent content student client agent patient open golden green wooden"
    ).split()
)
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
_PARTICIPLE = re.compile(r"(?:ed|en|wn|ought|elt|ept|eld|ilt|ade|old|ent|ound|ead|ut|it|et|one|un)$")


@dataclass(frozen=True, slots=True)
class Slots:
    """The readable features of one statement."""

    text: str
    folded: str
    tongue: str
    tokens: tuple[Token, ...]
    content: tuple[str, ...]
    """Stems of the content words, in order."""
    subject: frozenset[str]
    """Content stems before the main verb (or the colon); empty for an imperative."""
    imperative: bool
    passive: bool
    clauses: tuple[tuple[str, ...], ...]
    numbers: frozenset[str]
    fixed: frozenset[str]
    commands: frozenset[str]
    quoted: frozenset[str]
    names: frozenset[str]
    negations: int
    negated: frozenset[str]
    """Content stems within the reach of a negator."""
    denied: frozenset[str]
    """The first content stem behind each negator: what exactly is denied."""
    head_negated: frozenset[str]
    head_negations: int
    """The same for the first clause alone, where the claim itself stands."""
    quantifiers: frozenset[str]
    only: bool
    conditions: frozenset[str]
    modal: str
    changes: tuple[str, ...]
    """Change markers as matched."""
    qualifiers: frozenset[tuple[str, str]]
    head_qualifiers: frozenset[tuple[str, str]]
    """Those before the first comma, colon or reason: what the claim itself is about."""
    labels: frozenset[str]
    """What tells the subject from others of its kind: `row 118`, `gw-17`, `PAY-3` before the verb."""
    verb: str
    """Stem of the main verb, as far as it shows."""

    has_be: bool
    """True when a form of "be" stands in the text, as in every passive."""
    bearings: frozenset[str]
    """Small words that turn a claim: before, after, more, less, out, off, or."""
    content_set: frozenset[str]
    """The content stems as a set."""


@lru_cache(maxsize=_CACHED)
def extract_slots(text: str) -> Slots:
    """Read every per-statement feature of a text."""
    folded = plainer(fold(text))
    cut = tokens(plain(folded))
    head = _head(cut)
    tongue = language(folded)
    low = folded.lower()
    spoken = frozenset(t.lower for t in cut)
    verb = _verb_at(cut, head)
    whole = _negated(cut, low)
    negated, denied, negations = whole
    alone = len(head) == len(cut)
    head_negated, _, head_negations = whole if alone or whole == _NO_DENIAL else _negated(head, low)
    qualifiers = _qualifiers(cut, low)
    content = tuple(t.stem for t in cut if t.is_content)
    changes = change_marks(low, tongue)
    return Slots(
        text=text,
        folded=folded,
        tongue=tongue,
        tokens=cut,
        content=content,
        subject=frozenset(t.stem for t in cut[: max(verb, 0)] if t.is_content),
        imperative=verb == 0,
        has_be=not spoken.isdisjoint(_BE),
        bearings=_bearings(spoken, changes),
        content_set=frozenset(content),
        passive=not spoken.isdisjoint(_BE) and _is_passive(cut),
        clauses=_clauses(cut),
        numbers=_numbers(folded, cut),
        fixed=names.fixed_names(folded, cut),
        commands=names.commands(text),
        quoted=names.quotations(folded),
        names=names.proper_names(cut, tongue),
        negations=negations,
        negated=negated,
        denied=denied,
        head_negated=head_negated,
        head_negations=head_negations,
        quantifiers=_quantifiers(head),
        only=bool(_ONLY.search(low)),
        conditions=_conditions(spoken, low, tongue),
        modal=next((kind for kind, members in words.MODAL.items() if not members.isdisjoint(spoken)), ""),
        changes=changes,
        qualifiers=qualifiers,
        labels=_labels(cut, verb),
        head_qualifiers=qualifiers if alone else _qualifiers(head, low),
        verb=next((t.stem for t in cut[max(verb, 0) :] if t.is_content), ""),
    )


def _bearings(spoken: frozenset[str], changes: tuple[str, ...]) -> frozenset[str]:
    """ "Since" tells a time where something has changed, and a reason everywhere else."""
    reason = "since" in spoken and not any(mark.startswith("since") for mark in changes)
    return frozenset(BEARINGS[word] for word in spoken if word in BEARINGS and not (reason and word == "since"))


def _verb_at(cut: Sequence[Token], head: Sequence[Token]) -> int:
    """Index of the main verb (or of the colon that stands for one); 0 for an imperative, -1 when none was found."""
    if not head or head[0].lower in _FRONTED or head[0].lower == "there":
        return -1
    first = next((i for i, t in enumerate(head) if t.is_content or t.lower in _COMMANDING), 0)
    if first and head[0].lower in _SPEAKERS and head[first].kind == "word" and not head[first].lower.endswith("ly"):
        return first
    colon = next((i for i, t in enumerate(cut) if t.surface == ":"), -1)
    if 1 < colon <= _LONGEST_LABEL and all(t.is_content and t.lower not in _COMMANDING for t in cut[:colon]):
        return colon
    bare = first == 0 or first == 1 and head[0].lower not in _DETERMINERS
    if head[first].lower in _COMMANDING or (head[first].stem in VERBS and bare and not _is_noun_here(head, first)):
        return 0
    helping = next((i for i, t in enumerate(head) if i > first and t.lower in _AUX), -1)
    if helping > 0:
        return helping
    found = [
        i
        for i, t in enumerate(head)
        if i > first and t.kind == "word" and (t.stem in VERBS or (t.lower.endswith("s") and len(t.lower) > 3))
    ]
    strong = [
        i for i in found if i + 1 < len(head) and head[i + 1].lower in _AFTER_VERB and head[i - 1].lower not in _DETERMINERS
    ]
    known = [i for i in found if head[i].stem in VERBS and head[i - 1].lower not in _DETERMINERS]
    first_found = min([*strong[:1], *known[:1]], default=colon)
    return first_found + 1 if first_found >= 0 and first_found + 1 in strong else first_found


_SURE_VERBS = frozenset("goes uses needs takes comes happens requires depends lasts costs stays belongs begins becomes".split())
"""Forms that are nothing but verbs: the word before them is no order."""


def _is_noun_here(head: Sequence[Token], first: int) -> bool:
    """`Release notes are …`, `Plans need …`: a verb's word that stands as the subject."""
    if first + 1 < len(head) and head[first + 1].lower in _SURE_VERBS:
        return True
    return head[first].lower.endswith("s") or any(t.lower in _AUX for t in head[first + 1 : first + 3])


def _head(cut: Sequence[Token]) -> tuple[Token, ...]:
    """The first clause: up to a stop, a reason or a relative word, if it is a claim already."""
    for i, token in enumerate(cut[_SHORTEST_HEAD:], _SHORTEST_HEAD):
        if token.kind == "stop" or token.lower in _HEAD_END:
            return tuple(cut[:i])
    return tuple(cut)


def _quantifiers(head: Sequence[Token]) -> frozenset[str]:
    spoken = [t.lower for t in head]
    for i, word in enumerate(spoken):
        if word in ("most", "least", "all", "any") and i and spoken[i - 1] in ("at", "after", "in", "the"):
            spoken[i] = ""
    return frozenset(kind for kind, members in words.QUANTIFIERS.items() if not members.isdisjoint(spoken))


def quantifiers_in(slots: Slots) -> frozenset[str]:
    """How many a statement speaks of, in whichever of its clauses."""
    return slots.quantifiers if len(slots.clauses) < MANY_CLAUSES else _quantifiers(slots.tokens)


_NO_DEED = frozenset("the a an in on at to of for with from under over behind".split())
"""Behind these stands no participle: "is in the hut"."""


def _is_passive(cut: Sequence[Token]) -> bool:
    for i, token in enumerate(cut[:-1]):
        if token.lower in _BE:
            ahead = tuple(takewhile(lambda t: t.lower not in _NO_DEED, cut[i + 1 : i + 4]))
            if any(
                t.kind == "word"
                and (t.lower not in words.STOP or t.lower == "done")
                and t.lower not in _NOT_PARTICIPLES
                and len(t.lower) > 2
                and _PARTICIPLE.search(t.lower)
                for t in ahead
            ):
                return True
    return False


def _clauses(cut: Sequence[Token]) -> tuple[tuple[str, ...], ...]:
    """Content stems cut at punctuation and connectives: the order inside a part means something, that of the parts does not."""
    parts: list[list[str]] = [[]]
    for token in cut:
        if token.kind in ("stop", "op") or token.lower in _PART_END:
            parts.append([])
        elif token.is_content:
            parts[-1].append(token.stem)
    return tuple(tuple(part) for part in parts if part)


def _numbers(folded: str, cut: Sequence[Token]) -> frozenset[str]:
    found, rest = quantities.dates_and_times(folded)
    rest = names.without_addresses(rest)
    keep = tokens(rest) if rest != folded else tuple(cut)
    keep = tuple(t for t in keep if not (t.kind == "number" and "." in t.surface and t.surface.count(".") >= 2))
    return frozenset(q.key for q in [*found, *quantities.measures(keep)])


def _negated(cut: Sequence[Token], low: str) -> tuple[frozenset[str], frozenset[str], int]:
    """Stems in reach of a negator, the first behind each, and how many negators there are."""
    spared: set[int] | None = None
    reach: set[str] = set()
    first: set[str] = set()
    count = 0
    for i, token in enumerate(cut):
        if token.kind == "cjk":
            hits = sum(
                token.surface.count(n.strip())
                for n in words.NEGATORS_CJK
                if len(n.strip()) > 1 or n in ("不", "没", "无", "않", "없", "못")
            )
            count += min(hits, 2)
            continue
        contrast = token.lower in _CONTRAST and i + 1 < len(cut) and cut[i + 1].lower == _CONTRAST[token.lower]
        is_not = token.lower in words.NEGATORS or token.stem == "not"
        if not (contrast or is_not):
            continue
        if spared is None:
            spared = {low.index(phrase) for phrase in words.NOT_NEGATING if phrase in low}
        is_not = is_not and token.at not in spared and not (token.stem == "avoid" and i and cut[i - 1].lower == "to")
        if not (contrast or is_not):
            continue
        count += not contrast
        ahead = _ahead(cut[i + 1 :])
        reach.update(ahead)
        first.update(ahead[:1])
        if token.lower in _BACKWARD:
            reach.update(_ahead(tuple(reversed(cut[:i]))))
    return frozenset(reach), frozenset(first), count


def _ahead(rest: Sequence[Token]) -> list[str]:
    found: list[str] = []
    for token in rest:
        if (
            token.kind == "stop"
            or (token.lower in _CLAUSE_END and token.lower not in ("or", "oder", "o", "ou"))
            or len(found) >= 6
        ):
            break
        if token.is_content:
            found.append(token.stem)
    return found


def _labels(cut: Sequence[Token], verb: int) -> frozenset[str]:
    subject = cut[:verb] if verb > 0 else cut[: 4 if verb == 0 else 3]
    found = set(names.fixed_names(" ".join(t.surface for t in subject), subject))
    if all(t.kind != "number" for t in cut):
        return frozenset(found)
    for one, number in zip(subject, subject[1:], strict=False):
        if number.kind == "number" and one.kind == "word" and one.is_content and one.lower not in _AUX:
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
    found = set(spoken & words.CONDITIONS)
    found -= _OTHER_TONGUES.get(tongue, _ROMANCE_IF)
    if not low.isascii():
        found.update(w.strip() for w in words.CONDITIONS_CJK if w in low)
    return frozenset(found)


_FAMILY_OF: dict[str, list[tuple[str, str]]] = {}
for _family, _members in words.QUALIFIERS.items():
    for _word, _value in _members.items():
        _FAMILY_OF.setdefault(_word, []).append((_family, _value))
_CJK_QUALIFIERS = tuple((w, pairs) for w, pairs in _FAMILY_OF.items() if ord(w[0]) > 0x2E7F)


def _qualifiers(cut: Sequence[Token], low: str) -> frozenset[tuple[str, str]]:
    found = {pair for t in cut if t.kind == "word" for pair in _FAMILY_OF.get(t.lower, ())}
    if not low.isascii():
        found.update(pair for word, pairs in _CJK_QUALIFIERS if word in low for pair in pairs)
    return frozenset(found)
