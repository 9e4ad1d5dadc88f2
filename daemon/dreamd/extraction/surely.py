"""What a sentence of a person is worth by itself: surely a memory, perhaps one when it is said again, or neither.

Without a language model nobody tells a rule from an order by its meaning: "write tests first" is the one or the other by who
says it, when and how often. So only a form that leaves no doubt makes a memory at once: a wish to remember, an order for all
times, a correction, what people say of themselves and of how they work. The rest stays findable as it was said.
"""

from __future__ import annotations

import re

from dreamd.core.values import ONE_OFF, SHORTEST_TEXT
from dreamd.extraction.borrowed import has_an_end
from dreamd.extraction.classes import is_order
from dreamd.extraction.gate import is_acknowledgement
from dreamd.extraction.stance import asks_for_a_nod, has_substance, is_musing, is_question, is_work, leans, points_at_screen
from dreamd.text import patterns

SURE = "words/sure"
FEWEST_WORDS = 3
SHORTEST_READ = 25
"""A sentence without a sure form has at least so much to say: of 45 shorter ones that the network took to last, none did."""
LONGEST_WEAK = 200
"""A sentence longer than this is not said a second time in other words."""
_LEFT_OUT = "…"
"""What stands where the words of others were cut out of a sentence, or where its person broke off."""
_STANDING = ("standing", "prohibition", "manner", "choice")
_HALF = ("norm", "contrast", "only", "unwanted", "reason")
"""Signs of which one alone leaves a doubt, and two together do not."""
_ENOUGH = 2
_SHORTEST_RULE = 30
DEFINITE = re.compile(r"\d|\w[-_.@/]\w|[`\"“«„]|(?<=[\w,] )[A-ZÄÖÜ]\w")
"""A number, a name, an identifier or something quoted."""
_LISTED = re.compile(r"(?i)(?:\(?[a-z0-9]{1,2}[.)]\s|option \w\b|[-*•]\s|(?:for|on|re|and) #?\d{1,2}[ ,:])")
_SAYS = re.compile(r"(?i)\b(?:is|are|has|have|uses?|runs?|belongs?|goes|lives?|begins?|must|should|can(?:not|['’]t)?"
                   r"|do(?:es)?(?:n['’]t| not))\b")
_HOW_IT_IS = re.compile(r"(?i)\b(?:is|are) (?:\w+ )?\w+[.!]?$")
"""How a thing is at the moment: "the build is red"."""
_CLAUSE = re.compile(r"[,;:.–—]\s+|\band\s+")


def sign_of(text: str, *, refused: bool = False) -> str:
    """The sign for which a sentence is surely worth keeping; `ONE_OFF` where it has to be said again; or nothing.

    `refused` when it was said while refusing a tool call.
    """
    if _LEFT_OUT in text or text.endswith("...") or _LISTED.match(text):
        return ""
    if is_question(text) or is_acknowledgement(text):
        return ""
    little = len(text.split()) < FEWEST_WORDS and not patterns.WIDE.search(text) or not has_substance(text)
    if _says("remember", text) and not little:
        return "remember"
    if little:
        return ""
    if has_an_end(text):
        return "until"
    if not _is_of_tomorrow(text):
        return ""
    return _sure(text, refused=refused) or (ONE_OFF if _may_come_again(text) else "")


def heads_a_rule(text: str) -> bool:
    """Whether a sentence begins with what makes it a rule for all times, or a preference: "from now on …", "I prefer …"."""
    return any(patterns.starts(SURE, name, text) for name in ("standing", "preference", "ours"))


def may_last(text: str) -> bool:
    """Whether a sentence says enough to be read alone, and nothing binds it to this moment."""
    return patterns.width(text) >= SHORTEST_READ and _LEFT_OUT not in text and not _LISTED.match(text) and (
        _is_of_tomorrow(text) and not is_question(text))


def states(text: str) -> bool:
    """Whether a sentence states something that may hold beyond its moment, and that can be read alone."""
    if patterns.width(text) > LONGEST_WEAK or not may_last(text) or is_at_work(text) or leans(text):
        return False
    return DEFINITE.search(text, 1) is not None or _SAYS.search(text) is not None and _HOW_IT_IS.search(text) is None


def is_at_work(sentence: str) -> bool:
    """Whether a sentence orders or asks something."""
    text = sentence.strip()
    return patterns.starts(SURE, "task", text) or is_order(text) or is_work(text) or is_question(text)


def _is_of_tomorrow(text: str) -> bool:
    """Whether nothing in a sentence binds it to this moment, to what only the two can see, or to a thought."""
    if is_musing(text) or asks_for_a_nod(text) or points_at_screen(text) or patterns.has(SURE, "momentary", text):
        return False
    if patterns.starts(SURE, "narrative", text) or patterns.starts(SURE, "addressing", text):
        return False
    return not patterns.has(SURE, "hedge", text)


def _sure(text: str, *, refused: bool) -> str:
    for name in ("preference", *_STANDING):
        if _says(name, text):
            return name
    if patterns.starts("words/phrases", "dont", text) and _says("reason", text):
        return "prohibition"
    if patterns.starts(SURE, "aside", text):
        return "aside"
    if is_at_work(text):
        return ""
    half = [name for name in _HALF if _says(name, text)]
    named = DEFINITE.search(text, 1) is not None and not {"unwanted", "only"}.isdisjoint(half)
    if half and len(half) + refused + named >= _ENOUGH and patterns.width(text) >= _SHORTEST_RULE:
        return half[0]
    return "ours" if _says("ours", text) else ""


def _may_come_again(text: str) -> bool:
    """Whether a sentence may be a rule, or a fact, once it is said in other conversations too."""
    if not SHORTEST_TEXT <= patterns.width(text) <= LONGEST_WEAK:
        return False
    if patterns.starts(SURE, "one_off", text) or patterns.starts("words/phrases", "dont", text) or _says("contrast", text):
        return True
    return patterns.starts("words/phrases", "use", text) or not is_at_work(text) and _says("norm", text)


def _says(name: str, text: str) -> bool:
    if name == "remember":
        clauses = [text] if patterns.WIDE.search(text) else _CLAUSE.split(text)
        return any(patterns.starts(SURE, name, clause) for clause in clauses)
    of_a_thing = patterns.cue("words/phrases", "of_a_thing").search(text) if name in _STANDING else None
    return patterns.has(SURE, name, text[:of_a_thing.start()] if of_a_thing else text)
