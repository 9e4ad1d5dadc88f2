"""One relation told from either end: "a depends on b" and "b is required by a", "x costs less than y" and its turn."""

# ruff: noqa: E501  tables read better one pair of ends a line

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dreamd.judge.abroad.alternatives import by_first_letter
from dreamd.judge.claims.politeness import plain
from dreamd.judge.slots import extract_slots
from dreamd.text.tokens import tokens
from dreamd.text.word_classes import NUMBER_WORDS

_BE = r"(?:is|are|was|were)"
_OF = r"(?:a |the |an |one )?"
_COMPARED = (
    ("bigger|larger|greater", "smaller"),
    ("faster|quicker", "slower"),
    ("older", "younger|newer"),
    ("longer", "shorter"),
    ("higher|taller", "lower"),
    ("heavier", "lighter"),
    ("earlier|sooner", "later"),
    ("more expensive|dearer|pricier|costlier", "cheaper|less expensive"),
    ("stronger", "weaker"),
    ("stricter", "laxer|looser|more lenient"),
    ("better", "worse"),
    ("warmer|hotter", "colder|cooler"),
    ("wider|broader", "narrower"),
    ("closer|nearer", "farther|further"),
)
_PLACED = (
    ("above|on top of|over", "below|beneath|under"),
    ("(?:to the )?left of", "(?:to the )?right of"),
    ("north of", "south of"),
    ("east of", "west of"),
    ("in front of", "behind"),
    ("upstream of", "downstream of"),
)
_ENDS: tuple[tuple[str, str], ...] = (
    (r"(.+?) (?:owns?|possess(?:es)?) (.+)", rf"(.+?) (?:belongs? to|{_BE} owned by|{_BE} the property of) (.+)"),
    (
        rf"(.+?) (?:reports? to|{_BE} (?:managed|supervised|led) by) (.+)",
        rf"(.+?) (?:{_BE} (?:the )?(?:manager|boss|supervisor|superior) of|manages?|supervises?|leads?) (.+)",
    ),
    (r"(.+?) (?:contains?|includes?|comprises?) (.+)", rf"(.+?) {_BE} (?:part of|contained in|included in|a part of) (.+)"),
    (r"(.+?) (?:costs?|weighs?|takes?|needs?|earns?|holds?) more than (.+)", r"(.+?) (?:costs?|weighs?|takes?|needs?|earns?|holds?) less than (.+)"),
    (r"(.+?) (?:precedes?|comes before|goes before|runs before) (.+)", r"(.+?) (?:follows|succeeds|comes after|goes after|runs after) (.+)"),
    (rf"(.+?) {_BE} the parent of (.+)", rf"(.+?) {_BE} {_OF}child of (.+)"),
    (rf"(.+?) (?:inherits? from|extends?|derives? from|{_BE} derived from|{_BE} based on) (.+)", rf"(.+?) {_BE} the (?:base|parent class|basis) (?:of|for) (.+)"),
    (r"(.+?) outranks? (.+)", r"(.+?) ranks? (?:below|under|behind) (.+)"),
    (r"(.+?) overrides? (.+)", r"(.+?) (?:yields? to|gives? way to|is overridden by|are overridden by) (.+)"),
    *(
        (rf"(.+?) (?:{_BE}|runs?|comes?|starts?|grows?) (?:{one}) than (.+)", rf"(.+?) (?:{_BE}|runs?|comes?|starts?|grows?) (?:{other}) than (.+)")
        for one, other in _COMPARED
    ),
    (rf"(.+?) (?:{_BE} (?:{_COMPARED[7][0]}) than|costs? more than) (.+)", rf"(.+?) (?:{_BE} (?:{_COMPARED[7][1]}) than|costs? less than) (.+)"),
    *(
        (rf"(.+?) (?:{_BE}|lies|lie|sits?|stands?|hangs?) (?:directly )?(?:{one}) (.+)", rf"(.+?) (?:{_BE}|lies|lie|sits?|stands?|hangs?) (?:directly )?(?:{other}) (.+)")
        for one, other in _PLACED
    ),
)  # fmt: skip
_LOOSE: tuple[tuple[str, str], ...] = (
    (
        r"(.+?) (?:depends? on|relies on|rely on|needs?|requires?|cannot (?:run|work) without) (.+)",
        rf"(.+?) {_BE} (?:{_OF}(?:dependency|prerequisite|requirement) (?:of|for)|(?:needed|required) (?:by|for)) (.+)",
    ),
    (r"(.+?) (?:blocks?|holds up) (.+)", rf"(.+?) (?:waits? for|{_BE} blocked by|{_BE} held up by) (.+)"),
    (
        rf"(.+?) (?:feeds?|suppl(?:y|ies)|{_BE} (?:the |a )?(?:source|input) (?:of|for)) (.+)",
        rf"(.+?) (?:reads? from|consumes?|draws? (?:its (?:data|input) )?from|{_BE} (?:fed|supplied) (?:by|from)|gets? its (?:data|input) from) (.+)",
    ),
    (r"(.+?) (?:replaces?|supersedes?) (.+)", rf"(.+?) {_BE} (?:replaced|superseded) by (.+)"),
    (r"(.+?) deputi[sz]es for (.+)", rf"(.+?) {_BE} (?:represented|deputi[sz]ed) by (.+)"),
    (r"(.+?) teach(?:es)? (.+)", r"(.+?) (?:learns? from|is taught by|are taught by) (.+)"),
    (r"(.+?) (?:applies|apply) to (.+)", rf"(.+?) (?:{_BE} subject to|falls? under) (.+)"),
    (rf"there {_BE} (.+?) (?:in|on|at) (.+)", r"(.+?) (?:has|have) (.+)"),
    (rf"(.+?) {_BE} (?:called|named) (.+)", rf"(.+?) {_BE} the name of (.+)"),
    (r"(.+?) employs? (.+)", rf"(.+?) (?:works? for|{_BE} employed by) (.+)"),
)  # fmt: skip
"""Relations that may run both ways at once: each may teach the other."""
_THREE: tuple[tuple[str, str], ...] = (
    (r"(.+?) (?:sends?|forwards?|passes|pass|hands?|gives?|delivers?|pushes|exports?|transmits?|submits?|ships?) (.+?) to (.+)", r"(.+?) (?:receives?|gets?|obtains?) (.+?) from (.+)"),
    (r"(.+?) (?:sells?) (.+?) to (.+)", r"(.+?) (?:buys?|purchases?) (.+?) from (.+)"),
    (r"(.+?) (?:lends?) (.+?) to (.+)", r"(.+?) (?:borrows?) (.+?) from (.+)"),
    (r"(.+?) (?:lets|rents out|leases?|leases out) (.+?) to (.+)", r"(.+?) (?:rents?|leases?) (.+?) from (.+)"),
)
_NAMED = re.compile(r"^the name of (.+?) is (.+)$")
_SUPPLIED = re.compile(r"^(.+?) (?:supply|supplies|provides?|equips?) (.+?) with (.+)$")
_TOO_MUCH = (", ", ";", ":", " not ", " no ")
_COMMON = frozenset(["are", "was", "were", "the", "one", "its", "data", "directly", "input", "there", "from", "with", "for"])


def _compiled(table: tuple[tuple[str, str], ...], first: int) -> list[tuple[int, int, re.Pattern[str], tuple[str, ...]]]:
    """Each end as its kind, which end it is, its pattern, and pieces of words of which any text that fits has one."""
    found = []
    for kind, ends in enumerate(table, first):
        for turned, end in enumerate(ends):
            pieces = set(re.findall(r"[a-z]{3,}", re.sub(r"\(\?:[a-z]+\)\?|[a-z]\?", " ", end))) - _COMMON
            found.append((kind, turned, re.compile(rf"^{end}$"), tuple(sorted({"than"} & pieces or pieces))))
    return found


FIRST_OF_THREE = 100
_ALL = (*_compiled((*_ENDS, *_LOOSE), 0), *_compiled(_THREE, FIRST_OF_THREE))
_PLACES = {sign: [n for n, (*_, signs) in enumerate(_ALL) if sign in signs] for *_, each in _ALL for sign in each}
"""Where in the table the patterns stand that a piece of a word makes worth trying."""
_ANY_END = re.compile(by_first_letter(sorted(_PLACES)))
REPORTS = 1
_POSSESSIVE = re.compile(r"^(.+?) is (.+?)'s (?:manager|boss|supervisor|superior)$")


@dataclass(frozen=True, slots=True)
class Tie:
    """A relation and its two ends (and what passes between them), always told from the same end."""

    kind: int
    first: frozenset[str]
    second: frozenset[str]
    passed: frozenset[str] = frozenset()
    turned: bool = False
    """The text tells it from the second end."""


@lru_cache(maxsize=16_384)
def ties_in(text: str) -> tuple[Tie, ...]:
    """The relations that the whole of a statement tells."""
    slots = extract_slots(text)
    low = (slots.bare if slots.folded == slots.written else plain(slots.written)).lower().rstrip(". !")
    if not low.isascii() or any(mark in low for mark in _TOO_MUCH) or not _ANY_END.search(low) and "'s " not in low:
        return ()
    low = _NAMED.sub(r"\2 is the name of \1", _SUPPLIED.sub(r"\1 delivers \3 to \2", low))
    found: list[Tie] = []
    likely = sorted({n for sign, places in _PLACES.items() if sign in low for n in places})
    for kind, turned, pattern, _ in (_ALL[n] for n in likely if _ALL[n][0] < FIRST_OF_THREE):
        match = pattern.match(low)
        if match:
            one, other = _stems(match.group(1)), _stems(match.group(2))
            found.append(Tie(kind, other, one, turned=True) if turned else Tie(kind, one, other))
    boss = _POSSESSIVE.match(low)
    if boss:
        found.append(Tie(REPORTS, _stems(boss.group(2)), _stems(boss.group(1)), turned=True))
    for kind, turned, pattern, _ in (_ALL[n] for n in likely if _ALL[n][0] >= FIRST_OF_THREE):
        match = pattern.match(low)
        if match:
            one, what, other = (_stems(group) for group in match.groups())
            found.append(Tie(kind, other, one, what, True) if turned else Tie(kind, one, other, what))
    return tuple(tie for tie in found if tie.first and tie.second and tie.first != tie.second)


def tied(one: str, other: str) -> int:
    """1 when two tell one relation from its two ends; with the ends exchanged -1, or -2 where both can be so; else 0."""
    for left in ties_in(one):
        for right in ties_in(other):
            if left.kind == right.kind and left.passed == right.passed and left.turned != right.turned:
                if (left.first, left.second) == (right.first, right.second):
                    return 1
                if (left.first, left.second) == (right.second, right.first):
                    return -1 if left.kind < len(_ENDS) else -2
    return 0


def _stems(words: str) -> frozenset[str]:
    return frozenset(str(NUMBER_WORDS.get(t.lower, t.stem)) for t in tokens(words) if t.is_content or t.kind == "number")
