"""Facts that people mention in passing: "our accountant needs the invoices by the 5th", "Nadia handles the contracts".

No word in them sounds like a rule. What tells them from remarks on the work at hand is whose they are (ours, a person's, a
whole kind's), a verb of habit in the present, something definite about it, and that nothing at hand is named.
"""

from __future__ import annotations

import re
from functools import cache

from dreamd.extraction.claims import names_a_value, states_a_value
from dreamd.extraction.classes import is_order
from dreamd.extraction.stance import is_question
from dreamd.text import patterns

OF_PEOPLE = frozenset({"ours", "person", "habit", "value", "myself"})
"""Who speaks of these while ordering something describes no task."""
_CLAUSE_END = re.compile(r"[,;:] ")
_FINAL = re.compile(r"(?i) (?:was|were|has been) \w+ed$| was sold$| retired$")
"""A verb that says enough by itself: "the Gannet was sold"."""
_TAKES_A_WORD = re.compile(r"(?i) (?:of|at|on|to)$")
"""Where a verb of a person ends like this, one word after it says enough: "she is fond of lilies"."""
_ASKS_FOR_MORE = re.compile(r"(?i) (?:need|require)$")
_FILE = re.compile(r"(?<![\w-])[\w-]+(?:[./][\w-]+)+")
_NAMED = re.compile(r"[\"“`][\w. -]{2,30}[\"”`]")
_NEXT_CLAUSE = re.compile(r"(?:[,:;–—]| -+) (?=(?:the|our|my|we|an?|all|every|i|[A-Z]\w+)\b)")
_LATER_CLAUSE = re.compile(r"[,;] (?:and |but |so )?(?=(?:our|[A-Z][a-z]+)\b)")
_TITLE = r"(?:(?:Dr|Mrs?|Ms|Prof)\.? |Judge |Frau |Herr |Señora? |Madame |Monsieur |Dona )"
_ADVERBS = r"(?:(?:all|also|only|mostly|usually|now|always|never|mainly|normally|still) )*"
_LEAD = r"(?:(?:since|in|on|from|until|during|after|every|at|for|next|this) [^,.;]{2,30},? )?"
_DETAIL = re.compile(
    r"(?i)\b(?:on|in|at|by|with|from|over|per|within|every|for|under|behind|near|after|before|until|without|via|as|to|into"
    r"|onto"
    r"|through|up to|between|auf|bei|mit|von|im|am|um|aus|für|ohne|bis|seit|à|en|le|chez|avec|sur|con|desde|los|em"
    r"|com|na|no) \w"
    r"|\d|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|montags?|dienstags?|mittwochs?|donnerstags?|freitags?"
    r"|samstags?|sonntags?"
    r"|two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|everything|nothing|nobody|everybody|only|never|always)\b")
_OURS = r"(?:our|unsere?[rmn]?|notre|nos|nuestr[oa]s?|noss[oa]s?)"
_PLURAL = r"(?:[\w'-]+ ){0,2}?(?:[\w'-]{2,}s|people|children|women|men|sheep|cattle|staff|police)"


def without_order(text: str) -> str:
    """A sentence without the order before the fact that it goes with: "write the invitation, the party is on 14 September"."""
    if not (patterns.starts("words/rules", "task", text) or is_order(text)) or is_question(text):
        return text
    for mark in _NEXT_CLAUSE.finditer(text):
        rest = text[mark.end():mark.end() + 1].upper() + text[mark.end() + 1:]
        if told_in_passing(rest) in OF_PEOPLE or (states_a_value(rest) and not names_something_at_hand(rest)):
            return rest
    return text


def told_in_passing(sentence: str) -> str:
    """Whose fact a sentence tells: `ours`, `person`, `habit`, `value`, `myself`, `role`, `kind`, `thing`; or nothing."""
    text = sentence.strip()
    if text.endswith(("?", "？")) or patterns.has("words/claims", "passing", text):
        return ""
    if names_something_at_hand(text) and not _is_of_a_kind(text):
        ours = _shapes()[0][1].match(text)
        return "ours" if ours and not names_something_at_hand(ours[0]) and _says_enough("ours", text, ours) else ""
    return _whose(text) or next((whose for clause in _LATER_CLAUSE.split(text)[1:] if (
        whose := _whose(clause[:1].upper() + clause[1:])) in ("person", "ours")), "")


def _is_of_a_kind(text: str) -> bool:
    """Whether a whole kind is meant by what else would be a thing at hand: "tickets go to the board", without an article."""
    kind = next(shape for whose, shape in _shapes() if whose == "kind").match(text)
    if kind is None:
        return False
    return not names_something_at_hand(text[kind.end():]) or _NAMED.search(text, kind.end()) is not None


def _whose(text: str) -> str:
    return next((whose for whose, shape in _shapes() if (found := shape.match(text)) and _says_enough(whose, text, found)), "")


def names_something_at_hand(sentence: str) -> bool:
    """Whether the first clause of a sentence speaks of a thing of the work at hand; the name of a file is no such thing."""
    return patterns.has("words/passing", "at_hand", _FILE.sub("x", _CLAUSE_END.split(sentence, maxsplit=1)[0]))


def is_about_work_at_hand(sentence: str) -> bool:
    """Whether a sentence begins with one certain thing of the work at hand: "the diff", "this table"."""
    return _certain_thing().match(sentence) is not None


def is_mentioned(sentence: str) -> bool:
    """Whether a sentence says itself that it only mentions something."""
    return patterns.has("words/passing", "by_the_way", sentence)


def _says_enough(whose: str, text: str, found: re.Match[str]) -> bool:
    """Whether something definite follows the verb."""
    after = text[found.end():].rstrip(" .!")
    if not after:
        return whose == "person" and _FINAL.search(found[0]) is not None
    if patterns.starts("words/passing", "mood", after):
        return False
    rest = after.strip(" ,;:")
    if whose in ("thing", "value"):
        return names_a_value(rest) or names_a_value(text)
    if whose == "kind" and _ASKS_FOR_MORE.search(found[0]) and len(rest.split()) > 1:
        return True
    if whose == "person" and _TAKES_A_WORD.search(found[0]):
        return True
    if whose == "myself" or (whose in ("person", "ours", "role") and len(rest.split()) > 1):
        return True
    if whose == "placed":
        return not names_something_at_hand(rest)
    if whose == "kind" and ", " in rest and text[:5].lower() == "there":
        return True
    return _DETAIL.search(f"{found[0].split()[-1]} {rest}") is not None or names_a_value(text)


@cache
def _shapes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    no_subject = rf"(?!(?i:{_any('words/claims', 'no_subject')})\b)"
    person = rf"(?i:{_any('words/passing', 'person')})"
    name = rf"{no_subject}{_TITLE}?[A-ZÄÖÜÉ][a-zà-ÿ]+(?:[ -][A-ZÄÖÜ][a-zà-ÿ]+)?(?:'s \w+(?: \w+)?)?"
    verb = (rf"(?:is|are|has|have|was|ist|sind|hat|est|sont|es|está|é|são|{_any('words/passing', 'person')}"
            r"|use|need|want|have|read|live|come|go|[a-z]{2,}s)")
    no_pointer = r"(?! (?:it|this|that|them|you)\b)"
    owned = rf"(?!(?:{_any('words/passing', 'no_possession')})\b)(?:[\w'’-]+ ){{1,3}}?"
    shapes = (
        ("ours", rf"(?i){_LEAD}(?:(?:most|many|half|all|some|two|one) of )?{_OURS} {owned}{verb}\b"),
        ("ours", rf"(?i)(?:unsere?[rmn]?|notre|nos) {owned}\w+e?t?\b"),
        ("myself", rf"(?i)(?:my|meine?|mon|ma|mi|meu|minha) {owned}{verb}\b"),
        ("person", rf"{name} (?i:{_ADVERBS}){person}(?!\w)"),
        ("person", rf"(?i)(?:he|she|they) {_ADVERBS}{person}(?!\w)"),
        ("myself", rf"(?i:i) {_ADVERBS}(?!(?i:{_any('words/passing', 'no_habit')}|am|was)\b)[a-z]+(?<!ed)"
                   r" (?:in|on|with|from|for) (?=[A-Z])"),
        ("role", rf"(?i)the (?:{_any('words/passing', 'role')}) {_ADVERBS}{person}(?!\w)"),
        ("habit", rf"(?i){_LEAD}we {_ADVERBS}(?:{_any('words/passing', 'habit')})\b{no_pointer}"),
        ("value", rf"(?i){_LEAD}we {_ADVERBS}(?!(?:{_any('words/passing', 'no_habit')})\b)[a-z]+(?<!ed)\b"
                  rf"{no_pointer}"),
        ("habit", r"(?i)we(?:'re| are) (?:now )?called (?=\w)|we(?:'re| are) "
                  r"(?=(?:a|an) (?:[\w-]+ ){0,3}?(?:team|company|family|small|group"
                  r"|non-?profit|start-?up|cooperative|band|club|school)\b|(?:based|located|registered|insured|open|closed) "
                  r"|\d+ people|(?:two|three|four|five|six) )"),
        ("myself", rf"(?i)i {_ADVERBS}(?:{_any('words/passing', 'myself')})(?!\w){no_pointer}"),
        ("myself", r"(?i)i(?:'ve| have) been (?=(?:an? )?(?:vegan|vegetarian|\w+er|\w+ist)\b)"
                   r"|i(?:'m| am) (?=\w+ hours? (?:behind|ahead))"),
        ("kind", rf"(?i){no_subject}(?!(?:the|some|all|both|these|those|my|our|your|we)\b){_PLURAL} {_ADVERBS}"
                 rf"(?:{_any('words/passing', 'kind')})\b"),
        ("kind", r"(?i)there(?:'s| is| are) (?=(?:no|only|an?|one|two|three|four|five|\d+|always) )"),
        ("kind", rf"(?i)(?:the|every|each|all|an?) {no_subject}(?:[\w'’-]+ ){{1,4}}?(?:{_any('words/passing', 'placed')})\b"
                 r"(?= (?:in|on|at|behind|under|above|over|next to|beside|near|with|below) )"),
        ("placed", rf"(?i)(?:(?:the|our|my) )?{no_subject}(?!(?:my|our|a|an|his|her)\b)(?:[\w'’-]+ ){{1,4}}?(?:is|are) "
                   r"(?=(?:in|under|behind|inside|beside|next to) (?:the|our|my) "
                   r"(?:[\w-]+ ){0,2}[\w-]+[.!]?$)"),
        ("thing", rf"(?i)[a-z][\w-]+ \d+ (?:{_any('words/passing', 'thing')})\b"),
        ("thing", rf"(?i)(?:the|every|each|all|an?) {no_subject}(?:[\w'’-]+ ){{1,5}}?(?:{_any('words/passing', 'thing')})\b"),
    )
    return tuple((whose, re.compile(shape)) for whose, shape in shapes)


@cache
def _certain_thing() -> re.Pattern[str]:
    at_hand = _any("words/passing", "at_hand")
    return re.compile(rf"(?i)(?:the|this|that|these|those|your|both|my) (?:[\w-]+ ){{0,2}}?(?:{at_hand})\b"
                      rf"|(?:[\w'-]+ ){{1,6}}(?:\w+ )?(?:rows?|columns?|pixels?|px|lines?)\b")


def _any(name: str, table: str) -> str:
    return "|".join(patterns.entries(name, table))
