"""A message that answers what was asked, told as a statement that stands by itself.

The question may be the agent's, or the person's own that the agent could not answer. Where the question names nothing
("which one?"), what was said right before it stands in front. A yes to an offer of work, a shrug and an order answer nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from dreamd.extraction.claims import names_a_value
from dreamd.extraction.signs import ENOUGH, is_at_work, weigh
from dreamd.extraction.stance import is_question, leans
from dreamd.extraction.turns.answers import norm_of, statement_of
from dreamd.extraction.turns.antecedents import LONGEST_LEAD, Before, begins_with_pronoun
from dreamd.extraction.turns.choices import alternatives, decided, opened, picked
from dreamd.extraction.turns.passing import names_something_at_hand
from dreamd.extraction.turns.revisions import kind_of_value, put_right, values_of
from dreamd.extraction.utterance import LONGEST_SENTENCE, cleaned, sentences
from dreamd.text import patterns

SHORT_ANSWER = 60
LONGEST_REPLY = 800
"""Who writes more than this tells things of their own."""
LONG_ANSWER = 130
"""An answer that begins with what was asked for may go on to say more about it."""
_FEWEST_NAMING = 2
_POINTERS = ("they", "them", "he", "him", "she", "her", "one", "ones", "it's", "that's", "what's")
_COUNTED = frozenset({"number", "count", "version", "time", "day", "weekday", "month"})
_NORM = re.compile(r"(?i)\b(?:should|prefer|which|what|how|where|when|who|default|always|convention|policy|soll|welche|debe"
    r"|quel|qual)\b"
                   r"|[哪什]|どの|어떤")
_REFUSES = re.compile(r"(?i)(?:no|nope|nah|not yet|not now|never|nein|noch nicht)\b[,.:; –-]+(?P<why>.{12,})", re.DOTALL)
_EXCEPT = re.compile(r"(?i)(?:yes|yep|yeah|no|nope|sure|ja|nein)?,? ?(?:but |and )?(?:except|unless|only|until|apart from"
    r"|not (?:on|in|at|for)|außer|nur|bis)\b.+", re.DOTALL)
_SPEAKS_OF_SELF = re.compile(r"(?i)(?:i|we|you|it|he|she|they|this|that|there|let['’]?s|if|when|because|so|but)\b")
_TAKES = re.compile(r"(?i)(?:(?:ok(?:ay)?|yes|then|no|hm+|well|so|please|actually|let['’]s|let us|we|i['’]d|could be|maybe"
    r"|better"
    r"|rather)[,. ]+)*"
                    r"(?:(?:make|set) (?:it|that|them)(?: to| at)?|take|use|do|say|go (?:with|for|to)|try|put|choose"
                    r"|pick)\s+(?P<value>.+)")
_MAY_BE = re.compile(r"(?i)(?:and |but |so )?(?:that|it|this|they)(?: one)? (?:can|should|must|may|could|has to|have to"
    r"|needs? to)(?: also)?"
                     r" (?:go|be|become)(?: up| down)?(?: to)? (?P<value>\S+(?: \w+)?)")
_IS_BETTER = re.compile(r"(?i)(?P<value>\S+(?: \w+)?) (?:is|are|would be|will be) (?:better|enough|fine|plenty|right|ok"
    r"|safer)")
_IS_WANTED = re.compile(r"(?i)(?:and |but )?[\w' -]{2,30} (?:wants?|needs?|asks? for|asked for|insists? on"
    r"|requires?) (?P<value>\S+(?: \w+)?)")
_SAYS_OF = re.compile(r"(?i)(?:the|our|your|[A-Z][\w-]+) .+? (?:is|are|say|says|has|takes|lasts|allows|uses|runs)\b")
_SETTLES = re.compile(r"(?i)^(?:please )?make (?:it|that|them) |\bthen[.!]?$|^(?:ok(?:ay)?,? |so |and )?then\b"
    r"|^(?:ok(?:ay)?,? )?(?:we|i)['’]ll\b|^let['’]s\b")
_ASKS_FOR_WORK = re.compile(r"(?i)(?:[\w ]{1,20}, )?(?:can|could|would|will) you\b|do you (?:have|know|see|think|want)\b"
    r"|what (?:would"
    r"|do) you\b|(?:what|how) about you\b")
_LETTER = re.compile(r"(?<=[a-z] )[A-HJ-Z]\b")
_NUMBER_FIRST = re.compile(r"(\d{1,4}(?:[.,]\d+)?)\.\s+(?=[a-z])")
_CODE_NAME = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[\w-]{4,30}|[\w-]+(?:[./@][\w-]+)+")
_FEWEST_SAID = 8
_HOW_OFTEN = re.compile(r"(?i)(?:never|always|sometimes|usually|mostly|only) ?,")
_AFFIRMS = re.compile(r"(?i)(?:never|always|sometimes|usually|mostly|yes|yep|yeah|sure|no|nope|we do(?:n['’]t)?"
    r"|i do(?:n['’]t)?|there (?:is|are)|it (?:is|does)|they do|we have|i have)\b[,.:; –-]+"
                      r"(?P<more>.{2,})", re.DOTALL)
_ASKS_AFTER = re.compile(r"(?i)(?:.*[,;.] )?(?:(?:and|so|ok|but|hm+),? )*(?:(?:what|which|who|how (?:long|much|many|big"
    r"|high))(?: is|['’]s| are| was)|what about|how about|and)"
                         r" (?P<topic>(?:the |our |my |your )?[\w'’-]+(?: [\w'’-]+){0,4}?)(?: (?:right now|now|currently"
                         r"|today|at the moment|again|set to|then))*\s*\??")
_NAMED = re.compile(r"(?!(?:it|this|that|these|those|the|an?|my|your|our|both|all|some|one|care|over|off|out"
    r"|a)\b)[\w.@/+-]+(?: [\w.@/+-]+){0,3}")
WITHOUT_VERB = re.compile(r"(?i)(?!.*\b(?:is|are|was|were|has|have|do|does|did|can|will|should|must|need|want|get|got|goes?"
    r"|i|we|you|it)\b)"
                          r"(?:[^\s,;:?]+ ){0,5}[^\s,;:?]+")
"""A few words without a verb, such as "24 per page"."""
_OF_IT = re.compile(r"(?i)\b(?:it|they|he|she|his|her|their|its)\b")
_OURS_OF_IT = re.compile(r"(?i)(?:we|i) (?!don['’]t|do not|can['’]t|will|would|could|should|think|know)[a-z]+ (?:it|them"
    r"|that) ")
_THEN = re.compile(r"(?i)[, ]+(?:then|please|instead|too|for now)$")
_OBJECT = re.compile(r"(?i)\b(?:him|her|them|it|there)\b")
_LEADS_UP = re.compile(r"(?i)(?:(?:done|sure|great|good|ok(?:ay)?|thanks|and|understood|all right|noted)[,.!] ?)+")
_NUMBER = re.compile(r"(?<![\w.-])\d+(?:[.,]\d+)*(?![\w-])")
_CAN_SET = re.compile(r"(?i)i (?:can|could|would) (?:set|add|use|define|put in|enforce) (?:an? "
    r"|the )?(?P<thing>[\w -]{4,40})\.?")
_ASKS_TO_CHANGE = re.compile(r"(?i)(?:should|shall) i (?:change|raise|lower|adapt|adjust|correct|increase|reduce)\b")
_LEADS_IN = re.compile(r"(?i)^(?:(?:h+m+|yes|yep|no|nope|ok(?:ay)?|well|so|actually|right)[,. ]+)+(?=\S)")
_CODE = re.compile(r"[\"`=<>{}/]|(?<!\w)-{1,2}[a-zA-Z]")
_FILLER = re.compile(r"(?i)^(?:currently|at the moment|right now|now|it is|it's|that is|by default)[, ]+")


@dataclass(frozen=True)
class Reply:
    """What a message answers: the statement it makes with its question, and what else it says."""

    told: str = ""
    rest: str = ""
    why: str = ""
    """Why an answer makes no statement."""


class _Asked(NamedTuple):
    text: str
    own: bool
    filled_in: bool


def reply_of(text: str, before: Before, *, filled_in: bool = False) -> Reply | None:
    """The statement a message makes with the question it answers; None where it answers none.

    `filled_in` when the words were given as the answer to a question tool.
    """
    if len(text) > LONGEST_REPLY:
        return None
    question = before.asked or _own_question(before)
    asked = sentences(question)[-1] if question and sentences(question) else question
    said = _sentences(text)
    if not said:
        return None
    whole = len(said) == 1 and len(text) <= SHORT_ANSWER
    if before.asked and patterns.has("words/rules", "offer", question) and not _asks_to_choose(asked):
        anew = "" if whole and len(text) < _FEWEST_SAID else _anew(said[0], replace(before, asked=""))
        return Reply(anew, text[len(said[0]):].strip()) if anew else _to_an_offer(asked, text, whole=whole)
    if asked and whole and re.fullmatch(patterns.cue("words/rules", "affirmation", whole=True), text):
        norm = norm_of(asked, text)
        return Reply(norm) if norm else Reply(why="short-answer")
    first = said[1] if not before.asked and question and len(said) > 1 and not _names_enough(said[0]) else said[0]
    rest = text[text.find(first) + len(first):].strip()
    stands = _Asked(asked, not before.asked, filled_in)
    if _ASKS_TO_CHANGE.match(asked) and (anew := _anew(said[0], replace(before, asked=""))):
        return Reply(anew, text[len(said[0]):].strip())
    if len(said) > 1 and first == said[0] and not _names_enough(first) and (anew := _anew(said[1], before)):
        return Reply(anew, text[text.find(said[1]) + len(said[1]):].strip())
    told = _anew(first, before) or _picked(asked, first, before) or _answered(stands, first, before)
    return Reply(told, rest) if told else None


def takes_one(text: str) -> bool:
    """Whether a sentence does nothing but take one thing that it names: "take the oak version 10"."""
    said = _TAKES.fullmatch(text.rstrip(".! "))
    return said is not None and _NAMED.fullmatch(said["value"]) is not None


def chosen_of(text: str, before: Before) -> str:
    """What is taken of the things that the person's own question named, together with that question."""
    said = _THEN.sub("", text.rstrip(".! "))
    taken = _TAKES.fullmatch(said)
    if len(text) > SHORT_ANSWER or is_question(text) or not (taken or len(said.split()) <= _FEWEST_NAMING + 1):
        return ""
    said = said.replace("-", " ")
    for question in filter(is_question, reversed(before.said)):
        offered = [one.replace("-", " ") for one in alternatives(f"{question.rstrip('?')}?")]
        named = [one for one in offered if re.search(rf"(?i)(?<!\w){re.escape(one)}(?!\w)", said)]
        if len(named) == 1:
            return _asked_and_said(question, text)
    return ""


def settled_by(text: str, before: Before) -> str:
    """What the person settles after asking about it: "I water them on Mondays then", together with the question."""
    question = next(iter(_own_questions(before)), "")
    numbered = any(sign.isdigit() for sign in text) and WITHOUT_VERB.fullmatch(text) is not None
    settles = _SETTLES.search(text) or (before.told and (numbered or _OURS_OF_IT.match(text)))
    if not question or len(text) > LONG_ANSWER or not settles or _orders(text) or is_question(text):
        return ""
    if not _NORM.search(question) or names_something_at_hand(text) or not (_has_value(text) or _LETTER.search(text)):
        return ""
    return _asked_and_said(question, text)


def _own_questions(before: Before, *, at_hand: bool = False) -> list[str]:
    """What the person asked in the message before, last question first; what asks for work is left out."""
    asked = [s for s in reversed(before.said) if is_question(s) and len(s) <= LONGEST_LEAD and not _ASKS_FOR_WORK.match(s)]
    return [s for s in asked if at_hand or not names_something_at_hand(s)]


def _sentences(text: str) -> list[str]:
    """The sentences of an answer; a number at its beginning is a value and no mark of a list."""
    numbered = _NUMBER_FIRST.match(text)
    return [numbered[1], *sentences(text[numbered.end():])] if numbered else sentences(text)


def _to_an_offer(asked: str, text: str, *, whole: bool) -> Reply | None:
    """A yes to an offer is leave to work; a no with a reason that has an end or a value tells something."""
    if whole and re.fullmatch(patterns.cue("words/rules", "affirmation", whole=True), text):
        return Reply(why="leave-to-work")
    refused = _REFUSES.fullmatch(text)
    if refused is None or len(text) > LONG_ANSWER or is_at_work(refused["why"]):
        return None
    return Reply(_asked_and_said(asked, text)) if patterns.has("words/stance", "until", refused["why"]) else None


def _own_question(before: Before) -> str:
    """The person's own question, where the agent said that it does not know."""
    unknown = any(patterns.has("words/replies", "unknown", told) for told in before.told)
    return next((said for said in reversed(before.said) if is_question(said)), "") if unknown else ""


def _asks_to_choose(asked: str) -> bool:
    return patterns.starts("words/replies", "chooses", asked)


def _picked(asked: str, first: str, before: Before) -> str:
    """The thing taken by its place in a list: that of the question, or that of the agent's answer to the person's own."""
    own = [(question, told) for question in _own_questions(before)[:1] for told in before.told[-1:]]
    for question, offered in ((asked, asked), *own):
        found = picked(first, offered) if offered else None
        if found is not None and not is_at_work(found[0]):
            thing, more = found
            return f"{decided(question, thing)}{f' {opened(more)}' if more else ''}"
    word = _THEN.sub("", first.rstrip(".! ")).lower()
    shape = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    fits = [thing for thing in alternatives(asked) if shape.search(thing.lower())] if asked else []
    if len(fits) == 1 and 0 < len(word.split()) <= _FEWEST_NAMING and not is_at_work(fits[0]):
        return decided(asked, fits[0])
    return ""


def _answered(question: _Asked, first: str, before: Before) -> str:
    """An answer with the question it fills."""
    asked, own = question.text, question.own
    if (not asked or len(asked) > LONGEST_SENTENCE // 2 or is_question(first)
            or patterns.starts("words/replies", "shrug", first)):
        return ""
    if not (question.filled_in or _is_meant_for(question, first)):
        return ""
    if not _NORM.search(asked):
        said = _TAKES.fullmatch(first)
        fits = kind_of_value(said["value"] if said else first) or (_EXCEPT.fullmatch(first) and _has_value(first))
        if _affirms(first) or ((fits or (own and _names_enough(first))) and _names_enough(asked)):
            return _asked_and_said(asked, first)
        return ""
    longest = LONG_ANSWER if not _SPEAKS_OF_SELF.match(first) else SHORT_ANSWER
    if len(first) > longest:
        return ""
    said_so = first if first[-1] in ".!。！" else f"{first}."
    if _names_enough(asked) and not _OF_IT.search(asked):
        return _joined(asked, said_so)
    lead = _lead(before)
    return f"{lead} {_asked_and_said(asked, said_so)}" if lead else _joined(asked, said_so)


def _joined(asked: str, said: str) -> str:
    told = statement_of(asked, said)
    return told if not told.startswith(asked.strip()) else _asked_and_said(asked, said)


def _is_meant_for(question: _Asked, first: str) -> bool:
    """Whether a message speaks to the question: it orders nothing else, tells nothing by itself and is not of the moment."""
    if names_something_at_hand(question.text) and not _is_code(first):
        return False
    if _HOW_OFTEN.match(first):
        return True
    if _orders(first) and not _affirms(first):
        return False
    return question.own or not (_stands_alone(first) or patterns.has("words/claims", "passing", first))


def _is_code(first: str) -> bool:
    """Whether an answer is one name with digits or dots in it, as nobody says it of a thing on the screen."""
    return _CODE_NAME.fullmatch(first.rstrip(".! ")) is not None


def _affirms(first: str) -> bool:
    """Whether an answer says yes or no and goes on with what cannot be understood without the question."""
    found = _AFFIRMS.fullmatch(first)
    if found is None or len(first) > LONG_ANSWER:
        return False
    more = found["more"].rstrip(".! ")
    return (_HOW_OFTEN.match(first) is not None or (leans(more) and _has_value(more))
            or kind_of_value(more) not in ("", "name", "count", "tongue"))


def _orders(first: str) -> bool:
    """Whether an answer orders something instead, and does not only take one thing."""
    return is_at_work(first) and _TAKES.fullmatch(first) is None


def _stands_alone(first: str) -> bool:
    """Whether an answer is a statement of its own, which its first clause begins."""
    if leans(first) or _OBJECT.search(first) or weigh(first).weight < ENOUGH:
        return False
    head = first.split(", ")[0]
    return head == first or weigh(head).weight >= ENOUGH


def _asked_and_said(asked: str, said: str) -> str:
    """A question and its answer as they stand."""
    question = _LEADS_UP.sub("", cleaned(asked).rstrip(".?？ "))
    return f"{opened(question)}? {opened(said)}{'' if said[-1] in '.!。！' else '.'}"


def _has_value(text: str) -> bool:
    """Whether an answer names a value; its first word is no name for standing first."""
    return names_a_value(f"x {text if _SPEAKS_OF_SELF.match(text) is None else text[:1].lower() + text[1:]}")


def _names_enough(asked: str) -> bool:
    """Whether a question says what it asks about."""
    little = {*patterns.entries("words/little", "little"), *_POINTERS}
    named = [word for word in re.findall(r"[^\W_][\w'’.-]*", asked.lower()) if word not in little]
    return len(named) >= _FEWEST_NAMING or patterns.WIDE.search(asked) is not None


def _lead(before: Before) -> str:
    """What was said right before a question that names too little."""
    for text in (*reversed(before.told), *reversed(before.said)):
        if is_question(text) or leans(text) or begins_with_pronoun(text):
            continue
        if len(text) <= LONGEST_LEAD and len(text.split()) > _FEWEST_NAMING:
            return f"{text[:1].upper()}{text[1:].rstrip(' .,;…')}."
    return ""


def _anew(first: str, before: Before) -> str:
    """A value set in the place of one the agent stated: "make it 250" after "100 requests per minute"."""
    if before.asked:
        return ""
    head = _LEADS_IN.sub("", first).split(", ")[0].rstrip(".! ")
    taken = next((found for shape in (_TAKES, _MAY_BE, _IS_BETTER, _IS_WANTED) if (found := shape.fullmatch(head))), None)
    value = re.sub(r"(?i) for (?:all|every|both|the) ?\w*$", "", (taken["value"] if taken else head).strip())
    if WITHOUT_VERB.fullmatch(first.rstrip(".! ")) and (several := _all_anew(first, before)):
        return several
    if kind_of_value(value) not in _COUNTED or (taken is None and len(value) < 2):
        return ""
    question = next(iter(_own_questions(before, at_hand=True)), "")
    for told in reversed((*before.told_earlier, *before.told)):
        fixed = put_right(told, value) if len(told) <= LONGEST_LEAD and not _CODE.search(told) else None
        if fixed and _SAYS_OF.match(fixed):
            return re.sub(r"(?i)^your ", "The ", fixed)
        if fixed:
            return _of_topic(question, _FILLER.sub("", fixed)) if question and told in before.told else ""
    if set_for := next((found for told in before.told if (found := _CAN_SET.fullmatch(told))), None):
        lead = _lead(replace(before, told=()))
        return f"{lead}{' ' if lead else ''}{opened(set_for['thing'])}: {value}."
    alike = any(kind_of_value(value) in values_of(told) for told in before.told)
    return _asked_and_said(question, first) if question and alike else ""


def _all_anew(first: str, before: Before) -> str:
    """Several numbers set in the place of as many that the agent stated: "90 for 15 minutes"."""
    numbers = _NUMBER.findall(first)
    for told in reversed(before.told):
        pieces = _NUMBER.split(told)
        if 1 < len(numbers) == len(pieces) - 1 and _SAYS_OF.match(told):
            return "".join(f"{piece}{number}" for piece, number in zip(pieces, [*numbers, ""], strict=True))
    return ""


def _of_topic(question: str, told: str) -> str:
    """A value with what the question asked about in front."""
    asked = _ASKS_AFTER.fullmatch(question)
    if asked is None:
        return _asked_and_said(question, told)
    return f"{opened(re.sub(r'(?i)^your ', 'the ', asked['topic']))}: {told}"
