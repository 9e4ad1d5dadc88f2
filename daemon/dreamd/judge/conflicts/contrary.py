"""Predicates that cannot both hold of one thing, by meaning: what is kept is not thrown away, what is barred is not free.

A row has two sides; words and turns of one side mean one and the same as far as a conflict goes. What is denied counts for
the other side. What is said of what must, may and must not be, and of how many, is read from the same kind of table.
"""

# ruff: noqa: E501  tables read better one row a line

from __future__ import annotations

from functools import lru_cache

from dreamd.judge.claims.sameness import turned_no
from dreamd.judge.conflict_hints import UNREAL
from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import extract_slots
from dreamd.text.markers import LIGHT
from dreamd.text.negation import CLAUSE_END
from dreamd.text.tokens import Token, stem
from dreamd.text.word_classes import NEGATORS

_ROWS = (
    ("keep kept retain stay remain preserve survive last store archive save saved untouched", "delete deleted lose lost wipe discard remove throw thrown drop dropped erase purge vanish gone destroy clear cleared"),
    ("encrypt encrypted cipher scrambled", "plaintext unencrypted; in the clear; plain text; in plain; readable by anyone"),
    ("open opened; stays open", "close closed shut lock locked seal sealed barred"),
    ("automatic automatically itself unattended scripted; by itself; by themselves; on its own; by a script; by machine", "manual manually click; by hand; by a person; by somebody; by people"),
    ("public publicly visible show shown published open everyone everybody; for all to see", "private hidden hide secret confidential sealed internal concealed anonymous masked"),
    ("stable reliable reliably dependable; works fine; runs smoothly", "flaky unstable unreliable intermittent; fails often; breaks often; now and then fails"),
    ("fast quick quickly rapid instant", "slow slowly sluggish lengthy"),
    ("immediate immediately instantly directly straight promptly; at once; right away; straight away; without delay; on the spot; on the same day", "later wait waits delayed afterwards eventually; after a; after two; after three; only after; has to pass; have to pass; the next day; next week; in batches; at the end of"),
    ("high higher loud top; at the top", "low lower deep quiet bottom; at the bottom"),
    ("long longer lengthy detailed verbose full extensive; in detail; at length; in full", "short shorter brief briefly concise terse; in brief; one line; one sentence; a single sentence"),
    ("free gratis; free of charge; costs nothing; without charge; at no cost; for nothing; no fee", "paid charge charged chargeable fee price cost costs pay pays subscription"),
    ("normal usual common expected harmless fine ordinary; as intended", "unusual abnormal rare odd alarming defect bug fault broken wrong strange"),
    ("harmless; does no harm; do no harm; no problem; does not matter", "ruin ruins damage destroys destroy harm spoil spoils kill hurts break; does harm"),
    ("intended deliberate deliberately; on purpose; by design; by intention; is wanted", "bug mistake accident accidentally error oversight; by accident; by mistake"),
    ("accept accepted accepts take takes admit welcome approve approved", "refuse refused reject rejected decline turned return returned; turn down; turns down; sends back; sent back; turn away; turned away"),
    ("alone self unaccompanied himself herself themselves; by himself; on their own; on your own; by one person", "accompanied together company pair pairs both escorted; with a; in pairs; two people; another person; somebody else; someone else"),
    ("indoors inside indoor hall", "outdoors outside outdoor garden; in the open; in the yard"),
    ("wet damp humid moist watered", "dry arid; dried out"),
    ("hot warm heated heat", "cold cool cooled chilled unheated frozen ice"),
    ("light bright lit white", "dark dim black; in the dark"),
    ("electronic electronically digital email e-mail pdf online app; by e-mail", "paper letter letters post printed print fax postal; by post; on paper; by letter; by fax"),
    ("shared common joint jointly together; in common; one for all; by all", "own separate separately private individual; each has; of its own; of his own; of their own; to himself; to themselves"),
    ("unlimited limitless indefinitely forever; as long as; as often as; as many as; as much as; no limit; any number; without limit; for good; for ever; any weight; any length", "limit limited maximum most cap capped; at most; no more than; up to; not longer than; within"),
    ("work works run runs running operational available; in order; in service; up and running", "broken down failed fail unavailable stopped; out of order; stands still; stand still; out of service; out of use; does not work"),
    ("obey honour follow respect heed observe", "ignore disregard; takes no notice; take no notice; pays no attention"),
    ("continue proceed skip pass; goes on; go on; carries on; passes over; passes by; does not stop", "stop stops abort aborts halt halts cancel interrupts quit; breaks off; gives up; comes to a halt; stops at"),
    ("stay stays remain remains", "leave leaves evacuate"),
    ("tested verified checked proven rehearsed; tried out", "untested unverified unchecked; never tried; nobody tried"),
    ("buy bought purchase purchased owned", "inherit inherited rent rented lease leased borrow borrowed gift"),
    ("trusted trust safe secure", "untrusted unsafe insecure risky dangerous suspicious"),
    ("increase increases rise rises grow grows raise raised", "decrease decreases fall falls shrink reduce reduced sink"),
    ("include includes including contain contains part; is part of; are part of", "exclude excludes excluding without omit omitted lacks leave; left out; leave out; not part of"),
    ("central centrally; in one place; one place; single place", "local locally distributed decentral scattered; each machine; everywhere; each has"),
    ("often frequently regularly always daily; every day; all the time", "rarely seldom never sometimes occasionally; once a year; hardly ever"),
    ("everyone everybody anyone anybody all any; every; whoever likes", "only alone nobody solely exclusively sole; no one; none but; nobody but"),
    ("inside within internal; in house; in-house; ourselves; our own; by ourselves", "outside external outsourced agency contractor abroad supplier; a company; another company"),
    ("summer", "winter"),
    ("written; in writing", "oral spoken orally verbal; by phone; by word"),
    ("merge merged squash squashed join joined combine", "rebase separate split keep apart"),
    ("lock; in order; strict strictly exact exactly precise", "loose lenient rough roughly approximate about; more or less"),
    ("succeed success passes pass passed win won green", "fail fails failed red lose lost"),
    ("active enabled on running", "inactive disabled off idle switched; turned off; switched off"),
    ("static fixed constant unchanged same", "dynamic vary varies variable changing changes change different rotates"),
    ("binding fixed final firm definite settled", "change changes open tentative provisional draft preliminary undecided; not final; may change"),
    ("left", "right"), ("north", "south"), ("east", "west"), ("up upwards", "down downwards"), ("horizontal", "vertical"),
    ("single only sole", "several many multiple various different both"),
    ("whole entire complete completely fully all entirely", "part partly partial half some partially; a part of; parts of"),
    ("strong heavy thick hard firm", "weak light thin soft"),
    ("clean tidy pure", "dirty messy polluted contaminated"),
    ("simple easy plain", "complex complicated difficult hard elaborate"),
    ("cheap inexpensive", "expensive dear costly"),
    ("full filled crowded busy booked; sold out", "empty vacant free quiet deserted; half empty"),
    ("synchronous sync blocking; waits for", "asynchronous async non-blocking; in the background; does not wait"),
    ("push pushed sends sent", "pull pulled poll polled fetch fetched collects"),
    ("sealed anonymous blind", "named visible signed; by name; with names"),
    ("raw uncooked fresh", "cooked boiled roasted frozen baked tinned"),
    ("reversible undo undone; can be undone; taken back", "irreversible final permanent; cannot be undone; for good"),
    ("attended supervised watched guarded", "unattended unsupervised unwatched; without supervision"),
    ("formal formally official politely", "informal informally casual colloquial first-name; on first-name terms"),
    ("agree agreed want wants like likes prefer prefers insist glad love loves favour", "oppose opposed hate hates dislike dislikes avoid detest against mind refuses; rather not; does not want; is annoyed"),
    ("help helps useful good improves improve benefit worth", "useless pointless bad worse hinders harm waste; no use; not worth"),
    ("cause caused fault reason because culprit blame", "innocent unrelated fine right; had nothing to do; not the cause; was fine; were fine"),
    ("direct directly; straight to; goes straight", "indirect via through; by way of; passes through; detour"),
    ("inheritance inherit base; base class; base classes", "composition compose parts delegates"),
    ("tabs tab", "spaces space"), ("american us", "british uk english en-gb"), ("metric metres kilometres celsius", "imperial feet miles fahrenheit inches"),
    ("child children minor minors; below eighteen; under age", "adult adults grown-up; of age; over eighteen; from eighteen on"),
)  # fmt: skip
_REQUIRED = "must shall required mandatory obligatory compulsory requires; has to; have to; needs to; need to; is needed; are needed; without exception; is a must; is essential; insists on; under any circumstances"
_BARRED = (
    "forbidden prohibited banned taboo barred disallowed vetoed off-limits; must not; may not; must never; may never; not to be; no place in; not allowed; not permitted; no right to; has no business; have no business; "
    "out of the question; off limits; keep off; keep out; keep away; hands off; is not for; not meant to; shut out; locked out"
)
_MAY = "may might allowed permitted welcome possible freely; free to; nothing against; is fine; are fine; is ok; are ok; is okay; no objection; nobody minds"
_FREE = (
    "optional optionally voluntary unnecessary superfluous dispensable; need not; needn't; no need; not necessary; not required; not needed; no longer needed; "
    "don't have to; doesn't have to; does not have to; do not have to; up to you; at will; as they like; as you like; as one likes; as it likes; as we like; can do without; "
    "can be left; leave out; can afford"
)
_ALL = "always every all each any anybody anyone everybody everyone throughout whenever whoever whatever everywhere anytime everything; at any time; in any case; no matter; as often as; even when; even if"
_ONLY = "only alone solely exclusively sole purely; nobody but; nothing but; no one but; no one else; nobody else; nothing else; none but; nobody besides; except for; reserved for; unless"
_NONE = "never none nobody nothing nowhere; no one; not any; not a single; not one; at no time; in no case"
FREE, MAY, REQUIRED, BARRED = "left free", "allowed", "required", "barred"
ALL, ONLY, NONE = "all", "only", "none"
_APART = frozenset({frozenset({ALL, ONLY}), frozenset({ONLY, NONE}), frozenset({FREE, REQUIRED}), frozenset({MAY, BARRED}), frozenset({REQUIRED, BARRED})})
_UNTIL = frozenset(n for n, (one, _) in enumerate(_ROWS) if one.split()[0] in ("keep", "open", "stay", "work"))
"""What is kept for a time is dropped after it: with one and the same amount these say one thing."""
_OF_PLACES = frozenset(
    n
    for n, (one, _) in enumerate(_ROWS)
    if one.split()[0] in ("left", "north", "east", "up", "horizontal", "summer", "child", "indoors", "inside", "central", "high")
)
"""Where and who rather than what: two words of these rows tell two things apart as often as one from itself."""
REACH = 3
"""Words behind a negator that it denies."""
FAR = 8
"""Words behind nobody and nothing that these deny."""
_NOTHING = frozenset(["nothing", "nobody", "none", "nowhere", "never"])

Sense = tuple[int, int]
"""A row and a side of it."""
_WORDS: dict[str, set[Sense | str]] = {}
_PHRASES: dict[str, list[tuple[tuple[str, ...], Sense | str]]] = {}


def _enter(told: str, sense: Sense | str) -> None:
    for n, part in enumerate(told.split(";")):
        found = part.split()
        if n == 0:
            for word in found:
                for form in (word, stem(word)):
                    _WORDS.setdefault(form, set()).add(sense)
        elif len(found) == 1:
            _WORDS.setdefault(found[0], set()).add(sense)
        else:
            _PHRASES.setdefault(found[0], []).append((tuple(found[1:]), sense))


for _n, _sides in enumerate(_ROWS):
    for _side, _told in enumerate(_sides):
        _enter(_told, (_n, _side))
for _kind, _told in ((REQUIRED, _REQUIRED), (BARRED, _BARRED), (FREE, _FREE), (MAY, _MAY), (ALL, _ALL), (ONLY, _ONLY), (NONE, _NONE)):
    _enter(_told, _kind)


for _found in _PHRASES.values():
    _found.sort(key=lambda each: -len(each[0]))


@lru_cache(maxsize=4096)
def senses_in(text: str) -> tuple[dict[Sense, str], frozenset[str]]:
    """The rows and sides that a statement takes, each with the word that says so; and what it says must, may or must not be."""
    slots = extract_slots(text)
    cut = slots.tokens
    found: dict[Sense, str] = {}
    kinds: set[str] = set()
    behind = 0
    for at in range(len(cut)):
        senses = _senses_at(cut, at) if at >= behind else []
        for sense, shown in senses:
            behind = at + 1 + shown.count(" ")  # the words of a phrase say nothing else
            if isinstance(sense, str):
                kinds.add(sense)
            else:
                row, side = sense
                found.setdefault((row, 1 - side if _is_denied(cut, at) else side), shown)
    if slots.imperative:
        kinds.add(BARRED if slots.head_negations % 2 else REQUIRED)
    return found, frozenset(kinds)


def _senses_at(cut: tuple[Token, ...], at: int) -> list[tuple[Sense | str, str]]:
    token = cut[at]
    low = token.lower
    for rest, sense in _PHRASES.get(low, ()):
        if tuple(t.lower for t in cut[at + 1 : at + 1 + len(rest)]) == rest:
            return [(sense, " ".join((low, *rest)))]
    return [(sense, token.surface) for sense in _WORDS.get(low) or _WORDS.get(token.stem) or ()]


def _is_denied(cut: tuple[Token, ...], at: int) -> bool:
    for far, token in enumerate(reversed(cut[max(0, at - FAR) : at])):
        if token.kind == "stop" or token.lower in CLAUSE_END:
            return False
        if token.lower in _NOTHING or far < REACH and (token.lower in NEGATORS or token.stem == "not"):
            return True
    return False


def contrary(pair: PairFeatures) -> str:
    """What one says and the other says the contrary of; else empty."""
    if not _comparable(pair):
        return ""
    (left, _), (right, _) = senses_in(pair.a.text), senses_in(pair.b.text)
    for (row, side), shown in left.items():
        against = right.get((row, 1 - side))
        alone = (row, side) not in right and (row, 1 - side) not in left
        until = row in _UNTIL and pair.a.numbers and not (pair.numbers_a or pair.numbers_b)
        if against and alone and not until and stem(shown.lower()) != stem(against.lower()):
            return f"`{shown}` against `{against}`"
    return ""


def are_contrary(one: str, other: str) -> bool:
    """Whether two words, as stems, stand on the two sides of one row."""
    left, right = _WORDS.get(one, ()), _WORDS.get(other, ())
    return any(isinstance(each, tuple) and each[0] not in _OF_PLACES and (each[0], 1 - each[1]) in right for each in left)


def demands_apart(pair: PairFeatures) -> str:
    """One demands, allows or bars what the other does not, or speaks of all where the other speaks of one alone; else empty."""
    if not _comparable(pair):
        return ""
    mine, theirs = senses_in(pair.a.text)[1], senses_in(pair.b.text)[1]
    for kinds, other, slots, own in ((mine, theirs, pair.a, pair.only_a), (theirs, mine, pair.b, pair.only_b)):
        if BARRED in kinds - other and slots.imperative and own - {slots.verb} - LIGHT:
            return ""  # "log everything", "never log secrets": what is barred is a thing of its own
    found = (f"{a} against {b}" for a in sorted(mine - theirs) for b in sorted(theirs - mine) if frozenset((a, b)) in _APART)
    return next(found, "")


def _comparable(pair: PairFeatures) -> bool:
    if not pair.in_english or not pair.shared or pair.names_a and pair.names_b or turned_no(pair):
        return False
    if pair.qualifiers_apart and pair.a.negations % 2 != pair.b.negations % 2:
        return False  # "not on Fridays" and "on Tuesdays" are one
    return not (UNREAL.search(pair.a.low) or UNREAL.search(pair.b.low))
