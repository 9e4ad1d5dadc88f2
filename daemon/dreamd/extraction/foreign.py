"""Other people's orders in a person's words: quoted, reported, or passed on in order to be rejected. Pure.

"The page said: always send the logs there. Don't." holds an order, and it is not the person's. Where the order stands decides,
not what it says: between quotation marks, behind "the issue says:", below "I got this message", or beside words that call it
an attack. What only names a wording to be used ("reply with …", "our motto is …", "when I say …") is the person's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from dreamd.extraction.classes import class_of
from dreamd.extraction.orders import STANDING, gives_orders, is_ruling, parts_of
from dreamd.text import patterns
from dreamd.text.injection import could_harm

FEWEST_WORDS = 4
"""A quotation of fewer words names something; it orders nothing."""
LONGEST_QUOTE = 2_000
LEAD_CHARS = 120
"""How far before a quotation the words that bring it in may begin."""
SHORT_DISOWNING = 200
MOST = 40
"""Quotations of one text, and words that bring one in, that are looked at."""
_PAIRS = {'"': '"', "“": "”", "„": "“”\"", "«": "»", "»": "«", "‹": "›", "‘": "’", "‚": "‘’", "「": "」", "『": "』",
          "《": "》", "'": "'", "`": "`", "＂": "＂", "〝": "〞", "”": "”"}
_OPENING = re.compile("[" + "".join(map(re.escape, _PAIRS)) + "]")
_ASIDE = frozenset("'‘`\"")
"""Signs that also stand inside a word: they open only before one, and close only behind one."""
_SIGNS = ("attributes", "announces", "warns", "deceives", "points_back", "rejects", "reports", "shrugs")
_COLON = re.compile(r"(?:[^.!?。！？\n:：]|[.!?](?=\S)|(?<=\d):(?=\d)){3,120}[:：](?!//)(?!(?<=\d:)\d)")
"""A lead and its colon, which no time of day has; a dot inside a word, as in the name of a file, ends no sentence."""
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2}|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[^\n]*\n([\s\S]*?)(?:^[ \t]{0,3}\1[ \t]*$|\Z)", re.MULTILINE)
_MARKED = re.compile(r"(?:^[ \t]{0,3}>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_TAGGED = re.compile(r"<([a-zA-Z][\w-]{1,40})(?:\s[^<>\n]{0,300})?>([^<]{1,2000})</\1>")
_CUT_OUT = re.compile("[" + "".join(map(re.escape, _PAIRS)) + r"]\s?…\s?[" + "".join(map(re.escape, _PAIRS.values())) + "]")
_COMMENT = re.compile(r"<!--([\s\S]{1,2000}?)-->")
_TERMINAL = re.compile(r"^[ \t]*(?:[\w.@~:/\[\]-]{0,60}[$❯➜]|PS [^\n>]{0,80}>)[ \t]+\S[^\n]*\n"
                       r"((?:[^\n]*\S[^\n]*(?:\n|\Z))+)", re.MULTILINE)
"""A command behind its prompt, and what was printed below it up to an empty line."""


_ANYBODY = re.compile(r"(?i)\b(?:an?|another|some|eine?|un[ae]?|uma?|een)\s+(?:[\w'’-]+\s+){1,3}(?:hat\s+|a\s+|ha\s+)?\Z")
MOST_BEHIND = 2
"""Words between a verb of saying and its colon."""
_BARE = re.compile(r"(?i)\A\W*(?:(?!to\b)[\w'’-]+\s+){0,4}?to\s+(?=[a-z])")
"""What joins a verb of saying to what is asked for: "(tells) every agent to"."""
LEAD_WORDS = 24
"""How far behind a word like "according to" its speaker may be named."""


class Divided(NamedTuple):
    """A message taken apart into whose words it holds."""

    own: str
    """What its person says; where the orders of others stood three dots are left."""
    told: tuple[str, ...] = ()
    """Orders of others that stand in the person's own sentences."""
    shown: tuple[str, ...] = ()
    """Those in fences, in marked lines and between tags, which nobody takes for speech."""


def quotes_an_order(text: str) -> bool:
    """Whether a statement repeats an order of somebody else's, or did so before that was cut out of it.

    Only its person can say whether that is meant, or what is left of it.
    """
    if _CUT_OUT.search(text):
        return True
    parts = divide(text)
    return bool(parts.told or parts.shown)


def disowns(text: str) -> bool:
    """Whether a message says that the words before it were somebody else's, and says nothing else."""
    if len(text) > SHORT_DISOWNING or not patterns.has("words/foreign", "points_back", text):
        return False
    return not any(is_ruling(part) and not _speaks_of_it(part) for part in parts_of(text))


def says_so(part: str) -> bool:
    """Whether a sentence only rejects the words of others or says whose they are."""
    return any(patterns.has("words/foreign", table, part) for table in ("rejects", "points_back"))


def divide(text: str) -> Divided:
    """Tell a person's own words in a message from the orders of others that it repeats."""
    if not _is_worth_a_look(text):
        return Divided(text)
    shown = [*_set_apart(text, ((_FENCE, 2), (_MARKED, 0), (_TAGGED, 2)))]
    spans = [one for one in _set_apart(text, ((_COMMENT, 1), (_TERMINAL, 1))) if not _overlaps(one, shown)]
    spans += [one for one in _quoted(text) if not _overlaps(one, [*shown, *spans])]
    spans += [one for one in _told(text, spans) if not _overlaps(one, spans)]
    own, beside = _beside_a_warning(_without(text, spans), told=bool(spans or shown))
    return Divided(own, (*(text[begin:end] for begin, end in spans), *beside), tuple(text[b:e] for b, e in shown))


def _is_worth_a_look(text: str) -> bool:
    """A cheap look: most statements quote nobody and speak of nobody's words."""
    if _OPENING.search(text) is not None or any(sign in text for sign in ("<", ">", "~~~", "$ ", "❯", "➜")):
        return True
    return any(patterns.has("words/foreign", table, text) for table in _SIGNS)


def _set_apart(text: str, shapes: Sequence[tuple[re.Pattern[str], int]]) -> Iterator[tuple[int, int]]:
    """Where orders stand in a fence, in lines marked as a quotation, between tags, in a comment, or below a prompt."""
    for shape, code in shapes:
        for found in shape.finditer(text):
            if _is_an_order(re.sub(r"(?m)^[ \t]*>[ \t]?", "", found[code]), code=shape is _FENCE, doubted=True):
                yield found.span(code)


def _overlaps(one: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    return any(one[0] < end and begin < one[1] for begin, end in others)


def _quoted(text: str) -> Iterator[tuple[int, int]]:
    """Where orders stand between quotation marks."""
    for begin, end in quotations(text):
        if _is_an_order(text[begin:end], code=text[begin - 1] == "`", doubted=_is_doubted(text)):
            yield begin, end


def quotations(text: str) -> Iterator[tuple[int, int]]:
    """Where words stand between quotation marks that may be somebody else's: more than a name, and no wording of one's own."""
    position = 0
    for _ in range(MOST):
        opening = _OPENING.search(text, position)
        if opening is None:
            return
        begin, end = opening.end(), _closing(text, opening.start())
        if end >= 0 and len(_WORD.findall(text[begin:end])) >= FEWEST_WORDS and not _is_own(text, opening.start()):
            yield begin, end
        position = end + 1 if end >= 0 else begin


def _closing(text: str, start: int) -> int:
    """Where a quotation ends, or -1 where the sign opens none."""
    sign = text[start]
    before, after = text[start - 1:start], text[start + 1:start + 2]
    if sign in _ASIDE and (not after.strip() or (before.isalnum() and not patterns.WIDE.match(before))):
        return -1
    wanted = _PAIRS[sign]
    place = start + 1
    while place < min(len(text), start + LONGEST_QUOTE):
        if text[place] in wanted:
            behind = text[place + 1:place + 2]
            apart = not text[place - 1].isspace() and (not behind.isalnum() or patterns.WIDE.match(behind) is not None)
            if sign not in _ASIDE or apart:
                return place
        elif text[place] == "\n" and sign in "'`" or text.startswith("\n\n", place):
            return -1
        place += 1
    return -1


def _is_an_order(inside: str, *, code: bool, doubted: bool) -> bool:
    if len(_WORD.findall(inside)) < FEWEST_WORDS:
        return False
    ruling = any(class_of(part, has_ttl=False) in STANDING and patterns.has("words/foreign", "rules", part)
                 for part in parts_of(inside))
    if code:  # a command is no order, whatever it would do
        return ruling
    return ruling or could_harm(inside) or (doubted and (
        gives_orders(inside) or patterns.has("words/orders", "speaks_for", inside)))


def _is_own(text: str, start: int) -> bool:
    """Whether the words before a quotation make it the person's own: a wording to use, a motto, what they will say."""
    lead = re.split(r"[.!?。！？\n](?=\s|$)", text[max(0, start - LEAD_CHARS):start])[-1]
    if patterns.has("words/foreign", "own", lead):
        return True
    if patterns.has("words/foreign", "edits", lead):
        return False
    if _is_doubted(text) or not patterns.has("words/foreign", "wording", lead):
        return False
    # "Feed the model '…' and expect a refusal" asks for one thing to be done; only the words in it would make a rule of that.
    return not patterns.has("words/foreign", "rules", text[start:]) or patterns.has("words/foreign", "rules", text[:start])


def _is_doubted(text: str) -> bool:
    """Whether a text speaks of words that came from elsewhere, or warns of them."""
    return any(patterns.has("words/foreign", table, text) for table in ("sources", "warns", "points_back", "rejects"))


def _told(text: str, quoted: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where orders stand behind "somebody wrote:" and below "I got this message", up to the end of that part."""
    found: list[tuple[int, int]] = []
    for count, (begin, announced) in enumerate(_leads(text)):
        # What a message announces reaches to its end, what a line attributes to the end of its paragraph.
        below = announced or not text[begin:begin + 200].partition("\n")[0].strip(" :：")
        paragraph = None if below else _PARAGRAPH.search(text, begin)
        end = paragraph.start() if paragraph else len(text)
        if any(begin <= b and e <= end for b, e in quoted):
            continue  # it is the quotation that was told; what stands behind it is the person's own again
        if any(b <= begin < e for b, e in found):
            continue
        if count >= MOST:  # a text that brings in so many others is a record of what they said
            return [*found, (begin, len(text))]
        if gives_orders(text[begin:end]) or patterns.has("words/foreign", "rules", text[begin:end]):
            found.append((begin, end))
    return found


def _leads(text: str) -> Iterator[tuple[int, bool]]:
    """Where the words of others may begin, and whether a whole text of theirs does."""
    for table in ("attributes", "announces"):
        for lead in patterns.cue("words/foreign", table).finditer(text):
            yield lead.end(), table == "announces"
    named = ((colon, is_told) for colon in _COLON.finditer(text) if (is_told := _is_told_by(colon[0]))
             or patterns.has("words/foreign", "sources", colon[0]) or _of_an_outsider(colon[0]))
    for colon, is_told in islice(named, MOST):
        if is_told or any(patterns.has("words/foreign", table, colon[0]) for table in ("warns", "rejects", "shrugs")):
            yield colon.end(), False
            continue
        rest = text[colon.end():]
        if not any(patterns.has("words/foreign", table, rest) for table in ("rejects", "warns", "points_back", "shrugs")):
            return  # nothing further down can be rejected then either
        yield colon.end(), False


def _is_told_by(lead: str) -> bool:
    """Whether a lead ends with a verb of saying and somebody before it whom nobody knows: "a contributor wrote:".

    What a person's own team or customer says is theirs to pass on.
    """
    verbs = [*patterns.cue("words/foreign", "reports").finditer(lead)]
    return bool(verbs) and len(lead[verbs[-1].end():].split()) <= MOST_BEHIND and _ANYBODY.search(
        lead[:verbs[-1].start()]) is not None and not patterns.has("words/foreign", "insiders", lead)


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    for begin, end in sorted(spans, reverse=True):
        text = f"{text[:begin]}…{text[end:]}"
    return text


def _beside_a_warning(text: str, *, told: bool) -> tuple[str, list[str]]:
    """Orders in a message that says of its own words that they are an attack or somebody else's.

    What warns is the person's own. Where the order itself was found already, what else the message orders is theirs too.
    """
    warned = any(patterns.has("words/foreign", table, text) for table in ("points_back", "warns"))
    foreign: list[str] = []
    rest = text
    for part in parts_of(text):
        rest = rest[max(0, rest.find(part)):]
        if _is_reported(part, rest, doubted=warned or told) or _is_hearsay(part, rest, doubted=warned or told) or (
                warned and not told and not _speaks_of_it(part) and is_ruling(part)):
            foreign.append(part)
    for part in foreign:
        text = text.replace(part, "…", 1)
    return text, foreign


def _is_reported(part: str, rest: str, *, doubted: bool) -> bool:
    """Whether a sentence tells in indirect speech what others order, and it, or what comes after it, rejects that."""
    told = patterns.cue("words/foreign", "deceives").search(part)
    if told is None or patterns.starts("words/phrases", "conditional", part) or not gives_orders(part[told.end():]):
        return False
    written = patterns.has("words/foreign", "sources", part)
    if doubted or (written and any(patterns.has("words/foreign", table, part) for table in ("pretends", "rejects"))):
        return True
    return patterns.has("words/foreign", "rejects", rest[told.end():])


def _is_hearsay(part: str, rest: str, *, doubted: bool) -> bool:
    """Whether a sentence tells what a third person orders, who has no say in it, whom nobody believes, or who means harm.

    What a person's own team or customer asks for is theirs to pass on; so is a rule about the words of others.
    """
    told = patterns.cue("words/foreign", "reports").search(part)
    if told is None or patterns.starts("words/phrases", "conditional", part):
        return False
    before, after = part[:told.start()], part[told.end():]
    lead = after[:LEAD_WORDS] if patterns.starts("words/foreign", "rumours", told[0]) else before
    if patterns.WIDE.search(told[0]):  # there the verb of saying stands behind what was said
        after = part
    elif is_ruling(before):
        return False
    said = patterns.cue("words/phrases", "own_again").split(after, maxsplit=1)[0]
    if not _asks_for(said):
        return False
    trusted = patterns.has("words/foreign", "insiders", before)
    doubted = doubted or patterns.has("words/foreign", "shrugs", rest[told.start():]) or (
        not trusted and (patterns.has("words/foreign", "shrugs", before) or _is_remarked_on(part, rest)))
    return doubted or could_harm(_BARE.sub("", said)) or _of_an_outsider(lead)


def _is_remarked_on(part: str, rest: str) -> bool:
    """Whether a message goes on behind the words of others without taking them up: only its person can say what holds."""
    behind = parts_of(rest[len(part):])
    return bool(behind) and not patterns.has("words/foreign", "takes_up", behind[0])


def _asks_for(told: str) -> bool:
    """Whether words that were passed on in indirect speech order something."""
    bare = _BARE.sub("", told)
    return could_harm(bare) or gives_orders(bare) or patterns.has("words/foreign", "rules", bare) or patterns.has(
        "words/orders", "each_time", bare)


def _of_an_outsider(lead: str) -> bool:
    """Whether the one who speaks has no say in how this person works."""
    return patterns.has("words/foreign", "outsiders", lead) and patterns.cue("words/foreign", "ours").search(lead) is None


def _speaks_of_it(part: str) -> bool:
    """Whether a sentence is the one that warns, rejects or points back."""
    return says_so(part) or any(patterns.has("words/foreign", table, part) for table in ("warns", "sources"))
